"""Identities of objects from frame to frame.

Objects are matched by the similarity of their keypoints (OKS, as COCO and tfjs-models' keypoint
tracker have it, with one constant for all keypoints), or of the corners of their boxes, with the
positions where known objects are expected, and by the colours at the keypoints, which distinguish
two people of whom one hides the other; the rest is matched by distance. The pairs of each step are
those with the largest sum of similarities: people who pass each other keep their identities.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from zoo.shared.assignment import assign
from zoo.shared.filters import weight

#: Seconds for which an object that is not seen keeps its identity.
KEEP = 1.0

_SPREAD = 0.25  # distance of a keypoint, in object sizes, at which its similarity is 0.61
_SIMILAR = 0.3  # least similarity of an object and its predicted position
_REACH = 1.5  # farthest an object may have moved unexpectedly, in object sizes,
_REACH_GROWTH = 1.0  # and how much farther for each second in which it was not seen
_SIZE_RATIO = 2.0  # largest ratio of sizes of one object in two frames
_SPEED_CUTOFF = 0.7  # Hz, of the low-pass filter of speeds
_COAST = 0.5  # seconds: time constant with which unseen objects are expected to slow down
_VISIBLE = 0.2  # least score of a keypoint that counts
_COLOUR_SPREAD = 40.0  # mean difference of colours, 0..255, that objects of one kind have
_COLOUR_SHARE = 0.5  # of the similarity that depends on colours
_COLOUR_CUTOFF = 0.2  # Hz, of the low-pass filter of colours: they outlast a passer-by


class Sighting(NamedTuple):
    """One object in one frame."""

    points: np.ndarray  # [n, 2]: keypoints, or corners of the box, in pixels
    scores: np.ndarray  # [n], 0..1
    label: str = ""  # objects of different labels are different objects
    colours: np.ndarray | None = None  # [n, 3], 0..255: of the image at the points

    @property
    def size(self) -> float:
        """Size in pixels, at least 1: between the mean and the longer side of the points' box."""
        width, height = np.ptp(self.points[self.visible], axis=0)
        return max(1.0, float(np.sqrt(width * height)), float(max(width, height)) / 2)

    @property
    def visible(self) -> np.ndarray:
        """Whether each point counts; all where none is visible."""
        seen = self.scores >= _VISIBLE
        return seen if seen.any() else np.ones_like(seen)

    @property
    def centre(self) -> np.ndarray:
        """Mean [2] of the visible points."""
        centre: np.ndarray = self.points[self.visible].mean(axis=0)
        return centre


class _Track:
    """A known object."""

    def __init__(self, number: int, sighting: Sighting, time: float):
        self.id, self.last, self.seen_at = number, sighting, time
        self.speed = np.zeros(2)  # pixels per second
        self.colours = sighting.colours

    def expected(self, time: float) -> Sighting:
        """Return the object as expected at a time."""
        coasting = _COAST * (1 - np.exp((self.seen_at - time) / _COAST))
        return self.last._replace(points=self.last.points + self.speed * coasting)

    def see(self, sighting: Sighting, time: float) -> None:
        """Take a sighting of the object."""
        step = time - self.seen_at
        if step > 0 and len(sighting.points) == len(self.last.points):
            both = sighting.visible & self.last.visible
            both = both if both.any() else np.ones_like(both)
            moved = (sighting.points - self.last.points)[both].mean(axis=0) / step
            self.speed = self.speed + weight(np.array(_SPEED_CUTOFF), step) * (moved - self.speed)
        self._see_colours(sighting, time - self.seen_at)
        self.last, self.seen_at = sighting, time

    def _see_colours(self, sighting: Sighting, step: float) -> None:
        known, new = self.colours, sighting.colours
        if known is None or new is None or known.shape != new.shape:
            self.colours = new
            return
        share = np.where(sighting.visible, weight(np.array(_COLOUR_CUTOFF), step), 0.0)
        self.colours = known + share[:, None] * (new - known)


