"""Post-processing of the results of frames: tracking, smoothing and events, by kind of result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import Any, NamedTuple, cast

import numpy as np

from zoo.live.events import EventFinder, LabelFilter, finder_for
from zoo.live.handedness import HandednessVote
from zoo.live.smoothing import SMOOTHING, ItemSmoother, LabelSmoother
from zoo.results.moments import Event
from zoo.results.vocabulary import Gesture, Hand, Result, kind_of
from zoo.shared.drafts import Draft, as_items
from zoo.shared.sightings import Sighting
from zoo.shared.skeletons import read_positions
from zoo.shared.tracking import SPEED, Tracker
from zoo.tasks.gestures.fingers import to_gesture
from zoo.tasks.gestures.verbs import BoundGestures

_MORE_LABELS = 20  # that are followed for the few that are shown

#: Kind of items -> sizes per second that they move unexpectedly, where it is not `SPEED`: a waving
#: hand moves by its length in two frames of 30 a second, a head turns within its outline.
_SPEEDS = {"hand": 15.0, "face": 8.0}

#: Parts of a box whose colours are compared: rows from top to bottom, such as head, trunk and legs.
_BOX_PARTS = 3

#: Pixels of each part of a box, along each side, whose colours are averaged.
_BOX_PIXELS = 8

#: Distance of the pixels about a keypoint whose colours are averaged, in heights of the object.
_PATCH = 0.01


#: Points by which an object is tracked; of a mesh, which has many more, every so many.
_MOST_POINTS = 40


class Treated(NamedTuple):
    """A result as a session returns it."""

    result: Result
    ids: list[int]
    events: list[Event]
    values: list[dict[str, Any]]
    more: Mapping[str, Any] = {}  # further keys of the moment


class Treatment:
    """Treats the results of successive frames; this one changes nothing.

    ``seconds`` has the time that each stage took in the last frame.
    """

    def __init__(self, options: Mapping[str, Any]):
        self.options = dict(options)  # that the verb gets
        self.of_follower: dict[str, Any] = {}  # that the model's follower gets
        self.seconds: dict[str, float] = {}

    def __call__(self, result: Result, time: float, pixels: np.ndarray, mirrored: bool) -> Treated:
        """Return the treated result of a frame."""
        return Treated(result, [], [], [])

    def finish(self) -> list[Event]:
        """Return the events that end with the last frame."""
        return []

    def timed(self, stage: str, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function, and add its time to a stage."""
        begun = perf_counter()
        value = function(*arguments)
        self.seconds[stage] = self.seconds.get(stage, 0.0) + perf_counter() - begun
        return value


