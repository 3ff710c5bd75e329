"""Branches, loops and scans of ONNX that shapes and constants decide: their steps are in a plan."""

import numpy as np
import pytest

import core
from core.plan.function_recorder import MOST_CALLS, MOST_ITERATIONS
from core.plan.partition import MOST_DECIDED
from tests.core.graph.control_graphs import calls, function, model
from tests.core.plan.test_stages import stages
from tests.core.plan.test_tracing import agrees

#: Adds its state to a row, and gives the sum and its double.
RUNNING_SUM = "sum = ONNX:Add state row\ntwice = ONNX:Add sum sum"

#: Of a loop: goes on while the iteration is not the last one.
STEP = "sum = ONNX:Add state state\ngoes_on = ONNX:Less i last"


def scan(**more):
    attributes = {"y": {"num_scan_inputs": 1, "given": (0, 1), "around": 0, **more}}
    body = function("step", RUNNING_SUM, "state row", "sum twice")
    text = "x = Placeholder\nstart = Const\ny = ONNX:Scan start x\nz = ONNX:Neg y:1"
    attributes["y"] |= calls(body="step")
    return model(text, "y z", {"start": np.zeros(3, np.float32)}, attributes, [body])


def loop(most, last=100):
    constants = {"most": np.int32(most), "last": np.int32(last), "on": np.True_}
    text = "x = Placeholder\ny = ONNX:Loop most on x"
    body = function("step", STEP, "i keeps state", "goes_on sum sum")
    how = {"given": (0, 1, 2), "around": 0, **calls(body="step")}
    outputs = "y rows"
    return model(f"{text}\nrows = ONNX:Neg y:1", outputs, constants, {"y": how}, [body])


def test_a_scan_of_few_rows_is_steps(rng):
    x = rng.normal(size=(3, 3)).astype(np.float32)
    found = agrees(scan(), x)
    np.testing.assert_allclose(found["z"], -2 * np.cumsum(x, axis=0), rtol=1e-6)
    ((plan, left),) = stages(scan(), x)
    assert plan and not left


def test_a_scan_of_many_rows_runs_op_by_op(rng):
    x = rng.normal(size=(MOST_ITERATIONS + 1, 3)).astype(np.float32)
    found = agrees(scan(), x, atol=1e-6)
    np.testing.assert_allclose(found["y"], x.sum(axis=0), rtol=1e-5)
    ((plan, _),) = stages(scan(), x)
    assert not plan


@pytest.mark.parametrize("most, last, count", [(3, 100, 3), (100, 1, 2), (0, 100, 0)])
def test_a_loop_of_few_iterations_is_steps(most, last, count):
    """The trip count ends it, or its condition, which constants decide."""
    x = np.float32([1, 2])
    graph = loop(most, last)
    found = agrees(graph, x)
    np.testing.assert_array_equal(found["y"], x * 2**count)
    assert len(found["rows"]) == count
    ((plan, left),) = stages(graph, x)
    assert plan is not None and not left
    assert plan.count("add") == count


def test_a_loop_of_many_iterations_runs_op_by_op():
    graph = loop(MOST_ITERATIONS + 1)
    agrees(graph, np.float32([1, 2]))
    ((plan, _),) = stages(graph, np.float32([1, 2]))
    assert not plan


def test_branches_in_branches_that_shapes_decide(rng):
    bodies = [
        function("outer", "n = ONNX:Size v\non = ONNX:Less n four\ny = If on v", "v", "y"),
        function("same", "y = ONNX:Identity v", "v", "y"),
        function("turned", "y = ONNX:Neg v", "v", "y"),
        function("squared", "y = ONNX:Mul v v", "v", "y"),
    ]
    bodies[0].nodes[2] = (
        bodies[0].nodes[2]._replace(attributes=calls(then_branch="turned", else_branch="squared"))
    )
    text = "x = Placeholder\nn = ONNX:Size x\non = ONNX:Less one n\nb = If on x\ny = ONNX:Abs b"
    how = {"b": calls(then_branch="outer", else_branch="same")}
    graph = model(text, "y b", {"one": np.int32(1), "four": np.int32(4)}, how, bodies)
    for size, step in ((1, ["abs"]), (3, ["neg", "abs"]), (5, ["mul", "abs"])):
        x = rng.normal(size=size).astype(np.float32)
        agrees(graph, x)
        ((plan, left),) = stages(graph, x)
        assert not left and plan == step


