"""Names of keypoints, the lines drawn between them, and results made of points."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

if TYPE_CHECKING:
    from zoo.results.vocabulary import Keypoint, Position, WorldPoint, WorldPosition


class Skeleton(NamedTuple):
    """Keypoints in the order of a model's output, and which of them a line joins."""

    names: tuple[str, ...]
    lines: tuple[tuple[int, int], ...]

    def named_lines(self) -> tuple[tuple[str, str], ...]:
        """Return the lines by the names of their ends.

        >>> BODY_17.named_lines()[0]
        ('nose', 'left_eye')
        """
        return tuple((self.names[a], self.names[b]) for a, b in self.lines)


def to_keypoints(
    names: Iterable[str], points: np.ndarray, scores: np.ndarray | float
) -> "list[Keypoint]":
    """Return keypoints of a result, from points [n, 2] or, with depth, [n, 3] of the image.

    Scores are [n], or one for all points.

    >>> to_keypoints(["wrist"], np.array([[1.0, 2.0]]), 0.5)
    [{'part': 'wrist', 'position': {'x': 1.0, 'y': 2.0}, 'score': 0.5}]
    """
    of_points = np.broadcast_to(scores, len(points)).tolist()
    if points.shape[1] == 3:  # in one step, as a mesh has 468 of them in each frame
        return [
            {"part": part, "position": {"x": x, "y": y, "z": z}, "score": score}
            for part, x, y, z, score in zip(names, *points.T.tolist(), of_points, strict=True)
        ]
    return [
        {"part": part, "position": position, "score": score}
        for part, position, score in zip(names, to_positions(points), of_points, strict=True)
    ]


def to_positions(points: np.ndarray) -> "list[Position]":
    """Return points [n, 2] or [n, 3] as positions.

    >>> to_positions(np.array([[1.0, 2.0, 3.0]]))
    [{'x': 1.0, 'y': 2.0, 'z': 3.0}]
    """
    # Written out and by columns, as a mesh has 468 of them in each frame.
    columns = points.T.tolist()
    if len(columns) == 2:
        return [{"x": x, "y": y} for x, y in zip(*columns, strict=True)]
    return [{"x": x, "y": y, "z": z} for x, y, z in zip(*columns, strict=True)]


def read_positions(points: "Sequence[Mapping[str, Any]]", axes: str = "") -> np.ndarray:
    """Return the positions of keypoints or world points, float64 [n, axes].

    Args:
        points: items with a ``"position"``.
        axes: such as ``"xy"``; by default those that the first one has.

    >>> read_positions(to_keypoints(["wrist"], np.array([[1.0, 2.0]]), 0.5))
    array([[1., 2.]])
    """
    positions = [point["position"] for point in points]
    wanted = axes or "".join(positions[0])
    values = chain.from_iterable(map(itemgetter(*wanted), positions))
    return np.fromiter(values, float, len(positions) * len(wanted)).reshape(-1, len(wanted))


def to_world(names: Iterable[str], points: np.ndarray) -> "list[WorldPoint]":
    """Return the points in space of a result, from points [n, 3] in metres."""
    positions = cast("list[WorldPosition]", to_positions(points))
    return [{"part": p, "position": at} for p, at in zip(names, positions, strict=True)]


def _both(*names: str) -> tuple[str, ...]:
    return tuple(f"{side}_{name}" for name in names for side in ("left", "right"))


#: The keypoints of COCO; lines as in tfjs-models' pose-detection.
BODY_17 = Skeleton(
    names=(
        "nose",
        *_both("eye", "ear", "shoulder", "elbow", "wrist", "hip", "knee", "ankle"),
    ),
    lines=(
        *((0, 1), (0, 2), (1, 3), (2, 4)),
        *((5, 6), (5, 7), (5, 11), (6, 8), (6, 12), (7, 9), (8, 10)),
        *((11, 12), (11, 13), (12, 14), (13, 15), (14, 16)),
    ),
)

#: The keypoints of BlazePose; lines as in MediaPipe's POSE_CONNECTIONS.
BODY_33 = Skeleton(
    names=(
        "nose",
        *("left_eye_inner", "left_eye", "left_eye_outer"),
        *("right_eye_inner", "right_eye", "right_eye_outer"),
        *("left_ear", "right_ear", "mouth_left", "mouth_right"),
        *_both("shoulder", "elbow", "wrist", "pinky", "index", "thumb"),
        *_both("hip", "knee", "ankle", "heel", "foot_index"),
    ),
    lines=(
        *((0, 1), (1, 2), (2, 3), (3, 7), (0, 4), (4, 5), (5, 6), (6, 8), (9, 10)),
        *((11, 12), (11, 13), (13, 15), (15, 17), (15, 19), (15, 21), (17, 19)),
        *((12, 14), (14, 16), (16, 18), (16, 20), (16, 22), (18, 20)),
        *((11, 23), (12, 24), (23, 24), (23, 25), (24, 26), (25, 27), (26, 28)),
        *((27, 29), (28, 30), (29, 31), (30, 32), (27, 31), (28, 32)),
    ),
)

#: The fingers, from the thumb on.
FINGERS = ("thumb", "index_finger", "middle_finger", "ring_finger", "pinky_finger")

#: The keypoints of MediaPipe's hands; lines as in its HAND_CONNECTIONS: fingers, then the palm.
HAND_21 = Skeleton(
    names=(
        "wrist",
        *(f"thumb_{joint}" for joint in ("cmc", "mcp", "ip", "tip")),
        *(f"{finger}_{joint}" for finger in FINGERS[1:] for joint in ("mcp", "pip", "dip", "tip")),
    ),
    lines=(
        *((base + i, base + i + 1) for base in (1, 5, 9, 13, 17) for i in range(3)),
        *((0, 1), (0, 5), (5, 9), (9, 13), (13, 17), (0, 17)),
    ),
)

_FACE_OVAL = (
    *(10, 338, 297, 332, 284, 251, 389, 356, 454, 323, 361, 288, 397, 365, 379, 378, 400, 377),
    *(152, 148, 176, 149, 150, 136, 172, 58, 132, 93, 234, 127, 162, 21, 54, 103, 67, 109, 10),
)

#: Points of the face mesh at the corners of each eye, from left to right as seen.
MESH_468_EYE_CORNERS = {"right": (33, 133), "left": (362, 263)}

#: Lines along the 468 points of the face mesh, by contour, each through the points that it names;
#: left and right are the subject's own. As in MediaPipe's FACE_CONNECTIONS.
MESH_468_PATHS: dict[str, tuple[tuple[int, ...], ...]] = {
    "lips": (
        (61, 146, 91, 181, 84, 17, 314, 405, 321, 375, 291),
        (61, 185, 40, 39, 37, 0, 267, 269, 270, 409, 291),
        (78, 95, 88, 178, 87, 14, 317, 402, 318, 324, 308),
        (78, 191, 80, 81, 82, 13, 312, 311, 310, 415, 308),
    ),
    "left_eye": (
        (263, 249, 390, 373, 374, 380, 381, 382, 362),
        (263, 466, 388, 387, 386, 385, 384, 398, 362),
    ),
    "left_eyebrow": ((276, 283, 282, 295, 285), (300, 293, 334, 296, 336)),
    "right_eye": (
        (33, 7, 163, 144, 145, 153, 154, 155, 133),
        (33, 246, 161, 160, 159, 158, 157, 173, 133),
    ),
    "right_eyebrow": ((46, 53, 52, 65, 55), (70, 63, 105, 66, 107)),
    "face_oval": (_FACE_OVAL,),
}
