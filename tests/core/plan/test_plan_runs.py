"""Runs by plans: what may be given and asked for, whose the results are, and who looks on."""

import gc
import json

import numpy as np
import pytest

import core
from core.backends.cpu.threads import thread_count
from core.graph_model.graph_model import GraphModel
from core.plan.plan import Plan
from tests.core.graph.control_graphs import model
from tests.core.plan.test_tracing import agrees, eager
from tests.helpers import peak_of

CONV = {"strides": [1, 1, 1, 1], "padding": "SAME", "data_format": "NHWC", "dilations": [1] * 4}
TEXT = """
    x = Placeholder
    c = Conv2D x w
    b = BiasAdd c k
    r = Relu b
    p = Pad r pads
    d = DepthwiseConv2dNative p v
    s = AddV2 d r
    i = Identity s
    y = Relu6 i
    z = Identity y
"""
NAMES = ("x", "w", "k", "c", "b", "r", "p", "d", "s", "i", "y", "z")


@pytest.fixture
def graph(rng):
    constants = {
        "w": rng.normal(size=(3, 3, 2, 8)).astype(np.float32),
        "k": rng.normal(size=8).astype(np.float32),
        "v": rng.normal(size=(3, 3, 8, 1)).astype(np.float32),
        "pads": np.int32([[0, 0], [1, 1], [1, 1], [0, 0]]),
    }
    return model(TEXT, "y z", constants, {"c": CONV, "d": {**CONV, "padding": "VALID"}})


@pytest.fixture
def x(rng):
    return rng.normal(size=(1, 9, 11, 2)).astype(np.float32)


@pytest.fixture
def runs(monkeypatch):
    """One entry for each run of a plan."""
    seen = []
    plain = Plan.run
    monkeypatch.setattr(Plan, "run", lambda plan, values: seen.append(plan) or plain(plan, values))
    return seen


def test_a_chrome_trace_of_one_run(graph, x):
    plan = graph.plan(x)
    trace = json.loads(plan.to_chrome_trace({"x": x}))
    slices = [event for event in trace["traceEvents"] if event["ph"] == "X"]
    assert [s["name"] for s in slices] == [step.name for step in plan.steps]
    assert all(s["dur"] > 0 for s in slices)


# What may be given and asked for.


@pytest.mark.parametrize("name", NAMES)
def test_any_node_can_be_an_output(graph, x, name):
    agrees(graph, x, [name], atol=1e-5)
    agrees(graph, x, [name, "y", f"{name}:0"], atol=1e-5)


@pytest.mark.parametrize("name", [n for n in NAMES if n not in "wk"])
def test_any_node_can_be_fed(graph, x, name):
    shape = eager(graph).execute(x, [name])[name].shape
    given = {name: np.full(shape, 0.25, np.float32)}
    if name not in "pd":  # beside which the sum needs what was before
        agrees(graph, given, ["z"], atol=1e-5)
    agrees(graph, {"x": x, **given}, ["z", name, "c"], atol=1e-5)


def test_constants_can_be_fed(graph, x, rng):
    """Others than those that a plan with the model's own has folded and packed."""
    before = agrees(graph, x, atol=1e-5)["y"]
    for name in ("w", "k", "v"):
        other = rng.normal(size=graph.graph.weights[name].shape).astype(np.float32)
        found = agrees(graph, {"x": x, name: other}, ["y", name], atol=1e-4)
        assert not np.allclose(found["y"], before)
    np.testing.assert_array_equal(agrees(graph, x, atol=1e-5)["y"], before)


def test_all_outputs_at_once(graph, x):
    agrees(graph, x, [*NAMES, "y"], atol=1e-5)


def test_empty_list_of_outputs(graph, x):
    assert graph.execute(x, []) == {}


def test_inputs_of_other_layouts_and_dtypes(graph, x):
    expected = graph.predict(x)["y"].numpy()
    turned = np.asfortranarray(x)
    sparse = np.repeat(x, 2, axis=2)[:, :, ::2]
    for given in (turned, sparse, x.astype(np.float64), x.tolist(), core.tensor(x)):
        np.testing.assert_array_equal(graph.predict(given)["y"].numpy(), expected)


