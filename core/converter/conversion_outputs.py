"""Outputs of a conversion: a graph, or the layers of a web model, with weights of any kind."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from core.converter.conversion_inputs import Original, keeps_layers, prepared, unchanged
from core.converter.reading import reading
from core.converter.web_writer import (
    check_web,
    constants,
    engine_arrays,
    float_kinds,
    prepare_for_web,
    require_web_types,
    stored_arrays,
    unknown_types,
    web_documents,
    write_prepared,
)
from core.graph.nodes import Graph
from core.layers import layer_classes, layers_graph
from weights_cache.quantise import StoredArray
from weights_cache.write import Quantise, write_weights

#: Weights in stored form, by name.
Weights = Mapping[str, np.ndarray | StoredArray]


class _Weights:
    """The weights to write, in the forms of the requested kinds."""

    weights: Mapping[str, np.ndarray]

    def kinds(self, quantise: Quantise, also: Collection[str] = ()) -> dict[str, str]:
        """Return the requested kind of each float weight."""
        return float_kinds(self.weights, quantise, also)

    def arrays(self, kinds: Mapping[str, str], stored: Mapping[str, StoredArray]) -> Weights:
        """Return the weights in the form in which they are written."""
        return stored_arrays(self.weights, kinds, stored)


class WrittenGraph(_Weights):
    """The graph of an original, in node types of TensorFlow.js as far as possible.

    Args:
        original: the original of the conversion.
        optimise: as for `core.converter.convert`.
        outputs: as for `core.converter.convert`.

    Raises:
        CoreError: outputs or nodes of these names do not exist.
        WeightsError: the graph is damaged, or the format cannot hold it.

    Attributes:
        types: number of nodes of each type.
        unsupported: node types that TensorFlow.js lacks, with the names of their nodes.
        weights: arrays by name.
        stored: the weights that the original has quantised, in stored form.
    """

    format = "graph"

    def __init__(self, original: Original, optimise: bool | None, outputs: Sequence[str] | None):
        before = prepared(original, optimise, outputs)
        with reading(original.path):
            self._graph = prepare_for_web(before)
        self._original = original
        self.types = Counter(node.type for node in self._graph.nodes)
        self.unsupported = unknown_types(self._graph)
        self.weights = constants(self._graph)
        self.stored = unchanged(self._graph, original)

    def check(self) -> None:
        """Raise an error that lists all node types that TensorFlow.js lacks."""
        require_web_types(self._graph)
        web_documents(self._graph)  # raises for names and attributes that the format cannot hold

    def graph(self, weights: Mapping[str, np.ndarray]) -> Graph:
        """Return the graph with some weights replaced, to run it."""
        return self._graph._replace(weights={**self._graph.weights, **weights})

    def write(self, folder: Path, weights: Weights) -> Path:
        """Write the model, and return the path of ``model.json``."""
        return write_prepared(
            self._graph,
            folder,
            weights,
            metadata=self._original.metadata,
            fields={"convertedBy": "friendly-zoo"},
            files=self._original.files,
        )


class WrittenLayers(_Weights):
    """The unchanged layers of a web model.

    Args:
        original: a web model of layers.

    Attributes:
        types: number of layers of each class.
        unsupported: none.
        weights: arrays by name.
        stored: the weights that the original has quantised, in stored form.
    """

    format = "layers"

    def __init__(self, original: Original):
        assert original.web is not None
        self._original, self._web = original, original.web
        self._topology = self._web.document["modelTopology"]
        self.types = Counter(layer_classes(self._topology))
        self.unsupported: Mapping[str, Sequence[str]] = {}
        self.weights = engine_arrays(self._web.weights)
        self.stored = self._web.quantised

    def check(self) -> None:
        """Do nothing: layers of any class can be written."""

    def graph(self, weights: Mapping[str, np.ndarray]) -> Graph:
        """Return the graph with some weights replaced, to run it."""
        if not weights:
            return self._original.graph
        return layers_graph(self._topology, {**self.weights, **weights})

    def write(self, folder: Path, weights: Weights) -> Path:
        """Write the model, and return the path of ``model.json``."""
        document = self._web.document
        kept = ("format", "generatedBy", "trainingConfig")
        fields = {key: document[key] for key in kept if key in document}
        return write_weights(
            folder,
            weights,
            topology=self._topology,
            metadata=self._original.metadata,
            fields={**fields, "convertedBy": "friendly-zoo"},
            files=self._original.files,
            check=partial(check_web, self._original.graph),
        )


Written = WrittenGraph | WrittenLayers


def find_written(
    original: Original, format: str, optimise: bool | None, outputs: Sequence[str] | None
) -> Written:
    """Return the graph or layers to write, by the arguments of `core.converter.convert`."""
    if keeps_layers(original, format, optimise, outputs):
        return WrittenLayers(original)
    return WrittenGraph(original, optimise, outputs)


def stored_bytes(array: np.ndarray | StoredArray) -> int:
    """Return the bytes of a weight in the shards."""
    if isinstance(array, StoredArray):
        return array.values.nbytes
    return array.nbytes if array.dtype != object else sum(4 + len(s) for s in array.flat)


def stored_kind(array: np.ndarray | StoredArray) -> str:
    """Return the dtype of a weight in the shards."""
    return array.values.dtype.name if isinstance(array, StoredArray) else array.dtype.name
