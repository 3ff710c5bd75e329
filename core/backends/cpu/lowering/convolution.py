"""Convolutions as matrix products, in blocks of rows of the result."""

from functools import partial
from math import prod

import numpy as np
from numpy.lib.stride_tricks import as_strided

from core.backends.cpu.conv import places, tap
from core.backends.cpu.lowering.blocks import (
    Block,
    Padded,
    blocks_of,
    copy_of_runs,
    has_margin,
    has_plain_images,
    inside,
    pixels_in,
    windows_over,
)
from core.backends.cpu.lowering.chain import Chain, epilogue
from core.backends.cpu.lowering.epilogue import Epilogue
from core.backends.cpu.lowering.table import Call, Lowered, Scratch, Views, Work, lowers
from core.geometry import Window


@lowers("conv2d")
def lower_conv2d(call: Call) -> Lowered | None:
    """Pixels, or windows written out as rows of a matrix (im2col), times the filter."""
    steps = epilogue(call)
    if steps is None or not has_plain_images(call):
        return None
    x = call.node.inputs[0]
    w = windows_over(call, call.spec(x).shape)
    if w.pointwise and not has_margin(call, x):
        return _lower_pointwise(call, steps)
    return _lower_windows(call, w, steps)


def _lower_pointwise(call: Call, steps: Chain) -> Lowered:
    result = call.result.shape
    blocks = blocks_of(result, 4 * max(result[3], call.spec(call.node.inputs[0]).shape[3]))

    def bind(views: Views) -> list[Work]:
        room, x = list(views.scratch), views[call.node.inputs[0]]
        product = _Product(call, views, steps, room)
        works = list(product.end.first)
        for block in blocks:
            works += product.works(block, x[block].reshape(-1, x.shape[3]))
        return works

    return Lowered("matmul", bind, (*_room(call, blocks[0]), *steps.scratch))


def _lower_windows(call: Call, w: Window, steps: Chain) -> Lowered:
    result, padded = call.result.shape, Padded.input_of(call, w)
    depth = prod(w.size) * padded.shape[3]
    blocks = blocks_of(result, 4 * max(depth, result[3]))
    columns = Scratch((pixels_in(blocks[0], result), depth))

    def bind(views: Views) -> list[Work]:
        room = list(views.scratch)
        x, works = padded.bind(views, room)
        rows = room.pop(0)
        product = _Product(call, views, steps, room)
        works += product.end.first
        for block in blocks:
            part = rows[: pixels_in(block, result)]
            works += [_write_out(x, w, block, part), *product.works(block, part)]
        return works

    scratch = (*padded.scratch, columns, *_room(call, blocks[0]), *steps.scratch)
    return Lowered("im2col matmul", bind, scratch)


def _write_out(x: np.ndarray, w: Window, block: Block, columns: np.ndarray) -> Work:
    """The windows of a block as rows of a matrix."""
    start, stop = block.rows.start, block.rows.stop
    x = x[block.images, start * w.strides[0] :]
    batch, row, pixel, value = x.strides
    down, across = (row * w.strides[0], row * w.dilations[0]), pixel * w.dilations[1]
    # The pixels of a window that lie side by side are one run.
    is_beside = w.dilations[1] == 1
    runs, length = (1, w.size[1] * x.shape[3]) if is_beside else (w.size[1], x.shape[3])
    shape = (len(x), stop - start, w.out_size[1], w.size[0], runs, length)
    steps = (batch, down[0], pixel * w.strides[1], down[1], across, value)
    return copy_of_runs(columns.reshape(shape), as_strided(x, shape, steps))


def _room(call: Call, block: Block) -> tuple[Scratch, ...]:
    """For the products of a block, where they cannot go straight into the result."""
    result = call.result.shape
    is_apart = has_margin(call, call.node.name)
    return (Scratch((pixels_in(block, result), result[3])),) if is_apart else ()


