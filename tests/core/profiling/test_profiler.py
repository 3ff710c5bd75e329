"""profile and time: rows, bytes and tensors against counts by hand."""

import gc
import json

import pytest

import core
from core.engine.observers import active_observers
from core.graph_model.graph_model import GraphModel
from tests.core.graph.test_graph import chain


@pytest.fixture(autouse=True, scope="module")
def tidy_start():
    """Garbage of other files, such as tracebacks, must not go while a test counts."""
    gc.collect()


def rows(found, *fields):
    return [tuple(row[f] for f in fields) for row in found.kernels]


def test_as_in_tensorflow_js_where_results_are_disposed():
    def squares():
        x = core.tensor([1.0, 2.0, 3.0])
        x.square().dispose()
        core.square(x).dispose()
        return x

    before = core.memory()
    found = core.profile(squares)
    bytes_then, tensors_then = before["num_bytes"], before["num_tensors"]
    assert (found.new_bytes, found.new_tensors) == (12, 1)
    assert found.peak_bytes == bytes_then + 24
    assert found.result.numpy().tolist() == [1, 2, 3]
    for row in found.kernels:
        assert row.pop("ms") >= 0
        assert row == {
            "op": "square",
            "kernel": "Square",
            "layer": "",
            "phase": "forward",
            "backend": "cpu",
            "input_shapes": [(3,)],
            "output_shapes": [(3,)],
            "bytes_added": 12,
            "total_bytes": bytes_then + 24,
            "tensors_added": 1,
            "total_tensors": tensors_then + 2,
        }
    assert len(found.kernels) == 2 and found.kernel_names == ["Square"]


def test_counts_of_a_chain():
    x = core.ones((8, 4))
    before = core.memory()["num_bytes"]

    def work():
        y = core.relu(x)  # 128 bytes
        z = core.matmul(y, core.ones((4, 2)))  # 32 and 64
        del y
        return core.topk(z, 1)  # 32 and 32

    found = core.profile(work)
    assert rows(found, "op", "bytes_added", "tensors_added", "total_bytes") == [
        ("relu", 128, 1, before + 128),
        ("fill", 32, 1, before + 160),
        ("matmul", 64, 1, before + 224),
        ("topk", 64, 2, before + 128),
    ]
    assert rows(found, "input_shapes", "output_shapes")[2:] == [
        ([(8, 4), (4, 2)], [(8, 2)]),
        ([(8, 2)], [(8, 1), (8, 1)]),
    ]
    assert (found.new_bytes, found.new_tensors, found.peak_bytes) == (64, 2, before + 224)
    assert found.kernel_ms == pytest.approx(sum(row["ms"] for row in found.kernels))
    assert found.kernel_ms <= found.wall_ms


def test_shared_data_add_no_bytes():
    x = core.ones((2, 3))
    found = core.profile(
        lambda: [x.reshape(6), x.cast("float32"), core.identity(x), x.cast("int32")]
    )
    assert rows(found, "op", "bytes_added", "tensors_added") == [
        ("reshape", 0, 1),
        ("cast", 0, 1),
        ("identity", 0, 1),
        ("cast", 24, 1),
    ]
    assert (found.new_bytes, found.new_tensors) == (24, 4)


def test_what_it_frees_counts_less():
    held = [core.ones((10,))]
    found = core.profile(held.clear)
    assert (found.new_bytes, found.new_tensors, found.kernels) == (-40, -1, [])


def test_profiles_inside_of_profiles():
    def outer():
        core.exp(1.0)
        inner = core.profile(lambda: core.sin(1.0))
        core.cos(1.0)
        return inner

    found = core.profile(outer)
    assert [r["op"] for r in found.result.kernels] == ["sin"]
    assert [r["op"] for r in found.kernels] == ["exp", "sin", "cos"]


def test_the_kernels_of_a_gradient_are_rows_too():
    def loss(x):
        return core.sum(core.exp(x))

    x = core.tensor([1.0])
    ops = [r["op"] for r in core.profile(lambda: core.grad(loss)(x)).kernels]
    assert ops[:3] == ["identity", "exp", "sum"] and "mul" in ops[3:]
    profiles = []

    def profiled(x):
        profiles.append(core.profile(lambda: loss(x)))
        return profiles[0].result

    assert core.grad(profiled)(x).item() == pytest.approx(2.7182817)
    assert [r["op"] for r in profiles[0].kernels] == ["exp", "sum"]


