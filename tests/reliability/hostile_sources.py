"""Archives and tables for `zoo.batch`, made by hand: small ones that ask for much, and odd ones."""

import gzip
import io
import os
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from pathlib import Path

from PIL import Image

from tests.helpers import require
from tests.reliability.hostile_images import encoded

#: How to write a source to a path.
Write = Callable[[Path], object]

_MIB = 2**20
_BLOCKS = 256  # of a MiB, that bombs unpack to

IMAGE = encoded(Image.new("RGB", (8, 8)), "PNG")


# --- zip ------------------------------------------------------------------------------------------


def _zip(members: Iterable[tuple[str, bytes]], path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members:
            archive.writestr(name, data)


def _lying_zip(path: Path) -> None:
    """A packed member that declares 100 bytes."""
    packer = zlib.compressobj(9, wbits=-15)
    block = packer.compress(bytes(_MIB)) + packer.flush(zlib.Z_FULL_FLUSH)
    _zip([("a.png", block * _BLOCKS + packer.flush())], path)
    for local, entry, value in ((8, 10, zipfile.ZIP_DEFLATED), (22, 24, 100)):
        _patch(path, entry, "<H" if local == 8 else "<I", value)
        _patch(path, local, "<H" if local == 8 else "<I", value, b"PK\3\4")


def _other_method(method: int, path: Path) -> None:
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("a.png", bytes(_MIB))


def _patch(path: Path, at: int, code: str, value: int, head: bytes = b"PK\1\2") -> None:
    """Change a number in the last entry of the directory, or behind another head."""
    data = bytearray(path.read_bytes())
    struct.pack_into(code, data, data.rindex(head) + at, value)
    path.write_bytes(data)


def _large_zip(path: Path) -> None:
    _zip([("a.png", IMAGE)], path)
    _patch(path, 24, "<I", 2**32 - 2)


def _encrypted_zip(path: Path) -> None:
    _zip([("a.png", IMAGE)], path)
    _patch(path, 8, "<H", 1)


def _link_zip(path: Path) -> None:
    _zip([("a.png", b"/etc/passwd")], path)
    _patch(path, 38, "<I", 0o120777 << 16)


def _nested_zip(path: Path) -> None:
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("inner.png", IMAGE)
    _zip([("inner.zip", inner.getvalue()), ("a.png", IMAGE)], path)


# --- tar ------------------------------------------------------------------------------------------


def _header(name: str, kind: bytes = tarfile.REGTYPE, size: int = 0, link: str = "") -> bytes:
    member = tarfile.TarInfo(name)
    member.type, member.size, member.linkname = kind, size, link
    return member.tobuf(tarfile.GNU_FORMAT)


def _image(name: str) -> bytes:
    return _header(name, size=len(IMAGE)) + IMAGE.ljust(512, b"\0")


def _tar(parts: Iterable[bytes], path: Path) -> None:
    is_packed = path.suffix in (".gz", ".tgz")
    with open(path, "wb") as file:
        for part in (*parts, bytes(1024)):
            file.write(_packed(part) if is_packed else part)


@cache
def _packed(part: bytes) -> bytes:
    return gzip.compress(part)  # a gzip file may have several parts


def _long_header(kind: bytes, path: Path) -> None:
    """A header of another member whose content is as large as it says."""
    blocks = [bytes(_MIB)] * _BLOCKS
    _tar([_header("x", kind, _BLOCKS * _MIB), *blocks, _image("a.png")], path)


def _sparse(*, more: int) -> Iterator[bytes]:
    """A sparse member of GNU tar: a list of places, which goes on in more blocks."""
    places = b"00000000000\0" * 8
    head = bytearray(_header("a.png", tarfile.GNUTYPE_SPARSE))
    head[386 : 386 + len(places)] = places
    head[482:495] = bytes([more > 0]) + b"77777777777\0"
    head[148:156] = b"        "
    head[148:156] = b"%06o\0 " % sum(head)
    yield bytes(head)
    block = (b"00000000000\0" * 42).ljust(504, b"\0")
    for number in range(more):
        yield block + bytes([number < more - 1]) + bytes(7)


def _sparse_pax(path: Path) -> None:
    facts = {"GNU.sparse.size": str(2**42), "GNU.sparse.map": "0,8", "GNU.sparse.numblocks": "1"}
    member = tarfile.TarInfo("a.png")
    member.size, member.pax_headers = 8, facts
    _tar([member.tobuf(tarfile.PAX_FORMAT), bytes(512)], path)


_OTHERS = (
    (tarfile.SYMTYPE, "link.png"),
    (tarfile.LNKTYPE, "hard.png"),
    (tarfile.FIFOTYPE, "pipe.png"),
    (tarfile.CHRTYPE, "device.png"),
    (tarfile.BLKTYPE, "disk.png"),
    (tarfile.DIRTYPE, "folder.png"),
)


def _odd_tar(path: Path) -> None:
    """Members that are no files, and two images with names outside of any folder."""
    parts = [_header(name, kind, link="/etc/passwd") for kind, name in _OTHERS]
    _tar([*parts, _image("/etc/a.png"), _image("../../b.png")], path)


# --- tables ---------------------------------------------------------------------------------------


def _one_long_value(count: int, size: int, path: Path) -> None:
    """Rows that name one value again and again."""
    pa = require("pyarrow")
    require("pyarrow.parquet")
    values = pa.DictionaryArray.from_arrays(pa.array([0] * count), ["x" * size])
    pa.parquet.write_table(
        pa.table({"path": values}), path, compression="zstd", write_statistics=False
    )


def _one_long_line(path: Path) -> None:
    with open(path, "wb") as file:
        file.write(b"path\n")
        file.truncate(300 * _MIB)  # zeros


def _odd_paths(path: Path) -> None:
    """Names that other programs run, connect to or wait for."""
    os.mkfifo(path.with_name("pipe.jpg"))
    names = ["|id", "concat:a.jpg", "pipe.jpg", "/dev/zero", "file:///etc/passwd", "tcp://x:1/a"]
    path.write_text("\n".join(["path", *names]))


#: Small files that ask for much: the ending of the name, how they are made, what is said of them.
BOMBS: dict[str, tuple[str, Write, str]] = {
    "deflate": (".zip", _lying_zip, "Bad CRC-32"),
    "bzip2": (".zip", partial(_other_method, zipfile.ZIP_BZIP2), "compression method is not supp"),
    "lzma": (".zip", partial(_other_method, zipfile.ZIP_LZMA), "compression method is not supp"),
    "declared zip": (".zip", _large_zip, "more than 268,435,456 bytes"),
    "pax": (".tar.gz", partial(_long_header, tarfile.XHDTYPE), "headers have more than 4,194"),
    "long name": (".tar.gz", partial(_long_header, tarfile.GNUTYPE_LONGNAME), "headers have more"),
    "places": (".tar.gz", lambda p: _tar(_sparse(more=20_000), p), "headers have more than 4,194"),
    "declared tar": (".tar", lambda p: _tar([_header("a.png", size=2**42)], p), "end of data"),
    "declared tar.gz": (
        ".tgz",
        lambda p: _tar([_header("a.png", size=2**42)], p),
        "ends within a member",
    ),
    "one value": (".parquet", partial(_one_long_value, 2000, 2**18), "has 262,144 characters"),
    "large value": (
        ".parquet",
        partial(_one_long_value, 1, 2 * _MIB),
        "1 paths of .* take 2,097",
    ),
    "line": (".csv", _one_long_line, "has more than 16,777,216 characters"),
}

#: Others: the ending, how they are made, and what is said of each image ("": nothing).
ODD: dict[str, tuple[str, Write, list[str]]] = {
    "encrypted": (".zip", _encrypted_zip, ["it is encrypted"]),
    "link": (".zip", _link_zip, ["it is a symbolic link"]),
    "nested": (".zip", _nested_zip, [""]),
    "twice": (".zip", partial(_zip, [("a.png", IMAGE)] * 2), ["holds several files 'a.png'"]),
    "names": (".zip", partial(_zip, [("/etc/a.png", IMAGE), ("../b.png", IMAGE)]), ["", ""]),
    "others": (".tar", _odd_tar, ["", ""]),
    "others packed": (".tar.gz", _odd_tar, ["", ""]),
    "tar twice": (".tar", lambda p: _tar([_image("a.png")] * 2, p), ["", ""]),
    "sparse": (".tar", lambda p: _tar(_sparse(more=0), p), ["'a.png' is sparse"]),
    "sparse packed": (".tar.gz", lambda p: _tar(_sparse(more=2), p), ["'a.png' is sparse"]),
    "sparse pax": (".tar", _sparse_pax, ["'a.png' is sparse"]),
    "paths": (
        ".csv",
        _odd_paths,
        [
            *("|id': check the name", "concat:a.jpg': check the name", "a named pipe"),
            *("a device", "is not an image", "tcp"),
        ],
    ),
}