class Tracker:
    """Gives objects numbers that they keep from frame to frame, and for 1 s while unseen.

    >>> tracker = Tracker()
    >>> corners = np.array([[0.0, 0.0], [9.0, 9.0]])
    >>> one, other = Sighting(corners, np.ones(2)), Sighting(corners + 100, np.ones(2))
    >>> tracker.update([one, other], 0.0), tracker.update([other, one], 0.1)
    ([1, 2], [2, 1])
    """

    def __init__(self) -> None:
        self._tracks: list[_Track] = []
        self._count = 0

    def forget(self) -> None:
        """Forget all objects, such as after a cut; later ones get new numbers."""
        self._tracks = []

    def update(self, seen: Sequence[Sighting], time: float) -> list[int]:
        """Return the number of each object of a frame, 1 or more.

        Args:
            seen: the objects of the frame.
            time: of the frame in seconds, later than in the call before.
        """
        self._tracks = [track for track in self._tracks if time - track.seen_at <= KEEP]
        found: dict[int, _Track] = {}
        self._match(seen, found, time, _expected_similarity, _SIMILAR)
        self._match(seen, found, time, _closeness, 0.0)
        for index, sighting in enumerate(seen):
            if index not in found:
                self._count += 1
                found[index] = _Track(self._count, sighting, time)
                self._tracks.append(found[index])
            else:
                found[index].see(sighting, time)
        return [found[index].id for index in range(len(seen))]

    def _match(
        self,
        seen: Sequence[Sighting],
        matches: "dict[int, _Track]",
        time: float,
        similarity: "_Similarity",
        least: float,
    ) -> None:
        """Add the pairs of a step to those that are found."""
        taken = {track.id for track in matches.values()}
        tracks = [track for track in self._tracks if track.id not in taken]
        free = [index for index in range(len(seen)) if index not in matches]
        if not tracks or not free:
            return
        values = np.array([[similarity(t, seen[i], time) for i in free] for t in tracks])
        for row, column in assign(-np.maximum(values, least)):
            if values[row, column] > least:
                matches[free[column]] = tracks[row]


class _Similarity(Protocol):
    """Similarity of a track and a sighting at a time; larger is better."""

    def __call__(self, track: _Track, sighting: Sighting, time: float, /) -> float: ...


def _fits(track: _Track, sighting: Sighting) -> bool:
    """Return whether the sighting may be one of the track at all."""
    if track.last.label != sighting.label or len(track.last.points) != len(sighting.points):
        return False
    sizes = track.last.size, sighting.size
    return max(sizes) <= _SIZE_RATIO * min(sizes)


def _expected_similarity(track: _Track, sighting: Sighting, time: float) -> float:
    """Return the mean similarity of keypoints, 0..1, with those expected."""
    if not _fits(track, sighting):
        return 0.0
    expected = track.expected(time)
    both = expected.visible & sighting.visible
    both = both if both.any() else np.ones_like(both)
    away = np.hypot(*(expected.points - sighting.points)[both].T)
    scaled = away / (_SPREAD * (track.last.size + sighting.size) / 2)
    return float(np.exp(-(scaled**2) / 2).mean()) * _likeness(track, sighting)


def _likeness(track: _Track, sighting: Sighting) -> float:
    """Return how like the colours of a track and a sighting are, up to 1; 1 where unknown."""
    known, new = track.colours, sighting.colours
    if known is None or new is None or known.shape != new.shape:
        return 1.0
    away = np.abs(known - new)[sighting.visible].mean() / _COLOUR_SPREAD
    return float(1 - _COLOUR_SHARE * (1 - np.exp(-(away**2) / 2)))


def _closeness(track: _Track, sighting: Sighting, time: float) -> float:
    """Return how much nearer a sighting is than the farthest that a track may reach, 0..1."""
    if not _fits(track, sighting):
        return 0.0
    reach = _REACH + _REACH_GROWTH * (time - track.seen_at)
    size = (track.last.size + sighting.size) / 2
    away = min(
        float(np.hypot(*(sighting.centre - seen.centre)))
        for seen in (track.expected(time), track.last)
    )
    return max(0.0, 1 - away / (reach * size))
