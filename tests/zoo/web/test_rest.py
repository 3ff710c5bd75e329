"""REST gives what the verbs give."""

import base64
import io

import numpy as np
import pytest
from PIL import Image

import zoo
from tests.conftest import ROOT
from tests.helpers import require
from tests.zoo.web.rest_servers import rest_running
from zoo.web.rest_options import served_verbs

ASTRONAUT = ROOT / "gallery" / "one_line_pose" / "astronaut.jpg"

#: Of each verb: an image, options as texts of a query and as arguments.
ASKED = [
    ("classify", "cat_demo.jpg", "top_k=2&model=mobilenet.v1_025", {"top_k": 2, "model": "fast"}),
    (
        "detect",
        "three_people.jpg",
        "labels=person,tie&labels=dog&score_threshold=0.4&max_detections=9",
        {"labels": ["person", "tie", "dog"], "score_threshold": 0.4, "max_detections": 9},
    ),
    (
        "detect_faces",
        "three_people.jpg",
        "max_faces=2&model=fast",
        {"max_faces": 2, "model": "fast"},
    ),
    (
        "estimate_faces",
        "coral_grace_hopper.jpg",
        "iris=true&landmarks=mesh",
        {"iris": True, "landmarks": "mesh"},
    ),
    ("estimate_hands", "two_hands.jpg", "max_hands=1&mirror=1", {"max_hands": 1, "mirror": True}),
    (
        "recognize_gestures",
        "gesture_call_2.jpg",
        "model=rules&hands_model=hands.lite",
        {"model": "rules", "hands_model": "hands.lite"},
    ),
    (
        "estimate_single_pose",
        "yoga_beach.jpg",
        "model=blazepose.lite&segmentation=true",
        {"model": "blazepose.lite", "segmentation": True},
    ),
    (
        "estimate_multiple_poses",
        "three_people.jpg",
        "max_poses=2&model=posenet.mobilenet_v1_075",
        {"max_poses": 2, "model": "posenet.mobilenet_v1_075"},
    ),
    ("segment", "cat_demo.jpg", "", {}),
    ("segment_person", "portrait.jpg", "probability=true", {"probability": True}),
    ("segment_persons", "three_people.jpg", "max_persons=5", {"max_persons": 5}),
    ("segment_person_parts", "portrait.jpg", "threshold=0.6", {"threshold": 0.6}),
]


@pytest.fixture(scope="module")
def server():
    with rest_running() as found:
        yield found


def encoded(image, kind="PNG", **more):
    file = io.BytesIO()
    image.save(file, kind, **more)
    return file.getvalue()


def test_the_bundled_model_equals_its_verb(server):
    body = ASTRONAUT.read_bytes()
    answer = server.post("estimate_single_pose?score_threshold=0.1", body)
    assert answer.status == 200 and answer.headers["content-type"] == "application/json"
    assert answer.text == zoo.to_json(zoo.estimate_single_pose(body, score_threshold=0.1))
    assert len(answer.document["keypoints"]) == 17
    several = server.post("estimate_multiple_poses", body, content_type="image/jpeg")
    assert several.text == zoo.to_json(zoo.estimate_multiple_poses(body)) and several.document


def test_image_without_people(server):
    body = encoded(Image.new("RGB", (90, 60), "white"))
    assert server.post("estimate_multiple_poses", body).text == "[]"


def test_images_of_phones_are_turned_upright(server):
    upright = Image.open(ASTRONAUT)
    exif = Image.Exif()
    exif[274] = 6  # the camera was held upright: turn by 90 degrees to the right
    lying = encoded(upright.transpose(Image.Transpose.ROTATE_90), exif=exif)
    expected = zoo.to_json(zoo.estimate_single_pose(np.asarray(upright)))
    assert server.post("estimate_single_pose", lying).text == expected


def test_every_verb_is_asked():
    assert [asked[0] for asked in sorted(ASKED)] == sorted(served_verbs())


@pytest.mark.parametrize(("verb", "name", "query", "options"), ASKED, ids=[a[0] for a in ASKED])
def test_every_verb_equals_python(server, shared, monkeypatch, verb, name, query, options):
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
    body = (shared / "images" / "photos" / name).read_bytes()
    expected = getattr(zoo, verb)(body, **options)
    answer = server.post(f"{verb}?{query}", body)
    assert answer.status == 200 and expected
    assert answer.text == zoo.to_json(expected)
    _check_masks(answer.document, expected)
    _check_schema(server, verb, answer.document)


def _check_masks(document, expected):
    if isinstance(expected, list):
        assert len(document) == len(expected)
        for one, other in zip(document, expected, strict=True):
            _check_masks(one, other)
    elif isinstance(expected, dict):
        for name, value in expected.items():
            if isinstance(value, np.ndarray):
                sent = Image.open(io.BytesIO(base64.b64decode(document[name]["png"])))
                scale = document[name].get("scale")
                if scale:
                    np.testing.assert_allclose(np.asarray(sent) / scale, value, atol=1e-5)
                else:
                    np.testing.assert_array_equal(np.asarray(sent), value)
            else:
                _check_masks(document[name], value)


def _check_schema(server, verb, document):
    described = server.ask("GET", "/openapi.json").document["paths"][f"/v1/{verb}"]["post"]
    schema = described["responses"]["200"]["content"]["application/json"]["schema"]
    validator = require("jsonschema").Draft202012Validator(schema)
    assert [error.message for error in validator.iter_errors(document)] == []
