"""Frames of videos, by their numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from zoo.images.pixels import ImageError
from zoo.jobs.items import Item
from zoo.jobs.locations import is_remote, local_path
from zoo.live.lost_frames import early_end
from zoo.live.video_reader import VideoReader

if TYPE_CHECKING:
    import numpy as np

VIDEO_ENDINGS = (
    *(".mp4", ".m4v", ".mov", ".avi", ".webm", ".mkv", ".wmv", ".flv", ".mpg", ".mpeg", ".3gp"),
)


def video_items(location: str, every: int, report: Callable[[str], object]) -> Iterator[Item]:
    """Yield each so-many-th frame of a video; all frames are counted, as headers may be wrong.

    Args:
        location: path of the video, or a URL that OpenCV reads.
        every: 1 for all frames.
        report: is called with a line if the file ends early.

    Raises:
        ZooError: it is no video, or no frame can be decoded.
    """
    reader = _reader(location)
    try:
        number = 0
        while reader.skip() is not None:
            if not number % every:
                yield Item(location, frame=number)
            number += 1
        if reader.lost > 1:
            report(early_end(reader.name, reader.lost))
    finally:
        reader.close()


def _reader(location: str) -> VideoReader:
    return VideoReader(location if is_remote(location) else local_path(location))


class OpenVideos:
    """Reads frames of videos; the last video stays open for the next frame.

    Frames are passed over one by one: seeking finds other frames in some files. Who goes back
    begins anew.
    """

    def __init__(self) -> None:
        self._location: str | None = None
        self._reader: VideoReader | None = None
        self._next = 0

    def read(self, item: Item) -> np.ndarray:
        """Return a frame, uint8 [height, width, 3] in RGB.

        Raises:
            ZooError: it cannot be decoded, or the video ends before.
        """
        assert item.frame is not None
        if self._reader is None or item.source != self._location or item.frame < self._next:
            self.close()
            self._reader = _reader(item.source)
            self._location, self._next = item.source, 0
        while self._next < item.frame:
            self._next += 1
            if self._reader.skip() is None:
                raise ImageError(f"{item.name} is behind its end: it was replaced since the start")
        self._next += 1
        shot = self._reader.read()
        if shot is None:
            raise ImageError(f"{item.name} is behind its end: it was replaced since the start")
        return shot.image

    def close(self) -> None:
        """Close the video."""
        reader, self._reader = self._reader, None
        if reader is not None:
            reader.close()
