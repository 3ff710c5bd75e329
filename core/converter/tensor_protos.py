"""Reader of TensorProtos: raw bytes, or lists of values that may end early."""

from collections.abc import Sequence
from math import prod

import numpy as np

from core.converter.protobuf import Message
from core.errors import CoreError
from core.graph.attributes import read_attribute
from core.graph.nodes import DataType
from weights_cache.reading_budgets import spend

#: The NumPy type of raw bytes, and the field that lists values instead, by TensorFlow's dtype.
_STORAGES = {
    "DT_FLOAT": ("<f4", 5),
    "DT_DOUBLE": ("<f8", 6),
    "DT_HALF": ("<f2", 13),
    "DT_BFLOAT16": ("<u2", 13),
    "DT_INT8": ("i1", 7),
    "DT_UINT8": ("u1", 7),
    "DT_QINT8": ("i1", 7),
    "DT_QUINT8": ("u1", 7),
    "DT_INT16": ("<i2", 7),
    "DT_UINT16": ("<u2", 7),
    "DT_INT32": ("<i4", 7),
    "DT_QINT32": ("<i4", 7),
    "DT_INT64": ("<i8", 10),
    "DT_UINT32": ("<u4", 16),
    "DT_UINT64": ("<u8", 17),
    "DT_BOOL": ("u1", 11),
    "DT_COMPLEX64": ("<c8", 9),
    "DT_COMPLEX128": ("<c16", 12),
}
_STRINGS = 8

#: Constants may take this multiple of the file's bytes, and always the number of bytes below.
MOST_SPREAD = 1000
SPREAD_FLOOR = 64 * 2**20

#: Constants never take more than this many bytes beyond the file's own.
MOST_BEYOND = 2**31

#: The most axes of a shape, as in TensorFlow, and the greatest length of an axis.
MOST_AXES = 254
LONGEST_AXIS = 2**40


class Budget:
    """The memory that all constants of a file may take.

    Args:
        size: bytes of the file.
    """

    def __init__(self, size: int):
        self._limit = self._left = min(max(SPREAD_FLOOR, MOST_SPREAD * size), size + MOST_BEYOND)

    def take(self, size: int) -> None:
        """Count bytes; raise a CoreError if the budget is exceeded."""
        self._left -= size
        if self._left < 0:
            raise CoreError(
                f"its constants take more than {self._limit} bytes of memory, many times the file"
            )
        spend(size, "its constants")


def data_type(number: int) -> DataType:
    """Return TensorFlow's name of a dtype; a reference dtype has the name of its value.

    >>> data_type(1), data_type(101)
    ('DT_FLOAT', 'DT_FLOAT')
    """
    found = read_attribute({"type": number - 100 if number > 100 else number})
    return DataType(found)


def shape_lengths(shape: Message) -> tuple[int, ...] | None:
    """Return the lengths of a TensorShapeProto, -1 if open; None for an unknown rank."""
    if shape.integer(3):
        return None
    if len(shape.blobs(2)) > MOST_AXES:
        raise CoreError(f"a shape has {len(shape.blobs(2))} axes, more than {MOST_AXES}")
    lengths = tuple(dim.integer(1) for dim in shape.messages(2))
    if max(lengths, default=0) > LONGEST_AXIS:
        raise CoreError(f"a shape has an axis of {max(lengths)}, longer than {LONGEST_AXIS}")
    return lengths


def read_tensor(proto: Message, budget: Budget) -> np.ndarray:
    """Return the values of a TensorProto.

    Raises:
        CoreError: the values do not fit the shape, or take too much memory.
    """
    dtype = data_type(proto.integer(1))
    shape = shape_lengths(proto.message(2))
    if shape is None or any(length < 0 for length in shape):
        raise CoreError("a tensor has no definite shape")
    if dtype == "DT_STRING":
        return _spread(_strings(proto.blobs(_STRINGS)), shape, budget)
    content = proto.blob(4)
    if len(content):
        budget.take(len(content))
        return array_of_bytes(dtype, shape, content)
    values = _listed(proto, dtype)
    return _decoded(_spread(values, shape, budget), dtype)


