"""Ops of steps that compute with integers: what `core.plan.passes.integers` writes.

Quantized values are bytes (uint8) here, also those that are int8 in the model's file: these are
moved up by 128, as are zero points and limits. An op computes what LiteRT's reference kernel for
integers computes, to the bit: sums of products in int32, which are multiplied by a fixed-point
number and rounded twice (`doubled_high`, `shifted` in `core.plan.integer_rounding`).
They are not registered as ops for users: tensors have no such dtype.

The last two are what float backends compute with: their values are float32, in steps from 0, which
are the integers without their zero point. Sums of their products are exact below 2**24.

Source: Jacob et al. 2018, arXiv:1712.05877; tensorflow/lite/kernels/internal/common.cc.
"""

from core.engine.operation import ELEMENTWISE, Op
from core.engine.specs import Spec

#: Bits by which operands of a sum are moved up, so that little of them is lost.
SUM_BITS = 20

#: Bits of a position between pixels.
POSITION_BITS = 10


def _integer_conv2d(
    x: Spec,
    filter: Spec,
    bias: Spec,
    multiplier: Spec,
    shift: Spec,
    *,
    strides: object,
    pad: object,
    data_format: object,
    dilations: object,
    dim_rounding_mode: object,
    x_zero: int,
    filter_zero: int,
    zero_point: int,
    low: int,
    high: int,
) -> Spec:
    """Convolve bytes with integers; results are bytes.

    Args:
        x: bytes [n, height, width, in].
        filter: int8 or uint8 [height, width, in, out].
        bias: int32 [out].
        multiplier: int32 [out]: of a sum, as parts of 2**31.
        shift: int32 [out]: by which power of two a product is then multiplied.
        strides: as of `core.conv2d`, like the next four.
        pad: likewise.
        data_format: likewise.
        dilations: likewise.
        dim_rounding_mode: likewise.
        x_zero: the byte of 0 in the input, also around images.
        filter_zero: the integer of 0 in the filter.
        zero_point: the byte of 0 in the result.
        low: the smallest byte of the result.
        high: the largest.
    """
    return bias


def _integer_binary(
    a: Spec, b: Spec, numbers: Spec, *, kind: str, zero_point: int, low: int, high: int
) -> Spec:
    """Add, subtract or multiply bytes of two scales.

    Args:
        a: bytes of any shape.
        b: bytes of that shape.
        numbers: int32 [9]: zero point, multiplier and shift to the right of each operand (of a
            product only the zero point), then multiplier, shift to the left and to the right.
        kind: ``"add"``, ``"sub"`` or ``"mul"``.
        zero_point: the byte of 0 in the result.
        low: the smallest byte of the result.
        high: the largest.
    """
    return a


def _integer_resize(x: Spec, rows: Spec, columns: Spec, *, base: int) -> Spec:
    """Resize images of bytes bilinearly, with 10 bits of each position between pixels.

    Args:
        x: bytes [n, height, width, channels].
        rows: int32 [new height, 3]: the lines around each new one, and the share of the second in
            1024 parts.
        columns: int32 [new width, 3]: likewise.
        base: the byte of the integer 0: halves are rounded away from it.
    """
    return Spec((x.shape[0], rows.shape[0], columns.shape[0], x.shape[3]), "uint8")


def _to_bytes(x: Spec, *, scale: float, zero_point: int, low: int, high: int, nudge: bool) -> Spec:
    """Round floats to bytes, as `core.quantise_round` does."""
    return Spec(x.shape, "uint8")


def _from_bytes(x: Spec, *, scale: float, zero_point: int) -> Spec:
    """Return the real values of bytes."""
    return Spec(x.shape)


def _requantise(
    x: Spec, upper: Spec, lower: Spec, *, least: int, most: int, is_small: bool
) -> Spec:
    """Return the quantized values of sums, in steps from 0; all are float32.

    Args:
        x: sums [..., channels].
        upper: [channels], or [1] for all: the multiplier of a sum, as of `INTEGER_CONV2D`, without
            its last 16 bits.
        lower: likewise: these bits, times 64, and 32 more than the shift.
        least: the smallest value of the result.
        most: the largest.
        is_small: whether sums, also without a bias, are below 2**22.
    """
    return x


def _quanta_binary(
    a: Spec, b: Spec, *, kind: str, numbers: tuple[int, ...], least: int, most: int
) -> Spec:
    """Add, subtract or multiply values in steps of two scales, which broadcast; all are float32.

    Args:
        a: steps from 0.
        b: likewise.
        kind: as of `INTEGER_BINARY`, like ``numbers``, whose zero points are 0.
        numbers: likewise.
        least: the smallest value of the result.
        most: the largest.
    """
    return a


INTEGER_CONV2D: Op[..., Spec] = Op(_integer_conv2d, name="integer_conv2d")
INTEGER_DEPTHWISE: Op[..., Spec] = Op(_integer_conv2d, name="integer_depthwise_conv2d")
INTEGER_BINARY: Op[..., Spec] = Op(_integer_binary, name="integer_binary")
INTEGER_RESIZE: Op[..., Spec] = Op(_integer_resize, name="integer_resize_bilinear")
TO_BYTES: Op[..., Spec] = Op(_to_bytes, name="to_bytes")
FROM_BYTES: Op[..., Spec] = Op(_from_bytes, name="from_bytes")
REQUANTISE: Op[..., Spec] = Op(_requantise, name="requantise", traits=ELEMENTWISE)
QUANTA_BINARY: Op[..., Spec] = Op(_quanta_binary, name="quanta_binary", traits=ELEMENTWISE)

INTEGER_OPS = (
    *(INTEGER_CONV2D, INTEGER_DEPTHWISE, INTEGER_BINARY, INTEGER_RESIZE),
    *(TO_BYTES, FROM_BYTES, REQUANTISE, QUANTA_BINARY),
)
