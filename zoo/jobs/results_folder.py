"""The results folder of a job: its document, its images in chunks, and the finished chunks.

``job.json`` says what is computed, ``list.jsonl`` has a line for each chunk, the list of its
images. A chunk leaves two files: its rows, ``parts/000012.parquet``, then ``records/000012.json``,
which says that it is done. At the end come ``errors.jsonl`` and ``manifest.json``.

A job has an identity, made at random when it begins, which is in ``job.json`` and in each record;
the record has the hash of the rows. So files that were copied from another job are found out when
they are read. That none are written by processes of another job is the work of `run_folders`.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from weights_cache.atomic_files import remove_unless_regular, writing_to
from weights_cache.common.dependencies import needed_for
from weights_cache.common.errors import ZooError
from weights_cache.interruptions import pass_interruption
from weights_cache.regular_files import open_regular
from zoo.jobs.documents import checked_record
from zoo.jobs.items import Item, item_document, item_of
from zoo.jobs.run_folders import GONE, RUN, RunFolder, begin_run

#: Images of a chunk, unless there are few images: see `chunk_size`.
MOST_IN_CHUNK = 128

_FEWEST_IN_CHUNK = 8
_USUAL_CHUNKS = 64  # of fewer images than fill as many chunks

#: Prefixes of names that a run leaves if it ends before its job is written.
_OURS = ("parts", "records", ".lock", "list.jsonl", "job.json", RUN, GONE)

#: Advice of all errors that end a run.
GO_ON = "run the same command again to go on where this run was"

_ADVICE = f"give another folder; {GO_ON}"


class Run(NamedTuple):
    """The run that a process writes for, beside the folder of the results."""

    folder: str  # name of its own folder: see `run_folders`
    identity: str | None  # of its job; older versions had none


def damaged(path: Path, reason: object) -> ZooError:
    """Return the error of a file of rows or a record, with the way to make it anew."""
    return ZooError(
        f"{str(path)!r} is damaged ({reason!s:.200}): remove records/{path.stem}.json, and run the "
        "command again, which makes it anew"
    )


def chunk_size(images: int) -> int:
    """Images of a chunk, by the number of all; it must not depend on the number of processes.

    >>> chunk_size(10), chunk_size(1000), chunk_size(1_000_000)
    (8, 16, 128)
    """
    return max(_FEWEST_IN_CHUNK, min(MOST_IN_CHUNK, -(-images // _USUAL_CHUNKS)))


class Chunk(NamedTuple):
    """Images that one process analyses, one after another: a line of the list."""

    number: int
    first: int  # the index of its first image
    images: int
    start: int  # of the line in the list, in bytes
    size: int


class StoredPart(NamedTuple):
    """A file of rows whose content is the one that its record says."""

    path: Path
    data: bytes


class ResultsFolder:
    """The folder that ``out`` names.

    Args:
        path: it need not exist.
        run: for processes that work for a run.
    """

    def __init__(self, path: str | os.PathLike[str], run: Run | None = None):
        self.path = Path(os.path.abspath(path))
        self._run = None if run is None else RunFolder(self.path / run.folder)
        self.parts, self.records = self.path / "parts", self.path / "records"
        self._job, self._list = self.path / "job.json", self.path / "list.jsonl"

    @property
    def run(self) -> RunFolder:
        """The folder of the run that writes; who only reads has none."""
        assert self._run is not None, "only who holds the lock writes, and its processes"
        return self._run

    def run_of(self, document: Mapping[str, Any]) -> Run:
        """Return what processes of this run need, with the document of the job."""
        return Run(self.run.path.name, document.get("identity"))

    @property
    def exists(self) -> bool:
        """Whether a job has begun here."""
        return self._job.is_file()

    def job_document(self) -> dict[str, Any]:
        """The document of the job.

        Raises:
            ZooError: it is missing or damaged.
        """
        return _read_document(self._job)

    def create(self) -> None:
        """Make the folder.

        Raises:
            ZooError: it has other files, or cannot be written to.
        """
        with self.writing():
            self.parts.mkdir(parents=True, exist_ok=True)
            self.records.mkdir(exist_ok=True)
            for folder in (self.parts, self.records):
                if folder.is_symlink():  # files of its target would be replaced
                    raise ZooError(
                        f"{str(folder)!r} is a link, which zoo.batch does not make: remove it, or "
                        "give another folder"
                    )

    def check_empty(self) -> None:
        """Raise if there are files of others.

        Raises:
            ZooError: there are.
        """
        with suppress(FileNotFoundError, NotADirectoryError):
            names = sorted(os.listdir(self.path))
            others = [name for name in names if not name.startswith(_OURS)]
            if others and not self.exists:
                raise ZooError(
                    f"out={str(self.path)!r} has other files, such as {others[0]!r}: give a new "
                    "folder, or an empty one"
                )

    @contextmanager
    def writing(self, needed: int = 0) -> Iterator[None]:
        """Turn an OSError inside the block into a ZooError that names the folder."""
        with writing_to(self.path, needed, _ADVICE):
            yield

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other runs out of the folder, and let this one write.

        Raises:
            ZooError: another run has it.
        """
        with needed_for("a folder that runs share"):
            from filelock import FileLock, Timeout
        path = self.path / ".lock"
        lock = FileLock(path)
        try:
            remove_unless_regular(path)
            lock.acquire(timeout=0)
        except Timeout:
            raise ZooError(
                f"another run works in {str(self.path)!r}: wait until it ends, or give another "
                "folder"
            ) from None
        except NotImplementedError:  # a disk without locks: files are replaced as a whole anyway
            pass
        except OSError as error:
            pass_interruption(error)
            raise ZooError(f"cannot write to {self.path}: {error.strerror}; {_ADVICE}") from error
        try:
            with self.writing():
                self._run = begin_run(self.path)
                self._check_writable()
            yield
        finally:
            if self._run is not None:
                with suppress(OSError):  # the next run does it
                    self._run.end()
            lock.release()

    def _check_writable(self) -> None:
        path = self.records / "writable"
        with self.replacing(path):
            pass
        path.unlink()

    @contextmanager
    def replacing(self, target: Path) -> Iterator[BinaryIO]:
        """Yield a new file that replaces ``target``, if this run lasts until the block ends.

        Raises:
            ZooError: it does not, or the file cannot be written.
        """
        with self.writing(), self.run.replacing(target) as file:
            yield file

    def begin(self, document: Mapping[str, Any], items: Iterable[Item]) -> int:
        """Write the list of images, then the job, and return the number of images.

        Raises:
            ZooError: there are results of a job whose document is gone.
        """
        if left := [*self.records.glob("*.json"), *self.parts.iterdir()]:
            raise ZooError(
                f"{str(self.path)!r} has {left[0].parent.name}/{left[0].name} of a job whose "
                "job.json is gone: remove the folder, or give another one"
            )
        rest = iter(items)
        few = list(islice(rest, MOST_IN_CHUNK * _USUAL_CHUNKS))
        rest, size, count, chunks = chain(few, rest), chunk_size(len(few)), 0, 0
        with self.replacing(self._list) as file:
            while some := list(islice(rest, size)):
                file.write(json.dumps([*map(item_document, some)]).encode() + b"\n")
                count, chunks = count + len(some), chunks + 1
        facts = {**document, "chunk": size, "images": count, "chunks": chunks}
        facts["identity"] = os.urandom(16).hex()
        self.write_json("job.json", facts)
        return count

    @contextmanager
    def _lines(self) -> Iterator[BinaryIO]:
        try:
            with open_regular(self._list) as lines:
                yield lines
        except (OSError, ValueError) as error:
            pass_interruption(error)
            raise ZooError(
                f"{str(self._list)!r} cannot be read ({error}): give another folder"
            ) from error

    def chunks(self) -> Iterator[Chunk]:
        """Yield all chunks, in their order."""
        first = start = 0
        with self._lines() as lines:
            for number, line in enumerate(lines):
                chunk = Chunk(number, first, len(json.loads(line)), start, len(line))
                yield chunk
                first, start = first + chunk.images, start + len(line)

    def items(self, chunk: Chunk) -> list[Item]:
        """Return the images of a chunk."""
        with self._lines() as lines:
            lines.seek(chunk.start)
            return [*map(item_of, json.loads(lines.read(chunk.size)))]

    def done(self) -> set[int]:
        """The numbers of the chunks that are done."""
        names = os.listdir(self.records) if self.records.is_dir() else []
        return {int(n[:-5]) for n in names if n.endswith(".json") and n[:-5].isdecimal()}

    def part(self, number: int, format: str) -> Path:
        """The file with the rows of a chunk."""
        return self.parts / f"{number:06}.{format}"

    def is_done(self, number: int) -> bool:
        """Whether a chunk is done."""
        return self._record(number).is_file()

    def record(self, number: int, identity: str | None) -> dict[str, Any]:
        """The record of a chunk that is done: see `zoo.jobs.work`.

        Raises:
            ZooError: it is damaged, or of a job of another identity.
        """
        path = self._record(number)
        record = _read_document(path)
        if record.get("identity") != identity:
            raise damaged(path, "it belongs to another job")
        return checked_record(record, path, MOST_IN_CHUNK)

    def stored_part(self, number: int, format: str, identity: str | None) -> StoredPart:
        """The rows of a chunk that is done.

        Raises:
            ZooError: they are damaged, or of a job of another identity.
        """
        path, record = self.part(number, format), self.record(number, identity)
        try:
            with open_regular(path) as file:
                data = file.read()
        except OSError as error:
            pass_interruption(error)
            raise damaged(path, error.strerror) from error
        if hashlib.sha256(data).hexdigest() != record["sha256"]:
            raise damaged(path, "it is not the file that its record was written for")
        return StoredPart(path, data)

    def write_record(self, number: int, record: Mapping[str, Any]) -> None:
        """Write the record of a chunk whose rows are written."""
        self.write_json(os.fspath(self._record(number)), record)

    def remove_record(self, number: int) -> None:
        """Mark a chunk as not done."""
        self.run.remove(self._record(number))

    def write_json(self, name: str, document: Mapping[str, Any]) -> None:
        """Write a document, wholly or not at all."""
        text = json.dumps(document).encode()
        with self.replacing(self.path / name) as file:
            file.write(text + b"\n")

    def journal(self, number: int) -> Path:
        """Journal of the image in progress, written where a process died before."""
        return self.run.path / f"{number:06}.doing"

    def _record(self, number: int) -> Path:
        return self.records / f"{number:06}.json"


def _read_document(path: Path) -> dict[str, Any]:
    try:
        with open_regular(path) as file:
            document = json.loads(file.read())
    except FileNotFoundError:
        raise ZooError(
            f"there is no {path.name} in {str(path.parent)!r}: give the folder that zoo.batch "
            "wrote, its out="
        ) from None
    except (OSError, ValueError, RecursionError) as error:
        pass_interruption(error)
        raise ZooError(
            f"{str(path)!r} cannot be read ({error!s:.200}): give another folder"
        ) from error
    if not isinstance(document, dict):
        raise ZooError(f"{str(path)!r} holds no JSON object: give another folder")
    return document
