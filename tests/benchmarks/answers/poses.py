"""Pose models: where the joints of one person and of several are, and who is not there."""

from collections.abc import Callable, Iterator

import zoo
from tests.benchmarks.answers.costs import Clock, costs, titled
from tests.benchmarks.answers.images import gestures
from tests.benchmarks.answers.labelled_people import people_photos
from tests.benchmarks.answers.nobody import seen_in_nobody
from tests.benchmarks.answers.pose_scores import found_poses, score_one, score_several
from tests.benchmarks.answers.scope import Scope
from tests.benchmarks.answers.tables import Row, Share, Table

TITLES = ("One person", "Several people")


def tables(scope: Scope) -> Iterator[Table]:
    """A row for each model."""
    verbs = ("estimate_single_pose", "estimate_multiple_poses")
    for title, verb, score in zip(TITLES, verbs, (_one, _several), strict=True):
        yield Table(title, [_row(name, verb, score, scope) for name in scope.models(verb)])


def _row(name: str, verb: str, score: Callable[[Clock, Scope], Row], scope: Scope) -> Row:
    model = zoo.load(name)
    find = Clock(getattr(model, verb))
    scores = score(find, scope)
    empty = seen_in_nobody(lambda p: found_poses(find.function(p)), "a pose", scope)
    return {"model": titled(name, verb), **scores, **empty, **costs(model, find)}


def _one(find: Clock, scope: Scope) -> Row:
    its = score_one(find, scope.some(photo for photo in people_photos() if photo.shows_one))
    near = scope.some(gestures())
    lost = sum(not found_poses(find(photo.pixels)) for photo in near)
    return {
        "OKS": its.oks,
        "of the found": its.found_oks,
        "not found": Share(its.missed, its.photos),
        "gestures, not found": Share(lost, len(near)),
    }


def _several(find: Clock, scope: Scope) -> Row:
    its = score_several(find, scope.some(people_photos()))
    return {"AP": its.ap, "AP50": its.ap50, "poses": its.poses, "people": its.people}
