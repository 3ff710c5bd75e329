"""Stages: what runs by plans, and what is left to the executor between them."""

import numpy as np
import pytest

import core
from core.graph.node_types.arrays import TensorArray
from core.graph.nodes import DataType, Node, PartialSpec
from core.graph_model.graph_model import GraphModel
from core.plan.partition import largest_plan
from tests.core.converter.test_passes import FILL, table_graph
from tests.core.graph.control_graphs import RECORDED, calls, function, loop, model, recorded
from tests.core.graph.test_control import COUNTING, FRAMES
from tests.core.plan.test_tracing import agrees, eager

CONV = {"strides": [1, 1, 1, 1], "padding": "SAME", "data_format": "NHWC", "dilations": [1] * 4}


def stages(graph, inputs, outputs=None):
    """How a graph runs for some inputs: for each stage its plan's ops, and what is eager."""
    references = [graph._signature.fetched(name) for name in outputs or graph.outputs]
    feeds = {**graph._initialization.resources(), **graph._signature.feeds(inputs)}
    found = [s for s, _ in graph._planner.stages(feeds, references)]
    return [
        (None if s.plan is None else [step.op for step in s.plan.steps], s.eager) for s in found
    ]


@pytest.fixture
def x(rng):
    return rng.normal(size=(1, 4, 4, 2)).astype(np.float32)


@pytest.fixture
def w(rng):
    return rng.normal(size=(3, 3, 2, 2)).astype(np.float32)


def looping(text, outputs, w, times=3, **more):
    """A graph with the loop that doubles x so many times, and more nodes."""
    numbers = {"zero": np.int32(0), "one": np.int32(1), "times": np.int32(times), "w": w}
    return model(COUNTING + text, outputs, numbers, {**FRAMES, **more})


@pytest.fixture
def many_iterations(monkeypatch):
    """Loops of a few iterations count as long ones, which are no part of a plan."""
    monkeypatch.setattr("core.plan.function_recorder.MOST_ITERATIONS", 0)


@pytest.fixture(params=["a call", "nodes"])
def exits(request, monkeypatch, many_iterations):
    """References to both results of the loop, as a node that calls functions or as its nodes."""
    if request.param == "a call":
        return "goes_on/loop:1", "goes_on/loop"
    monkeypatch.setattr("core.plan.passes.loops._with_calls", lambda graph: graph)
    return "result", "end"


def test_heavy_work_before_a_loop_is_a_plan(x, w, exits):
    text = COUNTING.replace("first = Enter x", "c = Conv2D x w\nfirst = Enter c")
    numbers = {"zero": np.int32(0), "one": np.int32(1), "times": np.int32(3), "w": w}
    graph = model(text, "result end", numbers, {**FRAMES, "c": CONV})
    assert agrees(graph, x, atol=1e-4)["end"] == 3
    assert stages(graph, x) == [(["conv2d"], exits)]


def test_heavy_work_after_a_loop_is_a_second_plan(x, w, exits):
    graph = looping("c = Conv2D result w\nout = Relu c", "out end", w, c=CONV)
    agrees(graph, x, atol=1e-4)
    # Both exits of the loop at once, or it would run again for the other.
    (none, eager_of_first), (ops, rest) = stages(graph, x)
    assert none is None and set(eager_of_first) == {*exits}
    assert (ops, rest) == (["conv2d"], ())


def test_plans_on_both_sides_of_a_loop(x, w, exits):
    text = COUNTING.replace("first = Enter x", "b = Conv2D x w\nfirst = Enter b")
    numbers = {"zero": np.int32(0), "one": np.int32(1), "times": np.int32(2), "w": w}
    graph = model(
        text + "c = Conv2D result w\nsum = AddV2 c b\nout = Relu sum",
        "out",
        numbers,
        {**FRAMES, "b": CONV, "c": CONV},
    )
    agrees(graph, x, atol=1e-4)
    found = stages(graph, x)
    assert [ops for ops, _ in found] == [["conv2d"], ["conv2d"]]
    assert found[0][1] == exits[:1]


