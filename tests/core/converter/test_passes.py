"""Passes: what a graph computes stays, and what it is made of becomes less."""

from collections import Counter

import numpy as np
import pytest

from core.converter import read_graph
from core.errors import CoreError
from core.graph.nodes import DataType, Endpoint, Function, FunctionName, Graph, Node, PartialSpec
from core.graph.unique_names import all_names
from core.graph_model.graph_model import GraphModel
from core.plan.passes import (
    drop_unused,
    fold_batch_norm,
    fold_constants,
    folding,
    fuse,
    optimise,
    prune,
)
from core.plan.passes.folding import MOST_VALUES
from core.plan.passes.weights import FUSED_TYPES

IMAGE = PartialSpec((None, 5, 5, 2))
CONV = {"strides": [1, 1, 1, 1], "padding": "SAME", "data_format": "NHWC", "dilations": [1] * 4}


def graph_of(*nodes: Node, outputs=("y",), spec=IMAGE, **weights) -> Graph:
    constants = [Node(name, "Const") for name in weights]
    return Graph(
        [Node("x", "Placeholder"), *constants, *nodes],
        {name: np.asarray(value) for name, value in weights.items()},
        {"x": Endpoint("x", spec)},
        {name: Endpoint(name, PartialSpec(None)) for name in outputs},
    )


def types(graph: Graph) -> Counter:
    return Counter(node.type for node in graph.nodes if node.type not in ("Const", "Placeholder"))


def outputs_of(graph: Graph, x: np.ndarray) -> dict[str, np.ndarray]:
    return {name: t.numpy() for name, t in GraphModel(graph).predict({"x": x}).items()}


def assert_same(found: Graph, graph: Graph, x: np.ndarray, tolerance: float = 0.0):
    """The same outputs, relative to the range of each."""
    assert list(found.outputs) == list(graph.outputs)
    expected = outputs_of(graph, x)
    for name, array in outputs_of(found, x).items():
        assert array.dtype == expected[name].dtype
        allowed = tolerance * np.ptp(expected[name]) if tolerance else 0
        np.testing.assert_allclose(array, expected[name], rtol=0, atol=allowed)


@pytest.fixture
def image(rng):
    return rng.normal(size=(2, 5, 5, 2)).astype(np.float32)


# Pruning


def training_graph() -> Graph:
    return graph_of(
        Node("a", "Identity", ("x", "^check")),
        Node("check", "Assert", ("t", "x")),
        Node("b", "StopGradient", ("a:0",)),
        Node("n", "IdentityN", ("b", "w")),
        Node("c", "CheckNumerics", ("n:1",)),
        Node("lonely", "Neg", ("x",)),
        Node("y", "Mul", ("n", "c")),
        Node("z", "Identity", ("y",)),
        outputs=("y", "z"),
        w=np.float32(3),
        t=True,
        unused=np.float32(1),
    )


def test_nodes_that_pass_values_on_go(image):
    graph = training_graph()
    pruned = prune(graph)
    assert types(pruned) == {"Mul": 1}
    assert set(pruned.weights) == {"w"}
    assert pruned.outputs["z"].node == "y"
    given = graph._replace(nodes=[n for n in graph.nodes if n.name != "check"])
    given = given._replace(
        nodes=[n._replace(inputs=("x",)) if n.name == "a" else n for n in given.nodes]
    )
    assert_same(pruned, given, image)


def test_a_default_counts_unless_the_placeholder_is_an_input(image):
    graph = graph_of(
        Node("d", "PlaceholderWithDefault", ("w",)), Node("y", "Mul", ("x", "d")), w=np.float32(2)
    )
    assert types(prune(graph)) == {"Mul": 1}
    fed = graph._replace(inputs={**graph.inputs, "d": Endpoint("d", PartialSpec(()))})
    assert types(prune(fed)) == {"Mul": 1, "PlaceholderWithDefault": 1}


def test_unused_functions_go_and_their_weights():
    bodies = {
        "f": Function("f", [Node("u", "Neg", ("a",)), Node("p", "Const")], ("a",), ("u",)),
        "g": Function("g", [Node("q", "Const")], ("a",), ("q",)),
        "h": Function(
            "h", [Node("r", "If", ("a",), {"then_branch": FunctionName("f")})], ("a",), ("r",)
        ),
    }
    node = Node("y", "If", ("x", "x"), {"then_branch": FunctionName("h"), "branches": [1]})
    graph = graph_of(node, p=np.float32(1), q=np.float32(1))._replace(functions=bodies)
    found = drop_unused(graph)
    assert set(found.functions) == {"f", "h"}
    assert set(found.weights) == {"p"}


