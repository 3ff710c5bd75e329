"""Clips whose true numbers are known: composed crowds, and annotations of MOTChallenge."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

import zoo
from tests.benchmarks.answers.images import SHARED
from tests.benchmarks.answers.labelled_people import PeoplePhoto, Person, people_photos

FPS = 25
SIZE = (960, 540)  # of composed frames

_BACKGROUNDS = ("yoga_beach.jpg", "coral_kite_and_cold.jpg", "coffee.jpg")
_WHOLE = 14  # labelled joints, of 17, of somebody who is cut out
_LEAST_VISIBLE = 0.25  # share of a person who has to be found


class TrackedFrame(NamedTuple):
    """One frame: who is where, and what a detector found. Boxes are x, y, width, height."""

    time: float  # seconds
    people: np.ndarray  # int [n]: true numbers
    boxes: np.ndarray  # [n, 4]
    found: np.ndarray  # [m, 4]
    scores: np.ndarray  # [m], 0..1
    image: np.ndarray | None = None  # uint8 [height, width, 3], where there is one


class Walker:
    """Somebody who walks to and fro, stands for a while, and goes on."""

    def __init__(self, cutout: np.ndarray, depth: float, rng: np.random.Generator):
        import cv2

        tall = round(90 + 190 * depth)
        wide = max(round(cutout.shape[1] * tall / cutout.shape[0]), 8)
        self.cutout = cv2.resize(cutout, (wide, tall), interpolation=cv2.INTER_AREA)
        self.depth = depth
        self._x = rng.uniform(-wide, SIZE[0])
        self._speed = rng.choice([-1, 1]) * rng.uniform(0.3, 1.1) * tall / FPS
        self._goes_until, self._rng = 0, rng
        self._goes = True

    def step(self, number: int) -> None:
        """Go to the next frame."""
        if number >= self._goes_until:
            self._goes = self._rng.random() < 0.75
            self._goes_until = number + int(self._rng.uniform(1, 4) * FPS)
            if self._rng.random() < 0.2:
                self._speed = -self._speed
        self._x += self._speed * self._goes

    def place(self, camera: float) -> tuple[int, int]:
        """Left and upper edge in the frame."""
        feet = SIZE[1] * (0.45 + 0.52 * self.depth)
        return round(self._x - camera), round(feet - self.cutout.shape[0])


def crowd(seed: int, people: int, seconds: float, turns: float) -> Iterator[TrackedFrame]:
    """People cut out of photos who walk past each other, found with a detector's usual errors.

    Args:
        seed: of the paths.
        people: their number.
        seconds: length of the clip.
        turns: pixels per second, at most, by which the camera turns to and fro.
    """
    rng = np.random.default_rng(seed)
    cutouts = list(standing_people())
    chosen = rng.choice(len(cutouts), people, replace=people > len(cutouts))
    depths = np.sort(rng.uniform(0, 1, people))
    walkers = [Walker(cutouts[k], d, rng) for k, d in zip(chosen, depths, strict=True)]
    background = _background(_BACKGROUNDS[seed % len(_BACKGROUNDS)])
    for number in range(int(seconds * FPS)):
        camera = turns * np.sin(number / FPS * 1.3) / 1.3
        image = _shifted(background, camera)
        owner = np.full(image.shape[:2], -1)
        for index, walker in enumerate(walkers):
            walker.step(number)
            _paste(image, owner, index, walker.cutout, walker.place(camera))
        yield _seen(number / FPS, image, owner, walkers, camera, rng)


def _seen(
    time: float,
    image: np.ndarray,
    owner: np.ndarray,
    walkers: list[Walker],
    camera: float,
    rng: np.random.Generator,
) -> TrackedFrame:
    shares = np.array(
        [(owner == k).sum() / (w.cutout[..., 3] > 127).sum() for k, w in enumerate(walkers)]
    )
    boxes = np.array([[*w.place(camera), *w.cutout.shape[1::-1]] for w in walkers], float)
    seen = shares >= _LEAST_VISIBLE
    found, scores = _with_errors(boxes[seen], shares[seen], rng)
    return TrackedFrame(time, np.flatnonzero(seen), boxes[seen], found, scores, image)


@cache
def standing_people() -> tuple[np.ndarray, ...]:
    """Standing people of the labelled photos, RGBA, without what is around them."""
    return tuple(
        cutout
        for photo in people_photos()
        for person in photo.people
        if _stands(person)
        for cutout in _cut_out(photo, person)
    )


def _stands(person: Person) -> bool:
    _, _, width, height = person.box
    whole = (person.joints[:, 2] > 0).sum() >= _WHOLE
    return not person.is_crowd and whole and height > 1.6 * width > 80


def _cut_out(photo: PeoplePhoto, person: Person) -> Iterator[np.ndarray]:
    x, y, width, height = np.rint(person.box).astype(int)
    crop = np.ascontiguousarray(photo.pixels[y : y + height, x : x + width])
    mask = zoo.segment_person(crop)["mask"]
    if mask.mean() > 0.3:
        yield np.dstack([crop, mask * 255])


def _background(name: str) -> np.ndarray:
    import cv2

    image = np.asarray(zoo.read_image(SHARED / "images" / "photos" / name))
    return cv2.resize(image, (2 * SIZE[0], SIZE[1]), interpolation=cv2.INTER_AREA)


def _shifted(background: np.ndarray, camera: float) -> np.ndarray:
    left = int(np.clip(SIZE[0] / 2 + camera, 0, SIZE[0]))
    return background[:, left : left + SIZE[0]].copy()


def _paste(
    image: np.ndarray, owner: np.ndarray, index: int, cutout: np.ndarray, place: tuple[int, int]
) -> None:
    """Draw a cutout before what is there, and note whose pixels are whose."""
    left, top = place
    low_x, low_y = max(left, 0), max(top, 0)
    high_x = min(left + cutout.shape[1], image.shape[1])
    high_y = min(top + cutout.shape[0], image.shape[0])
    if low_x >= high_x or low_y >= high_y:
        return
    part = cutout[low_y - top : high_y - top, low_x - left : high_x - left]
    there = part[..., 3] > 127
    image[low_y:high_y, low_x:high_x][there] = part[..., :3][there]
    owner[low_y:high_y, low_x:high_x][there] = index


def annotated(folder: Path, name: str, fps: float, stride: int, seed: int) -> list[TrackedFrame]:
    """A sequence of MOTChallenge; detections are its true boxes with a detector's usual errors.

    Args:
        folder: of files such as ``MOT17-04.txt``: frame, number, x, y, width, height, whether it
            counts, class, visible share.
        name: of the sequence.
        fps: frames per second.
        stride: every so many frames are taken.
        seed: of the errors.
    """
    rng = np.random.default_rng(seed)
    rows = np.loadtxt(folder / f"{name}.txt", delimiter=",")
    rows = rows[(rows[:, 7] == 1) & (rows[:, 6] == 1)]  # people who count
    frames = []
    for number in range(1, int(rows[:, 0].max()) + 1, stride):
        here = rows[rows[:, 0] == number]
        boxes = here[:, 2:6]
        found, scores = _with_errors(boxes, here[:, 8], rng)
        frames.append(
            TrackedFrame((number - 1) / fps, here[:, 1].astype(int), boxes, found, scores)
        )
    return frames


def _with_errors(
    boxes: np.ndarray, visible: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return boxes that tremble, of which hidden ones are missed, and some where nobody is."""
    scores = np.clip(0.45 + 0.55 * visible + rng.normal(0, 0.12, len(boxes)), 0, 0.99)
    found = boxes + rng.normal(0, 0.025, boxes.shape) * boxes[:, [2, 3, 2, 3]]
    kept = (scores >= 0.5) & (visible > 0.15) & (rng.random(len(boxes)) > 0.04)
    found, scores = found[kept], scores[kept]
    false = min(int(rng.poisson(0.3)), len(boxes))
    copied = rng.choice(len(boxes), false, replace=False)
    moved = boxes[copied] + np.array([1, 1, 0, 0]) * rng.normal(0, 200, (false, 4))
    return np.concatenate([found, moved]), np.append(scores, rng.uniform(0.5, 0.7, false))
