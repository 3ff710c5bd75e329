"""Base of the labelled clips for `tests.benchmarks.bench_events`: images, videos and time."""

import math
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

import zoo

SHARED = Path(os.environ.get("ZOO_SHARED", Path(__file__).resolve().parents[4] / "shared"))
IMAGES = SHARED / "images"

FPS = 25
EXPOSURE = 0.02  # seconds
SIZE = (640, 480)
PALM = 70  # pixels of the palm in clips of moving hands

Frames = Iterator[tuple[np.ndarray, float]]


@dataclass(frozen=True)
class Truth:
    """An event that a clip shows."""

    label: str
    time: float  # of the end of a movement; of the start or end of a state
    type: str = "happened"


@dataclass(frozen=True)
class Clip:
    """Frames with their times, and the events in them."""

    name: str
    task: str  # of zoo.watch
    frames: Callable[[], Frames]
    events: tuple[Truth, ...]


def read(name: str) -> np.ndarray:
    """An image of the shared folder, no longer than 960 pixels."""
    import cv2

    image = np.asarray(zoo.read_image(IMAGES / name))
    scale = min(960 / max(image.shape[:2]), 1)
    size = (round(image.shape[1] * scale), round(image.shape[0] * scale))
    return cv2.resize(image, size, interpolation=cv2.INTER_AREA)


@cache
def video(name: str) -> tuple[np.ndarray, ...]:
    """All frames of a video."""
    import cv2

    capture, frames = cv2.VideoCapture(str(IMAGES / "webcam" / name)), []
    while (found := capture.read())[0]:
        frames.append(np.ascontiguousarray(found[1][:, :, ::-1]))
    return tuple(frames)


def smooth(share: float) -> float:
    """How far a movement is that accelerates and slows down without jerks."""
    share = min(max(share, 0.0), 1.0)
    return share**3 * (10 - 15 * share + 6 * share**2)


def bump(time: float, start: float, seconds: float) -> float:
    """0, but for a smooth way to 1 and back."""
    share = (time - start) / seconds
    return math.sin(math.pi * share) ** 2 if 0 < share < 1 else 0.0
