"""Boxes of people: of detectors, and around the masks of single people."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

import zoo
from tests.benchmarks.answers.average_precision import Matches, average_precision, match
from tests.benchmarks.answers.costs import Clock, costs, titled
from tests.benchmarks.answers.intervals import figure
from tests.benchmarks.answers.labelled_people import PeoplePhoto, people_photos
from tests.benchmarks.answers.nobody import seen_in_nobody
from tests.benchmarks.answers.scope import Scope
from tests.benchmarks.answers.tables import Row, Table
from zoo.shared.boxes import intersection, overlap

TITLES = ("Boxes of people", "Masks of several people")

#: Who finds things, and which of them are people.
_VERBS = ("detect", "segment_persons")


def tables(scope: Scope) -> Iterator[Table]:
    """A row for each model that finds people."""
    for title, verb in zip(TITLES, _VERBS, strict=True):
        names = [name for name in scope.models(verb) if _finds_people(name, verb)]
        yield Table(title, [_row(name, verb, scope) for name in names])


def _finds_people(name: str, verb: str) -> bool:
    photo = next(photo for photo in people_photos() if photo.shows_one)
    found = getattr(zoo.load(name), verb)(photo.pixels)
    return bool(of_people(found))


def _row(name: str, verb: str, scope: Scope) -> Row:
    model = zoo.load(name)
    find = Clock(getattr(model, verb))
    scores = score_boxes(find, scope.some(people_photos()))
    empty = seen_in_nobody(lambda pixels: of_people(find.function(pixels)), "a person", scope)
    return {"model": titled(name, verb), **scores, **empty, **costs(model, find)}


def score_boxes(find: Callable[[np.ndarray], Any], photos: Sequence[PeoplePhoto]) -> Row:
    """AP and AP50 of the boxes of people."""
    matches = [match_boxes(of_people(find(photo.pixels)), photo) for photo in photos]
    found, there = sum(len(one.scores) for one in matches), sum(one.there for one in matches)
    return {
        "AP": figure(lambda images: float(average_precision(images).mean()), matches),
        "AP50": figure(lambda images: float(average_precision(images)[0]), matches),
        "boxes": found,
        "people": there,
    }


def of_people(found: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Those that are people: all of a list without labels."""
    return [thing for thing in found if thing.get("label", "person") == "person"]


def match_boxes(found: Sequence[Mapping[str, Any]], photo: PeoplePhoto) -> Matches:
    """Match the boxes of a photo with those of the people in it; crowds need not be found.

    Of a crowd is a box that lies in its box, whatever share of that it is.
    """
    corners = ("x", "y", "width", "height")
    boxes = _ends(np.reshape([[f["box"][c] for c in corners] for f in found], (len(found), 4)))
    there = _ends(np.array([person.box for person in photo.people]))
    crowds = np.array([person.is_crowd for person in photo.people], bool)
    near = np.reshape([overlap(box, there) for box in boxes], (len(boxes), len(there)))
    shared = np.reshape([intersection(box, there) for box in boxes], near.shape)
    areas = np.prod(boxes[:, 2:] - boxes[:, :2], axis=1)
    near = np.where(crowds, shared / np.maximum(areas, 1.0)[:, None], near)
    return match(near, np.array([f["score"] for f in found], float), ignored=crowds, crowds=crowds)


def _ends(boxes: np.ndarray) -> np.ndarray:
    """x0, y0, x1, y1 of boxes [n, 4] with their width and height."""
    return np.concatenate([boxes[:, :2], boxes[:, :2] + boxes[:, 2:]], axis=1)
