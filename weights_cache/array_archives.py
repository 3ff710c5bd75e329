"""Arrays in NumPy's ``.npz`` archives, none of which takes more memory than it has bytes.

`numpy.load` believes the shape in the head of an array, reads pickles unless told not to, and
raises whatever its parser meets; here a head must fit the bytes behind it. Format:
https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
"""

import ast
import math
import zipfile
from typing import BinaryIO

import numpy as np

from weights_cache.common.archive_damage import ZIP_DAMAGE
from weights_cache.reading_budgets import spend

_ENDING = ".npy"
_MAGIC = b"\x93NUMPY"
#: Bytes of the length of the head, by the version of the format.
_LENGTHS = {1: 2, 2: 4, 3: 4}
_LARGEST_HEAD = 10_000  # bytes, as in NumPy
_KINDS = "biufcSU"  # of dtypes: numbers, truths and texts


def read_array_archive(stream: BinaryIO) -> dict[str, np.ndarray]:
    """Return the arrays of an archive by name, each read within the budget of its file.

    Raises:
        ValueError: the archive is damaged, or a member is no array of numbers or texts.
        BudgetError: the arrays take more memory than `weights_cache.reading_budgets` allows.

    >>> stream = io.BytesIO()
    >>> np.savez(stream, a=np.arange(3))
    >>> read_array_archive(stream)
    {'a': array([0, 1, 2])}
    """
    try:
        with zipfile.ZipFile(stream) as archive:
            members = archive.infolist()
            if len({member.filename for member in members}) < len(members):
                raise ValueError("two of its arrays have one name")
            return {_name_of(each): _array(_content(archive, each), each) for each in members}
    except ZIP_DAMAGE as error:  # messages of zipfile quote bytes
        raise ValueError(f"{str(error) or type(error).__name__:.200}") from error


def _name_of(member: zipfile.ZipInfo) -> str:
    if not member.filename.endswith(_ENDING):
        raise ValueError(f"{member.filename!r:.80} in it is no array: arrays end in {_ENDING}")
    return member.filename.removesuffix(_ENDING)


def _content(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    spend(2 * member.file_size, f"the array {member.filename!r:.80}")  # and a copy
    return archive.read(member)


def _array(data: bytes, member: zipfile.ZipInfo) -> np.ndarray:
    where = f"the array {member.filename!r:.80}"
    head, start = _head(data, where)
    try:
        dtype, shape = np.dtype(head["descr"]), head["shape"]
        order = "F" if head["fortran_order"] else "C"
    except (KeyError, TypeError, ValueError, SyntaxError) as error:
        raise ValueError(f"{where} has a damaged head: {error!r:.200}") from error
    if dtype.kind not in _KINDS:
        raise ValueError(f"{where} is of {dtype!s:.80}, but numbers and texts alone are read")
    are_lengths = isinstance(shape, tuple) and all(type(n) is int and n >= 0 for n in shape)
    if not are_lengths or dtype.itemsize * math.prod(shape) != len(data) - start:
        raise ValueError(
            f"{where} has {len(data) - start:,} bytes, which are not those of {dtype} {shape!r:.80}"
        )
    if not dtype.itemsize or len(shape) > 32:
        raise ValueError(f"{where} has the dtype {dtype} and {len(shape)} axes, which none has")
    return np.frombuffer(data, dtype, offset=start).reshape(shape, order=order).copy(order)


def _head(data: bytes, where: str) -> tuple[dict[str, object], int]:
    """Return the head of an array as it was written, and where the values begin."""
    width = _LENGTHS.get(data[6]) if len(data) > 6 and data.startswith(_MAGIC) else None
    if width is None:
        raise ValueError(f"{where} is in no known version of NumPy's format")
    start = 8 + width + int.from_bytes(data[8 : 8 + width], "little")
    if not start - 8 - width <= min(len(data), _LARGEST_HEAD):
        raise ValueError(f"{where} has a damaged head: it has {start - 8 - width:,} bytes")
    try:
        head = ast.literal_eval(data[8 + width : start].decode("latin1").strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
        raise ValueError(f"{where} has a damaged head: {error!s:.200}") from error
    if not isinstance(head, dict):
        raise ValueError(f"{where} has a damaged head, which is no dict")
    return head, start
