"""Tensors of arrays that nobody writes to, such as weights: one for all plans that read them."""

from collections.abc import Hashable
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

import numpy as np

from core.backends.tf.starting import load_tensorflow
from core.engine.dtypes import dtype_of

if TYPE_CHECKING:
    from core.backends.tf.raw_ops import TfTensor

#: Size in bytes from which on plans share the tensor of an array.
LEAST_BYTES = 1 << 14


class HeldArray:
    """An array with its tensor: who holds it keeps the address of the array from others.

    Args:
        array: the array, which nobody writes to.
        tensor: its values in TensorFlow.
    """

    __slots__ = ("__weakref__", "array", "tensor")

    def __init__(self, array: np.ndarray, tensor: "TfTensor"):
        self.array, self.tensor = array, tensor


class HeldArrays:
    """Tensors by the addresses of arrays, as long as somebody else holds them.

    What a plan reads of a model's weights are arrays that show the memory of TensorFlow: so it gets
    the tensors that the model has already, and several plans share those of other arrays.
    """

    def __init__(self) -> None:
        self._shown: WeakValueDictionary[Hashable, TfTensor] = WeakValueDictionary()
        self._copied: WeakValueDictionary[Hashable, HeldArray] = WeakValueDictionary()

    def note(self, tensor: "TfTensor", view: np.ndarray) -> None:
        """Remember a tensor, unless it is small.

        Args:
            tensor: with its data in the memory of the CPU.
            view: an array that shows these data.
        """
        if view.nbytes >= LEAST_BYTES:
            self._shown[_key(view)] = tensor

    def held(self, array: np.ndarray) -> HeldArray:
        """Return an array with its tensor, made where it is missing; TensorFlow copies values."""
        if array.dtype.hasobject:
            return HeldArray(array, load_tensorflow().constant(array, dtype="string"))
        if array.nbytes < LEAST_BYTES or not array.flags.c_contiguous:
            return HeldArray(array, load_tensorflow().constant(array))
        key = _key(array)
        tensor = self._shown.get(key)
        if tensor is not None:
            return HeldArray(array, _in_shape_of(array, tensor))
        found = self._copied.get(key)
        if found is None:
            found = self._copied[key] = HeldArray(array, load_tensorflow().constant(array))
        elif found.array.shape != array.shape:
            return HeldArray(found.array, _in_shape_of(array, found.tensor))
        return found


def _in_shape_of(array: np.ndarray, tensor: "TfTensor") -> "TfTensor":
    """Return the data of a tensor in the shape of an array."""
    return (
        tensor
        if tuple(tensor.shape) == array.shape
        else load_tensorflow().reshape(tensor, array.shape)
    )


def _key(array: np.ndarray) -> Hashable:
    return array.__array_interface__["data"][0], array.nbytes, dtype_of(array)
