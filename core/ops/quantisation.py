"""Rounding to quantized values, for models trained or calibrated for quantization."""

from math import isfinite

import numpy as np

from core import ops
from core.engine.argument_types import TensorLike
from core.engine.operation import Spellings, Traits, spec_of
from core.engine.registry import op
from core.engine.specs import Spec, integer
from core.errors import CoreError

#: Factor before rounding that makes up for the rounding error of float32, else values half way
#: between two integers would round either way: a tenth of one SUB of MoveNet on int8 differs from
#: LiteRT's reference kernel, with this factor less than a hundredth. After convolutions it does
#: harm: no half is meant there, and the border moves away from where XNNPACK's kernels have it.
NUDGE = np.float32(1 + 2**-20)


@op(input_dtype="float32", traits=Traits(elementwise=True), spellings=Spellings(("QuantiseRound",)))
def quantise_round(
    x: TensorLike, scale: float, zero_point: int, low: int, high: int, nudge: bool = True
) -> Spec:
    """The nearest quantized real values: ``(integer - zero_point) * scale``.

    Halves are rounded away from 0, as LiteRT's reference kernels do: QUANTIZE by ``std::round``,
    the others by a product of integers that ends the same way. The gradient is that of
    clipping: rounding is passed straight through (Bengio et al. 2013, arXiv:1308.3432).

    Args:
        x: tensor of any shape.
        scale: the difference of adjacent real values, above 0.
        zero_point: the quantized value of 0.
        low: the smallest quantized value; smaller ones are raised to it.
        high: the largest quantized value.
        nudge: values less than a millionth (2**-20) below a half count as a half. It is right for
            results of a few exact values, such as a sum of two, where float32 just missed the half.
            Sums of many products are hardly ever exact halves.

    Returns:
        float32, of the shape of x.

    >>> core.quantise_round([-9.0, 0.24, 0.26, 9.0], 0.5, zero_point=1, low=-4, high=4).numpy()
    array([-2.5,  0. ,  0.5,  1.5], dtype=float32)
    """
    for name, value in {"zero_point": zero_point, "low": low, "high": high}.items():
        integer(value, name)
    if not (isfinite(scale) and scale > 0):
        raise CoreError(f"scale={scale} must be above 0")
    if low > high:
        raise CoreError(f"low={low} must not be above high={high}")
    return spec_of(x)


@quantise_round.gradient("x")
def _(g, x, scale, zero_point, low, high):
    above = ops.greater_equal(x, (low - zero_point) * scale)
    below = ops.less_equal(x, (high - zero_point) * scale)
    return ops.select(ops.logical_and(above, below), g, ops.zeros_like(g))
