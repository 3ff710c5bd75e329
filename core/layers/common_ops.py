"""Ops with checks and shortcuts that many layers have in common."""

from collections.abc import Sequence
from math import prod
from typing import Any

from core.layers.layer_call import LayerCall, Lengths, Operand, RunLengths


def cast(call: LayerCall, x: Operand, dtype: str) -> Any:
    """Cast values to another dtype."""
    return x if x.dtype == dtype else call.ops.cast(x, dtype=dtype)


def as_float(call: LayerCall, x: Operand) -> Any:
    """Cast values to float32."""
    dtype = x.dtype
    if dtype == "string":
        raise call.error("computes with numbers, got a string tensor")
    return x if dtype == "float32" else cast(call, x, "float32")


def of_shape(call: LayerCall, y: Any, shape: Lengths) -> Any:
    """Return a result with a shape that does not follow from its op, in graphs and shapes."""
    return y if call.has_tensors else y._replace(shape=shape)


def shape_vector(call: LayerCall, shape: Lengths, like: Operand) -> tuple[int, ...] | RunLengths:
    """Return a shape as an attribute; a length of None is taken from the same axis of ``like``."""
    if None not in shape:
        return tuple(n for n in shape if n is not None)
    found = call.lengths(like)
    parts = [_length(call, found, i) if n is None else call.integer(n) for i, n in enumerate(shape)]
    return RunLengths(call.ops.stack(parts, axis=0), shape)


def length(call: LayerCall, x: Operand, axis: int) -> Any:
    """Return the length of an axis as an operand that is known when the graph runs."""
    known = call.shape(x)[axis]
    return _length(call, call.lengths(x), axis) if known is None else call.integer(known)


def _length(call: LayerCall, lengths: Operand, axis: int) -> Any:
    at = {"begin": (axis,), "end": (axis + 1,), "strides": (1,)}
    return call.ops.strided_slice(lengths, **at, shrink_axis_mask=1)


def reshape(call: LayerCall, x: Operand, shape: Lengths) -> Any:
    """Reshape values; at most one length of None is computed from the others."""
    if x.shape == shape and shape.count(None) <= 1:
        return x
    if shape.count(None) > 1:
        raise call.error(f"would reshape {x.shape} to {shape}, with two unknown lengths")
    if x.shape is not None and _size(x.shape) != _size(shape) and None not in x.shape + shape:
        raise call.error(f"cannot reshape {x.shape} to {shape}")
    return call.ops.reshape(x, shape=tuple(-1 if n is None else n for n in shape))


def _size(shape: Lengths) -> int:
    return prod(n for n in shape if n is not None)


def reshape_like(call: LayerCall, x: Operand, shape: Lengths, like: Operand) -> Any:
    """Reshape values; unknown lengths are taken from the same axes of ``like``."""
    if shape.count(None) <= 1:
        return reshape(call, x, shape)
    return call.ops.reshape(x, shape=shape_vector(call, shape, like))


def transpose(call: LayerCall, x: Operand, order: Sequence[int]) -> Any:
    """Transpose the axes to another order."""
    if list(order) == list(range(len(order))):
        return x
    call.shape(x, len(order))
    return call.ops.transpose(x, perm=tuple(order))


def axis_last(call: LayerCall, x: Operand, axis: int) -> tuple[Any, list[int]]:
    """Move an axis to the end, and also return the order of axes that moves the axis back."""
    rank = len(call.shape(x))
    order = [i for i in range(rank) if i != axis] + [axis]
    return transpose(call, x, order), [order.index(i) for i in range(rank)]


def expand(call: LayerCall, x: Operand, axis: int) -> Any:
    """Insert an axis of length 1."""
    return call.ops.expand_dims(x, axis=axis % (len(call.shape(x)) + 1))


def reduce(call: LayerCall, op: str, x: Operand, axes: Sequence[int], keep: bool = False) -> Any:
    """Reduce along axes by sum, mean, max, min, prod, any or all."""
    rank = len(call.shape(x))
    at = tuple(axis % rank for axis in axes)
    return getattr(call.ops, op)(x, axis=at, keep_dims=keep)


