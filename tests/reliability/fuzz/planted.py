"""Faults that a test plants, to see that the sweep finds them."""

import json
import os
import signal
import time
from pathlib import Path

from tests.reliability.fuzz.uses import Loaded, Rng, Use


def planted(case: int) -> Use | None:
    """What to do in the place of loading a case's file: ``ZOO_FUZZ_FAULTS`` says which by case."""
    kind = json.loads(os.environ.get("ZOO_FUZZ_FAULTS", "{}")).get(str(case))
    return None if kind is None else _KINDS[kind]


def _crash(path: Path, loaded: Loaded, rng: Rng) -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def _hang(path: Path, loaded: Loaded, rng: Rng) -> None:
    time.sleep(1000)


def _take_memory(path: Path, loaded: Loaded, rng: Rng) -> None:
    bytearray(b"x") * (2**30 + 2**28)


def _raise(path: Path, loaded: Loaded, rng: Rng) -> None:
    raise KeyError(str(path))


_KINDS = {"crash": _crash, "hang": _hang, "fat": _take_memory, "raise": _raise}
