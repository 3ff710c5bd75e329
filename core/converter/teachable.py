"""Reader of Teachable Machine bundles: ``metadata.json`` beside a layers model, or a zip."""

import tempfile
from collections.abc import Container, Mapping
from pathlib import Path
from typing import Any

from core.converter.archives import LARGEST_DOCUMENT, Archive
from core.converter.class_labels import FITS, GENERATOR, Bundle
from core.converter.opened import (
    METADATA,
    Metadata,
    Opened,
    teachable_metadata,
)
from core.converter.web import WebSource, read_web_source
from core.converter.web_archives import MODEL, unpack_web, web_model_in
from core.graph.nodes import Graph
from weights_cache.common.errors import WeightsError


def read_teachable(model: Opened, kernels: Container[str] = ()) -> Graph:
    """Read an export of Teachable Machine for TensorFlow.js.

    Args:
        model: a folder with ``model.json``, ``metadata.json`` and weights, that ``model.json``, or
            a zip of them, in which they may be in a folder. A zip is unpacked to a private
            folder that is removed again.
        kernels: classes of layers that user-defined functions run; see
            `core.layers.inference.layers_graph`.

    Returns:
        The graph, whose metadata is a `Bundle`; None if the metadata of a zip are missing or of
        another program.

    Raises:
        WeightsError: the network or its weights are missing or damaged, or Teachable Machine's
            metadata is damaged or does not belong to the network.

    Source of the format: the library ``@teachablemachine/image`` 0.8.
    """
    source, _ = read_bundle(model, kernels)
    return source.graph


def read_bundle(model: Opened, kernels: Container[str] = ()) -> tuple[WebSource, Metadata | None]:
    """Read an export like `read_teachable`, with its document, weights and metadata."""
    if model.archive is None:
        folder = model.path if model.path.is_dir() else model.path.parent
        source, metadata = read_web_source(folder / MODEL, kernels), model.metadata
    else:
        with tempfile.TemporaryDirectory(prefix="zoo-") as temporary:
            metadata = _unpack(model.archive, Path(temporary), model.path)
            source = read_web_source(Path(temporary) / MODEL, kernels)
    if metadata is None:
        return source, None
    bundle = _bundle(metadata, source.graph, model.path)
    return source._replace(graph=source.graph._replace(metadata=bundle)), metadata


def _unpack(archive: Archive, folder: Path, path: Path) -> Metadata | None:
    """Unpack the model and the files that it names into an empty folder; return its metadata."""
    model = web_model_in(archive)
    assert model is not None  # it is known to be a bundle
    unpack_web(archive, model, folder, path)
    prefix = model.removesuffix(MODEL)
    return teachable_metadata(archive.read(prefix + METADATA, LARGEST_DOCUMENT), path / METADATA)


def _bundle(metadata: Metadata, graph: Graph, path: Path) -> Bundle:
    kind, document = metadata.kind, metadata.document
    name = document.get("modelName")
    labels = document.get("wordLabels" if kind == "audio" else "labels")
    if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
        raise WeightsError(f"{METADATA} of {path} lists no labels, but {labels!r:.80}")
    _check_labels(labels, graph, path)
    size = _image_size(document, graph, path) if kind == "image" else 0
    fit = _fit(document.get("userMetadata")) if kind == "image" else ""
    return Bundle(kind, tuple(labels), size, name if isinstance(name, str) else "", fit)


def _fit(user: Any) -> str:
    """Return the way to fit an image that an export of `zoo.teach` names, or ""."""
    is_own = isinstance(user, dict) and user.get("generator") == GENERATOR
    return user["fit"] if is_own and user.get("fit") in FITS else ""


def _check_labels(labels: list[str], graph: Graph, path: Path) -> None:
    shapes = [endpoint.spec.shape for endpoint in graph.outputs.values()]
    classes = shapes[0][-1] if len(shapes) == 1 and shapes[0] else None
    if classes != len(labels):
        raise WeightsError(
            f"{METADATA} of {path} lists {len(labels)} labels, the network gives {classes} classes"
        )


def _image_size(document: Mapping[str, Any], graph: Graph, path: Path) -> int:
    """Return the size of the network's input, which the metadata may repeat."""
    shapes = [endpoint.spec.shape or () for endpoint in graph.inputs.values()]
    shape = shapes[0] if len(shapes) == 1 else ()
    size = shape[1] if len(shape) == 4 else None
    if not size or shape[2] != size or shape[3] not in (1, 3):
        raise WeightsError(f"the network of {path} takes {shapes}, no square images")
    if document.get("imageSize", size) != size:
        raise WeightsError(
            f"{METADATA} of {path} has imageSize {document['imageSize']!r:.40}, the network "
            f"takes {size}"
        )
    return size
