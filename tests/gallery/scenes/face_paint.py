"""A portrait in the public domain, which moves and tilts, below the head-room that paint needs."""

import numpy as np

from tests.gallery.browser import Shown
from tests.gallery.clips import Played
from tests.gallery.freezing import freeze
from tests.gallery.portraits import portrait


def source() -> Played:
    """Return the frames."""
    turns = np.linspace(0, 2 * np.pi, 48, endpoint=False)
    frames = [portrait(320 + 24 * np.sin(t), 235, 1.3, 5 * np.sin(t)) for t in turns]
    return Played(frames, fps=30)


def ready(page: Shown) -> None:
    """Wait until she is painted and smiled."""
    page.wait(lambda: page.text("#smiles") != "0", "a smile")
    page.wait(lambda: page.text("#said") == "One face is painted.", "a face")
    freeze(page)
