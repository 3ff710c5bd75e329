"""Fixtures of all tests: no network, no user's cache, one seeded generator; and the processes."""

import functools
import gc
import os
import signal
import sys
from pathlib import Path

import numpy as np
import pytest

import core
from core.profiling import profiler
from tests.helpers import ONLY_BACKEND, shared_folder, skip_or_fail
from tests.helpers import ROOT as ROOT  # where other tests take it from

#: Each process collects all tests, which takes it some ten seconds: more gain little.
MOST_PROCESSES = 8


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """As many processes as CPUs; just this one for a single file, and for ``-s``, which prints."""
    files = {argument.partition("::")[0] for argument in config.args}
    if config.option.capture == "no" or (len(files) == 1 and Path(*files).is_file()):
        return 0
    has_affinity = hasattr(os, "sched_getaffinity")
    cpus = len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count() or 1
    return min(cpus, MOST_PROCESSES)


def pytest_configure(config: pytest.Config) -> None:
    """Processes that share the CPUs inherit that libraries have one thread: several would wait.

    The examples in docstrings, which see no fixture, run on NumPy's kernels as the tests do: models
    that they leave in the cache of the process have no others.
    """
    # Background jobs of shell scripts ignore SIGINT, and so would the processes that tests start.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.setdefault("CORE_TIER", "1")
    if getattr(config.option, "numprocesses", None):
        for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
            os.environ.setdefault(variable, "1")


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Tests in folders named ``tensorflow`` run in the process of the tf backend alone."""
    is_theirs = collection_path.name == "tensorflow"
    return True if is_theirs and ONLY_BACKEND not in os.environ else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """In the process of one backend, keep its parameters of the fixture, and its own folders."""
    only = os.environ.get(ONLY_BACKEND)
    if only:
        kept = [item for item in items if _runs_on(item, only)]
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = kept


def _runs_on(item: pytest.Item, backend: str) -> bool:
    call = getattr(item, "callspec", None)
    given = None if call is None else call.params.get("backend")
    return given == backend or "tensorflow" in item.path.parts


def pytest_collection_finish() -> None:
    """What thousands of tests consist of stays: the garbage collector need not look at it again."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20261120)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of reference weights, photos and golden outputs beside the checkout."""
    folder = shared_folder()
    if folder is None:
        skip_or_fail("no reference files: ZOO_SHARED is empty")
    elif not (folder / "weights" / "INDEX.json").is_file():
        skip_or_fail(f"no reference files in {folder} (set ZOO_SHARED)")
    return folder


@pytest.fixture(autouse=True)
def _own_world(tmp_path, monkeypatch):
    """No test sees the user's cache, mirror, backend or offline switch."""
    for name in ("ZOO_WEIGHTS_MIRROR", "ZOO_OFFLINE", "CORE_BACKEND"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ZOO_WEIGHTS_CACHE", str(tmp_path / "weights-cache"))
    monkeypatch.setenv("ZOO_WEIGHTS_NOTES", str(tmp_path / "weights-notes"))
    monkeypatch.setenv("ZOO_FEATURE_CACHE", str(tmp_path / "features"))
    monkeypatch.setenv("ZOO_CODE_CACHE", "0")  # nor what others compiled, or leaves what it did
    # NumPy's kernels, whatever is installed: tests of generated ones ask for them.
    monkeypatch.setenv("CORE_TIER", "1")
    yield
    # Tests of OpenGL in this process would crash from now on.
    assert ONLY_BACKEND in os.environ or "tensorflow.python" not in sys.modules


@pytest.fixture(autouse=True)
def _garbage_of_earlier_tests(monkeypatch):
    """Tensors in reference cycles that earlier tests left are freed before a test first counts.

    Python would collect them at any allocation, also between two counts that a test compares.
    """
    count = core.memory
    counters = (core, profiler)

    @functools.wraps(count)
    def first_count():
        for module in counters:
            monkeypatch.setattr(module, "memory", count)
        gc.collect()
        return count()

    for module in counters:
        monkeypatch.setattr(module, "memory", first_count)


@pytest.fixture(scope="module", autouse=True)
def _no_context_is_left():
    """No file leaves an OpenGL context current: in this thread the backend could use none then."""
    yield
    contexts = sys.modules.get("core.backends.shader.runtime.current_context")
    assert contexts is None or contexts.current_context() is None
