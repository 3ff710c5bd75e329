"""Frozen graphs: what is read from TensorFlow's own, and what is made of each part of the form."""

import numpy as np
import pytest

import core
from core.converter.formats import load_model
from core.converter.graph_def import leaves, read_frozen_graph
from core.converter.graph_protos import read_graph_def
from core.converter.inlining import PASSING, Sources
from core.converter.protobuf import Message
from core.converter.tensor_protos import Budget
from core.converter.web_nodes import lowered
from core.converter.web_writer import unknown_types
from core.graph.graph_json_reader import read_nodes
from core.graph.node_types import find_node_type
from core.graph.nodes import DataType, FunctionName, Node, PartialShape
from core.graph_model.graph_model import GraphModel
from tests.core.converter.fuzz.protobuf import field, shape
from tests.core.converter.graph_parts import (
    FLOAT,
    constant,
    node,
    placeholder,
    read,
    tensor_of,
)
from tests.core.converter.tensorflow_runs import FROZEN, archived_runs, check_run, unpack
from weights_cache.common.errors import WeightsError

RUNS = [run for run in archived_runs() if run.model in FROZEN]


@pytest.mark.parametrize("run", RUNS, ids=str)
def test_what_tensorflow_computes(run, tmp_path):
    unpack(tmp_path, run.model)
    check_run(tmp_path, run)


def test_what_only_training_needs_is_gone(tmp_path):
    unpack(tmp_path, "branches")
    graph = read_frozen_graph(tmp_path / "branches.pb")
    types = {n.type for n in graph.nodes}
    assert not types & {"CheckNumerics", "StopGradient", "Assert"}
    assert {"Switch", "Merge", "Enter"} <= types
    assert graph.weights["w"].shape == (4, 4)
    assert all(w.dtype in (np.float32, np.int32, np.bool_) for w in graph.weights.values())


def test_attributes_are_those_of_the_topology_in_json():
    listed = field(1, field(3, b"\x01\x02")), field(1, field(2, b"a") + field(2, b"b"))
    given = {
        "text": (field(2, b"SAME"), {"s": "U0FNRQ=="}),
        "bytes": (field(2, b"\xff"), {"s": "/w=="}),
        "whole": (field(3, 2**64 - 3), {"i": "-3"}),
        "number": (b"\x25" + np.float32(0.001).tobytes(), {"f": 0.001}),
        "yes": (field(5, 1), {"b": True}),
        "dtype": (field(6, 9), {"type": "DT_INT64"}),
        "reference": (field(6, 101), {"type": "DT_FLOAT"}),
        "shape": (field(7, shape([2, -1])), {"shape": {"dim": [{"size": "2"}, {"size": "-1"}]}}),
        "any": (field(7, field(3, 1)), {"shape": {"unknownRank": True}}),
        "function": (field(10, field(1, "f")), {"func": {"name": "f"}}),
        "numbers": (listed[0], {"list": {"i": ["1", "2"]}}),
        "texts": (listed[1], {"list": {"s": ["YQ==", "Yg=="]}}),
        "functions": (field(1, field(9, field(1, "f"))), {"list": {"func": [{"name": "f"}]}}),
        "empty": (field(1, b""), {"list": {}}),
        "nothing": (b"", {}),
    }
    read_here = read_graph_def(
        Message(node("n", "Relu", "a:1", "^b", **{k: b for k, (b, _) in given.items()})), Budget(0)
    ).body.nodes
    attributes = {key: document for key, (_, document) in given.items()}
    document = {"name": "n", "op": "Relu", "input": ["a:1", "^b"], "attr": attributes}
    assert read_here == read_nodes([document])
    found = read_here[0].attributes
    kinds = {"dtype": DataType, "shape": PartialShape, "function": FunctionName}
    assert all(type(found[key]) is kind for key, kind in kinds.items())


def test_attributes_that_are_tensors():
    one = tensor_of(FLOAT, [1], b"")
    data = node("n", "Any", alone=field(8, one), listed=field(1, field(8, one) + field(8, one)))
    found = read_graph_def(Message(data), Budget(0)).body.nodes[0].attributes
    assert found["alone"].tolist() == [0] and [a.tolist() for a in found["listed"]] == [[0], [0]]


