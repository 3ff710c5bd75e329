"""Numbers of followed people: IDF1, HOTA and jumps beside ByteTrack and OC-SORT, on the same boxes.

Run: ``python -m tests.benchmarks.tracking [--mot FOLDER] [--stride N]``, with PyPI's package
``trackers`` installed. The clips are composed of people on the shared photos (``ZOO_SHARED``);
with ``--mot`` they are annotations of MOTChallenge: a folder of ``MOT17-02.txt``, .., the
``gt.txt`` of its training sequences. The boxes are the true ones of who is visible, with a
detector's usual errors.

HOTA, IDF1 and MOTA are per cent, all else counts, over all clips together: ``without overlap``
counts numbers whose box does not overlap their last one, ``to another`` those of them that are
then on another person.
"""

import argparse
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.benchmarks.tracking.clips import FPS, TrackedFrame, annotated, crowd
from tests.benchmarks.tracking.followers import (
    from_the_second_sighting,
    ours,
    ours_without_colours,
    peers,
)
from tests.benchmarks.tracking.measures import Scores, scores_of, total

#: Training sequences of MOT17 -> frames per second; the shared MOT16 ones have the same numbers.
_SEQUENCES = {
    "MOT17-02": 30.0,
    "MOT17-04": 30.0,
    "MOT17-05": 14.0,
    "MOT17-09": 30.0,
    "MOT17-10": 30.0,
    "MOT17-11": 30.0,
    "MOT17-13": 25.0,
}

#: Number of people, and pixels per second by which the camera turns, of composed clips.
_CROWDS = ((6, 0.0), (12, 0.0), (20, 0.0), (12, 60.0), (20, 60.0), (12, 120.0)) * 3

Clip = tuple[list[TrackedFrame], float]  # with its frames per second


def composed(stride: int) -> Iterator[Clip]:
    """Crowds of ten seconds."""
    for seed, (people, turns) in enumerate(_CROWDS):
        yield list(crowd(seed, people, 10.0, turns))[::stride], FPS / stride


def challenge(folder: Path, stride: int) -> Iterator[Clip]:
    """All sequences of MOT17 whose files are there."""
    for seed, (name, fps) in enumerate(_SEQUENCES.items()):
        if (folder / f"{name}.txt").exists():
            yield annotated(folder, name, fps, stride, seed), fps / stride


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mot", type=Path)
    parser.add_argument("--stride", type=int, default=1)
    given = parser.parse_args()
    followers = {
        "ours": ours,
        "ours, from the second sighting": from_the_second_sighting(ours),
        "the same, boxes alone": from_the_second_sighting(ours_without_colours),
        **peers(),
    }
    clips = challenge(given.mot, given.stride) if given.mot else composed(given.stride)
    found: dict[str, list[Scores]] = {name: [] for name in followers}
    for frames, rate in clips:
        for name, follow in followers.items():
            found[name].append(scores_of(frames, follow(frames, rate)))
    _print({name: total(scores) for name, scores in found.items()})


def _print(rows: Mapping[str, Mapping[str, float]]) -> None:
    columns = next(iter(rows.values()))
    print("| tracker |", " | ".join(columns), "|")
    print("| --- |" + " --- |" * len(columns))
    for name, figures in rows.items():
        values = (f"{v:.1f}" if isinstance(v, float) else str(v) for v in figures.values())
        print(f"| {name} |", " | ".join(values), "|")


if __name__ == "__main__":
    main()
