"""Results as rows and columns: CSV text, or a DataFrame of pandas."""

import io
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from weights_cache.dependencies import needed_for
from weights_cache.errors import ZooError
from zoo.results import Result, by_photo, is_thing, refuse_iterator

if TYPE_CHECKING:
    import pandas

Row = dict[str, Any]

_BOX = ("box_x", "box_y", "box_width", "box_height")

#: Every column, in its order; a table has those that one of its rows has.
_COLUMNS = (
    *("image", "pose", "hand", "face", "detection", "instance"),
    *("pose_score", "hand_score", "face_score", "detection_score", "instance_score"),
    *("label", "index", "area", "share"),
    *("handedness", "handedness_score"),
    *("expression", "expression_score", "age", "gender", "gender_score"),
    *_BOX,
    *("part", "x", "y", "z", "visibility", "score", "world_x", "world_y", "world_z"),
)

#: Kinds of things with points, by a key that only they have, the more special first.
_POINTED = {"face": "landmarks", "hand": "handedness", "detection": "label", "pose": "keypoints"}


def to_csv(result: Result) -> str:
    """A result as CSV text: a line for each keypoint, label, detection, gesture or region.

    Columns that no row has are left out, so they follow from the kind of result:

    - poses, hands, faces: ``pose`` (or ``hand``, ``face``: its number), ``pose_score``, ``part``,
      ``x``, ``y``, ``score``, and where known ``z``, ``visibility``, ``world_x``.. (metres),
      ``box_x``.. ``box_height``, and what is told of the whole, such as ``handedness`` or ``age``;
    - labels: ``label``, ``index``, ``score``;
    - detections and gestures: ``label``, ``score``, ``box_x``, ``box_y``, ``box_width``,
      ``box_height``; of gestures also ``hand`` (index) and ``handedness``;
    - masks: for each label that occurs ``label``, ``index``, ``area`` (pixels), ``share`` (0..1);
      of several people for each ``instance``, ``instance_score``, ``area``, ``share``.

    A result that is a dict by photo has the column ``image`` first.

    Args:
        result: what a function of the zoo gave, a list of such, or a dict by photo.

    Returns:
        Lines, the first with the columns' names; the empty text if nothing was found.

    Raises:
        ZooError: it is no result.

    >>> pose = {"score": 0.5, "keypoints": [{"part": "nose", "position": {"x": 1.0, "y": 2.0},
    ...         "score": 0.9}]}
    >>> print(to_csv(pose))
    pose,pose_score,part,x,y,score
    0,0.5,nose,1.0,2.0,0.9
    <BLANKLINE>
    """
    import csv

    columns, rows = _table(result, "to_csv")
    if not columns:
        return ""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def to_pandas(result: Result) -> "pandas.DataFrame":
    """A result as a DataFrame of pandas, with the rows and columns of `to_csv`.

    Args:
        result: what a function of the zoo gave, a list of such, or a dict by photo.

    Returns:
        A row for each keypoint, label, detection, gesture or region; what is unknown is NaN.

    Raises:
        ZooError: it is no result, or pandas is not installed.

    >>> frame = to_pandas([{"label": "tabby", "score": 0.8, "index": 281}])
    >>> frame.to_dict("records")
    [{'label': 'tabby', 'index': 281, 'score': 0.8}]
    """
    with needed_for("to_pandas"):
        import pandas
    columns, rows = _table(result, "to_pandas")
    return pandas.DataFrame(rows, columns=columns)


def _table(result: Result, caller: str) -> tuple[list[str], list[Row]]:
    """The columns that occur, in their order, and the rows."""
    refuse_iterator(result)
    named = isinstance(result, Mapping) and not is_thing(result)
    rows, numbers = [], dict[str, int]()
    for photo, thing in by_photo(result):
        number = numbers.get(photo, 0)
        numbers[photo] = number + 1
        try:
            for row in _rows(thing, number):
                rows.append({"image": photo, **row} if named else row)
        except (TypeError, KeyError, AttributeError, IndexError) as error:
            raise ZooError(
                f"{caller} needs a pose, or another result of the zoo, or a list of them, "
                f"got {thing!r:.80}"
            ) from error
    found = {name for row in rows for name in row} | ({"image"} if named else set())
    return [name for name in _COLUMNS if name in found], rows


