"""Frozen graphs: what is read from TensorFlow's own, and what is made of each part of the form."""

import numpy as np
import pytest

import core
from core.converter import tensor_protos
from core.converter.graph_def import leaves, read_frozen_graph
from core.converter.graph_protos import read_graph_def
from core.converter.protobuf import Message
from core.converter.tensor_protos import Budget, narrowed, read_tensor
from core.graph.model import GraphModel
from core.graph.nodes import DataType, FunctionName, Node, PartialShape
from core.graph.topology import read_nodes
from tests.core.converter.fuzz.protobuf import TYPES, entry, field, shape
from tests.core.converter.tensorflow_runs import archived_runs, check_run, unpack
from weights_cache.errors import WeightsError

FROZEN = [run for run in archived_runs() if run.model in ("branches", "functions")]
FLOAT, INT64 = TYPES["DT_FLOAT"], 9


def node(name: str, kind: str, *inputs: str, **attributes: bytes) -> bytes:
    listed = b"".join(field(3, i) for i in inputs)
    given = b"".join(entry(5, key, value) for key, value in attributes.items())
    return field(1, field(1, name) + field(2, kind) + listed + given)


def constant(name: str, proto: bytes, *inputs: str) -> bytes:
    return node(name, "Const", *inputs, value=field(8, proto))


def placeholder(name: str = "x") -> bytes:
    lengths = field(7, shape([2]))
    return node(name, "Placeholder", dtype=field(6, FLOAT), shape=lengths)


def tensor_of(dtype: int, lengths: list[int], rest: bytes) -> bytes:
    return field(1, dtype) + field(2, shape(lengths)) + rest


def read(folder, *parts: bytes):
    path = folder / "graph.pb"
    path.write_bytes(b"".join(parts) + field(4, field(1, 2000)))
    return read_frozen_graph(path)


@pytest.mark.parametrize("run", FROZEN, ids=str)
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


@pytest.mark.parametrize(
    "dtype, lengths, rest, expected",
    [
        (FLOAT, [2], field(4, np.array([1, 2.5], "<f4").tobytes()), [1, 2.5]),
        (FLOAT, [3], field(5, np.array([1, 2.5], "<f4").tobytes()), [1, 2.5, 2.5]),
        (FLOAT, [2], b"", [0, 0]),
        (FLOAT, [0], b"", []),
        (2, [2], field(6, np.array([0.5], "<f8").tobytes()), [0.5, 0.5]),
        (3, [], field(7, 7), 7),
        (4, [2], field(7, b"\x07\xc8\x01"), [7, 200]),
        (6, [1], field(7, b"\xfd" + b"\xff" * 8 + b"\x01"), [-3]),
        (8, [1], field(9, np.array([1, -2], "<f4").tobytes()), [1 - 2j]),
        (INT64, [2], field(10, b"\x05\x06"), [5, 6]),
        (10, [3], field(11, b"\x01\x00"), [True, False, False]),
        (19, [2], field(13, b"\x80\x78"), [1, 1]),  # the bits of 1.0 in half precision
        (14, [1], field(13, b"\x80\x7f"), [1]),  # and in bfloat16
        (14, [1], field(4, b"\x80\x3f"), [1]),
        (7, [2], field(8, b"owl"), [b"owl", b"owl"]),
        (7, [1], b"", [b""]),
    ],
)
def test_tensors(dtype, lengths, rest, expected):
    found = read_tensor(Message(tensor_of(dtype, lengths, rest)), Budget(0))
    assert found.shape == np.shape(expected) and found.tolist() == expected


