"""Pooling: rows of pixels first, which are long, then pixels; global averages as products."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from core.backends.cpu.numpy_steps.chain import with_epilogue
from core.backends.cpu.numpy_steps.contiguous import copied
from core.backends.cpu.numpy_steps.lowering_rules import (
    Lowered,
    NumpyCall,
    Scratch,
    Views,
    Work,
    lowers,
)
from core.backends.cpu.numpy_steps.reduce import lower_mean_of_pixels
from core.backends.cpu.numpy_steps.row_blocks import BLOCK, row_of
from core.engine.windows import Window, pixel_counts, pixels_read, window

#: Values of a pixel below which pixels are gathered before rows of them are combined.
_SHORT = 256


@lowers("max_pool")
def lower_max_pool(call: NumpyCall) -> Lowered | None:
    """Return the largest values; NaN is ignored, and a window of NaN has -inf."""
    source, result = call.step.inputs[0], call.step.name
    w = _window(call)
    if w.pointwise:
        return with_epilogue(call, "copy", lambda v: [copied(v[result], v[source])])

    def without_nan(rows: np.ndarray, block: slice) -> Work:
        return partial(np.fmax, rows, row_of(-np.inf, rows.shape[-1], rows.dtype), out=rows)

    return _lower(call, w, _Fold(np.fmax, -np.inf, without_nan))


@lowers("avg_pool")
def lower_avg_pool(call: NumpyCall) -> Lowered | None:
    """Return sums divided by the number of pixels; whole images as a mean of pixels.

    Sums are float32: sums of numbers beyond 3e38 / pixels are infinite, where the kernel, which
    sums in float64, returns their average.
    """
    if not call.has_floats(call.step.name, *call.step.inputs):
        return None
    w = _window(call)
    if w.size == w.in_size and not any(map(any, w.padding)):
        return lower_mean_of_pixels(call)
    counts = pixel_counts(w).astype(np.float32)
    if (counts == counts[0, 0]).all():
        counts = counts[:, :1]
    else:
        counts = np.repeat(counts, call.result.shape[3], axis=1)
    counts = call.packed(np.ascontiguousarray(counts))

    def divided(rows: np.ndarray, block: slice) -> Work:
        return partial(np.divide, rows, counts[block], out=rows)

    return _lower(call, w, _Fold(np.add, 0, divided))


class _Fold(NamedTuple):
    """A reduction of the values of a window: a function, its initial value, and a last call.

    ``end`` makes a call for rows [rows, width * channels] of the result, the given slice.
    """

    function: np.ufunc
    start: float
    end: Callable[[np.ndarray, slice], Work]

    def works(self, target: np.ndarray, pairs: list[tuple[np.ndarray, np.ndarray]]) -> list[Work]:
        """Combine parts of the target with values of their shape; the first values overwrite it."""
        whole = [values for part, values in pairs if part.shape == target.shape]
        parts = [pair for pair in pairs if pair[0].shape != target.shape and pair[0].size]
        if len(whole) > 1:
            works: list[Work] = [partial(self.function, *whole[:2], out=target)]
        else:
            first = whole[0] if whole else np.array(self.start, target.dtype)
            works = [partial(np.copyto, target, first)]
        works += [partial(self.function, target, values, out=target) for values in whole[2:]]
        return works + [partial(self.function, part, values, out=part) for part, values in parts]


def _window(call: NumpyCall) -> Window:
    how = dict(call.step.attributes)
    shape = call.spec(call.step.inputs[0]).shape
    return window(shape, how.pop("filter_size"), data_format="NHWC", **how)


def _lower(call: NumpyCall, w: Window, fold: _Fold) -> Lowered | None:
    """Lower to blocks of rows, combined first down, then across."""
    (source,), (batch, height, width, channels) = call.step.inputs, call.result.shape
    if not call.has_floats(source, call.step.name):
        return None
    across = w.in_size[1] * channels
    rows = min(height, max(1, BLOCK // max(across, 1)))
    gathers = w.strides[1] > 1 and channels < _SHORT
    scratch = [Scratch((rows, across)), *[Scratch((rows, width, channels))] * gathers]

    def bind(views: Views) -> list[Work]:
        x, y = views[source], views[call.step.name]
        works: list[Work] = []
        for i in range(batch):
            for start in range(0, height, rows):
                block = slice(start, min(start + rows, height))
                down, *gathered = (s[: block.stop - start] for s in views.scratch[: len(scratch)])
                long_rows = x[i].reshape(w.in_size[0], across)
                pairs = [(down[to], long_rows[at]) for to, at in pixels_read(w, 0, block)]
                works += fold.works(down, pairs)
                works += _across(fold, w, down, y[i, block], *gathered)
                works.append(fold.end(y[i, block].reshape(len(down), -1), block))
        return works

    return with_epilogue(call, "pool", bind, scratch)


def _across(
    fold: _Fold, w: Window, down: np.ndarray, target: np.ndarray, buffer: np.ndarray | None = None
) -> list[Work]:
    """Combine the pixels of rows.

    Args:
        fold: the reduction.
        w: the windows.
        down: [rows, in width * channels].
        target: [rows, width, channels], whose rows are contiguous.
        buffer: array of the shape of target for windows with a stride and few values in a pixel:
            pixels of each position are first copied side by side, as short loops would take longer.
    """
    _, width, channels = target.shape
    taps = pixels_read(w, 1)
    pixels, rows = down.reshape(len(down), -1, channels), target.reshape(len(target), -1)
    if buffer is not None:
        return _gathered(fold, target, pixels, taps, buffer)
    if w.strides[1] > 1:
        return fold.works(target, [(target[:, to], pixels[:, at]) for to, at in taps])
    spans = [(_span(rows, to, channels), _span(down, at, channels)) for to, at in taps]
    return fold.works(rows, spans)


def _gathered(
    fold: _Fold,
    target: np.ndarray,
    pixels: np.ndarray,
    taps: list[tuple[slice, slice]],
    buffer: np.ndarray,
) -> list[Work]:
    """Return positions ordered so that one that all windows have comes first."""
    _, width, channels = target.shape
    first, *others = sorted(taps, key=lambda tap: tap[0] != slice(0, width))
    works: list[Work] = [partial(np.copyto, target, np.array(fold.start, target.dtype))]
    if first[0] == slice(0, width):
        works = [copied(target, pixels[:, first[1]])]
    else:
        others.append(first)
    rows, gathered = target.reshape(len(target), -1), buffer.reshape(len(buffer), -1)
    for to, at in others:
        if to.start < to.stop:
            part, values = _span(rows, to, channels), _span(gathered, to, channels)
            works.append(copied(buffer[:, to], pixels[:, at]))
            works.append(partial(fold.function, part, values, out=part))
    return works


def _span(rows: np.ndarray, pixels: slice, channels: int) -> np.ndarray:
    return rows[:, pixels.start * channels : pixels.stop * channels]
