"""GraphModel(graph, "auto"): the choice of a backend by measured times, kept on disk."""

import asyncio
import gc
import re
import subprocess
import sys
import weakref
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest

import core
from core.backends.renderers import Renderer
from core.backends.shader.runtime.device_errors import DeviceMemoryError
from core.engine.agreement import find_difference
from core.graph.nodes import Endpoint, Graph, Node, PartialSpec
from core.graph_model import automatic_model, backend_timing, measured_choices
from core.graph_model.automatic_model import AutomaticModel
from core.graph_model.backend_timing import medians
from core.graph_model.graph_model import GraphModel
from core.graph_model.measured_choices import Call, Choice
from core.plan.plan import Plan
from core.process import code_cache
from tests.core.graph_model.automatic import (
    GPU,
    SOFTWARE,
    Stopwatch,
    nothing_measured,
    use_renderer,
    use_times,
)
from tests.core.graph_model.networks import convolutions, images
from tests.helpers import ROOT, start_or_skip


@pytest.fixture(autouse=True)
def _gpu(tmp_path, monkeypatch):
    start_or_skip()
    use_renderer(monkeypatch, GPU)
    monkeypatch.setattr(automatic_model, "REPLACED", [])  # other tests of this process do
    monkeypatch.setenv(code_cache.VARIABLE, str(tmp_path / "code"))


@pytest.fixture
def faster_gpu(monkeypatch) -> Stopwatch:
    return use_times(monkeypatch, cpu=9.8, shader=4.1)


def product(shape: tuple[int | None, ...] = (None, 2)) -> Graph:
    """The product of the input and [2, 3]."""
    nodes = [Node("x", "Placeholder"), Node("w", "Const"), Node("y", "Mul", ("x", "w"))]
    ends = [Endpoint(name, PartialSpec(shape)) for name in ("x", "y")]
    return Graph(nodes, {"w": np.float32([2, 3])}, {"x": ends[0]}, {"y": ends[1]})


def automatic(graph: Graph, **options) -> AutomaticModel:
    model = GraphModel(graph, "auto", **options)
    assert isinstance(model, AutomaticModel) and model.backend == "auto"
    return model


X = np.float32([[1, -1]])


def backend_of(model: GraphModel, shape: tuple[int, ...] = (1, 2)) -> str:
    return model.plan(np.ones(shape, np.float32)).backend


@pytest.mark.parametrize(
    "cpu, shader, chosen", [(9.8, 4.1, "shader"), (4.1, 9.8, "cpu"), (1.1, 1.05, "cpu")]
)
def test_the_faster_backend_is_taken(monkeypatch, cpu, shader, chosen):
    use_times(monkeypatch, cpu, shader)
    model, x = automatic(convolutions()), images()
    found = model.predict(x)["y"]
    assert found.backend == chosen and backend_of(model, x.shape) == chosen
    expected = GraphModel(convolutions(), "cpu").predict(x)["y"].numpy()
    np.testing.assert_allclose(found.numpy(), expected, atol=1e-4 * np.ptp(expected))
    others = {"cpu": (cpu, shader), "shader": (shader, cpu)}[chosen]
    other = {"cpu": "shader", "shader": "cpu"}[chosen]
    note = f"auto: {chosen} for [4, 6, 5, 2], {others[0]} ms beside {others[1]} ms on {other}"
    assert model.backend_notes == [note] and note in repr(model)


def test_the_model_of_the_slower_backend_is_dropped(faster_gpu):
    model = automatic(product())
    on_cpu = weakref.ref(model._models["cpu"])
    model.predict(X)
    gc.collect()
    assert on_cpu() is None and [*model._models] == ["shader"]
    np.testing.assert_array_equal(model.graph.weights["w"], np.float32([2, 3]))


def test_measured_once_and_kept_for_later_models(monkeypatch, faster_gpu):
    model = automatic(product())
    for _ in range(3):
        model.predict(X)
    assert faster_gpu.count == 1
    with nothing_measured(monkeypatch):
        assert automatic(product()).predict(X)["y"].backend == "shader"
        with core.backend("auto"):
            assert GraphModel(product()).predict(X)["y"].backend == "shader"


