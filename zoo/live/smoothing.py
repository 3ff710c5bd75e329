"""Temporal smoothing of keypoints, boxes, masks of items and scores of labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from zoo.shared.boxes import box_around, to_box
from zoo.shared.drafts import Draft
from zoo.shared.filters import GAP, OneEuro, OneEuroFilter, weight
from zoo.shared.mask_blending import MaskBlender
from zoo.shared.skeletons import read_positions, to_positions

#: Parameters of keypoints and boxes, by kind of result item. MediaPipe's graphs of poses and faces
#: have a cutoff of 0.05 Hz and a beta of 80: the noise of the points alone then raises the cutoff
#: so far that half of the noise remains. `zoo/docs/live.md` has both measured.
SMOOTHING = {
    "hand": OneEuro(min_cutoff=0.5, beta=20.0),
    "face": OneEuro(min_cutoff=0.5, beta=20.0),
    "pose": OneEuro(min_cutoff=0.5, beta=10.0),
    "detection": OneEuro(min_cutoff=0.5, beta=10.0),
}

#: Probability from which on a pixel is a person's, in the masks of poses.
LIKELY = 0.5

#: Cutoff in Hz of the low-pass filter of the scores of labels.
LABEL_CUTOFF = 1.0

# Pixels by which a box around points may differ from them.
_NEAR = 0.01

#: Keys of items whose values are lists of points: read and written together.
_POINT_KEYS = ("keypoints", "world")


class ItemSmoother:
    """Steadies the items of a kind that has keypoints or boxes, each by its number."""

    def __init__(self, kind: str):
        self._parameters = SMOOTHING[kind]
        self._filters: dict[int, _ItemFilters] = {}

    def __call__(
        self, items: Sequence[Mapping[str, Any] | Draft], ids: Sequence[int], time: float
    ) -> list[dict[str, Any]]:
        """Return the steadied items of a frame."""
        self._filters = {k: f for k, f in self._filters.items() if time - f.time <= GAP}
        steady = []
        for item, number in zip(items, ids, strict=True):
            if number not in self._filters:
                self._filters[number] = _ItemFilters(self._parameters)
            steady.append(self._filters[number](item, time))
        return steady


class _ItemFilters:
    """The filters of one item."""

    def __init__(self, parameters: OneEuro):
        self._parameters = parameters
        self._filters: dict[tuple[str, tuple[int, ...]], OneEuroFilter] = {}
        self._blend = MaskBlender()
        self.time = 0.0

    def __call__(self, item: Mapping[str, Any] | Draft, time: float) -> dict[str, Any]:
        self.time = time
        if isinstance(item, Draft):
            steady = self._of_draft(item, time)
        else:
            steady = self._of_item(item, time)
        mask = steady.get("segmentation")
        if mask is not None and "probability" in mask:
            likely = self._blend(mask["probability"], time)
            inside = (likely >= LIKELY).astype(np.uint8)
            steady["segmentation"] = {**mask, "mask": inside, "probability": likely}
        for side, points in steady.get("iris", {}).items():
            _, smooth = self._smoothed(side, points, time)
            steady["iris"] = {**steady["iris"], side: _moved(points, smooth)}
        return steady

    def _of_draft(self, draft: Draft, time: float) -> dict[str, Any]:
        """Return an item with steadied keypoints and box; see `_of_item`."""
        points = draft.points
        smooth = self._filter("keypoints", points, time, _size_of(points))
        box = self._box(draft.box.reshape(2, 2), (points, smooth), time)
        return draft._replace(points=smooth, box=box).item()

    def _of_item(self, item: Mapping[str, Any], time: float) -> dict[str, Any]:
        """Return an item with steadied points and box."""
        steady = dict(item)
        shown = None
        for key in _POINT_KEYS:
            if item.get(key):
                points, smooth = self._smoothed(key, item[key], time)
                steady[key] = _moved(item[key], smooth)
                shown = (points, smooth) if key == "keypoints" else shown
        if "box" in item:
            x, y, width, height = (item["box"][key] for key in ("x", "y", "width", "height"))
            corners = np.array([[x, y], [x + width, y + height]])
            steady["box"] = to_box(self._box(corners, shown, time))
        return steady

    def _filter(self, name: str, values: np.ndarray, time: float, size: float) -> np.ndarray:
        key = name, values.shape
        if key not in self._filters:
            self._filters[key] = OneEuroFilter(self._parameters)
        return self._filters[key](values, time, size)

    def _smoothed(
        self, name: str, points: Sequence[Mapping[str, Any]], time: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the positions [n, 2 or 3] of points, and the steadied ones."""
        values = read_positions(points)
        return values, self._filter(name, values, time, _size_of(values))

    def _box(
        self, corners: np.ndarray, shown: tuple[np.ndarray, np.ndarray] | None, time: float
    ) -> np.ndarray:
        """Return the box around the steadied keypoints if the item's is around those in it.

        Args:
            corners: of the item's box, [2, 2].
            shown: its keypoints, and the steadied ones; None without any.
            time: of the frame.
        """
        if shown is not None:
            points, smooth = shown
            inside = _within(points[:, :2], corners)
            if inside is not None:
                return box_around(smooth[inside, :2])
        return self._filter("box", corners, time, _size_of(corners)).reshape(-1)


