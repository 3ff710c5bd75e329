"""Networks that separate people from the background, or find the class of each pixel."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from zoo.catalog.labels import read_labels
from zoo.pipeline.model import Model, Outputs
from zoo.pipeline.verb_signatures import ImageSource, model_verb
from zoo.results.vocabulary import Segmentation
from zoo.shared.logistic import log_odds, logits, sigmoid
from zoo.shared.placement import Placement
from zoo.tasks.segmentation.cells import odds_against_others
from zoo.tasks.segmentation.upsampling import (
    Cells,
    Enlargement,
    reaching,
    strongest,
    strongest_with_share,
)

PERSON_LABELS = ("background", "person")


class PersonModel(Model):
    """A loaded network from whose outputs the mask of people follows."""

    followers = {"segment_person": "zoo.tasks.segmentation.following:PersonFollower"}

    @model_verb
    def segment_person(
        self,
        image: ImageSource,
        *,
        threshold: float = 0.5,
        probability: bool = False,
        mirror: bool = False,
    ) -> Segmentation:
        """Separate people from the background; see `zoo.segment_person`."""
        decode = partial(self.decode, self.person, threshold=threshold, probability=probability)
        return self.run(image, decode, mirror=mirror)

    def decode(
        self,
        find: Callable[..., Segmentation],
        image: np.ndarray,
        outputs: Outputs,
        placement: Placement,
        **options: Any,
    ) -> Segmentation:
        """Return what ``find`` makes of the outputs and the size of an image, by its options."""
        stride = self.entry.decode.stride
        return find(outputs, Enlargement.of(image.shape[:2], placement, stride), **options)

    def person(
        self,
        outputs: Outputs,
        enlargement: Enlargement,
        threshold: float,
        probability: bool,
        steadied: Callable[[np.ndarray], np.ndarray] = lambda likely: likely,
    ) -> Segmentation:
        """Return the result for an image from the network's outputs.

        Args:
            outputs: of the network.
            enlargement: from cells to pixels.
            threshold: as of `segment_person`.
            probability: as of `segment_person`.
            steadied: from probabilities of cells [rows, columns] to steadier ones, in a stream.
        """
        cells: Cells = self.entry.decode
        field = steadied_field(self.person_field(outputs), cells, steadied)
        return find_person(field, enlargement, cells, threshold, probability)

    def person_field(self, outputs: Outputs) -> np.ndarray:
        """Return the probability of a person per cell [rows, columns], by the entry's `Cells`."""
        field: np.ndarray = outputs[self.entry.output][0, :, :, 0]
        return field


class DeepLabModel(PersonModel):
    """A loaded DeepLab."""

    @model_verb
    def segment(
        self, image: ImageSource, *, probability: bool = False, mirror: bool = False
    ) -> Segmentation:
        """Return the class of each pixel; see `zoo.segment`."""
        decode = partial(self.decode, self.classes, probability=probability)
        return self.run(image, decode, mirror=mirror)

    def classes(
        self, outputs: Outputs, enlargement: Enlargement, probability: bool
    ) -> Segmentation:
        """Return the result for an image from the network's outputs."""
        logits = outputs[self.entry.output][0]
        labels = list(read_labels(self.entry.labels))
        if not probability:
            return {"mask": strongest(logits, enlargement), "labels": labels}
        mask, sure = strongest_with_share(logits, enlargement)
        return {"mask": mask, "labels": labels, "probability": sure}

    def person_field(self, outputs: Outputs) -> np.ndarray:
        """Return the log-odds of a person against everything else, per cell [rows, columns]."""
        logits = outputs[self.entry.output][0]
        person = read_labels(self.entry.labels).index("person")
        return odds_against_others(logits, person)


def steadied_field(
    field: np.ndarray, cells: Cells, steadied: Callable[[np.ndarray], np.ndarray]
) -> np.ndarray:
    """Return a field whose probabilities are steadied: by `Cells` these or their log-odds."""
    likely = sigmoid(field) if cells.log_odds else field
    steady = steadied(likely)
    if steady is likely:
        return field
    return logits(steady) if cells.log_odds else steady


def find_person(
    field: np.ndarray, enlargement: Enlargement, cells: Cells, threshold: float, probability: bool
) -> Segmentation:
    """Return the mask of the pixels whose probability of a person reaches a threshold.

    With ``probability`` the result has that of each pixel, too. The field is [rows, columns].
    """
    limit = log_odds(threshold) if cells.log_odds else threshold
    kind = "logistic" if cells.log_odds else "clipped"
    mask, sure = reaching(field, enlargement, limit, kind if probability else "")
    result: Segmentation = {"mask": mask, "labels": list(PERSON_LABELS)}
    return {**result, "probability": sure} if probability else result
