"""What may be given and asked for: any name, any output of a node, constants; and who owns it."""

import gc

import numpy as np
import pytest

import core
from core.converter.tflite import read_tflite
from core.graph import subgraph
from core.graph.attributes import read_shape
from core.graph.nodes import Endpoint, Function, Graph, Node, PartialSpec, Quantization
from core.graph.weight_tensors import SMALLEST_VIEW
from core.graph_model.graph_model import GraphModel
from tests.core.converter.tflite.fixtures.models import FOLDER
from tests.core.graph.control_graphs import calls, function, model
from tests.core.graph.test_control import COUNTING, FRAMES

QUANTA = Quantization(0.5, 128, "uint8")
PAIR = PartialSpec((2,))


def quantised() -> GraphModel:
    """serving_x → c → y, with the names that a TFLite file gives them."""
    return GraphModel(
        Graph(
            [Node("x", "Placeholder"), Node("c_1", "Relu", ("x",)), Node("y", "Relu", ("c_1",))],
            {},
            {"serving_x": Endpoint("x", PAIR, QUANTA)},
            {"y": Endpoint("y", PAIR, QUANTA)},
            aliases={"serving_x:0": "x", "c;d:1": "c_1", "y:0": "y"},
            quantizations={"x": QUANTA, "c_1": QUANTA, "y": QUANTA},
        )
    )


@pytest.mark.parametrize("name", ["serving_x", "serving_x:0", "x", "x:0", "c;d:1", "c_1"])
def test_quantized_inputs_by_any_name(name):
    found = quantised().execute({name: np.uint8([130, 126])}, ["y"])["y"]
    assert found.numpy().tolist() == [1, 0]


@pytest.mark.parametrize("name", ["y", "y:0", "c;d:1", "c_1:0", "serving_x:0", "serving_x"])
def test_quantized_outputs_by_any_name(name):
    found = quantised().execute(np.float32([1, 0.5]), [name], raw=True)[name]
    assert (found.dtype, found.numpy().tolist()) == ("int32", [130, 129])


@pytest.mark.parametrize("name", ["serving_x", "serving_x:0", "x"])
def test_inputs_are_checked_by_any_name(name):
    with pytest.raises(core.CoreError, match=rf"input '{name}' must have shape \(2,\)"):
        quantised().predict({name: np.zeros((3, 7), np.float32)})


def test_quantization_read_from_a_file():
    """The reader tells those of all tensors that are computed."""
    graph = read_tflite(FOLDER / "quanta.tflite")
    ends = [*graph.inputs.values(), *graph.outputs.values()]
    stated = {e.node: e.quantization for e in ends if e.quantization is not None}
    found = graph.quantizations
    assert stated and {name: found.get(name) for name in stated} == stated


def test_other_dtypes_are_not_quantized():
    told = "input 'c_1' must have .* dtype float32, got .*int32: quantized values must be uint8"
    with pytest.raises(core.CoreError, match=told):
        quantised().execute({"c_1": np.int8([1, 2])}, ["y"])


def test_quantization_of_non_numbers():
    found = quantised().execute({"x": np.float32([np.nan, np.inf])}, ["x"], raw=True)["x"]
    assert found.numpy().tolist() == [128, 255]


def test_an_input_is_given_once():
    with pytest.raises(core.CoreError, match="'x:0' is fed twice"):
        quantised().predict({"serving_x": [1.0, 2.0], "x:0": [1.0, 2.0]})


def test_a_public_name_goes_before_a_node():
    """A signature may call one node's value as another node is called."""
    nodes = [Node("a", "Placeholder"), Node("b", "Neg", ("a",)), Node("c", "Neg", ("b",))]
    inputs, outputs = {"b": Endpoint("a", PAIR)}, {"a": Endpoint("c", PAIR)}
    graph = GraphModel(Graph(nodes, {}, inputs, outputs))
    assert graph.predict({"b": [1.0, 2.0]})["a"].numpy().tolist() == [1, 2]
    assert graph.execute({"b:0": [1.0, 2.0]}, ["b"])["b"].numpy().tolist() == [-1, -2]


@pytest.mark.parametrize("key", [1, None, ("x",)])
def test_names_of_inputs_are_strings(key):
    with pytest.raises(core.CoreError, match="inputs have names, which are strings"):
        quantised().predict({key: [1.0, 2.0]})


