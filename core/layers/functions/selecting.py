"""Functions between layers that select values, or split a tensor.

Source: ``keras.ops`` of Keras 3.
"""

from collections.abc import Callable, Mapping
from math import prod
from typing import Any

import numpy as np

from core.layers.common_ops import as_float, cast, of_shape, transpose
from core.layers.layer_call import LayerCall, Operand, is_operand
from core.layers.layer_config import MOST
from core.layers.operands import operand, operands_of


def axis_of(call: LayerCall, rank: int, name: str = "axis", default: int = 0) -> int:
    """Return one axis that an option names, counted from the first."""
    return call.options.axis(name, rank, default)


def integers_of(call: LayerCall, name: str, least: int) -> tuple[int, ...]:
    """Return the integers of an option in the order of the file."""
    given = call.options.get(name)
    count = len(given) if isinstance(given, (list, tuple)) else 1
    return call.options.integers(name, count, least=least) if count else ()


def _split(call: LayerCall, x: Operand) -> list[Any]:
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
    parts: list[Any] = call.ops.split(x, num_or_size_splits=tuple(sizes), axis=axis)
    return parts


def _take(call: LayerCall, *values: Operand) -> Any:
    found = operands_of(call, values, "x", "indices")
    if len(found) != 2 or not is_operand(found[0]):
        raise call.error(f"takes a tensor and indices, got {len(found)}")
    x, indices = found[0], cast(call, operand(call, found[1]), "int32")
    if call.options.get("axis") is None:
        x, axis = raveled(call, x), 0
    else:
        axis = axis_of(call, len(call.shape(x)))
    indices = _not_negative(call, x, axis, found[1], indices)
    return call.ops.gather(x, indices, axis=axis)


def _not_negative(call: LayerCall, x: Operand, axis: int, given: Any, indices: Operand) -> Any:
    """Count indices that are known from the start of the axis."""
    if is_operand(given):
        return indices
    array = np.asarray(given)
    if array.dtype.kind in "iu" and array.size and array.min() < 0:
        array = np.where(array < 0, array + call.length(x, axis), array).astype(np.int32)
        return call.constant(array, "indices")
    return indices


def _get_item(call: LayerCall, *values: Operand) -> Any:
    """Select by integers, slices, new axes and the dots, as Python's ``x[key]`` does."""
    found = operands_of(call, values, "x", "key")
    if len(found) != 2 or not is_operand(found[0]):
        raise call.error("takes a tensor, and integers or slices as its key")
    x, key = found
    entries = _all_entries(call, x, list(key) if isinstance(key, (list, tuple)) else [key])
    begin, end, step = list[int](), list[int](), list[int]()
    masks = {"begin_mask": 0, "end_mask": 0, "shrink_axis_mask": 0, "new_axis_mask": 0}
    rest = list(call.shape(x))
    for i, entry in enumerate(entries):
        row, marks = _slice_of(call, entry, rest)
        for place, value in zip((begin, end, step), row, strict=True):
            place.append(value)
        for name in marks:
            masks[name] |= 1 << i
    bounds = {"begin": tuple(begin), "end": tuple(end), "strides": tuple(step)}
    return call.ops.strided_slice(x, **bounds, **masks)


def _all_entries(call: LayerCall, x: Operand, key: list[Any]) -> list[Any]:
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
) -> tuple[tuple[int, int, int], list[str]]:
    """Return begin, end and step of an entry, and its masks.

    Args:
        call: call of the function.
        entry: an entry of the key.
        rest: lengths of the axes from the entry's on; the entry's is removed.
    """
    if entry is None:
        return (0, 0, 1), ["new_axis_mask"]
    n = rest.pop(0)
    if isinstance(entry, int) and not isinstance(entry, bool):
        limit = MOST if n is None else n
        if not -limit <= entry < limit:
            raise call.error(f"the index {entry} is outside of an axis of length {limit}")
        return (entry, entry + 1, 1), ["shrink_axis_mask"]
    start, stop, step = _bounds(call, entry)
    marks = ["begin_mask"] * (start is None) + ["end_mask"] * (stop is None)
    return (start or 0, stop or 0, step or 1), marks


def _bounds(call: LayerCall, entry: Any) -> tuple[int | None, int | None, int | None]:
    """Return start, stop and step of a slice that Keras 3 wrote."""
    config = entry.get("config") if _class_of(entry) == "__slice__" else None
    parts = [config.get(k) for k in ("start", "stop", "step")] if isinstance(config, dict) else [0]
    known = [part for part in parts if part is not None]
    if not all(isinstance(n, int) and -MOST <= n <= MOST for n in known) or parts[-1] == 0:
        raise call.error(f"the key has {entry!r:.80}: expected an integer or a slice")
    return parts[0], parts[1], parts[2]


def _one_hot(call: LayerCall, x: Operand) -> Any:
    count, lengths = call.options.integer("num_classes"), call.shape(x)
    rank = len(lengths) + 1
    axis = axis_of(call, rank, default=-1)
    indices = cast(call, x, "int32")
    y = call.ops.one_hot(indices, depth=count, on_value=1.0, off_value=0.0, dtype="float32")
    return transpose(call, y, [*range(axis), rank - 1, *range(axis, rank - 1)])


def _top_k(call: LayerCall, x: Operand) -> list[Any]:
    x, k = as_float(call, x), call.options.integer("k")
    return [*call.ops.topk(x, k=k)]


def _triangle(lower: bool) -> Callable[..., Any]:
    def compute(call: LayerCall, x: Operand) -> Any:
        k, rank = call.options.integer("k", 0, least=-(2**31)), len(call.shape(x))
        if rank < 2 or (k < 0) == lower and k:
            raise call.options.error("k", "0, or a diagonal that is kept together with it")
        sides = (-1, k) if lower else (-k, -1)
        return call.ops.band_part(x, *sides)

    return compute


def raveled(call: LayerCall, x: Operand) -> Any:
    """Return all values in a row."""
    lengths = call.shape(x)
    size = None if None in lengths else prod(n for n in lengths if n is not None)
    return of_shape(call, call.ops.reshape(x, shape=(-1,)), (size,))


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "split": _split,
    "take": _take,
    "getitem": _get_item,
    "onehot": _one_hot,
    "topk": _top_k,
    "tril": _triangle(lower=True),
    "triu": _triangle(lower=False),
}
