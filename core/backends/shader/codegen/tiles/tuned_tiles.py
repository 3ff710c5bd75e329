"""The fastest tiles measured on a device by `core.tune_shader`, and their storage."""

import json
from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from core.backends.shader.codegen.tiles.choices import FAMILIES
from core.backends.shader.codegen.tiles.tile_source import Asked, Choice, Product
from core.process import code_cache

#: Part of the key, to be changed when earlier measurements no longer apply.
FORMAT = "shader tiles 1"

Candidate = TypeVar("Candidate", bound=Hashable)
_ROUNDS = 5
_ROUNDS_OF_TWO = 11


class Compared(NamedTuple, Generic[Candidate]):
    """The tile used from now on, and the times of the previous tile and of this one."""

    choice: Candidate
    old: float
    new: float


def fastest(runs: Mapping[Candidate, Callable[[], float]], old: Candidate) -> Compared[Candidate]:
    """Return the candidate of the least time; the old one, if it may be as fast.

    All candidates run in turn, as the clock of a GPU changes. One of many looks fast by chance: so
    the best and the old one are timed once more, and three quarters of the times of the one have to
    be less than three quarters of those of the other.

    Args:
        runs: functions that run and time a candidate once, in any unit.
        old: one of the candidates.
    """
    times = _in_turn(runs, _ROUNDS)
    best = min(runs, key=lambda c: np.median(times[c]))
    again = _in_turn({c: runs[c] for c in (old, best)}, _ROUNDS_OF_TWO)
    before, after = (float(np.median(again[c])) for c in (old, best))
    if np.percentile(again[best], 75) < np.percentile(again[old], 25):
        return Compared(best, before, after)
    return Compared(old, before, before)


def _in_turn(
    runs: Mapping[Candidate, Callable[[], float]], rounds: int
) -> dict[Candidate, list[float]]:
    times: dict[Candidate, list[float]] = {c: [] for c in runs}
    for _ in range(rounds):
        for c, run in runs.items():
            times[c].append(run())
    return times


def load_choices(driver: str, form: str) -> dict[Asked, Choice]:
    """Return the stored tiles of a device; none if they cannot be read.

    Args:
        driver: name of the device and its driver.
        form: how floats are stored and multiplied, as a session names it.
    """
    kept = code_cache.load(_key(driver, form)) or b"[]"
    try:
        return dict(_read(json.loads(kept)))
    except (LookupError, TypeError, ValueError):
        return {}


def keep_choices(driver: str, form: str, choices: Mapping[Asked, Choice]) -> None:
    """Store tiles on disk, with those that other processes stored meanwhile."""
    whole = {**load_choices(driver, form), **choices}
    rows = [(name, p, choice) for (name, p), choice in whole.items()]
    code_cache.keep(_key(driver, form), json.dumps(rows).encode())


def _key(driver: str, form: str) -> str:
    return code_cache.key_of(FORMAT, driver, form)


def _read(rows: Any) -> Iterator[tuple[Asked, Choice]]:
    """Return the rows of a table without tiles that no longer exist."""
    for name, product, sizes in rows:
        choice = Choice(*sizes)
        if FAMILIES[name].has(choice):
            yield (name, Product(*product)), choice
