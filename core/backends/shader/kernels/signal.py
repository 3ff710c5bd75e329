"""Fourier transforms: sums over the axis, in parts if it is long.

Each sum and each wave is a pair of floats: a transform of one pass is rounded once. A long one is
factored (Cooley and Tukey, 1965), and rounded between factors.
"""

from math import isqrt

import numpy as np

from core.backends.shader.codegen.kernel_language import Dispatch, KernelBuilder, Operand, Table
from core.engine.registry import kernel
from core.engine.specs import Spec

#: The longest transform of one pass, unless its length is a larger prime number.
_LONGEST = 512


@kernel("fft", "shader")
def fft(call: KernelBuilder, input: Operand) -> Dispatch:
    """Transform along the last axis."""
    return _transform(call, input, -1)


@kernel("ifft", "shader")
def ifft(call: KernelBuilder, input: Operand) -> Dispatch:
    """Transform back along the last axis, divided by its length."""
    return _transform(call, input, 1)


def _transform(call: KernelBuilder, x: Operand | Dispatch, sign: int) -> Dispatch:
    if not call.to.size:
        return call.map("vec2(0.0)")
    length = x.shape[-1]
    divisor = float(length) if sign > 0 else 1.0
    rows = x.reshaped(call.to.size // length, length)
    return _along(call, rows, sign, divisor).reshaped(*call.to.shape)


def _along(call: KernelBuilder, x: Operand | Dispatch, sign: int, divisor: float) -> Dispatch:
    """Return the transform of each row, divided by a number."""
    rows, length = x.shape
    factor = _factor(length)
    if factor == length:
        return _summed(call, x.reshaped(rows, length, 1), sign, divisor).reshaped(rows, length)
    rest = length // factor
    first = _summed(call, x.reshaped(rows, factor, rest), sign, 1.0)
    turned = call.map(
        "complex_product(get_x(o0, o1, o2), get_waves(o1 * o2))",
        to=Spec((rows, factor, rest), "complex64"),
        x=first,
        waves=Table(_waves(length, sign).astype(np.complex64)),
    )
    last = _along(call, turned.reshaped(rows * factor, rest), sign, divisor)
    to = Spec((rows, rest, factor), "complex64")
    made = call.map("get_x(o0, o2, o1)", to=to, x=last.reshaped(rows, factor, rest))
    return made.reshaped(rows, length)


def _factor(length: int) -> int:
    """Return the factor of a length for one pass that minimizes the steps of both passes.

    A length whose prime factors are all too large is divided by the smallest, or not at all.
    """
    if length <= _LONGEST:
        return length
    small = [n for n in range(2, _LONGEST + 1) if length % n == 0]
    if small:
        return min(small, key=lambda n: n + length // n)
    odd = (n for n in range(_LONGEST | 1, isqrt(length) + 1, 2) if length % n == 0)
    return next(odd, length)


def _waves(length: int, sign: int) -> np.ndarray:
    return np.exp(sign * 2j * np.pi / length * np.arange(length))


def _summed(call: KernelBuilder, x: Operand | Dispatch, sign: int, divisor: float) -> Dispatch:
    """Return the transform of [rows, length, n] along its middle axis."""
    waves = _waves(x.shape[1], sign)
    first = waves.astype(np.complex64)
    text = """vec2 re = vec2(0.0), im = vec2(0.0);
int turn = 0;
for (int j = 0; j < x_1; j++) {
    vec2 v = get_x(o0, j, o2), w = waves_at(turn), rest = rests_at(turn);
    vec2 across = vec2(w.x, rest.x), up = vec2(w.y, rest.y);
    re = with_product(with_product(re, v.x, across, o), -v.y, up, o);
    im = with_product(with_product(im, v.x, up, o), v.y, across, o);
    turn += o1;
    if (turn >= x_1) turn -= x_1;
}
return vec2(pair_mean(re, divisor, o), pair_mean(im, divisor, o));"""
    return call.map(
        text,
        to=Spec(x.shape, "complex64"),
        values={"divisor": divisor},
        x=x,
        waves=Table(first),
        rests=Table((waves - first).astype(np.complex64)),
    )
