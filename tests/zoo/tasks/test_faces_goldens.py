"""The models of faces against golden outputs of reference implementations."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

import zoo
from zoo.pipeline.preprocess import placement_of, prepare_crops
from zoo.shared.anchors import anchor_centres
from zoo.shared.boxes import overlap, suppress
from zoo.tasks.faces.detectors import BlazeFace
from zoo.tasks.faces.estimating import POINTS_6
from zoo.tasks.faces.irises import eye_region, read_eyes
from zoo.tasks.faces.mesh import face_region, read_mesh

MEDIAPIPE = "mediapipe-face-detection-tflite"
FRONT, BACK = "blazeface-front-tfjs-float", "blazeface-tfjs-float"
MESH, IRIS = "facemesh-tfjs-fp16", "iris-tfjs-float"


@pytest.fixture(scope="module")
def load(shared):
    """Models by name, loaded once."""
    kept = {}

    def of_name(name):
        if name not in kept:
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
                kept[name] = zoo.load(name)
                part = kept[name]
                while "detector" in part.entry.parts:
                    part = part.part("detector")
        return kept[name]

    return of_name


@pytest.fixture(scope="module")
def golden(shared):
    """The stored arrays of a run, what was decoded of it, and the picture."""

    def of_name(record, name):
        folder = shared / "weights" / record / "reference"
        card = json.loads((folder / f"{name}.json").read_text())
        file = shared / "images" / "reference" / card["image"].removeprefix("_images/")
        arrays = dict(np.load(folder / f"{name}.npz"))
        return SimpleNamespace(arrays=arrays, result=card["result"], photo=zoo.read_image(file))

    return of_name


def outputs_of(model, values) -> dict[str, np.ndarray]:
    return {name: tensor.numpy() for name, tensor in model.predict(values).items()}


def seen(model: BlazeFace, golden, score_threshold: float):
    """What a detector sees in the stored input, in pixels of the picture."""
    found = model.decode(outputs_of(model, golden.arrays["input"]), score_threshold=score_threshold)
    how = model.entry.preprocess
    return found.in_image(placement_of(golden.photo.shape[:2], how, model.input_size))


# --- BlazeFace ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["short_portrait", "short_coral_grace_hopper"])
def test_the_short_range_detector(name, load, golden):
    stored = golden(MEDIAPIPE, name)
    found = seen(load("blazeface.short"), stored, 0.5)
    kept = found.at(suppress(found.boxes, found.scores, iou_threshold=0.3))
    assert len(kept.scores) == stored.result["n"] == 1
    expected = stored.result["detections_px"][0]
    assert kept.scores[0] == pytest.approx(stored.result["max_score"], abs=1e-5)
    assert overlap(np.array(expected["box"]), kept.boxes)[0] > 0.995
    np.testing.assert_allclose(kept.points[0], expected["keypoints"], atol=0.1)


@pytest.mark.parametrize("name", ["full_portrait", "full_three_people"])
def test_the_full_range_detector(name, load, golden):
    stored = golden(MEDIAPIPE, name)
    found = seen(load("blazeface.full"), stored, 0.6)
    assert len(found.scores) == stored.result["n_over_0.6"]
    best = int(found.scores.argmax())
    assert found.scores[best] == pytest.approx(stored.result["max_score"], abs=1e-5)
    middle = (found.boxes[best, :2] + found.boxes[best, 2:]) / 2
    np.testing.assert_allclose(middle, stored.result["center_px"], atol=0.1)


@pytest.mark.parametrize(
    ("model", "record", "name"),
    [
        ("blazeface.front", FRONT, "blazefront_portrait_tfjs"),
        ("blazeface.back", BACK, "blaze_portrait_tfjs"),
    ],
)
def test_the_detectors_of_tensorflow_js(model, record, name, load, golden):
    stored, expected = golden(record, name), golden(record, name).result["decoded"]
    outputs, grid = outputs_of(load(model), stored.arrays["input"]), load(model).grid
    logits = np.concatenate([outputs[name][0, :, 0] for name in grid.scores])
    assert logits.argmax() == expected["anchor"]
    found = seen(load(model), stored, 0.0)
    best = int(found.scores.argmax())
    assert found.scores[best] == pytest.approx(expected["max_score"], abs=1e-5)
    assert overlap(np.array(expected["box_px"]), found.boxes[best : best + 1])[0] > 0.995
    np.testing.assert_allclose(found.points[best], expected["keypoints_px"], atol=0.1)


def test_the_numbers_of_anchors(load):
    counts = {}
    for variant in ("short", "full", "front", "back"):
        grid = load(f"blazeface.{variant}").grid
        counts[variant] = len(anchor_centres(grid.strides, grid.size, grid.per_cell))
    assert counts == {"short": 896, "full": 2304, "front": 896, "back": 896}


@pytest.mark.parametrize(
    ("name", "score", "iou"),
    [
        ("blazeface.short", 0.5, 0.3),
        ("blazeface.full", 0.6, 0.3),
        ("blazeface.front", 0.5, 0.3),
        ("blazeface.back", 0.5, 0.3),
        ("blazeface.refined", 0.7, 0.3),
        ("faceapi.tiny_detector", 0.5, 0.4),
    ],
)
def test_the_default_thresholds(name, score, iou, load, shared):
    """Those of the sources, and they are what is used without options."""
    model = load(name)
    assert model.entry.default_of("detect_faces", "score_threshold") == score
    assert model.entry.default_of("detect_faces", "iou_threshold") == iou
    for picture in ("portrait.jpg", "three_people.jpg"):
        photo = zoo.read_image(shared / "images" / "reference" / picture)
        faces = model.detect_faces(photo)
        explicit = {"score_threshold": score, "iou_threshold": iou}
        assert faces == model.detect_faces(photo, **explicit)
        assert len(faces) == {"portrait.jpg": 1, "three_people.jpg": 3}[picture]


@pytest.mark.parametrize("margin", [0.0, 0.1, 0.25, 0.4, 0.75])
def test_coarse_anchors_find_large_faces(margin, load, shared):
    """A face that fills the picture, up to a margin: three networks agree where it is."""
    photo = zoo.read_image(shared / "images" / "reference" / "portrait.jpg")
    x0, y0, x1, y1 = load("blazeface.short").find(photo).boxes[0]
    half = (0.5 + margin) * (x1 - x0)
    x, y = (x0 + x1) / 2, (y0 + y1) / 2
    left, top, right, bottom = (max(0, int(n)) for n in (x - half, y - half, x + half, y + half))
    part = photo[top:bottom, left:right]
    found = {}
    for name in ("short", "front", "back"):
        model = load(f"blazeface.{name}")
        outputs, _ = model.run_on_image(part)
        logits = np.concatenate([outputs[scores][0, :, 0] for scores in model.grid.scores])
        assert logits.argmax() >= 512  # of the finer layer
        found[name] = model.find(part, limit=1)
    for other in (found["front"], found["back"]):
        distances = np.linalg.norm(other.points[0] - found["short"].points[0], axis=1)
        assert distances[:4].mean() < 0.08 * (x1 - x0)  # of eyes, nose and mouth
        assert overlap(found["short"].boxes[0], other.boxes)[0] > 0.6


def test_the_whole_way_gives_the_golden_face(load, shared):
    """From the file to the dict: the picture, too, becomes what was stored."""
    card = shared / "weights" / MEDIAPIPE / "reference" / "short_portrait.json"
    expected = json.loads(card.read_text())["result"]["detections_px"][0]
    picture = shared / "images" / "reference" / "portrait.jpg"
    (face,) = load("blazeface.short").detect_faces(picture)
    assert face["score"] == pytest.approx(expected["score"], abs=1e-3)
    for point, part, at in zip(face["keypoints"], POINTS_6, expected["keypoints"], strict=True):
        assert point["part"] == part
        assert [point["position"]["x"], point["position"]["y"]] == pytest.approx(at, abs=0.1)


# --- mesh and iris --------------------------------------------------------------------------


def test_the_mesh_gives_the_stored_outputs(load, golden):
    stored = golden(MESH, "facemesh_portrait_tfjs")
    outputs = outputs_of(load("facemesh.base"), stored.arrays["input"])
    assert outputs["output_faceflag"].item() == pytest.approx(stored.result["faceflag_raw"])
    np.testing.assert_allclose(outputs["output_mesh"], stored.arrays["Identity_2"], atol=1e-3)


def test_the_mesh_looks_where_mediapipe_does(load, golden):
    """The stored input is the crop of a chain of MediaPipe's networks."""
    model, stored = load("facemesh.base"), golden(MESH, "facemesh_portrait_tfjs")
    found = load("blazeface.short").find(stored.photo)
    region = face_region(found.boxes[0], found.points[0])
    how, size = model.entry.preprocess, model.input_size
    values, placements = prepare_crops(stored.photo, how, size, [region])
    assert abs(values - stored.arrays["input"]).mean() < 0.005
    points = read_mesh(stored.arrays["Identity_2"], placements)[0]
    own = model.locate(stored.photo, found).points[0]
    width = found.boxes[0][2] - found.boxes[0][0]
    assert np.linalg.norm(points - own, axis=1).mean() < 0.02 * width


