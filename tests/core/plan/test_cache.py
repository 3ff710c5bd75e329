"""What a model keeps for its plans: in how many bytes, and shared by what."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event

import numpy as np
import pytest

import core
from core.graph_model.graph_model import GraphModel
from core.plan import cache, planner
from core.plan.cache import LruCache, SharedWeights
from tests.core.graph.control_graphs import model
from tests.helpers import PATIENCE

CONV = {"strides": [1, 1, 1, 1], "padding": "SAME", "data_format": "NHWC", "dilations": [1] * 4}


@pytest.fixture
def graph(rng):
    w = rng.normal(size=(3, 3, 2, 2)).astype(np.float32)
    return model(
        "x = Placeholder\nc = Conv2D x w\ny = Relu c\nz = Neg y", "y", {"w": w}, {"c": CONV}
    )


def images(count: int) -> np.ndarray:
    return np.ones((count, 16, 16, 2), np.float32)


def together(graph: GraphModel, inputs: np.ndarray, threads: int = 4) -> None:
    """As many workspaces at the same time."""
    workspaces = graph.plan(inputs)._executable._workspaces
    start, leased = Barrier(threads), workspaces._free

    def lease(make, fits):
        found = leased(make, fits)
        start.wait()
        return found

    workspaces._free = lease
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(graph.predict, [inputs] * threads))
    workspaces._free = leased


def idle_bytes(graph: GraphModel) -> int:
    return sum(plan.arena_bytes * plan.workspaces_idle for plan in graph._planner.plans())


# Arenas.


def test_only_the_latest_plan_keeps_several_arenas(graph):
    small, large = graph.plan(images(1)), graph.plan(images(2))
    together(graph, images(1))
    assert (small.workspaces_idle, small.workspaces_made) == (4, 4)
    together(graph, images(2))
    assert (small.workspaces_idle, large.workspaces_idle) == (1, 4)
    assert idle_bytes(graph) == small.arena_bytes + 4 * large.arena_bytes
    graph.predict(images(1))
    assert (small.workspaces_idle, large.workspaces_idle) == (1, 1)
    assert (small.workspaces_made, large.workspaces_made) == (4, 4)
    together(graph, images(1))
    assert (small.workspaces_idle, small.workspaces_made) == (4, 7)


def test_arenas_of_other_plans_are_within_a_bound(graph, monkeypatch):
    """Those of the shapes that were used longest ago go first."""
    plans = [graph.plan(images(count)) for count in range(1, 9)]
    bound = plans[6].arena_bytes + plans[5].arena_bytes
    monkeypatch.setattr(cache, "MOST_IDLE_BYTES", bound)
    for _ in range(2):
        for count in range(1, 9):
            graph.predict(images(count))
        graph.execute(images(8), ["z"])
        graph.predict(images(8))
        latest = plans[7].arena_bytes
        assert idle_bytes(graph) <= bound + latest
        assert plans[7].workspaces_idle == 1 and plans[0].workspaces_idle == 0
    expected = graph.predict(images(8))["y"].numpy()[:1]
    np.testing.assert_allclose(graph.predict(images(1))["y"].numpy(), expected, atol=1e-5)


def test_all_plans_of_one_run_are_the_latest(rng):
    w = rng.normal(size=(3, 3, 2, 2)).astype(np.float32)
    text = "x = Placeholder\nc = Conv2D x w\nm = Mine c\ny = Conv2D m w"
    how, kernels = {"c": CONV, "y": CONV}, {"Mine": lambda value, **_: core.mul(value, 2.0)}
    graph = model(text, "y", {"w": w}, how, kernels=kernels)
    graph.predict(images(1))
    for plan in graph._planner.plans():
        plan.keep_idle(3)
    graph.predict(images(1))
    assert [p._executable._workspaces._most_waiting for p in graph._planner.plans()] == [3, 3]


# Weights.


def test_weights_that_passes_made_are_held_once(rng):
    """Whatever is asked for."""
    gamma, beta, mean, variance = rng.uniform(1, 2, (4, 8)).astype(np.float32)
    constants = {
        "w": rng.normal(size=(3, 3, 2, 8)).astype(np.float32),
        **{"g": gamma, "b": beta, "m": mean, "v": variance},
    }
    text = "x = Placeholder\nc = Conv2D x w\nn = FusedBatchNormV3 c g b m v\ny = Relu n\nz = Neg y"
    how = {"c": CONV, "n": {"is_training": False, "epsilon": 1e-3}}
    graph = model(text, "y", constants, how)
    first, second = (graph.plan(images(1), [name]).program for name in "yz")
    folded = [c for c in first.constants.values() if c.shape == (3, 3, 2, 8)]
    again = [c for c in second.constants.values() if c.shape == (3, 3, 2, 8)]
    assert len(folded) == len(again) == 1 and np.shares_memory(folded[0], again[0])
    assert not np.shares_memory(folded[0], graph.graph.weights["w"])


def test_equal_weights_of_other_shapes_and_dtypes_are_others():
    shared = SharedWeights()
    one = shared.tensor(np.zeros((2, 3), np.float32))
    assert shared.tensor(np.zeros((2, 3), np.float32)) is one
    for other in (np.zeros((3, 2), np.float32), np.zeros((2, 3), np.int32), np.ones((2, 3))):
        assert shared.tensor(other) is not one
    words = shared.tensor(np.array(["a", "b"], object))
    assert words.numpy().tolist() == [b"a", b"b"]


def test_the_order_of_outputs_shares_a_plan(graph):
    plan = graph.plan(images(1), ["y", "z"])
    assert graph.plan(images(1), ["z", "y", "z"]) is plan
    found = graph.execute(images(1), ["z", "y", "z"])
    assert list(found) == ["z", "y"]
    np.testing.assert_array_equal(found["z"].numpy(), -found["y"].numpy())


# Who waits for whom.


def test_plans_of_other_shapes_do_not_block(graph, monkeypatch):
    graph.predict(images(1))
    begun, go_on, plain = Event(), Event(), planner.find_stage

    def slow(*arguments):
        begun.set()
        assert go_on.wait(PATIENCE)
        return plain(*arguments)

    monkeypatch.setattr(planner, "find_stage", slow)
    with ThreadPoolExecutor(2) as pool:
        making = pool.submit(graph.predict, images(2))
        assert begun.wait(PATIENCE)
        ready = pool.submit(graph.predict, images(1))
        try:
            assert ready.result(timeout=PATIENCE)["y"].shape == (1, 16, 16, 2)
        finally:
            go_on.set()
        assert making.result(PATIENCE)["y"].shape == (2, 16, 16, 2)


def test_concurrent_requests_wait_for_one_plan():
    kept, made = LruCache(2), []
    begun, go_on = Event(), Event()

    def slow():
        begun.set()
        assert go_on.wait(PATIENCE)
        made.append(1)
        return len(made)

    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(kept.get, "a", slow) for _ in range(4)]
        assert begun.wait(PATIENCE)
        go_on.set()
        assert [one.result(PATIENCE) for one in asked] == [1] * 4
    assert kept.all() == [1] and not kept._making


def test_failed_plans_are_retried():
    kept = LruCache(2)

    def fails():
        raise core.CoreError("not now")

    with pytest.raises(core.CoreError, match="not now"):
        kept.get("a", fails)
    assert kept.get("a", lambda: 3) == 3
    kept.get("b", lambda: 4)
    kept.get("a", fails)  # which is there
    kept.get("c", lambda: 5)
    assert kept.all() == [3, 5]
