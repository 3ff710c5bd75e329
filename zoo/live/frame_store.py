"""Frames without loss in a video file that is readable at any moment, also if its writer is killed.

The file is an AVI (Microsoft's "AVI RIFF File Reference") whose frames are PNGs (codec MPNG), so
that players show it. OpenCV's writer keeps frames back and hides a full disk; here each frame is in
the file when `FrameWriter.add` returns.
"""

from __future__ import annotations

import os
from struct import Struct, pack, unpack_from
from typing import Any, BinaryIO

import numpy as np

from zoo.images.header_limits import check_size
from zoo.images.opencv import cv2
from zoo.live.capture import quiet

#: Length in bytes from which on a new file is started: sizes in an AVI have 32 bits.
LONGEST = 2**30

_HEADER = Struct("<4sI")  # of a chunk: its name, and its length in bytes
_FRAME = b"00dc"
_INDEXED, _KEYFRAME = 0x10, 0x10
_PNG_SIZE = slice(16, 24)  # of a PNG: its width and height
_PNG_START, _AROUND = 8, 12  # of the first chunk of a PNG; bytes of a chunk besides its content
_START = 12 + 12 + 64 + 12 + 64 + 48 + 12  # of the first frame: after all headers


class FrameWriter:
    """Writes frames of one size.

    Raises:
        OSError: the file cannot be written, such as on a full disk.
    """

    def __init__(self, path: str | os.PathLike[str], width: int, height: int, fps: float):
        # The fastest filter of those measured, and nearly the shortest files.
        self._options = [cv2.IMWRITE_PNG_COMPRESSION, 1]
        self._options += [cv2.IMWRITE_PNG_FILTER, cv2.IMWRITE_PNG_FILTER_UP]
        self._size, self._fps = (width, height), fps
        self._index: list[tuple[int, int]] = []  # offset from "movi" on, and length in bytes
        self.length = _START
        self._file: BinaryIO = open(path, "wb", buffering=0)  # noqa: SIM115
        self._put(self._headers(0))

    def add(self, frame: np.ndarray) -> None:
        """Add a frame, uint8 [height, width, 3] RGB."""
        bgr = cv2.cvtColor(frame, cv2.COLOR_RGB2BGR)
        png = cv2.imencode(".png", bgr, self._options)[1].tobytes()
        self._put(_HEADER.pack(_FRAME, len(png)) + png + bytes(len(png) % 2))
        self._index.append((self.length - _START + 4, len(png)))
        self.length += 8 + len(png) + len(png) % 2

    def _put(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[self._file.write(view) :]

    def close(self) -> None:
        """Write the index and the lengths; files without them are read as well."""
        if self._file.closed:
            return
        try:
            rows = b"".join(pack("<4s3I", _FRAME, _KEYFRAME, *row) for row in self._index)
            self._put(_HEADER.pack(b"idx1", len(rows)) + rows)
            self._file.seek(0)
            self._put(self._headers(len(rows) + 8))
        finally:
            self._file.close()

    def _headers(self, index: int) -> bytes:
        """Return all that stands before the frames; ``index`` is the length of the index."""
        width, height = self._size
        count = len(self._index)
        period, rate = round(1e6 / self._fps), round(self._fps * 1000)
        main = pack("<10I16x", period, 0, 0, _INDEXED, count, 0, 1, 0, width, height)
        stream = pack("<4s4s10I", b"vids", b"MPNG", 0, 0, 0, 1000, rate, 0, count, 0, 2**32 - 1, 0)
        stream += pack("<4H", 0, 0, width & 0xFFFF, height & 0xFFFF)
        pixels = pack("<3I2H4sI16x", 40, width, height, 1, 24, b"MPNG", width * height * 3)
        streams = _list(b"strl", _chunk(b"strh", stream) + _chunk(b"strf", pixels))
        before = _list(b"hdrl", _chunk(b"avih", main) + streams)
        frames = _HEADER.pack(b"LIST", self.length - _START + 4) + b"movi"
        return _HEADER.pack(b"RIFF", self.length + index - 8) + b"AVI " + before + frames


def _chunk(name: bytes, data: bytes) -> bytes:
    return _HEADER.pack(name, len(data)) + data


def _list(name: bytes, data: bytes) -> bytes:
    return _chunk(b"LIST", name + data)


def _is_whole(png: bytes) -> bool:
    """Whether a PNG has the bytes that its chunks declare, for which OpenCV allocates memory."""
    place = _PNG_START
    while place + _AROUND <= len(png):
        (length,) = unpack_from(">I", png, place)
        place += length + _AROUND
    return place <= len(png)


class FrameReader:
    """Reads the frames of a `FrameWriter`, whole ones only.

    Raises:
        OSError: the file cannot be read.
    """

    def __init__(self, path: str | os.PathLike[str]):
        self._file: BinaryIO = open(path, "rb")  # noqa: SIM115
        self._file.seek(_START)

    def read(self, width: int, height: int) -> np.ndarray | None:
        """Return the next frame in RGB, or None after the last whole one.

        Args:
            width: that the frame must have, in pixels.
            height: that the frame must have.

        Raises:
            ImageError: the frame is too large.
            ValueError: the frame is damaged, or of another size.
        """
        header = self._file.read(_HEADER.size)
        if len(header) < _HEADER.size:
            return None
        name, length = _HEADER.unpack(header)
        if name == b"idx1":
            return None
        there = os.fstat(self._file.fileno()).st_size - self._file.tell()
        png = self._file.read(min(length + length % 2, there))  # else it allocates what is declared
        if name == _FRAME and len(png) < length + length % 2:
            return None  # the writer was killed
        check_size((width, height), f"a frame of {self._file.name!r}")
        if name != _FRAME or png[_PNG_SIZE] != pack(">2I", width, height) or not _is_whole(png):
            raise ValueError("a frame is damaged, or of another size")
        bgr = self._decoded(png)
        if bgr is None:
            raise ValueError("a frame is damaged")
        rgb: np.ndarray = cv2.cvtColor(bgr, cv2.COLOR_BGR2RGB)
        return rgb

    def _decoded(self, png: bytes) -> Any:
        with quiet(cv2):
            return cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_COLOR)

    def close(self) -> None:
        """Close the file."""
        self._file.close()
