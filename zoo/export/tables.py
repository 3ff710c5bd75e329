"""Results as rows and columns: CSV text, or a DataFrame of pandas."""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, get_type_hints

import numpy as np

from weights_cache.common.dependencies import needed_for
from weights_cache.common.messages import visible
from zoo.export.json_text import encodable
from zoo.export.validation import check_result, not_a_result
from zoo.results.moments import Findings, by_frame, is_moment, without_frames
from zoo.results.vocabulary import Result, is_item, kind_of, label_areas
from zoo.shared.keypoints_by_name import every_point

if TYPE_CHECKING:
    import pandas

Row = dict[str, Any]

#: First characters of formulas, also in full width; tabs and line ends are escaped.
_FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")

_BOX = ("x", "y", "width", "height")
_POINT = ("part", "x", "y", "z", "visibility", "score", "world_x", "world_y", "world_z")


class Table(NamedTuple):
    """The table of one kind of result."""

    rows: Callable[[Mapping[str, Any], str, int], Iterable[Row]]  # item, kind, number of the item
    columns: tuple[str, ...] = ()  # beside number, score, box and keypoints
    is_numbered: bool = True  # whether there are columns of the item's number and its score


def to_csv(result: Findings) -> str:
    r"""A result as CSV text: a line for each keypoint, label, detection, gesture or region.

    Columns that no row has are left out, so they follow from the kind of result:

    - poses, hands, faces and detections: ``pose`` (or ``hand``, ``face``, ``detection``: its
      number), ``pose_score``, ``part``, ``x``, ``y``, ``score`` of the part, and where known
      ``z``, ``visibility``, ``world_x``.. (metres), ``box_x``.. ``box_height``, and facts about
      the whole, such as ``label``, ``handedness``, ``age`` or the likeliest ``expression``. A
      line for each keypoint, those of irises among them; one for an item without keypoints; and
      where a pose has a mask one for each of its labels, as below;
    - labels: ``label``, ``index``, ``score``;
    - gestures: ``hand`` (index), ``label``, ``handedness``, ``box_x``.. ``box_height``, ``score``;
    - masks: for each label that occurs ``label``, ``index``, ``area`` (pixels), ``share`` (0..1);
      of several people for each keypoint of a person's pose ``instance``, ``pose_score``,
      ``instance_score``, ``area``, ``share``, the box, and the keypoint as above.

    A result that is a dict by image has the column ``image`` first, and a line of its name alone
    for an image where nothing was found. Moments have the columns ``time``, in seconds, and ``id``,
    the number that an item keeps from frame to frame (of gestures that of the hand), and a line of
    the time alone where nothing was found. `to_json` writes all, also the masks, each expression
    and the events of moments.

    Spreadsheets take text that begins with ``=``, ``+``, ``-`` or ``@`` for a formula: such a name
    or label gets a ``'`` in front, which they hide. Control characters are escaped, as ``\x1b``.

    Args:
        result: what a function of the zoo returned: an item, a list of items; a moment of
            `zoo.watch` or `zoo.replay`, a list or an iterator of moments; or a dict of these by
            image.

    Returns:
        Lines, the first with the columns' names. If nothing was found, the empty text, unless the
        result is a dict by image, or has moments.

    Raises:
        ZooError: it is no result, or it has numbers that are not finite.

    >>> pose = {"score": 0.5, "keypoints": [{"part": "nose", "position": {"x": 1.0, "y": 2.0},
    ...         "score": 0.9}]}
    >>> print(to_csv(pose))
    pose,pose_score,part,x,y,score
    0,0.5,nose,1.0,2.0,0.9
    <BLANKLINE>
    """
    found = without_frames(result)
    rows = table_rows(found, "to_csv")
    columns = columns_of(rows, found)
    return csv_text(rows, columns) if columns else ""


def csv_text(rows: list[Row], columns: list[str]) -> str:
    """Rows as CSV, below a line with the names of the columns."""
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


def to_pandas(result: Findings) -> "pandas.DataFrame":
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
    found = without_frames(result)
    rows = table_rows(found, "to_pandas")
    return pandas.DataFrame(rows, columns=columns_of(rows, found))


def table_rows(result: Result, caller: str) -> list[Row]:
    """Return the rows of a table: all of each image or moment, or its name alone without items.

    Args:
        result: as for `to_csv`, but no iterator.
        caller: who writes it, for the error.
    """
    check_result(result, caller)
    return [row for where, items in by_frame(result) for row in _rows_of(where, items, caller)]


def _rows_of(where: Row, items: list[Any], caller: str) -> Iterator[Row]:
    """The rows of one image or moment."""
    if "image" in where:
        where = {**where, "image": encodable(where["image"])}
    rows: list[Row] = []
    for number, item in enumerate(items):
        try:
            rows.extend(_rows(item, number))
        except (TypeError, KeyError, AttributeError, IndexError) as error:
            raise not_a_result(item, caller) from error
    yield from ({**where, **row} for row in rows or ([{}] if where else []))


def columns_of(rows: list[Row], result: Result) -> list[str]:
    """The columns of the rows of a result, in their order."""
    named = isinstance(result, Mapping) and not (is_item(result) or is_moment(result))
    found = {name for row in rows for name in row} | ({"image"} if named else set())
    return [name for name in COLUMNS if name in found]


