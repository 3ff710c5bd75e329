"""DeepLab: the class of each pixel."""

from functools import partial

import numpy as np

from zoo.labels import read_labels
from zoo.pipeline.model import Outputs
from zoo.pipeline.verb_signatures import ImageSource, model_verb
from zoo.results import Segmentation
from zoo.segmentation.person_masks import PersonModel
from zoo.segmentation.upsampling import Enlargement, share_of_strongest, strongest


class DeepLabModel(PersonModel):
    """A loaded DeepLab."""

    @model_verb
    def segment(
        self, image: ImageSource, *, probability: bool = False, mirror: bool = False
    ) -> Segmentation:
        """Return the class of each pixel; see `zoo.segment`."""
        return self.run(image, partial(self._segment, probability), mirror=mirror)

    def _segment(self, probability: bool, image: np.ndarray) -> Segmentation:
        outputs, placement = self.run_on_image(image)
        return self.classes(outputs, self.enlargement(image, placement), probability)

    def classes(
        self, outputs: Outputs, enlargement: Enlargement, probability: bool
    ) -> Segmentation:
        """Return the result for an image from the network's outputs."""
        logits = outputs[self.entry.output][0]
        labels = list(read_labels(self.entry.labels))
        result: Segmentation = {"mask": strongest(logits, enlargement), "labels": labels}
        if probability:
            result["probability"] = share_of_strongest(logits, enlargement)
        return result

    def person_field(self, outputs: Outputs) -> np.ndarray:
        """The log-odds of a person against everything else."""
        logits = outputs[self.entry.output][0]
        person = read_labels(self.entry.labels).index("person")
        others = np.delete(logits, person, axis=2)
        best = others.max(axis=2)
        sums = np.exp(others - best[:, :, None]).sum(axis=2)
        odds: np.ndarray = logits[:, :, person] - best - np.log(sums)
        return odds