def test_a_list_that_a_loop_reads_is_made_from_what_the_plan_gives(x, w, many_iterations):
    """The convolution before it had run op by op, as plans hand on no lists."""
    functions = [
        function("again", "less = Less i one", "i rows", "less"),
        function("step", "next = AddV2 i one", "i rows", "next rows"),
    ]
    element = {"element_dtype": DataType("DT_FLOAT")}
    graph = model(
        """
        x = Placeholder
        c = Conv2D x w
        rows = TensorListFromTensor c any
        loop = While zero rows
        y = TensorListStack loop:1 any
        """,
        "y",
        {"w": w, "zero": np.int32(0), "one": np.int32(1), "any": np.int32(-1)},
        {"c": CONV, "rows": element, "y": element, "loop": calls(cond="again", body="step")},
        functions,
    )
    agrees(graph, x, atol=1e-4)
    assert stages(graph, x) == [(["conv2d"], ("y",))]


def test_nothing_runs_twice(x, w):
    """What is needed before and after heavy work is found once, and handed on."""
    seen = []

    def mine(value, **_):
        seen.append(1)
        return core.mul(value, 2.0)

    text = """
        x = Placeholder
        m = Mine x
        c = Conv2D m w
        d = Sub c m
        e = Conv2D d w
        out = AddV2 e m
    """
    graph = model(text, "out m", {"w": w}, {"c": CONV, "e": CONV}, kernels={"Mine": mine})
    agrees_with = GraphModel(graph.graph, plans=False, kernels={"Mine": mine}).predict(x)["out"]
    seen.clear()
    np.testing.assert_allclose(graph.predict(x)["out"].numpy(), agrees_with.numpy(), atol=1e-4)
    assert len(seen) == 1
    assert stages(graph, x) == [(None, ("m",)), (["conv2d", "conv2d"], ())]


def test_random_numbers_are_drawn_once_in_a_run(x, w):
    """Those after the convolution are those before it."""
    text = """
        x = Placeholder
        s = Shape x
        r = RandomUniform s
        n = Mul r zero
        a = AddV2 x n
        c = Conv2D a w
        y = Sub c r
        z = Sub c r
    """
    graph = model(text, "y z r", {"w": w, "zero": np.float32(0)}, {"c": CONV})
    y, z, r = (t.numpy() for t in graph.predict(x).values())
    (c,) = graph.execute(x, ["c"]).values()
    np.testing.assert_array_equal(y, z)
    np.testing.assert_allclose(y + r, c.numpy(), atol=1e-5)


def test_a_loop_runs_once_in_a_run(x, w):
    """Though its results are needed before and after heavy work."""
    seen = []

    def counted(a, b, **_):
        seen.append(1)
        return core.add(a, b)

    numbers = {"zero": np.int32(0), "one": np.int32(1), "times": np.int32(3), "w": w}
    text = COUNTING + "c = Conv2D result w\nf = Cast end\nout = Mul c f\nd = Conv2D out w"
    how = {**FRAMES, "c": CONV, "d": CONV, "f": {"DstT": DataType("DT_FLOAT")}}
    graph = model(text, "d end result", numbers, how, kernels={"AddV2": counted})
    graph.predict(x)
    assert len(seen) == 6


MAPPING = """
    x = Placeholder
    c = Conv2D x w
    a = TensorArrayV3 two
    given = TensorArrayScatterV3 a both c a:1
    b = TensorArrayV3 two
    start = Enter zero
    rows = Enter a
    filled = Enter given
    results = Enter b
    empty = Enter b:1
    limit = Enter two
    i = Merge start next_i
    flow = Merge empty next_flow
    less = Less i limit
    goes_on = LoopCond less
    at = Switch i goes_on
    here = Switch flow goes_on
    row = TensorArrayReadV3 rows at:1 filled
    twice = AddV2 row row
    wrote = TensorArrayWriteV3 results at:1 twice here:1
    more = AddV2 at:1 one
    next_i = NextIteration more
    next_flow = NextIteration wrote
    end = Exit here
    y = TensorArrayGatherV3 b both end
"""