def test_nan_and_infinities(graph, x):
    """NaN and infinity come out where they do without plans, and are gone in the next run."""
    odd = x.copy()
    odd[0, 2, 3, 0], odd[0, 7, 7, 1] = np.nan, np.inf
    before = graph.predict(x)["y"].numpy()
    agrees(graph, odd, atol=1e-5)
    np.testing.assert_array_equal(graph.predict(x)["y"].numpy(), before)


# Whose the results are.


def test_results_belong_to_the_caller(graph, x):
    """No later run changes them, and nobody can write to them."""
    first = graph.predict(x)
    kept = {name: t.numpy() for name, t in first.items()}
    graph.predict(2 * x)
    for name, tensor in first.items():
        np.testing.assert_array_equal(tensor.numpy(), kept[name])
        assert not np.asarray(tensor).flags.writeable


@pytest.mark.parametrize("disposed", ["x", "w", "c", "y", "z"])
def test_results_may_be_disposed_of(graph, x, disposed):
    given = core.tensor(x)
    asked = ["x", "w", "c", "y", "z"]
    expected = {k: t.numpy() for k, t in graph.execute(given, asked).items()}
    for _ in range(2):
        found = graph.execute(given, asked)
        found[disposed].dispose()
        for name in set(asked) - {disposed}:
            np.testing.assert_array_equal(found[name].numpy(), expected[name])
    assert not given.is_disposed


def test_results_that_constants_decide_may_be_disposed_of(x):
    """A pass made them, and the plan's own they stay; each run gives others."""
    graph = model("x = Placeholder\ne = Exp w\ny = AddV2 x e", "y e", {"w": x[0, 0]})
    first, second = graph.predict(x)["e"], graph.predict(x)["e"]
    assert first is not second
    for result in (first, second):
        result.dispose()
    with core.tidy():
        graph.predict(x)
    agrees(graph, x, atol=1e-6)


def test_arrays_that_change_while_a_plan_runs(rng, monkeypatch):
    """All of a run has what was given, also what runs op by op after a plan."""
    w = rng.normal(size=(3, 3, 2, 2)).astype(np.float32)
    text = "x = Placeholder\nc = Conv2D x w\nm = Mine x\ny = AddV2 m c"
    graph = model(text, "y m", {"w": w}, {"c": CONV}, kernels={"Mine": lambda v, **_: core.neg(v)})
    given = rng.normal(size=(1, 4, 4, 2)).astype(np.float32)
    expected, before = graph.predict(given)["m"].numpy(), given.copy()
    plain = Plan.run

    def run(plan, values):
        found = plain(plan, values)
        given[...] = 0
        return found

    monkeypatch.setattr(Plan, "run", run)
    found = graph.predict(given)["m"].numpy()
    assert not given.any()
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(found, -before)


def test_an_input_that_is_disposed_of(graph, x):
    given = core.tensor(x)
    found = graph.execute(given, ["x", "y"])
    given.dispose()
    np.testing.assert_array_equal(found["x"].numpy(), x)
    with pytest.raises(core.CoreError, match="disposed"):
        graph.predict(given)
    agrees(graph, x, atol=1e-5)


def test_tidy_disposes_of_all_but_kept_results(graph, x, runs):
    graph.predict(x)
    before = core.memory()["num_tensors"]
    with core.tidy():
        lost, kept = graph.predict(x), core.keep(graph.predict(x)["y"])
        assert all(not t.is_disposed for t in lost.values())
    assert all(t.is_disposed for t in lost.values()) and not kept.is_disposed
    returned = core.tidy(lambda: graph.predict(x)["y"])
    np.testing.assert_array_equal(returned.numpy(), kept.numpy())
    del lost
    assert core.memory()["num_tensors"] - before == 2
    assert len(runs) == 4  # a scope needs to hear of no op


def test_no_tensor_leaks(graph, x):
    graph.predict(x)
    gc.collect()
    before = core.memory()
    for _ in range(3):
        graph.predict(x)
    after = core.memory()
    assert (after["num_tensors"], after["num_bytes"]) == (
        before["num_tensors"],
        before["num_bytes"],
    )


# Who looks on.


def test_gradients(graph, x, runs):
    """A tape must hear of every op: the graph runs op by op then."""

    def loss(of):
        return lambda value: core.sum(core.square(of.predict(value)["y"]))

    plain = core.grad(loss(eager(graph)))(x).numpy()
    graph.predict(x)
    count = len(runs)
    found = core.grad(loss(graph))(x).numpy()
    assert len(runs) == count
    np.testing.assert_allclose(found, plain, rtol=1e-5, atol=1e-5)
    assert np.abs(found).max() > 0


