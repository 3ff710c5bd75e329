"""Effects over one image, a list, or an iterator, such as the frames of a video."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator
from math import isfinite
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from weights_cache.common.errors import ZooError
from zoo.images.lists import for_each_image, is_several
from zoo.images.pillow import import_pillow
from zoo.images.reading import read_image
from zoo.live.frame_source import Frame

if TYPE_CHECKING:
    from PIL import Image


class Effect(ABC):
    """A function of images that remembers what it needs of the frames before."""

    missing = ""  # what was not found, and what to do then

    def __init__(self) -> None:
        self._size: tuple[int, ...] = ()
        self._last_time: float | None = None
        self._found = False
        self._index: int | None = None  # of the image, where there are several

    @abstractmethod
    def apply(self, pixels: np.ndarray, time: float | None) -> tuple[np.ndarray, bool]:
        """Return a new image, and whether there was anything to change.

        Args:
            pixels: uint8 [height, width, 3], RGB.
            time: of a frame, in seconds; None for an image that belongs to no stream.
        """

    @abstractmethod
    def forget(self) -> None:
        """Reset: the next frame shows another scene."""

    def __call__(self, source: Any) -> Image.Image:
        """Return an image with the effect."""
        pillow = import_pillow("effects")
        time = source.time if isinstance(source, Frame) else None
        pixels = read_image(source)
        self._begin(pixels.shape, time)
        changed, found = self.apply(pixels, time)
        self._found |= found
        if not found and time is None:
            self._warn("" if self._index is None else f" in the image at index {self._index}")
        if self._index is not None:
            self._index += 1
        return pillow.fromarray(changed)

    def finish(self) -> None:
        """Warn if no frame of a stream showed anything to change."""
        if self._last_time is not None and not self._found:
            self._warn(" in any of the frames")

    def count_images(self) -> None:
        """Name the index of each image in warnings from now on."""
        self._index = 0

    def _warn(self, where: str) -> None:
        """Warn that nothing was found; the caller's line is named if one image was given."""
        warnings.warn(self.missing.format(where=where), UserWarning, stacklevel=7)

    def _begin(self, size: tuple[int, ...], time: float | None) -> None:
        """Reset, unless this image follows the frames before."""
        last = self._last_time
        follows = time is not None and last is not None and time > last and size == self._size
        if not follows:
            self.forget()
        self._size, self._last_time = size, time


class _Images(Iterator[Any]):
    """Images with an effect, one by one; at their end the effect is finished."""

    def __init__(self, images: Iterator[Any], effect: Effect):
        self._images, self._effect = images, effect

    def __next__(self) -> Any:
        try:
            return next(self._images)
        except StopIteration:
            self._effect.finish()
            raise


def apply_effect(source: Any, effect: Effect) -> Any:
    """Return an image of an image, a list for a list, an iterator for an iterator."""
    if is_several(source):
        effect.count_images()
    images = for_each_image(source, effect, list)
    if hasattr(images, "__next__"):
        return _Images(images, effect)
    if isinstance(images, list):
        effect.finish()
    return images


def checked_number(name: str, value: object, least: float, most: float, reason: str = "") -> float:
    """Return an option as a number in a range; ``reason`` explains its lower end."""
    if isinstance(value, bool) or not isinstance(value, Real) or not isfinite(float(value)):
        raise ZooError(f"{name}={value!r:.80} must be a number in {least:g}..{most:g}")
    number = float(value)
    if not least <= number <= most:
        why = reason if number < least else ""
        raise ZooError(f"{name}={value!r:.80} must be in {least:g}..{most:g}{why}")
    return number
