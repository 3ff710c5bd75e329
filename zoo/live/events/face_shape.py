"""Measures of one face in one frame."""

from collections.abc import Mapping
from functools import cached_property
from math import asin, atan2, degrees, dist, hypot
from typing import Any

from zoo.shared.skeletons import MESH_468_EYE_CORNERS, MESH_468_PATHS

_FOREHEAD, _UNDER_NOSE = 10, 2  # which do not move with the jaw
_UPPER_LIP, _LOWER_LIP = 13, 14  # the inner edges
_MOUTH = (78, 308)  # its corners, inside
_CORNERS, _EDGES = (61, 291), (0, 17)  # of the lips, outside: left and right, above and below
_CHIN = 152
_JAW = 0.1  # that a falling jaw lifts the corners above the middle, by the mouth's aspect ratio

_OUTER_CORNERS = MESH_468_EYE_CORNERS["right"][0], MESH_468_EYE_CORNERS["left"][1]

#: Pairs of points across each eye, from MediaPipe's contours without the corners.
_LIDS = {
    side: tuple(zip(*(path[2:-2] for path in MESH_468_PATHS[f"{side}_eye"]), strict=True))
    for side in ("left", "right")
}
_NEEDED = 468


class FaceShape:
    """A face of the mesh of 468 points, measured in space, so that turned heads measure alike."""

    def __init__(self, face: Mapping[str, Any]) -> None:
        self._keypoints = face["keypoints"]
        self._openness: Mapping[str, float] | None = face.get("eye_openness")

    @property
    def has_irises(self) -> bool:
        """Whether the iris network has looked at the eyes."""
        return self._openness is not None

    def point(self, index: int) -> tuple[float, float, float]:
        """Return x, y and z of a point; without depth it is 0."""
        position = self._keypoints[index]["position"]
        return position["x"], position["y"], position.get("z", 0.0)

    def distance(self, one: int, other: int) -> float:
        """Return the distance of two points."""
        return dist(self.point(one), self.point(other))

    def _vector(self, start: int, end: int) -> tuple[float, float, float]:
        """Return the vector from a point to another."""
        (x0, y0, z0), (x1, y1, z1) = self.point(start), self.point(end)
        return x1 - x0, y1 - y0, z1 - z0

    def _middle(self, one: int, other: int) -> tuple[float, float, float]:
        """Return the middle of two points."""
        (x0, y0, z0), (x1, y1, z1) = self.point(one), self.point(other)
        return (x0 + x1) / 2, (y0 + y1) / 2, (z0 + z1) / 2

    @cached_property
    def eye_distance(self) -> float:
        """Distance of the outer corners of the eyes in pixels, about 9 cm of an adult."""
        return max(self.distance(*_OUTER_CORNERS), 1.0)

    def openness(self, side: str) -> float:
        """Return the eye aspect ratio of an eye: the gap of the lids by the width of the eye.

        That of the iris network, where there is one, follows lids better than the mesh.

        Source: Soukupova and Cech, Real-Time Eye Blink Detection using Facial Landmarks, 2016.
        """
        if self._openness is not None:
            return self._openness[side]
        gaps = [self.distance(*pair) for pair in _LIDS[side]]
        return sum(gaps) / len(gaps) / max(self.distance(*MESH_468_EYE_CORNERS[side]), 1e-6)

    @cached_property
    def mouth_gap(self) -> float:
        """Mouth aspect ratio: the gap of the lips by the width of the mouth, inside.

        A smile that shows teeth makes both larger, an open mouth the gap alone.
        """
        return self.distance(_UPPER_LIP, _LOWER_LIP) / max(self.distance(*_MOUTH), 1e-6)

    @cached_property
    def mouth_lift(self) -> float:
        """Height of the corners of the mouth above its middle, by the distance of the eyes.

        An open mouth lowers the middle more than the corners: what it adds is taken off.
        """
        down = self._vector(_FOREHEAD, _CHIN)
        corners, edges = self._middle(*_CORNERS), self._middle(*_EDGES)
        along = sum((b - a) * n for a, b, n in zip(corners, edges, down, strict=True))
        height = along / max(self.distance(_FOREHEAD, _CHIN), 1e-6)
        return height / self.eye_distance - _JAW * self.mouth_gap

    @cached_property
    def yaw(self) -> float:
        """Turn of the head to a side in degrees; 0 looks at the camera."""
        across = self._vector(*_OUTER_CORNERS)
        return degrees(asin(min(max(across[2] / self.eye_distance, -1.0), 1.0)))

    @cached_property
    def pitch(self) -> float:
        """Turn of the head up or down in degrees, from an origin that differs by face."""
        across, down, forward = self._vector(_FOREHEAD, _UNDER_NOSE)
        return degrees(atan2(forward, hypot(across, down)))


def read_face(face: Mapping[str, Any]) -> FaceShape | None:
    """Return the measures of a face, or None for one without the mesh of 468 points."""
    return FaceShape(face) if len(face.get("keypoints", ())) >= _NEEDED else None