@pytest.mark.parametrize("outputs", [None, 3, [1], b"y", core.tensor([1.0])])
def test_names_of_outputs_are_strings(outputs):
    with pytest.raises(core.CoreError, match="must be a list of names"):
        quantised().execute([1.0, 2.0], outputs)


def test_names_of_outputs_from_a_generator():
    found = quantised().execute([1.0, 2.0], (name for name in ("y", "c_1")))
    assert list(found) == ["y", "c_1"]


# One output of several.

HALVES = "x = Placeholder\nparts = Split axis x\na = Neg parts\nb = Neg parts:1"


def halves():
    values = {"axis": np.int32(0)}
    return model(HALVES, "a b", values, {"parts": {"num_split": 2}})


@pytest.mark.parametrize(
    "given, expected", [("parts", [-9, -2]), ("parts:0", [-9, -2]), ("parts:1", [-1, -9])]
)
def test_one_output_of_a_node_is_given(given, expected):
    graph = halves()
    found = graph.predict({"x": [1.0, 2.0], given: [9.0]})
    assert [t.item() for t in found.values()] == expected
    assert graph.execute({given: [9.0]}, [given])[given].item() == 9  # needs no x
    both = graph.predict({"parts": [3.0], "parts:1": [4.0]})
    assert [t.item() for t in both.values()] == [-3, -4]


def test_a_fed_node_in_a_graph_with_branches():
    text = "x = Placeholder\nside = Switch x on\nno = Neg side\nboth = Merge side:1 no"
    graph = model(text, "both both:1", {"on": np.True_})
    assert [t.item() for t in graph.predict(1.0).values()] == [1, 0]
    found = graph.predict({"x": 1.0, "side:1": 5.0})
    assert [t.item() for t in found.values()] == [5, 0]
    found = graph.predict({"x": 1.0, "both:1": np.int32(7)})
    assert [t.item() for t in found.values()] == [1, 7]
    # The side that is not taken has the value that was given.
    assert graph.execute({"x": 1.0, "side": 5.0}, ["no"])["no"].item() == -5


def test_a_value_that_a_loop_takes_is_given():
    """It is there in each iteration, and afterwards, also if its node runs for another output."""
    text = COUNTING.replace("twice = AddV2 here:1 here:1", "twice = AddV2 here:1 parts:1")
    text += "parts = Split zero x\nleft = Identity parts"
    values = {name: np.int32(n) for name, n in {"zero": 0, "one": 1, "times": 3}.items()}
    graph = model(text, "result left", values, {**FRAMES, "parts": {"num_split": 2}})
    found = graph.execute({"x": [1.0, 2.0], "parts:1": [5.0]}, ["result", "left", "parts:1"])
    assert [t.numpy().tolist() for t in found.values()] == [[16, 17], [1], [5]]


def test_the_inside_of_a_loop_is_not_given():
    values = {name: np.int32(n) for name, n in {"zero": 0, "one": 1, "times": 3}.items()}
    with pytest.raises(core.CoreError, match=r"'next_y' \(NextIteration\) is in no loop"):
        model(COUNTING, "result", values, FRAMES).predict({"x": 1.0, "twice": 5.0})


# Constants.


def test_a_constant_that_a_node_reads_is_given():
    graph = model("x = Placeholder\ny = Reshape x shape", "y", {"shape": np.int32([2, 2])})
    x = np.arange(4.0)
    assert graph.predict(x)["y"].shape == (2, 2)
    assert graph.predict({"x": x, "shape": np.int32([4, 1])})["y"].shape == (4, 1)
    assert graph.predict(x)["y"].shape == (2, 2)


def test_a_constant_that_a_node_in_a_loop_reads_is_given():
    text = COUNTING.replace("result = Exit here", "left = Exit here\nresult = Reshape left shape")
    constants = {"zero": 0, "one": 1, "times": 1, "shape": [2, 2]}
    values = {name: np.int32(value) for name, value in constants.items()}
    graph = model(text, "result", values, FRAMES)
    given = {"x": np.ones(4), "shape": np.int32([4])}
    assert graph.predict(np.ones(4))["result"].shape == (2, 2)
    assert graph.predict(given)["result"].numpy().tolist() == [2, 2, 2, 2]
    assert graph.predict({**given, "times": np.int32(2)})["result"].numpy().tolist() == [4] * 4


