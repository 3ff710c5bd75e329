"""BlazePose's outputs → bodies: regions from the detector, landmarks, and their way back.

Source: MediaPipe's pose_detection and pose_landmark graphs and their calculators
(AlignmentPointsRectsCalculator, RefineLandmarksFromHeatmapCalculator,
WorldLandmarkProjectionCalculator), as tfjs-models' BlazePose has them.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from zoo.pose.network_outputs import LandmarkOutputs
from zoo.results import Keypoint, Pose, WorldPoint
from zoo.shared.boxes import box_around, to_box
from zoo.shared.crop_regions import Region, rotation_between
from zoo.shared.logistic import sigmoid
from zoo.shared.placement import Placement
from zoo.shared.skeletons import BODY_33

#: The detector's keypoints: between the hips, on a circle about it that holds the whole body, and
#: likewise between the shoulders, on a circle about the upper body.
DETECTOR_POINTS = ("mid_hip", "body_circle", "mid_shoulder", "upper_body_circle")

_MARGIN = 1.25  # side of a region, in diameters of the circle that holds the body
_UPRIGHT = math.pi / 2  # how the line from the hips to the circle shows in a region
_REACH = 3  # cells of the heatmap on each side of a landmark's own, that it is refined by
_SURE = 0.5  # highest cell of those from which on they refine the landmark


class Landmarks(NamedTuple):
    """One person, as the landmark network sees the region."""

    score: float  # 0..1: that there is somebody
    points: np.ndarray  # [33, 3]: x, y, z, in pixels
    visibility: np.ndarray  # [33], 0..1: neither out of the image nor hidden
    presence: np.ndarray  # [33], 0..1: not out of the image
    world: np.ndarray  # [33, 3], metres


def body_region(points: np.ndarray) -> Region:
    """The square that holds a person upright, from the detector's keypoints [4, 2]."""
    side = 2 * float(np.hypot(*(points[1] - points[0])))
    rotation = rotation_between(points[0], points[1], _UPRIGHT)
    return Region(float(points[0, 0]), float(points[0, 1]), side, side, rotation).scaled(_MARGIN)


def body_boxes(points: np.ndarray) -> np.ndarray:
    """The squares around people's circles, [n, 4], from the detector's keypoints [n, 4, 2]."""
    reach = np.hypot(*(points[:, 1] - points[:, 0]).T)[:, None]
    return np.concatenate([points[:, 0] - reach, points[:, 0] + reach], axis=1)


def read_landmarks(
    outputs: Mapping[str, np.ndarray], meaning: LandmarkOutputs, index: int = 0
) -> Landmarks:
    """Return the network's landmarks in one region, in pixels of its input.

    Args:
        outputs: of a batch, by name.
        meaning: of the outputs.
        index: of the region in the batch.
    """
    count = len(BODY_33.names)  # further ones serve to follow the body from image to image
    rows = outputs[meaning.landmarks][index].reshape(-1, 5)[:count].astype(np.float64)
    world = outputs[meaning.world][index].reshape(-1, 3)[:count].astype(np.float64)
    chances = sigmoid(rows[:, 3:])
    score = float(outputs[meaning.presence][index, 0])
    return Landmarks(score, rows[:, :3], chances[:, 0], chances[:, 1], world)


def refined(points: np.ndarray, heatmap: np.ndarray, size: int) -> np.ndarray:
    """Return landmarks moved to the mean of their heatmap nearby, where the heatmap is strong.

    Args:
        points: [n, 3] in pixels of the input.
        heatmap: [rows, columns, n or more], 0..1.
        size: of the input's sides.
    """
    rows, columns = heatmap.shape[:2]
    moved = points.copy()
    for i, (x, y) in enumerate(points[:, :2]):
        column, row = math.floor(x * columns / size), math.floor(y * rows / size)
        if not (0 <= column < columns and 0 <= row < rows):
            continue
        top, left = max(0, row - _REACH), max(0, column - _REACH)
        window = heatmap[top : row + _REACH + 1, left : column + _REACH + 1, i]
        if window.max() >= _SURE:
            across = window.sum(axis=0) @ (left + np.arange(window.shape[1]))
            down = window.sum(axis=1) @ (top + np.arange(window.shape[0]))
            moved[i, :2] = across * size / columns, down * size / rows
            moved[i, :2] /= window.sum()
    return moved


def in_image(body: Landmarks, placement: Placement) -> Landmarks:
    """Return the landmarks in pixels of the image, and world points along its axes."""
    flat = placement.points_to_image(body.points[:, :2])
    depth = body.points[:, 2:] * placement.scale
    points = np.concatenate([flat, depth], axis=1)
    return body._replace(points=points, world=placement.turned(body.world))


def read_field(
    outputs: Mapping[str, np.ndarray], name: str, meaning: LandmarkOutputs, index: int = 0
) -> np.ndarray:
    """A segmentation or heatmap of one region, [rows, columns, channels] in 0..1."""
    values = outputs[name][index]
    return sigmoid(values) if meaning.logits else values


def to_pose(body: Landmarks) -> Pose:
    """A result of plain Python values."""
    keypoints: list[Keypoint] = [
        {
            "part": part,
            "position": {"x": x, "y": y, "z": z},
            "score": presence,
            "visibility": visibility,
        }
        for part, (x, y, z), presence, visibility in zip(
            BODY_33.names,
            body.points.tolist(),
            body.presence.tolist(),
            body.visibility.tolist(),
            strict=True,
        )
    ]
    world: list[WorldPoint] = [
        {"part": part, "position": {"x": x, "y": y, "z": z}}
        for part, (x, y, z) in zip(BODY_33.names, body.world.tolist(), strict=True)
    ]
    box = to_box(box_around(body.points[:, :2]))
    return {"score": body.score, "keypoints": keypoints, "box": box, "world": world}
