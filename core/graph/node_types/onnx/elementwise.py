"""Element-wise ops, activations, comparisons, logic and bits."""

from functools import reduce
from typing import Any

from core import ops
from core.engine.tensors import Tensor
from core.graph.node_types.onnx.rows import Function, Rows


def _aligned(function: Function) -> Function:
    """The row of an op before opset 7: the second input may begin at any axis of the first."""

    def row(x: Tensor, y: Tensor, axis: int | None = None, broadcast: int = 0) -> Tensor:
        if not broadcast or axis is None:
            return function(x, y)
        after = x.ndim - axis % x.ndim - y.ndim
        return function(x, ops.reshape(y, shape=(*y.shape, *(1,) * after)))

    return row


def _prelu_1(x: Tensor, alpha: Tensor) -> Tensor:
    """Multiply negative values by the number of each channel, before opset 7."""
    if alpha.size > 1:
        alpha = ops.reshape(alpha, shape=(-1, *(1,) * (x.ndim - 2)))
    return ops.prelu(x, alpha)


def _truncated(x: Tensor, y: Tensor) -> Tensor:
    """Divide; integers towards zero, as C does."""
    if x.dtype != "int32":
        return x / y
    quotient = ops.floor_div(ops.abs(x), ops.abs(y))
    return quotient * ops.sign(x) * ops.sign(y)


def _mod(x: Tensor, y: Tensor, fmod: int = 0) -> Tensor:
    """The remainder with the sign of y, or as C does with that of x."""
    if fmod:
        return ops.abs(ops.mod(ops.abs(x), ops.abs(y))) * ops.sign(x)
    if x.dtype != "float32":
        return ops.mod(x, y)
    # Infinite divisors leave x, or are the result if x has the other sign; zeros have y's sign.
    is_whole = ops.logical_and(ops.is_inf(y), ops.is_finite(x))
    rest = ops.where(is_whole, x, ops.mod(x, ops.where(is_whole, 1.0, y)))
    rest = ops.where(ops.logical_and(is_whole, x * ops.sign(y) < 0), y, rest)
    return ops.where(ops.equal(rest, 0.0), ops.sign(y) * 0.0, rest)


def _power(x: Tensor, y: Tensor) -> Tensor:
    return ops.cast(ops.pow(x, y), dtype=x.dtype)


def _clip(x: Tensor, low: Any = None, high: Any = None, **attributes: float) -> Tensor:
    low, high = attributes.get("min", low), attributes.get("max", high)
    x = x if low is None else ops.maximum(x, low)
    return x if high is None else ops.minimum(x, high)


def _gelu(x: Tensor, approximate: str = "none") -> Tensor:
    if approximate == "tanh":
        return 0.5 * x * (1 + ops.tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))
    return 0.5 * x * (1 + ops.erf(x * 0.7071067811865476))


def _hard_sigmoid(x: Tensor, alpha: float = 0.2, beta: float = 0.5) -> Tensor:
    return ops.clip_by_value(alpha * x + beta, 0, 1)


def _celu(x: Tensor, alpha: float = 1.0) -> Tensor:
    return ops.maximum(x, 0.0) + ops.minimum(alpha * ops.expm1(x / alpha), 0.0)


def _elu(x: Tensor, alpha: float = 1.0) -> Tensor:
    return ops.elu(x) if alpha == 1 else ops.select(x > 0, x, alpha * ops.expm1(x))


def _is_infinite(x: Tensor, detect_negative: int = 1, detect_positive: int = 1) -> Tensor:
    found = ops.is_inf(x)
    if not detect_negative:
        found = ops.logical_and(found, x > 0)
    return found if detect_positive else ops.logical_and(found, x < 0)


def _shrink(x: Tensor, bias: float = 0.0, lambd: float = 0.5) -> Tensor:
    low, high = x < -lambd, x > lambd
    return ops.where(low, x + bias, ops.where(high, x - bias, 0.0 * x))


ROWS: Rows = {
    "Abs": ops.abs,
    "Acos": ops.acos,
    "Acosh": ops.acosh,
    "Add": {1: _aligned(ops.add), 7: ops.add},
    "And": {1: _aligned(ops.logical_and), 7: ops.logical_and},
    "Asin": ops.asin,
    "Asinh": ops.asinh,
    "Atan": ops.atan,
    "Atanh": ops.atanh,
    "Ceil": ops.ceil,
    "Celu": _celu,
    "Clip": _clip,
    "Cos": ops.cos,
    "Cosh": ops.cosh,
    "Div": {1: _aligned(_truncated), 7: _truncated},
    "Elu": _elu,
    "Equal": {1: _aligned(ops.equal), 7: ops.equal},
    "Erf": ops.erf,
    "Exp": ops.exp,
    "Floor": ops.floor,
    "Gelu": _gelu,
    "Greater": {1: _aligned(ops.greater), 7: ops.greater},
    "GreaterOrEqual": ops.greater_equal,
    "HardSigmoid": _hard_sigmoid,
    "HardSwish": lambda x: x * _hard_sigmoid(x, 1 / 6),
    "Identity": lambda x: [x],  # a list, too, is one value
    "LeakyRelu": lambda x, alpha=0.01: ops.leaky_relu(x, alpha=alpha),
    "Less": {1: _aligned(ops.less), 7: ops.less},
    "LessOrEqual": ops.less_equal,
    "Log": ops.log,
    "Max": lambda *xs: reduce(ops.maximum, xs),
    "Mean": lambda *xs: reduce(ops.add, xs) / len(xs),
    "Min": lambda *xs: reduce(ops.minimum, xs),
    "Mish": lambda x: x * ops.tanh(ops.softplus(x)),
    "Mod": _mod,
    "Mul": {1: _aligned(ops.mul), 7: ops.mul},
    "Neg": ops.neg,
    "Not": ops.logical_not,
    "Or": {1: _aligned(ops.logical_or), 7: ops.logical_or},
    "PRelu": {1: _prelu_1, 7: ops.prelu},
    "Pow": {1: _aligned(_power), 7: _power},
    "Reciprocal": ops.reciprocal,
    "Relu": ops.relu,
    "Round": ops.round,
    "Selu": lambda x, alpha=1.6732632423543772, gamma=1.0507009873554805: gamma * _elu(x, alpha),
    "Sigmoid": ops.sigmoid,
    "Sign": ops.sign,
    "Sin": ops.sin,
    "Sinh": ops.sinh,
    "Softplus": ops.softplus,
    "Softsign": lambda x: x / (1 + ops.abs(x)),
    "Sqrt": ops.sqrt,
    "Sub": {1: _aligned(ops.sub), 7: ops.sub},
    "Sum": lambda *xs: reduce(ops.add, xs),
    "Swish": lambda x, alpha=1.0: x * ops.sigmoid(alpha * x),
    "Tan": ops.tan,
    "Tanh": ops.tanh,
    "ThresholdedRelu": lambda x, alpha=1.0: ops.select(x > alpha, x, 0.0 * x),
    "Where": ops.where,
    "Xor": {1: _aligned(ops.logical_xor), 7: ops.logical_xor},
    "BitwiseAnd": ops.bitwise_and,
    "BitwiseOr": lambda x, y: x + y - ops.bitwise_and(x, y),
    "BitwiseXor": lambda x, y: x + y - 2 * ops.bitwise_and(x, y),
    "IsInf": _is_infinite,
    "IsNaN": ops.is_nan,
    "Shrink": _shrink,
    "SwiGLU": lambda x, y, alpha=1.0: x * ops.sigmoid(alpha * x) * y,
}
