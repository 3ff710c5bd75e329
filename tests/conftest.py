"""Fixtures of all tests: no network, no user's cache, one seeded generator; processes and tiers."""

import functools
import gc
import os
import shutil
import signal
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

import core
from core.profiling import profiler
from tests import packages
from tests.helpers import (
    ONLY_BACKEND,
    has_reference_files,
    part_of_a_sweep,
    shared_folder,
    skip_or_fail,
)
from tests.helpers import ROOT as ROOT  # where other tests take it from

#: Of NumPy's generator that tests are given, and of the engine's, which draws weights.
SEED = 20261120

#: Each process collects all tests, which takes it some seconds: more gain little.
MOST_PROCESSES = 8

#: The tier `quick`, for the hand before a commit, by folder: the engine, but on the shader backend,
#: and the rules.
QUICK = ("tests/core/", "tests/rules/")
NOT_QUICK = (
    "tests/core/converter/",
    "tests/core/backends/cpu_codegen/",
    "tests/core/data/",
    "tests/core/plots/",
    "tests/core/backends/shader/",
    "tests/core/backends/tensorflow/",
    "tests/core/models/",
)

#: The tier `whole`, which does not run by default but in CI, by folder. The rules are quick, too.
WHOLE = ("tests/benchmarks/", "tests/rules/", "tests/zoo/publishing/")

#: What is left out where no files or folders are named, and no ``-m`` says otherwise.
NOT_WHOLE = " and not whole"

#: These begin first: at the end, other processes would wait for them.
SLOW_FILES = (
    "tests/core/backends/test_on_tensorflow.py",
    "tests/golden/test_goldens_on_shader.py",
    "tests/golden/test_single_ops.py",
    "tests/zoo/live/test_live_session.py",
)


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

    All of them run on NumPy's kernels, whatever is installed. Files and folders that are named run
    whole, but for long tests.
    """
    # Background jobs of shell scripts ignore SIGINT, and so would the processes that tests start.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.setdefault("CORE_TIER", "1")
    if _only_names_tests(config):
        config.option.markexpr = config.option.markexpr.removesuffix(NOT_WHOLE)
    if getattr(config.option, "numprocesses", None):
        for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
            os.environ.setdefault(variable, "1")
    if sys.dont_write_bytecode and sys.pycache_prefix is None:
        _keep_compiled_modules(config)


def _only_names_tests(config: pytest.Config) -> bool:
    """Whether the command names files or folders, and no markers."""
    has_markers = any(option.startswith("-m") for option in config.invocation_params.args)
    return config.args_source is pytest.Config.ArgsSource.ARGS and not has_markers


def _keep_compiled_modules(config: pytest.Config) -> None:
    """Where no compiled files may be written beside the sources, a folder of the run has them.

    Hundreds of tests start processes, and each would compile all modules that it imports.
    """
    folder = tempfile.mkdtemp(prefix="compiled-")
    config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix = folder
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Tests in folders named ``tensorflow`` run in the process of the tf backend alone.

    Where ``-m quick`` is asked for, folders that have no such test are not looked into.
    """
    if collection_path.name == "tensorflow" and ONLY_BACKEND not in os.environ:
        return True
    if config.option.markexpr == "quick" and collection_path.is_dir():
        name = f"{collection_path.relative_to(ROOT).as_posix()}/"
        return True if name not in ("./", "tests/") and not _is_quick(name) else None
    return None


