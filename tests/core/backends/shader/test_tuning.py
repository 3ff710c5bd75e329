"""Tiles that are measured: which one wins, who uses it, and where it is kept."""

import json

import numpy as np
import pytest

import core
from core.backends.shader.codegen.tiles.choices import FAMILIES, SMALLEST, choose
from core.backends.shader.codegen.tiles.tile_source import Choice, Product, TileLimits
from core.backends.shader.codegen.tiles.tuned_tiles import (
    FORMAT,
    Compared,
    fastest,
    keep_choices,
    load_choices,
)
from core.backends.shader.plans import plan_tuning
from core.engine.backends import load_backend
from core.errors import CoreError
from core.graph.nodes import Endpoint, Graph, Node, PartialSpec
from core.graph_model.graph_model import GraphModel
from core.process import code_cache

TURNED = Product(5, 6, 7, transpose_a=True)
SMALLEST_KNOWN = Choice(16, 32, 4, 1, 8, 8)  # of the candidates
OTHER = Choice(32, 64, 4, 1, 4, 16)
PRODUCT = Product(48, 64, 64)
PIXELS = Product(64, 8, 64)
CONV = {"strides": [1, 1, 1, 1], "padding": "SAME"}
#: What both tiles are tried for below; the names are those of steps.
ASKED = {("product", PRODUCT): ("r", "n"), ("separable", PIXELS): ("y",)}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(code_cache.VARIABLE, str(tmp_path / "code"))
    return tmp_path / "code"


@pytest.fixture
def two_tiles(monkeypatch):
    """Both families have the same two."""
    for name in FAMILIES:
        short = FAMILIES[name]._replace(candidates=(SMALLEST, OTHER), table={})
        monkeypatch.setitem(FAMILIES, name, short)


@pytest.fixture
def restart(opengl, two_tiles):
    """Stops the backend and gives a new session of it."""

    def restart(**settings):
        core.stop_shader()
        core.start_shader(path="compute", **settings)
        return load_backend("shader").session

    yield restart
    core.stop_shader()


@pytest.fixture
def other_wins(monkeypatch):
    """Whatever is slower here than there: all run, and the tile that was not used wins."""

    def decided(runs, old):
        assert all(run() > 0 for run in runs.values()) and len(runs) == 2
        (new,) = {*runs} - {old}
        return Compared(new, 2.0, 1.0)

    monkeypatch.setattr(plan_tuning, "fastest", decided)


def model(rng):
    """z = relu(x @ v) @ v; and of images a separable convolution."""
    nodes = [
        Node("x", "Placeholder"),
        Node("v", "Const"),
        Node("m", "MatMul", ("x", "v")),
        Node("r", "Relu", ("m",)),
        Node("n", "MatMul", ("r", "v")),
        Node("images", "Placeholder"),
        Node("d", "Const"),
        Node("f", "Const"),
        Node("channels", "DepthwiseConv2dNative", ("images", "d"), CONV),
        Node("y", "Conv2D", ("channels", "f"), CONV),
    ]
    shapes = {"v": (64, 64), "d": (3, 3, 8, 1), "f": (1, 1, 8, 64)}
    weights = {n: rng.normal(size=s).astype(np.float32) for n, s in shapes.items()}
    inputs = {"x": PartialSpec((48, 64)), "images": PartialSpec((1, 8, 8, 8))}
    ends = {n: Endpoint(n, spec) for n, spec in inputs.items()}
    outputs = {n: Endpoint(n, PartialSpec(None)) for n in ("n", "y")}
    return GraphModel(Graph(nodes, weights, ends, outputs), backend="shader")


def groups_of(plan):
    """How many groups the first program of each step has."""
    return [
        step.compiled.steps[0].program.groups for step in plan._executable._ready.lowering.steps
    ]


def tuned(rng):
    """A model, its plan before and after it was tuned, and what that told."""
    made = model(rng)
    given = {n: rng.normal(size=spec.shape).astype(np.float32) for n, spec in made.inputs.items()}
    before = {n: t.numpy() for n, t in made.predict(given).items()}
    plan = made.plan(given)
    old = groups_of(plan)
    told = core.tune_shader(plan)
    after = made.predict(given)
    for name, expected in before.items():
        np.testing.assert_allclose(after[name].numpy(), expected, rtol=0, atol=1e-4)
    return made, old, groups_of(plan), told


def test_the_faster_tile_is_used_and_found_again(restart, other_wins, folder, rng):
    session = restart()
    made, old, new, told = tuned(rng)
    assert {step.names for step in told.steps} == {*ASKED.values()}
    assert all(step[1:3] == (2000, 1000) and step.is_new for step in told.steps)
    assert str(told).splitlines()[-1].split()[:2] == ["4000.0000", "2000.0000"]
    assert all(a != b for a, b in zip(old, new, strict=True))
    found = dict(session.tuned)
    assert found.keys() == ASKED.keys()
    again = restart()  # as another process
    assert again is not session and again.tuned == found
    assert again.limits.tuned(("product", PRODUCT)) == choose(PRODUCT, again.limits)
    assert groups_of(model(rng).plan()) == new
    assert restart(float16=True).tuned == {}  # other traffic, other times


