"""The progress of a job, with its rate and the time left: a bar, or a line now and then."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from time import monotonic
from typing import Any

from weights_cache.common.messages import is_read_by_people
from weights_cache.progress import say_line

#: Callback of a finished chunk: (number of images, record).
Show = Callable[[int, Mapping[str, Any]], object]

#: Seconds between two lines, where there is no terminal.
LINES_EVERY = 30.0


@contextmanager
def showing(wanted: bool | None, images: int, done: int) -> Iterator[Show]:
    """Yield the callback that shows the progress.

    Args:
        wanted: True for a bar, False for nothing; None for a bar on a terminal, else lines.
        images: of the job.
        done: those that an earlier run did.
    """
    if wanted is False or images == done:
        yield lambda count, record: None
    elif wanted or is_read_by_people():
        from tqdm import tqdm

        with tqdm(total=images, initial=done, unit="image", leave=False) as bar:
            yield _Bar(bar)
    else:
        yield _Lines(images, done)


class _Bar:
    def __init__(self, bar: Any):
        self._bar, self._errors = bar, 0

    def __call__(self, count: int, record: Mapping[str, Any]) -> None:
        self._errors += len(record["errors"])
        if self._errors:
            self._bar.set_postfix(errors=self._errors, refresh=False)
        self._bar.update(count)


class _Lines:
    def __init__(self, images: int, done: int):
        self._images, self._before, self._done, self._errors = images, done, done, 0
        self._begun = self._said = monotonic()

    def __call__(self, count: int, record: Mapping[str, Any]) -> None:
        self._done += count
        self._errors += len(record["errors"])
        now = monotonic()
        if now - self._said >= LINES_EVERY:
            self._said = now
            rate = (self._done - self._before) / (now - self._begun)
            say_line(progress_text(self._done, self._images, rate, self._errors))


def progress_text(done: int, images: int, rate: float, errors: int) -> str:
    """Return a line about the progress.

    Args:
        done: images so far.
        images: in all.
        rate: images per second.
        errors: images that had errors.

    >>> progress_text(12_000, 1_000_000, 40.0, 3)
    '12,000 of 1,000,000 images, 40.0 per second, 6:51:40 left, 3 errors'
    """
    left = timedelta(seconds=round((images - done) / rate)) if rate else "unknown time"
    more = f", {errors} errors" if errors else ""
    return f"{done:,} of {images:,} images, {rate:.1f} per second, {left} left{more}"
