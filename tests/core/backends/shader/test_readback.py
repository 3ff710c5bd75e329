"""Values come back to the host as they are, outputs of a run together, and belong to who asks."""

import gc
from weakref import ref

import numpy as np
import pytest

import core
from core.backends.shader.runtime import readback
from core.engine.backends import load_backend
from core.graph.nodes import Endpoint, Graph, Node, PartialSpec
from core.graph_model.graph_model import GraphModel
from tests.helpers import eventually


@pytest.fixture(params=["compute", "fragment", "compute, float16"])
def shader(request, opengl):
    path, _, half = request.param.partition(", ")
    core.start_shader(path=path, float16=bool(half))
    with core.backend("shader"):
        yield load_backend("shader")
    core.stop_shader()


@pytest.fixture
def compute(opengl):
    core.start_shader(path="compute")
    with core.backend("shader"):
        yield load_backend("shader")
    core.stop_shader()


def several(sizes=(3, 4, 5)):
    """A graph whose outputs are the first values of its input, each times another number."""
    nodes, weights = [Node("x", "Placeholder")], {}
    for i, size in enumerate(sizes):
        weights |= {f"b{i}": np.int32([0]), f"s{i}": np.int32([size]), f"k{i}": np.float32(i + 1)}
        nodes += [Node(f"{c}{i}", "Const") for c in "bsk"]
        nodes += [Node(f"p{i}", "Slice", ("x", f"b{i}", f"s{i}"))]
        nodes += [Node(f"y{i}", "Mul", (f"p{i}", f"k{i}"))]
    names = [f"y{i}" for i in range(len(sizes))]
    given = {name: Endpoint(name, PartialSpec(None)) for name in names}
    return GraphModel(Graph(nodes, weights, {"x": Endpoint("x", PartialSpec((None,)))}, given))


def waits(shader, *tensors):
    """How often the device is waited for while tensors are read."""
    before = shader.session.waits
    for value in tensors:
        value.numpy()
    return shader.session.waits - before


def test_values_are_those_of_the_device(shader, rng):
    for array in (
        rng.integers(-(2**31), 2**31, (3, 5), dtype=np.int64).astype(np.int32),
        np.float32([-0.0, 1.5, np.inf, -65504.0]),
        rng.random((2, 3, 7)) < 0.5,
        np.complex64([1 + 2j, -3j, 0.5]),
        np.zeros((0, 4), np.float32),
        np.float32(7.0),
        np.arange(300_000, dtype=np.float32) % 2048,  # more than comes through mapped memory
    ):
        made = core.concat([core.tensor(array.reshape(-1))] * 2)  # which the device makes
        found = made.numpy()
        np.testing.assert_array_equal(found, np.concatenate([array.reshape(-1)] * 2))
        assert found.dtype == array.dtype


def test_downloaded_arrays_belong_to_the_caller(shader, rng):
    model = several()
    x = rng.standard_normal(8).astype(np.float32)
    uploaded, made = core.tensor(x), core.tensor(x) * 2.0
    tensors = [uploaded, made, *model.predict({"x": x}).values(), *model.predict(x).values()]
    for _ in range(2):
        for value in tensors:
            first = value.numpy()
            kept = first.copy()
            first[...] = -9.0
            np.testing.assert_array_equal(value.numpy(), kept)
    np.testing.assert_array_equal((uploaded + 0.0).numpy(), uploaded.numpy())


def test_outputs_that_were_read_last_time_come_together(compute, rng):
    model = several()
    for turn in range(3):
        x = rng.standard_normal(8).astype(np.float32)
        outputs = model.predict(x)
        names = ["y2", "y0"] if turn % 2 else ["y0", "y2"]  # nobody reads y1
        count = waits(compute, *[outputs[name] for name in names])
        assert count == (1 if turn else 2)
        for i, size in enumerate((3, 4, 5)):
            expected = x[:size] * np.float32(i + 1)
            np.testing.assert_array_equal(outputs[f"y{i}"].numpy(), expected)
        if turn == 0:
            model = several()  # which forgets that all were read just now
            first = model.predict(x)
            first["y0"].numpy(), first["y2"].numpy()


def test_a_value_is_read_back_once(compute, rng):
    model = several()
    x = rng.standard_normal(8).astype(np.float32)
    for value in model.predict(x).values():
        value.numpy()
    y0, y1, _ = model.predict(x).values()
    y0.numpy()
    assert waits(compute, y1) == 0
    assert waits(compute, y1) == 1
    np.testing.assert_array_equal(y1.numpy(), x[:4] * 2)


