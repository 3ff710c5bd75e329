"""Rotated rectangles of an image that a second network runs on.

Geometry: MediaPipe's calculators that turn detections and landmarks into rectangles, as
tfjs-models has them (``calculateDetectionRects``, ``transformNormalizedRect``).
"""

import math
from typing import NamedTuple

import numpy as np

from zoo.shared.placement import Placement


class Region(NamedTuple):
    """A rectangle of an image, in pixels: its centre, its sides, and its turn.

    ``rotation`` is in radians, clockwise as seen (y points down).
    """

    x: float
    y: float
    width: float
    height: float
    rotation: float = 0.0

    def placement(self, size: tuple[int, int]) -> Placement:
        """Return the placement of the region, which fills an input of (height, width) pixels."""
        across, down = self.width / size[1], self.height / size[0]
        cos, sin = math.cos(self.rotation), math.sin(self.rotation)
        a, b, d, e = cos * across, -sin * down, sin * across, cos * down
        middle_x, middle_y = size[1] / 2, size[0] / 2
        c = self.x - a * middle_x - b * middle_y
        return Placement(a, b, c, d, e, self.y - d * middle_x - e * middle_y)

    def moved(self, right: float = 0.0, down: float = 0.0) -> "Region":
        """Return the region moved along its axes, by shares of its sides."""
        cos, sin = math.cos(self.rotation), math.sin(self.rotation)
        across, along = right * self.width, down * self.height
        x = self.x + across * cos - along * sin
        return self._replace(x=x, y=self.y + across * sin + along * cos)

    def scaled(self, by: float) -> "Region":
        """Return the region with scaled sides about the same centre."""
        return self._replace(width=self.width * by, height=self.height * by)

    def squared(self) -> "Region":
        """Return the region with all sides as long as its longest."""
        side = max(self.width, self.height)
        return self._replace(width=side, height=side)

    def corners(self) -> np.ndarray:
        """Corners [4, 2] from the upper left one, clockwise along the region's axes."""
        unit = np.array([[0.0, 0.0], [1, 0], [1, 1], [0, 1]])
        return self.placement((1, 1)).points_to_image(unit)


def region_of_box(box: np.ndarray, rotation: float = 0.0) -> Region:
    """The region of a box (x0, y0, x1, y1), turned about its centre."""
    x0, y0, x1, y1 = (float(n) for n in box)
    return Region((x0 + x1) / 2, (y0 + y1) / 2, x1 - x0, y1 - y0, rotation)


def rotation_between(start: np.ndarray, end: np.ndarray, target: float) -> float:
    """Return the turn after which the line from start to end shows at an angle.

    Args:
        start: point (x, y) in pixels.
        end: point (x, y) in pixels.
        target: the angle wanted, in radians, counter-clockwise from the x axis.

    Returns:
        Radians in -pi..pi, clockwise as seen.

    >>> float(rotation_between(np.array([0, 0]), np.array([0, -5]), math.pi / 2))
    0.0
    """
    angle = target - math.atan2(-float(end[1] - start[1]), float(end[0] - start[0]))
    return angle - 2 * math.pi * math.floor((angle + math.pi) / (2 * math.pi))


def region_of_points(points: np.ndarray, rotation: float) -> Region:
    """The smallest region of that rotation which holds all points [n, 2]."""
    cos, sin = math.cos(rotation), math.sin(rotation)
    across = points[:, 0] * cos + points[:, 1] * sin
    down = points[:, 1] * cos - points[:, 0] * sin
    u, v = (across.min() + across.max()) / 2, (down.min() + down.max()) / 2
    width, height = float(np.ptp(across)), float(np.ptp(down))
    return Region(float(u * cos - v * sin), float(u * sin + v * cos), width, height, rotation)
