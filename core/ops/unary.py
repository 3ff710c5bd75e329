"""Element-wise ops of one input.

A gradient rule gets ``g``, the gradient of the result, and by name other arguments
(`core.engine.operation.Op.gradient`). The kind ``"float32"`` converts the input first; ``"real"``
and ``"number"`` keep its dtype, but for bools, which become int32. Only ``"number"`` and
``"no string"`` take complex64.
"""

import math

from core import ops
from core.engine.argument_types import TensorLike
from core.engine.declaring import zero
from core.engine.operation import ELEMENTWISE, Spellings, spec_of
from core.engine.registry import op
from core.engine.specs import Spec
from core.errors import CoreError
from core.ops.complex_numbers import abs_gradient, conjugate

#: Klambauer et al. 2017, https://arxiv.org/abs/1706.02515: keeps mean 0 and variance 1.
SELU_SCALE, SELU_SCALE_ALPHA = 1.0507009873554805, 1.7580993408473768

#: The slope of the error function at 0.
_ERF_SLOPE = 2 / math.sqrt(math.pi)


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


@op(
    input_dtype="number",
    gradients={"x": lambda g: -g},
    traits=ELEMENTWISE,
    method=True,
    spellings=Spellings(("Neg",), "NEG", ("negative",)),
)
def neg(x: TensorLike) -> Spec:
    """Element-wise: -x.

    Args:
        x: a tensor of any shape, float32, int32 or complex64; bool becomes int32.

    Returns:
        A tensor of that shape and dtype.

    >>> core.neg([1.5, -2.0]).numpy()
    array([-1.5,  2. ], dtype=float32)
    """
    return spec_of(x)


@op(
    input_dtype="number",
    gradients={"x": abs_gradient},
    traits=ELEMENTWISE,
    method=True,
    spellings=Spellings(("Abs",), "ABS", ("abs", "absolute")),
)
def abs(x: TensorLike) -> Spec:
    """Element-wise: the absolute value of x, of a complex number its magnitude.

    Args:
        x: a tensor of any shape, float32, int32 or complex64; bool becomes int32.

    Returns:
        A tensor of that shape and dtype, but float32 for complex64.

    >>> core.abs([-1.5, 2.0]).numpy()
    array([1.5, 2. ], dtype=float32)
    """
    x = spec_of(x)
    return Spec(x.shape, "float32") if x.dtype == "complex64" else x


@op(
    input_dtype="real",
    gradients={"x": zero},
    traits=ELEMENTWISE,
    method=True,
    spellings=Spellings(("Sign",), "SIGN"),
)
def sign(x: TensorLike) -> Spec:
    """Element-wise: -1, 0 or 1 by the sign of x.

    Args:
        x: a tensor of any shape, float32 or int32; bool becomes int32.

    Returns:
        A tensor of that shape and dtype.

    >>> core.sign([-3.0, 0.0, 5.0]).numpy()
    array([-1.,  0.,  1.], dtype=float32)
    """
    return spec_of(x)


@op(
    input_dtype="number",
    gradients={"x": lambda g, x: g * 2.0 * conjugate(x)},
    traits=ELEMENTWISE,
    method=True,
    spellings=Spellings(("Square",), "SQUARE", ("square",)),
)
def square(x: TensorLike) -> Spec:
    """Element-wise: x * x.

    Args:
        x: a tensor of any shape, float32, int32 or complex64; bool becomes int32.

    Returns:
        A tensor of that shape and dtype.

    >>> core.square([3, -4]).numpy()
    array([ 9, 16], dtype=int32)
    """
    return spec_of(x)


@op(
    input_dtype="float32",
    gradients={"x": lambda g, y: g / (2.0 * y)},
    traits=ELEMENTWISE,
    method=True,
    spellings=Spellings(("Sqrt",), "SQRT", ("sqrt",)),
)
def sqrt(x: TensorLike) -> Spec:
    """Element-wise: the square root of x.

    Args:
        x: a tensor of any shape, float32; int32 and bool are converted to it.

    Returns:
        A tensor of that shape and dtype.

    >>> core.sqrt([4.0, 9.0]).numpy()
    array([2., 3.], dtype=float32)
    """
    return spec_of(x)


