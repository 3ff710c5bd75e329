"""Processing of a chunk: read, analyse, write. Local processes and clusters run the same code."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import groupby, islice
from threading import local
from time import perf_counter
from typing import Any, NamedTuple

from core.backends.cpu.tiers import lasting_work
from weights_cache.common.errors import WeightsError, ZooError
from zoo.export.tables import Row
from zoo.jobs.items import Item
from zoo.jobs.job import Job
from zoo.jobs.parts import PARTS
from zoo.jobs.reading import ImageReader, ReadImage
from zoo.jobs.results_folder import Chunk, ResultsFolder, Run

#: Seconds of a chunk by stage: the reading overlaps with the rest.
STAGES = ("read", "model", "write")


class Order(NamedTuple):
    """A chunk to process."""

    chunk: Chunk
    skipped: Mapping[int, str] = {}  # index of an image that ends processes -> reason
    careful: bool = False  # a process ended in this chunk: note each image before it is read
    only: Sequence[int] = ()  # indices of the images to do again, of a chunk that is done

    @property
    def images(self) -> int:
        """The number of images to analyse."""
        return len(self.only) or self.chunk.images


class Errand(NamedTuple):
    """The job of a process, and its place in a run: sent when the process begins."""

    job: Mapping[str, Any]  # the document of the `Job`
    folder: str  # path of the results
    run: Run


class StoppedError(ZooError):
    """Nobody waits for the chunk any more: its run was killed."""


class Work:
    """A job in one process: its model, and its readers.

    Raises:
        ZooError: the model or an option is wrong.
        WeightsError: weights are missing.
    """

    def __init__(self, errand: Errand):
        self.job, self._folder = Job(**errand.job), ResultsFolder(errand.folder, errand.run)
        self._identity = errand.run.identity
        #: Whether the run still waits for the chunk; asked before each image is looked at.
        self.is_wanted: Callable[[], bool] = lambda: True
        model, verb, self._options = self.job.bound()
        self.model = model
        self._look = getattr(model, verb)
        self._together = getattr(getattr(model, "entry", None), "together", 1)
        self._of_thread = local()

    def warm_up(self) -> None:
        """Make the model ready with all its parts, so that forks of the process share them.

        Raises:
            ZooError: the package that writes the format is missing.
            WeightsError: weights are missing.
        """
        parts = getattr(getattr(self.model, "entry", None), "parts", ())
        self.model.warmup(*parts)
        PARTS[self.job.format].write(io.BytesIO(), self.job.verb, [])  # imports what writes

    @property
    def _reader(self) -> ImageReader:
        """The reader of this thread: on clusters several may share a model."""
        if not hasattr(self._of_thread, "reader"):
            self._of_thread.reader = ImageReader()
        reader: ImageReader = self._of_thread.reader
        return reader

    @lasting_work
    def run(self, order: Order) -> dict[str, Any]:
        """Do a chunk, and return its record.

        The record has ``images``, ``rows``, ``found`` (items in all), ``errors``, ``sha256`` of the
        file of rows, ``identity`` of the job, and ``seconds`` by stage, on which alone time has
        an influence.

        Raises:
            StoppedError: nobody waits for it.
            ZooError: the rows cannot be written.
            WeightsError: weights are missing.
        """
        chunk = order.chunk
        if order.only and not self._folder.is_done(chunk.number):  # a process ended in between
            order = order._replace(only=())
        rows, errors, seconds = [], [], dict.fromkeys(STAGES, 0.0)
        indices = self._indices(order)
        kept = self._kept(order, indices)
        for index, image, result in self._looked(order, indices, seconds):
            facts = {"index": index, **image.item.facts}
            if isinstance(result, str):
                errors.append({**facts, "error": result})
                continue
            assert image.pixels is not None
            height, width = image.pixels.shape[:2]
            size = {"width": width, "height": height, "bytes": image.bytes}
            rows.append({**facts, **size, "sha256": image.sha256, "result": result})
        rows = sorted([*kept, *rows], key=lambda row: row["index"])
        found = sum(len(r["result"]) if isinstance(r["result"], list) else 1 for r in rows)
        record = {
            "identity": self._identity,
            "images": chunk.images,
            "rows": len(rows),
            "found": found,
            "errors": sorted(errors, key=lambda error: error["index"]),
        }
        begun = perf_counter()
        record["sha256"] = self._write(order, rows)
        seconds["write"] = perf_counter() - begun
        self._folder.write_record(chunk.number, {**record, "seconds": seconds})
        with suppress(OSError):  # it goes with the run
            self._folder.journal(chunk.number).unlink()
        return {**record, "seconds": seconds}

    def _indices(self, order: Order) -> Sequence[int]:
        """Return the indices of the images to look at.

        Of images that are done again, whole groups: networks compute the last bits of an image
        otherwise in a batch of another size.
        """
        chunk = order.chunk
        every = range(chunk.first, chunk.first + chunk.images)
        if not order.only or PARTS[self.job.format].read is None:
            return every
        groups = {self._group(chunk, index) for index in order.only}
        return [index for index in every if self._group(chunk, index) in groups]

    def _group(self, chunk: Chunk, index: int) -> int:
        """Return the number of the batch that an image is in, by its position in the chunk."""
        return (index - chunk.first) // self._together

    def _kept(self, order: Order, again: Sequence[int]) -> list[Row]:
        """Return the rows of a chunk that was done before, but those that are made again."""
        read = PARTS[self.job.format].read
        if not order.only or read is None:
            return []
        part = self._folder.stored_part(order.chunk.number, self.job.format, self._identity)
        return [row for row in read(part, self.job.verb) if row["index"] not in again]

    def _looked(
        self, order: Order, indices: Sequence[int], seconds: dict[str, float]
    ) -> Iterator[tuple[int, ReadImage, Any]]:
        """Yield the index of each image, the image, and its result, or the error as text."""
        chunk, items = order.chunk, self._folder.items(order.chunk)
        wanted = [(i, items[i - chunk.first]) for i in indices if i not in order.skipped]
        for index in indices:
            if index in order.skipped:
                item = items[index - chunk.first]
                yield index, ReadImage(item, None), order.skipped[index]
        images = self._read(order, wanted)
        for _, pairs in groupby(wanted, lambda pair: self._group(chunk, pair[0])):
            group: list[tuple[int, ReadImage]] = []
            for index, image in islice(images, len([*pairs])):  # no image more: see the journal
                self._check_wanted()
                seconds["read"] += image.seconds
                if image.pixels is None:
                    yield index, image, image.error
                else:
                    group.append((index, image))
            begun = perf_counter()
            results = self._results([image for _, image in group])
            seconds["model"] += perf_counter() - begun
            yield from ((i, image, r) for (i, image), r in zip(group, results, strict=True))

    def _check_wanted(self) -> None:
        """Raise if the run has ended, so that its processes do not work on beside the next one."""
        if not self.is_wanted():
            raise StoppedError("the run of this process has ended: run the command again")
        self._folder.run.check()

    def _read(
        self, order: Order, wanted: Sequence[tuple[int, Item]]
    ) -> Iterator[tuple[int, ReadImage]]:
        if not order.careful:
            images = self._reader.ahead([item for _, item in wanted])
            yield from zip([i for i, _ in wanted], images, strict=True)
            return
        with self._folder.writing():
            file = open(self._folder.journal(order.chunk.number), "wb", buffering=0)  # noqa: SIM115
        with file as journal:
            for index, item in wanted:
                with self._folder.writing():
                    journal.seek(0)
                    journal.write(b"%012d" % index)
                image = self._reader.read(item)
                if image.pixels is not None and self._together > 1:
                    self._results([image])  # alone, so that the journal names what ends processes
                yield index, image

    def _results(self, images: Sequence[ReadImage]) -> list[Any]:
        """Return what was found in each image, or an error as text."""
        if not images:
            return []
        try:
            if len(images) == 1:
                return [self._look(images[0].pixels, **self._options)]
            return [*self._look([image.pixels for image in images], **self._options)]
        except WeightsError:
            raise  # of a part that is loaded when it is needed
        except MemoryError:
            reason = "more memory is needed than there is: make it smaller, or use fewer workers"
        except ZooError as error:
            reason = str(error)
        except Exception as error:  # a defect: it costs one image, not the job
            reason = f"{type(error).__name__}: {error}"
        if len(images) > 1:
            return [self._results([image])[0] for image in images]
        return [f"{images[0].item.name}: {reason}"]

    def _write(self, order: Order, rows: Sequence[Row]) -> str:
        """Write the rows, and return the sha256 of the file."""
        number, format = order.chunk.number, self.job.format
        file = io.BytesIO()
        PARTS[format].write(file, self.job.verb, rows)
        data = file.getbuffer()
        with self._folder.writing(len(data)):
            if order.only:  # until the new record is there, the chunk is not done
                self._folder.remove_record(number)
            with self._folder.replacing(self._folder.part(number, format)) as target:
                target.write(data)
        return hashlib.sha256(data).hexdigest()
