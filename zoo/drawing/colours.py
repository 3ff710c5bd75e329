"""Colours that people with any kind of colour vision can distinguish."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple
from zlib import crc32

from zoo.shared.skeletons import FINGERS

Colour = tuple[int, int, int]

INK: Colour = (20, 20, 24)
PAPER: Colour = (255, 255, 255)

#: Colours after Okabe and Ito, light enough for dark text.
PALETTE: tuple[Colour, ...] = (
    (86, 180, 233),
    (230, 159, 0),
    (0, 178, 130),
    (228, 130, 182),
    (240, 228, 66),
    (222, 100, 20),
)

#: Name of unpainted parts.
BACKGROUND = "background"

_LEFT: Colour = (64, 170, 255)
_RIGHT: Colour = (255, 150, 20)
_MIDDLE: Colour = (245, 245, 240)
_TORSO: Colour = (0, 178, 130)

#: Limbs from the head down; neighbours differ in lightness, towards paper (> 0) or ink (< 0).
_LIMBS = {
    "face": 0.0,
    "upper_arm": 0.45,
    "lower_arm": -0.1,
    "hand": 0.55,
    "upper_leg": -0.35,
    "lower_leg": 0.3,
    "feet": -0.25,
}
_BACK = 0.3  # how much darker the back of a limb is than its front


class Sides(NamedTuple):
    """The colours of one body or face."""

    left: Colour
    right: Colour
    middle: Colour

    def of(self, *parts: str) -> Colour:
        """Return the colour of a point, or of the line between two points."""
        for side, colour in (("left", self.left), ("right", self.right)):
            if all(side in part.split("_") for part in parts):
                return colour
        return self.middle


#: Colours of a single body or face.
SIDES = Sides(left=_LEFT, right=_RIGHT, middle=_MIDDLE)

FINGER_COLOURS = dict(
    zip(FINGERS, (PALETTE[4], PALETTE[1], PALETTE[2], PALETTE[0], PALETTE[3]), strict=True)
)


def sides_of(index: int, count: int, item: Mapping[str, Any] | None = None) -> Sides:
    """Return the colours of one of several bodies: sides of a single one, else shades of a hue.

    An item with an id has the hue of its id, and so one colour from frame to frame.
    """
    own = hue_of(item or {})
    if count == 1 and own is None:
        return SIDES
    hue = own or PALETTE[index % len(PALETTE)]
    return Sides(left=mix(hue, PAPER, 0.45), right=mix(hue, INK, 0.25), middle=hue)


def hue_of(item: Mapping[str, Any]) -> Colour | None:
    """Return the colour of the id of an item that is followed from frame to frame, if any."""
    return PALETTE[(item["id"] - 1) % len(PALETTE)] if "id" in item else None


def mix(colour: Colour, other: Colour, share: float) -> Colour:
    """Return a colour between two others.

    >>> mix((0, 0, 0), (255, 255, 255), 0.4)
    (102, 102, 102)
    """
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(colour, other, strict=True))
    return red, green, blue


def colours_of(labels: Iterable[str]) -> dict[str, Colour]:
    """Return a colour for each label, mostly the same in all images.

    A label's own colour follows from its name; one that another label has already is changed for
    the next. Parts of a body have colours of their own: blue left, orange right.

    >>> colours = colours_of(["dog", "cat", "dog"])
    >>> list(colours), len(set(colours.values()))
    (['dog', 'cat'], 2)
    """
    colours: dict[str, Colour] = {}
    for label in dict.fromkeys(labels):
        colours[label] = _part_colour(label) or _free_colour(label, set(colours.values()))
    return colours


def _free_colour(label: str, taken: set[Colour]) -> Colour:
    hues = [PALETTE[(crc32(label.encode()) + i) % len(PALETTE)] for i in range(len(PALETTE))]
    tones = [*hues, *(mix(h, INK, 0.4) for h in hues), *(mix(h, PAPER, 0.55) for h in hues)]
    return next((tone for tone in tones if tone not in taken), hues[0])


def _part_colour(label: str) -> Colour | None:
    """Return the colour of a part of a body, by its side, limb, and front or back."""
    side, _, limb = label.partition("_")
    dark = _BACK if limb.endswith("back") else 0.0
    if side == "torso":
        return mix(_TORSO, INK, dark)
    tone = _LIMBS.get(limb.removesuffix("_front").removesuffix("_back"))
    hue = {"left": _LEFT, "right": _RIGHT}.get(side)
    if tone is None or hue is None:
        return None
    return mix(mix(hue, PAPER if tone > 0 else INK, abs(tone)), INK, dark)
