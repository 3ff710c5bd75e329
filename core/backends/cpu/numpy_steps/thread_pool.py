"""The thread pool of plans: tasks that do not depend on each other run in parallel.

The thread that runs the plan, the caller, takes tasks like the workers, and never waits for a
worker that has not begun a task: on a busy machine the caller runs all of them. There is one pool;
a run that finds the pool in use runs its tasks alone.

A signal handler may raise in the caller after any call; in CPython, never between statements that
call nothing. So statements that belong together contain no calls, and nothing here depends on which
thread is the caller: two callers would compete for workers, and run the tasks themselves.
"""

import os
from _thread import start_new_thread
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import count
from threading import Lock, get_ident
from time import monotonic, sleep

from core.backends.cpu.numpy_state import begin_plans
from core.backends.cpu.numpy_steps.blas import blas_threads
from core.backends.cpu.threads import is_chosen, thread_count

#: A call of NumPy, arguments and all: ``partial(np.add, a, b, out)``.
Work = Callable[[], object]

#: Least duration of a task; waking a thread takes some 10.
LEAST_MICROSECONDS = 40

#: Longest wait for workers to end their tasks when a run ends with an error.
MOST_SECONDS = 1.0


def pool_threads() -> int:
    """Return the number of threads of the pool, at most `thread_count`.

    It is one where NumPy's products have threads that cannot be limited, unless the user chose it.
    """
    return 1 if blas_threads() is None and not is_chosen() else thread_count()


def task_count(nanoseconds: float, most: int) -> int:
    """Return the number of tasks for work of a duration in one thread, at most ``most``."""
    return max(1, min(pool_threads(), most, int(nanoseconds / (1e3 * LEAST_MICROSECONDS))))


def cuts(length: int, tasks: int) -> list[slice]:
    """Split a range into parts of almost equal length.

    >>> cuts(5, 2)
    [slice(0, 2, None), slice(2, 5, None)]
    """
    return [slice(length * i // tasks, length * (i + 1) // tasks) for i in range(tasks)]


class ParallelTasks:
    """Lists of calls that do not depend on each other, as one call."""

    __slots__ = ("tasks",)

    def __init__(self, tasks: Sequence[Sequence[Work]]):
        self.tasks = tasks

    def __call__(self) -> None:
        """Run the tasks, with the pool if the current thread is its caller."""
        pool = _pool
        if pool.caller == get_ident():
            pool.run(self.tasks, pool_threads())
            return
        for task in self.tasks:
            for work in task:
                work()


def parallel(tasks: Sequence[Sequence[Work]]) -> list[Work]:
    """Return the tasks as a list of one call; a single task as its calls."""
    return list(tasks[0]) if len(tasks) == 1 else [ParallelTasks(tasks)]


class _Job:
    """Tasks to run, which any thread may take."""

    __slots__ = ("_begun", "_done", "_finished", "_tasks", "_most", "error")

    def __init__(self, tasks: Sequence[Sequence[Work]]):
        self._tasks, self._most = tasks, len(tasks)
        self._begun, self._finished = count(), count(1)
        self.error: BaseException | None = None
        self._done = Lock()
        self._done.acquire()

    def work(self) -> None:
        """Run tasks while there are any; counting is one atomic step."""
        tasks = self._tasks
        while (number := next(self._begun)) < self._most:
            for work in tasks[number]:
                work()
            if next(self._finished) == len(tasks):
                self._done.release()

    def wait(self) -> None:
        """Wait until all tasks have ended; raise the error of a worker's task."""
        self._done.acquire()
        if self.error is not None:
            raise self.error

    def stop(self) -> None:
        """Prevent threads from starting another task."""
        self._most = 0

    def fail(self, error: BaseException) -> None:
        """Store an error of a worker, which the caller raises."""
        self.error = error
        self.stop()
        with suppress(RuntimeError):  # another worker's task failed, too
            self._done.release()


class ThreadPool:
    """The caller and the workers, which start with the first job and sleep between jobs.

    Attributes:
        caller: number of the thread that uses the pool; a thread that finds None may become it.
    """

    def __init__(self) -> None:
        self.caller: int | None = None
        self._started = 0
        self._wake_locks: list[Lock] = []  # one for each worker
        self._at_work: list[Lock] = []  # those of workers that look for a job or run one
        self._job: _Job | None = None

    def run(self, tasks: Sequence[Sequence[Work]], threads: int) -> None:
        """Run tasks, in the caller and in workers: in this number of threads at most.

        If it raises, workers may still run a task: see `rests`.
        """
        if self._started < threads - 1:
            self._start()
        job = self._job = _Job(tasks)
        try:
            for wake_lock in self._wake_locks[: min(len(tasks), threads) - 1]:
                if wake_lock.locked():  # else its worker is awake, and will look for the job
                    _wake(wake_lock)
            job.work()
            job.wait()
        except BaseException:
            job.stop()
            raise
        finally:
            self._job = None

    def rests(self) -> bool:
        """Wait a while for workers to end their tasks; return whether all are idle."""
        self._job = None
        end = monotonic() + MOST_SECONDS
        while self._at_work:  # a worker is added before it looks for a job
            if monotonic() > end:
                return False
            sleep(1e-4)
        return True

    def _start(self) -> None:
        while self._started < pool_threads() - 1:
            self._started += 1
            try:
                start_new_thread(self._work, ())  # one step, unlike the start of a Thread
            except RuntimeError:  # no more threads allowed: the caller runs the tasks
                return

    def _work(self) -> None:
        begin_plans()
        wake_lock = Lock()  # open: there is a job already
        self._wake_locks.append(wake_lock)
        while wake_lock.acquire():
            self._at_work.append(wake_lock)
            job = self._job
            if job is not None:
                try:
                    job.work()
                except BaseException as error:
                    job.fail(error)
            del job
            self._at_work.remove(wake_lock)


def _wake(wake_lock: Lock) -> None:
    with suppress(RuntimeError):  # another caller released it
        wake_lock.release()


_pool = ThreadPool()


def current_pool() -> ThreadPool:
    """Return the thread pool of this process."""
    return _pool


def _after_fork() -> None:
    """Make a new pool in the child of a fork, which has none of its parent's threads."""
    global _pool
    _pool = ThreadPool()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
