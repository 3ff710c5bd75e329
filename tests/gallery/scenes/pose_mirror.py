"""A camera that moves over a portrait in the public domain."""

from tests.gallery.browser import Shown
from tests.gallery.clips import Played, astronaut


def source() -> Played:
    """Return the frames."""
    return astronaut()


def ready(page: Shown) -> None:
    """Wait for the skeleton."""
    page.wait(lambda: page.text("#people") == "1", "one person")
    page.wait(lambda: "higher" in page.text("#tilt") or page.text("#tilt") == "level", "tilt")
