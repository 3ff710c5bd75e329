"""Initializers that draw random numbers of one distribution for all shapes."""

import math

import numpy as np

from core.engine.generators import Seed, generator
from core.engine.specs import Shape
from core.errors import CoreError
from core.initializers.base import Initializer


class RandomUniform(Initializer):
    """Random numbers of a uniform distribution over a range.

    Args:
        minval: the least value.
        maxval: the end of the range, itself not included.
        seed: for equal values at each call; by default the generator of the process draws them.

    Raises:
        CoreError: a bound is not finite, or minval is greater than maxval.

    >>> import core
    >>> values = core.initializers.RandomUniform(-1.0, 1.0, seed=1)((1000,))
    >>> bool((abs(values) <= 1).all())
    True
    """

    def __init__(self, minval: float = -0.05, maxval: float = 0.05, seed: Seed = None):
        if not -math.inf < minval <= maxval < math.inf:
            raise CoreError(
                f"minval={minval} must not be greater than maxval={maxval}, both finite"
            )
        self.minval, self.maxval, self.seed = minval, maxval, seed

    def values(self, shape: Shape) -> np.ndarray:
        """Return drawn values."""
        return uniform(shape, self.minval, self.maxval, self.seed)


class RandomNormal(Initializer):
    """Random numbers of a normal distribution.

    Args:
        mean: of the distribution.
        stddev: its standard deviation, 0 or more.
        seed: for equal values at each call; by default the generator of the process draws them.

    Raises:
        CoreError: a number is not finite, or stddev is negative.

    >>> import core
    >>> values = core.initializers.RandomNormal(stddev=2.0, seed=1)((1000,))
    >>> bool(1.9 < values.std() < 2.1)
    True
    """

    def __init__(self, mean: float = 0.0, stddev: float = 0.05, seed: Seed = None):
        self.mean, self.stddev, self.seed = mean, _checked_stddev(mean, stddev), seed

    def values(self, shape: Shape) -> np.ndarray:
        """Return drawn values."""
        return normal(shape, self.stddev, self.seed) + self.mean


class TruncatedNormal(Initializer):
    """Random numbers of a normal distribution, at most two standard deviations from the mean.

    Values farther away are drawn again.

    Args:
        mean: of the distribution.
        stddev: its standard deviation before it is cut, 0 or more; afterwards 0.88 of that.
        seed: for equal values at each call; by default the generator of the process draws them.

    Raises:
        CoreError: a number is not finite, or stddev is negative.

    >>> import core
    >>> values = core.initializers.TruncatedNormal(stddev=0.5, seed=1)((1000,))
    >>> bool((abs(values) <= 1).all())
    True
    """

    def __init__(self, mean: float = 0.0, stddev: float = 0.05, seed: Seed = None):
        self.mean, self.stddev, self.seed = mean, _checked_stddev(mean, stddev), seed

    def values(self, shape: Shape) -> np.ndarray:
        """Return drawn values."""
        return truncated_normal(shape, self.stddev, self.seed) + self.mean


def uniform(shape: Shape, low: float, high: float, seed: Seed) -> np.ndarray:
    """Draw float32 numbers from low up to, but without, high."""
    drawn = (low + (high - low) * generator(seed).random(shape)).astype(np.float32)
    # Rounding to float32 must not reach the end of the range.
    return np.minimum(drawn, np.nextafter(np.float32(high), np.float32(low)))


def normal(shape: Shape, stddev: float, seed: Seed) -> np.ndarray:
    """Draw numbers of a normal distribution around 0."""
    return stddev * generator(seed).standard_normal(shape)


def truncated_normal(shape: Shape, stddev: float, seed: Seed) -> np.ndarray:
    """Draw numbers of a normal distribution around 0; again where beyond two deviations."""
    source = generator(seed)
    drawn = source.standard_normal(shape)
    while (beyond := abs(drawn) > 2).any():
        drawn[beyond] = source.standard_normal(np.count_nonzero(beyond))
    return stddev * drawn


def _checked_stddev(mean: float, stddev: float) -> float:
    if not (math.isfinite(mean) and 0 <= stddev < math.inf):
        raise CoreError(f"mean={mean} and stddev={stddev} must be finite, and stddev 0 or more")
    return stddev
