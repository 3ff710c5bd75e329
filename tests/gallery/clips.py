"""Clips in the place of a camera, played for as long as a page looks."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path

import numpy as np

import zoo
from tests.gallery.browser import jpeg, panned
from tests.helpers import ROOT
from zoo.web.messages import message_of


class Played:
    """A source of a server: frames again and again, each with the time that it has in the clip.

    Args:
        images: RGB images.
        fps: of the clip.
        slower: seconds that a second of the clip takes, so that a busy machine sees each frame.
    """

    def __init__(self, images: Iterable[np.ndarray], fps: float, slower: float = 2.0):
        self._frames = [jpeg(image) for image in images]
        self._fps, self._slower, self._count = fps, slower, 0

    async def watch(self) -> bytes:
        """The next frame, as pages expect it."""
        await asyncio.sleep(self._slower / self._fps)
        frame = self._frames[self._count % len(self._frames)]
        self._count += 1
        return message_of({"time": self._count / self._fps}, frame)

    def close(self) -> None:
        """Nothing is open."""

    def camera(self, path: Path) -> Path:
        """Write the frames as a camera of Chromium, whose 30 frames per second show each as long.

        Args:
            path: of the file, motion JPEG.
        """
        times = max(1, round(30 * self._slower / self._fps))
        path.write_bytes(b"".join(frame * times for frame in self._frames))
        return path


def astronaut() -> Played:
    """A camera that moves over a portrait in the public domain, from the shoulders up."""
    image = zoo.read_image(ROOT / "gallery" / "one_line_pose" / "astronaut.jpg")
    return Played(panned(image), fps=30)


def video(path: Path, first: int = 0, last: int | None = None) -> list[np.ndarray]:
    """Frames of a clip, RGB."""
    return [frame.image for frame in zoo.frames(path)][first:last]
