"""Events, and the form of what finds them."""

from collections.abc import Mapping
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from zoo.results.moments import EventType

#: Items that are out of sight for longer are forgotten, in seconds.
FORGOTTEN = 1.0

#: A state ends when its item is out of sight for so long, in seconds.
OUT_OF_SIGHT = 0.25

#: ``held`` events come at multiples of this, in seconds since ``started``.
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

    #: Labels of movements that look alike: they do not happen for `RULED_OUT` after this one.
    rules_out: ClassVar[tuple[str, ...]] = ()

    #: Whether they are states, which start, are held and end.
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
