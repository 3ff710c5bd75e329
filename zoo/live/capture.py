"""Cameras, and what OpenCV is asked for by all that it reads."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from time import monotonic, perf_counter, sleep
from typing import Any, Protocol

import numpy as np

from zoo.images.opencv import cv2
from zoo.live.readers import TIMEOUT, Kind, Shot, SourceError

#: Seconds without a frame after which a camera counts as unplugged.
RETRY = 1.0

#: Black frames from the first one on after which a camera is an error.
BLACK_FRAMES = 60

_BLACK = 12  # a frame is black if no pixel is brighter
_PROBED = 5  # indices of cameras that are tried where the system does not list them
_SYSFS = Path("/sys/class/video4linux")


class Capture(Protocol):
    """The part of ``cv2.VideoCapture`` that is used."""

    def isOpened(self) -> bool:  # noqa: N802 - OpenCV's name
        """Whether frames can be read."""

    def grab(self) -> bool:
        """Take the next frame, without decoding it."""

    def retrieve(self) -> tuple[bool, Any]:
        """Decode the frame that was taken."""

    def get(self, property: int, /) -> float:
        """Return a property."""

    def set(self, property: int, value: float, /) -> bool:
        """Ask the driver for a property."""

    def release(self) -> None:
        """Close the source."""


class _Silence:
    """Keeps OpenCV's log silent while any thread needs it; the level counts for all threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._users = self._level = 0

    @contextmanager
    def __call__(self, cv2: Any) -> Iterator[None]:
        """Keep OpenCV from printing while a source is opened or read."""
        logging = cv2.utils.logging
        with self._lock:
            self._users += 1
            if self._users == 1:
                self._level = logging.setLogLevel(logging.LOG_LEVEL_SILENT)
        try:
            yield
        finally:
            with self._lock:
                self._users -= 1
                if not self._users:
                    logging.setLogLevel(self._level)


quiet = _Silence()


class CameraReader:
    """Reads a camera of this computer; times are those at which frames arrive."""

    kind: Kind = "camera"
    count: int | None = None

    def __init__(
        self,
        camera: int | str,
        size: tuple[int, int] | None = None,
        capture: Capture | None = None,
        timeout: float = TIMEOUT,
    ):
        self.name = f"camera {camera}"
        if capture is None:
            with quiet(cv2):
                capture = cv2.VideoCapture(camera)
        assert capture is not None
        if size and capture.isOpened():
            capture.set(cv2.CAP_PROP_FRAME_WIDTH, size[0])
            capture.set(cv2.CAP_PROP_FRAME_HEIGHT, size[1])
        if not capture.isOpened():
            capture.release()
            raise SourceError(f"{self.name} {_why_not_opened(camera)}; {cameras_text()}")
        self._capture = capture
        fps = capture.get(cv2.CAP_PROP_FPS)
        self.fps: float | None = fps if 0 < fps < 1000 else None
        self._timeout = timeout
        self._began: float | None = None
        self._black: int | None = 0  # frames so far, all of them black; None: one was not

    def read(self) -> Shot | None:
        """Wait for the next frame."""
        # A camera may need seconds to start, or until its user allows it.
        pixels, until = None, monotonic() + (self._timeout if self._began is None else RETRY)
        while pixels is None:
            with quiet(cv2):
                there, pixels = self._capture.retrieve() if self._capture.grab() else (False, None)
            if there and pixels is not None and pixels.size:
                break
            pixels = None
            if monotonic() > until:
                raise SourceError(f"{self.name} {self._why_no_frames()}; {cameras_text()}")
            sleep(0.02)
        now = perf_counter()  # finer than the clock of timeouts: some computers' has steps of 16 ms
        self._began = now if self._began is None else self._began
        self._check_brightness(pixels)
        return Shot(to_rgb(pixels), now - self._began)

    def _why_no_frames(self) -> str:
        if self._began is None:
            return (
                f"gave no frame in {self._timeout:g} s: another program uses it, or this program "
                "may not; close the other one, allow the camera, or give a longer timeout="
            )
        return (
            "gives no frames any more: it was unplugged, went to sleep, or another program took it"
        )

    def skip(self) -> float | None:
        """Pass over the next frame."""
        shot = self.read()
        return None if shot is None else shot.time

    def advance(self, time: float) -> int:
        """Pass over nothing: what a camera saw is gone."""
        return 0

    def _check_brightness(self, pixels: np.ndarray) -> None:
        if self._black is None:
            return
        if pixels.max() > _BLACK:
            self._black = None
            return
        self._black += 1
        if self._black >= BLACK_FRAMES:
            raise SourceError(
                f"{self.name} gives only black frames: open the cover of its lens or the privacy "
                f"switch, turn on a light, or choose another camera; {cameras_text()}"
            )

    def close(self) -> None:
        """Release the camera."""
        self._capture.release()


def to_rgb(pixels: np.ndarray) -> np.ndarray:
    """Return a frame of OpenCV, grey or BGR, as RGB."""
    if pixels.ndim == 2 or pixels.shape[2] == 1:
        return np.ascontiguousarray(np.repeat(pixels.reshape(*pixels.shape[:2], 1), 3, axis=2))
    rgb: np.ndarray = cv2.cvtColor(pixels[:, :, :3], cv2.COLOR_BGR2RGB)
    return rgb


def camera_names() -> dict[str, str]:
    """Return the cameras of this computer: index or path -> name.

    Linux lists them; elsewhere the first five indices are opened for a moment.
    """
    if sys.platform == "linux":
        found = {}
        for folder in sorted(_SYSFS.glob("video*"), key=lambda f: int(f.name[5:] or 0)):
            try:
                name = (folder / "name").read_text(errors="replace").strip()
            except OSError:
                name = "unknown"
            found[folder.name[5:]] = name
        return found
    found = {}
    with quiet(cv2):
        for index in range(_PROBED):
            capture = cv2.VideoCapture(index)
            if capture.isOpened():
                found[str(index)] = f"camera {index}"
            capture.release()
    return found


def cameras_text() -> str:
    """Return the cameras of this computer for an error."""
    found = camera_names()
    if not found:
        return "this computer has no camera that its system knows: plug one in, or give a video"
    return "cameras: " + ", ".join(f"{index} ({name})" for index, name in found.items())


def _why_not_opened(camera: int | str) -> str:
    """Return why a camera cannot be opened, as far as Linux says it."""
    path = f"/dev/video{camera}" if isinstance(camera, int) else camera
    if sys.platform != "linux":
        return "cannot be opened: it is missing, busy, or this program may not use it"
    if not os.path.exists(path):
        return f"does not exist ({path} is missing)"
    if not os.access(path, os.R_OK | os.W_OK):
        return f"may not be used by this user ({path}): add the user to the group 'video'"
    return "cannot be opened: another program probably uses it; close that program"
