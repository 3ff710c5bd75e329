"""Loops by one plan: what it gives is what calls of the functions give, step by step."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import core
from core.errors import CoreError
from core.graph.nodes import DataType
from core.graph_model.graph_model import GraphModel
from core.plan import loop_plans
from core.plan.loop_plans import FIRST_ITERATIONS, LoopPlan
from tests.core.graph.control_graphs import RECORDED, calls, function, model, recorded
from tests.core.graph.test_control import COUNTING, counting, doubling, fed, same
from tests.core.plan.test_tracing import agrees

INT, FLOAT, BOOL = (DataType(name) for name in ("DT_INT32", "DT_FLOAT", "DT_BOOL"))


@pytest.fixture
def at_once(monkeypatch):
    """Plans from the first iteration on, so that short loops have them, too."""
    monkeypatch.setattr(loop_plans, "FIRST_ITERATIONS", 0)


def plans(graph: GraphModel) -> list[LoopPlan]:
    """Return the plans of a model's loops."""
    bodies = graph._planner._bodies.all()
    found = [plan for body in bodies for plan in body._executor.loops._plans.all()]
    return [plan for plan in found if plan is not None]


def looping(start, body, results, constants=None, attributes=None, outputs=None, more=()):
    """A graph with a loop over ``i`` below ``times``.

    Args:
        start: what each variable after ``i`` and ``times`` begins with, by its name.
        body: the lines of the body, which read the variables.
        results: what each variable after ``i`` and ``times`` becomes.
        constants: further constants.
        attributes: of the nodes of the body and of the graph.
        outputs: lines after the loop; ``loop:2`` is the first variable.
        more: further functions.
    """
    names = " ".join(("i", "times", *start))
    functions = [
        function("again", "less = Less i times", names, "less"),
        function(
            "step",
            f"next = AddV2 i one\n{body}",
            names,
            " ".join(("next", "times", *results.split())),
            **(attributes or {}),
        ),
        *more,
    ]
    lines = outputs or "\n".join(f"y{n} = Identity loop:{n + 2}" for n in range(len(start)))
    text = f"x = Placeholder\ncount = Placeholder\n{{}}\nloop = While zero count {{}}\n{lines}"
    before = [line for line in start.values() if "=" in line]
    refer = [line.split(" ")[0] for line in start.values()]
    names = " ".join(line.split()[0] for line in lines.splitlines())
    found = {"loop": calls(cond="again", body="step"), "count": {"dtype": "int32"}}
    return model(
        text.format("\n".join(before), " ".join(refer)),
        " ".join(n for n in names.split() if n.startswith("y")),
        {"zero": np.int32(0), "one": np.int32(1), **(constants or {})},
        {**found, **(attributes or {})},
        functions,
    )


def cell(rng, units=5):
    """A recurrent cell with a counter and a flag beside its state."""
    return looping(
        {"h": "x", "n": "zero", "flag": "yes"},
        """
        product = MatMul h w
        sum = BiasAdd product b
        new = Tanh sum
        two = AddV2 n one
        n2 = AddV2 two i
        other = LogicalNot flag
        """,
        "new n2 other",
        {
            "w": rng.normal(0, 0.2, (units, units)).astype(np.float32),
            "b": rng.normal(size=units).astype(np.float32),
            "yes": np.bool_(True),
        },
    )


@pytest.mark.parametrize("times", [0, 1, FIRST_ITERATIONS, FIRST_ITERATIONS + 1, 40])
def test_states_of_all_dtypes(rng, tier, times):
    graph, x = cell(rng), rng.normal(size=(2, 5)).astype(np.float32)
    inputs = {"x": x, "count": np.int32(times)}
    expected = agrees(graph, inputs, atol=1e-6)
    assert expected["y1"] == times + times * (times - 1) // 2
    assert expected["y2"] == (times % 2 == 0)
    assert len(plans(graph)) == (times > FIRST_ITERATIONS)
    # The plan that is there also does few iterations, or none.
    for other in (40, 3, 0, 1):
        agrees(graph, {"x": x, "count": np.int32(other)}, atol=1e-6)
    assert len(plans(graph)) == 1
    agrees(graph, {"x": x[:1], "count": np.int32(30)}, atol=1e-6)
    assert len(plans(graph)) == 2  # one for each batch


