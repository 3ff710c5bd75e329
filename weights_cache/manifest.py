"""Readers of the three weight manifests: arrays by name, checked against the bytes on disk.

- ``model.json`` of TensorFlow.js, whose ``weightsManifest`` lists groups of weights and shards;
- the weights manifest that older converters and face-api.js wrote: that list alone;
- PoseNet's ``manifest.json`` from before TensorFlow.js 1.0: one raw float32 file per weight.
"""

import math
import stat
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from weights_cache.documents import parse_json, read_document
from weights_cache.errors import WeightsError
from weights_cache.quantise import QUANTISED_DTYPES, dequantise_array

DTYPES = {"float32": "<f4", "int32": "<i4", "bool": "u1", "complex64": "<c8"}
Weights = dict[str, np.ndarray]
_MOST_AXES = 32  # NumPy 1 has no more


class Entry(NamedTuple):
    """One weight of a manifest; ``kind`` is its quantisation, with scale and minimum."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    kind: str | None = None
    scale: float | None = None
    minimum: float | None = None

    @property
    def stored(self) -> np.dtype:
        """The dtype on disk, little-endian."""
        return np.dtype(QUANTISED_DTYPES[self.kind] if self.kind else DTYPES[self.dtype])

    @property
    def bytes(self) -> int:
        """Bytes on disk."""
        return math.prod(self.shape) * self.stored.itemsize


class Group(NamedTuple):
    """Weights that lie one after the other in shards that follow each other."""

    entries: list[Entry]
    shards: list[Any]


def read_manifest(path: Path, find_shard: Callable[[Any], Path]) -> Weights:
    """Return the weights of a manifest file as arrays by name, dequantised and read-only.

    Args:
        path: the manifest, of any of the three kinds.
        find_shard: gives the path of a shard from its name in the manifest, or raises
            WeightsError for a name that leads out of the folder.

    Raises WeightsError for a document that is no manifest, and where weights and shards do not
    agree to the byte.
    """
    groups = read_groups(path)
    _require_unique((entry.name for group in groups for entry in group.entries), path, "weight")
    # Else a short file named often could ask for more memory than there are bytes on disk.
    _require_unique((str(shard) for group in groups for shard in group.shards), path, "shard")
    weights: Weights = {}
    for group in groups:
        paths = [find_shard(shard) for shard in group.shards]
        weights |= _read_group(group.entries, paths, path)
    return weights


def manifest_name(names: Iterable[str], where: object) -> str:
    """Return which of the file ``names`` is the manifest; ``where`` is named in errors."""
    known = sorted(names)
    kinds = ("model.json", "weights_manifest.json", "manifest.json")
    for kind in kinds:
        found = [name for name in known if name == kind or name.endswith(f"-{kind}")]
        if len(found) == 1:
            return found[0]
        if found:
            raise WeightsError(
                f"{where} holds {len(found)} manifests; name one: {', '.join(found)}"
            )
    raise WeightsError(
        f"{where} holds no weights that this function reads: none of its files is a model.json, "
        "a ...weights_manifest.json or a manifest.json"
    )


def read_groups(path: Path) -> list[Group]:
    """Return what a manifest file lists, without looking at the shards."""
    data = read_document(path)
    document = parse_json(data, path)
    if isinstance(document, dict) and "weightsManifest" in document:
        return _groups(document["weightsManifest"], path)
    if isinstance(document, list):
        return _groups(document, path)
    if isinstance(document, dict) and "modelTopology" not in document:
        # A weight given twice is a key given twice here, and the later one would win.
        return _single_files(parse_json(data, path, unique_keys=True), path)
    raise WeightsError(f"{path} has no 'weightsManifest', so it lists no weights")


def _groups(document: Any, path: Path) -> list[Group]:
    groups = _require_list(document, f"{path}: the weights manifest")
    return [_group(group, f"{path}, group {number}") for number, group in enumerate(groups, 1)]


def _group(document: Any, where: str) -> Group:
    if not isinstance(document, dict):
        raise WeightsError(f"{where}: should be an object with 'weights' and 'paths'")
    weights = _require_list(document.get("weights"), f"{where}: 'weights'")
    shards = _require_list(document.get("paths"), f"{where}: 'paths'")
    return Group([_entry(weight, where) for weight in weights], shards)


def _single_files(document: dict[str, Any], path: Path) -> list[Group]:
    if not document:
        raise WeightsError(f"{path} is empty, so it lists no weights")
    groups = []
    for name, weight in document.items():
        if not isinstance(weight, dict) or "filename" not in weight:
            raise WeightsError(f"{path}: {name!r} has no 'filename', so this is no weight manifest")
        entry = _entry({**weight, "name": name, "dtype": "float32"}, str(path))
        groups.append(Group([entry], [weight["filename"]]))
    return groups


def _entry(weight: Any, where: str) -> Entry:
    if not isinstance(weight, dict):
        raise WeightsError(f"{where}: a weight should be an object, not {_short(weight)}")
    name = weight.get("name")
    if not isinstance(name, str) or not name:
        raise WeightsError(f"{where}: a weight has the name {_short(name)}, not a text")
    where = f"{where}, weight {name!r}"
    dtype = weight.get("dtype")
    if not isinstance(dtype, str) or dtype not in DTYPES:
        known = ", ".join(DTYPES)
        raise WeightsError(f"{where}: dtype {_short(dtype)} is not read; only {known} are")
    entry = Entry(name, (), dtype)
    if weight.get("quantization") is not None:
        entry = _quantised(entry, weight["quantization"], where)
    return entry._replace(shape=_shape(weight.get("shape"), entry.stored.itemsize, where))


def _quantised(entry: Entry, document: Any, where: str) -> Entry:
    kind = document.get("dtype") if isinstance(document, dict) else None
    if not isinstance(kind, str) or kind not in QUANTISED_DTYPES:
        known = ", ".join(QUANTISED_DTYPES)
        raise WeightsError(f"{where}: quantisation {_short(document)} is not one of {known}")
    if entry.dtype != "float32" and (entry.dtype != "int32" or kind == "float16"):
        raise WeightsError(f"{where}: {entry.dtype} cannot be quantised to {kind}")
    if kind == "float16":
        return entry._replace(kind=kind)
    scale, minimum = document.get("scale"), document.get("min")
    if not _is_finite(scale) or not _is_finite(minimum):
        shown = f"scale {_short(scale)} and min {_short(minimum)}"
        raise WeightsError(f"{where}: {shown} should be finite numbers")
    return entry._replace(kind=kind, scale=float(scale), minimum=float(minimum))


def _shape(document: Any, itemsize: int, where: str) -> tuple[int, ...]:
    shape = _require_list(document, f"{where}: the shape")
    if len(shape) > _MOST_AXES:
        raise WeightsError(f"{where}: {len(shape)} axes are more than {_MOST_AXES}")
    if not all(type(size) is int and size >= 0 for size in shape):
        raise WeightsError(f"{where}: the shape {_short(shape)} is not made of sizes from 0 up")
    # Empty axes left out: NumPy multiplies the others even if there is nothing to hold.
    if math.prod(max(size, 1) for size in shape) * itemsize > sys.maxsize:
        raise WeightsError(f"{where}: the shape {_short(shape)} is too large for this machine")
    return tuple(shape)


def _read_group(entries: list[Entry], paths: list[Path], manifest: Path) -> Weights:
    sizes = [_size(path) for path in paths]
    _require_exact(entries, paths, sum(sizes), manifest)
    buffer = _read_shards(paths, sizes)
    weights = {}
    start = 0
    for entry in entries:
        piece = buffer[start : start + entry.bytes]
        start += entry.bytes
        try:
            weights[entry.name] = _array(entry, piece)
        except WeightsError as error:
            raise WeightsError(f"{manifest}, weight {entry.name!r}: {error}") from error
    return weights


def _array(entry: Entry, piece: np.ndarray) -> np.ndarray:
    """A view of the bytes where dtype and alignment allow it, else a copy; never writeable."""
    stored = piece.view(entry.stored).reshape(entry.shape)
    if entry.kind:
        array = dequantise_array(stored, entry.scale, entry.minimum, entry.dtype)
    elif entry.dtype == "bool":
        array = stored != 0
    else:
        array = np.require(stored, requirements="A")
    array.setflags(write=False)
    return array


def _require_exact(entries: list[Entry], paths: list[Path], held: int, manifest: Path) -> None:
    """Every byte of the shards belongs to a weight, and every byte of a weight is there."""
    shards = ", ".join(path.name for path in paths[:3]) + (", ..." if len(paths) > 3 else "")
    end = 0
    for entry in entries:
        end += entry.bytes
        if end > held:
            raise WeightsError(
                f"{manifest}, weight {entry.name!r}: ends at byte {end}, but the shards ({shards}) "
                f"hold only {held} bytes; fetch them again"
            )
    if end < held:
        raise WeightsError(
            f"{manifest}: the shards ({shards}) hold {held} bytes, {held - end} more than the "
            f"weights up to {entries[-1].name if entries else 'none'!r} need; fetch them again"
        )


def _size(path: Path) -> int:
    try:
        status = path.stat()
    except OSError as error:
        raise WeightsError(f"cannot read the shard {path}: {error.strerror}") from error
    if not stat.S_ISREG(status.st_mode):
        raise WeightsError(f"the shard {path} is not a file")
    return status.st_size


def _read_shards(paths: list[Path], sizes: list[int]) -> np.ndarray:
    """The bytes of all shards in one read-only buffer, allocated for what is on disk."""
    try:
        buffer = np.empty(sum(sizes), np.uint8)
    except MemoryError as error:
        raise WeightsError(f"no memory for the {sum(sizes)} bytes of {paths[0]}") from error
    start = 0
    for path, size in zip(paths, sizes, strict=True):
        try:
            with open(path, "rb") as stream:
                count = stream.readinto(buffer.data[start : start + size])
        except OSError as error:
            raise WeightsError(f"cannot read the shard {path}: {error.strerror}") from error
        if count != size:
            raise WeightsError(f"the shard {path} became shorter while it was read; read it again")
        start += size
    buffer.setflags(write=False)
    return buffer


def _require_unique(names: Iterable[str], path: Path, what: str) -> None:
    known = set()
    for name in names:
        if name in known:
            raise WeightsError(f"{path}: the {what} {name!r} is listed twice")
        known.add(name)


def _require_list(document: Any, what: str) -> list[Any]:
    if not isinstance(document, list):
        raise WeightsError(f"{what} should be a list, not {_short(document)}")
    return document


def _is_finite(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) <= sys.float_info.max


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
