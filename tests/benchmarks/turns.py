"""Runtimes in processes of their own that have turns, one while all others are stopped.

A turn is a call that does not count, and then calls for `TURN_MS`. Threads that spin while they
wait would take the cores from the next runtime: so processes are stopped (SIGSTOP) but the one
whose turn it is. On Linux a turn is repeated while others disturb it, which is if its threads
waited for a processor for more than `MOST_WAITING` of the time.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter, sleep
from typing import Any, NamedTuple

import numpy as np

from core.backends.cpu.threads import VARIABLE as PLAN_THREADS
from zoo.cli.blas_kernels import KERNELS, VARIABLE, is_misjudged, kernels_in_use

ROOT = Path(__file__).resolve().parent.parent.parent

#: Milliseconds that calls of one turn take together, and how many there are at least.
TURN_MS, LEAST_CALLS = 60, 3

#: How much of a turn its threads may have waited for a processor, and how often it is tried.
MOST_WAITING, TRIES = 0.03, 8


class Turn(NamedTuple):
    """Milliseconds of each call, and how much of all that threads waited for a processor."""

    calls: list[float]
    waiting: float


def turn(run: Callable[[], Any]) -> Turn:
    """Call it until the time is over."""
    run()
    calls: list[float] = []
    before = waited_ms()
    while len(calls) < LEAST_CALLS or sum(calls) < TURN_MS:
        started = perf_counter()
        run()
        calls.append(1e3 * (perf_counter() - started))
    return Turn(calls, (waited_ms() - before) / sum(calls))


def waited_ms() -> float:
    """How long the threads of this process were ready to run and did not, all together."""
    files = Path("/proc/self/task").glob("*/schedstat")  # none but on Linux
    return sum(int(file.read_text().split()[1]) for file in files) / 1e6


def serve_turns(run: Callable[[], Any]) -> None:
    """Say that the output is written; then for each line of input time a turn."""
    print(json.dumps(kernels_in_use()), flush=True)
    for _ in sys.stdin:
        print(json.dumps(turn(run)), flush=True)


class Side:
    """A process that serves one runtime, stopped while others have their turn.

    Args:
        module: the module that calls `serve_turns`, and its arguments.
        threads: how many plans and OpenBLAS may use in that process.
        output: the file that it writes.
    """

    def __init__(self, module: Sequence[str], threads: int, output: Path):
        self._output = output
        world = {**os.environ, PLAN_THREADS: str(threads), "OPENBLAS_NUM_THREADS": str(threads)}
        if is_misjudged():
            world.setdefault(VARIABLE, KERNELS)  # as the zoo command does
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            [sys.executable, "-m", *module],
            env=world, cwd=ROOT, stdin=pipe, stdout=pipe, text=True,
        )  # fmt: skip
        self.kernels = self._answer()
        self._process.send_signal(signal.SIGSTOP)

    @property
    def output(self) -> np.ndarray:
        """What it made of the input."""
        return np.load(self._output)

    def turn(self, tries: int = TRIES) -> Turn:
        """A turn that was not disturbed, or else the one of so many that was least."""
        found: list[Turn] = []
        while len(found) < tries and all(turn.waiting > MOST_WAITING for turn in found):
            sleep(0.1 * len(found))
            self._process.send_signal(signal.SIGCONT)
            self._process.stdin.write("go\n")
            self._process.stdin.flush()
            found.append(Turn(*self._answer()))
            self._process.send_signal(signal.SIGSTOP)
        return min(found, key=lambda turn: turn.waiting)

    def close(self) -> None:
        """End the process."""
        self._process.send_signal(signal.SIGCONT)
        self._process.communicate()

    def _answer(self) -> Any:
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"a runtime ended: {self._process.args}")
        return json.loads(line)
