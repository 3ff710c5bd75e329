"""Object detectors: what is found, and what is found too often, of what the labels count."""

from collections import Counter
from functools import partial

import zoo
from tests.benchmarks.answers.images import Clock, photos, print_rows
from zoo.catalog.entries import models

FEW = 5  # objects of a kind; in crowds a detector may miss some and none is a duplicate


def print_table() -> None:
    """A row for each pair of thresholds of the default detector."""
    labelled = list(photos("objects"))
    rows: list[tuple[object, ...]] = []
    for name in models("detection"):
        model = zoo.load(name)
        for iou, ios in ((0.6, 1.0), (0.5, 1.0), (0.45, 1.0), (0.6, 0.9), (0.5, 0.9)):
            detect = Clock(partial(model.detect, iou_threshold=iou, ios_threshold=ios))
            few, many, there, crowd, extra = 0, 0, 0, 0, 0
            for image in labelled:
                found = Counter(thing["label"] for thing in detect(image.pixels))
                for label, count in image.label.items():
                    if count <= FEW:
                        there, few = there + count, few + min(found[label], count)
                        extra += max(found[label] - count, 0)
                    else:
                        crowd, many = crowd + count, many + min(found[label], count)
            sums = (f"{few} of {there}", extra, f"{many} of {crowd}")
            rows.append((f"`{name}`", iou, ios, *sums, detect.milliseconds))
    head = (
        "detector",
        "iou_threshold",
        "ios_threshold",
        "found",
        "too many",
        "found in crowds",
        "ms",
    )
    print_rows(head, rows)
