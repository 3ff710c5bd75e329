"""Inputs of a conversion: a model file of any kind, or a graph, with its metadata and files."""

import os
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from core.converter.formats import graph_of
from core.converter.opened import METADATA, Opened, opened
from core.converter.reading import reading
from core.converter.teachable import read_bundle
from core.converter.web import WebSource, read_web_source
from core.errors import CoreError
from core.graph.nodes import Endpoint, Graph, PartialSpec, Quantization, node_of
from core.plan.passes import optimise as optimised
from core.plan.passes.pruning import drop_unused
from weights_cache.common.errors import WeightsError
from weights_cache.quantise import StoredArray, dequantise_array

#: Sources of conversions: the path of a model, or a graph.
Source = str | os.PathLike[str] | Graph


class Original(NamedTuple):
    """The original of a conversion.

    Attributes:
        path: path of the source; a dummy for a graph.
        graph: graph of the whole model.
        metadata: metadata of the model, for ``userDefinedMetadata``.
        web: the whole web model, if the source is one.
        files: files beside the model that belong to it, by name.
    """

    path: Path
    graph: Graph
    metadata: Mapping[str, Any] | None = None
    web: WebSource | None = None
    files: Mapping[str, bytes] = {}

    @property
    def folders(self) -> set[Path]:
        """The folders of the shards of a web model."""
        if self.web is None:
            return set()
        folder = self.path if self.path.is_dir() else self.path.parent
        return {(folder / shard).parent for shard in self.web.shards}


def read_original(source: Source, *, signature: str | None = None) -> Original:
    """Read the original of a conversion."""
    with opened_source(source) as model:
        return original_of(model, signature=signature)


def opened_source(source: Source) -> AbstractContextManager[Opened | Graph]:
    """Return the context in which a source is open; a graph is a source that is read."""
    return nullcontext(source) if isinstance(source, Graph) else opened(source)


def original_of(model: Opened | Graph, *, signature: str | None = None) -> Original:
    """Return the original of a conversion, from an open source."""
    if isinstance(model, Graph):
        if signature is not None:
            raise WeightsError(f"a graph has no signature {signature!r}: leave signature= out")
        return Original(Path("graph"), model)
    if signature is not None or model.kind not in ("teachable", "web"):
        return Original(model.path, graph_of(model, signature=signature))
    if model.kind == "teachable":
        return _read_bundle(model)
    web = read_web_source(model.path)
    metadata = web.document.get("userDefinedMetadata")
    if isinstance(metadata, dict):  # old converters kept the signature there
        metadata = {key: value for key, value in metadata.items() if key != "signature"}
    return Original(model.path, web.graph, metadata or None, web)


def _read_bundle(model: Opened) -> Original:
    """Read a Teachable Machine export; a folder is also a web model, whose layers can be kept."""
    source, metadata = read_bundle(model)
    web = source if model.archive is None else None
    if metadata is None:
        return Original(model.path, source.graph, None, web)
    bundle = source.graph.metadata
    described = {**bundle._asdict(), "labels": list(bundle.labels)}
    return Original(model.path, source.graph, described, web, {METADATA: metadata.data})


def prepared(original: Original, optimise: bool | None, outputs: Sequence[str] | None) -> Graph:
    """Return the graph to convert, optimised and with the requested outputs.

    Raises:
        CoreError: names of outputs are unknown.
        WeightsError: the graph is invalid.
    """
    graph = original.graph if outputs is None else with_outputs(original.graph, outputs)
    optimise = original.web is None if optimise is None else optimise
    with reading(original.path):
        return optimised(graph) if optimise else graph


def with_outputs(graph: Graph, names: Sequence[str]) -> Graph:
    """Return the part of a graph that some outputs need, named by output, alias or node."""
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
    """Return the quantised weights that a graph shares with its original, in stored form."""
    before = original.graph.weights
    kept = [name for name, array in graph.weights.items() if array is before.get(name)]
    if original.web is not None:
        quantised = original.web.quantised
        return {name: quantised[name] for name in kept if name in quantised}
    known = original.graph.quantizations
    found = {n: quantised_weight(graph.weights[n], known[n]) for n in kept if n in known}
    return {name: stored for name, stored in found.items() if stored is not None}


def quantised_weight(array: np.ndarray, quantization: Quantization) -> StoredArray | None:
    """Return the quantised values of a weight, if the web format restores equal bits.

    Args:
        array: the real values.
        quantization: scale, zero point and dtype of the quantised values.

    Returns:
        Quantised values counted from the smallest; None if the real values are not multiples of
        the scale, or the weight is a single number.

    >>> array = np.float32([-1, 0, 0.5])
    >>> stored = quantised_weight(array, Quantization(0.5, 4, "int8"))
    >>> stored.values, stored.scale, stored.minimum
    (array([130, 132, 133], dtype=uint8), 0.5, -66.0)
    """
    scale, (low, high) = quantization.scale, quantization.limits
    if array.dtype != np.float32 or array.size <= 1 or not np.isfinite(array).all():
        return None
    first = low - quantization.zero_point
    values = np.rint(array / np.float64(scale)) - first
    if values.min() < 0 or values.max() > high - low:
        return None
    kind = np.uint8 if high - low < 2**8 else np.uint16
    stored = StoredArray(values.astype(kind), scale, first * scale)
    try:
        same = dequantise_array(*stored).tobytes() == array.tobytes()
    except WeightsError:  # a scale that exceeds the range of float32
        return None
    return stored if same else None


def keeps_layers(
    original: Original, format: str, optimise: bool | None, outputs: Sequence[str] | None
) -> bool:
    """Whether an original is written as layers.

    Raises:
        WeightsError: layers are requested, but cannot be written.
    """
    has_layers = original.web is not None and original.web.has_layers
    if format == "layers" and not has_layers:
        raise WeightsError(
            f"{original.path} is not a web model of layers, so it has no layers to write: "
            f"omit format='layers' to write its graph"
        )
    if format == "layers" and (optimise or outputs is not None):
        raise WeightsError("format='layers' writes unchanged layers: omit optimise= and outputs=")
    return has_layers and format != "graph" and not optimise and outputs is None
