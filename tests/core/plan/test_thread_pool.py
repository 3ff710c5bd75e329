"""The threads that help a plan, and how many OpenBLAS has meanwhile."""

import os
import subprocess
import sys
from functools import partial
from threading import Event, Thread, get_ident

import numpy as np
import pytest

import core
from core.backends.cpu import threads
from core.backends.cpu.numpy_steps import blas, thread_pool
from core.errors import CoreError
from core.graph.nodes import Endpoint, Graph, Node, PartialSpec
from core.graph_model.graph_model import GraphModel
from tests.core.plan.plan_threads import leading, one_blas_thread
from tests.helpers import PATIENCE, ROOT, skip_or_fail


@pytest.fixture
def three(monkeypatch):
    """A separate pool of three threads."""
    monkeypatch.setattr(thread_pool, "thread_count", lambda: 3)
    monkeypatch.setattr(thread_pool, "_pool", thread_pool.ThreadPool())


@pytest.fixture
def openblas():
    threads = blas.blas_threads()
    if threads is None:
        skip_or_fail("NumPy has another library for its products")
    before = threads.get()
    yield threads
    threads.set(before)


def test_parallel_tasks_equal_sequential_ones(three, rng):
    a, b = (rng.standard_normal((300, 500)).astype(np.float32) for _ in "ab")
    alone, shared = np.empty_like(a), np.empty_like(a)
    parts = thread_pool.cuts(300, 3)
    for out in (alone, shared):
        tasks = [
            [partial(np.add, a[p], b[p], out[p]), partial(np.multiply, out[p], a[p], out[p])]
            for p in parts
        ]
        (work,) = thread_pool.parallel(tasks)
        if out is shared:
            with leading():
                for _ in range(200):
                    work()
        else:
            work()
    np.testing.assert_array_equal(alone, shared)


def test_others_take_tasks_while_the_caller_is_in_one(three):
    """Each task waits for the others to begin: no thread alone would come to an end."""
    begun, seen = [Event() for _ in range(3)], set()

    def task(number):
        begun[number].set()
        seen.add(get_ident())
        assert all(other.wait(PATIENCE) for other in begun)

    with leading():
        thread_pool.ParallelTasks([[partial(task, number)] for number in range(3)])()
    assert len(seen) == 3


def test_the_caller_does_what_nobody_takes(three, monkeypatch):
    """As on a busy machine, where the others are not running."""
    monkeypatch.setattr(thread_pool._pool, "_start", lambda: None)
    seen = []
    with leading():
        thread_pool.ParallelTasks([[partial(seen.append, number)] for number in range(5)])()
    assert seen == [0, 1, 2, 3, 4]


def test_a_second_caller_runs_alone(three):
    threads, found = [], []

    def run():
        with leading():
            thread_pool.ParallelTasks([[lambda: found.append(get_ident())]] * 3)()

    with leading():
        threads.append(Thread(target=run))
        threads[0].start()
        threads[0].join()
    assert len(set(found)) == 1 and len(found) == 3


def test_an_error_in_a_task_reaches_the_caller_and_the_pool_goes_on(three):
    def fail():
        raise ValueError("index 7")

    done = []
    with leading():
        for tasks in ([[fail], [], []], [[], [], [fail]]):
            with pytest.raises(ValueError, match="index 7"):
                thread_pool.ParallelTasks(tasks)()
        thread_pool.ParallelTasks([[partial(done.append, 1)]] * 3)()
    assert done == [1, 1, 1]


@pytest.mark.parametrize("given", ["0", "9", "two", "-1"])
def test_invalid_number_of_threads(given, monkeypatch):
    monkeypatch.setenv("CORE_THREADS", given)
    with pytest.raises(CoreError, match=f"CORE_THREADS={given!r} must be a number from 1 to 8"):
        threads._requested_count.__wrapped__()


def test_invalid_thread_count_raises_instead_of_running_eagerly(monkeypatch):
    monkeypatch.setenv("CORE_THREADS", "99")
    monkeypatch.setattr(threads, "_requested_count", threads._requested_count.__wrapped__)
    monkeypatch.setattr(threads, "_chosen", None)  # earlier tests may have chosen a number
    x = Endpoint("x", PartialSpec((None, 4)))
    graph = Graph([Node("x", "Placeholder"), Node("y", "Relu", ("x",))], {}, {"x": x}, {"y": x})
    model = GraphModel(graph._replace(outputs={"y": x._replace(node="y")}))
    with pytest.raises(CoreError, match="CORE_THREADS='99'"):
        model.predict(np.ones((1, 4), np.float32))


def test_the_number_of_threads_may_be_given(monkeypatch):
    monkeypatch.setenv("CORE_THREADS", "3")
    monkeypatch.setattr(threads, "_requested_count", threads._requested_count.__wrapped__)
    monkeypatch.setattr(threads, "_chosen", None)  # earlier tests may have chosen a number
    assert threads.thread_count() == core.get_threads() == 3


@pytest.mark.parametrize("length, tasks", [(5, 2), (3, 3), (100, 7)])
def test_cuts_cover_all(length, tasks):
    parts = thread_pool.cuts(length, tasks)
    assert [i for p in parts for i in range(p.start, p.stop)] == [*range(length)]
    assert {p.stop - p.start for p in parts} <= {length // tasks, -(-length // tasks)}


def test_openblas_has_one_thread_during_runs_and_all_after(openblas):
    openblas.set(2)
    with pytest.raises(ZeroDivisionError), one_blas_thread():
        assert openblas.get() == 1
        with one_blas_thread():
            assert openblas.get() == 1
        assert openblas.get() == 1
        raise ZeroDivisionError
    assert openblas.get() == 2


FORKED = """
import os, sys, warnings
import numpy as np
from core.backends.cpu.numpy_steps import blas, thread_pool
from tests.core.plan.plan_threads import leading, one_blas_thread
warnings.simplefilter("ignore")  # of forks of programs with threads
thread_pool.thread_count = lambda: 2
out = []
def run():
    with one_blas_thread(), leading():
        thread_pool.ParallelTasks([[lambda: out.append(1)]] * 2)()
run()
with one_blas_thread(), leading():
    child = os.fork()
    if child == 0:
        run()
        threads = blas.blas_threads()
        os._exit(0 if len(out) == 4 and (threads is None or threads.get() >= 1) else 1)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_child_has_a_pool_of_its_own():
    done = subprocess.run(
        [sys.executable, "-c", FORKED], timeout=300, capture_output=True, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr
