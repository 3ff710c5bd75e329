"""From any model file that is read to the web format of TensorFlow.js."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from core.converter.formats import find_kind, read_graph
from core.converter.quanta import stored_quanta
from core.converter.reading import read_bytes, reading
from core.converter.targets import check_metadata, check_target, refuse_folders
from core.converter.web import WebSource, read_web_source
from core.converter.web_writer import stored_arrays, write_web
from core.errors import CoreError
from core.graph.nodes import Endpoint, Graph, PartialSpec, node_of
from core.plan.passes import optimise as optimised
from core.plan.passes.pruning import drop_unused
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
            where nothing else is asked for; weights of a TFLite file do if they have one scale,
            while those with one for each channel become float32.
        format: ``"graph"``; ``"layers"``, of web models of layers; or ``"auto"``, which is the
            latter for these and the former for all others.
        optimise: whether to run `core.plan.passes.optimise`; by default on all but web models,
            which were optimised when they were made.
        signature: which signature of a SavedModel to convert.
        outputs: names of outputs or nodes, if not all outputs of the model: what comes behind
            them is left away.
        overwrite: whether to replace a model that lies in the folder; never the source itself.

    Returns:
        The path of ``model.json``. The metadata of a Teachable Machine model lies beside it, so
        that it classifies still. An error leaves files that were there as they were.

    Raises:
        WeightsError: the source cannot be read or written in this format, or the target holds a
            model.
        CoreError: there are no outputs or nodes of these names.
    """
    require_format(format)
    kind = find_kind(source)
    folder = check_target(target, Path(source), kind, overwrite=overwrite)
    found = read_source(source, signature=signature)
    refuse_folders(folder, found.folders)
    check_metadata(folder, found.files, overwrite=overwrite)
    if keeps_layers(found, format, optimise, outputs):
        return _write_layers(found, folder, quantise)
    graph = prepared(found, optimise, outputs)
    return write_web(
        graph,
        folder,
        quantise=quantise,
        stored=unchanged(graph, found),
        metadata=found.metadata,
        fields={"convertedBy": "friendly-zoo"},
        files=found.files,
    )


def require_format(format: str) -> None:
    """Raise an error that lists `FORMATS` unless a format is one."""
    if format not in FORMATS:
        raise WeightsError(f"format={format!r} is unknown: give one of {', '.join(FORMATS)}")


class Source(NamedTuple):
    """What is converted.

    Attributes:
        path: that was given.
        graph: of the whole model.
        metadata: its own, for ``userDefinedMetadata``.
        web: all of it, if it is a web model.
        files: what lies beside the model and belongs to it, by name.
    """

    path: Path
    graph: Graph
    metadata: Mapping[str, Any] | None = None
    web: WebSource | None = None
    files: Mapping[str, bytes] = {}

    @property
    def folders(self) -> set[Path]:
        """Where shards lie, if it is a web model."""
        if self.web is None:
            return set()
        folder = self.path if self.path.is_dir() else self.path.parent
        return {(folder / shard).parent for shard in self.web.shards}


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
    """A Teachable Machine export; unless it is a zip it is a web model, whose layers can stay."""
    from core.converter.teachable import bundle_folder, read_teachable

    graph, bundle = read_teachable(path)
    web = None
    if path.is_dir() or path.suffix == ".json":
        web = read_web_source(path)
    if not bundle.kind:
        return Source(path, web.graph if web else graph, None, web)
    with bundle_folder(path) as folder:
        files = {"metadata.json": read_bytes(folder / "metadata.json")}
    metadata = {**bundle._asdict(), "labels": list(bundle.labels)}
    return Source(path, web.graph if web else graph, metadata, web, files)


def prepared(source: Source, optimise: bool | None, outputs: Sequence[str] | None) -> Graph:
    """The graph as it is converted.

    Raises:
        CoreError: the names of outputs are wrong.
        WeightsError: the graph makes no sense.
    """
    graph = source.graph if outputs is None else with_outputs(source.graph, outputs)
    wanted = source.web is None if optimise is None else optimise
    with reading(source.path):
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
    before = source.graph.weights
    kept = [name for name, array in graph.weights.items() if array is before.get(name)]
    if source.web is not None:
        quantised = source.web.quantised
        return {name: quantised[name] for name in kept if name in quantised}
    quanta = source.graph.quantizations
    found = {n: stored_quanta(graph.weights[n], quanta[n]) for n in kept if n in quanta}
    return {name: stored for name, stored in found.items() if stored is not None}


def keeps_layers(
    source: Source, format: str, optimise: bool | None, outputs: Sequence[str] | None
) -> bool:
    """Whether a source is written as layers.

    Raises:
        WeightsError: it should be, but cannot.
    """
    has_layers = source.web is not None and source.web.has_layers
    if format == "layers" and not has_layers:
        raise WeightsError(
            f"{source.path} is no web model of layers: its layers cannot be written as such; leave "
            f"format='layers' away to write its graph"
        )
    if format == "layers" and (optimise or outputs is not None):
        raise WeightsError("a model of layers is written as it is: it has no nodes to change")
    return has_layers and format != "graph" and not optimise and outputs is None


def _write_layers(source: Source, folder: Path, quantise: Quantise) -> Path:
    """The same topology, and weights that may be quantised otherwise."""
    web = source.web
    assert web is not None
    kept = ("format", "generatedBy", "trainingConfig")
    fields = {key: web.document[key] for key in kept if key in web.document}
    return write_weights(
        folder,
        stored_arrays(web.weights, quantise, web.quantised),
        topology=web.document["modelTopology"],
        metadata=source.metadata,
        fields={**fields, "convertedBy": "friendly-zoo"},
        files=source.files,
    )
