"""Symbolic tensors, on which layers are called to make functional models."""

from typing import TYPE_CHECKING, Any

from core.errors import CoreError
from core.layers.layer_call import Lengths, Value

if TYPE_CHECKING:
    from core.layers.layer import Layer


class SymbolicTensor:
    """An input or a result of a layer without data: what `core.layers.Input` returns.

    Operators (``+ - * / **`` and ``-x``) are layers of functional models, too.

    Args:
        value: shape, dtype and mask.
        layer: the layer that gives it.
        call: the number of the call of that layer.
        output: the number of the result.

    >>> import core
    >>> x = core.layers.Input(shape=(3,), name="x")
    >>> core.layers.Dense(2)(x).shape
    (None, 2)
    """

    __array_ufunc__ = None  # so that ndarray + SymbolicTensor calls the method of this class

    def __init__(self, value: Value, layer: "Layer", call: int, output: int):
        self.value, self.layer, self.call, self.output = value, layer, call, output

    @property
    def shape(self) -> Lengths:
        """The length of each axis; None is any length, as of the batch."""
        if self.value.shape is None:
            raise CoreError(f"the shape of {self!r} is unknown")
        return self.value.shape

    @property
    def dtype(self) -> str:
        """The dtype, such as ``"float32"``."""
        return self.value.dtype

    @property
    def name(self) -> str:
        """The name of the layer that gives the tensor."""
        return self.layer.name

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    def __repr__(self) -> str:
        return f"SymbolicTensor(shape={self.value.shape}, dtype={self.dtype}, name={self.name!r})"

    def __bool__(self) -> bool:
        raise CoreError(f"{self!r} has no value: write a layer or a model for what depends on it")

    __iter__ = None

    def _called(self, function: str, *arguments: Any) -> "SymbolicTensor":
        from core.layers.function_layer import function_layer

        found: SymbolicTensor = function_layer(function)(*arguments)
        return found

    def __add__(self, other: Any) -> "SymbolicTensor":
        return self._called("Add", self, other)

    def __radd__(self, other: Any) -> "SymbolicTensor":
        return self._called("Add", other, self)

    def __sub__(self, other: Any) -> "SymbolicTensor":
        return self._called("Subtract", self, other)

    def __rsub__(self, other: Any) -> "SymbolicTensor":
        return self._called("Subtract", other, self)

    def __mul__(self, other: Any) -> "SymbolicTensor":
        return self._called("Multiply", self, other)

    def __rmul__(self, other: Any) -> "SymbolicTensor":
        return self._called("Multiply", other, self)

    def __truediv__(self, other: Any) -> "SymbolicTensor":
        return self._called("TrueDivide", self, other)

    def __rtruediv__(self, other: Any) -> "SymbolicTensor":
        return self._called("TrueDivide", other, self)

    def __pow__(self, other: Any) -> "SymbolicTensor":
        return self._called("Power", self, other)

    def __neg__(self) -> "SymbolicTensor":
        return self._called("Negative", self)


def symbolic_in(value: Any) -> bool:
    """Whether there is a symbolic tensor in nested lists and dicts."""
    if isinstance(value, SymbolicTensor):
        return True
    if isinstance(value, dict):
        return any(map(symbolic_in, value.values()))
    return isinstance(value, (list, tuple)) and any(map(symbolic_in, value))
