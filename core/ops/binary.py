"""Element-wise ops of two inputs that broadcast: one row each.

The inputs are brought to their common dtype first. The tape sums each gradient back to the shape
of its input, so that no row mentions broadcasting.
"""

from typing import NamedTuple

from core.declare import Op, Rule, op
from core.errors import CoreError
from core.kernels import ops
from core.ops.complex_numbers import conjugate
from core.specs import Spec, broadcast_shapes

FLOAT, REAL, NUMBER, INT = "float32", "real", "number", "int32"


def broadcast(a: Spec, b: Spec) -> Spec:
    """The result has the common shape."""
    if a.shape == b.shape:
        return a
    return Spec(broadcast_shapes(a.shape, b.shape), a.dtype)


def broadcast_to_int(a: Spec, b: Spec) -> Spec:
    """The result has the common shape and is int32."""
    return Spec(broadcast_shapes(a.shape, b.shape), "int32")


def broadcast_slope(x: Spec, alpha: Spec) -> Spec:
    """The result has the common shape; alpha is the slope where x is negative."""
    return broadcast(x, alpha)


class BinaryRow(NamedTuple):
    """One element-wise op of two inputs."""

    name: str
    dtype: str
    gradient_a: Rule | None  # for the first input
    gradient_b: Rule | None
    domain: tuple[float, float]
    doc: str
    formula: str = ""  # in NumPy, for tests, unless NumPy or SciPy has a function of that name
    rule: Rule = broadcast  # its parameters are the inputs' names
    kernel_name: str = ""


def _zero(g):
    return ops.zeros_like(g)


def _power_gradient(g, a, y):
    return g * y * ops.log(ops.select(a > 0.0, a, 1.0))


BINARY = [
    BinaryRow("add", NUMBER, lambda g: g, lambda g: g, (-3, 3), "a + b"),
    BinaryRow("sub", NUMBER, lambda g: g, lambda g: -g, (-3, 3), "a - b", "a - b"),
    BinaryRow(
        "mul",
        NUMBER,
        lambda g, b: g * conjugate(b),
        lambda g, a: g * conjugate(a),
        (-3, 3),
        "a * b",
        "a * b",
        kernel_name="Multiply",
    ),
    BinaryRow(
        "div",
        NUMBER,
        lambda g, b: g / conjugate(b),
        lambda g, b, y: -g * conjugate(y / b),
        (-3, 3),
        "a / b; rounded down where both are whole numbers",
        "a / b",
        kernel_name="RealDiv",
    ),
    BinaryRow(
        "floor_div",
        REAL,
        _zero,
        _zero,
        (-3, 3),
        "a / b rounded down, as int32",
        "np.floor(a / b)",
        broadcast_to_int,
    ),
    BinaryRow(
        "mod",
        REAL,
        lambda g: g,
        lambda g, a, b: -g * ops.floor(a / b),
        (-3, 3),
        "what remains of a / b, with the sign of b",
        "a - np.floor(a / b) * b",
    ),
    BinaryRow(
        "pow",
        REAL,
        lambda g, a, b: g * b * ops.pow(a, b - 1.0),
        _power_gradient,
        (0.3, 3),
        "a to the power of b",
        "np.power(a, b)",
    ),
    BinaryRow(
        "maximum",
        REAL,
        lambda g, a, b: g * (a >= b),
        lambda g, a, b: g * (a < b),
        (-3, 3),
        "the larger",
    ),
    BinaryRow(
        "minimum",
        REAL,
        lambda g, a, b: g * (a <= b),
        lambda g, a, b: g * (a > b),
        (-3, 3),
        "the smaller",
    ),
    BinaryRow(
        "squared_difference",
        REAL,
        lambda g, a, b: g * 2.0 * (a - b),
        lambda g, a, b: g * 2.0 * (b - a),
        (-3, 3),
        "(a - b) squared",
        "(a - b) ** 2",
    ),
    BinaryRow(
        "atan2",
        FLOAT,
        lambda g, a, b: g * (b / (a * a + b * b)),
        lambda g, a, b: -g * (a / (a * a + b * b)),
        (-3, 3),
        "the angle of the point (b, a), -pi to pi",
        "np.arctan2(a, b)",
    ),
    BinaryRow(
        "prelu",
        FLOAT,
        lambda g, x, alpha: ops.select(x > 0.0, g, g * alpha),
        lambda g, x: ops.select(x > 0.0, ops.zeros_like(g), g * x),
        (-3, 3),
        "x where positive, else alpha * x",
        "np.where(x < 0, alpha * x, x)",
        broadcast_slope,
    ),
    BinaryRow("bitwise_and", INT, None, None, (-9, 9), "the bits that both have"),
]


def _binary(row: BinaryRow) -> Op:
    first, second = names = row.rule.__code__.co_varnames[:2]
    return Op(
        row.rule,
        name=row.name,
        doc=f"Element-wise: {row.doc}. {first}, {second}: tensors of shapes that broadcast.",
        kernel_name=row.kernel_name,
        gradients=dict(zip(names, (row.gradient_a, row.gradient_b), strict=True)),
        promote=True,
        input_dtype=row.dtype,
    )


for _row in BINARY:
    _binary(_row)


@op(input_dtype="number")
def add_n(inputs: list[Spec]) -> Spec:
    """The sum of several tensors.

    Args:
        inputs: one tensor or more, all of one shape and dtype.

    >>> core.add_n([[1, 2], [3, 4], [5, 6]]).numpy()
    array([ 9, 12], dtype=int32)
    """
    if len(set(inputs)) > 1:
        raise CoreError(f"add_n needs tensors of one shape and dtype, got {inputs}")
    return inputs[0]


@add_n.gradient("inputs")
def _(g, inputs_spec):
    return [g] * len(inputs_spec)