def test_calls_without_end_are_named_by_a_run():
    """A function that calls itself: nothing of it is in the plan."""
    body = function("again", "y = If on v", "v", "y")
    how = calls(then_branch="again", else_branch="again")
    body.nodes[0] = body.nodes[0]._replace(attributes=how)
    text = "x = Placeholder\na = ONNX:Neg x\nb = If on a"
    graph = model(text, "b", {"on": np.True_}, {"b": how}, [body])
    with pytest.raises(core.CoreError, match="without end|too often"), core.limits(calls=500):
        graph.predict(np.float32([1]))


def test_calls_of_a_plan_are_few():
    """Each function calls the next one twice: that is a run of 4,096 calls, not so many steps."""
    depth = 12
    bodies = [function(f"f{depth}", "y = ONNX:Neg v", "v", "y")]
    for i in range(depth):
        body = function(f"f{i}", "a = If on v\ny = If on a", "v", "y")
        how = calls(then_branch=f"f{i + 1}", else_branch=f"f{i + 1}")
        body.nodes[:] = [node._replace(attributes=how) for node in body.nodes]
        bodies.append(body)
    assert 2**depth > MOST_CALLS
    how = {"b": calls(then_branch="f0", else_branch="f0")}
    graph = model("x = Placeholder\nb = If on x", "b", {"on": np.True_}, how, bodies)
    assert agrees(graph, np.float32([3]))["b"].tolist() == [3]
    ((plan, _),) = stages(graph, np.float32([3]))
    assert not plan


# --- conditions that data decide --------------------------------------------------------------


def branching(count):
    """A graph whose value is negated or squared by branches, each if the sum so far is positive."""
    bodies = [
        function("turned", "y = ONNX:Neg v", "v", "y"),
        function("squared", "y = ONNX:Mul v v", "v", "y"),
    ]
    lines, how = ["b0 = Placeholder"], {}
    for i in range(count):
        lines += [
            f"sum{i} = ONNX:ReduceSum b{i}",
            f"on{i} = ONNX:Less zero sum{i}",
            f"b{i + 1} = If on{i} b{i}",
        ]
        how[f"b{i + 1}"] = calls(then_branch="turned", else_branch="squared")
        how[f"sum{i}"] = {"keepdims": 0}
    return model("\n".join(lines), f"b{count}", {"zero": np.float32(0)}, how, bodies)


@pytest.mark.parametrize("count", [1, MOST_DECIDED, MOST_DECIDED + 2])
def test_branches_that_data_decide_have_plans_for_each_case(count):
    graph = branching(count)
    for x in ([1.0, 2], [-1.0, -2], [1.0, -3], [3.0, 2]):
        agrees(graph, np.float32(x))
    *_, (plan, left) = stages(graph, np.float32([1, 2]))
    assert bool(left) == (count > MOST_DECIDED)
    assert left or plan


def test_a_condition_that_is_given():
    """The cached plan of the other case is not taken, whose inputs are of equal shapes."""
    bodies = [
        function("turned", "y = ONNX:Neg v", "v", "y"),
        function("squared", "y = ONNX:Mul v v", "v", "y"),
    ]
    how = {
        "on": {"dtype": "bool"},
        "y": calls(then_branch="turned", else_branch="squared"),
    }
    graph = model("x = Placeholder\non = Placeholder\ny = If on x", "y", {}, how, bodies)
    for on in (True, False, False, True, True, False):
        found = graph.predict({"x": np.float32([3]), "on": np.bool_(on)})["y"]
        assert found.tolist() == [-3 if on else 9]
    given = {"x": np.float32([3]), "on": np.True_}
    assert stages(graph, given) == [(["neg"], ())]


def test_a_condition_that_other_nodes_read(rng):
    bodies = [
        function("turned", "y = ONNX:Neg v", "v", "y"),
        function("same", "y = ONNX:Identity v", "v", "y"),
    ]
    text = """
        x = Placeholder
        sum = ONNX:ReduceSum x
        on = ONNX:Less zero sum
        b = If on x
        number = ONNX:Cast on
        y = ONNX:Add b number
    """
    how = {
        "b": calls(then_branch="turned", else_branch="same"),
        "number": {"to": 1},
        "sum": {"keepdims": 0},
    }
    graph = model(text, "y", {"zero": np.float32(0)}, how, bodies)
    assert agrees(graph, np.float32([2, 3]))["y"].tolist() == [-1, -2]
    assert agrees(graph, np.float32([-2, -3]))["y"].tolist() == [-2, -3]