def test_another_process_reads_the_choice(monkeypatch, faster_gpu):
    monkeypatch.setattr(measured_choices, "thread_count", lambda: 1)
    automatic(product()).predict(X)
    program = """
import core
from core.graph_model import backend_timing, measured_choices
from tests.core.graph_model import test_automatic_model as tests
from tests.core.graph_model.automatic import GPU
from core.backends import renderers
renderers.renderer_here = lambda: GPU
measured_choices.thread_count = lambda: 1
backend_timing.medians = None
model = tests.automatic(tests.product())
print(model.predict(tests.X)["y"].backend, model.backend_notes)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=300
    )
    assert done.stdout.strip() == (
        "shader ['auto: shader for [1, 2], 4.1 ms beside 9.8 ms on cpu']"
    ), done.stderr


CHANGES = {
    "driver": lambda m: use_renderer(m, Renderer("a GPU", "its driver 2", False)),
    "device": lambda m: use_renderer(m, Renderer("another GPU", "its driver 1", False)),
    "threads": lambda m: m.setattr(measured_choices, "thread_count", lambda: 77),
    "tier": lambda m: m.setattr(measured_choices, "get_tier", lambda: 2),
    "CPU": lambda m: m.setattr(measured_choices, "host_cpu", lambda: _OTHER_CPU),
    "engine": lambda m: m.setattr(measured_choices, "source_stamp", lambda *_: "other"),
    "precision": lambda m: m.setenv("CORE_SHADER_PRECISION", "half"),
}
_OTHER_CPU = type("Cpu", (), {"name": "other", "features": frozenset()})


@pytest.mark.parametrize("change", CHANGES)
def test_it_is_measured_anew_after_a_change(monkeypatch, faster_gpu, change):
    automatic(product()).predict(X)
    CHANGES[change](monkeypatch)
    automatic(product()).predict(X)
    assert faster_gpu.count == 2


def test_other_weights_and_other_nodes_are_measured(faster_gpu):
    graph = product()
    weights = graph._replace(weights={"w": np.float32([2, 4])})
    nodes = graph._replace(nodes=[*graph.nodes[:2], Node("y", "Add", ("x", "w"))])
    for each in (graph, weights, nodes):
        automatic(each).predict(X)
    assert faster_gpu.count == 3


@pytest.mark.parametrize("data", [b"", b"{", b'["tpu", 1, 2, ""]', b'["cpu", NaN, 2, ""]', b"[1]"])
def test_a_damaged_file_is_measured_anew(faster_gpu, data):
    model = automatic(product())
    key = model._file_of(measured_choices.call_of({"x": X}, ["y"]))
    code_cache.keep(key, data)
    assert measured_choices.load_choice(key) is None
    model.predict(X)
    assert faster_gpu.count == 1
    assert measured_choices.load_choice(key) == Choice("shader", 9.8, 4.1)


def test_a_file_that_was_changed_is_not_trusted(tmp_path, faster_gpu):
    automatic(product()).predict(X)
    (file,) = (tmp_path / "code").glob("choice-*")
    file.write_bytes(file.read_bytes().replace(b"shader", b"tpu   "))
    assert automatic(product()).predict(X)["y"].backend == "shader"
    assert faster_gpu.count == 2


@pytest.mark.parametrize("folder", ["0", "relative", "open"])
def test_without_a_usable_folder_each_model_measures(tmp_path, monkeypatch, faster_gpu, folder):
    if folder == "open":
        (tmp_path / "open").mkdir()
        (tmp_path / "open").chmod(0o777)
        folder = str(tmp_path / "open")
    monkeypatch.setenv(code_cache.VARIABLE, folder)
    for _ in range(2):
        assert automatic(product()).predict(X)["y"].backend == "shader"
    assert faster_gpu.count == 2
    assert not [*tmp_path.rglob("choice-*")]


# --- disagreement and failures ------------------------------------------------------------------


def by_backend(on_cpu, on_shader):
    """A function for the node type Mul that depends on the backend."""

    def multiply(x, y, **_):
        return (on_shader if core.get_backend() == "shader" else on_cpu)(core.mul(x, y))

    return {"Mul": multiply}


def test_where_the_values_differ_cpu_is_taken(faster_gpu):
    kernels = by_backend(lambda y: y, lambda y: y * 1.01)
    model = automatic(product(), kernels=kernels)
    note = "auto: cpu for [1, 2], as shader gives other values: output 'y' differs by 0.006"
    for more in ("; the next input decides", "; the next input decides", "", ""):
        np.testing.assert_array_equal(model.predict(X)["y"].numpy(), [[2, -3]])
        assert model.backend_notes == [f"{note} of its range{more}"]
        assert ("shader" in model._models) == bool(more)
    assert faster_gpu.count == 0


def test_a_difference_is_kept_on_disk_when_it_decides(tmp_path, monkeypatch, faster_gpu):
    monkeypatch.setattr(backend_timing, "find_difference", lambda *_: "output 'y' is odd")
    model = automatic(product())
    for count in (0, 0, 1):
        assert model.predict(X)["y"].backend == "cpu"
        assert len([*tmp_path.rglob("choice-*")]) == count
    monkeypatch.setattr(backend_timing, "find_difference", lambda *_: "")
    again = automatic(product())
    assert again.predict(X)["y"].backend == "cpu"
    assert again.backend_notes == model.backend_notes


def test_a_difference_on_one_input_alone_does_not_count(faster_gpu):
    model = automatic(product(), kernels=by_backend(lambda y: y, lambda y: core.maximum(y, -9.0)))
    x = np.float32([[1, -100]])
    np.testing.assert_array_equal(model.predict(x)["y"].numpy(), [[2, -300]])
    assert faster_gpu.count == 0
    assert model.predict(X)["y"].backend == "shader" and faster_gpu.count == 1


def broken(_):
    raise core.CoreError("the driver refuses")


def test_where_shader_raises_cpu_is_taken(faster_gpu):
    model = automatic(product(), kernels=by_backend(lambda y: y, broken))
    assert model.predict(X)["y"].backend == "cpu"
    assert model.predict(X)["y"].backend == "cpu"
    (note,) = model.backend_notes
    assert note.startswith("auto: cpu for [1, 2], as shader failed: ")
    assert "the driver refuses" in note


@pytest.mark.parametrize(
    "error, count", [(DeviceMemoryError("no memory"), 0), (core.CoreError("no such op"), 1)]
)
def test_a_passing_failure_is_not_kept_on_disk(tmp_path, monkeypatch, faster_gpu, error, count):
    make = AutomaticModel._new

    def refusing(self, graph, backend):
        if backend == "shader":
            raise error
        return make(self, graph, backend)

    monkeypatch.setattr(AutomaticModel, "_new", refusing)
    model = automatic(product())
    assert model.predict(X)["y"].backend == "cpu"
    assert str(error) in model.backend_notes[0]
    assert len([*tmp_path.rglob("choice-*")]) == count


def test_a_failure_after_the_choice_goes_on_on_cpu(faster_gpu):
    state = {"is_broken": False}

    def sometimes(y):
        return broken(y) if state["is_broken"] else y

    model = automatic(product(), kernels=by_backend(lambda y: y, sometimes), plans=False)
    assert model.predict(X)["y"].backend == "shader"
    state["is_broken"] = True
    found = model.predict(X)["y"]
    assert found.backend == "cpu"
    np.testing.assert_array_equal(found.numpy(), [[2, -3]])
    assert "the driver refuses" in model.backend_notes[0] and [*model._models] == ["cpu"]


def test_a_choice_on_disk_of_a_backend_that_does_not_start(monkeypatch, faster_gpu):
    automatic(product()).predict(X)
    make = AutomaticModel._new
    monkeypatch.setattr(
        AutomaticModel,
        "_new",
        lambda self, graph, name: broken(graph) if name == "shader" else make(self, graph, name),
    )
    model = automatic(product())
    assert model.predict(X)["y"].backend == "cpu"
    assert model.backend_notes == ["auto: cpu for [1, 2], as shader failed: the driver refuses"]


@pytest.mark.parametrize(
    "inputs, message",
    [
        (np.ones((1, 3), np.float32), r"input 'x' must have shape \(None, 2\)"),
        ({"z": X}, "there is no input or node 'z'"),
        ([[1], [1, 2]], "."),
    ],
)
def test_errors_of_the_caller_decide_nothing(faster_gpu, inputs, message):
    model = automatic(product())
    with pytest.raises(core.CoreError, match=message):
        model.predict(inputs)
    assert not model._choices and faster_gpu.count == 0
    model.predict(X)
    with pytest.raises(core.CoreError, match=message):
        model.predict(inputs)
    assert len(model._choices) == 1


# --- one choice for each call -------------------------------------------------------------------


def test_shapes_and_outputs_choose_for_themselves(monkeypatch):
    model = automatic(convolutions())
    use_times(monkeypatch, cpu=9, shader=4)
    model.predict(images(2))
    use_times(monkeypatch, cpu=4, shader=9)
    model.predict(images(1))
    model.execute(images(2), ["features"])
    with nothing_measured(monkeypatch):
        assert model.predict(images(2))["y"].backend == "shader"
        assert model.predict(images(1))["y"].backend == "cpu"
        assert model.execute(images(2), ["features"])["features"].backend == "cpu"
    assert {*model._models} == {"cpu", "shader"}
    assert model.backend_notes == [
        "auto: shader for [2, 6, 5, 2], 4 ms beside 9 ms on cpu",
        "auto: cpu for [1, 6, 5, 2], 4 ms beside 9 ms on shader",
        "auto: cpu for [2, 6, 5, 2] to features, 4 ms beside 9 ms on shader",
    ]


def test_of_many_shapes_the_last_take_the_choice_of_the_nearest(monkeypatch):
    monkeypatch.setattr(automatic_model, "MOST_CHOICES", 2)
    model = automatic(product())
    use_times(monkeypatch, cpu=9, shader=4)
    model.predict(np.ones((100, 2), np.float32))
    use_times(monkeypatch, cpu=4, shader=9)
    model.predict(X)
    with nothing_measured(monkeypatch):
        assert model.predict(np.ones((90, 2), np.float32))["y"].backend == "shader"
        assert model.predict(np.ones((3, 2), np.float32))["y"].backend == "cpu"
    assert len(model._choices) == 2


def test_threads_measure_once(faster_gpu):
    model = automatic(convolutions())
    with ThreadPoolExecutor(4) as pool:
        found = [*pool.map(lambda _: model.predict(images())["y"].numpy(), range(8))]
    assert faster_gpu.count == 1
    for each in found:
        np.testing.assert_array_equal(each, found[0])


# --- no measurement -----------------------------------------------------------------------------


@pytest.mark.parametrize("renderer", [SOFTWARE, Renderer("", "", False, "no libGL")])
def test_without_a_gpu_cpu_runs(monkeypatch, renderer):
    use_renderer(monkeypatch, renderer)
    model = automatic(product())
    with nothing_measured(monkeypatch):
        assert model.predict(X)["y"].backend == "cpu" == backend_of(model)
    assert model.backend_notes == [f"auto: cpu, as {renderer}"]
    assert str(renderer) in (
        "llvmpipe (LLVM 15.0.6, 256 bits) draws by software",
        "OpenGL draws on no GPU: no libGL",
    )


def test_runs_that_are_watched_or_limited_are_not_measured(monkeypatch, faster_gpu):
    model = automatic(product())
    assert "the first run decides" in model.backend_notes[0]
    with nothing_measured(monkeypatch):
        with core.limits(seconds=100.0):
            assert model.predict(X)["y"].backend == "cpu"
        with core.debug_mode():
            assert model.predict(X)["y"].backend == "cpu"
        core.profile(lambda: model.predict(X))
    assert not model._choices
    assert model.predict(X)["y"].backend == "shader"
    with core.limits(seconds=100.0):
        assert model.predict(X)["y"].backend == "shader"


# --- the rest of the surface --------------------------------------------------------------------


def test_plans_and_profiles_are_those_of_the_chosen_backend(faster_gpu):
    model = automatic(product((1, 2)))
    assert model.plan().backend == "shader" and faster_gpu.count == 1
    assert [step["op"] for step in model.profile(X, repeat=1).steps] == ["mul"]
    assert faster_gpu.count == 1


def test_a_plan_without_inputs_needs_shapes(faster_gpu):
    with pytest.raises(core.CoreError, match="give inputs: the shape of 'x' may be any"):
        automatic(product((None, None))).plan()


def test_names_of_inputs_and_outputs_need_no_run():
    model = automatic(product())
    assert model.inputs == {"x": PartialSpec((None, 2))} and [*model.outputs] == ["y"]


def test_awaited_runs_measure_and_give_the_same(faster_gpu):
    model = automatic(product())
    found = asyncio.run(model.predict_async(X, timeout=300))["y"]
    assert faster_gpu.count == 1 and found.backend == "shader"
    np.testing.assert_array_equal(found.numpy(), [[2, -3]])
    named = asyncio.run(model.execute_async({"x": X}, ["y"]))
    np.testing.assert_array_equal(named["y"].numpy(), [[2, -3]])


def test_a_trained_graph_is_a_model_on_auto_again(monkeypatch, faster_gpu):
    monkeypatch.setattr(automatic_model, "backend_of_ops", lambda: "cpu")
    trained = automatic(product()).trainable("w")
    trained.variables["w"].assign(core.tensor(np.float32([5, 7])))
    frozen = trained.freeze()
    assert isinstance(frozen, AutomaticModel)
    np.testing.assert_array_equal(frozen.predict(X)["y"].numpy(), [[5, -7]])


def test_load_model_takes_auto(tmp_path, faster_gpu):
    from core.converter.web_writer import write_web

    path = write_web(product(), tmp_path)
    model = core.load_model(path, "auto")
    assert isinstance(model, AutomaticModel) and model.predict(X)["y"].backend == "shader"
    with core.backend("auto"):
        assert isinstance(core.load_model(path), AutomaticModel)
    assert not isinstance(core.load_model(path), AutomaticModel)


# --- measuring and comparing --------------------------------------------------------------------


def test_generated_kernels_are_compiled_before_the_times_are_taken(monkeypatch):
    order = []

    def timed(runs):
        order.append("timed")
        return {"cpu": 1.0, "shader": 2.0}

    monkeypatch.setattr(Plan, "warmup", lambda plan: order.append(f"{plan.backend} compiled"))
    monkeypatch.setattr(backend_timing, "medians", timed)
    automatic(convolutions()).predict(images())
    assert order == ["cpu compiled", "timed"]


def test_the_real_times_choose_too():
    model = automatic(convolutions())
    found = model.predict(images())["y"]
    (choice,) = model._choices.values()
    assert choice.cpu_ms > 0 and choice.shader_ms > 0 and choice.backend == found.backend
    assert (choice.backend == "shader") == (choice.shader_ms < 0.95 * choice.cpu_ms)


def test_medians_are_of_interleaved_runs():
    order = []
    times = medians({"cpu": lambda: order.append("c"), "shader": lambda: order.append("s")})
    assert times.keys() == {"cpu", "shader"} and min(times.values()) > 0
    text = "".join(order)
    assert "sc" in text[4:] and "cs" in text[4:]


def test_a_clearly_slower_one_runs_three_times(monkeypatch):
    count = {"cpu": 0, "shader": 0}

    def run(name):
        count[name] += 1

    took = {"cpu": 5000.0, "shader": 100.0}
    monkeypatch.setattr(
        "core.graph_model.backend_timing._milliseconds", lambda r: r() or took[r.args[0]]
    )
    assert medians({name: partial(run, name) for name in count}) == took
    assert count == {"cpu": 2, "shader": 2}


Y = np.linspace(-1, 1, 1000, dtype=np.float32)


@pytest.mark.parametrize(
    "other, quanta, fault",
    [
        (Y + np.float32(1.9e-4), {}, ""),
        (Y + np.float32(2.2e-4), {}, "differs by 0.00011 of its range"),
        (Y + np.float32(0.01), {"y": 0.01}, ""),
        (Y + np.float32(0.021), {"y": 0.01}, "differs by 0.01"),
        (Y[:9], {}, r"is float32 \(9,\) instead of float32 \(1000,\)"),
        (np.where(Y > 0.5, np.nan, Y).astype(np.float32), {}, "has NaN or infinity elsewhere"),
    ],
)
def test_differences_of_floats(other, quanta, fault):
    found = find_difference({"y": Y}, {"y": other}, quanta)
    if fault:
        assert re.match(f"output 'y' {fault}", found)
    else:
        assert found == ""


def test_differences_of_integers_infinities_and_nothing():
    labels = np.arange(20_000, dtype=np.int32)
    one, three = labels.copy(), labels.copy()
    one[7], three[:3] = 0, -1
    assert find_difference({"y": labels}, {"y": one}, {}) == ""
    assert "differs in 0.00015 of its values" in find_difference({"y": labels}, {"y": three}, {})
    odd = np.float32([np.nan, np.inf, -np.inf, 0])
    assert find_difference({"y": odd}, {"y": odd.copy()}, {}) == ""
    assert find_difference({"y": odd}, {"y": -odd}, {}) != ""
    empty = np.zeros((0, 4), np.float32)
    assert find_difference({"y": empty}, {"y": empty}, {}) == ""
    equal = np.full(5, 3.0, np.float32)
    assert find_difference({"y": equal}, {"y": equal + np.float32(1e-4)}, {}) == ""


def test_calls_differ_by_all_that_decides_the_time():
    one = measured_choices.call_of({"x": X, "y": [1, 2]}, ["a"])
    assert one == Call((("x", (1, 2), "float32"), ("y", (2,), "int64")), ("a",)) and one.size == 4
    assert one.text(["a"]) == "x [1, 2], y [2]" and one.text(["b"]) == "x [1, 2], y [2] to a"
    assert one == measured_choices.call_of({"x": core.tensor(X), "y": np.arange(2)}, ["a"])
