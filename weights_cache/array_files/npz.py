"""Arrays of ``.npz`` files, read without pickle and within a budget.

`numpy.load` unpacks whatever a member holds, takes the memory that an array's header declares, and
raises whatever its parser meets. Format:
https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
"""

import ast
import math
import os
import zipfile
from collections.abc import Mapping
from io import BufferedReader
from typing import Any, Literal

import numpy as np

from weights_cache.common.archive_damage import ZIP_DAMAGE
from weights_cache.reading_budgets import reading_budget
from weights_cache.zip_members import unreadable_reason

_ENDING = ".npy"
_MAGIC = b"\x93NUMPY"
#: Bytes of the length of the header, by the version of the format.
_LENGTHS = {1: 2, 2: 4, 3: 4}
_LARGEST_HEADER = 10_000  # bytes, as in NumPy
_KINDS = "biufcSU"  # of dtypes: numbers, booleans and texts
_MOST_AXES = 32


def read_array_archive(stream: BufferedReader, path: object) -> dict[str, np.ndarray]:
    """Return the arrays of an ``.npz`` file by name.

    Args:
        stream: the file at its start.
        path: of the file, for errors.

    Raises:
        BudgetError: the arrays would take too much memory.
        ValueError: the file is damaged, or a member is no array of numbers or texts.
    """
    try:
        with reading_budget(path) as budget, zipfile.ZipFile(stream) as archive:
            budget.add_file(os.fstat(stream.fileno()))
            found: dict[str, np.ndarray] = {}
            for member in archive.infolist():
                name = member.filename.removesuffix(_ENDING)
                if name in found or name == member.filename:
                    raise ValueError(f"the member {name!r:.100} is there twice, or no array")
                if reason := unreadable_reason(member):
                    raise ValueError(f"the array {name!r:.100} cannot be read: {reason}")
                budget.spend(2 * member.file_size, f"the array {name!r:.100}, with a copy,")
                found[name] = _array(archive.read(member), f"the array {name!r:.100}")
            return found
    except ZIP_DAMAGE as error:  # messages of zipfile quote bytes
        raise ValueError(f"{str(error) or type(error).__name__:.200}") from error


def _array(data: bytes, where: str) -> np.ndarray:
    """Return an array, whose header must fit the bytes behind it."""
    header, start = _header(data, where)
    dtype, shape, order = _layout(header, where)
    size = len(data) - start
    if dtype.itemsize * math.prod(shape) != size:
        raise ValueError(
            f"{where} of {dtype} and shape {shape!r:.80} does not fit into {size} bytes"
        )
    return np.frombuffer(data, dtype, offset=start).reshape(shape, order=order).copy(order)


def _layout(
    header: Mapping[str, Any], where: str
) -> tuple[np.dtype, tuple[int, ...], Literal["C", "F"]]:
    """Return the dtype, shape and order that a header declares."""
    try:
        dtype, shape = np.dtype(header["descr"]), header["shape"]
        is_by_columns = header["fortran_order"]
    except (KeyError, TypeError, ValueError, SyntaxError) as error:
        raise ValueError(f"{where} has a damaged header: {error!r:.200}") from error
    if dtype.kind not in _KINDS or not dtype.itemsize:
        raise ValueError(
            f"{where} is of {dtype!s:.80}: save numbers, booleans or texts, which alone are read"
        )
    is_shape = isinstance(shape, tuple) and len(shape) <= _MOST_AXES
    if not is_shape or not all(type(n) is int and n >= 0 for n in shape):
        raise ValueError(f"{where} has a damaged header: its shape is {shape!r:.80}")
    return dtype, shape, "F" if is_by_columns else "C"


def _header(data: bytes, where: str) -> tuple[dict[str, Any], int]:
    """Return the header of an array as it was written, and where the values begin."""
    width = _LENGTHS.get(data[6]) if len(data) > 6 and data.startswith(_MAGIC) else None
    if width is None:
        raise ValueError(f"{where} is in no known version of NumPy's format")
    start = 8 + width + int.from_bytes(data[8 : 8 + width], "little")
    if not start - 8 - width <= min(len(data), _LARGEST_HEADER):
        raise ValueError(f"{where} has a damaged header: it has {start - 8 - width:,} bytes")
    try:
        header = ast.literal_eval(data[8 + width : start].decode("latin1").strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
        raise ValueError(f"{where} has a damaged header: {error!s:.200}") from error
    if not isinstance(header, dict):
        raise ValueError(f"{where} has a damaged header, which is no dict")
    return header, start
