"""What `estimate_faces` and `detect_faces` promise, on photos."""

import json

import numpy as np
import pytest
from PIL import Image

import core
import zoo
from core.errors import CoreError
from tests.benchmarks.answers.faces import count
from tests.benchmarks.answers.images import LABELS
from tests.helpers import assert_near
from weights_cache.common.errors import ZooError
from zoo.pipeline.model import make_model
from zoo.shared.anchors import Candidates
from zoo.shared.boxes import overlap
from zoo.tasks.faces.estimating import POINTS_6, Located
from zoo.tasks.faces.face_api_decode import EXPRESSIONS, View
from zoo.tasks.faces.irises import openness
from zoo.tasks.faces.mesh import closer_region
from zoo.tasks.faces.verbs import choose_model, detect_faces, estimate_faces

VARIANTS = ("short", "full", "front", "back", "refined", "thorough")
BLAZEFACES = [f"blazeface.{variant}" for variant in VARIANTS]
DETECTORS = [*BLAZEFACES, "faceapi.tiny_detector"]
ESTIMATORS = ["facemesh.base", "faceapi.landmark68", "faceapi.landmark68_tiny", *DETECTORS]
ALL = {"expressions": True, "age_gender": True}


@pytest.fixture(autouse=True)
def _weights(_own_world, monkeypatch, shared):
    """For models, and for parts, which are loaded when they are first asked for."""
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))


@pytest.fixture(scope="module")
def load():
    """Models by name, loaded once."""
    kept = {}

    def of_name(name, **options):
        key = name, *options.items()
        if key not in kept:
            kept[key] = zoo.load(name, **options)
        return kept[key]

    return of_name


@pytest.fixture(scope="module")
def photos(shared):
    return lambda name: zoo.read_image(shared / "images" / "photos" / f"{name}.jpg")


@pytest.fixture(scope="module")
def three(photos):
    """Three men; the head of one is tilted, that of another turned."""
    return photos("three_people")


@pytest.fixture(scope="module")
def one(photos):
    """A man in front of a mirror, from the waist up."""
    return np.ascontiguousarray(photos("coco_000000000459")[40:400, :400])


@pytest.fixture(scope="module")
def face_by(load, one, shared):
    """The man's face, by model: with all that can be asked for, of detectors as they find it."""
    kept = {}

    def of_name(name):
        if name == "facemesh.base" and name not in kept:
            (kept[name],) = estimate_faces(one, landmarks="mesh", iris=True, **ALL)
        elif name not in kept:
            (kept[name],) = look(load(name), one)
        return kept[name]

    return of_name


def look(model, pictures, **how):
    """What a model's first verb gives, with all that it can be asked for."""
    if hasattr(model, "detect_faces"):
        return model.detect_faces(pictures, **how)
    asked = ALL if model.entry.name == "faceapi.landmark68" else {}
    asked = {**ALL, "iris": True} if "iris" in model.entry.parts else asked
    return model.estimate_faces(pictures, **asked, **how)


def at(keypoints) -> np.ndarray:
    return np.array([[p["position"]["x"], p["position"]["y"]] for p in keypoints]).reshape(-1, 2)


def corners(face) -> np.ndarray:
    x, y, width, height = face["box"].values()
    return np.array([x, y, x + width, y + height])


def every_point(face) -> np.ndarray:
    irises = [p for side in ("left", "right") for p in face.get("iris", {}).get(side, [])]
    return at([*face["keypoints"], *irises])


def assert_same(found, expected, *, width=None):
    """Two results of one picture; with a width, the second as its mirror image."""
    assert len(found) == len(expected) > 0
    for one, other in zip(found, expected, strict=True):
        points, x = every_point(other), other["box"]["x"]
        if width is not None:
            points[:, 0] = width - points[:, 0]
            x = width - x - other["box"]["width"]
        np.testing.assert_allclose(every_point(one), points, atol=0.01)
        assert one["box"] == pytest.approx({**other["box"], "x": x}, abs=0.01)
        told = {"box", "keypoints", "iris", "expressions", "gender", "age"}
        assert {**one, **dict.fromkeys(told)} == {**other, **dict.fromkeys(told)}
        assert names(one) == names(other)
        assert one.get("age") == pytest.approx(other.get("age"), abs=1e-3)


def names(face) -> list:
    irises = [p["part"] for side in ("left", "right") for p in face.get("iris", {}).get(side, [])]
    labels = [face["expressions"][0]["label"], face["gender"]["label"]] if "age" in face else []
    return [*(p["part"] for p in face["keypoints"]), *irises, *labels]


# --- results --------------------------------------------------------------------------------


