"""The labelled photos of people, of COCO train2017: everybody's box and joints."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from tests.benchmarks.answers.images import SHARED, read
from tests.benchmarks.answers.keypoint_similarity import similarity, similarity_to_box
from tests.benchmarks.answers.outlines import Outline, annotated_people
from zoo.shared.skeletons import BODY_17
from zoo.tasks.pose.bodies import AREA_OF_BOX

FOLDER = SHARED / "images" / "people"

_ROUNDED = 0.1  # pixels that two labels of one box differ by at most


class Person(NamedTuple):
    """A labelled person."""

    joints: np.ndarray  # [17, 3]: x, y in pixels; 0 unlabelled, 1 hidden, 2 visible
    box: np.ndarray  # [4]: x, y, width, height in pixels
    area: float  # square pixels
    is_crowd: bool
    outline: Outline | None = None

    @property
    def ignored(self) -> bool:
        """Whether no pose need be found: of a crowd, or nobody knows where the joints are."""
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
    def has_outlines(self) -> bool:
        """Whether everybody is outlined."""
        return all(person.outline is not None for person in self.people)

    @property
    def shows_one(self) -> bool:
        """Whether one person has labelled joints."""
        return sum(not person.ignored for person in self.people) == 1


def people_photos() -> Iterator[PeoplePhoto]:
    """All photos, in the order of the file; people with joints first."""
    for image in json.loads((FOLDER / "annotations.json").read_text())["images"]:
        labelled = [person(label) for label in image["people"]]
        annotated = [person(label) for label in annotated_people(image["image_id"])]
        yield PeoplePhoto(image["file"], with_outlines(labelled, annotated))


def with_outlines(labelled: Sequence[Person], annotated: Sequence[Person]) -> tuple[Person, ...]:
    """People with joints, with the outlines of their boxes; then those who have an outline only."""
    found = [next((a for a in annotated if _are_same(a, one)), None) for one in labelled]
    others = [a for a in annotated if not any(_are_same(a, one) for one in labelled)]
    known = [
        one._replace(area=its.area, outline=its.outline) if its else one
        for one, its in zip(labelled, found, strict=True)
    ]
    return (*known, *others)


def _are_same(one: Person, other: Person) -> bool:
    return bool(np.abs(one.box - other.box).max() < _ROUNDED)


def person(label: Mapping[str, Any]) -> Person:
    """A person of a file, whose box is x, y, width, height."""
    joints = label.get("keypoints", {})
    box = np.array(label["bbox"], float)
    return Person(
        joints=np.array([joints.get(part, (0, 0, 0)) for part in BODY_17.names], float),
        box=box,
        area=float(label.get("area", AREA_OF_BOX * box[2] * box[3])),
        is_crowd=bool(label.get("iscrowd", 0)),
        outline=label.get("segmentation"),
    )