def test_the_iris_network_gives_the_stored_outputs(load, golden):
    stored = golden(IRIS, "iris_portrait_tfjs")
    outputs = outputs_of(load("iris.base"), stored.arrays["input"])
    np.testing.assert_allclose(outputs["Identity"], stored.arrays["Identity"], atol=1e-4)


def test_the_stored_eye_is_the_right_one(load, golden, shared):
    """Its input is most like our crop of that eye, unflipped."""
    stored = golden(IRIS, "iris_portrait_tfjs")
    mesh, iris = load("facemesh.base"), load("iris.base")
    located = mesh.locate(stored.photo, mesh.detector.find(stored.photo))
    likeness = {}
    for side in ("left", "right"):
        regions = [eye_region(located.points[0], side)]
        how, size = iris.entry.preprocess, iris.input_size
        values, _ = prepare_crops(stored.photo, how, size, regions)
        for flipped in (False, True):
            eye = values[0, :, ::-1] if flipped else values[0]
            both = np.stack([eye.ravel(), stored.arrays["input"].ravel()])
            likeness[side, flipped] = np.corrcoef(both)[0, 1]
    assert max(likeness, key=likeness.__getitem__) == ("right", False)


def test_irises_lie_in_the_middle_of_their_crops(golden):
    """Rows of the right eye, and of its mirror image as the left one."""
    stored = golden(IRIS, "iris_portrait_tfjs")
    rows = np.concatenate([stored.arrays["Identity"]] * 2)
    whole = placement_of((64, 64), SimpleNamespace(fit="stretch"), (64, 64))
    mesh = np.zeros((1, 468, 3))
    mesh[:, [33, 133, 159], 2] = 16.0  # 3 of the 16 points about the right eye
    right, left = (eye[:, 71:] for eye in read_eyes(rows, [whole, whole.mirrored(64)], mesh))
    assert abs(right[0, 0, :2] - 32).max() < 8
    np.testing.assert_allclose(left[0, :, 0], 64 - right[0, :, 0])
    np.testing.assert_allclose(left[0, :, 1], right[0, :, 1])
    assert set(right[0, :, 2]) == {3.0}
    assert set(left[0, :, 2]) == {0.0}
    _, inner, top, outer, bottom = right[0]
    assert outer[0] < inner[0]  # a right eye's nose is on the right as seen
    assert top[1] < bottom[1]


