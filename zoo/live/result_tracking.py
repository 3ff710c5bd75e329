"""Post-processing of the results of frames: tracking, smoothing and events, by kind of result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import Any, NamedTuple, cast

import numpy as np

from zoo.live.events import EventFinder, LabelFilter, finder_for
from zoo.live.smoothing import SMOOTHING, ItemSmoother, LabelSmoother, MaskBlender
from zoo.results.moments import Event
from zoo.results.vocabulary import Gesture, Hand, Result, kind_of
from zoo.shared.tracking import Sighting, Tracker
from zoo.tasks.gestures.fingers import to_gesture
from zoo.tasks.gestures.verbs import BoundGestures

_MORE_LABELS = 20  # that are followed for the few that are shown

#: Distance of the pixels about a keypoint whose colours are averaged, in heights of the object.
_PATCH = 0.01


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
        self._finder: EventFinder | None = None
        self._kind = ""

    def __call__(self, result: Result, time: float, pixels: np.ndarray, mirrored: bool) -> Treated:
        """Return the treated items of a frame."""
        self.seconds = {}
        several = isinstance(result, list)
        every = result if several else [result]
        items = [item for item in every if item.get("keypoints") or "box" in item]
        steady, ids = self.steady(items, time, pixels)
        events, values = self.found(steady, ids, time)
        if len(items) < len(every):  # nobody, or results without positions, such as labels
            return Treated(result, ids, events, values)
        return Treated(steady if several else steady[0], ids, events, values)

    def steady(
        self, items: list[Any], time: float, pixels: np.ndarray
    ) -> tuple[list[Any], list[int]]:
        """Return the smoothed items, and their numbers."""
        ids = self.timed("ids", self._identities, items, time, pixels)
        if items and not self._kind:
            self._begin(items[0])
        if self._smoother is None:
            return items, ids
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

    def _begin(self, item: Mapping[str, Any]) -> None:
        """Prepare for the kind of items that the model gives, which the first one shows."""
        kind = kind_of(item)
        self._kind = kind.name if kind else "unknown"
        if self._smooth and self._kind in SMOOTHING:
            self._smoother = ItemSmoother(self._kind)
        self._finder = finder_for(self._kind) if self._events else None

    def _identities(
        self, items: Sequence[Mapping[str, Any]], time: float, pixels: np.ndarray
    ) -> list[int]:
        return self._tracker.update([sighting_of(item, pixels) for item in items], time)


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


class MaskTreatment(Treatment):
    """Smooths masks of people: each is blended with the one before."""

    def __init__(self, options: Mapping[str, Any], threshold: float):
        self._threshold, self._blender = threshold, MaskBlender()
        self._shows_probability = bool(options.get("probability"))
        super().__init__({**options, "probability": True})

    def __call__(self, result: Result, time: float, pixels: np.ndarray, mirrored: bool) -> Treated:
        """Return the mask of a frame."""
        self.seconds = {}
        likely = self.timed("smoothing", self._blender, result["probability"], time)
        steady = {**result, "mask": (likely >= self._threshold).astype(np.uint8)}
        if self._shows_probability:
            steady["probability"] = likely
        else:
            del steady["probability"]
        return Treated(steady, [], [], [])


def sighting_of(item: Mapping[str, Any], pixels: np.ndarray) -> Sighting:
    """Return the points by which an item is tracked: keypoints, or the corners of the box."""
    keypoints = item.get("keypoints") or item.get("pose", {}).get("keypoints")
    label = item["label"] if "label" in item and not keypoints else ""
    if keypoints:
        positions = [point["position"] for point in keypoints]
        points = np.array([[position["x"], position["y"]] for position in positions])
        scores = np.array([point["score"] for point in keypoints])
        return Sighting(points, scores, label, _colours_at(points, pixels))
    x, y, width, height = (item["box"][key] for key in ("x", "y", "width", "height"))
    corners = np.array([[x, y], [x + width, y], [x + width, y + height], [x, y + height]])
    return Sighting(corners, np.ones(4), label)


def _colours_at(points: np.ndarray, pixels: np.ndarray) -> np.ndarray:
    """Return the mean colour of the nine pixels about each point, [n, 3]."""
    height, width = pixels.shape[:2]
    x, y = (np.rint(np.clip(points, -1, 2**30)).astype(int)).T
    reach = np.array([-1, 0, 1]) * max(1, round(_PATCH * float(np.ptp(points[:, 1]))))
    rows = np.clip(y[:, None, None] + reach[:, None], 0, height - 1)
    columns = np.clip(x[:, None, None] + reach, 0, width - 1)
    colours: np.ndarray = pixels[rows, columns].mean(axis=(1, 2))
    return colours
