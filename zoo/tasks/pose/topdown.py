"""Top-down pose estimation by this project's two networks: people are found, then looked at."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from zoo.catalog.option import OWN
from zoo.pipeline.verb_signatures import ImageSource, model_verb
from zoo.results.vocabulary import Box, Pose
from zoo.shared.boxes import to_box
from zoo.shared.placement import Region
from zoo.tasks.pose.bodies import BodyPoints, similarity, to_pose
from zoo.tasks.pose.crops import CropPoseModel
from zoo.tasks.pose.deduplication import SAME, nobody
from zoo.tasks.pose.entries import TopDownSizes
from zoo.tasks.pose.people import PeopleDetector
from zoo.tasks.pose.topdown_decode import read_joints

_OF_BOX = 1.25  # height of a region, in heights of the box around the joints
_FEW = 4  # regions at most that are all seen at the full size
_LOOKS = 4  # at so many people at most, where the first is not sure
_SURE = 0.6  # from which score on of the first person no other is looked at

_REFINER = "refiner"  # the part that looks again


class TopDownModel(CropPoseModel):
    """A loaded pose network for crops, with the detector of people of its entry."""

    followers = dict.fromkeys(
        ("estimate_single_pose", "estimate_multiple_poses"),
        "zoo.tasks.pose.following:CropFollower",
    )

    @property
    def sizes(self) -> TopDownSizes:
        """Sizes of the inputs of both networks."""
        sizes: TopDownSizes = self.entry.decode
        return sizes

    @model_verb
    def estimate_single_pose(
        self,
        image: ImageSource,
        *,
        score_threshold: float = OWN,
        detector_threshold: float = OWN,
        mirror: bool = False,
    ) -> Pose:
        """Return the pose of the most prominent person; see `zoo.estimate_single_pose`."""
        estimate = partial(
            self._single_pose,
            self.part("detector"),
            score_threshold=score_threshold,
            detector_threshold=detector_threshold,
        )
        return self.run_each(image, estimate, mirror=mirror)

    def region_of(self, box: Box) -> Region:
        """Return the upright region, of the input's aspect, around the joints in a box."""
        height, width = self.input_size
        tall = max(box["height"], box["width"] * height / width) * _OF_BOX
        middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        return Region(*middle, tall * width / height, tall)

    def bodies_in(self, image: np.ndarray, regions: Sequence[Region]) -> list[BodyPoints]:
        """Return the body in each region; of many, small ones are seen at a smaller size."""
        many = len(regions) > _FEW
        small = [many and region.height < self.sizes.small[0] for region in regions]
        found: dict[int, BodyPoints] = {}
        for size, wanted in ((self.input_size, False), (self.sizes.small, True)):
            chosen = [i for i, is_small in enumerate(small) if is_small == wanted]
            bodies = self._bodies(image, [regions[i] for i in chosen], size) if chosen else []
            found |= zip(chosen, bodies, strict=True)
        return [found[i] for i in range(len(regions))]

    def looked_at_again(self, image: np.ndarray, bodies: Sequence[BodyPoints]) -> list[BodyPoints]:
        """Return the bodies with joints where the second network of the entry sees them.

        Scores stay those of the first, which say who is there at all. Where the second network
        sees another person, the body stays as it is.
        """
        if not bodies or _REFINER not in self.entry.parts:
            return list(bodies)
        refiner: CropPoseModel = self.part(_REFINER)
        regions = [refiner.region_of(to_box(body.box)) for body in bodies]
        closer = refiner.bodies_in(image, regions)
        return [
            old._replace(points=new.points) if similarity(new, old) > SAME else old
            for new, old in zip(closer, bodies, strict=True)
        ]

    def warmup(self, *parts: str) -> float:
        """Make both networks ready for one and for several people; see `Model.warmup`."""
        taken = super().warmup("detector", *parts)
        black = np.zeros((1, *self.sizes.one_person, 3), np.float32)
        return taken + self.part("detector").warmup_for(black)

    def _bodies(
        self, image: np.ndarray, regions: Sequence[Region], size: tuple[int, int]
    ) -> list[BodyPoints]:
        """Return the body in each region, which is brought to a size."""
        outputs, placements = self.run_on_regions(image, regions, size=size)
        joints = read_joints(outputs)
        return [
            BodyPoints(placement.points_to_image(points), scores, float(presence))
            for placement, points, scores, presence in zip(placements, *joints, strict=True)
        ]

    def _single_pose(
        self,
        detector: PeopleDetector,
        image: np.ndarray,
        *,
        score_threshold: float,
        detector_threshold: float | None,
    ) -> Pose:
        """Return the pose of the most prominent person in an image, by score and size."""
        found = detector.find(image, score_threshold=detector_threshold, size=self.sizes.one_person)
        sides = np.sqrt(np.prod(found.boxes[:, 2:] - found.boxes[:, :2], axis=1))
        ranked = np.argsort(-found.scores * sides, kind="stable")[:_LOOKS]
        regions = [self.region_of(to_box(box)) for box in found.boxes[ranked]]
        bodies = self.bodies_in(image, regions[:1])
        if bodies and bodies[0].score < _SURE:
            bodies += self.bodies_in(image, regions[1:])
        best = max(bodies, key=lambda body: body.score * body.extent, default=None)
        if best is None or best.score < score_threshold:
            return nobody()
        [body] = self.looked_at_again(image, [best])
        return to_pose(body, image.shape[:2])
