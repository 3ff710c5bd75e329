"""Images of a job as pixels, with the size and hash of what they were decoded from."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from time import perf_counter
from typing import NamedTuple

import numpy as np

from weights_cache.common.errors import ZooError
from zoo.images.reading import read_first_frame
from zoo.jobs.archives import OpenArchives
from zoo.jobs.items import Item
from zoo.jobs.locations import is_remote, read_bytes
from zoo.jobs.videos import OpenVideos

#: Threads that read, and images that may be ready before they are looked at: of files, which are
#: decoded while the network runs, and of URLs, where most of the time is waiting.
_LOCAL = (1, 2)
_REMOTE = (8, 8)


class ReadImage(NamedTuple):
    """An image, or the reason why it cannot be read."""

    item: Item
    pixels: np.ndarray | None  # uint8 [height, width, 3]
    bytes: int = 0  # of the encoded image; of a frame of a video those of its pixels
    sha256: str = ""  # of these bytes
    error: str = ""
    seconds: float = 0.0  # that reading and decoding took


class ImageReader:
    """Reads the images of one process; archives and videos stay open from chunk to chunk."""

    def __init__(self) -> None:
        self._archives, self._videos = OpenArchives(), OpenVideos()

    def ahead(self, items: Sequence[Item]) -> Iterator[ReadImage]:
        """Yield images in their order; the next ones are read meanwhile by threads."""
        several = any(i.member is not None or i.frame is not None for i in items)
        remote = not several and any(is_remote(i.source) for i in items)
        threads, most = _REMOTE if remote else _LOCAL
        waiting: deque[Future[ReadImage]] = deque()
        with ThreadPoolExecutor(threads, "zoo-reading") as pool:
            try:
                for item in items:
                    waiting.append(pool.submit(self.read, item))
                    if len(waiting) > most:
                        yield waiting.popleft().result()
                while waiting:
                    yield waiting.popleft().result()
            finally:
                for future in waiting:
                    future.cancel()

    def read(self, item: Item) -> ReadImage:
        """Read and decode one image."""
        begun = perf_counter()
        try:
            pixels, data = self._decoded(item)
            digest = hashlib.sha256(data).hexdigest()
        except ZooError as error:
            return ReadImage(item, None, error=str(error), seconds=perf_counter() - begun)
        except MemoryError:
            reason = f"{item.name} needs more memory than there is: make it smaller"
            return ReadImage(item, None, error=reason, seconds=perf_counter() - begun)
        except Exception as error:  # a defect of a decoder: it costs one image, not the job
            reason = f"{item.name} cannot be read ({type(error).__name__}: {error!s:.200})"
            return ReadImage(item, None, error=reason, seconds=perf_counter() - begun)
        return ReadImage(item, pixels, len(data), digest, seconds=perf_counter() - begun)

    def _decoded(self, item: Item) -> tuple[np.ndarray, bytes | memoryview]:
        if item.frame is not None:
            pixels = self._videos.read(item)
            return pixels, pixels.data.cast("B")
        data = (
            read_bytes(item.source, item.name) if item.member is None else self._archives.read(item)
        )
        return read_first_frame(data, item.name)[0], data

    def close(self) -> None:
        """Close the archive and the video that are open."""
        self._archives.close()
        self._videos.close()
