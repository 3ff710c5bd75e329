"""A drawn hand that swipes to its left, and then likes the slide."""

from tests.gallery.browser import Shown
from tests.gallery.clips import Played
from tests.gallery.drawn_hands import swipe, thumb_up


def source() -> Played:
    """Return the frames."""
    return Played([*swipe(to_right=True), *thumb_up(seconds=3)], fps=25)


def ready(page: Shown) -> None:
    """Wait for a like."""
    page.wait(lambda: int(page.text("#page")) >= 2, "another slide")
    page.wait(lambda: "Likes" in page.text("#hint"), "a like")
