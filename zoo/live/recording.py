"""Recordings: the frames of a session without loss, and their results.

A recording is a folder with three kinds of files: ``session.json`` says what was recorded;
``results.jsonl`` has a line for each frame; ``frames-0.avi`` has the frames as PNGs, without loss,
and ``frames-1.avi`` and so on those after a change of their size. Players show these files.
"""

from __future__ import annotations

import base64
import json
import math
import os
import re
import zlib
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from weights_cache.atomic_files import put_folder, staging_folder
from weights_cache.common.errors import ZooError
from weights_cache.common.system_files import LEFT_BY_FILE_MANAGERS
from weights_cache.interruptions import pass_interruption
from weights_cache.ownership import behind_links
from weights_cache.reading_budgets import reading_budget, spend
from zoo.live.frame_store import LONGEST, FrameReader, FrameWriter
from zoo.live.readers import DEFAULT_FPS, Kind, Shot, SourceError
from zoo.pipeline.isolation.arrays import ArrayError, array_of
from zoo.results.moments import Moment

Self = TypeVar("Self", bound="Recorder")

_FORMAT, _VERSION = "zoo-session", 1
_ABOUT, _RESULTS, _FRAMES = "session.json", "results.jsonl", "frames-{}.avi"
_FILES = re.compile(r"session\.json|results\.jsonl|frames-\d+\.avi")
_OWN_KEYS = ("mirrored", "segment", "width", "height")  # of a line, beside those of the moment

#: Types of the keys of lines by which frames are found and shown.
_TYPES: Mapping[str, tuple[type, ...]] = {
    **dict.fromkeys(("segment", "width", "height", "index"), (int,)),
    "mirrored": (bool,),
    "time": (int, float),
}

#: The most bytes of an array of a result: a probability of 8K.
_LARGEST_ARRAY = 2**27

#: Exceptions of reading a damaged line.
_DAMAGED = (ValueError, TypeError, KeyError, RecursionError, zlib.error, ArrayError)


def is_recording(path: str | os.PathLike[str]) -> bool:
    """Return whether a folder is a recording."""
    return (Path(path) / _ABOUT).is_file() and (Path(path) / _RESULTS).is_file()


def refuse_others(path: Path) -> None:
    """Raise if there is something other than a recording, or than what a kill left of one.

    Raises:
        ZooError: there is.
    """
    if not os.path.lexists(path):
        return
    names = {*os.listdir(path)} - LEFT_BY_FILE_MANAGERS if path.is_dir() else {""}
    others = [name for name in sorted(names) if not _FILES.fullmatch(name)]
    if others or not (is_recording(path) or _is_begun(path, names)):
        holds = f"it holds {others[0]!r} besides a recording" if is_recording(path) else ""
        raise ZooError(
            f"cannot record to {str(path)!r}: {holds or 'it exists, and is no recording'}; give "
            "the name of a new folder, such as 'session.zoo'"
        )


def _is_begun(path: Path, names: Collection[str]) -> bool:
    """Whether a folder is the begin of a recording, as earlier releases left it when killed."""
    about = path / _ABOUT
    return not names or (names == {_ABOUT} and (not about.stat().st_size or _says_so(path)))


