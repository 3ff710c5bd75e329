"""Element-wise ops of two inputs that broadcast: one row each.

The inputs are brought to their common dtype first. The tape sums each gradient back to the shape
of its input, so that no row mentions broadcasting.
"""

from typing import NamedTuple

from core.declare import Op, Rule
from core.kernels import ops
from core.specs import Spec, broadcast_shapes


class BinaryRow(NamedTuple):
    """One element-wise op of a and b."""

    name: str
    gradient_a: Rule | None
    gradient_b: Rule | None
    domain: tuple[float, float]
    doc: str
    kernel_name: str = ""


def broadcast(a: Spec, b: Spec) -> Spec:
    """The result has the common shape."""
    if a.shape == b.shape:
        return a
    return Spec(broadcast_shapes(a.shape, b.shape), a.dtype)


BINARY = [
    BinaryRow("add", lambda g: g, lambda g: g, (-3, 3), "a + b"),
    BinaryRow("sub", lambda g: g, lambda g: -g, (-3, 3), "a - b"),
    BinaryRow(
        "mul", lambda g, b: g * b, lambda g, a: g * a, (-3, 3), "a * b", kernel_name="Multiply"
    ),
    BinaryRow(
        "div",
        lambda g, b: g / b,
        lambda g, b, y: -g * y / b,
        (-3, 3),
        "a / b; rounded down where both are whole numbers",
        kernel_name="RealDiv",
    ),
    BinaryRow(
        "floor_div",
        lambda g: ops.zeros_like(g),
        lambda g: ops.zeros_like(g),
        (-3, 3),
        "a / b rounded down",
    ),
    BinaryRow(
        "mod",
        lambda g: g,
        lambda g, a, b: -g * ops.floor_div(a, b),
        (-3, 3),
        "what remains of a / b, with the sign of b",
    ),
    BinaryRow(
        "pow",
        lambda g, a, b: g * b * ops.pow(a, b - 1.0),
        lambda g, a, y: g * y * ops.log(ops.select(a > 0.0, a, 1.0)),
        (0.3, 3),
        "a to the power of b",
    ),
    BinaryRow(
        "maximum", lambda g, a, b: g * (a >= b), lambda g, a, b: g * (a < b), (-3, 3), "the larger"
    ),
    BinaryRow(
        "minimum", lambda g, a, b: g * (a <= b), lambda g, a, b: g * (a > b), (-3, 3), "the smaller"
    ),
    BinaryRow(
        "squared_difference",
        lambda g, a, b: g * 2.0 * (a - b),
        lambda g, a, b: g * 2.0 * (b - a),
        (-3, 3),
        "(a - b) squared",
    ),
    BinaryRow(
        "prelu",
        lambda g, a, b: g * ops.select(a > 0.0, 1.0, b),
        lambda g, a: g * ops.minimum(a, 0.0),
        (-3, 3),
        "a where positive, else a * b",
    ),
]

for _row in BINARY:
    Op(
        broadcast,
        name=_row.name,
        doc=f"Element-wise: {_row.doc}. a, b: tensors of shapes that broadcast.",
        kernel_name=_row.kernel_name,
        gradients={"a": _row.gradient_a, "b": _row.gradient_b},
        promote=True,
        input_dtype="number",
    )
