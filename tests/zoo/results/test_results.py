"""Results as JSON, CSV, DataFrames and readable text: every kind, and what is none."""

import base64
import csv
import io
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import zoo
from tests.helpers import require
from weights_cache.common.errors import ZooError
from zoo.export.pretty import readable


def point(part: str = "nose", score: float = 0.9, **position: float) -> dict:
    return {"part": part, "position": {"x": 1.5, "y": 2.5} | position, "score": score}


BOX = {"x": 1.0, "y": 2.0, "width": 30.0, "height": 40.0}
MASK = np.array([[0, 0, 2], [0, 2, 2]], np.uint8)
LABELS = ["background", "cat", "dog"]

POSE = {"score": 0.5, "keypoints": [point(), point("left_eye", 0.25)]}
DEEP_POSE = {
    "score": 0.5,
    "box": BOX,
    "keypoints": [point(z=-3.0) | {"visibility": 0.75}],
    "world": [{"part": "nose", "position": {"x": 0.1, "y": 0.2, "z": 0.3}}],
}
HAND = {
    "score": 0.5,
    "box": BOX,
    "handedness": "left",
    "handedness_score": 0.8,
    "keypoints": [point("wrist", z=0.0)],
}
CLOSED_HAND = {"score": 0.5, "box": BOX, "label": "closed", "keypoints": []}
FACE = {
    "score": 0.5,
    "box": BOX,
    "landmarks": "points6",
    "keypoints": [point("right_eye")],
    "iris": {"left": [point("left_iris_0")], "right": []},
    "expressions": [{"label": "happy", "score": 0.7, "index": 1}],
    "age": 31.5,
    "gender": {"label": "female", "score": 0.6, "index": 0},
}
BARE_FACE = {"score": 0.5, "box": BOX, "keypoints": []}
LABEL = {"label": "tabby", "score": 0.8, "index": 281}
DETECTION = {"label": "dog", "score": 0.75, "box": BOX}
PALM = {"label": "palm", "score": 0.75, "box": BOX, "keypoints": [point("wrist")]}
GESTURE = {"label": "rock", "score": 0.5, "hand": 1, "handedness": "right", "box": BOX}
SEGMENTATION = {"mask": MASK, "labels": LABELS}
INSTANCE = {"score": 0.5, "box": BOX, "pose": POSE, "mask": MASK // 2}
BARE_INSTANCE = {"score": 0.5, "mask": MASK // 2}
MASKED_POSE = POSE | {"segmentation": SEGMENTATION}
EVERYTHING = [
    *(POSE, DEEP_POSE, HAND, CLOSED_HAND, FACE, BARE_FACE, LABEL, DETECTION, PALM, GESTURE),
    *(SEGMENTATION, INSTANCE),
]


def rows_of(result) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(zoo.to_csv(result))))


def pixels_of(document: dict) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(document["png"]))))


# --- JSON -------------------------------------------------------------------------------------


@pytest.mark.parametrize("result", [POSE, DEEP_POSE, HAND, FACE, [LABEL], [], {"a.jpg": [GESTURE]}])
def test_plain_results_come_back_as_they_were(result):
    assert json.loads(zoo.to_json(result)) == result


def test_masks_come_back_as_they_were(rng):
    mask = rng.integers(0, 256, (37, 53), dtype=np.uint8)
    back = json.loads(zoo.to_json({"me.jpg": [{"mask": mask, "labels": LABELS}]}))["me.jpg"][0]
    assert back["labels"] == LABELS
    np.testing.assert_array_equal(pixels_of(back["mask"]), mask)
    assert pixels_of(back["mask"]).dtype == np.uint8


def test_probabilities_come_back_to_16_bits(rng):
    probability = rng.random((37, 53), dtype=np.float32)
    probability[0, :2] = 0, 1
    back = json.loads(zoo.to_json({"mask": MASK, "labels": [], "probability": probability}))
    pixels = pixels_of(back["probability"])
    assert pixels.max() > 255
    values = pixels / back["probability"]["scale"]
    assert np.abs(values - probability).max() <= 0.5 / 65535 + 1e-7
    assert values[0, 0] == 0 and values[0, 1] == 1


def test_numpy_numbers_become_pythons():
    label = {"label": np.str_("cat"), "score": np.float32(0.5), "index": np.int64(3)}
    assert zoo.to_json(label) == '{"label": "cat", "score": 0.5, "index": 3}'


@pytest.mark.parametrize(
    "value",
    [
        float("nan"),
        np.float32("nan"),
        object(),
        np.zeros(3, np.uint8),
        np.zeros((2, 2)),
        np.full((2, 2), np.nan, np.float32),
        np.full((2, 2), 1.5, np.float32),
        np.zeros((0, 2), np.uint8),
    ],
    ids=lambda value: "object" if type(value) is object else str(value),
)
def test_what_is_no_result_is_no_json(value):
    with pytest.raises(ZooError, match=r"not a result of the zoo|finite numbers only, and 'mask'"):
        zoo.to_json({"mask": value})