class Recorder:
    """Writes a recording; usable in a ``with`` statement, which closes it.

    What is written stays readable if the program is killed: up to the last whole frame.

    Args:
        path: a folder that does not exist yet, or a recording, which is replaced when the new one
            has a frame; its parent exists.
        about: what is recorded, such as task, model and options, for readers: plain values.
        fps: of the video of the frames, for other programs; times are in the results.

    Raises:
        ZooError: the path has something else, or more than a recording, or cannot be written to.
    """

    def __init__(
        self, path: str | os.PathLike[str], about: Mapping[str, Any], fps: float | None = None
    ):
        self.path = Path(path)
        self._fps = fps or DEFAULT_FPS
        self._writer: FrameWriter | None = None
        self._size, self._segment = (0, 0), -1
        self._staging = ExitStack()  # until the recording has its name
        with self._explained(), ExitStack() as failed:
            failed.push(self._staging)
            self._begin(about)
            failed.pop_all()

    def _begin(self, about: Mapping[str, Any]) -> None:
        """Begin beside an old recording, which is replaced once the new one has a frame."""
        refuse_others(self.path)
        target = behind_links(self.path)
        self._folder = self._staging.enter_context(staging_folder(target)) / "new"
        self._folder.mkdir()
        facts = {"format": _FORMAT, "version": _VERSION, **about}
        (self._folder / _ABOUT).write_text(json.dumps(facts, indent=1, default=repr) + "\n")
        (self._folder / _RESULTS).touch()
        self._is_placed = False
        if not target.exists():
            self._place(target)
        self._results = open(self._folder / _RESULTS, "a", encoding="utf-8")  # noqa: SIM115

    def _place(self, target: Path) -> None:
        """Give the recording its name; what was there of that name goes."""
        put_folder(self._folder, target)
        self._staging.close()
        self._folder, self._is_placed = target, True

    def add(self, moment: Moment, *, mirrored: bool = False) -> None:
        """Add a moment with its frame.

        Args:
            moment: as `zoo.watch` gives it.
            mirrored: whether its frame is a mirror image.
        """
        frame = moment["frame"]
        height, width = frame.shape[:2]
        facts = {key: value for key, value in moment.items() if key != "frame"}
        with self._explained():
            writer = self._writer_for(width, height)
            own = dict(zip(_OWN_KEYS, (mirrored, self._segment, width, height), strict=True))
            line = json.dumps({**facts, **own}, default=_encoded, separators=(",", ":"))
            writer.add(frame)
            self._results.write(line + "\n")
            self._results.flush()
            if not self._is_placed:
                self._replace()

    def _replace(self) -> None:
        """Replace the old recording."""
        self._results.close()
        if os.name == "nt":  # no folder with open files is renamed there
            self._release()
        self._place(behind_links(self.path))
        self._results = open(self._folder / _RESULTS, "a", encoding="utf-8")  # noqa: SIM115

    def _writer_for(self, width: int, height: int) -> FrameWriter:
        """Return the writer of the next frame; a new one after a change of size."""
        writer = self._writer
        if writer is not None and (width, height) == self._size and writer.length < LONGEST:
            return writer
        self._release()
        self._segment += 1
        self._size = (width, height)
        path = self._folder / _FRAMES.format(self._segment)
        self._writer = FrameWriter(path, width, height, self._fps)
        return self._writer

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn an OSError into an error that names the folder."""
        try:
            yield
        except OSError as error:
            pass_interruption(error)
            raise ZooError(
                f"cannot record to {str(self.path)!r}: {error.strerror}; make room, or give "
                "another folder"
            ) from error

    def _release(self) -> None:
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.close()

    def close(self) -> None:
        """Finish the recording; one without any frame replaces none.

        Raises:
            ZooError: the disk is full.
        """
        if self._results.closed:
            return
        with self._explained(), self._staging, closing(self._results):
            self._release()

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def replay(path: str | os.PathLike[str]) -> Iterator[Moment]:
    """Yield the moments of a recording, exactly as they were recorded; no model is needed.

    >>> import zoo
    >>> for moment in zoo.replay("session.zoo"):  # doctest: +SKIP
    ...     print(moment["time"], moment["events"])

    Args:
        path: the folder that ``zoo watch --record`` or `zoo.watch` wrote.

    Raises:
        ZooError: it is no recording, or is damaged.
    """
    reader = RecordingReader(path)  # an error comes now, not at the first moment
    return _moments(reader)


def _moments(reader: RecordingReader) -> Iterator[Moment]:
    try:
        while (pair := reader.next_pair()) is not None:
            line, frame = pair
            moment = {key: value for key, value in line.items() if key not in _OWN_KEYS}
            moment["frame"] = frame
            yield moment  # type: ignore[misc]
    finally:
        reader.close()


class RecordingReader:
    """Reads the frames and results of a recording."""

    kind: Kind = "recording"

    def __init__(self, path: str | os.PathLike[str]):
        self.path = Path(path)
        self.name = repr(str(path))
        if not is_recording(path):
            raise SourceError(
                f"{self.name} is no recording: it has no {_ABOUT} with {_RESULTS}; record one with "
                "zoo watch --record"
            )
        self.about = about_recording(path)
        with open(self.path / _RESULTS, "rb") as lines:
            self.count: int | None = sum(line.endswith(b"\n") for line in lines)
        self.fps: float | None = None
        self._lines = open(self.path / _RESULTS, encoding="utf-8")  # noqa: SIM115
        self._frames: FrameReader | None = None
        self._segment = -1

    def next_pair(self) -> tuple[dict[str, Any], np.ndarray] | None:
        """Return the next line of the results, and its frame; None at the end."""
        line = self._next_line()
        if line is None:
            return None
        if self._frames is None or line["segment"] != self._segment:
            self._frames = self._opened(line["segment"])
        try:
            frame = self._frames.read(line["width"], line["height"])
        except (OSError, ValueError) as error:
            pass_interruption(error)
            raise self._damaged(f"frame {line['index']}") from error
        if frame is None:
            return None  # the program was killed before the frame was whole
        return line, frame

    def _next_line(self) -> dict[str, Any] | None:
        try:
            text = self._lines.readline()
            if not text.endswith("\n"):
                return None
            with reading_budget(self.name):
                line: dict[str, Any] = json.loads(text, object_hook=_decoded)
            _check_line(line)
        except _DAMAGED as error:
            raise SourceError(
                f"{self.name}: {_RESULTS} is damaged ({error!s:.200}): record again"
            ) from error
        return line

    def _opened(self, segment: int) -> FrameReader:
        if self._frames is not None:
            self._frames.close()
        self._segment = segment
        path = self.path / _FRAMES.format(segment)
        try:
            return FrameReader(path)
        except OSError as error:
            pass_interruption(error)
            raise self._damaged(path.name) from error

    def _damaged(self, part: str) -> SourceError:
        return SourceError(f"{self.name}: {part} is missing or damaged: record again")

    def read(self) -> Shot | None:
        """Return the next frame, with its recorded number and time."""
        pair = self.next_pair()
        if pair is None:
            return None
        line, frame = pair
        return Shot(frame, line["time"], line["mirrored"], line["index"])

    def skip(self) -> float | None:
        """Pass over the next frame."""
        shot = self.read()
        return None if shot is None else shot.time

    def advance(self, time: float) -> int:
        """Pass over nothing: frames must be read to come to the next one."""
        return 0

    def close(self) -> None:
        """Close the files."""
        if self._frames is not None:
            self._frames.close()
        self._lines.close()


def _says_so(path: Path) -> bool:
    """Return whether a folder says that it is a recording."""
    try:
        return bool(about_recording(path))
    except SourceError:
        return False


def about_recording(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return what a recording says about itself: task, options and source.

    Raises:
        ZooError: the file is damaged, or of a newer version.
    """
    try:
        about = json.loads((Path(path) / _ABOUT).read_text(encoding="utf-8"))
        if about["format"] != _FORMAT:
            raise ValueError(f"its format is {about['format']!r:.40}")
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        pass_interruption(error)
        raise SourceError(
            f"{str(path)!r} is no recording that can be read: {error!s:.200}"
        ) from error
    if about.get("version") != _VERSION:
        raise SourceError(
            f"{str(path)!r} is a recording of version {about.get('version')!r:.80}, known is "
            f"{_VERSION}: read it with the version of zoo that recorded it"
        )
    return dict(about)


def _encoded(value: Any) -> Any:
    """Return an array, such as a mask, as plain values without loss."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        data = base64.b64encode(zlib.compress(value.tobytes(), 1)).decode()
        return {"__array__": data, "dtype": value.dtype.str, "shape": list(value.shape)}
    raise TypeError(f"a result of type {type(value).__name__} cannot be recorded")


def _decoded(value: dict[str, Any]) -> Any:
    if "__array__" not in value:
        return value
    packed = base64.b64decode(value["__array__"])
    data = zlib.decompressobj().decompress(packed, _LARGEST_ARRAY)
    spend(2 * len(data), "an array of a result, with a copy,")
    return array_of(memoryview(data), value["dtype"], value["shape"]).copy()


def _check_line(line: Any) -> None:
    """Raise a ValueError unless a line has what a frame needs to be found and shown."""
    if not isinstance(line, dict):
        raise ValueError("a line is no object")
    for key, types in _TYPES.items():
        if type(line[key]) not in types:
            raise ValueError(f"{key} is {line[key]!r:.80}")
    if not math.isfinite(line["time"]):
        raise ValueError(f"time is {line['time']!r}")
