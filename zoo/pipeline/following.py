"""Following objects from frame to frame: common parts of the followers of tasks.

A follower is a function of an image and its time that returns the result of a verb and remembers
where the objects were: a network looks at their regions, and the detector runs only when an object
was lost, when none is known, or from time to time where there may be more of them. So MediaPipe's
graphs work, which give the place of a missing object to the detector at every frame; here the
detector looks for further objects at intervals.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from zoo.pipeline.verb_signatures import ImageSource
from zoo.results.moments import Moment
from zoo.shared.boxes import box_around, overlap
from zoo.shared.placement import Region

#: Seconds after which a detector looks for further objects beside those that are followed.
SEARCH_INTERVAL = 0.5

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

    def is_due(self, time: float, followed: int, most: int | None) -> bool:
        """Return whether to detect before the followed objects are looked at.

        Args:
            time: of the frame, in seconds.
            followed: number of known objects.
            most: the largest number that is wanted; None: any.
        """
        if most is not None and followed >= most:
            return False
        if followed and self._last is not None and time - self._last < self._interval:
            return False
        self._last = time
        return True

    def is_due_after_loss(self, time: float) -> bool:
        """Return whether to detect because an object was lost in this frame."""
        if self._last == time:
            return False
        self._last = time
        return True


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
