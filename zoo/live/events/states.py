"""States that start, are held and end."""

from math import floor

from zoo.live.events.steady_labels import END_SECONDS, START_SECONDS, SteadyLabel
from zoo.live.events.vocabulary import HELD_EVERY, OUT_OF_SIGHT, ROUNDING, Finding


class Episodes:
    """The events of one state after another: a label, or None, of each frame."""

    def __init__(self) -> None:
        self._label: str | None = None
        self._started = self._seen = 0.0
        self._halves = 0  # how many ``held`` events came

    def update(self, label: str | None, time: float) -> list[Finding]:
        """Return the events of a frame with a state, or with none."""
        found = [] if label == self._label else self._end(time)
        self._seen = time
        if label is not None:
            found += self._begin(label, time) if label != self._label else self._hold(time)
        return found

    def missed(self, time: float, gone: bool = False) -> list[Finding]:
        """Return the events of a frame without the item: a state outlasts short gaps."""
        if not gone and time - self._seen < OUT_OF_SIGHT - ROUNDING:
            return []
        return self._end(time)

    def _begin(self, label: str, time: float) -> list[Finding]:
        self._label, self._started, self._halves = label, time, 0
        return [Finding("started", label)]

    def _hold(self, time: float) -> list[Finding]:
        seconds = time - self._started
        halves = floor((seconds + ROUNDING) / HELD_EVERY)
        if self._label is None or halves == self._halves:
            return []
        self._halves = halves
        return [Finding("held", self._label, seconds)]

    def _end(self, time: float) -> list[Finding]:
        label, self._label = self._label, None
        return [] if label is None else [Finding("ended", label, time - self._started)]


class Switch:
    """A state of two thresholds: on from ``enter`` upwards, off below ``leave``.

    Args:
        label: of its events.
        enter: value from which it starts.
        leave: value below which it ends.
        start: seconds of evidence that it needs to start.
        end: seconds of evidence that end it.
    """

    def __init__(
        self,
        label: str,
        enter: float,
        leave: float,
        start: float = START_SECONDS,
        end: float = END_SECONDS,
    ) -> None:
        self._name = label
        self._limits = enter, leave, start, end
        self._steady = SteadyLabel(*self._limits)
        self._episodes = Episodes()

    @property
    def on(self) -> bool:
        """Whether it is on."""
        return self._steady.stable is not None

    def update(self, value: float | None, time: float) -> list[Finding]:
        """Return the events of a frame; the value is None where it is unknown."""
        label = None if value is None else self._name
        stable = self._steady.update(label, value or 0.0, time)
        return self._episodes.update(stable.label if stable else None, time)

    def missed(self, time: float, gone: bool = False) -> list[Finding]:
        """Return the events of a frame without the item."""
        found = self._episodes.missed(time, gone)
        if found:
            self._steady = SteadyLabel(*self._limits)
        return found
