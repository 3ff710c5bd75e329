"""Recording: which ops a graph is for some shapes, and what shapes and constants decide."""

import random

import numpy as np
import pytest

import core
from core.engine.program import ABSENT
from core.engine.settings import active_backend
from core.engine.specs import Spec
from core.graph.node_types import NodeType, elementwise
from core.graph.nodes import DataType
from core.graph_model.graph_model import GraphModel
from core.plan import tracing
from core.plan.tracing import DataDependentError, Tracer
from tests.core.graph.control_graphs import model


def eager(graph: GraphModel) -> GraphModel:
    """The same, run op by op."""
    return GraphModel(graph.graph, plans=False)


def ops(graph: GraphModel, inputs=None, outputs=None) -> list[str]:
    """The ops of the plan for some inputs, before anything is joined."""
    program = graph.plan(inputs, outputs).program
    steps = [s for step in program.steps for s in (step, *step.epilogue)]
    return [step.op.name for step in steps]


def agrees(graph: GraphModel, inputs, outputs=None, atol=0.0) -> dict[str, np.ndarray]:
    """Check that a graph gives by plan what it gives op by op, twice; bit for bit but for sums."""
    names = [*graph.outputs] if outputs is None else outputs
    expected = {k: t.numpy() for k, t in eager(graph).execute(inputs, names).items()}
    for _ in range(2):
        found = {k: t.numpy() for k, t in graph.execute(inputs, names).items()}
        assert list(found) == list(expected)
        for name, theirs in expected.items():
            assert found[name].dtype == theirs.dtype
            np.testing.assert_allclose(found[name], theirs, rtol=0, atol=atol, err_msg=name)
    return expected


# What shapes decide.

ROWS = """
    x = Placeholder
    shape = Shape x
    n = StridedSlice shape zero one one
    target = Pack n minus
    flat = Reshape x target
    y = Neg flat
"""
ROWS_CONSTANTS = {
    "zero": np.int32([0]),
    "one": np.int32([1]),
    "minus": np.int32(-1),
}
ROWS_ATTRIBUTES = {"n": {"shrink_axis_mask": 1}, "target": {"axis": 0}}


@pytest.mark.parametrize("shape", [(1, 2, 3), (5, 2, 3), (4, 7)])
def test_specs_of_all_values_are_inferred(shape, rng):
    graph = model(ROWS, "y", ROWS_CONSTANTS, ROWS_ATTRIBUTES)
    x = rng.normal(size=shape).astype(np.float32)
    found = agrees(graph, x)
    assert found["y"].shape == (shape[0], x[0].size)
    assert ops(graph, x) == (["reshape", "neg"] if len(shape) > 2 else ["neg"])


def test_outputs_that_depend_on_shapes_alone(rng):
    graph = model(ROWS, "y n target", ROWS_CONSTANTS, ROWS_ATTRIBUTES)
    found = agrees(graph, rng.normal(size=(3, 2, 2)).astype(np.float32))
    assert found["n"] == 3 and found["target"].tolist() == [3, -1]
    assert ops(graph, np.zeros((3, 2, 2), np.float32)) == ["reshape", "neg"]


def test_sizes_of_resized_images_follow_the_input(rng):
    """As decoders of segmentation networks have it."""
    text = """
        x = Placeholder
        shape = Shape x
        size = StridedSlice shape begin end one
        small = AvgPool x
        y = ResizeBilinear small size
    """
    constants = {"begin": np.int32([1]), "end": np.int32([3]), "one": np.int32([1])}
    pool = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "VALID"}
    graph = model(text, "y", constants, {"small": pool})
    for size in ((4, 6), (7, 9)):
        x = rng.normal(size=(1, *size, 3)).astype(np.float32)
        assert agrees(graph, x, atol=1e-6)["y"].shape == x.shape
        assert ops(graph, x) == ["avg_pool", "resize_bilinear"]


# What constants decide.


def test_constants_are_folded(rng):
    text = "x = Placeholder\ntwice = AddV2 w w\nturned = Transpose twice perm\ny = MatMul x turned"
    w = rng.normal(size=(4, 3)).astype(np.float32)
    graph = model(text, "y twice", {"w": w, "perm": np.int32([1, 0])})
    graph._planner._graph_passes = ()  # which fold it before shapes are known
    found = agrees(graph, rng.normal(size=(2, 3)).astype(np.float32))
    np.testing.assert_array_equal(found["twice"], w + w)
    program = graph.plan(np.zeros((2, 3), np.float32)).program
    assert [step.op.name for step in program.steps] == ["matmul"]
    assert sorted(a.shape for a in program.constants.values()) == [(3, 4), (4, 3)]