def test_a_graph_without_outputs_stays():
    graph = graph_of(Node("y", "Neg", ("x",)), outputs=())
    assert drop_unused(graph) == graph


def table_graph(*nodes: Node, wait: str) -> Graph:
    """A table that only control inputs fill before it is read."""
    dtypes = {"key_dtype": DataType("DT_FLOAT"), "value_dtype": DataType("DT_FLOAT")}
    return graph_of(
        Node("t", "HashTableV2", (), dtypes),
        *nodes,
        Node("y", "LookupTableFindV2", ("t", "x", "d", wait)),
        k=np.float32([1, 2]),
        v=np.float32([10, 20]),
        d=np.float32(-1),
        spec=PartialSpec((None,)),
    )


FILL = Node("fill", "LookupTableImportV2", ("t", "k", "v"))


@pytest.mark.parametrize(
    "wait, nodes",
    [
        ("^fill", [FILL]),
        ("^all", [FILL, Node("all", "NoOp", ("^fill",))]),
        ("^same", [FILL, Node("same", "Identity", ("d", "^fill"))]),
    ],
)
def test_tables_are_filled_before_they_are_read(wait, nodes):
    graph = table_graph(*nodes, Node("check", "Assert", ("x",)), wait=wait)
    graph = graph._replace(
        nodes=[
            n._replace(inputs=(*n.inputs, "^check")) if n.name == "y" else n for n in graph.nodes
        ]
    )
    found = optimise(graph)
    assert "Assert" not in types(found) and "LookupTableImportV2" in types(found)
    values = outputs_of(found, np.float32([1, 2, 3]))["y"]
    np.testing.assert_array_equal(values, [10, 20, -1])


def test_a_value_that_waits_for_a_table_to_be_filled_still_waits():
    passed = Node("same", "Identity", ("x", "^fill"))
    graph = table_graph(FILL, passed, wait="^t")
    graph = graph._replace(
        nodes=[n._replace(inputs=("t", "same", "d")) if n.name == "y" else n for n in graph.nodes]
    )
    assert "^fill" in next(n for n in optimise(graph).nodes if n.name == "same").inputs


def test_functions_that_fill_tables_are_waited_for():
    """So are those that call them."""
    inner = Function("inner", [FILL._replace(inputs=("a", "k", "v"))], ("a",), ("a",))
    call = Node("call", "StatefulPartitionedCall", ("a",), {"f": FunctionName("inner")})
    outer = Function("outer", [call], ("a",), ("call",))
    node = Node("first", "StatefulPartitionedCall", ("t",), {"f": FunctionName("outer")})
    graph = table_graph(node, wait="^first")._replace(functions={"inner": inner, "outer": outer})
    assert types(prune(graph))["StatefulPartitionedCall"] == 1
    harmless = graph._replace(functions={"inner": inner._replace(nodes=[]), "outer": outer})
    assert types(prune(harmless))["StatefulPartitionedCall"] == 0


# Constants


def test_constants_are_folded(image):
    graph = graph_of(
        Node("s", "Split", ("axis", "w"), {"num_split": 2}),
        Node("sum", "AddV2", ("s", "s:1")),
        Node("r", "Rsqrt", ("sum",)),
        Node("f", "Fill", ("shape", "r0")),
        Node("r0", "Sum", ("r", "axes"), {"keep_dims": False}),
        Node("y", "Mul", ("x", "f")),
        Node("k", "Identity", ("s:1",)),
        outputs=("y", "k"),
        axis=np.int32(0),
        axes=np.int32([0]),
        shape=np.int32([2]),
        w=np.float32([1, 2, 3, 5]),
    )
    found = fold_constants(graph)
    assert types(found) == {"Mul": 1}
    assert_same(found, graph, image)


