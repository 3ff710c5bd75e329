"""Several threads on one model, several models at once: right answers, and no more arenas."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from time import perf_counter
from typing import NamedTuple

import numpy as np
import pytest

import core.converter
from core.graph_model.graph_model import GraphModel
from tests.core.graph.control_graphs import model
from tests.golden.staged import STAGED, read_golden

THREADS = 8

#: A small float one, a quantised one, a larger float one, and one of rows.
PATHS = (
    "blazeface-front-tfjs-float/model.json",
    "mobilenet-v1-025-224-float-tflite/mobilenet_v1_0.25_224_quant.tflite",
    "selfie-segmentation-tfjs-fp16/model.json",
    "hand-gesture-keypoint-classifier/keypoint_classifier.tflite",
)


class Asked(NamedTuple):
    """An input, and what the model alone gives for it."""

    given: np.ndarray
    expected: dict[str, np.ndarray]


def loaded(shared: Path, path: str) -> GraphModel:
    """A model of the test's own: `staged.loaded` shares its models."""
    return core.converter.load_model(shared / "weights" / path)


def asked(shared: Path, path: str, graph: GraphModel, count: int) -> list[Asked]:
    """Different inputs, with the answers of one thread."""
    staged = next(s for s in STAGED if s.path == path)
    picture = read_golden(shared / "weights", staged, staged.goldens[0]).input[:1]
    inputs = [np.roll(picture, 7 * i, axis=1) for i in range(count)]
    return [
        Asked(given, {k: t.numpy() for k, t in graph.predict(given).items()}) for given in inputs
    ]


def work(graph: GraphModel, todo: Sequence[Asked], start: Barrier, seconds: float) -> int:
    """Ask again and again until the time is over; how often it was."""
    start.wait()
    end, count = perf_counter() + seconds, 0
    while perf_counter() < end or count < 2:
        one = todo[count % len(todo)]
        found = graph.predict(one.given)
        for name, expected in one.expected.items():
            np.testing.assert_array_equal(found[name].numpy(), expected, err_msg=name)
        count += 1
    return count


def together(jobs: Sequence[tuple[GraphModel, Sequence[Asked]]], seconds: float) -> int:
    """Each job in a thread of its own, all at once."""
    start = Barrier(len(jobs))
    with ThreadPoolExecutor(len(jobs)) as pool:
        running = [pool.submit(work, graph, todo, start, seconds) for graph, todo in jobs]
        return sum(job.result() for job in running)


def on_one_model(shared: Path, path: str, seconds: float) -> int:
    graph = loaded(shared, path)
    todo = asked(shared, path, graph, THREADS)
    plan = graph.plan(todo[0].given)
    assert plan.workspaces_made == 1
    # Each thread begins with another input.
    count = together([(graph, todo[i:] + todo[:i]) for i in range(THREADS)], seconds)
    assert graph.plan(todo[0].given) is plan
    assert plan.workspaces_made <= THREADS
    return count


def on_several_models(shared: Path, seconds: float) -> int:
    graphs = [loaded(shared, path) for path in PATHS]
    todo = [asked(shared, p, graph, 3) for p, graph in zip(PATHS, graphs, strict=True)]
    count = together([*zip(graphs, todo, strict=True)] * 2, seconds)
    for graph, (first, *_) in zip(graphs, todo, strict=True):
        assert graph.plan(first.given).workspaces_made <= 2
    return count


@pytest.mark.parametrize("path", PATHS[:2])
def test_threads_on_one_model(shared, path):
    assert on_one_model(shared, path, 0.5) >= 2 * THREADS


def test_several_models_at_once(shared):
    assert on_several_models(shared, 0.5) >= 4 * len(PATHS)


@pytest.mark.long
@pytest.mark.parametrize("path", PATHS[:3])
def test_threads_on_one_model_for_a_minute(shared, path):
    assert on_one_model(shared, path, 60) > 1000


@pytest.mark.long
def test_several_models_at_once_for_a_minute(shared):
    assert on_several_models(shared, 60) > 1000


def test_threads_make_plans_together(rng):
    """Whichever comes first makes the plan of a shape, and the others get it."""
    weights = {"w": rng.normal(size=(30, 20)).astype(np.float32)}
    graph = model("x = Placeholder\nm = MatMul x w\ny = Relu m", "y", weights)
    inputs = [rng.normal(size=(rows, 30)).astype(np.float32) for rows in range(1, 12)]
    expected = [np.maximum(x @ weights["w"], 0) for x in inputs]
    start = Barrier(THREADS)

    def run(first: int) -> None:
        start.wait()
        for i in range(200):
            place = (first + i) % len(inputs)
            found = graph.predict(inputs[place])["y"].numpy()
            np.testing.assert_allclose(found, expected[place], atol=1e-4)

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(run, range(THREADS)))
