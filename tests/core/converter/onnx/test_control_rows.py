"""Loops and scans beside ONNX Runtime and their gradients; sequences and optionals."""

import numpy as np
import pytest

import core
from core.errors import CoreError
from core.graph.node_types.onnx import all_rows
from tests.core.converter.fuzz.protobuf import field
from tests.core.converter.onnx import protos
from tests.core.converter.onnx.beside_runtime import run_both
from tests.core.converter.onnx.protos import Body, graph, node, value

rng = np.random.default_rng(49)


def body_of_loop(added, most=10.0):
    """Doubles s and adds a value of around until the sum is too large; gives each s."""
    nodes = [
        node("Sum", ["s", "s"], ["twice"]),
        node("Add", ["twice", added], ["next"]),
        node("ReduceSum", ["next"], ["total"], keepdims=0),
        node("Less", ["total", "most"], ["goes_on"]),
    ]
    inputs = [value("i", (), "int64"), value("before", (), "bool"), value("s", (2,))]
    outputs = [value("goes_on", (), "bool"), value("next", (2,)), value("next", (2,))]
    return Body(graph(nodes, inputs, outputs, [protos.tensor(np.float32(most), "most")]))


def loop(trips=None, condition=None, added="x", **options):
    """A node, and the tensors that it reads."""
    given = {"trips": trips, "keeps": condition}
    ends = [name if value is not None else "" for name, value in given.items()]
    body = body_of_loop(added, **options)
    tensors = [protos.tensor(v, name) for name, v in given.items() if v is not None]
    return node("Loop", [*ends, "start"], ["last", "all"], body=body), tensors


FEEDS = {"x": np.float32([1, -0.25]), "start": np.float32([0.5, 0.1])}
LOOPED = {"last": "float32", "all": "float32"}


@pytest.mark.parametrize(
    ("trips", "condition", "count"),
    [(3, None, 3), (3, True, 3), (50, True, 3), (None, True, 3), (2, True, 2)],
)
def test_loops_beside_onnx_runtime(trips, condition, count, tmp_path):
    made, tensors = loop(trips, condition)
    pairs = run_both(tmp_path, [made], FEEDS, LOOPED, tensors)
    for ours, theirs in pairs:
        np.testing.assert_allclose(ours, theirs, rtol=1e-6)
    assert pairs[1][0].shape == (count, 2)


@pytest.mark.parametrize(("trips", "condition"), [(0, True), (4, False)])
def test_loops_that_never_run(trips, condition, tmp_path):
    made, tensors = loop(trips, condition)
    ((ours, theirs), (rows, _)) = run_both(tmp_path, [made], FEEDS, LOOPED, tensors)
    assert ours.tolist() == theirs.tolist() == FEEDS["start"].tolist()
    assert len(rows) == 0


def test_endless_loops_end_by_the_limit(tmp_path):
    made, tensors = loop(None, True, most=np.inf)
    data = model_of([made], tensors)
    model = core.load_model(protos.write(tmp_path, data))
    with core.limits(loop_steps=20), pytest.raises(core.LimitError, match="loop"):
        model.predict(FEEDS)


def model_of(nodes, tensors):
    inputs = [value(name, (2,)) for name in FEEDS]
    return protos.model(graph(nodes, inputs, [value("last")], tensors))


def slope_and_differences(model, name, weight):
    """The gradient of a sum of squares for a weight, and finite differences."""
    trained = model.trainable(name)
    loss = lambda: core.sum(core.square(trained(FEEDS)))  # noqa: E731
    (slope,) = core.variable_grads(loss)[1].values()
    variable, step, found = trained.variables[name], 1e-2, []
    for i in range(weight.size):
        ends = []
        for sign in (1, -1):
            moved = weight.copy()
            moved.ravel()[i] += sign * step
            variable.assign(moved)
            ends.append(loss().item())
        found.append((ends[0] - ends[1]) / (2 * step))
    return slope.numpy().ravel(), np.array(found)


def test_gradients_through_a_loop(tmp_path):
    made, tensors = loop(3, added="u", most=1e9)
    weight = np.float32([0.7, 1.3])
    nodes = [node("Mul", ["x", "w"], ["u"]), made]
    data = model_of(nodes, [*tensors, protos.tensor(weight, "w")])
    model = core.load_model(protos.write(tmp_path, data))
    slope, differences = slope_and_differences(model, "w", weight)
    np.testing.assert_allclose(slope, differences, rtol=1e-3)
    assert np.abs(slope).min() > 0.1


