"""Networks as graphs: from files with a topology, or built around a checkpoint's weights."""

import importlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from core import CoreError, Endpoint, Graph, PartialSpec
from weights_cache import WeightsError, load_weights, locate
from zoo.entry import Entry


def build_network(
    entry: Entry, options: Mapping[str, Any], path: str | os.PathLike[str] | None = None
) -> Graph:
    """The graph of an entry.

    Args:
        entry: names the builder of its network, or else the file of its record.
        options: of the model; a builder gets those that it takes.
        path: weights of one's own in place of the entry's: for a builder what `load_weights`
            reads, otherwise a model file, or a folder with a file called as the entry's.

    Raises:
        WeightsError: the weights are missing, damaged, or of another network.
    """
    if entry.network:
        module, function = entry.network.split(":")
        builder = getattr(importlib.import_module(f"zoo.networks.{module}"), function)
        taken = {k: options[k] for k in builder.__kwdefaults__ or () if k in options}
        return builder(load_weights(entry.weights if path is None else path), **taken)
    if path is None:
        return _prepared(entry, _read(entry))
    graph = _read_own(entry, Path(path))
    try:
        _check_same(entry, graph)
        return _prepared(entry, graph)
    except CoreError as error:
        raise WeightsError(f"{path} holds another network than {entry.name}: {error}") from error


def _prepared(entry: Entry, graph: Graph) -> Graph:
    """As the entry says: with other outputs, and for any number of pictures."""
    if entry.outputs:
        graph = _with_outputs(graph, entry.outputs)
    if entry.batch:
        from core.plan.passes import free_batch

        return free_batch(graph)
    return graph


def _read_own(entry: Entry, path: Path) -> Graph:
    from core.converter import read_graph

    if entry.head:
        raise WeightsError(f"{entry.name} is made of two files: load yours with zoo.load(path)")
    inside = path / entry.file
    return read_graph(inside if entry.file and inside.is_file() else path)


def _check_same(entry: Entry, graph: Graph) -> None:
    """Whether pictures fit the input, and what decoders and `infer` ask for is there."""
    known = {*graph.outputs, *graph.aliases, *(node.name for node in graph.nodes)}
    missing = [name for name in (entry.output, *entry.outputs) if name not in known]
    if missing:
        raise CoreError(f"it has no {missing[0]!r}")
    if entry.preprocess.size is None:
        return
    height, width = entry.preprocess.size
    for end in graph.inputs.values():
        sides = (end.spec.shape or ())[1:3]
        if sides not in ((height, width), (None, None)):
            raise CoreError(f"its input is {end.spec.shape}, pictures are made {height} x {width}")


def _read(entry: Entry) -> Graph:
    """The graph of a file; readers of other formats than the entry's need not load."""
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
    from core.plan.passes import drop_unused

    quanta = graph.quantizations
    inner = {name: Endpoint(name, PartialSpec(None), quanta.get(name)) for name in names}
    ends = {name: graph.outputs.get(name, inner[name]) for name in names}
    return drop_unused(graph._replace(outputs=ends))


def _chained(graph: Graph, head: Graph) -> Graph:
    """Both as one; what does that need not load for models of one file."""
    from zoo.networks.chain import chain_graphs

    return chain_graphs(graph, head)