@pytest.mark.parametrize(
    "text, outputs, expected",
    [
        ("", "y", [(["conv2d"], {"y"})]),
        # What lies between two plans hands on the array and its state.
        (
            "d = Conv2D y w\nr = TensorArrayReadV3 a one given\nz = AddV2 d r",
            "z",
            [(["conv2d"], {"y", "a", "given"}), (["conv2d"], {"z"})],
        ),
    ],
)
def test_an_array_is_made_once_in_a_run(rng, w, monkeypatch, text, outputs, expected):
    """A plan made it when it was traced, and wrote to it; the loop read another, empty one."""
    made = []
    start = TensorArray.__init__
    monkeypatch.setattr(
        TensorArray, "__init__", lambda self, *a, **k: made.append(self) or start(self, *a, **k)
    )
    x = rng.normal(size=(2, 4, 4, 2)).astype(np.float32)
    numbers = {"zero": np.int32(0), "one": np.int32(1), "two": np.int32(2), "w": w}
    array = {"dtype": DataType("DT_FLOAT")}
    constant, changing = loop(constant=True), loop()
    how = {
        **dict.fromkeys(("rows", "filled", "results", "limit"), constant),
        **dict.fromkeys(("start", "empty"), changing),
        **dict.fromkeys(("a", "b"), array),
        **dict.fromkeys(("c", "d"), CONV),
    }
    graph = model(MAPPING + text, outputs, {**numbers, "both": np.int32([0, 1])}, how)
    convolved = core.conv2d(x, w, strides=1, pad="same").numpy()
    twice = graph.execute(x, ["y"])["y"].numpy()
    np.testing.assert_allclose(twice, 2 * convolved, atol=1e-4)
    made.clear()
    agrees(graph, x, atol=1e-4)
    assert len(made) == 6  # of three runs
    assert [(ops, {*eager}) for ops, eager in stages(graph, x)] == expected


@pytest.mark.parametrize("name", RECORDED)
def test_control_flow_runs_as_without_plans(name):
    graph, runs = recorded(name)
    for run in runs:
        agrees(graph, {k: np.array(v, np.float32) for k, v in run["inputs"].items()}, atol=1e-6)


def test_heavy_work_after_a_control_dependency(x, w, many_iterations):
    """In graphs with loops control inputs stay."""
    text = COUNTING + "check = NoOp ^result\nc = Conv2D result w ^check\nout = Relu c ^check"
    numbers = {"zero": np.int32(0), "one": np.int32(1), "times": np.int32(1), "w": w}
    graph = model(text, "out", numbers, {**FRAMES, "c": CONV})
    agrees(graph, x, atol=1e-5)
    assert [ops for ops, _ in stages(graph, x)] == [None, ["conv2d"]]


def test_light_work_around_a_loop_is_left_to_the_executor(w, many_iterations):
    graph = looping("out = Neg result", "out", w)
    agrees(graph, np.ones(4, np.float32))
    assert stages(graph, np.ones(4, np.float32)) == [(None, ("out",))]
    with pytest.raises(core.CoreError, match="nothing to plan in this graph"):
        graph.plan(np.ones(4, np.float32))
    with pytest.raises(core.CoreError, match="nothing to plan"):
        largest_plan([])


def test_heavy_work_after_a_choice_by_data(rng, w):
    """Rows that are chosen by their values: for each number of rows a plan."""
    text = """
        x = Placeholder
        means = Mean x axes
        above = Greater means zero
        which = Where above
        index = Squeeze which
        rows = GatherV2 x index axis
        c = Conv2D rows w
        y = Relu c
    """
    constants = {
        "axes": np.int32([1, 2, 3]),
        "zero": np.float32(0),
        "axis": np.int32(0),
        "w": w,
    }
    how = {"c": CONV, "index": {"squeeze_dims": [1]}}
    graph = model(text, "y", constants, how)
    for _ in range(4):
        x = rng.normal(size=(6, 4, 4, 2)).astype(np.float32)
        assert len(agrees(graph, x, atol=1e-5)["y"]) == (x.mean((1, 2, 3)) > 0).sum()


def test_branches_of_functions(x, w):
    bodies = [
        function("yes", "c = Conv2D x w\nr = Relu c", "x w", "r:activations:0", c=CONV),
        function("no", "n = Neg x", "x w", "n:y:0"),
    ]
    text = "x = Placeholder\nb = Conv2D x w\non = Greater limit one\ny = If on b w"
    how = {"b": CONV, "y": calls(then_branch="yes", else_branch="no")}
    for limit, steps in ((0, ["conv2d"]), (2, ["conv2d", "conv2d"])):
        constants = {"w": w, "limit": np.float32(limit), "one": np.float32(1)}
        graph = model(text, "y", constants, how, bodies)
        agrees(graph, x, atol=1e-5)
        assert stages(graph, x) == [(steps, ())]


