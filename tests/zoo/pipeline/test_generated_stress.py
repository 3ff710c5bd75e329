"""Many threads on models with generated kernels, also on a busy machine: right answers, no hang."""

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import numpy as np
import pytest

import core
import zoo
from core.backends.cpu import tiers
from tests.helpers import require_llvmlite

MODELS = ("posenet.tiny", "gesture.keypoints", "facemesh.base", "iris.base")

#: Keeps one CPU busy.
_BUSY = "while True: pass"


@pytest.fixture
def models(shared, monkeypatch):
    """Four models with generated kernels, each with inputs and the outputs of NumPy's."""
    require_llvmlite()
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
    monkeypatch.setattr(tiers, "_is_chosen", False)
    found = []
    for name in MODELS:
        core.set_tier(1)
        inputs = some_inputs(zoo.load(name), np.random.default_rng(5))
        by_numpy = zoo.load(name)
        expected = [outputs(by_numpy, x) for x in inputs]
        core.set_tier(2)
        model = zoo.load(name)
        model.predict(inputs[0])
        found.append((model, inputs, expected))
    return found


def some_inputs(model, rng) -> list:
    ((name, spec),) = model.inputs.items()
    shape = [1 if n is None else n for n in spec.shape]
    if model.name == "posenet.tiny":
        shape = [1, 129, 129, 3]
    return [{name: rng.random(shape, np.float32)} for _ in range(3)]


def outputs(model, given) -> dict[str, np.ndarray]:
    return {name: value.numpy() for name, value in model.predict(given).items()}


def run_until(end: float, stop: Event, model, inputs, expected) -> int:
    """Run a model until a time; return how often."""
    runs = 0
    while time.monotonic() < end and not stop.is_set():
        i = runs % len(inputs)
        for name, value in outputs(model, inputs[i]).items():
            wanted = expected[i][name]
            reach = max(np.ptp(wanted), np.abs(wanted).max())
            assert np.abs(value - wanted).max() <= 1e-4 * reach, (model.name, name)
        runs += 1
    return runs


def stress(models, seconds: float) -> list[int]:
    """Eight threads on the first model and one on each of the others."""
    end, stop = time.monotonic() + seconds, Event()
    jobs = [models[0]] * 8 + models[1:]
    with ThreadPoolExecutor(len(jobs)) as pool:
        futures = [pool.submit(run_until, end, stop, *job) for job in jobs]
        try:
            return [future.result(timeout=seconds + 120) for future in futures]
        finally:
            stop.set()


def test_eight_threads_on_one_model_and_three_more_models(models):
    assert min(stress(models, 2.0)) > 0


@pytest.mark.long
@pytest.mark.parametrize("is_busy", [False, True])
def test_a_minute_of_many_threads(models, is_busy):
    busy = [subprocess.Popen([sys.executable, "-c", _BUSY]) for _ in range(4 * is_busy)]
    try:
        runs = stress(models, 60.0)
    finally:
        for process in busy:
            process.kill()
            process.wait()
    print(f"busy: {is_busy}, runs of each thread: {runs}")
    assert min(runs) > 10
