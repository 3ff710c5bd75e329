"""Pose models: how many people they find, and where they see people who are not there."""

from collections.abc import Sequence
from typing import Any

import zoo
from tests.benchmarks.answers.images import Clock, Labelled, insects, people, photos, print_rows
from zoo.catalog.entries import all_entries, model_class


def print_table() -> None:
    """A row for each model and verb."""
    labelled, nobody, alone = list(photos("people")), list(insects())[::2], list(people())
    empty = [image for image in labelled if not image.label]
    groups = [image for image in labelled if image.label]
    names = [n for n, e in all_entries().items() if hasattr(model_class(e), "estimate_single_pose")]
    rows: list[tuple[object, ...]] = []
    for name in names:
        model = zoo.load(name)
        for verb in (model.estimate_single_pose, model.estimate_multiple_poses):
            sums = _row(Clock(verb), empty + nobody, alone, groups)
            rows.append((f"`{name}`", f"`{verb.__name__}`", *sums))
    head = ("model", "verb", "images of nobody with a pose", "of one person with a pose")
    print_rows((*head, "people found", "too many", "ms"), rows)


def _row(
    find: Clock, nobody: list[Labelled], alone: list[Labelled], groups: list[Labelled]
) -> tuple[object, ...]:
    wrong = sum(bool(_poses(find(image.pixels))) for image in nobody)
    right = sum(bool(_poses(find(image.pixels))) for image in alone)
    counts = [(len(_poses(find(image.pixels))), image.label) for image in groups]
    found = sum(min(count, there) for count, there in counts)
    extra = sum(max(count - there, 0) for count, there in counts)
    there = sum(image.label for image in groups)
    shares = (f"{wrong} of {len(nobody)}", f"{right} of {len(alone)}")
    return (*shares, f"{found} of {there}", extra, find.milliseconds)


def _poses(result: Any) -> Sequence[Any]:
    """The poses of a result with keypoints."""
    poses = result if isinstance(result, list) else [result]
    return [pose for pose in poses if pose["keypoints"]]
