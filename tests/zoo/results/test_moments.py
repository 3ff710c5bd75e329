"""Moments of cameras and videos as tables and JSON."""

import csv
import io
import json
import weakref

import numpy as np
import pytest

import zoo
from tests.helpers import require
from tests.zoo.results.test_results import BOX, GESTURE, HAND, LABEL, POSE, SEGMENTATION, point
from weights_cache.common.errors import ZooError

DOG, CAT = ({"label": label, "score": 0.5, "box": BOX} for label in ("dog", "cat"))


def moment(time: float, result, ids=(), **more) -> dict:
    frame = np.zeros((4, 4, 3), np.uint8)
    facts = {"index": 0, "events": [], "values": [], "milliseconds": 1.5, "fps": 25.0}
    return {"time": time, "frame": frame, "result": result, "ids": [*ids], **facts, **more}


def rows_of(moments) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(zoo.to_csv(moments))))


MOMENTS = [moment(0.0, [DOG, CAT], [3, 5]), moment(0.5, []), moment(1.0, [CAT], [5])]


def test_a_table_has_the_time_and_the_id_of_each_item():
    rows = rows_of(MOMENTS)
    assert [*rows[0]][:4] == ["time", "id", "detection", "detection_score"]
    found = [(row["time"], row["id"], row["detection"], row["label"]) for row in rows]
    first = [("0.0", "3", "0", "dog"), ("0.0", "5", "1", "cat")]
    assert found == [*first, ("0.5", "", "", ""), ("1.0", "5", "0", "cat")]
    require("pandas")
    frame = zoo.to_pandas(MOMENTS)
    assert frame.groupby("id")["time"].max().to_dict() == {3: 0.0, 5: 1.0}


def test_moments_are_taken_alone_in_a_list_by_file_and_from_an_iterator():
    text = zoo.to_csv(MOMENTS)
    assert zoo.to_csv(iter(MOMENTS)) == zoo.to_csv(tuple(MOMENTS)) == text
    assert rows_of(MOMENTS[0]) == rows_of(MOMENTS)[:2]
    named = rows_of({"a.mp4": MOMENTS, "b.mp4": iter(MOMENTS[:1])})
    assert [row["image"] for row in named] == [*["a.mp4"] * 4, *["b.mp4"] * 2]
    assert [{k: v for k, v in row.items() if k != "image"} for row in named[:4]] == rows_of(MOMENTS)
    assert zoo.to_csv([]) == zoo.to_csv(iter([])) == ""


def test_frames_of_an_iterator_are_not_kept():
    """A film has room in memory without them."""
    frames = []

    def film():
        for each in MOMENTS:
            shown = moment(each["time"], each["result"], each["ids"])
            frames.append(weakref.ref(shown["frame"]))
            yield shown
            assert all(frame() is None for frame in frames[:-1])

    assert json.loads(zoo.to_json(film()))[2]["ids"] == [5] and len(frames) == 3


def test_joints_of_a_moment_have_the_id_of_their_body():
    nobody = {"score": 0.0, "keypoints": []}
    rows = rows_of([moment(0.0, [POSE, POSE], [1, 4]), moment(0.1, nobody)])
    assert [(row["id"], row["part"]) for row in rows] == [
        *(("1", "nose"), ("1", "left_eye"), ("4", "nose"), ("4", "left_eye"), ("", "")),
    ]


def test_gestures_have_the_ids_of_their_hands():
    other = {**GESTURE, "hand": 0, "label": "victory"}
    rows = rows_of(moment(0.0, [GESTURE, other], [7, 9], hands=[HAND, HAND]))
    assert [(row["label"], row["id"]) for row in rows] == [("rock", "9"), ("victory", "7")]


def test_labels_and_masks_of_moments_have_no_ids():
    rows = rows_of([moment(0.0, [LABEL]), moment(0.5, SEGMENTATION)])
    assert "id" not in rows[0] and [row["time"] for row in rows] == ["0.0", "0.5", "0.5"]


def test_json_has_all_of_a_moment_but_its_frame():
    event = {"type": "happened", "label": "jump", "id": 1, "time": 0.5, "seconds": 0.0}
    given = moment(0.5, [POSE], [1], events=[event], values=[{"pinch": 0.5}])
    expected = {key: value for key, value in given.items() if key != "frame"}
    assert json.loads(zoo.to_json(given)) == expected
    assert json.loads(zoo.to_json([given, given])) == [expected, expected]
    assert rows_of(json.loads(zoo.to_json(MOMENTS))) == rows_of(MOMENTS)  # read again
    masked = json.loads(zoo.to_json(moment(0.0, SEGMENTATION)))
    assert set(masked["result"]["mask"]) == {"png"}


def test_what_is_no_moment_is_refused():
    with pytest.raises(ZooError, match="iterator over the results of several images: name them"):
        zoo.to_csv(iter([POSE]))
    with pytest.raises(ZooError, match="not a result"):
        zoo.to_csv([moment(0.0, [{"box": 1}])])
    with pytest.raises(ZooError, match="not a result"):
        zoo.to_json([MOMENTS[0], 5])
    with pytest.raises(ZooError, match="finite numbers only, and 'time' is nan"):
        zoo.to_csv(moment(float("nan"), [POSE]))
    with pytest.raises(ZooError, match="'x' is inf"):
        zoo.to_json(moment(0.0, [{**POSE, "keypoints": [point(x=float("inf"))]}]))
