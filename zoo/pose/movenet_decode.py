"""MoveNet's output → a body, and the square of an image that is worth a closer look.

Source: the model's card and tfjs-models' MoveNet (``determineNextCropRegion``): its crops follow a
person from image to image.
"""

from typing import NamedTuple

import numpy as np

from zoo.results import Box, Keypoint, Pose
from zoo.shared.boxes import box_around, to_box
from zoo.shared.crop_regions import Region
from zoo.shared.placement import Placement
from zoo.shared.skeletons import BODY_17

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
        """The mean of the keypoints that are visible, 0 if none is."""
        visible = self.scores[self.scores > VISIBLE]
        return float(visible.mean()) if visible.size else 0.0

    @property
    def has_torso(self) -> bool:
        """Whether a shoulder and a hip are visible."""
        return all(self.scores[pair].max() > VISIBLE for pair in (_SHOULDERS, _HIPS))


def read_body(output: np.ndarray, size: int, placement: Placement) -> BodyPoints:
    """Return the body that the network finds in one image.

    Args:
        output: [1, 1, 17, 3]: y, x in shares of the input, score.
        size: of the input's sides, in pixels.
        placement: where the image, or a part of it, lies in the input.
    """
    rows = output.reshape(-1, 3).astype(np.float64)
    return BodyPoints(placement.points_to_image(rows[:, 1::-1] * size), rows[:, 2])


def region_around(body: BodyPoints, image: tuple[int, int]) -> Region | None:
    """Return the square around a person for a second run on the image, or on the next image.

    Args:
        body: where the person is.
        image: its height and width.

    Returns:
        In pixels of the image, which it may reach out of. None where the whole image is better:
        the torso is not visible, or the square would be as large.
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
    """A result of plain Python values."""
    points, scores = body.points.tolist(), body.scores.tolist()
    keypoints: list[Keypoint] = [
        {"part": part, "position": {"x": x, "y": y}, "score": score}
        for part, (x, y), score in zip(BODY_17.names, points, scores, strict=True)
    ]
    box = to_box(box_around(body.points))
    return {"score": body.score, "keypoints": keypoints, "box": box}
