"""Damage inside of containers, which are packed again so that only the member is wrong."""

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from tests.core.converter.fuzz.files import zipped
from tests.reliability.fuzz import raw_bytes

Rng = np.random.Generator
#: Damages the content of a member by its name, with parts of others.
Damage = Callable[[str, bytes, Sequence[bytes], Rng], bytes]

_NAMES = (
    *("../out", "/out", "a/../../out", "C:\\out", "x\0y", "", "model.json", "metadata.json"),
    *("config.json", "model.weights.h5", "weights.bin", "a" * 300, "dir/", "sub/model.json"),
)

#: How often the container itself is damaged.
_CONTAINER = 0.25

#: Endings of archives of tar by how they are packed.
PACKED_ENDINGS = {"gz": (".gz", ".tgz"), "bz2": (".bz2", ".tbz2"), "xz": (".xz", ".txz")}

_PACKERS: Mapping[str, tuple[Callable[[bytes], bytes], Callable[[bytes], bytes]]] = {
    "gz": (gzip.decompress, lambda data: gzip.compress(data, mtime=0)),
    "bz2": (bz2.decompress, bz2.compress),
    "xz": (lzma.decompress, lzma.compress),
}

_BLOCK = 512  # bytes of a header of tar
_CHECKSUM = slice(148, 156)


def damaged_zip(data: bytes, others: Sequence[bytes], rng: Rng, damage: Damage) -> bytes:
    """Another content, name, order or entry of a member; or bytes near the directory.

    Raises:
        ValueError: it is no archive.
    """
    if rng.random() < _CONTAINER:
        return _near_directory(data, rng)
    members = _members(data)
    names = sorted(members)
    name = names[int(rng.integers(len(names)))]
    kind = rng.random()
    if kind < 0.8:
        parts = [d for other in others for n, d in _members(other).items() if n == name]
        members[name] = damage(name, members[name], parts, rng)
    elif kind < 0.9:
        members[_NAMES[int(rng.integers(len(_NAMES)))]] = members[name]
        if rng.random() < 0.5:
            del members[name]
    else:
        del members[name]
    return zipped(members)


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
    for _ in range(raw_bytes.places(rng)):
        at = min(heads[int(rng.integers(len(heads)))] + int(rng.integers(46)), len(data) - 1)
        data = raw_bytes.word_or_flip_at(data, at, rng)
    return data


def damaged_tar(data: bytes, others: Sequence[bytes], rng: Rng, damage: Damage) -> bytes:
    """A damaged head of a member, whose checksum is made right again, or a damaged member.

    Raises:
        ValueError: it is no archive.
    """
    try:
        with tarfile.open(fileobj=io.BytesIO(data)) as tar:
            members = tar.getmembers()
    except tarfile.TarError as error:
        raise ValueError("no archive") from error
    if not members:
        raise ValueError("no members")
    member = members[int(rng.integers(len(members)))]
    if rng.random() < 0.6:
        return _with_damaged_head(data, member.offset, rng)
    start = member.offset_data
    found = damage(member.name, data[start : start + member.size], (), rng)
    found = found[: member.size].ljust(member.size, b"\0")
    return data[:start] + found + data[start + member.size :]


def _with_damaged_head(data: bytes, start: int, rng: Rng) -> bytes:
    head = data[start : start + _BLOCK]
    for _ in range(raw_bytes.places(rng)):
        head = raw_bytes.word_or_flip_at(head, int(rng.integers(400)), rng)
    head = head[:_BLOCK]
    total = sum(head) - sum(head[_CHECKSUM]) + 8 * ord(" ")
    head = head[: _CHECKSUM.start] + b"%06o\0 " % total + head[_CHECKSUM.stop :]
    return data[:start] + head + data[start + _BLOCK :]


def damaged_packed(
    form: str, damage: Damage, data: bytes, others: Sequence[bytes], rng: Rng
) -> bytes:
    """Damage to an archive of tar that is packed by ``"gz"``, ``"bz2"`` or ``"xz"``.

    Raises:
        ValueError: it is none.
    """
    unpack, pack = _PACKERS[form]
    try:
        whole = unpack(data)
    except (EOFError, lzma.LZMAError, zlib.error) as error:
        raise ValueError("it cannot be unpacked") from error
    return pack(damaged_tar(whole, (), rng, damage))
