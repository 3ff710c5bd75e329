"""Quantized forms: rounded with halves to even, saturated; sums of integers are exact."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from core import ops
from core.engine.dispatch import tensor
from core.engine.tensors import Tensor
from core.graph.node_types.onnx.rows import Rows
from core.graph.node_types.onnx.short_floats import SHORT_FLOATS, rounded
from core.graph.node_types.onnx.spatial import convolution
from core.graph.node_types.onnx.type_table import NAMES
from core.graph.node_types.onnx.typed import bits_of, cast_to, limits

#: Integers up to here are exact in float32, in which products are summed.
_EXACT = 1 << 24


def saturated(steps: Tensor, zero: Tensor | None, kind: str) -> Tensor:
    """Return ``round(steps) + zero``, halves to even, within the limits of the type."""
    steps = ops.round(steps)
    if zero is not None:
        steps = steps + ops.cast(zero, dtype="float32")
    return ops.cast(ops.clip_by_value(steps, *limits(kind)), dtype="int32")


def _as_wide(values: Tensor, x: Tensor, axis: int, block: int = 0) -> Tensor:
    """Return scales or zero points as they broadcast with x: one, one a channel, or one a block."""
    if values.size == 1:
        return ops.reshape(values, shape=())
    axis %= x.ndim
    if block:
        of_block = tensor(np.arange(x.shape[axis], dtype=np.int32) // block)
        return ops.gather(values, of_block, axis=axis)
    return ops.reshape(values, shape=tuple(-1 if i == axis else 1 for i in range(x.ndim)))


def _quantize(
    x: Tensor,
    scale: Tensor,
    zero: Tensor | None = None,
    axis: int = 1,
    block_size: int = 0,
    output_dtype: int = 0,
    precision: int = 0,
    saturate: int = 1,
    types: Sequence[str] = (),
) -> Tensor:
    """Divide by the scale, in a shorter float if the precision says so, and round to a type."""
    kind = NAMES.get(output_dtype) or (types[2] if zero is not None else "uint8")
    parts = (ops.cast(x, dtype="float32"), _as_wide(scale, x, axis, block_size))
    x, scale = (cast_to(each, NAMES.get(precision, "")) for each in parts)
    steps = cast_to(x / scale, NAMES.get(precision, ""))
    if kind in SHORT_FLOATS:
        return rounded(steps, kind, bool(saturate))
    return saturated(steps, None if zero is None else _as_wide(zero, x, axis, block_size), kind)


def _dequantize(
    x: Tensor,
    scale: Tensor,
    zero: Tensor | None = None,
    axis: int = 1,
    block_size: int = 0,
    output_dtype: int = 0,
) -> Tensor:
    offset = None if zero is None else _as_wide(zero, x, axis, block_size)
    return _steps(x, offset) * _as_wide(scale, x, axis, block_size)


def _steps(x: Tensor, zero: Tensor | None) -> Tensor:
    """Return quantized values without their zero point, as floats: exact, as they are short."""
    x = ops.cast(x, dtype="float32")
    return x if zero is None else x - ops.cast(zero, dtype="float32")


def _dynamic(x: Tensor) -> list[Tensor]:
    """Quantize to uint8 by the range of the values, which has 0 in it."""
    low, high = ops.minimum(ops.min(x), 0.0), ops.maximum(ops.max(x), 0.0)
    scale = (high - low) / 255.0
    scale = ops.where(scale > 0, scale, 1.0)
    zero = saturated(-low / scale, None, "uint8")
    return [saturated(x / scale, zero, "uint8"), scale, zero]


def _of_rows(values: Tensor) -> Tensor:
    """Return zero points or scales of the rows of the left matrix as a column."""
    is_vector = values.ndim == 1 and values.size > 1
    return ops.expand_dims(values, axis=-1) if is_vector else values


def _integer_sums(
    product: Callable[[Tensor, Tensor], Tensor],
    operands: Sequence[Tensor],
    axes: Sequence[int],
    terms: int,
    types: Sequence[str],
) -> Tensor:
    """Return a sum of products as int32, from parts whose sums float32 holds exactly.

    Args:
        product: of two tensors, sums along an axis of each.
        operands: integers as floats.
        axes: those axes.
        terms: number of products for each position along the axes.
        types: element types of the operands.
    """
    largest = int(np.prod([1 << (bits_of(kind) or 8) for kind in types[:2]]))
    length = operands[0].shape[axes[0]]
    size = max(_EXACT // largest // terms, 1)
    sizes = [min(size, length - start) for start in range(0, length, size)]
    if len(sizes) <= 1:
        return ops.cast(product(*operands), dtype="int32")
    parts = (
        ops.split(each, num_or_size_splits=sizes, axis=axis)
        for each, axis in zip(operands, axes, strict=True)
    )
    sums = [ops.cast(product(*pair), dtype="int32") for pair in zip(*parts, strict=True)]
    return sum(sums[1:], sums[0])


def _matmul_integer(
    a: Tensor,
    b: Tensor,
    a_zero: Tensor | None = None,
    b_zero: Tensor | None = None,
    types: Sequence[str] = (),
) -> Tensor:
    operands = _steps(a, None if a_zero is None else _of_rows(a_zero)), _steps(b, b_zero)
    return _integer_sums(ops.matmul, operands, (a.ndim - 1, max(b.ndim - 2, 0)), 1, types)


def _conv_integer(
    x: Tensor,
    w: Tensor,
    x_zero: Tensor | None = None,
    w_zero: Tensor | None = None,
    types: Sequence[str] = (),
    **how: Any,
) -> Tensor:
    def product(values: Tensor, filters: Tensor) -> Tensor:
        return convolution(values, filters, **how)

    operands = _steps(x, x_zero), _filters(w, w_zero)
    if how.get("group", 1) > 1:
        return ops.cast(product(*operands), dtype="int32")
    return _integer_sums(product, operands, (1, 1), int(np.prod(w.shape[2:])), types)


def _filters(w: Tensor, zero: Tensor | None) -> Tensor:
    return _steps(w, None if zero is None else _as_wide(zero, w, 0))


def _qlinear_conv(
    x: Tensor,
    x_scale: Tensor,
    x_zero: Tensor,
    w: Tensor,
    w_scale: Tensor,
    w_zero: Tensor,
    y_scale: Tensor,
    y_zero: Tensor,
    bias: Tensor | None = None,
    types: Sequence[str] = (),
    **how: Any,
) -> Tensor:
    b = None if bias is None else ops.cast(bias, dtype="float32")
    sums = convolution(_steps(x, x_zero), _filters(w, w_zero), b, **how)
    scale = ops.reshape(x_scale * w_scale / y_scale, shape=(-1, *(1,) * (x.ndim - 2)))
    return saturated(sums * scale, y_zero, types[7])


def _qlinear_matmul(
    a: Tensor,
    a_scale: Tensor,
    a_zero: Tensor,
    b: Tensor,
    b_scale: Tensor,
    b_zero: Tensor,
    y_scale: Tensor,
    y_zero: Tensor,
    types: Sequence[str] = (),
) -> Tensor:
    sums = ops.matmul(_steps(a, _of_rows(a_zero)), _steps(b, b_zero))
    return saturated(sums * (_of_rows(a_scale) * b_scale / y_scale), y_zero, types[7])


ROWS: Rows = {
    "ConvInteger": _conv_integer,
    "DequantizeLinear": _dequantize,
    "DynamicQuantizeLinear": _dynamic,
    "MatMulInteger": _matmul_integer,
    "QLinearConv": _qlinear_conv,
    "QLinearMatMul": _qlinear_matmul,
    "QuantizeLinear": _quantize,
}
