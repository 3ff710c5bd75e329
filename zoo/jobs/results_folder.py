"""The results folder of a job: its document, its images in chunks, and the finished chunks.

``job.json`` says what is computed, ``list.jsonl`` has a line for each chunk, the list of its
images. A chunk leaves two files: its rows, ``parts/000012.parquet``, then ``records/000012.json``,
which says that it is done. At the end come ``errors.jsonl`` and ``manifest.json``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

from weights_cache.atomic_files import replacing, writing_to
from weights_cache.common.dependencies import needed_for
from weights_cache.common.errors import ZooError
from zoo.jobs.documents import checked_record
from zoo.jobs.items import Item, item_document, item_of

#: Images of a chunk, unless there are few images: see `chunk_size`.
MOST_IN_CHUNK = 128

_FEWEST_IN_CHUNK = 8
_USUAL_CHUNKS = 64  # of fewer images than fill as many chunks

#: Prefixes of names that a run leaves if it ends before its job is written.
_OURS = ("parts", "records", ".lock", "list.jsonl", "job.json")

#: Advice of all errors that end a run.
GO_ON = "run the same command again to go on where this run was"

_ADVICE = f"give another folder; {GO_ON}"


def damaged(path: Path, error: object) -> ZooError:
    """Return the error of a file of rows, with the way to make it anew."""
    return ZooError(
        f"{str(path)!r} is damaged ({error!s:.200}): remove records/{path.stem}.json, and run the "
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


class ResultsFolder:
    """The folder that ``out`` names.

    Args:
        path: it need not exist.
    """

    def __init__(self, path: str | os.PathLike[str]):
        self.path = Path(os.path.abspath(path))
        self.parts, self.records = self.path / "parts", self.path / "records"
        self._job, self._list = self.path / "job.json", self.path / "list.jsonl"

    @property
    def exists(self) -> bool:
        """Whether a job has begun here."""
        return self._job.is_file()

    def job_document(self) -> dict[str, Any]:
        """The document of the job.

        Raises:
            ZooError: it is missing or damaged.
        """
        return _read_json(self._job)

    def create(self) -> None:
        """Make the folder.

        Raises:
            ZooError: it has other files, or cannot be written to.
        """
        with self.writing():
            self.parts.mkdir(parents=True, exist_ok=True)
            self.records.mkdir(exist_ok=True)
            with replacing(self.records / "writable"):
                pass
            (self.records / "writable").unlink()

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
        """Keep other runs out of the folder.

        Raises:
            ZooError: another run has it.
        """
        with needed_for("a folder that runs share"):
            from filelock import FileLock, Timeout
        lock = FileLock(self.path / ".lock")
        try:
            lock.acquire(timeout=0)
        except Timeout:
            raise ZooError(
                f"another run works in {str(self.path)!r}: wait until it ends, or give another "
                "folder"
            ) from None
        except NotImplementedError:  # a disk without locks: files are replaced as a whole anyway
            pass
        except OSError as error:
            raise ZooError(f"cannot write to {self.path}: {error.strerror}; {_ADVICE}") from error
        try:
            yield
        finally:
            lock.release()

    def remove_unfinished(self) -> None:
        """Remove files that processes did not finish which were killed; the folder is locked.

        Where such a process still runs, its file is missing when it is to get its name: it fails,
        and nobody waits for it.
        """
        for folder in (self.path, self.parts, self.records):
            for path in (*folder.glob("*.tmp"), *folder.glob("*.doing")):
                path.unlink(missing_ok=True)

    def begin(self, document: Mapping[str, Any], items: Iterable[Item]) -> int:
        """Write the list of images, then the job, and return the number of images."""
        rest = iter(items)
        few = list(islice(rest, MOST_IN_CHUNK * _USUAL_CHUNKS))
        rest, size, count, chunks = chain(few, rest), chunk_size(len(few)), 0, 0
        with self.writing(), replacing(self._list) as file:
            while some := list(islice(rest, size)):
                file.write(json.dumps([*map(item_document, some)]).encode() + b"\n")
                count, chunks = count + len(some), chunks + 1
        facts = {**document, "chunk": size, "images": count, "chunks": chunks}
        self.write_json("job.json", facts)
        return count

    def chunks(self) -> Iterator[Chunk]:
        """Yield all chunks, in their order."""
        first = start = 0
        with open(self._list, "rb") as lines:
            for number, line in enumerate(lines):
                chunk = Chunk(number, first, len(json.loads(line)), start, len(line))
                yield chunk
                first, start = first + chunk.images, start + len(line)

    def items(self, chunk: Chunk) -> list[Item]:
        """Return the images of a chunk."""
        with open(self._list, "rb") as lines:
            lines.seek(chunk.start)
            return [*map(item_of, json.loads(lines.read(chunk.size)))]

    def done(self) -> set[int]:
        """The numbers of the chunks that are done."""
        names = os.listdir(self.records) if self.records.is_dir() else []
        return {int(n[:-5]) for n in names if n.endswith(".json") and n[:-5].isdecimal()}

    def part(self, number: int, format: str) -> Path:
        """The file with the rows of a chunk."""
        return self.parts / f"{number:06}.{format}"

    def record(self, number: int) -> dict[str, Any]:
        """The record of a chunk that is done: see `zoo.jobs.work`.

        Raises:
            ZooError: it is missing or damaged.
        """
        path = self._record(number)
        return checked_record(_read_json(path), path)

    def write_record(self, number: int, record: Mapping[str, Any]) -> None:
        """Write the record of a chunk whose rows are written."""
        self.write_json(os.fspath(self._record(number)), record)

    def remove_record(self, number: int) -> None:
        """Mark a chunk as not done."""
        self._record(number).unlink(missing_ok=True)

    def write_json(self, name: str, document: Mapping[str, Any]) -> None:
        """Write a document, wholly or not at all."""
        text = json.dumps(document).encode()
        with self.writing(len(text)), replacing(self.path / name) as file:
            file.write(text + b"\n")

    def journal(self, number: int) -> Path:
        """Journal of the image in progress, written where a process died before."""
        return self.records / f"{number:06}.doing"

    def _record(self, number: int) -> Path:
        return self.records / f"{number:06}.json"


def _read_json(path: Path) -> dict[str, Any]:
    try:
        document: dict[str, Any] = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise ZooError(
            f"there is no {path.name} in {str(path.parent)!r}: give the folder that zoo.batch "
            "wrote, its out="
        ) from None
    except (OSError, ValueError, RecursionError) as error:
        raise ZooError(
            f"{str(path)!r} cannot be read ({error!s:.200}): give another folder"
        ) from error
    return document
