"""The next run of a command: a process in the background compiles the kernels that this one missed.

It does what the command did, with the same arguments and pixels and generated kernels, and prints
nothing. It holds none of the command's streams: whoever reads its output to the end waits for the
command alone. A command starts one again after ten minutes at the earliest, so that one that fails
costs little.

``ZOO_COMPILE=0`` turns it off.
"""

import argparse
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from typing import Any

import numpy as np

from core.backends.cpu import single_runs
from core.process import code_cache
from weights_cache.child_processes import python_command, python_environment
from weights_cache.common.errors import ZooError
from weights_cache.common.messages import is_read_by_people
from zoo.cli.terminal import complain
from zoo.pipeline.model_cache import kept_names

VARIABLE = "ZOO_COMPILE"

#: Images from which on a command gains by generated kernels what it takes to look for them.
_MANY = 100

#: Seconds after which a command may start a process again.
_PAUSE = 600.0

#: Seconds that a process takes beside compiling, about.
_SECONDS_MORE = 1.0

_CODE = "from zoo.cli.background_run import main\nmain()"


class NextRun:
    """The kernels that a command leaves to be compiled after its answer is printed.

    Args:
        given: arguments of the command, with its ``words``.
    """

    def __init__(self, given: argparse.Namespace):
        self._given = given
        self._pixels: Any = None
        self._missed = 0

    def note(self, pixels: Any) -> None:
        """Take note of an image on which the command has run."""
        if single_runs.is_single() and single_runs.missed() > self._missed:
            self._missed, self._pixels = single_runs.missed(), pixels

    def compile(self) -> None:
        """Start to compile what was missed, if later processes can find it."""
        if self._pixels is None or not (is_allowed() and self._begins()):
            return
        with suppress(OSError, ZooError):
            _start(self._given.words, self._pixels)
            if is_read_by_people():
                names = " and ".join(kept_names())
                seconds = _SECONDS_MORE + single_runs.SECONDS_EACH * self._missed
                complain(
                    f"{names} is compiled in the background, once, which takes some {seconds:.0f} "
                    f"s: later runs take less time ({VARIABLE}=0 turns this off)"
                )

    def _begins(self) -> bool:
        """Return whether the command is to start a process now, and note that it does."""
        others = [word for word in self._given.words if word not in self._given.images]
        key = code_cache.key_of("next run", *others)
        now = time.time()
        last = code_cache.load(key)
        if last is not None and 0 <= now - float(last) < _PAUSE:
            return False
        stamp = str(now).encode()
        code_cache.keep(key, stamp)
        return code_cache.load(key) == stamp  # else the disk is full, or cannot be written to


@contextmanager
def next_run(given: argparse.Namespace, count: int) -> Iterator[NextRun]:
    """Let a command on few images run by kernels that are there, and yield what it leaves.

    Args:
        given: see `NextRun`.
        count: number of its images.
    """
    with single_runs.single_run() if count < _MANY else nullcontext():
        yield NextRun(given)


def is_allowed() -> bool:
    """Return whether ``ZOO_COMPILE`` lets commands compile in the background."""
    return os.environ.get(VARIABLE) != "0"


def _start(words: list[str], pixels: Any) -> None:
    # Both take a while, and most runs start nothing.
    import subprocess
    from tempfile import TemporaryFile

    with TemporaryFile() as task:
        task.write(json.dumps(words).encode() + b"\n")
        np.save(task, np.asarray(pixels), allow_pickle=False)
        task.seek(0)
        started = subprocess.Popen(
            python_command(_CODE),
            stdin=task,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**python_environment(), "ZOO_OFFLINE": "1"},
            start_new_session=True,
        )
    started.returncode = 0  # nobody waits for it, which Python would warn of