def test_random_numbers_and_what_grows_stay():
    graph = graph_of(
        Node("r", "RandomUniform", ("shape",), {"dtype": "DT_FLOAT", "seed": 1, "seed2": 1}),
        Node("big", "Fill", ("sizes", "one")),
        Node("many", "Range", ("zero", "limit", "one")),
        Node("endless", "Range", ("zero", "limit", "zero")),
        Node("tiles", "Tile", ("shape", "times")),
        Node("less", "Fill", ("negative", "one")),
        Node("outer", "Mul", ("column", "row")),
        outputs=("r", "big", "many", "endless", "tiles", "less", "outer"),
        shape=np.int32([2]),
        sizes=np.int32([2**30, 2**30]),
        negative=np.int32([-3]),
        zero=np.float32(0),
        one=np.float32(1),
        limit=np.float32(1e12),
        times=np.int32([2**30]),
        column=np.ones((1000, 1), np.float32),
        row=np.ones((1, 1000), np.float32),
    )
    kinds = {"RandomUniform": 1, "Fill": 2, "Range": 2, "Tile": 1, "Mul": 1}
    assert types(fold_constants(graph)) == kinds


def test_what_is_made_of_a_constant_stays_in_its_branch():
    branches = [
        Node("p", "Placeholder"),
        Node("switch", "Switch", ("x", "p")),
        Node("taken", "Identity", ("switch:1",)),
        Node("c", "Const", ("^taken",)),
        Node("there", "Neg", ("c",)),
        Node("here", "Neg", ("switch",)),
        Node("y", "Merge", ("there", "here")),
    ]
    graph = graph_of(*branches, spec=PartialSpec((1,)))
    graph = graph._replace(
        weights={**graph.weights, "c": np.float32([5])},
        inputs={**graph.inputs, "p": Endpoint("p", PartialSpec((), "bool"))},
    )
    for tried in (graph, optimise(graph)):
        model = GraphModel(tried)
        found = [model.predict({"x": np.float32([1]), "p": np.bool_(p)})["y"] for p in (1, 0)]
        assert [t.tolist() for t in found] == [[-5], [-1]]


def test_what_is_fed_is_no_constant():
    graph = graph_of(Node("y", "Neg", ("w",)), w=np.float32(1))
    fed = graph._replace(inputs={"w": Endpoint("w", PartialSpec(()))})
    assert types(fold_constants(fed)) == {"Neg": 1}
    assert types(fold_constants(graph)) == {}


def test_constants_in_a_circle():
    graph = graph_of(Node("y", "Neg", ("z",)), Node("z", "Neg", ("y",)))
    with pytest.raises(CoreError, match="circle"):
        fold_constants(graph)


def doubling(count: int, start: np.ndarray) -> Graph:
    nodes = [
        Node(f"c{i + 1}", "ConcatV2", (f"c{i}", f"c{i}", "axis"), {"N": 2}) for i in range(count)
    ]
    last = Node("y", "AddV2", ("x", f"c{count}"))
    return graph_of(*nodes, last, spec=PartialSpec((None,)), c0=start, axis=np.int32(0))


def test_small_constants_do_not_become_a_large_one():
    found = fold_constants(doubling(26, np.ones(100, np.float32)))
    assert sum(a.size for a in found.weights.values()) <= MOST_VALUES + 1
    assert types(found)["ConcatV2"] == 26 - 8


def test_all_results_together_are_bounded(monkeypatch):
    monkeypatch.setattr(folding, "MOST_NEW_VALUES", 5000)
    nodes = [Node(f"y{i}", "Fill", ("shape", "w")) for i in range(9)]
    graph = graph_of(
        *nodes, outputs=[n.name for n in nodes], shape=np.int32([1000]), w=np.float32(1)
    )
    assert types(fold_constants(graph)) == {"Fill": 4}


def test_a_large_constant_is_replaced_but_never_copied(monkeypatch):
    """Of a chain only the end is kept; a constant with two users is worth two nodes."""
    w = np.arange(MOST_VALUES + 1, dtype=np.float32)
    chain = [Node(f"n{i + 1}", "Neg", (f"n{i}",)) for i in range(3)]
    found = fold_constants(graph_of(*chain, Node("y", "AddV2", ("x", "n3")), n0=w))
    assert types(found) == {"AddV2": 1} and set(found.weights) == {"n3"}
    np.testing.assert_array_equal(found.weights["n3"], -w)
    twice = graph_of(Node("y", "Neg", ("w",)), Node("z", "Abs", ("w",)), outputs=("y", "z"), w=w)
    assert types(fold_constants(twice)) == {"Neg": 1, "Abs": 1}
    small = graph_of(Node("y", "Max", ("w", "a")), Node("z", "Abs", ("w",)), w=w, a=np.int32([0]))
    assert types(fold_constants(small)) == {}