@pytest.mark.parametrize(
    "proto, message",
    [
        (tensor_of(FLOAT, [2], field(4, bytes(4))), r"shape \(2,\) \(DT_FLOAT\) has 4 bytes"),
        (tensor_of(FLOAT, [1], field(5, bytes(8))), "lists 2 values"),
        (tensor_of(FLOAT, [2**40, 2**40], b""), "more than 67108864 bytes"),
        (tensor_of(FLOAT, [2**62, 0, 2**62], b""), "array|dimension"),
        (tensor_of(7, [2**24], field(8, b"owl")), "more than 67108864 bytes"),
        (field(1, FLOAT) + field(2, field(3, 1)), "no definite shape"),
        (tensor_of(FLOAT, [-5], b""), "no definite shape"),
        (tensor_of(20, [1], b""), "DT_RESOURCE are not read"),
        (tensor_of(99, [1], b""), "DT_99 are not read"),
        (tensor_of(8, [1], field(9, bytes(12))), "divisor|multiple"),
    ],
)
def test_damaged_tensors_are_refused_before_memory_is_taken(proto, message, tmp_path):
    with pytest.raises(WeightsError, match=message):
        read(tmp_path, constant("c", proto), node("y", "Relu", "c"))


def test_a_file_may_not_spread_many_constants(tmp_path, monkeypatch):
    monkeypatch.setattr(tensor_protos, "SPREAD_FLOOR", 1000)
    monkeypatch.setattr(tensor_protos, "MOST_SPREAD", 2)
    parts = [constant(f"c{i}", tensor_of(FLOAT, [100], b"")) for i in range(9)]
    with pytest.raises(WeightsError, match="its constants take more than"):
        read(tmp_path, *parts, node("y", "AddN", *(f"c{i}" for i in range(9))))


def test_integers_are_narrowed():
    limits = np.iinfo(np.int64)
    assert narrowed(np.array([limits.max, limits.min, -5])).tolist() == [2**31 - 1, -(2**31), -5]
    assert narrowed(np.array([7], np.uint8)).dtype == np.int32
    assert narrowed(np.array([1e300, 0.5])).tolist() == [np.inf, 0.5]
    for array in (np.array([2**40]), np.array([2**32 - 1], np.uint32)):
        with pytest.raises(core.CoreError, match="does not fit into int32"):
            narrowed(array)


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
    assert list(graph.inputs) == ["x", "unused"] and graph.inputs["x"].spec.shape == (2,)
    assert {name: e.node for name, e in graph.outputs.items()} == {"y": "sum"}
    assert {n.name: n.inputs for n in graph.nodes if n.inputs} == {"sum": ("x", "c")}
    assert GraphModel(graph).predict({"x": [1.0, 2.0]})["y"].numpy().tolist() == [1, 2]


def test_in_old_files_a_placeholder_without_lengths_may_have_any_shape(tmp_path):
    path = tmp_path / "old.pb"
    given = node("x", "Placeholder", dtype=field(6, FLOAT), shape=field(7, b""))
    for producer, expected in [(23, None), (24, ())]:
        path.write_bytes(given + node("y", "Relu", "x") + field(4, field(1, producer)))
        assert read_frozen_graph(path).inputs["x"].spec.shape == expected


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
        ([placeholder()], "no node that computes"),
        ([node("y", "Relu", "x")], "has no node 'x'"),
        ([placeholder(), placeholder(), node("y", "Relu", "x")], "used twice"),
        ([node("a:0", "Relu")], "named 'a:0'"),
        ([node("", "Relu")], "named ''"),
        ([node("c", "Const"), node("y", "Relu", "c")], "'c' has no value"),
        ([node("v", "VariableV2"), node("y", "Relu", "v")], "'v'.*is not frozen"),
        ([*WRITTEN, node("y", "Relu", "r")], "these nodes write variables.*: w"),
        ([node("a", "Identity", "a"), node("y", "Relu", "a")], "waits for itself"),
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


def function(name: str, arguments: list[str], results: dict[str, str], *nodes: bytes) -> bytes:
    """An entry of a library; its nodes are those of a graph, in another field."""
    signature = field(1, name) + b"".join(field(2, field(1, a)) for a in arguments)
    signature += b"".join(field(3, field(1, r)) for r in results)
    body = b"".join(field(3, Message(n).blob(1).tobytes()) for n in nodes)
    returned = b"".join(entry(4, key, value) for key, value in results.items())
    return field(1, field(1, signature) + body + returned)


def library(*functions: bytes) -> bytes:
    return field(2, b"".join(functions))


def call(name: str, callee: str, *inputs: str) -> bytes:
    return node(name, "PartitionedCall", *inputs, f=field(10, field(1, callee)))


