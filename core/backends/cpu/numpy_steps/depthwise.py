"""Depthwise convolutions: sums of products of shifted images with weights, by `np.einsum`.

`np.einsum` multiplies and adds in one pass, without temporaries. It is fast if its inner loop, over
the last axis, is long: so that axis is a whole row of pixels, and weights are repeated for each.
"""

from collections.abc import Callable, Iterator
from functools import partial
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from core.backends.cpu.numpy_steps.chain import epilogue_chain
from core.backends.cpu.numpy_steps.contiguous import copied
from core.backends.cpu.numpy_steps.image_blocks import (
    ImageBlock,
    Padded,
    blocks_by_task,
    has_plain_images,
    windows_over,
)
from core.backends.cpu.numpy_steps.lowering_rules import (
    Lowered,
    NumpyCall,
    Scratch,
    Views,
    Work,
    lowers,
)
from core.backends.cpu.numpy_steps.thread_pool import parallel, task_count
from core.engine.windows import Window

#: Time of a multiply-add on one thread, roughly.
_NANOSECONDS = 0.25


@lowers("depthwise_conv2d")
def lower_depthwise_conv2d(call: NumpyCall) -> Lowered | None:
    """Lower to sums and the epilogue, block by block."""
    steps = epilogue_chain(call)
    if steps is None or not has_plain_images(call):
        return None
    w = windows_over(call, call.spec(call.step.inputs[0]).shape)
    padded, result = Padded.input_of(call, w), call.result.shape
    method = _method(w, result[3])
    time = call.result.size * (_NANOSECONDS * prod(w.size) + steps.nanoseconds)
    tasks = blocks_by_task(result, 4 * result[3], task_count(time, max(result[:2])))
    steps = steps._replace(tasks=len(tasks))
    repeated = _Repeated(call, padded)
    weights = _Weights(call, w.out_size[1] if method.has_rows else 1)
    highest = max(block.rows.stop - block.rows.start for task in tasks for block in task)
    columns = method.columns(w, highest, result[3])

    def bind(views: Views) -> list[Work]:
        scratch, target = list(views.scratch), views[call.step.name]
        x, works = padded.bind(views, scratch)
        x, more = repeated.bind(x, scratch)
        filter, filling = weights.bind(views, scratch)
        end = steps.bound(views, target)
        work: list[list[Work]] = []
        for task, blocks in enumerate(tasks):
            own = scratch[task * len(columns) :][: len(columns)]
            work.append([])
            for index in _single_images(blocks):
                source = x[index[0].start, index[1].start * w.strides[0] :]
                out = target[index]
                work[-1] += method.works(source, w, filter, out[0], own)
                work[-1] += end.works(index, out, out, task)
        return [*works, *more, *filling, *end.first, *parallel(work)]

    own = columns * len(tasks)
    scratch = (*padded.scratch, *repeated.scratch, *weights.scratch, *own, *steps.scratch)
    return Lowered(f"einsum {method.name}", bind, scratch)


def _single_images(blocks: list[ImageBlock]) -> Iterator[tuple[slice, slice]]:
    """Return the blocks of one image after the other."""
    for images, rows in blocks:
        for image in range(images.start, images.stop):
            yield slice(image, image + 1), rows


class _Repeated:
    """Images with repeated channels, as the filter has several channels for each."""

    def __init__(self, call: NumpyCall, padded: Padded):
        self._times = call.spec(call.step.inputs[1]).shape[3]
        size = (*padded.size[:3], padded.size[3] * self._times)
        self.scratch = (Scratch(size),) if self._times > 1 else ()

    def bind(self, x: np.ndarray, scratch: list[np.ndarray]) -> tuple[np.ndarray, list[Work]]:
        """Return the images, and the calls that must run before they are read."""
        if not self.scratch:
            return x, []
        result = scratch.pop(0)
        return result, [partial(np.copyto, result.reshape(*x.shape, self._times), x[..., None])]


class _Weights:
    """The filter [height, width, times * channels]: its channels once, or for a row of pixels."""

    def __init__(self, call: NumpyCall, times: int):
        self._filter, self._times = call.step.inputs[1], times
        self._shape = call.spec(self._filter).shape
        known = call.constant(self._filter)
        self._known = None if known is None else self._flat(known)
        if self._known is not None and times > 1:
            self._known = call.packed(np.tile(self._known, times))
        size = (*self._shape[:2], times * self._shape[2] * self._shape[3])
        self.scratch = (Scratch(size),) if known is None else ()

    def _flat(self, filter: np.ndarray) -> np.ndarray:
        return filter.reshape(*self._shape[:2], -1)

    def bind(self, views: Views, scratch: list[np.ndarray]) -> tuple[np.ndarray, list[Work]]:
        """Return the weights, and the calls that must run before they are read."""
        if self._known is not None:
            return self._known, []
        result, once = scratch.pop(0), self._flat(views[self._filter])
        several = result.reshape(*once.shape[:2], self._times, -1)
        return result, [partial(np.copyto, several, once[:, :, None])]


