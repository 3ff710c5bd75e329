"""How far our *lite* models are from what MediaPipe's *full* ones see in clips of a webcam.

Run: ``python tests/benchmarks/webcam.py [CLIP ...] [every=N]``; clips are the rows of `CLIPS`, by
default all, and ``every=3`` takes each third frame. The clips and what tfjs-models' tests expect of
them are among the reference files (``ZOO_SHARED``). Each frame is taken for a picture of its own,
while the expected results follow a hand or body from frame to frame.

Prints, for each way to run a model: the distance of all points in per cent of the longer side of
the box around the expected ones (median, 90th percentile), the distance of the points in space in
millimetres, and in how many frames nothing was found; then a line of JSON.
"""

import json
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import zoo

SHARED = Path(os.environ.get("ZOO_SHARED", Path(__file__).resolve().parents[2].parent / "shared"))


@dataclass(frozen=True)
class Way:
    """A model, and how it is asked."""

    model: str
    options: Mapping[str, Any] = field(default_factory=dict)  # of the model
    arguments: Mapping[str, Any] = field(default_factory=dict)  # of the verb

    def __str__(self) -> str:
        given = {**self.options, **self.arguments}
        return " ".join([self.model, *(f"{name}={value}" for name, value in given.items())])


@dataclass(frozen=True)
class Clip:
    """A film, and what is expected of it: [frames, points, 3] in pixels, and in metres."""

    film: str
    expected: str
    expected_world: str
    verb: str
    ways: tuple[Way, ...]


CLIPS = {
    "hand": Clip(
        film="tfjs-models_asl_hand.25fps.mp4",
        expected="asl_hand.full.json",
        expected_world="asl_hand_3d.full.json",
        verb="estimate_hands",
        ways=(
            Way("hands.lite"),
            Way("hands.lite", arguments={"refine": False}),
            Way("hands.lite", {"detector": "palm.full"}),
            Way("hands.lite", {"detector": "handpose.palm"}),
        ),
    ),
    "pose": Clip(
        film="tfjs-models_pose_squats.mp4",
        expected="pose_squats.full.json",
        expected_world="pose_squats_3d.full.json",
        verb="estimate_single_pose",
        ways=(Way("blazepose.lite"), Way("blazepose.lite_tfjs")),
    ),
}


def frames_of(film: Path, every: int) -> Iterator[tuple[int, np.ndarray]]:
    """Number and pixels [height, width, 3] of each frame, RGB."""
    import cv2  # which needs the libraries of OpenGL

    capture, number = cv2.VideoCapture(str(film)), 0
    while True:
        there, frame = capture.read()
        if not there:
            return
        if number % every == 0:
            yield number, np.ascontiguousarray(frame[:, :, ::-1])
        number += 1


def read_expected(name: str) -> np.ndarray:
    """[frames, points, 3]."""
    return np.array(json.loads((SHARED / "images/webcam/reference-outputs" / name).read_text()))


def positions(points: list[dict[str, Any]]) -> np.ndarray:
    """[points, 3]."""
    return np.array([[p["position"][axis] for axis in "xyz"] for p in points])


def compare(found: Mapping[str, Any], expected: np.ndarray, world: np.ndarray) -> np.ndarray:
    """[2, points]: distances in per cent of the box, and in millimetres in space."""
    side = np.ptp(expected[:, :2], axis=0).max()
    flat = np.linalg.norm(positions(found["keypoints"])[:, :2] - expected[:, :2], axis=1)
    deep = np.linalg.norm(positions(found["world"]) - world, axis=1)
    return np.stack([flat / side * 100, deep * 1000])


def measure(clip: Clip, every: int) -> dict[str, dict[str, float]]:
    """The figures of each way, all ways on each frame in turn."""
    expected, world = read_expected(clip.expected), read_expected(clip.expected_world)
    models = [(way, zoo.load(way.model, **way.options)) for way in clip.ways]
    distances: dict[str, list[np.ndarray]] = {str(way): [] for way in clip.ways}
    frames = 0
    for number, frame in frames_of(SHARED / "images/webcam" / clip.film, every):
        frames += 1
        for way, model in models:
            found = getattr(model, clip.verb)(frame, **way.arguments)
            best = found[:1] if isinstance(found, list) else [found] if found["keypoints"] else []
            distances[str(way)] += [compare(one, expected[number], world[number]) for one in best]
    return {way: summary(several, frames) for way, several in distances.items()}


def summary(distances: list[np.ndarray], frames: int) -> dict[str, float]:
    """The figures of one way."""
    flat, deep = np.concatenate(distances, axis=1)
    return {
        "median_per_cent": round(float(np.median(flat)), 2),
        "90th_per_cent": round(float(np.percentile(flat, 90)), 2),
        "median_world_mm": round(float(np.median(deep)), 1),
        "frames": frames,
        "missed": frames - len(distances),
    }


def main(arguments: list[str]) -> None:
    """Print the figures of the clips named."""
    os.environ.setdefault("ZOO_WEIGHTS_MIRROR", str(SHARED / "weights"))
    every = next((int(x.removeprefix("every=")) for x in arguments if x.startswith("every=")), 1)
    names = [name for name in arguments if name in CLIPS] or list(CLIPS)
    results = {name: measure(CLIPS[name], every) for name in names}
    for name, ways in results.items():
        for way, figures in ways.items():
            print(f"{name:<6} {way:<36}", "  ".join(f"{k} {v:>5}" for k, v in figures.items()))
    print(json.dumps({"every": every, "results": results}))


if __name__ == "__main__":
    main(sys.argv[1:])
