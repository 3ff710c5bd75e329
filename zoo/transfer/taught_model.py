"""Models that a user taught: features of pretrained networks, and a head that learnt from them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, cast

import numpy as np

import core
from core import GraphModel
from weights_cache.common.errors import ZooError
from zoo.catalog.labels import best_labels
from zoo.images.lists import for_each_image
from zoo.pipeline.loaded_model import LoadedModel
from zoo.pipeline.network_summary import Card
from zoo.pipeline.pickling import LoadCall
from zoo.pipeline.verb_signatures import ImageSource, model_verb
from zoo.results.vocabulary import Label
from zoo.transfer.exports.exporting import export_model
from zoo.transfer.exports.graphs import head_graph
from zoo.transfer.features.extractor import FeatureExtractor
from zoo.transfer.lessons import Lesson, Skipped
from zoo.transfer.predictions import Prediction, labels_of, prediction_of
from zoo.transfer.scores.class_scores import Scores
from zoo.transfer.scores.sheets import confusion_plot, scores_sheet

if TYPE_CHECKING:
    from pathlib import Path

    from PIL import Image

    from core import Tensor
    from core.plots import Plot
    from zoo.pipeline.network_summary import Card
    from zoo.transfer.exports.exporting import Export
    from zoo.transfer.image_sets import ExampleSource
    from zoo.transfer.scores.scores import AnyScores
    from zoo.transfer.targets import Kind, Target


class TaughtModel(LoadedModel):
    """A model that `zoo.teach` made, or that `zoo.load` read from the folder of one.

    Attributes:
        extractor: what computes the features of images.
        lesson: the examples, the head that learnt from them, and its scores.
    """

    def __init__(
        self,
        name: str,
        extractor: FeatureExtractor,
        lesson: Lesson,
        recipe: LoadCall | None = None,
        sources: Mapping[str, ImageSource] | None = None,
    ):
        self.extractor, self.lesson = extractor, lesson
        self._sources = dict(sources or {})  # images of examples by name, not saved
        super().__init__(name, self._network_of(lesson, extractor), recipe)

    @property
    def kind(self) -> Kind:
        """Kind of targets: "classification", "multi_label" or "regression"."""
        return self.lesson.kind

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels of the outputs; of classes "none of these" comes last, unless one is "none"."""
        return labels_of(self.lesson)

    @property
    def has_own_network(self) -> bool:
        """Whether the features are those of a fine-tuned network, which is saved as well."""
        return self.extractor.is_own

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the features, such as ``("mobilenet.v2_100_quant",)``."""
        return self.extractor.names

    @property
    def scores(self) -> AnyScores:
        """The results on images that were held out; printed, they are a report."""
        return self.lesson.scores

    @property
    def validation(self) -> AnyScores | None:
        """The results on the images for validation, where there are some."""
        return self.lesson.validation

    @property
    def history(self) -> Mapping[str, Sequence[float]]:
        """Losses of each epoch by name, of a network that was fine-tuned; else empty."""
        return self.lesson.history

    @property
    def skipped(self) -> tuple[Skipped, ...]:
        """The images that were left out, and why."""
        return self.lesson.skipped

    def predict(  # type: ignore[override]
        self, image: ImageSource | Sequence[ImageSource], *, mirror: bool = False
    ) -> Prediction:
        """Return what an image shows, by what was taught.

        Args:
            image: anything that `zoo.classify` takes; a list or an iterator are several.
            mirror: the image is a mirror image (selfie view).

        Returns:
            Of classes ``{"label": "ants", "score": 0.97, "scores": {"ants": 0.97, "bees": 0.02,
            "none of these": 0.01}, "familiar": 0.99}``; see `Prediction`. An image without the
            features that are needed is ``"none of these"``, and ``"missing"`` says why. A list of
            images gives a list, an iterator an iterator.

        Raises:
            ImageError: the image cannot be read.
            ZooError: the model is closed.

        >>> import zoo
        >>> zoo.load("my_model").predict("image.jpg")["label"]  # doctest: +SKIP
        'ants'
        """
        self.check_open()
        lesson = self.lesson  # which `add` in another thread may replace

        def predict_one(image: Any) -> Prediction:
            return prediction_of(lesson, self.extractor.of_image(image, mirror=mirror))

        return cast(Prediction, for_each_image(image, predict_one, list))

    @model_verb
    def classify(self, image: ImageSource, *, top_k: int = 3, mirror: bool = False) -> list[Label]:
        """Return the best classes of an image; see `zoo.classify`.

        Raises:
            ImageError: the image cannot be read.
            ZooError: values were taught, which `predict` returns.
        """
        if self.kind == "regression":
            raise ZooError(f"{self.name} was taught values, not classes: use predict")
        self.check_open()
        lesson = self.lesson

        def classify_one(image: Any) -> list[Label]:
            vector = self.extractor.of_image(image, mirror=mirror)
            scores = prediction_of(lesson, vector)["scores"]
            return best_labels(np.array([*scores.values()]), [*scores], top_k)

        return for_each_image(image, classify_one)

    @model_verb
    def infer(self, image: ImageSource, *, embedding: bool = False, mirror: bool = False) -> Tensor:
        """Return the output of the head for an image, or its features.

        Args:
            image: see `predict`.
            embedding: return the features instead.
            mirror: see `predict`.

        Returns:
            float32 [1, outputs] or [1, features].

        Raises:
            ZooError: the image has none of the features, such as no hand.
        """
        self.check_open()

        def infer_one(image: Any) -> Tensor:
            vector = self.extractor.of_image(image, mirror=mirror)
            if vector.values is None:
                raise ZooError(f"the image has no features: {vector.missing}")
            row = vector.values[None]
            return core.tensor(row if embedding else self.lesson.head.predict(row))

        return for_each_image(image, infer_one, list)

    def add(self, source: ExampleSource, targets: Sequence[Target] | None = None) -> TaughtModel:
        """Teach more examples, without starting again; new labels are welcome.

        Args:
            source: as for `zoo.teach`.
            targets: as for `zoo.teach`.

        Returns:
            The model, which learnt from all examples and has new scores; `save` keeps them. Images
            for validation are not kept, so there are no scores of them any more.

        Raises:
            ZooError: the examples are invalid, or of another kind of targets; the model stays as
                it was.
        """
        added: Callable[..., tuple[Lesson, dict[str, ImageSource]]]
        added = resolve_name("zoo.transfer.teaching:added")
        lesson, sources = added(self, source, targets)
        self._learn(lesson)
        self._sources |= sources
        return self

    def undo(self) -> TaughtModel:
        """Forget the examples that were added last, by `add`.

        Raises:
            ZooError: nothing was added.
        """
        undone: Callable[..., Lesson] = resolve_name("zoo.transfer.teaching:undone")
        self._learn(undone(self))
        return self

    def _learn(self, lesson: Lesson) -> None:
        network = self._network_of(lesson, self.extractor)
        self.lesson, self._network = lesson, network

    def save(self, folder: str | os.PathLike[str]) -> Path:
        """Write the model to a folder that `zoo.load` reads, wholly or not at all.

        The folder has the head, the features of the examples (so that more can be added), and
        ``taught.json`` with the scores, the licence and provenance of the features, and the sha256
        of each image. The images themselves are not in it.

        Returns:
            The folder.

        Raises:
            ZooError: there is something else of that name, or it cannot be written.
        """
        write: Callable[..., Path] = resolve_name("zoo.transfer.taught_files:write_taught")
        return write(folder, self)

    def export(self, path: str | os.PathLike[str]) -> Export:
        """Write the model for other programs.

        Args:
            path: a folder or ``.zip`` for TensorFlow.js in Teachable Machine's layout, or a file
                ``.keras`` or ``.h5`` for Keras, or ``.onnx``; see
                `zoo.transfer.exports.exporting.export_model`.

        Returns:
            The path, what the network there takes, and whether it takes images.

        Raises:
            ZooError: the format is not supported, or nothing can be written there.
        """
        return export_model(
            path,
            head=self.lesson.head,
            labels=self.lesson.labels,
            model=self.extractor.model,
            node=self.extractor.node,
            name=os.path.basename(os.path.normpath(self.name)),
            metadata={"features": list(self.features), "provenance": self.extractor.provenance},
        )

    def sheet(self, folder: str | os.PathLike[str] | None = None) -> Image.Image:
        """Return an image of the most doubtful and the most damaging examples.

        Args:
            folder: of the images, for a model that `zoo.load` read, which has no images. An image
                that is not there leaves its cell empty.

        Raises:
            ZooError: the images are not known, and no folder is given.
        """
        notes = [*self.scores.doubtful, *self.scores.damaging]
        if notes and folder is None and not self._sources:
            raise ZooError(
                f"{self.name} has no images of its examples: give sheet the folder they are in"
            )
        images: list[object] = [None] * (1 + max((note.position for note in notes), default=-1))
        for note in notes:
            beside = os.path.join(folder, note.name) if folder is not None else note.name
            images[note.position] = self._sources.get(note.name, beside)
        return scores_sheet(self.scores, images)

    def confusion_plot(self) -> Plot:
        """Return the confusion matrix of held-out examples: ``image`` and ``data``.

        Raises:
            ZooError: the model was not taught classes.
        """
        if not isinstance(self.scores, Scores):
            raise ZooError(f"{self.name} learnt {self.kind}, which has no confusion matrix")
        return confusion_plot(self.scores)

    def describe(self) -> Card:
        """Return what was taught, its scores, and the origin of its features, as a text."""
        lines = [f"{repr(self)[1:-1]} on {self.backend}", f"labels: {', '.join(self.labels)}"]
        lines += [str(self.scores)]
        for origin in self.extractor.provenance:
            lines.append(f"features: {origin['model']}, {origin['title']}; {origin['licence']}")
        return Card("\n".join(lines))

    def warmup(self) -> float:
        """Make the networks of the features ready; return how many milliseconds it took."""
        taken = super().warmup()
        return taken + self.extractor.warmup()

    def close(self) -> None:
        """Release the networks; the model cannot run after that."""
        super().close()
        self.extractor.close()

    def _network_of(self, lesson: Lesson, extractor: FeatureExtractor) -> GraphModel:
        return GraphModel(head_graph(lesson.head), extractor.backend)

    def __repr__(self) -> str:
        features = "+".join(self.features)
        return f"<taught model {self.name}: {self.kind} of {features}, {self.lesson.count_text}>"