def test_inputs_outputs_and_bridges(tmp_path):
    graph = read(
        tmp_path,
        placeholder(),
        placeholder("unused"),
        constant("c", tensor_of(FLOAT, [2], b"")),
        node("read", "Identity", "c"),
        node("checked", "CheckNumerics", "x", "^assert"),
        node("all", "All", "x"),
        node("assert", "Assert", "all", "x"),
        node("sum", "AddV2", "checked", "read"),
        node("y", "Identity", "sum"),
        node("save", "SaveV2", "c"),
        node("done", "NoOp", "^y", "^save"),
    )
    assert list(graph.inputs) == ["x"] and graph.inputs["x"].spec.shape == (2,)
    assert {name: e.node for name, e in graph.outputs.items()} == {"y": "sum"}
    assert {n.name: n.inputs for n in graph.nodes if n.inputs} == {"sum": ("x", "c")}
    for given in ([1.0, 2.0], {"x": [1.0, 2.0]}):
        assert GraphModel(graph).predict(given)["y"].numpy().tolist() == [1, 2]


def test_inputs_of_the_bodies_of_loops_are_not_asked_for(tmp_path):
    """Freezing a loop of TensorFlow 2 leaves 10 placeholders that no output needs."""
    unpack(tmp_path, "lowered")
    model = load_model(tmp_path / "lowered.pb")
    assert {name: spec.shape for name, spec in model.inputs.items()} == {"x": (None, 3)}
    arrays = np.load(tmp_path / "lowered@x.npz")
    found = model.predict(arrays["in x"])["Identity"].numpy()
    np.testing.assert_allclose(found, arrays["out Identity"], rtol=1e-5)


def test_references_to_variables_are_bridged(tmp_path):
    parts = node("r", "RefIdentity", "x"), node("s", "DebugIdentity", "r"), node("y", "Relu", "s")
    assert {n.type for n in read(tmp_path, placeholder(), *parts).nodes} == {"Placeholder", "Relu"}
    assert all(find_node_type(name) or len(name) > 9 for name in PASSING)  # no part of a name


def test_attributes_that_tensorflow_leaves_out(tmp_path):
    """A SavedModel lacks those that have TensorFlow's default, which may not be TensorFlow.js's."""
    numbers = [tensor_of(3, [], field(7, n)) for n in (1, 7, 2)]
    parts = [constant(f"c{i}", proto) for i, proto in enumerate(numbers)]
    graph = read(tmp_path, *parts, node("y", "Range", "c0", "c1", "c2"))
    found = GraphModel(graph).predict({})["y"]
    assert found.dtype == "int32" and found.numpy().tolist() == [1, 3, 5]


def test_in_old_files_a_placeholder_without_lengths_may_have_any_shape(tmp_path):
    path = tmp_path / "old.pb"
    given = node("x", "Placeholder", dtype=field(6, FLOAT), shape=field(7, b""))
    for producer, expected in [(23, None), (24, ())]:
        path.write_bytes(given + node("y", "Relu", "x") + field(4, field(1, producer)))
        assert read_frozen_graph(path).inputs["x"].spec.shape == expected


@pytest.mark.parametrize(
    "condition, picked, broadcast",
    [
        ([1, 0], [[1, 2], [7, 8]], [[1, 6], [3, 8]]),
        ([[1, 0], [0, 1]], [[1, 6], [7, 4]], [[1, 6], [7, 4]]),
        (1, [[1, 2], [3, 4]], [[1, 2], [3, 4]]),
    ],
)
def test_a_condition_of_one_axis_picks_rows(condition, picked, broadcast, tmp_path):
    """As TensorFlow's Select does; SelectV2 broadcasts it, as TensorFlow.js does in both."""
    given = np.array(condition, np.uint8)
    arrays = {name: np.arange(n, n + 4, dtype="<f4") for name, n in [("x", 1), ("y", 5)]}
    graph = read(
        tmp_path,
        constant("c", tensor_of(10, list(given.shape), field(4, given.tobytes()))),
        *(constant(n, tensor_of(FLOAT, [2, 2], field(4, a.tobytes()))) for n, a in arrays.items()),
        node("rows", "Select", "c", "x", "y"),
        node("all", "SelectV2", "c", "x", "y"),
    )
    for same in (graph, lowered(graph)):
        found = GraphModel(same).predict({})
        assert found["rows"].numpy().tolist() == picked
        assert found["all"].numpy().tolist() == broadcast
    assert not unknown_types(lowered(graph))


