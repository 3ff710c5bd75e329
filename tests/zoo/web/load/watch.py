"""Memory and files of a server while it works."""

from __future__ import annotations

import threading
from statistics import median
from time import monotonic
from typing import NamedTuple

from tests.zoo.web.server_processes import ServerProcess

#: The part of a run in which memory may still grow: models load, pools fill.
WARM = 0.25


class Reading(NamedTuple):
    """What one server holds at one time."""

    second: float
    memory: int
    files: int


class Watch:
    """Readings of a server, every few seconds, from a thread."""

    def __init__(self, server: ServerProcess, every: float):
        self._server, self._every, self.readings = server, every, list[Reading]()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Read no more."""
        self._over.set()
        self._thread.join()

    def growth(self) -> tuple[Reading, Reading]:
        """The medians of the first and the last third after the warm-up."""
        kept = self.readings[int(len(self.readings) * WARM) :]
        third = max(1, len(kept) // 3)
        return _middle(kept[:third]), _middle(kept[-third:])

    def _read(self) -> None:
        begun = monotonic()
        while True:
            server = self._server
            self.readings.append(Reading(monotonic() - begun, server.memory, server.files))
            if self._over.wait(self._every):
                return


def _middle(readings: list[Reading]) -> Reading:
    seconds, memories, files = zip(*readings, strict=True)
    return Reading(median(seconds), int(median(memories)), int(median(files)))
