"""What goes wrong: told as it is op by op, and without harm to later runs."""

import numpy as np
import pytest

import core
from core.engine.registry import READY, find_kernel
from core.graph_model.graph_model import GraphModel
from core.plan import planner
from tests.core.graph.control_graphs import model
from tests.core.plan.test_tracing import agrees, eager

CONV = {"strides": [1, 1, 1, 1], "padding": "SAME", "data_format": "NHWC", "dilations": [1] * 4}
WHOLE = {"dtype": "int32"}


@pytest.fixture
def rows(rng):
    """Rows of a convolution's images that an input chooses."""
    text = "x = Placeholder\ni = Placeholder\nc = Conv2D x w\ng = GatherV2 c i zero\ny = Relu g"
    constants = {"w": rng.normal(size=(3, 3, 2, 2)).astype(np.float32), "zero": np.int32(0)}
    return model(text, "y", constants, {"c": CONV, "i": WHOLE})


@pytest.fixture
def x(rng):
    return rng.normal(size=(3, 5, 4, 2)).astype(np.float32)


def told(graph: GraphModel, inputs) -> str:
    with pytest.raises(core.CoreError) as caught:
        graph.predict(inputs)
    assert type(caught.value) is core.CoreError
    return str(caught.value)


# By the model.


@pytest.mark.parametrize("index", [[3], [-1], [0, 9]])
def test_errors_of_data(rows, x, index):
    expected = agrees(rows, {"x": x, "i": np.int32([0, 2])}, atol=1e-5)["y"]
    plan = rows.plan({"x": x, "i": np.int32([0, 2])})
    wrong = {"x": x, "i": np.resize(np.int32(index), 2)}
    for _ in range(3):
        assert told(rows, wrong) == told(eager(rows), wrong)
    assert "node 'g' (GatherV2)" in told(rows, wrong)
    found = rows.predict({"x": x, "i": np.int32([0, 2])})["y"].numpy()
    np.testing.assert_allclose(found, expected, atol=1e-5)
    assert plan.workspaces_made == 1  # which goes on after errors


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("x = Placeholder\ny = ScatterNd x one size", np.int32([[7]])),
        ("x = Placeholder\ny = SparseToDense x size one zero", np.int32([[7]])),
        ("x = Placeholder\nb = CropAndResize images boxes x size2\ny = Relu b", np.int32([7])),
    ],
)
def test_errors_of_kernels_that_have_no_lowering(text, given):
    constants = {
        "one": np.float32([1]),
        "zero": np.float32(0),
        "size": np.int32([3]),
        "size2": np.int32([2, 2]),
        "images": np.zeros((1, 4, 4, 1), np.float32),
        "boxes": np.zeros((1, 4), np.float32),
    }
    how = {"x": WHOLE, "b": {"method": "bilinear", "extrapolation_value": 0.0}}
    graph = model(text, "y", constants, how)
    assert told(graph, given) == told(eager(graph), given)
    graph.predict(0 * given)


def test_errors_of_shapes_name_the_graphs_own_nodes(rng):
    """Passes join nodes, and rename some."""
    text = "x = Placeholder\ns = Identity x\nc = Conv2D s w\nb = BiasAdd c k\ny = Relu b"
    constants = {"w": np.ones((3, 3, 2, 4), np.float32), "k": np.ones(4, np.float32)}
    graph = model(text, "y", constants, {"c": CONV})
    wrong = rng.normal(size=(1, 5, 5, 3)).astype(np.float32)
    assert told(graph, wrong) == told(eager(graph), wrong)
    assert told(graph, wrong).startswith("node 'c' (Conv2D)")
    with pytest.raises(core.CoreError, match=r"^node 'c' \(Conv2D\)"):
        graph.plan(wrong)
    agrees(graph, wrong[..., :2], atol=1e-5)


def test_a_graph_that_no_plan_can_be_made_of_runs_op_by_op(rows, x, monkeypatch):
    def fails(*_):
        raise core.CoreError("no plan")

    monkeypatch.setattr(planner, "find_stage", fails)
    inputs = {"x": x, "i": np.int32([1])}
    agrees(rows, inputs)
    with pytest.raises(core.CoreError, match="no plan"):
        rows.plan(inputs)


