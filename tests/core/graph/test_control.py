"""Loops and branches, of TensorFlow 1 (Switch, Merge, ...) and 2 (If, While)."""

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import core
from core.graph.control_flow import MOST_NESTED
from core.graph.nodes import Endpoint, Graph, Node, PartialSpec
from core.graph_model.graph_model import GraphModel
from tests.core.graph.control_graphs import RECORDED, calls, function, loop, model, recorded

#: Where TensorFlow.js 4.22 gives other values, as it takes constants of branches that are not
#: taken, or an error: it loses values of outer loops, and handles of lists that pass Identity.
UNLIKE_TFJS = {"branches_v1", "a_loop_in_a_branch_v1", "nested_loops_v1", "mapped_v2"}


def same(found, expected):
    """Whether tensors are those of a list of recorded ones."""
    return all(
        (t.dtype, list(t.shape)) == (e["dtype"], e["shape"])
        and np.allclose(t.numpy(), e["values"], rtol=1e-6)
        for t, e in zip(found, expected, strict=True)
    )


def fed(run):
    return {name: np.array(value, np.float32) for name, value in run["inputs"].items()}


@pytest.mark.parametrize("name", RECORDED)
def test_results_equal_tensorflow_and_tfjs(name):
    graph, runs = recorded(name)
    agree = set()
    for run in runs:
        found = list(graph.predict(fed(run)).values())
        assert same(found, run["outputs"])
        agree.add(isinstance(run["tfjs"], list) and same(found, run["tfjs"]))
    assert (False in agree) == (name in UNLIKE_TFJS)


