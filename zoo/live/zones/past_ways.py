"""Positions of the last seconds: `Trails`."""

from __future__ import annotations

import math
from typing import NamedTuple

from weights_cache.common.errors import ZooError
from zoo.drawing.colours import INK, hue_of
from zoo.drawing.surface import Stroke, Surface, rim_of
from zoo.live.zones.anchors import checked_anchor, spots, time_of
from zoo.live.zones.memory import IdMemory
from zoo.live.zones.places import XY
from zoo.results.moments import Moment

_STEP = 4.0  # least length of a painted piece, in widths of lines: a trail has hundreds of points
_THIN = 0.4  # of the width of a trail at its oldest end


class _Seen(NamedTuple):
    time: float
    position: XY


class Trails:
    """Remembers where everybody was in the last seconds; `zoo.paint` draws it as lines.

    >>> trails = Trails(seconds=1.0)
    >>> for time, x in ((0.0, 10.0), (0.8, 20.0), (1.6, 30.0)):
    ...     box = {"x": x, "y": 30.0, "width": 10.0, "height": 20.0}
    ...     dog = {"label": "dog", "score": 0.9, "box": box}
    ...     trails.update({"time": time, "ids": [7], "result": [dog]})
    >>> trails.positions
    {7: [(25.0, 50.0), (35.0, 50.0)]}

    Args:
        seconds: how long a position is kept, above 0.
        anchor: the point of an object that is followed: ``"feet"``, the middle of the lower edge of
            its box, ``"centre"``, ``"head"``, or the name of a keypoint.

    Raises:
        ZooError: the anchor is unknown, or there are no seconds.
    """

    def __init__(self, seconds: float = 2.0, *, anchor: str = "feet"):
        if not isinstance(seconds, (int, float)) or not seconds > 0:
            raise ZooError(f"seconds={seconds!r:.80} must be above 0")
        self._seconds, self._anchor = seconds, checked_anchor(anchor)
        self._seen: IdMemory[list[_Seen]] = IdMemory()

    @property
    def positions(self) -> dict[int, list[XY]]:
        """The positions (x, y) of each id, the oldest first."""
        return {number: [seen.position for seen in way] for number, way in self._seen.items()}

    def update(self, moment: Moment) -> None:
        """Take the next moment of `zoo.watch`."""
        time = time_of(moment)
        self._seen.begin(time)
        for spot in spots(moment, self._anchor):
            if spot.id is not None:
                way = self._seen.get(spot.id) or []
                self._seen.put(spot.id, [*way, _Seen(time, (spot.x, spot.y))])
        for number, way in list(self._seen.items()):
            recent = [seen for seen in way if seen.time >= time - self._seconds]
            if recent:
                way[:] = recent
            else:
                self._seen.drop(number)

    def paint_on(self, surface: Surface) -> None:
        """Paint a line for each id, in its colour, thinner towards the past."""
        rims: list[Stroke] = []
        lines: list[Stroke] = []
        for number, positions in self.positions.items():
            way = _spaced(positions, _STEP * surface.thin)
            colour = hue_of({"id": number}) or INK
            for step, ends in enumerate(zip(way, way[1:], strict=False), 1):
                radius = surface.thin * (_THIN + (1 - _THIN) * step / (len(way) - 1))
                rims.append(Stroke(ends, INK, radius + rim_of(radius)))
                lines.append(Stroke(ends, colour, radius))
        surface.strokes([*rims, *lines])


def _spaced(way: list[XY], step: float) -> list[XY]:
    """Return the points of a way that lie at least a step from the one before, and its end.

    >>> _spaced([(0, 0), (1, 0), (5, 0), (6, 0)], 4)
    [(0, 0), (5, 0), (6, 0)]
    """
    spaced = way[:1]
    for position in way[1:]:
        if math.dist(position, spaced[-1]) >= step:
            spaced.append(position)
    return spaced if spaced[-1] == way[-1] else [*spaced, way[-1]]
