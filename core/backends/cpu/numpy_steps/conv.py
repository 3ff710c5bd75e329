"""Convolutions as matrix products, in blocks of rows of the result."""

from collections.abc import Sequence
from functools import partial
from math import prod

import numpy as np
from numpy.lib.stride_tricks import as_strided

from core.backends.cpu.kernels.conv import filter_positions, tap
from core.backends.cpu.numpy_steps.chain import BoundChain, Chain, epilogue_chain
from core.backends.cpu.numpy_steps.contiguous import copied
from core.backends.cpu.numpy_steps.image_blocks import (
    ImageBlock,
    Padded,
    blocks_by_task,
    blocks_of,
    has_plain_images,
    inside,
    is_in_groups,
    most_pixels,
    pixels_in,
    windows_over,
)
from core.backends.cpu.numpy_steps.lowering_rules import (
    Lowered,
    NumpyCall,
    Scratch,
    Views,
    Work,
    lowers,
    padded_shape,
)
from core.backends.cpu.numpy_steps.row_blocks import ALL
from core.backends.cpu.numpy_steps.thread_pool import cuts, parallel, task_count
from core.engine.windows import Window

#: Time of a multiply-add on one thread, roughly.
_NANOSECONDS = 0.02

#: Largest number of pixels that are split into tasks by channels, if there are no fewer channels;
#: found by trying 64 to 256.
_FEW_PIXELS = 128

#: Smallest number of channels of a task.
_FEW_CHANNELS = 64


@lowers("conv2d")
def lower_conv2d(call: NumpyCall) -> Lowered | None:
    """Multiply pixels, or windows written as rows of a matrix (im2col), by the filter."""
    steps = epilogue_chain(call)
    if steps is None or not has_plain_images(call):
        return None
    x = call.step.inputs[0]
    if is_in_groups(call, call.spec(x).shape[3]):
        return None
    w = windows_over(call, call.spec(x).shape)
    if w.pointwise and not call.has_margin(x):
        is_small = prod(call.result.shape[:3]) <= _FEW_PIXELS <= call.result.shape[3]
        return (_lower_channels if is_small else _lower_pointwise)(call, steps)
    return _lower_windows(call, w, steps)


def _lower_pointwise(call: NumpyCall, steps: Chain) -> Lowered:
    channels = call.spec(call.step.inputs[0]).shape[3]
    tasks = _tasks(call, channels, steps)
    steps = steps._replace(tasks=len(tasks))

    def bind(views: Views) -> list[Work]:
        x = views[call.step.inputs[0]]
        end = steps.bound(views, views[call.step.name])
        work: list[list[Work]] = []
        for task, blocks in enumerate(tasks):
            work.append([])
            for block in blocks:
                rows = x[block].reshape(-1, channels)
                work[-1] += _product(call, views, end, task, block, rows, views.scratch)
        return [*end.first, *parallel(work)]

    return Lowered("matmul", bind, (*_products(call, tasks), *steps.scratch))


