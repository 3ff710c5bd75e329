"""Networks that separate people from the background."""

from functools import partial

import numpy as np

from zoo.pipeline.model import Model, Outputs
from zoo.pipeline.verb_signatures import ImageSource, model_verb
from zoo.results import Segmentation
from zoo.segmentation.upsampling import Cells, Enlargement
from zoo.shared.logistic import log_odds, sigmoid
from zoo.shared.placement import Placement

PERSON_LABELS = ("background", "person")


class PersonModel(Model):
    """A loaded network from whose outputs the mask of people follows."""

    @model_verb
    def segment_person(
        self,
        image: ImageSource,
        *,
        threshold: float = 0.5,
        probability: bool = False,
        mirror: bool = False,
    ) -> Segmentation:
        """People against the background; see `zoo.segment_person`."""
        segment = partial(self._segment_person, threshold, probability)
        return self.run(image, segment, mirror=mirror)

    def _segment_person(
        self, threshold: float, probability: bool, image: np.ndarray
    ) -> Segmentation:
        outputs, placement = self.run_on_image(image)
        return self.person(outputs, self.enlargement(image, placement), threshold, probability)

    def enlargement(self, image: np.ndarray, placement: Placement) -> Enlargement:
        """Return the map from the cells of the outputs to the pixels of an image."""
        return Enlargement.of(image.shape[:2], placement, self.entry.decode.stride)

    def person(
        self, outputs: Outputs, enlargement: Enlargement, threshold: float, probability: bool
    ) -> Segmentation:
        """Return the result for an image from the network's outputs."""
        field = self.person_field(outputs)
        return find_person(field, enlargement, self.entry.decode, threshold, probability)

    def person_field(self, outputs: Outputs) -> np.ndarray:
        """Return the probability of a person per cell [rows, columns], by the entry's `Cells`."""
        field: np.ndarray = outputs[self.entry.output][0, :, :, 0]
        return field


def find_person(
    field: np.ndarray, enlargement: Enlargement, cells: Cells, threshold: float, probability: bool
) -> Segmentation:
    """The pixels of an image that are at least as likely a person's as a threshold says.

    Args:
        field: [rows, columns] of cells.
        enlargement: from cells to pixels.
        cells: what the field holds.
        threshold: 0..1.
        probability: whether the result holds it, too.
    """
    size = enlargement.size
    mask, sure = np.empty(size, np.uint8), np.empty(size if probability else 0, np.float32)
    limit = log_odds(threshold) if cells.log_odds else threshold
    for rows, strip in enlargement.strips():
        values = strip.values(field)
        mask[rows] = values >= limit
        if probability:
            sure[rows] = sigmoid(values) if cells.log_odds else np.clip(values, 0, 1)
    result: Segmentation = {"mask": mask, "labels": list(PERSON_LABELS)}
    return {**result, "probability": sure} if probability else result