def test_an_argument_goes_before_a_weight_of_its_name():
    body = function("f", "r = Reshape a shape", "a shape", "r:output:0")
    branches = calls(then_branch="f", else_branch="f")
    values = {"on": np.True_, "shape": np.int32([2, 2]), "other": np.int32([4])}
    graph = model("x = Placeholder\ny = If on x other", "y", values, {"y": branches}, [body])
    assert graph.predict(np.ones(4))["y"].shape == (4,)


def test_a_weight_goes_before_a_node_of_a_body():
    """As TensorFlow.js 4.22 has it: a body shares the graph's weights by name."""
    body = function("f", "add = AddV2 a a", "a", "add:z:0")
    branches = calls(then_branch="f", else_branch="f")
    values = {"on": np.True_, "add": np.float32([7])}
    graph = model("x = Placeholder\ny = If on x", "y", values, {"y": branches}, [body])
    assert graph.predict([1.0])["y"].item() == 7


def test_names_are_used_once_in_a_body_too():
    body = Function("f", [Node("q", "Neg", ("a",)), Node("q", "Abs", ("a",))], ("a",), ("q",))
    with pytest.raises(core.CoreError, match="used twice in the function 'f': q"):
        model("x = Placeholder", "x", functions=[body])


def test_a_missing_output_of_a_function_body():
    body = function("f", "s = Switch a on", "a on", "s:nonsense:1")
    branches = calls(then_branch="f", else_branch="f")
    with pytest.raises(core.CoreError, match="f refers to 's:nonsense:1'.* only .*output_false"):
        model("x = Placeholder\ny = If x x x", "y", {}, {"y": branches}, [body])


# Whose the results are.


@pytest.mark.parametrize("asked", ["w", "x", "y", "z"])
def test_a_result_may_be_disposed_of(asked):
    """Also one that is a weight, an input, or what another name stands for."""
    graph = model(
        "x = Placeholder\ny = Mine x w\nz = Yours x w",
        "w x y z",
        {"w": np.float32([1, 2])},
        kernels={"Mine": lambda x, w: w, "Yours": lambda x, w: x},
    )
    x = core.tensor([3.0, 4.0])
    for _ in range(2):
        found = graph.execute(x, ["w", "x", "y", "z", f"{asked}:0"])
        found[asked].dispose()
        alive = {name: t.numpy().tolist() for name, t in found.items() if name != asked}
        expected = {"w": [1, 2], "x": [3, 4], "y": [1, 2], "z": [3, 4]}
        assert alive == {name: expected[name[0]] for name in alive}
    assert x.numpy().tolist() == [3, 4]


def test_gradients_pass_outputs_that_are_inputs():
    graph = model("x = Placeholder", "x")
    slope = core.grad(lambda x: core.sum(core.mul(graph.predict(x)["x"], x)))
    assert slope(3.0).item() == 6


# Weights.


def frozen(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    "array, shared",
    [
        (frozen(np.float32([1, 2])), True),
        (np.frombuffer(bytes(SMALLEST_VIEW), np.float32), True),
        (np.frombuffer(memoryview(bytes(SMALLEST_VIEW)), np.int32), True),
        (np.frombuffer(bytes(SMALLEST_VIEW - 4), np.float32), False),
        (np.float32([1, 2]), False),
        (frozen(np.float32([1, 2])[:]), False),  # who has the array below may write
        (frozen(np.frombuffer(bytearray(SMALLEST_VIEW), np.float32)), False),
        (frozen(np.float64([1, 2])), False),
        (frozen(np.array([1, 2], ">f4")), False),
        (frozen(np.ones((2, 3), np.float32).T), False),
        (np.frombuffer(bytes(SMALLEST_VIEW + 1), np.float32, offset=1), False),
        (np.float32(3), False),
    ],
)
def test_weights_are_held_once(array, shared):
    nodes = [Node("w", "Const"), Node("y", "Identity", ("w",))]
    end = Endpoint("y", PartialSpec(None))
    graph = GraphModel(Graph(nodes, {"w": array}, {}, {"y": end}))
    assert np.shares_memory(np.asarray(graph._executor.constants["w"]), array) == shared
    shown = graph.graph.weights["w"]
    assert np.shares_memory(shown, np.asarray(graph._executor.constants["w"]))
    assert not shown.flags.writeable and shown.shape == np.shape(array)
    expected = np.array(array)
    if isinstance(array, np.ndarray) and array.flags.writeable:
        array[:] = 100  # the model's weights are its own
    np.testing.assert_array_equal(graph.execute({}, ["w"])["w"], expected)


