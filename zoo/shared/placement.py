"""Placement of an image, or a rotated rectangle of it, in the input of a network.

Geometry of rectangles: MediaPipe's calculators that turn detections and landmarks into rectangles,
as tfjs-models has them (``calculateDetectionRects``, ``transformNormalizedRect``).
"""

import math
from typing import Any, NamedTuple

import numpy as np


class Placement(NamedTuple):
    """The affine map from pixels of a network's input to pixels of the image.

    ``x_image = a x + b y + c`` and ``y_image = d x + e y + f``. Coordinates are continuous: (0, 0)
    is the upper left edge of the upper left pixel, whose centre is (0.5, 0.5).

    >>> Placement.of_scale(0.5, 0.5, 10, 0).to_image(20.0, 30.0)
    (20.0, 60.0)
    """

    a: float
    b: float
    c: float
    d: float
    e: float
    f: float

    @classmethod
    def of_scale(cls, scale_x: float, scale_y: float, left: float, top: float) -> "Placement":
        """Return the placement of a scaled, moved image: ``x_input = x_image * scale_x + left``."""
        return cls(1 / scale_x, 0.0, -left / scale_x, 0.0, 1 / scale_y, -top / scale_y)

    def mirrored(self, width: float) -> "Placement":
        """Return the placement with left and right of an input of some width exchanged.

        >>> Placement.of_scale(0.5, 0.5, 0, 0).mirrored(64).to_image(54.0, 30.0)
        (20.0, 60.0)
        """
        a, d = self.a, self.d
        return self._replace(a=-a, c=self.c + a * width, d=-d, f=self.f + d * width)

    def to_image(self, x: Any, y: Any) -> tuple[Any, Any]:
        """Map pixels of the input to pixels of the image; numbers, or arrays of one shape."""
        return self.a * x + self.b * y + self.c, self.d * x + self.e * y + self.f

    def points_to_image(self, points: np.ndarray) -> np.ndarray:
        """Map points [..., 2] as `to_image` does."""
        return np.stack(self.to_image(points[..., 0], points[..., 1]), axis=-1)

    def in_space(self, points: np.ndarray, depth: float = 1.0) -> np.ndarray:
        """Map points [n, 3] as `to_image` does, with z, divided by ``depth``, in the same scale."""
        x, y, z = points.T
        return np.stack([*self.to_image(x, y), z * (self.scale / depth)]).T

    def turned(self, points: np.ndarray) -> np.ndarray:
        """Return points [n, 3] around a middle, such as in metres, along the axes of the image.

        The axes of the input are turned about z, clockwise as seen.

        >>> quarter = Placement(0.0, -1.0, 0.0, 1.0, 0.0, 0.0)
        >>> quarter.turned(np.array([[1.0, 0.0, 5.0]])).round(9).tolist()
        [[0.0, 1.0, 5.0]]
        """
        cos, sin = np.cos(self.rotation), np.sin(self.rotation)
        x, y, z = points.T
        return np.stack([x * cos - y * sin, x * sin + y * cos, z], axis=1)

    @property
    def scale(self) -> float:
        """Pixels of the image per pixel of the input, along x: the scale of depths."""
        return float(np.hypot(self.a, self.d))

    @property
    def rotation(self) -> float:
        """Angle by which the input's x axis is turned in the image, clockwise in radians."""
        return float(np.arctan2(self.d, self.a))


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
    """Return the region of a box (x0, y0, x1, y1), turned about its centre."""
    x0, y0, x1, y1 = (float(n) for n in box)
    return Region((x0 + x1) / 2, (y0 + y1) / 2, x1 - x0, y1 - y0, rotation)


def rotation_between(start: np.ndarray, end: np.ndarray, target: float) -> float:
    """Return the turn after which the line between two points (x, y) shows at a target angle.

    The target is counter-clockwise from the x axis; the turn in -pi..pi is clockwise as seen.

    >>> float(rotation_between(np.array([0, 0]), np.array([0, -5]), math.pi / 2))
    0.0
    """
    angle = target - math.atan2(-float(end[1] - start[1]), float(end[0] - start[0]))
    return angle - 2 * math.pi * math.floor((angle + math.pi) / (2 * math.pi))


def region_of_points(points: np.ndarray, rotation: float) -> Region:
    """Return the smallest region of a rotation which holds all points [n, 2]."""
    cos, sin = math.cos(rotation), math.sin(rotation)
    across = points[:, 0] * cos + points[:, 1] * sin
    down = points[:, 1] * cos - points[:, 0] * sin
    left, right, top, bottom = (
        float(each) for along in (across, down) for each in (along.min(), along.max())
    )
    u, v = (left + right) / 2, (top + bottom) / 2
    return Region(u * cos - v * sin, u * sin + v * cos, right - left, bottom - top, rotation)
