"""Masks of people: whether they are in them, by outlines or joints, and what else is."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

import zoo
from tests.benchmarks.answers.costs import Clock, costs, titled
from tests.benchmarks.answers.intervals import figure
from tests.benchmarks.answers.labelled_people import PeoplePhoto, people_photos
from tests.benchmarks.answers.nobody import seen_in_nobody
from tests.benchmarks.answers.outlines import filled
from tests.benchmarks.answers.scope import Scope
from tests.benchmarks.answers.tables import Row, Table

TITLES = ("Masks of people", "Masks of people, unchecked")

_VERBS = ("segment_person", "segment", "segment_person_parts")
_MARKED = 0.01  # of the pixels: from which on a photo has a mask


def tables(scope: Scope) -> Iterator[Table]:
    """A row for each function and model, and for each that can do without ``person_check``."""
    pairs = [(verb, name) for verb in _VERBS for name in scope.models(verb)]
    yield Table(TITLES[0], [_row(verb, name, scope) for verb, name in pairs])
    checked = [pair for pair in pairs if "person_check" in _method(*pair).__kwdefaults__]
    yield Table(TITLES[1], [_row(verb, name, scope, person_check=False) for verb, name in checked])


def _method(verb: str, name: str) -> Any:
    return getattr(zoo.load(name), verb)


def _row(verb: str, name: str, scope: Scope, **options: bool) -> Row:
    model = zoo.load(name)
    find = Clock(partial(getattr(model, verb), **options))
    scores = score_masks(lambda pixels: of_person(find(pixels)), scope.some(people_photos()))
    empty = seen_in_nobody(lambda p: of_person(find.function(p)).mean() > _MARKED, "a mask", scope)
    names = {"function": f"`{verb}`", "model": titled(name, verb)}
    return {**names, **scores, **empty, **costs(model, find)}


def of_person(result: Any) -> np.ndarray:
    """Which pixels are people's: those labelled so, or, of parts, all but the background."""
    labels = result["labels"]
    if "person" in labels:
        person: np.ndarray = result["mask"] == labels.index("person")
        return person
    return np.asarray(result["mask"] > 0)


def score_masks(
    find: Callable[[np.ndarray], np.ndarray], photos: Sequence[PeoplePhoto]
) -> dict[str, object]:
    """Means over the photos; a photo without a mask has nothing outside."""
    masks = [(find(photo.pixels), photo) for photo in photos]
    inside = [joints_inside(mask, photo) for mask, photo in masks]
    outside = [share_outside(mask, photo) for mask, photo in masks]
    overlaps = [iou(mask, photo) for mask, photo in masks if photo.has_outlines]
    return {
        **({"IoU": figure(np.mean, overlaps)} if overlaps else {}),
        "visible joints inside": figure(np.nanmean, inside),
        "of the mask outside of boxes": figure(np.mean, outside),
    }


def iou(mask: np.ndarray, photo: PeoplePhoto) -> float:
    """Intersection over union of a mask [height, width] and all people's outlines.

    The pixels of crowds do not count: not everybody in them is outlined.
    """
    there, crowds = np.zeros_like(mask), np.zeros_like(mask)
    for person in photo.people:
        if person.outline is not None:
            (crowds if person.is_crowd else there)[:] |= filled(person.outline, mask.shape)
    counted = ~crowds
    return float((mask & there & counted).sum() / max(((mask | there) & counted).sum(), 1))


def joints_inside(mask: np.ndarray, photo: PeoplePhoto) -> float:
    """The share of visible joints that are on a mask [height, width]; NaN without any."""
    joints = np.concatenate([person.joints for person in photo.people])
    places = joints[joints[:, 2] == 2, :2].astype(int)  # the pixel that holds the joint
    x, y = np.minimum(places, (mask.shape[1] - 1, mask.shape[0] - 1)).T
    return float(mask[y, x].mean()) if len(places) else np.nan


def share_outside(mask: np.ndarray, photo: PeoplePhoto) -> float:
    """The share of a mask [height, width] that is in nobody's box."""
    boxed = np.zeros_like(mask)
    for x, y, width, height in (person.box for person in photo.people):
        boxed[int(y) : int(np.ceil(y + height)), int(x) : int(np.ceil(x + width))] = True
    return float((mask & ~boxed).sum() / max(mask.sum(), 1))