@pytest.mark.parametrize("name", ["s", "p_scaled_bias", "p_weights", "p_bn_offset"])
def test_constants_of_functions_keep_their_values(rng, name):
    """All bodies share the weights, so no new name may be one of theirs."""
    then = Function("then", [Node(name, "Const"), Node("o", "AddV2", ("a", name))], ("a",), ("o",))
    other = Function("other", [Node("o2", "Neg", ("a",))], ("a",), ("o2",))
    branches = {"then_branch": FunctionName("then"), "else_branch": FunctionName("other")}
    graph = graph_of(
        Node("s", "Neg", ("c",)),
        Node("p", "MatMul", ("x", "w")),
        Node("m", "Mul", ("p", "s")),
        Node("b", "BiasAdd", ("m", "c")),
        Node("y", "StatelessIf", ("t", "b"), branches),
        spec=PartialSpec((None, 2)),
        c=np.float32([1, 2]),
        t=True,
        w=rng.normal(size=(2, 2)).astype(np.float32),
    )._replace(functions={"then": then, "other": other})
    graph = graph._replace(weights={**graph.weights, name: np.float32(100)})
    x = np.float32([[1, 2]])
    w = graph.weights["w"]
    found = optimise(graph)
    assert types(found) == {"_FusedMatMul": 1, "StatelessIf": 1}
    np.testing.assert_array_equal(found.weights[name], 100)
    expected = (x @ w) * [-1, -2] + [1, 2] + 100
    np.testing.assert_allclose(outputs_of(found, x)["y"], expected, rtol=1e-5)


def test_names_in_the_initializer_are_not_taken():
    inner = Graph([Node("y_0", "Const")], {"y_0": np.float32(7)}, {}, {})
    graph = graph_of(Node("y", "Neg", ("w",)), w=np.float32(1))
    named = graph._replace(initializer=inner, weights={**graph.weights, "y": np.float32(5)})
    assert all_names(named) == {"x", "w", "y", "y_0"}
    found = fold_constants(named)
    assert found.outputs["y"].node == "y_0_1"
    assert found.weights["y_0_1"] == -1


# Batch norm


def batch_norm(rng, channels: int) -> dict[str, np.ndarray]:
    arrays = rng.uniform(0.5, 2, (4, channels)).astype(np.float32)
    return dict(zip(("gamma", "beta", "mean", "variance"), arrays, strict=True))


BATCH_NORM = Node(
    "bn", "FusedBatchNormV3", ("p", "gamma", "beta", "mean", "variance"), {"epsilon": 0.01}
)


@pytest.mark.parametrize(
    "kind, shape, channels",
    [("Conv2D", (3, 3, 2, 4), 4), ("DepthwiseConv2dNative", (3, 3, 2, 3), 6)],
)
@pytest.mark.parametrize("biased", [False, True])
def test_batch_norm_goes_into_the_weights(rng, image, kind, shape, channels, biased):
    product = Node("p", kind, ("x", "w"), CONV)
    steps = [product, BATCH_NORM]
    weights = {"w": rng.normal(size=shape).astype(np.float32), **batch_norm(rng, channels)}
    if biased:
        steps = [product._replace(name="q"), Node("p", "BiasAdd", ("q", "b")), BATCH_NORM]
        weights["b"] = rng.normal(size=channels).astype(np.float32)
    graph = graph_of(*steps, Node("y", "Relu6", ("bn",)), **weights)
    found = fold_batch_norm(graph)
    assert types(found) == {kind: 1, "BiasAdd": 1, "Relu6": 1}
    assert_same(found, graph, image, 1e-6)
    fused = fuse(found)
    assert_same(fused, found, image)
    assert len(types(fused)) == 1


def test_products_and_sums_go_into_a_matrix(rng):
    graph = graph_of(
        Node("p", "MatMul", ("x", "w"), {"transpose_a": False, "transpose_b": True}),
        Node("a", "Mul", ("scale", "p")),
        Node("b", "Sub", ("one", "a")),
        Node("c", "RealDiv", ("b", "scale")),
        Node("y", "AddV2", ("c", "row")),
        spec=PartialSpec((None, 3)),
        w=rng.normal(size=(4, 3)).astype(np.float32),
        scale=rng.uniform(1, 2, 4).astype(np.float32),
        one=np.float32(1),
        row=rng.normal(size=(1, 4)).astype(np.float32),
    )
    found = optimise(graph)
    assert types(found) == {"_FusedMatMul": 1}
    assert_same(found, graph, rng.normal(size=(6, 3)).astype(np.float32), 1e-6)


