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
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from threading import Thread
from typing import Any

from core.backends.cpu.numpy_steps.blas import blas_threads
from tests.reliability.activities import ACTIVITIES, Activity

#: How long what runs in another thread, with all locks free, may take.
MOST_SECONDS = 60

#: How long threads may take to end after the last run.
REST_SECONDS = 10


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
        hung: whether a run in another thread did not end.
    """

    struck: int = 0
    lost: int = 0
    wrong: int = 0
    foreign: list[str] = field(default_factory=list)
    states: list[dict[str, int]] = field(default_factory=list)
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
        self._answer()
        expected = self._answer()
        seconds = min(self._seconds() for _ in range(3))
        self.report.states.append(settled())
        for number in range(count):
            self._strike(KINDS[number % len(KINDS)], seconds)
            self.report.wrong += self._activity.run() != expected
            if number % 50 == 0 or number == count - 1:
                self._check_other_thread(expected)
        self.report.states.append(self._state_at_rest())

    def _state_at_rest(self) -> dict[str, int]:
        """Once it is as before, or after some time: timers end by themselves."""
        end = time.monotonic() + REST_SECONDS
        while (found := state()) != self.report.states[0] and time.monotonic() < end:
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


def settled() -> dict[str, int]:
    """The state once it does not change: what ended may have threads that are ending."""
    found, end = state(), time.monotonic() + REST_SECONDS
    while time.monotonic() < end:
        time.sleep(0.2)
        before, found = found, state()
        if found == before:
            break
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
        striker = Striker(ACTIVITIES[name](stack), int(seed))
        striker.run(int(count))
        print(json.dumps(asdict(striker.report)), flush=True)
        if striker.report.hung:
            os._exit(1)


if __name__ == "__main__":
    main(*sys.argv[1:])