def test_equally_fast_tiles_change_nothing(restart, monkeypatch, folder, rng):
    monkeypatch.setattr(plan_tuning, "fastest", lambda runs, old: Compared(old, 1.0, 1.0))
    session = restart()
    _, old, new, told = tuned(rng)
    assert old == new and session.tuned == {}
    assert not any(step.is_new for step in told.steps) and "as before" in str(told)
    assert load_choices(session.device.driver, "float32") == {}


def test_without_a_cache_it_is_for_this_session(restart, other_wins, rng):
    session = restart()  # where tests run the cache is off
    tuned(rng)
    assert session.tuned.keys() == ASKED.keys()
    assert restart().tuned == {}


def test_slow_tiles_leave_no_programs(restart, monkeypatch, rng):
    monkeypatch.setattr(plan_tuning, "fastest", lambda runs, old: Compared(old, 1.0, 1.0))
    session = restart()
    made = model(rng)
    made.predict({n: np.zeros(spec.shape, np.float32) for n, spec in made.inputs.items()})
    session.gl_thread.call(lambda: None)  # until it ran
    used = len(session.programs)
    assert len(core.tune_shader(made.plan()).steps) == 2
    assert len(session.programs) == used == 3 and not session.programs.new


def test_other_plans_are_refused_with_a_message(opengl, rng):
    given = model(rng)
    core.start_shader(path="fragment")
    plan = given.plan()
    with pytest.raises(CoreError, match="for compute shaders, .*start_shader.path='compute'"):
        core.tune_shader(plan)
    core.stop_shader()


# --- what wins -----------------------------------------------------------------------------------


def timed(**times):
    """Candidates that take these times in turn, again and again."""
    order = []

    def run(name):
        order.append(name)
        return times[name][(order.count(name) - 1) % len(times[name])]

    return order, {name: lambda name=name: run(name) for name in times}


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        ({"a": [3.0], "b": [2.0], "c": [2.5]}, ("b", 3.0, 2.0)),
        ({"a": [2.0], "b": [3.0]}, ("a", 2.0, 2.0)),
        ({"a": [2.0, 3.0, 2.4], "b": [2.6, 2.3, 2.0]}, ("a", 2.4, 2.4)),  # less than the spread
        ({"a": [3.0, 3.1, 9.0], "b": [2.9, 2.8]}, ("b", 3.1, 2.8)),
    ],
)
def test_the_best_wins_by_more_than_the_spread(times, expected):
    order, runs = timed(**times)
    assert fastest(runs, "a") == expected
    assert order[: 2 * len(times)] == [*times, *times]  # in turn


def test_one_that_was_fast_by_chance_is_timed_again():
    _, runs = timed(a=[2.0], b=[1.0] * 5 + [3.0] * 11)
    assert fastest(runs, "a") == ("a", 2.0, 2.0)


# --- on disk -------------------------------------------------------------------------------------


def test_choices_are_kept_by_driver_and_added_to(folder):
    keep_choices("one", "float32", {("product", PRODUCT): SMALLEST_KNOWN})
    keep_choices("one", "float32", {("product", TURNED): SMALLEST_KNOWN})
    both = {("product", p): SMALLEST_KNOWN for p in (PRODUCT, TURNED)}
    assert load_choices("one", "float32") == both
    assert load_choices("two", "float32") == load_choices("one", "float16") == {}
    limits = TileLimits(tuned=both.get)
    assert choose(PRODUCT, limits) == SMALLEST_KNOWN != choose(PRODUCT, TileLimits())


def test_a_tile_that_does_not_fit_is_not_used():
    large = Choice(128, 128, 16, 1, 1, 16)
    small = TileLimits(shared_bytes=8192, tuned={("product", PRODUCT): large}.get)
    assert choose(PRODUCT, small).fits(small, PRODUCT)


@pytest.mark.parametrize("damage", [0, 40, -1])
def test_a_damaged_file_is_ignored(folder, damage):
    keep_choices("one", "float32", {("product", PRODUCT): SMALLEST_KNOWN})
    (path,) = folder.iterdir()
    data = bytearray(path.read_bytes())
    data[damage] ^= 1
    path.write_bytes(data)
    assert load_choices("one", "float32") == {}


@pytest.mark.parametrize(
    "rows",
    [
        {"product": 1},
        [1],
        [["product", [1, 2, 3]]],
        [["unknown", [1, 2, 3], SMALLEST]],
        [["product", [1, 2, 3], [0, 0, 0, 0, 0, 0]]],
        [["product", [[1], 2, 3], [64, 64, 8, 1, 1, 16, 1]]],
        [["product", [1, 2], [64, 64, 8, 1, 1, 16, 1]]],
        "no rows",
    ],
)
def test_tables_of_another_version_are_ignored(folder, rows):
    data = json.dumps(rows).encode() if rows != "no rows" else b"\xff{"
    code_cache.keep(code_cache.key_of(FORMAT, "one", "float32"), data)
    assert load_choices("one", "float32") == {}