def concat(call: LayerCall, values: Sequence[Any], axis: int) -> Any:
    """Concatenate values along an axis."""
    return call.ops.concat(list(values), axis=axis % len(call.shape(values[0])))


def padded(
    call: LayerCall, x: Operand, edges: Sequence[tuple[int, int]], value: float = 0.0
) -> Any:
    """Pad each axis at its edges with a value."""
    call.shape(x, len(edges))
    if not any(map(any, edges)):
        return x
    if not value:
        return call.ops.pad(x, paddings=tuple(edges))
    return call.ops.pad(x, paddings=tuple(edges), constant_value=value)


def cut(call: LayerCall, x: Operand, edges: Sequence[tuple[int, int]]) -> Any:
    """Crop each axis at its edges."""
    shape = call.shape(x, len(edges))
    lengths = [None if n is None else n - a - b for n, (a, b) in zip(shape, edges, strict=True)]
    if any(n is not None and n < 1 for n in lengths):
        raise call.error(f"crops {list(edges)} off {shape}, which leaves no values")
    return call.ops.strided_slice(
        x,
        begin=tuple(a for a, _ in edges),
        end=tuple(-b for _, b in edges),
        strides=(1,) * len(edges),
        end_mask=sum(1 << i for i, (_, b) in enumerate(edges) if b == 0),
    )


def split(call: LayerCall, x: Operand, count: int, axis: int) -> list[Any]:
    """Split values into equal parts along an axis of known length."""
    axis = axis % len(call.shape(x))
    call.length(x, axis)
    call.check_count(count)
    parts: list[Any] = call.ops.split(x, num_or_size_splits=count, axis=axis)
    return parts


def unpack(call: LayerCall, x: Operand, axis: int) -> list[Any]:
    """Unpack the slices along an axis of known length."""
    call.check_count(call.length(x, axis))
    slices: list[Any] = call.ops.unstack(x, axis=axis)
    return slices


def bias_of(call: LayerCall, count: int) -> Any:
    """Return the weight "bias" of a layer, or None if the layer has no bias."""
    return call.weight("bias", (count,)) if call.options.flag("use_bias", True) else None


def filled(call: LayerCall, shape: Lengths, like: Operand, value: float = 0.0) -> Any:
    """Fill a shape with a number; lengths of None are taken from the same axes of ``like``."""
    return call.ops.fill(shape=shape_vector(call, shape, like), value=value)


def channels_last(call: LayerCall, x: Operand) -> Any:
    """Transpose a tensor with channels first to channels last."""
    rank = len(call.shape(x))
    return transpose(call, x, (0, *range(2, rank), 1))


def as_images(call: LayerCall, x: Operand, rank: int) -> Any:
    """Return the input as float images of ``rank`` spatial axes with channels last."""
    x = as_float(call, x)
    call.shape(x, rank + 2)
    return channels_last(call, x) if is_channels_first(call) else x


def in_data_format(call: LayerCall, x: Operand) -> Any:
    """Return images with channels last in the data format of the layer."""
    if not is_channels_first(call):
        return x
    rank = len(call.shape(x))
    return transpose(call, x, (0, rank - 1, *range(1, rank - 1)))


def is_channels_first(call: LayerCall) -> bool:
    """Whether the layer's data_format is channels first."""
    choices = ("channels_last", "channels_first")
    return call.options.choice("data_format", choices, choices[0]) == choices[1]


def repeated(call: LayerCall, x: Operand, axis: int, count: int) -> Any:
    """Repeat each row along an axis of known length."""
    if count == 1:
        return x
    shape, n = call.shape(x), call.length(x, axis)
    counts = [1] * (len(shape) + 1)
    counts[axis + 1] = count
    rows = call.ops.tile(expand(call, x, axis + 1), reps=tuple(counts))
    result = (*shape[:axis], n * count, *shape[axis + 1 :])
    return reshape_like(call, rows, result, x)
