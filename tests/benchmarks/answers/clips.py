"""Clips of one person and of one hand, followed: in how many frames it is found, as how many."""

from collections.abc import Iterator
from itertools import islice
from statistics import median
from typing import Any, NamedTuple

import zoo
from tests.benchmarks.answers.costs import megabytes, titled
from tests.benchmarks.answers.images import SHARED
from tests.benchmarks.answers.scope import Scope
from tests.benchmarks.answers.tables import Row, Share, Table

_BODIES = {"yoga": "pexels_yoga.mp4", "squats": "tfjs-models_pose_squats.mp4"}
_HANDS = {"signs": "tfjs-models_asl_hand.25fps.mp4"}


class Group(NamedTuple):
    """Clips that a function follows."""

    verb: str
    clips: dict[str, str]


GROUPS = {
    "Clips, one person": Group("estimate_single_pose", _BODIES),
    "Clips, several people": Group("estimate_multiple_poses", _BODIES),
    "Clips of a hand": Group("estimate_hands", _HANDS),
}
TITLES = tuple(GROUPS)


def tables(scope: Scope) -> Iterator[Table]:
    """A row for each model."""
    for title, group in GROUPS.items():
        rows = [_row(name, group, scope) for name in scope.models(group.verb)]
        yield Table(title, rows)


def _row(name: str, group: Group, scope: Scope) -> Row:
    model = zoo.load(name)
    row: dict[str, object] = {"model": titled(name, group.verb)}
    times: list[float] = []
    for clip, file in group.clips.items():
        path = str(SHARED / "images" / "webcam" / file)
        with zoo.watch(path, model, verb=group.verb) as watch:
            moments = list(islice(watch, scope.limit))
        found = sum(_is_seen(moment["result"]) for moment in moments)
        ids = {number for moment in moments for number in moment["ids"]}
        row |= {f"{clip}: found": Share(found, len(moments)), f"{clip}: ids": len(ids)}
        times += [moment["milliseconds"] for moment in moments[2:] or moments]
    return {**row, "ms of a frame": round(median(times)), "MB": megabytes(model)}


def _is_seen(result: Any) -> bool:
    """Whether there is something in a list, or a pose of a person."""
    return bool(result) if isinstance(result, list) else bool(result["keypoints"])
