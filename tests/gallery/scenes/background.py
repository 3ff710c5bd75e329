"""A portrait in the public domain, which moves, with its background replaced."""

from tests.gallery.browser import Shown
from tests.gallery.clips import Played
from tests.gallery.freezing import freeze
from tests.gallery.scenes import face_paint


def source() -> Played:
    """Return the frames."""
    return face_paint.source()


def ready(page: Shown) -> None:
    """Wait for her in front of a beach."""
    page.page.select_option("[name=behind]", "beach")
    page.wait(lambda: page.text("#said") == "You are found.", "a person")
    freeze(page)