def test_variables_change_places(tier):
    """A value that is copied to another variable is read before it is overwritten."""
    graph = looping(
        {"a": "x", "b": "zeros", "c": "ones", "d": "ones"},
        "sum = AddV2 a one_float\nsame = Identity b",
        "same a sum halves",
        {
            "zeros": np.zeros(3, np.float32),
            "ones": np.ones(3, np.float32),
            "one_float": np.float32(1),
            "halves": np.full(3, 0.5, np.float32),
        },
    )
    agrees(graph, {"x": np.float32([3, 4, 5]), "count": np.int32(21)})
    assert len(plans(graph)) == 1


def test_shapes_that_change_have_no_plan():
    graph = looping({"y": "x"}, "more = ConcatV2 y y zero", "more", attributes={"more": {"N": 2}})
    agrees(graph, {"x": np.float32([1]), "count": np.int32(10)})
    assert plans(graph) == []


def test_shapes_that_settle_have_a_plan():
    graph = looping({"y": "x"}, "sum = AddV2 y row", "sum", {"row": np.float32([1, 2, 3])})
    agrees(graph, {"x": np.float32(1), "count": np.int32(30)})
    assert len(plans(graph)) == 1


def test_a_loop_in_a_loop(tier):
    """The outer one runs by calls, the inner one by its plan."""
    inner = [
        function("below", "less = Less j m", "j m z", "less"),
        function("add", "k = AddV2 j one\nsum = AddV2 z half", "j m z", "k m sum"),
    ]
    graph = looping(
        {"y": "x"},
        "within = While zero times y\nscaled = Mul within:2 half",
        "scaled",
        {"half": np.float32(0.5)},
        {"within": calls(cond="below", body="add")},
        more=inner,
    )
    agrees(graph, {"x": np.float32([1, 2]), "count": np.int32(20)})
    assert [plan.plan.inputs.keys() >= {"j", "z"} for plan in plans(graph)] == [True]


def test_a_branch_in_a_loop():
    branches = [
        function("double", "more = AddV2 y y", "y", "more"),
        function("halve", "less = Mul y half", "y", "less"),
    ]
    graph = looping(
        {"y": "x"},
        "small = Less y ten\nnew = If small y",
        "new",
        {"half": np.float32(0.5), "ten": np.float32(10)},
        {"new": calls(then_branch="double", else_branch="halve")},
        more=branches,
    )
    agrees(graph, {"x": np.float32(1), "count": np.int32(25)})


def test_random_numbers_differ_in_each_iteration():
    graph = looping(
        {"y": "x", "z": "x"},
        "drawn = RandomUniform shape",
        "drawn y",
        {"shape": np.int32([50])},
    )
    found = graph.predict({"x": np.zeros(50, np.float32), "count": np.int32(30)})
    assert not np.array_equal(found["y0"].numpy(), found["y1"].numpy())
    assert plans(graph) == []


# --- lists ----------------------------------------------------------------------------------------


def listing(dtype, attribute, at="i", room="count", after="y0 = TensorListStack loop:3 any"):
    """A loop that reads the rows of x, and writes each twice to a list."""
    return looping(
        {
            "rows": "given = TensorListFromTensor x any",
            "made": f"reserved = TensorListReserve any {room}",
        },
        f"""
        row = TensorListGetItem rows i any
        twice = {"LogicalNot row" if dtype == "bool" else "AddV2 row row"}
        more = AddV2 i one
        new = TensorListSetItem made {at} twice
        """,
        "rows new",
        {"any": np.int32(-1), "wide": np.int32(64), "vast": np.int32(2**30)},
        {
            "x": {"dtype": dtype},
            **{n: {"element_dtype": attribute} for n in ("given", "reserved", "row", "y0")},
        },
        after,
    )


@pytest.mark.parametrize(
    "dtype, attribute", [("float32", FLOAT), ("int32", INT), ("bool", BOOL)], ids=str
)
@pytest.mark.parametrize("shape", [(), (3,), (2, 1, 4)], ids=str)
def test_lists(rng, tier, dtype, attribute, shape):
    graph = listing(dtype, attribute)
    x = rng.integers(0, 2, (30, *shape)).astype(dtype)
    expected = agrees(graph, {"x": x, "count": np.int32(30)})["y0"]
    np.testing.assert_array_equal(expected, ~x if dtype == "bool" else x + x)
    assert len(plans(graph)) == 1