def test_a_model_does_not_keep_what_it_copied():
    """Neither the graph that it was made from, nor that of the initializer."""
    array = np.ones(1000, np.float32)
    inner = Graph([Node("w", "Const")], {"w": array}, {}, {"r": Endpoint("w", PartialSpec(None))})
    graph = Graph([Node("w", "Const")], {"w": array}, {}, {}, initializer=inner)
    held = GraphModel(graph)
    del graph, inner
    assert gc.get_referrers(array) == []
    assert np.shares_memory(held.graph.initializer.weights["w"], held.graph.weights["w"])


# How long it takes.


def test_loops_are_found_in_one_go(monkeypatch):
    """A node is looked at a few times, however many loops are chained."""
    seen = []
    plain = subgraph.running_order

    def counted(needs, *rest):
        return plain(lambda name: seen.append(name) or needs(name), *rest)

    monkeypatch.setattr("core.graph.subgraph.running_order", counted)
    nodes = [Node("x", "Placeholder")]
    for k in range(50):
        source = f"m{k + 1}" if k < 49 else "x"
        nodes.append(Node(f"e{k}", "Enter", ("x",), {"frame_name": "f"}))
        nodes.append(Node(f"m{k}", "Merge", (f"e{k}", f"n{k}")))
        nodes.append(Node(f"n{k}", "NextIteration", (source,)))
    ends = Endpoint("x", PartialSpec(None)), Endpoint("m0", PartialSpec(None))
    GraphModel(Graph(nodes, {}, {"x": ends[0]}, {"m0": ends[1]}))
    assert len(seen) == 150


def test_the_way_is_found_once(monkeypatch):
    """When the model is made and planned; then runs take it, in any order of the inputs."""
    count = []
    plain = subgraph.running_order
    monkeypatch.setattr(
        "core.graph.subgraph.running_order", lambda *a: count.append(1) or plain(*a)
    )
    body = function("f", "r = Neg a", "a", "r:y:0")
    branches = calls(then_branch="f", else_branch="f")
    text = "a = Placeholder\nb = Placeholder\ns = AddV2 a b\ny = If on s"
    graph = model(text, "y", {"on": np.True_}, {"y": branches}, [body])
    assert len(count) == 2
    graph.predict({"a": 1.0, "b": 2.0})
    found = len(count)
    assert graph.predict({"b": 2.0, "a": 1.0})["y"].item() == -3
    assert len(count) == found


def test_a_run_takes_just_the_constants_that_it_needs():
    weights = {f"w{i}": np.float32(i) for i in range(20)}
    graph = model(
        "x = Placeholder\ny = AddV2 x w3\nz = Switch x on\nq = Merge z z:1",
        "y q",
        {**weights, "on": np.True_},
    )
    executor = graph._executor
    assert list(executor.schedule(["x"], ["y"]).constants) == ["w3"]
    assert list(executor.schedule(["x"], ["q"]).constants) == ["on"]
    assert list(executor.schedule(["x", "w3"], ["y"]).constants) == []


@pytest.mark.parametrize("dtype, zero_point", [("uint8", 128), ("int8", -3), ("int16", -32768)])
def test_quantized_values_are_not_rescaled(dtype, zero_point):
    """Nothing is made of them before a plan has room for it; values are eager's, bit by bit."""
    limits = np.iinfo(dtype)
    quanta = np.linspace(limits.min, limits.max, 999).astype(dtype).reshape(1, 333, 3)
    quantization = Quantization(0.0173, zero_point, dtype)
    spec = PartialSpec((1, None, 3))
    ends = {"x": Endpoint("x", spec, quantization)}, {"y": Endpoint("y", spec)}
    graph = Graph([Node("x", "Placeholder"), Node("y", "Abs", ("x",))], {}, *ends)
    planned, eager = GraphModel(graph), GraphModel(graph, plans=False)
    for given in (quanta, quanta[:, ::-2], np.asfortranarray(quanta)):
        real = (given.astype(np.float32) - np.float32(zero_point)) * np.float32(0.0173)
        for one in (planned, eager):
            np.testing.assert_array_equal(one.predict(given)["y"], np.abs(real))
            np.testing.assert_array_equal(one.execute(given, ["x"])["x"], real)


def test_an_empty_axis_is_no_free_one():
    assert read_shape({"dim": [{"size": "0"}, {"size": "-1"}, {}]}) == (0, None, 0)
