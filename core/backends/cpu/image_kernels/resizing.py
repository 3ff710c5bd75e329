"""Images resized by Pillow's bilinear filter."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from core.backends.cpu.codegen import called_kernels
from core.backends.cpu.codegen.called_kernels import Call, CalledKernel, Description
from core.backends.cpu.codegen.ir.image_layout import PRECISION, pixels_of_vector
from core.backends.cpu.image_kernels.generators import generators
from core.backends.cpu.image_kernels.pillow_filter import Taps, bilinear_taps
from core.backends.cpu.image_kernels.scaled import Scaled

#: Cost of a vector of the first pass, and of a value of the second, in instructions.
_VECTOR, _VALUE = 8, 2

#: Axes whose weights are kept in the form of kernels.
_MOST_KEPT = 16

#: Values after a line that may be read, and written to where a line is not the last.
_SPARE = 64


def resized(image: np.ndarray, sides: tuple[int, int], out: np.ndarray, scaled: Scaled) -> bool:
    """Write an image in another size, as Pillow's BILINEAR makes it, and scaled.

    Args:
        image: uint8 [height, width, channels], of 1 to 4 channels, with contiguous lines.
        sides: height and width of what is brought to the new size: where these are more than the
            image's, it is black on the right and below; where they are less, its rest is not seen.
        out: [height, width, channels] of the dtype of ``scaled``; lines are contiguous.
        scaled: what becomes of the levels.

    Returns:
        Whether it is written; else Pillow is to do it.
    """
    channels = image.shape[2]
    image = image[: sides[0], : sides[1]]
    across = _ByVector.of(image.shape[1], sides[1], out.shape[1], channels)
    down = _taps_within(image.shape[0], sides[0], out.shape[0])
    lines = CalledKernel(_filtered_lines, (channels,))
    mixed = CalledKernel(_mixed_lines, (scaled.dtype,))
    reads = across.reach - image.shape[1] * channels
    if image.strides[1:] != (channels, 1) or image.strides[0] < max(reads, 1):
        return False
    if _begins_with_lines(sides, out.shape):
        return False
    if not called_kernels.can_run(lines, mixed):
        return False
    values = out.shape[1] * channels
    stride = values + -values % _SPARE + _SPARE
    small = np.empty((len(image), stride), np.uint8)
    end = np.zeros(across.reach, np.uint8)
    end[: image.shape[1] * channels] = image[-1].reshape(-1)
    work = len(image) * out.shape[1] * (16 + across.vectors * _VECTOR)
    tasks, block = called_kernels.split(len(image), work)
    first = {
        **{"image": image, "lines": len(image), "line": image.strides[0], "end": end},
        **{"result": small, "result_line": stride, "columns": out.shape[1], "block": block},
        **{"starts": across.starts, "weights": across.weights, "vectors": across.vectors},
    }
    work = len(out) * values * (4 + _VALUE * down.weights.shape[1])
    more_tasks, more_lines = called_kernels.split(len(out), work)
    second = {
        **{"image": small, "line": stride, "result": out, "rows": len(out), "values": values},
        **{"result_line": out.strides[0] // out.itemsize, "block": more_lines},
        **{"firsts": down.first, "counts": down.counts, "weights": down.weights},
        **{"most": down.weights.shape[1], **scaled.lines(out.shape[1], channels, _SPARE)},
    }
    called_kernels.run(Call(lines, tasks, first), Call(mixed, more_tasks, second))
    return True


def _begins_with_lines(old: Sequence[int], new: Sequence[int]) -> bool:
    """Return whether Pillow, from version 13 on, mixes lines first, which rounds differently.

    It does so where the height shrinks by more than twice what the width does.
    """
    return new[0] < old[0] and old[0] - new[0] > 2 * (old[1] - new[1])


@lru_cache(maxsize=_MOST_KEPT)
def _taps_within(old: int, side: int, new: int) -> Taps:
    """Return integer weights along an axis of ``side`` pixels, of which the first ``old`` count."""
    taps = bilinear_taps(side, 0.0, float(side), new)
    first = np.minimum(taps.first, old - 1)
    count = np.clip(old - taps.first, 0, taps.counts)
    return Taps(first, count, (0.5 + taps.weights * (1 << PRECISION)).astype(np.int32))


class _ByVector(NamedTuple):
    """Weights along the lines of an image, as the kernel reads them.

    Attributes:
        starts: offset of the first byte of each new pixel.
        weights: int32 [new, vectors, lanes].
        vectors: of each new pixel.
        reach: bytes from the begin of a line that are read.
    """

    starts: np.ndarray
    weights: np.ndarray
    vectors: int
    reach: int

    @classmethod
    def of(cls, old: int, side: int, new: int, channels: int) -> "_ByVector":
        """Return the weights for lines of ``side`` pixels, of which the first ``old`` count."""
        return _by_vector(old, side, new, channels, called_kernels.instruction_set().lanes)


@lru_cache(maxsize=_MOST_KEPT)
def _by_vector(old: int, side: int, new: int, channels: int, lanes: int) -> _ByVector:
    taps = _taps_within(old, side, new)
    pixels = pixels_of_vector(lanes, channels)
    most = taps.weights.shape[1]
    vectors = -(-most // pixels)
    each = np.zeros((new, vectors * pixels), np.int32)
    each[:, :most] = np.where(np.arange(most) < taps.counts[:, None], taps.weights, 0)
    weights = np.zeros((new, vectors, lanes), np.int32)
    repeated = np.repeat(each, channels, axis=1)
    weights[:, :, : pixels * channels] = repeated.reshape(new, vectors, pixels * channels)
    starts = taps.first * channels
    reach = int(starts.max()) + (vectors - 1) * pixels * channels + lanes
    return _ByVector(starts, weights, vectors, max(reach, old * channels))


def _filtered_lines(channels: int) -> Description:
    return generators().FilteredLines(channels)


def _mixed_lines(dtype: str) -> Description:
    return generators().MixedLines(dtype)
