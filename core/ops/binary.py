"""Element-wise ops of two inputs that broadcast.

The inputs are brought to their common dtype first. The tape sums each gradient back to the shape
of its input, so that no rule mentions broadcasting.
"""

from collections.abc import Sequence
from typing import Any

from core import ops
from core.engine.argument_types import TensorLike
from core.engine.declaring import zero
from core.engine.operation import ELEMENTWISE, Spellings, specs_of
from core.engine.registry import op
from core.engine.specs import Spec, broadcast_shapes
from core.errors import CoreError
from core.ops.complex_numbers import conjugate


def broadcast(a: Any, b: Any) -> Spec:
    """The result of two inputs of one dtype, by their specs: `spec_of` takes 2 % of a small op."""
    return a if a.shape == b.shape else Spec(broadcast_shapes(a.shape, b.shape), a.dtype)


def _base_gradient(g, base, exp):
    """0 where both are: derivatives of polynomials end in 0 * pow(0, -1)."""
    both = ops.logical_and(base == 0.0, exp == 0.0)
    return g * exp * ops.pow(ops.select(both, 1.0, base), exp - 1.0)


def _power_gradient(g, base, y):
    return g * y * ops.log(ops.select(base > 0.0, base, 1.0))


@op(
    promote=True,
    input_dtype="number",
    gradients={"a": lambda g: g, "b": lambda g: g},
    traits=ELEMENTWISE,
    method=True,
    spellings=Spellings(("AddV2", "Add"), "ADD", ("add",)),
)
def add(a: TensorLike, b: TensorLike) -> Spec:
    """Element-wise: a + b.

    Args:
        a: a tensor, float32, int32 or complex64; bool becomes int32.
        b: a tensor of a shape that broadcasts with that of a; mixed
            dtypes become their common one.

    Returns:
        A tensor of the common shape and dtype.

    >>> core.add([1, 2], [10.0, 20.0]).numpy()
    array([11., 22.], dtype=float32)
    """
    return broadcast(a, b)


@op(
    promote=True,
    input_dtype="number",
    gradients={"a": lambda g: g, "b": lambda g: -g},
    traits=ELEMENTWISE,
    method=True,
    spellings=Spellings(("Sub",), "SUB", ("subtract", "sub")),
)
def sub(a: TensorLike, b: TensorLike) -> Spec:
    """Element-wise: a - b.

    Args:
        a: a tensor, float32, int32 or complex64; bool becomes int32.
        b: a tensor of a shape that broadcasts with that of a; mixed
            dtypes become their common one.

    Returns:
        A tensor of the common shape and dtype.

    >>> core.sub([10, 20], 3).numpy()
    array([ 7, 17], dtype=int32)
    """
    return broadcast(a, b)


@op(
    kernel_name="Multiply",
    promote=True,
    input_dtype="number",
    gradients={"a": lambda g, b: g * conjugate(b), "b": lambda g, a: g * conjugate(a)},
    traits=ELEMENTWISE,
    method=True,
    spellings=Spellings(("Mul",), "MUL", ("multiply", "mul")),
)
def mul(a: TensorLike, b: TensorLike) -> Spec:
    """Element-wise: a * b.

    Args:
        a: a tensor, float32, int32 or complex64; bool becomes int32.
        b: a tensor of a shape that broadcasts with that of a; mixed
            dtypes become their common one.

    Returns:
        A tensor of the common shape and dtype.

    >>> core.mul([10, 20], 3).numpy()
    array([30, 60], dtype=int32)
    """
    return broadcast(a, b)


@op(
    kernel_name="RealDiv",
    promote=True,
    input_dtype="number",
    gradients={"a": lambda g, b: g / conjugate(b), "b": lambda g, b, y: -g * conjugate(y / b)},
    traits=ELEMENTWISE,
    method=True,
    spellings=Spellings(("RealDiv", "Div"), keras=("divide", "truedivide", "truediv")),
)
def div(a: TensorLike, b: TensorLike) -> Spec:
    """Element-wise: a / b; rounded down where both are integers.

    Args:
        a: a tensor, float32, int32 or complex64; bool becomes int32.
        b: a tensor of a shape that broadcasts with that of a; mixed
            dtypes become their common one.

    Returns:
        A tensor of the common shape and dtype.

    >>> core.div([7.0, 1.0], [2.0, 0.0]).numpy()
    array([3.5, inf], dtype=float32)
    """
    return broadcast(a, b)


