"""The web format of TensorFlow.js: ``model.json``, of a graph or of layers, and its shards."""

from collections.abc import Container, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from core.converter.reading import reading
from core.graph.graph_json_reader import read_graph_document, read_initializer
from core.graph.nodes import Graph
from weights_cache.errors import WeightsError
from weights_cache.loader import load_web_model
from weights_cache.quantise import StoredArray
from weights_cache.shards import Stored, WebModel


class WebSource(NamedTuple):
    """A web model as it was read: its graph, its document, and its weights.

    ``stored`` are the weights as the shards hold them, ``weights`` what these mean.
    """

    graph: Graph
    document: Mapping[str, Any]
    stored: Mapping[str, Stored]
    weights: Mapping[str, np.ndarray]

    @property
    def quantised(self) -> dict[str, StoredArray]:
        """The weights that are stored as something else."""
        return {name: a for name, a in self.stored.items() if isinstance(a, StoredArray)}

    @property
    def shards(self) -> list[str]:
        """Names of the files that hold the weights."""
        return [shard for group in self.document["weightsManifest"] for shard in group["paths"]]

    @property
    def has_layers(self) -> bool:
        """Whether its topology is one of layers."""
        return "node" not in self.document["modelTopology"]


def read_web(path: str | Path, kernels: Container[str] = ()) -> Graph:
    """Read a TensorFlow.js model, of a converted graph or of layers.

    Args:
        path: a ``model.json``, or the folder that holds it.
        kernels: classes of layers that the user's own functions run; see
            `core.layers.inference.layers_graph`.

    Raises:
        WeightsError: the file is damaged, or holds weights alone.
    """
    return read_web_source(path, kernels).graph


def read_web_source(path: str | Path, kernels: Container[str] = ()) -> WebSource:
    """As `read_web`; what it was made of comes with it."""
    with reading(path):
        return web_source(load_web_model(path), kernels)


def web_source(model: WebModel, kernels: Container[str] = ()) -> WebSource:
    """The graph of a web model whose files are read already.

    Args:
        model: from `weights_cache.load_web_model`.
        kernels: as for `read_web`.

    Raises:
        WeightsError: it holds weights alone, or its topology is damaged.
    """
    with reading(model.path):
        weights = model.weights()
        document = model.document
        topology = document.get("modelTopology") if isinstance(document, dict) else None
        if not isinstance(topology, dict):
            raise WeightsError(
                f"{model.path} holds weights alone: it has no modelTopology that tells what to do "
                f"with them; weights_cache.load_weights reads them"
            )
        graph = _graph(document, topology, weights, kernels)
    return WebSource(graph, document, model.stored, weights)


def _graph(
    document: Mapping[str, Any],
    topology: Mapping[str, Any],
    weights: Mapping[str, np.ndarray],
    kernels: Container[str],
) -> Graph:
    if "node" not in topology:
        from core.layers import layers_graph

        return layers_graph(topology, weights, kernels)
    graph = read_graph_document(topology, _signature(document), weights)
    initializer = document.get("modelInitializer")
    if not isinstance(initializer, dict) or "node" not in initializer:
        return graph
    return read_initializer(graph, initializer, document.get("initializerSignature"), weights)


def _signature(document: Mapping[str, Any]) -> Any:
    """Converters of old kept the signature in the metadata."""
    metadata = document.get("userDefinedMetadata")
    kept = metadata.get("signature") if isinstance(metadata, dict) else None
    return document.get("signature") or kept
