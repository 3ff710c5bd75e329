"""The joints of one person, and the square around them for a closer look or the next image."""

from typing import NamedTuple

import numpy as np

from zoo.results.vocabulary import Pose
from zoo.shared.boxes import box_around
from zoo.shared.placement import Region
from zoo.shared.pose_results import pose_of
from zoo.shared.skeletons import BODY_17

VISIBLE = 0.2  # least score of a keypoint that counts

_SHOULDERS = [BODY_17.names.index(f"{side}_shoulder") for side in ("left", "right")]
_HIPS = [BODY_17.names.index(f"{side}_hip") for side in ("left", "right")]

# COCO's standard deviations of annotators' joints, in roots of a person's area, which is about so
# much of the box (https://cocodataset.org/#keypoints-eval).
_FACE = (0.026, 0.025, 0.025, 0.035, 0.035)
_BODY = (0.079, 0.079, 0.072, 0.072, 0.062, 0.062, 0.107, 0.107, 0.087, 0.087, 0.089, 0.089)
SIGMAS = np.array(_FACE + _BODY)
AREA_OF_BOX = 0.53

# Half of a crop's side, in farthest distances along an axis from between the hips.
_OF_TORSO, _OF_BODY = 1.9, 1.2


class BodyPoints(NamedTuple):
    """One person, in pixels of the image."""

    points: np.ndarray  # [17, 2]
    scores: np.ndarray  # [17], 0..1
    presence: float = 1.0  # 0..1: that there is somebody, where the network says so

    @property
    def visible(self) -> np.ndarray:
        """Whether each keypoint counts, bool [17]."""
        seen: np.ndarray = self.scores > VISIBLE
        return seen

    @property
    def score(self) -> float:
        """Mean score of the visible keypoints times the presence, 0 if none is visible."""
        seen = self.scores[self.visible]
        return self.presence * float(seen.mean()) if seen.size else 0.0

    @property
    def evidence(self) -> float:
        """Sum of the scores of the visible keypoints times the presence: how much is seen."""
        return self.presence * float(self.scores[self.visible].sum())

    @property
    def box(self) -> np.ndarray:
        """Box x0, y0, x1, y1 around the visible keypoints, around all if fewer than three are."""
        return box_around(self.points[self.visible] if self.visible.sum() >= 3 else self.points)

    @property
    def extent(self) -> float:
        """Longer side of the box, in pixels."""
        box = self.box
        return float(max(box[2:] - box[:2]))

    @property
    def has_torso(self) -> bool:
        """True if a shoulder and a hip are visible."""
        return all(self.visible[pair].any() for pair in (_SHOULDERS, _HIPS))


def similarity(one: BodyPoints, other: BodyPoints) -> float:
    """Return the object keypoint similarity (OKS, 0..1) of two bodies, for the larger of both.

    Keypoints count by the product of their scores; 0 if none is visible in both.
    """
    weights = np.where(one.visible & other.visible, one.scores * other.scores, 0.0)
    if not weights.any():
        return 0.0
    low, high = np.split(np.stack([one.box, other.box]), 2, axis=1)
    area = AREA_OF_BOX * float(np.prod(high - low, axis=1).max()) + 1
    away = np.square(one.points - other.points).sum(axis=1)
    near = np.exp(-away / (2 * np.square(2 * SIGMAS) * area))
    return float((near * weights).sum() / weights.sum())


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
    whole = away[body.visible].max() * _OF_BODY
    height, width = image
    half = min(max(torso, whole), max(x, width - x, y, height - y))
    if half > max(height, width) / 2:
        return None
    return Region(x, y, 2 * float(half), 2 * float(half))


def to_pose(body: BodyPoints, image: tuple[int, int]) -> Pose:
    """Return a result of plain Python values, in an image of a height and width."""
    return pose_of(BODY_17.names, body.points, body.scores, score=body.score, image=image)
