"""Measures of one body in one frame."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

#: Score, and visibility where there is one, from which a keypoint counts.
LEAST_SCORE = 0.3

_SIDES = ("left", "right")


class BodyShape:
    """A body of 17 or 33 keypoints, by their names; positions in pixels of the image."""

    def __init__(self, pose: Mapping[str, Any]) -> None:
        self._points = {
            point["part"]: np.array([point["position"]["x"], point["position"]["y"]])
            for point in pose["keypoints"]
            if min(point["score"], point.get("visibility", 1.0)) >= LEAST_SCORE
        }

    def both(self, part: str) -> np.ndarray | None:
        """Return the left and the right point of a part [2, 2], None if one is not certain."""
        found = [self._points.get(f"{side}_{part}") for side in _SIDES]
        left, right = found
        return None if left is None or right is None else np.stack([left, right])

    def part(self, name: str) -> np.ndarray | None:
        """Return a point [2], None if it is not certain."""
        return self._points.get(name)

    @cached_property
    def leg(self) -> float | None:
        """Vertical distance from the hips to the ankles in pixels, of the longer leg."""
        hips, ankles = self.both("hip"), self.both("ankle")
        if hips is None or ankles is None:
            return None
        return max(float((ankles - hips)[:, 1].max()), 1.0)

    @cached_property
    def torso(self) -> float | None:
        """Distance from the middle of the shoulders to that of the hips, in pixels."""
        shoulders, hips = self.both("shoulder"), self.both("hip")
        if shoulders is None or hips is None:
            return None
        return max(float(np.linalg.norm(shoulders.mean(axis=0) - hips.mean(axis=0))), 1.0)

    @cached_property
    def stand(self) -> float | None:
        """Height of the hips over the knees, in lengths of the shank.

        About 1 in a body that stands, 0 where the thighs are level, at any distance from the
        camera. It is that of the leg that is more upright, which one leg of a walker always is.
        """
        hips, knees, ankles = self.both("hip"), self.both("knee"), self.both("ankle")
        if hips is None or knees is None or ankles is None:
            return None
        shanks = np.linalg.norm(ankles - knees, axis=1).clip(min=1.0)
        return float(((knees - hips)[:, 1] / shanks).max())

    @cached_property
    def raise_of_arms(self) -> float | None:
        """Height of the lower wrist over the nose, in lengths of the torso."""
        wrists, nose = self.both("wrist"), self.part("nose")
        if wrists is None or nose is None or self.torso is None:
            return None
        return float(nose[1] - wrists[:, 1].max()) / self.torso


def read_body(pose: Mapping[str, Any]) -> BodyShape | None:
    """Return the measures of a pose, or None for one without keypoints."""
    return BodyShape(pose) if pose.get("keypoints") else None
