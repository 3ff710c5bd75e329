"""The records of the kinds of results, and all that is computed from them."""

import inspect
import json
import random
from pkgutil import resolve_name
from typing import Any, get_args, get_origin, get_type_hints, is_typeddict

import numpy as np
import pytest

import zoo
from zoo.drawing import PAINTERS
from zoo.export.pretty import readable
from zoo.export.tables import COLUMNS, TABLES
from zoo.results import vocabulary
from zoo.results.vocabulary import KINDS, ResultItem, kind_of

EVERY = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


def sample(kind: Any) -> Any:
    """A value of a type, with all keys that it may have."""
    if is_typeddict(kind):
        hints = get_type_hints(kind, {**vars(vocabulary), "np": np})
        return {key: sample(hint) for key, hint in hints.items()}
    if get_origin(kind) is list:
        return [sample(get_args(kind)[0])]
    if get_origin(kind) is dict:
        return {"part": sample(get_args(kind)[1])}
    if kind is np.ndarray:
        return np.zeros((60, 80), np.uint8)
    return kind(0.0) if kind is not str else "name"


def item_of(kind: vocabulary.ResultKind) -> dict[str, Any]:
    item = sample(kind.type)
    if "probability" in item:
        item["probability"] = np.zeros((60, 80), np.float32)
    return item


def test_there_is_a_record_for_each_type_that_functions_return():
    assert {kind.type for kind in KINDS.values()} == {*get_args(ResultItem)}
    assert all(getattr(zoo, kind.type.__name__) is kind.type for kind in KINDS.values())


@EVERY
def test_painters_and_rows_take_what_they_are_given(kind):
    items, item = ("canvas", "items", "min_score"), ("item", "kind", "number")
    inspect.signature(resolve_name(PAINTERS[kind.name])).bind(*items)
    inspect.signature(TABLES[kind.name].rows).bind(*item)


def test_every_kind_has_a_painter_and_a_table():
    assert PAINTERS.keys() == TABLES.keys() == KINDS.keys()


@EVERY
def test_items_are_recognized_by_some_keys_or_all(kind):
    whole = item_of(kind)
    assert set(kind.keys) <= whole.keys()
    assert kind_of(whole) is kind
    assert kind_of({key: whole[key] for key in kind.keys}) is kind


@EVERY
def test_keys_mean_the_same_in_all_kinds(kind):
    assert all(vocabulary.KEYS[key] == facts for key, facts in kind.special.items())


@EVERY
def test_every_kind_is_drawn_written_and_read(kind):
    item = item_of(kind)
    image = np.full((60, 80, 3), 90, np.uint8)
    assert zoo.draw(image, item).size == (80, 60)
    header = zoo.to_csv(item).splitlines()[0].split(",")
    assert header == [name for name in COLUMNS if name in header]
    assert (f"{kind.name}_score" in header) == TABLES[kind.name].is_numbered
    assert set(TABLES[kind.name].columns) <= set(header) | {"index", "area", "share"}
    assert json.loads(zoo.to_json(item)).keys() == json.loads(readable(item)).keys()


def test_the_order_of_columns_is_that_of_all_tables():
    assert (
        *("image", "time", "id", "pose", "hand", "face", "detection", "instance"),
        *("pose_score", "hand_score", "face_score", "detection_score", "instance_score"),
        *("label", "index", "area", "share"),
        *("handedness", "handedness_score"),
        *("expression", "expression_score", "age", "gender", "gender_score"),
        *("box_x", "box_y", "box_width", "box_height"),
        *("part", "x", "y", "z", "visibility", "score", "world_x", "world_y", "world_z"),
    ) == COLUMNS


def test_kinds_are_drawn_from_regions_to_labels(monkeypatch):
    drawn = []
    for painter in PAINTERS.values():
        module, _, name = painter.partition(":")
        note = lambda canvas, items, _, name=name: drawn.append((name, len(items)))  # noqa: E731
        monkeypatch.setattr(resolve_name(module), name, note)
    items = [item_of(kind) for kind in KINDS.values()]
    random.Random(0).shuffle(items)
    zoo.draw(np.zeros((60, 80, 3), np.uint8), items)
    assert drawn == [
        ("paint_segmentations", 1),
        ("paint_instances", 1),
        ("paint_boxes", 2),
        ("paint_faces", 1),
        ("paint_hands", 1),
        ("paint_poses", 1),
        ("paint_labels", 1),
    ]
