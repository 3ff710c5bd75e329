"""Encoders of videos: H.264 and VP9 by ffmpeg where it is, else what OpenCV has."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, NamedTuple, Protocol

import numpy as np

from zoo.images.opencv import cv2
from zoo.live import ffmpeg
from zoo.live.capture import quiet


class Format(NamedTuple):
    """The ways in which videos of one ending are written; what is better comes first."""

    codecs: tuple[str, ...]  # of OpenCV
    encoders: Mapping[str, tuple[str, ...]]  # of ffmpeg -> options
    sounds: tuple[str, ...]  # codecs that players find in such files; the last can be encoded
    muxing: tuple[str, ...] = ()  # options of ffmpeg for the file


_BITS = 0.12  # for each pixel, of encoders that cannot be asked for a quality

_H264: Mapping[str, tuple[str, ...]] = {
    "libx264": ("-preset", "veryfast", "-crf", "20"),
    **dict.fromkeys(("libopenh264", "h264_videotoolbox", "h264_mf"), ()),
}
# OpenCV could write VP9, too, which browsers show, in 80 times the time of MPEG-4 part 2. A file
# whose table comes first plays while it is still being loaded.
_MP4 = Format(("avc1", "mp4v"), _H264, ("mp3", "aac"), ("-movflags", "+faststart"))
_WEBM = Format(
    ("VP80",),
    {
        "libvpx-vp9": (
            *("-deadline", "realtime", "-cpu-used", "8", "-row-mt", "1"),  # 5 ms for 640 x 480
            *("-crf", "30", "-b:v", "0"),
        )
    },
    ("vorbis", "opus", "libopus"),
)

#: Ending -> how it is written.
FORMATS: Mapping[str, Format] = {
    ".mp4": _MP4,
    ".m4v": _MP4,
    ".mov": _MP4,
    ".avi": Format(("MJPG",), {}, ("mp3", "pcm_s16le")),
    ".webm": _WEBM,
}

#: Codec -> its name, of those that browsers, and so notebooks and messengers, do not show.
_REFUSED = {"mp4v": "MPEG-4 part 2", "MJPG": "Motion JPEG"}


class Encoder(Protocol):
    """Writes frames of one size to a file."""

    refused: str  # name of the codec if browsers do not show it, else empty

    def write(self, frame: np.ndarray) -> None:
        """Write a frame, uint8 [height, width, 3] in OpenCV's order BGR.

        Raises:
            OSError: the file cannot be written.
        """

    def close(self) -> None:
        """Finish the file.

        Raises:
            OSError: the file could not be written.
        """


def open_encoder(path: Path, size: tuple[int, int], fps: float) -> Encoder:
    """Return the best encoder for a file.

    Args:
        path: its ending is one of `FORMATS`.
        size: width and height in pixels, even.
        fps: frames per second.

    Raises:
        OSError: the file cannot be written.
    """
    name = ffmpeg.first_encoder(format_of(path).encoders)
    if name is None:
        return _OpenCVEncoder(path, size, fps)
    return _FFmpegEncoder(path, size, fps, name)


def format_of(path: Path) -> Format:
    """Return the format of a video, by the ending of its name."""
    return FORMATS[path.suffix.lower()]


class _FFmpegEncoder:
    """Pipes frames to ffmpeg."""

    refused = ""

    def __init__(self, path: Path, size: tuple[int, int], fps: float, name: str):
        width, height = size
        frames = ["-f", "rawvideo", "-pix_fmt", "bgr24", "-s", f"{width}x{height}", "-r", str(fps)]
        its = format_of(path)
        quality = its.encoders[name] or ("-b:v", str(round(width * height * fps * _BITS)))
        # The matrix that OpenCV reads files with, and said in the file: colours stay.
        coded = ["-pix_fmt", "yuv420p", "-colorspace", "smpte170m", *its.muxing]
        self._said = TemporaryFile()  # noqa: SIM115 - closed with the program
        self._program = subprocess.Popen(
            [
                *(str(ffmpeg.program()), "-hide_banner", "-v", "error", "-y"),
                *(*frames, "-i", "pipe:", "-c:v", name, *quality, *coded, ffmpeg.as_file(path)),
            ],
            stdin=subprocess.PIPE,
            stderr=self._said,
            start_new_session=True,  # Ctrl-C ends our loop, and then this in order
        )

    def write(self, frame: np.ndarray) -> None:
        """Write a frame."""
        assert self._program.stdin is not None
        try:
            self._program.stdin.write(np.ascontiguousarray(frame).data)
        except OSError:  # it has ended
            self.close()
            raise

    def close(self) -> None:
        """Finish the file."""
        with self._said:
            try:
                self._program.communicate()
            except OSError:  # what was not written yet cannot be written any more
                self._program.wait()
            if self._program.returncode:
                self._said.seek(0)
                said = self._said.read().decode(errors="replace")
                raise OSError(0, f"not all frames could be written: {ffmpeg.last_line(said)}")


class _OpenCVEncoder:
    """Writes frames by OpenCV, which hides a full disk."""

    def __init__(self, path: Path, size: tuple[int, int], fps: float):
        for codec in format_of(path).codecs:
            with quiet(cv2), _no_printing(codec in ("VP80", "avc1")):
                code = cv2.VideoWriter_fourcc(*codec)
                self._writer: Any = cv2.VideoWriter(str(path), cv2.CAP_FFMPEG, code, fps, size)
            if self._writer.isOpened():
                self.refused = _REFUSED.get(codec, "")
                return
        raise OSError(
            0,
            "the folder may not be written to, the disk is full, or OpenCV cannot write this "
            "format here (.avi it can)",
        )

    def write(self, frame: np.ndarray) -> None:
        """Write a frame."""
        with quiet(cv2):
            self._writer.write(frame)

    def close(self) -> None:
        """Finish the file."""
        self._writer.release()


@contextmanager
def _no_printing(wanted: bool) -> Iterator[None]:
    """Discard what C code prints, which OpenCV's log level does not reach."""
    try:
        kept = os.dup(2) if wanted else None
    except OSError:  # there is no stderr
        kept = None
    if kept is None:
        yield
        return
    nothing = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nothing, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nothing)