def test_large_constants_are_not_folded(monkeypatch):
    monkeypatch.setattr(tracing, "MOST_FOLDED", 100)
    text = "x = Placeholder\nlarge = Fill shape one\nsmall = Fill few one\n"
    text += "a = AddV2 x small\ny = AddV2 a large"
    constants = {"shape": np.int32([30, 4]), "few": np.int32([25, 1, 4]), "one": np.float32(1)}
    graph = model(text, "y", constants)
    graph._planner._graph_passes = ()  # which fold the smaller constants of graphs, too
    x = np.zeros((1, 1), np.float32)
    assert agrees(graph, x)["y"].shape == (25, 30, 4)
    assert ops(graph, x) == ["fill", "add", "add"]


def test_large_weights_are_turned_once_for_plans_of_all_shapes(rng, monkeypatch):
    """A result that has as many values as the weight that it is made of is folded."""
    monkeypatch.setattr(tracing, "MOST_FOLDED", 100)
    text = "x = Placeholder\nturned = Transpose w perm\ny = MatMul x turned"
    constants = {"w": rng.normal(size=(40, 60)).astype(np.float32), "perm": np.int32([1, 0])}
    graph = model(text, "y", constants)
    graph._planner._graph_passes = ()  # which fold it before shapes are known
    programs = [graph.plan(np.zeros((n, 60), np.float32)).program for n in (1, 2)]
    for program in programs:
        assert [step.op.name for step in program.steps] == ["matmul"]
    first, second = (program.constants[program.steps[0].inputs[1]] for program in programs)
    assert first is second
    np.testing.assert_array_equal(first, constants["w"].T)


def test_graph_of_constants_only(rng):
    """No step is left."""
    text = "x = Placeholder\ns = Shape x\ny = Cast s"
    graph = model(text, "y", {}, {"y": {"DstT": DataType("DT_FLOAT")}})
    agrees(graph, np.zeros((3, 4), np.float32))
    plan = graph.plan(np.zeros((3, 4), np.float32))
    assert list(plan.steps) == [] and plan.arena_bytes == 0


def test_results_that_are_inputs(rng):
    x = rng.normal(size=(2, 3)).astype(np.float32)
    graph = model("x = Placeholder\na = Identity x\nb = Identity a\nz = Neg x", "a b z")
    found = agrees(graph, x)
    np.testing.assert_array_equal(found["b"], x)
    assert ops(graph, x) == ["neg"]


@pytest.mark.parametrize("shape", [(0, 3), (2, 0)])
def test_empty_inputs(shape):
    text = "x = Placeholder\na = Neg x\ny = AddV2 a k\ns = Sum a axis"
    graph = model(text, "y s", {"k": np.ones((1, 1), np.float32), "axis": np.int32(0)})
    agrees(graph, np.zeros(shape, np.float32))


# What is more than one op, or has more than one result.


def test_functions_are_inlined(rng):
    """A batch norm is a function of several ops."""
    text = "x = Placeholder\nn = FusedBatchNormV3 x g b m v\ny = Relu n"
    constants = {k: rng.uniform(0.5, 2, 4).astype(np.float32) for k in "gbmv"}
    how = {"n": {"epsilon": 1e-3, "is_training": False, "data_format": "NHWC"}}
    graph = model(text, "y", constants, how)
    x = rng.normal(size=(1, 3, 5, 4)).astype(np.float32)
    agrees(graph, x)
    program = graph.plan(x).program
    assert "batch_norm" not in "".join(ops(graph, x)) or len(program.steps) == 1
    assert program.outputs[0] in {step.name for step in program.steps}


def test_several_results(rng):
    text = "x = Placeholder\nparts = Split axis x\ny = Sub parts:2 parts\nz = Neg parts:1"
    graph = model(text, "y z parts:2", {"axis": np.int32(1)}, {"parts": {"num_split": 3}})
    x = rng.normal(size=(2, 6)).astype(np.float32)
    agrees(graph, x)
    agrees(graph, x, ["parts:1", "y"])
    assert ops(graph, x) == ["split", "sub", "neg"]


