"""Element-wise ops of two inputs that broadcast: one row each.

The inputs are brought to their common dtype first. The tape sums each gradient back to the shape
of its input, so that no row mentions broadcasting.
"""

from typing import NamedTuple

from core.errors import CoreError
from core.operation import Op, Rule, Traits, op
from core.ops.complex_numbers import conjugate
from core.ops.row_documents import TAKES, document
from core.ops.slopes import zero
from core.registry import ops
from core.specs import Spec, broadcast_shapes

FLOAT, REAL, NUMBER, INT = "float32", "real", "number", "int32"


def broadcast(a: Spec, b: Spec) -> Spec:
    """A tensor of the common shape and dtype."""
    if a.shape == b.shape:
        return a
    return Spec(broadcast_shapes(a.shape, b.shape), a.dtype)


def broadcast_to_int(a: Spec, b: Spec) -> Spec:
    """int32, of the common shape."""
    return Spec(broadcast_shapes(a.shape, b.shape), "int32")


def broadcast_power(base: Spec, exp: Spec) -> Spec:
    """A tensor of the common shape and dtype."""
    return broadcast(base, exp)


def broadcast_bits(x: Spec, y: Spec) -> Spec:
    """int32, of the common shape."""
    return broadcast(x, y)


def broadcast_slope(x: Spec, alpha: Spec) -> Spec:
    """A tensor of the common shape and dtype."""
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
    kernel_inputs: tuple[str, ...] = ()  # TensorFlow.js's names, where they differ


def _base_gradient(g, base, exp):
    """0 where both are: derivatives of polynomials end in 0 * pow(0, -1)."""
    both = ops.logical_and(base == 0.0, exp == 0.0)
    return g * exp * ops.pow(ops.select(both, 1.0, base), exp - 1.0)


def _power_gradient(g, base, y):
    return g * y * ops.log(ops.select(base > 0.0, base, 1.0))


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
        zero,
        zero,
        (-3, 3),
        "a / b rounded down, as int32",
        "np.floor(a / b).astype(int)",
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
        _base_gradient,
        _power_gradient,
        (0.3, 3),
        "base to the power of exp",
        "np.power(base, exp)",
        broadcast_power,
        kernel_inputs=("a", "b"),
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
    BinaryRow(
        "bitwise_and",
        INT,
        None,
        None,
        (-9, 9),
        "the bits that both have",
        rule=broadcast_bits,
        kernel_inputs=("a", "b"),
    ),
]


def _binary(row: BinaryRow) -> Op:
    first, second = names = row.rule.__code__.co_varnames[:2]
    return Op(
        row.rule,
        name=row.name,
        doc=document(
            row.name,
            f"Element-wise: {row.doc}.",
            [
                f"{first}: a tensor, {TAKES[row.dtype]}.",
                f"{second}: a tensor of a shape that broadcasts with that of {first}; mixed dtypes",
                "    become their common one.",
            ],
            row.rule,
        ),
        kernel_name=row.kernel_name,
        js_names=dict(zip(names, row.kernel_inputs, strict=False)),
        gradients=dict(zip(names, (row.gradient_a, row.gradient_b), strict=True)),
        promote=True,
        input_dtype=row.dtype,
        traits=Traits(elementwise=row.dtype != INT and row.rule is not broadcast_to_int),
    )


for _row in BINARY:
    _binary(_row)


@op(input_dtype="number", js_names={"tensors": "inputs"}, traits=Traits(elementwise=True))
def add_n(tensors: list[Spec]) -> Spec:
    """The sum of several tensors.

    Args:
        tensors: one or more, all of one shape and dtype.

    >>> core.add_n([[1, 2], [3, 4], [5, 6]]).numpy()
    array([ 9, 12], dtype=int32)
    """
    if len(set(tensors)) > 1:
        raise CoreError(f"add_n needs tensors of one shape and dtype, got {tensors}")
    return tensors[0]


@add_n.gradient("tensors")
def _(g, tensors_spec):
    return [g] * len(tensors_spec)