def array_of_bytes(dtype: str, shape: Sequence[int], data: memoryview | bytes) -> np.ndarray:
    r"""Return the array of raw bytes of a tensor, not of strings; a view of the bytes if possible.

    >>> array_of_bytes("DT_INT16", (2,), b"\1\0\0\1")
    array([  1, 256], dtype=int16)
    """
    stored, _ = _storage(dtype)
    size = prod(shape) * np.dtype(stored).itemsize
    if size != len(data):
        raise CoreError(f"a tensor of shape {tuple(shape)} ({dtype}) has {len(data)} bytes")
    return _decoded(np.frombuffer(data, stored).reshape(shape), dtype)


def narrowed(array: np.ndarray) -> np.ndarray:
    """Return the array in a dtype of the engine: as in TensorFlow.js, float32 or int32.

    The largest int64, its negative and the smallest, which mean "no limit", become those of int32;
    any other number outside of int32 is an error.

    >>> narrowed(np.array([7, 2**63 - 1])).tolist()
    [7, 2147483647]
    """
    if _is_of_one_value(array):
        return np.broadcast_to(narrowed(_first(array)), array.shape)
    kind = array.dtype.kind
    if kind == "f":
        with np.errstate(over="ignore"):
            return array.astype(np.float32, copy=False)
    if kind == "c":
        return array.astype(np.complex64, copy=False)
    return _narrow_integers(array) if kind in "iu" else array


def _narrow_integers(array: np.ndarray) -> np.ndarray:
    limits = np.iinfo(np.int32)
    inside = (array >= limits.min) & (array <= limits.max)
    if array.dtype == np.int64:
        own = np.iinfo(np.int64)
        inside |= (array == own.max) | (array <= -own.max)
    if not inside.all():
        raise CoreError(f"{array[~inside].flat[0]} does not fit into int32, the only integer dtype")
    if array.dtype.itemsize > 4:
        array = np.clip(array, limits.min, limits.max)
    return array.astype(np.int32, copy=False)


def _storage(dtype: str) -> tuple[str, int]:
    if dtype not in _STORAGES:
        raise CoreError(
            f"tensors of the dtype {dtype} are not supported: expected one of {list(_STORAGES)}"
        )
    return _STORAGES[dtype]


def _listed(proto: Message, dtype: str) -> np.ndarray:
    """Return the values that a TensorProto lists."""
    stored, field = _storage(dtype)
    if field in (5, 6):
        return proto.floats(field, stored)
    if field in (9, 12):  # real and imaginary parts in turn
        return proto.floats(field, "<f4" if field == 9 else "<f8").view(stored)
    values = proto.integers(field)
    if field == 13:  # the bits of two bytes
        return values.astype(np.uint16).view(stored)
    return values.astype(stored)


def _spread(values: np.ndarray, shape: Sequence[int], budget: Budget) -> np.ndarray:
    """Return an array of a shape; the last listed value, or zero, is repeated to its end."""
    count = prod(shape)
    if len(values) > count:
        raise CoreError(f"a tensor of shape {tuple(shape)} lists {len(values)} values")
    budget.take(count * values.dtype.itemsize)
    if len(values) == count:
        return values.reshape(shape)
    zero: object = b"" if values.dtype == object else 0
    last = np.full((), values[-1] if len(values) else zero, values.dtype)
    if len(values) < 2:
        return np.broadcast_to(last, shape)  # one value in memory
    result = np.full(count, last, values.dtype)
    result[: len(values)] = values
    return result.reshape(shape)


def _is_of_one_value(array: np.ndarray) -> bool:
    """Whether all elements share one location in memory, as in results of `np.broadcast_to`."""
    return array.size > 1 and not any(array.strides)


def _first(array: np.ndarray) -> np.ndarray:
    return array[(0,) * array.ndim + (...,)]


def _strings(blobs: Sequence[memoryview]) -> np.ndarray:
    result = np.empty(len(blobs), object)
    result[:] = [bytes(blob) for blob in blobs]
    return result


def _decoded(array: np.ndarray, dtype: str) -> np.ndarray:
    """Return values in a NumPy dtype from bits of a dtype that NumPy lacks."""
    if _is_of_one_value(array):
        return np.broadcast_to(_decoded(_first(array), dtype), array.shape)
    if dtype == "DT_BOOL":
        return array != 0
    if dtype == "DT_BFLOAT16":  # the upper half of a float32
        return (array.astype(np.uint32) << 16).view(np.float32)
    return array
