"""Classifiers: how often the best label is right."""

from collections.abc import Iterator

import zoo
from tests.benchmarks.answers.costs import Clock, costs, titled
from tests.benchmarks.answers.images import Labelled, insects, photos
from tests.benchmarks.answers.scope import Scope
from tests.benchmarks.answers.tables import Row, Share, Table

TITLES = ("Classes",)


def tables(scope: Scope) -> Iterator[Table]:
    """A row for each classifier of ImageNet's classes."""
    bugs = [photo._replace(label=[photo.label]) for photo in scope.some(insects())]
    kinds = {"ants and bees, right": bugs, "other photos, right": scope.some(photos("classes"))}
    rows: list[Row] = []
    for name in scope.models("classify", labels="imagenet_1000"):
        model = zoo.load(name)
        classify = Clock(model.classify)
        shares = {kind: _right(classify, images) for kind, images in kinds.items()}
        rows.append({"model": titled(name, "classify"), **shares, **costs(model, classify)})
    yield Table(*TITLES, rows)


def _right(classify: Clock, images: list[Labelled]) -> Share:
    right = sum(classify(image.pixels)[0]["label"] in image.label for image in images)
    return Share(right, len(images))