@op(
    input_dtype="float32",
    gradients={"x": lambda g, x, y: -g * y / (2.0 * x)},
    traits=ELEMENTWISE,
    method=True,
    spellings=Spellings(("Rsqrt",), "RSQRT"),
)
def rsqrt(x: TensorLike) -> Spec:
    """Element-wise: 1 / sqrt(x).

    Args:
        x: a tensor of any shape, float32; int32 and bool are converted to it.

    Returns:
        A tensor of that shape and dtype.

    >>> core.rsqrt([4.0, 16.0]).numpy()
    array([0.5 , 0.25], dtype=float32)
    """
    return spec_of(x)


@op(
    input_dtype="float32",
    gradients={"x": lambda g, y: -g * y * y},
    traits=ELEMENTWISE,
    method=True,
    spellings=Spellings(("Reciprocal", "Inv")),
)
def reciprocal(x: TensorLike) -> Spec:
    """Element-wise: 1 / x.

    Args:
        x: a tensor of any shape, float32; int32 and bool are converted to it.

    Returns:
        A tensor of that shape and dtype.

    >>> core.reciprocal([2.0, -4.0]).numpy()
    array([ 0.5 , -0.25], dtype=float32)
    """
    return spec_of(x)


@op(
    input_dtype="float32",
    gradients={"x": lambda g, y: g * y},
    traits=ELEMENTWISE,
    method=True,
    spellings=Spellings(("Exp",), "EXP", ("exp",), ("exponential",)),
)
def exp(x: TensorLike) -> Spec:
    """Element-wise: e to the power of x.

    Args:
        x: a tensor of any shape, float32; int32 and bool are converted to it.

    Returns:
        A tensor of that shape and dtype.

    >>> core.exp([0.0, 1.0]).numpy()
    array([1.       , 2.7182817], dtype=float32)
    """
    return spec_of(x)


@op(
    input_dtype="float32",
    gradients={"x": lambda g, x: g * ops.exp(x)},
    traits=ELEMENTWISE,
    method=True,
    spellings=Spellings(("Expm1",)),
)
def expm1(x: TensorLike) -> Spec:
    """Element-wise: e**x - 1, exact near 0.

    Args:
        x: a tensor of any shape, float32; int32 and bool are converted to it.

    Returns:
        A tensor of that shape and dtype.

    >>> core.expm1([0.0, 1e-6]).numpy()
    array([0.0000000e+00, 1.0000005e-06], dtype=float32)
    """
    return spec_of(x)


@op(
    input_dtype="float32",
    gradients={"x": lambda g, x: g / x},
    traits=ELEMENTWISE,
    method=True,
    spellings=Spellings(("Log",), "LOG", ("log",)),
)
def log(x: TensorLike) -> Spec:
    """Element-wise: the natural logarithm of x.

    Args:
        x: a tensor of any shape, float32; int32 and bool are converted to it.

    Returns:
        A tensor of that shape and dtype.

    >>> core.log([1.0, 10.0]).numpy()
    array([0.       , 2.3025851], dtype=float32)
    """
    return spec_of(x)


@op(
    input_dtype="float32",
    gradients={"x": lambda g, x: g / (x + 1.0)},
    traits=ELEMENTWISE,
    method=True,
    spellings=Spellings(("Log1p",)),
)
def log1p(x: TensorLike) -> Spec:
    """Element-wise: log(1 + x), exact near 0.

    Args:
        x: a tensor of any shape, float32; int32 and bool are converted to it.

    Returns:
        A tensor of that shape and dtype.

    >>> core.log1p([0.0, 1e-6]).numpy()
    array([0.000000e+00, 9.999995e-07], dtype=float32)
    """
    return spec_of(x)


@op(
    input_dtype="float32",
    traits=ELEMENTWISE,
    method=True,
    spellings=Spellings(("Sin",), "SIN"),
)
def sin(x: TensorLike) -> Spec:
    """Element-wise: the sine of x (radians).

    Args:
        x: a tensor of any shape, float32; int32 and bool are converted to it.

    Returns:
        A tensor of that shape and dtype.

    >>> core.sin([0.0, 1.5707964]).numpy()
    array([0., 1.], dtype=float32)
    """
    return spec_of(x)


@sin.gradient("x")
def _(g, x):
    return g * ops.cos(x)


@op(
    input_dtype="float32",
    gradients={"x": lambda g, x: -g * ops.sin(x)},
    traits=ELEMENTWISE,
    method=True,
    spellings=Spellings(("Cos",), "COS"),
)
def cos(x: TensorLike) -> Spec:
    """Element-wise: the cosine of x (radians).

    Args:
        x: a tensor of any shape, float32; int32 and bool are converted to it.

    Returns:
        A tensor of that shape and dtype.

    >>> core.cos([0.0, 3.1415927]).numpy()
    array([ 1., -1.], dtype=float32)
    """
    return spec_of(x)


