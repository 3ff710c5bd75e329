"""Layers of several inputs, and functions between layers, such as ``x + y``.

Functions are Keras 3's operations and tf.keras's TFOpLambda. Their names in the table are those of
the functions, in lower case after "ops.".
"""

from collections.abc import Callable, Mapping, Sequence
from functools import reduce as folded
from math import prod
from typing import Any

import numpy as np

from core.engine.registry import OPS
from core.layers.layer_call import LayerCall, Masked, Operand, is_operand, is_same
from core.layers.lowering.activation import ACTIVATIONS
from core.layers.lowering.arguments import arguments
from core.layers.lowering.common_ops import (
    as_float,
    cast,
    concat,
    expand,
    reduce,
    reshape_like,
    transpose,
)
from core.layers.lowering.normalization import inverse_norm
from core.layers.lowering.rows import LayerType


def _folded(op: str) -> LayerType:
    def lower(call: LayerCall, *values: Operand) -> Any:
        y = folded(getattr(call.ops, op), _of_one_rank(call, values))
        return Masked(y, _merged_mask(call, values))

    return _merging(lower)


def _merging(lower: Callable[..., Any]) -> LayerType:
    return LayerType(lower, keeps_mask=False, merges_masks=True, arguments={})


def _average(call: LayerCall, *values: Operand) -> Any:
    total = folded(call.ops.add, _of_one_rank(call, values))
    return Masked(call.ops.mul(total, 1 / len(values)), _merged_mask(call, values))


def _of_one_rank(call: LayerCall, values: Sequence[Operand]) -> list[Any]:
    """Insert axes after the batch of values with fewer axes."""
    if not values:
        raise call.error("is called on nothing")
    if any(value.dtype != values[0].dtype for value in values):
        values = [as_float(call, value) for value in values]
    if any(value.shape is None for value in values):
        return list(values)
    rank = max(len(call.shape(value)) for value in values)
    found = []
    for value in values:
        while 0 < len(call.shape(value)) < rank:
            value = expand(call, value, 1)
        found.append(value)
    return found


def _merged_mask(call: LayerCall, values: Sequence[Operand]) -> Operand | None:
    """Return the mask of a merged tensor: Keras 3 keeps what any input keeps, others what all do.

    An input without a mask keeps all of its steps; Keras 2 and TensorFlow.js leave it out.
    """
    masks = [mask for mask in call.masks if mask is not None]
    if not masks or (call.dialect == "keras3" and len(masks) < len(values)):
        return None
    joined = call.ops.logical_or if call.dialect == "keras3" else call.ops.logical_and
    return folded(lambda a, b: a if is_same(a, b) else joined(a, b), masks)


def _concatenate(call: LayerCall, *values: Operand) -> Any:
    if not values:
        raise call.error("is called on nothing")
    rank = len(call.shape(values[0]))
    axis = call.options.axis("axis", rank, -1)
    if any(value.dtype != values[0].dtype for value in values):
        values = tuple(as_float(call, value) for value in values)
    y = concat(call, values, axis) if len(values) > 1 else values[0]
    return Masked(y, _mask_of_concatenated(call, values, axis))


def _mask_of_concatenated(call: LayerCall, values: Sequence[Operand], axis: int) -> Operand | None:
    masks = [mask for mask in call.masks if mask is not None]
    if not masks:
        return None
    if all(is_same(mask, masks[0]) for mask in masks) and axis == len(call.shape(values[0])) - 1:
        return masks[0]  # inputs without a mask are masked nowhere
    if axis == 1 and len(masks) == len(values):
        return concat(call, masks, 1)
    raise call.error("the masks of its inputs cannot be joined: take them away before")


def _scaled_sum(call: LayerCall, x: Operand, y: Operand) -> Any:
    """Lower the layer CustomScaleLayer of Keras's InceptionResNetV2."""
    return call.ops.add(x, call.ops.mul(y, call.options.number("scale")))


def _dot(call: LayerCall, x: Operand, y: Operand) -> Any:
    """Multiply the matrices of each pair of items, summed along one axis of each."""
    x, y = as_float(call, x), as_float(call, y)
    first, second = call.shape(x, 2, 3, 4), call.shape(y, 2, 3, 4)
    given = call.options.get("axes")
    pair = given if isinstance(given, (list, tuple)) else [given, given]
    if len(pair) != 2 or not all(isinstance(n, int) for n in pair):
        raise call.options.error("axes", "an integer or two of them")
    i, j = (
        n % len(s) if -len(s) <= n < len(s) else 0
        for n, s in zip(pair, (first, second), strict=True)
    )
    if 0 in (i, j) or call.length(x, i) != call.length(y, j):
        raise call.error(f"cannot multiply {first} and {second} along axes {pair}")
    if call.options.flag("normalize", False):
        x = call.ops.mul(x, inverse_norm(call, x, [i]))
        y = call.ops.mul(y, inverse_norm(call, y, [j]))
    if len(first) == len(second) == 2:
        return reduce(call, "sum", call.ops.mul(x, y), [1], keep=True)
    return _matrix_product(call, x, y, i, j)


