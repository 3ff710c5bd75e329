"""`zoo.recognize_gestures`: pictures or hands, rules or the network."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

import zoo
from tests.zoo.tasks.gesture_hands import as_hand, make_hand
from weights_cache.common.errors import ZooError
from zoo.pipeline.binding import BoundVerb
from zoo.pipeline.mirroring import flipped_result
from zoo.tasks.gestures import verbs
from zoo.tasks.gestures.fingers import FINGERS
from zoo.tasks.gestures.keypoint_classifier import relative_points
from zoo.tasks.gestures.recognizer import GestureRecognizer
from zoo.tasks.gestures.verbs import recognize_gestures

FOLDED = dict.fromkeys(FINGERS[1:], 160)
PALM, FIST = as_hand(make_hand({}, "vertical_up")), as_hand(make_hand(FOLDED, "vertical_up"))
RECORD = "hand-gesture-keypoint-classifier"


@pytest.fixture(scope="module")
def model(request):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ZOO_WEIGHTS_MIRROR", str(request.getfixturevalue("shared") / "weights"))
        return zoo.load("gesture.keypoints")


@pytest.fixture
def mirror_of_weights(shared, monkeypatch):
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))


@pytest.fixture
def golden(shared):
    folder = shared / "weights" / RECORD / "reference"
    return np.load(folder / "keypoint_csv_every25th.npz")


def hand_of(row):
    """A hand whose points are a row of the training data: those of a mirrored picture."""
    return as_hand(np.reshape(row, (21, 2)))


# --- the network --------------------------------------------------------------------------------


def test_the_network_gives_the_golden_scores(model, golden):
    scores = np.asarray(model.predict(golden["input"])["Identity"])
    np.testing.assert_allclose(scores, golden["probs"], atol=1e-6)


def test_hands_get_the_golden_labels(model, golden, shared):
    """The rows as hands of a mirrored picture; their labels are the file's, in our spelling."""
    told = json.loads(
        (shared / "weights" / RECORD / "reference" / "keypoint_csv_every25th.json").read_text()
    )["result"]
    labels = [label.strip("\ufeff").lower() for label in told["labels"]]
    hands = [hand_of(row * 217 + 40) for row in golden["input"]]
    found = model.recognize_gestures(hands, score_threshold=0, mirror=True)
    best = golden["probs"].argmax(axis=1)
    assert [g["label"] for g in found] == [labels[k] for k in best]
    assert [g["hand"] for g in found] == list(range(told["n"]))
    np.testing.assert_allclose([g["score"] for g in found], golden["probs"].max(axis=1), atol=1e-5)
    right = np.mean([labels.index(g["label"]) for g in found] == golden["label"])
    assert right == pytest.approx(told["accuracy_on_classes_of_model"])


def test_hands_together_are_as_one_by_one(model, golden):
    hands = [hand_of(row) for row in golden["input"][:20]]
    together = model.recognize_gestures(hands, score_threshold=0)
    for number, hand in enumerate(hands):
        (alone,) = model.recognize_gestures([hand], score_threshold=0)
        assert alone["label"] == together[number]["label"]
        assert alone["score"] == pytest.approx(together[number]["score"], abs=1e-6)


def test_a_mirrored_picture_gives_the_same_signs(model, golden):
    hands = [hand_of(row * 100 + 200) for row in golden["input"]]
    plain = model.recognize_gestures(hands)
    mirrored = model.recognize_gestures(flipped_result(hands, 640), mirror=True)
    assert [g["label"] for g in plain] == [g["label"] for g in mirrored]
    np.testing.assert_allclose(
        [g["score"] for g in plain], [g["score"] for g in mirrored], atol=1e-5
    )


def test_points_are_relative_to_the_wrist_and_its_farthest_point(rng):
    points = rng.normal(size=(21, 3))
    values = relative_points(points * 50 + 7, mirror=True)
    expected = (points[:, :2] - points[0, :2]).ravel()
    np.testing.assert_allclose(values, expected / max(map(abs, expected)), rtol=1e-5)
    flipped = relative_points(points * [-1, 1, 1], mirror=False)
    np.testing.assert_allclose(flipped, values, rtol=1e-5, atol=1e-7)
    assert not relative_points(np.ones((21, 2)), mirror=False).any()


