"""Gestures by example: nearest hands, their files, and their order beside the rules."""

import json
import math
import pickle
import re
import shutil

import numpy as np
import pytest

import zoo
from tests.helpers import ROOT, assert_near
from tests.zoo.tasks.gesture_hands import as_hand, make_hand
from weights_cache.common.errors import ZooError
from zoo.pipeline.mirroring import flipped_result
from zoo.tasks.gestures.examples import Examples, choose_alike, distances, shape_of
from zoo.tasks.gestures.fingers import FINGERS, points_of
from zoo.tasks.gestures.recognizer import SCORE_THRESHOLD, GestureRecognizer

FOLDED = dict.fromkeys(FINGERS[1:], 160)
SIGNS = {
    "sign": {"middle": 160, "ring": 160},
    "fist": {"thumb": 80, **FOLDED},
    "three": {"thumb": 80, "pinky": 160},
    "one": {**FOLDED, "index": 0, "thumb": 80},
}


def points_with(label, direction="vertical_up", **more):
    return make_hand(SIGNS[label], direction, **more)


def turned(points, degrees):
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return points @ np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1]]).T


def taught(*labels, recognizer=None):
    recognizer = GestureRecognizer(()) if recognizer is None else recognizer
    for label in labels or SIGNS:
        recognizer.add_example(as_hand(points_with(label)), label)
    return recognizer


def label_of(recognizer, points, **more):
    found = recognizer.recognize([as_hand(points, **more)])
    return found[0]["label"] if found else None


# --- nearest examples -----------------------------------------------------------------------------


@pytest.mark.parametrize("label", SIGNS)
@pytest.mark.parametrize("degrees", [0, 15, -15])
def test_a_hand_elsewhere_larger_and_a_little_turned_is_the_same_sign(label, degrees, rng):
    recognizer = taught()
    points = turned(points_with(label), degrees) * 3.7 + [500, -80, 0]
    assert label_of(recognizer, points) == label
    assert recognizer.scores(as_hand(points))[label] == pytest.approx(1, abs=1e-4)
    noisy = points + rng.normal(size=(21, 3)) * 3.7
    assert label_of(recognizer, noisy) == label


@pytest.mark.parametrize("degrees", [90, 180, -90])
def test_a_sign_turned_far_is_another_one(degrees):
    assert label_of(taught("one"), turned(points_with("one"), degrees)) is None


def test_each_hand_counts_as_the_other_one():
    recognizer = taught("sign", "three")
    for label in ("sign", "three"):
        flipped = points_with(label) * [-1, 1, 1]
        assert label_of(recognizer, flipped, handedness="right") == label
    one_sided = points_with("sign") + np.linspace(0, 60, 21)[:, None] * [1, 0, 0]
    recognizer.add_example(as_hand(one_sided), "slanted")
    assert label_of(recognizer, one_sided * [-1, 1, 1], handedness="right") == "slanted"
    assert label_of(recognizer, one_sided * [-1, 1, 1]) != "slanted"


def test_a_mirror_image_shows_the_other_hand():
    points = points_with("sign") + np.linspace(0, 60, 21)[:, None] * [1, 0, 0]
    hand = as_hand(points)
    (mirrored,) = flipped_result([hand], 640)
    recognizer = GestureRecognizer(())
    recognizer.add_example(hand, "slanted")
    assert recognizer.scores(mirrored, mirror=True) == recognizer.scores(hand)
    assert recognizer.scores(mirrored)["slanted"] < SCORE_THRESHOLD
    found = zoo.recognize_gestures([mirrored], model=recognizer, mirror=True)
    assert [gesture["label"] for gesture in found] == ["slanted"]
    learned = GestureRecognizer(())
    learned.add_example(mirrored, "slanted", mirror=True)
    assert learned.scores(hand) == {"slanted": 1.0}


@pytest.mark.parametrize("finger", FINGERS)
def test_one_finger_makes_another_sign(finger):
    bends = dict.fromkeys(FINGERS, 0) | {finger: 160}
    recognizer = GestureRecognizer(())
    recognizer.add_example(as_hand(make_hand({}, "vertical_up")), "open")
    assert label_of(recognizer, make_hand(bends, "vertical_up")) is None


