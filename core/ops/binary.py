"""Element-wise ops of two inputs that broadcast: one row each.

The inputs are brought to their common dtype first. The tape sums each gradient back to the shape
of its input, so that no row mentions broadcasting.
"""

from typing import NamedTuple

from core.engine.late_ops import ops
from core.engine.operation import UNSPELLED, Rule, Spellings, Traits
from core.engine.registry import op
from core.engine.specs import Spec, broadcast_shapes
from core.errors import CoreError
from core.ops.complex_numbers import conjugate
from core.ops.declaring import TAKES, declare_row, zero

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
    method: bool = True
    example: tuple[str, str] = ("", "")  # the arguments of a call, and the printed result
    spellings: Spellings = UNSPELLED


def _base_gradient(g, base, exp):
    """0 where both are: derivatives of polynomials end in 0 * pow(0, -1)."""
    both = ops.logical_and(base == 0.0, exp == 0.0)
    return g * exp * ops.pow(ops.select(both, 1.0, base), exp - 1.0)


def _power_gradient(g, base, y):
    return g * y * ops.log(ops.select(base > 0.0, base, 1.0))


# Filled lines, since a formatter would give each value a line of its own:
# fmt: off
BINARY = [
    BinaryRow("add", NUMBER, lambda g: g, lambda g: g, (-3, 3), "a + b",
        example=("[1, 2], [10.0, 20.0]", "array([11., 22.], dtype=float32)"),
        spellings=Spellings(("AddV2", "Add"), "ADD", ("add",))),
    BinaryRow("sub", NUMBER, lambda g: g, lambda g: -g, (-3, 3), "a - b", "a - b",
        example=("[10, 20], 3", "array([ 7, 17], dtype=int32)"),
        spellings=Spellings(("Sub",), "SUB", ("subtract", "sub"))),
    BinaryRow("mul", NUMBER, lambda g, b: g * conjugate(b), lambda g, a: g * conjugate(a), (-3, 3),
        "a * b", "a * b", kernel_name="Multiply",
        example=("[10, 20], 3", "array([30, 60], dtype=int32)"),
        spellings=Spellings(("Mul",), "MUL", ("multiply", "mul"))),
    BinaryRow("div", NUMBER, lambda g, b: g / conjugate(b), lambda g, b, y: -g * conjugate(y / b),
        (-3, 3), "a / b; rounded down where both are integers", "a / b",
        kernel_name="RealDiv",
        example=("[7.0, 1.0], [2.0, 0.0]", "array([3.5, inf], dtype=float32)"),
        spellings=Spellings(("RealDiv", "Div"), keras=("divide", "truedivide", "truediv"))),
    BinaryRow("floor_div", REAL, zero, zero, (-3, 3), "a / b rounded down, as int32",
        "np.floor(a / b).astype(int)", broadcast_to_int,
        example=("[7.0, -7.0], 2.0", "array([ 3, -4], dtype=int32)"),
        spellings=Spellings(("FloorDiv",), "FLOOR_DIV")),
    BinaryRow("mod", REAL, lambda g: g, lambda g, a, b: -g * ops.floor(a / b), (-3, 3),
        "the remainder of a / b, with the sign of b", "a - np.floor(a / b) * b",
        example=("[7, -7], 3", "array([1, 2], dtype=int32)"),
        spellings=Spellings(("FloorMod", "Mod"), "FLOOR_MOD")),
    BinaryRow("pow", REAL, _base_gradient, _power_gradient, (0.3, 3), "base to the power of exp",
        "np.power(base, exp)", broadcast_power, kernel_inputs=("a", "b"),
        example=("[2.0, 3.0], [3.0, -1.0]", "array([8.        , 0.33333334], dtype=float32)"),
        spellings=Spellings(("Pow",), "POW", ("power", "pow"))),
    BinaryRow("maximum", REAL, lambda g, a, b: g * (a >= b), lambda g, a, b: g * (a < b), (-3, 3),
        "the larger value", example=("[1, 5], [4, 2]", "array([4, 5], dtype=int32)"),
        spellings=Spellings(("Maximum",), "MAXIMUM", ("maximum",))),
    BinaryRow("minimum", REAL, lambda g, a, b: g * (a <= b), lambda g, a, b: g * (a > b), (-3, 3),
        "the smaller value", example=("[1, 5], [4, 2]", "array([1, 2], dtype=int32)"),
        spellings=Spellings(("Minimum",), "MINIMUM", ("minimum",))),
    BinaryRow("squared_difference", REAL, lambda g, a, b: g * 2.0 * (a - b),
        lambda g, a, b: g * 2.0 * (b - a), (-3, 3), "(a - b) squared", "(a - b) ** 2",
        example=("[1.0, 5.0], 2.0", "array([1., 9.], dtype=float32)"),
        spellings=Spellings(("SquaredDifference",), "SQUARED_DIFFERENCE")),
    BinaryRow("atan2", FLOAT, lambda g, a, b: g * (b / (a * a + b * b)),
        lambda g, a, b: -g * (a / (a * a + b * b)), (-3, 3),
        "the angle of the point (b, a), -pi to pi", "np.arctan2(a, b)",
        example=("[1.0, -1.0], [0.0, -1.0]", "array([ 1.5707964, -2.3561945], dtype=float32)"),
        spellings=Spellings(("Atan2",), "ATAN2")),
    BinaryRow("prelu", FLOAT, lambda g, x, alpha: ops.select(x > 0.0, g, g * alpha),
        lambda g, x: ops.select(x > 0.0, ops.zeros_like(g), g * x), (-3, 3),
        "x where positive, else alpha * x", "np.where(x < 0, alpha * x, x)", broadcast_slope,
        example=("[[-1.0, -1.0, 2.0]], [0.5, 0.1, 0.1]",
            "array([[-0.5, -0.1,  2. ]], dtype=float32)"),
        spellings=Spellings(("Prelu",))),
    BinaryRow("bitwise_and", INT, None, None, (-9, 9), "the bits that are set in both",
        rule=broadcast_bits, kernel_inputs=("a", "b"), method=False,
        example=("[12, 10], 6", "array([4, 2], dtype=int32)"),
        spellings=Spellings(("BitwiseAnd",))),
]
# fmt: on


for _row in BINARY:
    _first, _second = _names = _row.rule.__code__.co_varnames[:2]
    declare_row(
        _row,
        _row.rule,
        f"Element-wise: {_row.doc}.",
        [
            f"{_first}: a tensor, {TAKES[_row.dtype]}.",
            f"{_second}: a tensor of a shape that broadcasts with that of {_first}; mixed",
            "    dtypes become their common one.",
        ],
        [_row.gradient_a, _row.gradient_b],
        kernel_name=_row.kernel_name,
        js_names=dict(zip(_names, _row.kernel_inputs, strict=False)),
        promote=True,
        traits=Traits(elementwise=_row.dtype != INT and _row.rule is not broadcast_to_int),
    )


@op(
    input_dtype="number",
    js_names={"tensors": "inputs"},
    traits=Traits(elementwise=True),
    spellings=Spellings(("AddN",)),
)
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


add_n.gradient("tensors")(lambda g, tensors_spec: [g] * len(tensors_spec))