class ItemTreatment(Treatment):
    """Tracks and smooths poses, hands, faces, detections and people with masks."""

    def __init__(self, options: Mapping[str, Any], *, smooth: bool, events: bool):
        self._strips_probability = smooth and bool(options.get("segmentation"))
        if self._strips_probability:  # masks are blended by their probabilities
            self._strips_probability = not options.get("probability")
            options = {**options, "probability": True}
        super().__init__(options)
        self._smooth, self._events = smooth, events
        self._tracker = Tracker()
        self._smoother: ItemSmoother | None = None
        self._sides = HandednessVote()
        self._finder: EventFinder | None = None
        self._kind = ""

    def __call__(self, result: Result, time: float, pixels: np.ndarray, mirrored: bool) -> Treated:
        """Return the treated items of a frame."""
        self.seconds = {}
        several = isinstance(result, list)
        every = cast("list[Any]", result if several else [result])
        items = [item for item in every if _has_place(item)]
        steady, ids = self.steady(items, time, pixels)
        events, values = self.found(steady, ids, time)
        if len(items) < len(every):  # nobody, or results without positions, such as labels
            return Treated(result, ids, events, values)
        return Treated(steady if several else steady[0], ids, events, values)

    def steady(
        self, items: list[Any], time: float, pixels: np.ndarray
    ) -> tuple[list[Any], list[int]]:
        """Return the smoothed items, and their numbers."""
        if items and not self._kind:
            self._begin(items[0])
        ids = self.timed("ids", self._identities, items, time, pixels)
        if self._smoother is None:
            return as_items(items), ids
        items = self.timed("ids", self._voted, items, ids, time, pixels)
        steady = self.timed("smoothing", self._smoother, items, ids, time)
        for item in steady if self._strips_probability else ():
            item["segmentation"] = {
                key: value for key, value in item["segmentation"].items() if key != "probability"
            }
        return steady, ids

    def found(
        self,
        items: Sequence[Mapping[str, Any]],
        ids: Sequence[int],
        time: float,
        labels: Sequence[str | None] | None = None,
    ) -> tuple[list[Event], list[dict[str, Any]]]:
        """Return the events of a frame, and the values of each item."""
        if self._finder is None:
            return [], [{} for _ in items]
        found = self.timed("events", self._finder.update, items, ids, time, labels)
        return cast("tuple[list[Event], list[dict[str, Any]]]", found)

    def finish(self) -> list[Event]:
        """Return the events that end with the last frame."""
        return self._finder.finish() if self._finder else []

    def _begin(self, item: Any) -> None:
        """Prepare for the kind of items that the model gives, which the first one shows."""
        [made] = as_items([item])
        kind = kind_of(made)
        self._kind = kind.name if kind else "unknown"
        self._tracker = Tracker(_SPEEDS.get(self._kind, SPEED))
        if self._smooth and self._kind in SMOOTHING:
            self._smoother = ItemSmoother(self._kind)
        self._finder = finder_for(self._kind) if self._events else None

    def _identities(self, items: Sequence[Any], time: float, pixels: np.ndarray) -> list[int]:
        return self._tracker.update([sighting_of(item, pixels) for item in items], time)

    def _voted(
        self,
        items: Sequence[Mapping[str, Any]],
        ids: Sequence[int],
        time: float,
        pixels: np.ndarray,
    ) -> Sequence[Mapping[str, Any]]:
        """Return the items with what most of their frames said, not this one alone."""
        if self._kind == "detection":
            labels = self._tracker.labels(ids)
            return [{**item, "label": name} for item, name in zip(items, labels, strict=True)]
        if self._kind == "hand":
            height, width = pixels.shape[:2]
            return self._sides(items, ids, time, (height, width))
        return items


class GestureTreatment(ItemTreatment):
    """Tracks hands, and stabilises the labels of their gestures."""

    def __init__(self, bound: BoundGestures, *, smooth: bool, events: bool):
        super().__init__(bound.hands.options, smooth=smooth, events=events)
        self._bound = bound
        self._labels = LabelFilter(enter=bound.score_threshold)

    def __call__(self, result: Result, time: float, pixels: np.ndarray, mirrored: bool) -> Treated:
        """Return the gestures of the hands in a frame."""
        self.seconds = {}
        hands, ids = self.steady(result, time, pixels)
        shown = self.timed("gestures", self._recognized, hands, mirrored)
        stable = self._stable(hands, ids, shown, time)
        labels = [gesture["label"] if gesture else None for gesture in stable]
        events, values = self.found(hands, ids, time, labels)  # events never flicker
        if self._smooth:
            shown = [gesture for gesture in stable if gesture is not None]
        else:
            shown = [g for g in shown if g["score"] >= self._bound.score_threshold]
        return Treated(shown, ids, events, values, {"hands": hands})

    def _recognized(self, hands: list[Hand], mirrored: bool) -> list[Gesture]:
        return self._bound.recognize(hands, score_threshold=self._labels.leave, mirror=mirrored)

    def _stable(
        self, hands: Sequence[Hand], ids: Sequence[int], gestures: Sequence[Gesture], time: float
    ) -> list[Gesture | None]:
        """Return the gesture of each hand by labels that do not flicker."""
        of_hand = {gesture["hand"]: gesture for gesture in gestures}
        found = [of_hand.get(index) for index in range(len(hands))]
        names = [gesture["label"] if gesture else None for gesture in found]
        scores = [gesture["score"] if gesture else 0.0 for gesture in found]
        stable = self._labels.update(ids, names, scores, time)
        return [
            label and to_gesture(label.label, label.score, index, hand)
            for index, (hand, label) in enumerate(zip(hands, stable, strict=True))
        ]


