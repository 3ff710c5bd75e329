"""Element-wise ops of one input: one row each.

A row has the name, the gradient rule, the range of x in tests, a description, an example,
and the names in model formats. A rule gets ``g``, the gradient of y, and by name other arguments
(`core.engine.operation.Op.gradient`).
``FLOAT`` rows convert their input to float32 first; ``REAL`` and ``NUMBER`` rows keep its dtype,
but for bools, which become int32. Only ``NUMBER`` and ``ANY`` rows take complex64.
"""

from math import pi, sqrt
from typing import NamedTuple

from core.engine.late_ops import ops
from core.engine.operation import UNSPELLED, Rule, Spellings, Traits
from core.engine.specs import Spec
from core.errors import CoreError
from core.ops.complex_numbers import abs_gradient, conjugate
from core.ops.declaring import TAKES, declare_row, zero

FLOAT, REAL, NUMBER, BOOL, ANY = "float32", "real", "number", "bool", "no string"

#: Klambauer et al. 2017, https://arxiv.org/abs/1706.02515: keeps mean 0 and variance 1.
SELU_SCALE, SELU_SCALE_ALPHA = 1.0507009873554805, 1.7580993408473768


def same(x: Spec) -> Spec:
    """A tensor of that shape and dtype."""
    return x


def to_bool(x: Spec) -> Spec:
    """bool, of that shape."""
    return Spec(x.shape, "bool")


def magnitude(x: Spec) -> Spec:
    """A tensor of that shape and dtype, but float32 for complex64."""
    return Spec(x.shape, "float32") if x.dtype == "complex64" else x


def same_with_alpha(x: Spec, *, alpha: float = 0.2) -> Spec:
    """A tensor of that shape and dtype.

    alpha: the negative slope.
    """
    return x


def same_with_floor(x: Spec, *, alpha: float = 0.0) -> Spec:
    """A tensor of that shape and dtype.

    alpha: the value where x is not positive.
    """
    return x


def same_between(x: Spec, *, clip_value_min: float, clip_value_max: float) -> Spec:
    """A tensor of that shape and dtype.

    clip_value_min: a number, the smallest result.
    clip_value_max: the largest, at least ``clip_value_min``.
    """
    if not clip_value_min <= clip_value_max:
        raise CoreError(f"the limits {clip_value_min} and {clip_value_max} must ascend: swap them")
    return x


class UnaryRow(NamedTuple):
    """One element-wise op of x."""

    name: str
    dtype: str
    gradient: Rule | None
    domain: tuple[float, float]
    doc: str
    formula: str = ""  # in NumPy, for tests, unless NumPy or SciPy has a function of that name
    rule: Rule = same  # its keyword-only parameters are the attributes; see `document`
    kernel_name: str = ""
    method: bool = True
    example: tuple[str, str] = ("", "")  # the arguments of a call, and the printed result
    spellings: Spellings = UNSPELLED


def _relu6_gradient(g, x):
    return g * ops.step(x) * (x <= 6.0)


def _selu_gradient(g, x):
    power = ops.exp(ops.minimum(x, 0.0))  # finite, since inf * 0 would be a second derivative
    return g * ops.select(x > 0.0, SELU_SCALE, SELU_SCALE_ALPHA * power)


def _leaky_relu_gradient(g, x, alpha):
    return ops.select(x > 0.0, g, g * alpha)


def _clip_gradient(g, x, clip_value_min, clip_value_max):
    inside = ops.logical_and(x >= clip_value_min, x <= clip_value_max)
    return ops.select(inside, g, ops.zeros_like(g))