def test_what_is_far_from_all_examples_is_no_gesture(rng):
    recognizer = taught()
    for points in rng.normal(size=(50, 21, 3)):
        assert label_of(recognizer, points) is None
    hand = as_hand(np.ones((21, 3)))  # without size
    assert set(recognizer.scores(hand).values()) == {0.0}


def test_scores_fall_with_the_distance_of_the_farthest_fingertip():
    """A single example reaches 0.65 palms, where the score is the default threshold."""
    points = points_with("sign")
    palm = np.linalg.norm(points[[5, 9, 13, 17], :2], axis=1).mean()
    recognizer, scores = taught("sign"), []
    for share in (0.0, 0.5, 1.0, 2.0):
        moved = points.copy()
        moved[8] += [0, -0.65 * palm * share, 0]
        moved[20] += [0, -0.2 * palm * share, 0]  # a smaller move does not count
        shape = shape_of(moved, left=True)
        flat = distances(shape, shape_of(points, left=True)[None])[0]
        assert flat == pytest.approx(0.65 * share, abs=0.06)  # less than straight on: it is turned
        scores.append(recognizer.scores(as_hand(moved))["sign"])
        assert scores[-1] == pytest.approx(SCORE_THRESHOLD ** ((flat / 0.65) ** 2))
    assert scores[0] == 1 and scores == sorted(scores, reverse=True)
    assert scores[3] < 0.6 < SCORE_THRESHOLD - 0.02 < scores[2]


def test_depth_counts_less_and_only_where_both_hands_have_it():
    points = points_with("sign")
    deeper = points + np.eye(21)[8][:, None] * [0, 0, 30]
    across = points + np.eye(21)[8][:, None] * [0, 30, 0]
    recognizer = taught("sign")
    scores = [recognizer.scores(as_hand(p))["sign"] for p in (points, deeper, across)]
    assert scores[0] == 1 > scores[1] > scores[2]
    assert recognizer.scores(as_hand(deeper[:, :2]))["sign"] == 1
    flat = GestureRecognizer(())
    flat.add_example(as_hand(points[:, :2]), "flat")
    assert flat.scores(as_hand(deeper)) == {"flat": 1.0}


def test_examples_that_differ_reach_farther():
    points = points_with("sign")
    reaches = []
    for shift in (0, 16, 18, 100):
        examples = Examples()
        moved = points + np.eye(21)[4][:, None] * [shift, 0, 0]
        examples.add("sign", [shape_of(p, left=False) for p in (points, moved)])
        far = shape_of(points - np.eye(21)[4][:, None] * [25, 0, 0], left=False)
        reaches.append(distances(far, examples.of("sign")).min() / examples.distances(far)["sign"])
    assert reaches[0] == pytest.approx(0.5)
    assert reaches[0] < reaches[1] < reaches[2] < reaches[3] == pytest.approx(0.7)


# --- with the rules -------------------------------------------------------------------------------


def test_an_example_that_is_near_comes_before_the_rules():
    """A palm with spread fingers is an open palm to the rules, whose score is 1."""
    spread = make_hand({}, "vertical_up", spread=20)
    close = make_hand({}, "vertical_up", spread=2)
    recognizer = GestureRecognizer()
    assert label_of(recognizer, spread) == "open_palm"
    recognizer.add_example(as_hand(spread), "spread")
    assert label_of(recognizer, spread) == "spread"
    noisy = spread + np.eye(21)[8][:, None] * [3, 3, 0]
    assert recognizer.scores(as_hand(noisy))["spread"] < 1
    assert recognizer.scores(as_hand(noisy))["open_palm"] == pytest.approx(1)
    assert label_of(recognizer, noisy) == "spread"
    assert label_of(recognizer, close) == "open_palm"
    recognizer.remove_example("spread")
    assert label_of(recognizer, spread) == "open_palm"