def _lower_channels(call: NumpyCall, steps: Chain) -> Lowered:
    """Lower for few pixels of many channels: a task has all pixels and some columns of the filter.

    Before a product, BLAS copies the filter columns of the task.
    """
    x, filter = call.step.inputs
    depth, channels = call.spec(x).shape[3], call.result.shape[3]
    time = call.result.size * (_NANOSECONDS * depth + steps.nanoseconds)
    tasks = cuts(channels, task_count(time, channels // _FEW_CHANNELS))
    steps = steps._replace(tasks=len(tasks))
    widest = max(part.stop - part.start for part in tasks)
    product = Scratch((prod(call.result.shape[:3]) * widest,))
    products = [product] * len(tasks) if call.has_margin(call.step.name) else []

    def bind(views: Views) -> list[Work]:
        rows, result = views[x].reshape(-1, depth), views[call.step.name]
        weights = views[filter].reshape(depth, channels)
        end = steps.bound(views, result)
        work: list[list[Work]] = []
        for task, columns in enumerate(tasks):
            index = (..., columns)
            values = target = result[index]
            if products:
                values = views.scratch[task][: target.size].reshape(target.shape)
            out = values.reshape(len(rows), -1)  # a view, as there is nothing between the rows
            work.append([partial(np.matmul, rows, weights[:, columns], out)])
            work[-1] += end.works(index, values, target, task)
        return [*end.first, *parallel(work)]

    return Lowered("matmul", bind, (*products, *steps.scratch))


def _lower_windows(call: NumpyCall, w: Window, steps: Chain) -> Lowered:
    result, padded = call.result.shape, Padded.input_of(call, w)
    depth = prod(w.size) * padded.shape[3]
    tasks = _tasks(call, depth, steps)
    steps = steps._replace(tasks=len(tasks))
    columns = [Scratch((most_pixels(tasks, result), depth))] * len(tasks)

    def bind(views: Views) -> list[Work]:
        scratch = list(views.scratch)
        x, works = padded.bind(views, scratch)
        written, products = scratch[: len(tasks)], scratch[len(tasks) :]
        end = steps.bound(views, views[call.step.name])
        work: list[list[Work]] = []
        for task, blocks in enumerate(tasks):
            work.append([])
            for block in blocks:
                rows = written[task][: pixels_in(block, result)]
                work[-1].append(_write_out(x, w, block, rows))
                work[-1] += _product(call, views, end, task, block, rows, products)
        return [*works, *end.first, *parallel(work)]

    scratch = (*padded.scratch, *columns, *_products(call, tasks), *steps.scratch)
    return Lowered("im2col matmul", bind, scratch)


def _tasks(call: NumpyCall, depth: int, steps: Chain) -> list[list[ImageBlock]]:
    """Return the blocks of each task, given the columns of the matrix and the steps that follow."""
    batch, height, _, channels = result = call.result.shape
    time = call.result.size * (_NANOSECONDS * depth + steps.nanoseconds)
    count = task_count(time, max(batch, height))
    return blocks_by_task(result, 4 * max(depth, channels), count)


def _write_out(x: np.ndarray, w: Window, block: ImageBlock, columns: np.ndarray) -> Work:
    """Return the calls that write the windows of a block as rows of a matrix."""
    start, stop = block.rows.start, block.rows.stop
    x = x[block.images, start * w.strides[0] :]
    batch, row, pixel, value = x.strides
    down, across = (row * w.strides[0], row * w.dilations[0]), pixel * w.dilations[1]
    # The pixels of a window that lie side by side are one run.
    is_beside = w.dilations[1] == 1
    runs, length = (1, w.size[1] * x.shape[3]) if is_beside else (w.size[1], x.shape[3])
    shape = (len(x), stop - start, w.out_size[1], w.size[0], runs, length)
    steps = (batch, down[0], pixel * w.strides[1], down[1], across, value)
    return copied(columns.reshape(shape), as_strided(x, shape, steps))


def _products(call: NumpyCall, tasks: list[list[ImageBlock]]) -> list[Scratch]:
    """Return scratch for a block's products in each task, if the result has a margin."""
    result = call.result.shape
    product = Scratch((most_pixels(tasks, result), result[3]))
    return [product] * len(tasks) if call.has_margin(call.step.name) else []


def _product(
    call: NumpyCall,
    views: Views,
    end: BoundChain,
    task: int,
    block: ImageBlock,
    rows: np.ndarray,
    products: Sequence[np.ndarray],
) -> list[Work]:
    """Return the calls for a block: rows of a matrix times the filter, then the epilogue."""
    values = target = views[call.step.name][block]
    if call.has_margin(call.step.name):
        values = products[task][: len(rows)].reshape(target.shape)
    weights = views[call.step.inputs[1]].reshape(-1, target.shape[3])
    product = partial(np.matmul, rows, weights, values.reshape(len(rows), -1))
    return [product, *end.works(block, values, target, task)]


@lowers("conv2d_backprop_input")
def lower_transposed_convolution(call: NumpyCall) -> Lowered | None:
    """Lower to pixels times filter, which gives one window for each pixel."""
    steps = epilogue_chain(call)
    if steps is None or not has_plain_images(call) or call.has_margin(call.step.inputs[0]):
        return None
    if is_in_groups(call, call.result.shape[3]):
        return None
    w = windows_over(call, call.result.shape)
    fits = all(n == m * s for n, m, s in zip(w.in_size, w.out_size, w.strides, strict=True))
    if w.size == w.strides and fits and not any(map(any, w.padding)):
        return _lower_side_by_side(call, w, steps)
    return _lower_overlapping(call, w, steps)


def _lower_side_by_side(call: NumpyCall, w: Window, steps: Chain) -> Lowered:
    """Put windows side by side: each pixel of the result belongs to one window."""
    dy, filter = call.step.inputs
    given, channels = call.spec(dy).shape, call.result.shape[3]
    depth = prod(w.size) * channels
    blocks = blocks_of(given, 4 * depth)

    def bind(views: Views) -> list[Work]:
        x, result = views[dy], views[call.step.name]
        weights = views[filter].reshape(depth, -1).T
        end = steps.bound(views, result)
        works = list(end.first)
        for block in blocks:
            rows = x[block].reshape(-1, given[3])
            product = views.scratch[0][: len(rows)]
            tall = ImageBlock(block.images, _scaled(block.rows, w.size[0]))
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
    """Return windows, one in each row of a matrix, as images."""
    n, height, _, channels = target.shape
    (high, wide), run = w.size, w.size[1] * channels
    batch, row, pixel, value = target.strides
    source = product.reshape(n, height // high, w.out_size[1], high, run).swapaxes(2, 3)
    steps = (batch, row * high, row, pixel * wide, value)
    return copied(as_strided(target, source.shape, steps), source)


def _lower_overlapping(call: NumpyCall, w: Window, steps: Chain) -> Lowered:
    """Add the share of every filter position to the pixels that it reads.

    This needs whole images and one task: the windows of the last row of one block and of the first
    row of the next add to the same pixels.
    """
    dy, filter = call.step.inputs
    given, result = call.spec(dy).shape, call.result.shape

    def bind(views: Views) -> list[Work]:
        sums, share, *_ = views.scratch
        target, rows = views[call.step.name], views[dy].reshape(-1, given[3])
        end = steps.bound(views, target)
        works: list[Work] = [*end.first, partial(sums.fill, 0)]
        for position in filter_positions(w):
            pixels = tap(sums, w, position)
            works.append(partial(np.matmul, rows, views[filter][position].T, share))
            works.append(partial(np.add, pixels, share.reshape(pixels.shape), out=pixels))
        return [*works, *end.works(ALL, inside(sums, w.padding), target)]

    scratch = (Scratch(padded_shape(result, w.padding)), Scratch((prod(given[:3]), result[3])))
    return Lowered("matmul, shifted add", bind, (*scratch, *steps.scratch))