@pytest.mark.parametrize("name", ["nested_loops_v1", "mapped_v2", "suppressed_v1"])
def test_threads_and_coroutines_share_a_model(name):
    graph, runs = recorded(name)
    many = runs * (12 // len(runs))
    with ThreadPoolExecutor(8) as pool:
        for found, run in zip(pool.map(lambda r: graph.predict(fed(r)), many), many, strict=True):
            assert same(list(found.values()), run["outputs"])

    async def main():
        runs = [graph.predict_async(fed(run)) for run in many]
        return await asyncio.gather(*runs, graph.execute_async(fed(many[0]), ["y1"]))

    *whole, part = asyncio.run(main())
    assert all(same(list(f.values()), r["outputs"]) for f, r in zip(whole, many, strict=True))
    assert same(list(part.values()), many[0]["outputs"][1:])


COUNTING = """
    x = Placeholder
    start = Enter zero
    first = Enter x
    limit = Enter times
    i = Merge start next_i
    y = Merge first next_y
    less = Less i limit
    goes_on = LoopCond less
    at = Switch i goes_on
    here = Switch y goes_on
    more = AddV2 at:1 one
    twice = AddV2 here:1 here:1
    next_i = NextIteration more
    next_y = NextIteration twice
    end = Exit at
    result = Exit here
"""
FRAMES = {"start": loop(), "first": loop(), "limit": loop(constant=True)}


def counting(times, kernels=None, text=COUNTING, frames=FRAMES, **constants):
    """Doubles x so many times."""
    numbers = {"zero": 0, "one": 1, "times": times, **constants}
    values = {name: np.int32(value) for name, value in numbers.items()}
    return model(text, "end result", values, frames, kernels=kernels)


def doubling(times, kernels=None):
    """The same with functions."""
    functions = [
        function("again", "less = Less i limit", "i limit y", "less:z:0"),
        function(
            "step",
            "more = AddV2 i one\ntwice = AddV2 y y",
            "i limit y",
            "more:z:0 limit twice:z:0",
        ),
    ]
    numbers = {"zero": np.int32(0), "one": np.int32(1), "times": np.int32(times)}
    text = "x = Placeholder\nloop = While zero times x\nresult = Identity loop:2"
    attributes = {"loop": calls(cond="again", body="step")}
    return model(text, "loop result", numbers, attributes, functions, kernels=kernels)


@pytest.mark.parametrize("make", [counting, doubling])
def test_memory_is_constant_over_iterations(make):
    """As many tensors are alive at most, and nothing is left."""
    peaks = []
    for times in (3, 300):
        most = []

        def watched(x, y, most=most, **_):
            most.append(core.memory()["num_tensors"])
            return core.add(x, y)

        graph = make(times, {"AddV2": watched})
        before = core.memory()["num_tensors"]
        found = graph.predict(np.zeros(4))
        assert len(most) == 2 * times
        assert core.memory()["num_tensors"] - before == 2
        peaks.append(max(most) - before)
        del found
    assert peaks[0] == peaks[1]


@pytest.mark.long
@pytest.mark.parametrize("make", [counting, doubling])
def test_a_hundred_thousand_iterations(make):
    assert make(
        100_000,
    ).predict(np.zeros(2))["result"].numpy().tolist() == [0, 0]


@pytest.mark.parametrize("make", [counting, doubling])
def test_gradients_and_scopes(make):
    graph = make(3)
    slope = core.grad(lambda x: core.tidy(lambda: core.sum(graph.predict(x)["result"])))
    np.testing.assert_array_equal(slope(np.ones(2)), [8, 8])
    with core.tidy():
        inside = graph.predict(np.ones(2))["result"]
    assert inside.is_disposed
    assert core.tidy(lambda: graph.predict(np.ones(1))["result"]).item() == 8


def test_a_gradient_through_a_branch():
    functions = [
        function("cube", "two = Mul x x\nthree = Mul two x", "x", "three:z:0"),
        function("same", "", "x", "x"),
    ]
    text = "x = Placeholder\nzero = ZerosLike x\nabove = Greater x zero\ny = If above x"
    branch = calls(then_branch="cube", else_branch="same")
    graph = model(text, "y", {}, {"y": branch}, functions)
    slope = core.grad(lambda x: graph.predict(x)["y"])
    assert [slope(x).item() for x in (2.0, -2.0)] == [12, 1]


@pytest.mark.parametrize("make", [counting, doubling])
def test_an_endless_loop_can_be_stopped(make):
    seen = []

    def interrupted(x, y, **_):
        seen.append(x)
        if len(seen) == 500:
            raise KeyboardInterrupt
        return x

    graph = make(1, {"AddV2": interrupted})
    with pytest.raises(KeyboardInterrupt):
        graph.predict(np.zeros(1))
    assert len(seen) == 500


BRANCH = """
    x = Placeholder
    positive = Greater x zero
    side = Switch x positive
    negative = Neg side
    both = Merge side:1 negative
"""


def branch(outputs, text=BRANCH, **constants):
    numbers = {"zero": 0.0, **constants}
    return model(text, outputs, {k: np.float32(v) for k, v in numbers.items()})


def test_the_value_index_tells_which_side_it_was():
    graph = branch("both both:1")
    assert [t.item() for t in graph.predict(4.0).values()] == [4, 0]
    assert [t.item() for t in graph.predict(-4.0).values()] == [4, 1]
    assert graph.outputs["both:1"].shape is None


def test_a_dead_node_as_output_raises():
    graph = branch("both")
    assert graph.execute(-1.0, ["negative"])["negative"].item() == 1
    with pytest.raises(core.CoreError, match="no value of negative, side: .* another branch"):
        graph.execute(1.0, ["negative", "both", "side"])


def test_control_inputs_propagate_deadness():
    """A control input is enough, also that of a constant."""
    text = BRANCH + "far = Const ^negative\nnear = Identity x ^side\nall = Merge far near"
    graph = branch("all", text, far=100.0)
    assert graph.predict(-1.0)["all"].item() == 100
    assert graph.predict(2.0)["all"].item() == 2
    assert graph.execute({"x": 2.0, "far": 7.0}, ["all"])["all"].item() == 7  # fed, so not dead


def test_a_constant_of_a_branch_may_be_asked_for_elsewhere():
    graph = branch("both far", BRANCH + "far = Const ^x", far=5.0)
    assert graph.execute({}, ["far"])["far"].item() == 5
    assert graph.predict(1.0)["far"].item() == 5


def test_random_numbers_in_a_loop_are_drawn_each_time():
    """Whatever waits for a node of the loop runs in it, though its only input is a constant."""
    text = COUNTING.replace("twice = AddV2 here:1 here:1", "twice = AddV2 here:1 drawn")
    text += "size = Const ^at\ndrawn = RandomUniform size"
    frames = {**FRAMES, "drawn": {"dtype": "DT_FLOAT"}}
    draws = []

    def draw(shape, **_):
        draws.append(shape)
        return core.fill(shape=tuple(shape.tolist()), value=float(len(draws)))

    graph = counting(2, {"RandomUniform": draw}, text, frames, size=[2])
    assert graph.predict(np.zeros(2))["result"].numpy().tolist() == [3, 3]


def test_loops_that_do_not_run():
    found = counting(0).predict(np.ones(1))
    assert (found["end"].item(), found["result"].item()) == (0, 1)


def test_a_node_of_an_iteration_has_no_value_of_its_own():
    with pytest.raises(core.CoreError, match="'twice' has a value in each iteration of .*'loop'"):
        counting(1).execute(np.ones(1), ["twice"])
    assert counting(1).execute({"here": np.ones(1)}, ["here"])["here"].item() == 1


def nested(depth):
    """Enter nodes in each other."""
    nodes = [Node("x", "Placeholder")]
    for i in range(depth):
        nodes.append(Node(f"e{i}", "Enter", (f"e{i - 1}" if i else "x",), loop(f"f{i}")))
    end = f"e{depth - 1}"
    for i in range(depth):
        nodes.append(Node(f"o{i}", "Exit", (f"o{i - 1}" if i else end,)))
    x = Endpoint("x", PartialSpec(None))
    last = Endpoint(f"o{depth - 1}", PartialSpec(None))
    return GraphModel(Graph(nodes, {}, {"x": x}, {"y": last}))


def test_nesting_depth_of_loops_is_limited():
    assert nested(MOST_NESTED).predict(3.0)["y"].item() == 3
    with pytest.raises(core.CoreError, match=f"nested more than {MOST_NESTED} deep"):
        nested(MOST_NESTED + 1).predict(3.0)


@pytest.mark.parametrize(
    "text, attributes, message",
    [
        ("x = Placeholder\ny = Exit x", {}, r"'y' \(Exit\) is in no loop"),
        ("x = Placeholder\ny = NextIteration x", {}, r"'y' \(NextIteration\) is in no loop"),
        ("x = Placeholder\ny = Enter x", {}, "'y' .* lacks the attribute 'frame_name'"),
        (
            "x = Placeholder\na = Enter x\nb = Enter x\nc = Add a b\ny = Exit c",
            {"a": loop("a"), "b": loop("b")},
            "'c' mixes values of the loops",
        ),
        ("x = Placeholder\na = Switch x x\ny = Neg a:two", {}, "'a' has no output 'two'"),
        ("x = Placeholder\na = Switch x x\ny = Merge a:2 a:1", {}, "'a' has no output 2"),
        ("x = Placeholder\na = Merge x y\ny = Neg a", {}, "circle"),
        ("x = Placeholder\ny = Switch x", {}, r"node 'y' \(Switch\): .*missing 1 .* 'condition'"),
    ],
)
def test_damaged_loops(text, attributes, message):
    with pytest.raises(core.CoreError, match=message):
        model(text, "y", {}, attributes).predict(1.0)


@pytest.mark.parametrize("name", re.findall(r"(\w+) = (?!Placeholder)", COUNTING))
def test_nodes_of_a_loop_without_their_inputs(name):
    text = re.sub(rf"( {name} = \w+).*", r"\1", COUNTING)
    assert text != COUNTING
    with pytest.raises(core.CoreError):
        counting(3, text=text).predict(1.0)


def test_merge_takes_the_first_live_input():
    graph = model("x = Placeholder\na = Neg x\ny = Merge a x", "y y:1")
    assert [t.item() for t in graph.predict(1.0).values()] == [-1, 0]


SAME = function("same", "", "x", "x")


@pytest.mark.parametrize(
    "attributes, functions, message",
    [
        (calls(then_branch="same"), [SAME], "'y' lacks the function 'else_branch'"),
        (calls(then_branch="same", else_branch="gone"), [SAME], "no function 'gone', only"),
        (
            calls(then_branch="two", else_branch="two"),
            [function("two", "", "a b", "a b")],
            "function two takes 2 arguments, got 1",
        ),
        (
            calls(then_branch="deep", else_branch="deep"),
            [
                function(
                    "deep",
                    "y = If x x",
                    "x",
                    "y:output:0",
                    y=calls(then_branch="deep", else_branch="deep"),
                )
            ],
            "^functions of the graph call each other without end, through 'y'$",
        ),
        (
            calls(then_branch="odd", else_branch="odd"),
            [function("odd", "y = Magic x\nz = Wand y", "x", "z:0")],
            r"Magic \(y\); Wand \(z\)",
        ),
        (
            calls(then_branch="odd", else_branch="odd"),
            [function("odd", "y = Neg away", "x", "y:0")],
            "odd has no node 'away'",
        ),
    ],
)
def test_damaged_functions(attributes, functions, message):
    with pytest.raises(core.CoreError, match=message):
        model("x = Placeholder\ny = If x x", "y", {}, {"y": attributes}, functions).predict(0.0)


@pytest.mark.parametrize("value, expected", [([], -1), ([2.0, 0.0], 1), ([0.0, 2.0], -1)])
def test_the_first_value_of_a_condition_decides(value, expected):
    functions = [function("yes", "", "x", "one"), function("no", "", "x", "minus")]
    text = "x = Placeholder\ny = StatelessIf x x"
    constants = {"one": np.float32(1), "minus": np.float32(-1)}
    attributes = {"y": calls(then_branch="yes", else_branch="no")}
    graph = model(text, "y", constants, attributes, functions)
    assert graph.predict(np.array(value))["y"].item() == expected


def test_functions_with_several_outputs_by_name():
    body = "parts = Split axis x\nsum = AddV2 parts:output:1 parts:output:0"
    functions = [function("halves", body, "x", "parts:output:1 sum:z:0", parts={"num_split": 2})]
    branch = calls(then_branch="halves", else_branch="halves")
    text = "x = Placeholder\ny = If zero x"
    graph = model(
        text, "y y:1", {"axis": np.int32(0), "zero": np.int32(0)}, {"y": branch}, functions
    )
    found = graph.predict(np.array([1.0, 2.0, 3.0, 4.0]))
    assert [t.numpy().tolist() for t in found.values()] == [[3, 4], [4, 6]]


@pytest.mark.parametrize("name", ["a_loop_v2", "a_loop_v1"])
def test_the_static_path_is_that_of_graphs_without_loops(name):
    """Only what leads through loops is run as a program."""
    graph, _ = recorded(name)
    executor = graph._executor
    assert executor.schedule(["x0"], ["Cast"]).program is None
    assert bool(executor.schedule(["x0"], ["y0"]).program) == (name == "a_loop_v1")


def test_handtrack(shared):
    """A loop of TensorFlow 1 with lists, in a model of 1,185 nodes."""
    from core.converter import read_graph

    folder = shared / "weights" / "handtrack-ssd320fpnlite-tfjs-uint8"
    graph = GraphModel(read_graph(folder))
    with np.load(folder / "reference" / "handtrack_hands_tfjs.npz") as golden:
        found = graph.predict(golden["input"])
        for name, value in found.items():
            expected = golden[name]
            bound = 1e-5 * max(1, np.ptp(expected))
            np.testing.assert_allclose(value, expected, rtol=0, atol=bound, err_msg=name)


def test_whether_a_value_is_held_in_a_loop_is_one_number():
    """A damaged file had an array there, whose truth nobody knows."""
    enter = Node("e", "Enter", ("x",), {"frame_name": "f", "is_constant": np.float32([1, 2])})
    nodes = [Node("x", "Placeholder"), enter, Node("y", "Exit", ("e",))]
    ends = [Endpoint(name, PartialSpec(())) for name in ("x", "y")]
    with pytest.raises(core.CoreError, match="'is_constant' must be a number"):
        GraphModel(Graph(nodes, {}, {"x": ends[0]}, {"y": ends[1]})).predict(1.0)
