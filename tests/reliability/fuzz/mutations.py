"""Damages the files of a model: by the kind of each file, or byte by byte."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import PurePath

import numpy as np

from tests.core.converter.fuzz.files import POINTER
from tests.reliability.fuzz import containers, json_trees, protobuf_trees, raw_bytes, text_lines
from tests.reliability.fuzz.bases import Base
from tests.reliability.fuzz.binary_trees import (
    damaged_array,
    damaged_flatbuffer,
    damaged_hdf5,
    damaged_parquet,
    damaged_table,
)

Rng = np.random.Generator
Special = Callable[[bytes, Sequence[bytes], Rng], bytes]

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


def _zip(data: bytes, others: Sequence[bytes], rng: Rng) -> bytes:
    return containers.damaged_zip(data, others, rng, damaged)


def _tar(data: bytes, others: Sequence[bytes], rng: Rng) -> bytes:
    return containers.damaged_tar(data, others, rng, damaged)


_SPECIAL: Mapping[str, Special] = {
    ".json": json_trees.damaged,
    ".jsonl": text_lines.damaged_json_lines,
    **dict.fromkeys((".csv", ".tsv"), text_lines.damaged_table),
    **dict.fromkeys((".zip", ".keras", ".npz"), _zip),
    ".tar": _tar,
    **{
        ending: partial(containers.damaged_packed, form, damaged)
        for form, endings in containers.PACKED_ENDINGS.items()
        for ending in endings
    },
    ".npy": damaged_array,
    ".parquet": damaged_parquet,
    **dict.fromkeys((".pb", ".onnx"), protobuf_trees.damaged),
    ".h5": damaged_hdf5,
    ".index": damaged_table,
    ".tflite": damaged_flatbuffer,
    ".safetensors": json_trees.damaged_header,
}
