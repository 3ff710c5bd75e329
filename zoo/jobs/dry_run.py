"""Dry run of a job: its size, and the results of a sample of its images."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from weights_cache.common.errors import WeightsError, ZooError
from weights_cache.common.sizes import count_text
from zoo.drawing import draw
from zoo.jobs.items import Item
from zoo.jobs.job import Job
from zoo.jobs.reading import ImageReader
from zoo.jobs.results_folder import chunk_size
from zoo.jobs.sources import Listing, Report
from zoo.results.vocabulary import Result, kind_of
from zoo.transfer.scores.sheets import SheetImage, draw_sheet

if TYPE_CHECKING:
    import numpy as np
    from PIL import Image

#: The choice is random, so that it shows the whole job, and the same again for the same images.
_SEED = 20261127


class Plan(NamedTuple):
    """The size of a job that has not begun."""

    images: int
    chunks: int
    first: str  # names of its first and its last image
    last: str


class SampleResult(NamedTuple):
    """An image of a sample: what was found in it, or why nothing could be."""

    item: Item
    pixels: np.ndarray | None  # uint8 [height, width, 3]
    result: Result
    error: str = ""


def planned(job: Job, report: Report) -> Plan:
    """List the images of a job.

    Raises:
        ZooError: a source cannot be listed.
    """
    count, first, last = 0, "", ""
    for item in Listing(**job.listing, report=report).items(job.sources):
        last = item.name
        first = first or last
        count += 1
    return Plan(count, -(-count // chunk_size(count)), first, last)


def sampled(job: Job, count: int, report: Report) -> list[Item]:
    """Return some images of a job, each as likely as any other, in the order of the list.

    Algorithm R of J. S. Vitter, Random sampling with a reservoir, 1985.
    """
    random, chosen = Random(_SEED), dict[int, tuple[int, Item]]()
    for index, item in enumerate(Listing(**job.listing, report=report).items(job.sources)):
        slot = index if index < count else random.randrange(index + 1)
        if slot < count:
            chosen[slot] = (index, item)
    return [item for _, item in sorted(chosen.values())]


def sample_results(job: Job, items: list[Item]) -> Iterator[SampleResult]:
    """Yield the result of each image, computed in this process."""
    model, verb, options = job.bound()
    reader = ImageReader()
    for item in items:
        image = reader.read(item)
        if image.pixels is None:
            yield SampleResult(item, None, None, image.error)
            continue
        try:
            yield SampleResult(item, image.pixels, getattr(model, verb)(image.pixels, **options))
        except WeightsError:
            raise
        except ZooError as error:
            yield SampleResult(item, image.pixels, None, str(error))
    reader.close()


def sheet_of(job: Job, samples: list[SampleResult]) -> Image.Image:
    """Draw the images of a sample with what was found in them, on one sheet."""
    images = [SheetImage(*_thumbnail(each)) for each in samples]
    return draw_sheet({"": images}, title=f"{job.verb}: {count_text(len(images), 'image')}")


def _thumbnail(sample: SampleResult) -> tuple[object, str, str, str, bool]:
    name = sample.item.member or sample.item.name.strip("'\"")
    if sample.pixels is None or sample.error:
        return b"", "error", sample.error, name, True
    height, width = sample.pixels.shape[:2]
    drawn = draw(sample.pixels, sample.result)
    return drawn, found_text(sample.result), f"{width} x {height}", name, False


def found_text(result: Result) -> str:
    """Return a few words about a result.

    >>> found_text([{"label": "tabby", "score": 0.8, "index": 281}]), found_text([])
    ('1 label', 'nothing found')
    """
    items = result if isinstance(result, list) else [result]
    if not items:
        return "nothing found"
    kind = kind_of(items[0])
    return count_text(len(items), kind.name if kind else "result")
