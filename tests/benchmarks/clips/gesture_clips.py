"""Clips of people who make gestures, or none, for `tests.benchmarks.bench_events`."""

import math
from collections.abc import Callable

import numpy as np

from tests.benchmarks.clips.clip_sources import FPS, IMAGES, Clip, Frames, Truth, read


def hand_held(image: np.ndarray, seconds: float, rate: float, rng: np.random.Generator) -> Frames:
    """An image as a camera that a person holds shows it: it moves and zooms a little."""
    import cv2

    height, width = image.shape[:2]
    phases = rng.uniform(0, 2 * math.pi, 3)
    for number in range(round(seconds * rate)):
        time = number / rate
        shift = [0.008 * width * math.sin(1.7 * time + p) for p in phases[:2]]
        zoom = 1.04 + 0.02 * math.sin(0.9 * time + phases[2])
        matrix = np.array(
            [[zoom, 0, (1 - zoom) * width / 2 + shift[0]]]
            + [[0, zoom, (1 - zoom) * height / 2 + shift[1]]]
        )
        yield cv2.warpAffine(image, matrix, (width, height)), time


def one_after_another(
    images: list[tuple[str, float]], seed: int, rate: float = FPS, size: int = 480
) -> Callable[[], Frames]:
    """Images for some seconds each, all in frames of one size."""
    import cv2

    def frames() -> Frames:
        rng, start = np.random.default_rng(seed), 0.0
        for name, seconds in images:
            image = read(name)
            side = max(image.shape[:2])
            square = np.zeros((side, side, 3), np.uint8)
            square[: image.shape[0], : image.shape[1]] = image
            square = cv2.resize(square, (size, size), interpolation=cv2.INTER_AREA)
            for frame, time in hand_held(square, seconds, rate, rng):
                yield frame, start + time
            start += seconds

    return frames


#: The folder without name has gestures, too, labelled by looking at them.
_OTHERS = {
    "thumbs_down": ("00af1db1", "00c84257", "0a038096", "0a272153", "0a4a8907", "0a787971"),
    "pointing_up": ("00b85ea4", "0a0ef3d2", "0a4bc2da", "0a71a6e8"),
}


def gesture_images() -> list[tuple[str, str]]:
    """Label and file of each image of a gesture, labels in turn."""
    folder = IMAGES / "transfer/gestures"
    by_label = {label: sorted((folder / label).glob("*.jpg")) for label in ("call", "four", "rock")}
    by_label |= {
        label: [next((folder / "none").glob(f"{start}*")) for start in starts]
        for label, starts in _OTHERS.items()
    }
    by_label["victory"] = [IMAGES / "photos/hand_pakutaso_vsign.jpg"]
    by_label["open_palm"] = [IMAGES / "photos/hand_pakutaso.jpg"]
    queues = {label: list(files) for label, files in by_label.items()}
    found = []
    while any(queues.values()):
        for label, queue in queues.items():
            if queue:
                found.append((label, str(queue.pop(0).relative_to(IMAGES))))
    return found


_WITHOUT_HANDS = (
    *("photos/cat_demo.jpg", "photos/coco_000000000072.jpg", "photos/coco_000000403353.jpg"),
    *("photos/coco_000000516008.jpg", "photos/coffee.jpg", "photos/coral_bird.jpg"),
    *("photos/coral_cat_720p.jpg", "photos/coral_kite_and_cold.jpg", "photos/coral_parrot.jpg"),
    *("photos/dogs_demo.jpg", "photos/coco_000000214753.jpg", "photos/coral_grace_hopper.jpg"),
    *("reference/burger.jpg", "reference/coco_cat.jpg", "reference/cats_and_dogs.jpg"),
)


def gesture_clips() -> list[Clip]:
    """Three gestures in each clip, with images without hands between them."""
    images, clips = gesture_images(), []
    for k in range(0, len(images), 3):
        shown, events, time = [(_WITHOUT_HANDS[k % 15], 1.0)], [], 1.0
        for j, (label, file) in enumerate(images[k : k + 3]):
            shown += [(file, 2.0), (_WITHOUT_HANDS[(k + j + 1) % 15], 1.0)]
            events += [Truth(label, time, "started"), Truth(label, time + 2, "ended")]
            time += 3
        clips.append(
            Clip(f"gestures {k // 3}", "gestures", one_after_another(shown, k), tuple(events))
        )
    return clips


def still_clip(name: str, task: str, seed: int) -> Clip:
    """An image as a hand-held camera sees it in bad light, in which nothing happens."""

    def frames() -> Frames:
        rng = np.random.default_rng(seed)
        for frame, time in one_after_another([(name, 10.0)], seed)():
            noisy = frame + rng.normal(0, 10, frame.shape)
            yield noisy.clip(0, 255).astype(np.uint8), time

    return Clip(f"still {task} of {name}", task, frames, ())


def handless_clip() -> Clip:
    """A minute of images in which no hand is seen."""
    shown = [(name, 4.0) for name in _WITHOUT_HANDS]
    return Clip("a minute without hands", "gestures", one_after_another(shown, 0, 12.5), ())