def test_readback_is_limited_by_its_buffer(compute, rng, monkeypatch):
    monkeypatch.setattr(readback, "ROOM", 600)
    model = several((3, 9, 5, 4))  # a multiple of 256 bytes apart, the largest last
    x = rng.standard_normal(12).astype(np.float32)
    for turn in range(4):
        outputs = [*model.predict(x).values()]
        count = waits(compute, *outputs)
        assert count == (2 if turn else 4)
        for i, (value, size) in enumerate(zip(outputs, (3, 9, 5, 4), strict=True)):
            np.testing.assert_array_equal(value.numpy(), x[:size] * np.float32(i + 1))


def test_outputs_stay_when_their_memory_is_needed_again(compute, rng):
    """Read or not, and used on the device before or after: also errors belong to one run."""
    model = several()
    xs = [rng.standard_normal(8).astype(np.float32) for _ in range(6)]
    for keep in (lambda y: y, lambda y: (y.numpy(), y)[1], lambda y: (y + 0.0, y)[1]):
        runs = [{name: keep(y) for name, y in model.predict(x).items()} for x in xs]
        for x, outputs in zip(xs, runs, strict=True):
            for i, size in enumerate((3, 4, 5)):
                expected = x[:size] * np.float32(i + 1)
                np.testing.assert_array_equal((outputs[f"y{i}"] * 2.0).numpy(), expected * 2)
                np.testing.assert_array_equal(outputs[f"y{i}"].numpy(), expected)


def test_outputs_are_fed_to_models_where_they_are(compute, rng):
    model = several((8, 4))
    x = rng.standard_normal(8).astype(np.float32)
    found, before = core.tensor(x), None
    for turn in range(5):
        found = model.predict(found)["y0"]  # which is x, as it is times one
        if turn > 1:  # by then there are two recordings
            assert compute.session.memory.resources == before
        before = compute.session.memory.resources
    np.testing.assert_array_equal(found.numpy(), x)


def test_outputs_stay_when_the_plan_forgets(compute, rng):
    model = several()
    x = rng.standard_normal(8).astype(np.float32)
    outputs = model.predict(x)
    model.plan(x).keep_idle(0)
    np.testing.assert_array_equal(outputs["y1"].numpy(), x[:4] * 2)
    np.testing.assert_array_equal(model.predict(x)["y2"].numpy(), x[:5] * 3)


def test_outputs_are_lost_with_the_context(compute, rng):
    x = rng.standard_normal(8).astype(np.float32)
    outputs = several().predict(x)
    core.stop_shader()
    for use in (outputs["y0"].numpy, lambda: (outputs["y1"] + 1.0).numpy()):
        with pytest.raises(core.CoreError, match="the values are gone"):
            use()


def test_freed_outputs_are_not_read_back(compute, rng):
    model = several()
    x = rng.standard_normal(8).astype(np.float32)
    for value in model.predict(x).values():
        value.numpy()
    outputs = model.predict(x)
    gone = ref(outputs["y1"].handle.block)
    del outputs["y1"]
    compute.session.gl_thread.call(lambda: None)  # what is queued holds the blocks that it writes
    gc.collect()
    eventually(lambda: gone() is None, "nothing holds the block")  # as the thread's last command
    np.testing.assert_array_equal(outputs["y2"].numpy(), x[:5] * 3)
    np.testing.assert_array_equal(outputs["y0"].numpy(), x[:3])


def test_host_values_are_not_read_back(shader):
    """Where memory is short outputs may have moved to the host before they are read."""
    model = several()
    x = np.arange(8, dtype=np.float32)
    for value in model.predict(x).values():
        value.numpy()
    outputs = model.predict(x)
    shader.session.gl_thread.call(shader.session.memory.begin)
    shader.session.gl_thread.call(shader.session.memory._move_all_out)
    for i, value in enumerate(outputs.values()):
        np.testing.assert_array_equal(value.numpy(), x[: 3 + i] * np.float32(i + 1))


def test_a_run_to_arrays_is_one_call_of_the_gl_thread(compute, monkeypatch):
    model, x = several(), np.arange(1, 9, dtype=np.float32)
    plan = model.plan({"x": x})
    plan.run_to_arrays([x])
    gl_thread, calls, depth = compute.session.gl_thread, [], [0]
    call = gl_thread.call

    def counted(function):
        calls.append(depth[0])
        depth[0] += 1
        try:
            return call(function)
        finally:
            depth[0] -= 1

    monkeypatch.setattr(gl_thread, "call", counted)
    monkeypatch.setattr(gl_thread, "submit", lambda command: calls.append(0))
    found = plan.run_to_arrays([x + 1])
    assert calls.count(0) == 1
    for i, array in enumerate(found):
        assert not array.flags.writeable
        np.testing.assert_array_equal(array, (i + 1) * (x + 1)[: i + 3])
