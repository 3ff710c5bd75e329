"""Rules of which events call which functions."""

from collections.abc import Callable, Iterator
from inspect import Parameter, signature
from typing import cast, get_args

from weights_cache.common.errors import ZooError
from weights_cache.common.similar_names import did_you_mean
from zoo.live.events.vocabulary import ROUNDING
from zoo.live.known_labels import KnownLabels
from zoo.results.moments import Event, EventType, Moment

#: Wildcard for all labels.
ANY = "*"

_POSITIONAL = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
_MOST_ARGUMENTS = 2  # the event and the moment

_Key = tuple[int, str]  # id and label


class Rule:
    """Events of one label and type, or a state that has lasted some seconds, and a function."""

    def __init__(
        self,
        label: str,
        function: Callable[..., object],
        types: tuple[EventType, ...],
        held: float | None,
    ) -> None:
        self.label, self.function = label, function
        self._types, self._held = types, held
        self._lasting: dict[_Key, Event] = {}  # ``started`` events of states that wait

    def reset(self) -> None:
        """Forget the stream before."""
        self._lasting = {}

    def matching(self, moment: Moment) -> Iterator[Event]:
        """Yield the events of a moment for which the function is to be called."""
        for event in moment["events"]:
            if self.label not in (ANY, event["label"]):
                continue
            if self._held is None:
                if event["type"] in self._types:
                    yield event
            elif event["type"] == "started":
                self._lasting[event["id"], event["label"]] = event
            elif event["type"] == "ended":
                self._lasting.pop((event["id"], event["label"]), None)
        yield from self._held_long_enough(moment["time"])

    def _held_long_enough(self, time: float) -> Iterator[Event]:
        for key, started in list(self._lasting.items()):
            seconds = time - started["time"]
            if self._held is not None and seconds >= self._held - ROUNDING:
                del self._lasting[key]
                update = {"type": "held", "time": time, "seconds": seconds}
                yield cast(Event, {**started, **update})


def make_rule(
    known: KnownLabels,
    label: str,
    function: Callable[..., object],
    kind: EventType | None,
    held: float | None,
) -> Rule:
    """Return a rule after checking it; see `zoo.live.reactions.Reactions.on`."""
    if not callable(function):
        raise ZooError(f"{function!r:.80} cannot be called: give a function that takes an event")
    count_arguments(function)
    if label != ANY and label not in known.all:
        raise ZooError(
            f"unknown event {label!r:.80}{did_you_mean(str(label), known.all)}; events of "
            f"{known.task!r}: {', '.join(known.all)}, and {ANY!r} for all"
        )
    types = _types(known, label, kind)
    if held is not None:
        if isinstance(held, bool) or not isinstance(held, (int, float)) or not held >= 0:
            raise ZooError(f"held={held!r:.80} must be a number of seconds, 0.0 or more")
        if kind is not None or label in known.movements:
            why = f"type={kind!r}" if kind is not None else f"{label!r}, which lasts no time"
            raise ZooError(f"held={held:g} cannot be combined with {why}")
    return Rule(label, function, types, held)


def _types(known: KnownLabels, label: str, kind: EventType | None) -> tuple[EventType, ...]:
    """Return the types of events that a rule is about."""
    every: tuple[EventType, ...] = get_args(EventType)
    of_states = tuple(t for t in every if t != "happened")
    if label == ANY:
        valid, default = every, every
    elif label in known.states:
        valid, default = of_states, ("started",)
    else:
        valid, default = ("happened",), ("happened",)
    if kind is None:
        return default
    if kind not in valid:
        hint = "" if kind in every else did_you_mean(str(kind), valid)
        raise ZooError(
            f"{label!r} has no events of type {kind!r:.80}{hint}; it has {', '.join(valid)}"
        )
    return (kind,)


def count_arguments(function: Callable[..., object]) -> int:
    """Return how many arguments a function takes: the event, and then the moment.

    >>> count_arguments(lambda event, moment: None), count_arguments(lambda event, volume=3: None)
    (2, 1)

    Raises:
        ZooError: it needs more than these two.
    """
    try:
        parameters = signature(function).parameters.values()
    except (TypeError, ValueError):  # some functions of C have no signature
        return 1
    positional = [p for p in parameters if p.kind in _POSITIONAL]
    several = any(p.kind is Parameter.VAR_POSITIONAL for p in parameters)
    needed = sum(p.default is Parameter.empty for p in positional)
    keywords = [
        p.name for p in parameters if p.kind is Parameter.KEYWORD_ONLY and p.default is p.empty
    ]
    if needed > _MOST_ARGUMENTS or keywords:
        raise ZooError(
            f"{getattr(function, '__name__', function)} needs more than the two arguments that it "
            "gets, the event and the moment: give the others defaults"
        )
    return needed or int(bool(positional) or several)


def call_with(function: Callable[..., object], event: Event, moment: Moment) -> object:
    """Call a function with the event, and with the moment if it takes two arguments."""
    return function(*(event, moment)[: count_arguments(function)])
