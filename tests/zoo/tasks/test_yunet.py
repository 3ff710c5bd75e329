"""YuNet, of the zoo and in files: known by its outputs, decoded as OpenCV's FaceDetectorYN does."""

import math
from pathlib import Path

import numpy as np
import pytest

import zoo
from tests import packages
from tests.helpers import require, shared_folder
from tests.zoo.tasks.yolo_files import write_planted
from weights_cache import locate
from zoo.catalog.entries import find_entry
from zoo.tasks.faces.estimating import POINTS_5
from zoo.tasks.faces.yunet import YuNet

HEIGHT, WIDTH = 64, 96
COUNTS = {"cls": 1, "obj": 1, "bbox": 4, "kps": 10}


def outputs_of(rng) -> dict[str, np.ndarray]:
    """Random outputs, in whose grids a few cells are sure of a face."""
    found = {}
    for stride in (8, 16, 32):
        cells = (HEIGHT // stride) * (WIDTH // stride)
        for kind, count in COUNTS.items():
            values = rng.normal(0.5, 0.5, (1, cells, count))
            found[f"{kind}_{stride}"] = np.float32(values)
        for kind in ("cls", "obj"):
            found[f"{kind}_{stride}"] = np.float32(rng.uniform(-0.1, 1.1, (1, cells, 1)))
    return found


def write_yunet(folder: Path, outputs) -> Path:
    return write_planted(folder / "yunet.onnx", outputs, {}, (HEIGHT, WIDTH))


def by_opencv(outputs, width: int, least: float) -> list[tuple[float, list[float], list[float]]]:
    """Score, box (x, y, width, height) and points of each cell, as face_detect.cpp has it."""
    faces = []
    for stride in (8, 16, 32):
        cls, obj, bbox, kps = (outputs[f"{kind}_{stride}"][0] for kind in COUNTS)
        columns = width // stride
        for i in range(len(cls)):
            row, column = i // columns, i % columns
            score = math.sqrt(min(max(cls[i, 0], 0), 1) * min(max(obj[i, 0], 0), 1))
            if score < least:
                continue
            middle_x, middle_y = (column + bbox[i, 0]) * stride, (row + bbox[i, 1]) * stride
            wide, high = math.exp(bbox[i, 2]) * stride, math.exp(bbox[i, 3]) * stride
            box = [middle_x - wide / 2, middle_y - high / 2, wide, high]
            points = []
            for k in range(5):
                points += [(kps[i, 2 * k] + column) * stride, (kps[i, 2 * k + 1] + row) * stride]
            faces.append((score, box, points))
    return sorted(faces, key=lambda face: -face[0])


def by_ours(model: YuNet, image, **options):
    """The same of the results of a model."""
    faces = []
    for face in model.detect_faces(image, **options):
        box = face["box"]
        places = [p["position"] for p in face["keypoints"]]
        points = [n for place in places for n in (place["x"], place["y"])]
        faces.append((face["score"], [box[k] for k in ("x", "y", "width", "height")], points))
    return faces


def test_cells_are_decoded_as_by_opencv(tmp_path, rng):
    """All of them, as no overlap is too large; the image is as large as the input."""
    outputs = outputs_of(rng)
    model = zoo.load(write_yunet(tmp_path, outputs))
    image = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    expected = by_opencv(outputs, WIDTH, 0.6)
    found = by_ours(model, image, score_threshold=0.6, iou_threshold=1.0)
    assert len(found) == len(expected) > 20
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-6)
        np.testing.assert_allclose(ours[1] + ours[2], theirs[1] + theirs[2], rtol=1e-5, atol=1e-4)


def test_results_are_faces_with_five_points(tmp_path, rng):
    path = write_yunet(tmp_path, outputs_of(rng))
    faces = zoo.detect_faces(np.zeros((128, 192, 3), np.uint8), model=path, max_faces=2)
    assert len(faces) == 2 and faces[0]["score"] >= faces[1]["score"] >= 0.7
    assert faces[0]["landmarks"] == "points5"
    assert tuple(point["part"] for point in faces[0]["keypoints"]) == POINTS_5


def test_pixels_are_blue_green_red_and_0_to_255(tmp_path, rng):
    model = zoo.load(write_yunet(tmp_path, outputs_of(rng)))
    values = model.network_input(np.full((HEIGHT, WIDTH, 3), (255, 51, 0), np.uint8))
    assert values[0, :, 5, 5].tolist() == [0, 51, 255]


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e30])
def test_numbers_of_damaged_weights(tmp_path, rng, value):
    """1e30 is where no box can be, and is no error."""
    outputs = outputs_of(rng)
    for name in outputs:
        outputs[name][0, :, 0] = value
    model = zoo.load(write_yunet(tmp_path, outputs))
    faces = by_ours(model, np.zeros((HEIGHT, WIDTH, 3), np.uint8))
    assert bool(faces) == np.isfinite(value)
    assert all(np.isfinite([*box, *points]).all() for _, box, points in faces)


def test_other_outputs_are_no_yunet(tmp_path, rng):
    outputs = outputs_of(rng)
    outputs["more"] = outputs.pop("kps_8")
    assert not hasattr(zoo.load(write_yunet(tmp_path, outputs)), "detect_faces")


def test_the_model_of_the_zoo_finds_three_people_as_onnx_runtime_does(shared, monkeypatch):
    packages.require_weights(find_entry("yunet.s").weights)
    onnx_runtime = require("onnxruntime")
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
    model = zoo.load("yunet.s")
    image = zoo.read_image(shared / "images" / "photos" / "three_people.jpg")
    session = onnx_runtime.InferenceSession(str(locate(model.entry.weights)[model.entry.file]))
    names = [output.name for output in session.get_outputs()]
    values = model.network_input(image)
    outputs = dict(zip(names, session.run(None, {"input": values}), strict=True))
    for name, value in model.predict(values).items():
        apart = np.abs(value.numpy() - outputs[name]).max()
        assert apart <= 1e-4 * np.ptp(outputs[name]), name
    best = by_opencv(outputs, 640, 0.7)[0]
    faces = model.detect_faces(image)
    assert len(faces) == 3
    assert faces[0]["score"] == pytest.approx(best[0], abs=1e-4)


def test_no_package_has_the_files_that_are_put_by_hand():
    assert not any(map(packages.is_of_packages, packages.BY_HAND))


def test_the_mirror_does_not_have_the_files_that_are_put_by_hand():
    folder = shared_folder()
    if folder is None:
        pytest.skip("there are no reference files")
    assert not any((folder / "weights" / name).exists() for name in packages.BY_HAND)
