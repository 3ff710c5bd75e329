"""Video files of painted frames."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from weights_cache.common.errors import ZooError
from zoo.images.opencv import cv2
from zoo.images.reading import read_image
from zoo.live.capture import quiet
from zoo.live.readers import DEFAULT_FPS
from zoo.pipeline.verb_signatures import ImageSource

Self = TypeVar("Self", bound="VideoFile")

#: Ending -> codec of OpenCV that writes it.
CODECS = {".mp4": "mp4v", ".m4v": "mp4v", ".mov": "mp4v", ".avi": "MJPG", ".webm": "VP80"}

_LONGEST_HOLD = 5.0  # seconds for which the last frame is repeated where none came


@contextmanager
def _no_printing(wanted: bool) -> Iterator[None]:
    """Discard what C code prints: OpenCV's log level does not reach its remark on WebM's tags."""
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


class VideoFile:
    """A video that is written frame by frame; usable in a ``with`` statement, which closes it.

    >>> import zoo
    >>> with zoo.VideoFile("poses.mp4") as video:  # doctest: +SKIP
    ...     for moment in zoo.watch("film.mp4", "pose"):
    ...         video.add(zoo.paint(moment), moment["time"])

    The file appears under its name when it is closed, so that it is whole or not there. All frames
    have the size of the first: others are resized, with black beside them. Each frame is shown from
    its time until that of the next.

    Args:
        path: its ending says the format: .mp4, .m4v, .mov, .avi or .webm.
        fps: frames per second, above 0; by default 25.

    Raises:
        ZooError: the ending is unknown, or the file cannot be written.
    """

    def __init__(self, path: str | os.PathLike[str], fps: float | None = None):
        self.path = Path(path)
        self._codec = CODECS.get(self.path.suffix.lower(), "")
        if not self._codec:
            endings = ", ".join(CODECS)
            raise ZooError(f"cannot write a video to {str(path)!r}: its name must end in {endings}")
        if not self.path.parent.is_dir():
            folder = str(self.path.parent)
            raise ZooError(
                f"cannot write a video to {str(path)!r}: there is no folder {folder!r}, make it "
                "first"
            )
        self._fps = fps if fps and fps > 0 else DEFAULT_FPS
        self._writer: Any = None
        self._size = (0, 0)
        self._written = 0
        self._first: float | None = None
        self._last: np.ndarray | None = None
        self._unfinished = self.path.with_name(f".{self.path.stem}.{os.getpid()}{self.path.suffix}")

    def set_rate(self, fps: float | None) -> None:
        """Set the frames per second, before the first frame; None leaves them as they are."""
        if self._writer is None and fps:
            self._fps = fps

    def add(self, image: ImageSource, time: float | None = None) -> None:
        """Add a frame.

        Args:
            image: an image in any form that `zoo.read_image` takes, such as what `zoo.paint` and
                `zoo.blur_faces` return; arrays are RGB.
            time: in seconds; by default one frame after the one before. Frames that come late
                are repeated, and those that come too early replace the one before.
        """
        frame = read_image(image)
        if self._writer is None:
            self._open(frame.shape[1], frame.shape[0])
        if time is not None:
            self._first = time if self._first is None else self._first
            due = round((time - self._first) * self._fps)
            missing = min(due - self._written, round(_LONGEST_HOLD * self._fps))
            if self._last is not None:
                for _ in range(missing):
                    self._write(self._last)
            if due < self._written and self._last is not None:
                return
        self._last = self._fitted(frame)
        self._write(self._last)

    def _open(self, width: int, height: int) -> None:
        self._size = (width + width % 2, height + height % 2)  # codecs want even numbers
        code = cv2.VideoWriter_fourcc(*self._codec)
        with quiet(cv2), _no_printing(self._codec == "VP80"):
            self._writer = cv2.VideoWriter(
                str(self._unfinished), cv2.CAP_FFMPEG, code, self._fps, self._size
            )
        if not self._writer.isOpened():
            self._writer = None
            raise ZooError(
                f"cannot write a video to {str(self.path)!r}: the folder may not be written to, "
                "the disk is full, or OpenCV cannot write this format here; try .avi"
            )

    def _write(self, pixels: np.ndarray) -> None:
        with quiet(cv2):  # `close` finds out whether all could be written
            self._writer.write(pixels)
        self._written += 1

    def _fitted(self, frame: np.ndarray) -> np.ndarray:
        """Return a frame in the size of the video, in OpenCV's order of channels."""
        bgr: np.ndarray = cv2.cvtColor(frame, cv2.COLOR_RGB2BGR)
        width, height = self._size
        if (bgr.shape[1], bgr.shape[0]) == self._size:
            return bgr
        scale = min(width / bgr.shape[1], height / bgr.shape[0])
        if not (scale >= 1 and bgr.shape[1] + 1 >= width and bgr.shape[0] + 1 >= height):
            size = max(1, int(bgr.shape[1] * scale)), max(1, int(bgr.shape[0] * scale))
            bgr = cv2.resize(bgr, size, interpolation=cv2.INTER_AREA)
        below, right = height - bgr.shape[0], width - bgr.shape[1]
        top, left = below // 2, right // 2
        edges = (top, below - top, left, right - left)
        fitted: np.ndarray = cv2.copyMakeBorder(bgr, *edges, cv2.BORDER_CONSTANT)
        return fitted

    def close(self) -> None:
        """Finish the file; without any frame no file is written.

        Raises:
            ZooError: the file cannot be written, such as on a full disk.
        """
        writer, self._writer = self._writer, None
        if writer is None:
            return
        writer.release()
        try:
            if self._readable() < self._written - 1:  # WebM has an estimate only
                raise OSError(0, "not all frames could be written, the disk is probably full")
            os.replace(self._unfinished, self.path)
        except OSError as error:
            self._unfinished.unlink(missing_ok=True)
            raise ZooError(
                f"cannot write a video to {str(self.path)!r}: {error.strerror}; make room, or give "
                "another file"
            ) from error

    def _readable(self) -> int:
        """Return the number of frames that the finished file says it has."""
        with quiet(cv2):
            capture = cv2.VideoCapture(str(self._unfinished), cv2.CAP_FFMPEG)
            count = int(capture.get(cv2.CAP_PROP_FRAME_COUNT)) if capture.isOpened() else -1
            capture.release()
        return count

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
