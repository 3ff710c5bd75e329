"""Frames of cameras, videos, streams, folders, animations and generators: `frames`."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterable, Iterator
from math import inf, isfinite
from numbers import Integral
from typing import Any, TypeVar

import numpy as np

from weights_cache.common.errors import ZooError
from weights_cache.common.similar_names import did_you_mean
from zoo.images.errors import is_pattern, missing_file
from zoo.images.files import image_endings
from zoo.images.flips import flipped
from zoo.images.pillow import import_pillow
from zoo.images.urls import scheme_of
from zoo.live.capture import CameraReader, camera_names
from zoo.live.frame import Frame
from zoo.live.lost_frames import early_end
from zoo.live.newest import NewestFrame
from zoo.live.readers import (
    DEFAULT_FPS,
    TIMEOUT,
    Animation,
    BrokenFrameError,
    ImageFiles,
    Iteration,
    Kind,
    Reader,
    Shot,
    SourceError,
    images_in,
    matching,
)
from zoo.live.recording import RecordingReader, is_recording
from zoo.live.video_reader import VideoReader

Self = TypeVar("Self", bound="Frames")

#: Sources that `frames` reads: number of a camera, path or URL, or an iterable of images.
FrameSource = int | str | os.PathLike[str] | Iterable[object]

_CAMERA = re.compile(r"(?:camera|webcam|cam)?:?\s*(\d*)", re.IGNORECASE)
_ANIMATED = (".gif", ".webp", ".apng", ".png")
_VIDEO_PATH = re.compile(r"(?i)\.(mp4|m4v|mov|avi|webm|mkv|wmv|flv|mpe?g|3gp)(\?.*)?$")
_LAST_CAMERA = 9999
_CLOCKED = ("camera", "stream", "array")  # kinds whose frames have the times of a clock
_NO_FRAMES_KINDS = (dict, set, bytes, bytearray, memoryview)


class Frames(Iterator[Frame]):
    """An iterator over the frames of a source, made by `frames`.

    Usable in a ``with`` statement, which closes it. At the end of the source it closes itself.
    """

    def __init__(
        self,
        reader: Reader,
        *,
        start: float | None = None,
        stop: float | None = None,
        stride: int = 1,
        size: int | tuple[int, int] | None = None,
        mirror: bool = False,
    ):
        self._reader = reader
        self._start, self._stop, self._stride = start, stop, stride
        self._size, self._mirror = size, mirror
        self._index, self._taken = -1, 0
        self._closed = False
        self._broken = self._untimely = 0
        self._last_time = -inf
        self.size: tuple[int, int] | None = None  # width and height of the newest frame
        self.lost = 0  # frames that are missing at the end of a damaged file, known at its end

    @property
    def name(self) -> str:
        """Name of the source."""
        return self._reader.name

    @property
    def kind(self) -> Kind:
        """Kind of the source, such as ``"camera"`` or ``"video"``."""
        return self._reader.kind

    @property
    def fps(self) -> float | None:
        """Frames per second of the source, as far as it says."""
        return self._reader.fps

    @property
    def count(self) -> int | None:
        """Number of frames that will be given, as far as the source says; None if unknown."""
        total, fps = self._reader.count, self._reader.fps
        if total is None:
            return None
        first, last = 0, total
        if self._start or self._stop is not None:
            if fps is None:
                return None
            first = min(total, round((self._start or 0) * fps))
            last = total if self._stop is None else min(total, round(self._stop * fps))
        return max(0, -(-(last - first) // self._stride))

    @property
    def dropped(self) -> int:
        """Number of frames that were not given: the program was busy, or their times did not grow.

        The times of a camera, a stream or an iterable are those of a clock, which may stand still
        between two frames, or be set back.
        """
        return self._untimely + int(getattr(self._reader, "dropped", 0))

    @property
    def broken(self) -> int:
        """Number of frames that could not be decoded, and were not given."""
        return self._broken + int(getattr(self._reader, "broken", 0))

    def __iter__(self: Self) -> Self:
        return self

    def __next__(self) -> Frame:
        if self._closed:
            raise StopIteration
        try:
            shot = self._next_shot()
        except BaseException:
            self.close()
            raise
        if shot is None:
            self.close()
            self.lost = 0 if self._stop is not None else int(getattr(self._reader, "lost", 0))
            self._report_loss()
            raise StopIteration
        image = self._resized(shot.image)
        mirrored = shot.mirrored
        if self._mirror:
            image, mirrored = flipped(image), not mirrored
        self.size = int(image.shape[1]), int(image.shape[0])
        index = self._index if shot.number is None else shot.number
        return Frame(image, index, shot.time, mirrored)

    def _next_shot(self) -> Shot | None:
        """Return the next frame that is wanted."""
        if self._index < 0 and self._start:
            self._index += self._reader.advance(self._start)
        for _ in range(self._stride - 1 if self._taken else 0):
            self._index += 1
            if self._reader.skip() is None:
                return None
        while True:
            self._index += 1
            try:
                shot = self._reader.read()
            except BrokenFrameError:
                self._broken += 1
                continue
            if shot is None or (self._stop is not None and shot.time >= self._stop):
                return None
            if (self._start is None or shot.time >= self._start) and self._is_timely(shot):
                self._taken += 1
                return shot

    def _is_timely(self, shot: Shot) -> bool:
        """Count a frame of a clock that is not later than the one before, and return False."""
        if self.kind in _CLOCKED and shot.time <= self._last_time:
            self._untimely += 1
            return False
        self._last_time = shot.time
        return True

    def _resized(self, image: np.ndarray) -> np.ndarray:
        if self._size is None:
            return image
        height, width = image.shape[:2]
        most = self._size if isinstance(self._size, tuple) else (self._size, self._size)
        scale = min(most[0] / width, most[1] / height)
        new = max(1, round(width * scale)), max(1, round(height * scale))
        if new == (width, height):
            return image
        pillow = import_pillow()
        return np.asarray(pillow.fromarray(image).resize(new, pillow.Resampling.BILINEAR))

    def _report_loss(self) -> None:
        """Warn once of frames that were damaged, or that are missing at the end.

        Raises:
            SourceError: for one of these reasons, or as it starts too late, no frame was given.
        """
        if not self._taken and self.broken:
            raise SourceError(
                f"none of the {self.broken} frames of {self.name} can be decoded: copy or record "
                "it again"
            )
        if not self._taken and self._start:
            end = "on" if self._stop is None else f"to stop={self._stop:g} s"
            raise SourceError(
                f"{self.name} has no frame from start={self._start:g} s {end}: start earlier"
            )
        if self.lost > 1:
            warnings.warn(early_end(self.name, self.lost), stacklevel=3)
        elif self.broken:
            warnings.warn(
                f"{self.broken} frames of {self.name} could not be decoded, and were left out",
                stacklevel=3,
            )

    def close(self) -> None:
        """Release the source; the iteration ends."""
        if not self._closed:
            self._closed = True
            self._reader.close()

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if not getattr(self, "_closed", True):
            self.close()

    def __repr__(self) -> str:
        return f"<frames of {self.name}>"


def frames(
    source: FrameSource,
    *,
    start: float | None = None,
    stop: float | None = None,
    stride: int = 1,
    size: int | tuple[int, int] | None = None,
    mirror: bool | None = None,
    realtime: bool = False,
    fps: float | None = None,
    timeout: float = TIMEOUT,
) -> Frames:
    """Return an iterator over the frames of a camera, a video or another source.

    >>> import numpy as np
    >>> black = np.zeros((48, 64, 3), np.uint8)
    >>> [(frame.index, frame.time, frame.width) for frame in frames([black, black], fps=10)]
    [(0, 0.0, 64), (1, 0.1, 64)]

    Cameras and streams are read in a thread that keeps only the newest frame: a slow program sees
    fewer frames, not old ones. Files and other sources give every frame. A frame of a camera, a
    stream or an iterable whose time is not later than that of the frame before is passed over, and
    counted in ``dropped``.

    Args:
        source: a camera by index (0, ``"camera"``, ``"camera:1"``), name or path; a video file; an
            animated GIF or WebP; a folder of images, a pattern such as ``"shots/*.png"`` or a list
            of images; the URL of a stream or video (http, https, rtsp, rtmp, udp); a recording of
            `zoo.watch`; or an iterable of RGB images, or of pairs (image, time in seconds).
        start: time of the first frame, in seconds from the beginning, 0 or more; videos seek it.
        stop: time before which the last frame lies, in seconds.
        stride: give every so manieth frame, 1 or more.
        size: largest width and height in pixels (a number: of both), to which frames are resized
            with their aspect ratio kept; a camera is asked for it as well.
        mirror: give mirror images (selfie view), whose ``frame.mirrored`` is true; by default of
            cameras only.
        realtime: give the frames of a file at their times, and drop those for which the program
            is too slow, as if the file were a camera.
        fps: frames per second of sources without times: images, arrays; by default 25.
        timeout: seconds without a frame after which a camera or stream has failed.

    Returns:
        An iterator of `Frame`: ``image`` uint8 [height, width, 3] RGB, ``index``, ``time`` in
        seconds, ``width``, ``height`` and ``mirrored``. Every function of `zoo` takes a frame as an
        image. ``close()`` or a ``with`` statement releases the source early.

    Raises:
        ZooError: the source does not exist, cannot be opened or broke off (the message lists the
            cameras of this computer), none of its frames can be decoded (it names the codec), or
            an option is out of range.
        ImageError: the file is missing.
    """
    _check_times(start, stop)
    _check_integer("stride", stride)
    size = _checked_size(size)
    _check_positive("timeout", timeout)
    if fps is not None:
        _check_positive("fps", fps)
    for name, value in (("mirror", mirror), ("realtime", realtime)):
        if not isinstance(value, bool) and not (name == "mirror" and value is None):
            raise ZooError(f"{name}={value!r:.80} must be True or False")
    if isinstance(source, Frames):
        options = (start, stop, size, mirror, fps)
        if stride != 1 or realtime or any(option is not None for option in options):
            raise ZooError("the frames are open already: give the options where they were opened")
        return source
    reader = open_reader(source, size, fps or DEFAULT_FPS, timeout)
    if realtime or reader.kind in ("camera", "stream"):
        paced = reader.kind not in ("camera", "stream")
        reader = NewestFrame(reader, timeout=timeout, paced=paced, start=start)
    mirrors = reader.kind == "camera" if mirror is None else mirror
    return Frames(reader, start=start, stop=stop, stride=stride, size=size, mirror=mirrors)


def open_reader(
    source: Any, size: tuple[int, int] | None, fps: float, timeout: float = TIMEOUT
) -> Reader:
    """Return the reader of a source; see `frames`."""
    if isinstance(source, os.PathLike):
        return _open_path(os.fspath(source), fps)
    if isinstance(source, str):
        return _open_text(source, size, fps, timeout)
    if isinstance(source, Integral) and not isinstance(source, bool):
        return _open_camera(int(source), size, timeout)
    if getattr(source, "ndim", 0) > 0:
        if source.ndim == 4:
            return Iteration(np.asarray(source), fps)
        raise SourceError(
            f"an array of the shape {tuple(source.shape)} is no source of frames: give one of "
            "[frames, height, width, 3], or a list of images"
        )
    if isinstance(source, (list, tuple)):
        texts = all(isinstance(item, (str, os.PathLike)) for item in source)
        return ImageFiles(source, "the list", fps) if texts and source else Iteration(source, fps)
    iterable = hasattr(source, "__iter__") and not hasattr(source, "ndim")
    if iterable and not isinstance(source, _NO_FRAMES_KINDS):
        return Iteration(source, fps)
    raise SourceError(
        f"{source!r:.120} is no source of frames: give a camera (0), a video file, a folder of "
        "images, a URL, or an iterable of RGB images"
    )


def _open_text(source: str, size: tuple[int, int] | None, fps: float, timeout: float) -> Reader:
    scheme = scheme_of(source)
    if scheme not in (None, "file"):
        kind: Kind = "video" if _VIDEO_PATH.search(source) else "stream"
        return VideoReader(source, kind, timeout=timeout)
    if os.path.exists(source):
        return _open_path(source, fps)
    camera = _CAMERA.fullmatch(source.strip())
    if camera and source.strip():
        return _open_camera(int(camera[1] or 0), size, timeout)
    if source.startswith("/dev/"):
        return _open_camera(source, size, timeout)
    if is_pattern(source):
        return ImageFiles(matching(source), repr(source), fps)
    return _open_path_or_name(source, size, timeout)


def _open_path_or_name(source: str, size: tuple[int, int] | None, timeout: float) -> Reader:
    """Return the reader of a camera by its name, or else raise for a missing file."""
    if os.sep not in source and not os.path.splitext(source)[1]:
        known = camera_names()
        for index, name in known.items():
            if source.lower() in name.lower():
                return _open_camera(int(index), size, timeout)
        if known:
            hint = did_you_mean(source, known.values())
            raise SourceError(
                f"there is no file and no camera {source!r}{hint}; cameras: "
                + ", ".join(f"{index} ({name})" for index, name in known.items())
            )
    raise missing_file(source)


def _open_camera(camera: int | str, size: tuple[int, int] | None, timeout: float) -> Reader:
    if isinstance(camera, int) and not 0 <= camera <= _LAST_CAMERA:
        raise SourceError(f"camera {camera} must be 0 to {_LAST_CAMERA}")
    return CameraReader(camera, size, timeout=timeout)


def _open_path(path: str, fps: float) -> Reader:
    if not os.path.exists(path):
        raise missing_file(path)
    if is_recording(path):
        return RecordingReader(path)
    if os.path.isdir(path):
        return ImageFiles(images_in(path), repr(path), fps)
    if not os.access(path, os.R_OK):
        raise SourceError(f"{path!r} may not be read by this user: change its permissions")
    if not os.path.getsize(path):
        raise SourceError(f"{path!r} is empty (0 bytes): record or copy it again")
    ending = os.path.splitext(path)[1].lower()
    if ending in _ANIMATED:
        return Animation(path)
    if ending in image_endings():
        return ImageFiles([path], repr(path), fps)
    return VideoReader(path)


def _check_times(start: float | None, stop: float | None) -> None:
    for name, value in (("start", start), ("stop", stop)):
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise ZooError(f"{name}={value!r:.80} must be a number of seconds")
        if not (isfinite(value) and value >= 0):
            raise ZooError(f"{name}={value!r} must be 0 s or more")
    if start is not None and stop is not None and stop <= start:
        raise ZooError(f"stop={stop} must be later than start={start}: give a later stop")


def _check_integer(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ZooError(f"{name}={value!r:.80} must be an integer of at least 1")


def _check_positive(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not value > 0:
        raise ZooError(f"{name}={value!r:.80} must be a number above 0")


def _checked_size(size: Any) -> tuple[int, int] | None:
    if size is None:
        return None
    both = (size, size) if isinstance(size, int) else size
    if not (isinstance(both, (tuple, list)) and len(both) == 2):
        raise ZooError(f"size={size!r:.80} must be a number of pixels, or (width, height)")
    for side in both:
        _check_integer("size", side)
    return int(both[0]), int(both[1])
