"""Functions that add nodes common to many layers."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from core.layers.layer_call import DATA_TYPES, LayerCall, Lengths, Value


def cast(call: LayerCall, x: Value, dtype: str) -> Value:
    """Cast values to another dtype."""
    if x.dtype == dtype:
        return x
    return call.node("Cast", [x], {"DstT": DATA_TYPES[dtype]}, dtype=dtype)


def as_float(call: LayerCall, x: Value) -> Value:
    """Cast values to float32."""
    if x.dtype == "string":
        raise call.error("computes with numbers, got a string tensor")
    return cast(call, x, "float32")


def binary(call: LayerCall, type: str, a: Value, b: Value, dtype: str | None = None) -> Value:
    """Add an element-wise operation with broadcasting."""
    return call.node(type, [a, b], shape=broadcast(call, a.shape, b.shape), dtype=dtype)


def broadcast(call: LayerCall, a: Lengths | None, b: Lengths | None) -> Lengths | None:
    """Return the common shape of two shapes that broadcast to each other."""
    if a is None or b is None:
        return None
    rank = max(len(a), len(b))
    pairs = zip((1,) * (rank - len(a)) + a, (1,) * (rank - len(b)) + b, strict=True)
    result: list[int | None] = []
    for n, m in pairs:
        if n is not None and m is not None and n != m and 1 not in (n, m):
            raise call.error(f"shapes {a} and {b} do not broadcast to each other")
        if 1 in (n, m):
            result.append(m if n == 1 else n)
        else:
            result.append(n if n is not None else m)
    return tuple(result)


def scaled(call: LayerCall, x: Value, factor: float) -> Value:
    """Multiply values by a number."""
    return binary(call, "Mul", x, call.number(factor))


def shifted(call: LayerCall, x: Value, summand: float) -> Value:
    """Add a number to values."""
    return binary(call, "AddV2", x, call.number(summand))


def shape_vector(call: LayerCall, shape: Lengths, like: Value) -> Value:
    """Return a shape as a vector; a length of None is taken from the same axis of ``like``."""
    if None not in shape:
        return call.ints(*[n for n in shape if n is not None])
    found = call.node("Shape", [like], {}, (len(call.shape(like)),), "int32")
    parts = [_length(call, found, i) if n is None else call.integer(n) for i, n in enumerate(shape)]
    return call.node("Pack", parts, {"axis": 0, "N": len(parts)}, (len(parts),), "int32")


def length(call: LayerCall, x: Value, axis: int) -> Value:
    """Return the length of an axis as a value that is known when the graph runs."""
    known = call.shape(x)[axis]
    if known is not None:
        return call.integer(known)
    found = call.node("Shape", [x], {}, (len(call.shape(x)),), "int32")
    return _length(call, found, axis)


def _length(call: LayerCall, shape: Value, axis: int) -> Value:
    inputs = [shape, call.ints(axis), call.ints(axis + 1), call.ints(1)]
    return call.node("StridedSlice", inputs, {"shrink_axis_mask": 1}, (), "int32")


def reshape(call: LayerCall, x: Value, shape: Lengths) -> Value:
    """Reshape values; at most one length of None is computed from the others."""
    if x.shape == shape and shape.count(None) <= 1:
        return x
    if shape.count(None) > 1:
        raise call.error(f"would reshape {x.shape} to {shape}, with two unknown lengths")
    if x.shape is not None and _size(x.shape) != _size(shape) and None not in x.shape + shape:
        raise call.error(f"cannot reshape {x.shape} to {shape}")
    vector = call.ints(*[-1 if n is None else n for n in shape])
    return call.node("Reshape", [x, vector], shape=shape)


def _size(shape: Lengths) -> int:
    return prod(n for n in shape if n is not None)


def reshape_like(call: LayerCall, x: Value, shape: Lengths, like: Value) -> Value:
    """Reshape values; unknown lengths are taken from the same axes of ``like``."""
    if shape.count(None) <= 1:
        return reshape(call, x, shape)
    return call.node("Reshape", [x, shape_vector(call, shape, like)], shape=shape)


def transpose(call: LayerCall, x: Value, order: Sequence[int]) -> Value:
    """Transpose the axes to another order."""
    if list(order) == list(range(len(order))):
        return x
    shape = call.shape(x, len(order))
    result = tuple(shape[axis] for axis in order)
    return call.node("Transpose", [x, call.ints(*order)], shape=result)


def axis_last(call: LayerCall, x: Value, axis: int) -> tuple[Value, list[int]]:
    """Move an axis to the end, and also return the order of axes that moves the axis back."""
    rank = len(call.shape(x))
    order = [i for i in range(rank) if i != axis] + [axis]
    return transpose(call, x, order), [order.index(i) for i in range(rank)]


def expand(call: LayerCall, x: Value, axis: int) -> Value:
    """Insert an axis of length 1."""
    shape = call.shape(x)
    axis = axis % (len(shape) + 1)
    result = (*shape[:axis], 1, *shape[axis:])
    return call.node("ExpandDims", [x, call.integer(axis)], shape=result)


def squeeze(call: LayerCall, x: Value, axis: int) -> Value:
    """Remove an axis of length 1."""
    shape = call.shape(x)
    result = (*shape[:axis], *shape[axis + 1 :])
    return call.node("Squeeze", [x], {"squeeze_dims": [axis]}, result)


def reduce(call: LayerCall, type: str, x: Value, axes: Sequence[int], keep: bool = False) -> Value:
    """Reduce along axes by Sum, Mean, Max or Any."""
    shape = call.shape(x)
    axes = [axis % len(shape) for axis in axes]
    lengths = [1 if i in axes else n for i, n in enumerate(shape) if keep or i not in axes]
    return call.node(type, [x, call.ints(*axes)], {"keep_dims": keep}, tuple(lengths))


def concat(call: LayerCall, values: Sequence[Value], axis: int) -> Value:
    """Concatenate values along an axis."""
    shapes = [call.shape(value) for value in values]
    axis = axis % len(shapes[0])
    others = {len(s) for s in shapes}
    lengths = [s[axis] for s in shapes if len(s) > axis]
    if len(others) != 1:
        raise call.error(f"cannot concatenate shapes {shapes}")
    total = None if None in lengths else sum(n for n in lengths if n is not None)
    merged = _same_but(call, shapes, axis)
    shape = (*merged[:axis], total, *merged[axis + 1 :])
    inputs = [*values, call.integer(axis)]
    return call.node("ConcatV2", inputs, {"N": len(values)}, shape)


def _same_but(call: LayerCall, shapes: Sequence[Lengths], axis: int) -> Lengths:
    """Return the common lengths of shapes outside of an axis."""
    result: list[int | None] = []
    for i, lengths in enumerate(zip(*shapes, strict=True)):
        known = {n for n in lengths if n is not None}
        if len(known) > 1 and i != axis:
            raise call.error(f"cannot concatenate shapes {list(shapes)} along axis {axis}")
        result.append(known.pop() if len(known) == 1 else None)
    return tuple(result)


def padded(
    call: LayerCall, x: Value, edges: Sequence[tuple[int, int]], value: float = 0.0
) -> Value:
    """Pad each axis at its edges with a value."""
    shape = call.shape(x, len(edges))
    if not any(map(any, edges)):
        return x
    lengths = [None if n is None else n + a + b for n, (a, b) in zip(shape, edges, strict=True)]
    rows = call.constant(np.array(edges, np.int32), "paddings")
    inputs = [x, rows] if not value else [x, rows, call.number(value)]
    return call.node("PadV2" if value else "Pad", inputs, shape=tuple(lengths))


def cut(call: LayerCall, x: Value, edges: Sequence[tuple[int, int]]) -> Value:
    """Crop each axis at its edges."""
    shape = call.shape(x, len(edges))
    lengths = [None if n is None else n - a - b for n, (a, b) in zip(shape, edges, strict=True)]
    if any(n is not None and n < 1 for n in lengths):
        raise call.error(f"crops {list(edges)} off {shape}, which leaves no values")
    begin = [a for a, _ in edges]
    end = [-b for _, b in edges]
    mask = sum(1 << i for i, b in enumerate(end) if b == 0)
    inputs = [x, call.ints(*begin), call.ints(*end), call.ints(*[1] * len(edges))]
    return call.node("StridedSlice", inputs, {"end_mask": mask}, tuple(lengths))


def split(call: LayerCall, x: Value, count: int, axis: int) -> list[Value]:
    """Split values into equal parts along an axis of known length."""
    shape = call.shape(x)
    axis = axis % len(shape)
    part = call.length(x, axis) // count
    call.check_count(count)
    shapes = [(*shape[:axis], part, *shape[axis + 1 :])] * count
    first = call.node("Split", [call.integer(axis), x], {"num_split": count}, shapes[0], x.dtype)
    return call.outputs(first, shapes)


def unpack(call: LayerCall, x: Value, axis: int) -> list[Value]:
    """Unpack the slices along an axis of known length."""
    shape = call.shape(x)
    count = call.length(x, axis)
    call.check_count(count)
    shapes = [(*shape[:axis], *shape[axis + 1 :])] * count
    first = call.node("Unpack", [x], {"num": count, "axis": axis}, shapes[0])
    return call.outputs(first, shapes)


def pack(call: LayerCall, values: Sequence[Value], axis: int) -> Value:
    """Pack values along a new axis."""
    shape = call.shape(values[0])
    result = (*shape[:axis], len(values), *shape[axis:])
    return call.node("Pack", values, {"axis": axis, "N": len(values)}, result)


def matmul(
    call: LayerCall, x: Value, kernel: Value, bias: Value | None = None, activation: str = ""
) -> Value:
    """Return x @ kernel + bias along the last axis, for any number of axes before it."""
    shape = call.shape(x)
    units = call.shape(kernel, 2)[1]
    flat = x if len(shape) == 2 else reshape(call, x, (None, call.shape(kernel)[0]))
    attributes: dict[str, Any] = {"transpose_a": False, "transpose_b": False}
    if bias is None:
        y = call.node("MatMul", [flat, kernel], attributes, (call.shape(flat)[0], units))
    else:
        attributes |= {
            "fused_ops": ["BiasAdd", activation] if activation else ["BiasAdd"],
            "num_args": 1,
        }
        y = call.node(
            "_FusedMatMul", [flat, kernel, bias], attributes, (call.shape(flat)[0], units)
        )
    return y if len(shape) == 2 else reshape_like(call, y, (*shape[:-1], units), x)


def bias_of(call: LayerCall, count: int) -> Value | None:
    """Return the weight "bias" of a layer, or None if the layer has no bias."""
    return call.weight("bias", (count,)) if call.options.flag("use_bias", True) else None


def filled(call: LayerCall, shape: Lengths, like: Value, value: float = 0.0) -> Value:
    """Fill a shape with a number; lengths of None are taken from the same axes of ``like``."""
    inputs = [shape_vector(call, shape, like), call.number(value)]
    return call.node("Fill", inputs, shape=shape, dtype="float32")


def channels_last(call: LayerCall, x: Value) -> Value:
    """Transpose a tensor with channels first to channels last."""
    rank = len(call.shape(x))
    return transpose(call, x, (0, *range(2, rank), 1))


def as_images(call: LayerCall, x: Value, rank: int) -> Value:
    """Return the input as float images of ``rank`` spatial axes with channels last."""
    x = as_float(call, x)
    call.shape(x, rank + 2)
    return channels_last(call, x) if is_channels_first(call) else x


def in_data_format(call: LayerCall, x: Value) -> Value:
    """Return images with channels last in the data format of the layer."""
    if not is_channels_first(call):
        return x
    rank = len(call.shape(x))
    return transpose(call, x, (0, rank - 1, *range(1, rank - 1)))


def is_channels_first(call: LayerCall) -> bool:
    """Whether the layer's data_format is channels first."""
    choices = ("channels_last", "channels_first")
    return call.options.choice("data_format", choices, choices[0]) == choices[1]