def _matrix_product(call: LayerCall, x: Operand, y: Operand, i: int, j: int) -> Any:
    x = transpose(call, x, [n for n in range(len(call.shape(x))) if n != i] + [i])
    y = transpose(call, y, [0, j, *(n for n in range(1, len(call.shape(y))) if n != j)])
    size = call.length(y, 1)
    rows, columns = call.shape(x)[1:-1], call.shape(y)[2:]
    left = reshape_like(call, x, (call.shape(x)[0], _size(call, rows), size), x)
    right = reshape_like(call, y, (call.shape(y)[0], size, _size(call, columns)), y)
    product = call.ops.matmul(left, right)
    return reshape_like(call, product, (call.shape(x)[0], *rows, *columns), x)


def _size(call: LayerCall, lengths: Sequence[int | None]) -> int | None:
    """Return the number of items; None for a single axis of unknown length."""
    if None in lengths and len(lengths) > 1:
        raise call.error("multiplies tensors with an unknown length")
    return None if None in lengths else prod(n for n in lengths if n is not None)


#: Operations whose results are integers for integers.
_OF_INTEGERS = ("add", "sub", "mul", "maximum", "minimum")


def _binary(op: str) -> LayerType:
    def lower(call: LayerCall, *values: Operand) -> Any:
        pair = operands_of(call, values, "x1", "x2", "y")
        if len(pair) != 2:
            raise call.error(f"takes two tensors or numbers, got {len(pair)}")
        a, b = of_one_dtype(call, pair)
        if op not in _OF_INTEGERS or a.dtype == "bool":
            a, b = as_float(call, a), as_float(call, b)
        return getattr(call.ops, op)(a, b)

    return LayerType(lower, keeps_mask=False)


def operands_of(call: LayerCall, values: Sequence[Operand], *names: str) -> list[Any]:
    """Return the tensors, numbers and lists on which a function is called.

    Args:
        call: call of the function.
        values: all tensors of the call.
        names: names of the function's operands, in order.
    """
    given = call.keywords.get("arguments", list(values))
    flat = list[Any]()
    for item in given:
        has_tensors = isinstance(item, list) and any(is_operand(part) for part in item)
        flat += item if has_tensors else [item]
    named = list(values[sum(is_operand(item) for item in flat) :])
    for name in names[len(flat) :]:
        if call.keywords.get(name) is not None:
            flat.append(call.keywords[name])
        elif named:
            flat.append(named.pop(0))
    return flat + named


def of_one_dtype(call: LayerCall, operands: Sequence[Any]) -> list[Any]:
    """Return tensors, numbers and arrays as tensors of the dtype that holds them all."""
    tensors = [operand(call, each) for each in operands]
    known = {value.dtype for value in tensors}
    if "string" in known:
        raise call.error("computes with numbers, got a string tensor")
    dtype = next((name for name in ("float32", "int32") if name in known), "bool")
    return [cast(call, value, dtype) for value in tensors]


def operand(call: LayerCall, given: Any) -> Any:
    """Return a tensor, number or array of a call as a tensor."""
    if is_operand(given):
        return given
    try:
        array = np.asarray(_listed(given))
    except (TypeError, ValueError):
        array = np.asarray(None)
    if array.dtype.kind not in "fiub":
        raise call.error(f"is called on {given!r:.80}, which is neither a tensor nor a number")
    dtype = {"f": np.float32, "b": np.bool_}.get(array.dtype.kind, np.int32)
    return call.constant(array.astype(dtype), "number")


def _listed(given: Any) -> Any:
    """Return the numbers of an array that Keras 3 wrote as an object."""
    if isinstance(given, Mapping) and isinstance(given.get("config"), Mapping):
        return given["config"].get("value")
    return given


def _unary(activation: Callable[[LayerCall, Operand], Operand]) -> LayerType:
    return LayerType(lambda call, x: activation(call, as_float(call, x)), keeps_mask=False)


def _unary_op(op: str) -> LayerType:
    return LayerType(lambda call, x: getattr(call.ops, op)(as_float(call, x)), keeps_mask=False)


def _spelled() -> dict[str, LayerType]:
    """Return the functions that ops of one or two inputs declare."""
    kinds = {1: _unary_op, 2: _binary}
    return {
        f"ops.{name}": kinds[op.count](op.name)
        for op in OPS.values()
        for name in op.spellings.keras
    }


_ACTIVATIONS = {
    **{name: name for name in ("sigmoid", "silu", "swish", "softsign")},
    "hardsigmoid": "hard_sigmoid",
    "hardsilu": "hard_silu",
}


LAYER_TYPES = {
    "Add": _folded("add"),
    "Multiply": _folded("mul"),
    "Subtract": _folded("sub"),
    "Maximum": _folded("maximum"),
    "Minimum": _folded("minimum"),
    "Average": _merging(_average),
    "Concatenate": LayerType(_concatenate, keeps_mask=False, arguments=arguments(axis=-1)),
    "CustomScaleLayer": LayerType(
        _scaled_sum, keeps_mask=False, arguments=arguments("scale"), is_published=False
    ),
    "Dot": LayerType(_dot, keeps_mask=False, arguments=arguments("axes", normalize=False)),
    **_spelled(),
    **{f"ops.{name}": _unary(ACTIVATIONS[known]) for name, known in _ACTIVATIONS.items()},
}
