"""The labelled photos of people, of COCO train2017: everybody's box and joints."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from tests.benchmarks.answers.images import SHARED, read
from tests.benchmarks.answers.keypoint_similarity import (
    AREA_OF_BOX,
    similarity,
    similarity_to_box,
)
from zoo.shared.skeletons import BODY_17

FOLDER = SHARED / "images" / "people"


class Person(NamedTuple):
    """A labelled person."""

    joints: np.ndarray  # [17, 3]: x, y in pixels; 0 unlabelled, 1 hidden, 2 visible
    box: np.ndarray  # [4]: x, y, width, height in pixels
    area: float  # square pixels
    is_crowd: bool

    @property
    def ignored(self) -> bool:
        """Whether the person need not be found: a crowd, or nobody knows where the joints are."""
        return self.is_crowd or not self.joints[:, 2].any()

    def similarity(self, found: np.ndarray) -> float:
        """OKS of joints [17, 2]."""
        if self.joints[:, 2].any():
            return similarity(found, self.joints, self.area)
        return similarity_to_box(found, self.box, self.area)


class PeoplePhoto(NamedTuple):
    """A photo and all people in it."""

    name: str
    people: tuple[Person, ...]

    @property
    def pixels(self) -> np.ndarray:
        return read(FOLDER / self.name)

    @property
    def shows_one(self) -> bool:
        return len(self.people) == 1 and not self.people[0].ignored


def people_photos() -> Iterator[PeoplePhoto]:
    """All photos, in the order of the file."""
    for image in json.loads((FOLDER / "annotations.json").read_text())["images"]:
        yield PeoplePhoto(image["file"], tuple(map(person, image["people"])))


def person(label: Mapping[str, Any]) -> Person:
    """A person of the file, whose box is x, y, width, height."""
    joints = np.array([label["keypoints"].get(part, (0, 0, 0)) for part in BODY_17.names], float)
    box = np.array(label["bbox"], float)
    area = float(label.get("area", AREA_OF_BOX * box[2] * box[3]))
    return Person(joints, box, area, bool(label.get("iscrowd", 0)))