def test_an_error_of_planning_is_reported(rows, x):
    inputs = {"x": x, "i": np.int32([1])}
    plan = rows.plan(inputs)
    rows.predict(inputs)
    (workspace,) = plan._executable._workspaces._waiting

    def fails():
        raise FloatingPointError("so it goes")

    workspace.works[-1] = fails
    with pytest.raises(core.CoreError, match=r"'y' \(gather.* FloatingPointError: so it goes"):
        rows.predict(inputs)
    assert plan.workspaces_idle == 1


# By a plan alone.


@pytest.mark.parametrize(
    ("given", "got"),
    [
        (np.float32(1), r"float32 \(\)"),
        (np.ones((1, 5, 4, 2), np.float32), r"float32 \(1, 5, 4, 2\)"),
        (np.ones((3, 5, 4, 2), np.int32), r"int32 \(3, 5, 4, 2\)"),
    ],
)
def test_a_plan_takes_its_own_shapes_and_dtypes(rows, x, given, got):
    """NumPy would repeat or convert others."""
    plan = rows.plan({"x": x, "i": np.int32([0])})
    for value in (given, core.tensor(given)):
        values = {"x": value, "i": np.int32([0])}
        for use in (plan.run, plan.profile):
            with pytest.raises(core.CoreError, match=rf"float32 \(3, 5, 4, 2\) as 'x', got {got}"):
                use(values)


def test_a_plan_takes_arrays(rows, x):
    inputs = {"x": x, "i": np.int32([2])}
    plan = rows.plan(inputs)
    (found,) = plan.run(inputs).values()
    np.testing.assert_array_equal(found.numpy(), rows.predict(inputs)["y"].numpy())
    assert len(plan.profile(inputs, 1)) == len(plan.steps)


def test_steps_that_fail_are_named(rows, x):
    inputs = {"x": x, "i": np.int32([0])}
    plan = rows.plan(inputs)
    for use in (plan.run, plan.profile):
        with pytest.raises(core.CoreError, match=r"node 'y\w*' \(gather.*\): .*not"):
            use({**inputs, "i": np.int32([5])})
    np.testing.assert_array_equal(plan.run(inputs)["y"].numpy(), rows.predict(inputs)["y"].numpy())


# Kernels without a lowering.


@pytest.mark.parametrize("chain", ["Sigmoid Softplus", "Softplus Sigmoid Neg", "Exp Elu Sigmoid"])
def test_steps_after_a_kernel_have_the_temporaries_that_they_need(rng, chain):
    lines = ["x = Placeholder", "y0 = LRN x"]
    lines += [f"y{i + 1} = {op} y{i}" for i, op in enumerate(chain.split())]
    how = {"y0": {"depth_radius": 1, "bias": 1.0, "alpha": 1.0, "beta": 0.5}}
    graph = model("\n".join(lines), f"y{len(lines) - 2}", {}, how)
    x = rng.normal(size=(2, 5, 4, 8)).astype(np.float32)
    agrees(graph, x, atol=1e-6)
    (step,) = graph.plan(x).steps
    assert step.kernel.startswith("kernel ") and len(step.fused) == len(chain.split())


@pytest.mark.parametrize(
    "gives", [lambda x, **_: x[:1], lambda x, **_: x.astype(np.float64), lambda x, **_: x[..., 0]]
)
def test_kernels_give_what_their_op_promises(rng, monkeypatch, gives):
    graph = model("x = Placeholder\ny = Cumsum x axis", "y", {"axis": np.int32(0)})
    x = rng.normal(size=(3, 2)).astype(np.float32)
    plan = graph.plan(x)
    assert [step.kernel for step in plan.steps] == ["kernel cumsum"]
    name = "cumsum", "cpu"
    kernel = READY.get(name) or find_kernel(*name)
    monkeypatch.setitem(READY, name, lambda x, **how: gives(kernel(x, **how)))
    other = GraphModel(graph.graph)
    with pytest.raises(core.CoreError, match=r"the kernel gave .*, the op's rule says"):
        other.plan(x).run({"x": x})
    assert told(other, x) == told(eager(other), x)