@op(
    input_dtype="float32",
    gradients={"x": lambda g, y: g * (1.0 + y * y)},
    traits=ELEMENTWISE,
    method=True,
    spellings=Spellings(("Tan",)),
)
def tan(x: TensorLike) -> Spec:
    """Element-wise: the tangent of x (radians).

    Args:
        x: a tensor of any shape, float32; int32 and bool are converted to it.

    Returns:
        A tensor of that shape and dtype.

    >>> core.tan([0.0, 1.0]).numpy()
    array([0.       , 1.5574077], dtype=float32)
    """
    return spec_of(x)


@op(
    input_dtype="float32",
    gradients={"x": lambda g, x: g / ops.sqrt(1.0 - x * x)},
    traits=ELEMENTWISE,
    method=True,
    spellings=Spellings(("Asin",)),
)
def asin(x: TensorLike) -> Spec:
    """Element-wise: the inverse sine of x, -pi/2 to pi/2.

    Args:
        x: a tensor of any shape, float32; int32 and bool are converted to it.

    Returns:
        A tensor of that shape and dtype.

    >>> core.asin([-1.0, 0.5]).numpy()
    array([-1.5707964,  0.5235988], dtype=float32)
    """
    return spec_of(x)


@op(
    input_dtype="float32",
    gradients={"x": lambda g, x: -g / ops.sqrt(1.0 - x * x)},
    traits=ELEMENTWISE,
    method=True,
    spellings=Spellings(("Acos",)),
)
def acos(x: TensorLike) -> Spec:
    """Element-wise: the inverse cosine of x, 0 to pi.

    Args:
        x: a tensor of any shape, float32; int32 and bool are converted to it.

    Returns:
        A tensor of that shape and dtype.

    >>> core.acos([-1.0, 0.5]).numpy()
    array([3.1415927, 1.0471976], dtype=float32)
    """
    return spec_of(x)


@op(
    input_dtype="float32",
    gradients={"x": lambda g, x: g / (x * x + 1.0)},
    traits=ELEMENTWISE,
    method=True,
    spellings=Spellings(("Atan",)),
)
def atan(x: TensorLike) -> Spec:
    """Element-wise: the inverse tangent of x, -pi/2 to pi/2.

    Args:
        x: a tensor of any shape, float32; int32 and bool are converted to it.

    Returns:
        A tensor of that shape and dtype.

    >>> core.atan([-1.0, 0.5]).numpy()
    array([-0.7853982,  0.4636476], dtype=float32)
    """
    return spec_of(x)


@op(
    input_dtype="float32",
    traits=ELEMENTWISE,
    method=True,
    spellings=Spellings(("Sinh",)),
)
def sinh(x: TensorLike) -> Spec:
    """Element-wise: the hyperbolic sine of x.

    Args:
        x: a tensor of any shape, float32; int32 and bool are converted to it.

    Returns:
        A tensor of that shape and dtype.

    >>> core.sinh([0.0, 1.0]).numpy()
    array([0.       , 1.1752012], dtype=float32)
    """
    return spec_of(x)


@sinh.gradient("x")
def _(g, x):
    return g * ops.cosh(x)


@op(
    input_dtype="float32",
    gradients={"x": lambda g, x: g * ops.sinh(x)},
    traits=ELEMENTWISE,
    method=True,
    spellings=Spellings(("Cosh",)),
)
def cosh(x: TensorLike) -> Spec:
    """Element-wise: the hyperbolic cosine of x.

    Args:
        x: a tensor of any shape, float32; int32 and bool are converted to it.

    Returns:
        A tensor of that shape and dtype.

    >>> core.cosh([0.0, 1.0]).numpy()
    array([1.       , 1.5430807], dtype=float32)
    """
    return spec_of(x)


@op(
    input_dtype="float32",
    gradients={"x": lambda g, y: g * (1.0 - y * y)},
    traits=ELEMENTWISE,
    method=True,
    spellings=Spellings(("Tanh",), keras=("tanh",), activations=("tanh",)),
)
def tanh(x: TensorLike) -> Spec:
    """Element-wise: the hyperbolic tangent of x.

    Args:
        x: a tensor of any shape, float32; int32 and bool are converted to it.

    Returns:
        A tensor of that shape and dtype.

    >>> core.tanh([0.0, 20.0]).numpy()
    array([0., 1.], dtype=float32)
    """
    return spec_of(x)