class _Method(NamedTuple):
    """A method of summation."""

    name: str
    has_rows: bool  # whether weights are repeated for each pixel of a row
    #: Calls for the padded image from the first row of a block on, the windows, the weights, the
    #: result [rows, width, channels], and the scratch.
    works: Callable[[np.ndarray, Window, np.ndarray, np.ndarray, list[np.ndarray]], list[Work]]
    #: The scratch for blocks of some rows.
    columns: Callable[[Window, int, int], tuple[Scratch, ...]] = lambda w, rows, channels: ()


def _method(w: Window, channels: int) -> _Method:
    """Return the fastest method for a number of channels.

    The iterator of `np.einsum` copies into a buffer if the pixels of windows are not adjacent.
    """
    is_beside = w.size[1] > 1 and w.dilations[1] == 1
    if w.strides[1] > 1:
        is_dilated = max(w.dilations) > 1
        return _BY_PIXEL if is_dilated or (channels >= 128 and is_beside) else _BY_COLUMN
    return _BY_PIXEL if channels >= 512 and is_beside else _BY_ROW


def _sum_by_pixel(
    x: np.ndarray, w: Window, weights: np.ndarray, out: np.ndarray, scratch: list[np.ndarray]
) -> list[Work]:
    """Sum for many channels: the inner loop is over channels."""
    row, pixel, value = x.strides
    windows = as_strided(
        x,
        (*out.shape[:2], *weights.shape),
        (
            row * w.strides[0],
            pixel * w.strides[1],
            row * w.dilations[0],
            pixel * w.dilations[1],
            value,
        ),
    )
    return [partial(np.einsum, "hwyxc,yxc->hwc", windows, weights, out=out)]


def _sum_by_row(
    x: np.ndarray, w: Window, weights: np.ndarray, out: np.ndarray, scratch: list[np.ndarray]
) -> list[Work]:
    """Sum with stride 1: rows are shifted as a whole."""
    row, pixel, _ = x.strides
    steps = (row * w.strides[0], row * w.dilations[0], pixel * w.dilations[1])
    return _sum_of_rows(x, steps, weights, out.reshape(len(out), -1))


def _sum_of_rows(
    x: np.ndarray, steps: tuple[int, int, int], weights: np.ndarray, out: np.ndarray
) -> list[Work]:
    """Sum over runs that begin at each row of the result, and row and column of the filter."""
    runs = as_strided(x, (len(out), *weights.shape), (*steps, x.itemsize))
    return [partial(np.einsum, "hyxc,yxc->hc", runs, weights, out=out)]


def _columns(w: Window, rows: int, channels: int) -> tuple[Scratch, ...]:
    """Return the columns of each phase side by side, and the sum of one phase."""
    high = (rows - 1) * w.strides[0] + w.size[0]
    wide = w.out_size[1] + (w.size[1] - 1) // w.strides[1]
    return Scratch((high, wide, channels)), Scratch((rows, w.out_size[1] * channels))


def _sum_by_column(
    x: np.ndarray, w: Window, weights: np.ndarray, out: np.ndarray, scratch: list[np.ndarray]
) -> list[Work]:
    """Sum with larger strides: the columns of each phase are first copied side by side."""
    step, (high, wide) = w.strides[1], w.size
    columns, share, *_ = scratch
    total = out.reshape(len(out), -1)
    share = share[: len(out)]
    works: list[Work] = []
    for phase in range(min(step, wide)):
        taps = weights[:, phase::step]
        rows, count = (len(out) - 1) * w.strides[0] + high, w.out_size[1] + taps.shape[1] - 1
        source = x[:rows, phase : phase + (count - 1) * step + 1 : step]
        beside = columns[:rows, :count]
        row, pixel, _ = beside.strides
        works.append(copied(beside, source))
        steps = (row * w.strides[0], row, pixel)
        works += _sum_of_rows(beside, steps, taps, share if phase else total)
        if phase:
            works.append(partial(np.add, total, share, out=total))
    return works


_BY_PIXEL = _Method("by pixel", False, _sum_by_pixel)
_BY_ROW = _Method("by row", True, _sum_by_row)
_BY_COLUMN = _Method("by column", True, _sum_by_column, _columns)
