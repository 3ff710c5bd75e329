"""Networks that classify an image."""

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

import core
from weights_cache.common.errors import WeightsError
from zoo.catalog.labels import best_labels, read_labels
from zoo.pipeline.model import Model, Outputs
from zoo.pipeline.verb_signatures import ImageSource, model_verb
from zoo.results.vocabulary import Label
from zoo.shared.placement import Placement
from zoo.tasks.classification.entries import Classes

if TYPE_CHECKING:
    from core import Tensor


class ClassifierModel(Model):
    """A loaded classifier; its last layer is a softmax."""

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels of the classes, in the order of the network's output."""
        classes: Classes = self.entry.decode
        names = read_labels(self.entry.labels)
        return ("background", *names) if classes.background else names

    @model_verb
    def classify(self, image: ImageSource, *, top_k: int = 3, mirror: bool = False) -> list[Label]:
        """Return the best classes of an image; see `zoo.classify`."""
        return self.run(image, partial(self._decode, top_k=top_k), mirror=mirror)

    def _decode(
        self, image: np.ndarray, outputs: Outputs, placement: Placement, *, top_k: int
    ) -> list[Label]:
        return best_labels(self._scores(outputs), self.labels, top_k)

    def rows_of(self, batch: "Tensor", count: int) -> "list[Tensor]":
        """Return the network's output for each image of a batch, as a row [1, n]."""
        return [core.reshape(row, shape=(1, -1)) for row in super().rows_of(batch, count)]

    def _scores(self, outputs: Outputs) -> np.ndarray:
        """Return the scores of all classes."""
        scores: np.ndarray = next(iter(outputs.values()))[0]
        if scores.shape != (len(self.labels),):
            raise WeightsError(
                f"{self.name} has {len(self.labels)} labels, but the weights given to it are of a "
                f"network that gives {scores.shape}: zoo.load(path) loads any network"
            )
        return scores
