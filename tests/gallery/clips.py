"""Clips in the place of a camera, played for as long as a page looks."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

import cv2
import numpy as np

from zoo.web.messages import message_of

#: Pixels of the longer side of a frame.
SIDE = 640


def encoded(image: np.ndarray) -> bytes:
    """An RGB image as JPEG."""
    scale = min(1.0, SIDE / max(image.shape[:2]))
    size = (round(image.shape[1] * scale), round(image.shape[0] * scale))
    small = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
    data: bytes = cv2.imencode(".jpg", small[..., ::-1])[1].tobytes()
    return data


class Played:
    """A source of a server: frames again and again, each with the time that it has in the clip.

    Args:
        images: RGB images.
        fps: of the clip.
        slower: seconds that a second of the clip takes, so that a busy machine sees each frame.
    """

    def __init__(self, images: Iterable[np.ndarray], fps: float, slower: float = 2.0):
        self._frames = [encoded(image) for image in images]
        self._fps, self._slower, self._count = fps, slower, 0

    async def watch(self) -> bytes:
        """The next frame, as pages expect it."""
        await asyncio.sleep(self._slower / self._fps)
        frame = self._frames[self._count % len(self._frames)]
        self._count += 1
        return message_of({"time": self._count / self._fps}, frame)

    def close(self) -> None:
        """Nothing is open."""
