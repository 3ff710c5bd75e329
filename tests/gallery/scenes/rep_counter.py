"""A drawn person who squats."""

from tests.gallery.browser import Shown
from tests.gallery.clips import Played
from tests.gallery.drawn_bodies import squats
from tests.gallery.freezing import freeze

#: Frames per second.
FPS = 12


def source() -> Played:
    """Return the frames: four squats, and a second of standing."""
    return Played(squats(4, FPS), fps=FPS)


def ready(page: Shown) -> None:
    """Wait for the fourth squat."""
    page.wait(lambda: int(page.text("#count")) >= 4, "four squats")
    freeze(page)
