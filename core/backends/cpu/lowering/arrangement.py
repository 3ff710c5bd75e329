"""Ops that move values: each is copies between views of its inputs and of its result."""

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np

from core.backends.cpu.lowering.chain import with_epilogue
from core.backends.cpu.lowering.contiguous import copied
from core.backends.cpu.lowering.lowering_rules import Lowered, NumpyCall, Views, Work, lowers
from core.ops.slice import block_at, split_sizes, strided_index
from core.ops.space import depth_blocks
from core.plan.program import results
from core.specs import normal_axes, normal_axis, whole_numbers

#: Views of the result and of the input that have the same values.
Pair = tuple[np.ndarray, np.ndarray]


def _moves(call: NumpyCall, pair: Callable[[np.ndarray, np.ndarray], Pair]) -> Lowered | None:
    """A lowering of one copy; ``pair`` gets the result and the input."""
    result, source = call.node.name, call.node.inputs[0]
    return with_epilogue(call, "copy", lambda v: [copied(*pair(v[result], v[source]))])


@lowers("slice")
def lower_slice(call: NumpyCall) -> Lowered | None:
    """A block."""
    how = call.node.attributes
    begins, sizes = block_at(call.spec(call.node.inputs[0]).shape, how["begin"], how["size"])
    index = tuple(slice(b, b + s) for b, s in zip(begins, sizes, strict=True))
    return _moves(call, lambda y, x: (y, x[index]))


_MASKS = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")


@lowers("strided_slice")
def lower_strided_slice(call: NumpyCall) -> Lowered | None:
    """What an index of NumPy names."""
    how = call.node.attributes
    begin, end, strides = how["begin"], how["end"], how["strides"]
    begin, end = whole_numbers(begin, "begin"), whole_numbers(end, "end")
    masks = tuple(how[name] for name in _MASKS)
    index = strided_index(begin, end, strides and tuple(strides), masks)
    return _moves(call, lambda y, x: (y, x[index if Ellipsis in index else (*index, ...)]))


@lowers("transpose")
def lower_transpose(call: NumpyCall) -> Lowered | None:
    """The axes in another order."""
    perm = call.node.attributes["perm"]
    if call.result.dtype == "complex64":
        return None
    return _moves(call, lambda y, x: (y, x.transpose(perm)))


@lowers("reverse")
def lower_reverse(call: NumpyCall) -> Lowered | None:
    """Steps backwards."""
    axes = normal_axes(call.node.attributes["axis"], len(call.result.shape))
    index = tuple(slice(None, None, -1 if i in axes else 1) for i in range(len(call.result.shape)))
    return _moves(call, lambda y, x: (y, x[index]))


@lowers("broadcast_to")
def lower_broadcast_to(call: NumpyCall) -> Lowered | None:
    """Along axes of length 1."""
    return _moves(call, lambda y, x: (y, np.broadcast_to(x, y.shape)))


@lowers("tile")
def lower_tile(call: NumpyCall) -> Lowered | None:
    """Each axis as one of repeats and one of values."""
    shape = call.spec(call.node.inputs[0]).shape
    counts = whole_numbers(call.node.attributes["reps"], "reps")
    split = [n for pair in zip(counts, shape, strict=True) for n in pair]
    single = [n for length in shape for n in (1, length)]

    def pair(y: np.ndarray, x: np.ndarray) -> Pair:
        return y.reshape(split), np.broadcast_to(x.reshape(single), split)

    return _moves(call, pair)


@lowers("depth_to_space")
def lower_depth_to_space(call: NumpyCall) -> Lowered | None:
    """Channels, rows and columns split up, in another order."""
    how = call.node.attributes
    size, data_format = how["block_size"], how["data_format"]
    split, order, _ = depth_blocks(call.spec(call.node.inputs[0]).shape, size, data_format)

    def pair(y: np.ndarray, x: np.ndarray) -> Pair:
        parts = x.reshape(split).transpose(order)
        return y.reshape(parts.shape), parts

    return _moves(call, pair)


