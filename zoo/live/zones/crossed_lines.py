"""Counting who crosses a line, and in which direction: `LineZone`."""

from __future__ import annotations

import math
from typing import Literal, TypedDict

from weights_cache.common.errors import ZooError
from zoo.drawing.colours import PALETTE
from zoo.drawing.surface import Surface, rimmed
from zoo.images.opencv import cv2
from zoo.live.zones.anchors import Spot, checked_anchor, spots, time_of
from zoo.live.zones.memory import IdMemory
from zoo.live.zones.places import XY, checked_points, checked_slack
from zoo.results.moments import Moment
from zoo.results.vocabulary import Position

Direction = Literal["in", "out"]

_COLOUR = PALETTE[4]


class Crossing(TypedDict):
    """Somebody, or something, that crossed a line."""

    id: int
    label: str
    direction: Direction
    time: float
    position: Position


class LineZone:
    """Counts who crosses a line, by ids: each passage once, however much a box trembles.

    An object crosses when its anchor passes between the ends of the line and gets ``slack`` of its
    size beyond. One that is hidden at that moment counts when it comes back on the other side under
    its number. As in supervision's class of the name, ``"in"`` leads to the left-hand side of
    somebody who walks from start to end: upwards for a line from left to right. `zoo.paint` draws
    an arrow in that direction, and the counts.

    >>> line = LineZone((0, 50), (100, 50))
    >>> for time, y in enumerate([20, 45, 55, 80]):
    ...     box = {"x": 40.0, "y": y - 20.0, "width": 10.0, "height": 20.0}
    ...     dog = {"label": "dog", "score": 0.9, "box": box}
    ...     moment = {"time": time, "ids": [7], "result": [dog]}
    ...     for crossing in line.update(moment):
    ...         print(crossing["id"], crossing["direction"], crossing["time"])
    7 out 2.0
    >>> line.in_count, line.out_count, line.counts
    (0, 1, {'dog': {'in': 0, 'out': 1}})

    Args:
        start: one end, (x, y) in pixels of the frames.
        end: the other end.
        anchor: the point of an object that crosses: ``"feet"``, the middle of the lower edge of
            its box, ``"centre"``, ``"head"``, or the name of a keypoint, such as ``"left_wrist"``.
        slack: how far beyond the line an anchor must get, in sizes of the object (the root of the
            area of its box), 0..1.

    Attributes:
        counts: for each label how many crossed ``in`` and ``out``.

    Raises:
        ZooError: the ends are one point, or no points; the anchor is unknown.
    """

    def __init__(self, start: XY, end: XY, *, anchor: str = "feet", slack: float = 0.2):
        self.start, self.end = checked_points((start, end), least=2)
        if self.start == self.end:
            raise ZooError(f"the line begins and ends at {self.start}: give two points")
        self._anchor, self._slack = checked_anchor(anchor), checked_slack(slack)
        self._seen: IdMemory[Spot] = IdMemory()  # where each was last clearly beside the line
        self.counts: dict[str, dict[Direction, int]] = {}  # by label

    @property
    def in_count(self) -> int:
        """Number of crossings to the left-hand side."""
        return sum(count["in"] for count in self.counts.values())

    @property
    def out_count(self) -> int:
        """Number of crossings to the right-hand side."""
        return sum(count["out"] for count in self.counts.values())

    def update(self, moment: Moment) -> list[Crossing]:
        """Take the next moment of `zoo.watch`, and return who crossed the line in it.

        Raises:
            ZooError: the items have no ids: it is the result of a function, not of `zoo.watch`.
        """
        time = time_of(moment)
        self._seen.begin(time)
        crossed: list[Crossing] = []
        for spot in spots(moment, self._anchor):
            if spot.id is None:
                raise ZooError("a line counts by ids, and these items have none: use zoo.watch")
            direction = self._passed(spot.id, spot)
            if direction is not None:
                counts = self.counts.setdefault(spot.label, {"in": 0, "out": 0})
                counts[direction] += 1
                crossed.append(
                    {
                        "id": spot.id,
                        "label": spot.label,
                        "direction": direction,
                        "time": time,
                        "position": {"x": spot.x, "y": spot.y},
                    }
                )
        return crossed

    def _passed(self, number: int, spot: Spot) -> Direction | None:
        """The direction in which an object has just passed the line, if it has."""
        now = self._beside(spot)
        if abs(now) <= self._slack * spot.size:  # on the line, where boxes tremble
            return None
        last = self._seen.get(number)
        self._seen.put(number, spot)
        if last is None:
            return None
        before = self._beside(last)
        if (before > 0) == (now > 0):
            return None
        share = before / (before - now)  # of the way, at which the line was met
        along = (1 - share) * self._along(last) + share * self._along(spot)
        if not 0 <= along <= 1:  # around an end
            return None
        return "out" if now > 0 else "in"

    def _beside(self, spot: Spot) -> float:
        """Distance of an anchor from the line, in pixels; positive on the right-hand side."""
        dx, dy = self.end[0] - self.start[0], self.end[1] - self.start[1]
        across = dx * (spot.y - self.start[1]) - dy * (spot.x - self.start[0])
        return across / math.hypot(dx, dy)

    def _along(self, spot: Spot) -> float:
        """Position of an anchor along the line: 0 at the start, 1 at the end."""
        dx, dy = self.end[0] - self.start[0], self.end[1] - self.start[1]
        ahead = dx * (spot.x - self.start[0]) + dy * (spot.y - self.start[1])
        return ahead / (dx * dx + dy * dy)

    def paint_on(self, surface: Surface) -> None:
        """Paint the line, an arrow towards the side that is in, and the counts."""
        strokes = rimmed([self.start, self.end], _COLOUR, surface.thin)
        middle = self._middle(surface.size)
        for path in self._arrow(middle, 0.06 * surface.scale):
            strokes += rimmed(path, _COLOUR, surface.thin)
        surface.strokes(strokes)
        text = f"in {self.in_count}  out {self.out_count}"
        beside = [(middle[0] + 2 * surface.thin, middle[1] + 2 * surface.thin)]
        surface.caption([text], lambda w, h: beside, _COLOUR, surface.text_size)

    def _middle(self, size: tuple[int, int]) -> XY:
        """The middle of the part of the line that lies in an image of a width and height."""
        ends = [tuple(map(round, end)) for end in (self.start, self.end)]
        _, (x0, y0), (x1, y1) = cv2.clipLine((0, 0, *size), *ends)
        return (x0 + x1) / 2, (y0 + y1) / 2

    def _arrow(self, middle: XY, length: float) -> list[list[XY]]:
        """The lines of an arrow from the middle of the line to the side that is in."""
        dx, dy = self.end[0] - self.start[0], self.end[1] - self.start[1]
        ahead = dx / math.hypot(dx, dy), dy / math.hypot(dx, dy)

        def at(left: float, forward: float) -> XY:
            x = middle[0] + length * (left * ahead[1] + forward * ahead[0])
            return x, middle[1] + length * (forward * ahead[1] - left * ahead[0])

        return [[middle, at(1, 0)], [at(0.6, 0.3), at(1, 0), at(0.6, -0.3)]]