@pytest.mark.parametrize(
    "change",
    [
        {"outputs": ("y", "p")},  # something else needs the product
        {"outputs": ("y", "bn:1")},  # statistics are asked for
        {"attributes": {**BATCH_NORM.attributes, "is_training": True}},
        {"wide": np.ones((5, 1, 4), np.float32)},  # not one number for each channel
    ],
    ids=str,
)
def test_what_cannot_be_folded_stays(rng, change):
    weights = {"w": rng.normal(size=(3, 3, 2, 4)).astype(np.float32), **batch_norm(rng, 4)}
    norm = BATCH_NORM._replace(attributes=change.get("attributes", BATCH_NORM.attributes))
    if "wide" in change:
        weights["wide"] = change["wide"]
        norm = Node("bn", "Mul", ("p", "wide"))
    nodes = [Node("p", "Conv2D", ("x", "w"), CONV), norm, Node("y", "Relu", ("bn",))]
    graph = graph_of(*nodes, outputs=change.get("outputs", ("y",)), **weights)
    assert types(fold_batch_norm(graph)) == types(graph)
    assert set(fold_batch_norm(graph).weights) == set(graph.weights)


@pytest.mark.parametrize("variance", [1.0, -1.0])
def test_weights_that_are_no_numbers_are_no_warnings(rng, image, variance):
    weights = {"w": rng.normal(size=(1, 1, 2, 4)).astype(np.float32), **batch_norm(rng, 4)}
    weights["w"].view(np.uint32)[0, 0, 0, 0] = 0x7FA00000  # a NaN of which NumPy warns
    weights["variance"][1] = variance
    graph = graph_of(Node("p", "Conv2D", ("x", "w"), CONV), BATCH_NORM, outputs=("bn",), **weights)
    found, expected = (outputs_of(each, image)["bn"] for each in (optimise(graph), graph))
    assert np.isnan(found).any()
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5)


def test_weights_that_two_nodes_share_are_folded_apart(rng, image):
    nodes = [
        Node("p", "Conv2D", ("x", "w"), CONV),
        BATCH_NORM,
        Node("q", "Conv2D", ("x", "w"), CONV),
    ]
    weights = {"w": rng.normal(size=(1, 1, 2, 4)).astype(np.float32), **batch_norm(rng, 4)}
    graph = graph_of(*nodes, outputs=("bn", "q"), **weights)
    found = fold_batch_norm(graph)
    assert types(found) == {"Conv2D": 2, "BiasAdd": 1}
    assert_same(found, graph, image, 1e-6)


# Fusion


@pytest.mark.parametrize(
    "activation", ["Relu", "Relu6", "Elu", "Sigmoid", "LeakyRelu", "Prelu", "Tanh", None]
)
@pytest.mark.parametrize("kind", ["Conv2D", "DepthwiseConv2dNative", "MatMul"])
def test_bias_and_activation_are_fused(rng, image, kind, activation):
    weights = {"w": rng.normal(size=(3, 3, 2, 2)), "b": rng.normal(size=4 if kind[0] == "D" else 2)}
    weights |= {"alpha": rng.uniform(size=weights["b"].shape)}
    spec = IMAGE
    if kind == "MatMul":
        spec, image, weights["w"] = PartialSpec((None, 2)), image[0, 0], weights["w"][0, 0]
    nodes = [Node("p", kind, ("x", "w"), CONV if kind != "MatMul" else {})]
    nodes.append(Node("y" if activation is None else "q", "BiasAdd", ("p", "b")))
    if activation == "Prelu":
        nodes.append(Node("y", "Prelu", ("q", "alpha")))
    elif activation:
        nodes.append(Node("y", activation, ("q",), {"alpha": 0.3} if activation[0] == "L" else {}))
    weights = {name: array.astype(np.float32) for name, array in weights.items()}
    graph = graph_of(*nodes, spec=spec, **weights)
    found = fuse(graph)
    unfused = activation == "Tanh" or (kind == "MatMul" and activation == "Prelu")
    assert sum(types(found).values()) == (2 if unfused else 1)
    # The fused kernels round these once, the single ones twice.
    assert_same(found, graph, image, 2e-7 if activation in ("Elu", "Sigmoid") else 0)


