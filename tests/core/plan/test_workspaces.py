"""Who may work in the memory of a run that ended with an error."""

from functools import partial
from threading import Event

import numpy as np
import pytest

import core
from core.backends.cpu.numpy_steps import cpu_executable, thread_pool
from core.backends.cpu.numpy_steps.workspaces import Workspace, Workspaces
from core.engine.run_guard import Guard, guarded
from tests.reliability.activities import convolutions, numbers


class LateError(Exception):
    """As a signal handler raises it."""


@pytest.fixture
def two(monkeypatch):
    """A separate pool of two threads."""
    monkeypatch.setattr(thread_pool, "thread_count", lambda: 2)
    monkeypatch.setattr(thread_pool, "_pool", thread_pool.ThreadPool())


def two_tasks(begun: Event, go_on: Event, written: np.ndarray) -> thread_pool.ParallelTasks:
    """The caller is interrupted while the worker is in its task, and will write later."""

    def task() -> None:
        if thread_pool.current_pool().caller == thread_pool.get_ident():
            assert begun.wait(60)
            raise LateError
        begun.set()
        assert go_on.wait(60)
        written[:] = 1

    return thread_pool.ParallelTasks([[task], [task]])


@pytest.mark.parametrize("is_late", [True, False])
def test_a_workspace_is_reused_only_when_workers_are_idle(two, monkeypatch, is_late):
    """Else the next run would share a workspace to which a worker might still write."""
    monkeypatch.setattr(thread_pool, "MOST_SECONDS", 0.05 if is_late else 60)
    workspaces, written = Workspaces(), np.zeros(3)
    begun, go_on = Event(), Event()

    def do(workspace: Workspace) -> None:
        if not is_late:
            rests = thread_pool.current_pool().rests
            monkeypatch.setattr(
                thread_pool.ThreadPool, "rests", lambda _: (go_on.set(), rests())[1]
            )
        two_tasks(begun, go_on, written)()

    with pytest.raises(LateError):
        workspaces.run(partial(Workspace, np.zeros(0), [], [], [], []), do)
    assert len(workspaces) == (not is_late)
    assert written.any() != is_late
    go_on.set()
    monkeypatch.setattr(thread_pool, "MOST_SECONDS", 60)
    assert thread_pool.current_pool().rests() and written.all()


def test_an_error_in_a_run_keeps_the_workspace():
    workspaces = Workspaces()

    def fail(workspace: Workspace) -> None:
        raise LateError

    for _ in range(3):
        with pytest.raises(LateError):
            workspaces.run(partial(Workspace, np.zeros(0), [], [], [], []), fail)
    assert workspaces.made == len(workspaces) == 1


def test_a_plan_that_is_too_large_names_its_largest_value(monkeypatch):
    graph, x = convolutions(), numbers(1, 8, 8, 16)
    executable = graph.plan(x)._executable
    executable.keep_idle(0)

    def refused(size: int) -> np.ndarray:
        raise MemoryError

    monkeypatch.setattr(cpu_executable, "aligned_bytes", refused)
    text = rf"need {executable.arena_bytes:,} bytes at the same time, of which '\w+' takes [\d,]+"
    with pytest.raises(core.CoreError, match=text + ", which this process cannot get"):
        executable.run([x])
    monkeypatch.undo()
    few = guarded(Guard(core.Limits(run_bytes=100)))
    with few, pytest.raises(core.LimitError, match=text + ", the limit run_bytes is 100"):
        executable.run([x])
    assert executable.run([x])[0].tobytes() == graph.predict(x)["r3"].numpy().tobytes()


def test_more_bytes_than_an_array_may_have():
    for size in (2**62, 2**63, 2**70):
        with pytest.raises((MemoryError, ValueError)):
            cpu_executable.aligned_bytes(size)
