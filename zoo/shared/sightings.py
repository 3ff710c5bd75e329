"""Objects as they are seen in one frame: the extents, overlaps and colours by which they compare.

Forms of one kind have the same number of points, those of several kinds are padded: arrays of them
are [objects, n, 2], with an array [objects, n] that says which points are visible.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

_VISIBLE = 0.2  # least score of a point that counts
_COLOUR_SPREAD = 40.0  # mean difference of colours, 0..255, that objects of one kind have
_COLOUR_SHARE = 0.5  # of the similarity that depends on colours


@dataclass(frozen=True)
class Sighting:
    """One object in one frame."""

    points: np.ndarray  # [n, 2]: keypoints, or corners of the box, in pixels
    scores: np.ndarray  # [n], 0..1
    label: str = ""
    colours: np.ndarray | None = None  # [m, 3], 0..255, of its parts; NaN where one is not seen

    @cached_property
    def visible(self) -> np.ndarray:
        """Whether each point counts; all where none is visible."""
        seen = self.scores >= _VISIBLE
        return seen if seen.any() else np.ones_like(seen)

    @cached_property
    def is_whole(self) -> bool:
        """Whether all points count."""
        return bool(self.visible.all())

    @cached_property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """The least and the largest coordinates [2] of the points that count."""
        if self.is_whole:  # as `_box` has them, in a third of the time
            return self.points.min(axis=0), self.points.max(axis=0)
        return _box(self.points, self.visible)

    @cached_property
    def extent(self) -> float:
        """The size in pixels, as of `extents`."""
        return float(_size(*self.bounds))

    @cached_property
    def middle(self) -> np.ndarray:
        """The mean [2] of the points that count."""
        if self.is_whole:
            return self.points.mean(axis=0)
        return mean_over(self.visible, self.points)

    def moved_from(self, before: "Sighting") -> np.ndarray:
        """Return the mean move [2] of the points that count in both sightings, in pixels."""
        if self.is_whole and before.is_whole:
            return self.middle - before.middle
        return mean_over(common(self.visible, before.visible), self.points - before.points)


def stacked(forms: Sequence[np.ndarray], count: int) -> np.ndarray:
    """Return arrays [n, ..] in one array [forms, count, ..]; shorter ones end with zeros."""
    if all(len(form) == count for form in forms):
        return np.array(forms)
    more = [np.zeros((count - len(form), *form.shape[1:]), form.dtype) for form in forms]
    return np.stack([np.concatenate(pair) for pair in zip(forms, more, strict=True)])


def common(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return which points [.., n] are visible in both; all where none is."""
    both: np.ndarray = one & other
    return both | ~both.any(axis=-1, keepdims=True)


def mean_over(counted: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return the mean of values [.., n, k] over the points [.., n] that are counted."""
    counted = counted[..., None]
    mean: np.ndarray = (values * counted).sum(axis=-2) / counted.sum(axis=-2)
    return mean


def extents(points: np.ndarray, counted: np.ndarray) -> np.ndarray:
    """Return sizes [..] in pixels, at least 1: between mean and longer side of the points' box."""
    return _size(*_box(points, counted))


def _size(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    sides = high - low
    size = np.maximum(np.sqrt(sides.prod(axis=-1)), sides.max(axis=-1) / 2)
    larger: np.ndarray = np.maximum(size, 1.0)
    return larger


def overlap(
    one: np.ndarray, one_visible: np.ndarray, other: np.ndarray, other_visible: np.ndarray
) -> np.ndarray:
    """Return whether the boxes around the visible points of forms overlap, [ones, others]."""
    (one_low, one_high), (low, high) = _box(one, one_visible), _box(other, other_visible)
    shared_low = np.maximum(one_low[:, None], low[None])
    shared_high = np.minimum(one_high[:, None], high[None])
    overlapping: np.ndarray = (shared_high > shared_low).all(axis=-1)
    return overlapping


def _box(points: np.ndarray, counted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the least and the largest coordinates [.., 2] of the points [.., n, 2] that count."""
    counted = counted[..., None]
    low = np.where(counted, points, np.inf).min(axis=-2)
    return low, np.where(counted, points, -np.inf).max(axis=-2)


def colour_likeness(
    known: Sequence[np.ndarray | None], seen: Sequence[np.ndarray | None]
) -> np.ndarray:
    """Return how alike the colours of objects are, [known, seen], up to 1; 1 where unknown."""
    parts = max((len(each) for each in (*known, *seen) if each is not None), default=0)
    one, other = _coloured(known, parts), _coloured(seen, parts)
    away = np.abs(one[:, None] - other[None]).mean(axis=-1)
    both = ~np.isnan(away)
    mean = np.where(both, away, 0.0).sum(axis=-1) / np.maximum(both.sum(axis=-1), 1)
    alike: np.ndarray = 1 - _COLOUR_SHARE * (1 - np.exp(-((mean / _COLOUR_SPREAD) ** 2) / 2))
    return alike


def _coloured(objects: Sequence[np.ndarray | None], parts: int) -> np.ndarray:
    """Return colours [objects, parts, 3], NaN of the parts that are not there."""
    colours = np.full((len(objects), parts, 3), np.nan)
    for row, each in enumerate(objects):
        if each is not None:
            colours[row, : len(each)] = each
    return colours
