"""The events of one session: each item has detectors of its own, by its id."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, NamedTuple, cast

from zoo.live.events.states import Episodes
from zoo.live.events.vocabulary import FORGOTTEN, RULED_OUT, Detector, Finding
from zoo.results.moments import Event

#: Kind of items -> the module with its ``read`` (an item -> what detectors see of it, or None),
#: ``DETECTORS`` (of one item) and, where there are any, ``PAIR_DETECTORS`` (of all items).
_MODULES = {
    "hand": "zoo.live.events.hand_detectors",
    "face": "zoo.live.events.face_detectors",
    "pose": "zoo.live.events.pose_detectors",
}


class Kind(NamedTuple):
    """Detectors of one kind of items, and the function that prepares an item for them."""

    read: Callable[[Mapping[str, Any]], Any]  # None: the item has too few keypoints
    detectors: Sequence[type[Detector[Any]]]
    pair_detectors: Sequence[type[Detector[Any]]] = ()  # they see a dict of all items by id

    def labels(self, lasts: bool) -> list[str]:
        """Return the labels of states (but gestures), or of movements."""
        every = (*self.detectors, *self.pair_detectors)
        return [name for detector in every if detector.lasts == lasts for name in detector.labels]


class _Item:
    """One item with its detectors."""

    def __init__(self, kind: Kind) -> None:
        self.detectors = [make() for make in kind.detectors]
        self.gestures = Episodes()
        self.handedness: str | None = None
        self.last = 0.0

    def update(self, seen: Any, label: str | None, time: float) -> list[Finding]:
        self.last = time
        found = self.gestures.update(label, time)
        for detector in self.detectors:
            found += detector.missed(time) if seen is None else detector.update(seen, time)
        return found

    def missed(self, time: float, gone: bool = False) -> list[Finding]:
        found = self.gestures.missed(time, gone)
        for detector in self.detectors:
            found += detector.missed(time, gone)
        return found

    def values(self) -> dict[str, Any]:
        return {k: v for detector in self.detectors for k, v in detector.values().items()}


class EventFinder:
    """Finds the events of the hands, faces or bodies of one stream of frames.

    It follows the frames' times alone, so that the same frames give the same events. An item that
    is out of sight for more than a second, and all items when the time goes back, are forgotten.
    """

    def __init__(self, kind: Kind) -> None:
        self._kind = kind
        self._time = float("-inf")
        self._forget()

    def update(
        self,
        items: Sequence[Mapping[str, Any]],
        ids: Sequence[int],
        time: float,
        labels: Sequence[str | None] | None = None,
    ) -> tuple[list[Event], list[dict[str, Any]]]:
        """Return the events of a frame, and the continuous values of each item.

        Args:
            items: the hands, faces or poses in this frame.
            ids: of the items; an item has the same id in all frames.
            time: of the frame, in seconds.
            labels: the gesture of each hand as `LabelFilter` gives it, None where it makes none.

        Returns:
            The events in the order of the items, and for each item a dict such as
            ``{"pinch": 0.2, "pointing": {"x": -0.98, "y": 0.2, "direction": "left"}}``.
        """
        if time < self._time:
            self._forget()
        self._time = time
        events = self._absent(ids, time)
        views = [self._kind.read(item) for item in items]
        pairs = self._pair_events(views, ids, time)
        values = []
        for number, (item, view, key) in enumerate(zip(items, views, ids, strict=True)):
            state = self._items.setdefault(key, _Item(self._kind))
            state.handedness = item.get("handedness", state.handedness)
            found = state.update(view, labels[number] if labels else None, time)
            events += [self._event(f, key, time) for f in found if not self._ruled_out(f, time)]
            values.append(state.values() if view is not None else {})
        return events + [self._event(f, f.more["id"], time) for f in pairs], values

    def finish(self) -> list[Event]:
        """Return the ``ended`` events of all states that still last, at the end of a stream."""
        events = [
            self._event(finding, key, self._time)
            for key, state in self._items.items()
            for finding in state.missed(self._time, gone=True)
        ]
        self._forget()
        return events

    def _pair_events(self, views: Sequence[Any], ids: Sequence[int], time: float) -> list[Finding]:
        seen = {key: view for key, view in zip(ids, views, strict=True) if view is not None}
        events = []
        for pair in self._pairs:
            found = pair.update(seen, time)
            if found:
                self._quiet |= dict.fromkeys(pair.rules_out, time + RULED_OUT)
            events += found
        return events

    def _ruled_out(self, finding: Finding, time: float) -> bool:
        return time < self._quiet.get(finding.label, time)

    def _forget(self) -> None:
        self._items: dict[int, _Item] = {}
        self._pairs = [make() for make in self._kind.pair_detectors]
        self._quiet: dict[str, float] = {}  # label -> time until which others rule it out

    def _absent(self, ids: Sequence[int], time: float) -> list[Event]:
        events = []
        for key in sorted(self._items.keys() - set(ids)):
            events += [self._event(f, key, time) for f in self._items[key].missed(time)]
        for key in [k for k, state in self._items.items() if time - state.last > FORGOTTEN]:
            events += [self._event(f, key, time) for f in self._items[key].missed(time, gone=True)]
            del self._items[key]
        return events

    def _event(self, finding: Finding, key: int, time: float) -> Event:
        kind, label, seconds, more = finding
        event = {"type": kind, "label": label, "id": key, "time": time, "seconds": seconds, **more}
        handedness = self._items[key].handedness if key in self._items else None
        if handedness is not None:
            event["handedness"] = handedness
        return cast(Event, event)


def finder_for(kind: str) -> EventFinder | None:
    """Return a finder of the events of one kind of items, None for a kind without events.

    Args:
        kind: ``"hand"``, ``"face"``, ``"pose"`` or another name of `zoo.results.vocabulary.KINDS`.

    >>> finder_for("label") is None
    True
    >>> finder_for("hand").update([], [], 0.0)
    ([], [])
    """
    return EventFinder(_kind(kind)) if kind in _MODULES else None


def labels_of(kind: str, *, lasts: bool) -> list[str]:
    """Return the labels of the events of a kind of items, but those of gestures.

    Args:
        kind: as for `finder_for`.
        lasts: states, which have ``started``, ``held`` and ``ended``, or movements.

    >>> labels_of("hand", lasts=True), labels_of("label", lasts=True)
    (['pinch'], [])
    """
    return _kind(kind).labels(lasts) if kind in _MODULES else []


def _kind(name: str) -> Kind:
    module = import_module(_MODULES[name])
    return Kind(module.read, module.DETECTORS, getattr(module, "PAIR_DETECTORS", ()))