def test_rules_and_examples_of_one_label_are_one_gesture():
    recognizer = taught("one", recognizer=GestureRecognizer(["rock", "open_palm"]))
    rock = as_hand(make_hand({"thumb": 80, "middle": 160, "ring": 160}, "vertical_up"))
    recognizer.add_example(as_hand(points_with("fist")), "rock")
    assert recognizer.labels == ["rock", "open_palm", "one"]
    assert recognizer.scores(rock)["rock"] == pytest.approx(1)
    for points in (points_of(rock), points_with("fist")):
        assert label_of(recognizer, points) == "rock"
    recognizer.add("rock", curls={"thumb": "no_curl"}, directions={"thumb": "vertical_down"})
    assert label_of(recognizer, points_of(rock)) is None  # other rules, the example stays
    assert label_of(recognizer, points_with("fist")) == "rock"
    recognizer.remove("rock")
    assert recognizer.labels == ["open_palm", "one"]
    assert label_of(recognizer, points_with("fist")) is None
    recognizer.remove("one")
    assert recognizer.labels == ["open_palm"]
    assert label_of(recognizer, points_with("one")) is None


def test_the_threshold_holds_for_examples_as_well():
    hand = as_hand(points_with("sign") + np.eye(21)[8][:, None] * [18, 0, 0])
    recognizer = taught("sign")
    (score,) = recognizer.scores(hand).values()
    assert SCORE_THRESHOLD < score < 0.99
    assert recognizer.recognize([hand], score_threshold=score) != []
    assert recognizer.recognize([hand], score_threshold=score + 0.001) == []


def test_results_are_plain():
    hand = as_hand(points_with("sign"))
    (gesture,) = taught().recognize([hand])
    assert gesture == {
        "label": "sign", "score": 1.0, "hand": 0, "handedness": "left", "box": hand["box"],
    }  # fmt: skip
    assert [type(value) for value in gesture.values()] == [str, float, int, str, dict]
    assert {type(score) for score in taught().scores(hand).values()} == {float}


def test_removing_examples():
    recognizer = GestureRecognizer(["rock"])
    for label in ("one", "three"):
        recognizer.add_example(as_hand(points_with(label)), "number")
    recognizer.remove_example("number")
    assert label_of(recognizer, points_with("three")) is None
    assert label_of(recognizer, points_with("one")) == "number"
    recognizer.remove_example("number")
    assert recognizer.labels == ["rock"]
    for label in ("number", "rock"):
        with pytest.raises(ZooError, match=f"unknown gesture with examples '{label}'"):
            recognizer.remove_example(label)


# --- which hand -----------------------------------------------------------------------------------


def test_of_several_hands_the_one_like_other_examples_counts():
    sign, other = (as_hand(points_with(label)) for label in ("sign", "fist"))
    recognizer = GestureRecognizer(())
    with pytest.raises(ZooError, match=r"2 hands, and no other example of 'sign' .* hands\[0\]"):
        recognizer.add_example([other, sign], "sign")
    assert recognizer.labels == []
    recognizer.add_example(sign, "sign")
    recognizer.add_example([other, sign], "sign")
    assert label_of(recognizer, points_with("fist")) is None
    assert label_of(recognizer, points_with("sign")) == "sign"


def test_of_several_images_the_hands_that_are_alike_are_chosen(rng):
    base = {label: points_with(label) for label in SIGNS}
    groups = [
        [shape_of(base[label] + rng.normal(size=(21, 3)), left=False) for label in labels]
        for labels in (["fist", "sign"], ["sign", "three"], ["one", "sign"], ["sign"])
    ]
    chosen = choose_alike(groups, np.empty((0, 21, 3)))
    expected = [groups[0][1], groups[1][0], groups[2][1], groups[3][0]]
    np.testing.assert_array_equal(chosen, expected)
    known = shape_of(base["fist"], left=False)[None].repeat(5, axis=0)
    np.testing.assert_array_equal(choose_alike(groups[:1], known), groups[0][:1])


def test_an_example_needs_a_hand():
    recognizer = GestureRecognizer(())
    with pytest.raises(ZooError, match="an example of 'sign' needs a hand: the list .* is empty"):
        recognizer.add_example([], "sign")
    with pytest.raises(ZooError, match="needs a hand: the palm of this one has no size"):
        recognizer.add_example(as_hand(np.ones((21, 3))), "sign")
    assert recognizer.labels == []


