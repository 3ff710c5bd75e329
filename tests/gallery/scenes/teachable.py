"""A camera that sees drawings of three classes, which the page is taught."""

import sys

import numpy as np
from PIL import Image

from tests.gallery.browser import Shown
from tests.gallery.clips import Played, jpeg
from tests.helpers import ROOT

CLASSES = ("Boats", "Houses", "Trees")
EXAMPLES = 20


def drawing(kind: str, seed: int) -> Image.Image:
    """A drawing of a class of ``gallery/teach_in_a_minute``."""
    folder = str(ROOT / "gallery" / "teach_in_a_minute")
    sys.path.insert(0, folder)
    try:
        from drawings import draw
    finally:
        sys.path.remove(folder)
    drawn: Image.Image = draw(kind, seed)
    return drawn


def _on_table(drawn: Image.Image) -> np.ndarray:
    """An image of 640 by 480 of a drawing on a table."""
    table = np.full((480, 640, 3), (92, 84, 76), np.uint8)
    table[20:460, 100:540] = np.asarray(drawn.resize((440, 440)))
    return table


class Shelf(Played):
    """Shows the drawings of one class for a while, then those of the next one when it is asked."""

    def __init__(self) -> None:
        super().__init__([], fps=10, slower=1)
        self._shelf = {
            name: [jpeg(_on_table(drawing(name.lower(), n))) for n in range(1, EXAMPLES + 6)]
            for name in CLASSES
        }
        self.show(CLASSES[0])

    def show(self, name: str) -> None:
        """Turn to a class."""
        self._frames = self._shelf[name]

    def hold(self, name: str, index: int) -> None:
        """Show one drawing of a class, and no other."""
        self._frames = [self._shelf[name][index]]


def source() -> Shelf:
    """Return the frames."""
    return Shelf()


def ready(page: Shown) -> None:
    """Teach the page three classes, and let it look at another drawing."""
    shelf: Shelf = page.server.server.clip  # type: ignore[assignment]
    while page.page.locator(".class").count():
        page.page.locator(".class .plain").first.click()
    for name in CLASSES:
        page.page.fill("#label", name)
        page.page.press("#label", "Enter")
        shelf.show(name)
        record(page, name, EXAMPLES)
    page.page.click("#train")
    page.wait(lambda: page.page.is_visible("#try"), "a model")
    shelf.hold("Boats", EXAMPLES + 2)
    page.wait(lambda: _share(page, "Boats") > 0.8, "a boat")
    page.page.evaluate("scrollTo(0, 0)")


def record(page: Shown, name: str, count: int) -> None:
    """Hold the button of a class until it has so many examples."""
    card = page.page.locator(f".class[data-label='{name}']")
    page.wait_for_frames(int(page.data["answered"]) + 3)
    hold = card.locator(".hold")
    hold.dispatch_event("pointerdown")
    page.wait(lambda: int(card.locator(".count").inner_text()) >= count, f"examples of {name}")
    hold.dispatch_event("pointerup")
    page.wait(lambda: not page.page.locator(".recording").count(), "the end of recording")


def _share(page: Shown, name: str) -> float:
    bar = page.page.locator(f".bar[data-label='{name}']")
    return float(bar.get_attribute("data-score") or 0) if bar.count() else 0.0
