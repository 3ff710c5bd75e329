"""Regions of the face mesh and the iris network, and their outputs as points of the image.

Sources: MediaPipe's modules/face_landmark and modules/iris_landmark (graphs of regions), and
tfjs-models' face-landmarks-detection.
"""

from collections.abc import Sequence

import numpy as np

from zoo.faces.face_points import CONTOURS
from zoo.shared.crop_regions import Region, region_of_box, region_of_points, rotation_between
from zoo.shared.placement import Placement

_CORNERS = {"right": (33, 133), "left": (362, 263)}  # of each eye, from left to right as seen
_OUTER_CORNERS = _CORNERS["right"][0], _CORNERS["left"][1]
_AROUND = 1.5  # sides of the square that the mesh looks at, by those of the face in it
_EYELIDS = 71  # points that the iris network gives before those of the iris


def face_region(box: np.ndarray, points: np.ndarray) -> Region:
    """The square that the mesh looks at, turned so that the eyes are level.

    Args:
        box: of a detector, x0, y0, x1, y1.
        points: of the detector [n, 2], the subject's right eye and left eye first; without
            any the square is upright.
    """
    rotation = rotation_between(points[0], points[1], 0.0) if len(points) else 0.0
    return region_of_box(box, rotation).squared().scaled(_AROUND)


def closer_region(mesh: np.ndarray) -> Region:
    """The square about the points [468, 2 or 3] that a look has found, turned likewise."""
    return _tight_region(mesh).squared().scaled(_AROUND)


def box_in_region(mesh: np.ndarray, side: int) -> np.ndarray:
    """The box about the points, x0, y0, x1, y1, in pixels of their `closer_region`.

    Args:
        mesh: points [468, 2 or 3].
        side: of the square, in pixels.
    """
    tight = _tight_region(mesh)
    half = np.array([tight.width, tight.height]) / closer_region(mesh).width * side / 2
    return np.concatenate([side / 2 - half, side / 2 + half])


def _tight_region(mesh: np.ndarray) -> Region:
    rotation = rotation_between(mesh[_OUTER_CORNERS[0]], mesh[_OUTER_CORNERS[1]], 0.0)
    return region_of_points(mesh[:, :2], rotation)


def eye_region(mesh: np.ndarray, side: str) -> Region:
    """The square that the iris network looks at.

    MediaPipe takes the longer side of the upright box about the corners of the eye, which shrinks
    in faces that are turned; here it is their distance, which is the same in faces that are not.

    Args:
        mesh: points [468, 2 or 3] of a face.
        side: "left" or "right", the subject's own.
    """
    corners = mesh[list(_CORNERS[side]), :2]
    rotation = rotation_between(corners[0], corners[1], 0.0)
    return region_of_points(corners, rotation).squared().scaled(2.3)


def read_mesh(values: np.ndarray, placements: Sequence[Placement]) -> np.ndarray:
    """Points of the image, with depth.

    Args:
        values: [n, 3 * points], x, y, z of each in turn, in pixels of the input.
        placements: where each region lies in the input.

    Returns:
        [n, points, 3], in pixels of the image; z from the middle of the head, towards the
        camera below 0.

    >>> read_mesh(np.array([[1, 2, 3]]), [Placement.of_scale(0.5, 0.5, 0, 0)]).tolist()
    [[[2.0, 4.0, 6.0]]]
    """
    points = values.reshape(len(placements), -1, 3).astype(np.float64)
    return np.stack(
        [
            np.column_stack([placement.points_to_image(face[:, :2]), face[:, 2] * placement.scale])
            for face, placement in zip(points, placements, strict=True)
        ]
    )


def read_irises(
    values: np.ndarray, placements: Sequence[Placement], meshes: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Irises in pixels of the image.

    The network gives no usable depth: as in tfjs-models, it is the mean of the eye's contour.

    Args:
        values: [2 n, ..], of the right eyes, then of the left ones.
        placements: where each eye lies in the input.
        meshes: [n, 468, 3].

    Returns:
        Of the right eyes and of the left ones: [n, 5, 3].
    """
    irises = read_mesh(values.reshape(len(placements), -1), placements)[:, _EYELIDS:]
    sides = irises[: len(meshes)], irises[len(meshes) :]
    for side, points in zip(("right", "left"), sides, strict=True):
        contour = list(CONTOURS["mesh468"][f"{side}_eye"])
        points[:, :, 2] = meshes[:, contour, 2].mean(axis=1, keepdims=True)
    return sides
