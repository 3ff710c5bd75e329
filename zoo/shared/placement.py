"""Placement of an image, or a part of one, in the input of a network."""

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
        flat = self.points_to_image(points[:, :2])
        return np.column_stack([flat, points[:, 2] * (self.scale / depth)])

    def turned(self, points: np.ndarray) -> np.ndarray:
        """Return points [n, 3] around a middle, such as in metres, along the axes of the image.

        Axes of the input are turned about z, clockwise as seen.

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
