"""The one vocabulary of results: plain dicts, lists, numbers and strings.

Positions are in pixels of the picture given: x to the right, y down, (0, 0) the upper left edge.
Scores are in 0..1. Only ``mask`` and ``probability`` are NumPy arrays.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, TypedDict

import numpy as np

from weights_cache.errors import ZooError
from zoo.images.lists import ResultsOfImages


class _Point(TypedDict):
    x: float
    y: float


class Position(_Point, total=False):
    """A point; z only where the model tells depth, in pixels, from where its entry says."""

    z: float


class _Keypoint(TypedDict):
    part: str
    position: Position
    score: float  # of the point; where the network has none for each, that of the whole


class Keypoint(_Keypoint, total=False):
    """A named point of a body, hand or face."""

    visibility: float  # 0..1: whether it is seen, not hidden


class WorldPosition(TypedDict):
    """A point in metres, from where the model's entry says."""

    x: float
    y: float
    z: float


class WorldPoint(TypedDict):
    """A keypoint in space."""

    part: str
    position: WorldPosition


class Box(TypedDict):
    """A rectangle by its upper left corner and its size.

    That of a pose or hand, or of a face with a mesh, is the one around its points; it may reach out
    of the picture where those do, as may what a detector of faces, palms or bodies finds.
    """

    x: float
    y: float
    width: float
    height: float


class _Segmentation(TypedDict):
    mask: np.ndarray  # uint8 [height, width]: index of a label
    labels: list[str]


class Segmentation(_Segmentation, total=False):
    """What each pixel belongs to."""

    probability: np.ndarray  # float32 [height, width], 0..1, when asked for


class _Pose(TypedDict):
    score: float
    keypoints: list[Keypoint]


class Pose(_Pose, total=False):
    """One person."""

    box: Box
    world: list[WorldPoint]
    segmentation: Segmentation


class Hand(_Pose, total=False):
    """One hand; left or right as the person has it."""

    box: Box
    handedness: str
    handedness_score: float
    world: list[WorldPoint]
    label: str  # of detectors that tell open from closed


class Label(TypedDict):
    """A class that a picture, or a thing in it, may be of."""

    label: str
    score: float
    index: int  # among the model's labels


class Iris(TypedDict):
    """Five points for each eye: the middle, then four around it."""

    left: list[Keypoint]
    right: list[Keypoint]


class _Face(_Pose):
    box: Box


class Face(_Face, total=False):
    """One face; left and right as the person has them."""

    landmarks: str  # "mesh468", "points68" or "points6"; none of a detector without points
    contours: dict[str, list[int]]  # indices of keypoints
    iris: Iris
    expressions: list[Label]  # best first
    age: float  # years
    gender: Label


class _Detection(TypedDict):
    label: str
    score: float
    box: Box


class Detection(_Detection, total=False):
    """A thing, and where it is."""

    keypoints: list[Keypoint]


class _Gesture(TypedDict):
    label: str
    score: float
    hand: int  # its index among the hands


class Gesture(_Gesture, total=False):
    """What a hand says; handedness and box as the hand has them."""

    handedness: str
    box: Box


class _Instance(TypedDict):
    score: float
    mask: np.ndarray  # uint8 [height, width]: 1 on the person


class Instance(_Instance, total=False):
    """One of several people, told apart by masks."""

    box: Box
    pose: Pose


#: What a verb returns, a list of it, or either by name of the photo.
Result = Any

#: As `Result`, for those who call: one thing, several of an image, or either by image.
Thing = Pose | Hand | Face | Detection | Label | Gesture | Segmentation | Instance
AnyResult = Thing | Sequence[Thing] | Mapping[str, Thing | Sequence[Thing]]

#: What a thing may be.
Kind = Literal["segmentation", "instance", "face", "hand", "gesture", "detection", "pose", "label"]

#: The keys that tell a kind, the more special first.
KEYS_OF_KINDS: dict[Kind, tuple[str, ...]] = {
    "segmentation": ("mask", "labels"),
    "instance": ("mask",),
    "face": ("keypoints", "landmarks"),
    "hand": ("keypoints", "handedness"),
    "gesture": ("label", "score", "hand"),
    "detection": ("label", "score", "box"),
    "pose": ("keypoints",),
    "label": ("label", "score"),
}


def kind_of(thing: object) -> Kind | None:
    """What a single thing is, by its keys; None if it is no thing of the zoo.

    A thing with a box but no points is a face if nothing names it: detectors of faces without
    points give such.

    >>> kind_of({"label": "tabby", "score": 0.8, "index": 281}), kind_of({"me.jpg": []})
    ('label', None)
    >>> box = {"x": 0.0, "y": 0.0, "width": 9.0, "height": 9.0}
    >>> kind_of({"score": 0.5, "box": box, "keypoints": []})
    'face'
    """
    if not isinstance(thing, Mapping):
        return None
    kind = next((k for k, keys in KEYS_OF_KINDS.items() if all(key in thing for key in keys)), None)
    boxed = "box" in thing and "score" in thing and not thing.get("keypoints")
    return "face" if boxed and kind in (None, "pose") else kind


def is_thing(result: Result) -> bool:
    """Whether a result is one thing, such as a pose, rather than several, or results by photo.

    >>> is_thing({"score": 0.5, "keypoints": []}), is_thing({"me.jpg": []}), is_thing([])
    (True, False, False)
    """
    return kind_of(result) is not None


def by_photo(result: Result) -> Iterator[tuple[str, Any]]:
    """Every single thing of a result with the name of its photo, which is "" if it has none."""
    refuse_several(result)
    named = isinstance(result, Mapping) and not is_thing(result)
    for photo, found in result.items() if named else [("", result)]:
        things = found if isinstance(found, (list, tuple)) else [found]
        for thing in things:
            yield str(photo), thing


def refuse_several(
    result: Result, step: str = "name them, in a dict: dict(zip(paths, results))"
) -> None:
    """Raise for the results of several images, which are no result of one.

    >>> refuse_several([[], []])
    Traceback (most recent call last):
    zoo.ZooError: this is a list of the results of 2 images: name them, in a \
dict: dict(zip(paths, results))
    """
    if hasattr(result, "__next__"):
        raise ZooError(f"this is an iterator over the results of several images: {step}")
    plain = isinstance(result, (list, tuple)) and any(isinstance(x, list) for x in result)
    if plain or isinstance(result, ResultsOfImages):
        images = f"{len(result)} image{'s' if len(result) != 1 else ''}"
        raise ZooError(f"this is a list of the results of {images}: {step}")


def label_areas(segmentation: Mapping[str, Any]) -> Iterator[tuple[int, str, int, float]]:
    """Index, label, pixels and share of the picture, for each label that occurs in a mask.

    >>> mask = np.array([[0, 1], [1, 1]], np.uint8)
    >>> list(label_areas({"mask": mask, "labels": ["background", "cat"]}))
    [(0, 'background', 1, 0.25), (1, 'cat', 3, 0.75)]
    """
    mask, labels = np.asarray(segmentation["mask"]), segmentation["labels"]
    if not isinstance(labels, (list, tuple)):
        raise ZooError(f"labels are {labels!r:.80}: they must be a list of names")
    if mask.dtype.kind not in "bui":
        raise ZooError(f"the mask is {mask.dtype}: it must be uint8, the index of a label")
    for value, count in zip(*np.unique(mask, return_counts=True), strict=True):
        if not 0 <= value < len(labels):
            raise ZooError(f"the mask has the value {value}, but there are {len(labels)} labels")
        yield int(value), str(labels[int(value)]), int(count), int(count) / mask.size
