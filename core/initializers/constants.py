"""Initializers without random numbers."""

from collections.abc import Sequence

import numpy as np

from core.engine.specs import Shape
from core.errors import CoreError
from core.initializers.base import Initializer


class Zeros(Initializer):
    """All values are 0.

    >>> import core
    >>> core.initializers.Zeros()((3,))
    array([0., 0., 0.], dtype=float32)
    """

    def values(self, shape: Shape) -> np.ndarray:
        """Return zeros."""
        return np.zeros(shape, np.float32)


class Ones(Initializer):
    """All values are 1.

    >>> import core
    >>> core.initializers.Ones()((3,))
    array([1., 1., 1.], dtype=float32)
    """

    def values(self, shape: Shape) -> np.ndarray:
        """Return ones."""
        return np.ones(shape, np.float32)


class Constant(Initializer):
    """All values are a given number, or those of a given array.

    Args:
        value: a number, or an array that broadcasts to the shape.

    Raises:
        CoreError: the value is not numeric, or does not broadcast to a shape.

    >>> import core
    >>> core.initializers.Constant(0.5)((2, 2))
    array([[0.5, 0.5],
           [0.5, 0.5]], dtype=float32)
    """

    def __init__(self, value: float | Sequence[float] | np.ndarray = 0.0):
        array = np.asarray(value)
        if array.dtype.kind not in "biuf":
            raise CoreError(f"value={value!r:.80} must be a number or an array of numbers")
        self.value = array.tolist()

    def values(self, shape: Shape) -> np.ndarray:
        """Return the value as often as the shape needs."""
        array = np.asarray(self.value)
        try:
            return np.broadcast_to(array, shape)
        except ValueError:
            raise CoreError(
                f"a constant of shape {array.shape} does not broadcast to the shape {shape} of "
                f"the weight: give one number, or an array of that shape"
            ) from None


class Identity(Initializer):
    """The identity matrix: 1 on the diagonal and 0 elsewhere.

    Args:
        gain: factor of the values.

    Raises:
        CoreError: a shape has not two axes.

    >>> import core
    >>> core.initializers.Identity(gain=2.0)((2, 3))
    array([[2., 0., 0.],
           [0., 2., 0.]], dtype=float32)
    """

    def __init__(self, gain: float = 1.0):
        self.gain = gain

    def values(self, shape: Shape) -> np.ndarray:
        """Return the matrix."""
        if len(shape) != 2:
            raise CoreError(
                f"Identity fills matrices, of two axes, got the shape {shape}: take another "
                f"initializer"
            )
        return self.gain * np.eye(*shape)