def test_calls_are_inlined(tmp_path):
    """Calls in calls, results by name, arguments passed through, and by type alone."""
    two = constant("two", tensor_of(FLOAT, [], field(5, np.array([2], "<f4").tobytes())))
    graph = read(
        tmp_path,
        placeholder(),
        call("c", "both", "x"),
        call("d", "both", "c:1"),
        node("y", "AddV2", "d:0", "d:1"),
        library(
            function("twice", ["a"], {"r": "m:z:0"}, two, node("m", "Mul", "a", "two:output:0")),
            function(
                "both",
                ["a"],
                {"same": "a", "doubled": "t:r:0"},
                node("t", "twice", "a"),
            ),
        ),
    )
    assert not graph.functions and {n.type for n in graph.nodes} == {
        *("Placeholder", "Const", "Mul", "AddV2")
    }
    # c:1 is 2x, and d gives that and its double.
    assert GraphModel(graph).predict({"x": [1.0, 3.0]})["y"].numpy().tolist() == [6, 18]


def test_functions_have_names_of_their_own(tmp_path):
    """A body's constant is no other body's, and its calls are inlined."""

    def scaled(name: str, by: float) -> bytes:
        proto = tensor_of(FLOAT, [], field(5, np.array([by], "<f4").tobytes()))
        body = constant("x", proto), node("m", "Mul", "a", "x:output:0"), call("o", "same", "m:z:0")
        return function(name, ["a"], {"r": "o:output:0"}, *body)

    branches = {
        key: field(10, field(1, key.split("_")[0])) for key in ("then_branch", "else_branch")
    }
    one = tensor_of(10, [], field(11, b"\1"))
    graph = read(
        tmp_path,
        placeholder(),
        constant("m", one),
        node("y", "StatelessIf", "m", "x", **branches),
        library(scaled("then", 3.0), scaled("else", 5.0), function("same", ["b"], {"r": "b"})),
    )
    assert sorted(graph.functions) == ["else", "then"]
    assert {k: float(v) for k, v in graph.weights.items()} == {"m": 1, "then/x": 3, "else/x": 5}
    assert GraphModel(graph).predict({"x": [1.0, 3.0]})["y"].numpy().tolist() == [3, 9]


SAME = function("f", ["a"], {"r": "a"})
AGAIN = function("f", ["a"], {"r": "n:o:0"}, call("n", "f", "a"))
LOST = function("f", ["a"], {"r": "n:o:0"})


@pytest.mark.parametrize(
    "nodes, body, message",
    [
        (call("y", "f", "x"), AGAIN, "'f' calls itself"),
        (call("y", "f"), SAME, "0 of 1 arguments"),
        (call("y", "f", "x"), LOST, "has no 'n:o:0'"),
        (call("y", "f", "x") + node("z", "Relu", "y:4"), SAME, "no result 4"),
        (call("y", "f", "y") + node("z", "Relu", "y"), SAME, "waits for itself"),
        (node("y", "If", "x", then_branch=field(10, field(1, "g"))), SAME, "no function 'g'"),
        (call("y", "f", "x"), field(1, field(1, field(1, "f") + field(3, field(1, "r")))), "for r"),
        (call("y", "f", "x"), field(1, b""), "calls 'f'"),
    ],
)
def test_damaged_functions(nodes, body, message, tmp_path, monkeypatch):
    monkeypatch.setattr("core.converter.inlining.MOST_NODES", 50)
    with pytest.raises(WeightsError, match=message):
        read(tmp_path, placeholder(), nodes, library(body))


def test_calls_do_not_multiply_without_end(tmp_path, monkeypatch):
    """Each function calls the next one twice."""
    monkeypatch.setattr("core.converter.inlining.MOST_NODES", 5000)
    functions = [
        function(
            f"f{i}",
            ["a"],
            {"r": "q:o:0"},
            call("p", f"f{i + 1}", "a"),
            call("q", f"f{i + 1}", "p:o:0"),
        )
        for i in range(40)
    ]
    last = function("f40", ["a"], {"r": "n:y:0"}, node("n", "Relu", "a"))
    with pytest.raises(WeightsError, match="over 5000 nodes"):
        read(tmp_path, placeholder(), call("y", "f0", "x"), library(*functions, last))
