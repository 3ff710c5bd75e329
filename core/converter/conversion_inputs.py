"""What is converted: a model file of any kind, or a graph, with what belongs to it."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from core.converter.formats import find_kind, read_graph
from core.converter.quantized_weights import stored_quanta
from core.converter.reading import read_bytes, reading
from core.converter.web import WebSource, read_web_source
from core.errors import CoreError
from core.graph.nodes import Endpoint, Graph, PartialSpec, node_of
from core.plan.passes import optimise as optimised
from core.plan.passes.pruning import drop_unused
from weights_cache.errors import WeightsError
from weights_cache.quantise import StoredArray


class Original(NamedTuple):
    """What is converted.

    Attributes:
        path: that was given; of a graph that was given no real one.
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


def read_original(
    source: str | os.PathLike[str] | Graph, *, signature: str | None = None
) -> Original:
    """Read what is converted."""
    if isinstance(source, Graph):
        if signature is not None:
            raise WeightsError(f"a graph has no signature {signature!r}: leave signature= out")
        return Original(Path("graph"), source)
    with reading(source):
        return _read_file(source, signature)


def _read_file(source: str | os.PathLike[str], signature: str | None) -> Original:
    kind, path = find_kind(source), Path(source)
    if signature is not None and kind != "saved":
        raise WeightsError(f"{path} is no SavedModel, so it has no signature {signature!r}")
    if kind == "saved" and signature is not None:
        from core.converter.saved_model import read_saved_model

        return Original(path, read_saved_model(path, signature=signature))
    if kind == "teachable":
        return _read_bundle(path)
    if kind != "web":
        return Original(path, read_graph(path))
    web = read_web_source(path)
    metadata = web.document.get("userDefinedMetadata")
    if isinstance(metadata, dict):  # old converters kept the signature there
        metadata = {key: value for key, value in metadata.items() if key != "signature"}
    return Original(path, web.graph, metadata or None, web)


def _read_bundle(path: Path) -> Original:
    """A Teachable Machine export; unless it is a zip it is a web model, whose layers can stay."""
    from core.converter.teachable import bundle_folder, read_teachable

    graph, bundle = read_teachable(path)
    web = None
    if path.is_dir() or path.suffix == ".json":
        web = read_web_source(path)
    if not bundle.kind:
        return Original(path, web.graph if web else graph, None, web)
    with bundle_folder(path) as folder:
        files = {"metadata.json": read_bytes(folder / "metadata.json")}
    metadata = {**bundle._asdict(), "labels": list(bundle.labels)}
    return Original(path, web.graph if web else graph, metadata, web, files)


def prepared(original: Original, optimise: bool | None, outputs: Sequence[str] | None) -> Graph:
    """The graph as it is converted.

    Raises:
        CoreError: the names of outputs are wrong.
        WeightsError: the graph makes no sense.
    """
    graph = original.graph if outputs is None else with_outputs(original.graph, outputs)
    wanted = original.web is None if optimise is None else optimise
    with reading(original.path):
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


def unchanged(graph: Graph, original: Original) -> dict[str, StoredArray]:
    """The weights of a graph that are those of its original, as they are stored there."""
    before = original.graph.weights
    kept = [name for name, array in graph.weights.items() if array is before.get(name)]
    if original.web is not None:
        quantised = original.web.quantised
        return {name: quantised[name] for name in kept if name in quantised}
    quanta = original.graph.quantizations
    found = {n: stored_quanta(graph.weights[n], quanta[n]) for n in kept if n in quanta}
    return {name: stored for name, stored in found.items() if stored is not None}


def keeps_layers(
    original: Original, format: str, optimise: bool | None, outputs: Sequence[str] | None
) -> bool:
    """Whether an original is written as layers.

    Raises:
        WeightsError: it should be, but cannot.
    """
    has_layers = original.web is not None and original.web.has_layers
    if format == "layers" and not has_layers:
        raise WeightsError(
            f"{original.path} is no web model of layers: its layers cannot be written as such; "
            f"leave format='layers' away to write its graph"
        )
    if format == "layers" and (optimise or outputs is not None):
        raise WeightsError("a model of layers is written as it is: it has no nodes to change")
    return has_layers and format != "graph" and not optimise and outputs is None