@op(
    input_dtype="float32",
    gradients={"x": lambda g, x: g / ops.sqrt(x * x + 1.0)},
    traits=ELEMENTWISE,
    method=True,
    spellings=Spellings(("Asinh",)),
)
def asinh(x: TensorLike) -> Spec:
    """Element-wise: the inverse hyperbolic sine of x.

    Args:
        x: a tensor of any shape, float32; int32 and bool are converted to it.

    Returns:
        A tensor of that shape and dtype.

    >>> core.asinh([0.0, 1.0]).numpy()
    array([0.       , 0.8813736], dtype=float32)
    """
    return spec_of(x)


@op(
    input_dtype="float32",
    gradients={"x": lambda g, x: g / ops.sqrt(x * x - 1.0)},
    traits=ELEMENTWISE,
    method=True,
    spellings=Spellings(("Acosh",)),
)
def acosh(x: TensorLike) -> Spec:
    """Element-wise: the inverse hyperbolic cosine of x.

    Args:
        x: a tensor of any shape, float32; int32 and bool are converted to it.

    Returns:
        A tensor of that shape and dtype.

    >>> core.acosh([1.0, 2.0]).numpy()
    array([0.      , 1.316958], dtype=float32)
    """
    return spec_of(x)


@op(
    input_dtype="float32",
    gradients={"x": lambda g, x: g / (1.0 - x * x)},
    traits=ELEMENTWISE,
    method=True,
    spellings=Spellings(("Atanh",)),
)
def atanh(x: TensorLike) -> Spec:
    """Element-wise: the inverse hyperbolic tangent of x.

    Args:
        x: a tensor of any shape, float32; int32 and bool are converted to it.

    Returns:
        A tensor of that shape and dtype.

    >>> core.atanh([0.0, 0.5]).numpy()
    array([0.        , 0.54930615], dtype=float32)
    """
    return spec_of(x)


@op(
    input_dtype="float32",
    gradients={"x": lambda g, x: g * _ERF_SLOPE * ops.exp(-x * x)},
    traits=ELEMENTWISE,
    method=True,
    spellings=Spellings(("Erf",)),
)
def erf(x: TensorLike) -> Spec:
    """Element-wise: the error function.

    Args:
        x: a tensor of any shape, float32; int32 and bool are converted to it.

    Returns:
        A tensor of that shape and dtype.

    >>> core.erf([0.0, 1.0]).numpy()
    array([0.       , 0.8427008], dtype=float32)
    """
    return spec_of(x)


@op(
    input_dtype="float32",
    gradients={"x": lambda g, y: g * y * (1.0 - y)},
    traits=ELEMENTWISE,
    method=True,
    spellings=Spellings(("Sigmoid",), keras=("sigmoid",), activations=("sigmoid",)),
)
def sigmoid(x: TensorLike) -> Spec:
    """Element-wise: 1 / (1 + e**-x).

    Args:
        x: a tensor of any shape, float32; int32 and bool are converted to it.

    Returns:
        A tensor of that shape and dtype.

    >>> core.sigmoid([0.0, 2.0]).numpy()
    array([0.5      , 0.8807971], dtype=float32)
    """
    return spec_of(x)


@op(
    input_dtype="float32",
    gradients={"x": lambda g, x: g * ops.sigmoid(x)},
    traits=ELEMENTWISE,
    method=True,
    spellings=Spellings(("Softplus",), keras=("softplus",), activations=("softplus",)),
)
def softplus(x: TensorLike) -> Spec:
    """Element-wise: log(1 + e**x).

    Args:
        x: a tensor of any shape, float32; int32 and bool are converted to it.

    Returns:
        A tensor of that shape and dtype.

    >>> core.softplus([0.0, 100.0]).numpy()
    array([  0.6931472, 100.       ], dtype=float32)
    """
    return spec_of(x)


@op(
    input_dtype="real",
    traits=ELEMENTWISE,
    method=True,
    spellings=Spellings(("Relu",), keras=("relu",), activations=("relu",)),
)
def relu(x: TensorLike) -> Spec:
    """Element-wise: x where positive, else 0.

    Args:
        x: a tensor of any shape, float32 or int32; bool becomes int32.

    Returns:
        A tensor of that shape and dtype.

    >>> core.relu([-1.5, 2.0]).numpy()
    array([0., 2.], dtype=float32)
    """
    return spec_of(x)


