"""The graph of an entry: read from its files, or built for the weights of a checkpoint."""

import importlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from core import CoreError, Endpoint, Graph, PartialSpec
from core.plan.passes import drop_unused, free_batch
from weights_cache import load_web_model, load_weights
from weights_cache.common.errors import WeightsError
from weights_cache.store import locate
from zoo.catalog.entry import Entry
from zoo.catalog.networks.chain import chain_graphs


def build_network(
    entry: Entry, options: Mapping[str, Any], path: str | os.PathLike[str] | None = None
) -> Graph:
    """Return the graph of an entry.

    Args:
        entry: entry with the builder of its network, or the file of its record.
        options: options of the model; a builder gets those that it accepts.
        path: custom weights in place of the entry's: for a builder an argument of `load_weights`,
            otherwise a model file, or a folder with a file of the entry's name.

    Raises:
        WeightsError: the weights are missing, damaged, or of another network.
    """
    if entry.network:
        module, function = entry.network.split(":")
        builder = getattr(importlib.import_module(f"zoo.catalog.networks.{module}"), function)
        taken = {k: options[k] for k in builder.__kwdefaults__ or () if k in options}
        return builder(load_weights(entry.weights if path is None else path), **taken)
    if path is None:
        return _prepared(entry, _read(entry))
    graph = _read_own(entry, Path(path))
    try:
        _check_same(entry, graph)
        return _prepared(entry, graph)
    except CoreError as error:
        raise WeightsError(f"{path} has another network than {entry.name}: {error}") from error


def _prepared(entry: Entry, graph: Graph) -> Graph:
    """Return the graph with the entry's outputs, and for any number of images."""
    if entry.outputs:
        graph = _with_outputs(graph, entry.outputs)
    if entry.batch:
        return free_batch(graph)
    return graph


def _read_own(entry: Entry, path: Path) -> Graph:
    if entry.head:
        raise WeightsError(
            f"{entry.name} consists of two files: load a custom model with zoo.load(path)"
        )
    inside = path / entry.file
    return _read_file(inside if entry.file and inside.is_file() else path)


def _read_file(path: Path) -> Graph:
    from core.converter import read_graph  # with readers of all formats

    return read_graph(path)


def _check_same(entry: Entry, graph: Graph) -> None:
    """Raise a CoreError unless images fit the input and the entry's outputs exist."""
    known = {*graph.outputs, *graph.aliases, *(node.name for node in graph.nodes)}
    missing = [name for name in (entry.output, *entry.outputs) if name not in known]
    if missing:
        raise CoreError(f"it has no {missing[0]!r}")
    if entry.preprocess.size is None:
        return
    height, width = entry.preprocess.size
    axes = entry.preprocess.axes
    for end in graph.inputs.values():
        sides = (end.spec.shape or ())[axes.index("h") : axes.index("w") + 1]
        if sides not in ((height, width), (None, None)):
            raise CoreError(
                f"its input is {end.spec.shape}, images are resized to {height} x {width}"
            )


def _read(entry: Entry) -> Graph:
    """Return the graph of a file; of most formats only the reader is imported."""
    if entry.file.endswith(".tflite"):
        from core.converter.tflite import read_tflite

        paths = locate(entry.weights, only=entry.files)
        graph, *heads = [read_tflite(paths[name]) for name in entry.files or ()]
        if heads:
            graph = chain_graphs(graph, *heads)
        return graph
    if entry.file.endswith(".onnx"):
        return _read_file(locate(entry.weights, only=entry.files)[entry.file])
    from core.converter.web import web_source

    return web_source(load_web_model(entry.weights)).graph


def _with_outputs(graph: Graph, names: Sequence[str]) -> Graph:
    """Return the part of a graph that some nodes need, with these nodes as outputs."""
    known = graph.quantizations
    inner = {name: Endpoint(name, PartialSpec(None), known.get(name)) for name in names}
    outputs = {name: graph.outputs.get(name, inner[name]) for name in names}
    return drop_unused(graph._replace(outputs=outputs))
