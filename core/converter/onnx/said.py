"""Facts on a network in the metadata of an ONNX file: those of Ultralytics, or labels alone."""

from collections.abc import Mapping
from numbers import Real
from typing import Any

from core.converter.class_labels import (
    INSIDE,
    ClassLabels,
    Pixels,
    number_of_classes,
    takes_image,
)
from core.converter.ultralytics import YoloFacts, facts_of_yolo, literal
from core.errors import CoreError
from core.graph.nodes import Graph


def said_facts(texts: Mapping[str, str], graph: Graph) -> YoloFacts | ClassLabels | None:
    """Return what metadata say of a network with one input; None if that is nothing.

    Args:
        texts: the metadata.
        graph: the network, which has to give a score for each label.
    """
    if len(graph.inputs) != 1:
        return None
    return facts_of_yolo(texts) or _class_labels(texts, graph)


def _class_labels(texts: Mapping[str, str], graph: Graph) -> ClassLabels | None:
    """Return the labels of a classifier of images with their channels last."""
    names = _literal(texts.get("names", ""))
    if not isinstance(names, dict) or not takes_image(graph):
        return None
    found = [names.get(number) for number in range(len(names))]
    labels = tuple(name for name in found if isinstance(name, str))
    if not number_of_classes(graph) == len(labels) == len(found):
        return None
    return ClassLabels(labels, INSIDE, _pixels(_literal(texts.get("preprocessing", ""))))


def _pixels(how: Any) -> Pixels | None:
    """Return the conversion of pixels in a dict with ``mean`` and ``std``."""
    if not isinstance(how, dict):
        return None
    mean, std = (_numbers(how.get(name)) for name in ("mean", "std"))
    return Pixels(mean, std) if mean and std and all(std) else None


def _numbers(value: Any) -> tuple[float, ...]:
    """Return one number or three; none if it is something else."""
    given = value if isinstance(value, list) else [value]
    is_valid = len(given) in (1, 3) and all(isinstance(n, Real) for n in given)
    return tuple(map(float, given)) if is_valid else ()


def _literal(text: str) -> Any:
    try:
        return literal(text)
    except CoreError:
        return None  # it runs without
