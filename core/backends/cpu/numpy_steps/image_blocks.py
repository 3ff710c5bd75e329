"""Blocks of images for windows, which stay in the CPU's cache; padding and margins of images."""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from core.backends.cpu.numpy_steps.lowering_rules import (
    NumpyCall,
    Scratch,
    Views,
    Work,
    find_lowering,
    padded_shape,
)
from core.backends.cpu.numpy_steps.thread_pool import cuts
from core.engine.program import Program, Step, is_alias
from core.engine.specs import Shape
from core.engine.windows import Sides, Window, window

#: Size of a block of results. Many small blocks cost: changes between `np.einsum`, which has
#: narrow instructions, and the wide ones of an epilogue can take 10 microseconds each.
BLOCK_BYTES = 1 << 21


_NO_MARGIN: Sides = ((0, 0), (0, 0))


class ImageBlock(NamedTuple):
    """Several whole images, or some rows of one: the index of both in a batch."""

    images: slice
    rows: slice


def blocks_of(images: Shape, bytes_per_pixel: int) -> list[ImageBlock]:
    """Cut images into blocks of `BLOCK_BYTES`, or of one row; the first is the largest.

    Args:
        images: batch, height, width and channels.
        bytes_per_pixel: bytes for each pixel that count for the size of a block.

    >>> [block.rows for block in blocks_of((1, 500, 100, 3), bytes_per_pixel=100)]
    [slice(0, 209, None), slice(209, 418, None), slice(418, 500, None)]
    """
    count, height, width, _ = images
    row = max(width * bytes_per_pixel, 1)
    several = max(1, BLOCK_BYTES // (height * row))
    rows = min(height, max(1, BLOCK_BYTES // row))
    return [
        ImageBlock(slice(i, min(i + several, count)), slice(y, min(y + rows, height)))
        for i in range(0, count, several)
        for y in range(0, height, rows)
    ]


def blocks_by_task(images: Shape, bytes_per_pixel: int, tasks: int) -> list[list[ImageBlock]]:
    """Return the blocks of each task, which has some of the images, or some rows of each.

    >>> [[block.rows for block in task] for task in blocks_by_task((1, 4, 10, 3), 12, 2)]
    [[slice(0, 2, None)], [slice(2, 4, None)]]
    """
    count, height, *rest = images
    if count >= tasks:
        parts = [(part, slice(0, height)) for part in cuts(count, tasks)]
        return [_blocks_at(*part, rest, bytes_per_pixel) for part in parts]
    singles = [slice(i, i + 1) for i in range(count)]
    return [
        [block for i in singles for block in _blocks_at(i, rows, rest, bytes_per_pixel)]
        for rows in cuts(height, tasks)
    ]


def _blocks_at(
    images: slice, rows: slice, rest: Sequence[int], bytes_per_pixel: int
) -> list[ImageBlock]:
    """Return the blocks of a part of a batch."""
    size = (images.stop - images.start, rows.stop - rows.start, *rest)
    return [
        ImageBlock(_moved(block.images, images.start), _moved(block.rows, rows.start))
        for block in blocks_of(size, bytes_per_pixel)
    ]


def _moved(part: slice, by: int) -> slice:
    return slice(part.start + by, part.stop + by)


def most_pixels(tasks: Sequence[Sequence[ImageBlock]], images: Shape) -> int:
    """Return the number of pixels of the largest block."""
    return max(pixels_in(block, images) for task in tasks for block in task)


def pixels_in(block: ImageBlock, images: Shape) -> int:
    """Return the number of pixels of a block."""
    count = block.images.stop - block.images.start
    return count * (block.rows.stop - block.rows.start) * images[2]


def windows_over(call: NumpyCall, images: Shape) -> Window:
    """Return the windows of a step over images of a shape."""
    how = dict(call.step.attributes)
    how.pop("input_shape", None)  # of transposed convolutions
    return window(images, call.spec(call.step.inputs[1]).shape[:2], **how)


def has_plain_images(call: NumpyCall) -> bool:
    """Return whether a step reads non-empty float32 images with the channels last."""
    is_last = call.step.attributes["data_format"] == "NHWC"
    return is_last and call.has_floats(call.step.name, *call.step.inputs)


def is_in_groups(call: NumpyCall, channels: int) -> bool:
    """Return whether the filter of a convolution is for a part of the channels of its images."""
    return call.spec(call.step.inputs[1]).shape[2] != channels


class Padded(NamedTuple):
    """Images with the padding that windows read.

    The padding is read from the margin of the images' buffer if the margin is large enough; else
    the images are copied.
    """

    reference: str
    shape: Shape
    margin: Sides
    padding: Sides

    @classmethod
    def input_of(cls, call: NumpyCall, w: Window) -> "Padded":
        """Return the first input of a step."""
        x = call.step.inputs[0]
        return cls(x, call.spec(x).shape, call.margin(x), w.padding)

    @property
    def size(self) -> Shape:
        """Return the shape of the images with their padding."""
        return padded_shape(self.shape, self.padding)

    @property
    def scratch(self) -> tuple[Scratch, ...]:
        """Return the memory for the copy, if one is needed."""
        sides = zip(self.margin, self.padding, strict=True)
        has_room = all(m >= p for margin, side in sides for m, p in zip(margin, side, strict=True))
        return () if has_room else (Scratch(self.size),)

    def bind(self, views: Views, scratch: list[np.ndarray]) -> tuple[np.ndarray, list[Work]]:
        """Return the padded images, and the calls that must run before they are read.

        Args:
            views: arrays of the step.
            scratch: the requested scratch, of which the first is taken.
        """
        _, height, width, _ = self.size
        if self.scratch:
            copy = scratch.pop(0)
            images = partial(np.copyto, inside(copy, self.padding), views[self.reference])
            return copy, [*zeros_around(copy, self.padding), images]
        y, x = (m[0] - p[0] for m, p in zip(self.margin, self.padding, strict=True))
        return views.whole(self.reference)[:, y : y + height, x : x + width], []


def inside(padded: np.ndarray, padding: Sides) -> np.ndarray:
    """Return the images without their padding."""
    (top, bottom), (left, right) = padding
    _, height, width, _ = padded.shape
    return padded[:, top : height - bottom, left : width - right]


def zeros_around(padded: np.ndarray, padding: Sides) -> list[Work]:
    """Return the calls that fill the padding."""
    (top, bottom), (left, right) = padding
    _, height, width, _ = padded.shape
    middle = padded[:, top : height - bottom]
    borders = (
        padded[:, :top],
        padded[:, height - bottom :],
        middle[:, :, :left],
        middle[:, :, width - right :],
    )
    return [partial(border.fill, 0) for border in borders if border.size]


def choose_margins(program: Program) -> dict[str, Sides]:
    """Return the values whose buffers have a margin, and the widths of the margins.

    Convolutions read their padding from there: nothing is copied. The margin is as large as the
    largest padding of all readers. Values that any step reads as one contiguous array have none:
    matrices, which are the images of convolutions of one pixel, and values seen in other shapes.
    """
    wanted: dict[str, Sides] = {}
    refused: set[str] = set(program.constants)
    for step in program.steps:
        padding = _window_padding(step, program)
        images = None
        if padding is not None:
            images = step.inputs[0]
            wanted[images] = _larger(wanted.get(images, _NO_MARGIN), padding)
        if is_alias(step, program) or find_lowering(step.op) is None:
            refused.update(step.outputs, step.inputs)
        elif step.op.name in ("conv2d", "matmul", "conv2d_backprop_input"):  # as matrices
            refused.update(r for r in step.inputs if r != images)
    return {r: sides for r, sides in wanted.items() if sides != _NO_MARGIN and r not in refused}


def _window_padding(step: Step, program: Program) -> Sides | None:
    """Return the padding that a convolution may read from a margin; else None."""
    is_windowed = step.op.name in ("conv2d", "depthwise_conv2d")
    if not is_windowed or step.attributes["data_format"] != "NHWC":
        return None
    shape = program.specs[step.inputs[0]].shape
    w = window(shape, program.specs[step.inputs[1]].shape[:2], **step.attributes)
    return None if max(w.size) == 1 else w.padding


def _larger(a: Sides, b: Sides) -> Sides:
    return tuple((max(p[0], q[0]), max(p[1], q[1])) for p, q in zip(a, b, strict=True))
