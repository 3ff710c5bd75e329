"""Labels of the classes of a network: in the file itself, or in a ``labels.txt`` beside it."""

import os
import re
from pathlib import Path
from typing import NamedTuple

from core.converter.reading import read_bytes
from core.graph.nodes import Graph
from weights_cache.common.errors import WeightsError

#: The file of labels beside a model, as Teachable Machine names it.
LABELS = "labels.txt"

#: The origins of labels.
TEACHABLE, BESIDE, INSIDE = "Teachable Machine", LABELS, "metadata"

#: Teachable Machine's names of the models that it exports for Python.
TEACHABLE_FILES = (
    "keras_model.h5",
    "model_unquant.tflite",
    "model.tflite",
    "model.savedmodel",
    "soundclassifier_with_metadata.tflite",
)

#: The most pixels of a side of a classifier's input, for which memory is taken.
MOST_SIDE = 4096

#: The generator in the metadata of what `zoo.teach` exports.
GENERATOR = "friendly-zoo"

#: The ways of `zoo.catalog.entry.Preprocess` to fit an image into an input.
FITS = ("letterbox", "stretch", "crop", "pad")

#: The first layer of networks in files that `zoo.teach` exports for Keras: its name says that they
#: take pixels as `SIGNED`.
SIGNED_LAYER = "signed_pixels"

#: Models of these that take pixels as floats: ``model.tflite`` takes uint8.
_FLOAT_FILES = ("keras_model.h5", "model_unquant.tflite", "model.savedmodel")

#: A file of labels has a few names; a larger file is none.
LARGEST_LABELS = 2**20

_NUMBERED = re.compile(r"(\d{1,9})(?:\s+(.*))?")


class Pixels(NamedTuple):
    """Conversion of a pixel p in 0..255: ``(p - mean) / std``, with numbers for 1 or 3 channels."""

    mean: tuple[float, ...]
    std: tuple[float, ...]


#: The conversion in the programs that Teachable Machine shows beside its exports for Python.
SIGNED = Pixels((127.5,), (127.5,))


#: The conversion of Teachable Machine's pages, for its exports for TensorFlow.js.
PAGE_PIXELS = Pixels((127.0,), (127.0,))


class ClassLabels(NamedTuple):
    """The labels of a network that gives one score for each of some classes.

    Attributes:
        labels: labels of the classes, in the order of the network's output.
        origin: `TEACHABLE`, `BESIDE` or `INSIDE`.
        pixels: how it takes images as floats; None: not known.
    """

    labels: tuple[str, ...]
    origin: str
    pixels: Pixels | None = None


class Bundle(NamedTuple):
    """The metadata of a Teachable Machine model for TensorFlow.js.

    Attributes:
        kind: "image", "pose" or "audio".
        labels: labels of the classes, in the order of the network's output.
        image_size: height and width of the network's input in pixels; 0 for other inputs.
        name: name that the user gave to the model.
        fit: how an export of `zoo.teach` was taught to fit an image into the input, one of `FITS`;
            "" for Teachable Machine's way.
    """

    kind: str
    labels: tuple[str, ...]
    image_size: int
    name: str
    fit: str = ""


class ListedLabels(NamedTuple):
    """The labels in a file.

    Attributes:
        labels: the labels.
        are_numbered: whether each line has the number of its class before the label, from 0 on.
    """

    labels: tuple[str, ...]
    are_numbered: bool


def parse_labels(data: bytes, path: object) -> ListedLabels:
    r"""Return the labels in the bytes of a file, one in each line; empty lines do not count.

    Raises:
        WeightsError: the file is no text in UTF-8, too large, or has no labels.

    >>> parse_labels(b"0 cats\n1 large dogs\n", "labels.txt")
    ListedLabels(labels=('cats', 'large dogs'), are_numbered=True)
    >>> parse_labels(b"cats\ndogs", "labels.txt").labels
    ('cats', 'dogs')
    """
    if len(data) > LARGEST_LABELS:
        raise WeightsError(f"{path} is larger than {LARGEST_LABELS} bytes, the limit for labels")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise WeightsError(f"{path} is no text in UTF-8 with a label in each line") from error
    lines = [line.strip() for line in re.split(r"\r\n|\r|\n", text)]
    lines = [line for line in lines if line]
    if not lines or "\0" in text:
        raise WeightsError(f"{path} has no labels: write one in each line")
    matches = [_NUMBERED.fullmatch(line) for line in lines]
    numbered = [(int(match[1]), match[2] or "") for match in matches if match]
    if [number for number, _ in numbered] == [*range(len(lines))]:
        return ListedLabels(tuple(label for _, label in numbered), True)
    return ListedLabels(tuple(lines), False)