@op(
    promote=True,
    input_dtype="real",
    gradients={"a": zero, "b": zero},
    method=True,
    spellings=Spellings(("FloorDiv",), "FLOOR_DIV"),
)
def floor_div(a: TensorLike, b: TensorLike) -> Spec:
    """Element-wise: a / b rounded down, as int32.

    Args:
        a: a tensor, float32 or int32; bool becomes int32.
        b: a tensor of a shape that broadcasts with that of a; mixed
            dtypes become their common one.

    Returns:
        int32, of the common shape.

    >>> core.floor_div([7.0, -7.0], 2.0).numpy()
    array([ 3, -4], dtype=int32)
    """
    return Spec(broadcast(a, b).shape, "int32")


@op(
    promote=True,
    input_dtype="real",
    gradients={"a": lambda g: g, "b": lambda g, a, b: -g * ops.floor(a / b)},
    traits=ELEMENTWISE,
    method=True,
    spellings=Spellings(("FloorMod", "Mod"), "FLOOR_MOD"),
)
def mod(a: TensorLike, b: TensorLike) -> Spec:
    """Element-wise: the remainder of a / b, with the sign of b.

    Args:
        a: a tensor, float32 or int32; bool becomes int32.
        b: a tensor of a shape that broadcasts with that of a; mixed
            dtypes become their common one.

    Returns:
        A tensor of the common shape and dtype.

    >>> core.mod([7, -7], 3).numpy()
    array([1, 2], dtype=int32)
    """
    return broadcast(a, b)


@op(
    js_names={"base": "a", "exp": "b"},
    promote=True,
    input_dtype="real",
    gradients={"base": _base_gradient, "exp": _power_gradient},
    traits=ELEMENTWISE,
    method=True,
    spellings=Spellings(("Pow",), "POW", ("power", "pow")),
)
def pow(base: TensorLike, exp: TensorLike) -> Spec:
    """Element-wise: base to the power of exp.

    Args:
        base: a tensor, float32 or int32; bool becomes int32.
        exp: a tensor of a shape that broadcasts with that of base; mixed
            dtypes become their common one.

    Returns:
        A tensor of the common shape and dtype.

    >>> core.pow([2.0, 3.0], [3.0, -1.0]).numpy()
    array([8.        , 0.33333334], dtype=float32)
    """
    return broadcast(base, exp)


@op(
    promote=True,
    input_dtype="real",
    gradients={"a": lambda g, a, b: g * (a >= b), "b": lambda g, a, b: g * (a < b)},
    traits=ELEMENTWISE,
    method=True,
    spellings=Spellings(("Maximum",), "MAXIMUM", ("maximum",)),
)
def maximum(a: TensorLike, b: TensorLike) -> Spec:
    """Element-wise: the larger value.

    Args:
        a: a tensor, float32 or int32; bool becomes int32.
        b: a tensor of a shape that broadcasts with that of a; mixed
            dtypes become their common one.

    Returns:
        A tensor of the common shape and dtype.

    >>> core.maximum([1, 5], [4, 2]).numpy()
    array([4, 5], dtype=int32)
    """
    return broadcast(a, b)


@op(
    promote=True,
    input_dtype="real",
    gradients={"a": lambda g, a, b: g * (a <= b), "b": lambda g, a, b: g * (a > b)},
    traits=ELEMENTWISE,
    method=True,
    spellings=Spellings(("Minimum",), "MINIMUM", ("minimum",)),
)
def minimum(a: TensorLike, b: TensorLike) -> Spec:
    """Element-wise: the smaller value.

    Args:
        a: a tensor, float32 or int32; bool becomes int32.
        b: a tensor of a shape that broadcasts with that of a; mixed
            dtypes become their common one.

    Returns:
        A tensor of the common shape and dtype.

    >>> core.minimum([1, 5], [4, 2]).numpy()
    array([1, 2], dtype=int32)
    """
    return broadcast(a, b)


