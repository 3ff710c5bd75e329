"""MoveNet: one person, in two passes; several people, whom a detector finds first.

Source of the regions: the model's card and tfjs-models' MoveNet (``determineNextCropRegion``),
whose crops follow a person from image to image.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from zoo.catalog.option import OWN
from zoo.pipeline.model import MOST_CROPS, Model, Outputs
from zoo.pipeline.preprocess import prepare_crops
from zoo.pipeline.verb_signatures import ImageSource, model_verb
from zoo.results.vocabulary import Box, Pose
from zoo.shared.anchors import candidates_for
from zoo.shared.boxes import box_around, to_box
from zoo.shared.placement import Placement, Region
from zoo.shared.skeletons import BODY_17, to_keypoints
from zoo.tasks.pose.deduplication import choose_people, nobody
from zoo.tasks.pose.entries import MoveNetNodes

VISIBLE = 0.2  # least score of a keypoint that counts

_SHOULDERS = [BODY_17.names.index(f"{side}_shoulder") for side in ("left", "right")]
_HIPS = [BODY_17.names.index(f"{side}_hip") for side in ("left", "right")]

# Half of a crop's side, in farthest distances along an axis from between the hips.
_OF_TORSO, _OF_BODY = 1.9, 1.2


class BodyPoints(NamedTuple):
    """One person, in pixels of the image."""

    points: np.ndarray  # [17, 2]
    scores: np.ndarray  # [17], 0..1

    @property
    def score(self) -> float:
        """Mean score of the visible keypoints, 0 if none is visible."""
        visible = self.scores[self.scores > VISIBLE]
        return float(visible.mean()) if visible.size else 0.0

    @property
    def has_torso(self) -> bool:
        """True if a shoulder and a hip are visible."""
        return all(self.scores[pair].max() > VISIBLE for pair in (_SHOULDERS, _HIPS))


class MoveNetModel(Model):
    """A loaded MoveNet for one person at a time, with the person detector of its option."""

    followers = {
        "estimate_single_pose": "zoo.tasks.pose.following:MoveNetFollower",
        "estimate_multiple_poses": "zoo.tasks.pose.following:MoveNetGroupFollower",
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

    @model_verb
    def estimate_multiple_poses(
        self,
        image: ImageSource,
        *,
        max_poses: int = 20,
        score_threshold: float = OWN,
        detector_threshold: float | None = None,
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

    def _multiple_poses(
        self,
        detect: Callable[[np.ndarray], list[Region]],
        image: np.ndarray,
        *,
        score_threshold: float,
        limit: int,
    ) -> list[Pose]:
        """Return the poses in the regions that a detector finds, best first."""
        bodies = self.bodies_in(image, detect(image))
        chosen = choose_people(
            [body.points for body in bodies],
            [body.score for body in bodies],
            score_threshold=score_threshold,
            limit=limit,
        )
        return [to_pose(bodies[i]) for i in chosen]

    def people_detector(
        self, max_poses: int, score_threshold: float | None
    ) -> Callable[[np.ndarray], list[Region]]:
        """Return the function that finds the squares around the people in an image."""
        detector = self.part("detector").detect
        # Of people in front of each other the boxes may be nested: `choose_people` sees who is who.
        nested = {"ios_threshold": 1.0} if "ios_threshold" in detector.__kwdefaults__ else {}
        detect = partial(
            detector,
            **nested,
            labels=["person"],
            max_detections=candidates_for(max_poses),
            score_threshold=score_threshold,
        )
        return lambda image: [region_of_person(found["box"]) for found in detect(image)]

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
        return to_pose(body) if body.score >= score_threshold else nobody()

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


def region_around(body: BodyPoints, image: tuple[int, int]) -> Region | None:
    """Return the square around a person for a second run on the image, or on the next image.

    The square may reach out of the image, whose height and width are given. It is None where the
    whole image is better: the torso is not visible, or the square would be as large.
    """
    if not body.has_torso:
        return None
    x, y = (float(n) for n in body.points[_HIPS].mean(axis=0))
    away = abs(body.points - (x, y)).max(axis=1)
    torso = away[_SHOULDERS + _HIPS].max() * _OF_TORSO
    whole = away[body.scores > VISIBLE].max() * _OF_BODY
    height, width = image
    half = min(max(torso, whole), max(x, width - x, y, height - y))
    if half > max(height, width) / 2:
        return None
    return Region(x, y, 2 * float(half), 2 * float(half))


def region_of_person(box: Box) -> Region:
    """Return the square around a person whom a detector has found, with equal room on each side."""
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    return Region(*middle, box["width"], box["height"]).squared().scaled(_OF_BODY)


def to_pose(body: BodyPoints) -> Pose:
    """Return a result of plain Python values."""
    keypoints = to_keypoints(BODY_17.names, body.points, body.scores)
    return {"score": body.score, "keypoints": keypoints, "box": to_box(box_around(body.points))}
