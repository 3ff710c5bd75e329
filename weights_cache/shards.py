"""Reading weights from shards, all of whose bytes a manifest must describe."""

import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from weights_cache.common.errors import WeightsError
from weights_cache.json_documents import file_errors, read_document
from weights_cache.lfs_pointers import refuse_pointer_file
from weights_cache.manifest import Entry, Group, parse_manifest
from weights_cache.quantise import StoredArray, dequantise_array
from weights_cache.reading_budgets import add_file, check_time, reading_budget, spend
from weights_cache.regular_files import open_regular

Weights = dict[str, np.ndarray]
Stored = np.ndarray | StoredArray


class WebModel(NamedTuple):
    """The content of a manifest file: its whole document, and the weights in their stored form."""

    path: Path
    document: Any
    stored: dict[str, Stored]

    def weights(self) -> Weights:
        """Return the weights, dequantised and read-only."""
        return {name: self._array(name, stored) for name, stored in self.stored.items()}

    def _array(self, name: str, stored: Stored) -> np.ndarray:
        if isinstance(stored, np.ndarray):
            return stored
        check_time()  # at most 4 times the stored bytes, which every budget allows
        try:
            array = dequantise_array(*stored)
        except WeightsError as error:
            raise WeightsError(f"{self.path}, weight {name!r}: {error}") from error
        array.setflags(write=False)
        return array


def read_web_model(path: Path, find_shard: Callable[[Any], Path]) -> WebModel:
    """Read a manifest file of any kind and its shards.

    Args:
        path: the manifest.
        find_shard: function from the name of a shard in the manifest to its path; raises
            WeightsError for a name that leads out of the folder.

    Raises:
        WeightsError: the document is not a manifest, or the weights do not cover the shards
            exactly.
    """
    with reading_budget(path):
        document, groups = parse_manifest(read_document(path), path)
        stored: dict[str, Stored] = {}
        for group in groups:
            paths = [_found(find_shard, shard, path) for shard in group.shards]
            stored |= _read_group(group, paths, path)
        return WebModel(path, document, stored)


def _found(find_shard: Callable[[Any], Path], shard: Any, manifest: Path) -> Path:
    with file_errors(f"the shard {shard!r:.300} of {manifest}"):
        return find_shard(shard)


def _read_group(group: Group, paths: list[Path], manifest: Path) -> dict[str, Stored]:
    sizes = [_size(path) for path in paths]
    _require_exact(group.entries, paths, sum(sizes), manifest)
    buffer = _read_shards(paths, sizes)
    stored: dict[str, Stored] = {}
    start = 0
    for entry in group.entries:
        check_time()
        end = start + entry.bytes
        if end > len(buffer):  # the manifest does not give the lengths of preceding strings
            raise _too_short(entry.name, end, paths, len(buffer), manifest)
        if entry.dtype == "string":
            strings, end = _read_strings(entry, buffer.data, start)
            if strings is None:
                raise _too_short(entry.name, end, paths, len(buffer), manifest)
            stored[entry.name] = strings
        else:
            stored[entry.name] = _stored(entry, buffer[start:end])
        start = end
    if start < len(buffer):
        raise _too_long(group.entries, len(buffer) - start, paths, len(buffer), manifest)
    return stored


def _stored(entry: Entry, piece: np.ndarray) -> Stored:
    """Return a read-only view of the bytes if dtype and alignment allow it, else a copy."""
    values = np.require(piece.view(entry.stored).reshape(entry.shape), requirements="A")
    if entry.dtype == "bool":
        values = values.astype(bool)
    values.setflags(write=False)
    if entry.kind:
        return StoredArray(values, entry.scale, entry.minimum, entry.dtype)
    return values


def _read_strings(entry: Entry, data: memoryview, start: int) -> tuple[np.ndarray | None, int]:
    """Return strings, each stored after its length, as an object array, and the end of the last.

    The array is None if a string ends behind the data.
    """
    spend(80 * (entry.bytes // 4), f"the strings of {entry.name!r:.80}")
    strings = np.empty(entry.bytes // 4, object)
    for i in range(len(strings)):
        end = start + 4 + int.from_bytes(data[start : start + 4], "little")
        if end > len(data):
            return None, end
        strings[i] = bytes(data[start + 4 : end])
        start = end
    array = strings.reshape(entry.shape)
    array.setflags(write=False)
    return array, start


def _require_exact(entries: list[Entry], paths: list[Path], held: int, manifest: Path) -> None:
    """Raise WeightsError unless the weights cover the bytes of the shards exactly.

    For strings only the least number of bytes is known here.
    """
    end = 0
    for entry in entries:
        end += entry.bytes
        if end > held:
            raise _too_short(entry.name, end, paths, held, manifest)
    if end < held and all(entry.dtype != "string" for entry in entries):
        raise _too_long(entries, held - end, paths, held, manifest)


def _too_short(name: str, end: int, paths: list[Path], held: int, manifest: Path) -> WeightsError:
    return WeightsError(
        f"{manifest}, weight {name!r}: ends at byte {end}, but the shards ({_listed(paths)}) "
        f"hold only {held} bytes; fetch them again"
    )


def _too_long(
    entries: list[Entry], left: int, paths: list[Path], held: int, manifest: Path
) -> WeightsError:
    return WeightsError(
        f"{manifest}: the shards ({_listed(paths)}) hold {held} bytes, {left} more than the "
        f"weights up to {entries[-1].name if entries else 'none'!r} need; fetch them again"
    )


def _listed(paths: list[Path]) -> str:
    return ", ".join(path.name for path in paths[:3]) + (", ..." if len(paths) > 3 else "")


def _size(path: Path) -> int:
    what = f"the shard {path}"
    with file_errors(what):
        status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise WeightsError(f"{what} is not a file")
    with file_errors(what):
        refuse_pointer_file(path)
    add_file(status)
    return status.st_size


def _read_shards(paths: list[Path], sizes: list[int]) -> np.ndarray:
    """Return the bytes of all shards in one read-only buffer."""
    try:
        buffer = np.empty(sum(sizes), np.uint8)
    except (MemoryError, ValueError) as error:
        raise WeightsError(f"no memory for the {sum(sizes)} bytes of {paths[0]}") from error
    start = 0
    for path, size in zip(paths, sizes, strict=True):
        check_time()
        with file_errors(f"the shard {path}"), open_regular(path) as stream:
            count = stream.readinto(buffer.data[start : start + size])
        if count != size:
            raise WeightsError(f"the shard {path} became shorter while it was read; read it again")
        start += size
    buffer.setflags(write=False)
    return buffer
