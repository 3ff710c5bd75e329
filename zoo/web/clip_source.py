"""A clip in the place of a camera: one reader for all pages, at the clip's own rate."""

from __future__ import annotations

import asyncio
import io
from contextlib import closing
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING

from weights_cache.errors import ZooError
from zoo.live.frame_source import frames
from zoo.web.messages import message_of

if TYPE_CHECKING:
    import os

    import numpy as np

#: Pixels of the longer side of a frame, and the quality of its JPEG.
_SIDE, _QUALITY = 640, 85

#: Frames per second of sources that do not say theirs.
_RATE = 25.0


class ClipSource:
    """Plays a clip again and again, while somebody looks.

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
        self._stopped = Event()
        self._thread: Thread | None = None

    async def watch(self) -> bytes:
        """Return the next frame: its time in seconds, and JPEG; see `zoo.web.messages`."""
        watcher = asyncio.get_running_loop(), asyncio.Event()
        self._watchers.add(watcher)
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

    def _play(self) -> None:
        begun = monotonic()
        while not self._stopped.is_set():
            first = monotonic() - begun
            try:
                with closing(frames(self._source, size=_SIDE)) as shown:
                    for count, frame in enumerate(shown):
                        time = first + count / self._rate
                        if self._stopped.wait(max(0.0, begun + time - monotonic())):
                            return
                        self._show(frame.image, time)
            except ZooError:
                self._stopped.wait(1.0)  # the file is gone: it may come back

    def _show(self, image: np.ndarray, time: float) -> None:
        from PIL import Image

        file = io.BytesIO()
        Image.fromarray(image).save(file, "JPEG", quality=_QUALITY)
        self._newest = message_of({"time": time}, file.getvalue())
        for loop, event in tuple(self._watchers):
            loop.call_soon_threadsafe(event.set)
