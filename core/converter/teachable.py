"""Reader of Teachable Machine bundles: ``metadata.json`` beside a layers model, or a zip."""

import tempfile
from collections.abc import Container, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from core.converter.archives import LARGEST_DOCUMENT, Archive, open_archive
from core.converter.reading import reading
from core.converter.web import read_web
from core.graph.nodes import Graph
from weights_cache.common.errors import WeightsError
from weights_cache.json_documents import parse_json
from weights_cache.manifest import parse_manifest
from weights_cache.paths import inside, require_relative
from weights_cache.reading_budgets import BudgetError, active_budget
from weights_cache.regular_files import open_regular

_MODEL, _METADATA = "model.json", "metadata.json"

#: Metadata has a few names; a larger file is not metadata.
_LARGEST_METADATA = 2**20

#: Keys that only Teachable Machine and its libraries write, and the prefix of the libraries' names.
_AUDIO_KEYS = ("wordLabels", "tfjsSpeechCommandsVersion")
_KEYS = ("tmVersion", *_AUDIO_KEYS)
_PACKAGES = "@teachablemachine/"


class Bundle(NamedTuple):
    """The metadata of a Teachable Machine model.

    Attributes:
        kind: "image", "pose" or "audio"; "" without metadata of Teachable Machine.
        labels: labels of the classes, in the order of the network's output.
        image_size: height and width of the network's input in pixels; 0 for other inputs.
        name: name that the user gave to the model.
    """

    kind: str
    labels: tuple[str, ...]
    image_size: int
    name: str


def read_teachable(path: str | Path, kernels: Container[str] = ()) -> tuple[Graph, Bundle]:
    """Read an export of Teachable Machine for TensorFlow.js.

    Args:
        path: a folder with ``model.json``, ``metadata.json`` and weights, that ``model.json``, or
            a zip of them, in which they may be in a folder. A zip is unpacked to a private
            folder that is removed again.
        kernels: classes of layers that user-defined functions run; see
            `core.layers.inference.layers_graph`.

    Returns:
        The graph, whose metadata is that of the bundle, and the metadata, which is empty if it is
        missing or of another program.

    Raises:
        WeightsError: the network or its weights are missing or damaged, or Teachable Machine's
            metadata is damaged or does not belong to the network.

    Source of the format: the library ``@teachablemachine/image`` 0.8.
    """
    path = Path(path)
    with reading(path), bundle_folder(path) as folder:
        graph = read_web(folder / _MODEL, kernels)
        document = _marked(folder / _METADATA)
        if not document:
            return graph, Bundle("", (), 0, "")
        bundle = _bundle(document, graph, path)
        return graph._replace(metadata=bundle), bundle


def is_teachable(path: str | Path) -> bool:
    """Whether `read_teachable` is the reader for a path.

    Such a path is a folder, or the ``model.json`` in it, with a ``metadata.json`` of Teachable
    Machine, or a zip with a ``model.json``.

    Raises:
        WeightsError: the ``metadata.json`` or the zip is damaged.
    """
    path = Path(path)
    if path.is_dir() or path.name == _MODEL:
        folder = path if path.is_dir() else path.parent
        return (folder / _MODEL).is_file() and bool(_marked(folder / _METADATA))
    if not path.name.lower().endswith(".zip") or not path.is_file():
        return False
    with open_archive(path) as archive:
        return _bundle_prefix(archive) is not None


@contextmanager
def bundle_folder(path: Path) -> Iterator[Path]:
    """Yield the folder with the files of a bundle; the folder of a zip is removed again."""
    if path.is_dir() or path.name == _MODEL:
        yield path if path.is_dir() else path.parent
        return
    with tempfile.TemporaryDirectory(prefix="zoo-") as folder:
        with open_archive(path) as archive:
            _unpack(archive, Path(folder), path)
        yield Path(folder)


