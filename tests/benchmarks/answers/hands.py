"""Hands and their gestures: on photos of people who show one hand."""

from collections.abc import Iterator

import zoo
from tests.benchmarks.answers.costs import Clock, costs, titled
from tests.benchmarks.answers.images import gestures
from tests.benchmarks.answers.nobody import seen_in_nobody
from tests.benchmarks.answers.scope import Scope
from tests.benchmarks.answers.tables import Row, Share, Table

TITLES = ("Hands", "Gestures")

_NONE = "none"  # label of hands with other gestures


def tables(scope: Scope) -> Iterator[Table]:
    """A row for each model of hands, and for each by whose points gestures are named."""
    names = scope.models("estimate_hands")
    yield Table("Hands", [_hands(name, scope) for name in names])
    yield Table("Gestures", [_gestures(name, scope) for name in names if _has_points(name)])


def _has_points(name: str) -> bool:
    """Whether a model finds more than the boxes of hands."""
    found = (zoo.estimate_hands(photo.pixels, model=name) for photo in gestures())
    return next(bool(hands[0].get("keypoints")) for hands in found if hands)


def _hands(name: str, scope: Scope) -> Row:
    model = zoo.load(name)
    find = Clock(model.estimate_hands)
    shown = scope.some(photo for photo in gestures() if photo.label != _NONE)
    found = sum(bool(find(photo.pixels)) for photo in shown)
    empty = seen_in_nobody(find.function, "a hand", scope)
    row = {"model": titled(name, "estimate_hands"), "found": Share(found, len(shown))}
    return {**row, **empty, **costs(model, find)}


def _gestures(name: str, scope: Scope) -> Row:
    hands = zoo.load(name)
    find = Clock(lambda pixels: zoo.recognize_gestures(pixels, hands_model=hands))
    kinds = {photo.label for photo in gestures()} - {_NONE}
    right, wrong, shown = 0, 0, 0
    for photo in scope.some(gestures()):
        seen = {gesture["label"] for gesture in find(photo.pixels)} & kinds
        shown += photo.label != _NONE
        right += photo.label in seen
        wrong += bool(seen - {photo.label})
    row = {
        "hands of": titled(name, "estimate_hands"),
        "right": Share(right, shown),
        "photos with a wrong one": wrong,
    }
    return {**row, **costs(hands, find)}
