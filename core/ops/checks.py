"""Ops that check values while they pass."""

from core.late_ops import ops
from core.registry import op
from core.specs import Spec


@op(input_dtype="float32")
def check_numerics(x: Spec, *, message: str = "the tensor") -> Spec:
    """Pass values on; raise if one is NaN or infinite, before any op that follows in a plan.

    Args:
        x: float32 of any shape.
        message: name of the values, for the error.

    Raises:
        NotFiniteError: a value is NaN or infinite.

    >>> core.check_numerics([1.0, 2.0]).numpy()
    array([1., 2.], dtype=float32)
    """
    return x


@check_numerics.gradient("x")
def _(g):
    return ops.identity(g)
