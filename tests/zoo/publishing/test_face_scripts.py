"""Faces that the scripts of published models find, beside those of Python."""

import pytest

import zoo
from tests.helpers import require_llvmlite
from tests.zoo.publishing.found_in_node import assert_same_in_node
from zoo.images.reading import read_image

#: With the number of faces that are found: one, several, nobody.
DETECTED = {"portrait": 1, "three_people": 3, "coffee": 0}

OPTIONS = (
    {},
    {"mirror": True},
    {"max_faces": 2, "score_threshold": 0.2, "iou_threshold": 0.6},
)


@pytest.fixture(autouse=True)
def _compiler_and_weights(shared, monkeypatch):
    require_llvmlite()
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))


@pytest.fixture
def photo(shared):
    return lambda name: read_image(shared / "images" / "photos" / f"{name}.jpg")


def calls_of(photo):
    return [(photo(name), options) for name in DETECTED for options in OPTIONS]


@pytest.mark.parametrize("variant", ["short", "full", "back", "refined"])
def test_faces_of_a_detector_are_those_of_python(variant, photo, tmp_path):
    with zoo.load(f"blazeface.{variant}", backend="cpu") as model:
        found = assert_same_in_node(tmp_path, model, "detect_faces", calls_of(photo))
    assert [len(faces) for faces in found[:: len(OPTIONS)]] == [*DETECTED.values()]


def test_faces_upside_down_are_those_of_python(photo, tmp_path):
    image = photo("portrait")[::-1, ::-1].copy()
    with zoo.load("blazeface.refined", backend="cpu") as model:
        ((face,),) = assert_same_in_node(tmp_path, model, "detect_faces", [(image, {})])
    eye, mouth = (face["keypoints"][i]["position"] for i in (0, 3))
    assert eye["y"] > mouth["y"]


@pytest.mark.parametrize("detector", ["blazeface.refined", "blazeface.back"])
def test_meshes_are_those_of_python(detector, photo, tmp_path):
    with zoo.load("facemesh.base", backend="cpu", detector=detector) as model:
        found = assert_same_in_node(tmp_path, model, "estimate_faces", calls_of(photo))
    assert [len(faces) for faces in found[:: len(OPTIONS)]] == [*DETECTED.values()]


def test_detectors_whose_faces_pages_do_not_find_are_refused(tmp_path):
    model = zoo.load("blazeface.refined", backend="cpu", detector="faceapi.tiny_detector")
    with (
        model,
        pytest.raises(zoo.ZooError, match="found by faceapi.tiny_detector .*blazeface.back"),
    ):
        zoo.publish(model, tmp_path / "published")
    assert not (tmp_path / "published").exists()
