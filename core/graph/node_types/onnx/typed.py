"""Casts and quantized forms, whose results depend on element types that the engine does not keep.

Integers of 8 bits are int32 here, and floats of 8 or 16 bits float32: a row that needs to know is
told the types (``types``) by the reader.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from core import ops
from core.engine.dispatch import tensor
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.graph.node_types.onnx.rows import Rows
from core.graph.node_types.onnx.spatial import convolution

#: Names of the element types by their numbers in attributes.
NAMES = dict(
    enumerate(
        (
            *("", "float32", "uint8", "int8", "uint16", "int16", "int32", "int64", "string"),
            *("bool", "float16", "float64", "uint32", "uint64", "complex64", "complex128"),
            *("bfloat16", "float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz"),
            *("uint4", "int4", "float4e2m1", "float8e8m0", "uint2", "int2"),
        )
    )
)


def bits_of(kind: str) -> int:
    """Return the bits of a type of integers that is shorter than the engine's, else 0."""
    name = kind.removeprefix("u")
    bits = int(name[3:]) if name.startswith("int") else 0
    return bits if bits < 32 else 0


def limits(kind: str) -> tuple[int, int]:
    """Return the smallest and the largest integer of a short type."""
    bits = bits_of(kind)
    if not bits:
        raise CoreError(f"values of the type {kind or 'unknown'} are not quantized")
    return (0, (1 << bits) - 1) if kind[0] == "u" else (-1 << (bits - 1), (1 << (bits - 1)) - 1)


def kind_of(x: Tensor, declared: str) -> str:
    """Return the declared element type of a value, if there is one and the value has its dtype."""
    is_integer = declared.startswith(("int", "uint"))
    return declared if declared and is_integer == (x.dtype == "int32") else x.dtype


def wrapped(x: Tensor, kind: str) -> Tensor:
    """Return integers as the type holds them: without the bits that it lacks."""
    bits = bits_of(kind)
    if not bits:
        return x
    low, _ = limits(kind)
    return ops.mod(x - low, 1 << bits) + low


def cast_to(x: Tensor, kind: str) -> Tensor:
    """Return values in a type."""
    if kind == "bool":
        return x if x.dtype == "bool" else ops.not_equal(x, ops.zeros_like(x))
    if kind == "string" or x.dtype == "string":
        return _texts(x) if kind == "string" else _parsed(x, kind)
    if bits_of(kind) or kind in ("int32", "int64", "uint32", "uint64"):
        return wrapped(ops.cast(x, dtype="int32"), kind)
    return ops.cast(x, dtype="float32")


def _texts(x: Tensor) -> Tensor:
    return tensor(np.array([f"{v:g}".encode() for v in x.numpy().ravel()], object).reshape(x.shape))


def _parsed(x: Tensor, kind: str) -> Tensor:
    values = np.array([float(text) for text in x.numpy().ravel()], np.float32).reshape(x.shape)
    return cast_to(tensor(values), kind)


def _cast(x: Tensor, to: int, saturate: int = 1, round_mode: str = "up") -> Tensor:
    return cast_to(x, NAMES.get(to, ""))


def _cast_like(
    x: Tensor, like: Tensor, types: Sequence[str] = (), saturate: int = 1, round_mode: str = "up"
) -> Tensor:
    return cast_to(x, kind_of(like, types[1]))


def _as_wide(values: Tensor, x: Tensor, axis: int, block: int) -> Tensor:
    """Return scales or zero points as they broadcast with x: one, one a channel, or one a block."""
    if values.ndim == 0 or values.size == 1:
        return ops.reshape(values, shape=())
    axis %= x.ndim
    if block:
        wide = ops.gather(values, tensor(np.arange(x.shape[axis], dtype=np.int32) // block), axis=axis)
        return wide
    return ops.reshape(values, shape=tuple(-1 if i == axis else 1 for i in range(x.ndim)))


def quantized(x: Tensor, scale: Tensor, zero: Tensor | None, kind: str) -> Tensor:
    """Return ``round(x / scale) + zero``, halves to even, within the limits of the type."""
    low, high = limits(kind)
    steps = ops.round(x / scale)
    if zero is not None:
        steps = steps + ops.cast(zero, dtype="float32")
    return ops.cast(ops.clip_by_value(steps, low, high), dtype="int32")


def _quantize(
    x: Tensor,
    scale: Tensor,
    zero: Tensor | None = None,
    axis: int = 1,
    block_size: int = 0,
    output_dtype: int = 0,
    saturate: int = 1,
    precision: int = 0,
    types: Sequence[str] = (),
) -> Tensor:
    kind = NAMES.get(output_dtype) or (types[2] if len(types) > 2 else "") or "uint8"
    offset = None if zero is None else _as_wide(zero, x, axis, block_size)
    return quantized(
        ops.cast(x, dtype="float32"), _as_wide(scale, x, axis, block_size), offset, kind
    )


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
    low = ops.minimum(ops.min(x), 0.0)
    high = ops.maximum(ops.max(x), 0.0)
    scale = (high - low) / 255.0
    scale = ops.where(scale > 0, scale, ops.ones_like(scale))
    zero = ops.clip_by_value(ops.round(-low / scale), 0, 255)
    return [quantized(x, scale, zero, "uint8"), scale, ops.cast(zero, dtype="int32")]


def _row_of(zero: Tensor | None) -> Tensor | None:
    """A zero point of each row of the left matrix is a column."""
    return ops.expand_dims(zero, axis=-1) if zero is not None and zero.ndim == 1 and zero.size > 1 else zero


def _matmul_integer(
    a: Tensor, b: Tensor, a_zero: Tensor | None = None, b_zero: Tensor | None = None
) -> Tensor:
    y = ops.matmul(_steps(a, _row_of(a_zero)), _steps(b, b_zero))
    return ops.cast(y, dtype="int32")


def _conv_integer(
    x: Tensor, w: Tensor, x_zero: Tensor | None = None, w_zero: Tensor | None = None, **how: Any
) -> Tensor:
    return ops.cast(convolution(_steps(x, x_zero), _filters(w, w_zero), **how), dtype="int32")


def _filters(w: Tensor, zero: Tensor | None) -> Tensor:
    return _steps(w, None if zero is None else _as_wide(zero, w, 0, 0))


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
    return quantized(sums * scale, tensor(1.0), y_zero, types[7])


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
    sums = ops.matmul(_steps(a, _row_of(a_zero)), _steps(b, b_zero))
    return quantized(sums * (_row_of(a_scale) * b_scale / y_scale), tensor(1.0), y_zero, types[7])


def _bit_not(x: Tensor, types: Sequence[str] = ()) -> Tensor:
    return wrapped(-1 - x, types[0])


def _bit_shift(x: Tensor, y: Tensor, direction: str, types: Sequence[str] = ()) -> Tensor:
    power = ops.cast(ops.pow(2.0, ops.cast(y, dtype="float32")), dtype="int32")
    return wrapped(x * power, types[0]) if direction == "LEFT" else ops.floor_div(x, power)


ROWS: Rows = {
    "BitShift": _bit_shift,
    "BitwiseNot": _bit_not,
    "Cast": _cast,
    "CastLike": _cast_like,
    "ConvInteger": _conv_integer,
    "DequantizeLinear": _dequantize,
    "DynamicQuantizeLinear": _dynamic,
    "MatMulInteger": _matmul_integer,
    "QLinearConv": _qlinear_conv,
    "QLinearMatMul": _qlinear_matmul,
    "QuantizeLinear": _quantize,
}