def _unpack(archive: Archive, folder: Path, path: Path) -> None:
    """Unpack the archive's model and the files that it names into an empty folder."""
    prefix = _bundle_prefix(archive)
    if prefix is None:
        raise WeightsError(
            f"{path} is not a Teachable Machine bundle: it has no {_MODEL}, but "
            f"{archive.listing}: unpack it and give the model in it"
        )
    model = archive.read(prefix + _MODEL, LARGEST_DOCUMENT)
    _, groups = parse_manifest(model, path / _MODEL)
    _write(inside(folder, _MODEL, str(path)), model)
    if prefix + _METADATA in archive.names:
        _write(folder / _METADATA, archive.read(prefix + _METADATA, LARGEST_DOCUMENT))
    for shard in (shard for group in groups for shard in group.shards):
        name = require_relative(shard, str(path))
        _write(inside(folder, name, str(path)), archive.read(prefix + name))


def _write(path: Path, data: bytes) -> None:
    """Write a temporary file, which does not extend the budget of reading."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    budget = active_budget()
    if budget is not None:
        budget.add_own_file(path.stat())


def _bundle_prefix(archive: Archive) -> str | None:
    """Return the bundle's folder in an archive, with a trailing slash, or None."""
    names = set(archive.names)
    folders = {name.rpartition("/")[0] for name in names if name.count("/") == 1}
    prefixes = ["", *(f"{folder}/" for folder in sorted(folders))]
    return next((prefix for prefix in prefixes if prefix + _MODEL in names), None)


def _marked(path: Path) -> dict[str, Any] | None:
    """Return the metadata in a file, or None if it is missing or not of Teachable Machine."""
    if not path.is_file():  # a folder, or a pipe that never ends
        return None
    try:
        with open_regular(path) as stream:
            data = stream.read(_LARGEST_METADATA + 1)
    except OSError:
        return None
    if len(data) > _LARGEST_METADATA:
        return None
    try:
        document = parse_json(data, path)
    except BudgetError:
        raise
    except WeightsError as error:
        if not any(f'"{mark}'.encode() in data for mark in (*_KEYS, _PACKAGES)):
            return None
        raise WeightsError(
            f"{error}; remove it to load the network without labels, with predict only"
        ) from error
    return document if isinstance(document, dict) and _kind(document) else None


def _kind(document: dict[str, Any]) -> str:
    """Return the kind of model by the keys of its metadata; "" without such keys."""
    package = document.get("packageName")
    package = package if isinstance(package, str) and package.startswith(_PACKAGES) else ""
    if any(key in document for key in _AUDIO_KEYS):
        return "audio"
    if not package and not any(key in document for key in _KEYS):
        return ""
    return "pose" if package == f"{_PACKAGES}pose" else "image"


def _bundle(document: dict[str, Any], graph: Graph, path: Path) -> Bundle:
    name, kind = document.get("modelName"), _kind(document)
    labels = document.get("wordLabels" if kind == "audio" else "labels")
    if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
        raise WeightsError(f"{_METADATA} of {path} lists no labels, but {labels!r:.80}")
    _check_labels(labels, graph, path)
    size = _image_size(document, graph, path) if kind == "image" else 0
    return Bundle(kind, tuple(labels), size, name if isinstance(name, str) else "")


def _check_labels(labels: list[str], graph: Graph, path: Path) -> None:
    shapes = [endpoint.spec.shape for endpoint in graph.outputs.values()]
    classes = shapes[0][-1] if len(shapes) == 1 and shapes[0] else None
    if classes != len(labels):
        raise WeightsError(
            f"{_METADATA} of {path} lists {len(labels)} labels, the network gives {classes} classes"
        )


def _image_size(document: dict[str, Any], graph: Graph, path: Path) -> int:
    """Return the size of the network's input, which the metadata may repeat."""
    shapes = [endpoint.spec.shape or () for endpoint in graph.inputs.values()]
    shape = shapes[0] if len(shapes) == 1 else ()
    size = shape[1] if len(shape) == 4 else None
    if not size or shape[2] != size or shape[3] not in (1, 3):
        raise WeightsError(f"the network of {path} takes {shapes}, no square images")
    if document.get("imageSize", size) != size:
        raise WeightsError(
            f"{_METADATA} of {path} has imageSize {document['imageSize']!r:.40}, the network "
            f"takes {size}"
        )
    return size
