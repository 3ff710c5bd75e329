"""Casts and bits, whose results depend on element types that the engine does not keep.

Integers are int32 here, and floats float32: a row that needs to know is given the types (``types``)
by the reader. Integers of 32 and 64 bits have the lower 32 bits of theirs.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from core import ops
from core.engine.dispatch import tensor
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.graph.node_types.onnx.rows import Rows
from core.graph.node_types.onnx.short_floats import SHORT_FLOATS, rounded
from core.graph.node_types.onnx.type_table import ELEMENT_TYPES, NAMES

#: NumPy's dtypes of types whose bits can be read as another type.
_STORED = {
    kind.name: np.dtype(kind.stored)
    for kind in ELEMENT_TYPES.values()
    if kind.bits <= 32 and kind.stored and kind.name in (np.dtype(kind.stored).name, "bool")
}

#: Factors of shifts to the left by 0 to 31 bits, and by more.
_FACTORS = np.array([1 << n for n in range(32)] + [0]).astype(np.uint32).view(np.int32)


def bits_of(kind: str) -> int:
    """Return the bits of a type of integers that is shorter than the engine's, else 0.

    >>> bits_of("uint4"), bits_of("int16"), bits_of("int64"), bits_of("float16")
    (4, 16, 0, 0)
    """
    name = kind.removeprefix("u")
    bits = int(name[3:]) if name.startswith("int") else 0
    return bits if bits < 32 else 0


def limits(kind: str) -> tuple[int, int]:
    """Return the smallest and the largest integer of a short type.

    >>> limits("uint8"), limits("int4")
    ((0, 255), (-8, 7))
    """
    bits = bits_of(kind)
    if not bits:
        raise CoreError(f"values of the type {kind or 'unknown'} are not quantized")
    return (0, (1 << bits) - 1) if kind[0] == "u" else (-1 << (bits - 1), (1 << (bits - 1)) - 1)


def kind_of(x: Tensor, declared: str) -> str:
    """Return the declared element type of a value, if there is one and the value has its dtype."""
    is_integer = declared.startswith(("int", "uint"))
    return declared if declared and is_integer == (x.dtype == "int32") else x.dtype


def wrapped(x: Tensor, kind: str) -> Tensor:
    """Return integers as the type holds them: without the bits that it lacks."""
    bits = bits_of(kind)
    if not bits:
        return x
    low, _ = limits(kind)
    return ops.mod(x - low, 1 << bits) + low


def cast_to(x: Tensor, kind: str, saturate: int = 1, round_mode: str = "up") -> Tensor:
    """Return values in a type."""
    if kind == "bool":
        return x if x.dtype == "bool" else ops.not_equal(x, ops.zeros_like(x))
    if kind == "string" or x.dtype == "string":
        return _texts(x) if kind == "string" else cast_to(_parsed(x), kind, saturate, round_mode)
    if kind.startswith(("int", "uint")):
        return wrapped(ops.cast(x, dtype="int32"), kind)
    x = ops.cast(x, dtype="float32")
    return rounded(x, kind, bool(saturate), round_mode) if kind in SHORT_FLOATS else x


def _texts(x: Tensor) -> Tensor:
    """Return strings that spell numbers."""
    if x.dtype == "string":
        return x
    return tensor(np.array([f"{v:g}".encode() for v in x.numpy().ravel()], object).reshape(x.shape))


def _parsed(x: Tensor) -> Tensor:
    """Return the numbers that strings spell."""
    return tensor(
        np.array([float(text) for text in x.numpy().ravel()], np.float32).reshape(x.shape)
    )


def _cast(x: Tensor, to: int, **how: Any) -> Tensor:
    return cast_to(x, NAMES.get(to, ""), **how)


def _cast_like(x: Tensor, like: Tensor, types: Sequence[str] = (), **how: Any) -> Tensor:
    return cast_to(x, kind_of(like, types[1]), **how)


def _bit_cast(x: Tensor, to: int, types: Sequence[str] = ()) -> Tensor:
    """Read the bits of values as another type; the host does."""
    source, kind = _stored(kind_of(x, types[0])), _stored(NAMES.get(to, ""))
    if source.itemsize != kind.itemsize:
        raise CoreError(f"bits of {source} cannot be read as {kind}, which has another size")
    exact = x.numpy().astype(np.int64) if x.dtype == "int32" else x.numpy()
    found = exact.astype(source).view(kind)
    return tensor(found.astype(np.float32 if kind.kind == "f" else np.int32))


def _stored(kind: str) -> "np.dtype[Any]":
    if kind not in _STORED:
        raise CoreError(f"BitCast knows the bits of {', '.join(_STORED)}, not of {kind or 'these'}")
    return _STORED[kind]


def _bit_shift(x: Tensor, y: Tensor, direction: str, types: Sequence[str] = ()) -> Tensor:
    """Shift by y bits; by none of the type's, if y is negative or as long as the type."""
    width = bits_of(types[0]) or 32
    count = ops.where(ops.logical_or(y < 0, y >= width), 32, y)
    if direction == "LEFT":
        return wrapped(x * ops.gather(tensor(_FACTORS), count), types[0])
    return _right(_right(x, ops.minimum(count, 30)), ops.minimum(ops.maximum(count - 30, 0), 1))


def _right(x: Tensor, count: Tensor) -> Tensor:
    """Shift by 0 to 30 bits to the right; the sign stays."""
    return ops.floor_div(x, ops.gather(tensor(_FACTORS), count))


ROWS: Rows = {
    "BitCast": _bit_cast,
    "BitShift": _bit_shift,
    "BitwiseNot": lambda x, types=(): wrapped(-1 - x, types[0]),
    "Cast": _cast,
    "CastLike": _cast_like,
}
