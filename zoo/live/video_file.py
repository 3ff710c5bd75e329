"""Video files of painted frames."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TypeVar

import numpy as np

from weights_cache.common.errors import ZooError
from weights_cache.common.messages import say
from weights_cache.interruptions import pass_interruption
from zoo.images.opencv import cv2
from zoo.images.reading import read_image
from zoo.live import ffmpeg
from zoo.live.capture import quiet
from zoo.live.encoders import FORMATS, Encoder, open_encoder
from zoo.live.readers import DEFAULT_FPS
from zoo.live.sound import add_sound
from zoo.pipeline.verb_signatures import ImageSource

Self = TypeVar("Self", bound="VideoFile")

_LONGEST_HOLD = 5.0  # seconds for which the last frame is repeated where none came


class VideoFile:
    """A video that is written frame by frame; usable in a ``with`` statement, which closes it.

    >>> import zoo
    >>> with zoo.VideoFile("poses.mp4") as video:  # doctest: +SKIP
    ...     for moment in zoo.watch("film.mp4", "pose"):
    ...         video.add(zoo.paint(moment), moment["time"])

    The file appears under its name when it is closed, so that it is whole or not there. All frames
    have the size of the first: others are resized, with black beside them. Each frame is shown from
    its time until that of the next.

    Where the program ``ffmpeg`` is on the path, .mp4, .m4v and .mov are H.264 and .webm is VP9.
    Without it OpenCV writes VP8 in .webm, and in .mp4 mostly MPEG-4 part 2, which browsers do not
    show; a line on stderr says so.

    Args:
        path: its ending says the format: .mp4, .m4v, .mov, .avi or .webm.
        fps: frames per second, above 0; by default 25.
        sound: path of the video that the frames and their times come from, whose sound is copied
            by ``ffmpeg``; without it a line on stderr says that the sound is lost.

    Attributes:
        is_written: whether the file is there, which is known after ``close``.

    Raises:
        ZooError: the ending is unknown, or the file cannot be written.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        fps: float | None = None,
        *,
        sound: str | os.PathLike[str] | None = None,
    ):
        self.path = Path(path)
        if self.path.suffix.lower() not in FORMATS:
            endings = ", ".join(FORMATS)
            raise ZooError(f"cannot write a video to {str(path)!r}: its name must end in {endings}")
        if not self.path.parent.is_dir():
            folder = str(self.path.parent)
            raise ZooError(
                f"cannot write a video to {str(path)!r}: there is no folder {folder!r}, make it "
                "first"
            )
        self._fps = fps if fps and fps > 0 else DEFAULT_FPS
        self._sound = sound
        self.is_written = False
        self._writer: Encoder | None = None
        self._size = (0, 0)
        self._written = 0
        self._first: float | None = None
        self._last: np.ndarray | None = None
        # Absolute, as FFmpeg takes what stands before a colon for a protocol.
        name = f".{self.path.stem}.{os.getpid()}{self.path.suffix}"
        self._unfinished = Path(os.path.abspath(self.path)).with_name(name)

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
        try:
            self._writer = open_encoder(self._unfinished, self._size, self._fps)
        except OSError as error:
            pass_interruption(error)
            raise self._failed(error) from error

    def _write(self, pixels: np.ndarray) -> None:
        assert self._writer is not None
        try:
            self._writer.write(pixels)
        except OSError as error:
            self._writer = None
            pass_interruption(error)
            raise self._failed(error) from error
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
        try:
            writer.close()
            if self._readable() < self._written - 1:  # WebM has an estimate only
                raise OSError(0, "not all frames could be written, the disk is probably full")
            lost = self._without_sound()
            os.replace(self._unfinished, self.path)
        except OSError as error:
            pass_interruption(error)
            raise self._failed(error) from error
        self.is_written = True
        self._say_what_is_missing(writer.refused, lost)

    def _say_what_is_missing(self, refused: str, lost: str) -> None:
        """Say in a line each that browsers do not show the codec, and why the sound is lost."""
        if refused:
            other = "" if ffmpeg.program() else ", or install ffmpeg, which writes H.264 to .mp4"
            say(
                f"zoo: {self.path} is {refused}, which browsers do not show: give a name that ends "
                f"in .webm{other}"
            )
        if lost:
            say(f"zoo: the sound of {self._sound} is not in {self.path}: {lost}")

    def _without_sound(self) -> str:
        """Copy the sound, and return why it is missing; empty if it is not."""
        if self._sound is None or not os.path.isfile(self._sound):
            return ""
        seconds = self._written / self._fps
        return add_sound(self._unfinished, os.fspath(self._sound), self._first or 0.0, seconds)

    def _failed(self, error: OSError) -> ZooError:
        """Remove what was written, and return the error that says so."""
        self._unfinished.unlink(missing_ok=True)
        return ZooError(
            f"cannot write a video to {str(self.path)!r}: {error.strerror}; make room, or give "
            "another file"
        )

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