def test_lists_and_absent_inputs(rng):
    text = "x = Placeholder\nz = Placeholder\nj = ConcatV2 x z x axis\ns = AddN j j j\ny = Pack s j"
    graph = model(text, "y", {"axis": np.int32(-1)}, {"y": {"axis": 1}})
    given = {name: rng.normal(size=(2, n)).astype(np.float32) for name, n in (("x", 2), ("z", 1))}
    agrees(graph, given)
    program = graph.plan(given).program
    assert len(program.steps[0].inputs) == 3
    assert ABSENT not in {i for step in program.steps for i in step.inputs}


def test_dtypes(rng):
    text = """
        x = Placeholder
        i = Cast x
        odd = FloorMod i two
        is_odd = NotEqual odd none
        y = SelectV2 is_odd x none_float
        k = Mul i two
    """
    constants = {"two": np.int32(2), "none": np.int32(0), "none_float": np.float32(0)}
    graph = model(text, "y is_odd k", constants, {"i": {"DstT": DataType("DT_INT32")}})
    found = agrees(graph, rng.integers(-9, 9, (3, 4)).astype(np.float32))
    assert [a.dtype.name for a in found.values()] == ["float32", "bool", "int32"]


def test_complex_numbers(rng):
    text = "x = Placeholder\nf = RFFT x n\ny = ComplexAbs f"
    graph = model(text, "y f", {"n": np.int32([8])})
    assert agrees(graph, rng.normal(size=(2, 8)).astype(np.float32))["f"].dtype == np.complex64


# What only data decide.


@pytest.mark.parametrize(
    "kind, inputs",
    [
        ("RandomUniform", "s"),
        ("RandomUniformInt", "s zero many"),
        ("RandomStandardNormal", "s"),
        ("TruncatedNormal", "s"),
        ("Multinomial", "logits many"),
    ],
)
def test_random_numbers_are_drawn_at_each_run(kind, inputs):
    """Though shapes and constants are all that is given."""
    text = f"x = Placeholder\ns = Shape x\nr = {kind} {inputs}\nf = Cast r\ny = AddV2 x f"
    numbers = {"zero": np.int32(0), "many": np.int32(1000), "logits": np.ones((1, 50), np.float32)}
    how = {"r": {"dtype": DataType("DT_FLOAT")}, "f": {"DstT": DataType("DT_FLOAT")}}
    graph = model(text, "y", numbers, how)
    first, second = (graph.predict(np.zeros((1, 1000)))["y"].numpy() for _ in range(2))
    assert not np.array_equal(first, second)
    assert len(np.unique(first)) > 20


def noisy(x):
    """A function of a node type that draws numbers, in a module of any name."""
    return core.add(x, core.random_normal(x.shape))


def noisy_by_function(x):
    return core.add(x, core.rand(x.shape, random.random))


@pytest.mark.parametrize("function", [noisy, noisy_by_function])
def test_a_function_of_a_node_type_may_draw_numbers(function, monkeypatch):
    monkeypatch.setitem(elementwise.NODE_TYPES, "Noisy", NodeType(function))
    graph = model("x = Placeholder\nc = MatMul x w\ny = Noisy c", "y", {"w": np.eye(4, 4)})
    assert ops(graph, np.ones((3, 4), np.float32)) == ["matmul"]
    first, second = (graph.predict(np.ones((3, 4)))["y"].numpy() for _ in range(2))
    assert not np.array_equal(first, second)


def test_random_ops_are_not_recorded(recorder):
    constant = recorder.constant("c", core.tensor([[1.0, 2.0]]))
    with pytest.raises(DataDependentError, match="multinomial"), recorder.recording("m"):
        core.multinomial(constant, 3, seed=1)
    with pytest.raises(DataDependentError, match="random"), recorder.recording("n"):
        core.dropout(constant, 0.5)
    assert core.dropout([1.0], 0.5).shape == (1,)  # draws again outside


def test_random_numbers_after_a_plan_run_in_the_executor(rng):
    text = "x = Placeholder\nc = MatMul x w\ns = Shape c\nr = RandomUniform s\ny = AddV2 c r"
    w = rng.normal(size=(3, 4)).astype(np.float32)
    graph = model(text, "y", {"w": w}, {"r": {"dtype": DataType("DT_FLOAT")}})
    x = rng.normal(size=(2, 3)).astype(np.float32)
    first, second = (graph.predict(x)["y"].numpy() for _ in range(2))
    assert not np.array_equal(first, second)
    assert ((first >= x @ w - 1e-5) & (first < x @ w + 1 + 1e-5)).all()
    assert ops(graph, x) == ["matmul"]


