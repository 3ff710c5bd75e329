"""Events, and the form of what finds them."""

from collections.abc import Mapping
from typing import Any, ClassVar, Generic, Literal, NamedTuple, TypedDict, TypeVar

EventType = Literal["started", "held", "ended", "happened"]

#: Items that are out of sight for longer are forgotten, in seconds.
FORGOTTEN = 1.0

#: A state ends when its item is out of sight for so long, in seconds.
OUT_OF_SIGHT = 0.25

#: ``held`` events come at multiples of this, in seconds since ``started``.
HELD_EVERY = 0.5

#: Rounding of sums of times, in seconds.
ROUNDING = 1e-6


class _Event(TypedDict):
    type: EventType
    label: str
    id: int
    time: float
    seconds: float


class Event(_Event, total=False):
    """Something that a hand, a face or a body did, at the frame in which it was certain.

    States, such as a gesture or a pinch, have ``started``, ``held`` (each half second) and
    ``ended``; movements, such as a swipe or a squat, have ``happened``. ``time`` is that of the
    frame; ``seconds`` since ``started``, 0.0 for ``started`` and ``happened``. Left, right and the
    direction of a circle are those seen in the image, whether it is a mirror image or not.

    >>> event: Event = {"type": "happened", "label": "clap", "id": 1, "time": 2.4, "seconds": 0.0}
    """

    count: int  # of squats, jumps and jumping jacks: the number of this one
    handedness: str  # of hands
    direction: Literal["clockwise", "counterclockwise"]  # of circles
    other_id: int  # of claps: the second hand


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
