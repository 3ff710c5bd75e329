"""Limits of reading an encoded image, checked from its header before decoding.

Memory is estimated from the size and the format of the image; a kilobyte of a hostile file may
require gigabytes.
"""

from __future__ import annotations

import math
import re
import struct
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from zoo.images.pixels import NO_PIXELS, ImageError

if TYPE_CHECKING:
    from PIL import Image

    from core import Limits

MAX_BYTES = 900_000_000
"""Most bytes of memory for one image: 112 million pixels of JPEG, 50 million of WebP."""

OPEN_SECONDS = 2.0
"""Most seconds for reading the header."""

DECODE_SECONDS = 6.0
"""Most seconds for decoding, in formats that can be interrupted."""

MAX_SCANS = 200
"""Most scans of a JPEG file; cameras and programs write 1 to 15."""

MAX_SCANNED_PIXELS = 4_000_000_000
"""Most pixels of all scans of a JPEG file together."""

#: Bytes of memory for each pixel at the peak of reading, the result's three included, as
#: measured over the modes of each format (tests/reliability/test_image_bombs.py).
_BYTES_OF_PIXELS = {"WEBP": 18, "AVIF": 20, "HEIF": 20, "JPEG2000": 26, "FITS": 100}
_BYTES_OF_ICONS = 24
_BYTES_OF_OTHERS = 8
_BYTES_OF_PROGRESSIVE = 12.5
_BYTES_OF_A_ROW = 16  # Pillow's pointers per row

_PART = 2**15

_BITS_PER_SAMPLE, _ROWS_PER_STRIP, _TILE_WIDTH, _TILE_LENGTH = 258, 278, 322, 323


def limit_of_context(name: str, default: float) -> float:
    """Return a limit of `core.limits`, without importing core, which takes time.

    Args:
        name: ``"file_bytes"`` or ``"file_seconds"``.
        default: value if the limit is not set.
    """
    context_limits = getattr(sys.modules.get("core.engine.limits"), "context_limits", None)
    given: Limits | None = context_limits() if context_limits else None
    value: float | None = getattr(given, name, None)
    return default if value is None else value


def check_size(size: tuple[int, int], name: str, *, each: float = _BYTES_OF_OTHERS) -> None:
    """Raise if an image has no pixels, or more than the limit of memory allows.

    Args:
        size: width and height.
        name: name of the image in errors.
        each: bytes of memory per pixel.
    """
    width, height = size
    if width <= 0 or height <= 0:
        raise ImageError(NO_PIXELS.format(name, f"{width} x {height}"))
    needed = width * height * each + height * _BYTES_OF_A_ROW
    most = limit_of_context("file_bytes", MAX_BYTES)
    if needed > most:
        raise ImageError(
            f"{name} is too large: {width} x {height} pixels take {needed / 1e6:,.0f} MB of "
            f"memory to read, the limit is {most / 1e6:,.0f} MB: make it smaller, pass an array, "
            f"or raise the limit with `with core.limits(file_bytes={_rounded_up(needed):.2g})`"
        )


def _rounded_up(value: float) -> float:
    step = 10 ** (math.floor(math.log10(value)) - 1)
    return math.ceil(value / step) * step


def bytes_of_pixels(image: Image.Image) -> float:
    """Return the peak bytes of memory per pixel while an image is read."""
    if image.info.get("progressive"):  # the decoder keeps all coefficients
        return _BYTES_OF_PROGRESSIVE
    if tags := getattr(image, "tag_v2", None):
        return max(
            _BYTES_OF_OTHERS, 5 + _bytes_of_strip(image, tags) / max(math.prod(image.size), 1)
        )
    return _BYTES_OF_PIXELS.get(image.format or "", _BYTES_OF_OTHERS)


def _bytes_of_strip(image: Image.Image, tags: Mapping[int, Any]) -> float:
    """Return the bytes of a tile or strip of a TIFF file, which is decoded at once."""
    width = tags.get(_TILE_WIDTH, image.width)
    rows = tags.get(_TILE_LENGTH, min(tags.get(_ROWS_PER_STRIP, image.height), image.height))
    return float(width * rows * sum(tags.get(_BITS_PER_SAMPLE, (1,))) / 8)


