"""Element-wise comparison and logic. The results are bool."""

from core import ops
from core.engine.argument_types import TensorLike
from core.engine.declaring import zero, zero_gradient
from core.engine.operation import Spellings, spec_of
from core.engine.registry import op
from core.engine.specs import Spec, broadcast_shapes
from core.errors import CoreError


def bools(a: TensorLike, b: TensorLike) -> Spec:
    """The result of a comparison: strings compare as their bytes in UTF-8."""
    return Spec(broadcast_shapes(spec_of(a).shape, spec_of(b).shape), "bool")


def ordered(a: TensorLike, b: TensorLike) -> Spec:
    """The result of a comparison by order, which complex64 has not."""
    if spec_of(a).dtype == "complex64":
        raise CoreError("complex numbers have no order: compare core.abs of them")
    return bools(a, b)


@op(promote=True, method=True, spellings=Spellings(("Equal",), "EQUAL"))
def equal(a: TensorLike, b: TensorLike) -> Spec:
    """Element-wise: whether a == b.

    Args:
        a: a tensor, of any dtype.
        b: a tensor of a shape that broadcasts with that of a.

    Returns:
        bool, of the common shape.

    >>> core.equal([1, 2, 3], [1, 5, 3]).numpy()
    array([ True, False,  True])
    """
    return bools(a, b)


@op(promote=True, method=True, spellings=Spellings(("NotEqual",), "NOT_EQUAL"))
def not_equal(a: TensorLike, b: TensorLike) -> Spec:
    """Element-wise: whether a != b.

    Args:
        a: a tensor, of any dtype.
        b: a tensor of a shape that broadcasts with that of a.

    Returns:
        bool, of the common shape.

    >>> core.not_equal(["a", "b"], ["a", "c"]).numpy()
    array([False,  True])
    """
    return bools(a, b)


@op(promote=True, method=True, spellings=Spellings(("Less",), "LESS"))
def less(a: TensorLike, b: TensorLike) -> Spec:
    """Element-wise: whether a < b.

    Args:
        a: a tensor, of any dtype.
        b: a tensor of a shape that broadcasts with that of a.

    Returns:
        bool, of the common shape; complex64 has no order and is refused.

    >>> core.less([1, 2, 3], 2).numpy()
    array([ True, False, False])
    """
    return ordered(a, b)


@op(promote=True, method=True, spellings=Spellings(("LessEqual",), "LESS_EQUAL"))
def less_equal(a: TensorLike, b: TensorLike) -> Spec:
    """Element-wise: whether a <= b.

    Args:
        a: a tensor, of any dtype.
        b: a tensor of a shape that broadcasts with that of a.

    Returns:
        bool, of the common shape; complex64 has no order and is refused.

    >>> core.less_equal([1, 2, 3], 2).numpy()
    array([ True,  True, False])
    """
    return ordered(a, b)


@op(promote=True, method=True, spellings=Spellings(("Greater",), "GREATER"))
def greater(a: TensorLike, b: TensorLike) -> Spec:
    """Element-wise: whether a > b.

    Args:
        a: a tensor, of any dtype.
        b: a tensor of a shape that broadcasts with that of a.

    Returns:
        bool, of the common shape; complex64 has no order and is refused.

    >>> core.greater([1, 2, 3], 2).numpy()
    array([False, False,  True])
    """
    return ordered(a, b)


@op(
    promote=True,
    gradients={"a": zero, "b": zero},
    method=True,
    spellings=Spellings(("GreaterEqual",), "GREATER_EQUAL"),
)
def greater_equal(a: TensorLike, b: TensorLike) -> Spec:
    """Element-wise: whether a >= b.

    Args:
        a: a tensor, of any dtype.
        b: a tensor of a shape that broadcasts with that of a.

    Returns:
        bool, of the common shape; complex64 has no order and is refused.

    >>> core.greater_equal([1, 2, 3], 2).numpy()
    array([False,  True,  True])
    """
    return ordered(a, b)


@op(input_dtype="bool", method=True, spellings=Spellings(("LogicalAnd",), "LOGICAL_AND"))
def logical_and(a: TensorLike, b: TensorLike) -> Spec:
    """Element-wise: whether both values are true.

    Args:
        a: a tensor, bool.
        b: a tensor of a shape that broadcasts with that of a.

    Returns:
        bool, of the common shape.

    >>> core.logical_and([True, True, False], [True, False, False]).numpy()
    array([ True, False, False])
    """
    return bools(a, b)


@op(input_dtype="bool", method=True, spellings=Spellings(("LogicalOr",), "LOGICAL_OR"))
def logical_or(a: TensorLike, b: TensorLike) -> Spec:
    """Element-wise: whether at least one value is true.

    Args:
        a: a tensor, bool.
        b: a tensor of a shape that broadcasts with that of a.

    Returns:
        bool, of the common shape.

    >>> core.logical_or([True, True, False], [True, False, False]).numpy()
    array([ True,  True, False])
    """
    return bools(a, b)


@op(input_dtype="bool", method=True)
def logical_xor(a: TensorLike, b: TensorLike) -> Spec:
    """Element-wise: whether exactly one value is true.

    Args:
        a: a tensor, bool.
        b: a tensor of a shape that broadcasts with that of a.

    Returns:
        bool, of the common shape.

    >>> core.logical_xor([True, True, False], [True, False, False]).numpy()
    array([False,  True, False])
    """
    return bools(a, b)


@op(kernel_name="Select", promote=("t", "e"), spellings=Spellings(("SelectV2", "Select")))
def select(condition: TensorLike, t: TensorLike, e: TensorLike) -> Spec:
    """Values of ``t`` where the condition is true, else of ``e``.

    Args:
        condition: bool tensor.
        t: values where true; all three have shapes that broadcast.
        e: values where false; a mixed pair takes the common dtype.

    >>> core.select([True, False], [1.0, 2.0], [3.0, 4.0]).numpy()
    array([1., 4.], dtype=float32)
    """
    condition, t, e = spec_of(condition), spec_of(t), spec_of(e)
    if condition.dtype != "bool":
        raise CoreError(f"select needs a bool condition, got {condition.dtype}: compare first")
    return Spec(broadcast_shapes(condition.shape, broadcast_shapes(t.shape, e.shape)), t.dtype)


zero_gradient(select, "condition")
select.gradient("t")(lambda g, condition: ops.select(condition, g, ops.zeros_like(g)))
select.gradient("e")(lambda g, condition: ops.select(condition, ops.zeros_like(g), g))
