"""What is fed to a graph for the time of one call: nothing of it is copied before it is needed."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from core.dispatch import tensor
from core.graph.nodes import Quantization
from core.specs import Spec
from core.tensors import Tensor


class QuantizedArray(NamedTuple):
    """Whole numbers that stand for real values, as `Quantization` says; plans take them as such.

    >>> QuantizedArray(np.uint8([128, 130]), Quantization(0.5, 128, "uint8")).values().tolist()
    [0.0, 1.0]
    """

    array: np.ndarray
    quantization: Quantization

    @property
    def spec(self) -> Spec:
        """Shape and dtype of the real values."""
        return Spec(self.array.shape)

    def write_to(self, target: np.ndarray) -> None:
        """Put the real values into an array of them; the difference of whole numbers is exact."""
        np.subtract(self.array, np.float32(self.quantization.zero_point), out=target)
        np.multiply(target, np.float32(self.quantization.scale), out=target)

    def values(self) -> np.ndarray:
        """The real values."""
        found = np.empty(self.array.shape, np.float32)
        self.write_to(found)
        return found


class ArrayView(NamedTuple):
    """An array of the caller's, who may write to it after the call: plans copy what they need."""

    array: np.ndarray
    spec: Spec


#: Of arrays that can be shown as they are.
_SHOWN = {np.dtype(np.float32): "float32", np.dtype(np.int32): "int32"}

#: What a reference is fed with.
Feed = Tensor | QuantizedArray | ArrayView


def as_view(value: Any, quantization: Quantization | None = None) -> Feed:
    """A feed for the time of one call: it shows an array that the caller has, if it can."""
    if quantization is not None and _is_of(value, quantization):
        return QuantizedArray(np.asarray(value), quantization)
    is_plain = type(value) is np.ndarray and value.flags.c_contiguous and value.flags.aligned
    dtype = _SHOWN.get(value.dtype) if is_plain else None  # NumPy's own names take a microsecond
    return tensor(value) if dtype is None else ArrayView(value, Spec(value.shape, dtype))


def as_tensor(value: Any, quantization: Quantization | None = None) -> Tensor:
    """A feed that is a tensor of its own."""
    if quantization is not None and _is_of(value, quantization):
        return tensor(QuantizedArray(np.asarray(value), quantization).values())
    return tensor(value)


def as_tensors(values: Mapping[str, Any]) -> dict[str, Any]:
    """The same values, without what is only borrowed for the time of a run."""
    return {reference: _own(value) for reference, value in values.items()}


def _own(value: Any) -> Any:
    if type(value) is QuantizedArray:
        return tensor(value.values())
    return tensor(value.array) if type(value) is ArrayView else value


def _is_of(value: Any, quantization: Quantization) -> bool:
    """Whether an array is one of the model's own whole numbers."""
    return getattr(value, "dtype", None) == np.dtype(quantization.dtype)
