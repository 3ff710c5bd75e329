"""Reader of ``.safetensors`` files, as strict as the package of that name, without it.

Source: the format's description, github.com/huggingface/safetensors#format, and the checks of its
``tensor.rs``: the header has at most 100 MB, and its tensors cover all bytes behind it once.
"""

import os
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from weights_cache.common.errors import WeightsError
from weights_cache.json_documents import file_errors, parse_json
from weights_cache.lfs_pointers import refuse_pointer
from weights_cache.reading_budgets import add_file, check_time, reading_budget, spend
from weights_cache.regular_files import open_regular

ENDING = ".safetensors"

#: The most bytes of a header, and of a file: 4 GiB.
LONGEST_HEADER = 100_000_000
LARGEST_FILE = 2**32

#: NumPy's dtype of the bytes, by the name of a type; of bfloat16 that of its bits.
_STORED = {
    "BOOL": "u1",
    "U8": "u1",
    "I8": "i1",
    "U16": "<u2",
    "I16": "<i2",
    "U32": "<u4",
    "I32": "<i4",
    "U64": "<u8",
    "I64": "<i8",
    "F16": "<f2",
    "BF16": "<u2",
    "F32": "<f4",
    "F64": "<f8",
    "C64": "<c8",
}

_METADATA = "__metadata__"
_LENGTH = 8  # bytes of the header's length, at the start
_MOST_AXES = 32
_KEYS = {"dtype", "shape", "data_offsets"}


class _Entry(NamedTuple):
    """A tensor as the header has it; offsets count from the end of the header."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    start: int
    end: int


def read_safetensors(path: str | os.PathLike[str]) -> dict[str, np.ndarray]:
    """Return the tensors of a ``.safetensors`` file by name.

    Args:
        path: of the file.

    Returns:
        Arrays of float32, int32, bool or complex64, read-only: other floats become float32, other
        integers int32.

    Raises:
        WeightsError: the file is missing, damaged, or holds integers that do not fit into int32.
    """
    path = Path(path)
    with reading_budget(path), file_errors(path):
        data = _read(path)
        values, entries = _parsed(data, path)
        found = {}
        for entry in entries:
            check_time()
            found[entry.name] = _array(entry, values[entry.start : entry.end])
        return found


def _read(path: Path) -> bytes:
    with open_regular(path) as stream:
        status = os.fstat(stream.fileno())
        if status.st_size > LARGEST_FILE:
            raise WeightsError(f"{path} is larger than {LARGEST_FILE} bytes, the limit for weights")
        add_file(status)
        return stream.read(status.st_size)


def _parsed(data: bytes, path: Path) -> tuple[memoryview, list[_Entry]]:
    """Return the bytes behind the header, and the tensors in their order there."""
    refuse_pointer(data, path)
    length = int.from_bytes(data[:_LENGTH], "little")
    if len(data) < _LENGTH or length > min(LONGEST_HEADER, len(data) - _LENGTH):
        raise ValueError(
            f"its header would have {length:,} bytes, but the file has {len(data):,}, and "
            f"{LONGEST_HEADER:,} are the most"
        )
    header = data[_LENGTH : _LENGTH + length]
    if not header.startswith(b"{"):
        raise ValueError("its header is no JSON object")
    document = parse_json(header, path, unique_keys=True)
    _check_metadata(document.pop(_METADATA, {}))
    entries = sorted((_entry(*item) for item in document.items()), key=lambda e: (e.start, e.end))
    values = memoryview(data)[_LENGTH + length :]
    _check_cover(entries, len(values))
    return values, entries


def _check_metadata(texts: Any) -> None:
    if not isinstance(texts, dict) or not all(isinstance(text, str) for text in texts.values()):
        raise ValueError(f"{_METADATA} of its header is no object of texts")


def _entry(name: str, said: Any) -> _Entry:
    """Return a checked row of the header."""
    if not isinstance(said, dict) or said.keys() != _KEYS:
        raise ValueError(f"the tensor {name!r:.80} must have {sorted(_KEYS)}")
    dtype, shape, offsets = said["dtype"], said["shape"], said["data_offsets"]
    if not isinstance(dtype, str) or dtype not in _STORED:
        raise ValueError(
            f"the tensor {name!r:.80} has the dtype {dtype!r:.80}, read are {', '.join(_STORED)}"
        )
    if not _are_lengths(shape) or len(shape) > _MOST_AXES:
        raise ValueError(f"the tensor {name!r:.80} has the shape {shape!r:.80}")
    if not _are_lengths(offsets) or len(offsets) != 2:
        raise ValueError(f"the tensor {name!r:.80} has the offsets {offsets!r:.80}")
    size = prod(shape) * np.dtype(_STORED[dtype]).itemsize
    if offsets[1] - offsets[0] != size:
        raise ValueError(
            f"the tensor {name!r:.80} of shape {shape!r:.80} ({dtype}) has {size} bytes, but its "
            f"offsets are {offsets!r:.80}"
        )
    return _Entry(name, dtype, tuple(shape), *offsets)


def _are_lengths(values: Any) -> bool:
    return isinstance(values, list) and all(type(n) is int and 0 <= n < 2**63 for n in values)


def _check_cover(entries: list[_Entry], size: int) -> None:
    """Raise if tensors overlap, or bytes belong to none."""
    end = 0
    for entry in entries:
        if entry.start != end:
            fault = "overlaps another one" if entry.start < end else "begins behind a hole"
            raise ValueError(f"the tensor {entry.name!r:.80} {fault}, at byte {entry.start}")
        end = entry.end
    if end != size:
        raise ValueError(f"its tensors end at byte {end}, its values at byte {size}")


def _array(entry: _Entry, data: memoryview) -> np.ndarray:
    """Return the values of a tensor, read-only."""
    array = np.frombuffer(data, _STORED[entry.dtype]).reshape(entry.shape)
    if array.dtype != np.float32:
        spend(max(array.nbytes, 4 * array.size), f"the tensor {entry.name!r:.80}")
        array = _converted(array, entry)
        array.setflags(write=False)
    return array


def _converted(array: np.ndarray, entry: _Entry) -> np.ndarray:
    """Return values in a dtype of the engine."""
    if entry.dtype == "BOOL":
        return array != 0
    if entry.dtype == "BF16":  # the upper half of a float32
        return (array.astype(np.uint32) << 16).view(np.float32)
    if array.dtype.kind == "c":
        return array.copy()
    if array.dtype.kind == "f":
        with np.errstate(over="ignore"):
            return array.astype(np.float32)
    limits = np.iinfo(np.int32)
    beyond = (array < limits.min) | (array > limits.max)
    if beyond.any():
        raise ValueError(
            f"the tensor {entry.name!r:.80} holds {array[beyond].flat[0]}, which does not fit into "
            "int32, the only integer dtype"
        )
    return array.astype(np.int32)
