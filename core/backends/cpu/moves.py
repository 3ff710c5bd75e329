"""Ops that only move values, as pairs of views: parts of results, and the values that they get."""

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from core.engine.specs import integers, normal_axes, normal_axis
from core.ops.slicing import Index, block_at, split_sizes, strided_index
from core.ops.space import depth_blocks

#: Views of a result and of an input, or of a number, that have the same shape.
Pair = tuple[np.ndarray, np.ndarray]

#: Function that lists the copies of an op: (results, inputs, attributes) -> pairs.
Moves = Callable[[Sequence[np.ndarray], Sequence[np.ndarray], Mapping[str, Any]], list[Pair]]

_MASKS = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")


def axis_slices(axis: int, sizes: Sequence[int]) -> list[Index]:
    """Return the index of each part of an axis.

    >>> axis_slices(1, [2, 3])
    [(slice(None, None, None), slice(0, 2, None)), (slice(None, None, None), slice(2, 5, None))]
    """
    ends = np.cumsum(sizes).tolist()
    cuts = (slice(end - size, end) for end, size in zip(ends, sizes, strict=True))
    return [(*(slice(None),) * axis, cut) for cut in cuts]


def border_slices(shape: Sequence[int], paddings: Sequence[Sequence[int]]) -> list[Index]:
    """Return indices of the inside of a padded array, then of its borders, which do not overlap."""
    sides = list(zip(shape, paddings, strict=True))
    inside = tuple(slice(b, b + n) for n, (b, _) in sides)
    borders = [
        (*inside[:axis], end)
        for axis, (n, (before, _)) in enumerate(sides)
        for end in (slice(0, before), slice(before + n, None))
    ]
    return [inside, *borders]


def mirrored(length: int, before: int, after: int, edge: int) -> list[tuple[slice, slice]]:
    """Return along one axis the parts of the result, and the indices of their values."""
    start, stop = before + edge - 1, length - edge - 1
    return [
        (slice(0, before), slice(start, edge - 1 if edge else None, -1)),
        (slice(before, before + length), slice(0, length)),
        (slice(before + length, None), slice(stop, stop - after if stop >= after else None, -1)),
    ]


def _transpose(ys: Sequence[np.ndarray], xs: Sequence[np.ndarray], how: Mapping) -> list[Pair]:
    return [(ys[0], xs[0].transpose(how["perm"]))]


def _reverse(ys: Sequence[np.ndarray], xs: Sequence[np.ndarray], how: Mapping) -> list[Pair]:
    axes = normal_axes(how["axis"], xs[0].ndim)
    index = tuple(slice(None, None, -1 if i in axes else 1) for i in range(xs[0].ndim))
    return [(ys[0], xs[0][index])]


def _broadcast_to(ys: Sequence[np.ndarray], xs: Sequence[np.ndarray], how: Mapping) -> list[Pair]:
    return [(ys[0], np.broadcast_to(xs[0], ys[0].shape))]


def _tile(ys: Sequence[np.ndarray], xs: Sequence[np.ndarray], how: Mapping) -> list[Pair]:
    shape, counts = xs[0].shape, integers(how["reps"], "reps")
    # Each axis is seen as one of repetitions and one of values.
    split = [n for pair in zip(counts, shape, strict=True) for n in pair]
    single = [n for length in shape for n in (1, length)]
    return [(ys[0].reshape(split), np.broadcast_to(xs[0].reshape(single), split))]


def _slice(ys: Sequence[np.ndarray], xs: Sequence[np.ndarray], how: Mapping) -> list[Pair]:
    begins, sizes = block_at(xs[0].shape, how["begin"], how["size"])
    return [(ys[0], xs[0][tuple(slice(b, b + s) for b, s in zip(begins, sizes, strict=True))])]


def _strided_slice(ys: Sequence[np.ndarray], xs: Sequence[np.ndarray], how: Mapping) -> list[Pair]:
    begin, end = integers(how["begin"], "begin"), integers(how["end"], "end")
    strides, masks = how["strides"], tuple(how[name] for name in _MASKS)
    index = strided_index(begin, end, strides and tuple(strides), masks)
    return [(ys[0], xs[0][index if Ellipsis in index else (*index, ...)])]


def _concat(ys: Sequence[np.ndarray], xs: Sequence[np.ndarray], how: Mapping) -> list[Pair]:
    axis = normal_axis(how["axis"], ys[0].ndim)
    indices = axis_slices(axis, [x.shape[axis] for x in xs])
    return [(ys[0][index], x) for index, x in zip(indices, xs, strict=True)]


def _stack(ys: Sequence[np.ndarray], xs: Sequence[np.ndarray], how: Mapping) -> list[Pair]:
    rows = np.moveaxis(ys[0], normal_axis(how["axis"], ys[0].ndim), 0)
    return [(rows[i, ...], x) for i, x in enumerate(xs)]


def _split(ys: Sequence[np.ndarray], xs: Sequence[np.ndarray], how: Mapping) -> list[Pair]:
    axis = normal_axis(how["axis"], xs[0].ndim)
    indices = axis_slices(axis, split_sizes(xs[0].shape[axis], how["num_or_size_splits"]))
    return [(y, xs[0][index]) for y, index in zip(ys, indices, strict=True)]


def _unstack(ys: Sequence[np.ndarray], xs: Sequence[np.ndarray], how: Mapping) -> list[Pair]:
    rows = np.moveaxis(xs[0], normal_axis(how["axis"], xs[0].ndim), 0)
    return [(y, rows[i, ...]) for i, y in enumerate(ys)]


def _depth_to_space(ys: Sequence[np.ndarray], xs: Sequence[np.ndarray], how: Mapping) -> list[Pair]:
    split, order, _ = depth_blocks(xs[0].shape, how["block_size"], how["data_format"])
    parts = xs[0].reshape(split).transpose(order)
    return [(ys[0].reshape(parts.shape), parts)]


def _pad(ys: Sequence[np.ndarray], xs: Sequence[np.ndarray], how: Mapping) -> list[Pair]:
    value = np.array(how["constant_value"], ys[0].dtype)
    inside, *borders = border_slices(xs[0].shape, how["paddings"])
    edges = (ys[0][border] for border in borders)
    return [(ys[0][inside], xs[0]), *((e, np.broadcast_to(value, e.shape)) for e in edges)]


def _mirror_pad(ys: Sequence[np.ndarray], xs: Sequence[np.ndarray], how: Mapping) -> list[Pair]:
    edge = int(how["mode"] == "reflect")
    sides = zip(xs[0].shape, how["paddings"], strict=True)
    axes = [mirrored(n, before, after, edge) for n, (before, after) in sides]
    positions = (tuple(zip(*parts, strict=True)) for parts in product(*axes))
    return [(ys[0][to], xs[0][at]) for to, at in positions]


#: Functions that list the copies, by op.
MOVES: Mapping[str, Moves] = {
    "broadcast_to": _broadcast_to,
    "concat": _concat,
    "depth_to_space": _depth_to_space,
    "mirror_pad": _mirror_pad,
    "pad": _pad,
    "reverse": _reverse,
    "slice": _slice,
    "split": _split,
    "stack": _stack,
    "strided_slice": _strided_slice,
    "tile": _tile,
    "transpose": _transpose,
    "unstack": _unstack,
}
