"""Face detectors: which of the labelled faces they find, and what they take for one."""

from collections.abc import Sequence
from typing import Any

import numpy as np

import zoo
from tests.benchmarks.answers.images import Clock, insects, people, photos, print_rows

DETECTORS = (
    "blazeface.short",
    "blazeface.full",
    "blazeface.full_dense",
    "blazeface.back",
    "blazeface.refined",
    "faceapi.tiny_detector",
)
CROWD = 10  # faces from which on a photo is one of a crowd


def print_table() -> None:
    """A row for each detector."""
    labelled, others, alone = list(photos("faces")), list(insects())[::2], list(people())
    near = [image for image in labelled if len(image.label) < CROWD]
    crowds = [image for image in labelled if len(image.label) >= CROWD]
    rows: list[tuple[object, ...]] = []
    for name in DETECTORS:
        find = Clock(zoo.load(name).detect_faces)
        small, large = (sum_of(find, images) for images in (near, crowds))
        rows.append(
            (
                f"`{name}`",
                f"{small[0]} of {small[1]}",
                f"{large[0]} of {large[1]}",
                f"{sum(bool(find(image.pixels)) for image in alone)} of {len(alone)}",
                small[2] + large[2],
                f"{sum(bool(find(image.pixels)) for image in others)} of {len(others)}",
                find.milliseconds,
            )
        )
    head = (
        "detector",
        "faces in images of few",
        "in images of crowds",
        "images of one person with a face",
        "wrong boxes",
        "images of insects with a face",
        "ms",
    )
    print_rows(head, rows)


def sum_of(find: Clock, images: list[Any]) -> np.ndarray:
    """Faces found, faces there, and boxes of no face."""
    return np.sum([count(find(image.pixels), image.label) for image in images], axis=0)


def count(faces: Sequence[Any], labels: Sequence[Sequence[float]]) -> tuple[int, int, int]:
    """Faces found, faces there, and boxes of no face: one box counts for one label."""
    left, wrong = list(labels), 0
    for face in faces:
        near = next((label for label in left if holds(face["box"], label)), None)
        if near is None:
            wrong += 1
        else:
            left.remove(near)
    return len(labels) - len(left), len(labels), wrong


def holds(box: Any, label: Sequence[float]) -> bool:
    """Whether the middle of a face is in a box of about its size."""
    x, y, width = label
    inside = 0 <= x - box["x"] <= box["width"] and 0 <= y - box["y"] <= box["height"]
    return inside and 0.4 <= box["width"] / width <= 2.5