def test_results_of_the_network_are_plain(model):
    (gesture,) = model.recognize_gestures([PALM], score_threshold=0)
    assert list(gesture) == ["label", "score", "hand", "handedness", "box"]
    assert [type(v) for v in gesture.values()] == [str, float, int, str, dict]
    assert json.loads(zoo.to_json([gesture])) == [gesture]
    assert model.recognize_gestures([]) == []
    assert model.recognize_gestures([PALM], score_threshold=1) == []


def test_features_of_hands(model):
    assert model.infer([PALM, FIST]).shape == (2, 3)
    features = np.asarray(model.infer([PALM, FIST], embedding=True))
    assert features.shape == (2, 10)
    assert (features >= 0).all() and features.any()
    with pytest.raises(ZooError, match="one hand at least"):
        model.infer([])


def test_the_networks_own_threshold(model):
    assert model.recognize_gestures([PALM], score_threshold=None) == model.recognize_gestures(
        [PALM], score_threshold=0.5
    )


def test_a_closed_network(mirror_of_weights):
    with zoo.load("gesture.keypoints") as model:
        pass
    for hands in ([], [PALM]):
        for use in (model.recognize_gestures, model.infer):
            with pytest.raises(ZooError, match="closed: load it again|one hand at least"):
                use(hands)
    with pytest.raises(ZooError, match="is closed"):
        model.recognize_gestures([])


def test_wrong_uses_of_the_network_are_told(model):
    with pytest.raises(ZooError, match="this one has 0"):
        model.recognize_gestures([{"keypoints": [], "box": {}}])
    with pytest.raises(
        ZooError, match=r"unknown option 'treshold'.*valid options: score_threshold"
    ):
        model.recognize_gestures([PALM], treshold=1)
    with pytest.raises(ZooError, match="score_threshold=3"):
        model.recognize_gestures([PALM], score_threshold=3)
    with pytest.raises(ZooError, match="hands are a list"):
        model.recognize_gestures("hand.jpg")


# --- one line -----------------------------------------------------------------------------------


def test_hands_that_are_given_are_not_looked_for():
    assert [g["label"] for g in recognize_gestures([PALM, FIST])] == ["open_palm", "closed_fist"]
    assert recognize_gestures(PALM)[0]["label"] == "open_palm"
    assert recognize_gestures([]) == []
    several = recognize_gestures(iter([[PALM], [], [FIST]]))
    assert [[g["label"] for g in found] for found in several] == [
        ["open_palm"],
        [],
        ["closed_fist"],
    ]


def test_the_network_by_name(mirror_of_weights):
    (gesture,) = recognize_gestures([PALM], model="gesture.keypoints", score_threshold=0.1)
    assert gesture["label"] == "open"
    assert recognize_gestures([PALM], model="gesture.keypoints", score_threshold=1) == []


def test_a_recognizer_of_ones_own():
    mine = GestureRecognizer(())
    mine.add("up", directions={"index": "vertical_up"})
    assert [g["label"] for g in recognize_gestures([PALM], model=mine)] == ["up"]


def test_directions_are_those_of_the_picture_given():
    """A hand that points left in a mirrored picture points left, whatever the person does."""
    mine = GestureRecognizer(())
    for side in ("left", "right"):
        mine.add(side, directions={"index": f"horizontal_{side}"})
    hand = as_hand(make_hand({}, "horizontal_left"))
    for mirror in (False, True):
        assert recognize_gestures([hand], model=mine, mirror=mirror)[0]["label"] == "left"
    flipped = flipped_result([hand], 640)
    assert recognize_gestures(flipped, model=mine, mirror=True)[0]["label"] == "right"


@pytest.fixture
def asked(monkeypatch):
    """What models are asked for hands; a picture that is not black has one."""
    calls = []

    def bind_model(verb, **how):
        given = {name: value for name, value in how.items() if value is not None}

        def estimate_hands(image):
            calls.append((verb, given))
            return [PALM] if np.any(image) else []

        return BoundVerb(SimpleNamespace(estimate_hands=estimate_hands), verb, {})

    monkeypatch.setattr(verbs, "bind_model", bind_model)
    return calls


def test_hands_of_a_picture_are_found_first(asked):
    picture = np.ones((4, 4, 3), np.uint8)
    (gesture,) = recognize_gestures(picture, mirror=True, max_hands=1, backend="cpu")
    assert gesture["label"] == "open_palm"
    how = {"model": "hands.lite", "backend": "cpu", "max_hands": 1, "mirror": True}
    assert asked == [("estimate_hands", how)]
    assert recognize_gestures(picture * 0) == []


