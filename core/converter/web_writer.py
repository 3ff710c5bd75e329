"""The writer of the web format of TensorFlow.js: a graph as ``model.json`` and its shards."""

import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from core.converter.lowering import lowered
from core.converter.web_types import unknown_types
from core.dtypes import DTYPES, to_numpy
from core.errors import CoreError
from core.graph.graph_json_writer import (
    data_type,
    graph_document,
    initializer_signature,
    signature_document,
)
from core.graph.nodes import DataType, Endpoint, Graph, Node, node_of
from core.graph.unique_names import free_name, other_names
from core.plan.passes.pruning import drop_unused
from weights_cache.errors import WeightsError
from weights_cache.quantise import StoredArray, quantise_array
from weights_cache.write import UNQUANTISED, Quantise, kinds_by_name, write_weights

_OURS = {np.dtype(numpy_type) for numpy_type in DTYPES.values()}


def write_web(
    graph: Graph,
    folder: str | os.PathLike[str],
    *,
    quantise: Quantise = None,
    stored: Mapping[str, StoredArray] | None = None,
    metadata: Mapping[str, Any] | None = None,
    fields: Mapping[str, Any] | None = None,
    files: Mapping[str, bytes] | None = None,
) -> Path:
    """Write a graph so that TensorFlow.js 4.22 loads it, and return the path of ``model.json``.

    Node types that TensorFlow.js lacks are written in terms of others, which give the same bits.
    A quantised input or output has real values there, not quanta.

    Args:
        graph: as readers give it.
        folder: where to write; it is made if need be. Files of other names are left alone.
        quantise: None, a kind for all weights (``"float16"``, ``"uint8"``, ``"uint16"``), or a
            dict from patterns of names to kinds, of which the first that matches counts;
            ``"float32"`` leaves weights as they are. Single numbers are never quantised.
        stored: weights that are quantised already, which are written as they are unless
            ``quantise`` asks for another kind.
        metadata: kept as ``userDefinedMetadata``.
        fields: what else the document tells.
        files: what else is written beside it, by name.

    Raises:
        WeightsError: TensorFlow.js lacks node types (all are listed, with the names of their
            nodes), or the format cannot hold a name, an attribute or a weight.
    """
    with _writing():
        graph = prepare_for_web(graph)
        require_web_types(graph)
    arrays = constants(graph)
    weights = stored_arrays(arrays, float_kinds(arrays, quantise), stored or {})
    return write_prepared(graph, folder, weights, metadata=metadata, fields=fields, files=files)


def write_prepared(
    graph: Graph,
    folder: str | os.PathLike[str],
    weights: Mapping[str, np.ndarray | StoredArray],
    *,
    metadata: Mapping[str, Any] | None = None,
    fields: Mapping[str, Any] | None = None,
    files: Mapping[str, bytes] | None = None,
) -> Path:
    """As `write_web`, of a graph from `prepare_for_web` and weights from `stored_arrays`."""
    topology, documents = web_documents(graph)
    return write_weights(
        folder,
        weights,
        topology=topology,
        metadata=metadata,
        fields={**(fields or {}), **documents},
        files=files,
    )


@contextmanager
def _writing() -> Iterator[None]:
    try:
        yield
    except CoreError as error:
        raise WeightsError(f"the graph cannot be written: {error}") from error


def web_documents(graph: Graph) -> tuple[dict[str, Any], dict[str, Any]]:
    """The topology of a graph that was prepared, and what stands beside it in the document.

    Raises:
        WeightsError: the format cannot hold a name or an attribute.
    """
    with _writing():
        return graph_document(graph), _more_documents(graph)


def _more_documents(graph: Graph) -> dict[str, Any]:
    """The signature, and the initializer with its own."""
    documents: dict[str, Any] = {"signature": signature_document(graph)}
    if graph.initializer is not None:
        initializer = graph.initializer._replace(weights=graph.weights)
        documents["modelInitializer"] = graph_document(initializer)
        signature = initializer_signature(graph)
        documents |= {"initializerSignature": signature} if signature else {}
    return documents


