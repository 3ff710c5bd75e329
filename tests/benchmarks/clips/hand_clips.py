"""Clips of hands that move along stated paths, for `tests.benchmarks.bench_events`."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

import zoo
from tests.benchmarks.clips.clip_sources import (
    EXPOSURE,
    FPS,
    PALM,
    SIZE,
    Clip,
    Frames,
    Truth,
    read,
    smooth,
    video,
)


@dataclass(frozen=True)
class Source:
    """An image of a hand, with the middle of its palm and the length of it, in pixels."""

    image: np.ndarray
    centre: tuple[float, float]
    palm: float


@cache
def hand_source(name: str) -> Source:
    """A hand: a file, ``file@left`` or ``file@right`` for a half of it, or ``asl@FRAME``."""
    file, _, part = name.partition("@")
    if file == "asl":
        image = video("tfjs-models_asl_hand.25fps.mp4")[int(part)]
    else:
        image = read(file)
        half = image.shape[1] // 2
        image = {"": image, "left": image[:, :half], "right": image[:, half:]}[part]
        image = np.ascontiguousarray(image)
    hand = zoo.estimate_hands(image)[0]
    points = np.array([[p["position"]["x"], p["position"]["y"]] for p in hand["keypoints"]])
    centre = points[[0, 5, 9, 13, 17]].mean(axis=0)
    return Source(image, tuple(centre.tolist()), float(np.linalg.norm(points[9] - points[0])))


@dataclass(frozen=True)
class View:
    """How a clip is filmed."""

    fps: float = FPS
    palm: float = PALM  # pixels


_USUAL = View()

Pose = tuple[float, float, float]  # x and y in palms from the middle of the frame; degrees


def placed(source: Source, pose: Pose, mirrored: bool, border: int, palm: float) -> np.ndarray:
    """The frame with a hand at a place, turned about a point four palms below it."""
    import cv2

    x, y, degrees = pose
    scale = palm / source.palm
    angle = math.radians(degrees)
    turn = scale * np.array(
        [[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]]
    )
    if mirrored:
        turn = turn @ np.diag([-1.0, 1.0])
    elbow = np.array([0, 4 * source.palm])
    target = np.array([SIZE[0] / 2 + palm * x, SIZE[1] / 2 + palm * (y + 4)])
    offset = target - turn @ (np.array(source.centre) + elbow)
    matrix = np.hstack([turn, offset[:, None]])
    return cv2.warpAffine(source.image, matrix, SIZE, borderMode=border, borderValue=(255,) * 3)


def moving(
    names: tuple[str, ...],
    poses: tuple[Callable[[float], Pose], ...],
    seconds: float,
    view: View,
) -> Callable[[], Frames]:
    """Frames of one hand, or of several on white; every second one is a mirror image."""
    import cv2

    border = cv2.BORDER_REPLICATE if len(names) == 1 else cv2.BORDER_CONSTANT

    def frame_at(time: float) -> np.ndarray:
        layers = [
            placed(hand_source(name), pose(time), bool(k % 2), border, view.palm)
            for k, (name, pose) in enumerate(zip(names, poses, strict=True))
        ]
        return np.minimum.reduce(layers)

    def frames() -> Frames:
        for number in range(round(seconds * view.fps)):
            time = number / view.fps
            parts = [frame_at(time + share * EXPOSURE) for share in (-0.5, 0.0, 0.5)]
            yield np.mean(parts, axis=0).astype(np.uint8), time

    return frames


def along(stops: list[tuple[float, float, float]]) -> Callable[[float], Pose]:
    """A path through places (time, x, y), each way without jerks."""

    def pose(time: float) -> Pose:
        before = stops[0]
        for stop in stops[1:]:
            if time < stop[0]:
                share = smooth((time - before[0]) / (stop[0] - before[0]))
                x, y = (b + share * (s - b) for b, s in zip(before[1:], stop[1:], strict=True))
                return x, y, 0.0
            before = stop
        return before[1], before[2], 0.0

    return pose


_WAYS = {"right": (1, 0), "left": (-1, 0), "up": (0, -1), "down": (0, 1)}


def swipe_clip(name: str, seed: int, view: View = _USUAL) -> Clip:
    """Swipes to the four sides, each followed by a slower way back."""
    rng = np.random.default_rng(seed)
    stops, events, time = [(1.0, 0.0, 0.0)], [], 1.0
    for side in rng.permutation(list(_WAYS)):
        way, length, lasts = _WAYS[side], rng.uniform(2.5, 3.2), rng.uniform(0.25, 0.45)
        start = tuple(-0.5 * length * part for part in way)
        end = tuple(0.5 * length * part for part in way)
        stops += [(time + 1.2, *start), (time + 1.8, *start), (time + 1.8 + lasts, *end)]
        time += 1.8 + lasts
        events.append(Truth(f"swipe_{side}", time))
        stops += [(time + 0.5, *end), (time + 1.5, 0.0, 0.0)]
        time += 1.5
    frames = moving((name,), (along(stops),), time + 1, view)
    return Clip(f"swipes of {name}", "gestures", frames, tuple(events))


def drift_clip(name: str, seed: int, view: View = _USUAL) -> Clip:
    """Slow movements, small jerks and trembling, which are no events."""
    rng = np.random.default_rng(seed)
    stops, time = [(0.5, 0.0, 0.0)], 0.5
    for _ in range(3):
        x, y = rng.uniform(-2.5, 2.5), rng.uniform(-1.5, 1.5)
        time += 1.5 + 0.5 * math.hypot(x - stops[-1][1], y - stops[-1][2])
        stops.append((time, x, y))
        stops += [(time + 0.5, x, y), (time + 0.65, x + rng.uniform(-0.7, 0.7), y)]
        time += 1.0
        stops.append((time, *stops[-1][1:]))
    path, phases = along(stops), rng.uniform(0, 6, 2)

    def pose(now: float) -> Pose:
        x, y, _ = path(now)
        return x + 0.03 * math.sin(50 * now + phases[0]), y + 0.03 * math.sin(44 * now), 0.0

    return Clip(f"drifts of {name}", "gestures", moving((name,), (pose,), time + 0.5, view), ())


def wave_clip(name: str, seed: int, view: View = _USUAL) -> Clip:
    """A wave of the arm, and one from the elbow."""
    rng = np.random.default_rng(seed)
    starts, period = (1.0, 5.5), rng.uniform(0.55, 0.75)
    side, degrees = rng.uniform(0.5, 0.8), rng.uniform(9, 14)

    def pose(time: float) -> Pose:
        arm, elbow = (
            math.sin(2 * math.pi * (time - start) / period)
            if 0 < time - start < 3 * period
            else 0.0
            for start in starts
        )
        return side * arm, 0.0, degrees * elbow

    events = tuple(Truth("wave", start + 2.2 * period) for start in starts)
    return Clip(f"waves of {name}", "gestures", moving((name,), (pose,), 9, view), events)


def circle_clip(name: str, seed: int, view: View = _USUAL) -> Clip:
    """Two circles, one to each side."""
    rng = np.random.default_rng(seed)
    starts, signs = (1.0, 4.5), rng.permutation([1, -1])
    radius, period = rng.uniform(0.7, 1.2), rng.uniform(0.8, 1.4)

    def pose(time: float) -> Pose:
        angle = sum(
            sign * 2 * math.pi * min(max((time - start) / period, 0), 1)
            for sign, start in zip(signs, starts, strict=True)
        )
        return radius * math.sin(angle), radius * math.cos(angle), 0.0

    events = tuple(Truth("circle", start + period) for start in starts)
    return Clip(f"circles of {name}", "gestures", moving((name,), (pose,), 8, view), events)


def clap_clip(name: str, seed: int, view: View = _USUAL) -> Clip:
    """Three claps of a hand and its mirror image."""
    rng = np.random.default_rng(seed)
    claps = [1.5 + 1.2 * k + rng.uniform(-0.2, 0.2) for k in range(3)]
    lasts = rng.uniform(0.45, 0.65)

    def gap(time: float) -> float:
        shares = [(time - clap) / lasts + 0.5 for clap in claps]
        nearest = max(math.sin(math.pi * s) ** 2 if 0 < s < 1 else 0.0 for s in shares)
        return 1.4 - 0.95 * nearest

    # The arm of the first hand comes from the right, so that it hides nothing of the other hand.
    poses = tuple((lambda time, sign=sign: (sign * gap(time), 0.0, 0.0)) for sign in (1, -1))
    events = tuple(Truth("clap", clap) for clap in claps)
    return Clip(f"claps of {name}", "gestures", moving((name, name), poses, 5.5, view), events)