@op(
    promote=True,
    input_dtype="real",
    gradients={"a": lambda g, a, b: g * 2.0 * (a - b), "b": lambda g, a, b: g * 2.0 * (b - a)},
    traits=ELEMENTWISE,
    method=True,
    spellings=Spellings(("SquaredDifference",), "SQUARED_DIFFERENCE"),
)
def squared_difference(a: TensorLike, b: TensorLike) -> Spec:
    """Element-wise: (a - b) squared.

    Args:
        a: a tensor, float32 or int32; bool becomes int32.
        b: a tensor of a shape that broadcasts with that of a; mixed
            dtypes become their common one.

    Returns:
        A tensor of the common shape and dtype.

    >>> core.squared_difference([1.0, 5.0], 2.0).numpy()
    array([1., 9.], dtype=float32)
    """
    return broadcast(a, b)


@op(
    promote=True,
    input_dtype="float32",
    gradients={
        "a": lambda g, a, b: g * (b / (a * a + b * b)),
        "b": lambda g, a, b: -g * (a / (a * a + b * b)),
    },
    traits=ELEMENTWISE,
    method=True,
    spellings=Spellings(("Atan2",), "ATAN2"),
)
def atan2(a: TensorLike, b: TensorLike) -> Spec:
    """Element-wise: the angle of the point (b, a), -pi to pi.

    Args:
        a: a tensor, float32; int32 and bool are converted to it.
        b: a tensor of a shape that broadcasts with that of a; mixed
            dtypes become their common one.

    Returns:
        A tensor of the common shape and dtype.

    >>> core.atan2([1.0, -1.0], [0.0, -1.0]).numpy()
    array([ 1.5707964, -2.3561945], dtype=float32)
    """
    return broadcast(a, b)


@op(
    promote=True,
    input_dtype="float32",
    gradients={
        "x": lambda g, x, alpha: ops.select(x > 0.0, g, g * alpha),
        "alpha": lambda g, x: ops.select(x > 0.0, ops.zeros_like(g), g * x),
    },
    traits=ELEMENTWISE,
    method=True,
    spellings=Spellings(("Prelu",)),
)
def prelu(x: TensorLike, alpha: TensorLike) -> Spec:
    """Element-wise: x where positive, else alpha * x.

    Args:
        x: a tensor, float32; int32 and bool are converted to it.
        alpha: a tensor of a shape that broadcasts with that of x; mixed
            dtypes become their common one.

    Returns:
        A tensor of the common shape and dtype.

    >>> core.prelu([[-1.0, -1.0, 2.0]], [0.5, 0.1, 0.1]).numpy()
    array([[-0.5, -0.1,  2. ]], dtype=float32)
    """
    return broadcast(x, alpha)


@op(
    js_names={"x": "a", "y": "b"},
    promote=True,
    input_dtype="int32",
    spellings=Spellings(("BitwiseAnd",)),
)
def bitwise_and(x: TensorLike, y: TensorLike) -> Spec:
    """Element-wise: the bits that are set in both.

    Args:
        x: a tensor, int32; bool is converted to it.
        y: a tensor of a shape that broadcasts with that of x; mixed
            dtypes become their common one.

    Returns:
        int32, of the common shape.

    >>> core.bitwise_and([12, 10], 6).numpy()
    array([4, 2], dtype=int32)
    """
    return broadcast(x, y)


@op(
    input_dtype="number",
    js_names={"tensors": "inputs"},
    traits=ELEMENTWISE,
    spellings=Spellings(("AddN",)),
)
def add_n(tensors: Sequence[TensorLike]) -> Spec:
    """The sum of several tensors.

    Args:
        tensors: one or more, all of one shape and dtype.

    >>> core.add_n([[1, 2], [3, 4], [5, 6]]).numpy()
    array([ 9, 12], dtype=int32)
    """
    specs = specs_of(tensors)
    if len(set(specs)) > 1:
        raise CoreError(f"add_n needs specs of one shape and dtype, got {specs}")
    return specs[0]


add_n.gradient("tensors")(lambda g, tensors_spec: [g] * len(tensors_spec))