class _Product:
    """Rows of a matrix times the filter, then the epilogue."""

    def __init__(self, call: Call, views: Views, steps: Chain, room: list[np.ndarray]):
        self._result = views[call.node.name]
        self._filter = views[call.node.inputs[1]].reshape(-1, self._result.shape[3])
        self._apart = room[0] if has_margin(call, call.node.name) else None
        self.end = Epilogue(steps, views, self._result)

    def works(self, block: Block, rows: np.ndarray) -> list[Work]:
        """The calls for a block."""
        values = target = self._result[block]
        if self._apart is not None:
            values = self._apart[: len(rows)].reshape(target.shape)
        out = values.reshape(len(rows), -1)
        return [partial(np.matmul, rows, self._filter, out), *self.end.works(block, values, target)]


@lowers("conv2d_backprop_input")
def lower_transposed_convolution(call: Call) -> Lowered | None:
    """Pixels times the filter give the pixels of a window each; windows are put side by side."""
    steps = epilogue(call)
    if steps is None or not has_plain_images(call) or has_margin(call, call.node.inputs[0]):
        return None
    w = windows_over(call, call.result.shape)
    fits = all(n == m * s for n, m, s in zip(w.in_size, w.out_size, w.strides, strict=True))
    if w.size == w.strides and fits and not any(map(any, w.padding)):
        return _lower_side_by_side(call, w, steps)
    return _lower_overlapping(call, w, steps)


def _lower_side_by_side(call: Call, w: Window, steps: Chain) -> Lowered:
    """Each pixel of the result is of one window: nothing is summed up."""
    dy, filter = call.node.inputs
    given, channels = call.spec(dy).shape, call.result.shape[3]
    depth = prod(w.size) * channels
    blocks = blocks_of(given, 4 * depth)

    def bind(views: Views) -> list[Work]:
        x, result = views[dy], views[call.node.name]
        weights = views[filter].reshape(depth, -1).T
        end = Epilogue(steps, views, result)
        works = list(end.first)
        for block in blocks:
            rows = x[block].reshape(-1, given[3])
            product = views.scratch[0][: len(rows)]
            tall = Block(block.images, _scaled(block.rows, w.size[0]))
            works.append(partial(np.matmul, rows, weights, product))
            target = result[tall]
            works.append(_side_by_side(product, target, w))
            works += end.works(tall, target, target)
        return works

    scratch = Scratch((pixels_in(blocks[0], given), depth))
    return Lowered("matmul, spread", bind, (scratch, *steps.scratch))


def _scaled(rows: slice, factor: int) -> slice:
    return slice(rows.start * factor, rows.stop * factor)


def _side_by_side(product: np.ndarray, target: np.ndarray, w: Window) -> Work:
    """Windows, one in each row of a matrix, as images."""
    n, height, _, channels = target.shape
    (high, wide), run = w.size, w.size[1] * channels
    batch, row, pixel, value = target.strides
    source = product.reshape(n, height // high, w.out_size[1], high, run).swapaxes(2, 3)
    steps = (batch, row * high, row, pixel * wide, value)
    return copy_of_runs(as_strided(target, source.shape, steps), source)


def _lower_overlapping(call: Call, w: Window, steps: Chain) -> Lowered:
    """Every place of the filter adds its share to the pixels that it reads."""
    dy, filter = call.node.inputs
    given, result = call.spec(dy).shape, call.result.shape
    (top, bottom), (left, right) = w.padding
    size = (result[0], top + result[1] + bottom, left + result[2] + right, result[3])

    def bind(views: Views) -> list[Work]:
        sums, share, *_ = views.scratch
        target, rows = views[call.node.name], views[dy].reshape(-1, given[3])
        end = Epilogue(steps, views, target)
        works: list[Work] = [*end.first, partial(sums.fill, 0)]
        for place in places(w):
            pixels = tap(sums, w, place)
            works.append(partial(np.matmul, rows, views[filter][place].T, share))
            works.append(partial(np.add, pixels, share.reshape(pixels.shape), out=pixels))
        return [*works, *end.works((), inside(sums, w.padding), target)]

    scratch = (Scratch(size), Scratch((prod(given[:3]), result[3])))
    return Lowered("matmul, shifted add", bind, (*scratch, *steps.scratch))
