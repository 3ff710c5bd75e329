"""Augmentations that change colours: brightness, contrast, saturation, hue, and all of them."""

from abc import abstractmethod
from typing import TYPE_CHECKING

import numpy as np

from core.data import colors
from core.data.random_transform import Factor, RandomTransform, floats, in_dtype, range_of
from core.errors import CoreError

if TYPE_CHECKING:
    from numpy.random import Generator

_RANGE = (0.0, 255.0)


class _Recoloring(RandomTransform):
    """Changes of colours by a random amount."""

    def __init__(self, value_range: tuple[float, float], seed: int | None):
        low, high = value_range
        if not low < high:
            raise CoreError(f"value_range={value_range!r} must be the values of black and white")
        self.value_range = value_range
        super().__init__(seed)

    @abstractmethod
    def changed(self, images: np.ndarray, generator: "Generator") -> np.ndarray:
        """Return new floats for floats."""

    def transform(self, images: np.ndarray, generator: "Generator") -> np.ndarray:
        """Return new images for a batch."""
        return in_dtype(self.changed(floats(images), generator), images.dtype)


class RandomBrightness(_Recoloring):
    """Adds a number to all values of an image, another one for each image.

    Args:
        factor: ends of the range of the number, as a share of the range of values; a number f is
            for (-f, f).
        value_range: the values of black and white, to which results are clipped.
        seed: see `RandomTransform`.

    >>> RandomBrightness((0.2, 0.2))(np.full((1, 1, 3), 100, np.uint8)).tolist()
    [[[151, 151, 151]]]
    """

    def __init__(
        self, factor: Factor, value_range: tuple[float, float] = _RANGE, seed: int | None = None
    ):
        self.factor = factor
        self._shares = range_of(factor, "factor", -1, 1, low=-1)
        super().__init__(value_range, seed)

    def changed(self, images: np.ndarray, generator: "Generator") -> np.ndarray:
        """Return new floats for floats."""
        shares = generator.uniform(*self._shares, len(images))
        return colors.brightened(images, shares, *self.value_range)


class RandomContrast(_Recoloring):
    """Multiplies distances from the mean of each channel, by another number for each image.

    Args:
        factor: (a, b) for numbers from 1 - a to 1 + b; a number f is for (f, f).
        value_range: the values of black and white, to which results are clipped.
        seed: see `RandomTransform`.
    """

    def __init__(
        self, factor: Factor, value_range: tuple[float, float] = _RANGE, seed: int | None = None
    ):
        self.factor = factor
        below, above = factor if isinstance(factor, (tuple, list)) else (factor, factor)
        range_of((below, above), "factor", 0, 1, low=0)
        self._factors = 1 - below, 1 + above
        super().__init__(value_range, seed)

    def changed(self, images: np.ndarray, generator: "Generator") -> np.ndarray:
        """Return new floats for floats."""
        factors = generator.uniform(*self._factors, len(images))
        return colors.contrasted(images, factors, *self.value_range)


class RandomSaturation(_Recoloring):
    """Makes the colours of RGB images paler or stronger, by an amount for each image.

    Args:
        factor: ends of the range of the amount: 0 is grey, 0.5 leaves colours as they are, 1 is as
            strong as can be; a number f is for (0, f). f multiplies the saturation by f / (1 - f).
        value_range: the values of black and white.
        seed: see `RandomTransform`.
    """

    def __init__(
        self, factor: Factor, value_range: tuple[float, float] = _RANGE, seed: int | None = None
    ):
        self.factor = factor
        self._shares = range_of(factor, "factor", 0, 1, low=0)
        super().__init__(value_range, seed)

    def changed(self, images: np.ndarray, generator: "Generator") -> np.ndarray:
        """Return new floats for floats."""
        shares = generator.uniform(*self._shares, len(images))
        factors = shares / np.maximum(1 - shares, 1e-7)
        return colors.saturated(_rgb(images), factors, *self.value_range)


class RandomHue(_Recoloring):
    """Moves the hues of RGB images around the circle of colours, by an angle for each image.

    Args:
        factor: ends of the range of angles, in half turns, in either direction; a number f is for
            (0, f).
        value_range: the values of black and white.
        seed: see `RandomTransform`.
    """

    def __init__(
        self, factor: Factor, value_range: tuple[float, float] = _RANGE, seed: int | None = None
    ):
        self.factor = factor
        self._halves = range_of(factor, "factor", 0, 1, low=0)
        super().__init__(value_range, seed)

    def changed(self, images: np.ndarray, generator: "Generator") -> np.ndarray:
        """Return new floats for floats."""
        turns = generator.uniform(*self._halves, len(images)) / 2
        turns *= generator.choice([-1, 1], len(images))
        return colors.hue_shifted(_rgb(images), turns, *self.value_range)


class RandomColorJitter(_Recoloring):
    """Changes brightness, contrast, saturation and hue, in this order.

    Args:
        value_range: the values of black and white.
        brightness_factor: see `RandomBrightness`; None for no change, as with the next ones.
        contrast_factor: see `RandomContrast`.
        saturation_factor: see `RandomSaturation`.
        hue_factor: see `RandomHue`.
        seed: see `RandomTransform`.
    """

    def __init__(
        self,
        value_range: tuple[float, float] = _RANGE,
        brightness_factor: Factor | None = None,
        contrast_factor: Factor | None = None,
        saturation_factor: Factor | None = None,
        hue_factor: Factor | None = None,
        seed: int | None = None,
    ):
        self.brightness_factor, self.contrast_factor = brightness_factor, contrast_factor
        self.saturation_factor, self.hue_factor = saturation_factor, hue_factor
        super().__init__(value_range, seed)
        pairs = (
            (RandomBrightness, brightness_factor),
            (RandomContrast, contrast_factor),
            (RandomSaturation, saturation_factor),
            (RandomHue, hue_factor),
        )
        self._steps = [kind(f, value_range, seed) for kind, f in pairs if f is not None]

    def changed(self, images: np.ndarray, generator: "Generator") -> np.ndarray:
        """Return new floats for floats."""
        for step in self._steps:
            images = step.changed(images, generator)
        return images


def _rgb(images: np.ndarray) -> np.ndarray:
    if images.shape[3] != 3:
        raise CoreError(f"images need 3 channels, red, green and blue, got {images.shape[3]}")
    return images
