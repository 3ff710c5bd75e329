"""Damages the files of a model: by the kind of each file, or byte by byte."""

import io
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath

import numpy as np

from tests.core.converter.fuzz.files import POINTER, zipped
from tests.reliability.fuzz import json_trees, protobuf_trees, raw_bytes
from tests.reliability.fuzz.bases import Base
from tests.reliability.fuzz.binary_trees import damaged_flatbuffer, damaged_hdf5, damaged_table

Rng = np.random.Generator

#: How often a file is replaced.
POINTERS = 0.03

#: How often the file that is opened is the one to damage, and how often by its kind.
_FIRST, _BY_KIND = 0.6, 0.75


def mutated(base: Base, others: Sequence[Base], rng: Rng) -> Base:
    """A model with one file damaged.

    Args:
        base: the whole model.
        others: of the same format, from whose files parts may come.
        rng: decides everything.
    """
    names = sorted(base.files)
    first = [n for n in names if n == base.opened or n == "saved_model.pb"]
    name = first[0] if first and rng.random() < _FIRST else names[int(rng.integers(len(names)))]
    parts = [data for other in others for n, data in other.files.items() if _kind(n) == _kind(name)]
    data = damaged(name, base.files[name], parts, rng)
    return base._replace(files={**base.files, name: data})


def damaged(name: str, data: bytes, others: Sequence[bytes], rng: Rng) -> bytes:
    """The content of a file, damaged; rarely that of a pointer of Git LFS in its place."""
    if rng.random() < POINTERS:
        return POINTER if rng.random() < 0.1 else raw_bytes.damaged(POINTER, others, rng)
    special = _SPECIAL.get(_kind(name))
    if special and rng.random() < _BY_KIND:
        try:
            return special(data, others, rng)
        except (ValueError, LookupError, OSError, RecursionError):
            pass  # what to damage is not in this file
    return raw_bytes.damaged(data, others, rng)


def _kind(name: str) -> str:
    return PurePath(name).suffix


def _archive(data: bytes, others: Sequence[bytes], rng: Rng) -> bytes:
    """Another content, name, order or entry of a member; or bytes near the directory."""
    if rng.random() < 0.25:
        return _near_directory(data, rng)
    members = _members(data)
    names = sorted(members)
    name = names[int(rng.integers(len(names)))]
    kind = rng.random()
    if kind < 0.8:
        parts = [d for other in others for n, d in _members(other).items() if n == name]
        members[name] = damaged(name, members[name], parts, rng)
    elif kind < 0.9:
        members[_NAMES[int(rng.integers(len(_NAMES)))]] = members[name]
        if rng.random() < 0.5:
            del members[name]
    else:
        del members[name]
    return zipped(members)


_NAMES = (
    *("../out", "/out", "a/../../out", "C:\\out", "x\0y", "", "model.json", "metadata.json"),
    *("config.json", "model.weights.h5", "weights.bin", "a" * 300, "dir/", "sub/model.json"),
)


def _members(data: bytes) -> dict[str, bytes]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return {name: archive.read(name) for name in archive.namelist()}
    except (zipfile.BadZipFile, zlib.error) as error:
        raise ValueError("no archive") from error


def _near_directory(data: bytes, rng: Rng) -> bytes:
    """Odd numbers in the heads of members, in the directory and at its end."""
    heads = [i for i in range(len(data) - 4) if data[i : i + 2] == b"PK" and data[i + 2] < 8]
    if not heads:
        raise ValueError("no archive")
    for _ in range(raw_bytes.PLACES[int(rng.integers(len(raw_bytes.PLACES)))]):
        at = min(heads[int(rng.integers(len(heads)))] + int(rng.integers(46)), len(data) - 1)
        data = (raw_bytes.word_at if rng.random() < 0.6 else raw_bytes.flip_at)(data, at, rng)
    return data


_SPECIAL: Mapping[str, Callable[[bytes, Sequence[bytes], Rng], bytes]] = {
    ".json": json_trees.damaged,
    ".zip": _archive,
    ".keras": _archive,
    ".pb": protobuf_trees.damaged,
    ".h5": damaged_hdf5,
    ".index": damaged_table,
    ".tflite": damaged_flatbuffer,
}
