"""BlazePose: a detector finds people, and 33 points of each are read from a closer look."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

import core
from zoo.options import check_number, refuse_options
from zoo.pose.blazepose_decode import (
    Landmarks,
    body_region,
    in_photo,
    read_field,
    read_landmarks,
    refined,
    to_pose,
)
from zoo.results import Pose, Segmentation
from zoo.runner import Model, Outputs
from zoo.shared.anchors import Candidates
from zoo.shared.placement import Placement

_PRESENT = 0.5  # least score of a pose


class BlazePoseModel(Model):
    """A loaded landmark network, with the person detector of its entry."""

    def estimate_single_pose(
        self,
        image: Any,
        *,
        segmentation: bool = False,
        probability: bool = False,
        mirror: bool = False,
        **unknown: Any,
    ) -> Pose | Iterator[Pose]:
        """The pose of the person most clearly seen; see `zoo.estimate_single_pose`."""
        refuse_options(self.estimate_single_pose, unknown)
        find = partial(self.part("detector").find, limit=1)
        look = partial(self._poses, least=_PRESENT, mask=segmentation, probability=probability)

        def estimate(photo: np.ndarray) -> Pose:
            found = look(photo, find(photo))
            return found[0] if found else {"score": 0.0, "keypoints": []}

        return self.run(image, estimate, mirror=mirror)

    def estimate_multiple_poses(
        self,
        image: Any,
        *,
        max_poses: int = 5,
        score_threshold: float = _PRESENT,
        detector_threshold: float = 0.5,
        segmentation: bool = False,
        probability: bool = False,
        mirror: bool = False,
        **unknown: Any,
    ) -> list[Pose] | Iterator[list[Pose]]:
        """The poses of several people; see `zoo.estimate_multiple_poses`."""
        refuse_options(self.estimate_multiple_poses, unknown)
        least = check_number("score_threshold", score_threshold, low=0, high=1)
        find = partial(
            self.part("detector").find,
            score_threshold=check_number("detector_threshold", detector_threshold, low=0, high=1),
            limit=check_number("max_poses", max_poses, low=1, whole=True),
        )
        look = partial(self._poses, least=least, mask=segmentation, probability=probability)
        return self.run(image, lambda photo: look(photo, find(photo)), mirror=mirror)

    def _poses(
        self, photo: np.ndarray, people: Candidates, *, least: float, mask: bool, probability: bool
    ) -> list[Pose]:
        """Those of the people found who are there, in one batch."""
        if not len(people.scores):
            return []
        regions = [body_region(points) for points in people.points]
        outputs, placements = self.look_closer(photo, regions)
        poses = []
        for index, placement in enumerate(placements):
            body = self._landmarks(outputs, index)
            if body.score < least:
                continue
            pose = to_pose(in_photo(body, placement))
            if mask or probability:
                seen = read_field(outputs, self.entry.decode.segmentation, self.entry.decode, index)
                whole = field_in_photo(seen[:, :, 0], placement, photo.shape[:2])
                pose["segmentation"] = _segmentation(whole, probability)
            poses.append(pose)
        return poses

    def _landmarks(self, outputs: Outputs, index: int) -> Landmarks:
        meaning = self.entry.decode
        body = read_landmarks(outputs, meaning, index)
        heatmap = read_field(outputs, meaning.heatmap, meaning, index)
        return body._replace(points=refined(body.points, heatmap, self.input_size[0]))


def field_in_photo(field: np.ndarray, placement: Placement, size: tuple[int, int]) -> np.ndarray:
    """A field [rows, columns] of the input as float32 [height, width] of the photo, 0 around it."""
    rows, columns = field.shape
    whole = np.zeros(size, np.float32)
    corners = np.array([[0, 0], [columns, 0], [columns, rows], [0, rows]])
    reach = placement.points_to_photo(corners)
    left, top = np.clip(np.floor(reach.min(axis=0)), 0, size[::-1]).astype(int)
    right, bottom = np.clip(np.ceil(reach.max(axis=0)), 0, size[::-1]).astype(int)
    if left >= right or top >= bottom:
        return whole
    # From a pixel's number in that part of the photo to one in the field: both by their centres.
    back = np.linalg.inv(np.reshape([*placement, 0, 0, 1], (3, 3)))
    start = back @ (left + 0.5, top + 0.5, 1) - 0.5
    row = [*back[0, :2], start[0], *back[1, :2], start[1], 0.0, 0.0]
    part = core.transform(
        core.tensor(field[None, :, :, None].astype(np.float32)),
        [[float(n) for n in row]],
        interpolation="bilinear",
        output_shape=(int(bottom - top), int(right - left)),
    )
    whole[top:bottom, left:right] = part.numpy()[0, :, :, 0]
    return whole


def _segmentation(likely: np.ndarray, probability: bool) -> Segmentation:
    found: Segmentation = {
        "mask": (likely >= 0.5).astype(np.uint8),
        "labels": ["background", "person"],
    }
    return {**found, "probability": likely} if probability else found