def test_everything_in_one_call(face_by):
    face = face_by("facemesh.base")
    assert set(face) == {
        *("score", "box", "keypoints", "landmarks", "contours"),
        *("iris", "eye_openness", "expressions", "age", "gender"),
    }
    assert face["landmarks"] == "mesh468"
    assert [p["part"] for p in face["keypoints"]] == [f"mesh_{i}" for i in range(468)]
    assert set(face["keypoints"][0]["position"]) == {"x", "y", "z"}
    assert {label["label"] for label in face["expressions"]} == set(EXPRESSIONS)
    scores = [label["score"] for label in face["expressions"]]
    assert scores == sorted(scores, reverse=True)
    assert sum(scores) == pytest.approx(1)
    assert face["gender"]["label"] == "male"
    assert 18 < face["age"] < 50
    assert json.loads(json.dumps(face)) == face  # plain Python, no NumPy scalars


def test_what_is_not_asked_for_is_absent(face_by):
    face = face_by("faceapi.landmark68_tiny")
    assert set(face) == {"score", "box", "keypoints", "landmarks", "contours"}
    assert set(face_by("blazeface.short")) == {"score", "box", "keypoints", "landmarks"}
    face = face_by("faceapi.tiny_detector")
    assert set(face) == {"score", "box", "keypoints"}
    assert face["keypoints"] == []


def test_a_detector_can_be_asked_for_more(face_by, load, one):
    (face,) = load("blazeface.short").estimate_faces(one, expressions=True)
    assert set(face) == {*face_by("blazeface.short"), "expressions"}
    assert face["expressions"][0]["label"] == face_by("facemesh.base")["expressions"][0]["label"]


def test_networks_are_loaded_when_first_asked_for(one, monkeypatch):
    model, loaded = zoo.load("facemesh.base"), []

    def make(entry, *how):
        loaded.append(entry.name)
        return make_model(entry, *how)

    monkeypatch.setattr("zoo.pipeline.model.make_model", make)
    model.estimate_faces(one)
    assert loaded == ["blazeface.refined", "blazeface.back"]
    model.estimate_faces(one, expressions=True)
    assert loaded[2:] == ["faceapi.landmark68", "faceapi.expression"]
    model.estimate_faces(one, **ALL)
    assert loaded[4:] == ["faceapi.age_gender"]
    part = model.part("expressions")
    model.close()
    with pytest.raises(ZooError, match="is closed"):
        _ = part.network


@pytest.mark.parametrize("name", ["facemesh.base", "faceapi.landmark68", "faceapi.landmark68_tiny"])
def test_sides_are_the_persons_own(name, face_by):
    """He looks at the camera: his left is on the right of the picture."""
    _, middle = middles(face_by(name))
    assert middle["right_eye"][0] < middle["lips"][0] < middle["left_eye"][0]
    assert middle["right_eyebrow"][0] < middle["lips"][0] < middle["left_eyebrow"][0]
    assert middle["left_eyebrow"][1] < middle["left_eye"][1] < middle["lips"][1]


def middles(face) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """The points of a face, and the middle of each contour."""
    points = at(face["keypoints"])
    return points, {name: points[line].mean(axis=0) for name, line in face["contours"].items()}


def test_irises_are_in_the_persons_own_eyes(face_by):
    face = face_by("facemesh.base")
    mesh, middle = middles(face)
    eye = np.linalg.norm(mesh[33] - mesh[133])
    for side in ("left", "right"):
        assert [p["part"] for p in face["iris"][side]] == [
            f"{side}_iris_{name}" for name in ("center", "inner", "top", "outer", "bottom")
        ]
        center, inner, top, outer, bottom = at(face["iris"][side])
        assert np.linalg.norm(center - middle[f"{side}_eye"]) < 0.35 * eye
        assert abs(inner[0] - middle["lips"][0]) < abs(outer[0] - middle["lips"][0])
        assert top[1] < center[1] < bottom[1]
    points = dict(zip(POINTS_6, at(face_by("blazeface.short")["keypoints"]), strict=True))
    assert np.linalg.norm(points["left_eye"] - middle["left_eye"]) < 0.3 * eye


def test_the_openness_of_eyes_is_that_of_the_picture(load, one):
    """Squeezed from above, eyes are less open; in a mirror image it is the other one's."""
    model = load("facemesh.base")

    def seen(image):
        return model.estimate_faces(np.ascontiguousarray(image), iris=True)[0]["eye_openness"]

    height, width = one.shape[:2]
    usual, flipped = seen(one), seen(one[:, ::-1])
    squeezed = seen(np.asarray(Image.fromarray(one).resize((width, int(0.8 * height)))))
    for side, other in (("left", "right"), ("right", "left")):
        assert 0.1 < usual[side] < 0.45
        assert flipped[other] == pytest.approx(usual[side], abs=0.03)
        assert squeezed[side] == pytest.approx(0.8 * usual[side], abs=0.04)