def _is_quick(name: str) -> bool:
    return name.startswith(QUICK) and not name.startswith(NOT_QUICK)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the tiers, and begin with slow files.

    In the process of one backend, keep its parameters of the fixture, and its own folders.
    """
    items.sort(key=lambda item: not item.nodeid.startswith(SLOW_FILES))
    _leave_parts_of_sweeps(items)
    for item in items:
        _mark_tier(item)
    only = os.environ.get(ONLY_BACKEND)
    if only:
        kept = [item for item in items if _runs_on(item, only)]
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = kept


def _leave_parts_of_sweeps(items: list[pytest.Item]) -> None:
    """Mark what does not run by default of a sweep, as its marker says."""
    sweeps = defaultdict(list)
    for item in items:
        if item.get_closest_marker("sweep") and not item.get_closest_marker("long"):
            sweeps[item.nodeid.partition("[")[0]].append(item)
    for name, cases in sweeps.items():
        part = part_of_a_sweep(name, len(cases))
        for index, item in enumerate(cases):
            marker = item.get_closest_marker("sweep")
            tier = marker.kwargs.get("part") if index in part else marker.args[0]
            if tier:
                item.add_marker(tier)


def _mark_tier(item: pytest.Item) -> None:
    """Mark a test with ``whole`` and ``quick``, by its folder, unless it is for a later tier."""
    if any(item.get_closest_marker(name) for name in ("gpu", "bench", "long", "whole")):
        return
    if item.nodeid.startswith(WHOLE):
        item.add_marker("whole")
    if _is_quick(item.nodeid) and _backend(item) != "shader":
        item.add_marker("quick")


def _runs_on(item: pytest.Item, backend: str) -> bool:
    return _backend(item) == backend or "tensorflow" in item.path.parts


def _backend(item: pytest.Item) -> str | None:
    """The parameter of the fixture ``backend``, if the test has it."""
    call = getattr(item, "callspec", None)
    return None if call is None else call.params.get("backend")


def pytest_collection_finish() -> None:
    """What thousands of tests consist of stays: the garbage collector need not look at it again."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(SEED)


@pytest.fixture(scope="session")
def shared(tmp_path_factory) -> Path:
    """A folder of what the one beside the checkout has: reference weights, photos, golden outputs.

    Among the weights are the files of packages that are there (`tests.packages`).
    """
    folder = shared_folder()
    if folder is None:
        skip_or_fail("no reference files: ZOO_SHARED is empty")
    elif not has_reference_files():
        skip_or_fail(f"no reference files in {folder} (set ZOO_SHARED)")
    return packages.joined(folder, tmp_path_factory.mktemp("shared"))


@pytest.fixture(autouse=True)
def _own_world(tmp_path, monkeypatch):
    """No test sees the user's cache, mirror, backend or offline switch, or random weights."""
    core.set_random_seed(SEED)
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


class _Counting:
    """Whether tests of a file count tensors, and whether what was there before them is frozen."""

    begun = False
    frozen = False


@pytest.fixture(scope="module")
def _counting() -> _Counting:
    return _Counting()


@pytest.fixture(autouse=True)
def _garbage_of_earlier_tests(monkeypatch, _counting):
    """Tensors in reference cycles that earlier tests left are freed before a test first counts.

    Python would collect them at any allocation, also between two counts that a test compares. To
    look through all objects takes long: after the first test of a file that counts, those that live
    are frozen, and the garbage collector never looks at them again.
    """
    if _counting.begun and not _counting.frozen:
        gc.collect()
        gc.freeze()
        _counting.frozen = True
    count = core.memory
    counters = (core, profiler)

    @functools.wraps(count)
    def first_count():
        for module in counters:
            monkeypatch.setattr(module, "memory", count)
        gc.collect()
        _counting.begun = True
        return count()

    for module in counters:
        monkeypatch.setattr(module, "memory", first_count)


@pytest.fixture(scope="module", autouse=True)
def _seeded():
    """Weights that the fixtures of a file draw are the same in each run, whatever ran before."""
    core.set_random_seed(SEED)


@pytest.fixture(scope="module", autouse=True)
def _no_context_is_left():
    """No file leaves an OpenGL context current: in this thread the backend could use none then."""
    yield
    contexts = sys.modules.get("core.backends.shader.runtime.current_context")
    assert contexts is None or contexts.current_context() is None
