"""Readers of frames: what cameras, videos, animations, folders and generators have in common."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence, Sized
from glob import iglob
from math import isfinite
from numbers import Real
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np

from weights_cache.common.errors import ZooError
from weights_cache.interruptions import pass_interruption
from zoo.images.errors import convert_reader_errors
from zoo.images.files import image_endings
from zoo.images.pillow import import_pillow
from zoo.images.pixels import ImageError
from zoo.images.reading import read_image
from zoo.images.urls import scheme_of
from zoo.live.frame import Frame

Kind = Literal["camera", "video", "images", "stream", "array", "recording"]

#: Frames per second of sources whose frames have no times of their own.
DEFAULT_FPS = 25.0

#: Seconds without a frame after which a camera or stream has failed.
TIMEOUT = 5.0

_SHORTEST = 0.02  # seconds of a frame of an animation; shorter ones are shown for a default time
_DEFAULT_DURATION = 0.1

#: Most seconds by which a clock is set back while it runs; it is another video if it is more.
_SET_BACK = 1.0


class SourceError(ZooError):
    """A source of frames cannot be opened, or broke off."""


class BrokenFrameError(ZooError):
    """One frame cannot be decoded; the next ones may be fine."""


class Shot(NamedTuple):
    """A frame as a reader gives it."""

    image: np.ndarray  # uint8 [height, width, 3], RGB
    time: float  # seconds since the first frame of the source
    mirrored: bool = False  # the image is a mirror image already
    number: int | None = None  # in the source, where the source numbers its frames itself


class Reader(Protocol):
    """Reads the frames of one source, in their order."""

    kind: Kind
    name: str  # for errors
    fps: float | None
    count: int | None  # frames, where known

    def read(self) -> Shot | None:
        """Return the next frame, or None at the end.

        Raises:
            BrokenFrameError: this frame is damaged; the next call reads the next one.
            ZooError: the source broke off.
        """

    def skip(self) -> float | None:
        """Pass over the next frame, and return its time; None at the end."""

    def advance(self, time: float) -> int:
        """Pass over frames before a time as far as that is quicker than reading them.

        It is called before the first frame is read. The next frame may still lie before the time.

        Args:
            time: in seconds since the first frame.

        Returns:
            The number of frames that were passed over.
        """

    def close(self) -> None:
        """Release the source."""


class ImageFiles:
    """The images of a folder or of a list, as frames."""

    kind: Kind = "images"

    def __init__(self, images: Sequence[Any], name: str, fps: float):
        self._images, self._index = images, 0
        self.name = name
        self.fps: float | None = fps
        self.count: int | None = len(images)

    def read(self) -> Shot | None:
        """Return the next image."""
        time = self.skip()
        if time is None:
            return None
        image = self._images[self._index - 1]
        try:
            return Shot(read_image(image), time)
        except ImageError as error:
            if _is_missing(image):
                raise
            raise BrokenFrameError(str(error)) from error

    def skip(self) -> float | None:
        """Pass over the next image."""
        if self._index >= len(self._images):
            return None
        self._index += 1
        return (self._index - 1) / float(self.fps or DEFAULT_FPS)

    def advance(self, time: float) -> int:
        """Pass over the images before a time."""
        while self._index < len(self._images) and self._index / (self.fps or DEFAULT_FPS) < time:
            self._index += 1
        return self._index

    def close(self) -> None:
        """Release nothing."""


class Animation:
    """The frames of an animated GIF, WebP or PNG."""

    kind: Kind = "images"
    fps: float | None = None

    def __init__(self, path: str):
        self.name = repr(path)
        read_image(path)  # checks the file and its limits
        self._image = import_pillow().open(path)
        with convert_reader_errors(self.name):
            self.count: int | None = getattr(self._image, "n_frames", 1)
        self._index, self._time = 0, 0.0
        self._error: Exception | None = None

    def read(self) -> Shot | None:
        """Return the next frame, over white where it is transparent."""
        index, time = self._index, self.skip()
        if time is None:
            return None
        if self._error is not None:
            raise BrokenFrameError(str(self._error)) from self._error
        try:
            return Shot(read_image(self._image), time)
        except ImageError as error:
            raise BrokenFrameError(
                f"frame {index} of {self.name} cannot be decoded: {error}"
            ) from error

    def skip(self) -> float | None:
        """Pass over the next frame."""
        if self.count is not None and self._index >= self.count:
            return None
        self._error = None
        try:
            with convert_reader_errors(f"frame {self._index} of {self.name}"):
                if not self._has_next():
                    return None
        except ImageError as error:
            self._error = error
        self._index += 1
        time = self._time
        seconds = float(self._image.info.get("duration", 0) or 0) / 1000
        self._time += seconds if seconds >= _SHORTEST else _DEFAULT_DURATION
        return time

    def _has_next(self) -> bool:
        try:
            self._image.seek(self._index)
            self._image.load()  # WebP knows the duration of a frame only then
        except EOFError:
            return False
        return True

    def advance(self, time: float) -> int:
        """Pass over the frames before a time; each is drawn on the one before."""
        while self._time < time and self.skip() is not None:
            pass
        return self._index

    def close(self) -> None:
        """Close the file."""
        self._image.close()


class Iteration:
    """The arrays or images of an iterable, such as a generator, as frames.

    Items are images in any form that verbs take, frames, or pairs (image, time in seconds).
    """

    kind: Kind = "array"
    name = "the iterable"

    def __init__(self, items: Iterable[Any], fps: float):
        self.fps: float | None = fps
        self.count: int | None = len(items) if isinstance(items, Sized) else None
        self._given, self._items, self._index = items, iter(items), 0
        self._first: float | None = None
        self._last: float | None = None

    def read(self) -> Shot | None:
        """Return the next item."""
        index = self._index
        for item in self._items:
            self._index += 1
            return self._shot(item, index)
        return None

    def skip(self) -> float | None:
        """Pass over the next item."""
        shot = self.read()
        return None if shot is None else shot.time

    def advance(self, time: float) -> int:
        """Pass over nothing: only the items know their times."""
        return 0

    def _shot(self, item: Any, index: int) -> Shot:
        if isinstance(item, Frame):
            return Shot(item.image, self._since_first(item.time, index), item.mirrored, item.index)
        time: Any = None
        if isinstance(item, tuple) and len(item) == 2:
            item, time = item
        try:
            image = read_image(item)
        except ImageError as error:
            raise SourceError(f"item {index} of the frames is no image: {error}") from error
        if isinstance(item, np.ndarray) and np.may_share_memory(image, item):
            image = image.copy()  # programs often fill one array again and again
        if time is None:
            return Shot(image, index / float(self.fps or DEFAULT_FPS))
        return Shot(image, self._since_first(time, index))

    def _since_first(self, time: Any, index: int) -> float:
        """Return a given time, from the first one on.

        Raises:
            SourceError: it is no number, or is long before the last one.
        """
        where = f"item {index} of the frames has the time"
        if isinstance(time, bool) or not isinstance(time, Real) or not isfinite(time):
            raise SourceError(f"{where} {time!r:.80}: give seconds, a finite number")
        now = float(time)
        last = now if self._last is None else self._last
        if now < last - _SET_BACK:
            raise SourceError(
                f"{where} {now:g} s, {last - now:g} s before {last:g} s; frames are passed over "
                f"up to {_SET_BACK:g} s: give times that grow, such as those of time.monotonic()"
            )
        self._first = now if self._first is None else self._first
        self._last = max(now, last)
        return now - self._first

    def close(self) -> None:
        """Close a generator, so that its own ``finally`` blocks run."""
        close = getattr(self._given, "close", None)
        if close is not None and hasattr(self._given, "__next__"):
            close()


def _is_missing(image: Any) -> bool:
    """Return whether an image is the path of a file that does not exist."""
    named = isinstance(image, (str, os.PathLike)) and scheme_of(os.fspath(image)) is None
    return named and not os.path.exists(image)


def natural_order(names: Iterable[str]) -> list[str]:
    """Return names with numbers sorted as numbers.

    >>> natural_order(["frame10.png", "frame9.png"])
    ['frame9.png', 'frame10.png']
    """

    def key(name: str) -> list[tuple[int, str]]:
        parts = re.split(r"(\d+)", name.lower())
        return [(int(part), "") if part.isdigit() else (-1, part) for part in parts]

    return sorted(names, key=key)


def images_in(folder: str) -> list[str]:
    """Return the paths of the images in a folder, in the natural order of their names."""
    endings = image_endings()
    try:
        names = [n for n in os.listdir(folder) if not n.startswith(".")]
    except OSError as error:
        pass_interruption(error)
        raise SourceError(f"the folder {folder!r} cannot be listed: {error.strerror}") from error
    images = [n for n in names if os.path.splitext(n)[1].lower() in endings]
    if not images:
        raise SourceError(f"there are no images in the folder {folder!r}: give another one")
    return [os.path.join(folder, name) for name in natural_order(images)]


def matching(pattern: str) -> list[str]:
    """Return the paths that match a pattern with wildcards, in their natural order."""
    found: Iterator[str] = filter(os.path.isfile, iglob(pattern, recursive=True))
    paths = natural_order(found)
    if not paths:
        raise SourceError(f"no file matches {pattern!r}: check the pattern and the folder")
    return paths
