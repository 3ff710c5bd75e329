"""Scores of poses: from which on a pose is a person's, so that few people are lost and few seen."""

from collections.abc import Iterator

import numpy as np

import zoo
from tests.benchmarks.answers.costs import titled
from tests.benchmarks.answers.images import gestures, insects, of_nobody
from tests.benchmarks.answers.labelled_people import people_photos
from tests.benchmarks.answers.nobody import EVERY
from tests.benchmarks.answers.scope import Scope
from tests.benchmarks.answers.tables import Row, Share, Table
from zoo.catalog.entries import find_entry

TITLES = ("Thresholds of one person's pose",)

_VERB = "estimate_single_pose"
_FEW = 0.03  # of the people may be lost, of the photos of nobody may have a pose


def tables(scope: Scope) -> Iterator[Table]:
    """A row for each model."""
    yield Table(*TITLES, [_row(name, scope) for name in scope.models(_VERB)])


def _row(name: str, scope: Scope) -> Row:
    model = zoo.load(name)

    def scores(*kinds: object) -> np.ndarray:
        photos = [photo for kind in kinds for photo in scope.some(kind)]
        return np.array(
            [model.estimate_single_pose(p.pixels, score_threshold=0.0)["score"] for p in photos]
        )

    people = scores((photo for photo in people_photos() if photo.shows_one), gestures())
    nobody = scores(list(insects())[::EVERY], of_nobody())
    default = find_entry(name).default_of(_VERB, "score_threshold")
    return {"model": titled(name, _VERB), "default": default, **few_wrong(people, nobody)}


def few_wrong(people: np.ndarray, nobody: np.ndarray) -> Row:
    """The threshold of few people lost, and that of few seen in photos of nobody.

    Args:
        people: scores [n] of photos of one person each, 0 without a pose.
        nobody: scores [m] of photos without people, 0 without a pose.

    Returns:
        Figures; None for the threshold of few people lost if more of them have no pose at all.
    """
    # a pose is taken from its threshold on: the next number takes it no longer
    strict = float(np.nextafter(np.sort(nobody)[::-1][int(_FEW * len(nobody))], np.inf))
    loose = float(np.sort(people)[int(_FEW * len(people))])
    seen = Share(int((nobody >= loose).sum()), len(nobody))
    return {
        "few seen from": round(strict, 3),
        "people lost then": Share(int((people < strict).sum()), len(people)),
        "few lost up to": round(loose, 3) if loose else None,
        "seen in nobody then": seen if loose else None,
    }