def columns_of_type(kind: type) -> list[str]:
    """All columns that results of a type may have, in their order.

    >>> from zoo.results.vocabulary import Label
    >>> columns_of_type(Label)
    ['label', 'index', 'score']
    """
    name, keys = kind.__name__.lower(), get_type_hints(kind)
    found = {*keys, *TABLES[name].columns}
    if TABLES[name].is_numbered:
        found |= {name, f"{name}_score"}
    if "box" in keys:
        found |= {f"box_{key}" for key in _BOX}
    if "pose" in keys:
        found.add("pose_score")
    if not {"pose", "keypoints"}.isdisjoint(keys):
        found.update(_POINT)
    return [name for name in COLUMNS if name in found]


def _rows(item: Any, number: int) -> Iterable[Row]:
    """The rows of one item, the number-th of its image."""
    kind = kind_of(item)
    if kind is None:
        raise TypeError(f"{item!r:.80} is no result item")
    of_item = {"id": item["id"]} if "id" in item else {}
    return ({**of_item, **row} for row in TABLES[kind.name].rows(item, kind.name, number))


def rows_of_label(item: Mapping[str, Any], *_: Any) -> list[Row]:
    """The row of a label or gesture."""
    row = {key: item[key] for key in ("hand", "label", "index", "score") if key in item}
    if item.get("handedness") is not None:
        row["handedness"] = item["handedness"]
    return [{**row, **_box(item)}]


def rows_of_points(item: Mapping[str, Any], kind: str, number: int) -> Iterator[Row]:
    """A row for each keypoint; one for an item with a box and no keypoint; those of its mask.

    Args:
        item: with a score, and keypoints or a box.
        kind: the name of its kind, which columns have.
        number: of the item among those of its image.
    """
    name = {kind: number}
    own = {**name, f"{kind}_score": item["score"], **_facts(item), **_box(item)}
    points = list(_points(item))
    yield from ({**own, **point} for point in points)
    if not points and "box" in item:
        yield own
    if "segmentation" in item:
        yield from ({**name, **row} for row in rows_of_areas(item["segmentation"]))


def _points(item: Mapping[str, Any]) -> Iterator[Row]:
    """The columns of each keypoint, also of those of irises."""
    world = {point["part"]: point["position"] for point in item.get("world") or ()}
    for point in every_point(item):
        row = {"part": point["part"], **point["position"], "score": point["score"]}
        if "visibility" in point:
            row["visibility"] = point["visibility"]
        in_space = world.get(point["part"], {})
        yield {**row, **{f"world_{axis}": value for axis, value in in_space.items()}}


def _facts(item: Mapping[str, Any]) -> Row:
    """The facts about the whole beside its points."""
    plain = ("label", "handedness", "handedness_score", "age")
    row = {key: item[key] for key in plain if item.get(key) is not None}
    if item.get("expressions"):
        best = item["expressions"][0]
        row |= {"expression": best["label"], "expression_score": best["score"]}
    if item.get("gender"):
        row |= {"gender": item["gender"]["label"], "gender_score": item["gender"]["score"]}
    return row


def _box(item: Mapping[str, Any]) -> Row:
    if item.get("box") is None:
        return {}
    return {f"box_{key}": item["box"][key] for key in _BOX}


def rows_of_areas(item: Mapping[str, Any], *_: Any) -> Iterator[Row]:
    """A row for each label that occurs in a mask."""
    for index, label, area, share in label_areas(item):
        yield {"label": label, "index": index, "area": area, "share": share}


def rows_of_instance(item: Mapping[str, Any], kind: str, number: int) -> Iterator[Row]:
    """Yield a row for each keypoint of a person's pose; one for a person without keypoints."""
    mask = np.asarray(item["mask"])
    area = int(np.count_nonzero(mask))
    own = {kind: number, f"{kind}_score": item["score"], **_box(item)}
    own |= {"area": area, "share": area / mask.size}
    pose = item.get("pose") or {"keypoints": ()}
    yield from ({**own, "pose_score": pose["score"], **point} for point in _points(pose))
    if not pose["keypoints"]:
        yield own


_AREAS = ("label", "index", "area", "share")

#: The table of each kind of result, in the order of their columns.
TABLES = {
    "label": Table(rows_of_label, ("label", "index"), is_numbered=False),
    "pose": Table(rows_of_points, _AREAS),  # those of its mask
    "hand": Table(rows_of_points, ("label", "handedness", "handedness_score")),
    "face": Table(
        rows_of_points, ("expression", "expression_score", "age", "gender", "gender_score")
    ),
    "detection": Table(rows_of_points, ("label",)),
    "gesture": Table(rows_of_label, ("label", "handedness"), is_numbered=False),
    "instance": Table(rows_of_instance, ("area", "share")),
    "segmentation": Table(rows_of_areas, _AREAS, is_numbered=False),
}

_NUMBERED = [name for name, table in TABLES.items() if table.is_numbered]

#: All columns in order; a table has those that one of its rows has.
COLUMNS = tuple(
    dict.fromkeys(
        (
            *("image", "time", "id"),
            *_NUMBERED,
            *(f"{name}_score" for name in _NUMBERED),
            *(column for table in TABLES.values() for column in table.columns),
            *(f"box_{key}" for key in _BOX),
            *_POINT,
        )
    )
)
