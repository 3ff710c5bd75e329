"""Reader of frozen graphs: a GraphDef in a ``.pb`` file, whose weights are constants."""

import os
from collections.abc import Sequence
from pathlib import Path

from core.converter.freezing import VARIABLES, Freezer
from core.converter.graph_protos import read_graph_def
from core.converter.protobuf import Message
from core.converter.reading import read_bytes, reading
from core.converter.tensor_protos import Budget
from core.errors import CoreError
from core.graph.graph_json_reader import declared_spec, unread
from core.graph.nodes import Endpoint, Graph, Node, PartialSpec, node_of

#: Before this version of GraphDef the shape () of a placeholder meant any shape.
_SHAPES_KNOWN_SINCE = 24

#: Node types that save, train, check or report, and are no outputs.
_AUXILIARY = frozenset(
    {
        *("Assert", "NoOp", "Print", "PrintV2", "Const", "Placeholder", "HistogramSummary"),
        *("ScalarSummary", "ImageSummary", "MergeSummary", "TensorSummary", "AudioSummary"),
        *("Exit", "Switch", "LoopCond", "NextIteration", "Enter", *VARIABLES),
    }
)
_AUXILIARY_PREFIXES = (
    "Save",
    "Restore",
    "Assign",
    "Apply",
    "ResourceApply",
    "Queue",
    "LookupTableImport",
)


def read_frozen_graph(path: str | os.PathLike[str]) -> Graph:
    """Read a frozen graph of TensorFlow 1 or 2, without TensorFlow.

    Outputs are the nodes that no other node reads, inputs the placeholders that an output needs:
    TensorFlow leaves placeholders of the bodies of loops. Nodes for training are dropped, calls of
    functions are inlined, and nodes that pass on a value are bridged.

    Args:
        path: a ``.pb`` file with a binary GraphDef.

    Returns:
        The graph, with its weights.

    Raises:
        WeightsError: the file is missing, not a frozen graph, or damaged.
    """
    path = Path(path)
    if path.name == "saved_model.pb":
        path = path.parent
    with reading(path):
        if path.is_dir():
            raise CoreError("it is a SavedModel: read its folder with read_saved_model")
        data = read_bytes(path)
        budget = Budget(len(data))
        graph = read_graph_def(Message(data), budget)
        outputs = leaves(graph.body.nodes)
        if not outputs:
            raise CoreError("it has no node with a result: is it a GraphDef?")
        frozen = Freezer(graph, budget).freeze(outputs)
        scalars = graph.producer >= _SHAPES_KNOWN_SINCE
        used = {node.name for node in frozen.nodes}
        if frozen.tables:
            raise CoreError(
                f"the hash tables {', '.join(frozen.tables)} are filled by files or nodes outside "
                f"of the graph: give the SavedModel instead"
            )
        return Graph(
            nodes=frozen.nodes,
            weights=frozen.weights,
            inputs={
                n.name: Endpoint(n.name, declared_spec(n, scalars))
                for n in graph.body.nodes
                if n.type == "Placeholder" and n.name in used
            },
            outputs={
                name: Endpoint(frozen.references[name], PartialSpec(None)) for name in outputs
            },
            functions=frozen.functions,
        )


def leaves(nodes: Sequence[Node]) -> list[str]:
    """Return the names of the nodes that no other node reads and that can be outputs."""
    types = {node.name: node.type for node in nodes}
    return [
        node.name
        for node in unread(nodes, waited_for=False)
        if node.type not in _AUXILIARY
        and not node.type.startswith(_AUXILIARY_PREFIXES)
        and not (node.type == "Identity" and types.get(node_of(node.inputs[0])) == "Switch")
    ]