def test_numbers_that_are_not_finite_are_refused_alike():
    wrong = point(x=float("inf"))
    for result in (POSE | {"keypoints": [wrong]}, {"a.jpg": [FACE | {"iris": {"left": [wrong]}}]}):
        for function in (zoo.to_json, zoo.to_csv):
            with pytest.raises(ZooError, match=f"{function.__name__} takes finite.* 'x' is inf"):
                function(result)
    with pytest.raises(ZooError, match="'score' is nan"):
        zoo.to_csv(LABEL | {"score": np.float32("nan")})


def test_photos_may_be_paths():
    found = {Path("a.jpg"): [LABEL], "b.jpg": [LABEL]}
    assert json.loads(zoo.to_json(found)) == {"a.jpg": [LABEL], "b.jpg": [LABEL]}
    assert [row["image"] for row in rows_of(found)] == ["a.jpg", "b.jpg"]


# --- CSV --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "result, columns",
    [
        (POSE, "pose,pose_score,part,x,y,score"),
        (
            DEEP_POSE,
            "pose,pose_score,box_x,box_y,box_width,box_height,part,x,y,z,visibility,score,"
            "world_x,world_y,world_z",
        ),
        (
            [HAND],
            "hand,hand_score,handedness,handedness_score,box_x,box_y,box_width,box_height,part,"
            "x,y,z,score",
        ),
        ([CLOSED_HAND], "detection,detection_score,label,box_x,box_y,box_width,box_height"),
        (
            [FACE],
            "face,face_score,expression,expression_score,age,gender,gender_score,"
            "box_x,box_y,box_width,box_height,part,x,y,score",
        ),
        ([BARE_FACE], "face,face_score,box_x,box_y,box_width,box_height"),
        ([LABEL], "label,index,score"),
        ([DETECTION], "detection,detection_score,label,box_x,box_y,box_width,box_height"),
        (
            [PALM],
            "detection,detection_score,label,box_x,box_y,box_width,box_height,part,x,y,score",
        ),
        ([GESTURE], "hand,label,handedness,box_x,box_y,box_width,box_height,score"),
        (SEGMENTATION, "label,index,area,share"),
        (
            [INSTANCE],
            "instance,pose_score,instance_score,area,share,box_x,box_y,box_width,box_height,"
            "part,x,y,score",
        ),
        ([BARE_INSTANCE], "instance,instance_score,area,share"),
        (MASKED_POSE, "pose,pose_score,label,index,area,share,part,x,y,score"),
        ({"a.jpg": [LABEL]}, "image,label,index,score"),
        ({"a.jpg": []}, "image"),
    ],
    ids=str,
)
def test_columns_follow_from_the_kind(result, columns):
    assert zoo.to_csv(result).splitlines()[0] == columns


def test_rows_hold_what_the_result_says():
    first, second = rows_of({"a.jpg": [POSE, POSE]})[1:3]
    assert first == {
        "image": "a.jpg", "pose": "0", "pose_score": "0.5", "part": "left_eye",
        "x": "1.5", "y": "2.5", "score": "0.25",
    }  # fmt: skip
    assert (second["pose"], second["part"]) == ("1", "nose")
    (deep,) = rows_of(DEEP_POSE)
    assert (deep["z"], deep["visibility"], deep["world_z"]) == ("-3.0", "0.75", "0.3")
    (face, iris) = rows_of(FACE)
    assert (iris["part"], iris["face"], iris["x"], iris["age"]) == (
        "left_iris_0", "0", "1.5", "31.5"
    )  # fmt: skip
    assert (face["expression"], face["age"], face["gender"]) == ("happy", "31.5", "female")
    (gesture,) = rows_of(GESTURE)
    assert (gesture["hand"], gesture["handedness"], gesture["box_width"]) == ("1", "right", "30.0")


def test_masks_are_told_by_their_areas():
    background, dog = rows_of(SEGMENTATION)
    assert background == {"label": "background", "index": "0", "area": "3", "share": "0.5"}
    assert (dog["label"], dog["index"], dog["area"]) == ("dog", "2", "3")
    assert [row["area"] for row in rows_of([BARE_INSTANCE, BARE_INSTANCE])] == ["3", "3"]
    nose, eye, *masks = rows_of(MASKED_POSE)
    assert (nose["part"], eye["part"], nose["label"]) == ("nose", "left_eye", "")
    assert [(row["label"], row["area"], row["pose"]) for row in masks] == [
        ("background", "3", "0"), ("dog", "3", "0")
    ]  # fmt: skip


def test_people_apart_have_their_poses():
    rows = rows_of([INSTANCE | {"score": 0.25}, INSTANCE])
    assert [(row["instance"], row["instance_score"], row["part"]) for row in rows] == [
        ("0", "0.25", "nose"), ("0", "0.25", "left_eye"),
        ("1", "0.5", "nose"), ("1", "0.5", "left_eye"),
    ]  # fmt: skip
    assert {(row["pose_score"], row["area"], row["box_x"]) for row in rows} == {("0.5", "3", "1.0")}