def test_shapes_that_depend_on_data(rng):
    text = "x = Placeholder\nabove = Greater x zero\nwhich = Where above\ny = GatherNd x which"
    graph = model(text, "y which", {"zero": np.float32(0)})
    for n in (3, 8, 8, 20):
        x = rng.normal(size=n).astype(np.float32)
        assert len(agrees(graph, x)["y"]) == (x > 0).sum()


def test_suppression_depends_on_data(rng):
    text = "boxes = Placeholder\nscores = Placeholder\n"
    text += "y = NonMaxSuppressionV3 boxes scores most overlap least\nz = GatherV2 boxes y axis"
    constants = {
        "most": np.int32(5),
        "overlap": np.float32(0.5),
        "least": np.float32(0.2),
        "axis": np.int32(0),
    }
    graph = model(text, "y z", constants)
    corner = rng.uniform(0, 5, (30, 2))
    boxes = np.concatenate([corner, corner + rng.uniform(1, 3, (30, 2))], 1).astype(np.float32)
    agrees(graph, {"boxes": boxes, "scores": rng.uniform(size=30).astype(np.float32)})


@pytest.mark.parametrize("plans", [True, False])
def test_unsupported_nodes_raise_the_usual_error(plans):
    graph = model("x = Placeholder\na = Neg x\ny = MatMul a w", "y", {"w": np.zeros((3, 2))})
    graph = GraphModel(graph.graph, plans=plans)
    with pytest.raises(core.CoreError, match=r"node 'y' \(MatMul\): .*\(5, 4\)"):
        graph.predict(np.zeros((5, 4)))
    assert graph.predict(np.zeros((5, 3)))["y"].shape == (5, 2)


# The recorder itself.


@pytest.fixture
def recorder():
    return Tracer(active_backend().epsilon)


def test_a_recorder_writes_down_what_runs(recorder):
    x = recorder.input("x", Spec((2, 3)))
    w = recorder.constant("w", core.tensor([1.0, 2.0, 3.0]))
    with recorder.recording("n"):
        y = core.relu(core.add(core.mul(x, w), w))
    program = recorder.program([y, x, y])
    assert [(s.name, s.op.name, s.inputs) for s in program.steps] == [
        ("n", "mul", ("x", "w")),
        ("n_1", "add", ("n", "w")),
        ("n_2", "relu", ("n_1",)),
    ]
    assert program.inputs == ("x",) and program.outputs == ("n_2", "x", "n_2")
    assert program.constants["w"].tolist() == [1, 2, 3]
    assert program.specs["n_2"] == Spec((2, 3))


def test_failed_ops_leave_no_node(recorder):
    x = recorder.input("x", Spec((4,)))
    with pytest.raises(DataDependentError), recorder.recording("n"):
        core.neg(x).numpy()
    with pytest.raises(core.CoreError), recorder.recording("n"):
        core.matmul(core.abs(x), core.zeros((3, 2)))
    with recorder.recording("m"):
        y = core.exp(x)
    assert [step.op.name for step in recorder.program([y]).steps] == ["exp"]


def test_names_are_used_once(recorder):
    """Also where a node is named like a constant, or has another's name with a number."""
    x, other = recorder.input("x", Spec(())), recorder.input("x_1", Spec(()))
    with recorder.recording("x"):
        y = core.add(x, other)
        z = core.mul(y, recorder.constant("x_2", core.tensor(3.0)))
    program = recorder.program([z])
    names = [*(s.name for s in program.steps), *program.inputs, *program.constants]
    assert len(set(names)) == len(names) == 5


def test_recorded_ops_are_hidden_from_observers(recorder):
    """No profile, and no scope, which would dispose of it."""
    x = recorder.input("x", Spec((2,)))
    made = []

    def recorded():
        with core.tidy(), recorder.recording("n"):
            made.append(core.neg(x))

    assert core.profile(recorded).kernels == []
    assert [s.op.name for s in recorder.program(made).steps] == ["neg"]
    assert not made[0].is_disposed
