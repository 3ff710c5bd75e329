"""Variables of TFLite files, which a model keeps from run to run."""

import numpy as np
import pytest

import core
from core.converter import convert
from core.converter.tflite import read_tflite
from core.graph_model.graph_model import GraphModel
from tests.core.converter.tflite.fixtures.models import (
    FOLDER,
    assign_variable,
    handle,
    load,
    read_variable,
)
from weights_cache.common.errors import WeightsError

FILE = FOLDER / "streaming.tflite"


def feeds(model, run):
    values = load("streaming")
    return {name: values[f"in/{name}/{run}"] for name in model.inputs}


@pytest.mark.parametrize("plans", [True, False])
def test_runs_one_after_the_other_are_those_of_litert(plans):
    model, values = GraphModel(read_tflite(FILE), plans=plans), load("streaming")
    for run in range(4):
        given = model.predict(feeds(model, run), raw=True)
        for name, found in given.items():
            expected = values[f"out/{name}/{run}"]
            limit = 2e-6 * max(np.ptp(expected), 1) if expected.dtype == np.float32 else 0
            assert np.abs(found.numpy() - expected).max() <= limit, (run, name)


def test_states_begin_anew_when_they_are_reset():
    model = GraphModel(read_tflite(FILE))
    first = model.predict(feeds(model, 0))
    model.predict(feeds(model, 1))
    model.reset_states()
    again = model.predict(feeds(model, 0))
    assert all(np.array_equal(again[name].numpy(), first[name].numpy()) for name in first)
    other = GraphModel(read_tflite(FILE)).predict(feeds(model, 0))
    assert all(np.array_equal(other[name].numpy(), first[name].numpy()) for name in first)


@pytest.fixture
def adding(writer, read):
    """A model that adds its input to a variable, whose value before and after it gives."""
    x = writer.input("x", (2,))
    writer.op("CALL_ONCE", [], [], "CallOnce", initSubgraphIndex=1)
    before = read_variable(writer, "total", (2,))
    total = writer.op("ADD", [before, x], [writer.tensor("sum", (2,))], "Add")
    assign_variable(writer, "total", total)
    writer.op("NEG", [total], [writer.tensor("opposite", (2,))])
    writer.graph.outputs = [total, total + 2]
    writer.subgraph()
    assign_variable(writer, "total", writer.constant([5.0, 6.0], "FLOAT32"))
    return GraphModel(read(writer))


def test_only_runs_with_all_inputs_move_states_on(adding):
    x = np.float32([1, 2])
    assert adding.execute(x, ["opposite"])["opposite"].numpy().tolist() == [-6, -8]
    assert adding.execute({}, ["total"])["total"].numpy().tolist() == [6, 8]
    assert adding.execute({"sum": x}, ["opposite"])["opposite"].numpy().tolist() == [-1, -2]
    assert adding.predict(x)["sum"].numpy().tolist() == [7, 10]
    assert adding.plan(x).steps
    assert adding.predict(x)["sum"].numpy().tolist() == [8, 12]


def test_a_state_that_is_given_is_used_instead(adding):
    found = adding.execute({"x": np.float32([1, 2]), "total": np.float32([0, 0])}, ["sum"])
    assert found["sum"].numpy().tolist() == [1, 2]
    assert adding.predict(np.float32([1, 2]))["sum"].numpy().tolist() == [2, 4]


def test_what_a_caller_disposes_of_or_writes_to_is_no_state(adding):
    x = np.float32([1, 2])
    for tensor in adding.predict(x).values():
        tensor.dispose()
    adding.execute({}, ["total"])["total"].dispose()
    x[:] = 100
    with core.tidy():
        adding.predict(np.float32([0, 0]))
    assert adding.predict(np.float32([0, 0]))["sum"].numpy().tolist() == [6, 8]


