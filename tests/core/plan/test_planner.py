"""Which plans a model keeps, and for which inputs they are right."""

import gc
import tracemalloc
from weakref import ref

import numpy as np
import pytest

import core
from core.graph.executor import Executor
from core.graph.nodes import Endpoint, Graph, Node, PartialSpec
from core.graph.weight_tensors import weight
from core.graph_model.graph_model import GraphModel
from core.plan import planner
from core.plan.planner import MOST_BODIES, MOST_PLANS, Planner
from tests.core.graph.control_graphs import model
from tests.core.plan.test_tracing import agrees, eager
from tests.helpers import eventually, garbage_stays

CONV = {"strides": [1, 1, 1, 1], "padding": "SAME", "data_format": "NHWC", "dilations": [1] * 4}
TEXT = "x = Placeholder\nc = Conv2D x w\nb = BiasAdd c k\nr = Relu b\nd = Conv2D r v\ny = Relu6 d"


@pytest.fixture
def graph(rng):
    constants = {
        "w": rng.normal(size=(3, 3, 2, 8)).astype(np.float32),
        "k": rng.normal(size=8).astype(np.float32),
        "v": rng.normal(size=(1, 1, 8, 4)).astype(np.float32),
    }
    return model(TEXT, "y", constants, {"c": CONV, "d": CONV})


@pytest.fixture
def made(monkeypatch):
    """The stages that are made from now on, as (given specs, wanted)."""
    seen = []
    plain = planner.find_stage

    def counted(executor, specs, wanted, *rest):
        seen.append((specs, wanted))
        return plain(executor, specs, wanted, *rest)

    monkeypatch.setattr(planner, "find_stage", counted)
    return seen


def images(rng, *shape):
    return rng.normal(size=(*shape, 2)).astype(np.float32)


def test_a_plan_is_made_once(graph, made, rng):
    for _ in range(5):
        graph.predict(images(rng, 1, 6, 5))
    assert graph.plan(images(rng, 1, 6, 5)) is graph.plan(images(rng, 1, 6, 5))
    assert len(made) == 1
    graph.predict({"x": images(rng, 1, 6, 5)})
    graph.execute(core.tensor(images(rng, 1, 6, 5)), ["y"])
    assert len(made) == 1
    graph.predict(images(rng, 1, 5, 6))
    graph.execute(images(rng, 1, 6, 5), ["r"])
    assert len(made) == 3


def test_dynamic_sizes_and_batches(graph, rng):
    """A batch gives what its pictures give."""
    for size in ((6, 5), (1, 1), (17, 4), (6, 5)):
        for count in (1, 2, 3, 4):
            x = images(rng, count, *size)
            batch = agrees(graph, x, atol=1e-5)["y"]
            single = [graph.predict(x[i : i + 1])["y"].numpy()[0] for i in range(count)]
            np.testing.assert_allclose(batch, single, rtol=0, atol=1e-5)


def test_more_shapes_than_are_kept(graph, made, rng):
    """All stay right; those that were used longest ago are made again."""
    sizes = [(3 + i, 4) for i in range(MOST_PLANS + 3)]
    for _ in range(2):
        for size in sizes:
            agrees(graph, images(rng, 1, *size), atol=1e-5)
    assert len(made) == 2 * len(sizes)
    assert len(graph._planner.plans()) == MOST_PLANS
    graph.predict(images(rng, 1, *sizes[-MOST_PLANS]))  # used again, so another one goes
    graph.predict(images(rng, 1, 40, 4))
    before = len(made)
    graph.predict(images(rng, 1, *sizes[-MOST_PLANS]))
    assert len(made) == before
    graph.predict(images(rng, 1, *sizes[-MOST_PLANS + 1]))
    assert len(made) == before + 1


def test_more_outputs_than_are_kept(graph, made, rng):
    x = images(rng, 1, 4, 4)
    wanted = [[a, b] for a in ("c", "b", "r", "d") for b in ("y", "r", "x")]
    assert len(wanted) > MOST_BODIES
    for names in wanted:
        found = {k: t.numpy() for k, t in graph.execute(x, names).items()}
        expected = {k: t.numpy() for k, t in eager(graph).execute(x, names).items()}
        assert found.keys() == expected.keys()
        for name, theirs in expected.items():
            np.testing.assert_allclose(found[name], theirs, rtol=0, atol=1e-5)
    assert len(graph._planner._bodies.all()) == MOST_BODIES
    assert len(made) == len(wanted)


