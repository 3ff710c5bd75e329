"""Our tracker and those of PyPI's package `trackers`, on the same boxes."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tests.benchmarks.tracking.clips import TrackedFrame
from zoo.live.result_tracking import sighting_of
from zoo.shared.tracking import Tracker


class Numbered(NamedTuple):
    """The objects of a frame that a tracker numbered."""

    numbers: np.ndarray  # int [m]
    boxes: np.ndarray  # [m, 4]: x, y, width, height


Follower = Callable[[Sequence[TrackedFrame], float], list[Numbered]]


def ours(frames: Sequence[TrackedFrame], rate: float) -> list[Numbered]:
    """`zoo.watch`'s tracker, with the colours of the frames where there are any."""
    return _ours(frames, coloured=True)


def ours_without_colours(frames: Sequence[TrackedFrame], rate: float) -> list[Numbered]:
    """`zoo.watch`'s tracker, with the boxes alone, as the others have them."""
    return _ours(frames, coloured=False)


def from_the_second_sighting(follow: Follower) -> Follower:
    """A tracker without the first sighting of each number, as the others leave them out.

    They give no number to what is seen once, such as most mistakes of a detector.
    """

    def follow_known(frames: Sequence[TrackedFrame], rate: float) -> list[Numbered]:
        known: set[int] = set()
        numbered = []
        for numbers, boxes in follow(frames, rate):
            again = np.array([number in known for number in numbers.tolist()], bool)
            known.update(numbers.tolist())
            numbered.append(Numbered(numbers[again], boxes[again]))
        return numbered

    return follow_known


def _ours(frames: Sequence[TrackedFrame], *, coloured: bool) -> list[Numbered]:
    tracker, nothing = Tracker(), np.zeros((1, 1, 3), np.uint8)
    numbered = []
    for frame in frames:
        image = nothing if frame.image is None else frame.image
        seen = [
            sighting_of({"label": "person", "box": _box(box)}, image)
            for box in frame.found.tolist()
        ]
        if not coloured or frame.image is None:
            seen = [each._replace(colours=None) for each in seen]
        numbered.append(Numbered(np.array(tracker.update(seen, frame.time), int), frame.found))
    return numbered


def _box(values: Sequence[float]) -> dict[str, float]:
    return dict(zip(("x", "y", "width", "height"), values, strict=True))


def peers() -> dict[str, Follower]:
    """ByteTrack and OC-SORT, as installed, and with the settings that follow from the first frame.

    As installed they give no number to a new object for some frames and to boxes below 0.7 or 0.6;
    all boxes here are above 0.5.
    """
    import trackers

    first = {"minimum_consecutive_frames": 1, "high_conf_det_threshold": 0.5}
    byte, ocsort = trackers.ByteTrackTracker, trackers.OCSORTTracker
    return {
        "ByteTrack, as installed": _peer(byte),
        "ByteTrack": _peer(byte, track_activation_threshold=0.5, **first),
        "OC-SORT, as installed": _peer(ocsort),
        "OC-SORT": _peer(ocsort, **first),
    }


def _peer(tracker_class: Callable[..., Any], **settings: float) -> Follower:
    def follow(frames: Sequence[TrackedFrame], rate: float) -> list[Numbered]:
        import supervision

        tracker = tracker_class(frame_rate=rate, **settings)
        numbered = []
        for frame in frames:
            boxes = np.hstack([frame.found[:, :2], frame.found[:, :2] + frame.found[:, 2:]])
            seen = supervision.Detections(
                xyxy=boxes.astype(np.float32),
                confidence=frame.scores.astype(np.float32),
                class_id=np.zeros(len(boxes), int),
            )
            known = tracker.update(seen)
            followed = known.tracker_id >= 0 if len(known) else np.zeros(0, bool)
            corners = known.xyxy[followed]
            sizes = corners[:, 2:] - corners[:, :2]
            numbers = known.tracker_id[followed] if len(known) else np.zeros(0, int)
            numbered.append(Numbered(numbers, np.hstack([corners[:, :2], sizes])))
        return numbered

    return follow
