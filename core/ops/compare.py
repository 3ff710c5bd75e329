"""Element-wise comparison and logic: one row each. The results are bool."""

from typing import NamedTuple

from core.engine.late_ops import ops
from core.engine.operation import UNSPELLED, Rule, Spellings
from core.engine.registry import op
from core.engine.specs import Spec, broadcast_shapes
from core.errors import CoreError
from core.ops.declaring import TAKES, declare_row, zero, zero_gradient


def to_bool(a: Spec, b: Spec) -> Spec:
    """bool, of the common shape."""
    return Spec(broadcast_shapes(a.shape, b.shape), "bool")


def to_order(a: Spec, b: Spec) -> Spec:
    """bool, of the common shape; complex64 has no order and is refused."""
    if a.dtype == "complex64":
        raise CoreError("complex numbers have no order: compare core.abs of them")
    return to_bool(a, b)


class CompareRow(NamedTuple):
    """One element-wise op of a and b that gives true or false."""

    name: str
    dtype: str | None  # None: compare in the common dtype; strings as their bytes in UTF-8
    doc: str
    rule: Rule = to_bool
    gradient: Rule | None = None  # for both inputs
    method: bool = True
    example: tuple[str, str] = ("", "")  # the arguments of a call, and the printed result
    spellings: Spellings = UNSPELLED


# Filled lines, since a formatter would give each value a line of its own:
# fmt: off
COMPARE = [
    CompareRow("equal", None, "whether a == b",
        example=("[1, 2, 3], [1, 5, 3]", "array([ True, False,  True])"),
        spellings=Spellings(("Equal",), "EQUAL")),
    CompareRow("not_equal", None, "whether a != b",
        example=('["a", "b"], ["a", "c"]', "array([False,  True])"),
        spellings=Spellings(("NotEqual",), "NOT_EQUAL")),
    CompareRow("less", None, "whether a < b", to_order,
        example=("[1, 2, 3], 2", "array([ True, False, False])"),
        spellings=Spellings(("Less",), "LESS")),
    CompareRow("less_equal", None, "whether a <= b", to_order,
        example=("[1, 2, 3], 2", "array([ True,  True, False])"),
        spellings=Spellings(("LessEqual",), "LESS_EQUAL")),
    CompareRow("greater", None, "whether a > b", to_order,
        example=("[1, 2, 3], 2", "array([False, False,  True])"),
        spellings=Spellings(("Greater",), "GREATER")),
    CompareRow("greater_equal", None, "whether a >= b", to_order, zero,
        example=("[1, 2, 3], 2", "array([False,  True,  True])"),
        spellings=Spellings(("GreaterEqual",), "GREATER_EQUAL")),
    CompareRow("logical_and", "bool", "whether both values are true",
        example=("[True, True, False], [True, False, False]", "array([ True, False, False])"),
        spellings=Spellings(("LogicalAnd",), "LOGICAL_AND")),
    CompareRow("logical_or", "bool", "whether at least one value is true",
        example=("[True, True, False], [True, False, False]", "array([ True,  True, False])"),
        spellings=Spellings(("LogicalOr",), "LOGICAL_OR")),
    CompareRow("logical_xor", "bool", "whether exactly one value is true",
        example=("[True, True, False], [True, False, False]", "array([False,  True, False])")),
]
# fmt: on

for _row in COMPARE:
    declare_row(
        _row,
        _row.rule,
        f"Element-wise: {_row.doc}.",
        [
            f"a: a tensor, {TAKES[_row.dtype]}.",
            "b: a tensor of a shape that broadcasts with that of a.",
        ],
        [_row.gradient, _row.gradient],
        promote=_row.dtype is None,
    )


@op(kernel_name="Select", promote=("t", "e"), spellings=Spellings(("SelectV2", "Select")))
def select(condition: Spec, t: Spec, e: Spec) -> Spec:
    """Values of ``t`` where the condition is true, else of ``e``.

    Args:
        condition: bool tensor.
        t: values where true; all three have shapes that broadcast.
        e: values where false; a mixed pair takes the common dtype.

    >>> core.select([True, False], [1.0, 2.0], [3.0, 4.0]).numpy()
    array([1., 4.], dtype=float32)
    """
    if condition.dtype != "bool":
        raise CoreError(f"select needs a bool condition, got {condition.dtype}: compare first")
    return Spec(broadcast_shapes(condition.shape, broadcast_shapes(t.shape, e.shape)), t.dtype)


zero_gradient(select, "condition")
select.gradient("t")(lambda g, condition: ops.select(condition, g, ops.zeros_like(g)))
select.gradient("e")(lambda g, condition: ops.select(condition, ops.zeros_like(g), g))
