"""Faces that the scripts of published models find, beside those of Python."""

import pytest

import zoo
from tests.helpers import require_llvmlite
from tests.zoo.publishing.module_files import option_records, results_in_node, write_files
from tests.zoo.publishing.result_checks import assert_same_items
from zoo.images.reading import read_image
from zoo.tasks.faces.estimating import CONTOURS

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


def detector_facts(model):
    """What a face detector reads of a description's ``decode``, and its networks by name."""
    how = model.entry.decode
    if model.name != "blazeface.refined":
        return {"grid": how._asdict()}, {"detect": model}
    detector = model.part("detector")
    refinement = how._asdict()
    decode = {
        "grid": refinement.pop("grid")._asdict(),
        "refinement": refinement,
        "proposals": {
            "grid": detector.entry.decode._asdict(),
            "iou_threshold": detector.entry.defaults["iou_threshold"],
        },
    }
    return decode, {"detect": model, "detector": detector}


def assert_same_faces(folder, model, verb, script, calls):
    """A script finds the faces that a model finds; return how many by call."""
    expected = [getattr(model, verb)(image, **options) for image, options in calls]
    found = results_in_node(folder, *script, calls)
    for one, other in zip(found, expected, strict=True):
        assert_same_items(one, other)
    return [len(faces) for faces in expected]


@pytest.mark.parametrize("variant", ["short", "full", "full_dense", "front", "back", "refined"])
def test_faces_of_a_detector_are_those_of_python(variant, photo, tmp_path):
    with zoo.load(f"blazeface.{variant}", backend="cpu") as model:
        decode, networks = detector_facts(model)
        options = {"detectFaces": option_records(model, "detect_faces")}
        write_files(tmp_path, networks, {"decode": decode, "options": options})
        calls = [(photo(name), options) for name in DETECTED for options in OPTIONS]
        script = "faces.js", "Faces"
        counts = assert_same_faces(tmp_path, model, "detect_faces", script, calls)
    assert counts[:: len(OPTIONS)] == [*DETECTED.values()]


def test_faces_upside_down_are_those_of_python(photo, tmp_path):
    image = photo("portrait")[::-1, ::-1].copy()
    with zoo.load("blazeface.refined", backend="cpu") as model:
        decode, networks = detector_facts(model)
        options = {"detectFaces": option_records(model, "detect_faces")}
        write_files(tmp_path, networks, {"decode": decode, "options": options})
        (expected,) = model.detect_faces(image)
    ((found,),) = results_in_node(tmp_path, "faces.js", "Faces", [(image, {})])
    assert_same_items([found], [expected])
    eye, mouth = found["keypoints"][0]["position"], found["keypoints"][3]["position"]
    assert eye["y"] > mouth["y"]


@pytest.mark.parametrize("detector", ["blazeface.refined", "blazeface.back"])
def test_meshes_are_those_of_python(detector, photo, tmp_path):
    with zoo.load("facemesh.base", backend="cpu", detector=detector) as model:
        decode, networks = detector_facts(model.part("detector"))
        decode |= {
            "detector": model.part("detector").entry.defaults,
            "outputs": {"mesh": model.entry.output, "presence": "output_faceflag"},
            "contours": CONTOURS["mesh468"],
        }
        options = {"estimateFaces": option_records(model, "estimate_faces")}
        write_files(tmp_path, networks | {"mesh": model}, {"decode": decode, "options": options})
        calls = [(photo(name), options) for name in DETECTED for options in OPTIONS]
        script = "mesh.js", "FaceMesh"
        assert_same_faces(tmp_path, model, "estimate_faces", script, calls)
