"""Reader of the web format of TensorFlow.js: ``model.json``, of a graph or layers, and shards."""

from collections.abc import Container, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from core.converter.reading import reading
from core.graph.graph_json_reader import read_graph_document, read_initializer
from core.graph.nodes import Graph
from core.layers import layers_graph
from weights_cache.common.errors import WeightsError
from weights_cache.loader import load_web_model
from weights_cache.quantise import StoredArray
from weights_cache.shards import Stored, WebModel


class WebSource(NamedTuple):
    """A web model: its graph, its document, and its weights.

    ``stored`` are the weights in their stored form, ``weights`` the dequantised values.
    """

    graph: Graph
    document: Mapping[str, Any]
    stored: Mapping[str, Stored]
    weights: Mapping[str, np.ndarray]

    @property
    def quantised(self) -> dict[str, StoredArray]:
        """The weights that are quantised, in stored form."""
        return {name: a for name, a in self.stored.items() if isinstance(a, StoredArray)}

    @property
    def shards(self) -> list[str]:
        """The names of the files with the weights."""
        return [shard for group in self.document["weightsManifest"] for shard in group["paths"]]

    @property
    def has_layers(self) -> bool:
        """Whether the topology consists of layers."""
        return "node" not in self.document["modelTopology"]


def read_web(path: str | Path, kernels: Container[str] = ()) -> Graph:
    """Read a TensorFlow.js model, of a converted graph or of layers.

    Args:
        path: a ``model.json``, or its folder.
        kernels: classes of layers that user-defined functions run; see
            `core.layers.inference.layers_graph`.

    Raises:
        WeightsError: the file is damaged, or has no topology.
    """
    return read_web_source(path, kernels).graph


def read_web_source(path: str | Path, kernels: Container[str] = ()) -> WebSource:
    """Read a web model like `read_web`, with its document and weights."""
    with reading(path):
        return web_source(load_web_model(path), kernels)


def web_source(model: WebModel, kernels: Container[str] = ()) -> WebSource:
    """Return the source with the graph of a web model whose files are read already.

    Args:
        model: result of `weights_cache.load_web_model`.
        kernels: as for `read_web`.

    Raises:
        WeightsError: the model has no topology, or a damaged one.
    """
    with reading(model.path):
        weights = model.weights()
        document = model.document
        topology = document.get("modelTopology") if isinstance(document, dict) else None
        if not isinstance(topology, dict):
            raise WeightsError(
                f"{model.path} has only weights and no modelTopology: read them with "
                f"weights_cache.load_weights, or give the whole model"
            )
        graph = _graph(document, topology, weights, kernels)
    return WebSource(graph, document, model.stored, weights)


def optimizer_weights(document: Mapping[str, Any]) -> set[str]:
    """Return the names of weights that are the state of an optimizer, not of the model."""
    groups = document.get("weightsManifest")
    entries = (entry for group in groups or () for entry in group["weights"])
    return {entry["name"] for entry in entries if entry.get("group") == "optimizer"}


def _graph(
    document: Mapping[str, Any],
    topology: Mapping[str, Any],
    weights: Mapping[str, np.ndarray],
    kernels: Container[str],
) -> Graph:
    if "node" not in topology:
        left_out = optimizer_weights(document)
        own = {name: array for name, array in weights.items() if name not in left_out}
        return layers_graph(topology, own, kernels)
    graph = read_graph_document(topology, _signature(document), weights)
    initializer = document.get("modelInitializer")
    if not isinstance(initializer, dict) or "node" not in initializer:
        return graph
    return read_initializer(graph, initializer, document.get("initializerSignature"), weights)


def _signature(document: Mapping[str, Any]) -> Any:
    """Return the signature, which old converters wrote to the metadata."""
    metadata = document.get("userDefinedMetadata")
    kept = metadata.get("signature") if isinstance(metadata, dict) else None
    return document.get("signature") or kept
