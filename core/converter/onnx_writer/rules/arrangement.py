"""Rules of ops that arrange values: shapes, slices, joins, padding, indices."""

from collections.abc import Sequence

import numpy as np

from core.converter.onnx_writer.graph_writer import (
    GraphWriter,
    NotWrittenError,
    to_first,
    to_last,
)
from core.converter.onnx_writer.rules.rule import Rule
from core.engine.program import Step
from core.engine.specs import Shape
from core.ops.slicing import block_at, full_index, split_sizes, strided_index, taken_range

#: The end of a slice that takes an axis to its end.
_END = np.iinfo(np.int64).max

# --- shapes ---------------------------------------------------------------------------------------


def _reshape(writer: GraphWriter, step: Step) -> None:
    writer.keep(step.name, writer.reshaped(writer.flat(step.inputs[0]), writer.dims(step.name)))


def _transpose(writer: GraphWriter, step: Step) -> None:
    (x,), rank = step.inputs, writer.rank(step.inputs[0])
    perm = step.attributes["perm"]
    perm = tuple(reversed(range(rank))) if perm is None else tuple(i % rank for i in perm)
    if rank >= 3 and perm == to_first(rank) and writer.is_first(x):
        writer.keep(step.name, writer.form(x, first=True))
    elif rank >= 3 and perm == to_last(rank):  # its other form is what it is made of
        writer.keep(step.name, writer.form(x), first=True)
    else:
        writer.keep(step.name, writer.transposed(writer.form(x), perm))


def _broadcast_to(writer: GraphWriter, step: Step) -> None:
    (x,), wanted = step.inputs, writer.dims(step.name)
    have = (*(1,) * (len(wanted) - writer.rank(x)), *writer.shape(x))
    lengths = zip(have, wanted, writer.shape(step.name), strict=True)
    target = tuple(1 if before == length else dim for before, dim, length in lengths)
    writer.keep(step.name, writer.expanded(writer.form(x), target))


def _fill(writer: GraphWriter, step: Step) -> None:
    value = writer.number(step.attributes["value"], writer.dtype(step.name))
    writer.keep(step.name, writer.expanded(value, writer.dims(step.name)))


