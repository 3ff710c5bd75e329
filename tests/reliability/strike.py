"""Lets signals raise at random times while something runs, and writes down what came of it.

    python -m tests.reliability.strike plans 100 1

Prints a JSON document; see `Report`.
"""

import gc
import json
import os
import random
import signal
import sys
import time
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, field
from threading import Thread
from typing import Any

from core.backends.cpu.numpy_steps import thread_pool
from core.backends.cpu.numpy_steps.blas import blas_threads
from tests.core.plan.plan_threads import leading
from tests.reliability.activities import ACTIVITIES, Activity
from tests.reliability.learning_activities import LEARNING

#: All that is struck, by name.
STRUCK = ACTIVITIES | LEARNING

#: How long what runs in another thread, with all locks free, may take.
MOST_SECONDS = 120

#: How long threads may take to end after the last run, on a busy machine.
REST_SECONDS = 120

#: A state counts once it was the same so often, at intervals of 0.2 s.
SAME_STATES = 5


class LateError(Exception):
    """As of a library that raises its own error after some time."""


class StopError(BaseException):
    """As KeyboardInterrupt."""


KINDS = (LateError, TimeoutError, StopError)


@dataclass
class Report:
    """What happened.

    Attributes:
        struck: signals whose exception came out.
        lost: those that Python printed, as they struck in a finaliser, from which none comes out.
        wrong: runs after one whose answer was another one.
        foreign: exceptions that came out in the place of the signal's.
        states: threads, open files and threads of OpenBLAS, before and after.
        opened: files that are open after, and were not before.
        hung: whether a run in another thread did not end.
    """

    struck: int = 0
    lost: int = 0
    wrong: int = 0
    foreign: list[str] = field(default_factory=list)
    states: list[dict[str, int]] = field(default_factory=list)
    opened: list[str] = field(default_factory=list)
    hung: bool = False


class Striker:
    """Interrupts an activity.

    Args:
        activity: runs in this thread, the main one.
        seed: of the times.
    """

    def __init__(self, activity: Activity, seed: int):
        self._activity, self._random, self.report = activity, random.Random(seed), Report()
        self._kind: type[BaseException] = LateError
        self._has_fired = False
        signal.signal(signal.SIGALRM, self._fire)
        sys.unraisablehook = self._lose

    def _fire(self, *_: Any) -> None:
        self._has_fired = True
        raise self._kind

    def _lose(self, lost: Any) -> None:
        self.report.lost += issubclass(lost.exc_type, KINDS)

    def run(self, count: int) -> None:
        """Interrupt it so many times, with the right answer after each."""
        start_pool()
        self._answer()
        expected = self._answer()
        seconds = min(self._seconds() for _ in range(3))
        self.report.states.append(settled())
        before = open_files()
        for number in range(count):
            self._strike(KINDS[number % len(KINDS)], seconds)
            self.report.wrong += self._activity.run() != expected
            if number % 50 == 0 or number == count - 1:
                self._check_other_thread(expected)
        self.report.states.append(self._state_at_rest())
        self.report.opened = [name for name in open_files() if name not in before]

    def _state_at_rest(self) -> dict[str, int]:
        """Once no more is left than before, or after some time: timers end by themselves."""
        end = time.monotonic() + REST_SECONDS
        while has_grown(self.report.states[0], found := state()) and time.monotonic() < end:
            time.sleep(0.1)
        return found

    def _answer(self) -> Any:
        self._activity.prepare()
        return self._activity.run()

    def _seconds(self) -> float:
        self._activity.prepare()
        started = time.perf_counter()
        self._activity.run()
        return time.perf_counter() - started

    def _strike(self, kind: type[BaseException], seconds: float) -> None:
        self._activity.prepare()
        self._kind, self._has_fired = kind, False
        delay = self._random.uniform(1e-5, 1.05 * seconds)
        try:
            signal.setitimer(signal.ITIMER_REAL, delay)
            self._activity.run()
            while not self._has_fired:
                time.sleep(1e-3)
        except kind as error:
            self.report.struck += error.args == ()
        except Exception as error:
            self.report.foreign.append(f"{kind.__name__}: {error!r:.200}")

    def _check_other_thread(self, expected: Any) -> None:
        found: list[Any] = []
        thread = Thread(target=lambda: found.append(self._activity.run()), daemon=True)
        thread.start()
        thread.join(MOST_SECONDS)
        self.report.hung |= thread.is_alive()
        self.report.wrong += found != [expected]


def start_pool() -> None:
    """Start the workers of plans and ops, which begin with the first work that is worth sharing.

    How long work takes decides that: on a busy machine it may be in the middle of the strikes.
    """
    with leading():
        thread_pool.ParallelTasks([[int]] * thread_pool.pool_threads())()


def settled() -> dict[str, int]:
    """The state once it does not change: what ended may have threads that are ending."""
    found, same, end = state(), 1, time.monotonic() + REST_SECONDS
    while same < SAME_STATES and time.monotonic() < end:
        time.sleep(0.2)
        before, found = found, state()
        same = same + 1 if found == before else 1
    return found


def has_grown(before: dict[str, int], after: dict[str, int]) -> bool:
    """Whether threads or files are left, or OpenBLAS has another number of threads.

    There may be fewer: a thread that had not ended when the first were counted.
    """
    setting = "threads of OpenBLAS"
    return before[setting] != after[setting] or any(after[key] > before[key] for key in before)


def open_files() -> list[str]:
    """The number and target of each open file, but for the one that lists them."""
    found = []
    for number in os.listdir("/proc/self/fd"):
        with suppress(FileNotFoundError):
            found.append(f"{number} {os.readlink(f'/proc/self/fd/{number}')}")
    return found


def state() -> dict[str, int]:
    """What is not to grow."""
    gc.collect()
    threads = blas_threads()
    return {
        "threads": len(os.listdir("/proc/self/task")),
        "files": len(os.listdir("/proc/self/fd")),
        "threads of OpenBLAS": 0 if threads is None else threads.get(),
    }


def main(name: str, count: str, seed: str) -> None:
    """Strike an activity, and print the report."""
    with ExitStack() as stack:
        striker = Striker(STRUCK[name](stack), int(seed))
        striker.run(int(count))
        print(json.dumps(asdict(striker.report)), flush=True)
        if striker.report.hung:
            os._exit(1)


if __name__ == "__main__":
    main(*sys.argv[1:])
