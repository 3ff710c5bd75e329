"""Kills processes that save over an older version, and looks at what is left.

    python -m tests.reliability.kills random 300 1

Prints a JSON document: by what is saved, how many kills there were, how often the old and the new
version were found, and what else was.
"""

import json
import os
import random
import signal
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import Any

from tests.reliability.forking import ENDED, forked
from tests.reliability.killed_fits import ENDINGS, Training
from tests.reliability.saves import SAVES, Save

#: Events of Python's audit that come before something changes on disk.
CHANGES = {
    *("os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "shutil.rmtree"),
    "ctypes.dlopen",  # before two folders are exchanged
}


class Trial:
    """A save, in a folder of its own, with the answers of both versions."""

    def __init__(self, save: Save, stack: ExitStack):
        self._save = save
        self._folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        self.path = self._folder / save.name
        self.answers = []
        for write in save.versions:
            write(self.path)
            self.answers.append(save.read(self.path))
        assert self.answers[0] != self.answers[1]
        self.found: Counter[str] = Counter()

    def write(self, version: int) -> None:
        self._save.versions[version](self.path)

    def look(self) -> None:
        """Count what is there: the first or the second version, or an error."""
        try:
            answer = self._save.read(self.path)
        except Exception as error:
            self.found[f"{type(error).__name__}: {error!s:.300}"] += 1
            return
        old, new = self.answers
        parts = [version[: len(answer)] for version in self.answers] if self._save.has_parts else []
        if self._save.unlabelled and answer in map(self._save.unlabelled, self.answers):
            self.found["without labels"] += 1
        elif answer in (old, new) or (answer and answer in parts):
            self.found["old" if answer == old else "new"] += 1
        else:
            self.found["another answer"] += 1


def at_random(trial: Trial, kills: int, seed: int) -> None:
    """Kill a child so many times while it saves one version over the other, again and again."""
    delays = random.Random(seed)
    started = time.perf_counter()
    trial.write(0)
    seconds = time.perf_counter() - started

    begun, begin = os.pipe()

    def save_on() -> None:
        os.write(begin, b".")
        for number in count(1):
            trial.write(number % 2)

    for _ in range(kills):
        process = forked(save_on)
        os.read(begun, 1)
        time.sleep(delays.uniform(0, 4 * seconds))
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        trial.look()
    os.close(begun)
    os.close(begin)


def at_each_change(trial: Trial) -> None:
    """Kill a child before each change on disk of a save, in turn."""
    for place in count():
        trial.write(0)
        process = forked(lambda place=place: killed_at(place, lambda: trial.write(1)))
        _, status = os.waitpid(process, 0)
        trial.look()
        if os.WIFEXITED(status):
            assert os.WEXITSTATUS(status) == ENDED
            return


def killed_at(place: int, task: Callable[[], object]) -> None:
    """Do something, and kill this process before the change of a number."""
    changes = count()

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        is_made = event == "open" and isinstance(arguments[2], int) and arguments[2] & os.O_CREAT
        if (event in CHANGES or is_made) and next(changes) == place:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)
    task()


#: What is killed at random: all saves, and trainings with checkpoints.
KILLED = (*SAVES, *(f"checkpoints {ending}" for ending in ENDINGS))


def killed_at_random(name: str, kills: int, seed: int) -> dict[str, int]:
    """Return what was found after so many kills."""
    with ExitStack() as stack:
        if name not in SAVES:
            return Training(name.split()[1], stack).killed(kills, seed)
        trial = Trial(SAVES[name](stack), stack)
        at_random(trial, kills, seed)
        return dict(trial.found)


def killed_at_each_change(name: str) -> dict[str, int]:
    """Return what was found after kills before each change of a save."""
    with ExitStack() as stack:
        trial = Trial(SAVES[name](stack), stack)
        at_each_change(trial)
        return dict(trial.found)


def main(how: str, *arguments: str) -> None:
    """Kill at random, or at each change, what is named, or all."""
    warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
    os.environ.setdefault("CORE_TIER", "1")
    if how == "random":
        kills, seed, found = int(arguments[0]), int(arguments[1]), {}
        for number, name in enumerate(KILLED):
            share = len(range(number, kills, len(KILLED)))
            found[name] = killed_at_random(name, share, seed + number)
    else:
        os.fsync = lambda _: None  # a kill loses nothing that is not on the disk yet
        found = {name: killed_at_each_change(name) for name in arguments or SAVES}
    print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
