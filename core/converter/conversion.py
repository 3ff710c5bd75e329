"""From any model file that is read to the web format of TensorFlow.js."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from core.converter.doors import find_kind, read_graph
from core.converter.reading import reading
from core.converter.web import WebSource, read_web_source
from core.converter.web_writer import write_web
from core.errors import CoreError
from core.graph.nodes import Endpoint, Graph, PartialSpec, node_of
from core.graph.passes import optimise as optimised
from core.graph.passes.pruning import drop_unused
from weights_cache.errors import WeightsError
from weights_cache.quantise import StoredArray
from weights_cache.write import Quantise, write_weights

#: What `convert` writes: ``auto`` keeps a web model of layers one of layers.
FORMATS = ("auto", "graph", "layers")


def convert(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    quantise: Quantise = None,
    format: str = "auto",
    optimise: bool | None = None,
    signature: str | None = None,
    outputs: Sequence[str] | None = None,
    overwrite: bool = False,
) -> Path:
    """Convert a model file to ``model.json`` and shards of 4 MiB, which TensorFlow.js loads.

    Args:
        source: a model of any kind that `core.converter.read_graph` reads.
        target: the folder to write to; it is made if need be.
        quantise: ``"float16"``, ``"uint8"`` or ``"uint16"`` for all weights, or a dict from
            patterns of names (``*`` and ``?``) to kinds, of which the first that matches counts;
            ``"float32"`` leaves weights as they are. What is quantised already stays as it is
            where nothing else is asked for.
        format: ``"graph"``; ``"layers"``, of web models of layers; or ``"auto"``, which is the
            latter for these and the former for all others.
        optimise: whether to run `core.graph.passes.optimise`; by default on all but web models,
            which were optimised when they were made.
        signature: which signature of a SavedModel to convert.
        outputs: names of outputs or nodes, if not all outputs of the model: what comes behind
            them is left away.
        overwrite: whether to replace a model that lies in the folder.

    Returns:
        The path of ``model.json``. An error leaves files that were there as they were.

    Raises:
        WeightsError: the source cannot be read or written in this format, or the target holds a
            model.
    """
    if format not in FORMATS:
        raise WeightsError(f"format {format!r} is unknown: give one of {', '.join(FORMATS)}")
    folder = _checked_target(Path(source), Path(target), overwrite)
    found = read_source(source, signature=signature)
    if _keeps_layers(found, format, optimise, outputs):
        assert found.web is not None
        return _write_layers(found.web, folder, quantise, found.metadata)
    graph = prepared(found, optimise, outputs)
    return write_web(
        graph,
        folder,
        quantise=quantise,
        stored=unchanged(graph, found),
        metadata=found.metadata,
        fields={"convertedBy": "friendly-zoo"},
    )


class Source(NamedTuple):
    """What is converted: its graph, its own metadata, and if it is a web model all of that."""

    path: Path
    graph: Graph
    metadata: Mapping[str, Any] | None = None
    web: WebSource | None = None


def read_source(source: str | os.PathLike[str], *, signature: str | None = None) -> Source:
    """Read what is converted."""
    kind, path = find_kind(source), Path(source)
    if signature is not None and kind != "saved":
        raise WeightsError(f"{path} is no SavedModel, so it has no signature {signature!r}")
    if kind == "saved" and signature is not None:
        from core.converter.saved_model import read_saved_model

        return Source(path, read_saved_model(path, signature=signature))
    if kind == "teachable":
        return _read_bundle(path)
    if kind != "web":
        return Source(path, read_graph(path))
    web = read_web_source(path)
    metadata = web.document.get("userDefinedMetadata")
    if isinstance(metadata, dict):  # old converters kept the signature there
        metadata = {key: value for key, value in metadata.items() if key != "signature"}
    return Source(path, web.graph, metadata or None, web)


def _read_bundle(path: Path) -> Source:
    """A Teachable Machine export; in a folder it is a web model, whose layers can stay."""
    from core.converter.teachable import read_teachable

    graph, bundle = read_teachable(path)
    metadata = {**bundle._asdict(), "labels": list(bundle.labels)}
    web = read_web_source(path) if path.is_dir() else None
    return Source(path, web.graph if web else graph, metadata, web)


def prepared(source: Source, optimise: bool | None, outputs: Sequence[str] | None) -> Graph:
    """The graph as it is converted."""
    graph = source.graph
    with reading(source.path):
        if outputs is not None:
            graph = with_outputs(graph, outputs)
        wanted = source.web is None if optimise is None else optimise
        return optimised(graph) if wanted else graph


def with_outputs(graph: Graph, names: Sequence[str]) -> Graph:
    """The part of a graph that leads to other outputs: of outputs, aliases or nodes the names."""
    known = {node.name for node in graph.nodes}
    outputs = {}
    for name in names:
        endpoint = graph.outputs.get(name)
        if endpoint is None:
            endpoint = Endpoint(graph.aliases.get(name, name), PartialSpec(None))
        if node_of(endpoint.node) not in known:
            raise CoreError(f"there is no output or node {name!r}; outputs: {list(graph.outputs)}")
        outputs[name] = endpoint
    if not outputs:
        raise CoreError("name one output at least")
    return drop_unused(graph._replace(outputs=outputs))


def unchanged(graph: Graph, source: Source) -> dict[str, StoredArray]:
    """The weights of a graph that are those of its source, as they are stored there."""
    if source.web is None:
        return {}
    before = source.graph.weights
    return {
        name: stored
        for name, stored in source.web.stored.items()
        if isinstance(stored, StoredArray)
        and name in graph.weights
        and graph.weights[name] is before.get(name)
    }


def _keeps_layers(
    source: Source, format: str, optimise: bool | None, outputs: Sequence[str] | None
) -> bool:
    has_layers = source.web is not None and source.web.has_layers
    if format == "layers" and not has_layers:
        raise WeightsError(
            f"{source.path} is no web model of layers: its layers cannot be written as such; leave "
            f"format='layers' away to write its graph"
        )
    if format == "layers" and (optimise or outputs is not None):
        raise WeightsError("a model of layers is written as it is: it has no nodes to change")
    return has_layers and format != "graph" and not optimise and outputs is None


def _write_layers(
    web: WebSource, folder: Path, quantise: Quantise, metadata: Mapping[str, Any] | None
) -> Path:
    """The same topology, and weights that may be quantised otherwise."""
    kept = ("format", "generatedBy", "trainingConfig")
    fields = {key: web.document[key] for key in kept if key in web.document}
    return write_weights(
        folder,
        web.stored,
        quantise=quantise,
        topology=web.document["modelTopology"],
        metadata=metadata,
        fields={**fields, "convertedBy": "friendly-zoo"},
    )


def _checked_target(source: Path, target: Path, overwrite: bool) -> Path:
    """The folder to write to, which must not be that of the source."""
    with reading(target):
        if target.exists() and not target.is_dir():
            raise WeightsError(f"cannot write to {target}: it is a file, give a folder")
        if target.exists() and source.exists():
            own = source if source.is_dir() else source.parent
            own_files = not source.is_file() or source.name == "model.json"
            if own_files and target.samefile(own):
                raise WeightsError(f"{target} holds the source itself: give another folder")
        if not overwrite and (target / "model.json").exists():
            raise WeightsError(
                f"there is a model in {target}: give another folder, or overwrite=True"
            )
    return target