def test_nothing_is_fused_over_a_value_that_is_needed(rng, image):
    nodes = [Node("p", "Conv2D", ("x", "w"), CONV), Node("q", "BiasAdd", ("p", "b"))]
    weights = {"w": rng.normal(size=(1, 1, 2, 3)).astype(np.float32), "b": np.ones(3, np.float32)}
    graph = graph_of(*nodes, Node("y", "Relu", ("q",)), outputs=("y", "q"), **weights)
    found = fuse(graph)
    assert types(found) == {"_FusedConv2D": 1, "Relu": 1}
    assert_same(found, graph, image)


def test_channels_first_stays(rng):
    first = {**CONV, "data_format": "NCHW"}
    nodes = [Node("p", "Conv2D", ("x", "w"), first), Node("y", "BiasAdd", ("p", "b"))]
    graph = graph_of(*nodes, w=np.ones((1, 1, 5, 5), np.float32), b=np.ones(5, np.float32))
    assert types(optimise(graph)) == types(graph)


def test_loops_stay_as_they_are():
    nodes = [
        Node("enter", "Enter", ("x",), {"frame_name": "f"}),
        Node("merge", "Merge", ("enter", "next")),
        Node("same", "Identity", ("merge",)),
        Node("next", "NextIteration", ("same", "^same")),
        Node("y", "Exit", ("merge",)),
    ]
    graph = graph_of(*nodes)
    assert optimise(graph) == graph


@pytest.mark.parametrize(
    "name",
    ["blazeface-tfjs-float", "hand-landmark-lite-tfjs-fp16", "selfie-segmentation-tfjs-fp16"],
)
def test_real_models_compute_the_same(shared, rng, name):
    """What they were made of is there again after the way back: fused nodes taken apart."""
    graph = read_graph(shared / "weights" / name / "model.json")
    (spec,) = (endpoint.spec for endpoint in graph.inputs.values())
    x = rng.random([1 if n is None else n for n in spec.shape], np.float32)
    apart = taken_apart(graph)
    found = optimise(apart)
    assert fused_count(found) >= fused_count(graph) and fused_count(found) > fused_count(apart)
    assert len(found.nodes) <= len(graph.nodes) <= len(apart.nodes)
    name = next(iter(graph.inputs))
    given, expected = (GraphModel(g).predict({name: x}) for g in (found, apart))
    for output, array in expected.items():
        array = array.numpy()
        limit = 5e-5 * max(np.ptp(array), 1e-3)
        np.testing.assert_allclose(given[output].numpy(), array, rtol=0, atol=limit)


def test_a_real_model_with_loops_computes_the_same(shared, rng):
    """In it control inputs stay; convolutions behind the loop are fused."""
    path = shared / "weights" / "handtrack-ssd320fpnlite-tfjs-uint8" / "model.json"
    graph = read_graph(path)
    apart = taken_apart(graph)
    found = optimise(apart)
    assert fused_count(apart) == 0
    assert fused_count(found) >= fused_count(graph) > 50
    image = rng.integers(0, 256, (1, 64, 64, 3)).astype(np.int32)
    given, expected = (GraphModel(g).predict(image) for g in (found, apart))
    for name, tensor in expected.items():
        np.testing.assert_allclose(given[name].numpy(), tensor.numpy(), rtol=1e-4, atol=1e-4)


def fused_count(graph: Graph) -> int:
    return sum(n for kind, n in types(graph).items() if kind in FUSED_TYPES.values())


def taken_apart(graph: Graph) -> Graph:
    """Fused nodes as the single ones that a trained graph has."""
    plain = {"_FusedConv2D": "Conv2D", "FusedDepthwiseConv2dNative": "DepthwiseConv2dNative"}
    nodes = []
    for node in graph.nodes:
        if node.type not in plain:
            nodes.append(node)
            continue
        attributes = {
            k: v for k, v in node.attributes.items() if k not in ("fused_ops", "num_args")
        }
        steps = [Node(f"{node.name}/p", plain[node.type], node.inputs[:2], attributes)]
        for number, kind in enumerate(node.attributes["fused_ops"]):
            source, extra = steps[-1].name, ("BiasAdd", "Prelu").count(kind)
            inputs = (source, *node.inputs[2 + number : 2 + number + extra])
            steps.append(Node(f"{node.name}/{number}", kind, inputs))
        nodes += [*steps[:-1], steps[-1]._replace(name=node.name)]
    return graph._replace(nodes=nodes)
