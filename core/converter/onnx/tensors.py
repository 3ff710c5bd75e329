"""Tensors of ONNX files: raw bytes, lists of values, or bytes of another file in the folder."""

from math import prod
from typing import Any, NamedTuple

import numpy as np

from core.converter.onnx.external_files import ExternalFiles
from core.converter.onnx.small_types import decoded
from core.converter.protobuf import Message
from core.converter.tensor_protos import LONGEST_AXIS, MOST_AXES, Budget, narrowed
from core.errors import CoreError
from core.graph.node_types.onnx.type_table import ELEMENT_TYPES, ElementType
from weights_cache.reading_budgets import spend

#: The place of the bytes of a tensor that are in another file.
_EXTERNAL = 1

#: Memory of a string beside its own bytes.
_STRING_BYTES = 100


class OnnxTensor(NamedTuple):
    """A tensor in a dtype of the engine, and the name of its element type in the file."""

    array: np.ndarray
    type: str


def element_type(number: int) -> ElementType:
    """Return the type of a number.

    Raises:
        CoreError: ONNX does not define it.
    """
    found = ELEMENT_TYPES.get(number)
    if found is None:
        raise CoreError(f"a tensor has the element type {number}, which ONNX does not define")
    return found


class TensorReader:
    """Reads the tensors of a file.

    Args:
        files: the files beside it that hold bytes of tensors.
        budget: the memory that all tensors together may take.
    """

    def __init__(self, files: ExternalFiles, budget: Budget):
        self._files, self._budget = files, budget

    def read(self, proto: Message) -> OnnxTensor:
        """Return the tensor of a TensorProto.

        Raises:
            CoreError: it is damaged or too large, or holds integers that do not fit into int32.
        """
        kind = element_type(proto.integer(2))
        try:
            return OnnxTensor(narrowed(self._exact(proto, kind)), kind.name)
        except CoreError as error:
            raise CoreError(f"the tensor {proto.text(8)!r:.80}: {error}") from error

    def sparse(self, proto: Message) -> OnnxTensor:
        """Return a SparseTensorProto with its zeros.

        Raises:
            CoreError: as of `read`.
        """
        values, indices = (self.read(proto.message(field)) for field in (1, 2))
        shape = _shape(proto, 3)
        self._budget.take(prod(shape) * values.array.dtype.itemsize)
        dense = np.zeros(shape, values.array.dtype)
        places: Any = indices.array
        # Indices are a row for each value, or one number that counts through the whole tensor.
        at = tuple(places.T) if places.ndim == 2 else np.unravel_index(places, shape)
        dense[at] = values.array
        return OnnxTensor(dense, values.type)

    def _exact(self, proto: Message, kind: ElementType) -> np.ndarray:
        """Return a tensor in its own dtype, or in float32 where NumPy has none."""
        shape = _shape(proto, 1)
        count = prod(shape)
        if kind.name == "string":
            return self._strings(proto, shape)
        size, memory = -(-count * kind.bits // 8), count * max(kind.bits, 32) // 8
        if proto.integer(14) == _EXTERNAL:
            facts = {entry.text(1): entry.text(2) for entry in proto.messages(13)}
            content: memoryview | bytes = self._files.read(facts, size, memory)
        else:
            self._budget.take(memory)
            content = proto.blob(9)
        values = np.frombuffer(content, kind.stored) if len(content) else _listed(proto, kind)
        if len(values) != (size if kind.bits < 8 else count):  # shorter ones fill bytes
            raise CoreError(f"its shape is {shape}, but it has {len(values)} values ({kind.name})")
        return decoded(values, kind.name)[:count].reshape(shape)

    def _strings(self, proto: Message, shape: tuple[int, ...]) -> np.ndarray:
        found = proto.blobs(6)
        if len(found) != prod(shape):
            raise CoreError(f"its shape is {shape}, but it has {len(found)} strings")
        spend(_STRING_BYTES * len(found), "its strings")
        array = np.empty(len(found), object)
        array[:] = [bytes(each) for each in found]
        return array.reshape(shape)


def _shape(proto: Message, field: int) -> tuple[int, ...]:
    shape = tuple(proto.integers(field).tolist())
    if len(shape) > MOST_AXES or any(not 0 <= n <= LONGEST_AXIS for n in shape):
        raise CoreError(f"its shape is {shape[:8]}")
    return shape


def _listed(proto: Message, kind: ElementType) -> np.ndarray:
    """Return the values that a TensorProto lists in the field of their type."""
    if kind.field == 4:
        return proto.floats(4).view(kind.stored)
    if kind.field == 10:
        return proto.floats(10, "<f8").view(kind.stored)
    unsigned = np.dtype(kind.stored).str.replace("f", "u")
    return proto.integers(kind.field).astype(unsigned).view(kind.stored)
