"""Reader of TensorFlow SavedModels: a folder with a graph, a checkpoint, and assets."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from core.converter.freezing import Freezer, Frozen
from core.converter.graph_protos import GraphDef, read_graph_def
from core.converter.protobuf import Message
from core.converter.reading import read_bytes, reading
from core.converter.restoring import Variables, table_values
from core.converter.tensor_protos import Budget, data_type, shape_lengths
from core.errors import CoreError
from core.graph.graph_json_reader import dtype_of_type, loosened
from core.graph.nodes import Endpoint, Graph, Node, PartialSpec
from weights_cache.paths import inside

_DEFAULT_SIGNATURE = "serving_default"
_INITIALIZER_KEYS = ("__saved_model_init_op", "saved_model_main_op", "legacy_init_op")


class MetaGraph(NamedTuple):
    """One graph of a SavedModel."""

    graph: GraphDef
    signatures: Mapping[str, memoryview]
    restore: str  # the node that restores the variables, or ""
    initializer: str  # the node that fills hash tables, or ""
    assets: Mapping[str, str]  # name of file by the node that stands for its path


def read_saved_model(
    folder: str | os.PathLike[str], signature: str | None = None, tag: str = "serve"
) -> Graph:
    """Read a SavedModel of TensorFlow 1 or 2, without TensorFlow.

    Variables become constants, calls of functions are inlined, and hash tables get the contents
    of the graph's initializer.

    Args:
        folder: folder with ``saved_model.pb`` and ``variables/``.
        signature: name of the signature to read, by default "serving_default".
        tag: tag of the graph to read.

    Returns:
        The graph, with the inputs and outputs of the signature by their keys.

    Raises:
        WeightsError: the model, signature or tag does not exist, or a file is missing or damaged.
    """
    folder = Path(folder)
    with reading(folder):
        data = read_bytes(inside(folder, "saved_model.pb", "the SavedModel"))
        variables = inside(folder, "variables", "the SavedModel") / "variables"
        stored = sum(f.stat().st_size for f in variables.parent.glob("variables.*"))
        budget = Budget(len(data) + stored)
        meta = _meta_graph(Message(data), tag, budget)
        inputs, outputs = _signature(meta.signatures, signature)
        values = Variables(meta.graph, meta.restore, variables, budget)
        fetches = [e.node for e in (*outputs.values(), *inputs.values())]
        frozen = Freezer(meta.graph, budget, values.value).freeze(fetches)
        return _graph(frozen, inputs, outputs, _initializer(frozen, meta, folder, budget, values))


def _graph(
    frozen: Frozen,
    inputs: Mapping[str, Endpoint],
    outputs: Mapping[str, Endpoint],
    initializer: Graph | None,
) -> Graph:
    references = frozen.references
    given = {name: e._replace(node=references[e.node]) for name, e in inputs.items()}
    return Graph(
        nodes=frozen.nodes,
        weights=frozen.weights,
        inputs=loosened(given, frozen.nodes),
        outputs={name: e._replace(node=references[e.node]) for name, e in outputs.items()},
        functions=frozen.functions,
        initializer=initializer,
        resources={name: name for name in frozen.tables},
    )


def _initializer(
    frozen: Frozen, meta: MetaGraph, folder: Path, budget: Budget, values: Variables
) -> Graph | None:
    """Return a graph that fills the hash tables, with one output node per table."""
    if not frozen.tables:
        return None
    found = table_values(frozen.tables, meta.graph, meta.initializer, budget)
    nodes, weights, outputs = [], {}, {}
    for name, table in frozen.tables.items():
        table_contents = found.get(name) or values.table(name)
        if table_contents is None:
            raise CoreError(f"nothing fills the hash table {name!r}")
        keys, items = table_contents.read(folder, meta.assets, budget)
        weights.update({f"{name}/keys": keys, f"{name}/values": items})
        nodes += [Node(f"{name}/{part}", "Const") for part in ("keys", "values")]
        nodes.append(Node(name, "HashTableV2", (), table.attributes))
        inputs = (name, f"{name}/keys", f"{name}/values")
        nodes.append(Node(f"{name}/import", "LookupTableImportV2", inputs))
        outputs[name] = Endpoint(f"{name}/import", PartialSpec(()))
    return Graph(nodes, weights, {}, outputs)


def _meta_graph(proto: Message, tag: str, budget: Budget) -> MetaGraph:
    tags: list[list[str]] = []
    for meta in proto.messages(2):
        tags.append(meta.message(1).texts(4))
        if tag in tags[-1]:
            break
    else:
        raise CoreError(f"no graph has the tag {tag!r}, the tags are {tags!s:.300}")
    signatures = meta.values(5)
    return MetaGraph(
        read_graph_def(meta.message(2), budget),
        signatures,
        meta.message(3).text(3),
        _initializer_name(meta, signatures),
        {a.message(1).text(1).partition(":")[0]: a.text(2) for a in meta.messages(6)},
    )


def _initializer_name(meta: Message, signatures: Mapping[str, memoryview]) -> str:
    """Return the initializer node: a signature in TensorFlow 2, a collection in TensorFlow 1."""
    collections = meta.values(4)
    for key in _INITIALIZER_KEYS:
        if key in signatures:
            names = [Message(info).text(1) for info in Message(signatures[key]).values(2).values()]
        elif key in collections:
            names = Message(collections[key]).message(1).texts(1)
        else:
            names = []
        if names:
            return names[0].partition(":")[0]
    return ""


def _signature(
    signatures: Mapping[str, memoryview], name: str | None
) -> tuple[dict[str, Endpoint], dict[str, Endpoint]]:
    """Return inputs and outputs of a signature, sorted by their keys."""
    name = _DEFAULT_SIGNATURE if name is None else name
    if name not in signatures:
        known = sorted(set(signatures) - set(_INITIALIZER_KEYS))
        raise CoreError(
            f"it has no signature {name!r}, only {known!s:.300}: give one of them as signature="
            if known
            else "it has no signatures: save the model with signatures="
        )
    proto = Message(signatures[name])
    # Sorted by key, as the order in the file is arbitrary.
    inputs, outputs = (
        {key.removesuffix(":0"): _endpoint(key, Message(info)) for key, info in sorted(infos)}
        for infos in (proto.values(1).items(), proto.values(2).items())
    )
    if not outputs:
        raise CoreError(f"the signature {name!r} has no outputs")
    return inputs, outputs


def _endpoint(key: str, info: Message) -> Endpoint:
    if not info.text(1):
        raise CoreError(f"{key!r} of the signature is not a dense tensor")
    shape = shape_lengths(info.message(3))
    lengths = None if shape is None else tuple(n if n >= 0 else None for n in shape)
    dtype = dtype_of_type(data_type(info.integer(2)))
    return Endpoint(info.text(1).removesuffix(":0"), PartialSpec(lengths, dtype))
