"""Threads that help a plan: lanes of work that do not depend on each other run side by side.

The thread that runs the plan is the leader. It takes lanes like the others, and never waits for one
who has not begun a lane: on a busy machine it does them all. There is one team; a run that finds it
busy does its work alone.

A signal handler may raise in the leader after any call; in CPython, never between statements that
call nothing. So what must not come apart is written without calls, and nothing here depends on who
leads: two leaders would take helpers from each other, and do the lanes themselves.
"""

import os
from _thread import start_new_thread
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from itertools import count
from threading import Lock, get_ident
from time import monotonic, sleep

from core.backends.cpu.lowering.blas import blas_threads
from core.backends.cpu.numpy_state import begin_plans
from core.errors import SettingError

#: A call of NumPy, arguments and all: ``partial(np.add, a, b, out)``.
Work = Callable[[], object]

#: More threads than this gain little: they wait for memory.
MOST_THREADS = 8

#: Of the environment: how many threads a plan may use.
VARIABLE = "CORE_THREADS"

#: Of work in a lane; waking a thread takes some 10.
LEAST_MICROSECONDS = 40

#: How long a run that ends with an error waits for helpers to end their lanes.
MOST_SECONDS = 1.0


@cache
def thread_count() -> int:
    """How many threads a plan uses: one for each CPU, or what ``CORE_THREADS`` says."""
    given = os.environ.get(VARIABLE, "")
    if given:
        if not given.isdecimal() or not 1 <= int(given) <= MOST_THREADS:
            raise SettingError(f"{VARIABLE}={given!r} must be a number from 1 to {MOST_THREADS}")
        return int(given)
    if blas_threads() is None:
        return 1  # a library that shares out its products itself
    has_affinity = hasattr(os, "sched_getaffinity")
    cpus = len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count() or 1
    return min(cpus, MOST_THREADS)


def task_count(nanoseconds: float, most: int) -> int:
    """In how many lanes to do work that takes one thread about so long; ``most`` if it can be."""
    return max(1, min(thread_count(), most, int(nanoseconds / (1e3 * LEAST_MICROSECONDS))))


def cuts(length: int, lanes: int) -> list[slice]:
    """A range in as many parts, of almost the same length.

    >>> cuts(5, 2)
    [slice(0, 2, None), slice(2, 5, None)]
    """
    return [slice(length * i // lanes, length * (i + 1) // lanes) for i in range(lanes)]


class ParallelTasks:
    """Lists of work that do not depend on each other; together they are one work."""

    __slots__ = ("_lanes",)

    def __init__(self, lanes: Sequence[Sequence[Work]]):
        self._lanes = lanes

    def __call__(self) -> None:
        """Do it, with the team if the calling thread leads it."""
        team = _pool
        if team.leader == get_ident():
            team.run(self._lanes)
            return
        for lane in self._lanes:
            for work in lane:
                work()


def parallel(lanes: Sequence[Sequence[Work]]) -> list[Work]:
    """The work of lanes as a list: of one lane as it is."""
    return list(lanes[0]) if len(lanes) == 1 else [ParallelTasks(lanes)]


class _Job:
    """Lanes to be done, by whoever comes."""

    __slots__ = ("_begun", "_done", "_finished", "_lanes", "_most", "error")

    def __init__(self, lanes: Sequence[Sequence[Work]]):
        self._lanes, self._most = lanes, len(lanes)
        self._begun, self._finished = count(), count(1)
        self.error: BaseException | None = None
        self._done = Lock()
        self._done.acquire()

    def work(self) -> None:
        """Do lanes while there are any; counting is one atomic step."""
        lanes = self._lanes
        while (number := next(self._begun)) < self._most:
            for work in lanes[number]:
                work()
            if next(self._finished) == len(lanes):
                self._done.release()

    def wait(self) -> None:
        """Until all lanes are done; raises what a helper's raised."""
        self._done.acquire()
        if self.error is not None:
            raise self.error

    def stop(self) -> None:
        """Let nobody begin another lane."""
        self._most = 0

    def fail(self, error: BaseException) -> None:
        """Let the leader raise an error; a helper's call."""
        self.error = error
        self.stop()
        with suppress(RuntimeError):  # another helper's lane failed, too
            self._done.release()


class ThreadPool:
    """The leader and those who help; they start with the first job, and sleep in between.

    Attributes:
        leader: the thread that leads, by its number; whoever finds None may lead.
    """

    def __init__(self) -> None:
        self.leader: int | None = None
        self._started = 0
        self._alarms: list[Lock] = []  # of those who help
        self._at_work: list[Lock] = []  # of those who look for a job, or have one
        self._job: _Job | None = None

    def run(self, lanes: Sequence[Sequence[Work]]) -> None:
        """Do lanes; the leader's call. If it raises, helpers may be in a lane: see `rests`."""
        if self._started < thread_count() - 1:
            self._start()
        job = self._job = _Job(lanes)
        try:
            for alarm in self._alarms[: len(lanes) - 1]:
                if alarm.locked():  # else it has been woken, and has not come to look yet
                    _wake(alarm)
            job.work()
            job.wait()
        except BaseException:
            job.stop()
            raise
        finally:
            self._job = None

    def rests(self) -> bool:
        """Whether no helper works, after a while for those in a lane to end it."""
        self._job = None
        end = monotonic() + MOST_SECONDS
        while self._at_work:  # where a helper is before it looks for a job
            if monotonic() > end:
                return False
            sleep(1e-4)
        return True

    def _start(self) -> None:
        while self._started < thread_count() - 1:
            self._started += 1
            try:
                start_new_thread(self._help, ())  # one step, unlike the start of a Thread
            except RuntimeError:  # the system allows no more: who leads does the lanes
                return

    def _help(self) -> None:
        begin_plans()
        alarm = Lock()  # open: there is a job already
        self._alarms.append(alarm)
        while alarm.acquire():
            self._at_work.append(alarm)
            job = self._job
            if job is not None:
                try:
                    job.work()
                except BaseException as error:
                    job.fail(error)
            del job
            self._at_work.remove(alarm)


def _wake(alarm: Lock) -> None:
    with suppress(RuntimeError):  # another leader did
        alarm.release()


_pool = ThreadPool()


def current_pool() -> ThreadPool:
    """The one team of this process."""
    return _pool


def _after_fork() -> None:
    """The child of a fork has none of its parent's threads."""
    global _pool
    _pool = ThreadPool()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
