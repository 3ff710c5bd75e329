"""Forks children beside threads that are at work, and counts those that hang or fail.

    python -m tests.reliability.forking reading 300

Prints a JSON document: how many ended well, failed and hung.
"""

import json
import os
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from contextlib import ExitStack
from itertools import cycle
from threading import Event, Thread
from typing import Any

from tests.reliability.activities import ACTIVITIES, Activity

#: What goes on in the parent meanwhile, each in a thread of its own.
BESIDE = ("plans", "tasks", "planning", "ops", "images", "images")

#: What a child does, by what the test is called.
TASKS = {"running": ("plans", "tasks", "planning", "ops", "loops"), "reading": ("images",)}

#: A child that takes longer hangs: alone it takes half a second at most, on a busy machine many.
MOST_SECONDS = 300


def work(activity: Activity, end: Event) -> None:
    while not end.is_set():
        activity.run()


def child(task: Callable[[], Any], expected: Any) -> None:
    """Do it, and end the process."""
    status = 1
    try:
        status = 0 if task() == expected else 3
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


#: What a child of `forked` ends with where nothing ended it before.
ENDED = 7


def forked(task: Callable[[], object]) -> int:
    """Start a child that does something, and return its process."""
    process = os.fork()
    if process == 0:
        status = 1
        try:
            task()
            status = ENDED
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    return process


def outcome(process: int) -> str:
    """How a child ended."""
    end = time.monotonic() + MOST_SECONDS
    while time.monotonic() < end:
        found, status = os.waitpid(process, os.WNOHANG)
        if found:
            return "well" if status == 0 else "failed"
        time.sleep(1e-3)
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    return "hung"


def main(name: str, count: str) -> None:
    """Fork so many children, one after the other."""
    warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
    counts, end = {"well": 0, "failed": 0, "hung": 0}, Event()
    with ExitStack() as stack:
        made = {key: ACTIVITIES[key](stack) for key in {*BESIDE, *TASKS[name]}}
        tasks = [(made[key].run, made[key].run()) for key in TASKS[name]]
        threads = [Thread(target=work, args=(made[key], end)) for key in BESIDE]
        for thread in threads:
            thread.start()
        for number, (task, expected) in zip(range(int(count)), cycle(tasks), strict=False):
            time.sleep(0.003 * (number % 7))
            process = os.fork()
            if process == 0:
                child(task, expected)
            counts[outcome(process)] += 1
        end.set()
        for thread in threads:
            thread.join()
    print(json.dumps(counts))


if __name__ == "__main__":
    main(*sys.argv[1:])
