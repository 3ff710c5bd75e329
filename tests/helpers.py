"""What several test files need."""

import gc
import importlib
import os
import random
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import pytest

ROOT = Path(__file__).resolve().parent.parent

Result = TypeVar("Result")

#: Seconds after which a test gives up waiting for an event, a thread or a process. Only a test that
#: fails waits so long: a busy machine may be slow, and nothing here measures how fast it is.
PATIENCE = 120


def shared_folder() -> Path | None:
    """``ZOO_SHARED``, else the folder beside the checkout; None if the variable is empty."""
    given = os.environ.get("ZOO_SHARED")
    return Path(given) if given else ROOT.parent / "shared" if given is None else None


def has_reference_files() -> bool:
    """Whether reference weights, photos and golden outputs are there."""
    folder = shared_folder()
    return folder is not None and (folder / "weights" / "INDEX.json").is_file()


#: Environment variable of the process that runs tests on the tf backend alone.
ONLY_BACKEND = "ZOO_TEST_BACKEND"


def tested_backends() -> list[str]:
    """The backends that the tests of this process run on.

    TensorFlow and software OpenGL crash in one process: the tf backend is tested in a process of
    its own, which `tests.core.backends.test_on_tensorflow` starts.
    """
    from core.engine.backends import backend_names

    only = os.environ.get(ONLY_BACKEND)
    return [only] if only else [name for name in backend_names() if name != "tf"]


def skip_or_fail(reason: str) -> None:
    """Skip on a contributor's machine; fail in CI, where everything must be there."""
    if os.environ.get("ZOO_CI") == "1":
        pytest.fail(f"CI must have it: {reason}")
    pytest.skip(reason)


def part_of_a_sweep(name: str, cases: int) -> set[int]:
    """The cases of a sweep that run by default: a fifth, the same ones in every process."""
    return set(random.Random(name).sample(range(cases), -(-cases // 5)))


def start_or_skip() -> None:
    """The shader backend runs, or the test does not."""
    from core.backends.shader.runtime.context import ContextError
    from core.engine.backends import load_backend

    try:
        load_backend("shader")
    except ContextError as error:
        skip_or_fail(str(error))


def check_opengl() -> None:
    """OpenGL refused nothing since it was asked last."""
    from core.engine.backends import load_backend

    owner = load_backend("shader").session.gl_thread
    owner.call(lambda: owner.check_errors("a test"))


def release_context(context: Any) -> None:
    """Release a context of OpenGL, which would stay current in this thread otherwise."""
    context.__exit__(None, None, None)
    context.release()


def require(module: str) -> ModuleType:
    """The imported module, or a skip (a failure in CI) that names it."""
    try:
        return importlib.import_module(module)
    except ImportError:
        skip_or_fail(f"the package {module!r} is not installed")
        raise


def require_opencv() -> ModuleType:
    """OpenCV, or a skip of the whole file; it does not load where libGL is missing."""
    from zoo.images.opencv import OpenCVError, load_opencv

    try:
        return load_opencv()
    except OpenCVError as error:
        if os.environ.get("ZOO_CI") == "1":
            raise
        pytest.skip(f"OpenCV cannot be imported: {error}", allow_module_level=True)


def eventually(
    condition: Callable[[], Result], what: str = "the condition", within: float = PATIENCE
) -> Result:
    """The first true value of a condition that is asked again and again.

    Args:
        condition: what is expected in the end, of a thread, a process or a file.
        what: names it in the message of a failure.
        within: seconds after which the test fails.
    """
    end = time.monotonic() + within
    while not (found := condition()):
        assert time.monotonic() < end, f"{what}: not within {within:g} s"
        time.sleep(0.005)
    return found


@contextmanager
def garbage_stays() -> Iterator[None]:
    """Python collects no garbage meanwhile, unless the test does.

    So a count of what is alive changes only by what the test makes and drops: the cycles that
    earlier tests left are neither freed between two counts, nor found there.
    """
    gc.collect()
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@contextmanager
def room(size: int) -> Iterator[None]:
    """Let the process take so many bytes more; what asks for more gets a MemoryError. On Linux."""
    pages = Path("/proc/self/statm")
    if not pages.exists():
        yield
        return
    import resource

    taken = int(pages.read_text().split()[0]) * resource.getpagesize()
    limit = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (taken + size, resource.RLIM_INFINITY))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limit)


def assert_near(found: Any, expected: Any, tolerance: float) -> None:
    """Two documents are the same, but for their floats, which differ by no more than that."""
    if isinstance(expected, dict):
        assert found.keys() == expected.keys()
        for name, value in expected.items():
            assert_near(found[name], value, tolerance)
    elif isinstance(expected, list):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            assert_near(one, other, tolerance)
    elif isinstance(expected, float):
        assert found == pytest.approx(expected, abs=tolerance)
    else:
        assert found == expected


def peak_of(run: Callable[[], Result], enough: int, most_runs: int = 20) -> tuple[Result, int]:
    """What a call gives, and the bytes that Python's objects and arrays take meanwhile at most.

    Those of all threads are counted, and what other threads do meanwhile can only add to them: a
    busy machine leaves much of OpenGL's thread for later. So it is the least of several calls, of
    which the last takes no more than is enough.
    """
    peaks: list[int] = []
    while True:
        tracemalloc.start()
        try:
            found = run()
            peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
        if peaks[-1] <= enough or len(peaks) == most_runs:
            return found, min(peaks)


def require_llvmlite() -> None:
    """Skip a test of generated kernels where nothing can compile them."""
    from core.backends.cpu.codegen.machine_code.cpu_features import compiler_version

    if compiler_version() is None:
        skip_or_fail("llvmlite, which compiles the kernels, is not installed")
