"""Bundles of Teachable Machine: ``metadata.json`` beside a layers model, in a folder or a zip."""

import tempfile
from collections.abc import Container, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from core.converter.archives import Archive, open_archive
from core.converter.reading import reading
from core.converter.web import read_web
from core.graph.nodes import Graph
from weights_cache.documents import read_json
from weights_cache.errors import WeightsError
from weights_cache.paths import inside

_MODEL, _METADATA = "model.json", "metadata.json"


class Bundle(NamedTuple):
    """What ``metadata.json`` says of a model.

    Attributes:
        kind: "image", "pose" or "audio"; "" if Teachable Machine did not write it.
        labels: of the classes, in the order of the network's output.
        image_size: height and width of the network's input in pixels; 0 if it takes no images.
        name: that the user gave.
    """

    kind: str
    labels: tuple[str, ...]
    image_size: int
    name: str


def read_teachable(path: str | Path, kernels: Container[str] = ()) -> tuple[Graph, Bundle]:
    """Read what Teachable Machine exports for TensorFlow.js.

    Args:
        path: a folder with ``model.json``, ``metadata.json`` and weights, that ``model.json``, or
            a zip of them, which may hold them in a folder. A zip is unpacked to a private
            folder that is removed again.
        kernels: classes of layers that the user's own functions run; see
            `core.layers.inference.layers_graph`.

    Returns:
        The graph, and what the metadata says.

    Raises:
        WeightsError: a file is missing or damaged, or they do not belong together.

    Source of the format: the library ``@teachablemachine/image`` 0.8.
    """
    path = Path(path)
    with reading(path), _folder_of(path) as folder:
        graph = read_web(folder / _MODEL, kernels)
        metadata = folder / _METADATA
        document = read_json(metadata) if metadata.is_file() else {}
        return graph, _bundle(document, graph, path)


def is_teachable(path: str | Path) -> bool:
    """Whether a folder, a ``model.json`` in it, or a zip may be a bundle, by its files' names."""
    path = Path(path)
    if path.is_dir() or path.name == _MODEL:
        folder = path if path.is_dir() else path.parent
        return (folder / _MODEL).is_file() and (folder / _METADATA).is_file()
    if not path.name.lower().endswith(".zip") or not path.is_file():
        return False
    with open_archive(path) as archive:
        return _place(archive) is not None


@contextmanager
def _folder_of(path: Path) -> Iterator[Path]:
    if path.is_dir() or path.name == _MODEL:
        yield path if path.is_dir() else path.parent
        return
    with tempfile.TemporaryDirectory(prefix="zoo-") as folder:
        with open_archive(path) as archive:
            _unpack(archive, Path(folder), path)
        yield Path(folder)


def _unpack(archive: Archive, folder: Path, path: Path) -> None:
    """What lies beside the archive's model, into an empty folder."""
    place = _place(archive)
    if place is None:
        raise WeightsError(
            f"{path} is no bundle of Teachable Machine, it holds no {_MODEL}, but "
            f"{archive.listing}: unpack it and give the model in it"
        )
    for name in archive.names:
        inner = name.removeprefix(place)
        if name.startswith(place) and "/" not in inner:
            inside(folder, inner, str(path)).write_bytes(archive.read(name))


def _place(archive: Archive) -> str | None:
    """The folder in an archive where the bundle is, with a slash behind; None if there is none."""
    names = set(archive.names)
    folders = {name.rpartition("/")[0] for name in names if name.count("/") == 1}
    places = ["", *(f"{folder}/" for folder in sorted(folders))]
    return next((place for place in places if place + _MODEL in names), None)


def _bundle(document: Any, graph: Graph, path: Path) -> Bundle:
    if not isinstance(document, dict):
        raise WeightsError(f"{_METADATA} of {path} should be an object, not {document!r:.80}")
    name = document.get("modelName")
    name = name if isinstance(name, str) else ""
    kind = _kind(document)
    if not kind:
        return Bundle("", (), 0, name)
    labels = document.get("wordLabels" if kind == "audio" else "labels")
    if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
        raise WeightsError(f"{_METADATA} of {path} lists no labels, but {labels!r:.80}")
    _check_labels(labels, graph, path)
    size = _image_size(document, graph, path) if kind == "image" else 0
    return Bundle(kind, tuple(labels), size, name)


def _kind(document: dict[str, Any]) -> str:
    if "wordLabels" in document or "tfjsSpeechCommandsVersion" in document:
        return "audio"
    package = str(document.get("packageName", ""))
    if "labels" not in document and "@teachablemachine" not in package:
        return ""
    return "pose" if package.endswith("/pose") else "image"


def _check_labels(labels: list[str], graph: Graph, path: Path) -> None:
    shapes = [endpoint.spec.shape for endpoint in graph.outputs.values()]
    classes = shapes[0][-1] if len(shapes) == 1 and shapes[0] else None
    if classes != len(labels):
        raise WeightsError(
            f"{_METADATA} of {path} lists {len(labels)} labels, the network gives {classes} classes"
        )


def _image_size(document: dict[str, Any], graph: Graph, path: Path) -> int:
    """The size of the network's input, which the metadata may repeat."""
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
