"""Frames of a video as players show them: mirrored where it says so, and with square pixels."""

from __future__ import annotations

import numpy as np

from zoo.images.opencv import cv2
from zoo.live.boxes import tracks
from zoo.live.capture import Capture

#: Largest ratio of the sides of a pixel that is believed.
_LONGEST_PIXEL = 4.0


class Display:
    """Brings decoded frames into the form in which players show them.

    OpenCV turns frames as the file says, but takes a matrix that mirrors them for an angle, and
    leaves pixels that are not square as they are. These are enlarged along one side, as browsers
    do it, so that nothing is lost.
    """

    def __init__(self, location: str, capture: Capture):
        self._matrix = _mirroring(location)
        if self._matrix is not None and not capture.set(cv2.CAP_PROP_ORIENTATION_AUTO, 0):
            self._matrix = None
        is_turned = capture.get(cv2.CAP_PROP_ORIENTATION_META) % 180 != 0
        if self._matrix is not None:
            is_turned = self._matrix[0] == 0
        self._stretch = _stretch(
            capture.get(cv2.CAP_PROP_SAR_NUM), capture.get(cv2.CAP_PROP_SAR_DEN), is_turned
        )

    def shown(self, frame: np.ndarray) -> np.ndarray:
        """Return a frame as players show it, uint8 [height, width, 3]."""
        if self._matrix is not None:
            frame = _placed(frame, self._matrix)
        if self._stretch != (1.0, 1.0):
            size = [round(n * by) for n, by in zip(frame.shape[1::-1], self._stretch, strict=True)]
            frame = cv2.resize(frame, size, interpolation=cv2.INTER_LINEAR)
        return frame


def _mirroring(location: str) -> tuple[float, float, float, float] | None:
    """Return the matrix of a video if it mirrors and turns by right angles, else None."""
    for track in tracks(location):
        if track.handler == b"vide":
            a, b, c, d = track.matrix
            is_right = (b == c == 0) if a else (d == 0)
            return track.matrix if is_right and a * d - b * c < 0 else None
    return None


def _placed(frame: np.ndarray, matrix: tuple[float, float, float, float]) -> np.ndarray:
    """Return a frame as a matrix of right angles places it."""
    a, b, c, d = matrix
    if not a:
        frame = frame.transpose(1, 0, 2)
    across, down = (a, d) if a else (c, b)
    return np.ascontiguousarray(frame[:: 1 if down > 0 else -1, :: 1 if across > 0 else -1])


def _stretch(width: float, height: float, is_turned: bool) -> tuple[float, float]:
    """Return the factors of the sides of a frame whose pixels have such sides, 0 if unknown."""
    ratio = width / height if width > 0 and height > 0 else 1.0
    if not 1 / _LONGEST_PIXEL <= ratio <= _LONGEST_PIXEL:
        return 1.0, 1.0
    if is_turned:
        ratio = 1 / ratio
    return max(1.0, ratio), max(1.0, 1 / ratio)
