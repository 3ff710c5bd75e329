"""Object detectors: what is found once, missed, and found twice, of what the labels count."""

from collections import Counter

import zoo
from tests.benchmarks.answers.images import Clock, photos, print_rows
from zoo.catalog import all_entries

FEW = 5  # objects of a kind; in crowds a detector may miss some and none is a duplicate


def print_table() -> None:
    """A row for each detector and threshold of overlap."""
    labelled = list(photos("objects"))
    rows: list[tuple[object, ...]] = []
    for name in (n for n, entry in all_entries().items() if entry.task == "detection"):
        for threshold in (None, 0.6, 0.5, 0.45, 0.3):
            detect = Clock(zoo.load(name).detect)
            model = zoo.load(name)
            detect = Clock(lambda pixels: model.detect(pixels, iou_threshold=threshold))
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
            rows.append((f"`{name}`", threshold or "default", *sums, detect.milliseconds))
    head = ("detector", "iou_threshold", "found", "too many", "found in crowds", "ms")
    print_rows(head, rows)
