"""Ops that the host computes: checks of values, and functions of arrays."""

from collections.abc import Callable

import numpy as np

from core import ops
from core.engine.argument_types import TensorLike
from core.engine.operation import spec_of
from core.engine.registry import op
from core.engine.specs import Spec


@op(input_dtype="float32")
def check_numerics(x: TensorLike, message: str = "the tensor") -> Spec:
    """Pass values on; raise if one is NaN or infinite, before any op that follows in a plan.

    Args:
        x: float32 of any shape.
        message: name of the values, for the error.

    Raises:
        NotFiniteError: a value is NaN or infinite.

    >>> core.check_numerics([1.0, 2.0]).numpy()
    array([1., 2.], dtype=float32)
    """
    return spec_of(x)


@check_numerics.gradient("x")
def _(g):
    return ops.identity(g)


@op(input_dtype="float32")
def numpy_function(x: TensorLike, function: Callable[[np.ndarray], np.ndarray]) -> Spec:
    """Apply a function of arrays, also inside of a compiled function; it has no gradient.

    Args:
        x: float32 of any shape.
        function: takes a read-only array and returns one of its shape, at each run anew.

    Raises:
        CoreError: the result has another shape.

    >>> import numpy as np
    >>> core.numpy_function([2.0, 1.0], function=np.sort).numpy()
    array([1., 2.], dtype=float32)
    """
    return spec_of(x)
