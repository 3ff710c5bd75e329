"""A drawn hand that draws a heart and a wave."""

import math

from tests.gallery.browser import Shown
from tests.gallery.clips import Played
from tests.gallery.drawn_hands import frame, writing


def heart(count: int = 70) -> list[tuple[float, float]]:
    """Places along a heart, from its notch on."""
    turns = [2 * math.pi * k / (count - 1) for k in range(count)]
    return [
        (
            330 + 112 * math.sin(turn) ** 3,
            205 - 7 * (13 * math.cos(turn) - 5 * math.cos(2 * turn) - 2 * math.cos(3 * turn) - 6),
        )
        for turn in turns
    ]


def wave(count: int = 60) -> list[tuple[float, float]]:
    """Places along a wave below the heart."""
    return [
        (180 + 300 * k / (count - 1), 372 + 18 * math.sin(4 * math.pi * k / (count - 1)))
        for k in range(count)
    ]


def source() -> Played:
    """Return the frames."""
    places = [*writing(heart()), *writing(wave())]
    return Played([frame(place) for place in places], fps=25, slower=3)


def ready(page: Shown) -> None:
    """Wait for both lines, in two colours."""
    page.page.check("#colours input[value=pink]")
    page.wait(lambda: page.text("#strokes") == "1", "a heart")
    page.page.check("#colours input[value=blue]")
    page.wait(lambda: page.text("#strokes") == "2", "a wave")
    page.wait(lambda: page.text("#hint").startswith("Hand seen"), "an open hand")
