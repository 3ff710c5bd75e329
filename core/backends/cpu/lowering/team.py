"""Threads that help a plan: lanes of work that do not depend on each other run side by side.

The thread that runs the plan is the leader. It takes lanes like the others, and never waits for one
who has not begun a lane: on a busy machine it does them all. There is one team; a run that finds it
busy does its work alone.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from itertools import count
from threading import Lock, Thread, get_ident

from core.backends.cpu import running_plans
from core.backends.cpu.lowering.blas import blas_threads
from core.errors import SettingError

#: A call of NumPy, arguments and all: ``partial(np.add, a, b, out)``.
Work = Callable[[], object]

#: More threads than this gain little: they wait for memory.
MOST_THREADS = 8

#: Of the environment: how many threads a plan may use.
VARIABLE = "CORE_THREADS"

#: Of work in a lane; waking a thread takes some 10.
LEAST_MICROSECONDS = 40


@cache
def team_size() -> int:
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


def lane_count(nanoseconds: float, most: int) -> int:
    """In how many lanes to do work that takes one thread about so long; ``most`` if it can be."""
    return max(1, min(team_size(), most, int(nanoseconds / (1e3 * LEAST_MICROSECONDS))))


def cuts(length: int, lanes: int) -> list[slice]:
    """A range in as many parts, of almost the same length.

    >>> cuts(5, 2)
    [slice(0, 2, None), slice(2, 5, None)]
    """
    return [slice(length * i // lanes, length * (i + 1) // lanes) for i in range(lanes)]


class Lanes:
    """Lists of work that do not depend on each other; together they are one work."""

    __slots__ = ("_lanes",)

    def __init__(self, lanes: Sequence[Sequence[Work]]):
        self._lanes = lanes

    def __call__(self) -> None:
        """Do it, with the team if the calling thread leads it."""
        team = _TEAM
        if team.leader == get_ident():
            team.run(self._lanes)
            return
        for lane in self._lanes:
            for work in lane:
                work()


def side_by_side(lanes: Sequence[Sequence[Work]]) -> list[Work]:
    """The work of lanes as a list: of one lane as it is."""
    return list(lanes[0]) if len(lanes) == 1 else [Lanes(lanes)]


class _Job:
    """Lanes to be done, by whoever comes."""

    __slots__ = ("_begun", "_done", "_finished", "_lanes", "error")

    def __init__(self, lanes: Sequence[Sequence[Work]]):
        self._lanes, self._begun, self._finished = lanes, count(), count(1)
        self.error: BaseException | None = None
        self._done = Lock()
        self._done.acquire()

    def work(self) -> None:
        """Do lanes while there are any; counting is one atomic step."""
        lanes = self._lanes
        while (number := next(self._begun)) < len(lanes):
            try:
                for work in lanes[number]:
                    work()
            except BaseException as error:
                self.error = error
            if next(self._finished) == len(lanes):
                self._done.release()

    def wait(self) -> None:
        """Until those who began a lane have done it."""
        self._done.acquire()
        if self.error is not None:
            raise self.error


class _Team:
    """The leader and those who help; they start with the first job, and sleep in between."""

    def __init__(self) -> None:
        self.leader: int | None = None
        self._leading = Lock()
        self._alarms: list[Lock] = []
        self._job: _Job | None = None

    @contextmanager
    def led(self) -> Iterator[None]:
        """Lead the team inside, unless another thread does."""
        leads = self._leading.acquire(blocking=False)
        if leads:
            self.leader = get_ident()
        try:
            yield
        finally:
            if leads:
                self.leader = None
                self._leading.release()

    def run(self, lanes: Sequence[Sequence[Work]]) -> None:
        """Do lanes; the leader's call."""
        if len(self._alarms) < team_size() - 1:
            self._start()
        job = self._job = _Job(lanes)
        for alarm in self._alarms[: len(lanes) - 1]:
            if alarm.locked():  # else it has been woken, and has not come to look yet
                alarm.release()
        job.work()
        try:
            job.wait()
        finally:
            self._job = None

    def _start(self) -> None:
        for number in range(len(self._alarms), team_size() - 1):
            alarm = Lock()
            alarm.acquire()
            self._alarms.append(alarm)
            Thread(target=self._help, args=(alarm,), name=f"plan-{number}", daemon=True).start()

    def _help(self, alarm: Lock) -> None:
        with running_plans():
            while alarm.acquire():
                job = self._job
                if job is not None:
                    job.work()
                    del job


_TEAM = _Team()


def led_team() -> AbstractContextManager[None]:
    """Lead the team inside, unless another thread does."""
    return _TEAM.led()


def _after_fork() -> None:
    """The child of a fork has none of its parent's threads."""
    global _TEAM
    _TEAM = _Team()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
