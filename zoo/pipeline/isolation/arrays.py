"""Arrays as a dtype, a shape and bytes, and back, from whoever sent them."""

from itertools import accumulate
from math import prod
from typing import Any

import numpy as np

#: Numbers and truth values of this machine's byte order, by NumPy's names.
_NUMERIC = {np.dtype(code).str: np.dtype(code) for code in "?bBhHiIlLqQefdgFDG"}

#: Arrays of bytes, each of its own length: the lengths come first, and then all bytes.
STRINGS = "strings"

_LENGTH = np.dtype("<u8")

#: Of one array: each takes about 50 bytes of Python beside its own.
MOST_STRINGS = 4_000_000

_MOST_AXES = 32


class ArrayError(Exception):
    """Bytes are not those of such an array."""


def entry_of(array: np.ndarray) -> tuple[str, list[int]]:
    """The dtype and the shape of an array, for `array_of`."""
    return STRINGS if array.dtype == object else array.dtype.str, list(array.shape)


def bytes_of(array: np.ndarray) -> memoryview:
    """The bytes of an array: of numbers in this machine's order, or of ``bytes`` objects.

    >>> array = np.array([b"ab", b""], object)
    >>> array_of(bytes_of(array), *entry_of(array))
    array([b'ab', b''], dtype=object)
    """
    if array.dtype == object:
        lengths = np.fromiter(map(len, array.flat), _LENGTH, array.size)
        return memoryview(lengths.tobytes() + b"".join(array.flat))
    if not array.size:
        return memoryview(b"")
    return np.asarray(array, order="C").reshape(-1).view(np.uint8).data


def array_of(data: memoryview, dtype: Any, shape: Any) -> np.ndarray:
    """The array that the bytes are; it shows them.

    Raises:
        ArrayError: they are not those of an array of that dtype and shape.
    """
    is_shape = isinstance(shape, list) and len(shape) <= _MOST_AXES
    if not (is_shape and all(type(n) is int and 0 <= n < 2**48 for n in shape)):
        raise ArrayError(f"the shape {shape!r:.80}")
    if dtype == STRINGS:
        return _strings(data, prod(shape)).reshape(shape)
    kind = _NUMERIC.get(dtype) if isinstance(dtype, str) else None
    if kind is None:
        raise ArrayError(f"the dtype {dtype!r:.80}")
    if prod(shape) * kind.itemsize != len(data):
        raise ArrayError(f"{len(data):,} bytes for {kind.name} {shape}")
    values = np.frombuffer(data, np.uint8)
    if kind == np.bool_ and values.size and values.max() > 1:
        raise ArrayError("truth values that are neither 0 nor 1")
    return values.view(kind).reshape(shape)


def _strings(data: memoryview, count: int) -> np.ndarray:
    head = count * _LENGTH.itemsize
    if head > len(data) or count > MOST_STRINGS:
        raise ArrayError(f"{count:,} strings in {len(data):,} bytes")
    lengths = np.frombuffer(data[:head], _LENGTH).tolist()
    if head + sum(lengths) != len(data):
        raise ArrayError("strings whose lengths are not those of their bytes")
    ends = list(accumulate(lengths, initial=head))
    found = np.empty(count, object)
    found[:] = [bytes(data[a:b]) for a, b in zip(ends, ends[1:], strict=False)]
    return found
