"""Tensors of ONNX files: raw bytes, lists of values, or bytes of another file in the folder."""

import os
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from core.converter.protobuf import Message
from core.converter.tensor_protos import LONGEST_AXIS, MOST_AXES, Budget, narrowed
from core.errors import CoreError
from weights_cache.reading_budgets import add_file, spend
from weights_cache.regular_files import open_regular


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


#: By the number of the type in files.
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

_EXTERNAL = 1


def element_type(number: int) -> ElementType:
    """Return the type of a number.

    Raises:
        CoreError: there is none.
    """
    found = ELEMENT_TYPES.get(number)
    if found is None:
        raise CoreError(f"a tensor has the element type {number}, which ONNX does not define")
    return found


class TensorReader:
    """Reads the tensors of a file.

    Args:
        folder: of the file, for bytes in other files; None: there can be none.
        budget: the memory that all tensors together may take.
    """

    def __init__(self, folder: Path | None, budget: Budget):
        self._folder, self._budget = folder, budget

    def read(self, proto: Message) -> np.ndarray:
        """Return a tensor in a dtype of the engine.

        Raises:
            CoreError: it is damaged or too large, or holds integers that do not fit into int32.
        """
        return self.narrow(proto, self.exact(proto))

    def narrow(self, proto: Message, array: np.ndarray) -> np.ndarray:
        """Return the values of a tensor in a dtype of the engine."""
        try:
            return narrowed(array)
        except CoreError as error:
            raise CoreError(f"the tensor {proto.text(8)!r:.80}: {error}") from None

    def exact(self, proto: Message) -> np.ndarray:
        """Return a tensor in its own dtype, or in float32 where NumPy has none."""
        kind = element_type(proto.integer(2))
        shape = tuple(proto.integers(1).tolist())
        if len(shape) > MOST_AXES or any(not 0 <= n <= LONGEST_AXIS for n in shape):
            raise CoreError(f"the tensor {proto.text(8)!r:.80} has the shape {shape[:8]}")
        self._budget.take(prod(shape) * max(kind.bits, 32) // 8)
        if kind.name == "string":
            return _strings(proto, shape)
        size = -(-prod(shape) * kind.bits // 8)
        if proto.integer(14) == _EXTERNAL:
            content: memoryview | bytes = self._outside(proto, size)
        else:
            content = proto.blob(9)
        values = np.frombuffer(content, kind.stored) if len(content) else _listed(proto, kind)
        count = size if kind.bits < 8 else prod(shape)
        if len(values) != count:
            raise CoreError(
                f"the tensor {proto.text(8)!r:.80} of shape {shape} ({kind.name}) has "
                f"{len(values)} values"
            )
        return decoded(values, kind.name)[: prod(shape)].reshape(shape)

    def zeros(self, shape: tuple[int, ...], dtype: "np.dtype[Any]") -> np.ndarray:
        """Return a tensor of zeros, which counts as one of the file."""
        self._budget.take(prod(shape) * dtype.itemsize)
        return np.zeros(shape, dtype)

    def _outside(self, proto: Message, size: int) -> bytes:
        """Return the bytes of a tensor in another file of the folder."""
        facts = {entry.text(1): entry.text(2) for entry in proto.messages(13)}
        location = facts.get("location", "")
        path = self._inside(location)
        offset, length = (int(facts.get(name) or 0) for name in ("offset", "length"))
        if offset < 0 or (length or size) != size:
            raise CoreError(f"{location!r:.80} holds {length} bytes at {offset} of {size}")
        with open_regular(path) as stream:
            status = os.fstat(stream.fileno())
            if offset + size > status.st_size:
                raise CoreError(
                    f"the weights in {location!r:.80} end at byte {offset + size}, but it has "
                    f"{status.st_size} bytes: is it complete?"
                )
            add_file(status)
            spend(size, "its weights")
            stream.seek(offset)
            return stream.read(size)

    def _inside(self, location: str) -> Path:
        """Return the path of a file of weights, which is in the model's folder."""
        if self._folder is None or not location:
            raise CoreError(f"weights are in another file, {location!r:.80}: it is not there")
        folder = self._folder.resolve()
        path = (folder / location).resolve()
        if Path(location).is_absolute() or "\\" in location or folder not in path.parents:
            raise CoreError(
                f"weights are in the file {location!r:.80}, which is not in the model's folder"
            )
        if not path.is_file():
            raise CoreError(
                f"weights are in the file {location!r:.80}, which is not beside the model: "
                f"put it into {self._folder}"
            )
        return path


def _strings(proto: Message, shape: tuple[int, ...]) -> np.ndarray:
    found = proto.blobs(6)
    if len(found) != prod(shape):
        raise CoreError(f"a tensor of shape {shape} has {len(found)} strings")
    array = np.empty(len(found), object)
    array[:] = [bytes(each) for each in found]
    return array.reshape(shape)


def _listed(proto: Message, kind: ElementType) -> np.ndarray:
    """Return the values that a TensorProto lists in the field of their type."""
    if kind.field == 4:
        return proto.floats(4).view(kind.stored)
    if kind.field == 10:
        return proto.floats(10, "<f8").view(kind.stored)
    unsigned = np.dtype(kind.stored).str.replace("f", "u")
    return proto.integers(kind.field).astype(unsigned).view(kind.stored)


def decoded(values: np.ndarray, name: str) -> np.ndarray:
    """Return values of a type that NumPy lacks in one that it has.

    >>> decoded(np.uint8([0x38, 0xB9]), "float8e4m3fn").tolist()
    [1.0, -1.125]
    >>> decoded(np.uint8([0xF1]), "int4").tolist()
    [1, -1]
    """
    if name == "bool":
        return values != 0
    if name == "bfloat16":  # the upper half of a float32
        return (values.astype(np.uint32) << 16).view(np.float32)
    if name in _FLOATS:
        return _table(name)[_unpacked(values, 4) if name == "float4e2m1" else values]
    if name in ("uint4", "int4", "uint2", "int2"):
        bits = int(name[-1])
        values = _unpacked(values, bits)
        wraps = name.startswith("int") and values >= 1 << (bits - 1)
        return values.astype(np.int8) - np.int8(1 << bits) * wraps
    return values


def _unpacked(values: np.ndarray, bits: int) -> np.ndarray:
    """Return the parts of bytes, the lowest bits first."""
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    return ((values[:, None] >> shifts) & ((1 << bits) - 1)).ravel()


class _Float(NamedTuple):
    """A float of less than 16 bits.

    Attributes:
        exponent: bits of the exponent.
        mantissa: bits of the mantissa.
        bias: of the exponent.
        special: what has the largest exponent: "ieee": infinity and NaN; "nan": NaN where all bits
            are set; "zero": NaN is the negative zero; "": all are numbers.
    """

    exponent: int
    mantissa: int
    bias: int
    special: str


_FLOATS = {
    "float8e4m3fn": _Float(4, 3, 7, "nan"),
    "float8e4m3fnuz": _Float(4, 3, 8, "zero"),
    "float8e5m2": _Float(5, 2, 15, "ieee"),
    "float8e5m2fnuz": _Float(5, 2, 16, "zero"),
    "float4e2m1": _Float(2, 1, 1, ""),
    "float8e8m0": _Float(8, 0, 127, "nan"),
}


def _table(name: str) -> np.ndarray:
    """Return the float32 of all codes of a type."""
    exponent, mantissa, bias, special = _FLOATS[name]
    sign_bit = name != "float8e8m0"
    codes = np.arange(1 << (exponent + mantissa + sign_bit))
    power = (codes >> mantissa) & ((1 << exponent) - 1)
    part = (codes & ((1 << mantissa) - 1)) / (1 << mantissa)
    subnormal = (power == 0) & sign_bit
    found = np.where(subnormal, part, 1 + part) * 2.0 ** (np.where(subnormal, 1, power) - bias)
    sign = codes >> (exponent + mantissa)
    top = power == (1 << exponent) - 1
    if special == "ieee":
        found = np.where(top, np.where(part, np.nan, np.inf), found)
    elif special == "nan":
        found = np.where(top & (part == (1 - 2.0**-mantissa)), np.nan, found)
    found = np.where(sign, -found, found)
    if special == "zero":
        found[1 << (exponent + mantissa)] = np.nan
    return found.astype(np.float32)
