"""Progress on stderr while weights are fetched."""

import sys
import warnings
from _thread import start_new_thread
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from threading import Lock
from typing import Any, NamedTuple

from weights_cache.common.dependencies import needed_for
from weights_cache.common.messages import is_notebook, is_read_by_people, say, visible
from weights_cache.common.sizes import size_text
from weights_cache.partial_files import Report

PATIENCE = 2.0  # seconds without a line


class Progress(NamedTuple):
    """Callbacks: ``report`` counts received bytes, ``say`` prints a line."""

    report: Report
    say: Callable[[str], object]


class _Patience:
    """A timer thread that starts atomically: an exception of a signal handler cannot break it."""

    def __init__(self, say: Callable[[], object], seconds: float):
        self._is_over = Lock()
        self._is_over.acquire()
        start_new_thread(self._wait, (say, seconds))

    def _wait(self, say: Callable[[], object], seconds: float) -> None:
        if not self._is_over.acquire(timeout=seconds):
            say()

    def cancel(self) -> None:
        """Cancel the line; a second call has no effect."""
        if self._is_over.locked():
            with suppress(RuntimeError):  # the other thread was faster
                self._is_over.release()


@contextmanager
def after_patience(say: Callable[[], object], seconds: float = PATIENCE) -> Iterator[_Patience]:
    """Call ``say`` after some seconds unless the block ended or the yielded timer was cancelled."""
    patience = _Patience(say, seconds)
    try:
        yield patience
    finally:
        patience.cancel()


@contextmanager
def showing(label: str, total: int, progress: bool | None) -> Iterator[Progress]:
    """Show a bar on stderr if ``progress`` is true; None shows it on a terminal and in a notebook.

    Elsewhere None prints a line if fetching takes more than two seconds; False prints nothing.
    """
    if progress is None and not (is_read_by_people() or is_notebook()):
        size = f", {size_text(total)}" if total else ""  # unknown for a URL
        with after_patience(partial(say_line, f"getting {label}{size}")):
            yield Progress(say_nothing, say_line)
    elif progress is False:
        yield Progress(say_nothing, say_nothing)
    else:
        with _bar_class()(total=total, desc=label, unit="B", unit_scale=True) as bar:
            yield Progress(bar.update, partial(_say_above, bar))


def _bar_class() -> Callable[..., Any]:
    """Return tqdm's class for a notebook (if widgets are installed), else for a terminal."""
    with needed_for("a progress bar"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # in notebooks without widgets, where text is used
        from tqdm.auto import tqdm
    return tqdm


def say_nothing(_: object) -> None:
    """Print nothing; replaces `say_line`."""


def _say_above(bar: Any, line: str) -> None:
    bar.write(visible(f"zoo: {line}"), file=sys.stderr)


def say_line(line: str) -> None:
    """Print a line to stderr after the product's name."""
    say(f"zoo: {line}")
