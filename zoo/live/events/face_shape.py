"""Measures of one face in one frame."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from zoo.shared.skeletons import MESH_468_EYE_CORNERS, MESH_468_PATHS

_FOREHEAD, _UNDER_NOSE = 10, 2  # which do not move with the jaw
_UPPER_LIP, _LOWER_LIP = 13, 14  # the inner edges
_MOUTH = (78, 308)  # its corners, inside
_CORNERS, _EDGES = (61, 291), (0, 17)  # of the lips, outside: left and right, above and below
_CHIN = 152
_JAW = 0.1  # that a falling jaw lifts the corners above the middle, by the mouth's aspect ratio

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

    def point(self, index: int) -> np.ndarray:
        """Return a point [3]; without depth it is 0."""
        position = self._keypoints[index]["position"]
        return np.array([position["x"], position["y"], position.get("z", 0.0)])

    @cached_property
    def eye_distance(self) -> float:
        """Distance of the outer corners of the eyes in pixels, about 9 cm of an adult."""
        return max(_length(self._across), 1.0)

    def openness(self, side: str) -> float:
        """Return the eye aspect ratio of an eye: the gap of the lids by the width of the eye.

        That of the iris network, where there is one, follows lids better than the mesh.

        Source: Soukupova and Cech, Real-Time Eye Blink Detection using Facial Landmarks, 2016.
        """
        if self._openness is not None:
            return self._openness[side]
        inner, outer = MESH_468_EYE_CORNERS[side]
        gaps = [_length(self.point(a) - self.point(b)) for a, b in _LIDS[side]]
        return sum(gaps) / len(gaps) / max(_length(self.point(inner) - self.point(outer)), 1e-6)

    @cached_property
    def mouth_gap(self) -> float:
        """Mouth aspect ratio: the gap of the lips by the width of the mouth, inside.

        A smile that shows teeth makes both larger, an open mouth the gap alone.
        """
        width = _length(self.point(_MOUTH[0]) - self.point(_MOUTH[1]))
        return _length(self.point(_UPPER_LIP) - self.point(_LOWER_LIP)) / max(width, 1e-6)

    @cached_property
    def mouth_lift(self) -> float:
        """Height of the corners of the mouth above its middle, by the distance of the eyes.

        An open mouth lowers the middle more than the corners: what it adds is taken off.
        """
        down = self.point(_CHIN) - self.point(_FOREHEAD)
        corners, edges = ((self.point(a) + self.point(b)) / 2 for a, b in (_CORNERS, _EDGES))
        height = float((edges - corners) @ down) / max(_length(down), 1e-6)
        return height / self.eye_distance - _JAW * self.mouth_gap

    @cached_property
    def yaw(self) -> float:
        """Turn of the head to a side in degrees; 0 looks at the camera."""
        return float(np.degrees(np.arcsin(self._across[2] / self.eye_distance)))

    @cached_property
    def pitch(self) -> float:
        """Turn of the head up or down in degrees, from an origin that differs by face."""
        down = self.point(_UNDER_NOSE) - self.point(_FOREHEAD)
        return float(np.degrees(np.arctan2(down[2], np.hypot(down[0], down[1]))))

    @cached_property
    def _across(self) -> np.ndarray:
        return self.point(MESH_468_EYE_CORNERS["left"][1]) - self.point(
            MESH_468_EYE_CORNERS["right"][0]
        )


def read_face(face: Mapping[str, Any]) -> FaceShape | None:
    """Return the measures of a face, or None for one without the mesh of 468 points."""
    return FaceShape(face) if len(face.get("keypoints", ())) >= _NEEDED else None


def _length(vector: np.ndarray) -> float:
    return float(np.sqrt(vector @ vector))
