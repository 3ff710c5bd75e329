"""Fine-tuning: the last layers of a pretrained network learn from images, with a dense head."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from core import GraphModel
from core.graph_model.network_tails import find_tail
from weights_cache.common.errors import ZooError
from zoo.pipeline.loaded_model import LoadedModel
from zoo.pipeline.model import Model
from zoo.pipeline.verb_signatures import ImageSource
from zoo.transfer.features.extractor import feature_names
from zoo.transfer.heads import Head
from zoo.transfer.targets import Kind, Target, label_names
from zoo.transfer.tuning.runs import Data, Record, TuningRun, as_floats
from zoo.transfer.tuning.settings import TuningSettings, checked_settings, held_out_images
from zoo.transfer.tuning.tail_training import BATCH, TailTraining
from zoo.transfer.tuning.training_views import Views, maps_of


class FineTuned(NamedTuple):
    """A network with trained last layers, and its head.

    Attributes:
        network: computes the features, its only output, which has the name of the original's node.
        node: that name.
        head: dense layer on the features, which are averaged over height and width.
        history: "loss" of each epoch, and of images for validation "val_loss" and, but for values,
            "val_accuracy".
        before: "val_loss" and "val_accuracy" of the head before fine-tuning.
        best: the epoch whose weights these are, from 1; 0 for those before fine-tuning.
        stopped: why training ended.
        held_out: indices of the images for validation.
    """

    network: GraphModel
    node: str
    head: Head
    history: dict[str, list[float]]
    before: Record
    best: int
    stopped: str
    held_out: np.ndarray


def fine_tuned_network(
    model: LoadedModel,
    images: Sequence[ImageSource],
    targets: Sequence[Target],
    *,
    kind: Kind = "classification",
    labels: Sequence[str] | None = None,
    validation: float | Sequence[int] | np.ndarray | None = None,
    settings: TuningSettings | None = None,
    on_epoch: Callable[[int, Record], object] | None = None,
) -> FineTuned:
    """Train the last layers of a network and a dense head on images.

    The head begins as a linear probe, which is fitted to the features of random views of the
    images. Then it trains together with the last convolutions, by gradient descent with momentum,
    on these views, of which all that comes before is computed once. Batch norm keeps its
    statistics. Of a network that is quantised to integers the trained part computes with floats
    afterwards.

    Args:
        model: a model of the zoo with an embedding; it stays as it is.
        images: anything that verbs take; each is read once.
        targets: for each image, as `zoo.transfer.heads.Head.fit` takes them.
        kind: "classification", "multi_label" or "regression".
        labels: of the outputs in their order; by default those of the targets, sorted.
        validation: share of the images, above 0 and at most 0.5, or indices of images. They are not
            trained on; the weights of the epoch with the smallest loss on them are kept, which may
            be those before training. None: all images train, through all epochs.
        settings: by default those of `TuningSettings`.
        on_epoch: called with the number of each epoch, from 1, and its losses by name. A terminal
            shows a bar.

    Returns:
        The network and the head.

    Raises:
        ZooError: an argument is invalid, the model cannot be fine-tuned, or the loss is not finite.
        ImageError: an image cannot be read.

    >>> import zoo
    >>> rng = np.random.default_rng(0)
    >>> dark, light = rng.integers(0, 99, (4, 32, 32, 3)), rng.integers(156, 255, (4, 32, 32, 3))
    >>> images = [*dark.astype(np.uint8), *light.astype(np.uint8)]
    >>> found = fine_tuned_network(
    ...     zoo.load("posenet.tiny"),
    ...     images,
    ...     ["dark"] * 4 + ["light"] * 4,
    ...     settings=TuningSettings(epochs=1, views=1),
    ... )
    >>> found.head.labels, found.stopped
    (('dark', 'light'), 'all epochs ran')
    """
    settings = checked_settings(settings or TuningSettings())
    model = _checked_model(model)
    names = label_names(kind, targets, labels)
    if len(images) != len(targets):
        raise ZooError(f"{len(images)} images have {len(targets)} targets: give one for each")
    held = held_out_images(validation, kind, targets, settings.seed)
    kept = np.setdiff1d(np.arange(len(images)), held)
    known = [targets[i] for i in kept]
    label_names(kind, known, names)  # or an error about a class without images to train on
    batch, coded = min(BATCH, len(kept)), as_floats(kind, targets, names)
    tail = find_tail(model.network, model.entry.embedding, settings.layers)
    training = TailTraining(tail, model.backend, batch, settings.learning_rate)

    def data(chosen: np.ndarray, views: Views) -> Data:
        maps = maps_of(training.network, tail.cut, model, images, chosen, views)
        return Data(maps, coded[chosen])

    some = data(kept, Views(settings.views, settings.mirror, settings.seed))
    others = data(held, Views(0)) if len(held) else None
    training.begin(_probe(training, some.maps, known, Head(kind, normalize=True), settings, names))
    run = TuningRun(training, some, others, settings)
    for record in run.epochs():
        if on_epoch is not None:
            on_epoch(run.epoch, record)
    network = training.trained_network()
    return FineTuned(
        network=network,
        node=tail.features,
        head=training.head(),
        history=run.history,
        before=run.before,
        best=run.best,
        stopped=run.stopped,
        held_out=held,
    )


def _probe(
    training: TailTraining,
    maps: np.ndarray,
    targets: Sequence[Target],
    head: Head,
    settings: TuningSettings,
    labels: Sequence[str],
) -> Head:
    """Return a head of the kind of another one, fitted to all views of images."""
    views = maps.shape[1]
    rows = np.concatenate([training.features(maps[:, view]) for view in range(views)])
    fitted = Head(head.kind, penalty=settings.penalty / views, normalize=head.normalize)
    return fitted.fit(rows, [*targets] * views, labels)


def _checked_model(model: LoadedModel) -> Model:
    """Return a model.

    Raises:
        ZooError: it has no embedding of images.
    """
    names = feature_names()[1]
    if not isinstance(model, Model) or model.name not in names:
        raise ZooError(
            f"{model.name} has no embedding of images, so it cannot be fine-tuned; models that can "
            f"are {', '.join(names)}"
        )
    return model
