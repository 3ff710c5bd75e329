"""Drawn objects that the detector knows: a clock on the wall, and what stands on a table."""

from __future__ import annotations

from functools import cache

import numpy as np

from tests.gallery.shaded import Colour, ellipse, finished, room, shadow, tube

_EDGE = 330  # y of the table's edge
_WOOD: Colour = (170, 126, 86)
_CHINA: Colour = (240, 240, 236)
_BLACK: Colour = (34, 34, 38)


@cache
def table(**objects: tuple[float, float, float]) -> np.ndarray:
    """Return a table before a wall, RGB, uint8 [480, 640, 3].

    Args:
        objects: x and y of the middle, and the size, in pixels, of the ``cup``, the ``banana`` and
            the ``clock`` that are there.
    """
    image = room(floor=0.62).copy()
    light = 1.02 - 0.2 * np.linspace(0, 1, image.shape[0] - _EDGE)
    image[_EDGE:] = np.asarray(_WOOD, float) * light[:, None, None]
    image[_EDGE - 4 : _EDGE + 2] *= 0.8
    for name, (x, y, size) in objects.items():
        _DRAWN[name](image, np.array([x, y]), size)
    return finished(image)


def _cup(image: np.ndarray, at: np.ndarray, size: float) -> None:
    shadow(image, (at[0], at[1] + 0.56 * size), (0.7 * size, 0.16 * size))
    angles = np.linspace(-1.4, 1.4, 15)
    handle = at + size * np.stack([0.42 + 0.24 * np.cos(angles), 0.28 * np.sin(angles)], 1)
    for begin, end in zip(handle[:-1], handle[1:], strict=True):
        tube(image, begin, end, [0.06 * size] * 2, _CHINA)
    low, high = at + [0, 0.5 * size], at - [0, 0.5 * size]
    ellipse(image, low, (0.42 * size, 0.1 * size), (225, 225, 220))
    tube(image, high, low, [0.46 * size, 0.45 * size, 0.42 * size], _CHINA, caps=False)
    ellipse(image, high, (0.46 * size, 0.13 * size), (232, 232, 228))
    ellipse(image, high + [0, 0.01 * size], (0.41 * size, 0.105 * size), (70, 42, 26))


def _banana(image: np.ndarray, at: np.ndarray, size: float) -> None:
    shadow(image, (at[0], at[1] + 0.24 * size), (0.8 * size, 0.14 * size))
    along = np.linspace(-1, 1, 25)
    places = at + size * np.stack([along, -0.38 * along**2], 1)
    radii = size * (0.05 + 0.16 * np.sqrt(1 - along**2))
    for number in range(len(along) - 1):
        tube(image, *places[number : number + 2], [*radii[number : number + 2]], (240, 206, 60))
    stalk = places[-1] + [0.12 * size, -0.1 * size]
    tube(image, places[-1], stalk, [0.05 * size, 0.04 * size], (120, 100, 40))
    ellipse(image, places[0], (0.05 * size, 0.05 * size), (90, 70, 30))


def _clock(image: np.ndarray, at: np.ndarray, size: float) -> None:
    ellipse(image, at, (size, size), (60, 60, 66))
    ellipse(image, at, (0.88 * size, 0.88 * size), (250, 250, 246))
    for angle in np.arange(12) * np.pi / 6:
        out = np.array([np.cos(angle), np.sin(angle)])
        tube(image, at + 0.68 * size * out, at + 0.8 * size * out, [0.03 * size] * 2, _BLACK)
    for angle, length, radius in ((-2.6, 0.45, 0.05), (-0.5, 0.65, 0.035)):
        end = at + length * size * np.array([np.cos(angle), np.sin(angle)])
        tube(image, at, end, [radius * size] * 2, _BLACK)
    ellipse(image, at, (0.06 * size, 0.06 * size), (170, 30, 30))


_DRAWN = {"cup": _cup, "banana": _banana, "clock": _clock}
