"""The one vocabulary of results: plain dicts, lists, floats and strings, and text of them."""

import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypedDict

from weights_cache.errors import ZooError


class Position(TypedDict):
    """A point in pixels of the photo given: x to the right, y down, (0, 0) the upper left edge."""

    x: float
    y: float


class Keypoint(TypedDict):
    """A named point of a body."""

    part: str
    position: Position
    score: float  # 0..1


class Pose(TypedDict):
    """One person."""

    score: float  # 0..1
    keypoints: list[Keypoint]


class Label(TypedDict):
    """A class that a picture may show."""

    label: str
    score: float  # 0..1
    index: int  # among the model's labels


#: A pose, the poses of a photo, or either by name of the photo.
Result = Any


def to_json(result: Result, *, indent: int | None = None) -> str:
    """A result as JSON text.

    >>> to_json({"score": 0.5, "keypoints": []})
    '{"score": 0.5, "keypoints": []}'
    """
    import json

    refuse_iterator(result)
    try:
        return json.dumps(result, indent=indent, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ZooError(f"not a result of the zoo, so not JSON: {error}") from error


def refuse_iterator(result: Result) -> None:
    """Raise for the lazy results of several pictures, which nobody has asked for one by one."""
    if hasattr(result, "__next__"):
        raise ZooError(
            "this is an iterator over the results of several pictures: take them one by one, or "
            "make a dict {photo: result}"
        )


def to_csv(result: Result) -> str:
    """A result as CSV text, a line for each keypoint.

    Columns: ``image`` (if the result is a dict by photo), ``pose`` (number of the person),
    ``pose_score``, ``part``, ``x``, ``y``, ``score``.

    >>> pose = {"score": 0.5, "keypoints": [{"part": "nose", "position": {"x": 1.0, "y": 2.0},
    ...         "score": 0.9}]}
    >>> print(to_csv(pose))
    pose,pose_score,part,x,y,score
    0,0.5,nose,1.0,2.0,0.9
    <BLANKLINE>
    """
    import csv

    refuse_iterator(result)
    by_photo = isinstance(result, Mapping) and "keypoints" not in result
    named = result.items() if by_photo else [("", result)]
    rows = [row for photo, poses in named for row in _rows(photo, poses)]
    columns = ["image", "pose", "pose_score", "part", "x", "y", "score"]
    text = io.StringIO()
    writer = csv.DictWriter(
        text, columns if by_photo else columns[1:], extrasaction="ignore", lineterminator="\n"
    )
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _rows(photo: str, poses: Any) -> Iterator[dict[str, Any]]:
    people: Sequence[Any] = [poses] if isinstance(poses, Mapping) else poses
    try:
        for number, pose in enumerate(people):
            for point in pose["keypoints"]:
                yield {
                    "image": photo,
                    "pose": number,
                    "pose_score": pose["score"],
                    "part": point["part"],
                    **point["position"],
                    "score": point["score"],
                }
    except (TypeError, KeyError) as error:
        raise ZooError(f"to_csv needs a pose or a list of poses, got {poses!r:.80}") from error