def read_labels_file(path: str | os.PathLike[str]) -> ListedLabels:
    """Return the labels in a file as `parse_labels` does.

    Raises:
        WeightsError: as of `parse_labels`, or the file cannot be read.
    """
    return parse_labels(read_bytes(Path(path), LARGEST_LABELS), path)


def number_of_classes(graph: Graph) -> int | None:
    """Return how many scores a network gives for one input; None if it gives anything else."""
    shapes = [endpoint.spec.shape for endpoint in graph.outputs.values()]
    shape = shapes[0] if len(shapes) == 1 else None
    return shape[1] if shape is not None and len(shape) == 2 and shape[0] in (None, 1) else None


def takes_image(graph: Graph) -> bool:
    """Whether a network takes one image, of 3 channels or 1, of a known size."""
    shapes = [endpoint.spec.shape for endpoint in graph.inputs.values()]
    return len(shapes) == 1 and is_image_shape(shapes[0])


def is_image_shape(shape: tuple[int | None, ...] | None) -> bool:
    """Whether an input is one image of 3 channels or 1, of a known size up to `MOST_SIDE`.

    Channels are the last axis or the one before rows and columns.

    >>> is_image_shape((None, 224, 224, 3)), is_image_shape((1, 3, 224, 224))
    (True, True)
    """
    if shape is None or len(shape) != 4 or shape[0] not in (None, 1):
        return False
    if shape[3] not in (1, 3) and shape[1] not in (1, 3):
        return False
    sides = shape[1:3] if shape[3] in (1, 3) else shape[2:]
    return all(n is not None and 0 < n <= MOST_SIDE for n in sides)


def with_labels_beside(graph: Graph, path: Path) -> Graph:
    """Return a graph with the labels beside its file as metadata, if they are those of its classes.

    They are if the network classifies images and gives as many scores. Of Teachable Machine's
    exports for Python, which have known names and numbered labels, networks of sounds have their
    labels, too.

    Args:
        graph: the graph.
        path: the file or folder that it was read from.

    Raises:
        WeightsError: the export of Teachable Machine has another number of labels than classes.
    """
    file, classes = _labels_path(path), number_of_classes(graph)
    if classes is None or not file.is_file():
        return graph
    try:
        listed = read_labels_file(file)
    except WeightsError:
        if path.name not in TEACHABLE_FILES:
            return graph
        raise
    is_teachable = path.name in TEACHABLE_FILES and listed.are_numbered
    is_image = takes_image(graph)
    if classes != len(listed.labels):
        if is_teachable and is_image:
            raise WeightsError(
                f"{file} lists {len(listed.labels)} labels, the network of {path.name} gives "
                f"{classes} classes: they are not of one export; remove {LABELS} to load the "
                f"network alone"
            )
        return graph
    if not (is_image or is_teachable):
        return graph
    known = graph.metadata if isinstance(graph.metadata, Pixels) else None
    is_signed = is_teachable and path.name in _FLOAT_FILES
    pixels = SIGNED if is_signed or _begins_with(SIGNED_LAYER, graph) else known
    origin = TEACHABLE if is_teachable else BESIDE
    return graph._replace(metadata=ClassLabels(listed.labels, origin, pixels))


def _begins_with(layer: str, graph: Graph) -> bool:
    """Whether a layer of that name is all that takes the input of a network."""
    fed = {endpoint.node for endpoint in graph.inputs.values()}
    takers = [node.name for node in graph.nodes if not fed.isdisjoint(node.inputs)]
    return bool(takers) and all(name.partition("/")[0] == layer for name in takers)


def _labels_path(path: Path) -> Path:
    is_inside = path.is_dir() and path.name not in TEACHABLE_FILES
    return path / LABELS if is_inside else path.with_name(LABELS)
