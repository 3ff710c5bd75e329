"""Functions between layers that move, join and repeat values.

Source: ``keras.ops`` of Keras 3.
"""

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from core.layers.common_ops import (
    as_float,
    concat,
    expand,
    of_shape,
    padded,
    repeated,
    transpose,
)
from core.layers.functions.selecting import axis_of, integers_of, raveled
from core.layers.layer_call import LayerCall, Operand
from core.layers.op_shapes import broadcast
from core.layers.operands import of_one_dtype, operands_of


def _reshape(call: LayerCall, x: Operand) -> Any:
    target = integers_of(call, "newshape", -1)
    if target.count(-1) > 1:
        raise call.options.error("newshape", "lengths, one of which may be -1")
    lengths = call.shape(x)
    size = None if None in lengths else prod(n for n in lengths if n is not None)
    others = prod(n for n in target if n != -1)
    if size is not None and (size % others if others and -1 in target else size != others):
        raise call.error(f"cannot reshape {lengths} to {target}")
    free = None if size is None else size // max(others, 1)
    shape = tuple(free if n == -1 else n for n in target)
    return of_shape(call, call.ops.reshape(x, shape=tuple(target)), shape)


def _transpose(call: LayerCall, x: Operand) -> Any:
    rank = len(call.shape(x))
    order = list(range(rank))[::-1]
    if call.options.get("axes") is not None:
        order = [axis + rank if axis < 0 else axis for axis in integers_of(call, "axes", -rank)]
    if sorted(order) != list(range(rank)):
        raise call.options.error("axes", f"the axes of a tensor of {rank} axes in some order")
    return transpose(call, x, order)


def _swap_axes(call: LayerCall, x: Operand) -> Any:
    order = list(range(len(call.shape(x))))
    i, j = (axis_of(call, len(order), name) for name in ("axis1", "axis2"))
    order[i], order[j] = order[j], order[i]
    return transpose(call, x, order)


def _move_axis(call: LayerCall, x: Operand) -> Any:
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
    found = integers_of(call, name, -rank)
    if not all(n < rank for n in found):
        raise call.options.error(name, f"axes of a tensor of {rank} axes")
    return [n % rank for n in found]


def _expand_dims(call: LayerCall, x: Operand) -> Any:
    given = call.options.get("axis")
    count = len(given) if isinstance(given, (list, tuple)) else 1
    for axis in call.options.axes("axis", len(call.shape(x)) + count, 0):
        x = expand(call, x, axis)
    return x


def _squeeze(call: LayerCall, x: Operand) -> Any:
    lengths = call.shape(x)
    axes: Sequence[int] = [i for i, n in enumerate(lengths) if n == 1]
    if call.options.get("axis") is not None:
        axes = call.options.axes("axis", len(lengths), 0)
    for axis in reversed(axes):
        x = call.ops.squeeze(x, axis=(axis,))
    return x


def _several(call: LayerCall, values: Sequence[Operand]) -> list[Any]:
    """Return the operands of a function of several tensors, in one dtype."""
    found = of_one_dtype(call, operands_of(call, values))
    if not found:
        raise call.error("is called on nothing")
    return found


def _concatenate(call: LayerCall, *values: Operand) -> Any:
    found = _several(call, values)
    return concat(call, found, axis_of(call, len(call.shape(found[0])), default=-1))


def _stack(call: LayerCall, *values: Operand) -> Any:
    found = _several(call, values)
    shapes = {call.shape(value) for value in found}
    if len({len(shape) for shape in shapes}) > 1:
        raise call.error(f"cannot stack shapes {sorted(shapes, key=len)}")
    return call.ops.stack(found, axis=axis_of(call, len(call.shape(found[0])) + 1))


def _flip(call: LayerCall, x: Operand) -> Any:
    rank = len(call.shape(x))
    axes: Sequence[int] = range(rank)
    if call.options.get("axis") is not None:
        axes = call.options.axes("axis", rank, 0)
    return call.ops.reverse(x, axis=tuple(axes))


def _roll(call: LayerCall, x: Operand) -> Any:
    shift = call.options.integer("shift", least=-(2**31))
    if call.options.get("axis") is None:
        raise call.error("over all values in a row is not supported: give axis")
    axis = axis_of(call, len(call.shape(x)))
    n = call.length(x, axis)
    shift %= max(n, 1)
    if not shift:
        return x
    first, last = call.ops.split(x, num_or_size_splits=(n - shift, shift), axis=axis)
    return concat(call, [last, first], axis)


def _tile(call: LayerCall, x: Operand) -> Any:
    counts = list(integers_of(call, "repeats", 0))
    for _ in range(len(counts) - len(call.shape(x))):
        x = expand(call, x, 0)
    counts = [1] * (len(call.shape(x)) - len(counts)) + counts
    return call.ops.tile(x, reps=tuple(counts))


def _repeat(call: LayerCall, x: Operand) -> Any:
    if call.options.get("axis") is None:
        raise call.error("over all values in a row is not supported: give axis")
    axis = axis_of(call, len(call.shape(x)))
    return repeated(call, x, axis, call.options.integer("repeats"))


def _pad(call: LayerCall, x: Operand) -> Any:
    rank = len(call.shape(x))
    mode = call.options.choice("mode", ("constant", "reflect", "symmetric"), "constant")
    value = call.keywords.get("constant_values") or 0
    if not isinstance(value, (int, float)):
        raise call.error(f"constant_values must be a number, got {value!r:.80}")
    edges = call.options.edges("pad_width", rank, 0)
    if mode == "constant":
        return padded(call, as_float(call, x), edges, float(value))
    return call.ops.mirror_pad(x, paddings=tuple(edges), mode=mode)


def _broadcast_to(call: LayerCall, x: Operand) -> Any:
    shape, own = integers_of(call, "shape", 0), call.shape(x)
    if broadcast(call, own, shape) != shape:
        raise call.error(f"cannot broadcast {own} to {shape}")
    return call.ops.broadcast_to(x, shape=shape)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "reshape": _reshape,
    "ravel": raveled,
    "transpose": _transpose,
    "swapaxes": _swap_axes,
    "moveaxis": _move_axis,
    "expanddims": _expand_dims,
    "squeeze": _squeeze,
    "concatenate": _concatenate,
    "stack": _stack,
    "flip": _flip,
    "roll": _roll,
    "tile": _tile,
    "repeat": _repeat,
    "pad": _pad,
    "broadcastto": _broadcast_to,
}
