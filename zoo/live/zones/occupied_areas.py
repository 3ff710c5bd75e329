"""Visits of an area, and how long they last: `PolygonZone`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

import numpy as np

from zoo.drawing.colours import PALETTE
from zoo.drawing.surface import Surface, rimmed
from zoo.images.opencv import cv2
from zoo.live.zones.anchors import Spot, checked_anchor, spots, time_of
from zoo.live.zones.memory import IdMemory
from zoo.live.zones.places import checked_points, checked_slack
from zoo.results.moments import Moment
from zoo.results.vocabulary import Position

_COLOUR = PALETTE[0]


class Stay(TypedDict):
    """Somebody, or something, inside an area."""

    id: int | None  # None without following, where nothing is known of the time before
    label: str
    since: float  # when it came
    seconds: float
    position: Position


@dataclass
class _Visits:
    """The visits of an id."""

    since: float  # of the latest one
    last: float  # when it was last seen inside
    before: float = 0.0  # seconds of earlier visits
    is_inside: bool = True

    @property
    def seconds(self) -> float:
        return self.before + self.last - self.since


class PolygonZone:
    """Says who is inside an area, and for how long.

    An object is inside while its anchor is; it leaves when the anchor is ``slack`` of its size
    outside, so that a trembling box does not end a visit. A visit goes on while the object is
    hidden and keeps its number. `zoo.paint` draws the area, and how many are inside.

    >>> zone = PolygonZone([(0, 0), (100, 0), (100, 100), (0, 100)])
    >>> box = {"x": 40.0, "y": 30.0, "width": 10.0, "height": 20.0}
    >>> for time in (0.0, 0.5):
    ...     dog = {"label": "dog", "score": 0.9, "box": box}
    ...     moment = {"time": time, "ids": [7], "result": [dog]}
    ...     for stay in zone.update(moment):
    ...         print(stay["id"], stay["label"], stay["seconds"])
    7 dog 0.0
    7 dog 0.5

    Args:
        points: the corners, (x, y) in pixels of the frames, at least three.
        anchor: the point of an object that is inside or outside: ``"feet"``, the middle of the
            lower edge of its box, ``"centre"``, ``"head"``, or the name of a keypoint.
        slack: how far outside an anchor must get, in sizes of the object (the root of the area of
            its box), 0..1.

    Attributes:
        inside: who is inside in the last moment, as `update` returns it.
        visit_count: how often somebody came in.

    Raises:
        ZooError: there are fewer than three points; the anchor is unknown.
    """

    def __init__(
        self, points: Sequence[Sequence[float]], *, anchor: str = "feet", slack: float = 0.2
    ):
        self.points = checked_points(points, least=3)
        self._corners = np.array(self.points, np.float32)
        self._anchor, self._slack = checked_anchor(anchor), checked_slack(slack)
        self._visits: IdMemory[_Visits] = IdMemory()
        self.inside: list[Stay] = []  # in the last moment
        self.visit_count = 0  # how often somebody came in

    @property
    def seconds(self) -> dict[int, float]:
        """The time that each id was inside so far, all its visits together; of the last 1,000."""
        return {number: visits.seconds for number, visits in self._visits.items()}

    def update(self, moment: Moment) -> list[Stay]:
        """Take the next moment of `zoo.watch`, and return who is inside in it."""
        time = time_of(moment)
        self._visits.begin(time)
        stays = [self._stay(spot, time) for spot in spots(moment, self._anchor)]
        self.inside = [stay for stay in stays if stay is not None]
        return self.inside

    def _stay(self, spot: Spot, time: float) -> Stay | None:
        since: float | None = time
        within = cv2.pointPolygonTest(self._corners, (spot.x, spot.y), True)  # < 0 outside
        if spot.id is not None:
            since = self._since(spot.id, within, self._slack * spot.size, time)
        elif within < 0:
            since = None
        if since is None:
            return None
        return {
            "id": spot.id,
            "label": spot.label,
            "since": since,
            "seconds": time - since,
            "position": {"x": spot.x, "y": spot.y},
        }

    def _since(self, number: int, within: float, slack: float, time: float) -> float | None:
        """When an id came that is inside now; None if it is not."""
        visits = self._visits.get(number)
        if visits is None or not visits.is_inside:
            if within < 0:
                return None
            self.visit_count += 1
            visits = _Visits(time, time, visits.seconds if visits else 0.0)
        visits.is_inside = within >= -slack
        if visits.is_inside:
            visits.last = time
        self._visits.put(number, visits)
        return visits.since if visits.is_inside else None

    def paint_on(self, surface: Surface) -> None:
        """Paint the area, and how many are inside."""
        path = [*self.points, self.points[0]]
        surface.strokes(rimmed(path, _COLOUR, surface.thin))
        text = f"{len(self.inside)} inside"
        top = min(self.points, key=lambda at: at[1])
        surface.caption([text], lambda w, h: [top], _COLOUR, surface.text_size)
