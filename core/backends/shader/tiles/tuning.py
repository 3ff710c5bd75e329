"""Optional tuning: times candidates on the device at hand and remembers the fastest, on disk.

A GPU lowers its clock when it has nothing to do, so that the first candidates would look slow. All
are therefore compiled first and timed in turn, several rounds of them, after work that raises the
clock; the best time of each counts.
"""

import json
import os
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import TypeVar

from core.backends.shader.tiles.choices import CANDIDATES, Choice, Product
from core.backends.shader.tiles.source import Limits

Candidate = TypeVar("Candidate", bound=Hashable)
_ROUNDS = 4


def fastest(
    candidates: Sequence[Candidate],
    compiled: Callable[[Candidate], Callable[[], float]],
    warm: Callable[[], None],
    rounds: int = _ROUNDS,
) -> Candidate:
    """The candidate of the least time.

    Args:
        candidates: at least one.
        compiled: makes a candidate ready and returns what runs and times it once, in any unit.
        warm: keeps the device busy until its clock is up.
        rounds: how often each is timed.
    """
    ready = {c: compiled(c) for c in candidates}
    warm()
    times = [{c: run() for c, run in ready.items()} for _ in range(rounds)]
    return min(ready, key=lambda c: min(t[c] for t in times))


class Tuned:
    """Choices found on one device, kept in a JSON file of all devices.

    Args:
        path: the file; it need not exist, and one that cannot be read counts as empty.
        driver: names the device and its driver; choices of another one are not used.
    """

    def __init__(self, path: Path, driver: str) -> None:
        self._path, self._driver = path, driver
        self._choices = self._read().get(driver, {})

    def choose(
        self,
        p: Product,
        limits: Limits,
        time: Callable[[Choice], Callable[[], float]],
        warm: Callable[[], None],
    ) -> Choice:
        """The remembered choice of a product, or the fastest one, found now and remembered."""
        key = json.dumps(p)
        if key not in self._choices:
            fitting = [c for c in CANDIDATES if c.fits(limits, p)]
            self._choices[key] = list(fastest(fitting, time, warm))
            self._write()
        return Choice(*self._choices[key])

    def _read(self) -> dict[str, dict[str, list[int]]]:
        try:
            found = json.loads(self._path.read_text())
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def _write(self) -> None:
        """Replace the file in one step, with what others have written to it meanwhile."""
        whole = {**self._read(), self._driver: self._choices}
        self._path.parent.mkdir(parents=True, exist_ok=True)
        part = self._path.with_name(f"{self._path.name}.{os.getpid()}")
        part.write_text(json.dumps(whole))
        part.replace(self._path)