def test_an_input_that_becomes_a_state_is_copied(writer, read):
    x = writer.input("x", (2,))
    writer.op("CALL_ONCE", [], [], "CallOnce", initSubgraphIndex=1)
    last = read_variable(writer, "last", (2,))
    assign_variable(writer, "last", x)
    writer.op("NEG", [last], [writer.tensor("y", (2,))])
    writer.subgraph()
    assign_variable(writer, "last", writer.constant([0.0, 0.0], "FLOAT32"))
    model = GraphModel(read(writer))
    given = np.float32([1, 2])
    model.predict(given)
    given[:] = 7
    assert model.predict(given)["y"].numpy().tolist() == [-1, -2]


def test_an_error_leaves_states_as_they_were(adding):
    with pytest.raises(core.CoreError, match="must have shape"):
        adding.predict(np.zeros(3, np.float32))
    assert adding.predict(np.float32([1, 2]))["sum"].numpy().tolist() == [6, 8]


def test_runs_in_threads_count_each(adding):
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: adding.predict(np.float32([1, 0])), range(40)))
    assert adding.predict(np.float32([1, 2]))["sum"].numpy().tolist() == [46, 8]


def test_auto_keeps_states_on_one_backend(adding):
    model = GraphModel(adding.graph, "auto")
    for total in (6, 7, 8):
        assert model.predict(np.float32([1, 0]))["sum"].numpy().tolist() == [total, 6]
    model.reset_states()
    assert model.predict(np.float32([1, 0]))["sum"].numpy().tolist() == [6, 6]


def test_training_begins_each_call_with_the_first_values(adding):
    trained = adding.trainable(outputs=["sum"])
    for _ in range(2):
        assert trained(np.float32([1, 2])).numpy().tolist() == [6, 8]


def test_the_web_format_cannot_keep_states(tmp_path):
    with pytest.raises(WeightsError, match="it keeps steps, count, ring from run to run"):
        convert(FILE, tmp_path / "web")


def no_value(writer, x):
    writer.op("ADD", [read_variable(writer, "v", (2,)), x], [writer.tensor("y", (2,))], "Add")


def other_scales(writer, x):
    writer.op("CALL_ONCE", [], [], "CallOnce", initSubgraphIndex=1)
    read_variable(writer, "v", (2,), "INT8", (0.5, 0))
    writer.subgraph()
    assign_variable(writer, "v", writer.constant([1, 2], "INT8", quanta=(0.25, 0)))


def in_a_branch(writer, x):
    less = writer.op("LESS", [x, x], [writer.tensor("less", (2,), "BOOL")])
    how = {"thenSubgraphIndex": 1, "elseSubgraphIndex": 1}
    writer.op("IF", [less], [writer.tensor("y", (2,))], "If", **how)
    writer.subgraph()
    writer.graph.outputs = [read_variable(writer, "v", (2,))]


def no_handle(writer, x):
    writer.op("READ_VARIABLE", [x], [writer.tensor("y", (2,))], "ReadVariable")


def no_subgraph(writer, x):
    writer.op("CALL_ONCE", [], [], "CallOnce", initSubgraphIndex=3)


def once_in_once(writer, x):
    writer.op("CALL_ONCE", [], [], "CallOnce", initSubgraphIndex=1)
    read_variable(writer, "v", (2,))
    writer.subgraph()
    writer.op("CALL_ONCE", [], [], "CallOnce", initSubgraphIndex=1)
    assign_variable(writer, "v", writer.constant([1.0, 2.0], "FLOAT32"))


def a_handle_as_a_value(writer, x):
    writer.op("NEG", [handle(writer, "v")], [writer.tensor("y", (2,))])


@pytest.mark.parametrize(
    "build, message",
    [
        (no_value, "the variables v are read before any assignment"),
        (other_scales, "the variable 'v' is used with different dtypes or scales"),
        (in_a_branch, "variables in branches and loops are not supported"),
        (no_handle, "the handle of its variable must come from VAR_HANDLE"),
        (no_subgraph, "it calls subgraph 3 of 1"),
        (once_in_once, "subgraphs that run once and call others are not supported"),
        (a_handle_as_a_value, "must be a constant, or come from an earlier op"),
    ],
)
def test_variables_that_make_no_sense_are_refused(build, message, writer, read):
    build(writer, writer.input("x", (2,)))
    with pytest.raises(WeightsError, match=message):
        read(writer)
