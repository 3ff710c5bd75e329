"""Where people's joints are in the photos: MoveNet looks at each once, and a file remembers."""

import hashlib
import json
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import torch
from bodies import MOST_PEOPLE, People
from torch import Tensor
from training.photos import Photos
from training.schedule import REPORT_SECONDS

import zoo
from weights_cache.common.errors import ZooError
from zoo.shared.skeletons import BODY_17

TEACHERS = ("movenet.thunder", "movenet.lightning")
# Doubtful people are kept with their scores: little is said of them in training.
DETECTOR_THRESHOLD, POSE_THRESHOLD = 0.3, 0.15
# A person's score is the mean confidence of the joints above this one, of four at least.
COUNTED_CONFIDENCE, LEAST_JOINTS = 0.12, 4
LEAST_SCORE = 0.15
# Zoo counts pixels from their edges, scenes from their middles.
HALF_PIXEL = 0.5
JOINTS = len(BODY_17.names)

# Keypoints ``[people, 17, 3]`` (x, y, confidence) in a picture uint8 ``[height, width, 3]``.
FindPeople = Callable[[np.ndarray], np.ndarray]


def people_finder(teacher: str) -> FindPeople:
    """Return the function by which a model of the zoo finds people."""
    return partial(_find_people, teacher)


def _find_people(teacher: str, picture: np.ndarray) -> np.ndarray:
    poses = zoo.estimate_multiple_poses(
        picture,
        model=teacher,
        detector_threshold=DETECTOR_THRESHOLD,
        score_threshold=POSE_THRESHOLD,
    )
    keypoints = [
        (point["position"]["x"] - HALF_PIXEL, point["position"]["y"] - HALF_PIXEL, point["score"])
        for pose in poses
        for point in pose["keypoints"]
    ]
    return np.array(keypoints, np.float32).reshape(-1, JOINTS, 3)


def label_photos(photos: Photos, find_people: FindPeople, file: Path) -> People:
    """Return the people in the photos, and append those to the file that it does not have.

    Nobody is looked for in photos that are free of people.

    Args:
        photos: The photos.
        find_people: The teacher.
        file: Lines of JSON, each about one photo. Photos are known by their pixels.

    Raises:
        ZooError: The file cannot be read or written, or there are no people.
    """
    labels = _Labels(file)
    indices = (~photos.person_free).nonzero()[:, 0].tolist()
    found = {i: labels.of(_picture(photos, i), find_people) for i in _reported(indices)}
    people = _to_people(found, len(photos.sizes))
    number = int((people.scores > 0).sum())
    print(
        f"labels: {number} people in {len(indices)} photos, {labels.new} of which were new",
        flush=True,
    )
    if not number:
        raise ZooError("the teacher finds nobody in the photos; give photos of people")
    return People(*(part.to(photos.pixels.device) for part in people))


def _reported(indices: list[int]) -> Iterator[int]:
    """Yield indices, and print how far it is now and then."""
    last = time.monotonic()
    for done, i in enumerate(indices):
        if time.monotonic() - last > REPORT_SECONDS:
            last = time.monotonic()
            print(f"labels: {done} of {len(indices)} photos", flush=True)
        yield i


def _picture(photos: Photos, i: int) -> np.ndarray:
    width, height = map(int, photos.sizes[i])
    return photos.pixels[i, :, :height, :width].permute(1, 2, 0).contiguous().cpu().numpy()


class _Labels:
    """The labels of a file, to which new ones are added at once: a run may be stopped."""

    def __init__(self, file: Path):
        self._file = file
        self._known = dict(_read(file)) if file.exists() else {}
        self.new = 0

    def of(self, picture: np.ndarray, find_people: FindPeople) -> np.ndarray:
        """Return the people in a picture."""
        digest = hashlib.sha256(picture.tobytes() + bytes(str(picture.shape), "ascii")).hexdigest()
        if digest not in self._known:
            self._known[digest] = find_people(picture)
            self._add(digest)
            self.new += 1
        return self._known[digest]

    def _add(self, digest: str) -> None:
        rounded = self._known[digest].astype(float).round(3).tolist()
        line = json.dumps({"photo": digest, "people": rounded}) + "\n"
        try:
            with self._file.open("a") as stream:
                stream.write(line)
        except OSError as error:
            raise ZooError(f"cannot write {str(self._file)!r}: {error}; give --labels") from error


def _read(file: Path) -> Iterator[tuple[str, np.ndarray]]:
    try:
        lines = file.read_text().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ZooError(f"cannot read {str(file)!r}: {error}; give --labels") from error
    for number, line in enumerate(lines, start=1):
        try:
            entry = json.loads(line)
            yield entry["photo"], np.array(entry["people"], np.float32).reshape(-1, JOINTS, 3)
        except (ValueError, TypeError, KeyError) as error:
            raise ZooError(
                f"line {number} of {str(file)!r} has no labels of a photo ({error}); "
                "delete that line, or the file"
            ) from error


def _to_people(found: dict[int, np.ndarray], photos: int) -> People:
    keypoints = torch.zeros(photos, MOST_PEOPLE, JOINTS, 3)
    scores = torch.zeros(photos, MOST_PEOPLE)
    for i, people in found.items():
        best, of_best = _best(torch.from_numpy(people))
        keypoints[i, : len(best)], scores[i, : len(best)] = best, of_best
    return People(keypoints, scores)


def _best(people: Tensor) -> tuple[Tensor, Tensor]:
    confidence = people[..., 2] * (people[..., 2] > COUNTED_CONFIDENCE)
    scores = confidence.sum(1) / (confidence > 0).sum(1).clamp_min(LEAST_JOINTS)
    order = scores.argsort(descending=True, stable=True)
    order = order[scores[order] > LEAST_SCORE][:MOST_PEOPLE]
    return people[order], scores[order]