def test_a_weight_that_is_fed_is_another_one_in_functions(x, w):
    """As without plans: there it goes by its name, and is the graph's own."""
    body = [function("f", "s = AddV2 x k", "x", "s:z:0")]
    text = "x = Placeholder\nb = AddV2 x k\ny = If on b"
    constants = {"k": np.float32(3), "on": np.True_}
    graph = model(text, "y", constants, {"y": calls(then_branch="f", else_branch="f")}, body)
    expected = eager(graph).predict({"x": x, "k": np.float32(10)})["y"].numpy()
    np.testing.assert_array_equal(expected, x + 13)
    found = graph.predict({"x": x, "k": np.float32(10)})["y"].numpy()
    np.testing.assert_array_equal(found, expected)


# What the user brings.


def test_a_users_function_is_called_at_every_run(x, w):
    seen = []

    def mine(value, **attributes):
        seen.append((value.numpy().copy(), attributes))
        return core.mul(value, 2.0)

    text = "x = Placeholder\nc = Conv2D x w\nm = Mine c\nd = Conv2D m w\ny = Relu d"
    how = {"c": CONV, "d": CONV, "m": {"why": "so"}}
    graph = model(text, "y", {"w": w}, how, kernels={"Mine": mine})
    first, second = (graph.predict(value)["y"].numpy() for value in (x, 2 * x))
    np.testing.assert_allclose(second, 2 * first, rtol=1e-5, atol=1e-5)
    assert len(seen) == 2 and seen[0][1] == {"why": "so"}
    np.testing.assert_allclose(seen[1][0], 2 * seen[0][0], rtol=1e-5, atol=1e-6)
    assert stages(graph, x) == [(["conv2d"], ("m",)), (["conv2d"], ())]


def test_a_user_function_replaces_a_built_in_node(x, w):
    """It is called, whatever could be folded or fused around it."""
    seen = []

    def relu(value, **_):
        seen.append(value.shape)
        return core.abs(value)

    text = "x = Placeholder\nc = Conv2D x w\nb = BiasAdd c k\ny = Relu b\nz = Relu k"
    constants = {"w": w, "k": np.float32([-1, -2])}
    graph = model(text, "y z", constants, {"c": CONV}, kernels={"Relu": relu})
    for _ in range(3):
        found = graph.predict(x)
        assert found["z"].numpy().tolist() == [1, 2]
        assert found["y"].numpy().min() >= 0
    assert sorted(seen) == [(1, 4, 4, 2)] * 3 + [(2,)] * 3


def test_hash_tables():
    graph = GraphModel(table_graph(FILL, wait="^fill"))
    expected = [10.0, 20.0, -1.0]
    for _ in range(2):
        assert graph.predict(np.float32([1, 2, 3]))["y"].numpy().tolist() == expected


def test_heavy_work_before_a_table_is_a_plan(rng):
    w = rng.normal(size=(3, 2)).astype(np.float32)
    base = table_graph(FILL, wait="^fill")
    added = [Node("m", "MatMul", ("x", "w")), Node("f", "Round", ("m",)), Node("w", "Const")]
    nodes = [
        n._replace(inputs=("t", "f", "d", "^fill")) if n.name == "y" else n for n in base.nodes
    ]
    inputs = {"x": base.inputs["x"]._replace(spec=PartialSpec((None, 3)))}
    graph = GraphModel(
        base._replace(nodes=[*added, *nodes], weights={**base.weights, "w": w}, inputs=inputs)
    )
    x = rng.normal(size=(5, 3)).astype(np.float32)
    agrees(graph, x)
    assert [ops for ops, _ in stages(graph, x)] == [["matmul"]]


def test_strings_are_left_to_the_executor(x, w):
    text = """
        words = Placeholder
        x = Placeholder
        c = Conv2D x w
        same = StaticRegexReplace words
        y = Relu c
    """
    how = {
        "words": {"dtype": "string"},
        "c": CONV,
        "same": {"pattern": "a", "rewrite": "b", "replace_global": True},
    }
    graph = model(text, "same y", {"w": w}, how)
    found = graph.predict({"words": np.array([b"aha"], object), "x": x})
    assert found["same"].numpy().tolist() == [b"bhb"]
    (expected,) = eager(graph).execute({"x": x}, ["y"]).values()
    np.testing.assert_allclose(found["y"].numpy(), expected.numpy(), atol=1e-5)