def check_scans(file: BinaryIO, size: tuple[int, int], name: str) -> None:
    """Raise if a JPEG file has too many scans, each of which needs only some 10 bytes.

    Args:
        file: the file, at any position.
        size: width and height of the image.
        name: name of the image in errors.
    """
    if _is_read_in_one_scan(file):
        return
    data = file.read()
    most = min(MAX_SCANS, MAX_SCANNED_PIXELS // max(size[0] * size[1], 1))
    if _count_upper_bound(data) > most and (scans := _count_scans(data)) > most:
        raise ImageError(
            f"{name} has {scans:,} scans, the limit for {size[0]} x {size[1]} pixels is {most:,}: "
            "save it again"
        )


def _is_read_in_one_scan(file: BinaryIO) -> bool:
    """Whether the first scan of a JPEG file has all components; seeks to the first scan."""
    position, components = 2, 0
    while True:
        file.seek(position)
        head = file.read(10)
        if len(head) < 10 or head[0] != 0xFF or head[1] in (0x00, 0xFF):
            return False
        kind = head[1]
        if kind == 0xDA:
            file.seek(position)
            return bool(head[4] == components)
        if 0xC0 <= kind <= 0xCF and kind not in (0xC4, 0xC8, 0xCC):
            if kind in (0xC2, 0xC6, 0xCA, 0xCE):  # progressive
                return False
            components = head[9]
        position += 2 + int.from_bytes(head[2:4], "big")


def _count_upper_bound(data: bytes) -> int:
    """Return an upper bound of the number of scans, counted in parts that fit the CPU's cache."""
    values = np.frombuffer(data, np.uint8)
    parts = range(0, len(data) - 1, _PART)
    firsts, seconds = values[:-1], values[1:]
    return sum(
        int(
            np.count_nonzero((firsts[at : at + _PART] == 0xFF) & (seconds[at : at + _PART] == 0xDA))
        )
        for at in parts
    )


#: A marker in the data of a scan, where a literal 0xFF is followed by 0.
_MARKER = rb"\xff+([\x01-\xcf\xd8-\xfe])"


def _count_scans(data: bytes) -> int:
    """Return the number of scans up to the end of the image, without embedded images."""
    scans = position = 0
    marker = re.compile(_MARKER)
    while (found := marker.search(data, position)) and found[1] != b"\xd9":
        scans += found[1] == b"\xda"
        position = found.end() + int.from_bytes(data[found.end() : found.end() + 2], "big")
    return scans


def check_nested(file: BinaryIO, head: bytes, name: str) -> None:
    """Raise if an image in a file of icons is too large.

    The size may differ from the file's declaration, and Pillow decodes the image on opening.

    Args:
        file: the file, at any position.
        head: first bytes of the file.
        name: name of the file in errors.
    """
    sizes: Iterable[tuple[int, int]] = ()
    if re.match(rb"\0\0[\1\2]\0", head):
        sizes = _sizes_of_icons(file)
    elif head.startswith(b"icns"):
        sizes = _sizes_in_icns(file)
    for size in sizes:
        check_size(size, name, each=_BYTES_OF_ICONS)


def _sizes_of_icons(file: BinaryIO) -> Iterator[tuple[int, int]]:
    """Yield the sizes of the PNG and BMP images in a file of Windows icons."""
    file.seek(4)
    entries = file.read(16 * int.from_bytes(file.read(2), "little"))
    for (offset,) in struct.iter_unpack("<12xI", entries[: len(entries) // 16 * 16]):
        file.seek(offset)
        start = file.read(24)
        if len(start) == 24:
            yield _size_of_icon(start)


def _size_of_icon(start: bytes) -> tuple[int, int]:
    if start.startswith(b"\x89PNG"):
        return struct.unpack(">16xII", start)
    if start[0] == 12:  # the old header of BMP
        width, height = struct.unpack_from("<4xHH", start)
    else:
        width, height = struct.unpack_from("<4xii", start)
    return abs(width) or 1, abs(height) // 2 or 1  # with the mask's rows


#: The headers of PNG and of JPEG 2000, up to width and height.
_SIZE_IN_ICNS = rb"(?s)(?:IHDR|\xff\x4f\xff\x51....)(.{8})"


def _sizes_in_icns(file: BinaryIO) -> Iterator[tuple[int, int]]:
    """Yield the sizes of the images in a file of macOS icons."""
    file.seek(0)
    for found in re.finditer(_SIZE_IN_ICNS, file.read()):
        width, height = struct.unpack(">II", found[1])
        yield width or 1, height or 1