class LabelTreatment(Treatment):
    """Smooths the labels of whole images: scores are averaged over the last moments."""

    def __init__(self, options: Mapping[str, Any], top_k: int):
        super().__init__({**options, "top_k": max(top_k, _MORE_LABELS)})
        self._shown, self._smoother = top_k, LabelSmoother()

    def __call__(self, result: Result, time: float, pixels: np.ndarray, mirrored: bool) -> Treated:
        """Return the labels of a frame."""
        self.seconds = {}
        steady = self.timed("smoothing", self._smoother, result, time)
        return Treated(steady[: self._shown], [], [], [])


def _has_place(item: Any) -> bool:
    """Return whether an item has points or a box."""
    return isinstance(item, Draft) or bool(item.get("keypoints")) or "box" in item


def sighting_of(item: Mapping[str, Any] | Draft, pixels: np.ndarray) -> Sighting:
    """Return the points by which an item is tracked: keypoints, or the corners of the box."""
    if isinstance(item, Draft):
        points = item.points[:: max(1, len(item.points) // _MOST_POINTS), :2]
        scores = np.full(len(points), item.score_of_points)
        return _coloured_sighting(points, scores, pixels)
    keypoints = item.get("keypoints") or item.get("pose", {}).get("keypoints")
    if keypoints:
        shown = keypoints[:: max(1, len(keypoints) // _MOST_POINTS)]
        points = read_positions(shown, "xy")
        scores = np.array([point["score"] for point in shown])
        return _coloured_sighting(points, scores, pixels)
    x, y, width, height = (item["box"][key] for key in ("x", "y", "width", "height"))
    corners = np.array([[x, y], [x + width, y], [x + width, y + height], [x, y + height]])
    label = item.get("label", "")
    return Sighting(corners, np.ones(4), label, _colours_of_box(corners, pixels))


def _coloured_sighting(points: np.ndarray, scores: np.ndarray, pixels: np.ndarray) -> Sighting:
    """Return points [n, 2] with the colours about those that are sure."""
    sure = Sighting(points, scores).visible[:, None]
    return Sighting(points, scores, "", np.where(sure, _colours_at(points, pixels), np.nan))


def _colours_at(points: np.ndarray, pixels: np.ndarray) -> np.ndarray:
    """Return the mean colour of the nine pixels about each point, [n, 3]."""
    height, width = pixels.shape[:2]
    x, y = np.rint(np.clip(points.T, -1, 2**30)).astype(int)
    reach = np.array([[-1], [0], [1]]) * max(1, round(_PATCH * float(np.ptp(points[:, 1]))))
    rows, columns = (y + reach).clip(0, height - 1), (x + reach).clip(0, width - 1)
    # The points are the last axis but that of colours: sums along the first one are fast.
    around = pixels.reshape(-1, 3).take(rows[:, None] * width + columns, axis=0)
    colours: np.ndarray = around.reshape(9, -1, 3).sum(axis=0, dtype=int) / 9
    return colours


def _colours_of_box(corners: np.ndarray, pixels: np.ndarray) -> np.ndarray:
    """Return the mean colours of the parts of a box, [_BOX_PARTS, 3]; NaN beyond the image.

    The middle half of its width counts: beside a person is what is behind.
    """
    (left, top), (right, bottom) = corners[0], corners[2]
    height, width = pixels.shape[:2]
    count = _BOX_PARTS * _BOX_PIXELS
    rows = top + (np.arange(count) + 0.5) / count * (bottom - top)
    columns = left + (0.25 + (np.arange(_BOX_PIXELS) + 0.5) / (2 * _BOX_PIXELS)) * (right - left)
    y = np.clip(rows, 0, height - 1).astype(int)
    x = np.clip(columns, 0, width - 1).astype(int)
    parts = pixels[np.ix_(y, x)].reshape(_BOX_PARTS, -1, 3).mean(axis=1)
    inside = ((rows >= 0) & (rows < height)).reshape(_BOX_PARTS, -1).mean(axis=1) > 0.5
    return np.where(inside[:, None], parts, np.nan)