def prepare_for_web(graph: Graph) -> Graph:
    """The graph that is written: what outputs need, in node types of TensorFlow.js if they exist.

    Raises:
        CoreError: nodes cannot be written in terms of these.
    """
    if graph.initializer is not None:
        graph = graph._replace(weights={**graph.initializer.weights, **graph.weights})
    return _with_output_nodes(lowered(drop_unused(graph)))


def require_web_types(graph: Graph) -> None:
    """Raise an error that lists the node types of a graph that TensorFlow.js lacks, if any."""
    unknown = unknown_types(graph)
    if unknown:
        listed = "; ".join(f"{kind} ({', '.join(names)})" for kind, names in unknown.items())
        raise WeightsError(
            f"TensorFlow.js has not these node types, and nothing that they could be written with: "
            f"{listed}; name outputs= before them"
        )


def float_kinds(
    weights: Mapping[str, np.ndarray], quantise: Quantise, also: Collection[str] = ()
) -> dict[str, str]:
    """The kind asked for each weight of floats, as by `weights_cache.write.kinds_by_name`."""
    floats = [name for name, array in weights.items() if array.dtype == np.float32]
    return kinds_by_name(floats, quantise, also)


def stored_arrays(
    weights: Mapping[str, np.ndarray], kinds: Mapping[str, str], stored: Mapping[str, StoredArray]
) -> dict[str, np.ndarray | StoredArray]:
    """Arrays as they are written, by name; what is stored already may stay as it is.

    Args:
        weights: of the dtypes of `constants`.
        kinds: by name; weights without one are written as they are.
        stored: those that are quantised already.

    Raises:
        WeightsError: a kind cannot hold a value.
    """
    found: dict[str, np.ndarray | StoredArray] = {}
    for name, array in weights.items():
        kind = kinds.get(name, UNQUANTISED)
        kept = stored.get(name)
        if kept is not None and kind in (UNQUANTISED, kept.values.dtype.name):
            found[name] = kept
        elif kind == UNQUANTISED or array.size <= 1:
            found[name] = array
        else:
            try:
                found[name] = StoredArray(*quantise_array(array, kind))
            except WeightsError as error:
                raise WeightsError(f"weight {name!r}: {error}") from error
    return found


def constants(graph: Graph) -> dict[str, np.ndarray]:
    """The weights that Const nodes hold, in the order of the graph's weights, in our dtypes."""
    bodies = [graph.nodes, *(f.nodes for f in graph.functions.values())]
    if graph.initializer is not None:
        bodies.append(graph.initializer.nodes)
    names = {node.name for body in bodies for node in body if node.type == "Const"}
    return our_arrays({name: array for name, array in graph.weights.items() if name in names})


def our_arrays(weights: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """In dtypes of ours, as they would be when the graph runs."""
    with _writing():
        return {name: _ours(array) for name, array in weights.items()}


def _ours(array: np.ndarray) -> np.ndarray:
    array = np.asarray(array)
    return array if array.dtype in _OURS else to_numpy(array)


def _with_output_nodes(graph: Graph) -> Graph:
    """Every output is the first one of a node of its own, as TensorFlow.js's signatures need."""
    types = {node.name: node.type for node in graph.nodes}
    names = other_names(graph).union(types)
    taken = {node_of(endpoint.node) for endpoint in graph.inputs.values()}
    nodes, outputs = list(graph.nodes), {}
    for name, endpoint in graph.outputs.items():
        reference = endpoint.node.removesuffix(":0")
        if ":" in reference or reference in taken or types.get(reference) == "Const":
            added = free_name(name.replace(":", "_").lstrip("^") or "output", names)
            nodes.append(_identity(added, reference, endpoint))
            names.add(added)
            reference = added
        taken.add(reference)
        outputs[name] = endpoint._replace(node=reference)
    return graph._replace(nodes=nodes, outputs=outputs)


def _identity(name: str, reference: str, endpoint: Endpoint) -> Node:
    attributes: dict[str, DataType] = {"T": data_type(endpoint.spec.dtype)}
    return Node(name, "Identity", (reference,), attributes)
