"""Shaded tubes and balls, of which drawn people and objects are made, and a room for them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

#: Pixels of the frames, width and height.
SIZE = (640, 480)

Colour = tuple[int, int, int]
Point = tuple[float, float]

_LIGHT = np.array([-0.45, -0.55, 0.70])  # where it comes from: left, above, before the wall
_AMBIENT = 0.56
_WALL, _FLOOR, _BOARD = (206, 213, 214), (150, 118, 90), (238, 238, 234)
_GRAIN = 1.6  # deviation of the noise of a camera


class _Part(NamedTuple):
    """Pixels of a rectangle of an image."""

    view: np.ndarray  # float [height, width, 3], written to
    x: np.ndarray  # of each pixel
    y: np.ndarray


def _part(image: np.ndarray, low: np.ndarray, high: np.ndarray) -> _Part:
    limits = image.shape[1], image.shape[0]
    x0, y0 = (int(np.clip(value - 2, 0, end)) for value, end in zip(low, limits, strict=True))
    x1, y1 = (int(np.clip(value + 3, 0, end)) for value, end in zip(high, limits, strict=True))
    y, x = np.mgrid[y0:y1, x0:x1].astype(float)
    return _Part(image[y0:y1, x0:x1], x, y)


def _blend(part: _Part, covered: np.ndarray, colour: Colour, light: np.ndarray | float) -> None:
    share = np.clip(covered, 0, 1)[..., None]
    painted = np.asarray(colour, float) * np.asarray(light)[..., None]
    part.view[:] = part.view * (1 - share) + painted * share


def _lit(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Brightness of a round surface whose normal has this x and y."""
    z = np.sqrt(np.clip(1 - x * x - y * y, 0, 1))
    shine = np.clip(x * _LIGHT[0] + y * _LIGHT[1] + z * _LIGHT[2], 0, 1)
    light: np.ndarray = _AMBIENT + (1.12 - _AMBIENT) * shine
    return light


def tube(
    image: np.ndarray,
    begin: Sequence[float] | np.ndarray,
    end: Sequence[float] | np.ndarray,
    radii: Sequence[float],
    colour: Colour,
    caps: bool = True,
) -> None:
    """Draw a tube whose radii, in pixels, are spaced evenly from its begin to its end."""
    a, b, widest = np.asarray(begin, float), np.asarray(end, float), max(radii)
    part = _part(image, np.minimum(a, b) - widest, np.maximum(a, b) + widest)
    length = max(float(np.hypot(*(b - a))), 1e-6)
    along = (b - a) / length
    t = (part.x - a[0]) * along[0] + (part.y - a[1]) * along[1]
    across = -(part.x - a[0]) * along[1] + (part.y - a[1]) * along[0]
    radius = np.interp(t / length, np.linspace(0, 1, len(radii)), radii)
    over = np.maximum(np.maximum(-t, t - length), 0)  # pixels beyond an end
    distance = np.hypot(across, over) if caps else np.maximum(np.abs(across), over + radius - 0.5)
    u = np.clip(across / radius, -1, 1)
    _blend(part, radius - distance + 0.5, colour, _lit(-u * along[1], u * along[0]))


def ellipse(
    image: np.ndarray,
    middle: Sequence[float] | np.ndarray,
    radii: Point,
    colour: Colour,
    below: float = 9.0,
) -> None:
    """Draw a ball of two radii, in pixels, down to a height ``below`` its middle, in radii."""
    at, size = np.asarray(middle, float), np.asarray(radii, float)
    part = _part(image, at - size, at + size)
    x, y = (part.x - at[0]) / size[0], (part.y - at[1]) / size[1]
    covered = (1 - np.hypot(x, y)) * size.min() + 0.5
    covered = np.minimum(covered, (below - y) * size[1] + 0.5)
    _blend(part, covered, colour, _lit(x, y))


@cache
def room(size: tuple[int, int] = SIZE, floor: float = 0.8) -> np.ndarray:
    """Return a wall, a skirting board and a floor, float [height, width, 3]."""
    width, height = size
    y, x = np.mgrid[0:height, 0:width].astype(float)
    light = 1.05 - 0.22 * np.hypot(x / width - 0.35, y / height - 0.3)
    image = np.asarray(_WALL, float) * light[..., None]
    edge = int(floor * height)
    depth = (y[edge:] - edge + 14) / (height - edge)
    boards = ((x[edge:] - width / 2) / depth / 90) % 1
    gaps = (np.abs(boards - 0.5) > 0.48) * np.clip(2 * depth - 0.4, 0, 1)
    shade = (0.86 + 0.2 * depth) * (1 - 0.14 * gaps)
    image[edge:] = np.asarray(_FLOOR, float) * shade[..., None]
    image[edge - 14 : edge] = np.asarray(_BOARD, float) * light[edge - 14 : edge, :, None]
    image[edge - 2 : edge] *= 0.75
    return image


def shadow(image: np.ndarray, middle: Point, radii: Point) -> None:
    """Darken what lies below a person or an object, in an ellipse."""
    at, size = np.asarray(middle, float), np.asarray(radii, float)
    part = _part(image, at - size, at + size)
    distance = np.hypot((part.x - at[0]) / size[0], (part.y - at[1]) / size[1])
    part.view[:] *= 1 - 0.45 * np.clip(1 - distance, 0, 1)[..., None]


def finished(image: np.ndarray) -> np.ndarray:
    """Return an image as a camera gives it: with noise, uint8."""
    return np.clip(image + _noise(image.shape), 0, 255).astype(np.uint8)


@cache
def _noise(shape: tuple[int, ...]) -> np.ndarray:
    return np.random.default_rng(0).normal(0, _GRAIN, shape)