def test_wrong_arguments_are_reported():
    recognizer, hand = GestureRecognizer(()), as_hand(points_with("sign"))
    with pytest.raises(ZooError, match="hands are a list, as estimate_hands gives it, not 'sign'"):
        recognizer.add_example("sign", hand)
    for label in ("", 5, None):
        with pytest.raises(ZooError, match="label of a gesture is a text"):
            recognizer.add_example(hand, label)
        with pytest.raises(ZooError, match="label of a gesture is a text"):
            recognizer.add_examples(label, [hand])
    for use in (
        recognizer.recognize,
        recognizer.scores,
        lambda h, **m: recognizer.add_example(h, "a", **m),
    ):
        with pytest.raises(ZooError, match="mirror='yes' must be True or False"):
            use(hand, mirror="yes")
    with pytest.raises(ZooError, match="21 keypoints"):
        recognizer.add_example({"keypoints": []}, "sign")
    assert recognizer.labels == []


# --- several images -------------------------------------------------------------------------------


def test_hands_that_were_found_before():
    sign, fist = (as_hand(points_with(label)) for label in ("sign", "fist"))
    recognizer = GestureRecognizer(())
    assert recognizer.add_examples("any", [sign, fist]) == 2  # each by itself
    assert recognizer.add_examples("any", sign) == 1
    assert recognizer.add_examples("sign", iter([[sign], [fist, sign], (sign,)])) == 3
    assert len(recognizer._examples.of("any")) == len(recognizer._examples.of("sign")) == 3
    assert recognizer._examples.distances(shape_of(points_of(fist), left=True))["sign"] > 1


def test_images_without_hands_are_named():
    hand = as_hand(points_with("sign"))
    recognizer = GestureRecognizer(())
    with pytest.warns(UserWarning, match="2 of 3 images of 'sign' show no hand .*: index 0, index"):
        assert recognizer.add_examples("sign", [[], [hand], []]) == 1
    with pytest.raises(ZooError, match=r"'new' gets no example: no hand in 7 .*index 4, \.\.\)"):
        recognizer.add_examples("new", [[]] * 7)
    with pytest.raises(ZooError, match="'new' gets no example: there are no images"):
        recognizer.add_examples("new", [])
    assert recognizer.labels == ["sign"]


def test_a_folder_without_images(tmp_path):
    (tmp_path / "notes.txt").write_text("no image")
    with pytest.raises(ZooError, match="there are no images in the folder"):
        GestureRecognizer().add_examples("sign", tmp_path)


@pytest.fixture
def gestures(shared, monkeypatch):
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
    return shared / "images" / "transfer" / "gestures"


def test_examples_from_a_folder_of_images(gestures, shared, tmp_path):
    """Three images of each gesture; the second of "call" shows another hand beside it."""
    recognizer = GestureRecognizer(())
    left = {}
    for label, first in {"call": 1, "rock": 0}.items():
        several = sorted((gestures / label).glob("*.jpg"))[first:][: 7 if first else 4]
        *used, left[label] = [f for f in several if zoo.estimate_hands(f)][-4:]
        for file in used:
            shutil.copy(file, tmp_path / f"{label}_{file.name}")
        folder = tmp_path / label
        folder.mkdir()
        for file in tmp_path.glob(f"{label}_*"):
            file.rename(folder / file.name)
        shutil.copy(shared / "images" / "photos" / "coffee.jpg", folder)
        (folder / "notes.txt").write_text("no image")
        with pytest.warns(UserWarning, match=f"1 of 4 images of '{label}' .*: coffee.jpg"):
            assert recognizer.add_examples(label, folder) == 3
    for label, file in left.items():
        labels = {g["label"] for g in zoo.recognize_gestures(file, model=recognizer)}
        assert labels == {label}
    for file in sorted((gestures / "none").glob("*.jpg"))[:4]:
        assert zoo.recognize_gestures(file, model=recognizer) == []