def test_a_profile_lists_ops(graph, x, runs):
    graph.predict(x)
    count = len(runs)
    profile = core.profile(lambda: graph.predict(x))
    assert len(runs) == count
    names = [row["kernel"] for row in profile.kernels]
    assert "Conv2D" in names and "DepthwiseConv2dNative" in names


def test_the_time_of_a_run_is_the_mean_of_some(graph, x, monkeypatch):
    plan = graph.plan(x)
    seconds = iter([[0.001, 0.004], [0.002, 0.002], [0.006, 0.0]])
    monkeypatch.setattr(plan._executable, "step_times", lambda feeds: next(seconds))
    assert plan.gpu_time({"x": x}, repeat=3) == pytest.approx(5.0)
    with pytest.raises(core.CoreError, match="repeat=0"):
        plan.gpu_time({"x": x}, repeat=0)


def test_debug_mode_names_the_first_op(graph, x, runs):
    odd = x.copy()
    odd[0, 4, 4, 0] = np.nan
    graph.predict(odd)
    text = "x = Placeholder\na = Log x\nb = Neg a\ny = Relu b"
    logs = model(text, "y", {})
    assert not np.isfinite(logs.predict(np.float32([0.0]))["y"].numpy()).all()
    count = len(runs)
    with core.flags(debug=True), pytest.raises(core.CoreError, match="log"):
        logs.predict(np.float32([0.0]))
    assert len(runs) == count


def test_coroutines(graph, x):
    import asyncio

    async def main():
        return await asyncio.gather(*(graph.predict_async(x * k) for k in range(4)))

    for k, found in enumerate(asyncio.run(main())):
        expected = eager(graph).predict(x * k)["y"].numpy()
        np.testing.assert_allclose(found["y"].numpy(), expected, atol=1e-4)


# What a run takes.


def test_the_second_run_allocates_its_outputs_and_nothing_else(graph, rng):
    x = core.tensor(rng.normal(size=(1, 96, 96, 2)).astype(np.float32))
    most = np.asarray(graph.predict(x)["y"]).nbytes + 8192 * thread_count()
    gc.collect()
    found, peak = peak_of(lambda: graph.predict(x), most)
    first, second = map(np.asarray, found.values())
    assert np.shares_memory(first, second)  # two names of one value
    plan = graph.plan(x)
    assert plan.arena_bytes > 2 * first.nbytes
    assert first.nbytes <= peak <= most
    assert plan.workspaces_made == 1


def test_the_arena_is_smaller_than_the_sum_of_values(graph, rng):
    plan = graph.plan(rng.normal(size=(1, 96, 96, 2)).astype(np.float32))
    assert plan.arena_bytes < sum(p.bytes for p in plan.placed)
    live = [p for p in plan.placed if p.bytes]
    for i, a in enumerate(live):
        for b in live[:i]:
            apart = a.last < b.first or b.last < a.first
            assert apart or a.offset + a.bytes <= b.offset or b.offset + b.bytes <= a.offset


def test_a_failed_run_does_not_affect_later_runs(graph, x):
    expected = graph.predict(x)["y"].numpy()
    plan = graph.plan(x)
    (workspace,) = plan._executable._workspaces._waiting

    usual = workspace.works[1]

    def interrupted():
        workspace.works[1] = usual
        raise KeyboardInterrupt

    workspace.works[1] = interrupted
    with pytest.raises(KeyboardInterrupt):
        graph.predict(x)
    np.testing.assert_array_equal(graph.predict(x)["y"].numpy(), expected)


def test_a_plan_by_itself(graph, x):
    plan = graph.plan(x)
    found = plan.run({"x": core.tensor(x)})
    expected = eager(graph).predict(x)["y"].numpy()
    np.testing.assert_allclose(found[next(iter(plan.outputs))].numpy(), expected, atol=1e-5)
    with pytest.raises(core.CoreError, match="needs values for x"):
        plan.run({})
    times = plan.profile({"x": core.tensor(x)}, repeat=2)
    assert len(times) == len(plan.steps) and min(times) >= 0
    with pytest.raises(core.CoreError, match="repeat"):
        plan.profile({"x": core.tensor(x)}, repeat=0)


def test_models_without_plans(graph, x, runs):
    GraphModel(graph.graph, plans=False).predict(x)
    assert runs == []
