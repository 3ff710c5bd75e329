"""The vocabulary of live results: what a camera or video shows at one moment, and events."""

from collections.abc import Iterator, Mapping, Sequence
from numbers import Real
from typing import Any, Literal, TypedDict, TypeGuard

import numpy as np

from zoo.results.vocabulary import AnyResult, Hand, Result, is_item, refuse_several

EventType = Literal["started", "held", "ended", "happened"]


class _Event(TypedDict):
    type: EventType
    label: str
    id: int
    time: float
    seconds: float


class Event(_Event, total=False):
    """An action of a hand, a face or a body, at the frame in which the action was certain.

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


class _Moment(TypedDict):
    index: int
    time: float
    frame: np.ndarray
    result: Result
    ids: list[int]
    events: list[Event]
    values: list[dict[str, Any]]
    milliseconds: float
    fps: float


class Moment(_Moment, total=False):
    """One frame and all that was found in it.

    - ``index``: number of the frame in its source, from 0;
    - ``time``: seconds since the first frame of the source;
    - ``frame``: uint8 [height, width, 3], RGB, as to be shown;
    - ``result``: as the function of `zoo` returns it, in pixels of ``frame``;
    - ``ids``: number of each item of the result (of each hand, where gestures are recognized),
      which a person, hand, face or object keeps from frame to frame;
    - ``events``: what began, ended or happened in this frame;
    - ``values``: continuous values of each of these items, such as ``{"pinch": 0.9}``;
    - ``milliseconds``: from the frame to this dict;
    - ``fps``: frames per second, over the last second or so;
    - ``hands``: where gestures are recognized, the hands that make them.
    """

    hands: list[Hand]


#: Results, and moments with theirs, as tables and files are made of them.
Findings = AnyResult | Moment | Sequence[Moment] | Iterator[Moment]


def is_moment(value: object) -> TypeGuard[Moment]:
    """Whether a value is a moment, also one read from a line of JSON, without its frame.

    >>> is_moment({"time": 0.5, "result": [], "ids": []}), is_moment({"me.jpg": []})
    (True, False)
    """
    return (
        isinstance(value, Mapping)
        and isinstance(value.get("time"), Real)
        and "result" in value
        and not is_item(value)
    )


def with_ids(items: Sequence[Any], ids: Sequence[int]) -> list[Any]:
    """Return items with their ids, as far as there are such; gestures without hands, their hands'.

    >>> with_ids([{"label": "cat"}, {"label": "dog"}], [7])
    [{'label': 'cat', 'id': 7}, {'label': 'dog'}]
    """
    known = dict(enumerate(map(int, ids)))
    of_hands = all(isinstance(item, Mapping) and "hand" in item for item in items)
    keys = [item["hand"] for item in items] if of_hands else range(len(items))
    return [
        {**item, "id": known[key]} if key in known and isinstance(item, Mapping) else item
        for key, item in zip(keys, items, strict=True)
    ]


def found_items(moment: Moment) -> list[Any]:
    """The items of a moment's result with their ids; a pose of nobody is left out."""
    return with_ids(_placed(moment["result"]), moment.get("ids", ()))


def shown_items(moment: Moment) -> list[Any]:
    """All items of a moment that are drawn, with their ids: of gestures also the hands."""
    items = [*moment.get("hands", ()), *_placed(moment["result"])]
    return with_ids(items, moment.get("ids", ()))


def followed_items(moment: Moment) -> list[Any]:
    """The items that have ids and places: the hands where gestures are recognized."""
    return with_ids(_placed(moment.get("hands", moment["result"])), moment.get("ids", ()))


def _placed(result: Result) -> list[Any]:
    """The items that ids count: those with points or a box, and labels."""
    items = result if isinstance(result, (list, tuple)) else [result]
    return [
        item
        for item in items
        if not isinstance(item, Mapping) or item.get("keypoints") != [] or "box" in item
    ]


def without_frames(findings: Any) -> Any:
    """Return results or moments, those of an iterator as a list, but for the frames of moments.

    A long video has room in memory without its frames.

    Raises:
        ZooError: it is an iterator of something else.
    """
    if hasattr(findings, "__next__"):
        return [without_frames(_moment_of(found, findings)) for found in findings]
    if is_moment(findings):
        return {key: value for key, value in findings.items() if key != "frame"}
    if isinstance(findings, Mapping) and not is_item(findings):
        return {name: without_frames(found) for name, found in findings.items()}
    if isinstance(findings, (list, tuple)) and any(map(is_moment, findings)):
        return list(map(without_frames, findings))
    return findings


def _moment_of(found: object, source: object) -> Moment:
    if not is_moment(found):
        refuse_several(source)  # which an iterator is: this raises
    return found  # type: ignore[return-value]


def by_frame(findings: Result) -> Iterator[tuple[dict[str, str | float], list[Any]]]:
    """Yield the items of each image and moment, beside its ``image`` and ``time`` where known.

    >>> list(by_frame({"a.mp4": [{"time": 0.5, "result": {"score": 0.5, "keypoints": []}}]}))
    [({'image': 'a.mp4', 'time': 0.5}, [])]
    """
    refuse_several(findings)
    return _by_frame(findings)


def _by_frame(findings: Result) -> Iterator[tuple[dict[str, str | float], list[Any]]]:
    if is_moment(findings):
        yield {"time": float(findings["time"])}, found_items(findings)
    elif isinstance(findings, Mapping) and not is_item(findings):
        for image, found in findings.items():
            for where, items in _by_frame(found):
                yield {"image": str(image), **where}, items
    elif isinstance(findings, (list, tuple)) and any(map(is_moment, findings)):
        for found in findings:
            yield from _by_frame(found)
    else:
        yield {}, list(findings) if isinstance(findings, (list, tuple)) else [findings]
