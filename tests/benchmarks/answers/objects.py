"""Object detectors: what is found, and what is found too often, of what the labels count."""

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import zoo
from tests.benchmarks.answers.costs import Clock, costs, titled
from tests.benchmarks.answers.images import Labelled, photos
from tests.benchmarks.answers.scope import Scope
from tests.benchmarks.answers.tables import Row, Share, Table
from zoo.catalog.entries import all_entries

TITLES = ("Objects", "Objects by threshold")

FEW = 5  # objects of a kind; in crowds a detector may miss some and none is a duplicate

#: Of two boxes of a kind the worse is dropped from such overlaps on (iou, ios).
OVERLAPS = ((0.6, 1.0), (0.5, 1.0), (0.45, 1.0), (0.6, 0.9), (0.5, 0.9))


def tables(scope: Scope) -> Iterator[Table]:
    """A row for each detector of several kinds of things, then one for each pair of thresholds."""
    labelled = scope.some(photos("objects"))
    models = {
        name: zoo.load(name)
        for name in scope.models("detect")
        if all_entries()[name].task == "detection"
    }
    rows: list[Row] = []
    for name, model in models.items():
        detect = Clock(model.detect)
        counts = _counts(detect, labelled)
        rows.append({"model": titled(name, "detect"), **counts, **costs(model, detect)})
    yield Table(TITLES[0], rows)
    yield Table(TITLES[1], [_by_overlap(m, *pair, labelled) for m in models for pair in OVERLAPS])


def _by_overlap(name: str, iou: float, ios: float, labelled: list[Labelled]) -> Row:
    detect = partial(zoo.load(name).detect, iou_threshold=iou, ios_threshold=ios)
    pair = {"iou_threshold": iou, "ios_threshold": ios}
    return {"model": f"`{name}`", **pair, **_counts(detect, labelled)}


def _counts(detect: Callable[[Any], Any], labelled: list[Labelled]) -> Row:
    found, there, extra = {True: 0, False: 0}, {True: 0, False: 0}, 0
    for image in labelled:
        seen = Counter(thing["label"] for thing in detect(image.pixels))
        for label, count in image.label.items():
            few = count <= FEW
            there[few] += count
            found[few] += min(seen[label], count)
            extra += max(seen[label] - count, 0) if few else 0
    few, many = (Share(found[kind], there[kind]) for kind in (True, False))
    return {"found": few, "too many": extra, "found in crowds": many}
