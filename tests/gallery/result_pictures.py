"""Draws the pictures of README.md and of the pages of tasks: what default models find.

    python -m tests.gallery.result_pictures [NAME ...] [--out FOLDER]

Images are drawn ones, or in the public domain (``zoo/samples/SOURCE.md``): nobody is shown who did
not agree. Models that are not in the cache are fetched.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from PIL import Image

import zoo
from tests.gallery import drawn_hands
from tests.gallery.drawn_bodies import Body, Look, drawn
from tests.gallery.drawn_objects import table
from tests.gallery.portraits import portrait
from tests.helpers import ROOT

FOLDER = ROOT / "zoo" / "docs" / "pictures"


#: The people of README.md's first picture, from left to right.
PEOPLE = (
    Body(x=175, height=390, floor=452, apart=0.13, arms=140).looking(
        Look((150, 104, 78), (30, 24, 24), (70, 150, 110), (70, 66, 62))
    ),
    Body(x=455, height=390, floor=456, apart=0.12, bend=40, arms=50),
)


def people() -> Image.Image:
    """Two drawn people, one with raised arms, one bent."""
    return Image.fromarray(drawn(*PEOPLE))


def pose() -> Image.Image:
    """Everybody's 17 joints."""
    path = FOLDER / "people.jpg"
    return zoo.draw(path, zoo.estimate_multiple_poses(path))


def hands() -> Image.Image:
    """21 joints of a hand."""
    image = drawn_hands.thumb_up()[25]
    return zoo.draw(image, zoo.estimate_hands(image))


def faces() -> Image.Image:
    """The mesh of a face, and the irises."""
    image = portrait(scale=1.6)
    return zoo.draw(image, zoo.estimate_faces(image, iris=True))


def detection() -> Image.Image:
    """Boxes and labels of objects."""
    image = table(clock=(540.0, 120.0, 86.0), cup=(220.0, 320.0, 150.0))
    return zoo.draw(image, zoo.detect(image))


def segmentation() -> Image.Image:
    """The mask of a person."""
    image = portrait(y=150, scale=0.9)
    return zoo.draw(image, zoo.segment_person(image))


#: In the order in which they are drawn: the first one is what the second one shows joints on.
PICTURES: dict[str, Callable[[], Image.Image]] = {
    each.__name__: each for each in (people, pose, hands, faces, detection, segmentation)
}


def main() -> None:
    """Draw the pictures that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("names", nargs="*", metavar="NAME", default=[*PICTURES])
    parser.add_argument("--out", type=Path, default=FOLDER, help="folder for the pictures")
    given = parser.parse_args()
    for name in given.names:
        path = given.out / f"{name}.jpg"
        PICTURES[name]().convert("RGB").save(path, quality=88)
        print(path)


if __name__ == "__main__":
    main()
