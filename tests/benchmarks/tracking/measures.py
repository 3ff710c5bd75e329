"""HOTA, IDF1 and MOTA as TrackEval has them (of the package `trackers`), and jumps of numbers."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tests.benchmarks.tracking.clips import TrackedFrame
from tests.benchmarks.tracking.followers import Numbered


class Jumps(NamedTuple):
    """Continuations of numbers from one sighting to the next."""

    all: int
    without_overlap: int
    to_another: int  # without overlap, to another true person
    numbers: int  # that were given
    people: int


class Scores(NamedTuple):
    """What is measured of one clip."""

    hota: dict[str, Any]
    identity: dict[str, Any]
    clear: dict[str, Any]
    jumps: Jumps


def scores_of(frames: Sequence[TrackedFrame], numbered: Sequence[Numbered]) -> Scores:
    """Return the measures of a tracker on a clip."""
    from trackers.eval.clear import compute_clear_metrics
    from trackers.eval.hota import compute_hota_metrics
    from trackers.eval.identity import compute_identity_metrics

    people = _renamed([frame.people for frame in frames])
    numbers = _renamed([each.numbers for each in numbered])
    overlaps = [overlap(f.boxes, n.boxes) for f, n in zip(frames, numbered, strict=True)]
    given = people, numbers, overlaps
    return Scores(
        compute_hota_metrics(*given),
        compute_identity_metrics(*given),
        compute_clear_metrics(*given),
        _jumps(frames, numbered, overlaps),
    )


def total(scores: Sequence[Scores]) -> dict[str, float]:
    """Return the figures of all clips together; measures in per cent."""
    from trackers.eval.clear import aggregate_clear_metrics
    from trackers.eval.hota import aggregate_hota_metrics
    from trackers.eval.identity import aggregate_identity_metrics

    jumps = Jumps(*np.sum([each.jumps for each in scores], axis=0).tolist())
    clear = aggregate_clear_metrics([each.clear for each in scores])
    return {
        "HOTA": 100 * aggregate_hota_metrics([each.hota for each in scores])["HOTA"],
        "IDF1": 100 * aggregate_identity_metrics([each.identity for each in scores])["IDF1"],
        "MOTA": 100 * clear["MOTA"],
        "switches": clear["IDSW"],
        "continuations": jumps.all,
        "without overlap": jumps.without_overlap,
        "to another": jumps.to_another,
        "numbers": jumps.numbers,
        "people": jumps.people,
    }


def overlap(boxes: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return intersection over union, [n, m], of boxes x, y, width, height."""
    low = np.maximum(boxes[:, None, :2], others[None, :, :2])
    high = np.minimum(
        boxes[:, None, :2] + boxes[:, None, 2:], others[None, :, :2] + others[None, :, 2:]
    )
    shared = np.clip(high - low, 0, None).prod(axis=-1)
    areas = boxes[:, None, 2:].prod(axis=-1) + others[None, :, 2:].prod(axis=-1)
    return shared / np.maximum(areas - shared, 1e-9)


def _renamed(frames: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Return numbers 0, 1, .. in the order in which they appear."""
    known: dict[int, int] = {}
    return [
        np.array([known.setdefault(int(k), len(known)) for k in frame], int) for frame in frames
    ]


def _jumps(
    frames: Sequence[TrackedFrame], numbered: Sequence[Numbered], overlaps: Sequence[np.ndarray]
) -> Jumps:
    last: dict[int, tuple[int, np.ndarray]] = {}
    continuations = without = to_another = 0
    for frame, (numbers, boxes), shared in zip(frames, numbered, overlaps, strict=True):
        for column, number in enumerate(numbers.tolist()):
            who = _whose(frame.people, shared[:, column])
            if number in last:
                before, box = last[number]
                continuations += 1
                if not overlap(boxes[column : column + 1], box[None]).any():
                    without += 1
                    to_another += who >= 0 and before >= 0 and who != before
            last[number] = who, boxes[column]
    people = len(set(np.concatenate([frame.people for frame in frames]).tolist()))
    return Jumps(continuations, without, to_another, len(last), people)


def _whose(people: np.ndarray, shared: np.ndarray) -> int:
    """Return who is in a box, -1: nobody."""
    return int(people[shared.argmax()]) if len(shared) and shared.max() >= 0.5 else -1