def test_people_are_numbered_within_their_photo():
    rows = rows_of({"a.jpg": [HAND, HAND], "b.jpg": HAND})
    assert [(row["image"], row["hand"]) for row in rows] == [
        ("a.jpg", "0"), ("a.jpg", "1"), ("b.jpg", "0")
    ]  # fmt: skip


def test_different_kinds_share_one_table():
    rows = rows_of(EVERYTHING)
    assert len(rows) == 16
    assert rows[-1]["instance"] == "11" and rows[-1]["part"] == "left_eye"


def test_nothing_found_is_an_empty_text():
    assert zoo.to_csv([]) == ""
    assert rows_of({"score": 0.5, "keypoints": []}) == []
    assert zoo.to_csv({}) == "image\n"


def test_images_without_finds_keep_a_row():
    nobody = {"score": 0.0, "keypoints": []}
    found = {"a.jpg": [], "b.jpg": [LABEL], "c.jpg": [], "d.jpg": nobody}
    assert zoo.to_csv(found).splitlines() == [
        "image,label,index,score", "a.jpg,,,", "b.jpg,tabby,281,0.8", "c.jpg,,,", "d.jpg,,,"
    ]  # fmt: skip
    assert zoo.to_csv({"a.jpg": [], "b.jpg": []}) == "image\na.jpg\nb.jpg\n"


def test_names_of_files_that_are_not_utf_8():
    """Strict readers of JSON refuse lone surrogates; files in UTF-8 cannot hold them."""
    for name, text in (("caf\udce9.jpg", r"caf\xe9.jpg"), ("\ud800.jpg", r"\ud800.jpg")):
        document = zoo.to_json({name: [LABEL]})
        assert list(json.loads(document)) == [text]
        assert "\\ud" not in document.replace("\\\\", "")
        assert rows_of({name: [LABEL]})[0]["image"] == text
    assert list(json.loads(zoo.to_json({"åç.jpg": []}))) == ["åç.jpg"]


@pytest.mark.parametrize(
    "result", [5, "pose", [3], {"keypoints": 3}, {"label": "cat"}, {"a.jpg": 5}, None]
)
def test_what_is_no_result_is_no_table(result):
    for function in (zoo.to_csv, zoo.to_pandas):
        if function is zoo.to_pandas:
            require("pandas")
        with pytest.raises(ZooError, match=rf"{function.__name__} needs a pose, or another"):
            function(result)


@pytest.mark.parametrize("result", [3, None, "x", [3], {"label": "cat"}, {"a.jpg": 5}])
def test_what_is_no_result_is_no_document(result):
    with pytest.raises(ZooError, match="to_json needs a pose, or another"):
        zoo.to_json(result)


# --- pandas -----------------------------------------------------------------------------------


def test_a_frame_has_the_rows_of_the_csv():
    pandas = require("pandas")
    frame = zoo.to_pandas(EVERYTHING)
    again = pandas.read_csv(io.StringIO(zoo.to_csv(EVERYTHING)))
    assert list(frame.columns) == list(again.columns)
    pandas.testing.assert_frame_equal(frame, again, check_dtype=False)


def test_numbers_of_a_frame_are_numbers():
    require("pandas")
    frame = zoo.to_pandas({"a.jpg": POSE})
    assert frame["x"].dtype == np.float64 and frame["x"].sum() == 3
    assert len(zoo.to_pandas([])) == 0
    assert list(zoo.to_pandas({"a.jpg": []})["image"]) == ["a.jpg"]


def test_without_pandas_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ZooError, match="to_pandas needs the package 'pandas'.*pip install pandas"):
        zoo.to_pandas(POSE)


# --- for people -------------------------------------------------------------------------------


@pytest.mark.parametrize("result", [*EVERYTHING, EVERYTHING, []], ids=lambda r: str(r)[:40])
def test_readable_text_is_json(result):
    json.loads(readable(result))


def test_things_stand_under_each_other_with_short_numbers():
    assert readable([{"label": "cat", "score": 1 / 3, "index": 0}] * 2).splitlines() == [
        "[",
        '  {"label": "cat", "score": 0.33, "index": 0},',
        '  {"label": "cat", "score": 0.33, "index": 0}',
        "]",
    ]
    near = {"x": 1 / 3, "y": 200 / 3, "width": 1.0, "height": 2.0}
    assert '"box": {"x": 0.3, "y": 66.7, "width": 1.0' in readable(DETECTION | {"box": near})


def test_what_is_long_is_summed_up():
    text = json.loads(readable(SEGMENTATION))
    assert text == {"mask": "3 x 2 pixels: 50.0% background, 50.0% dog", "labels": "3 labels"}
    mesh = json.loads(readable(FACE | {"keypoints": [point()] * 468}))
    assert mesh["keypoints"] == "468 points" and mesh["age"] == 31.5
    assert json.loads(readable(DEEP_POSE))["world"] == "1 points in metres"
    probability = {"probability": np.zeros((2, 3), np.float32)}
    assert json.loads(readable(SEGMENTATION | probability))["probability"] == "3 x 2 pixels"
