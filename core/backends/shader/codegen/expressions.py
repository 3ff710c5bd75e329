"""The table of element-wise ops: GLSL of one value of the result.

The kernels of these ops, and the epilogues of plans, are made from it.
"""

from collections.abc import Callable, Mapping, Sequence
from math import ceil, floor, fmod, isfinite
from re import sub
from string import ascii_lowercase
from typing import Any, NamedTuple, TypeAlias

from core.backends.shader.codegen.kernel_language import (
    MOST_INPUTS,
    Dispatch,
    KernelBuilder,
    Operand,
    literal,
)
from core.ops.unary import SELU_SCALE, SELU_SCALE_ALPHA
from core.plan.integer_ops import SUM_BITS

#: Names of operands where there are several; ``o`` is a coordinate.
LETTERS = tuple(ascii_lowercase.replace("o", "")[:MOST_INPUTS])


class Expression(NamedTuple):
    """GLSL of one value of a result.

    Attributes:
        text: GLSL; one operand is ``x``, several are ``a``, ``b``, ``c``, ...
        values: numbers that the text names.
    """

    text: str
    values: Mapping[str, float] = {}


#: An expression for any dtype, by the dtype of the first operand, or by the attributes too.
Row: TypeAlias = str | Mapping[str, str] | Callable[..., Expression]


def _rounding(function: str) -> Row:
    """Return a rounding expression, which leaves integers unchanged."""
    return {"float32": f"{function}(x)", "int32": "x"}


def _comparison(sign: str) -> Row:
    return {
        "float32": f"a {sign} b",
        "int32": f"a {sign} b",
        "bool": f"int(a) {sign} int(b)",
    }


def _known(number: str) -> Row:
    """Return a constant expression."""
    shown = {"0": "false", "1": "true"}[number]
    return {
        "float32": f"{number}.0",
        "int32": number,
        "bool": shown,
        "complex64": f"vec2({number}.0, 0.0)",
    }


def _whole(number: float) -> int:
    """Return a number converted to int32 as JavaScript does."""
    cut = int(fmod(number, 2.0**32)) if isfinite(number) else 0
    return (cut + 2**31) % 2**32 - 2**31


def _leaky_relu(dtype: str, alpha: float) -> Expression:
    return Expression("x < 0.0 ? alpha * x : x", {"alpha": float(alpha)})


def _step(dtype: str, alpha: float) -> Expression:
    if dtype == "int32":
        return Expression("x > 0 ? 1 : alpha", {"alpha": _whole(alpha)})
    return Expression("is_nan(x) ? x : (x > 0.0 ? 1.0 : alpha)", {"alpha": float(alpha)})


def _clip(dtype: str, clip_value_min: float, clip_value_max: float) -> Expression:
    """Return GLSL of clipping; integers are clipped by float limits, then truncated."""
    if dtype == "float32":
        limits = {"least": float(clip_value_min), "most": float(clip_value_max)}
        return Expression("clamped(x, least, most)", limits)
    first = ceil(max(clip_value_min, -(2.0**31)))
    last = floor(min(clip_value_max, 2.0**31 - 1))
    values = {
        "first_inside": min(first, 2**31 - 1),
        "last_inside": max(last, -(2**31)),
        "least": _whole(clip_value_min),
        "most": _whole(clip_value_max),
    }
    return Expression("x < first_inside ? least : (x > last_inside ? most : x)", values)


def _quantise(
    dtype: str, scale: float, zero_point: int, low: int, high: int, nudge: bool
) -> Expression:
    values = {
        "quantum": float(scale),
        "least": float(low - zero_point),
        "most": float(high - zero_point),
    }
    return Expression(f"nearest_quantum(x, quantum, least, most, {literal(bool(nudge))})", values)


def _requantise(dtype: str, least: int, most: int, is_small: bool) -> Expression:
    limits = {"least": float(least), "most": float(most)}
    return Expression("quantum_of_sum(a, b, c, least, most)", limits)


