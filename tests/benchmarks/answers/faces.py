"""Faces: which of the labelled ones are found, and what is taken for one."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

import zoo
from tests.benchmarks.answers.costs import Clock, costs, titled
from tests.benchmarks.answers.images import Labelled, gestures, photos
from tests.benchmarks.answers.labelled_people import PeoplePhoto, people_photos
from tests.benchmarks.answers.nobody import seen_in_nobody
from tests.benchmarks.answers.scope import Scope
from tests.benchmarks.answers.tables import Row, Share, Table
from zoo.catalog.entries import choices

TITLES = ("Face detectors", "Faces with points", "Faces by threshold")

#: Of the best detector: its own, and those among which that of `blur_faces` was chosen.
THRESHOLDS = (0.7, 0.6, 0.5, 0.45)

CROWD = 10  # faces from which on a photo is one of a crowd

_HEAD = slice(0, 5)  # nose, eyes, ears among COCO's joints
_FRONT = slice(0, 3)  # nose and eyes


def tables(scope: Scope) -> Iterator[Table]:
    """A row for each model, and for each threshold of the best."""
    for title, verb in zip(TITLES, ("detect_faces", "estimate_faces"), strict=False):
        yield Table(title, [_row(name, verb, scope) for name in scope.models(verb)])
    best = choices()["detect_faces"].best
    if best in scope.models("detect_faces"):
        yield Table(TITLES[2], [_by_threshold(best, least, scope) for least in THRESHOLDS])


def _row(name: str, verb: str, scope: Scope) -> Row:
    model = zoo.load(name)
    find = Clock(getattr(model, verb))
    return {"model": titled(name, verb), **_found(find, scope), **costs(model, find)}


def _by_threshold(name: str, least: float, scope: Scope) -> Row:
    find = Clock(partial(zoo.load(name).detect_faces, score_threshold=least))
    return {"model": f"`{name}`", "score_threshold": least, **_found(find, scope)}


def _found(find: Clock, scope: Scope) -> Row:
    labelled, alone = scope.some(photos("faces")), scope.some(gestures())
    near = _sums(find, [image for image in labelled if len(image.label) < CROWD])
    crowds = _sums(find, [image for image in labelled if len(image.label) >= CROWD])
    seen = sum(bool(find(image.pixels)) for image in alone)
    return {
        "of few": Share(*near[:2]),
        "in crowds": Share(*crowds[:2]),
        "wrong": near[2] + crowds[2],
        **_of_people(find, scope.some(people_photos())),
        "gestures": Share(seen, len(alone)),
        **seen_in_nobody(find.function, "a face", scope),
    }


def _sums(find: Callable[[Any], Any], images: list[Labelled]) -> list[int]:
    """Faces found, faces there, and boxes of no face."""
    counts = [count(find(image.pixels), image.label) for image in images]
    return [sum(column) for column in zip(*counts, strict=True)] or [0, 0, 0]


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


def _of_people(find: Callable[[Any], Any], labelled: Sequence[PeoplePhoto]) -> Row:
    """Faces found of people whose nose and eyes are seen, and boxes without anybody's head."""
    counts = [heads_in(find(photo.pixels), photo) for photo in labelled]
    found, there, wrong = (sum(column) for column in zip(*counts, strict=True))
    return {"nose and eyes seen": Share(found, there), "without a head": wrong}


def heads_in(faces: Sequence[Any], photo: PeoplePhoto) -> tuple[int, int, int]:
    """Of the people whose nose and eyes are visible those with all three in a box; of how many;
    and boxes without any part of a labelled head."""
    boxes = [face["box"] for face in faces]
    seen = [person.joints for person in photo.people if (person.joints[_FRONT, 2] == 2).all()]
    heads = [person.joints[_HEAD] for person in photo.people]
    parts = [part for head in heads for part in head if part[2]]
    found = sum(any(_inside(box, joints[_FRONT]).all() for box in boxes) for joints in seen)
    wrong = sum(not (parts and _inside(box, np.array(parts)).any()) for box in boxes)
    return found, len(seen), wrong


def _inside(box: Any, points: np.ndarray) -> np.ndarray:
    """Which of some points [n, 2 or more] are in a box."""
    away = points[:, :2] - (box["x"], box["y"])
    inside: np.ndarray = ((away >= 0) & (away <= (box["width"], box["height"]))).all(axis=1)
    return inside
