"""Spoils the files of a model: cut, flipped, spliced, and with other numbers and names inside."""

import io
import json
import struct
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tests.core.converter.fuzz import documents, protobuf
from tests.core.converter.fuzz.bundle import contents, table
from tests.core.converter.fuzz.files import Arrays, saved_model, tensors, zipped
from tests.weights_cache.test_fuzz import damage_bytes, damage_document

HOSTILE_WORDS = (0, 1, 0x7F, 0xFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFF0, 0xFFFFFFFF)

Rng = np.random.Generator


def spoil(path: Path, arrays: Arrays, rng: Rng) -> None:
    """Spoil one file of a model, mostly the one that is opened first."""
    files = [path] if path.is_file() else sorted(f for f in path.rglob("*") if f.is_file())
    if path.name == "model.json":
        files += sorted(f for f in path.parent.iterdir() if f != path)
    place = files[0] if rng.random() < 0.6 else files[int(rng.integers(len(files)))]
    place.write_bytes(spoiled(place.name, place.read_bytes(), arrays, rng))


def spoiled(name: str, data: bytes, arrays: Arrays, rng: Rng) -> bytes:
    """The content of a file, spoiled as its format invites to or, as often, byte by byte."""
    special = SPECIAL.get(Path(name).suffix)
    if special and rng.random() < 0.7:
        return special(name, data, arrays, rng)
    return cut(data, rng) if rng.random() < 0.3 else overwritten(data, rng)


def cut(data: bytes, rng: Rng) -> bytes:
    """The start of the file, or flipped bits and bytes too many or too few."""
    if rng.random() < 0.3:
        return data[: int(rng.integers(len(data)))] if data else data
    return damage_bytes(data, rng)


def overwritten(data: bytes, rng: Rng) -> bytes:
    """Some words of the file are numbers that sizes and offsets should not be."""
    out = bytearray(data)
    for _ in range(int(rng.integers(1, 3))):
        width = (1, 2, 4, 8)[int(rng.integers(4))]
        at = int(rng.integers(max(1, len(out) - width + 1)))
        word = HOSTILE_WORDS[int(rng.integers(len(HOSTILE_WORDS)))] & (1 << 8 * width) - 1
        out[at : at + width] = struct.pack("<Q", word)[:width]
    return bytes(out)


def spoiled_document(document: Any, rng: Rng) -> Any:
    """A JSON document with other values, or with texts and numbers in each other's place."""
    if rng.random() < 0.5:
        return damage_document(document, rng)
    document = json.loads(json.dumps(document))
    leaves = list(_leaves(document))
    for _ in range(int(rng.integers(1, 4)) if leaves else 0):
        (owner, key), (other, source) = (leaves[int(rng.integers(len(leaves)))] for _ in "ab")
        owner[key] = other[source]
    return document


def _leaves(item: Any) -> Any:
    keys = item.keys() if isinstance(item, dict) else range(len(item))
    for key in keys:
        if isinstance(item[key], (dict, list)):
            yield from _leaves(item[key])
        else:
            yield item, key


def _json(name: str, data: bytes, arrays: Arrays, rng: Rng) -> bytes:
    return json.dumps(spoiled_document(json.loads(data), rng)).encode()


def _archive(name: str, data: bytes, arrays: Arrays, rng: Rng) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {member: archive.read(member) for member in archive.namelist()}
    names = sorted(members)
    member = names[int(rng.integers(len(names)))]
    members[member] = spoiled(member, members[member], arrays, rng)
    return zipped(members)


def _graph_def(name: str, data: bytes, arrays: Arrays, rng: Rng) -> bytes:
    """The message again, from a spoiled document; bytes where that cannot be written."""
    saved = name == "saved_model.pb"
    document = documents.saved_graph(arrays) if saved else documents.graph(arrays)
    document = spoiled_document(document, rng)
    try:
        if saved:
            return saved_model(document, arrays)
        return protobuf.graph_def(document, tensors(arrays))
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
        return overwritten(data, rng)


def _checkpoint(name: str, data: bytes, arrays: Arrays, rng: Rng) -> bytes:
    """An index of a spoiled entry, whose checksums are right."""
    entries, _ = contents(arrays)
    key = sorted(entries)[int(rng.integers(len(entries)))]
    return table(entries | {key: overwritten(entries[key], rng)})


def _hdf5(name: str, data: bytes, arrays: Arrays, rng: Rng) -> bytes:
    """The configuration in the file, spoiled; weights alone have none."""
    import h5py

    stream = io.BytesIO(data)
    with h5py.File(stream, "r+") as file:
        if "model_config" not in file.attrs:
            return overwritten(data, rng)
        config = json.loads(file.attrs["model_config"])
        file.attrs["model_config"] = json.dumps(spoiled_document(config, rng))
    return stream.getvalue()


def _tflite(name: str, data: bytes, arrays: Arrays, rng: Rng) -> bytes:
    from tests.core.converter.fuzz.tflite import damaged

    try:
        return damaged(data, rng)
    except (TypeError, ValueError, OverflowError, struct.error):  # the number fits no such field
        return overwritten(data, rng)


SPECIAL: Mapping[str, Callable[[str, bytes, Arrays, Rng], bytes]] = {
    ".json": _json,
    ".zip": _archive,
    ".keras": _archive,
    ".pb": _graph_def,
    ".h5": _hdf5,
    ".index": _checkpoint,
    ".tflite": _tflite,
}