@lowers("pad")
def lower_pad(call: NumpyCall) -> Lowered | None:
    """The inside, and two sides along each axis, without the corners that others have."""
    shape = call.spec(call.node.inputs[0]).shape
    sides = list(zip(shape, call.node.attributes["paddings"], strict=True))
    inside = tuple(slice(b, b + n) for n, (b, _) in sides)
    borders = [
        (*inside[:axis], end)
        for axis, (n, (before, _)) in enumerate(sides)
        for end in (slice(0, before), slice(before + n, None))
    ]
    if call.result.dtype == "string":
        return None

    def bind(views: Views) -> list[Work]:
        y, x = views[call.node.name], views[call.node.inputs[0]]
        value = np.array(call.node.attributes["constant_value"], y.dtype)
        edges = [y[border] for border in borders]
        fills = [copied(e, np.broadcast_to(value, e.shape)) for e in edges if e.size]
        return [*fills, copied(y[inside], x)]

    return with_epilogue(call, "copy", bind)


@lowers("mirror_pad")
def lower_mirror_pad(call: NumpyCall) -> Lowered | None:
    """The inside, the sides and the corners, each a part of the input in some order."""
    shape = call.spec(call.node.inputs[0]).shape
    edge = int(call.node.attributes["mode"] == "reflect")
    sides = zip(shape, call.node.attributes["paddings"], strict=True)
    axes = [_mirrored(n, before, after, edge) for n, (before, after) in sides]

    def bind(views: Views) -> list[Work]:
        y, x = views[call.node.name], views[call.node.inputs[0]]
        places = (tuple(zip(*parts, strict=True)) for parts in product(*axes))
        pairs = [(y[to], x[at]) for to, at in places]
        return [copied(to, at) for to, at in pairs if to.size]

    return with_epilogue(call, "copy", bind)


def _mirrored(length: int, before: int, after: int, edge: int) -> list[tuple[slice, slice]]:
    """Along one axis: parts of the result, and where their values are in the input."""
    start, stop = before + edge - 1, length - edge - 1
    return [
        (slice(0, before), slice(start, edge - 1 if edge else None, -1)),
        (slice(before, before + length), slice(0, length)),
        (slice(before + length, None), slice(stop, stop - after if stop >= after else None, -1)),
    ]


@lowers("concat")
def lower_concat(call: NumpyCall) -> Lowered | None:
    """Each input to its part of the result."""
    axis = normal_axis(call.node.attributes["axis"], len(call.result.shape))
    sizes = [call.spec(r).shape[axis] for r in call.node.inputs]
    indices = _axis_slices(axis, sizes)

    def bind(views: Views) -> list[Work]:
        y = views[call.node.name]
        given = zip(indices, call.node.inputs, strict=True)
        return [copied(y[index], views[r]) for index, r in given]

    return with_epilogue(call, "copy", bind)


def _axis_slices(axis: int, sizes: list[int]) -> list[tuple[Any, ...]]:
    """The index of each part of an axis."""
    ends = np.cumsum(sizes).tolist()
    cuts = (slice(end - size, end) for end, size in zip(ends, sizes, strict=True))
    return [(*(slice(None),) * axis, cut) for cut in cuts]


@lowers("stack")
def lower_stack(call: NumpyCall) -> Lowered | None:
    """Each input to its place on the new axis."""
    axis = normal_axis(call.node.attributes["axis"], len(call.result.shape))

    def bind(views: Views) -> list[Work]:
        rows = np.moveaxis(views[call.node.name], axis, 0)
        return [copied(rows[i, ...], views[r]) for i, r in enumerate(call.node.inputs)]

    return with_epilogue(call, "copy", bind)


@lowers("unstack", "split")
def lower_split(call: NumpyCall) -> Lowered | None:
    """Each part to a result of its own."""
    (source,), how = call.node.inputs, call.node.attributes
    shape = call.spec(source).shape
    axis = normal_axis(how["axis"], len(shape))
    if call.node.type == "split":
        indices = _axis_slices(axis, split_sizes(shape[axis], how["num_or_size_splits"]))
    else:
        indices = [(*(slice(None),) * axis, i, ...) for i in range(shape[axis])]
    names = results(call.node, call.program.specs)

    def bind(views: Views) -> list[Work]:
        return [copied(views[n], views[source][i]) for n, i in zip(names, indices, strict=True)]

    return with_epilogue(call, "copy", bind)
