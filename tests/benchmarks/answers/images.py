"""The labelled images, and the time that a function takes for them."""

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numpy as np

import zoo

SHARED = Path(os.environ.get("ZOO_SHARED") or Path(__file__).parents[4] / "shared")
LABELS: Mapping[str, Mapping[str, Any]] = json.loads(
    Path(__file__).with_name("labels.json").read_text()
)


class Labelled(NamedTuple):
    """An image, and what is known of it under one key of the labels."""

    name: str
    pixels: np.ndarray
    label: Any


def photos(key: str) -> Iterator[Labelled]:
    """The photos that have a label of that kind."""
    for name, labels in LABELS.items():
        if key in labels:
            yield Labelled(name, read(SHARED / "images" / "photos" / name), labels[key])


def insects() -> Iterator[Labelled]:
    """Photos of ants and bees: images of the validation split and the training split."""
    folder = SHARED / "images" / "transfer" / "hymenoptera"
    for path in sorted(folder.rglob("*.jpg")):
        yield Labelled(path.name, read(path), path.parent.name.rstrip("s"))


def people() -> Iterator[Labelled]:
    """Photos of one person each, who may make a gesture."""
    for path in sorted((SHARED / "images" / "transfer" / "gestures").rglob("*.jpg")):
        yield Labelled(path.name, read(path), path.parent.name)


def read(path: Path) -> np.ndarray:
    return zoo.read_image(path)


class Clock:
    """Milliseconds of a function, call by call."""

    def __init__(self, function: Callable[[np.ndarray], Any]) -> None:
        self._function = function
        self._seconds: list[float] = []

    def __call__(self, pixels: np.ndarray) -> Any:
        start = time.perf_counter()
        result = self._function(pixels)
        self._seconds.append(time.perf_counter() - start)
        return result

    @property
    def milliseconds(self) -> str:
        """Their median, without the first two calls, which make plans."""
        return f"{1000 * median(self._seconds[2:]):.0f}"


def print_rows(head: tuple[str, ...], rows: list[tuple[object, ...]]) -> None:
    """A table in Markdown."""
    print(f"| {' | '.join(head)} |\n|{' --- |' * len(head)}")
    for row in rows:
        print(f"| {' | '.join(map(str, row))} |")
    print()
