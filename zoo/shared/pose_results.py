"""The pose of a result: keypoints, and the box around those that are surely seen."""

from collections.abc import Sequence

import numpy as np

from zoo.results.vocabulary import Pose
from zoo.shared.boxes import box_around, to_box
from zoo.shared.skeletons import to_keypoints

#: Least score of a keypoint that says how large a person is.
SURE = 0.3


def pose_of(
    names: Sequence[str],
    points: np.ndarray,
    scores: np.ndarray,
    *,
    score: float,
    image: tuple[int, int],
) -> Pose:
    """Return a pose of plain Python values.

    Args:
        names: of the keypoints.
        points: [n, 2 or 3], in pixels of the image.
        scores: [n], of the keypoints.
        score: of the whole.
        image: its height and width.
    """
    box = box_of_sure(points[:, :2], scores, image)
    return {"score": score, "keypoints": to_keypoints(names, points, scores), "box": to_box(box)}


def box_of_sure(points: np.ndarray, scores: np.ndarray, image: tuple[int, int]) -> np.ndarray:
    """Return the box x0, y0, x1, y1 of a person by the keypoints [n, 2] and their scores [n].

    It is the smallest that holds the keypoints in the image whose score is at least `SURE`. The
    others are guessed: networks place the legs of a portrait far below it. If there is no such
    keypoint, it holds all of them, cut off at the edges of the image (height, width).

    >>> points = np.array([[20.0, 30.0], [40.0, 10.0], [30.0, 900.0]])
    >>> box_of_sure(points, np.array([0.9, 0.8, 0.1]), (100, 100)).tolist()
    [20.0, 10.0, 40.0, 30.0]
    >>> box_of_sure(points, np.zeros(3), (100, 100)).tolist()
    [20.0, 10.0, 40.0, 100.0]
    """
    inside = np.clip(points, 0, image[::-1])
    sure = (scores >= SURE) & (inside == points).all(axis=1)
    return box_around(inside[sure] if sure.any() else inside)
