"""The one vocabulary of results: plain dicts, lists, numbers and strings.

A result item is a dict, such as a `Pose`. `KINDS` has a record of each kind: how it is recognized,
drawn, mirrored, printed, and written as a table.

Positions are in pixels of the image: x to the right, y down, (0, 0) the upper left edge.
Scores are in 0..1. Only ``mask`` and ``probability`` are NumPy arrays.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypedDict

import numpy as np

from weights_cache.common.errors import ZooError
from zoo.images.lists import ResultsOfImages


class _Point(TypedDict):
    x: float
    y: float


class Position(_Point, total=False):
    """A point; z, in pixels, only where the model estimates depth, from the entry's origin."""

    z: float


class _Keypoint(TypedDict):
    part: str
    position: Position
    score: float  # of the point; where the network has none for each, that of the whole


class Keypoint(_Keypoint, total=False):
    """A named point of a body, hand or face."""

    visibility: float  # 0..1: whether it is visible, not hidden


class WorldPosition(TypedDict):
    """A point in metres, from the origin that the model's entry names."""

    x: float
    y: float
    z: float


class WorldPoint(TypedDict):
    """A keypoint in space."""

    part: str
    position: WorldPosition


class Box(TypedDict):
    """A rectangle by its upper left corner and its size.

    The box of a pose is the one around the keypoints in the image whose score is at least 0.3, and
    so does not exceed the image. The box of a hand, or of a face with a mesh, is the one around all
    points. It may exceed the image where they do, as may the boxes of detectors of faces, palms and
    bodies: `zoo.crop` cuts out what is in the image.
    """

    x: float
    y: float
    width: float
    height: float


class _Segmentation(TypedDict):
    mask: np.ndarray  # uint8 [height, width]: index of a label
    labels: list[str]


class Segmentation(_Segmentation, total=False):
    """Class of each pixel."""

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
    label: str  # of detectors that classify hands as open or closed


class Label(TypedDict):
    """A class that an image, or an object in it, may belong to."""

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

    landmarks: str  # "mesh468", "points68", "points6", "points5"; none of a detector without points
    contours: dict[str, list[int]]  # indices of keypoints
    iris: Iris
    eye_openness: dict[str, float]  # left, right: the gap of the lids by the width
    expressions: list[Label]  # best first
    age: float  # years
    gender: Label


class _Detection(TypedDict):
    label: str
    score: float
    box: Box


class Detection(_Detection, total=False):
    """An object and its location."""

    keypoints: list[Keypoint]


class _Gesture(TypedDict):
    label: str
    score: float
    hand: int  # its index among the hands


class Gesture(_Gesture, total=False):
    """The meaning of a hand; handedness and box are those of the hand."""

    handedness: str
    box: Box


class _Instance(TypedDict):
    score: float
    mask: np.ndarray  # uint8 [height, width]: 1 on the person


class Instance(_Instance, total=False):
    """One of several people, each with a mask."""

    box: Box
    pose: Pose


#: Result of a verb for one image, or results of several by the name of the image.
Result = Any

#: Result items for callers: one item, several of an image, or either by image.
ResultItem = Pose | Hand | Face | Detection | Label | Gesture | Segmentation | Instance
AnyResult = ResultItem | Sequence[ResultItem] | Mapping[str, ResultItem | Sequence[ResultItem]]


class ResultKey(NamedTuple):
    """Mirroring of the value of a key with its image, and its rounding for people to read.

    ``"position"``: x becomes width - x; ``"image"``: an array [height, width] is flipped;
    ``"space"``: x becomes -x in points whose origin is the middle of the body.
    """

    mirrored: Literal["position", "image", "space"] | None = None
    digits: int = 2  # behind the decimal point


class ResultKind(NamedTuple):
    """Recognition of one kind of result item, and facts about its keys.

    `zoo.drawing.PAINTERS` draws each kind, `zoo.export.tables.TABLES` has its table.
    """

    type: type  # of the dict; its name in lower case is that of the kind
    keys: tuple[str, ...]  # the first kind in `KINDS` whose keys an item all has is its kind
    special: Mapping[str, ResultKey] = {}  # what is known of its keys, those of inner dicts too

    @property
    def name(self) -> str:
        """Such as ``"pose"``."""
        return self.type.__name__.lower()


_POINTS = {"position": ResultKey("position", digits=1), "box": ResultKey("position", digits=1)}
_WORLD = {"world": ResultKey("space")}
_MASKS = {"mask": ResultKey("image"), "probability": ResultKey("image")}

