"""Classifiers: how often the best label is right."""

import zoo
from tests.benchmarks.answers.images import Clock, insects, photos, print_rows
from zoo.catalog.entries import all_entries


def print_table() -> None:
    """A row for each classifier of ImageNet's classes."""
    ants_and_bees = [(image, [image.label]) for image in insects()]
    labelled = [(image, image.label) for image in photos("classes")]
    rows: list[tuple[object, ...]] = []
    for name in (name for name, e in all_entries().items() if e.labels == "imagenet_1000"):
        classify = Clock(zoo.load(name).classify)
        sums = []
        for images in (ants_and_bees, labelled):
            best = [(classify(image.pixels)[0]["label"], right) for image, right in images]
            sums.append(sum(label in right for label, right in best))
        shares = (f"{sums[0] / len(ants_and_bees):.0%}", f"{sums[1]} of {len(labelled)}")
        rows.append((f"`{name}`", *shares, classify.milliseconds))
    head = ("classifier", "ants and bees, right", "other images, right", "ms")
    print(f"{len(ants_and_bees)} images of ants and bees\n")
    print_rows(head, rows)
