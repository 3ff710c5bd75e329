"""Following objects from frame to frame: common parts of the followers of tasks.

A follower is a function of an image and its time that returns the result of a verb and remembers
where the objects were: a network looks at their regions, and the detector runs only when an object
was lost, when none is known, or from time to time where there may be more of them. So MediaPipe's
graphs work, which give the place of a missing object to the detector at every frame; here the
detector looks for further objects at intervals, and for the first one when something moves.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Protocol

import numpy as np

from zoo.pipeline.verb_signatures import ImageSource
from zoo.results.moments import Moment
from zoo.shared.boxes import box_around, overlap
from zoo.shared.placement import Region

#: Seconds after which a detector looks for further objects beside those that are followed.
SEARCH_INTERVAL = 0.5

#: Seconds within which a detector looks again where it has found nothing: so late at most an object
#: is found that came while much else moved, from 10 frames a second on.
EMPTY_INTERVAL = 0.2

#: Seconds after the first of several looks in vain, from look to look twice as many.
_FIRST_PAUSE = 0.03

_ROUNDING = 1e-3  # seconds, of the times of frames

#: Rows and columns of the cells whose brightness is compared, and the pixels of a cell.
_CELLS, _CELL_PIXELS = (24, 32), 16

#: Levels of brightness by which a cell changes where something moves: at least, and at most where
#: there is much noise; and how many cells change then.
_CHANGE, _MOST_CHANGE, _LEAST_CELLS = 8.0, 24.0, 3

#: Standard deviations of the noise that no cell exceeds, in median absolute deviations.
_BEYOND_NOISE = 5 * 1.48

#: A detected region that overlaps a followed one more shows no further object (MediaPipe's
#: min_similarity_threshold of AssociationNormRectCalculator).
SAME_REGION = 0.5


class Follower(Protocol):
    """Finds what a verb finds, frame by frame."""

    def __call__(self, image: np.ndarray, time: float) -> Any:
        """Return the result of the verb.

        Args:
            image: uint8 [height, width, 3], of one size in all calls.
            time: of the frame, in seconds, later than in the call before.
        """


class LiveSession(Protocol):
    """A function of frames; see `zoo.live.session.Session`."""

    def __call__(self, frame: ImageSource, time: float | None = None) -> Moment:
        """Return what a frame shows."""

    def reset(self) -> None:
        """Forget all frames: the next one begins a new stream."""

    def close(self) -> None:
        """End the session; its model stays loaded."""


class StillFollower:
    """Treats each frame as a still image."""

    def __init__(self, verb: Callable[..., Any], options: Mapping[str, Any]):
        self._verb, self._options = verb, dict(options)

    def __call__(self, image: np.ndarray, time: float) -> Any:
        """Return the result of the verb."""
        return self._verb(image, **self._options)


class Search:
    """Decides when a detector runs."""

    def __init__(self, interval: float = SEARCH_INTERVAL):
        self._interval = interval
        self._last: float | None = None
        self._time = self._time_before = 0.0  # of the last frame, and of the one before
        self._pause = 0.0  # after the last look, while nothing is known
        self._seen: np.ndarray | None = None  # the cells of the last look in vain
        self._moves = False  # whether something has moved between the last two looks

    def is_due(self, time: float, followed: int, most: int | None, image: np.ndarray) -> bool:
        """Return whether to detect before the followed objects are looked at.

        While nothing is known, a detector looks at once when something begins to move. Looks in
        vain become rarer, down to one in `EMPTY_INTERVAL`.

        Args:
            time: of the frame, in seconds.
            followed: number of known objects.
            most: the largest number that is wanted; None: any.
            image: the frame.
        """
        self._time_before, self._time = self._time, time
        if followed:
            self._pause, self._seen = 0.0, None
            if most is not None and followed >= most:
                return False
            return self._begin(time, self._interval)
        cells = brightness_of_cells(image)
        moves = self._seen is None or has_moved(self._seen, cells)
        if moves and not self._moves:
            self._pause, self._moves = 0.0, True
        if not self._begin(time, 0.0 if self._is_next_late() else self._pause):
            return False
        self._seen, self._moves = cells, moves
        self._pause = min(max(2 * self._pause, _FIRST_PAUSE), EMPTY_INTERVAL)
        return True

    def _is_next_late(self) -> bool:
        """Return whether `EMPTY_INTERVAL` is likely to be over before the next frame comes."""
        next_time = 2 * self._time - self._time_before
        return self._last is not None and next_time - self._last > EMPTY_INTERVAL + _ROUNDING

    def _begin(self, time: float, pause: float) -> bool:
        """Return whether a pause since the last look is over; if so, this is the next one."""
        if self._last is not None and time - self._last < pause - _ROUNDING:
            return False
        self._last = time
        return True

    def is_due_after_loss(self, time: float) -> bool:
        """Return whether to detect because an object was lost in this frame."""
        if self._last == time:
            return False
        self._last = time
        return True


def brightness_of_cells(image: np.ndarray) -> np.ndarray:
    """Return the brightness of parts of an image, [rows, columns], from some pixels of each.

    >>> brightness_of_cells(np.full((48, 64, 3), 7, np.uint8)).shape
    (24, 32)
    """
    samples = image.reshape(-1).take(_sampled_levels(*image.shape[:2]))
    cells: np.ndarray = samples.sum(axis=0, dtype=np.float32) / _CELL_PIXELS
    return cells.reshape(_CELLS)


@lru_cache(maxsize=8)
def _sampled_levels(height: int, width: int) -> np.ndarray:
    """Return the indices of the sampled levels among all of an image, [of a cell, cells].

    They are those of green, which weighs most.
    """
    rows = np.linspace(0, height - 1, _CELLS[0]).astype(int)
    columns = np.linspace(0, width - 1, _CELLS[1] * _CELL_PIXELS).astype(int)
    pixels = (rows[:, None] * width + columns).reshape(-1, _CELL_PIXELS)
    return np.ascontiguousarray(3 * pixels.T + 1)


def has_moved(before: np.ndarray, now: np.ndarray) -> bool:
    """Return whether some cells changed more than most, as they do where something moves.

    A lamp or the exposure of a camera changes all of them.

    >>> cells = np.zeros((24, 32), np.float32)
    >>> moved = cells.copy()
    >>> moved[3, 4:7] = 30
    >>> has_moved(cells, cells + 30), has_moved(cells, moved)
    (False, True)
    """
    change = now - before
    change = np.abs(change - _median(change))
    noise = _BEYOND_NOISE * _median(change)
    beyond = change > min(max(noise, _CHANGE), _MOST_CHANGE)
    return int(np.count_nonzero(beyond)) >= _LEAST_CELLS


def _median(cells: np.ndarray) -> float:
    """Return the upper median: `numpy.median` takes ten times as long for so few."""
    return float(np.sort(cells, axis=None)[cells.size // 2])


def new_regions(found: Sequence[Region], followed: Sequence[Region]) -> list[Region]:
    """Return the detected regions that show none of the followed objects.

    >>> followed = [Region(50, 50, 40, 40)]
    >>> new_regions([Region(52, 49, 40, 40), Region(200, 50, 40, 40)], followed)
    [Region(x=200, y=50, width=40, height=40, rotation=0.0)]
    """
    if not followed:
        return list(found)
    known = np.stack([box_around(region.corners()) for region in followed])
    return [
        region
        for region in found
        if overlap(box_around(region.corners()), known).max() <= SAME_REGION
    ]
