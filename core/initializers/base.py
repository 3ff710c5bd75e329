"""The base of initializers."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from core.engine.dtypes import DType, to_numpy
from core.engine.limits import claim
from core.engine.specs import Shape, Spec, checked_shape
from core.errors import CoreError
from core.keras.configured import Configured


class Initializer(Configured):
    """Base of initializers: a call with a shape returns initial values of a weight.

    A class of yours defines ``values``, and stores its arguments as attributes of their names.

    >>> import core, numpy as np
    >>> class Twos(core.initializers.Initializer):
    ...     def values(self, shape):
    ...         return np.full(shape, 2.0)
    >>> Twos()((3,))
    array([2., 2., 2.], dtype=float32)
    """

    def __call__(self, shape: Sequence[int], dtype: DType = "float32") -> np.ndarray:
        """Return initial values.

        Args:
            shape: length of each axis.
            dtype: of the values.

        Raises:
            CoreError: the shape has a negative length, or the initializer cannot fill it.
        """
        lengths = checked_shape(shape)
        claim(8 * Spec(lengths).size, f"initial values of shape {lengths}, made in 64 bits")
        return to_numpy(self.values(lengths), dtype)

    def values(self, shape: Shape) -> np.ndarray:
        """Return values of a shape, of any dtype."""
        raise CoreError(f"{type(self).__name__} must define values(shape), as its base does not")


class FunctionInitializer(Initializer):
    """Initial values that a function returns.

    Args:
        function: called with a shape and the name of a dtype.

    >>> import core, numpy as np
    >>> core.initializers.get(lambda shape, dtype: np.ones(shape))((2,))
    array([1., 1.], dtype=float32)
    """

    def __init__(self, function: Callable[[Shape, DType], Any]):
        self.function = function

    def __call__(self, shape: Sequence[int], dtype: DType = "float32") -> np.ndarray:
        """Return the values of the function.

        Args:
            shape: length of each axis.
            dtype: of the values.

        Raises:
            CoreError: the values have another shape.
        """
        lengths = checked_shape(shape)
        values = to_numpy(self.function(lengths, dtype), dtype)
        if values.shape != lengths:
            raise CoreError(
                f"the function for initial values returned the shape {values.shape}, "
                f"expected {lengths}"
            )
        return values
