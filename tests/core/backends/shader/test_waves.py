"""Steps that do not need each other run between two barriers, and share no memory."""

import numpy as np
import pytest

import core
from core.backends.shader.plans import bound_program
from core.backends.shader.plans.program_lowering import Hosted
from core.backends.shader.plans.waves import in_waves, places, reads_of, writes_of
from core.engine.backends import load_backend
from core.graph.nodes import Endpoint, Graph, Node, PartialSpec
from core.graph_model.graph_model import GraphModel
from tests.core.backends.shader.conftest import normal
from tests.core.plan.programs import program_with_a_host_step

#: Two chains of products from one input, one after the other as in plans; the last joins them.
PRODUCTS = {
    "b1": ("x", "v"),
    "b2": ("b1", "v"),
    "a1": ("x", "w"),
    "a2": ("a1", "w"),
    "a3": ("a2", "w"),
    "y": ("a3", "b2"),
}
WAVES = [["b1", "a1"], ["b2", "a2"], ["a3"], ["y"]]


@pytest.fixture(scope="module", params=["compute", "fragment"])
def path(request, opengl):
    core.start_shader(path=request.param)
    yield request.param
    core.stop_shader()


def two_chains(rng, backend="shader"):
    nodes = [Node("x", "Placeholder"), Node("w", "Const"), Node("v", "Const")]
    nodes += [Node(name, "MatMul", inputs) for name, inputs in PRODUCTS.items()]
    weights = {name: normal(rng, 8, 8) / 3 for name in "wv"}
    x, y = (Endpoint(name, PartialSpec((8, 8))) for name in "xy")
    return GraphModel(Graph(nodes, weights, {"x": x}, {"y": y}), backend=backend)


def ready_of(plan):
    return plan._executable._ready


def names(steps):
    return [name for step in steps for name in writes_of(step)]


def test_branches_run_side_by_side(path, rng):
    plan = two_chains(rng).plan()
    ready = ready_of(plan)
    assert [names(wave) for wave in in_waves(ready.lowering.steps)] == WAVES
    if path == "fragment":  # which has no barriers
        assert names(ready.steps) == [*PRODUCTS]
        return
    assert names(ready.steps) == sum(WAVES, [])
    assert [step.name for step in plan.steps] == names(ready.steps)
    plan.run({"x": normal(rng, 8, 8)})["y"].numpy()
    commands = ready.recordings[-1].replay._commands
    # One after each wave, the last of them for readers.
    assert sum(each.function == "glMemoryBarrier" for each in commands) == len(WAVES)


def test_waves_give_the_numbers_of_steps_one_by_one(path, rng, monkeypatch):
    state, x = rng.bit_generator.state, normal(np.random.default_rng(1), 8, 8)
    found = two_chains(rng).plan().run({"x": x})["y"].numpy()
    monkeypatch.setattr(bound_program, "MOST_MORE", -(1 << 30))  # no waves
    rng.bit_generator.state = state
    plan = two_chains(rng).plan()
    assert names(ready_of(plan).steps) == [*PRODUCTS]
    np.testing.assert_array_equal(plan.run({"x": x})["y"].numpy(), found)
    rng.bit_generator.state = state
    expected = two_chains(rng, "cpu").plan().run({"x": x})["y"].numpy()
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_values_of_one_wave_share_no_memory(path, rng):
    if path == "fragment":
        return
    ready = ready_of(two_chains(rng).plan())
    placed = {p.name: p for p in ready.memory.placed}
    for wave in WAVES[:2]:
        first, second = sorted((placed[name].offset, placed[name].bytes) for name in wave)
        assert sum(first) <= second[0]


def test_no_step_passes_one_on_the_host(path, rng):
    program, _ = program_with_a_host_step(rng)
    steps = load_backend("shader").lower(program)._ready.lowering.steps
    waves = in_waves(steps)
    assert any(isinstance(step, Hosted) for step in steps)
    for wave in waves:
        assert len(wave) == 1 or not any(isinstance(step, Hosted) for step in wave)
    made: set[str] = set()
    for step, first, last in places(waves):
        assert first <= last < len(steps)
        later = {*names(steps)} - made - {*writes_of(step)}
        assert later.isdisjoint(ref for ref in reads_of(step) if isinstance(ref, str))
        made.update(writes_of(step))
