"""Functions between layers that move, join, select and repeat values.

Source: ``keras.ops`` of Keras 3.
"""

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from core.graph.nodes import DataType
from core.layers.layer_call import LayerCall, Value
from core.layers.lowering.common_nodes import (
    as_float,
    broadcast,
    cast,
    concat,
    expand,
    pack,
    padded,
    reshape_like,
    squeeze,
    transpose,
)
from core.layers.lowering.merging import of_one_dtype, operand, operands_of
from core.layers.lowering.rows import LayerType


def _axis(call: LayerCall, rank: int, name: str = "axis", default: int = 0) -> int:
    return call.options.axis(name, rank, default)


def _integers(call: LayerCall, name: str, least: int) -> tuple[int, ...]:
    """Return the integers of an option in the order of the file."""
    given = call.options.get(name)
    count = len(given) if isinstance(given, (list, tuple)) else 1
    return call.options.integers(name, count, least=least) if count else ()


def _reshape(call: LayerCall, x: Value) -> Value:
    target = _integers(call, "newshape", -1)
    if target.count(-1) > 1:
        raise call.options.error("newshape", "lengths, one of which may be -1")
    lengths = call.shape(x)
    size = None if None in lengths else prod(n for n in lengths if n is not None)
    others = prod(n for n in target if n != -1)
    if size is not None and (size % others if others and -1 in target else size != others):
        raise call.error(f"cannot reshape {lengths} to {target}")
    free = None if size is None else size // max(others, 1)
    shape = tuple(free if n == -1 else n for n in target)
    return call.node("Reshape", [x, call.ints(*target)], {}, shape)


def _ravel(call: LayerCall, x: Value) -> Value:
    lengths = call.shape(x)
    size = None if None in lengths else prod(n for n in lengths if n is not None)
    return call.node("Reshape", [x, call.ints(-1)], {}, (size,))


def _transpose(call: LayerCall, x: Value) -> Value:
    rank = len(call.shape(x))
    order = list(range(rank))[::-1]
    if call.options.get("axes") is not None:
        order = [axis + rank if axis < 0 else axis for axis in _integers(call, "axes", -rank)]
    if sorted(order) != list(range(rank)):
        raise call.options.error("axes", f"the axes of a tensor of {rank} axes in some order")
    return transpose(call, x, order)


def _swap_axes(call: LayerCall, x: Value) -> Value:
    order = list(range(len(call.shape(x))))
    i, j = (_axis(call, len(order), name) for name in ("axis1", "axis2"))
    order[i], order[j] = order[j], order[i]
    return transpose(call, x, order)


def _move_axis(call: LayerCall, x: Value) -> Value:
    rank = len(call.shape(x))
    origin, place = (_listed_axes(call, name, rank) for name in ("source", "destination"))
    if len(origin) != len(place):
        raise call.options.error("destination", f"{len(origin)} axes")
    order = [axis for axis in range(rank) if axis not in origin]
    for to, axis in sorted(zip(place, origin, strict=True)):
        order.insert(to, axis)
    return transpose(call, x, order)


def _listed_axes(call: LayerCall, name: str, rank: int) -> list[int]:
    """Return axes in the order in which the file lists them."""
    found = _integers(call, name, -rank)
    if not all(n < rank for n in found):
        raise call.options.error(name, f"axes of a tensor of {rank} axes")
    return [n % rank for n in found]


def _expand_dims(call: LayerCall, x: Value) -> Value:
    given = call.options.get("axis")
    count = len(given) if isinstance(given, (list, tuple)) else 1
    for axis in call.options.axes("axis", len(call.shape(x)) + count, 0):
        x = expand(call, x, axis)
    return x


def _squeeze(call: LayerCall, x: Value) -> Value:
    lengths = call.shape(x)
    axes: Sequence[int] = [i for i, n in enumerate(lengths) if n == 1]
    if call.options.get("axis") is not None:
        axes = call.options.axes("axis", len(lengths), 0)
    for axis in reversed(axes):
        x = squeeze(call, x, axis)
    return x


def _concatenate(call: LayerCall, *values: Value) -> Value:
    found = of_one_dtype(call, operands_of(call, values))
    return concat(call, found, _axis(call, len(call.shape(found[0])), default=-1))