#: Every kind of result item by name, the more special first.
KINDS = {
    kind.name: kind
    for kind in (
        ResultKind(Segmentation, ("mask", "labels"), _MASKS),
        ResultKind(Instance, ("mask",), {**_POINTS, **_WORLD, **_MASKS}),
        ResultKind(Face, ("keypoints", "landmarks"), {**_POINTS, "age": ResultKey(digits=1)}),
        ResultKind(Hand, ("keypoints", "handedness"), {**_POINTS, **_WORLD}),
        ResultKind(Gesture, ("label", "score", "hand"), _POINTS),
        ResultKind(Detection, ("label", "score", "box"), _POINTS),
        ResultKind(Pose, ("keypoints",), {**_POINTS, **_WORLD, **_MASKS}),
        ResultKind(Label, ("label", "score")),
    )
}

#: Facts about keys, whatever the kind.
KEYS = {key: facts for kind in KINDS.values() for key, facts in kind.special.items()}


def kind_of(item: object) -> ResultKind | None:
    """The kind of a result item, recognized by its keys; None if it is no result item.

    An item with a box but neither keypoints nor a label is a face: detectors of faces without
    points return such.

    >>> kind_of({"label": "tabby", "score": 0.8, "index": 281}).name, kind_of({"me.jpg": []})
    ('label', None)
    >>> box = {"x": 0.0, "y": 0.0, "width": 9.0, "height": 9.0}
    >>> kind_of({"score": 0.5, "box": box, "keypoints": []}).name
    'face'
    """
    if not isinstance(item, Mapping):
        return None
    kind = next((k for k in KINDS.values() if all(key in item for key in k.keys)), None)
    boxed = "box" in item and "score" in item and not item.get("keypoints")
    return KINDS["face"] if boxed and (kind is None or kind.type is Pose) else kind


def is_item(result: Result) -> bool:
    """Whether a result is one item, such as a pose, rather than several, or results by image.

    >>> is_item({"score": 0.5, "keypoints": []}), is_item({"me.jpg": []}), is_item([])
    (True, False, False)
    """
    return kind_of(result) is not None


def one_item(item: object, caller: str) -> Mapping[str, Any]:
    """Return an item, which a function takes one of.

    >>> one_item([], "keypoint")
    Traceback (most recent call last):
    zoo.ZooError: keypoint takes one result, and this is a list of 0: take one of them, such as \
poses[0]
    """
    if isinstance(item, Mapping):
        return item
    if isinstance(item, (list, tuple)):
        step = f"a list of {len(item)}: take one of them, such as poses[0]"
    else:
        step = f"of type {type(item).__name__}: pass a dict that a function of the zoo returned"
    raise ZooError(f"{caller} takes one result, and this is {step}")


def refuse_several(
    result: Result, step: str = "name them, in a dict: dict(zip(paths, results))"
) -> None:
    """Raise an error for the results of several images in place of one.

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


def _counts(mask: np.ndarray) -> Iterator[tuple[int, int]]:
    """Yield the values of a mask, and how many pixels have each."""
    if mask.dtype == np.uint8:  # eight times as fast as sorting
        counts = np.bincount(mask.ravel())
        values = np.flatnonzero(counts)
        yield from zip(values, counts[values], strict=True)
    else:
        yield from zip(*np.unique(mask, return_counts=True), strict=True)


def label_areas(segmentation: Mapping[str, Any]) -> Iterator[tuple[int, str, int, float]]:
    """Index, label, pixels and share of the image, for each label that occurs in a mask.

    >>> mask = np.array([[0, 1], [1, 1]], np.uint8)
    >>> list(label_areas({"mask": mask, "labels": ["background", "cat"]}))
    [(0, 'background', 1, 0.25), (1, 'cat', 3, 0.75)]
    """
    mask, labels = np.asarray(segmentation["mask"]), segmentation["labels"]
    if not isinstance(labels, (list, tuple)):
        raise ZooError(f"labels are {labels!r:.80}: they must be a list of names")
    if mask.dtype.kind not in "bui":
        raise ZooError(f"the mask is {mask.dtype}: it must be uint8, the index of a label")
    for value, count in _counts(mask):
        if not 0 <= value < len(labels):
            raise ZooError(f"the mask has the value {value}, but there are {len(labels)} labels")
        yield int(value), str(labels[int(value)]), int(count), int(count) / mask.size
