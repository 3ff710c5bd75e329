"""Metadata of Ultralytics: what a YOLO network finds, and how it takes images.

Source: ``Exporter`` and ``AutoBackend`` of Ultralytics 8, and YOLOv5's ``export.py``, which write
and read them as texts of Python literals.
"""

import ast
from collections.abc import Mapping
from typing import Any, NamedTuple

from core.converter.class_labels import (
    FITS,
    INSIDE,
    MOST_SIDE,
    ClassLabels,
    Pixels,
    number_of_classes,
    takes_image,
)
from core.errors import CoreError
from core.graph.nodes import Graph
from weights_cache.reading_budgets import spend

#: Characters of a text of metadata: the labels of 10,000 classes.
LONGEST = 2**18

#: Bytes that the syntax tree of a literal takes for each of its characters, at most.
_BYTES_OF_CHARACTER = 256

#: Brackets within brackets: shapes and labels have 1, a dict of lists 2.
_DEEPEST = 8

_MOST_LABELS = 10_000
_MOST_POINTS = 1000
_DEFAULT_SIDE, _DEFAULT_STRIDE = 640, 32


class YoloFacts(NamedTuple):
    """Facts about a YOLO network, by its metadata.

    Attributes:
        labels: names of its classes.
        size: height and width of its input.
        stride: sides of inputs are multiples of it.
        is_dynamic: whether images keep their aspect ratio: the input is as large as they need.
        generation: 5: rows have a score of the object before those of classes; 8: they do not.
        points: how many keypoints an object has.
        values: numbers of a keypoint: 2, or 3 with a score.
        point_names: names of the keypoints, if they are known.
        fit: how an export of `zoo.teach` was taught to fit an image into the input, one of `FITS`.
    """

    labels: tuple[str, ...]
    size: tuple[int, int]
    stride: int = _DEFAULT_STRIDE
    is_dynamic: bool = False
    generation: int = 8
    points: int = 0
    values: int = 3
    point_names: tuple[str, ...] = ()
    fit: str = "crop"


class YoloObjects(YoloFacts):
    """Facts about a network that finds boxes."""

    __slots__ = ()


class YoloPoses(YoloFacts):
    """Facts about a network that finds boxes with keypoints."""

    __slots__ = ()


class YoloMasks(YoloFacts):
    """Facts about a network that finds boxes with masks."""

    __slots__ = ()


class YoloClasses(YoloFacts):
    """Facts about a network that classifies images, of pixels from 0 to 1."""

    __slots__ = ()


class YoloTurned(YoloFacts):
    """Facts about a network that finds turned boxes."""

    __slots__ = ()


_KINDS: dict[str, type[YoloFacts]] = {
    "classify": YoloClasses,
    "detect": YoloObjects,
    "pose": YoloPoses,
    "segment": YoloMasks,
    "obb": YoloTurned,
}


def metadata_of(texts: Mapping[str, str], graph: Graph) -> YoloFacts | ClassLabels | None:
    """Return the facts in the metadata of a file; None if they are of others, or damaged.

    Args:
        texts: the metadata.
        graph: the network.

    Returns:
        Facts of a task; or labels alone, if the network gives a score for each.

    >>> from core.graph.nodes import Endpoint, PartialSpec
    >>> graph = Graph([], {}, {"images": Endpoint("images", PartialSpec(None))}, {})
    >>> texts = {"names": "{0: 'cat'}", "task": "detect", "imgsz": "[64, 96]"}
    >>> facts = metadata_of(texts, graph)
    >>> type(facts).__name__, facts.labels, facts.size, facts.stride
    ('YoloObjects', ('cat',), (64, 96), 32)
    """
    if "names" not in texts or len(graph.inputs) != 1:
        return None
    try:
        if {"stride", "task"} & texts.keys():
            return _facts(texts)
        labels = _labels(literal(texts["names"]))
    except CoreError:
        return None  # it runs without
    is_classifier = takes_image(graph) and number_of_classes(graph) == len(labels)
    return ClassLabels(labels, INSIDE, _pixels(texts)) if is_classifier else None


