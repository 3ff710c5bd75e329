"""Calls of NumPy in stored programs: written, bound to other memory, and run."""

import json
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest

import core
from core.backends.cpu.codegen.work_storing import NotStorableError, WorkWriter
from core.backends.cpu.numpy_steps.thread_pool import ParallelTasks
from core.backends.cpu.stored_program import StoredProgram
from core.backends.cpu.stored_works import ArrayPlace, WorkReader
from core.engine.registry import OPS
from core.engine.specs import Spec
from core.errors import MISUSE, CoreError
from core.graph.nodes import Endpoint, Graph, Node, PartialSpec
from core.graph_model import stored_calls
from core.graph_model.graph_model import GraphModel
from core.graph_model.stored_calls import StoredCalls
from core.process import code_cache
from tests.helpers import require_llvmlite


@pytest.fixture
def memory():
    """Two sections of memory."""
    return np.zeros(400, np.uint8), np.zeros(200, np.uint8)


def written(work, memory):
    """The document of a call whose arrays lie in some memory, as a file has it."""

    def place(array):
        for number, section in enumerate(memory):
            offset = array.ctypes.data - section.ctypes.data
            if 0 <= offset < section.nbytes:
                return ArrayPlace(number, offset, array.shape, array.strides, array.dtype.str)
        raise AssertionError("the array lies nowhere")

    return json.loads(json.dumps(WorkWriter(place).document(work)))


def floats(section, count=6):
    return section[: 4 * count].view(np.float32)


def test_a_call_is_bound_to_other_memory(memory):
    x, y = floats(memory[1]).reshape(2, 3), memory[0][64:88].view(np.float32).reshape(3, 2)
    document = written(partial(np.add, x.T, y, out=y), memory)
    others = [section.copy() for section in memory]
    floats(others[1])[:] = range(6)
    WorkReader(others).work(document)()
    assert others[0][64:88].view(np.float32).tolist() == [0, 3, 1, 4, 2, 5]
    assert not any(map(np.any, memory))


def test_methods_tasks_and_this_backends_functions(memory):
    from core.backends.cpu.kernels.unary import sigmoid

    x, wide = floats(memory[0]), memory[0][64:112].view(np.float64)
    low, high = np.float32([1]), np.float32([3])
    memory[1][:4], memory[1][4:8] = low.view(np.uint8), high.view(np.uint8)
    limits = floats(memory[1])
    clip = partial(x.clip, limits[:1], limits[1:2], out=x)
    document = written(ParallelTasks([[clip], [partial(sigmoid, wide)]]), memory)
    x[:] = range(6)
    WorkReader(memory).work(document)()
    assert x.tolist() == [1, 1, 2, 3, 3, 3] and wide.tolist() == [0.5] * 6


def test_ops_keep_their_arguments(memory):
    from core.backends.cpu.numpy_steps.by_kernel import _run_kernel

    x, y = floats(memory[0]), memory[1][:24].view(np.float32)
    how = {"axis": 0, "exclusive": True, "reverse": False}
    run = partial(_run_kernel, OPS["cumsum"], [x], how, (Spec((6,)),), [y])
    x[:] = 1
    WorkReader(memory).work(written(run, memory))()
    assert y.tolist() == [0, 1, 2, 3, 4, 5]


def test_what_has_no_name_is_not_written(memory):
    for work in (lambda: None, partial(lambda x: x, 1), partial(print, object()), partial(print)):
        with pytest.raises(NotStorableError):
            written(work, memory)
    draw = partial(np.add, next(op for op in OPS.values() if op.traits.random))
    with pytest.raises(NotStorableError):
        written(draw, memory)


@pytest.mark.parametrize(
    "value",
    [
        {"function": ["os", "system"]},
        {"function": ["numpy", "no such function"]},
        {"function": ["core.backends.cpu.no_such_module", "f"]},
        {"op": ["os", "system"]},
        {"op": ["core.ops.unary", "no such op"]},
        {"array": [0, 0, [101], [4], "<f4"]},
        {"array": [0, -4, [1], [4], "<f4"]},
        {"array": [0, 0, [2], [400], "<f4"]},
        {"array": [2, 0, [1], [4], "<f4"]},
        {"array": [0, 0, [1], [4]]},
        {"other": 1},
        {},
    ],
)
def test_documents_of_another_form_are_refused(memory, value):
    with pytest.raises((*MISUSE, ImportError)):
        WorkReader(memory).work({"call": value, "arguments": [], "keywords": {}})


# Whole networks.


@pytest.fixture
def _generated_kernels(tmp_path, monkeypatch):
    require_llvmlite()
    monkeypatch.setenv(code_cache.VARIABLE, str(tmp_path / "code"))
    monkeypatch.setattr(stored_calls, "REPLACED", [])  # other tests of this process do
    core.set_tier(2)
    yield
    core.set_tier(None)


