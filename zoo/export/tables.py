"""Results as rows and columns: CSV text, or a DataFrame of pandas."""

import io
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from weights_cache.dependencies import needed_for
from weights_cache.messages import visible
from zoo.export.json_text import encodable
from zoo.export.validation import check_result, not_a_result
from zoo.results import AnyResult, Result, by_photo, is_thing, kind_of, label_areas

if TYPE_CHECKING:
    import pandas

Row = dict[str, Any]

#: What formulas begin with, also in Chinese and Japanese widths; tabs and line ends are escaped.
_FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")

_BOX = ("box_x", "box_y", "box_width", "box_height")

#: Every column, in its order; a table has those that one of its rows has.
_COLUMNS = (
    *("image", "pose", "hand", "face", "detection", "instance"),
    *("pose_score", "hand_score", "face_score", "detection_score", "instance_score"),
    *("label", "index", "area", "share"),
    *("handedness", "handedness_score"),
    *("expression", "expression_score", "age", "gender", "gender_score"),
    *("box_x", "box_y", "box_width", "box_height"),
    *("part", "x", "y", "z", "visibility", "score", "world_x", "world_y", "world_z"),
)


def to_csv(result: AnyResult) -> str:
    r"""A result as CSV text: a line for each keypoint, label, detection, gesture or region.

    Columns that no row has are left out, so they follow from the kind of result:

    - poses, hands, faces and detections: ``pose`` (or ``hand``, ``face``, ``detection``: its
      number), ``pose_score``, ``part``, ``x``, ``y``, ``score`` of the part, and where known
      ``z``, ``visibility``, ``world_x``.. (metres), ``box_x``.. ``box_height``, and what is told
      of the whole, such as ``label``, ``handedness``, ``age`` or the likeliest ``expression``. A
      line for each keypoint, those of irises among them; one for a thing without keypoints; and
      where a pose has a mask one for each of its labels, as below;
    - labels: ``label``, ``index``, ``score``;
    - gestures: ``hand`` (index), ``label``, ``handedness``, ``box_x``.. ``box_height``, ``score``;
    - masks: for each label that occurs ``label``, ``index``, ``area`` (pixels), ``share`` (0..1);
      of several people for each keypoint of a person's pose ``instance``, ``pose_score``,
      ``instance_score``, ``area``, ``share``, the box, and the keypoint as above.

    A result that is a dict by image has the column ``image`` first, and a line of its name alone
    for an image where nothing was found. `to_json` tells all, also the masks and each expression.

    Spreadsheets take text that begins with ``=``, ``+``, ``-`` or ``@`` for a formula: such a name
    or label gets a ``'`` in front, which they hide. Control characters are escaped, as ``\x1b``.

    Args:
        result: what a function of the zoo gave: a thing, a list of things, or a dict of either by
            photo.

    Returns:
        Lines, the first with the columns' names. If nothing was found, the empty text, unless the
        result is a dict by image.

    Raises:
        ZooError: it is no result, or it has numbers that are not finite.

    >>> pose = {"score": 0.5, "keypoints": [{"part": "nose", "position": {"x": 1.0, "y": 2.0},
    ...         "score": 0.9}]}
    >>> print(to_csv(pose))
    pose,pose_score,part,x,y,score
    0,0.5,nose,1.0,2.0,0.9
    <BLANKLINE>
    """
    rows = table_rows(result, "to_csv")
    columns = columns_of(rows, result)
    return csv_text(rows, columns) if columns else ""


def csv_text(rows: list[Row], columns: list[str]) -> str:
    """Rows as CSV, below a line with the names of the columns."""
    import csv

    text = io.StringIO()
    writer = csv.DictWriter(text, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _cell(value) for name, value in row.items()} for row in rows)
    return text.getvalue()


def _cell(value: Any) -> Any:
    """A text that neither a spreadsheet runs as a formula nor a terminal obeys."""
    if not isinstance(value, str):
        return value
    text = visible(value, lines=False)
    return f"'{text}" if text.startswith(_FORMULA) else text


