"""Clips of bodies: real squats and raised arms, and composed jumps."""

from collections.abc import Callable

import numpy as np

from tests.benchmarks.clips.clip_sources import FPS, Clip, Frames, Truth, video

_SQUATS = (3.3, 8.1)  # seconds at which she stands again, by looking at the frames


def squat_clip(name: str, change: Callable[[np.ndarray], np.ndarray], rate: float) -> Clip:
    """The video of squats, changed; the third squat does not end."""

    def frames() -> Frames:
        for number, frame in enumerate(video("tfjs-models_pose_squats.mp4")):
            yield change(frame), number / rate

    events = tuple(Truth("squat", time * 5 / rate) for time in _SQUATS)
    return Clip(f"squats, {name}", "pose", frames, events)


def smaller(frame: np.ndarray) -> np.ndarray:
    """A frame as from twice the distance."""
    import cv2

    return cv2.copyMakeBorder(
        cv2.resize(frame, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA),
        *(320, 320, 180, 180),
        cv2.BORDER_REPLICATE,
    )


def jump_clip(number: int, seed: int) -> Clip:
    """A standing person who goes up and down as in three jumps."""
    import cv2

    rng = np.random.default_rng(seed)
    times = [1.5 + 1.3 * k + rng.uniform(-0.2, 0.2) for k in range(3)]
    height, half = rng.uniform(0.08, 0.14), 0.24  # of the height of the image; seconds

    def frames() -> Frames:
        frame = video("tfjs-models_pose_squats.mp4")[number]
        frame = cv2.resize(frame, (360, 640), interpolation=cv2.INTER_AREA)
        for k in range(6 * FPS):
            up = max(max(1 - ((k / FPS - t) / half) ** 2, 0) for t in times)
            matrix = np.array([[1.0, 0, 0], [0, 1, -up * height * 640]])
            yield (
                cv2.warpAffine(frame, matrix, (360, 640), borderMode=cv2.BORDER_REPLICATE),
                k / FPS,
            )

    events = tuple(Truth("jump", time + half) for time in times)
    return Clip(f"jumps of frame {number}", "pose", frames, events)


def yoga_clip() -> Clip:
    """A woman in a lunge who raises her arms."""

    def frames() -> Frames:
        for number, frame in enumerate(video("pexels_yoga.mp4")):
            yield frame, number / FPS

    return Clip("yoga", "pose", frames, (Truth("arms_raised", 1.7, "started"),))