def test_openness_is_the_gap_of_the_lids_by_the_width_of_the_eye():
    """Lids that part by 1 to 4 and back over an eye of width 16, in MediaPipe's order."""
    eye = np.zeros((76, 3))
    eye[:9, 0] = 2 * np.arange(9)
    eye[9:16, 0], eye[9:16, 1] = eye[1:8, 0], -np.array([1, 2, 3, 4, 3, 2, 1])
    assert openness(eye) == pytest.approx(16 / 7 / 16)


@pytest.mark.parametrize(
    ("name", "kind"), [("facemesh.base", "mesh468"), ("faceapi.landmark68", "points68")]
)
def test_contours_are_of_the_points(name, kind, face_by):
    face = face_by(name)
    assert face["landmarks"] == kind
    assert {"left_eye", "right_eye", "left_eyebrow", "right_eyebrow", "lips"} < set(
        face["contours"]
    )
    for indices in face["contours"].values():
        assert len(set(indices)) == len(indices)
        assert max(indices) < len(face["keypoints"])
    outline = at(face["keypoints"])[face["contours"]["face_oval" if kind == "mesh468" else "jaw"]]
    assert np.ptp(outline[:, 0]) == pytest.approx(face["box"]["width"], rel=0.4)


SIZES = {
    "mesh468": {"eye": 16, "eyebrow": 10, "outer": 20, "inner": 20, "lips": 40, "oval": 36},
    "points68": {
        **{"eye": 6, "eyebrow": 5, "outer": 12, "inner": 8, "lips": 20},
        **{"jaw": 17, "nose": 9},
    },
}
OPEN = {("points68", end) for end in ("jaw", "nose", "eyebrow")}


def ending(name) -> str:
    return name.rpartition("_")[2]


@pytest.mark.parametrize("kind", SIZES)
def test_contours_are_lines_along_a_face(kind, load, photos):
    """Closed ones do not cross themselves, and the sides are mirror images of each other."""
    name = {"mesh468": "facemesh.base", "points68": "faceapi.landmark68"}[kind]
    (face,) = load(name).estimate_faces(photos("portrait"))
    points, contours = at(face["keypoints"]), face["contours"]
    assert {ending(name): len(line) for name, line in contours.items()} == SIZES[kind]
    assert contours["lips"] == contours["lips_outer"] + contours["lips_inner"]
    for name, line in contours.items():
        if name != "lips" and (kind, ending(name)) not in OPEN:
            assert crossings(points[line]) == 0, name
    inner, outer = (points[contours[f"lips_{ring}"]] for ring in ("inner", "outer"))
    assert abs(area(inner)) < 0.6 * abs(area(outer))
    if kind == "mesh468":  # whose contours begin at the outer end on either side
        axis = points[contours["face_oval"]][:, 0].mean()
        for part in ("eye", "eyebrow"):
            left, right = (points[contours[f"{side}_{part}"]] for side in ("left", "right"))
            across = np.column_stack([2 * axis - right[:, 0], right[:, 1]])
            assert abs(left - across).max() < 0.06 * face["box"]["width"]


