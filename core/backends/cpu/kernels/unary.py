"""Element-wise kernels of one input: one NumPy expression each.

NumPy's float32 functions are up to 3 units in the last place off where the processor has vectors,
so those are computed in float64 and rounded once. Its float32 sin, cos, tanh and sqrt stay within
one unit, and are many times as fast.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from core.backends.cpu.kernels.shape import cast
from core.engine.registry import kernel
from core.ops.unary import SELU_SCALE, SELU_SCALE_ALPHA

#: Memory of the shape of x, which a plan provides; otherwise NumPy allocates it.
Temporary = np.ndarray | None

#: Values per piece: a few float64 temporaries of one fit the cache.
_PIECE = 1 << 14


def in_float64(function: np.ufunc) -> Callable[[np.ndarray], np.ndarray]:
    """Return a float32 function computed in float64, by NumPy's conversion in small pieces."""

    def rounded_once(x: np.ndarray) -> np.ndarray:
        result = np.empty(x.shape, np.float32)
        function(x, out=result, dtype=np.float64, casting="same_kind")
        return result

    return rounded_once


def in_pieces(function: Callable[..., np.ndarray]) -> Callable[[np.ndarray], np.ndarray]:
    """Return a float32 function of several steps on float64 pieces, which steps may overwrite."""

    def rounded_once(x: np.ndarray) -> np.ndarray:
        if x.size <= _PIECE:
            return function(x.astype(np.float64)).astype(np.float32)
        flat, result = x.reshape(-1), np.empty(x.shape, np.float32)
        pieces = result.reshape(-1)
        for start in range(0, x.size, _PIECE):
            piece = slice(start, start + _PIECE)
            pieces[piece] = function(flat[piece].astype(np.float64))
        return result

    return rounded_once


def reciprocal_root(x: np.ndarray) -> np.ndarray:
    """Return 1 / sqrt(x), in place."""
    return np.reciprocal(np.sqrt(x, out=x), out=x)


def sigmoid(x: np.ndarray) -> np.ndarray:
    """Return 1 / (1 + e**-x), in place."""
    np.exp(np.negative(x, out=x), out=x)
    x += 1
    return np.reciprocal(x, out=x)


def softplus(x: np.ndarray, rest: Temporary = None) -> np.ndarray:
    """Return log(1 + e**x), where e**x may be infinite, in place."""
    powers = np.exp(np.negative(np.abs(x, out=rest), out=rest), out=rest)
    return np.add(np.log1p(powers, out=rest), np.maximum(x, 0, out=x), out=x)


def elu(x: np.ndarray, negative: Temporary = None) -> np.ndarray:
    """Return the positive part plus e**x - 1 of the negative part; a choice would be slower."""
    negative = np.expm1(np.minimum(x, 0, out=negative), out=negative)
    return np.add(negative, np.maximum(x, 0, out=x), out=x)


def selu(x: np.ndarray, negative: Temporary = None) -> np.ndarray:
    """Return elu with the scales of selu, in place."""
    negative = np.expm1(np.minimum(x, 0, out=negative), out=negative)
    negative *= SELU_SCALE_ALPHA
    x *= SELU_SCALE
    return np.add(negative, np.maximum(x, 0, out=x), out=x)


#: erf(x) / x as a ratio of polynomials of x * x, fitted by least squares at Chebyshev points of
#: x * x up to 16. The largest relative error is 1e-9; beyond x = 4 erf is 1 in float32.
ERF_ABOVE = (
    -4.2897332008389177e-08,
    2.36269783031869e-08,
    0.00031048219583610124,
    0.0030116717596953653,
    0.05115069947282799,
    0.16803317618627506,
    1.1283791682423983,
)
ERF_BELOW = (
    -5.81632420738034e-07,
    4.2408254448928234e-05,
    0.0010567097344987228,
    0.013614580926960796,
    0.10608047513441268,
    0.48224890047214464,
    1.0,
)


