"""The vocabulary of live results: what a camera or video shows at one moment, and events."""

from __future__ import annotations

from typing import Any, Literal, TypedDict

import numpy as np

from zoo.results.vocabulary import Hand, Result

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
