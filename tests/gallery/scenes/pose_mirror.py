"""Two drawn people: one leans from side to side, the other waves."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tests.gallery.browser import Shown
from tests.gallery.clips import Played
from tests.gallery.drawn_bodies import Body, Look, drawn
from tests.gallery.freezing import freeze

#: Colours of the person on the right.
OTHER = Look((150, 104, 78), (30, 24, 24), (70, 150, 110), (70, 66, 62))


def source() -> Played:
    """Return the frames."""
    return Played(frames(), fps=12, slower=1.5)


def frames(count: int = 48) -> Iterator[np.ndarray]:
    """Return frames that begin where they end."""
    for turn in np.linspace(0, 2 * np.pi, count, endpoint=False):
        leaning = Body(x=190, height=400, floor=466, arms=24, lean=11 * np.sin(turn))
        waving = Body(x=450, height=370, floor=454, apart=0.13, arms=120 + 30 * np.sin(turn))
        yield drawn(waving.looking(OTHER), leaning)


def ready(page: Shown) -> None:
    """Wait for both skeletons, and for shoulders that are not level."""
    page.wait(lambda: page.text("#people") == "2" and "higher" in page.text("#tilt"), "a tilt")
    freeze(page)