def _stack(call: LayerCall, *values: Value) -> Value:
    found = of_one_dtype(call, operands_of(call, values))
    shapes = {call.shape(value) for value in found}
    if len({len(shape) for shape in shapes}) > 1:
        raise call.error(f"cannot stack shapes {sorted(shapes, key=len)}")
    return pack(call, found, _axis(call, len(call.shape(found[0])) + 1))


def _split(call: LayerCall, x: Value) -> list[Value]:
    rank = len(call.shape(x))
    axis, given = _axis(call, rank), call.options.get("indices_or_sections")
    total = call.length(x, axis)
    if isinstance(given, list):
        places = _integers(call, "indices_or_sections", 0)
        edges = [0, *(min(n, total) for n in places), total]
    else:
        count = call.options.integer("indices_or_sections")
        if total % count or not total:
            raise call.options.error("indices_or_sections", f"a divisor of {total}, or places")
        edges = list(range(0, total + 1, total // count))
    sizes = [b - a for a, b in zip(edges, edges[1:], strict=False)]
    if min(sizes) < 0:
        raise call.options.error("indices_or_sections", "places in rising order")
    call.check_count(len(sizes))
    shapes = [_with_length(call, x, axis, size) for size in sizes]
    inputs = [x, call.ints(*sizes), call.integer(axis)]
    first = call.node("SplitV", inputs, {"num_split": len(sizes)}, shapes[0], x.dtype)
    return call.outputs(first, shapes)


def _with_length(call: LayerCall, x: Value, axis: int, n: int | None) -> tuple[int | None, ...]:
    """Return the shape of a value with another length of one axis."""
    lengths = list(call.shape(x))
    lengths[axis] = n
    return tuple(lengths)


def _take(call: LayerCall, *values: Value) -> Value:
    found = operands_of(call, values, "x", "indices")
    if len(found) != 2 or not isinstance(found[0], Value):
        raise call.error(f"takes a tensor and indices, got {len(found)}")
    x, indices = found[0], cast(call, operand(call, found[1]), "int32")
    if call.options.get("axis") is None:
        x, axis = _ravel(call, x), 0
    else:
        axis = _axis(call, len(call.shape(x)))
    indices = _not_negative(call, x, axis, found[1], indices)
    lengths = call.shape(x)
    shape = (*lengths[:axis], *call.shape(indices), *lengths[axis + 1 :])
    return call.node("GatherV2", [x, indices, call.integer(axis)], {"batch_dims": 0}, shape)


def _not_negative(call: LayerCall, x: Value, axis: int, given: Any, indices: Value) -> Value:
    """Count indices that are known from the start of the axis."""
    if isinstance(given, Value):
        return indices
    array = np.asarray(given)
    if array.dtype.kind in "iu" and array.size and array.min() < 0:
        array = np.where(array < 0, array + call.length(x, axis), array).astype(np.int32)
        return call.constant(array, "indices")
    return indices


def _get_item(call: LayerCall, *values: Value) -> Value:
    """Select by integers, slices, new axes and the dots, as Python's ``x[key]`` does."""
    found = operands_of(call, values, "x", "key")
    if len(found) != 2 or not isinstance(found[0], Value):
        raise call.error("takes a tensor, and integers or slices as its key")
    x, key = found
    entries = _all_entries(call, x, list(key) if isinstance(key, (list, tuple)) else [key])
    begin, end, step, lengths = list[int](), list[int](), list[int](), list[int | None]()
    masks = {"begin_mask": 0, "end_mask": 0, "shrink_axis_mask": 0, "new_axis_mask": 0}
    rest = list(call.shape(x))
    for i, entry in enumerate(entries):
        row, marks, length = _slice_of(call, entry, rest)
        for place, value in zip((begin, end, step), row, strict=True):
            place.append(value)
        for name in marks:
            masks[name] |= 1 << i
        lengths += length
    inputs = [x, call.ints(*begin), call.ints(*end), call.ints(*step)]
    return call.node("StridedSlice", inputs, masks, tuple(lengths))


def _all_entries(call: LayerCall, x: Value, key: list[Any]) -> list[Any]:
    """Return the entries of a key for all axes, with whole slices in place of the dots."""
    dots = [i for i, entry in enumerate(key) if _class_of(entry) == "__ellipsis__"]
    count = sum(entry is not None for entry in key) - len(dots)
    missing = len(call.shape(x)) - count
    if missing < 0 or len(dots) > 1:
        raise call.error(f"the key {key!r:.80} does not fit a tensor of shape {x.shape}")
    whole: list[Any] = [{"class_name": "__slice__", "config": {}}] * missing
    place = dots[0] if dots else len(key)
    return [*key[:place], *whole, *key[place + 1 :]]


def _class_of(entry: Any) -> str:
    return str(entry.get("class_name")) if isinstance(entry, Mapping) else ""


def _slice_of(
    call: LayerCall, entry: Any, rest: list[int | None]
) -> tuple[tuple[int, int, int], list[str], list[int | None]]:
    """Return begin, end and step of an entry, its masks, and the lengths that it gives.

    Args:
        call: call of the function.
        entry: an entry of the key.
        rest: lengths of the axes from the entry's on; the entry's is removed.
    """
    if entry is None:
        return (0, 0, 1), ["new_axis_mask"], [1]
    n = rest.pop(0)
    if isinstance(entry, int) and not isinstance(entry, bool):
        if n is not None and not -n <= entry < n:
            raise call.error(f"the index {entry} is outside of an axis of length {n}")
        return (entry, entry + 1, 1), ["shrink_axis_mask"], []
    start, stop, step = _bounds(call, entry)
    marks = ["begin_mask"] * (start is None) + ["end_mask"] * (stop is None)
    length = None if n is None else len(range(*slice(start, stop, step).indices(n)))
    return (start or 0, stop or 0, step or 1), marks, [length]


def _bounds(call: LayerCall, entry: Any) -> tuple[int | None, int | None, int | None]:
    """Return start, stop and step of a slice that Keras 3 wrote."""
    config = entry.get("config") if _class_of(entry) == "__slice__" else None
    parts = [config.get(k) for k in ("start", "stop", "step")] if isinstance(config, dict) else [0]
    if not all(part is None or isinstance(part, int) for part in parts) or parts[-1] == 0:
        raise call.error(f"the key has {entry!r:.80}: expected an integer or a slice")
    return parts[0], parts[1], parts[2]


def _flip(call: LayerCall, x: Value) -> Value:
    rank = len(call.shape(x))
    axes: Sequence[int] = range(rank)
    if call.options.get("axis") is not None:
        axes = call.options.axes("axis", rank, 0)
    return call.node("ReverseV2", [x, call.ints(*axes)])


def _roll(call: LayerCall, x: Value) -> Value:
    shift = call.options.integer("shift", least=-(2**31))
    if call.options.get("axis") is None:
        raise call.error("over all values in a row is not supported: give axis")
    axis = _axis(call, len(call.shape(x)))
    n = call.length(x, axis)
    shift %= max(n, 1)
    if not shift:
        return x
    shapes = [_with_length(call, x, axis, size) for size in (n - shift, shift)]
    inputs = [x, call.ints(n - shift, shift), call.integer(axis)]
    first = call.node("SplitV", inputs, {"num_split": 2}, shapes[0], x.dtype)
    return concat(call, call.outputs(first, shapes)[::-1], axis)


def _tile(call: LayerCall, x: Value) -> Value:
    counts = list(_integers(call, "repeats", 0))
    for _ in range(len(counts) - len(call.shape(x))):
        x = expand(call, x, 0)
    counts = [1] * (len(call.shape(x)) - len(counts)) + counts
    shape = tuple(
        None if n is None else n * count for n, count in zip(call.shape(x), counts, strict=True)
    )
    return call.node("Tile", [x, call.ints(*counts)], {}, shape)


def repeated(call: LayerCall, x: Value, axis: int, count: int) -> Value:
    """Repeat each row along an axis of known length."""
    if count == 1:
        return x
    shape, n = call.shape(x), call.length(x, axis)
    counts = [1] * (len(shape) + 1)
    counts[axis + 1] = count
    tiled = (*shape[: axis + 1], count, *shape[axis + 1 :])
    rows = call.node("Tile", [expand(call, x, axis + 1), call.ints(*counts)], {}, tiled)
    result = (*shape[:axis], n * count, *shape[axis + 1 :])
    return reshape_like(call, rows, result, x)


def _repeat(call: LayerCall, x: Value) -> Value:
    if call.options.get("axis") is None:
        raise call.error("over all values in a row is not supported: give axis")
    axis = _axis(call, len(call.shape(x)))
    return repeated(call, x, axis, call.options.integer("repeats"))


def _pad(call: LayerCall, x: Value) -> Value:
    rank = len(call.shape(x))
    mode = call.options.choice("mode", ("constant", "reflect", "symmetric"), "constant")
    value = call.keywords.get("constant_values") or 0
    if not isinstance(value, (int, float)):
        raise call.error(f"constant_values must be a number, got {value!r:.80}")
    edges = call.options.edges("pad_width", rank, 0)
    if mode == "constant":
        return padded(call, as_float(call, x), edges, float(value))
    shape = tuple(
        None if n is None else n + a + b for n, (a, b) in zip(call.shape(x), edges, strict=True)
    )
    rows = call.constant(np.array(edges, np.int32), "paddings")
    return call.node("MirrorPad", [x, rows], {"mode": mode.upper()}, shape)


def _broadcast_to(call: LayerCall, x: Value) -> Value:
    shape, own = _integers(call, "shape", 0), call.shape(x)
    if broadcast(call, own, shape) != shape:
        raise call.error(f"cannot broadcast {own} to {shape}")
    return call.node("BroadcastTo", [x, call.ints(*shape)], {}, shape)


def _one_hot(call: LayerCall, x: Value) -> Value:
    count, lengths = call.options.integer("num_classes"), call.shape(x)
    rank = len(lengths) + 1
    axis = _axis(call, rank, default=-1)
    inputs = [cast(call, x, "int32"), call.integer(count), call.number(1.0), call.number(0.0)]
    attributes = {"axis": -1, "T": DataType("DT_FLOAT")}
    y = call.node("OneHot", inputs, attributes, (*lengths, count), "float32")
    return transpose(call, y, [*range(axis), rank - 1, *range(axis, rank - 1)])


def _top_k(call: LayerCall, x: Value) -> list[Value]:
    x, k = as_float(call, x), call.options.integer("k")
    shape = _with_length(call, x, len(call.shape(x)) - 1, k)
    first = call.node("TopKV2", [x, call.integer(k)], {"sorted": True}, shape)
    values, places = call.outputs(first, [shape, shape])
    return [values, places._replace(dtype="int32")]


def _triangle(lower: bool) -> LayerType:
    def lowered(call: LayerCall, x: Value) -> Value:
        k, rank = call.options.integer("k", 0, least=-(2**31)), len(call.shape(x))
        if rank < 2 or (k < 0) == lower and k:
            raise call.options.error("k", "0, or a diagonal that is kept together with it")
        sides = (-1, k) if lower else (-k, -1)
        return call.node("MatrixBandPart", [x, *map(call.integer, sides)])

    return LayerType(lowered, keeps_mask=False)


LAYER_TYPES: dict[str, Any] = {
    "ops.reshape": LayerType(_reshape, keeps_mask=False),
    "ops.ravel": LayerType(_ravel, keeps_mask=False),
    "ops.transpose": LayerType(_transpose, keeps_mask=False),
    "ops.swapaxes": LayerType(_swap_axes, keeps_mask=False),
    "ops.moveaxis": LayerType(_move_axis, keeps_mask=False),
    "ops.expanddims": LayerType(_expand_dims, keeps_mask=False),
    "ops.squeeze": LayerType(_squeeze, keeps_mask=False),
    "ops.concatenate": LayerType(_concatenate, keeps_mask=False),
    "ops.stack": LayerType(_stack, keeps_mask=False),
    "ops.split": LayerType(_split, keeps_mask=False),
    "ops.take": LayerType(_take, keeps_mask=False),
    "ops.getitem": LayerType(_get_item, keeps_mask=False),
    "ops.flip": LayerType(_flip, keeps_mask=False),
    "ops.roll": LayerType(_roll, keeps_mask=False),
    "ops.tile": LayerType(_tile, keeps_mask=False),
    "ops.repeat": LayerType(_repeat, keeps_mask=False),
    "ops.pad": LayerType(_pad, keeps_mask=False),
    "ops.broadcastto": LayerType(_broadcast_to, keeps_mask=False),
    "ops.onehot": LayerType(_one_hot, keeps_mask=False),
    "ops.topk": LayerType(_top_k, keeps_mask=False),
    "ops.tril": _triangle(lower=True),
    "ops.triu": _triangle(lower=False),
}
