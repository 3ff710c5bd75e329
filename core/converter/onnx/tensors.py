"""Tensors of ONNX files: raw bytes, lists of values, or bytes of another file in the folder."""

from math import prod
from typing import Any, NamedTuple

import numpy as np

from core.converter.onnx.external_files import ExternalFiles
from core.converter.onnx.small_types import decoded
from core.converter.protobuf import Message
from core.converter.tensor_protos import LONGEST_AXIS, MOST_AXES, Budget, narrowed
from core.errors import CoreError
from weights_cache.reading_budgets import spend


class ElementType(NamedTuple):
    """A type of elements.

    Attributes:
        name: as NumPy calls it, or ONNX where NumPy has none.
        stored: NumPy's dtype of raw bytes; "" without one: strings.
        field: of the TensorProto that lists values instead of raw bytes.
        bits: of an element.
    """

    name: str
    stored: str
    field: int
    bits: int


#: The types by their numbers in files.
ELEMENT_TYPES = {
    1: ElementType("float32", "<f4", 4, 32),
    2: ElementType("uint8", "u1", 5, 8),
    3: ElementType("int8", "i1", 5, 8),
    4: ElementType("uint16", "<u2", 5, 16),
    5: ElementType("int16", "<i2", 5, 16),
    6: ElementType("int32", "<i4", 5, 32),
    7: ElementType("int64", "<i8", 7, 64),
    8: ElementType("string", "", 6, 0),
    9: ElementType("bool", "u1", 5, 8),
    10: ElementType("float16", "<f2", 5, 16),
    11: ElementType("float64", "<f8", 10, 64),
    12: ElementType("uint32", "<u4", 11, 32),
    13: ElementType("uint64", "<u8", 11, 64),
    14: ElementType("complex64", "<c8", 4, 64),
    15: ElementType("complex128", "<c16", 10, 128),
    16: ElementType("bfloat16", "<u2", 5, 16),
    17: ElementType("float8e4m3fn", "u1", 5, 8),
    18: ElementType("float8e4m3fnuz", "u1", 5, 8),
    19: ElementType("float8e5m2", "u1", 5, 8),
    20: ElementType("float8e5m2fnuz", "u1", 5, 8),
    21: ElementType("uint4", "u1", 5, 4),
    22: ElementType("int4", "u1", 5, 4),
    23: ElementType("float4e2m1", "u1", 5, 4),
    24: ElementType("float8e8m0", "u1", 5, 8),
    25: ElementType("uint2", "u1", 5, 2),
    26: ElementType("int2", "u1", 5, 2),
}

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
