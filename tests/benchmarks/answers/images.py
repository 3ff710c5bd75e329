"""The labelled images of few people, of gestures, and of nobody."""

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import zoo

SHARED = Path(os.environ.get("ZOO_SHARED") or Path(__file__).parents[4] / "shared")
LABELS: Mapping[str, Mapping[str, Any]] = json.loads(
    Path(__file__).with_name("labels.json").read_text()
)

#: Environment variable: a folder of more photos that show nobody (animals, rooms, things).
NOBODY = "ZOO_PHOTOS_OF_NOBODY"


class Labelled(NamedTuple):
    """An image, and what is known of it under one key of the labels."""

    name: str
    path: Path
    label: Any

    @property
    def pixels(self) -> np.ndarray:
        return read(self.path)


def photos(key: str) -> Iterator[Labelled]:
    """The photos that have a label of that kind."""
    for name, labels in LABELS.items():
        if key in labels:
            yield Labelled(name, SHARED / "images" / "photos" / name, labels[key])


def insects() -> Iterator[Labelled]:
    """Photos of ants and bees: images of the validation split and the training split."""
    for path in sorted((SHARED / "images" / "transfer" / "hymenoptera").rglob("*.jpg")):
        yield Labelled(path.name, path, path.parent.name.rstrip("s"))


def gestures() -> Iterator[Labelled]:
    """Photos of one person each, whose gesture is "call", "four", "rock" or "none" of these."""
    for path in sorted((SHARED / "images" / "transfer" / "gestures").rglob("*.jpg")):
        yield Labelled(path.name, path, path.parent.name)


def of_nobody() -> Iterator[Labelled]:
    """Photos without people, of animals, rooms and things: labelled ones, and those of a folder."""
    yield from (photo for photo in photos("people") if photo.label == 0)
    folder = os.environ.get(NOBODY)
    for path in sorted(Path(folder).rglob("*.jpg")) if folder else ():
        yield Labelled(path.name, path, 0)


def read(path: Path) -> np.ndarray:
    return zoo.read_image(path)
