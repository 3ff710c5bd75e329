"""Several people by a network that sees one: a detector finds them, and each is looked at."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from zoo.catalog.option import OWN
from zoo.pipeline.model import Model
from zoo.pipeline.verb_signatures import ImageSource, model_verb
from zoo.results.vocabulary import Box, Pose
from zoo.shared.anchors import candidates_for
from zoo.shared.boxes import to_box
from zoo.shared.placement import Region
from zoo.tasks.pose.bodies import BodyPoints, to_pose
from zoo.tasks.pose.deduplication import choose_bodies

#: Finds the regions around the people in an image, uint8 [height, width, 3].
FindRegions = Callable[[np.ndarray], list[Region]]


class CropPoseModel(Model):
    """A loaded network that finds the joints of one person in a region of an image."""

    @abstractmethod
    def bodies_in(self, image: np.ndarray, regions: Sequence[Region]) -> list[BodyPoints]:
        """Return the body in each region."""

    @abstractmethod
    def region_of(self, box: Box) -> Region:
        """Return the region around a person whom the detector has found."""

    def next_region(self, body: BodyPoints, image: tuple[int, int]) -> Region:
        """Return the region of a person in the next image, of the same height and width."""
        return self.region_of(to_box(body.box))

    @model_verb
    def estimate_multiple_poses(
        self,
        image: ImageSource,
        *,
        max_poses: int = 20,
        score_threshold: float = OWN,
        detector_threshold: float = OWN,
        mirror: bool = False,
    ) -> list[Pose]:
        """Return the poses of several people; see `zoo.estimate_multiple_poses`."""
        estimate = partial(
            self._multiple_poses,
            self.people_detector(max_poses, detector_threshold),
            score_threshold=score_threshold,
            limit=max_poses,
        )
        return self.run_each(image, estimate, mirror=mirror)

    def people_detector(self, max_poses: int, score_threshold: float | None) -> FindRegions:
        """Return the function that finds the regions around the people in an image."""
        detector = self.part("detector").detect
        # Of people in front of each other the boxes may be nested: `choose_bodies` sees who is who.
        nested = {"ios_threshold": 1.0} if "ios_threshold" in detector.__kwdefaults__ else {}
        detect = partial(
            detector,
            **nested,
            labels=["person"],
            max_detections=candidates_for(max_poses),
            score_threshold=score_threshold,
        )
        return lambda image: [self.region_of(found["box"]) for found in detect(image)]

    def people_in(
        self,
        image: np.ndarray,
        regions: Sequence[Region],
        *,
        score_threshold: float,
        limit: int,
    ) -> list[BodyPoints]:
        """Return the bodies in regions of an image, best first, each person once."""
        chosen = choose_bodies(
            self.bodies_in(image, regions), score_threshold=score_threshold, limit=limit
        )
        return self.looked_at_again(image, chosen)

    def looked_at_again(self, image: np.ndarray, bodies: Sequence[BodyPoints]) -> list[BodyPoints]:
        """Return the bodies by a second network, in a model that has one."""
        return list(bodies)

    def _multiple_poses(
        self, detect: FindRegions, image: np.ndarray, *, score_threshold: float, limit: int
    ) -> list[Pose]:
        """Return the poses in the regions that a detector finds, best first."""
        people = self.people_in(image, detect(image), score_threshold=score_threshold, limit=limit)
        return [to_pose(body, image.shape[:2]) for body in people]