def test_one_image_in_any_form_and_the_model_that_finds_hands(gestures):
    file = min((gestures / "four").glob("*.jpg"))
    pixels = zoo.read_image(file)
    recognizer = GestureRecognizer(())
    with zoo.load("hands.lite") as model:
        assert recognizer.add_examples("four", pixels, hands_model=model) == 1
        assert recognizer.add_examples("four", [str(file)], hands_model="hands.lite") == 1
    flipped = np.ascontiguousarray(pixels[:, ::-1])
    found = zoo.recognize_gestures(flipped, model=recognizer, mirror=True)
    assert [gesture["label"] for gesture in found] == ["four"]
    with pytest.raises(ZooError, match="image at index 1"):
        recognizer.add_examples("four", [pixels, "missing.jpg"])
    with pytest.raises(ZooError, match="unknown model 'hands.lit'"):
        recognizer.add_examples("four", file, hands_model="hands.lit")
    assert len(recognizer._examples.of("four")) == 2


# --- files ----------------------------------------------------------------------------------------


def test_examples_come_back_from_a_file(tmp_path, rng):
    recognizer = taught(recognizer=GestureRecognizer(["rock"], score_threshold=0.8))
    recognizer.add_example(as_hand(points_with("sign")[:, :2]), "ünï")
    recognizer.save(tmp_path / "mine.json")
    document = json.loads((tmp_path / "mine.json").read_text())
    assert document["version"] == 2
    assert [len(row) for rows in document["examples"].values() for row in rows] == [63] * 4 + [42]
    copies = (
        GestureRecognizer.load(tmp_path / "mine.json"),
        pickle.loads(pickle.dumps(recognizer)),
    )
    for again in copies:
        assert again.labels == ["rock", *SIGNS, "ünï"] and again.score_threshold == 0.8
        for points in rng.normal(size=(20, 21, 3)):
            hand = as_hand(points_with("sign") + 5 * points)
            assert again.scores(hand) == recognizer.scores(hand)


def test_without_examples_older_releases_read_the_file(tmp_path):
    recognizer = taught("sign", recognizer=GestureRecognizer(["rock"]))
    recognizer.remove("sign")
    recognizer.save(tmp_path / "mine.json")
    document = json.loads((tmp_path / "mine.json").read_text())
    assert document["version"] == 1 and "examples" not in document
    assert GestureRecognizer.load(tmp_path / "mine.json").labels == ["rock"]


ROW = [1.0] * 42


@pytest.mark.parametrize(
    "changes",
    [
        {"examples": None},
        {"examples": [ROW]},
        {"examples": {"a": ROW}},
        {"examples": {"a": []}},
        {"examples": {"a": [ROW[1:]]}},
        {"examples": {"a": [[*ROW[1:], None]]}},
        {"examples": {"a": [[*ROW[1:], "1"]]}},
        {"examples": {"a": [[*ROW[1:], 1e9]]}},
        {"examples": {"a": [[*ROW[1:], float("nan")]]}},
        {"examples": {"a": [[*ROW[1:], [1]]]}},
        {"examples": {"a": [{}]}},
        {"examples": {"": [ROW]}},
        {"examples": {"a": [ROW]}, "version": 3},
    ],
)
def test_damaged_examples_give_one_clear_error(tmp_path, changes):
    path = tmp_path / "mine.json"
    document = {"format": "zoo-gestures", "version": 2, "score_threshold": 0.9, "gestures": {}}
    path.write_text(json.dumps({**document, **changes}))
    with pytest.raises(ZooError, match=r"mine.json' is no file of gestures"):
        GestureRecognizer.load(path)
    path.write_text(json.dumps({**document, "examples": {"a": [ROW]}}))
    assert GestureRecognizer.load(path).labels == ["a"]


# --- the page -------------------------------------------------------------------------------------


def test_the_code_of_the_page_runs(monkeypatch, tmp_path):
    text = (ROOT / "zoo" / "docs" / "gestures.md").read_text()
    section = text.partition("## Gestures by example")[2].partition("\n## ")[0]
    code, shown = re.findall(r"```python\n(.*?)```", section, re.DOTALL)[-2:]
    monkeypatch.chdir(tmp_path)
    world = {"zoo": zoo}
    *first, last = code.strip().split("\n")
    exec("\n".join(first), world)
    assert_near(eval(last, world), eval(shown), 0.001)
