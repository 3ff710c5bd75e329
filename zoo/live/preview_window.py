"""A window that shows frames, by OpenCV."""

from __future__ import annotations

import os
import sys
from typing import TypeVar

import numpy as np

from weights_cache.common.errors import ZooError
from zoo.images.opencv import cv2

Self = TypeVar("Self", bound="Window")

_QUIT = (ord("q"), ord("Q"), 27)  # 27 is Escape
_PAUSE = 50  # milliseconds between looks at whether a window was closed
_LARGEST = (1280, 800)  # width and height of a new window


class Window:
    """A window that can be resized; ``q``, Escape and its close button end it.

    Args:
        title: of the window.

    Raises:
        ZooError: this computer has no display, or OpenCV was built without windows.
    """

    def __init__(self, title: str):
        self._title = title
        self._shown = False
        displays = ("DISPLAY", "WAYLAND_DISPLAY")
        if sys.platform.startswith("linux") and not any(os.environ.get(name) for name in displays):
            raise ZooError(
                "there is no display to show a window on (DISPLAY is not set): write a video with "
                "zoo.VideoFile, or --draw OUT.mp4 in place of --show"
            )

    def show(self, frame: np.ndarray) -> bool:
        """Show a frame, uint8 [height, width, 3] RGB; return False when the user has quit."""
        if not self._shown:
            self._open(frame)
        cv2.imshow(self._title, cv2.cvtColor(frame, cv2.COLOR_RGB2BGR))
        if cv2.waitKey(1) & 0xFF in _QUIT:
            return False
        return self._is_open()

    def wait(self) -> None:
        """Wait until the user presses a key or closes the window."""
        while cv2.waitKey(_PAUSE) < 0 and self._is_open():
            pass

    def _is_open(self) -> bool:
        return bool(cv2.getWindowProperty(self._title, cv2.WND_PROP_VISIBLE) >= 1)

    def _open(self, frame: np.ndarray) -> None:
        try:
            # Qt complains of fonts that only its toolbar needs, which is not shown.
            os.environ.setdefault("QT_LOGGING_RULES", "default.warning=false")
            how = cv2.WINDOW_NORMAL | cv2.WINDOW_KEEPRATIO | cv2.WINDOW_GUI_NORMAL
            cv2.namedWindow(self._title, how)
        except cv2.error as error:
            raise ZooError(
                "this OpenCV was built without windows (opencv-python-headless): run "
                "`pip install opencv-python`, or write a video in place of showing it"
            ) from error
        scale = min(1.0, _LARGEST[0] / frame.shape[1], _LARGEST[1] / frame.shape[0])
        cv2.resizeWindow(self._title, round(frame.shape[1] * scale), round(frame.shape[0] * scale))
        self._shown = True

    def close(self) -> None:
        """Close the window."""
        if self._shown:
            self._shown = False
            cv2.destroyWindow(self._title)
            cv2.waitKey(1)  # which lets the window system remove it

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