def test_a_list_grows_beyond_what_was_reserved():
    graph = listing("float32", FLOAT, room="one")
    agrees(graph, {"x": np.arange(30, dtype=np.float32), "count": np.int32(30)})


@pytest.mark.parametrize(
    "after", ["y0 = TensorListLength loop:3", "y0 = TensorListStack loop:3 any"]
)
def test_a_list_with_a_gap(after):
    """Reserved for more than is set: its length is that of what is set."""
    graph = listing("float32", FLOAT, room="wide", after=after)
    agrees(graph, {"x": np.arange(30, dtype=np.float32), "count": np.int32(25)})
    assert len(plans(graph)) == 1
    gap = listing("float32", FLOAT, at="more", room="wide", after=after)
    inputs = {"x": np.arange(30, dtype=np.float32), "count": np.int32(25)}
    if "Length" in after:
        assert agrees(gap, inputs)["y0"] == 26
    else:
        with pytest.raises(CoreError, match="has nothing at index 0"):
            gap.predict(inputs)
    assert len(plans(gap)) == 1


def test_an_index_outside_of_a_list_is_named_with_its_node():
    graph = listing("float32", FLOAT)
    inputs = {"x": np.arange(30, dtype=np.float32), "count": np.int32(31)}
    for _ in range(2):  # before there is a plan, and by it
        with pytest.raises(CoreError, match=r"'row' \(TensorListGetItem\): there is no index 30"):
            graph.predict(inputs)
    assert len(plans(graph)) == 1
    agrees(graph, {**inputs, "count": np.int32(30)})


def test_elements_of_several_shapes_have_no_plan():
    graph = looping(
        {"rows": "given = TensorListFromTensor x any"},
        "row = TensorListGetItem rows i any\nflat = Reshape row lengths\n"
        "new = TensorListSetItem rows i flat",
        "new",
        {"any": np.int32(-1), "lengths": np.int32([4])},
        {n: {"element_dtype": FLOAT} for n in ("given", "row")},
        "y0 = TensorListLength loop:2",
    )
    inputs = {"x": np.ones((20, 2, 2), np.float32), "count": np.int32(20)}
    assert agrees(graph, inputs)["y0"] == 20
    assert plans(graph) == []


def test_what_a_list_reserves_does_not_count_as_memory():
    """A damaged file reserves any number; by calls a list takes what is in it."""
    graph = listing("float32", FLOAT, room="vast")
    found = graph.predict({"x": np.ones((20, 100), np.float32), "count": np.int32(20)})
    assert found["y0"].shape == (20, 100)
    assert plans(graph) == []


# --- limits ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [counting, doubling])
def test_the_limit_of_steps_holds_in_a_plan(make):
    graph = make(40)
    for _ in range(2):  # by calls at first, and by the plan from its first iteration on
        with core.limits(loop_steps=40):
            assert graph.predict(np.ones(1))["result"].item() == 2.0**40
        with core.limits(loop_steps=39), pytest.raises(core.LimitError, match="node '.*loop") as e:
            graph.predict(np.ones(1))
        assert "too many steps, the limit loop_steps is 39" in str(e.value)
    assert len(plans(graph)) == 1


def test_steps_that_calls_repeat_count_once():
    """The plan gives up where the list ends, and calls do all iterations."""
    graph = listing("float32", FLOAT, room="one", after="y0 = TensorListLength loop:3")
    inputs = {"x": np.arange(30, dtype=np.float32), "count": np.int32(30)}
    for _ in range(2):
        with core.limits(loop_steps=30):
            assert graph.predict(inputs)["y0"].item() == 30


def test_an_endless_loop_ends_in_time():
    graph = doubling(2**31 - 1)
    for _ in range(2):
        with core.limits(seconds=0.2), pytest.raises(core.LimitError, match="takes too long"):
            graph.predict(np.ones(1))
    assert len(plans(graph)) == 1


