"""Functions between layers that select values, or split a tensor.

Source: ``keras.ops`` of Keras 3.
"""

from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np

from core.graph.nodes import DataType
from core.layers.layer_call import LayerCall, Value
from core.layers.layer_config import MOST
from core.layers.lowering.common_nodes import as_float, cast, transpose
from core.layers.lowering.merging import operand, operands_of
from core.layers.lowering.rows import LayerType


def axis_of(call: LayerCall, rank: int, name: str = "axis", default: int = 0) -> int:
    """Return one axis that an option names, counted from the first."""
    return call.options.axis(name, rank, default)


def integers_of(call: LayerCall, name: str, least: int) -> tuple[int, ...]:
    """Return the integers of an option in the order of the file."""
    given = call.options.get(name)
    count = len(given) if isinstance(given, (list, tuple)) else 1
    return call.options.integers(name, count, least=least) if count else ()


def with_length(call: LayerCall, x: Value, axis: int, n: int | None) -> tuple[int | None, ...]:
    """Return the shape of a value with another length of one axis."""
    lengths = list(call.shape(x))
    lengths[axis] = n
    return tuple(lengths)


def _split(call: LayerCall, x: Value) -> list[Value]:
    rank = len(call.shape(x))
    axis, given = axis_of(call, rank), call.options.get("indices_or_sections")
    total = call.length(x, axis)
    if isinstance(given, list):
        places = integers_of(call, "indices_or_sections", 0)
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
    shapes = [with_length(call, x, axis, size) for size in sizes]
    inputs = [x, call.ints(*sizes), call.integer(axis)]
    first = call.node("SplitV", inputs, {"num_split": len(sizes)}, shapes[0], x.dtype)
    return call.outputs(first, shapes)


def _take(call: LayerCall, *values: Value) -> Value:
    found = operands_of(call, values, "x", "indices")
    if len(found) != 2 or not isinstance(found[0], Value):
        raise call.error(f"takes a tensor and indices, got {len(found)}")
    x, indices = found[0], cast(call, operand(call, found[1]), "int32")
    if call.options.get("axis") is None:
        x, axis = raveled(call, x), 0
    else:
        axis = axis_of(call, len(call.shape(x)))
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
        limit = MOST if n is None else n
        if not -limit <= entry < limit:
            raise call.error(f"the index {entry} is outside of an axis of length {limit}")
        return (entry, entry + 1, 1), ["shrink_axis_mask"], []
    start, stop, step = _bounds(call, entry)
    marks = ["begin_mask"] * (start is None) + ["end_mask"] * (stop is None)
    length = None if n is None else len(range(*slice(start, stop, step).indices(n)))
    return (start or 0, stop or 0, step or 1), marks, [length]


def _bounds(call: LayerCall, entry: Any) -> tuple[int | None, int | None, int | None]:
    """Return start, stop and step of a slice that Keras 3 wrote."""
    config = entry.get("config") if _class_of(entry) == "__slice__" else None
    parts = [config.get(k) for k in ("start", "stop", "step")] if isinstance(config, dict) else [0]
    known = [part for part in parts if part is not None]
    if not all(isinstance(n, int) and -MOST <= n <= MOST for n in known) or parts[-1] == 0:
        raise call.error(f"the key has {entry!r:.80}: expected an integer or a slice")
    return parts[0], parts[1], parts[2]


def _one_hot(call: LayerCall, x: Value) -> Value:
    count, lengths = call.options.integer("num_classes"), call.shape(x)
    rank = len(lengths) + 1
    axis = axis_of(call, rank, default=-1)
    inputs = [cast(call, x, "int32"), call.integer(count), call.number(1.0), call.number(0.0)]
    attributes = {"axis": -1, "T": DataType("DT_FLOAT")}
    y = call.node("OneHot", inputs, attributes, (*lengths, count), "float32")
    return transpose(call, y, [*range(axis), rank - 1, *range(axis, rank - 1)])


def _top_k(call: LayerCall, x: Value) -> list[Value]:
    x, k = as_float(call, x), call.options.integer("k")
    shape = with_length(call, x, len(call.shape(x)) - 1, k)
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


def raveled(call: LayerCall, x: Value) -> Value:
    """Return all values in a row."""
    lengths = call.shape(x)
    size = None if None in lengths else prod(n for n in lengths if n is not None)
    return call.node("Reshape", [x, call.ints(-1)], {}, (size,))


LAYER_TYPES: dict[str, Any] = {
    "ops.split": LayerType(_split, keeps_mask=False),
    "ops.take": LayerType(_take, keeps_mask=False),
    "ops.getitem": LayerType(_get_item, keeps_mask=False),
    "ops.onehot": LayerType(_one_hot, keeps_mask=False),
    "ops.topk": LayerType(_top_k, keeps_mask=False),
    "ops.tril": _triangle(lower=True),
    "ops.triu": _triangle(lower=False),
}