def _quanta_binary(
    dtype: str, kind: str, numbers: Sequence[int], least: int, most: int
) -> Expression:
    """Return GLSL of a sum, difference or product of steps from 0."""
    _, first, right_of_first, _, second, right_of_second, last, left, right = numbers
    total = "int(a) * int(b)"
    if kind != "mul":
        sign = "+" if kind == "add" else "-"
        moved = (
            f"rounded_product(int({x}) << {SUM_BITS}, {number >> 16}, {number & 0xFFFF}, {by})"
            for x, number, by in (("a", first, right_of_first), ("b", second, right_of_second))
        )
        total = f" {sign} ".join(moved)
    rounded = f"rounded_product(({total}) << {left}, {last >> 16}, {last & 0xFFFF}, {right})"
    limits = {"least": float(least), "most": float(most)}
    return Expression(f"clamp(float({rounded}), least, most)", limits)


UNARY: dict[str, Row] = {
    "neg": "-x",
    "abs": {"float32": "abs(x)", "int32": "abs(x)", "complex64": "magnitude(x)"},
    "sign": {
        "float32": "is_nan(x) ? 0.0 : float(x > 0.0) - float(x < 0.0)",
        "int32": "int(x > 0) - int(x < 0)",
    },
    "square": {"float32": "x * x", "int32": "x * x", "complex64": "complex_product(x, x)"},
    "sqrt": "sqrt_(x)",
    "rsqrt": "rsqrt_(x)",
    "reciprocal": "divide(1.0, x)",
    "exp": "exp_(x)",
    "expm1": "expm1_(x)",
    "log": "log_(x)",
    "log1p": "log1p_(x)",
    "sin": "sin_(x)",
    "cos": "cos_(x)",
    "tan": "tan_(x)",
    "asin": "asin_(x)",
    "acos": "acos_(x)",
    "atan": "atan_(x)",
    "sinh": "sinh_(x)",
    "cosh": "cosh_(x)",
    "tanh": "tanh_(x)",
    "asinh": "asinh_(x)",
    "acosh": "acosh_(x)",
    "atanh": "atanh_(x)",
    "erf": "erf_(x)",
    "sigmoid": "sigmoid_(x)",
    "softplus": "softplus_(x)",
    "relu": {"float32": "x > 0.0 || is_nan(x) ? x : 0.0", "int32": "max(x, 0)"},
    "relu6": {
        "float32": "clamped(x, 0.0, 6.0)",
        "int32": "clamp(x, 0, 6)",
    },
    # Of -0.0 this and its like give -0.0, as in TensorFlow.js; the cpu kernels add 0 to it.
    "elu": "elu_(x)",
    "selu": f"x > 0.0 ? {SELU_SCALE!r} * x : {SELU_SCALE_ALPHA!r} * expm1_(x)",
    "leaky_relu": _leaky_relu,
    "step": _step,
    "clip_by_value": _clip,
    "floor": _rounding("floor"),
    "ceil": _rounding("ceil"),
    "round": _rounding("roundEven"),
    "is_nan": {"float32": "is_nan(x)", "int32": "false"},
    "is_inf": {"float32": "is_inf(x)", "int32": "false"},
    "is_finite": {"float32": "is_finite(x)", "int32": "true"},
    "logical_not": "!x",
    "zeros_like": _known("0"),
    "ones_like": _known("1"),
}

BINARY: dict[str, Row] = {
    "add": "a + b",
    "sub": "a - b",
    "mul": {"float32": "a * b", "int32": "a * b", "complex64": "complex_product(a, b)"},
    "div": {
        "float32": "divide(a, b)",
        "int32": "floor_divide(a, b)",
        "complex64": "complex_quotient(a, b)",
    },
    "floor_div": {"float32": "floor_of_quotient(a, b)", "int32": "floor_divide(a, b)"},
    "mod": {
        "float32": "floor_mod(a, b)",
        "int32": "b == 0 ? 0 : a - floor_divide(a, b) * b",
    },
    "pow": {"float32": "pow_(a, b)", "int32": "integer_power(a, b)"},
    "maximum": {"float32": "maximum(a, b)", "int32": "max(a, b)"},
    "minimum": {"float32": "minimum(a, b)", "int32": "min(a, b)"},
    "squared_difference": "(a - b) * (a - b)",
    "atan2": "atan2_(a, b)",
    "prelu": "a < 0.0 ? b * a : a",
    "bitwise_and": "a & b",
}

