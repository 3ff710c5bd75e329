"""Whether anybody is there: masks of people that are empty where nobody is seen.

A network that separates people from what is behind them marks what lies in front, and so also an
animal or a bed. Whether that is a person the pose shows: joints are found on people alone. Where
none is found, as of legs or of a face that fills the image, a network of classes says what the
mask is of.
"""

from abc import abstractmethod
from collections.abc import Callable
from functools import partial

import numpy as np

from zoo.pipeline.model import Outputs
from zoo.pipeline.verb_signatures import ImageSource, model_verb
from zoo.results.vocabulary import Segmentation
from zoo.shared.placement import Placement
from zoo.tasks.segmentation.person_masks import PersonModel

#: Least share of a mask that the network of classes takes for people, too: `zoo/docs/models.md` has
#: what it was chosen by.
SHARED = 0.2

#: Finds the mask in an image from the network's outputs, and where the image lies in its input.
FindMask = Callable[[np.ndarray, Outputs, Placement], Segmentation]


class CheckedPersonModel(PersonModel):
    """A loaded network whose masks count where somebody is seen."""

    @abstractmethod
    def shows_pose(self, image: np.ndarray, outputs: Outputs) -> bool:
        """Return whether a pose is found in an image, of which the network gave the outputs."""

    def shows_somebody(self, image: np.ndarray, outputs: Outputs, mask: np.ndarray) -> bool:
        """Return whether there is a person where a mask is, which is not empty."""
        if self.shows_pose(image, outputs):
            return True
        people = self.part("classes").segment_person(image)["mask"]
        return bool(people[mask > 0].mean() >= SHARED)

    def warmup(self, *parts: str) -> float:
        """Make the network and those of the check ready; see `Model.warmup`."""
        return super().warmup(*self.entry.parts, *parts)

    @model_verb
    def segment_person(
        self,
        image: ImageSource,
        *,
        threshold: float = 0.5,
        probability: bool = False,
        person_check: bool = True,
        mirror: bool = False,
    ) -> Segmentation:
        """Separate people from the background; see `zoo.segment_person`."""
        decode = partial(self.decode, self.person, threshold=threshold, probability=probability)
        return self.run(image, self.checked(decode) if person_check else decode, mirror=mirror)

    def checked(self, find: FindMask) -> FindMask:
        """Return a function that finds the same masks, but empty ones where nobody is seen."""

        def found(image: np.ndarray, outputs: Outputs, placement: Placement) -> Segmentation:
            result = find(image, outputs, placement)
            # The check takes longer than an empty mask is worth.
            mask = result["mask"]
            shown = not mask.any() or self.shows_somebody(image, outputs, mask)
            return result if shown else emptied(result)

        return found


class SelfieModel(CheckedPersonModel):
    """A loaded selfie segmentation, with a network of poses that finds whether anybody is there."""

    def shows_pose(self, image: np.ndarray, outputs: Outputs) -> bool:
        """Return whether the model of poses finds one."""
        pose = self.part("pose").estimate_single_pose(image)
        return bool(pose["keypoints"])


def emptied(result: Segmentation) -> Segmentation:
    """Return a result without any person in it."""
    empty: Segmentation = {**result, "mask": np.zeros_like(result["mask"])}
    if "probability" in result:
        empty["probability"] = np.zeros_like(result["probability"])
    return empty
