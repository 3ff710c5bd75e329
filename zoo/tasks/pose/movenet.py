"""MoveNet: one person, in two passes; several people, whom a detector finds first.

Source of the regions: the model's card and tfjs-models' MoveNet (``determineNextCropRegion``),
whose crops follow a person from image to image.
"""

from collections.abc import Sequence
from functools import partial

import numpy as np

from zoo.catalog.option import OWN
from zoo.pipeline.model import MOST_CROPS, Outputs
from zoo.pipeline.preprocess import prepare_crops
from zoo.pipeline.verb_signatures import ImageSource, model_verb
from zoo.results.vocabulary import Box, Pose
from zoo.shared.boxes import box_around
from zoo.shared.placement import Placement, Region, region_of_box
from zoo.tasks.pose.bodies import BodyPoints, region_around, to_pose
from zoo.tasks.pose.crops import CropPoseModel
from zoo.tasks.pose.deduplication import nobody
from zoo.tasks.pose.entries import MoveNetNodes

# Half of a crop's side, in halves of the longer side of the box that a detector found.
_OF_BOX = 1.2

_AROUND = 1.4  # sides of the square that follows a person without a torso, in sides of the box


class MoveNetModel(CropPoseModel):
    """A loaded MoveNet for one person at a time, with the person detector of its option."""

    followers = {
        "estimate_single_pose": "zoo.tasks.pose.following:MoveNetFollower",
        "estimate_multiple_poses": "zoo.tasks.pose.following:CropFollower",
    }

    @model_verb
    def estimate_single_pose(
        self,
        image: ImageSource,
        *,
        score_threshold: float = OWN,
        refine: bool = True,
        mirror: bool = False,
    ) -> Pose:
        """Return the pose of the person most in the middle; see `zoo.estimate_single_pose`."""
        decode = partial(self._single_pose, score_threshold=score_threshold, refine=refine)
        return self.run(image, decode, mirror=mirror)

    def body_in(self, image: np.ndarray) -> BodyPoints:
        """Return the person in a whole image."""
        outputs, placement = self.run_on_image(image)
        return read_body(outputs[self.entry.output], self.input_size[0], placement)

    def _single_pose(
        self,
        image: np.ndarray,
        outputs: Outputs,
        placement: Placement,
        *,
        score_threshold: float,
        refine: bool,
    ) -> Pose:
        """Return the pose of the person in the outputs, or that of a closer look at the person."""
        body = read_body(outputs[self.entry.output], self.input_size[0], placement)
        region = region_around(body, image.shape[:2]) if refine else None
        if region is not None:
            [closer] = self.bodies_in(image, [region])
            body = closer if closer.has_torso else body
        if body.score < score_threshold:
            return nobody()
        return to_pose(body, image.shape[:2])

    def region_of(self, box: Box) -> Region:
        """Return the square around a person whom the detector has found, with room on each side."""
        middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        return Region(*middle, box["width"], box["height"]).squared().scaled(_OF_BOX)

    def next_region(self, body: BodyPoints, image: tuple[int, int]) -> Region:
        """Return the square around a person for the next image, as tfjs-models' crops follow."""
        region = region_around(body, image)
        if region is not None:
            return region
        return region_of_box(box_around(body.points)).squared().scaled(_AROUND)

    def bodies_in(self, image: np.ndarray, regions: Sequence[Region]) -> list[BodyPoints]:
        """Return the body in each region: convolutions run on batches, the last nodes on each."""
        output = self.entry.output
        nodes: MoveNetNodes = self.entry.decode
        found = []
        for start in range(0, len(regions), MOST_CROPS):
            some = regions[start : start + MOST_CROPS]
            values, placements = prepare_crops(image, self.entry.preprocess, self.input_size, some)
            pixels = {nodes.pixels: values.astype(np.float32)}
            heads = self.outputs_of(pixels, nodes.heads)
            for i, placement in enumerate(placements):
                of_one = {name: array[i : i + 1] for name, array in heads.items()}
                body = self.outputs_of(of_one, [output])[output]
                found.append(read_body(body, self.input_size[0], placement))
        return found


def read_body(output: np.ndarray, size: int, placement: Placement) -> BodyPoints:
    """Return the body in an output [1, 1, 17, 3]: y, x in shares of the input, score."""
    rows = output.reshape(-1, 3).astype(np.float64)
    return BodyPoints(placement.points_to_image(rows[:, 1::-1] * size), rows[:, 2])