def test_several_pictures_are_looked_at_one_by_one(asked):
    found = recognize_gestures(iter(np.ones((3, 4, 4, 3), np.uint8)))
    assert not asked
    assert next(found)[0]["label"] == "open_palm"
    assert len(asked) == 1
    assert [len(gestures) for gestures in found] == [1, 1]


def test_another_model_of_hands(asked):
    assert recognize_gestures(np.ones((4, 4, 3), np.uint8), hands_model="hands.lite_tfjs")
    assert [how["model"] for _, how in asked] == ["hands.lite_tfjs"]


@pytest.mark.parametrize(
    "options, message",
    [
        ({"hand_model": "hands.lite"}, "'hand_model' of recognize_gestures: .* 'hands_model'"),
        ({"x": 1}, "valid options: model, hands_model, .*max_hands, detector, detector_threshold"),
        ({"hands_model": "hands.lit"}, "unknown model 'hands.lit': did you mean 'hands.lite'"),
        ({"hands_model": "posenet.tiny"}, "posenet.tiny cannot estimate_hands"),
        ({"max_hands": 0}, "max_hands=0 must be an integer of at least 1"),
        ({"detector_threshold": 2}, "detector_threshold=2"),
        ({"score_threshold": 7}, "score_threshold=7 must be a number between 0 and 1"),
        ({"score_threshold": 7, "model": "gesture.keypoints"}, "score_threshold=7"),
        ({"model": "rule"}, "did you mean 'rules'"),
        ({"mirror": "no"}, "mirror='no' must be True or False"),
    ],
)
def test_options_are_checked_before_the_first_of_several(options, message, mirror_of_weights):
    for several in ([], [PALM], "no-such.jpg"):  # which nobody looks at
        with pytest.raises(ZooError, match=message):
            recognize_gestures(iter([several]), **options)


def test_wrong_uses_are_told():
    with pytest.raises(ZooError, match=r"unknown model 'rule' of gestures: did you mean 'rules'"):
        recognize_gestures([PALM], model="rule")
    with pytest.raises(ZooError, match=r"rules, gesture.keypoints, or a GestureRecognizer"):
        recognize_gestures([], model="posenet.tiny")
    with pytest.raises(ZooError, match="unknown option 'max_hands' of hands that are given"):
        recognize_gestures([PALM], max_hands=1)
    with pytest.raises(ZooError, match="unknown option 'hands_model' of hands that are given"):
        recognize_gestures([PALM], hands_model="hands.lite")
    with pytest.raises(ZooError, match="score_threshold=2"):
        recognize_gestures([PALM], score_threshold=2)


# --- photos -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("photo", "label", "sign"),
    [
        ("hand_pakutaso_vsign", "victory", None),
        ("hand_pakutaso", "open_palm", "open"),
    ],
)
def test_gestures_in_photos(photo, label, sign, shared, mirror_of_weights):
    """What the photo shows; the network has no sign for some."""
    pixels = zoo.read_image(shared / "images" / "photos" / f"{photo}.jpg")
    hands = zoo.estimate_hands(pixels, model="hands.lite")
    assert [g["label"] for g in recognize_gestures(hands)] == [label]
    if sign:
        (gesture,) = recognize_gestures(hands, model="gesture.keypoints")
        assert gesture["label"] == sign


def test_signs_of_people_before_a_camera(shared, mirror_of_weights):
    """Of each ten photos so many hands are found; none of them makes another gesture, too."""
    folder = shared / "images" / "transfer" / "gestures"
    for label, count in (("four", 8), ("rock", 9), ("call", 7)):
        every = recognize_gestures(sorted((folder / label).glob("*.jpg")))
        shown = [{gesture["label"] for gesture in found} for found in every]
        assert sum(label in labels for labels in shown) == count
        assert not set.union(*shown) - {label}


def test_a_photo_and_its_mirror_image(shared, mirror_of_weights):
    pixels = zoo.read_image(shared / "images" / "photos" / "two_hands.jpg")
    found = recognize_gestures(pixels)
    assert [g["label"] for g in found] == ["open_palm"]  # the other hand hangs down
    mirrored = recognize_gestures(pixels[:, ::-1], mirror=True)
    for one, other in zip(found, flipped_result(mirrored, pixels.shape[1]), strict=True):
        assert other == {
            **one,
            "score": pytest.approx(one["score"], abs=1e-5),
            "box": pytest.approx(one["box"], abs=0.01),
        }


def test_a_photo_without_hands(shared, mirror_of_weights):
    assert recognize_gestures(shared / "images" / "photos" / "coffee.jpg") == []
