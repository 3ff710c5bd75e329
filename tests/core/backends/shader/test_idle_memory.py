"""The host touches only memory that the device is done with: some drivers do not wait themselves.

Here the driver always waits. So what commands use is written down, and all that the host writes,
reads or deletes in between is compared with that.
"""

import gc

import numpy as np
import pytest

import core
from core.backends.shader.plans import bound_program
from core.backends.shader.plans.bound_program import ReadyProgram
from core.backends.shader.runtime import device_memory as storage_module
from core.backends.shader.runtime.device_memory import DeviceMemory
from core.backends.shader.runtime.gl_thread import GLThread
from core.backends.shader.runtime.session import Session
from core.engine.backends import load_backend
from core.graph.nodes import Endpoint, Graph, Node, PartialSpec
from core.graph_model.graph_model import GraphModel
from tests.benchmarks.gpu_training import OPTIMIZERS, QUICK, trained
from tests.core.plan.programs import computed, program_with_a_host_step


class Watch:
    """What is in use, and what the host did about it."""

    def __init__(self):
        self.used, self.touched, self.wrong, self.is_running = set(), 0, [], False

    def use(self, resource):
        if self.is_running:
            self.used.add((type(resource).__name__, resource.glo))
        return resource

    def ran(self, run):
        """A command, which uses what it asks for."""

        def running(*arguments):
            self.is_running = True
            try:
                run(*arguments)
            finally:
                self.is_running = False

        return running

    def touch(self, what, resource):
        self.touched += 1
        if (type(resource).__name__, resource.glo) in self.used:
            self.wrong.append(what)


@pytest.fixture
def watch(new_path, monkeypatch):
    """Begins with a backend that nobody used."""
    watch = Watch()
    of, fill, delete, values = (
        DeviceMemory.of,
        DeviceMemory.fill,
        DeviceMemory._delete,
        DeviceMemory._values,
    )
    bound, raw_values, finish = ReadyProgram._bound, bound_program.raw_values, GLThread.finish

    def filled(self, resource, *arguments):
        watch.touch("write", resource)
        fill(self, resource, *arguments)

    def deleted(self, resource):
        watch.touch("delete", resource)
        delete(self, resource)

    def read(self, held):
        watch.touch("read", held.resource)
        return values(self, held)

    def raw_read(part, *arguments):
        watch.touch("read", part.resource)
        return raw_values(part, *arguments)

    def run(self, *arguments):
        found = bound(self, *arguments)
        for part in found.parts.values():
            watch.use(part.resource)
        return found

    def finished(self):
        finish(self)
        watch.used.clear()

    monkeypatch.setattr(Session, "_run", watch.ran(Session._run))
    monkeypatch.setattr(ReadyProgram, "run", watch.ran(ReadyProgram.run))
    monkeypatch.setattr(DeviceMemory, "of", lambda self, block: watch.use(of(self, block)))
    monkeypatch.setattr(DeviceMemory, "fill", filled)
    monkeypatch.setattr(DeviceMemory, "_delete", deleted)
    monkeypatch.setattr(DeviceMemory, "_values", read)
    monkeypatch.setattr(bound_program, "raw_values", raw_read)
    monkeypatch.setattr(ReadyProgram, "_bound", run)
    monkeypatch.setattr(GLThread, "finish", finished)
    yield watch
    assert watch.touched and watch.wrong == []


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_training(watch, name):
    """Numbers are uploaded all the time, and nothing is read in between."""
    (expected, _), (found, _) = (trained(backend, name, QUICK) for backend in ("cpu", "shader"))
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_unread_uploads(watch, monkeypatch):
    monkeypatch.setattr(storage_module, "MOST_UPLOADED", 10 * storage_module.LEAST_UPLOADED)
    session = load_backend("shader").session
    total = core.tensor(0.0)
    for i in range(100):
        total = total + float(i)
    assert total.item() == 4950
    assert session.memory.used_bytes <= 40 * 256  # after a while the device is waited for


def model_of(node, size):
    nodes = [Node("x", "Placeholder"), Node("a", "Abs", ("x",)), node]
    spec = PartialSpec((size,))
    return GraphModel(Graph(nodes, {}, {"x": Endpoint("x", spec)}, {"y": Endpoint("y", spec)}))


@pytest.mark.parametrize("size", [5, 5000])  # the larger one goes by mapped memory
def test_a_model_that_is_fed_again_and_again(watch, rng, size):
    model = model_of(Node("y", "Neg", ("a",)), size)
    given = rng.standard_normal((6, size)).astype(np.float32)
    for read in (False, True):
        found = []
        for x in given:
            found.append(model.predict(x)["y"])
            if read:
                found[-1].numpy()
        np.testing.assert_array_equal([y.numpy() for y in found], -np.abs(given))


def test_a_step_on_the_host(watch, rng):
    program, given = program_with_a_host_step(rng)
    shader = load_backend("shader")
    machine = shader.lower(program)
    expected = computed(program, given)
    runs = [machine.run([*given.values()]) for _ in range(3)]
    for found in runs:
        for handle, reference, theirs in zip(found, program.outputs, expected, strict=True):
            ours = shader.download(handle, program.specs[reference])
            np.testing.assert_array_equal(ours, theirs)


def test_memory_that_is_short(watch, new_path, rng):
    core.start_shader(path=new_path, memory_mb=0.2)
    arrays = [rng.standard_normal(5000).astype(np.float32) for _ in range(20)]
    uploads = [core.tensor(array) for array in arrays]  # which stay, so that nothing is unused
    tensors = [core.square(upload) for upload in uploads]
    for array, tensor in zip(arrays, tensors, strict=True):
        np.testing.assert_array_equal((tensor + tensor).numpy(), 2 * array * array)


def test_freed_models(watch, rng):
    """Their memory may be what the next upload takes."""
    spec = PartialSpec((5000,))
    nodes = [Node("x", "Placeholder"), Node("a", "Abs", ("x",)), Node("b", "Const")]
    nodes += [Node("c", "ReverseV2", ("a", "b")), Node("k", "Const")]
    nodes += [Node("y", "Cumsum", ("c", "k"))]
    weights = {"b": np.int32([0]), "k": np.int32(0)}
    for _ in range(3):
        graph = Graph(nodes, weights, {"x": Endpoint("x", spec)}, {"y": Endpoint("y", spec)})
        model = GraphModel(graph)
        assert model.plan().arena_bytes
        x = np.rint(rng.standard_normal(5000)).astype(np.float32)
        for _ in range(3):
            model.predict(x)["y"].numpy()
        found = model.predict(x)["y"]
        del model
        gc.collect()
        more = [core.tensor(x) + 1.0 for _ in range(4)]
        np.testing.assert_array_equal(found.numpy(), np.abs(x)[::-1].cumsum())
        for value in more:
            np.testing.assert_array_equal(value.numpy(), x + np.float32(1))