def test_a_graph():
    model = GraphModel(chain(3))
    found = core.profile(lambda: model.predict(core.ones((1, 4, 4, 1)))["end"])
    assert [r["op"] for r in found.kernels] == ["fill", *["fused_conv2d"] * 3]
    assert found.kernel_names == ["Fill", "FusedConv2D"]
    assert found.kernels[1]["input_shapes"] == [(1, 4, 4, 1), (1, 1, 1, 1), (1,)]
    assert found.new_bytes == 64


def test_the_step_of_an_optimizer():
    w, b = core.variable([[1.0, 2.0]]), core.variable(1.0)
    optimizer, gradients = core.train.adam(), [(core.ones((1, 2)), w), (core.tensor(1.0), b)]
    optimizer.apply_gradients(gradients)
    before = core.memory()
    found = core.profile(lambda: optimizer.apply_gradients(gradients))
    for row, shape in zip(found.kernels, [(1, 2), ()], strict=True):
        assert row.pop("ms") > 0
        assert row == {
            "op": "adam",
            "kernel": "Adam",
            "layer": "",
            "phase": "update",
            "backend": "cpu",
            "input_shapes": [shape] * 4,
            "output_shapes": [shape],
            "bytes_added": 0,
            "total_bytes": before["num_bytes"],
            "tensors_added": 0,
            "total_tensors": before["num_tensors"],
        }
    assert (found.new_bytes, found.new_tensors) == (0, 0)
    timing = core.time(lambda: optimizer.apply_gradients(gradients))
    assert 0 < timing["kernel_ms"] <= timing["wall_ms"]


def test_a_kernel_without_results():
    found = core.profile(lambda: core.unstack(core.zeros((0, 3))))
    assert rows(found, "op", "output_shapes", "bytes_added")[1] == ("unstack", [], 0)


def test_rows_are_json():
    found = core.profile(
        lambda: [
            core.unique([3, 1, 3]),
            core.boolean_mask([1.0, 2.0], [True, False]),
            core.add(1, 2),
        ]
    )
    assert json.loads(json.dumps(found.kernels))[-1]["op"] == "add"


def test_the_table():
    x, long = core.ones((2, 3)), [core.ones((100, 200, 3))] * 30
    found = core.profile(lambda: (core.concat(long), core.sum(core.relu(x))))
    header, concat, relu, total, summary = str(found).splitlines()
    assert repr(found) == str(found) == found.table()
    assert header.split() == ["op", "ms", "inputs", "outputs", "bytes", "added", "total", "bytes"]
    assert concat.split()[2:4] == ["100x200x3"] * 2 and " ... " in concat
    assert total.split()[2:5] == ["2x3", "scalar", "4"]
    for row in (concat, relu, total):  # columns of text begin where their names do
        assert all(row[header.index(n) - 1] == " " != row[header.index(n)] for n in ("in", "out"))
        assert len(row) == len(header)
    assert summary.startswith("3 kernels, ") and "2 new tensors, 7,200,004 new bytes" in summary
    assert max(map(len, (header, concat, relu, total))) < 140
    assert core.profile(lambda: 3).table().splitlines()[1].startswith("0 kernels, 0.000 ms")


@pytest.mark.parametrize("function", [core.profile, core.time])
def test_exceptions_and_wrong_arguments(function):
    async def coroutine():
        return 1

    with pytest.raises(ZeroDivisionError):
        function(lambda: 1 / 0)
    assert active_observers() == ()
    with pytest.raises(core.CoreError, match="takes a function and its arguments, got 5"):
        function(5)
    if function is core.time:
        with pytest.raises(core.CoreError, match="time cannot wait for a coroutine"):
            function(coroutine)


def test_time():
    x = core.ones((100, 100))
    found = core.time(lambda: core.matmul(x, x))
    assert list(found) == ["wall_ms", "kernel_ms"]
    assert 0 < found["kernel_ms"] <= found["wall_ms"]
    assert core.time(lambda: None)["kernel_ms"] == 0
