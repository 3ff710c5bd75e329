"""Loops whose few iterations shapes and constants decide: their steps are part of a plan."""

import numpy as np
import pytest

import core
from core.graph.nodes import DataType
from core.plan.function_recorder import MOST_ITERATIONS
from tests.core.graph.control_graphs import calls, function, model
from tests.core.graph.test_control import COUNTING, FRAMES, counting, doubling
from tests.core.plan.test_stages import stages
from tests.core.plan.test_tracing import agrees


@pytest.mark.parametrize("make", [counting, doubling], ids=["nodes", "a call"])
def test_few_iterations_are_steps(make):
    graph = make(3)
    assert agrees(graph, np.float32([1, 2]))["result"].tolist() == [8, 16]
    assert stages(graph, np.float32([1, 2])) == [(["add"] * 3, ())]


@pytest.mark.parametrize("make", [counting, doubling], ids=["nodes", "a call"])
def test_many_iterations_are_a_loop(make):
    graph = make(MOST_ITERATIONS + 1)
    agrees(graph, np.float32([1, 2]))
    ((plan, _),) = stages(graph, np.float32([1, 2]))
    assert not plan


def test_iterations_that_data_decide_are_a_loop():
    """No step of the iteration that was tried is left in the plan."""
    functions = [
        function("again", "sum = Sum y axis\nless = Less sum limit", "y", "less"),
        function("step", "twice = AddV2 y y", "y", "twice"),
    ]
    numbers = {"limit": np.float32(5), "axis": np.int32(0), "two": np.float32(2)}
    text = "x = Placeholder\na = Mul x two\nloop = While a\nb = Identity loop"
    attributes = {"loop": calls(cond="again", body="step")}
    graph = model(text, "b a", numbers, attributes, functions)
    for x, expected in (([1.0, 1], [4.0, 4]), ([3.0, 4], [6.0, 8])):
        assert agrees(graph, np.float32(x))["b"].tolist() == expected
    (stage,) = stages(graph, np.float32([1, 1]))
    assert stage[0] is None


def test_a_limit_on_iterations_counts():
    graph = counting(3)
    with core.limits(loop_steps=2), pytest.raises(core.LimitError, match="loop_steps"):
        graph.predict(np.ones(2))


def test_what_fails_in_an_iteration_names_its_node():
    functions = [
        function("again", "less = Less i limit", "i limit y", "less:z:0"),
        function(
            "step", "more = AddV2 i one\nboth = ConcatV2 y y one", "i limit y", "more limit both"
        ),
    ]
    numbers = {"zero": np.int32(0), "one": np.int32(1), "times": np.int32(3)}
    text = "x = Placeholder\nloop = While zero times x\nresult = Identity loop:2"
    attributes = {"loop": calls(cond="again", body="step")}
    graph = model(text, "result", numbers, attributes, functions)
    with pytest.raises(core.CoreError, match="both"):
        graph.predict(np.ones(2, np.float32))
    graph.predict(np.ones((2, 2), np.float32))


def test_an_unknown_node_in_an_iteration_is_named():
    functions = [
        function("again", "less = Less i limit", "i limit y", "less:z:0"),
        function(
            "step", "more = AddV2 i one\nother = FlexNovel y", "i limit y", "more limit other"
        ),
    ]
    numbers = {"zero": np.int32(0), "one": np.int32(1), "times": np.int32(3)}
    text = "x = Placeholder\nloop = While zero times x\nresult = Identity loop:2\ny = Neg x"
    attributes = {"loop": calls(cond="again", body="step")}
    graph = model(text, "y", numbers, attributes, functions)
    with pytest.raises(core.KernelNotFound, match=r"FlexNovel \(other\)"):
        graph.execute(np.ones(2, np.float32), ["result"])


def test_next_iterations_may_wait_for_nodes_of_the_last():
    """As TensorFlow 2 writes loops: constants and next iterations come after a node of each."""
    text = COUNTING.replace("twice = AddV2 here:1 here:1", "twice = Mul here:1 two")
    text = text.replace("NextIteration more", "NextIteration more ^inside")
    text += "inside = Identity at:1\ntwo = Const ^inside"
    numbers = {"zero": 0, "one": 1, "times": 2}
    constants = {**{n: np.int32(v) for n, v in numbers.items()}, "two": np.float32(2)}
    graph = model(text, "result", constants, FRAMES)
    assert agrees(graph, np.float32([1, 2]))["result"].tolist() == [4, 8]
    assert stages(graph, np.float32([1, 2])) == [(["mul"], ())]


def test_an_effect_that_is_waited_for_stays_in_the_loop():
    seen = []

    def mine(value, **_):
        seen.append(value.item())
        return value

    text = COUNTING.replace("NextIteration more", "NextIteration more ^inside")
    graph = counting(2, {"Mine": mine}, text + "inside = Mine at:1")
    graph.predict(np.float32([1]))
    assert seen == [0, 1]


def test_lists_of_a_batch_are_its_rows():
    """The loop of ``tf.map_fn``, as detectors prepare the images of a batch."""
    element = {"element_dtype": DataType("DT_FLOAT")}
    functions = [
        function("again", "less = Less i two", "i rows made", "less"),
        function(
            "step",
            """
            row = TensorListGetItem rows i any
            twice = AddV2 row row
            wrote = TensorListSetItem made i twice
            more = AddV2 i one
            """,
            "i rows made",
            "more rows wrote",
            row=element,
            wrote=element,
        ),
    ]
    text = """
        x = Placeholder
        rows = TensorListFromTensor x any
        made = TensorListReserve any two
        loop = While zero rows made
        y = TensorListStack loop:2 any
    """
    numbers = {"zero": 0, "one": 1, "two": 2, "any": -1}
    constants = {name: np.int32(value) for name, value in numbers.items()}
    how = {**dict.fromkeys(("rows", "made", "y"), element)}
    how["loop"] = calls(cond="again", body="step")
    graph = model(text, "y", constants, how, functions)
    x = np.float32([[1, 2, 3], [4, 5, 6]])
    assert agrees(graph, x)["y"].tolist() == [[2, 4, 6], [8, 10, 12]]
    ((ops, eager),) = stages(graph, x)
    assert ops.count("add") == 2 and eager == ()
