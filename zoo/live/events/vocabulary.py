"""Events, and the interface of their detectors."""

from collections.abc import Mapping
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from zoo.results.moments import EventType

#: Seconds out of sight after which an item is forgotten.
FORGOTTEN = 1.0

#: Seconds out of sight of its item after which a state ends.
OUT_OF_SIGHT = 0.25

#: Seconds between ``held`` events, counted from ``started``.
HELD_EVERY = 0.5

#: Seconds in which a movement rules out others: see `Detector.rules_out`.
RULED_OUT = 1.5

#: Rounding of sums of times, in seconds.
ROUNDING = 1e-6


class Finding(NamedTuple):
    """An event before its id and time are known."""

    type: EventType
    label: str
    seconds: float = 0.0
    more: Mapping[str, Any] = {}  # optional keys of `Event`


Seen = TypeVar("Seen")


class Detector(Generic[Seen]):
    """One state or movement of one item, followed over time; made anew for each id."""

    #: Labels of its events.
    labels: ClassVar[tuple[str, ...]] = ()

    #: Labels of similar movements, which are suppressed for `RULED_OUT` after this one.
    rules_out: ClassVar[tuple[str, ...]] = ()

    #: Whether its events are states, which start, are held and end.
    lasts: ClassVar[bool] = False

    def update(self, seen: Seen, time: float) -> list[Finding]:
        """Return the events of the item in this frame."""
        raise NotImplementedError

    def missed(self, time: float, gone: bool = False) -> list[Finding]:
        """Return the events of a frame in which the item is out of sight, perhaps for good."""
        return []

    def values(self) -> dict[str, Any]:
        """Return the continuous values of the item in the last frame, by name."""
        return {}