def _tile(writer: GraphWriter, step: Step) -> None:
    (x,) = step.inputs
    pairs = zip(writer.shape(step.name), writer.shape(x), strict=True)
    times = writer.integers([after // before if before else 1 for after, before in pairs])
    writer.keep(step.name, writer.node("Tile", writer.form(x), times))


# --- slices ---------------------------------------------------------------------------------------


def _sliced(writer: GraphWriter, name: str, ranges: Sequence[range], lengths: Shape) -> str:
    """Add a node that takes a range of each axis of a value of these lengths."""
    axes = [i for i, taken in enumerate(ranges) if taken != range(lengths[i])]
    if not axes:
        return name
    starts = [ranges[i].start for i in axes]
    stops = [ranges[i].stop if ranges[i].stop >= 0 else -_END for i in axes]
    steps = [ranges[i].step for i in axes]
    return writer.node("Slice", name, *map(writer.integers, (starts, stops, axes, steps)))


def _check_free(writer: GraphWriter, x: str, ranges: Sequence[range]) -> None:
    """Raise if ranges do not take all of an axis of free length."""
    each = zip(writer.dims(x), writer.shape(x), ranges, strict=True)
    if any(dim is None and taken != range(length) for dim, length, taken in each):
        raise NotWrittenError("a slice of an axis of free length")


def _slice(writer: GraphWriter, step: Step) -> None:
    at, (x,) = step.attributes, step.inputs
    begins, sizes = block_at(writer.shape(x), at["begin"], at["size"])
    ranges = [range(b, b + n) for b, n in zip(begins, sizes, strict=True)]
    _check_free(writer, x, ranges)
    name, first = writer.made(x)
    lengths = writer.shape(x)
    if first:
        order = to_first(writer.rank(x))
        ranges, lengths = [ranges[i] for i in order], tuple(lengths[i] for i in order)
    writer.keep(step.name, _sliced(writer, name, ranges, lengths), first=first)


def _strided_slice(writer: GraphWriter, step: Step) -> None:
    at, (x,) = step.attributes, step.inputs
    names = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")
    masks = tuple(int(at[name]) for name in names)
    index = strided_index(at["begin"], at["end"], at["strides"], masks)
    index = full_index(index, writer.shape(x))
    items = [item for item in index if item is not None]
    ranges = [taken_range(item, n) for item, n in zip(items, writer.shape(x), strict=True)]
    _check_free(writer, x, ranges)
    name = _sliced(writer, writer.form(x), ranges, writer.shape(x))
    if tuple(map(len, ranges)) != writer.shape(step.name):
        name = writer.reshaped(name, writer.dims(step.name))
    writer.keep(step.name, name)


def _reverse(writer: GraphWriter, step: Step) -> None:
    (x,), axis = step.inputs, step.attributes["axis"]
    rank = writer.rank(x)
    given = range(rank) if axis is None else (axis,) if isinstance(axis, int) else axis
    _reversed(writer, step, sorted({i % rank for i in given}))


def _flip_left_right(writer: GraphWriter, step: Step) -> None:
    _reversed(writer, step, [2])


def _reversed(writer: GraphWriter, step: Step, axes: Sequence[int]) -> None:
    name = writer.form(step.inputs[0])
    if axes:
        sides = ([-1] * len(axes), [-_END] * len(axes), axes, [-1] * len(axes))
        name = writer.node("Slice", name, *map(writer.integers, sides))
    writer.keep(step.name, name)


# --- joins and parts ------------------------------------------------------------------------------


def _concat(writer: GraphWriter, step: Step) -> None:
    first = any(map(writer.is_first, step.inputs))
    rank = writer.rank(step.name)
    axis = step.attributes["axis"] % rank
    if writer.dims(step.name)[axis] is None:
        raise NotWrittenError("a join along an axis of free length")
    named = [writer.form(reference, first=first) for reference in step.inputs]
    axis = to_first(rank).index(axis) if first else axis
    writer.keep(step.name, writer.node("Concat", *named, axis=axis), first=first)


def _stack(writer: GraphWriter, step: Step) -> None:
    axis = step.attributes["axis"] % writer.rank(step.name)
    at = writer.integers([axis])
    parts = [writer.node("Unsqueeze", writer.form(reference), at) for reference in step.inputs]
    writer.keep(step.name, writer.node("Concat", *parts, axis=axis))


def _unstack(writer: GraphWriter, step: Step) -> None:
    (x,) = step.inputs
    axis = step.attributes["axis"] % writer.rank(x)
    at = writer.integers([axis])
    count = len(step.outputs)
    for reference, part in zip(step.outputs, _parts(writer, x, axis, [1] * count), strict=True):
        writer.keep(reference, writer.node("Squeeze", part, at))


def _split(writer: GraphWriter, step: Step) -> None:
    (x,), at = step.inputs, step.attributes
    axis = at["axis"] % writer.rank(x)
    sizes = split_sizes(writer.shape(x)[axis], at["num_or_size_splits"])
    for reference, part in zip(step.outputs, _parts(writer, x, axis, sizes), strict=True):
        writer.keep(reference, part)


def _parts(writer: GraphWriter, x: str, axis: int, sizes: Sequence[int]) -> list[str]:
    """Add a node that cuts a value along an axis."""
    if writer.dims(x)[axis] is None:
        raise NotWrittenError("a cut along an axis of free length")
    lengths = writer.integers(sizes)
    return writer.node_of_several(len(sizes), "Split", writer.form(x), lengths, axis=axis)


# --- padding and blocks ---------------------------------------------------------------------------


def _pad(writer: GraphWriter, step: Step) -> None:
    (x,) = step.inputs
    value = writer.number(step.attributes["constant_value"], writer.dtype(x))
    _padded(writer, step, "constant", value)


def _mirror_pad(writer: GraphWriter, step: Step) -> None:
    if step.attributes["mode"] != "reflect":
        raise NotWrittenError("mirror_pad with mode='symmetric'")
    _padded(writer, step, "reflect")


def _padded(writer: GraphWriter, step: Step, mode: str, *value: str) -> None:
    (x,) = step.inputs
    name, first = writer.made(x)
    pads = step.attributes["paddings"]
    pads = [pads[i] for i in to_first(writer.rank(x))] if first else pads
    sides = writer.integers(np.array(pads, np.int64).reshape(-1, 2).T.ravel().tolist())
    writer.keep(step.name, writer.node("Pad", name, sides, *value, mode=mode), first=first)


def _space_to_batch(writer: GraphWriter, step: Step) -> None:
    """Write the move of blocks to the batch as padding, a reshape, a transposition, a reshape."""
    (x,), at = step.inputs, step.attributes
    blocks, count = [int(n) for n in at["block_shape"]], len(at["block_shape"])
    rank, dims = writer.rank(x), writer.dims(x)
    pads = np.zeros((rank, 2), np.int64)
    pads[1 : count + 1] = at["paddings"]
    name = writer.form(x)
    if pads.any():
        zero = writer.number(0, writer.dtype(x))
        name = writer.node("Pad", name, writer.integers(pads.T.ravel().tolist()), zero)
    padded = [n + sum(p) for n, p in zip(writer.shape(x), pads.tolist(), strict=True)]
    pairs = [(n // b, b) for n, b in zip(padded[1:], blocks, strict=False)]
    name = writer.reshaped(name, (dims[0], *(n for p in pairs for n in p), *dims[count + 1 :]))
    inner = [2 + 2 * i for i in range(count)]
    outer = [1 + 2 * i for i in range(count)]
    rest = range(2 * count + 1, rank + count)
    name = writer.transposed(name, (*inner, 0, *outer, *rest))
    writer.keep(step.name, writer.reshaped(name, writer.dims(step.name)))


def _batch_to_space(writer: GraphWriter, step: Step) -> None:
    """Write the move of blocks from the batch as a reshape, a transposition, a reshape, a slice."""
    (x,), at = step.inputs, step.attributes
    blocks, count = [int(n) for n in at["block_shape"]], len(at["block_shape"])
    rank, dims = writer.rank(x), writer.dims(x)
    batch = writer.dims(step.name)[0]
    name = writer.reshaped(writer.form(x), (*blocks, batch, *dims[1:]))
    pairs = [axis for i in range(count) for axis in (count + 1 + i, i)]
    name = writer.transposed(name, (count, *pairs, *range(2 * count + 1, rank + count)))
    large = [n * b for n, b in zip(writer.shape(x)[1:], blocks, strict=False)]
    name = writer.reshaped(name, (batch, *large, *dims[count + 1 :]))
    crops = [(0, 0), *at["crops"], *[(0, 0)] * (rank - count - 1)]
    made = writer.shape(step.name)
    ranges = [range(c[0], c[0] + n) for c, n in zip(crops, made, strict=True)]
    whole = (made[0], *large, *writer.shape(x)[count + 1 :])
    writer.keep(step.name, _sliced(writer, name, ranges, whole))


# --- indices --------------------------------------------------------------------------------------


def _gather(writer: GraphWriter, step: Step) -> None:
    x, indices = step.inputs
    axis, batch = step.attributes["axis"] % writer.rank(x), step.attributes["batch_dims"]
    batch = batch % max(writer.rank(indices), 1) if batch < 0 else batch
    if not batch:
        name = writer.node("Gather", writer.form(x), writer.form(indices), axis=axis)
    elif axis == batch:
        at = writer.node("Unsqueeze", writer.form(indices), writer.integers([-1]))
        name = writer.node("GatherND", writer.form(x), writer.cast(at, "int64"), batch_dims=batch)
    else:
        raise NotWrittenError("gather with an axis behind that after batch_dims")
    writer.keep(step.name, name)


def _gather_nd(writer: GraphWriter, step: Step) -> None:
    x, indices = (writer.form(reference) for reference in step.inputs)
    writer.keep(step.name, writer.node("GatherND", x, writer.cast(indices, "int64")))


def _tensor_scatter_update(writer: GraphWriter, step: Step) -> None:
    x, indices, updates = (writer.form(reference) for reference in step.inputs)
    if writer.rank(step.inputs[1]) == 1:  # positions on the first axis
        indices = writer.node("Unsqueeze", indices, writer.integers([-1]))
    name = writer.node("ScatterND", x, writer.cast(indices, "int64"), updates)
    writer.keep(step.name, name)


def _one_hot(writer: GraphWriter, step: Step) -> None:
    """Write a comparison with each index: ONNX's OneHot counts negative ones from the end."""
    at, (indices,) = step.attributes, step.inputs
    dtype = writer.dtype(step.name)
    wide = writer.node("Unsqueeze", writer.form(indices), writer.integers([-1]))
    found = writer.node("Equal", wide, writer.constant(np.arange(at["depth"], dtype=np.int32)))
    inner = "int32" if dtype == "bool" else dtype
    values = [writer.number(at[name], inner) for name in ("on_value", "off_value")]
    name = writer.node("Where", found, *values)
    writer.keep(step.name, writer.cast(name, dtype) if inner != dtype else name)


RULES: dict[str, Rule] = {
    "batch_to_space_nd": _batch_to_space,
    "broadcast_to": _broadcast_to,
    "concat": _concat,
    "expand_dims": _reshape,
    "fill": _fill,
    "flip_left_right": _flip_left_right,
    "gather": _gather,
    "gather_nd": _gather_nd,
    "mirror_pad": _mirror_pad,
    "one_hot": _one_hot,
    "pad": _pad,
    "reshape": _reshape,
    "reverse": _reverse,
    "slice": _slice,
    "space_to_batch_nd": _space_to_batch,
    "split": _split,
    "stack": _stack,
    "strided_slice": _strided_slice,
    "tensor_scatter_update": _tensor_scatter_update,
    "tile": _tile,
    "transpose": _transpose,
    "unstack": _unstack,
}
