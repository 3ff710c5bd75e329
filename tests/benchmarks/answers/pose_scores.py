"""How right the poses of a function are, on the labelled photos of people."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from tests.benchmarks.answers.average_precision import Matches, average_precision, match
from tests.benchmarks.answers.intervals import Figure, figure
from tests.benchmarks.answers.keypoint_similarity import joints_of
from tests.benchmarks.answers.labelled_people import PeoplePhoto, people_photos

MOST = 20  # poses of an image that count, as COCO has it

#: From pixels to one pose, as of `zoo.estimate_single_pose`, or to several.
Find = Callable[[np.ndarray], Any]


class OnePerson(NamedTuple):
    """Of photos that show one person; a person who was not found has an OKS of 0."""

    oks: Figure
    found_oks: Figure  # of the people found
    missed: int
    photos: int


class SeveralPeople(NamedTuple):
    """Of photos that show people."""

    ap: Figure  # the mean over OKS 0.50 to 0.95
    ap50: Figure
    poses: int
    people: int


def score_one(find: Find, photos: Sequence[PeoplePhoto] | None = None) -> OnePerson:
    """Score the first pose for each of the photos that show one person, by default all of them.

    >>> import zoo
    >>> score_one(zoo.estimate_single_pose).missed  # doctest: +SKIP
    5
    """
    photos = list(people_photos()) if photos is None else photos
    each = [_first(find(photo.pixels), photo) for photo in photos if photo.shows_one]
    found = [value for value in each if value is not None]
    return OnePerson(
        oks=figure(np.mean, [value or 0.0 for value in each]),
        found_oks=figure(np.mean, found),
        missed=len(each) - len(found),
        photos=len(each),
    )


def score_several(find: Find, photos: Sequence[PeoplePhoto] | None = None) -> SeveralPeople:
    """Score all poses for each of the photos, by default of all.

    >>> import zoo
    >>> score_several(zoo.estimate_multiple_poses).ap.value  # doctest: +SKIP
    0.1
    """
    photos = list(people_photos()) if photos is None else photos
    matches = [match_poses(found_poses(find(photo.pixels)), photo) for photo in photos]
    return SeveralPeople(
        ap=figure(lambda images: float(average_precision(images).mean()), matches),
        ap50=figure(lambda images: float(average_precision(images)[0]), matches),
        poses=sum(len(image.scores) for image in matches),
        people=sum(image.there for image in matches),
    )


def _first(result: Any, photo: PeoplePhoto) -> float | None:
    """OKS of the first pose of a photo of one person, None if there is no pose."""
    poses = found_poses(result)
    return photo.people[0].similarity(joints_of(poses[0])) if poses else None


def match_poses(poses: Sequence[Mapping[str, Any]], photo: PeoplePhoto) -> Matches:
    """Match the poses of a photo with the people in it."""
    near = [[person.similarity(joints_of(pose)) for person in photo.people] for pose in poses]
    return match(
        np.reshape(near, (len(poses), len(photo.people))),
        np.array([pose["score"] for pose in poses], float),
        ignored=np.array([person.ignored for person in photo.people], bool),
        crowds=np.array([person.is_crowd for person in photo.people], bool),
        most=MOST,
    )


def found_poses(result: Any) -> list[Mapping[str, Any]]:
    """The poses of a result, of one person or of several, that have keypoints."""
    poses = result if isinstance(result, list) else [result]
    return [pose for pose in poses if pose["keypoints"]]