def area(ring) -> float:
    x, y = ring.T
    return float(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2


def crossings(ring) -> int:
    """How many pairs of sides cross that share no end."""
    sides = list(zip(ring, np.roll(ring, -1, axis=0), strict=True))

    def apart(a, b, c, d) -> bool:
        return area(np.array([a, b, c])) * area(np.array([a, b, d])) < 0

    return sum(
        apart(*sides[i], *sides[j]) and apart(*sides[j], *sides[i])
        for j in range(len(sides))
        for i in range(j - 1)
    )


def test_depth_is_in_pixels_of_the_picture(face_by, load, one):
    """The nose is nearer than the cheeks, by twice as much in a picture of twice the size."""
    face = face_by("facemesh.base")
    (large,) = load("facemesh.base").estimate_faces(np.kron(one, np.ones((2, 2, 1), np.uint8)))
    z, twice = ([p["position"]["z"] for p in f["keypoints"]] for f in (face, large))
    assert z[1] < z[234] and z[1] < z[454]
    assert twice[1] - twice[234] == pytest.approx(2 * (z[1] - z[234]), rel=0.05)


# --- several faces and pictures -------------------------------------------------------------


@pytest.mark.parametrize("name", ["facemesh.base", "faceapi.landmark68"])
def test_several_faces_equal_one_by_one(name, load, three):
    model = load(name)
    found = load("blazeface.short").find(three)
    together = model.locate(three, found)
    assert len(together.points) == 3
    for i in range(3):
        alone = model.locate(three, found.at([i]))
        np.testing.assert_allclose(together.points[i], alone.points[0], atol=0.01)
        assert together.scores[i] == pytest.approx(alone.scores[0], abs=1e-5)
    if name == "facemesh.base":
        eyes = model.part("iris").look(three, together)
        for i in range(3):
            (alone,) = model.part("iris").look(three, together.at([i]))
            assert eyes[i].openness == pytest.approx(alone.openness, abs=1e-3)
            for side in ("left", "right"):
                found, expected = eyes[i].iris[side], alone.iris[side]
                np.testing.assert_allclose(at(found), at(expected), atol=0.01)


@pytest.mark.parametrize("part", ["expressions", "age_gender"])
def test_what_is_read_of_several_faces_equals_one_by_one(part, load, three):
    model = load("facemesh.base").part(part)
    views = [View(three, box) for box in load("blazeface.short").find(three).boxes]
    together, crops = model.read(views)
    assert len(crops) == 3
    for i in range(3):
        alone, _ = model.read(views[i : i + 1])
        for name, values in together.items():
            np.testing.assert_allclose(values[i], alone[name][0], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_batch_equals_single_pictures(name, face_by, load, one):
    """And where there is nothing to see, nothing is found."""
    pictures = np.stack([np.zeros_like(one), one])
    assert list(look(load(name), pictures)) == [[], [face_by(name)]]


def test_lists_and_iterators_of_pictures(face_by, load, one):
    model, face = load("blazeface.short"), face_by("blazeface.short")
    small = np.zeros((9, 7, 3), np.uint8)
    assert list(model.detect_faces([one, small])) == [[face], []]
    assert list(model.estimate_faces(iter([small, one]))) == [[], [face]]


@pytest.mark.parametrize("name", ESTIMATORS)
def test_mirror_images(name, face_by, load, one):
    flipped = np.ascontiguousarray(one[:, ::-1])
    mirrored = look(load(name), flipped, mirror=True)
    assert_same(mirrored, [face_by(name)], width=one.shape[1])


def test_without_mirror_sides_are_those_of_the_picture(face_by, load, one):
    face = face_by("facemesh.base")
    flipped = np.ascontiguousarray(one[:, ::-1])
    (other,) = load("facemesh.base").estimate_faces(flipped, iris=True)
    left, right = (at(f["iris"][side])[0] for f, side in ((face, "left"), (other, "right")))
    assert one.shape[1] - left[0] == pytest.approx(right[0], abs=1.5)


@pytest.mark.parametrize("name", DETECTORS)
def test_empty_scenes_have_no_faces(name, load, photos):
    assert load(name).detect_faces(photos("coco_000000403353")) == []


def test_the_mesh_of_an_empty_scene(load, photos):
    assert load("facemesh.base").estimate_faces(photos("coffee")[::4, ::4], iris=True, **ALL) == []


# --- where networks look --------------------------------------------------------------------


@pytest.mark.parametrize("name", DETECTORS)
def test_every_detector_leads_to_the_same_mesh(name, face_by, load, one):
    expected, detected = face_by("facemesh.base"), face_by(name)
    points = at(detected["keypoints"])[None]
    found = Candidates(np.ones(1), corners(detected)[None], points)
    located = load("facemesh.base").locate(one, found)
    distances = np.linalg.norm(located.points[0, :, :2] - at(expected["keypoints"]), axis=1)
    assert distances.mean() < 0.02 * expected["box"]["width"]


def test_the_detector_is_an_option(face_by, one):
    (face,) = estimate_faces(one, detector="blazeface.front")
    detected = face_by("blazeface.front")
    assert face["score"] == detected["score"]
    assert face["landmarks"] == "mesh468"


def test_the_box_of_a_mesh_is_about_its_points(face_by):
    face, detected = face_by("facemesh.base"), face_by("blazeface.refined")
    points = at(face["keypoints"])
    np.testing.assert_allclose(corners(face), [*points.min(axis=0), *points.max(axis=0)])
    assert face["score"] == detected["score"] != face["keypoints"][0]["score"]


def test_two_looks_find_small_faces_where_they_are(photos, load):
    """One look at the whole group gives boxes beside the faces, and faces of animals."""
    crowd = photos("human_solvay1927")
    refined, proposed = (load(f"blazeface.{v}").detect_faces(crowd) for v in ("refined", "back"))
    found, there, wrong = count(refined, LABELS["human_solvay1927.jpg"]["faces"])
    assert found > 20 and there == 29 and wrong == 0
    assert count(proposed, LABELS["human_solvay1927.jpg"]["faces"])[2] > 3
    for animals in ("dogs_demo", "coral_cat_720p", "coral_parrot"):
        assert load("blazeface.back").detect_faces(photos(animals))
        assert load("blazeface.refined").detect_faces(photos(animals)) == []


def test_several_looks_find_more_of_a_crowd(photos, load):
    labels = LABELS["human_solvay1927.jpg"]["faces"]
    crowd = photos("human_solvay1927")
    looks = {v: load(f"blazeface.{v}").detect_faces(crowd) for v in ("refined", "thorough")}
    found, _, wrong = count(looks["thorough"], labels)
    assert found >= count(looks["refined"], labels)[0] + 2 and wrong == 0
    scores = [face["score"] for face in looks["thorough"]]
    assert scores == sorted(scores, reverse=True) and scores[-1] >= 0.7 and scores[0] <= 1


def test_thorough_looks_at_the_whole_first(photos, load):
    """What fills the image is seen as by one look, and no part of it is another face."""
    portrait = photos("portrait")
    (face,), (usual,) = (
        load(f"blazeface.{v}").detect_faces(portrait) for v in ("thorough", "refined")
    )
    box, other = np.array(corners(face)), np.array(corners(usual))
    assert overlap(box, other[None]) > 0.5
    assert load("blazeface.thorough").detect_faces(np.zeros((40, 50, 3), np.uint8)) == []


def test_the_thresholds_of_two_looks(photos, load):
    model, crowd = load("blazeface.refined"), photos("human_solvay1927")
    everybody = model.detect_faces(crowd)
    scores = [face["score"] for face in everybody]
    assert scores == sorted(scores, reverse=True) and min(scores) >= 0.7
    assert model.detect_faces(crowd, max_faces=3) == everybody[:3]
    assert model.detect_faces(crowd, score_threshold=scores[4]) == everybody[:5]
    assert model.detect_faces(np.zeros((40, 50, 3), np.uint8)) == []
    other = zoo.load("blazeface.refined", detector="blazeface.full")
    assert 0 < len(other.detect_faces(crowd)) < len(everybody)


def test_small_faces_of_a_group_have_their_own_boxes(photos):
    """Where the detector's boxes are off by half a face."""
    group = photos("human_solvay1927")
    faces = estimate_faces(group, detector="blazeface.back")
    detected = np.array([corners(f) for f in detect_faces(group, model="blazeface.back")])
    shares = [overlap(corners(face), detected).max() for face in faces]
    assert len(faces) > 10
    assert min(shares) < 0.6
    for face in faces:
        oval = at(face["keypoints"])[face["contours"]["face_oval"]]
        middle = np.reshape(corners(face), (2, 2)).mean(axis=0)
        assert np.linalg.norm(oval.mean(axis=0) - middle) < 0.15 * face["box"]["width"]


def test_a_face_that_lies_on_its_side(load, one):
    """The mesh turns with the eyes; so do the irises."""
    picture, side = np.ascontiguousarray(one[:360, 20:380]), 360
    model = load("facemesh.base")
    (face,) = model.estimate_faces(picture, iris=True)
    (turned,) = model.estimate_faces(np.rot90(picture).copy(), iris=True)
    points = every_point(turned)
    back = np.column_stack([side - points[:, 1], points[:, 0]])
    distances = np.linalg.norm(back - every_point(face), axis=1)
    assert distances.mean() < 0.02 * face["box"]["width"]


@pytest.fixture(scope="module")
def portrait(photos):
    """A portrait on grey, which may be turned: the faces and where their points are upright."""
    image = Image.fromarray(photos("portrait")).resize((481, 600))
    square = Image.new("RGB", (770, 770), (200, 200, 200))
    square.paste(image, (144, 85))
    return square


@pytest.mark.parametrize("degrees", [60, 90, 120, 150, 180, 210, 240, 270, 300])
def test_a_portrait_turned_by_any_angle(degrees, load, portrait):
    """From 120 to 240 degrees nothing was found, or an upright mesh on the inverted face."""
    model = load("facemesh.base")
    (face,) = model.estimate_faces(np.asarray(portrait))
    picture = portrait.rotate(degrees, Image.Resampling.BICUBIC, fillcolor=(200, 200, 200))
    (turned,) = model.estimate_faces(np.asarray(picture))
    cos, sin = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    away = at(turned["keypoints"]) - 385
    back = away @ [[cos, sin], [-sin, cos]] + 385
    distances = np.linalg.norm(back - at(face["keypoints"]), axis=1)
    assert distances.mean() < 0.015 * face["box"]["width"]


def test_inverted_faces_have_upright_boxes_about_them(load, portrait):
    detector = load("blazeface.refined")
    (turned,) = detector.detect_faces(np.asarray(portrait.rotate(180)))
    (face,) = detector.detect_faces(np.asarray(portrait))
    assert turned["box"]["width"] > 0 and turned["box"]["height"] > 0
    x0, y0, x1, y1 = corners(turned)
    assert overlap(corners(face), np.array([[770 - x1, 770 - y1, 770 - x0, 770 - y0]]))[0] > 0.8
    expected = 770 - at(face["keypoints"])
    away = np.linalg.norm(at(turned["keypoints"]) - expected, axis=1)
    assert away.max() < 0.15 * face["box"]["width"]


def test_faces_that_are_surely_upright_are_seen_once(load, portrait, monkeypatch):
    detector = load("blazeface.refined")
    looks, look = [], type(detector).run_on_regions

    def counted(self, image, regions, *args):
        looks.append([region.rotation for region in regions])
        return look(self, image, regions, *args)

    monkeypatch.setattr(type(detector), "run_on_regions", counted)
    detector.detect_faces(np.asarray(portrait))
    assert looks == [[0.0]]
    detector.detect_faces(np.asarray(portrait.rotate(180)))
    assert [len(set(each)) for each in looks] == [1, 1, 1] and looks[2][0] == np.pi


@pytest.mark.parametrize("turns", [1, 3])
def test_what_is_read_of_a_face_that_lies_on_its_side(turns, load, photos):
    """Networks that want faces upright get them upright."""
    portrait, model = photos("portrait"), load("facemesh.base")
    (face,) = model.estimate_faces(portrait, **ALL)
    (turned,) = model.estimate_faces(np.rot90(portrait, turns).copy(), **ALL)
    assert face["expressions"][0]["label"] == turned["expressions"][0]["label"] == "happy"
    assert turned["expressions"][0]["score"] > 0.9
    assert turned["gender"]["label"] == face["gender"]["label"] == "male"
    assert turned["age"] == pytest.approx(face["age"], abs=5)


def test_upright_pictures_show_the_face_in_their_box(load, photos):
    """Of a large face and of a small one, that lies on its side."""
    model, portrait = load("facemesh.base"), photos("portrait")
    for picture in (portrait, np.rot90(portrait[::3, ::3]).copy()):
        located = model.locate(picture, model.detector.find(picture))
        (view,) = model.views(picture, located)
        assert view.image.dtype == np.uint8
        assert view.image.shape[0] == view.image.shape[1] <= 512
        again = model.locate(view.image, model.detector.find(view.image))
        assert overlap(view.box, again.found.boxes)[0] > 0.9


def test_a_second_look_agrees_more_with_itself(load, one, monkeypatch):
    """The points depend less on where the detector has seen the face."""
    model = load("facemesh.base")
    found = model.detector.find(one)
    (width,) = found.boxes[:, 2] - found.boxes[:, 0]
    moved = [found._replace(boxes=found.boxes + shift * width) for shift in (-0.1, 0.1)]
    second = [model.locate(one, each).points[0] for each in moved]
    monkeypatch.setattr("zoo.tasks.faces.mesh.LOOKS", 1)
    first = [model.locate(one, each).points[0] for each in moved]
    assert np.std(second, axis=0).mean() < 0.5 * np.std(first, axis=0).mean()


def test_there_are_two_looks(load, one, monkeypatch):
    model = load("facemesh.base")
    found, run_on_regions, looks = model.detector.find(one), model.run_on_regions, []

    def counted(photo, regions):
        looks.append(len(regions))
        return run_on_regions(photo, regions)

    monkeypatch.setattr(model, "run_on_regions", counted)
    model.locate(one, found)
    assert looks == [1, 1]


def test_a_face_at_the_border(load, one):
    """Beyond it networks see what is nearest, as if the photo went on like that."""
    model = load("facemesh.base")
    whole = model.detector.find(one)
    x0, y0, x1, y1 = whole.boxes[0].astype(int)
    part = np.ascontiguousarray(one[: y1 + 20, (x0 + x1) // 2 - 20 :])
    shift = np.array([(x0 + x1) // 2 - 20, 0])
    found = whole._replace(boxes=whole.boxes - np.tile(shift, 2), points=whole.points - shift)
    more = 200
    wider = np.pad(part, ((more, more), (more, more), (0, 0)), mode="edge")
    moved = found._replace(boxes=found.boxes + more, points=found.points + more)
    faces, expected = model.locate(part, found), model.locate(wider, moved)
    assert len(faces.points) == 1
    np.testing.assert_allclose(faces.points[..., :2] + more, expected.points[..., :2], atol=0.05)
    iris = model.part("iris")
    (eyes,), (others,) = iris.look(part, faces), iris.look(wider, expected)
    for side in ("left", "right"):
        found, moved_too = eyes.iris[side], others.iris[side]
        np.testing.assert_allclose(at(found) + more, at(moved_too), atol=0.05)


def test_the_second_look_is_where_the_first_saw_the_face(rng):
    mesh = rng.uniform(100, 200, (468, 2))
    mesh[33], mesh[263] = (120, 150), (180, 210)  # the outer corners of the eyes
    region = closer_region(mesh)
    assert region.rotation == pytest.approx(np.pi / 4)
    assert region.width == region.height
    local = (mesh - [region.x, region.y]) @ np.array([[1, -1], [1, 1]]) / np.sqrt(2)
    assert abs(local).max() == pytest.approx(region.width / 3)  # of 1.5 times the box about all


def test_what_is_no_face_is_left_out(load, one):
    """A detector that is wrong in one place, and finds a face twice."""
    model = load("facemesh.base")
    found = model.detector.find(one)
    away = found._replace(boxes=found.boxes * 0 + [0.0, 0, 60, 60], points=found.points * 0)
    twice = Candidates(*(np.concatenate(both) for both in zip(away, found, found, strict=True)))
    located = model.locate(one, twice)
    assert len(located.points) == 1
    assert overlap(found.boxes[0], located.found.boxes)[0] > 0.5
    nothing = model.locate(one, away)
    assert len(nothing.points) == 0
    assert model.part("iris").look(one, nothing) == []


def test_a_face_that_is_found_in_two_places_is_one(load, one):
    """Whose boxes overlap little enough for the detector to keep both; the better is kept."""
    model = load("facemesh.base")
    found = model.detector.find(one)
    (width,) = found.boxes[:, 2] - found.boxes[:, 0]
    near = found._replace(
        boxes=found.boxes + 0.3 * width * np.array([1, 1, 1, 1]), scores=np.array([0.6])
    )
    assert overlap(found.boxes[0], near.boxes)[0] < 0.5
    assert len(model.locate(one, near).points) == 1
    both = Candidates(*(np.concatenate(pair) for pair in zip(near, found, strict=True)))
    located = model.locate(one, both)
    np.testing.assert_array_equal(located.found.scores, found.scores)


def test_what_is_left_out_does_not_count(load, one, monkeypatch):
    """The one face that is wanted is not the best of the detector's."""
    model = load("facemesh.base")
    find = model.detector.find

    def with_a_cat(photo, *, limit=None, **thresholds):
        face = find(photo, **thresholds)
        cat = Candidates(np.ones(1), np.array([[0.0, 0, 60, 60]]), face.points * 0)
        both = (np.concatenate(pair) for pair in zip(cat, face, strict=True))
        return Candidates(*both).at(range(2)[:limit])

    expected = model.estimate_faces(one)
    monkeypatch.setattr(model.detector, "find", with_a_cat)
    # Two crops are a batch, whose sums end in other last places.
    assert_near(model.estimate_faces(one, max_faces=1), expected, tolerance=1e-3)


def test_nothing_is_read_of_a_face_that_the_mesh_rejects(load, one, monkeypatch):
    model = load("facemesh.base")
    nobody = Located(Candidates(*(np.zeros((0, 4)),) * 3), np.zeros((0, 468, 3)), np.zeros(0))
    monkeypatch.setattr(model, "locate", lambda photo, found: nobody)
    assert model.estimate_faces(one, iris=True, **ALL) == []


# --- options --------------------------------------------------------------------------------


def test_limits_of_the_search(load, three):
    model = load("blazeface.short")
    faces = model.detect_faces(three)
    scores = [face["score"] for face in faces]
    assert scores == sorted(scores, reverse=True)
    assert len(faces) == 3
    assert model.detect_faces(three, max_faces=2) == faces[:2]
    assert model.detect_faces(three, score_threshold=0.7) == faces[:2]
    assert model.estimate_faces(three, max_faces=1) == faces[:1]
    for name in ("facemesh.base", "faceapi.landmark68"):
        assert load(name).estimate_faces(three, max_faces=2) == load(name).estimate_faces(three)[:2]
    many = model.detect_faces(three, iou_threshold=0.99, score_threshold=0.3)
    assert len(many) > len(model.detect_faces(three, score_threshold=0.3))


@pytest.mark.parametrize(
    ("given", "model"),
    [
        ({}, "facemesh.base"),
        ({"model": "blazeface.full"}, "blazeface.full"),
        ({"landmarks": "mesh"}, "facemesh.base"),
        ({"landmarks": "mesh468"}, "facemesh.base"),
        ({"landmarks": "mesh", "model": "facemesh.base"}, "facemesh.base"),
        ({"landmarks": "points68"}, "faceapi.landmark68"),
        ({"landmarks": "points68_tiny"}, "faceapi.landmark68_tiny"),
        ({"landmarks": "points6"}, "blazeface.refined"),
        ({"landmarks": "points6", "detector": "blazeface.full"}, "blazeface.full"),
        ({"landmarks": "points6", "model": "blazeface.back"}, "blazeface.back"),
    ],
)
def test_landmarks_choose_the_model(given, model):
    options = [given.get(name) for name in ("model", "landmarks", "detector")]
    assert choose_model(*options) == (model, None)  # a detector that is the model is no option


def test_the_detector_of_68_points(face_by, one):
    (face,) = estimate_faces(one, landmarks="points68", detector="blazeface.short")
    assert face["landmarks"] == "points68"
    assert face["box"] == face_by("blazeface.short")["box"]


def test_the_tiny_detector_takes_sizes(face_by, one):
    (face,) = detect_faces(one, model="faceapi.tiny_detector", input_size=320)
    boxes = np.array([corners(f) for f in (face, face_by("faceapi.tiny_detector"))])
    assert 0.6 < overlap(boxes[0], boxes[1:])[0] < 1
    with pytest.raises(ZooError, match=r"input_size=400 .* must be one of \[128, 160"):
        detect_faces(one, model="faceapi.tiny_detector", input_size=400)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"landmarks": "points"}, r"landmarks='points' must be one of \['mesh', 'mesh468'"),
        ({"landmarks": ["mesh"]}, r"landmarks=\['mesh'\] must be one of \['mesh', 'mesh468'"),
        ({"iris": "no"}, "iris='no' must be True or False"),
        ({"expressions": 1}, "expressions=1 must be True or False"),
        ({"age_gender": np.array([1, 0])}, "age_gender=.* must be True or False"),
        (
            {"landmarks": "points68", "model": "facemesh.base"},
            "are given by faceapi.landmark68, not by 'facemesh.base': leave out model or landmarks",
        ),
        ({"landmarks": "points68", "iris": True}, "iris=True needs the mesh"),
        ({"landmarks": "points6", "detector": "faceapi.tiny_detector"}, "not by 'faceapi.tiny_det"),
        ({"detector": "blazeface.long"}, "detector='blazeface.long' .* must be one of"),
        ({"max_face": 1}, "unknown option 'max_face' .*did you mean 'max_faces'"),
        ({"max_faces": 0}, "max_faces=0 must be an integer of at least 1"),
        ({"score_threshold": 1.5}, "score_threshold=1.5 must be a number between 0 and 1"),
        ({"iou_threshold": "0.3"}, "iou_threshold='0.3' must be a number"),
        ({"model": "posenet.tiny"}, "posenet.tiny cannot estimate_faces"),
        ({"model": "iris.base"}, "iris.base cannot estimate_faces"),
        ({"model": "facemesh"}, "unknown model 'facemesh'"),
    ],
)
def test_bad_options(options, message, one):
    with pytest.raises(ZooError, match=message):
        estimate_faces(one, **options)


def test_detecting_needs_a_detector(one):
    with pytest.raises(ZooError, match="facemesh.base cannot detect_faces"):
        detect_faces(one, model="facemesh.base")
    with pytest.raises(ZooError, match="unknown option 'iris' of detect_faces"):
        detect_faces(one, iris=True)


def test_what_is_chosen_when_a_model_is_loaded(load, one):
    with pytest.raises(ZooError, match=r"zoo.load\('facemesh.base', detector=...\)"):
        load("facemesh.base").estimate_faces(one, detector="blazeface.full")
    with pytest.raises(ZooError, match="unknown option 'detectors' of estimate_faces"):
        load("facemesh.base").estimate_faces(one, detectors="blazeface.full")


def test_bad_pictures(load, one):
    model = load("blazeface.short")
    with pytest.raises(zoo.ImageError, match="no-such-file"):
        detect_faces("no-such-file.jpg")
    results = model.detect_faces(iter([one, np.zeros((0, 4, 3), np.uint8), one]))
    first = next(results)
    with pytest.raises(zoo.ImageError, match="has no pixels"):
        next(results)
    assert next(results) == first


# --- for experts ----------------------------------------------------------------------------


def test_features_of_faces(load, one):
    model = load("faceapi.expression")
    assert model.infer(one).shape == (1, 7)
    features = model.infer(one, embedding=True)
    assert features.shape == (1, 256)
    with pytest.raises(ZooError, match="facemesh.base has no embedding"):
        load("facemesh.base").infer(one, embedding=True)
    assert load("facemesh.base").infer(one).shape == (1, 1404)


def test_any_number_of_crops_and_any_node(load, rng):
    model = load("facemesh.base")
    values = rng.uniform(0, 1, (3, 192, 192, 3)).astype(np.float32)
    outputs = model.predict(values)
    assert {name: tensor.shape for name, tensor in outputs.items()} == {
        "output_mesh": (3, 1404),
        "output_faceflag": (3, 1),
        "output_contours": (3, 266),
    }
    node = next(node.name for node in model.network.graph.nodes if node.type == "Prelu")
    (tensor,) = model.execute(values, [node]).values()
    assert isinstance(tensor, core.Tensor)
    assert tensor.shape[0] == 3
    with pytest.raises(CoreError, match="must have shape"):
        model.predict(values[:, :100])
    eyes = rng.uniform(0, 1, (2, 64, 64, 3)).astype(np.float32)
    assert load("iris.base").predict(eyes)["Identity"].shape == (2, 1, 1, 228)
