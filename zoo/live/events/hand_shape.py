"""Measures of one hand in one frame."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from zoo.shared.skeletons import read_positions
from zoo.tasks.gestures.fingers import POINTS, Finger, is_hanging, points_of, read_fingers

WRIST, THUMB_TIP, INDEX_MCP, INDEX_TIP, MIDDLE_MCP, PINKY_MCP = 0, 4, 5, 8, 9, 17
PALM = (0, 5, 9, 13, 17)
TIPS = (8, 12, 16, 20)  # of all fingers but the thumb

#: Palm length by palm width, which is the longer one in the image where a hand is foreshortened.
_LENGTH_BY_WIDTH = 1.4

_STRAIGHT = 120.0  # degrees at the middle joint of a finger that counts as extended
_FEWEST_STRAIGHT = 3  # of four fingers, in an open hand

#: Share of the frames of a movement in which the hand of somebody hangs who walks or waits.
IDLE = 0.5


class HandShape:
    """A hand of 21 keypoints; positions in pixels of the image."""

    def __init__(self, hand: Mapping[str, Any]) -> None:
        self.points = points_of(hand)  # [21, 2 or 3]
        self._world = hand.get("world")

    @cached_property
    def size(self) -> float:
        """Length of the palm in pixels, about 9.5 cm of an adult."""
        flat = self.points[:, :2]
        lengths = np.linalg.norm(flat[[INDEX_MCP, MIDDLE_MCP, PINKY_MCP]] - flat[WRIST], axis=1)
        width = np.linalg.norm(flat[INDEX_MCP] - flat[PINKY_MCP])
        return max(float(lengths.max()), float(width) * _LENGTH_BY_WIDTH, 1.0)

    @cached_property
    def centre(self) -> np.ndarray:
        """Middle of the palm [2]."""
        return self.points[list(PALM), :2].mean(axis=0)

    @cached_property
    def tips(self) -> np.ndarray:
        """Middle of the tips of all fingers but the thumb [2]."""
        return self.points[list(TIPS), :2].mean(axis=0)

    @cached_property
    def fingers(self) -> dict[str, Finger]:
        """Curl and direction of each finger."""
        return read_fingers(self.points)

    @cached_property
    def is_open(self) -> bool:
        """Whether most of the fingers are extended."""
        straight = [f.angle > _STRAIGHT for name, f in self.fingers.items() if name != "thumb"]
        return sum(straight) >= _FEWEST_STRAIGHT

    @cached_property
    def hangs(self) -> bool:
        """Whether the hand points downwards."""
        return is_hanging(self.points)

    @cached_property
    def tip_distance(self) -> float:
        """Distance of the tips of thumb and index finger, in lengths of the palm.

        It is that in space where the hand has world points.
        """
        points = self.points
        if self._world and len(self._world) == POINTS:
            points = read_positions(self._world, "xyz")
        palm = float(np.linalg.norm(points[MIDDLE_MCP] - points[WRIST]))
        return float(np.linalg.norm(points[THUMB_TIP] - points[INDEX_TIP])) / max(palm, 1e-6)


def read_hand(hand: Mapping[str, Any]) -> HandShape | None:
    """Return the measures of a hand, or None for one without 21 keypoints."""
    return HandShape(hand) if len(hand.get("keypoints", ())) == POINTS else None