@relu.gradient("x")
def _(g, y):
    return ops.relu_grad(g, y)


@op(
    input_dtype="real",
    gradients={"x": _relu6_gradient},
    traits=ELEMENTWISE,
    method=True,
    spellings=Spellings(("Relu6",), keras=("relu6",), activations=("relu6",)),
)
def relu6(x: TensorLike) -> Spec:
    """Element-wise: x clipped to 0..6.

    Args:
        x: a tensor of any shape, float32 or int32; bool becomes int32.

    Returns:
        A tensor of that shape and dtype.

    >>> core.relu6([-1.5, 2.0, 8.0]).numpy()
    array([0., 2., 6.], dtype=float32)
    """
    return spec_of(x)


@op(
    input_dtype="float32",
    traits=ELEMENTWISE,
    method=True,
    spellings=Spellings(("Elu",), activations=("elu", "celu")),
)
def elu(x: TensorLike) -> Spec:
    """Element-wise: x where positive, else e**x - 1.

    Args:
        x: a tensor of any shape, float32; int32 and bool are converted to it.

    Returns:
        A tensor of that shape and dtype.

    >>> core.elu([-1.0, 2.0]).numpy()
    array([-0.63212055,  2.        ], dtype=float32)
    """
    return spec_of(x)


@elu.gradient("x")
def _(g, y):
    return ops.elu_grad(g, y)


@op(
    input_dtype="float32",
    gradients={"x": _selu_gradient},
    traits=ELEMENTWISE,
    method=True,
    spellings=Spellings(("Selu",), keras=("selu",), activations=("selu",)),
)
def selu(x: TensorLike) -> Spec:
    """Element-wise: elu with the scales that keep mean 0 and variance 1.

    Args:
        x: a tensor of any shape, float32; int32 and bool are converted to it.

    Returns:
        A tensor of that shape and dtype.

    >>> core.selu([-1.0, 2.0]).numpy()
    array([-1.1113307,  2.101402 ], dtype=float32)
    """
    return spec_of(x)


@op(
    input_dtype="float32",
    gradients={"x": _leaky_relu_gradient},
    traits=ELEMENTWISE,
    method=True,
    spellings=Spellings(("LeakyRelu",)),
)
def leaky_relu(x: TensorLike, alpha: float = 0.2) -> Spec:
    """Element-wise: x where positive, else alpha * x.

    Args:
        x: a tensor of any shape, float32; int32 and bool are converted to it.
        alpha: the negative slope.

    Returns:
        A tensor of that shape and dtype.

    >>> core.leaky_relu([-1.0, 2.0], alpha=0.5).numpy()
    array([-0.5,  2. ], dtype=float32)
    """
    return spec_of(x)


@op(input_dtype="real", gradients={"x": zero}, traits=ELEMENTWISE, method=True)
def step(x: TensorLike, alpha: float = 0.0) -> Spec:
    """Element-wise: 1 where x > 0, NaN where x is, else alpha.

    Args:
        x: a tensor of any shape, float32 or int32; bool becomes int32.
        alpha: the value where x is not positive.

    Returns:
        A tensor of that shape and dtype.

    >>> core.step([-1.5, 0.0, 2.0]).numpy()
    array([0., 0., 1.], dtype=float32)
    """
    return spec_of(x)


@op(input_dtype="real", gradients={"x": _clip_gradient}, traits=ELEMENTWISE, method=True)
def clip_by_value(x: TensorLike, clip_value_min: float, clip_value_max: float) -> Spec:
    """Element-wise: x moved into clip_value_min..clip_value_max.

    Args:
        x: a tensor of any shape, float32 or int32; bool becomes int32.
        clip_value_min: a number, the smallest result.
        clip_value_max: the largest, at least ``clip_value_min``.

    Returns:
        A tensor of that shape and dtype.

    >>> core.clip_by_value([-3, 1, 7], 0, 5).numpy()
    array([0, 1, 5], dtype=int32)
    """
    if not clip_value_min <= clip_value_max:
        raise CoreError(f"the limits {clip_value_min} and {clip_value_max} must ascend: swap them")
    return spec_of(x)