def test_dropped_plans_free_their_memory(graph, rng):
    """Each shape comes just after its plan had to go.

    What plans and kernels allocate is counted. The table of all tensors of the process is not: it
    is made anew now and then, and the larger, the more tensors other tests have left.
    """
    plans = [tracemalloc.Filter(True, f"*/core/{part}/*") for part in ("plan", "backends")]
    sizes = [(64, 64 + i) for i in range(2 * MOST_PLANS)]
    held = []
    tracemalloc.start()
    try:
        for _ in range(3):
            for size in sizes:
                graph.predict(images(rng, 1, *size))
            gc.collect()
            traces = tracemalloc.take_snapshot().filter_traces(plans)
            held.append(sum(line.size for line in traces.statistics("filename")))
    finally:
        tracemalloc.stop()
    arenas = [graph.plan(images(rng, 1, *size)).arena_bytes for size in sizes[-MOST_PLANS:]]
    assert held[0] > sum(arenas) > 1_000_000
    assert held[2] - held[0] < arenas[0] / 10


def test_plans_go_with_their_model(rng):
    graph = model("x = Placeholder\ny = MatMul x w", "y", {"w": np.ones((300, 200), np.float32)})
    x = np.ones((4, 300), np.float32)
    graph.predict(x)
    plan = graph.plan(x)
    witnesses = [ref(graph), ref(plan), ref(plan._executable), ref(graph._planner)]
    with garbage_stays():  # no circle keeps them
        del graph, plan
        # A thread of the pool may hold the last work until it has looked for another one.
        eventually(lambda: [w() for w in witnesses] == [None] * 4, "plans go with their model")


def test_a_plan_outlives_its_model(rng):
    graph = model("x = Placeholder\ny = MatMul x w", "y", {"w": np.ones((3, 2), np.float32)})
    plan = graph.plan(np.ones((4, 3), np.float32))
    del graph
    found = plan.run({"x": core.tensor(np.ones((4, 3)))})
    np.testing.assert_array_equal(found["y"].numpy(), np.full((4, 2), 3))


def test_weights_are_held_once(graph, rng):
    """A plan shares those that no pass changed."""
    graph = GraphModel(graph.graph)
    program = graph.plan(images(rng, 1, 6, 5)).program
    held = [np.asarray(t) for t in graph._executor.constants.values() if t.shape]
    shared = [a for a in program.constants.values() for h in held if np.shares_memory(a, h)]
    assert {a.shape for a in shared} >= {(3, 3, 2, 8), (1, 1, 8, 4)}


def test_a_failed_plan_is_no_plan(graph, made, rng):
    for _ in range(2):
        with pytest.raises(core.CoreError, match="has 3 channels"):
            graph.predict(np.zeros((1, 4, 4, 3), np.float32))
    assert len(made) == 2
    agrees(graph, images(rng, 1, 4, 4), atol=1e-5)


@pytest.mark.parametrize(
    "passes", [{}, {"graph_passes": ()}, {"program_passes": ()}, dict.fromkeys(
        ("graph_passes", "program_passes"), ()
    )]
)  # fmt: skip
def test_passes_can_be_disabled(graph, rng, passes):
    executor = Executor(
        graph.graph.nodes,
        {name: weight(array) for name, array in graph.graph.weights.items()},
        functions={},
        kernels={},
    )
    x = images(rng, 2, 7, 6)
    expected = eager(graph).predict(x)["y"].numpy()
    found = Planner(graph.graph, executor, **passes).run({"x": core.tensor(x)}, ["y"])["y"]
    np.testing.assert_allclose(found.numpy(), expected, rtol=0, atol=1e-5)


def test_plans_inside_of_a_scope_keep_their_constants(rng):
    """A pass makes weights when the first call is inside of a scope, which ends."""
    constants = {
        "w": rng.normal(size=(3, 2)).astype(np.float32),
        "s": np.float32([2, 3]),
    }
    graph = model("x = Placeholder\nm = MatMul x w\ny = Mul m s", "y", constants)
    x = rng.normal(size=(4, 3)).astype(np.float32)
    expected = eager(graph).predict(x)["y"].numpy()
    with core.tidy():
        graph.predict(x)
    for rows in (4, 5):  # the plan, and another one from the same graph
        found = graph.predict(np.resize(x, (rows, 3)))["y"].numpy()
        np.testing.assert_allclose(found[:4], expected, rtol=0, atol=1e-5)


