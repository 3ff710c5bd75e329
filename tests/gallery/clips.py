"""Clips in the place of a camera, played for as long as a page looks."""

from __future__ import annotations

import asyncio
import io
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from time import monotonic

import numpy as np
from PIL import Image

import zoo
from tests.helpers import ROOT
from zoo.web.figures import Figures
from zoo.web.messages import message_of

#: Seconds between two frames, at least: pages have drawn the one before by then.
_GAP = 0.04

#: Seconds without an answer after which the next frame comes: a page may be paused.
_PATIENCE = 0.5

#: Frames with which a server is done, answered or dropped.
_DONE = re.compile(r"^zoo_frames_total\{.*\} (\d+)$", re.MULTILINE)


class Played:
    """A source of a server: frames again and again, each with the time that it has in the clip.

    The next frame comes when the one before is answered, so that a busy machine sees each.

    Args:
        images: RGB images.
        fps: of the clip.
        slower: seconds that a second of the clip takes as a camera, which waits for nobody.

    Attributes:
        figures: of the server that shows it.
    """

    def __init__(self, images: Iterable[np.ndarray], fps: float, slower: float = 2.0):
        self._frames = [jpeg(image) for image in images]
        self._fps, self._slower, self._count = fps, slower, 0
        self.figures = Figures()

    async def watch(self) -> bytes:
        """The next frame, as pages expect it."""
        done, latest = self._done(), monotonic() + _PATIENCE
        await asyncio.sleep(_GAP)
        while self._done() == done and monotonic() < latest:
            await asyncio.sleep(0.005)
        frame = self._frames[self._count % len(self._frames)]
        self._count += 1
        return message_of({"time": self._count / self._fps}, frame)

    def _done(self) -> int:
        return sum(map(int, _DONE.findall(self.figures.text())))

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


def jpeg(image: np.ndarray, quality: int = 92) -> bytes:
    """An RGB image, uint8 [height, width, 3], as JPEG."""
    file = io.BytesIO()
    Image.fromarray(image).save(file, "JPEG", quality=quality)
    return file.getvalue()


def write_camera(path: Path, images: Sequence[np.ndarray]) -> Path:
    """Write RGB images [height, width, 3] as a camera of Chromium, which repeats them."""
    path.write_bytes(b"".join(map(jpeg, images)))
    return path


def panned(
    image: np.ndarray, count: int = 60, size: tuple[int, int] = (640, 480)
) -> list[np.ndarray]:
    """Frames of a camera that moves slowly over an image, and back to where it began."""
    whole, frames = Image.fromarray(image), []
    for turn in np.linspace(0, 2 * np.pi, count, endpoint=False):
        scale = max(size[0] / whole.width, size[1] / whole.height) * (1.06 + 0.05 * np.sin(turn))
        width, height = size[0] / scale, size[1] / scale
        left = (whole.width - width) * (0.5 + 0.3 * np.sin(turn))
        top = (whole.height - height) / 2
        box = (left, top, left + width, top + height)
        frames.append(np.asarray(whole.resize(size, Image.Resampling.BILINEAR, box)))
    return frames
