"""Sampling of rotated regions of images, straight from uint8 pixels.

``core.transform`` with bilinear interpolation defines the values; tests compare both. The op takes
all pixels as float32, [height, width, channels]. Here only the four pixels that each new one is
mixed from become floats, and one channel at a time, whose arrays stay in the CPU's cache: both
together take less than half of the time.
"""

from typing import NamedTuple

import numpy as np

from zoo.shared.placement import Placement

Size = tuple[int, int]  # height, width


class _Axis(NamedTuple):
    """Each new pixel's two neighbours along an axis of the image: [height, width] each."""

    first: np.ndarray  # intp
    second: np.ndarray
    share: np.ndarray  # float32: of the second
    beyond: tuple[np.ndarray, np.ndarray] | None  # whether each lies outside; None: no pixel does


def sample(image: np.ndarray, placement: Placement, size: Size, border: str) -> np.ndarray:
    """Return the pixels of an input of a network, each mixed from four pixels of an image.

    Args:
        image: uint8 [height, width, channels], C-contiguous.
        placement: from pixels of the input to pixels of the image.
        size: height and width of the input.
        border: the value outside of the image: ``"zero"``, or ``"replicate"``, the nearest pixel.

    Returns:
        float32 [1, height, width, channels], 0..255.
    """
    height, width, channels = image.shape
    a, b, c, d, e, f = placement
    # Placements count from the edge of a pixel, positions here from the centre of the first.
    x, y = np.arange(size[1]), np.arange(size[0])[:, None]
    across = _axis((a * x + ((a + b) / 2 + c - 0.5)) + b * y, width, border)
    down = _axis((d * x + ((d + e) / 2 + f - 0.5)) + e * y, height, border)
    corners = [
        _Corner((row * width + column) * channels, _either(of_row, of_column))
        for row, of_row in zip((down.first, down.second), down.beyond or (None, None), strict=True)
        for column, of_column in zip(
            (across.first, across.second), across.beyond or (None, None), strict=True
        )
    ]
    flat = image.reshape(-1)
    out = np.empty((1, *size, channels), np.float32)
    for channel in range(channels):
        upper, upper_right, lower, lower_right = (c.values(flat, channel) for c in corners)
        _mix(upper, upper_right, across.share)
        _mix(lower, lower_right, across.share)
        _mix(upper, lower, down.share)
        out[0, :, :, channel] = upper
    return out


class _Corner(NamedTuple):
    """One of the four pixels that each new one is mixed from."""

    at: np.ndarray  # index of the first channel in the flat image
    beyond: np.ndarray | None  # whether the pixel lies outside of the image, and is 0

    def values(self, flat: np.ndarray, channel: int) -> np.ndarray:
        """Return one channel, float32 [height, width]."""
        values = flat.take(self.at + channel).astype(np.float32)
        if self.beyond is not None:
            values[self.beyond] = 0
        return values


def _axis(at: np.ndarray, length: int, border: str) -> _Axis:
    """Return the neighbours of positions along an axis of a length."""
    if border == "replicate":
        at = np.clip(at, 0, length - 1)
    low = np.floor(at)
    share = (at - low).astype(np.float32)
    first = low.astype(np.intp)
    second = first + 1
    if first.min() >= 0 and second.max() < length:
        return _Axis(first, second, share, None)
    beyond = (first < 0) | (first >= length), (second < 0) | (second >= length)
    first, second = (np.clip(n, 0, length - 1) for n in (first, second))
    return _Axis(first, second, share, beyond)


def _either(one: np.ndarray | None, other: np.ndarray | None) -> np.ndarray | None:
    return other if one is None else one if other is None else one | other


def _mix(first: np.ndarray, second: np.ndarray, share: np.ndarray) -> None:
    """Move the first values towards the second by a share, in place."""
    second -= first
    second *= share
    first += second