def test_warmup_runs_on_zeros():
    spec = PartialSpec((None, 3))
    nodes = [Node("x", "Placeholder"), Node("y", "Neg", ("x",))]
    graph = GraphModel(Graph(nodes, {}, {"x": Endpoint("x", spec)}, {"y": Endpoint("y", spec)}))
    assert graph.plan().inputs["x"].shape == (1, 3)
    spec = PartialSpec((1, None, 3))
    graph = GraphModel(Graph(nodes, {}, {"x": Endpoint("x", spec)}, {"y": Endpoint("y", spec)}))
    with pytest.raises(core.CoreError, match="give inputs: the shape of 'x'"):
        graph.plan()
    assert PartialSpec((0, 3)).smallest == (0, 3) and PartialSpec(()).smallest == ()
    assert PartialSpec(None).smallest is None


# What is told.


def test_why_there_is_no_plan(rng):
    text = "x = Placeholder\ns = Split axis x\na = Neg s:1\nc = Relu s\ny = AddV2 a c"
    graph = model(text, "y", {"axis": np.int32(0)}, {"s": {"num_split": 2}})
    given = {"s:1": np.ones((1, 3), np.float32), "x": np.ones((2, 3), np.float32)}
    for use in (graph.plan, graph.profile):
        with pytest.raises(core.CoreError, match="with the inputs s:1, x the graph runs op by op"):
            use(given)
        use(given["x"])
    by_ops = GraphModel(graph.graph, plans=False)
    with pytest.raises(core.CoreError, match="this model runs op by op on backend 'cpu'"):
        by_ops.plan(given["x"])


def test_the_profile_of_a_plan_that_begins_within_the_graph(rng):
    """What comes before it runs once; outputs may have the names of other nodes."""
    w = rng.normal(size=(3, 3, 2, 2)).astype(np.float32)
    text = "x = Placeholder\nm = Mine x\nc = Conv2D m w\ny = Relu c"
    seen = []

    def mine(value, **_):
        seen.append(1)
        return core.neg(value)

    bare = model(text, "y", {"w": w}, {"c": CONV}, kernels={"Mine": mine}).graph
    named = bare._replace(outputs={"m": bare.outputs["y"], "x": bare.outputs["y"]})
    graph = GraphModel(named, kernels={"Mine": mine})
    profile = graph.profile(images(rng, 1, 5, 5), repeat=3)
    assert [(step["op"], step["fused"]) for step in profile.steps] == [("conv2d", ["relu"])]
    assert (len(seen), profile.runs) == (1, 3) and profile.total_ms > 0
    assert "m" in graph.plan(images(rng, 1, 5, 5)).inputs
    with pytest.raises(core.CoreError, match="repeat"):
        graph.profile(images(rng, 1, 5, 5), repeat=0)


def test_buffers_of_inputs_have_their_names(rng):
    text = "x = Placeholder\nm = Mine x\nc = Conv2D m:1 w"
    how, kernels = {"c": CONV}, {"Mine": lambda value, **_: [value, core.neg(value)]}
    w = rng.normal(size=(3, 3, 2, 2)).astype(np.float32)
    graph = model(text, "c", {"w": w}, how, kernels=kernels)
    plan = graph.plan(images(rng, 1, 5, 5))
    assert "m:1" in plan.inputs
    assert {"m:1", "c"} <= {buffer.name for buffer in plan.placed}


def test_weights_that_no_node_names(rng):
    """They are read, and may be asked for, by their own names."""
    nodes = [Node("x", "Placeholder"), Node("m", "Mul", ("x", "w")), Node("y", "Exp", ("m:0",))]
    x, y = (Endpoint(name, PartialSpec(None)) for name in "xy")
    weights = {"w": rng.normal(size=4).astype(np.float32), "v": np.float32([1, 2])}
    graph = GraphModel(Graph(nodes, weights, {"x": x}, {"y": y}))
    given = rng.normal(size=(3, 4)).astype(np.float32)
    agrees(graph, given)
    agrees(graph, given, ["y", "w", "v"])
    assert graph.plan(given).inputs["x"].shape == (3, 4)


def test_a_weight_that_is_seen_in_two_shapes_counts_once(rng):
    text = "x = Placeholder\ns = Shape x\nr = Reshape w s\na = AddV2 x r\ny = MatMul w a"
    w = rng.normal(size=(5, 3)).astype(np.float32)
    graph = model(text, "y", {"w": w})
    plan = graph.plan(np.ones((3, 5), np.float32))
    assert {array.shape for array in plan.program.constants.values()} == {(5, 3), (3, 5)}
    assert plan.weight_bytes == w.nbytes + plan._executable.packed_bytes
