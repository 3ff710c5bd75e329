"""A clip used as a camera: one reader for all pages, at the clip's own rate."""

from __future__ import annotations

import asyncio
import io
import logging
from contextlib import closing, suppress
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING

from zoo.images.pillow import import_pillow
from zoo.live.frame_source import frames
from zoo.web.messages import message_of
from zoo.web.turns import error_text

if TYPE_CHECKING:
    import os

    import numpy as np

#: Pixels of the longer side of a frame, and the quality of its JPEG.
_SIDE, _QUALITY = 640, 85

#: Frames per second of sources without a rate of their own.
_RATE = 25.0

#: Seconds between a failure and the next attempt.
_PAUSE = 1.0

#: Seconds without a viewer after which it stops.
_UNSEEN = 5.0

LOGGER = logging.getLogger("zoo.web")


class ClipSource:
    """Plays a clip again and again while somebody looks, from its beginning when somebody comes.

    Args:
        source: as of `zoo.frames`: a video, a folder of images, a recording.

    Raises:
        ZooError: it cannot be read.
    """

    def __init__(self, source: str | os.PathLike[str]):
        self._source = source
        with closing(frames(source, size=_SIDE)) as first:  # so that a mistake shows at the start
            self._rate = first.fps or _RATE
            next(first)
        self._newest: bytes = b""
        self._watchers: set[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = set()
        self._is_watched, self._stopped = Event(), Event()
        self._thread: Thread | None = None

    async def watch(self) -> bytes:
        """Return the next frame: its time in seconds, and JPEG; see `zoo.web.messages`."""
        watcher = asyncio.get_running_loop(), asyncio.Event()
        self._watchers.add(watcher)
        self._is_watched.set()
        if self._thread is None:
            self._thread = Thread(target=self._play, name="zoo-clip", daemon=True)
            self._thread.start()
        try:
            await watcher[1].wait()
        finally:
            self._watchers.discard(watcher)
        return self._newest

    def close(self) -> None:
        """End the thread."""
        self._stopped.set()
        self._is_watched.set()  # so that the thread sees it

    def _play(self) -> None:
        begun, failed = monotonic(), ""
        while self._is_watched.wait() and not self._stopped.is_set():
            try:
                self._play_once(begun)
            except Exception as error:  # such as that the file is gone, which may come back
                if error_text(error) != failed:
                    failed = error_text(error)
                    LOGGER.error("the clip %s stands still: %s", self._source, failed)
                self._stopped.wait(_PAUSE)

    def _play_once(self, begun: float) -> None:
        """Play all frames, or until there is no viewer."""
        seen = monotonic()
        first = seen - begun
        with closing(frames(self._source, size=_SIDE)) as found:
            for count, frame in enumerate(found):
                time = first + count / self._rate
                self._stopped.wait(max(0.0, begun + time - monotonic()))
                seen = monotonic() if self._watchers else seen
                if self._stopped.is_set() or (monotonic() - seen > _UNSEEN and self._rests()):
                    return
                self._show(frame.image, time)

    def _rests(self) -> bool:
        """Whether there is no viewer; then the thread waits for the next page."""
        self._is_watched.clear()
        return not self._watchers

    def _show(self, image: np.ndarray, time: float) -> None:
        file = io.BytesIO()
        import_pillow().fromarray(image).save(file, "JPEG", quality=_QUALITY)
        self._newest = message_of({"time": time}, file.getvalue())
        for loop, event in tuple(self._watchers):
            with suppress(RuntimeError):  # the server has ended
                loop.call_soon_threadsafe(event.set)
