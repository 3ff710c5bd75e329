"""A call like the last one goes straight to the plan, and gives what the long way gives."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import core
from core.errors import CoreError
from core.graph.nodes import Endpoint, Graph, Node, PartialSpec, Quantization
from core.graph_model.graph_model import GraphModel
from core.graph_model.run_cache import MOST_CALLS
from core.plan.planner import Planner


def model_of(nodes, weights=None, inputs=("x",), outputs=("y",), **more):
    ends = {name: Endpoint(name, PartialSpec((None,))) for name in (*inputs, *outputs)}
    graph = Graph(
        nodes, weights or {}, {n: ends[n] for n in inputs}, {n: ends[n] for n in outputs}, **more
    )
    return GraphModel(graph)


def abs_and_neg():
    """y = |x| + w, z = -x."""
    nodes = [Node("x", "Placeholder"), Node("a", "Abs", ("x",)), Node("w", "Const")]
    nodes += [Node("y", "AddV2", ("a", "w")), Node("z", "Neg", ("x",))]
    return model_of(nodes, {"w": np.float32([10.0])}, outputs=("y", "z"))


@pytest.fixture
def long_ways(monkeypatch):
    """Counts the calls that go the long way."""
    counted = []

    def run(self, given, wanted, run_it=Planner.run):
        counted.append(1)
        return run_it(self, given, wanted)

    monkeypatch.setattr(Planner, "run", run)
    return counted


def check(model, x, given=None):
    found = model.predict(x if given is None else given)
    assert [*found] == ["y", "z"]
    np.testing.assert_array_equal(found["y"].numpy(), np.abs(x) + np.float32(10))
    np.testing.assert_array_equal(found["z"].numpy(), -x)
    return found


def test_repeated_calls_take_the_fast_path(backend, long_ways, rng):
    model = abs_and_neg()
    for _ in range(4):
        check(model, rng.standard_normal(5).astype(np.float32))
    assert len(long_ways) == 1
    x = rng.standard_normal(5).astype(np.float32)
    check(model, x, {"x": x})  # by name or not is the same
    assert len(long_ways) == 1


def test_different_calls_take_the_slow_path(backend, long_ways, rng):
    model = abs_and_neg()
    for given in (
        rng.standard_normal(5).astype(np.float32),
        rng.standard_normal(6).astype(np.float32),
        np.zeros((10,), np.float32)[::2],  # in steps
        np.zeros(5, ">f4"),
        [1.0, -2.0, 3.0, 4.0, 5.0],
        core.tensor([1.0, -2.0, 3.0, 4.0, 5.0]),
    ):
        before = len(long_ways)
        check(model, np.array(given, np.float32), given)
        assert len(long_ways) == before + 1
    with pytest.raises(CoreError, match="float32"):
        model.predict(np.zeros(5, np.int32))
    with pytest.raises(CoreError, match="no input or node 'q'"):
        model.predict({"q": np.zeros(5, np.float32)})


def test_invalid_calls_raise_again(backend):
    model = abs_and_neg()
    x = np.ones(5, np.float32)
    model.predict(x)
    for wrong in ({}, {"x": x, "q": x}, {"x:0": x, "x": x}, {"x": x.astype(np.int32)}, {"x": None}):
        with pytest.raises(CoreError):
            model.predict(wrong)
    check(model, x)


def test_an_unnamed_value_is_the_only_input(backend):
    """Not what was given by name the last time."""
    x = np.float32([-1.0, 2.0])
    nodes = [Node("x", "Placeholder"), Node("a", "Abs", ("x",)), Node("y", "Neg", ("a",))]
    chain = model_of(nodes)
    for _ in range(2):
        assert chain.predict({"a": x})["y"].tolist() == [1.0, -2.0]
        assert chain.predict(x)["y"].tolist() == [-1.0, -2.0]


def test_other_outputs_in_between(backend, long_ways):
    model = abs_and_neg()
    x = np.float32([-1.0, 2.0])
    check(model, x)
    np.testing.assert_array_equal(model.execute(x, ["a"])["a"].numpy(), np.abs(x))
    for _ in range(2):
        check(model, x)
        np.testing.assert_array_equal(model.execute(x, ["a"])["a"].numpy(), np.abs(x))
        check(model, np.float32([1.0, 2.0, 3.0]))
    assert len(long_ways) == 3  # each kind of call has taken it once


def test_results_belong_to_the_caller(backend):
    model = abs_and_neg()
    x = np.float32([-1.0, 2.0])
    first = check(model, x)
    second = check(model, x)
    kept = second["y"].numpy()
    check(model, 5 * x)
    np.testing.assert_array_equal(second["y"].numpy(), kept)
    for found in (first, second):
        for value in found.values():
            value.dispose()
    x[:] = 7.0  # the model has its own copy
    check(model, x)


def test_an_array_may_change_right_after_the_call(backend):
    model = abs_and_neg()
    x = np.arange(100_000, dtype=np.float32)
    for _ in range(3):
        given = x.copy()
        found = model.predict(given)
        given[:] = -1.0
        np.testing.assert_array_equal(found["z"].numpy(), -x)


def test_observers_see_the_ops(backend, long_ways):
    model = abs_and_neg()
    x = np.float32([-1.0, 2.0])
    for _ in range(2):
        check(model, x)
    profile = core.profile(lambda: model.predict(x))
    assert {"abs", "neg"} <= {row["op"] for row in profile.kernels}
    with core.flags(debug=True), pytest.raises(CoreError, match="not finite"):
        model.predict(np.float32([np.nan, 1.0]))
    assert len(long_ways) == 1


def test_tidy_frees_its_results(backend):
    model = abs_and_neg()
    x = np.float32([-1.0, 2.0])
    check(model, x)
    before = core.memory()["num_tensors"]
    with core.tidy():
        check(model, x)
    assert core.memory()["num_tensors"] == before


def test_one_value_under_two_names_is_two_tensors(backend, long_ways):
    nodes = [Node("x", "Placeholder"), Node("y", "Neg", ("x",)), Node("z", "Identity", ("y",))]
    ends = {n: Endpoint(n, PartialSpec((None,))) for n in "xyz"}
    model = GraphModel(Graph(nodes, {}, {"x": ends["x"]}, {"y": ends["y"], "z": ends["y"]}))
    for _ in range(2):
        found = model.predict(np.float32([3.0]))
        found["y"].dispose()
        assert found["z"].tolist() == [-3.0]


def test_inputs_and_weights_as_outputs(backend):
    nodes = [Node("x", "Placeholder"), Node("w", "Const"), Node("y", "Neg", ("x",))]
    model = model_of(nodes, {"w": np.float32([4.0])}, outputs=("x", "w", "y"))
    for _ in range(3):
        x = np.float32([3.0])
        found = model.predict(x)
        x[:] = 0.0
        assert [v.tolist() for v in found.values()] == [[3.0], [4.0], [-3.0]]
        for value in found.values():
            value.dispose()


def test_arrays_instead_of_tensors(backend, long_ways, rng):
    model = abs_and_neg()
    live = core.memory()["num_tensors"]
    for _ in range(3):
        x = rng.standard_normal(5).astype(np.float32)
        found = model.execute(x, ["z", "a"], as_arrays=True)
        assert [*found] == ["z", "a"] and {type(value) for value in found.values()} == {np.ndarray}
        given = x.copy()
        x[:] = 7.0
        np.testing.assert_array_equal(found["z"], -given)
        np.testing.assert_array_equal(found["a"], np.abs(given))
        assert not found["z"].flags.writeable
    assert len(long_ways) == 1 and core.memory()["num_tensors"] == live
    again = model.execute(given, ["z", "a"], as_arrays=True)
    model.execute(x, ["z", "a"], as_arrays=True)
    np.testing.assert_array_equal(again["z"], -given)  # no later run writes to it
    same = model.execute(given, ["x", "w", "z"], as_arrays=True)
    given[:] = 7.0
    np.testing.assert_array_equal(same["x"], again["a"] * np.sign(same["x"]))
    assert same["w"].tolist() == [10.0]


def test_more_kinds_of_calls_than_are_kept(backend, long_ways):
    model = abs_and_neg()
    arrays = [np.arange(n, dtype=np.float32) for n in range(1, MOST_CALLS + 3)]
    for _ in range(2):
        for x in arrays:
            check(model, x)
            check(model, x)
    assert len(long_ways) == 2 * len(arrays)


def test_quantized_inputs_are_repeated(backend, long_ways):
    nodes = [Node("x", "Placeholder"), Node("y", "Neg", ("x",))]
    ends = Endpoint("x", PartialSpec((None,)), Quantization(0.5, 128, "uint8"))
    y = Endpoint("y", PartialSpec((None,)))
    model = GraphModel(Graph(nodes, {}, {"x": ends}, {"y": y}))
    for _ in range(3):
        assert model.predict(np.uint8([130, 126]))["y"].tolist() == [-1.0, 1.0]
        assert model.predict(np.float32([1.0, -1.0]))["y"].tolist() == [-1.0, 1.0]
    assert len(long_ways) == 2


def test_quantized_and_real_inputs_are_distinguished(backend):
    nodes = [Node("x", "Placeholder"), Node("y", "Neg", ("x",))]
    quanta = Quantization(0.5, 128, "uint8")
    x = Endpoint("x", PartialSpec((None,)), quanta)
    y = Endpoint("y", PartialSpec((None,)), quanta)
    model = GraphModel(Graph(nodes, {}, {"x": x}, {"y": y}))
    for _ in range(2):
        assert model.predict(np.uint8([130, 126]))["y"].tolist() == [-1.0, 1.0]
        assert model.predict(np.float32([1.0, -1.0]))["y"].tolist() == [-1.0, 1.0]
        assert model.predict(np.float32([1.0, -1.0]), raw=True)["y"].tolist() == [126, 130]


def test_errors_of_steps_name_nodes_of_the_graph():
    """On the shader backend indices out of range are no error."""
    nodes = [Node("x", "Placeholder"), Node("i", "Placeholder"), Node("k", "Const")]
    nodes += [Node("y", "GatherV2", ("x", "i", "k"))]
    x, i = (Endpoint(n, PartialSpec((None,), t)) for n, t in (("x", "float32"), ("i", "int32")))
    y = Endpoint("y", PartialSpec((None,)))
    model = GraphModel(Graph(nodes, {"k": np.int32(0)}, {"x": x, "i": i}, {"y": y}), "cpu")
    given = {"x": np.float32([1.0, 2.0]), "i": np.int32([1, 0])}
    told = []
    for _ in range(2):
        for _ in range(2):
            assert model.predict(given)["y"].tolist() == [2.0, 1.0]
        with pytest.raises(CoreError, match="'y'") as caught:
            model.predict({**given, "i": np.int32([5, 0])})
        told.append(str(caught.value))
    assert told[0] == told[1]


def test_threads_with_inputs_of_other_lengths(backend, rng):
    model = abs_and_neg()
    arrays = [rng.standard_normal(n).astype(np.float32) for n in (3, 4, 5, 6)] * 25
    with ThreadPoolExecutor(4) as pool:
        assert len([*pool.map(lambda x: check(model, x), arrays)]) == 100
