"""Element-wise ops of one input: one row each.

A row holds the name, the gradient rule, where tests draw x from, and what the op computes. A rule
gets ``g``, the gradient of y, and by name what else it needs (`core.declare.Op.gradient`).
``FLOAT`` rows convert their input to float32 first; ``NUMBER`` rows keep its dtype, but for bools,
which become int32.
"""

from typing import NamedTuple

from core.declare import Op, Rule
from core.kernels import ops
from core.specs import Spec

FLOAT, NUMBER, BOOL, ANY = "float32", "number", "bool", "no string"


class UnaryRow(NamedTuple):
    """One element-wise op of x."""

    name: str
    dtype: str
    gradient: Rule | None
    domain: tuple[float, float]
    doc: str
    kernel_name: str = ""


def same(x: Spec) -> Spec:
    """The result has the input's shape and dtype."""
    return x


UNARY = [
    UnaryRow("neg", NUMBER, lambda g: -g, (-3, 3), "-x"),
    UnaryRow("abs", NUMBER, lambda g, x: g * ops.sign(x), (-3, 3), "the absolute value of x"),
    UnaryRow("sign", NUMBER, lambda g: ops.zeros_like(g), (-3, 3), "-1, 0 or 1 by the sign of x"),
    UnaryRow("square", NUMBER, lambda g, x: g * 2.0 * x, (-3, 3), "x * x"),
    UnaryRow("sqrt", FLOAT, lambda g, y: g / (2.0 * y), (0.1, 5), "the square root of x"),
    UnaryRow("rsqrt", FLOAT, lambda g, x, y: -g * y / (2.0 * x), (0.2, 5), "1 / sqrt(x)"),
    UnaryRow("reciprocal", FLOAT, lambda g, y: -g * y * y, (0.2, 3), "1 / x"),
    UnaryRow("exp", FLOAT, lambda g, y: g * y, (-3, 3), "e to the power of x"),
    UnaryRow("expm1", FLOAT, lambda g, y: g * (y + 1.0), (-3, 3), "e**x - 1, exact near 0"),
    UnaryRow("log", FLOAT, lambda g, x: g / x, (0.1, 5), "the natural logarithm of x"),
    UnaryRow("log1p", FLOAT, lambda g, x: g / (x + 1.0), (-0.8, 5), "log(1 + x), exact near 0"),
    UnaryRow("sin", FLOAT, lambda g, x: g * ops.cos(x), (-3, 3), "the sine of x (radians)"),
    UnaryRow("cos", FLOAT, lambda g, x: -g * ops.sin(x), (-3, 3), "the cosine of x (radians)"),
    UnaryRow("tan", FLOAT, lambda g, y: g * (1.0 + y * y), (-1, 1), "the tangent of x (radians)"),
    UnaryRow("tanh", FLOAT, lambda g, y: g * (1.0 - y * y), (-3, 3), "the hyperbolic tangent of x"),
    UnaryRow("sigmoid", FLOAT, lambda g, y: g * y * (1.0 - y), (-5, 5), "1 / (1 + e**-x)"),
    UnaryRow("softplus", FLOAT, lambda g, x: g * ops.sigmoid(x), (-5, 5), "log(1 + e**x)"),
    UnaryRow("relu", NUMBER, lambda g, y: g * ops.step(y), (-3, 3), "x where positive, else 0"),
    UnaryRow(
        "relu6", NUMBER, lambda g, x: g * ops.step(x) * (x <= 6.0), (-3, 9), "x clipped to 0..6"
    ),
    UnaryRow(
        "elu",
        FLOAT,
        lambda g, y: g * ops.minimum(y + 1.0, 1.0),
        (-3, 3),
        "x where positive, else e**x - 1",
    ),
    UnaryRow("step", NUMBER, lambda g: ops.zeros_like(g), (-3, 3), "1 where x > 0, else 0"),
    UnaryRow("floor", NUMBER, lambda g: ops.zeros_like(g), (-3, 3), "x rounded down"),
    UnaryRow("ceil", NUMBER, lambda g: ops.zeros_like(g), (-3, 3), "x rounded up"),
    UnaryRow("round", NUMBER, lambda g: ops.zeros_like(g), (-3, 3), "x rounded, halves to even"),
    UnaryRow("logical_not", BOOL, None, (0, 1), "whether x is false"),
    UnaryRow("zeros_like", ANY, lambda g: ops.zeros_like(g), (-3, 3), "zeros of x's shape"),
    UnaryRow("ones_like", ANY, lambda g: ops.zeros_like(g), (-3, 3), "ones of x's shape"),
]

for _row in UNARY:
    Op(
        same,
        name=_row.name,
        doc=f"Element-wise: {_row.doc}. x: a tensor of any shape; the result has the same.",
        kernel_name=_row.kernel_name,
        gradients={"x": _row.gradient},
        input_dtype=_row.dtype,
    )