def _pixels(texts: Mapping[str, str]) -> Pixels | None:
    """Return the conversion of pixels in a dict with ``mean`` and ``std``, as exports have it."""
    try:
        how = literal(texts.get("preprocessing", "{}"))
    except CoreError:
        return None
    how = how if isinstance(how, dict) else {}
    mean, std = (_of_channels(how.get(key)) for key in ("mean", "std"))
    return Pixels(mean, std) if mean and std and all(std) else None


def _of_channels(value: Any) -> tuple[float, ...]:
    """Return one number or three; none if it is something else."""
    given = value if isinstance(value, list) else [value]
    is_valid = len(given) in (1, 3) and all(type(n) in (int, float) for n in given)
    return tuple(map(float, given)) if is_valid else ()


def _facts(texts: Mapping[str, str]) -> YoloFacts | None:
    labels = _labels(literal(texts["names"]))
    size = _size(literal(texts["imgsz"])) if "imgsz" in texts else (_DEFAULT_SIDE, _DEFAULT_SIDE)
    task = texts.get("task", "detect")
    if task not in _KINDS:
        return None
    given = literal(texts["args"]) if texts.get("args") else {}
    facts = YoloFacts(
        labels,
        size,
        stride=_number(literal(texts.get("stride", str(_DEFAULT_STRIDE))), MOST_SIDE),
        is_dynamic=isinstance(given, dict) and given.get("dynamic") is True,
        generation=8 if "task" in texts else 5,
        fit=texts["fit"] if texts.get("fit") in FITS else "crop",
    )
    if task == "pose":
        points, values = _points(literal(texts.get("kpt_shape", "[17, 3]")))
        names = _point_names(texts.get("kpt_names", ""), points)
        facts = facts._replace(points=points, values=values, point_names=names)
    return _KINDS[task](*facts)


def literal(text: str) -> Any:
    """Return the value of a Python literal.

    Raises:
        CoreError: the text is too long, too deep, or no literal.

    >>> literal("{0: 'cat'}"), literal("[640, 640]")
    ({0: 'cat'}, [640, 640])
    """
    if len(text) > LONGEST:
        raise CoreError(f"a text of {len(text):,} characters, more than {LONGEST:,}")
    depth = deepest = 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        deepest = max(deepest, depth)
    if deepest > _DEEPEST:
        raise CoreError(f"{text!r:.80} has more than {_DEEPEST} brackets in each other")
    spend(_BYTES_OF_CHARACTER * len(text), "its metadata")
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
        raise CoreError(f"{text!r:.80} is no literal") from error


def _labels(names: Any) -> tuple[str, ...]:
    """Return labels by their numbers, from 0 on."""
    if isinstance(names, dict) and all(type(key) is int for key in names):
        rows = [names.get(number) for number in range(len(names))]
    else:
        rows = names if isinstance(names, list) else []
    labels = tuple(name for name in rows if isinstance(name, str))
    if not 0 < len(rows) <= _MOST_LABELS or len(labels) < len(rows):
        raise CoreError("names are no labels")
    return labels


def _size(value: Any) -> tuple[int, int]:
    sides = value if isinstance(value, (list, tuple)) else [value, value]
    if len(sides) == 1:
        sides = [*sides, *sides]
    if len(sides) != 2:
        raise CoreError("the size of images has no two sides")
    return _number(sides[0], MOST_SIDE), _number(sides[1], MOST_SIDE)


def _points(value: Any) -> tuple[int, int]:
    if not isinstance(value, (list, tuple)) or len(value) != 2 or value[1] not in (2, 3):
        raise CoreError("the shape of keypoints has no number of points and values")
    return _number(value[0], _MOST_POINTS), value[1]


def _point_names(text: str, points: int) -> tuple[str, ...]:
    """Return the names of the keypoints of the first class, if there are as many."""
    found = literal(text) if text else ()
    names = next(iter(found.values()), ()) if isinstance(found, dict) else found
    is_known = isinstance(names, (list, tuple)) and all(isinstance(name, str) for name in names)
    return tuple(names) if is_known and len(names) == points else ()


def _number(value: Any, most: int) -> int:
    """Return a number from 1 to a limit; strides are written as floats, too."""
    if type(value) not in (int, float) or value != value or not 1 <= value <= most:
        raise CoreError(f"{value!r:.80} is no number from 1 to {most}")
    return int(value)