def _rows(thing: Any, number: int) -> Iterator[Row]:
    """The rows of one thing, the number-th of its photo."""
    if "mask" in thing:
        return _rows_of_labels(thing) if "labels" in thing else _rows_of_instance(thing, number)
    if "label" in thing and "keypoints" not in thing:
        return iter([_row_of_label(thing)])
    kind = next((kind for kind, key in _POINTED.items() if thing.get(key)), "pose")
    if kind == "pose" and "box" in thing and not thing.get("keypoints"):
        kind = "face"  # of a detector without points
    return _rows_of_points(thing, kind, number)


def _row_of_label(thing: Mapping[str, Any]) -> Row:
    """A label, detection or gesture."""
    row = {key: thing[key] for key in ("hand", "label", "index", "score") if key in thing}
    if thing.get("handedness") is not None:
        row["handedness"] = thing["handedness"]
    return {**row, "label": thing["label"], "score": thing["score"], **_box(thing)}


def _rows_of_points(thing: Mapping[str, Any], kind: str, number: int) -> Iterator[Row]:
    """A row for each keypoint; for a thing with a box and none, one row."""
    own = {kind: number, f"{kind}_score": thing["score"], **_told(thing), **_box(thing)}
    world = {point["part"]: point["position"] for point in thing.get("world") or ()}
    points = thing["keypoints"] if "box" not in thing else thing.get("keypoints", [])
    for point in points:
        row = {**own, "part": point["part"], **point["position"], "score": point["score"]}
        if "visibility" in point:
            row["visibility"] = point["visibility"]
        in_space = world.get(point["part"], {})
        yield {**row, **{f"world_{axis}": value for axis, value in in_space.items()}}
    if not points and "box" in thing:
        yield own


def _told(thing: Mapping[str, Any]) -> Row:
    """What is known of the whole beside its points."""
    plain = ("label", "handedness", "handedness_score", "age")
    row = {key: thing[key] for key in plain if thing.get(key) is not None}
    if thing.get("expressions"):
        best = thing["expressions"][0]
        row |= {"expression": best["label"], "expression_score": best["score"]}
    if thing.get("gender"):
        row |= {"gender": thing["gender"]["label"], "gender_score": thing["gender"]["score"]}
    return row


def _box(thing: Mapping[str, Any]) -> Row:
    if thing.get("box") is None:
        return {}
    return {f"box_{key}": thing["box"][key] for key in ("x", "y", "width", "height")}


def _rows_of_labels(thing: Mapping[str, Any]) -> Iterator[Row]:
    for index, label, area, share in label_areas(thing):
        yield {"label": label, "index": index, "area": area, "share": share}


def label_areas(segmentation: Mapping[str, Any]) -> Iterator[tuple[int, str, int, float]]:
    """Index, label, pixels and share of the picture, for each label that occurs in a mask.

    >>> mask = np.array([[0, 1], [1, 1]], np.uint8)
    >>> list(label_areas({"mask": mask, "labels": ["background", "cat"]}))
    [(0, 'background', 1, 0.25), (1, 'cat', 3, 0.75)]
    """
    mask = np.asarray(segmentation["mask"])
    for value, count in zip(*np.unique(mask, return_counts=True), strict=True):
        label = segmentation["labels"][int(value)]
        yield int(value), label, int(count), int(count) / mask.size


def _rows_of_instance(thing: Mapping[str, Any], number: int) -> Iterator[Row]:
    mask = np.asarray(thing["mask"])
    area = int(np.count_nonzero(mask))
    row = {"instance": number, "instance_score": thing["score"], **_box(thing)}
    yield {**row, "area": area, "share": area / mask.size}
