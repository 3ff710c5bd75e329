"""Networks that tell people from the background."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from zoo.options import check_number, refuse_options
from zoo.results import Segmentation
from zoo.runner import Model, Outputs
from zoo.segmentation.enlarging import Cells, Enlargement
from zoo.shared.placement import Placement

PERSON_LABELS = ("background", "person")


class PersonModel(Model):
    """A loaded network one of whose outputs, or what follows from them, tells where people are."""

    def segment_person(
        self,
        image: Any,
        *,
        threshold: float = 0.5,
        probability: bool = False,
        mirror: bool = False,
        **unknown: Any,
    ) -> Segmentation | Iterator[Segmentation]:
        """People against the background; see `zoo.segment_person`."""
        refuse_options(self.segment_person, unknown)
        least = check_number("threshold", threshold, low=0, high=1)
        return self.run(image, partial(self._segment_person, least, probability), mirror=mirror)

    def _segment_person(
        self, threshold: float, probability: bool, photo: np.ndarray
    ) -> Segmentation:
        outputs, placement = self.look_at(photo)
        how = self.enlargement(photo, placement)
        return self.person(outputs, how, threshold, probability)

    def enlargement(self, photo: np.ndarray, placement: Placement) -> Enlargement:
        """From the cells of the outputs to the pixels of a photo."""
        return Enlargement.of(photo.shape[:2], placement, self.entry.decode.stride)

    def person(
        self, outputs: Outputs, how: Enlargement, threshold: float, probability: bool
    ) -> Segmentation:
        """The result for a photo, from what the network says of it."""
        field = self.person_field(outputs)
        return find_person(field, how, self.entry.decode, threshold, probability)

    def person_field(self, outputs: Outputs) -> np.ndarray:
        """How likely each cell [rows, columns] is of a person, as the entry's `Cells` say."""
        field: np.ndarray = outputs[self.entry.output][0, :, :, 0]
        return field


def find_person(
    field: np.ndarray, how: Enlargement, cells: Cells, threshold: float, probability: bool
) -> Segmentation:
    """The pixels of a photo that are more likely a person's than a threshold says.

    Args:
        field: [rows, columns] of cells.
        how: from cells to pixels.
        cells: what the field holds.
        threshold: 0..1.
        probability: whether the result holds it, too.
    """
    mask, sure = np.empty(how.size, np.uint8), np.empty(how.size if probability else 0, np.float32)
    limit = log_odds(threshold) if cells.log_odds else threshold
    for rows, strip in how.strips():
        values = strip.values(field)
        mask[rows] = values > limit
        if probability:
            sure[rows] = _chance(values) if cells.log_odds else np.clip(values, 0, 1)
    result: Segmentation = {"mask": mask, "labels": list(PERSON_LABELS)}
    return {**result, "probability": sure} if probability else result


def _chance(values: np.ndarray) -> np.ndarray:
    """The probability whose log-odds these are."""
    chance: np.ndarray = np.exp(-np.logaddexp(0, -values))
    return chance


def log_odds(probability: float) -> float:
    """The logarithm of p / (1 - p).

    >>> log_odds(0.5), log_odds(1.0)
    (0.0, inf)
    """
    with np.errstate(divide="ignore"):
        return float(np.log(probability) - np.log1p(-probability))
