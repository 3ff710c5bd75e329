"""Networks as graphs: from files with a topology, or built around a checkpoint's weights."""

import importlib
import os
from collections.abc import Mapping, Sequence
from typing import Any

from core.graph.nodes import Endpoint, Graph, PartialSpec
from weights_cache import load_weights, locate
from zoo.entry import Entry


def build_network(
    entry: Entry, options: Mapping[str, Any], path: str | os.PathLike[str] | None = None
) -> Graph:
    """The graph of an entry.

    Args:
        entry: names the builder of its network, or else the file of its record.
        options: of the model; a builder gets those that it takes.
        path: weights of one's own in place of the entry's: for a builder what `load_weights`
            reads, otherwise a model file.

    Raises:
        WeightsError: the weights are missing, damaged, or of another network.
    """
    if entry.network:
        module, function = entry.network.split(":")
        builder = getattr(importlib.import_module(f"zoo.networks.{module}"), function)
        taken = {k: options[k] for k in builder.__kwdefaults__ or () if k in options}
        return builder(load_weights(entry.weights if path is None else path), **taken)
    graph = _read(entry, path)
    if entry.outputs:
        graph = _with_outputs(graph, entry.outputs)
    if entry.batch:
        from core.graph.passes import free_batch

        return free_batch(graph)
    return graph


def _read(entry: Entry, path: str | os.PathLike[str] | None) -> Graph:
    """The graph of a file; readers of other formats than the entry's need not load."""
    if path is not None:
        from core.converter import read_graph

        return read_graph(path)
    if entry.file.endswith(".tflite"):
        from core.converter.tflite import read_tflite

        paths = locate(entry.weights, only=entry.files)
        graph, *heads = [read_tflite(paths[name]) for name in entry.files or ()]
        return _chained(graph, *heads) if heads else graph
    from core.converter.web import web_source
    from weights_cache import load_web_model

    return web_source(load_web_model(entry.weights)).graph


def _with_outputs(graph: Graph, names: Sequence[str]) -> Graph:
    """What leads to some nodes, which are the outputs then."""
    from core.graph.passes import drop_unused

    quanta = graph.quantizations
    inner = {name: Endpoint(name, PartialSpec(None), quanta.get(name)) for name in names}
    ends = {name: graph.outputs.get(name, inner[name]) for name in names}
    return drop_unused(graph._replace(outputs=ends))


def _chained(graph: Graph, head: Graph) -> Graph:
    """Both as one; what does that need not load for models of one file."""
    from zoo.networks.chain import chain_graphs

    return chain_graphs(graph, head)
