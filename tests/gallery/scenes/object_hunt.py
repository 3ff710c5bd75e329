"""A drawn table with a clock over it, where a cup and a banana appear and go."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tests.gallery.browser import Shown
from tests.gallery.clips import Played
from tests.gallery.drawn_objects import table
from tests.gallery.freezing import freeze

#: Frames per second.
FPS = 8


def source() -> Played:
    """Return the frames: eight seconds without cup and banana, six with each."""
    return Played(frames(), fps=FPS, slower=1.0)


def frames() -> Iterator[np.ndarray]:
    """Return the frames of a turn."""
    clock = (540.0, 120.0, 86.0)
    for number in range(20 * FPS):
        seconds = number / FPS
        # objects slide in from the left, and go the same way
        cup = 220 - 420 * _away(seconds, 8, 14)
        banana = 300 - 620 * _away(seconds, 14, 20)
        yield table(clock=clock, cup=(cup, 320.0, 150.0), banana=(banana, 360.0, 130.0))


def _away(seconds: float, begin: float, end: float) -> float:
    """How far an object is out of the picture, 0..1."""
    inside = min(seconds - begin, end - seconds)
    return float(np.clip(1 - 2 * inside, 0, 1) ** 2)


def ready(page: Shown) -> None:
    """Let the page name the cup or the banana, and wait until it is found."""
    page.wait(lambda: page.text("#wanted") != "…", "a name")

    def wants() -> bool:
        name = page.text("#wanted")
        if name.lower() in ("cup", "banana"):
            return True
        page.page.keyboard.press("n")
        # A key pressed before the answer to this one would replace the name that is waited for.
        page.wait(lambda: page.text("#wanted") != name, "another name")
        return False

    page.wait(wants, "a cup or a banana wanted")
    page.wait(lambda: page.text("#found") != "0", "a find")
    freeze(page)
