"""Feeds: the inputs of one call of a graph, which are copied as late as possible."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from core.engine.dispatch import tensor
from core.engine.real_values import write_real_values
from core.engine.specs import Spec
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.graph.nodes import Endpoint, Quantization


class QuantizedArray(NamedTuple):
    """Integers that represent real values by a `Quantization`; plans take them as they are.

    >>> QuantizedArray(np.uint8([128, 130]), Quantization(0.5, 128, "uint8")).values().tolist()
    [0.0, 1.0]
    """

    array: np.ndarray
    quantization: Quantization

    @property
    def spec(self) -> Spec:
        """Return shape and dtype of the real values."""
        return Spec(self.array.shape)

    def write_to(self, target: np.ndarray) -> None:
        """Write the real values into an array."""
        how = self.quantization
        write_real_values(self.array, how.scale, how.zero_point, target)

    def values(self) -> np.ndarray:
        """Return the real values."""
        found = np.empty(self.array.shape, np.float32)
        self.write_to(found)
        return found


class ArrayView(NamedTuple):
    """An array of the caller, who may write to it after the call: plans copy what they need."""

    array: np.ndarray
    spec: Spec


#: Dtypes of arrays that need no conversion.
_SHOWN = {np.dtype(np.float32): "float32", np.dtype(np.int32): "int32"}

#: The value of an input.
Feed = Tensor | QuantizedArray | ArrayView


def as_view(value: Any, quantization: Quantization | None = None) -> Feed:
    """Return a feed for the time of one call: a view of the caller's array if possible."""
    if quantization is not None and _is_of(value, quantization):
        return QuantizedArray(np.asarray(value), quantization)
    is_plain = type(value) is np.ndarray and value.flags.c_contiguous and value.flags.aligned
    dtype = _SHOWN.get(value.dtype) if is_plain else None  # NumPy's own names take a microsecond
    return tensor(value) if dtype is None else ArrayView(value, Spec(value.shape, dtype))


def as_tensor(value: Any, quantization: Quantization | None = None) -> Tensor:
    """Return a feed that is a new tensor."""
    if quantization is not None and _is_of(value, quantization):
        return tensor(QuantizedArray(np.asarray(value), quantization).values())
    return tensor(value)


def is_list(value: Any, form: str) -> bool:
    """Return whether a value of an input or output of that form is a list of tensors or None.

    >>> is_list([np.zeros(2)], "optional"), is_list([0.0, 1.0], "optional"), is_list(None, "tensor")
    (True, False, False)
    """
    if form == "optional":
        arrays = isinstance(value, (list, tuple)) and all(hasattr(v, "shape") for v in value)
        return value is None or arrays
    return form == "sequence"


def listed_feed(name: str, value: Any, endpoint: Endpoint) -> list[Tensor] | None:
    """Return the tensors of an input that takes a list of them.

    Raises:
        CoreError: it is no list, or has tensors of another dtype.
    """
    if value is None and endpoint.form == "optional":
        return None
    if not isinstance(value, (list, tuple)):
        raise CoreError(
            f"input {name!r} is a {endpoint.form} of tensors: give a list, not a "
            f"{type(value).__name__}"
        )
    tensors = [*map(as_tensor, value)]
    for each in tensors:
        if each.dtype != endpoint.spec.dtype:
            raise CoreError(
                f"input {name!r} must be a list of tensors of {endpoint.spec.dtype}, one is "
                f"{each.dtype}"
            )
    return tensors


def as_tensors(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values with tensors instead of views of arrays."""
    return {reference: _own(value) for reference, value in values.items()}


def _own(value: Any) -> Any:
    if type(value) is QuantizedArray:
        return tensor(value.values())
    return tensor(value.array) if type(value) is ArrayView else value


def _is_of(value: Any, quantization: Quantization) -> bool:
    """Return whether an array holds quantized values of the model."""
    return getattr(value, "dtype", None) == np.dtype(quantization.dtype)
