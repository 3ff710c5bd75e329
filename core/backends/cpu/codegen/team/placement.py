"""Keeps the workers of a thread team off the CPU on which the caller of a run is.

Linux often wakes a worker on the CPU of the thread that wakes it. That thread computes there, and
spins until the worker is done: the run takes as long as with one thread, and so do the next ones
while both stay (on 2 CPUs 2.1 ms instead of 1.1 for `selfie.base`, in some processes to their end).
"""

import ctypes
import os
import sys
from _thread import get_native_id
from collections.abc import Callable
from contextlib import suppress

_library = ctypes.PyDLL(None) if sys.platform.startswith("linux") else None

#: Number of the calling thread's CPU; -1: unknown. It keeps the GIL, which takes longer to release.
_current_cpu: Callable[[], int] = getattr(_library, "sched_getcpu", lambda: -1)


class Placement:
    """The CPUs on which the workers of a team may run.

    Attributes:
        avoided: the CPU of the last caller; -1 before the first one, and for new workers.
    """

    def __init__(self) -> None:
        self.avoided = -1
        self._workers: list[int] = []

    def work(self, function: Callable[..., None], *arguments: int) -> None:
        """Do the work of a worker, in its own thread, to its end."""
        thread = get_native_id()
        self._workers.append(thread)
        self.avoided = -1
        try:
            function(*arguments)
        finally:
            self._workers.remove(thread)

    def keep_apart(self, threads: int) -> None:
        """Move the workers to other CPUs than that of the calling thread, unless they are.

        Args:
            threads: how many threads share a run, this one included. If there are not as many
                CPUs, the workers stay where they are.
        """
        cpu = _current_cpu()
        if cpu == self.avoided:
            return
        self.avoided = cpu
        with suppress(OSError):  # a sandbox forbids it
            others = os.sched_getaffinity(0) - {cpu}
            if cpu >= 0 and len(others) >= threads - 1:
                for worker in [*self._workers]:
                    os.sched_setaffinity(worker, others)