def _moved(points: Sequence[Mapping[str, Any]], positions: np.ndarray) -> list[dict[str, Any]]:
    """Return points at other positions [n, 2 or 3]."""
    moved = to_positions(positions)
    return [{**point, "position": at} for point, at in zip(points, moved, strict=True)]


def _within(points: np.ndarray, corners: np.ndarray) -> np.ndarray | slice | None:
    """Return which points [n, 2] a box holds, bool [n] or all; None if it is not around these."""
    if bool((np.abs(box_around(points).reshape(2, 2) - corners) <= _NEAR).all()):
        return slice(None)
    low, high = corners[0] - _NEAR, corners[1] + _NEAR
    inside: np.ndarray = ((points >= low) & (points <= high)).all(axis=1)
    if not inside.any():
        return None
    around = box_around(points[inside]).reshape(2, 2)
    return inside if bool((np.abs(around - corners) <= _NEAR).all()) else None


def _size_of(points: np.ndarray) -> float:
    """Return the mean of the sides of the box around points, as MediaPipe scales speeds."""
    x0, y0, x1, y1 = box_around(points[:, :2]).tolist()
    return ((x1 - x0) + (y1 - y0)) / 2 or 1.0


class LabelSmoother:
    """Low-pass filter of the scores of a list of labels, such as that of `zoo.classify`."""

    def __init__(self) -> None:
        self._scores: dict[int, float] = {}
        self._names: dict[int, str] = {}
        self._time: float | None = None

    def __call__(self, labels: Sequence[Mapping[str, Any]], time: float) -> list[dict[str, Any]]:
        """Return the labels with filtered scores, best first."""
        now = {label["index"]: label["score"] for label in labels}
        self._names |= {label["index"]: label["label"] for label in labels}
        if self._time is None or time - self._time > GAP:
            self._scores = dict(now)
        else:
            share = weight(LABEL_CUTOFF, time - self._time)
            known = {**dict.fromkeys(now, 0.0), **self._scores}
            self._scores = {
                index: score + share * (now.get(index, 0.0) - score)
                for index, score in known.items()
            }
        self._time = time
        best = sorted(self._scores.items(), key=lambda pair: -pair[1])[: len(labels)]
        kept = {index for index, _ in best}
        self._scores = {i: s for i, s in self._scores.items() if i in kept or s > _FORGOTTEN_SCORE}
        return [
            {"label": self._names[index], "score": score, "index": index} for index, score in best
        ]


_FORGOTTEN_SCORE = 0.001  # of labels that are not in the list any more
