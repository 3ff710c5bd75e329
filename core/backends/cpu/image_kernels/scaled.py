"""Scaling of pixels to the inputs of networks."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from core.backends.cpu.codegen.ir.image_layout import LANES

Channels = float | tuple[float, ...]


class Scaled(NamedTuple):
    """Scaling of levels, 0..255, to inputs of networks: ``level / divide - subtract`` in float32.

    Attributes:
        dtype: ``"float32"``; or ``"uint8"``, of levels as they are.
        divide: one number, or one for each channel.
        subtract: as ``divide``.
    """

    dtype: str = "float32"
    divide: Channels = 1.0
    subtract: Channels = 0.0

    def vectors(self) -> dict[str, np.ndarray]:
        """Return both numbers as vectors of four lanes."""
        return {"divide": _vector(self.divide, 1.0), "subtract": _vector(self.subtract, 0.0)}

    def lines(self, pixels: int, channels: int, spare: int) -> dict[str, np.ndarray]:
        """Return both numbers for each value of a line, and for some values after it."""
        return dict(_lines(self, pixels, channels, spare))


@lru_cache(maxsize=8)
def _lines(
    scaled: Scaled, pixels: int, channels: int, spare: int
) -> tuple[tuple[str, np.ndarray], ...]:
    count = pixels * channels
    made = []
    for name, vector in scaled.vectors().items():
        line = np.ones(count + spare, np.float32)
        line[:count] = np.tile(vector[:channels], pixels)
        made.append((name, line))
    return tuple(made)


def _vector(channels: Channels, other: float) -> np.ndarray:
    vector = np.full(LANES, other, np.float32)
    given = np.asarray(channels, np.float32)
    vector[: given.size if given.ndim else LANES] = given
    return vector