COMPARE: dict[str, Row] = {
    "equal": "a == b",
    "not_equal": "a != b",
    "less": _comparison("<"),
    "less_equal": _comparison("<="),
    "greater": _comparison(">"),
    "greater_equal": _comparison(">="),
    "logical_and": "a && b",
    "logical_or": "a || b",
    "logical_xor": "a != b",
    "select": "a ? b : c",
}

#: Expressions of gradients; operands are the gradient of the result, then the result.
ACTIVATION: dict[str, Row] = {
    "elu_grad": "b >= 0.0 ? a : a * (b + 1.0)",
    "relu_grad": "a * (is_nan(b) ? b : (b > 0.0 ? 1.0 : 0.0))",
}

COMPLEX_NUMBERS: dict[str, Row] = {
    "complex": "vec2(a, b)",
    "real": "x.x",
    "imag": "x.y",
    "complex_abs": "magnitude(x)",
}

QUANTISATION: dict[str, Row] = {
    "quantise_round": _quantise,
    "quanta_binary": _quanta_binary,
    "requantise": _requantise,
}

EXPRESSIONS: dict[str, Row] = UNARY | BINARY | COMPARE | ACTIVATION | COMPLEX_NUMBERS | QUANTISATION


def operand_names(count: int) -> tuple[str, ...]:
    """Return the names of operands in an expression.

    >>> operand_names(1), operand_names(2)
    (('x',), ('a', 'b'))
    """
    return ("x",) if count == 1 else LETTERS[:count]


def expression(op: str, dtypes: Sequence[str], attributes: Mapping[str, Any]) -> Expression:
    """Return the expression of an op's result.

    Args:
        op: name of the op, in `EXPRESSIONS` or ``"add_n"``.
        dtypes: dtypes of its operands.
        attributes: all attributes of the op.

    >>> expression("mul", ["float32", "float32"], {}).text
    'a * b'
    """
    if op == "add_n":
        return Expression(" + ".join(operand_names(len(dtypes))))
    row = EXPRESSIONS[op]
    if callable(row):
        return row(dtypes[0], **attributes)
    return Expression(row if isinstance(row, str) else row[dtypes[0]])


def epilogue_text(op: str, attributes: Mapping[str, Any], names: Sequence[str]) -> str:
    """Return GLSL of a float32 op's value, with numbers instead of attributes.

    Args:
        op: name of the op.
        attributes: all attributes of the op.
        names: names of its operands; ``"here"`` is the value that the op is fused into.

    >>> epilogue_text("leaky_relu", {"alpha": 0.5}, ["here"])
    'here < 0.0 ? 0.5 * here : here'
    >>> epilogue_text("sub", {}, ["left", "here"])
    'left - here'
    """
    made = expression(op, ["float32"] * len(names), attributes)
    shown = dict(zip(operand_names(len(names)), names, strict=True))
    shown |= {name: literal(value) for name, value in made.values.items()}
    return sub(r"(?<![.\w])[a-z_]+\b(?!\()", lambda m: shown.get(m[0], m[0]), made.text)


def elementwise(op: str) -> Callable[..., Dispatch]:
    """Return the kernel of an op of the table."""

    def run(call: KernelBuilder, *operands: Operand, **attributes: Any) -> Dispatch:
        made = expression(op, [x.dtype for x in operands], attributes)
        inputs: dict[str, Any] = dict(zip(operand_names(len(operands)), operands, strict=True))
        if op in ("zeros_like", "ones_like"):
            inputs = {}
        return call.each(made.text, values=made.values, **inputs)

    return run
