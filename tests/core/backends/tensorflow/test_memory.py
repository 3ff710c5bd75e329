"""The memory of the process stays while ops, plans and training steps run on the tf backend."""

import gc
import weakref
from pathlib import Path

import numpy as np
import pytest

import core
from core.graph_model.graph_model import GraphModel
from core.plan.planner import MOST_PLANS
from tests.core.graph.control_graphs import model

#: Bytes that a process may grow by after it warmed up, for buffers that allocators keep.
MOST_GROWTH = 24 << 20

WARM_UP = 60

STATM = Path("/proc/self/statm")

pytestmark = pytest.mark.skipif(not STATM.exists(), reason="only Linux lists a process's memory")

WINDOW = {"strides": [1, 1, 1, 1], "padding": "SAME", "data_format": "NHWC", "dilations": [1] * 4}
POOL = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "SAME"}
TEXT = "x = Placeholder\nc = Conv2D x w\nb = BiasAdd c k\nr = Relu6 b\ny = MaxPool r"


@pytest.fixture(autouse=True)
def _on_tf():
    with core.backend("tf"):
        yield


def resident_bytes() -> int:
    """How much memory the process has."""
    return int(STATM.read_text().split()[1]) * 4096


def check_flat(run, count: int, most_growth: int | None = None) -> None:
    """Check that a function that runs so often leaves no tensor, nor more bytes of the process."""
    for _ in range(WARM_UP):
        run()
    gc.collect()
    counted, before = core.memory(), resident_bytes()
    for _ in range(count):
        run()
    gc.collect()
    assert core.memory() == counted
    assert most_growth is None or resident_bytes() - before < most_growth


def network(rng) -> GraphModel:
    """A network whose output has half a megabyte."""
    weights = {"w": rng.normal(size=(3, 3, 3, 32)).astype(np.float32), "k": np.zeros(32, "f")}
    return model(TEXT, "y", weights, {"c": WINDOW, "y": POOL})


def inferences(rng):
    graph, x = network(rng), rng.normal(size=(1, 128, 128, 3)).astype(np.float32)
    return lambda: graph.predict(x)


def training_steps(rng):
    weights = core.variable(rng.normal(size=(1280, 10)).astype(np.float32) * 0.02)
    adam = core.train.adam(0.01)
    x = rng.normal(size=(64, 1280)).astype(np.float32)
    labels = np.eye(10, dtype=np.float32)[rng.integers(0, 10, 64)]

    @core.compile
    def step(x, labels):
        def loss():
            return -core.mean(core.sum(labels * core.log_softmax(core.matmul(x, weights)), 1))

        return adam.minimize(loss, return_cost=True)

    return lambda: step(x, labels).item()


def eager_steps(rng):
    """Gradients and an optimizer, op by op."""
    weights, adam = core.variable(rng.normal(size=(256, 256)).astype(np.float32)), core.train.adam()
    x = core.tensor(rng.normal(size=(64, 256)).astype(np.float32))
    return lambda: adam.minimize(lambda: core.mean(core.square(core.matmul(x, weights))))


@pytest.mark.parametrize("make", [inferences, training_steps, eager_steps])
def test_memory_stays(make, rng):
    check_flat(make(rng), 300)


@pytest.mark.long
@pytest.mark.parametrize(("make", "count"), [(inferences, 10_000), (training_steps, 1000)])
def test_memory_stays_for_long(make, count, rng):
    check_flat(make(rng), count, MOST_GROWTH)


def test_functions_of_plans_that_are_dropped_are_freed(rng):
    graph, graphs = network(rng), []
    for i in range(3 * MOST_PLANS):
        x = np.ones((1, 8 + i, 8, 3), np.float32)
        graph.predict(x)
        (segment,) = graph.plan(x)._executable._segments
        graphs.append(weakref.ref(segment.run.graph))
        del segment
    gc.collect()
    assert sum(each() is not None for each in graphs) == MOST_PLANS
    del graph
    gc.collect()
    assert not any(each() is not None for each in graphs)


@pytest.mark.long
def test_new_shapes_take_no_more_memory(rng):
    """Of an op for which TensorFlow keeps nothing by shape, as it does for convolutions."""
    graph = model("x = Placeholder\ny = MatMul x w", "y", {"w": np.ones((64, 64), np.float32)})
    shapes = iter(range(1, 1000))
    check_flat(lambda: graph.predict(np.ones((next(shapes), 64), np.float32)), 900, MOST_GROWTH)


@pytest.mark.long
def test_weights_are_held_once(rng):
    """In TensorFlow, for the model and its plans of two shapes; and as the graph's own array.

    Once more would be 3 times their bytes in the process.
    """
    weights = rng.normal(size=(4096, 4096)).astype(np.float32)
    before = resident_bytes()
    graph = model("x = Placeholder\ny = MatMul x w", "y", {"w": weights})
    for rows in (1, 2):
        graph.predict(np.ones((rows, 4096), np.float32))
    gc.collect()
    assert resident_bytes() - before < 2.5 * weights.nbytes
