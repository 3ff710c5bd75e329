"""Graphs of TensorFlow as web models, frozen graphs and SavedModels.

They are those that TensorFlow.js and TensorFlow recorded for the tests of node types and of
control flow (each node type once, loops and branches of both TensorFlows, functions, lists, arrays,
strings, sparse and ragged values, detections), the files that TensorFlow itself wrote, and
a small convolutional network with quantised weights.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tests.core.converter.fuzz import documents as small
from tests.core.converter.fuzz import files, protobuf
from tests.core.converter.fuzz.bundle import checkpoint
from tests.core.converter.tensorflow_runs import ARCHIVE, FROZEN, unpack
from tests.core.graph.control_graphs import RECORDED
from tests.core.graph.test_node_types import GRAPHS, array, label
from tests.reliability.fuzz.writers import Writers
from weights_cache import write_weights

Arrays = dict[str, np.ndarray]

#: So many graphs of single nodes are also one model.
JOINED = 6

_DTYPES = {
    "float32": "DT_FLOAT",
    "int32": "DT_INT32",
    "bool": "DT_BOOL",
    "complex64": "DT_COMPLEX64",
    "object": "DT_STRING",
}


class Recorded(NamedTuple):
    """A graph as a document, its constants, and the names of its outputs."""

    topology: dict[str, Any]
    weights: Arrays
    outputs: Sequence[str]


@cache
def recorded() -> dict[str, Recorded]:
    """All graphs by name."""
    found = {name: _control(document) for name, document in RECORDED.items()}
    singles = [_single(f"n{i}/", document) for i, document in enumerate(GRAPHS)]
    for i, document in enumerate(GRAPHS):
        found[f"{i}-{label(document)}"] = singles[i]
    for i in range(0, len(singles), JOINED):
        found[f"joined-{i}"] = _joined(singles[i : i + JOINED])
    return found


def _control(document: dict[str, Any]) -> Recorded:
    weights = {
        name: np.array(value["values"], value["dtype"]).reshape(value["shape"])
        for name, value in document["weights"].items()
    }
    return Recorded(document["topology"], weights, document["outputs"])


def _single(prefix: str, document: dict[str, Any]) -> Recorded:
    """The graph of one node type; the first input of floats is fed, the others are constants."""
    arrays = {name: array(literal) for name, literal in document["inputs"].items()}
    fed = next((n for n, a in arrays.items() if a.dtype == np.float32), None)
    nodes = [
        _placeholder(name, value) if name == fed else {"name": name, "op": "Const", "attr": {}}
        for name, value in arrays.items()
    ]
    renamed = [
        {
            **node,
            "name": prefix + node["name"],
            "input": [
                f"^{prefix}{ref[1:]}" if ref[:1] == "^" else prefix + ref
                for ref in node.get("input", ())
            ],
        }
        for node in [*nodes, *document["nodes"]]
    ]
    weights = {prefix + name: value for name, value in arrays.items() if name != fed}
    return Recorded({"node": renamed}, weights, [prefix + name for name in document["outputs"]])


def _placeholder(name: str, value: np.ndarray) -> dict[str, Any]:
    attributes = small.attr(dtype="DT_FLOAT", shape=small.extent(*value.shape))
    return {"name": name, "op": "Placeholder", "attr": attributes}


def _joined(graphs: Sequence[Recorded]) -> Recorded:
    nodes = [node for graph in graphs for node in graph.topology["node"]]
    weights = {name: value for graph in graphs for name, value in graph.weights.items()}
    return Recorded({"node": nodes}, weights, [name for graph in graphs for name in graph.outputs])


def web_writers() -> Writers:
    """Web models."""
    return {"quantised": _write_quantised} | {
        name: partial(_write_web, graph) for name, graph in recorded().items()
    }


def _write_quantised(folder: Path) -> Path:
    return files.write_model("graph", folder)


def _write_web(graph: Recorded, folder: Path) -> Path:
    outputs = {f"out{i}": {"name": name} for i, name in enumerate(graph.outputs)}
    return write_weights(
        folder,
        graph.weights,
        topology=graph.topology,
        metadata={"signature": {"outputs": outputs}} if outputs else None,
    )


def frozen_writers() -> Writers:
    """Frozen graphs."""
    return {
        "small": partial(files.write_model, "frozen"),
        **{f"tensorflow-{name}": partial(_copy, f"{name}.pb") for name in FROZEN},
        **{name: partial(_write_frozen, graph) for name, graph in recorded().items()},
    }


def _write_frozen(graph: Recorded, folder: Path) -> Path:
    path = folder / "graph.pb"
    path.write_bytes(_graph_def(graph.topology, graph.weights))
    return path


def _graph_def(topology: Mapping[str, Any], weights: Arrays) -> bytes:
    protos = {name: tensor_proto(value) for name, value in weights.items()}
    return protobuf.graph_def(topology, protos) + protobuf.field(4, protobuf.field(1, 2000))


def tensor_proto(value: np.ndarray) -> bytes:
    """An array as a TensorProto; strings have a field of their own."""
    if value.dtype != object:
        kind = _DTYPES[value.dtype.name]
        return protobuf.tensor(kind, list(value.shape), value.tobytes())
    head = protobuf.field(1, protobuf.TYPES["DT_STRING"])
    head += protobuf.field(2, protobuf.shape(list(value.shape)))
    return head + b"".join(protobuf.field(8, text) for text in value.ravel())


def saved_writers() -> Writers:
    """SavedModels: of the control flow with variables, the small network's, and TensorFlow's."""
    return {
        "small": partial(files.write_model, "saved"),
        **{f"tensorflow-{name}": partial(_copy, name) for name in _archived_folders()},
        **{
            name: partial(_write_saved, graph)
            for name, graph in recorded().items()
            if name in RECORDED or name.startswith("joined")
        },
    }


def compressed_writers() -> Writers:
    """SavedModels whose index is compressed by Snappy, as TensorFlow 1 wrote them."""
    return {"small": partial(files.write_model, "snappy")} | {
        name: partial(_write_saved, graph, is_compressed=True)
        for name, graph in recorded().items()
        if name in RECORDED or name.startswith("joined")
    }


def _archived_folders() -> Iterator[str]:
    import zipfile

    with zipfile.ZipFile(ARCHIVE) as archive:
        yield from sorted({n.partition("/")[0] for n in archive.namelist() if "/" in n})


def _write_saved(graph: Recorded, folder: Path, is_compressed: bool = False) -> Path:
    """Float constants become variables, which a checkpoint fills."""
    free = {n["name"] for n in graph.topology["node"] if not n.get("input")}
    floats = {k: v for k, v in graph.weights.items() if v.dtype == np.float32 and k in free}
    constants = {name: value for name, value in graph.weights.items() if name not in floats}
    nodes = [n for n in graph.topology["node"] if n["name"] not in floats]
    for name, value in floats.items():
        nodes += _variable(name, value)
    field, entry = protobuf.field, protobuf.entry
    ends = [
        entry(1, node["name"], _tensor_info(node["name"], node["attr"].get("shape")))
        for node in nodes
        if node["op"] == "Placeholder"
    ]
    ends += [entry(2, f"out{i}", _tensor_info(n)) for i, n in enumerate(graph.outputs)]
    signature = b"".join(ends) + field(3, "tensorflow/serving/predict")
    meta_graph = (
        field(1, field(4, "serve"))
        + field(2, _graph_def({**graph.topology, "node": nodes}, constants))
        + entry(5, "serving_default", signature)
    )
    (folder / "saved_model.pb").write_bytes(field(1, 1) + field(2, meta_graph))
    index, data = checkpoint(floats, is_compressed)
    (folder / "variables").mkdir()
    (folder / "variables" / "variables.index").write_bytes(index)
    (folder / "variables" / "variables.data-00000-of-00001").write_bytes(data)
    return folder


def _variable(name: str, value: np.ndarray) -> list[dict[str, Any]]:
    where = f"{name}/variable"
    how = {"dtype": "DT_FLOAT", "shape": small.extent(*value.shape), "shared_name": name}
    return [
        small.node(where, "VarHandleOp", **how),
        small.node(name, "ReadVariableOp", where, dtype="DT_FLOAT"),
    ]


def _tensor_info(name: str, shape: Mapping[str, Any] | None = None) -> bytes:
    lengths = {"unknownRank": True} if shape is None else shape["shape"]
    return (
        protobuf.field(1, name if ":" in name else f"{name}:0")
        + protobuf.field(2, protobuf.TYPES["DT_FLOAT"])
        + protobuf.field(3, protobuf.shape_of(lengths))
    )


def _copy(name: str, folder: Path) -> Path:
    """A file or folder of the archive."""
    unpack(folder, name)
    for leftover in folder.glob("*.npz"):
        leftover.unlink()
    return folder / name