# Filled lines, since a formatter would give each value a line of its own:
# fmt: off
UNARY = [
    UnaryRow("neg", NUMBER, lambda g: -g, (-3, 3), "-x", "-x",
        example=("[1.5, -2.0]", "array([-1.5,  2. ], dtype=float32)"),
        spellings=Spellings(("Neg",), "NEG", ("negative",))),
    UnaryRow("abs", NUMBER, abs_gradient, (-3, 3),
        "the absolute value of x, of a complex number its magnitude", rule=magnitude,
        example=("[-1.5, 2.0]", "array([1.5, 2. ], dtype=float32)"),
        spellings=Spellings(("Abs",), "ABS", ("abs", "absolute"))),
    UnaryRow("sign", REAL, zero, (-3, 3), "-1, 0 or 1 by the sign of x", "(x > 0) * 1.0 - (x < 0)",
        example=("[-3.0, 0.0, 5.0]", "array([-1.,  0.,  1.], dtype=float32)"),
        spellings=Spellings(("Sign",), "SIGN")),
    UnaryRow("square", NUMBER, lambda g, x: g * 2.0 * conjugate(x), (-3, 3), "x * x",
        example=("[3, -4]", "array([ 9, 16], dtype=int32)"),
        spellings=Spellings(("Square",), "SQUARE", ("square",))),
    UnaryRow("sqrt", FLOAT, lambda g, y: g / (2.0 * y), (0.1, 5), "the square root of x",
        example=("[4.0, 9.0]", "array([2., 3.], dtype=float32)"),
        spellings=Spellings(("Sqrt",), "SQRT", ("sqrt",))),
    UnaryRow("rsqrt", FLOAT, lambda g, x, y: -g * y / (2.0 * x), (0.2, 5), "1 / sqrt(x)",
        "1 / np.sqrt(x)", example=("[4.0, 16.0]", "array([0.5 , 0.25], dtype=float32)"),
        spellings=Spellings(("Rsqrt",), "RSQRT")),
    UnaryRow("reciprocal", FLOAT, lambda g, y: -g * y * y, (0.2, 3), "1 / x", "1 / x",
        example=("[2.0, -4.0]", "array([ 0.5 , -0.25], dtype=float32)"),
        spellings=Spellings(("Reciprocal", "Inv"))),
    UnaryRow("exp", FLOAT, lambda g, y: g * y, (-3, 3), "e to the power of x",
        example=("[0.0, 1.0]", "array([1.       , 2.7182817], dtype=float32)"),
        spellings=Spellings(("Exp",), "EXP", ("exp",), ("exponential",))),
    UnaryRow("expm1", FLOAT, lambda g, x: g * ops.exp(x), (-3, 3), "e**x - 1, exact near 0",
        example=("[0.0, 1e-6]", "array([0.0000000e+00, 1.0000005e-06], dtype=float32)"),
        spellings=Spellings(("Expm1",))),
    UnaryRow("log", FLOAT, lambda g, x: g / x, (0.1, 5), "the natural logarithm of x",
        example=("[1.0, 10.0]", "array([0.       , 2.3025851], dtype=float32)"),
        spellings=Spellings(("Log",), "LOG", ("log",))),
    UnaryRow("log1p", FLOAT, lambda g, x: g / (x + 1.0), (-0.8, 5), "log(1 + x), exact near 0",
        example=("[0.0, 1e-6]", "array([0.000000e+00, 9.999995e-07], dtype=float32)"),
        spellings=Spellings(("Log1p",))),
    UnaryRow("sin", FLOAT, lambda g, x: g * ops.cos(x), (-3, 3), "the sine of x (radians)",
        example=("[0.0, 1.5707964]", "array([0., 1.], dtype=float32)"),
        spellings=Spellings(("Sin",), "SIN")),
    UnaryRow("cos", FLOAT, lambda g, x: -g * ops.sin(x), (-3, 3), "the cosine of x (radians)",
        example=("[0.0, 3.1415927]", "array([ 1., -1.], dtype=float32)"),
        spellings=Spellings(("Cos",), "COS")),
    UnaryRow("tan", FLOAT, lambda g, y: g * (1.0 + y * y), (-1, 1), "the tangent of x (radians)",
        example=("[0.0, 1.0]", "array([0.       , 1.5574077], dtype=float32)"),
        spellings=Spellings(("Tan",))),
    UnaryRow("asin", FLOAT, lambda g, x: g / ops.sqrt(1.0 - x * x), (-0.9, 0.9),
        "the inverse sine of x, -pi/2 to pi/2", "np.arcsin(x)",
        example=("[-1.0, 0.5]", "array([-1.5707964,  0.5235988], dtype=float32)"),
        spellings=Spellings(("Asin",))),
    UnaryRow("acos", FLOAT, lambda g, x: -g / ops.sqrt(1.0 - x * x), (-0.9, 0.9),
        "the inverse cosine of x, 0 to pi", "np.arccos(x)",
        example=("[-1.0, 0.5]", "array([3.1415927, 1.0471976], dtype=float32)"),
        spellings=Spellings(("Acos",))),
    UnaryRow("atan", FLOAT, lambda g, x: g / (x * x + 1.0), (-3, 3),
        "the inverse tangent of x, -pi/2 to pi/2", "np.arctan(x)",
        example=("[-1.0, 0.5]", "array([-0.7853982,  0.4636476], dtype=float32)"),
        spellings=Spellings(("Atan",))),
    UnaryRow("sinh", FLOAT, lambda g, x: g * ops.cosh(x), (-3, 3), "the hyperbolic sine of x",
        example=("[0.0, 1.0]", "array([0.       , 1.1752012], dtype=float32)"),
        spellings=Spellings(("Sinh",))),
    UnaryRow("cosh", FLOAT, lambda g, x: g * ops.sinh(x), (-3, 3), "the hyperbolic cosine of x",
        example=("[0.0, 1.0]", "array([1.       , 1.5430807], dtype=float32)"),
        spellings=Spellings(("Cosh",))),
    UnaryRow("tanh", FLOAT, lambda g, y: g * (1.0 - y * y), (-3, 3), "the hyperbolic tangent of x",
        example=("[0.0, 20.0]", "array([0., 1.], dtype=float32)"),
        spellings=Spellings(("Tanh",), keras=("tanh",), activations=("tanh",))),
    UnaryRow("asinh", FLOAT, lambda g, x: g / ops.sqrt(x * x + 1.0), (-3, 3),
        "the inverse hyperbolic sine of x", "np.arcsinh(x)",
        example=("[0.0, 1.0]", "array([0.       , 0.8813736], dtype=float32)"),
        spellings=Spellings(("Asinh",))),
    UnaryRow("acosh", FLOAT, lambda g, x: g / ops.sqrt(x * x - 1.0), (1.1, 5),
        "the inverse hyperbolic cosine of x", "np.arccosh(x)",
        example=("[1.0, 2.0]", "array([0.      , 1.316958], dtype=float32)"),
        spellings=Spellings(("Acosh",))),
    UnaryRow("atanh", FLOAT, lambda g, x: g / (1.0 - x * x), (-0.9, 0.9),
        "the inverse hyperbolic tangent of x", "np.arctanh(x)",
        example=("[0.0, 0.5]", "array([0.        , 0.54930615], dtype=float32)"),
        spellings=Spellings(("Atanh",))),
    UnaryRow("erf", FLOAT, lambda g, x: g * (2 / sqrt(pi)) * ops.exp(-x * x), (-3, 3),
        "the error function",
        example=("[0.0, 1.0]", "array([0.       , 0.8427008], dtype=float32)"),
        spellings=Spellings(("Erf",))),
    UnaryRow("sigmoid", FLOAT, lambda g, y: g * y * (1.0 - y), (-5, 5), "1 / (1 + e**-x)",
        "special.expit(x)", example=("[0.0, 2.0]", "array([0.5      , 0.8807971], dtype=float32)"),
        spellings=Spellings(("Sigmoid",), keras=("sigmoid",), activations=("sigmoid",))),
    UnaryRow("softplus", FLOAT, lambda g, x: g * ops.sigmoid(x), (-5, 5), "log(1 + e**x)",
        "np.logaddexp(x, 0)",
        example=("[0.0, 100.0]", "array([  0.6931472, 100.       ], dtype=float32)"),
        spellings=Spellings(("Softplus",), keras=("softplus",), activations=("softplus",))),
    UnaryRow("relu", REAL, lambda g, y: ops.relu_grad(g, y), (-3, 3), "x where positive, else 0",
        "np.where(x < 0, 0, x)", example=("[-1.5, 2.0]", "array([0., 2.], dtype=float32)"),
        spellings=Spellings(("Relu",), keras=("relu",), activations=("relu",))),
    UnaryRow("relu6", REAL, _relu6_gradient, (-3, 9), "x clipped to 0..6",
        "np.where(x < 0, 0, np.where(x > 6, 6, x))",
        example=("[-1.5, 2.0, 8.0]", "array([0., 2., 6.], dtype=float32)"),
        spellings=Spellings(("Relu6",), keras=("relu6",), activations=("relu6",))),
    UnaryRow("elu", FLOAT, lambda g, y: ops.elu_grad(g, y), (-3, 3),
        "x where positive, else e**x - 1", "np.where(x < 0, np.expm1(x), x)",
        example=("[-1.0, 2.0]", "array([-0.63212055,  2.        ], dtype=float32)"),
        spellings=Spellings(("Elu",), activations=("elu", "celu"))),
    UnaryRow("selu", FLOAT, _selu_gradient, (-3, 3),
        "elu with the scales that keep mean 0 and variance 1",
        "1.0507009873554805 * np.where(x < 0, 1.6732632423543772 * np.expm1(x), x)",
        example=("[-1.0, 2.0]", "array([-1.1113307,  2.101402 ], dtype=float32)"),
        spellings=Spellings(("Selu",), keras=("selu",), activations=("selu",))),
    UnaryRow("leaky_relu", FLOAT, _leaky_relu_gradient, (-3, 3),
        "x where positive, else alpha * x", "np.where(x < 0, alpha * x, x)", rule=same_with_alpha,
        example=("[-1.0, 2.0], alpha=0.5", "array([-0.5,  2. ], dtype=float32)"),
        spellings=Spellings(("LeakyRelu",))),
    UnaryRow("step", REAL, zero, (-3, 3), "1 where x > 0, NaN where x is, else alpha",
        "np.where(np.isnan(x), x, np.where(x > 0, 1, alpha))", rule=same_with_floor,
        example=("[-1.5, 0.0, 2.0]", "array([0., 0., 1.], dtype=float32)")),
    UnaryRow("clip_by_value", REAL, _clip_gradient, (-3, 3),
        "x moved into clip_value_min..clip_value_max",
        "np.where(x < clip_value_min, clip_value_min, "
        "np.where(x > clip_value_max, clip_value_max, x))",
        rule=same_between, example=("[-3, 1, 7], 0, 5", "array([0, 1, 5], dtype=int32)")),
    UnaryRow("floor", REAL, zero, (-3, 3), "x rounded down",
        example=("[1.5, -1.5]", "array([ 1., -2.], dtype=float32)"),
        spellings=Spellings(("Floor",), "FLOOR")),
    UnaryRow("ceil", REAL, zero, (-3, 3), "x rounded up",
        example=("[1.5, -1.5]", "array([ 2., -1.], dtype=float32)"),
        spellings=Spellings(("Ceil",), "CEIL")),
    UnaryRow("round", REAL, zero, (-3, 3), "x rounded, halves to even", "special.round(x)",
        example=("[1.5, 2.5, -0.4]", "array([ 2.,  2., -0.], dtype=float32)"),
        spellings=Spellings(("Round", "Rint"), "ROUND")),
    UnaryRow("is_nan", REAL, zero, (-3, 3), "whether x is NaN", "np.isnan(x)", to_bool,
        example=('[1.0, float("nan")]', "array([False,  True])"), spellings=Spellings(("IsNan",))),
    UnaryRow("is_inf", REAL, zero, (-3, 3), "whether x is infinite", "np.isinf(x)", to_bool,
        example=('[1.0, float("-inf")]', "array([False,  True])"), spellings=Spellings(("IsInf",))),
    UnaryRow("is_finite", REAL, zero, (-3, 3), "whether x is a finite number", "np.isfinite(x)",
        to_bool, example=('[1.0, float("nan"), float("inf")]', "array([ True, False, False])"),
        spellings=Spellings(("IsFinite",))),
    UnaryRow("logical_not", BOOL, None, (0, 1), "whether x is false",
        example=("[True, False]", "array([False,  True])"),
        spellings=Spellings(("LogicalNot",), "LOGICAL_NOT")),
    UnaryRow("zeros_like", ANY, zero, (-3, 3), "zeros of x's shape",
        example=("[[1, 2]]", "array([[0, 0]], dtype=int32)"),
        spellings=Spellings(("ZerosLike",), "ZEROS_LIKE")),
    UnaryRow("ones_like", ANY, zero, (-3, 3), "ones of x's shape",
        example=("[[1.0, 2.0]]", "array([[1., 1.]], dtype=float32)"),
        spellings=Spellings(("OnesLike",))),
]
# fmt: on


for _row in UNARY:
    declare_row(
        _row,
        _row.rule,
        f"Element-wise: {_row.doc}.",
        [f"x: a tensor of any shape, {TAKES[_row.dtype]}."],
        [_row.gradient],
        kernel_name=_row.kernel_name,
        traits=Traits(elementwise=_row.dtype in (FLOAT, REAL, NUMBER) and _row.rule is not to_bool),
    )
