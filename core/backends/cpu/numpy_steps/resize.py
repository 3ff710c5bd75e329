"""Resizing: pixels or rows are gathered by constant indices, and mixed in long rows."""

from collections.abc import Sequence
from functools import partial
from math import prod
from typing import NamedTuple

import numpy as np

from core.backends.cpu.kernels.resize import WIDTH, changes
from core.backends.cpu.numpy_steps.chain import with_epilogue
from core.backends.cpu.numpy_steps.contiguous import Compact, copied
from core.backends.cpu.numpy_steps.lowering_rules import (
    Lowered,
    NumpyCall,
    Scratch,
    Views,
    Work,
    lowers,
)
from core.backends.cpu.numpy_steps.row_blocks import BLOCK
from core.engine.resampling import nearest, neighbours
from core.engine.windows import Sides

Works = list[Work]

_NO_MARGIN: Sides = ((0, 0), (0, 0))


class _Grid(NamedTuple):
    """The layout of images in a buffer, counted in pixels."""

    batch: int
    height: int
    width: int
    margin: Sides = _NO_MARGIN

    def positions(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """Return the indices of the pixels in some rows and columns: [batch, rows, columns]."""
        (top, bottom), (left, right) = self.margin
        images = np.arange(self.batch)[:, None] * (top + self.height + bottom)
        lines = (images + top + rows) * (left + self.width + right)
        return lines[..., None] + left + columns


def _grid(call: NumpyCall) -> _Grid:
    (reference,) = call.step.inputs
    *batch, height, width, _ = call.spec(reference).shape
    return _Grid(prod(batch), height, width, call.margin(reference))


def _centres(call: NumpyCall) -> tuple[bool, bool]:
    """Return the pixel centres that the kernel's functions assume."""
    attributes = call.step.attributes
    return attributes["align_corners"], attributes["half_pixel_centers"]


def _taken(rows: np.ndarray, positions: np.ndarray, out: np.ndarray) -> Work:
    """Gather rows by valid indices; without a mode NumPy would make a copy of ``out``."""
    return partial(np.take, rows, positions, axis=0, out=out, mode="clip")


@lowers("resize_nearest_neighbor")
def lower_nearest(call: NumpyCall) -> Lowered | None:
    """Gather pixels by index."""
    (reference,), (*_, height, width, channels) = call.step.inputs, call.result.shape
    if not call.spec(reference).size:
        return None
    grid, centres = _grid(call), _centres(call)
    rows = nearest(grid.height, height, *centres)
    columns = nearest(grid.width, width, *centres)
    positions = call.packed(grid.positions(rows, columns).ravel())
    result = Compact.of(call, call.step.name)

    def bind(views: Views) -> list[Work]:
        y, after = result.write(views)
        pixels = views.whole(reference).reshape(-1, channels)
        return [_taken(pixels, positions, y.reshape(-1, channels)), *after]

    return with_epilogue(call, "gather", bind, result.scratch)


class _Pass(NamedTuple):
    """A resize along one axis, of items, which are pixels or whole rows of pixels.

    Attributes:
        before: indices of the items before each new item: [batch, rows, items in a row].
        after: indices of the items after it.
        share: share of the step from one to the other: [rows or 1, values in a row or 1].
        length: values in an item.
    """

    before: np.ndarray
    after: np.ndarray
    share: np.ndarray
    length: int

    def works(self, source: np.ndarray, target: np.ndarray, scratch: Sequence[np.ndarray]) -> Works:
        """Return the calls to [batch, rows, values], one block of rows after the other."""
        batch, rows, values = target.shape
        step, items = max(1, BLOCK // values), source.reshape(-1, self.length)
        works: Works = []
        for i in range(batch):
            for start in range(0, rows, step):
                block = slice(start, min(start + step, rows))
                works += self._block(items, (i, block), target[i, block], scratch)
        return works

    def _block(
        self,
        items: np.ndarray,
        index: tuple[int, slice],
        out: np.ndarray,
        scratch: Sequence[np.ndarray],
    ) -> Works:
        """Add a share of the step to the second neighbour to the first, in the kernel's order."""
        first, second = (flat[: out.size].reshape(out.shape) for flat in scratch)
        share = self.share[index[1]] if len(self.share) > 1 else self.share
        return [
            _taken(items, self.before[index].ravel(), first.reshape(-1, self.length)),
            _taken(items, self.after[index].ravel(), second.reshape(-1, self.length)),
            partial(np.subtract, second, first, out=second),
            partial(np.multiply, second, share, out=second),
            partial(np.add, second, first, out=out),
        ]


def _passes(call: NumpyCall) -> list[tuple[_Pass, _Grid]]:
    """Yield a pass for each axis that changes, in the kernel's order, with its result's grid."""
    grid, channels = _grid(call), call.result.shape[-1]
    images = np.broadcast_to(np.float32(0), call.spec(call.step.inputs[0]).shape)
    found = []
    for axis, old, new in changes(images, call.result.shape[-3:-1]):
        *ends, share = neighbours(old, new, *_centres(call))
        if axis == WIDTH:
            length, share = channels, np.repeat(share, channels)[None]
            before, after = (grid.positions(np.arange(grid.height), end) for end in ends)
            grid = _Grid(grid.batch, grid.height, new)
        else:
            # Without a margin, whole rows are moved as one item.
            lines = grid if grid.margin != _NO_MARGIN else _Grid(grid.batch, grid.height, 1)
            length, share = channels * grid.width // lines.width, share[:, None]
            before, after = (lines.positions(end, np.arange(lines.width)) for end in ends)
            grid = _Grid(grid.batch, new, grid.width)
        before, after, share = map(call.packed, (before, after, share))
        found.append((_Pass(before, after, share, length), grid))
    return found


@lowers("resize_bilinear")
def lower_bilinear(call: NumpyCall) -> Lowered | None:
    """Lower to one pass for each axis; to a copy if no axis changes."""
    (reference,), (*_, width, channels) = call.step.inputs, call.result.shape
    if not call.has_floats(reference):
        return None
    passes = _passes(call)
    shapes = [(g.batch, g.height, g.width * channels) for _, g in passes]
    sizes = [min(rows, max(1, BLOCK // n)) * n for _, rows, n in shapes] or [width * channels]
    block = Scratch((max(sizes),))

    def bind(views: Views) -> list[Work]:
        blocks, between = views.scratch[:2], views.scratch[2 : 1 + len(passes)]
        source, y = views.whole(reference), views[call.step.name]
        out = y.reshape(-1, *y.shape[-3:-2], width * channels)
        works: Works = [] if passes else [copied(y, views[reference])]
        for (each, _), target in zip(passes, [*between, out], strict=False):
            works += each.works(source, target, blocks)
            source = target
        return works if len(passes) > 1 else [*works, *_without_infinity(out, blocks[0])]

    return with_epilogue(call, "resize", bind, (block, block, *map(Scratch, shapes[:-1])))


def _without_infinity(images: np.ndarray, scratch: np.ndarray) -> list[Work]:
    """Return the share of an unchanged axis: 0, but NaN from an infinity to itself."""
    works: list[Work] = []
    for rows in (row for image in images for row in image):
        steps = scratch[: rows.size]
        works.append(partial(np.subtract, rows, rows, out=steps))
        works.append(partial(np.add, rows, steps, out=rows))
    return works
