"""The metadata in TFLite files of image classifiers: labels, and the range of pixels.

They are a FlatBuffer in a buffer of the file, and files such as labels in a zip archive behind it.
Source: ``metadata_schema.fbs`` of TensorFlow Lite Support, also in the package mediapipe.
"""

import math
from pathlib import Path

from core.converter.archives import archive_in
from core.converter.class_labels import (
    INSIDE,
    LARGEST_LABELS,
    ClassLabels,
    Pixels,
    number_of_classes,
    parse_labels,
    takes_image,
)
from core.converter.tflite.file_content import Document
from core.converter.tflite.flatbuffer import Table, root
from core.converter.tflite.schema import IDENTIFIER
from core.errors import CoreError
from core.graph.nodes import Graph
from weights_cache.common.errors import WeightsError
from weights_cache.reading_budgets import BudgetError

_NAME, _IDENTIFIER = "TFLITE_METADATA", b"M001"

#: Fields of the tables, by number: of a model, its first subgraph, a tensor, and a file.
_METADATA_OF_MODEL, _SUBGRAPHS = 6, 3
_INPUTS, _OUTPUTS = 2, 3
_PROCESS_UNITS, _FILES = 4, 6
_FILE_NAME, _FILE_TYPE, _FILE_LOCALE = 0, 2, 3

_AXIS_LABELS, _NORMALIZATION = 2, 1  # of the enumerations of files and process units


def metadata_of(document: Document, graph: Graph, path: Path) -> ClassLabels | Pixels | None:
    """Return what a file says of the classes and pixels of its network.

    Args:
        document: the file.
        graph: its network.
        path: of the file, for errors.

    Returns:
        The labels, or only the range of pixels. None if the network does not classify images, and
        if there are no metadata, or only damaged ones, as the network runs without them.
    """
    classes = number_of_classes(graph)
    if classes is None or not takes_image(graph):
        return None
    pixels = None
    try:
        table = _metadata(document)
        if table is None:
            return None
        inputs, outputs = table.tables(_INPUTS), table.tables(_OUTPUTS)
        pixels = _pixels(inputs[0]) if inputs else None
        labels = _labels(outputs[0], document.data, path) if outputs else ()
    except BudgetError:
        raise
    except (CoreError, WeightsError, ValueError):
        return pixels
    return ClassLabels(labels, INSIDE, pixels) if len(labels) == classes else pixels


def _metadata(document: Document) -> Table | None:
    """Return the metadata of the first subgraph."""
    for entry in root(document.data, IDENTIFIER).tables(_METADATA_OF_MODEL):
        number = entry.integer(1, "<I")
        if entry.text(0) == _NAME and number < len(document.buffers):
            start, size = document.buffers[number]
            found = root(document.data[start : start + size], _IDENTIFIER).tables(_SUBGRAPHS)
            return found[0] if found else None
    return None


def _pixels(tensor: Table) -> Pixels | None:
    """Return the normalization of an input."""
    for unit in tensor.tables(_PROCESS_UNITS):
        options = unit.table(1)
        if unit.integer(0, "<B") == _NORMALIZATION and options is not None:
            mean, std = (_numbers(options, field) for field in (0, 1))
            if len(mean) in (1, 3) and len(std) in (1, 3) and all(std):
                return Pixels(mean, std)
    return None


def _numbers(options: Table, field: int) -> tuple[float, ...]:
    array = options.array(field, "<f4")
    if array is None or len(array) > 3:
        return ()
    found: list[float] = array.tolist()
    return tuple(found) if all(map(math.isfinite, found)) else ()


def _labels(tensor: Table, data: bytes, path: Path) -> tuple[str, ...]:
    """Return the labels of an output, in English if there are several languages."""
    files = [f for f in tensor.tables(_FILES) if f.integer(_FILE_TYPE, "<b") == _AXIS_LABELS]
    if not files:
        return ()
    first = min(files, key=lambda file: file.text(_FILE_LOCALE) not in ("", "en"))
    name = first.text(_FILE_NAME)
    with archive_in(path, data) as archive:
        return parse_labels(archive.read(name, LARGEST_LABELS), path / name).labels