@pytest.mark.parametrize("turned", [0, 1])
@pytest.mark.parametrize("axis", [0, 1])
def test_scans_beside_onnx_runtime(axis, turned, tmp_path):
    nodes = [node("Add", ["s", "row"], ["next"]), node("Mul", ["next", "x"], ["made"])]
    inputs = [value("s", (2,)), value("row", (2,))]
    body = Body(graph(nodes, inputs, [value("next", (2,)), value("made", (2,))]))
    how = {
        "scan_input_axes": [axis],
        "scan_input_directions": [turned],
        "scan_output_axes": [axis],
        "scan_output_directions": [turned],
    }
    scan = node("Scan", ["start", "rows"], ["last", "all"], body=body, num_scan_inputs=1, **how)
    rows = rng.normal(size=(2, 2 if axis else 5)).astype(np.float32)
    feeds = {**FEEDS, "rows": rows if axis else np.ascontiguousarray(rows.T)}
    for ours, theirs in run_both(tmp_path, [scan], feeds, LOOPED):
        np.testing.assert_allclose(ours, theirs, rtol=1e-6)


# Sequences and optionals, in and out


def listed(name, kind="float32", form="sequence"):
    """A ValueInfoProto of a sequence or optional of tensors."""
    inner = field(1, field(1, field(1, protos.NUMBERS[kind])))
    return field(1, name) + field(2, field({"sequence": 4, "optional": 9}[form], inner))


@pytest.fixture
def load(tmp_path):
    """Loads a model of nodes with inputs and outputs as they are written."""

    def made(nodes, inputs, outputs):
        data = protos.model(graph(nodes, inputs, outputs), opsets={"": 18})
        return core.load_model(protos.write(tmp_path, data))

    return made


A, B = np.float32([1, 2]), np.float32([[3]])


def test_a_list_goes_in_and_comes_out(load):
    insert = node("SequenceInsert", ["s", "x"], ["t"])
    model = load([insert], [listed("s"), value("x", (2,))], [listed("t")])
    found = model.predict({"s": [A, B], "x": A + 1})["t"]
    assert [each.numpy().tolist() for each in found] == [[1, 2], [[3]], [2, 3]]
    assert [t.numpy().tolist() for t in model.predict({"s": [], "x": A})["t"]] == [[1, 2]]
    arrays = model.execute({"s": [B], "x": A}, ["t"], as_arrays=True)["t"]
    assert [type(each) for each in arrays] == [np.ndarray] * 2


def test_results_are_apart_from_what_was_given(load):
    model = load([node("Identity", ["s"], ["t"])], [listed("s")], [listed("t")])
    given = core.tensor(A)
    (found,) = model.predict({"s": [given]})["t"]
    found.dispose()
    assert given.numpy().tolist() == [1, 2]


def test_an_optional_may_lack(load):
    nodes = [node("OptionalHasElement", ["o"], ["y"])]
    model = load(nodes, [listed("o", form="optional")], [value("y", (), "bool")])
    assert model.predict({"o": A})["y"].item()
    assert not model.predict({"o": None})["y"].item()
    assert model.predict({"o": [A, B]})["y"].item()
    element = load(
        [node("OptionalGetElement", ["o"], ["y"])], [listed("o", form="optional")], [value("y")]
    )
    assert element.predict({"o": A})["y"].numpy().tolist() == [1, 2]
    with pytest.raises(CoreError, match="the optional has no element: ask OptionalHasElement"):
        element.predict({"o": None})


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (A, "input 's' is a sequence of tensors: give a list, not a ndarray"),
        (None, "input 's' is a sequence of tensors: give a list, not a NoneType"),
        ([A, np.int32([1])], "'s' must be a list of tensors of float32, one is int32"),
    ],
)
def test_what_is_no_list_of_tensors(given, text, load):
    model = load([node("SequenceLength", ["s"], ["y"])], [listed("s")], [value("y", (), "int64")])
    with pytest.raises(CoreError, match=text):
        model.predict({"s": given})


@pytest.mark.parametrize("position", [2, -3])
@pytest.mark.parametrize("op", ["SequenceAt", "SequenceErase"])
def test_positions_outside_of_a_sequence(op, position):
    with pytest.raises(CoreError, match=f"position {position} is outside of a sequence of 2"):
        all_rows()[op]([A, B], core.tensor(np.int32(position)))


def test_parts_of_a_length():
    x = core.tensor(np.arange(7, dtype=np.float32))
    (parts,) = all_rows()["SplitToSequence"](x, core.tensor(np.int32(3)))
    assert [part.numpy().tolist() for part in parts] == [[0, 1, 2], [3, 4, 5], [6]]


def test_lengths_of_old_scans_are_refused(tmp_path):
    body = Body(graph([node("Neg", ["r"], ["t"])], [value("r", (2,))], [value("t", (2,))]))
    scan = node("Scan", ["n", "x"], ["y"], body=body, num_scan_inputs=1)
    ends = [value("n", (1,), "int64"), value("x", (1, 3, 2))]
    data = protos.model(graph([scan], ends, [value("y")]), opsets={"": 8})
    model = core.load_model(protos.write(tmp_path, data))
    with pytest.raises(CoreError, match="'y' .*sequence_lens, which opset 8 alone has"):
        model.predict({"n": np.int32([3]), "x": np.zeros((1, 3, 2), np.float32)})