def network(rng, last="z = Cumsum row axis") -> Graph:
    """A convolution, the place of its largest values, and what lies there in another array."""
    weights = {
        "filter": rng.standard_normal((3, 3, 5, 7), np.float32),
        "table": rng.standard_normal((13, 2, 3), np.float32),
        "axis": np.int32(1),
        "first": np.int32(0),
        "all": np.int32([11, 7]),
        "both": np.int32([0, 1]),
    }
    name, _, kind, *inputs = last.split()
    nodes = [
        Node("x", "Placeholder"),
        *(Node(name, "Const") for name in weights),
        Node("conv", "Conv2D", ("x", "filter"), {"strides": [1, 1, 1, 1], "padding": "SAME"}),
        Node("flat", "Reshape", ("conv", "all")),
        Node("place", "ArgMax", ("flat", "axis")),
        Node("row", "GatherV2", ("table", "place", "first")),
        Node("top", "Max", ("flat", "both")),
        Node(name, kind, tuple(inputs)),
    ]
    ends = {name: Endpoint(name, PartialSpec(None)) for name in (name, "place")}
    return Graph(nodes, weights, {"x": Endpoint("x", PartialSpec((None, None, None, 5)))}, ends)


IMAGE = (1, 1, 11, 5)


@pytest.mark.usefixtures("_generated_kernels")
def test_a_network_with_steps_of_numpy_is_stored(rng):
    model = GraphModel(network(rng), stored=StoredCalls("a network"))
    model.predict(rng.standard_normal(IMAGE, np.float32))
    kernels = {step.kernel for step in model.plan(np.zeros(IMAGE, np.float32)).steps}
    assert {"argmax", "gather", "kernel cumsum"} <= kernels
    later = StoredCalls("a network")
    for _ in range(3):
        image = rng.standard_normal(IMAGE, np.float32)
        expected, found = model.predict(image), later.run(image, None, as_arrays=True)
        assert [*found] == ["z", "place"]
        for name, value in expected.items():
            np.testing.assert_array_equal(found[name], np.asarray(value))


@pytest.mark.usefixtures("_generated_kernels")
def test_one_value_in_float64_has_memory_in_the_arena(rng):
    model = GraphModel(network(rng, "z = Atan2 top top"), stored=StoredCalls("a network"))
    image = rng.standard_normal(IMAGE, np.float32)
    expected = model.predict(image)["z"].numpy()
    found = StoredCalls("a network").run(image, None, as_arrays=True)
    np.testing.assert_array_equal(found["z"], expected)


@pytest.mark.usefixtures("_generated_kernels")
def test_threads_share_a_program_with_steps_of_numpy(rng):
    model = GraphModel(network(rng), stored=StoredCalls("a network"))
    images = [rng.standard_normal(IMAGE, np.float32) for _ in range(8)]
    expected = [np.asarray(model.predict(image)["z"]) for image in images]
    later = StoredCalls("a network")
    with ThreadPoolExecutor(8) as pool:
        found = pool.map(lambda i: later.run(i, None, as_arrays=True)["z"], images * 20)
        for value, wanted in zip(found, expected * 20, strict=True):
            np.testing.assert_array_equal(value, wanted)


@pytest.mark.usefixtures("_generated_kernels")
def test_what_fails_is_left_to_the_network(rng):
    graph = network(rng, "z = Neg row")
    graph.weights["table"] = graph.weights["table"][:3]
    model = GraphModel(graph, stored=StoredCalls("a network"))
    image = np.zeros(IMAGE, np.float32)
    model.predict(image)  # whose largest values are the first
    image[..., 5, :] = 1
    assert StoredCalls("a network").run(image * 0, None, as_arrays=True) is not None
    with pytest.raises(CoreError, match="row"):
        model.predict(image)
    assert StoredCalls("a network").run(image, None, as_arrays=True) is None


@pytest.mark.usefixtures("_generated_kernels")
@pytest.mark.parametrize("last", ["z = RandomUniform place", "z = Mine row"])
def test_what_may_not_repeat_is_not_stored(rng, last):
    mine = {"Mine": lambda x: core.mul(x, 2.0)}
    model = GraphModel(network(rng, last), kernels=mine, stored=StoredCalls("a network"))
    model.predict(rng.standard_normal(IMAGE, np.float32))
    later = StoredCalls("a network")
    assert not any(call.has_program for call in later._calls)


@pytest.mark.usefixtures("_generated_kernels")
def test_a_program_that_gives_other_values_is_not_stored(rng, monkeypatch):
    monkeypatch.setattr(StoredProgram, "run", lambda self, feeds: [np.zeros(1)] * 2)
    model = GraphModel(network(rng), stored=StoredCalls("a network"))
    model.predict(rng.standard_normal(IMAGE, np.float32))
    assert [call.has_program for call in StoredCalls("a network")._calls] == [False]


@pytest.mark.usefixtures("_generated_kernels")
def test_a_damaged_file_is_refused(rng):
    """Of the kinds of errors that make a call run by its network."""
    plan = GraphModel(network(rng)).plan(np.zeros(IMAGE, np.float32))
    file = bytearray(plan.stored())
    end = 8 + int.from_bytes(file[:8], "little")
    refused = 0
    for _ in range(300):
        damaged = bytearray(file)
        for place in rng.integers(0, end, rng.integers(1, 4)):
            damaged[place] = rng.choice(bytearray(b'0123456789-."[]{},:e')) if place > 7 else 255
        try:
            StoredProgram(memoryview(damaged))
        except (CoreError, *MISUSE, ImportError):
            refused += 1
    assert refused > 100
