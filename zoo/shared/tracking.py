"""Identities of objects from frame to frame.

Objects are matched by the similarity of their keypoints (OKS, as COCO and tfjs-models' keypoint
tracker have it, with one constant for all keypoints), or of the corners of their boxes, with the
positions where known objects are expected, and by their colours, which distinguish two people of
whom one hides the other. What is left is matched with the positions where objects were last seen
(as OC-SORT does), and then by distance. The pairs of each step are those with the largest sum of
similarities: people who pass each other keep their identities.

Two forms are compared by the points that are visible in both. How far an object may have moved
depends on the time since the last frame, not on the time for which it was hidden: a place where
somebody is expected after a while is soon that of a neighbour. The camera's own movement is the one
that most objects share (SORT's successors take it from the image instead); it moves hidden ones,
too.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from zoo.shared.assignment import assign
from zoo.shared.filters import weight
from zoo.shared.sightings import (
    Sighting,
    colour_likeness,
    common,
    extents,
    mean_over,
    overlap,
    stacked,
)

#: Seconds for which an object that is not seen keeps its identity, and frames, where these are
#: farther apart.
KEEP = 1.0
KEEP_FRAMES = 3

#: Object sizes per second that an object may move unexpectedly; people, and what is not named.
SPEED = 3.0

_SPREAD = 0.25  # distance of a point, in object sizes, at which its similarity is 0.61,
_SPREAD_GROWTH = 0.3  # and how much more for each second since the last frame
_SIMILAR = 0.3  # least similarity of an object and its expected position
_SAME = 0.7  # least similarity at which another label is a mistake of the detector
_REACH = 1.5  # farthest an object may have moved, in object sizes, however long ago it was seen
_LATER = 0.2  # of that speed, for the time for which an object was hidden
_SLOW = 0.3  # sizes that it moves between frames, below which it overlaps where it was
_SIZE_RATIO = 2.0  # largest ratio of sizes of one object in two frames
_SIZE_NOISE = 0.1  # of an object's size, by which the extent of some of its points is uncertain
_SPEED_CUTOFF = 0.5  # Hz, of the low-pass filter of speeds
_DOUBT = 0.3  # of the similarity, for each second for which an object was hidden
_KNOWN = 5  # sightings after which the speed of an object is known
_ALIKE = 0.9  # least likeness of colours by which an object is recognized
_COAST = 1.0  # seconds: time constant with which unseen objects are expected to slow down
_COLOUR_CUTOFF = 0.2  # Hz, of the low-pass filter of colours: they outlast a passer-by
_CAMERA_OBJECTS = 5  # fewest objects whose common movement is the camera's
_CAMERA_CUTOFF = 1.0  # Hz, of the low-pass filter of the camera's speed


class _Track:
    """A known object."""

    def __init__(self, number: int, sighting: Sighting, time: float):
        self.id, self.last, self.seen_at = number, sighting, time
        self.size = sighting.extent
        self.speed = np.zeros(2)  # pixels per second, against the background
        self.drift = np.zeros(2)  # pixels by which the background moved since the last sighting
        self.colours = sighting.colours
        self.labels = Counter([sighting.label])
        self.sightings = 1
        self.unseen = 0  # frames since the last sighting

    @property
    def label(self) -> str:
        """The label that the object had in most frames."""
        return max(self.labels, key=self.labels.__getitem__)

    @property
    def known(self) -> np.ndarray:
        """The points [n, 2] where an object that does not move is now."""
        points: np.ndarray = self.last.points + self.drift
        return points

    def expected(self, time: float) -> np.ndarray:
        """Return the points [n, 2] as expected at a time."""
        coasting = _COAST * (1 - np.exp((self.seen_at - time) / _COAST))
        points: np.ndarray = self.known + self.speed * coasting
        return points

    def moved(self, sighting: Sighting) -> np.ndarray:
        """Return the pixels [2] by which the object moved in the image."""
        return sighting.moved_from(self.last)

    def see(self, sighting: Sighting, time: float, growth: float) -> None:
        """Take a sighting of the object, which looks larger by a factor."""
        step = time - self.seen_at
        # The first speeds are averaged, since nothing was known before.
        share = max(weight(_SPEED_CUTOFF, step), 1 / self.sightings)
        self.speed += share * ((self.moved(sighting) - self.drift) / step - self.speed)
        extent = sighting.extent
        hidden = not sighting.is_whole  # then its size is what it was, nearer or farther
        self.size = max(extent, self.size * growth) if hidden else extent
        self._see_colours(sighting.colours, step)
        self.labels[sighting.label] += 1
        self.last, self.seen_at, self.unseen = sighting, time, 0
        self.drift = np.zeros(2)
        self.sightings += 1

    def _see_colours(self, new: np.ndarray | None, step: float) -> None:
        known = self.colours
        if known is None or new is None or known.shape != new.shape:
            self.colours = new
            return
        share = weight(_COLOUR_CUTOFF, step)
        mixed = known + share * (new - known)
        self.colours = np.where(np.isnan(new), known, np.where(np.isnan(known), new, mixed))


class Tracker:
    """Gives objects numbers that they keep from frame to frame, and for 1 s while unseen.

    >>> tracker = Tracker()
    >>> corners = np.array([[0.0, 0.0], [9.0, 9.0]])
    >>> one, other = Sighting(corners, np.ones(2)), Sighting(corners + 100, np.ones(2))
    >>> tracker.update([one, other], 0.0), tracker.update([other, one], 0.1)
    ([1, 2], [2, 1])

    Args:
        speed: object sizes per second that objects may move unexpectedly.
    """

    def __init__(self, speed: float = SPEED) -> None:
        self._speed = speed
        self._tracks: list[_Track] = []
        self._count = 0
        self._time = 0.0  # of the last frame
        self._camera = np.zeros(2)  # pixels per second by which the background moves

    def update(self, seen: Sequence[Sighting], time: float) -> list[int]:
        """Return the number of each object of a frame, 1 or more.

        Args:
            seen: the objects of the frame.
            time: of the frame in seconds, later than in the call before.
        """
        step, self._time = time - self._time, time
        for track in self._tracks:
            track.unseen += 1
        self._tracks = [
            track
            for track in self._tracks
            if time - track.seen_at <= KEEP or track.unseen <= KEEP_FRAMES
        ]
        numbers = [0] * len(seen)
        if self._tracks and seen:
            for row, column in self._matched(seen, step):
                numbers[column] = self._tracks[row].id
        for index, sighting in enumerate(seen):
            if not numbers[index]:
                self._count += 1
                numbers[index] = self._count
                self._tracks.append(_Track(self._count, sighting, time))
        return numbers

    def labels(self, numbers: Sequence[int]) -> list[str]:
        """Return the label that each object of the last frame had in most of its frames."""
        known = {track.id: track.label for track in self._tracks}
        return [known[number] for number in numbers]

    def _matched(self, seen: Sequence[Sighting], step: float) -> list[tuple[int, int]]:
        """Return pairs of tracks and sightings, by index, after showing each track its sighting."""
        if self._goes_on(seen, step):
            self._tracks[0].see(seen[0], self._time, 1.0)
            return [(0, 0)]
        self._shift(self._camera * step)
        pairs = _Pairs(self._tracks, seen, self._time, step, self._speed)
        found = pairs.matched()
        self._see_camera([(self._tracks[row], seen[column]) for row, column in found], step)
        for row, column in found:
            self._tracks[row].see(seen[column], self._time, float(pairs.growth[row, column]))
        return found

    def _goes_on(self, seen: Sequence[Sighting], step: float) -> bool:
        """Return whether the one object of the frame is, at a glance, the one of the frame before.

        `_Pairs` would find the same, by more comparisons: whole forms of about one size, which
        overlap and lie within reach, are of one object whatever they look like.
        """
        if len(self._tracks) != 1 or len(seen) != 1 or self._camera.any():
            return False
        [track], [now] = self._tracks, seen
        before = track.last
        is_alike = track.unseen == 1 and now.label in (track.label, before.label)
        if not is_alike or len(now.points) != len(before.points):
            return False
        if not (now.is_whole and before.is_whole):
            return False
        noise = _SIZE_NOISE * track.size
        growth = (now.extent + noise) / (before.extent + noise)
        (low, high), (new_low, new_high) = before.bounds, now.bounds
        touches = bool(((new_low < high) & (low < new_high)).all())
        away = float(np.hypot(*(now.middle - before.middle)))
        reach = track.size * growth**0.5 * min(_REACH, self._speed * step)
        return touches and 1 / _SIZE_RATIO <= growth <= _SIZE_RATIO and away < reach

    def _shift(self, pixels: np.ndarray) -> None:
        """Move the places of all objects."""
        for track in self._tracks:
            track.drift = track.drift + pixels

    def _see_camera(self, found: Sequence[tuple[_Track, Sighting]], step: float) -> None:
        """Follow the camera by the median movement of the objects that are in both frames."""
        known = [pair for pair in found if pair[0].unseen == 1 and pair[0].sightings > 1]
        if len(known) < _CAMERA_OBJECTS:
            self._camera = np.zeros(2)
            return
        move = np.median([track.moved(sighting) for track, sighting in known], axis=0)
        self._shift(move - self._camera * step)
        share = weight(_CAMERA_CUTOFF, step)
        self._camera = self._camera + share * (move / step - self._camera)


class _Pairs:
    """Each known object compared with each that is seen: arrays are [tracks, sightings, ..]."""

    def __init__(
        self,
        tracks: Sequence[_Track],
        seen: Sequence[Sighting],
        time: float,
        step: float,
        speed: float,
    ):
        forms = [track.last for track in tracks]
        count = max(len(form.points) for form in (*forms, *seen))
        self._expected = stacked([track.expected(time) for track in tracks], count)
        self._known = stacked([track.known for track in tracks], count)
        self._points = stacked([each.points for each in seen], count)
        before = stacked([form.visible for form in forms], count)
        visible = stacked([each.visible for each in seen], count)
        self._common = common(before[:, None], visible[None])
        self._spread = _SPREAD + _SPREAD_GROWTH * step
        sizes = np.array([track.size for track in tracks])[:, None]
        noise = _SIZE_NOISE * sizes
        self.growth = extents(self._points[None], self._common) + noise
        self.growth /= extents(self._known[:, None], self._common) + noise
        self._sizes = sizes * np.sqrt(self.growth)
        self._fits = np.maximum(self.growth, 1 / self.growth) <= _SIZE_RATIO
        lengths = np.array([len(form.points) for form in forms])
        self._fits &= lengths[:, None] == np.array([len(each.points) for each in seen])
        hidden = np.array([time - track.seen_at - step for track in tracks])[:, None]
        self._reach = np.minimum(_REACH, speed * (step + _LATER * hidden))
        self._sureness = 1 - _DOUBT * np.minimum(hidden, 1.0)
        labels = [(track.label, track.last.label) for track in tracks]
        self._same_label = np.array([[each.label in own for each in seen] for own in labels])
        self._likeness = colour_likeness(
            [track.colours for track in tracks], [each.colours for each in seen]
        )
        self._awaited = self._fits
        if speed * step < _SLOW:
            last = stacked([form.points for form in forms], count)
            touches = overlap(last, before, self._points, visible)
            self._fits = self._fits & touches
            if not touches.all():
                there = overlap(self._expected, before, self._points, visible)
                touches = touches | (there & self._recognized(tracks))
            self._awaited = self._awaited & touches

    def _recognized(self, tracks: Sequence[_Track]) -> np.ndarray:
        """Return whether sightings where tracks should be are theirs, not of somebody else there.

        After more than a frame of hiding, the colours have to say so, too.
        """
        known = np.array([track.sightings >= _KNOWN for track in tracks])
        just_seen = np.array([track.unseen <= 2 for track in tracks])
        coloured = np.array([track.colours is not None for track in tracks])
        alike = coloured[:, None] & (self._likeness >= _ALIKE)
        return known[:, None] & (just_seen[:, None] | alike)

    def matched(self) -> list[tuple[int, int]]:
        """Return pairs of the indices of tracks and sightings that are the same objects."""
        found = self._best(self._similarity(self._expected, self._awaited), _SIMILAR, [])
        if len(found) < min(self._fits.shape):
            found = self._best(self._similarity(self._known, self._fits), _SIMILAR, found)
        if len(found) < min(self._fits.shape):
            found = self._best(self._closeness(), 0.0, found)
        return found

    def _similarity(self, points: np.ndarray, possible: np.ndarray) -> np.ndarray:
        """Return the mean similarity, 0..1, of tracks at these points [tracks, n, 2]."""
        away = np.linalg.norm(points[:, None] - self._points[None], axis=-1)
        scaled = away / (self._spread * self._sizes[..., None])
        alike = mean_over(self._common, np.exp(-(scaled**2) / 2)[..., None])[..., 0]
        allowed = possible & (self._same_label | (alike >= _SAME))
        return np.where(allowed, alike * self._likeness * self._sureness, 0.0)

    def _closeness(self) -> np.ndarray:
        """Return how much nearer sightings are than the reach of tracks, 0..1."""
        there = mean_over(self._common, self._points[None])
        away = [
            np.linalg.norm(mean_over(self._common, points[:, None]) - there, axis=-1)
            for points in (self._expected, self._known)
        ]
        near = 1 - np.minimum(*away) / (self._sizes * self._reach)
        return np.where(self._fits & self._same_label, near, 0.0)

    @staticmethod
    def _best(
        values: np.ndarray, least: float, found: list[tuple[int, int]]
    ) -> list[tuple[int, int]]:
        """Return found pairs, and of what is left those with the largest sum of values."""
        taken = {row for row, _ in found}, {column for _, column in found}
        rows, columns = (
            [i for i in range(count) if i not in of]
            for count, of in zip(values.shape, taken, strict=True)
        )
        if not rows or not columns:
            return found
        left = values[np.ix_(rows, columns)]
        pairs = assign(-np.maximum(left, least))
        return found + [(rows[r], columns[c]) for r, c in pairs if left[r, c] > least]