@op(
    input_dtype="real",
    gradients={"x": zero},
    traits=ELEMENTWISE,
    method=True,
    spellings=Spellings(("Floor",), "FLOOR"),
)
def floor(x: TensorLike) -> Spec:
    """Element-wise: x rounded down.

    Args:
        x: a tensor of any shape, float32 or int32; bool becomes int32.

    Returns:
        A tensor of that shape and dtype.

    >>> core.floor([1.5, -1.5]).numpy()
    array([ 1., -2.], dtype=float32)
    """
    return spec_of(x)


@op(
    input_dtype="real",
    gradients={"x": zero},
    traits=ELEMENTWISE,
    method=True,
    spellings=Spellings(("Ceil",), "CEIL"),
)
def ceil(x: TensorLike) -> Spec:
    """Element-wise: x rounded up.

    Args:
        x: a tensor of any shape, float32 or int32; bool becomes int32.

    Returns:
        A tensor of that shape and dtype.

    >>> core.ceil([1.5, -1.5]).numpy()
    array([ 2., -1.], dtype=float32)
    """
    return spec_of(x)


@op(
    input_dtype="real",
    gradients={"x": zero},
    traits=ELEMENTWISE,
    method=True,
    spellings=Spellings(("Round", "Rint"), "ROUND"),
)
def round(x: TensorLike) -> Spec:
    """Element-wise: x rounded, halves to even.

    Args:
        x: a tensor of any shape, float32 or int32; bool becomes int32.

    Returns:
        A tensor of that shape and dtype.

    >>> core.round([1.5, 2.5, -0.4]).numpy()
    array([ 2.,  2., -0.], dtype=float32)
    """
    return spec_of(x)


@op(input_dtype="real", gradients={"x": zero}, method=True, spellings=Spellings(("IsNan",)))
def is_nan(x: TensorLike) -> Spec:
    """Element-wise: whether x is NaN.

    Args:
        x: a tensor of any shape, float32 or int32; bool becomes int32.

    Returns:
        bool, of that shape.

    >>> core.is_nan([1.0, float("nan")]).numpy()
    array([False,  True])
    """
    return Spec(spec_of(x).shape, "bool")


@op(input_dtype="real", gradients={"x": zero}, method=True, spellings=Spellings(("IsInf",)))
def is_inf(x: TensorLike) -> Spec:
    """Element-wise: whether x is infinite.

    Args:
        x: a tensor of any shape, float32 or int32; bool becomes int32.

    Returns:
        bool, of that shape.

    >>> core.is_inf([1.0, float("-inf")]).numpy()
    array([False,  True])
    """
    return Spec(spec_of(x).shape, "bool")


@op(input_dtype="real", gradients={"x": zero}, method=True, spellings=Spellings(("IsFinite",)))
def is_finite(x: TensorLike) -> Spec:
    """Element-wise: whether x is a finite number.

    Args:
        x: a tensor of any shape, float32 or int32; bool becomes int32.

    Returns:
        bool, of that shape.

    >>> core.is_finite([1.0, float("nan"), float("inf")]).numpy()
    array([ True, False, False])
    """
    return Spec(spec_of(x).shape, "bool")


@op(input_dtype="bool", method=True, spellings=Spellings(("LogicalNot",), "LOGICAL_NOT"))
def logical_not(x: TensorLike) -> Spec:
    """Element-wise: whether x is false.

    Args:
        x: a tensor of any shape, bool.

    Returns:
        A tensor of that shape and dtype.

    >>> core.logical_not([True, False]).numpy()
    array([False,  True])
    """
    return spec_of(x)


@op(
    input_dtype="no string",
    gradients={"x": zero},
    method=True,
    spellings=Spellings(("ZerosLike",), "ZEROS_LIKE"),
)
def zeros_like(x: TensorLike) -> Spec:
    """Element-wise: zeros of x's shape.

    Args:
        x: a tensor of any shape, of any dtype but string.

    Returns:
        A tensor of that shape and dtype.

    >>> core.zeros_like([[1, 2]]).numpy()
    array([[0, 0]], dtype=int32)
    """
    return spec_of(x)


@op(input_dtype="no string", gradients={"x": zero}, method=True, spellings=Spellings(("OnesLike",)))
def ones_like(x: TensorLike) -> Spec:
    """Element-wise: ones of x's shape.

    Args:
        x: a tensor of any shape, of any dtype but string.

    Returns:
        A tensor of that shape and dtype.

    >>> core.ones_like([[1.0, 2.0]]).numpy()
    array([[1., 1.]], dtype=float32)
    """
    return spec_of(x)