def test_conditions_that_do_not_fit(tmp_path):
    graph = read(
        tmp_path,
        constant("c", tensor_of(10, [1], b"")),
        constant("x", tensor_of(FLOAT, [2, 2], b"")),
        node("z", "Select", "c", "x", "x"),
    )
    with pytest.raises(core.CoreError, match="1 conditions cannot pick from 2 rows"):
        GraphModel(graph).predict({})


def test_leaves():
    nodes = [
        Node("x", "Placeholder"),
        Node("split", "Switch", ("x", "x")),
        Node("pivot", "Identity", ("split:1",)),
        Node("y", "Relu", ("split", "^pivot")),
        Node("z", "Relu", ("x",)),
        Node("count", "Exit", ("x",)),
        Node("seen", "HistogramSummary", ("z", "z")),
        Node("later", "NoOp", ("^y",)),
    ]
    assert leaves(nodes) == ["y"]


WRITTEN = [
    placeholder(),
    node("v", "VarHandleOp"),
    node("w", "AssignVariableOp", "v", "x"),
    node("r", "ReadVariableOp", "v", "^w"),
]


@pytest.mark.parametrize(
    "parts, message",
    [
        ([b"\x08\x01"], "field 1 is a number"),
        ([b"nonsense"], "cannot read"),
        ([placeholder()], "no node with a result"),
        ([node("y", "Relu", "x")], "has no node 'x'"),
        ([placeholder(), placeholder(), node("y", "Relu", "x")], "used twice"),
        ([node("a:0", "Relu")], "named 'a:0'"),
        ([node("", "Relu")], "named ''"),
        ([node("c", "Const"), node("y", "Relu", "c")], "'c' has no value"),
        ([node("v", "VariableV2"), node("y", "Relu", "v")], "'v'.*freeze the graph"),
        ([*WRITTEN, node("y", "Relu", "r")], "these nodes write: w"),
        ([node("a", "Identity", "a"), node("y", "Relu", "a")], "depends on itself"),
        ([placeholder(), node("a", "Identity", "x"), node("y", "Relu", "a:3")], "no output 3"),
        ([node("t", "HashTableV2"), node("y", "LookupTableFindV2", "t", "t", "t")], "tables t are"),
        ([node("y", "PartitionedCall", f=field(10, field(1, "f")))], "calls 'f'"),
    ],
)
def test_damaged_graphs(parts, message, tmp_path):
    with pytest.raises(WeightsError, match=message):
        read(tmp_path, *parts)


def test_a_saved_model_is_no_frozen_graph(tmp_path):
    with pytest.raises(WeightsError, match="is a SavedModel"):
        read_frozen_graph(unpack(tmp_path, "simple") / "saved_model.pb")
    with pytest.raises(WeightsError, match="No such file"):
        read_frozen_graph(tmp_path / "missing.pb")


def test_sources():
    nodes = [
        Node("x", "Placeholder"),
        Node("v", "VarHandleOp"),
        Node("same", "Identity", ("x", "^v")),
        Node("read", "ReadVariableOp", ("v",)),
        Node("bn", "FusedBatchNormV3", ("x", "a", "b", "same", "read"), {"is_training": False}),
        Node("a", "Identity", ("b",)),
        Node("b", "Identity", ("a",)),
    ]
    known = {node.name: node for node in nodes}
    sources = Sources(known)
    found = [sources.source(r) for r in ("same", "same:0", "read", "bn:1", "bn:4", "bn:5", "bn")]
    assert found == ["x", "x", "v", "x", "v", "bn:5", "bn"]
    assert Sources(known, stops={"same"}).source("same") == "same"
    assert Sources(known, assigned={"v": "same"}).source("read") == "x"
    for broken in (sources, Sources(known, assigned={"v": "read"})):
        with pytest.raises(core.CoreError, match="depends on itself"):
            broken.source("a" if broken is sources else "read")
    with pytest.raises(core.CoreError, match="'same' has no output 1"):
        sources.source("same:1")
