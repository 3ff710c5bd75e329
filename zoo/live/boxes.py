"""Boxes of MP4 and QuickTime files (ISO/IEC 14496-12), for what OpenCV does not say of a video."""

from __future__ import annotations

import os
from collections.abc import Iterator
from struct import unpack
from typing import BinaryIO, NamedTuple

#: Endings of files that list their boxes with lengths.
_ENDINGS = (".mp4", ".m4v", ".mov", ".3gp")

_MATRIX = (40, 52)  # where it begins in the content of a track's header, by its version


class Box(NamedTuple):
    """One box: the name of its kind, and where its content lies in the file."""

    kind: bytes
    start: int
    end: int


class Track(NamedTuple):
    """One track of a file."""

    handler: bytes  # b"vide" or b"soun", among others
    matrix: tuple[float, float, float, float]  # a, b, c, d: x' = ax + cy and y' = bx + dy


def has_boxes(path: str) -> bool:
    """Return whether the ending of a file is one of those that have boxes."""
    return os.path.splitext(path)[1].lower() in _ENDINGS


def is_cut_off(path: str) -> bool:
    """Return whether the last box of a file is longer than what is left of the file."""
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            return any(box.end > size for box in _boxes(file, 0, size))
    except OSError:
        return False


def tracks(path: str) -> list[Track]:
    """Return the tracks of a file; none where it has no boxes, or they cannot be read."""
    if not has_boxes(path):
        return []
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            return [
                _track(file, trak)
                for moov in _boxes(file, 0, size, b"moov")
                for trak in _boxes(file, moov.start, min(moov.end, size), b"trak")
            ]
    except OSError:
        return []


def _boxes(file: BinaryIO, at: int, end: int, kind: bytes | None = None) -> Iterator[Box]:
    """Yield the boxes between two places, of one kind or all; the last may reach beyond."""
    while at + 8 <= end:
        file.seek(at)
        header = file.read(16)
        length, start = int.from_bytes(header[:4], "big"), at + 8
        if length == 1:
            length, start = int.from_bytes(header[8:16], "big"), at + 16
        if length < start - at:
            return  # 0: the box reaches to the end of the file
        if kind in (None, header[4:8]):
            yield Box(header[4:8], start, at + length)
        at += length


def _track(file: BinaryIO, trak: Box) -> Track:
    handler, matrix = b"", (1.0, 0.0, 0.0, 1.0)
    for box in _boxes(file, trak.start, trak.end):
        if box.kind == b"tkhd":
            matrix = _matrix(file, box) or matrix
        elif box.kind == b"mdia":
            for hdlr in _boxes(file, box.start, box.end, b"hdlr"):
                file.seek(hdlr.start + 8)
                handler = file.read(4)
    return Track(handler, matrix)


def _matrix(file: BinaryIO, header: Box) -> tuple[float, float, float, float] | None:
    file.seek(header.start)
    version = file.read(1)
    file.seek(header.start + _MATRIX[version == b"\1"])
    data = file.read(20)
    if len(data) < 20:
        return None
    a, b, _, c, d = unpack(">5i", data)
    return a / 2**16, b / 2**16, c / 2**16, d / 2**16