def polynomial(coefficients: Sequence[float], x: np.ndarray, out: np.ndarray) -> np.ndarray:
    """Evaluate a polynomial by Horner's rule, highest power first."""
    out.fill(coefficients[0])
    for coefficient in coefficients[1:]:
        out *= x
        out += coefficient
    return out


def erf(x: np.ndarray, squares: Temporary = None, sums: Temporary = None) -> np.ndarray:
    """Return the error function, in place."""
    if squares is None or sums is None:
        squares, sums = np.empty_like(x), np.empty_like(x)
    x.clip(-4, 4, out=x)
    np.multiply(x, x, out=squares)
    x *= polynomial(ERF_ABOVE, squares, sums)
    x /= polynomial(ERF_BELOW, squares, sums)
    return x


def step(x: np.ndarray, alpha: float) -> np.ndarray:
    """Return 1 for positive x, NaN for NaN, else alpha, truncated for integers."""
    if x.dtype == np.int32:
        return np.where(x > 0, np.int32(1), cast(np.array(alpha, np.float64), "int32"))
    if alpha == 0:
        return np.heaviside(x, np.float32(0))
    result = np.where(x > 0, np.float32(1), np.float32(alpha))
    np.copyto(result, x, where=np.isnan(x))
    return result


def clip(x: np.ndarray, clip_value_min: float, clip_value_max: float) -> np.ndarray:
    """Clip; NaN stays NaN; fractional limits are truncated for integers."""
    if x.dtype == np.int32:
        wide = np.clip(x.astype(np.float64), clip_value_min, clip_value_max)
        return cast(wide, "int32")
    return np.clip(x, np.float32(clip_value_min), np.float32(clip_value_max))


def whole(function: np.ufunc) -> Callable[[np.ndarray], np.ndarray]:
    """Return a rounding function that leaves integers unchanged."""
    return lambda x: function(x).astype(x.dtype)


#: Ops that are one function of NumPy of float64, rounded once.
FLOAT64_FUNCTIONS: dict[str, np.ufunc] = {
    "exp": np.exp,
    "expm1": np.expm1,
    "log": np.log,
    "log1p": np.log1p,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
}

#: Functions of several steps in place, computed in float64, and their numbers of temporaries.
FLOAT64_STEPS: dict[str, tuple[Callable[..., np.ndarray], int]] = {
    "rsqrt": (reciprocal_root, 0),
    "erf": (erf, 2),
    "sigmoid": (sigmoid, 0),
    "softplus": (softplus, 1),
    "elu": (elu, 1),
    "selu": (selu, 1),
}

UNARY: dict[str, Callable[..., Any]] = {
    "neg": np.negative,
    "abs": np.abs,
    "sign": lambda x: np.greater(x, 0).astype(x.dtype) - np.less(x, 0),
    "square": np.square,
    "sqrt": np.sqrt,
    "reciprocal": np.reciprocal,
    **{name: in_float64(function) for name, function in FLOAT64_FUNCTIONS.items()},
    **{name: in_pieces(function) for name, (function, _) in FLOAT64_STEPS.items()},
    "sin": np.sin,
    "cos": np.cos,
    "tanh": np.tanh,
    "relu": lambda x: np.maximum(x, 0),
    "relu6": lambda x: np.clip(x, 0, 6),
    "leaky_relu": lambda x, alpha: np.maximum(x, 0) + np.float32(alpha) * np.minimum(x, 0),
    "step": step,
    "clip_by_value": clip,
    "floor": whole(np.floor),
    "ceil": whole(np.ceil),
    "round": whole(np.rint),
    "is_nan": np.isnan,
    "is_inf": np.isinf,
    "is_finite": np.isfinite,
    "logical_not": np.logical_not,
    "zeros_like": np.zeros_like,
    "ones_like": np.ones_like,
}

for _name, _function in UNARY.items():
    kernel(_name, "cpu")(_function)