def to_pandas(result: AnyResult) -> "pandas.DataFrame":
    """A result as a DataFrame of pandas, with the rows and columns of `to_csv`.

    Args:
        result: as for `to_csv`.

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
    rows = table_rows(result, "to_pandas")
    return pandas.DataFrame(rows, columns=columns_of(rows, result))


def table_rows(result: Result, caller: str) -> list[Row]:
    """The rows of a table: all of each image, or its name if there are none.

    Args:
        result: as for `to_csv`.
        caller: who writes it, for the error.
    """
    check_result(result, caller)
    named = _is_named(result)
    found: dict[str, list[Row]] = {str(image): [] for image in result} if named else {"": []}
    numbers = Counter[str]()
    for image, thing in by_photo(result):
        try:
            found[image].extend(_rows(thing, numbers[image]))
        except (TypeError, KeyError, AttributeError, IndexError) as error:
            raise not_a_result(thing, caller) from error
        numbers[image] += 1
    if not named:
        return found[""]
    return [{"image": encodable(k)} | row for k, rows in found.items() for row in rows or [{}]]


def _is_named(result: Result) -> bool:
    return isinstance(result, Mapping) and not is_thing(result)


def columns_of(rows: list[Row], result: Result) -> list[str]:
    """The columns of the rows of a result, in their order."""
    found = {name for row in rows for name in row} | ({"image"} if _is_named(result) else set())
    return [name for name in _COLUMNS if name in found]


def _rows(thing: Any, number: int) -> Iterator[Row]:
    """The rows of one thing, the number-th of its photo."""
    kind = kind_of(thing)
    if kind == "segmentation":
        return _rows_of_labels(thing)
    if kind in ("label", "gesture"):
        return iter([_row_of_label(thing)])
    if kind == "instance":
        return _rows_of_instance(thing, number)
    return _rows_of_points(thing, str(kind), number)


def _row_of_label(thing: Mapping[str, Any]) -> Row:
    """A label or gesture."""
    row = {key: thing[key] for key in ("hand", "label", "index", "score") if key in thing}
    if thing.get("handedness") is not None:
        row["handedness"] = thing["handedness"]
    return {**row, **_box(thing)}


def _rows_of_points(thing: Mapping[str, Any], kind: str, number: int) -> Iterator[Row]:
    """A row for each keypoint; for a thing with a box and none, one row; and those of its mask."""
    name = {kind: number}
    own = {**name, f"{kind}_score": thing["score"], **_told(thing), **_box(thing)}
    points = list(_points(thing))
    yield from ({**own, **point} for point in points)
    if not points and "box" in thing:
        yield own
    if "segmentation" in thing:
        yield from ({**name, **row} for row in _rows_of_labels(thing["segmentation"]))


def _points(thing: Mapping[str, Any]) -> Iterator[Row]:
    """What is told of each keypoint, also of those of irises."""
    world = {point["part"]: point["position"] for point in thing.get("world") or ()}
    irises = thing.get("iris") or {}
    for point in (*thing.get("keypoints", ()), *irises.get("left", ()), *irises.get("right", ())):
        row = {"part": point["part"], **point["position"], "score": point["score"]}
        if "visibility" in point:
            row["visibility"] = point["visibility"]
        in_space = world.get(point["part"], {})
        yield {**row, **{f"world_{axis}": value for axis, value in in_space.items()}}


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


def _rows_of_instance(thing: Mapping[str, Any], number: int) -> Iterator[Row]:
    """A row for each keypoint of a person's pose, or one."""
    mask = np.asarray(thing["mask"])
    area = int(np.count_nonzero(mask))
    own = {"instance": number, "instance_score": thing["score"], **_box(thing)}
    own |= {"area": area, "share": area / mask.size}
    pose = thing.get("pose") or {"keypoints": ()}
    yield from ({**own, "pose_score": pose["score"], **point} for point in _points(pose))
    if not pose["keypoints"]:
        yield own