def test_a_plan_that_takes_too_much_memory_is_left_to_calls():
    graph = listing("float32", FLOAT, room="wide", after="y0 = TensorListLength loop:3")
    inputs = {"x": np.zeros((20, 4000), np.float32), "count": np.int32(20)}
    agrees(graph, inputs)
    plan = plans(graph)[0].plan
    with core.limits(run_bytes=plan.run_bytes - 1):
        assert graph.predict(inputs)["y0"].item() == 20


# --- who runs them --------------------------------------------------------------------------------


def test_threads_and_two_models(rng, tier):
    first, second = cell(rng), cell(rng)
    inputs = [
        {"x": rng.normal(size=(1 + n % 2, 5)).astype(np.float32), "count": np.int32(20 + n)}
        for n in range(16)
    ]
    expected = [
        [GraphModel(m.graph, plans=False).predict(i)["y0"].numpy() for i in inputs]
        for m in (first, second)
    ]
    with ThreadPoolExecutor(4) as pool:
        for model_, theirs in ((first, expected[0]), (second, expected[1])) * 3:
            found = pool.map(lambda i, m=model_: m.predict(i)["y0"].numpy(), inputs)
            for mine, wanted in zip(found, theirs, strict=True):
                np.testing.assert_allclose(mine, wanted, rtol=0, atol=1e-6)


def test_observers_see_each_op_of_a_loop(rng):
    graph = cell(rng)
    inputs = {"x": np.ones((1, 5), np.float32), "count": np.int32(20)}
    graph.predict(inputs)
    assert len(plans(graph)) == 1
    profile = core.profile(lambda: graph.predict(inputs))
    assert sum(row["kernel"] == "Tanh" for row in profile.kernels) == 20
    slope = core.grad(lambda x: core.sum(graph.predict({**inputs, "x": x})["y0"]))
    assert slope(inputs["x"]).shape == (1, 5)


def test_a_users_function_is_called_in_each_iteration():
    seen = []

    def mine(x, y):
        seen.append(1)
        return core.add(x, y)

    assert doubling(30, {"AddV2": lambda x, y, **_: mine(x, y)}).predict(np.ones(1))
    assert len(seen) == 60


def test_backends_without_loops_call_the_functions(rng, monkeypatch):
    from core.backends.cpu import CpuBackend

    monkeypatch.setattr(CpuBackend, "has_loops", False)
    graph = cell(rng)
    agrees(graph, {"x": np.ones((1, 5), np.float32), "count": np.int32(20)})
    assert plans(graph) == []


# --- loops of TensorFlow 1, and those that TensorFlow made ----------------------------------------


@pytest.mark.parametrize("name", RECORDED)
def test_recorded_graphs_by_plans_from_the_first_iteration_on(name, at_once, tier):
    graph, runs = recorded(name)
    for run in (*runs, *runs):
        assert same(list(graph.predict(fed(run)).values()), run["outputs"])


def test_a_loop_of_tensorflow_1_has_a_plan(tier):
    graph = counting(40)
    assert agrees(graph, np.ones(2))["end"] == 40
    assert len(plans(graph)) == 1


def test_nested_loops_of_tensorflow_1_have_a_plan(at_once):
    graph, runs = recorded("nested_loops_v1")
    graph.predict(fed(runs[0]))
    body = graph._planner._bodies.all()[0]
    assert not {n.type for n in body._executor.nodes.values()} & {"Enter", "Switch", "Merge"}


def test_a_node_in_a_loop_stays_out_of_reach():
    """The loop is not made a call, so that the error is the usual one."""
    with pytest.raises(CoreError, match="'twice' has a value in each iteration of the loop 'loop'"):
        counting(20).execute(np.ones(1), ["twice", "end"])


def test_a_loop_that_is_fed_in_its_middle_stays_as_it_is():
    found = counting(20).execute({"x": np.ones(1), "limit": np.int32(3)}, ["end", "result"])
    assert [value.item() for value in found.values()] == [3, 8]


def test_a_loop_with_a_print_in_it_stays_as_it_is():
    text = COUNTING.replace("twice = AddV2 here:1 here:1", "p = Print here:1\ntwice = AddV2 p p")
    graph = counting(20, text=text)
    assert agrees(graph, np.ones(1))["end"] == 20
