"""Every node type: small graphs against what TensorFlow.js's graph executor makes of them.

`tfjs_nodes.mjs` writes the graphs and the results; those that TensorFlow.js cannot run have the
values of TensorFlow.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core.engine.dtypes import DTYPES
from core.graph.executor import GIVEN_TYPES
from core.graph.graph_json_reader import read_nodes
from core.graph.node_types.rows import find_node_type, node_type_names
from core.graph.nodes import Endpoint, Graph, Node, PartialSpec
from core.graph_model.graph_model import GraphModel
from tests.rules.sources import ROOT

GRAPHS = json.loads(Path(__file__).with_name("tfjs_nodes.json").read_text())["graphs"]


def label(document: dict[str, Any]) -> str:
    return "-".join(node["op"] for node in document["nodes"])


def array(literal: dict[str, Any]) -> np.ndarray:
    """The values of a tensor in the file: complex ones as pairs, NaN and infinity as text."""
    values, dtype = literal["values"], literal["dtype"]
    if dtype == "complex64":
        return np.array(values, np.float32).view(np.complex64).reshape(literal["shape"])
    if dtype == "string":
        return np.array([v.encode() for v in values], object).reshape(literal["shape"])
    return np.array([float(v) for v in values]).astype(DTYPES[dtype]).reshape(literal["shape"])


def check(found: core.Tensor, expected: dict[str, Any]) -> None:
    assert (found.dtype, list(found.shape)) == (expected["dtype"], expected["shape"])
    values = found.numpy()
    if "random" in expected:
        low, high = expected["random"]
        assert low <= values.min() < values.max() <= high
    elif found.dtype in ("float32", "complex64"):
        np.testing.assert_allclose(values, array(expected), rtol=2e-6, atol=2e-6)
    else:
        np.testing.assert_array_equal(values, array(expected))


def graph_of(document: dict[str, Any], given: str) -> tuple[Graph, dict[str, np.ndarray]]:
    """The graph and its feeds; inputs are placeholders or constants."""
    arrays = {name: array(literal) for name, literal in document["inputs"].items()}
    nodes = [Node(name, given) for name in arrays] + read_nodes(document["nodes"])
    if given == "Const":
        return Graph(nodes, arrays, {}, {}), {}
    inputs = {
        name: Endpoint(name, PartialSpec(None, literal["dtype"]))
        for name, literal in document["inputs"].items()
    }
    return Graph(nodes, {}, inputs, {}), arrays


@pytest.mark.parametrize("given", ["Placeholder", "Const"])
@pytest.mark.parametrize("document", GRAPHS, ids=label)
def test_graphs_equal_tensorflow_js(document, given):
    graph, feeds = graph_of(document, given)
    found = GraphModel(graph).execute(feeds, document["outputs"])
    for name, expected in zip(document["outputs"], document["results"], strict=True):
        check(found[name], expected)


def cases_of(kind: str) -> int:
    return sum(node["op"] == kind for document in GRAPHS for node in document["nodes"])


def test_every_node_type_of_tensorflow_js_exists():
    """All of its 245 (without decision forests); those of nodes that compute have a case."""
    lines = Path(__file__).with_name("tfjs_node_types.txt").read_text().split("\n")[:-1]
    types = dict(line.split()[::-1] for line in lines)
    assert len(types) == 245
    assert set(types) <= {*node_type_names(), *GIVEN_TYPES}
    elsewhere = {"control", "hash_table"}
    assert [
        name
        for name, category in types.items()
        if category not in elsewhere and name not in GIVEN_TYPES and not cases_of(name)
    ] == []


CONV = {"strides": [1, 1, 1, 1], "padding": "SAME"}
FUSED = {**CONV, "num_args": 1, "fused_ops": ["BiasAdd"]}
POOL = {**CONV, "ksize": [1, 2, 2, 1]}


@pytest.mark.parametrize(
    "kind, attributes, message",
    [
        ("Conv2D", {"strides": [1, 1, 1, 1]}, "lacks the attribute 'padding'"),
        ("Conv2D", {"padding": "SAME"}, "lacks the attribute 'strides'"),
        ("Conv2D", {**CONV, "padding": "EXPLICIT"}, "lacks the attribute 'explicit_paddings'"),
        ("Conv2D", {**CONV, "padding": "FULL"}, "padding 'FULL' must be SAME, VALID or EXPLICIT"),
        ("Conv2D", {**CONV, "strides": [1, 1]}, "strides .* each axis of NHWC"),
        ("Conv2D", {**CONV, "data_format": "NCDHW"}, "only NHWC or NCHW"),
        ("Conv2D", {**CONV, "strides": None}, "'strides' must be a list of numbers"),
        ("MaxPool", {**POOL, "data_format": "NCHW"}, "'NCHW' is not supported, only NHWC"),
        ("AvgPool", CONV, "lacks the attribute 'ksize'"),
        ("Conv3D", {**CONV, "data_format": "NCDHW"}, "only NDHWC"),
        ("Conv1D", {"stride": 1, "padding": "SAME", "data_format": "NCW"}, "only NWC"),
        ("BiasAdd", {"data_format": "NCHW"}, "only NHWC"),
        ("FusedBatchNormV3", {"data_format": "NCHW"}, "only NHWC or NDHWC"),
        ("FusedBatchNormV3", {"is_training": True}, "a node for training"),
        ("_FusedConv2D", {**FUSED, "fused_ops": ["BiasAdd", "Tanh"]}, "fused_ops .*Tanh.* must be"),
        ("_FusedConv2D", {**FUSED, "fused_ops": ["FusedBatchNorm"]}, "fused_ops .*FusedBatchNorm"),
        ("_FusedConv2D", {**FUSED, "fused_ops": ["Relu"]}, "fused_ops .*Relu.* must be"),
        ("_FusedConv2D", {**FUSED, "fused_ops": ["BiasAdd", "Relu", "Add"]}, "fused_ops"),
        ("_FusedConv2D", {**FUSED, "fused_ops": ["BiasAdd", "Prelu"]}, "num_args is 1, .* take 2"),
        ("FusedDepthwiseConv2dNative", {**FUSED, "num_args": 2}, "num_args is 2, .* take 1"),
        ("_FusedConv2D", {**FUSED, "fused_ops": []}, r"num_args is 1, .* \[\] take 0"),
        ("_FusedMatMul", {"fused_ops": ["NoOp", "Prelu"]}, "fused_ops"),
        ("OneHot", {"axis": 0}, "axis 0 is not supported"),
        ("Cast", {}, "lacks the attribute 'DstT'"),
        ("Cast", {"DstT": "DT_VARIANT"}, "no tensor dtype for .*DT_VARIANT"),
        ("DepthToSpace", {}, "lacks the attribute 'block_size'"),
        ("Einsum", {}, "lacks the attribute 'equation'"),
        ("StringNGrams", {}, "lacks the attribute 'separator'"),
        ("TopK", {}, "lacks the attribute 'k'"),
    ],
)
def test_errors_name_the_node(kind, attributes, message):
    graph = Graph([Node("odd", kind, (), attributes)], {}, {}, {})
    with pytest.raises(core.CoreError, match=rf"node 'odd' \({kind}\):? .*{message}"):
        GraphModel(graph)


def run(nodes: list[Node], weights: dict[str, Any], wanted: str, **feeds: Any) -> core.Tensor:
    nodes = [*nodes, *(Node(name, "Const") for name in weights)]
    arrays = {name: np.asarray(value) for name, value in weights.items()}
    return GraphModel(Graph(nodes, arrays, {}, {})).execute(feeds, [wanted])[wanted]


@pytest.mark.parametrize(
    "kind, inputs, reference, expected",
    [
        ("TopKV2", ([1.0, 5.0, 3.0], 2), "top:values:0", [5, 3]),
        ("TopKV2", ([1.0, 5.0, 3.0], 2), "top:indices:0", [1, 2]),
        ("SplitV", ([1, 2, 3], [1, 2], 0), "top:output:1", [2, 3]),
        ("Unique", ([7, 9, 7],), "top:idx:0", [0, 1, 0]),
        ("ListDiff", ([7, 9], [7]), "top:idx:0", [1]),
    ],
)
def test_outputs_by_their_names(kind, inputs, reference, expected):
    """As bodies of functions refer to them."""
    weights = {f"w{i}": value for i, value in enumerate(inputs)}
    nodes = [Node("top", kind, tuple(weights)), Node("y", "Identity", (reference,))]
    assert run(nodes, weights, "y").tolist() == expected


def test_a_placeholder_with_a_default_may_be_fed():
    node = Node("x", "PlaceholderWithDefault", ("default",))
    assert run([node], {"default": [1.0]}, "x").tolist() == [1]
    assert run([node], {"default": [1.0]}, "x", x=[2.0]).tolist() == [2]


def test_a_node_without_outputs():
    nodes = [Node("wait", "NoOp", ("^x",)), Node("y", "Relu", ("x", "^wait"))]
    assert run(nodes, {"x": [-1.0, 1.0]}, "y").tolist() == [0, 1]
    with pytest.raises(core.CoreError, match="the node 'wait' has no output 0"):
        run(nodes, {"x": [1.0]}, "wait")


@pytest.mark.parametrize(
    "kind, seed, alike",
    [
        ("TruncatedNormal", 7, True),
        ("TruncatedNormal", 0, False),
        ("RandomStandardNormal", 7, True),
        ("RandomUniform", 7, False),
    ],
)
def test_seeds(kind, seed, alike):
    """As in TensorFlow.js, 0 is none, and RandomUniform does not look at it."""
    node = Node("y", kind, ("shape",), {"dtype": "DT_FLOAT", "seed": seed})
    first, second = (run([node], {"shape": [20]}, "y").tolist() for _ in range(2))
    assert (first == second) is alike


def test_errors_at_run_name_the_node():
    nodes = [Node("odd", "Reshape", ("x",))]
    with pytest.raises(core.CoreError, match=r"node 'odd' \(Reshape\): .*'shape'"):
        run(nodes, {"x": [1.0]}, "odd")


def test_irfft_of_odd_length_is_refused():
    nodes = [Node("y", "IRFFT", ("x", "length"))]
    with pytest.raises(core.CoreError, match=r"gives 4, not \(5,\)"):
        run(nodes, {"x": np.zeros(3, np.complex64), "length": [5]}, "y")


def test_shapes_that_differ_are_not_packed():
    nodes = [Node("y", "Pack", ("a", "b"))]
    with pytest.raises(core.CoreError, match=r"cannot pack shapes \[\(2,\), \(3,\)\]"):
        run(nodes, {"a": [1, 2], "b": [1, 2, 3]}, "y")


def test_a_network_of_convolutions_imports_one_table():
    code = """
import sys
from core.graph.node_types import find_node_type
assert all(map(find_node_type, ("_FusedConv2D", "FusedDepthwiseConv2dNative", "MaxPool")))
print(*sys.modules)
"""
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
    folder = "core.graph.node_types."
    loaded = {m.removeprefix(folder) for m in done.stdout.split() if m.startswith(folder)}
    assert loaded == {"rows", "convolution"}


def test_find_node_type():
    assert find_node_type("_FusedConv2D").run == "fused_conv2d"
    assert find_node_type("Wand") is None
