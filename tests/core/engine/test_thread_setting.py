"""The number of threads of the cpu backend, which the user chooses."""

import subprocess
import sys

import pytest

import core
from core.backends.cpu import threads
from core.backends.cpu.numpy_steps import blas, thread_pool
from core.errors import SettingError
from tests.core.plan.plan_threads import leading, one_blas_thread
from tests.helpers import PATIENCE, ROOT, skip_or_fail


@pytest.fixture(autouse=True)
def _as_before(monkeypatch):
    """Leave the setting, and OpenBLAS's, as they were."""
    library = blas.blas_threads()
    before = library and library.get()
    monkeypatch.setattr(threads, "_chosen", None)
    yield
    if library and before:
        library.set(before)


@pytest.mark.parametrize("count", [0, 9, -1, True, 2.0, "2", None, 10**9])
def test_a_number_that_makes_no_sense(count):
    before = core.get_threads()
    with pytest.raises(SettingError, match=r"from 1 to 8; get_threads\(\)") as caught:
        core.set_threads(count)
    assert f"set_threads({count!r})" in str(caught.value)
    assert core.get_threads() == before


def test_a_call_counts_more_than_the_variable(monkeypatch):
    monkeypatch.setattr(threads, "_requested_count", lambda: 5)
    assert core.get_threads() == 5 and threads.is_chosen()
    core.set_threads(3)
    assert core.get_threads() == threads.thread_count() == 3


def test_without_a_choice_it_follows_from_the_cpus(monkeypatch):
    monkeypatch.setattr(threads, "_requested_count", lambda: None)
    assert core.get_threads() == threads._cpu_count() and not threads.is_chosen()


def test_numpy_with_threads_of_its_own_gets_no_pool(monkeypatch):
    """Unless the user chose a number; generated code does not care."""
    monkeypatch.setattr(threads, "_requested_count", lambda: None)
    monkeypatch.setattr(threads, "_cpu_count", lambda: 4)
    monkeypatch.setattr(thread_pool, "blas_threads", lambda: None)
    assert (thread_pool.pool_threads(), core.get_threads()) == (1, 4)
    core.set_threads(2)
    assert (thread_pool.pool_threads(), core.get_threads()) == (2, 2)


def test_openblas_follows_also_after_runs():
    library = blas.blas_threads()
    if library is None:
        skip_or_fail("NumPy has another library for its products")
    assert library
    core.set_threads(2)
    assert library.get() == 2
    with one_blas_thread():
        core.set_threads(3)
        assert library.get() == 1
    assert library.get() == 3
    core.set_threads(1)
    assert library.get() == 1


def test_a_pool_that_has_started_follows(monkeypatch):
    """With fewer threads, workers that have started get no more tasks."""
    pool = thread_pool.ThreadPool()
    monkeypatch.setattr(thread_pool, "_pool", pool)
    woken: list[object] = []
    monkeypatch.setattr(thread_pool, "_wake", woken.append)
    for count in (3, 1, 2):
        core.set_threads(count)
        before = len(woken)
        with leading():
            thread_pool.ParallelTasks([[lambda: None]] * 8)()
        assert len(woken) - before <= count - 1
    assert pool._started == 2


def test_it_loads_no_library_before_it_is_used():
    text = "import sys, core; core.get_threads(); assert not {'llvmlite'} & {*sys.modules}"
    done = subprocess.run([sys.executable, "-c", text], cwd=ROOT, timeout=PATIENCE)
    assert done.returncode == 0