# --- face-api.js ----------------------------------------------------------------------------

NETWORKS = ("tiny-face-detector", "face-landmark-68", "face-landmark-68-tiny")
READERS = ("face-expression", "age-gender")


@pytest.fixture(scope="module")
def pipeline(shared):
    """What face-api.js says of the one face of a picture."""

    def of_picture(name):
        said = {}
        for network in NETWORKS + READERS:
            folder = shared / "weights" / f"face-api-{network}" / "reference"
            card = json.loads((folder / "faceapi_pipeline.json").read_text())
            (face,) = card["results"][name]
            said |= face
        return said

    return of_picture


@pytest.mark.parametrize("name", ["portrait.jpg", "coral_grace_hopper.bmp"])
@pytest.mark.parametrize(
    ("model", "key"),
    [("faceapi.landmark68", "landmarks"), ("faceapi.landmark68_tiny", "landmarksTiny")],
)
def test_the_chain_of_face_api(name, model, key, load, pipeline, shared, monkeypatch):
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
    said = pipeline(name)
    (face,) = load(model).estimate_faces(
        shared / "images" / "reference" / name,
        expressions=True,
        age_gender=True,
        score_threshold=0.4,
    )
    expected = [said["box"][f"_{side}"] for side in ("x", "y", "width", "height")]
    assert list(face["box"].values()) == pytest.approx(expected, abs=0.3)
    assert face["score"] == pytest.approx(said["score"], abs=1e-5)
    at = np.array([[p["position"]["x"], p["position"]["y"]] for p in face["keypoints"]])
    assert np.linalg.norm(at - np.array(said[key]), axis=1).max() < 1e-3 * expected[2]
    if key == "landmarks":  # by which the crops of the others were aligned
        scores = {label["label"]: label["score"] for label in face["expressions"]}
        assert scores == pytest.approx(said["expressions"], abs=1e-4)
        assert face["age"] == pytest.approx(said["age"], abs=0.01)
        assert face["gender"]["label"] == said["gender"]
        assert face["gender"]["score"] == pytest.approx(said["genderProbability"], abs=1e-4)
