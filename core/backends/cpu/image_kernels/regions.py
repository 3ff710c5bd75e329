"""Sampled regions of images, and images made smaller by averaging."""

from collections.abc import Sequence

import numpy as np

from core.backends.cpu.codegen import called_kernels
from core.backends.cpu.codegen.called_kernels import Call, CalledKernel, Description
from core.backends.cpu.codegen.ir.image_layout import LANES
from core.backends.cpu.image_kernels.generators import generators
from core.backends.cpu.image_kernels.scaled import Scaled

#: Cost of a pixel, in instructions.
_SAMPLE, _AVERAGE = 60, 4

#: The side of the largest blocks whose sums fit into 24 bits.
_MOST_BLOCK = 256


def sampled(
    image: np.ndarray,
    placement: Sequence[float],
    out: np.ndarray,
    border: str,
    scaled: Scaled,
) -> bool:
    """Write a region of an image: each pixel is a mixture of the four around its position.

    Args:
        image: uint8 [height, width, channels], of 1 to 4 channels, with contiguous lines.
        placement: a, b, c, d, e, f: pixel (x, y) of the region is at (ax + by + c, dx + ey + f) of
            the image; both count from the upper left corner of the upper left pixel.
        out: the region, [height, width, channels], C-contiguous, of the dtype of ``scaled``.
        border: the value outside of the image: ``"zero"``, or ``"replicate"``, the nearest pixel.
        scaled: what becomes of the levels.

    Returns:
        Whether it is written; else NumPy is to do it.
    """
    height, width, channels = image.shape
    if width * channels < LANES or not _has_lines(image):
        return False
    kernel = CalledKernel(_region_samples, (channels, border == "replicate", scaled.dtype))
    if not called_kernels.can_run(kernel):
        return False
    a, b, c, d, e, f = placement
    tasks, block = called_kernels.split(len(out), out.shape[0] * out.shape[1] * _SAMPLE)
    # Placements count from the edge of a pixel, the kernel from the centre of the first.
    points = {
        "a": a,
        "b": b,
        "c": (a + b) / 2 + c - 0.5,
        "d": d,
        "e": e,
        "f": (d + e) / 2 + f - 0.5,
    }
    source = {"image": image, "height": height, "width": width, "line": image.strides[0]}
    result = {"result": out, "rows": out.shape[0], "columns": out.shape[1], "block": block}
    values = {**source, "end": _end(image), **result, **points, **scaled.vectors()}
    called_kernels.run(Call(kernel, tasks, values))
    return True


def averaged(image: np.ndarray, block: int) -> np.ndarray | None:
    """Return the means of square blocks, as Pillow's ``Image.reduce`` rounds them.

    Args:
        image: uint8 [height, width, channels], of 1 to 4 channels, with contiguous lines.
        block: the side of a block, 1 to 256; blocks at the right and lower edge may be smaller.

    Returns:
        uint8 [blocks along the height, blocks along the width, channels]; None if NumPy is to
        compute them.
    """
    height, width, channels = image.shape
    if width * channels < LANES or not _has_lines(image) or not 1 <= block <= _MOST_BLOCK:
        return None
    kernel = CalledKernel(_block_averages, (channels,))
    if not called_kernels.can_run(kernel):
        return None
    rows, columns = -(-height // block), -(-width // block)
    out = np.empty((rows, columns, channels), np.uint8)
    tasks, lines = called_kernels.split(rows, height * width * _AVERAGE)
    highs, wides = (block, height - (rows - 1) * block), (block, width - (columns - 1) * block)
    factors = [_factor(high * wide) for high in highs for wide in wides]
    source = {"image": image, "height": height, "width": width, "line": image.strides[0]}
    result = {"result": out, "rows": rows, "columns": columns, "block": lines}
    named = dict(zip(("whole", "right", "bottom", "corner"), factors, strict=True))
    values = {**source, "end": _end(image), **result, "side": block, **named}
    called_kernels.run(Call(kernel, tasks, values))
    return out


def _factor(pixels: int) -> int:
    """Return 2**24 divided by a number of pixels, as Pillow rounds it."""
    return int(np.float32(2**32) / np.float32(256 * pixels))


def _end(image: np.ndarray) -> np.ndarray:
    """Return the last bytes of an image, to be read instead of the image's, and zeros."""
    end = np.zeros(3 * LANES, np.uint8)
    end[:LANES] = image[-1].reshape(-1)[-LANES:]
    return end


def _has_lines(image: np.ndarray) -> bool:
    """Return whether the pixels of each line follow one another, and lines the line before."""
    channels = image.shape[2]
    return image.strides[1:] == (channels, 1) and image.strides[0] >= image.shape[1] * channels


def _region_samples(channels: int, replicates: bool, dtype: str) -> Description:
    return generators().RegionSamples(channels, replicates, dtype)


def _block_averages(channels: int) -> Description:
    return generators().BlockAverages(channels)
