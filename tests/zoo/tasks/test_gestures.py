"""Gestures by rules: what fingers do, what gestures ask of them, and where these are kept."""

import cmath
import itertools
import json
import math
import os

import numpy as np
import pytest

from tests.zoo.tasks.gesture_hands import DIRECTIONS, as_hand, make_hand
from weights_cache.common.errors import ZooError
from zoo.tasks.gestures import fingers, gesture_files, recognizer
from zoo.tasks.gestures.built_in import BUILT_IN
from zoo.tasks.gestures.fingers import (
    CURLS,
    FINGERS,
    curl_shares,
    is_hanging,
    points_of,
    read_fingers,
)
from zoo.tasks.gestures.recognizer import GestureRecognizer

BENDS = {"no_curl": 0, "half_curl": 90, "full_curl": 160}


# --- fingers ------------------------------------------------------------------------------------


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("curl", CURLS)
def test_curls_and_directions_of_made_hands_come_back(curl, direction):
    """Fingers fold towards the viewer, so that only z shows how far."""
    points = make_hand(dict.fromkeys(FINGERS, BENDS[curl]), direction)
    for name, finger in read_fingers(points).items():
        assert (finger.curl, finger.direction) == (curl, direction), name


@pytest.mark.parametrize("bent", FINGERS)
def test_each_finger_is_read_by_itself(bent):
    points = make_hand({bent: BENDS["half_curl"]}, "vertical_up")
    curls = {name: finger.curl for name, finger in read_fingers(points).items()}
    assert curls == {name: "half_curl" if name == bent else "no_curl" for name in FINGERS}


@pytest.mark.parametrize("bend", [0, 30, 49, 51, 90, 119, 121, 170])
def test_the_angle_is_what_the_middle_joint_leaves(bend):
    index = read_fingers(make_hand({"index": bend}, "vertical_up", spread=0))["index"]
    assert index.angle == pytest.approx(180 - bend, abs=1e-4)
    assert index.curl == ("no_curl" if bend < 50 else "half_curl" if bend < 120 else "full_curl")


def test_without_z_the_curl_is_that_in_the_picture():
    points = make_hand({"middle": 100}, "vertical_up", spread=0, fold=(1, 0, 0))  # sideways
    flat = read_fingers(points[:, :2])["middle"]
    assert flat == read_fingers(points)["middle"]
    assert flat.angle == pytest.approx(80, abs=1e-4)


def test_an_exactly_straight_finger_has_no_curl():
    """fingerpose takes it for fully curled: its 180 degrees wrap around to 0."""
    points = np.stack([np.zeros(21), -np.arange(21.0), np.zeros(21)], axis=1)
    assert {f.curl for f in read_fingers(points).values()} == {"no_curl"}
    assert {f.direction for f in read_fingers(points).values()} == {"vertical_up"}


def test_a_tip_on_the_middle_joint_is_fully_curled():
    """Whole pixels make that happen; there must be no warning."""
    points = make_hand({}, "vertical_up")[:, :2]
    points[8] = points[6]
    assert read_fingers(points)["index"] == ("full_curl", "vertical_up", 0.0)


def test_all_points_in_one_place_are_read_without_a_warning():
    assert len(read_fingers(np.ones((21, 3)))) == 5


def test_size_and_place_of_a_hand_do_not_matter(rng):
    points = rng.normal(size=(21, 3))
    assert [f[:2] for f in read_fingers(points * 300 + 500).values()] == [
        f[:2] for f in read_fingers(points).values()
    ]


def test_random_hands_are_read_as_fingerpose_reads_them(rng):
    """Where its axis ends at the tip, which is not so for every curled finger."""
    compared = 0
    for points in rng.normal(size=(300, 21, 3)):
        for name, finger in read_fingers(points).items():
            twin = _fingerpose(points, FINGERS.index(name))
            if twin is not None:
                compared += 1
                assert finger[:2] == twin
    assert compared > 900


def _fingerpose(points, number):
    """Curl and direction of a finger by fingerpose's steps, one number at a time."""
    chain = [1, 2, 3, 4] if number == 0 else [0, *range(4 * number + 1, 4 * number + 5)]
    start, middle, tip = points[chain[0]], points[3 if number == 0 else chain[2]], points[chain[-1]]
    a, b, c = math.dist(middle, tip), math.dist(start, middle), math.dist(start, tip)
    angle = math.degrees(math.acos((a * a + b * b - c * c) / (2 * a * b)))
    curl = CURLS[(angle <= 130) + (angle <= 60)]
    flat = [complex(x, -y) for x, y, *_ in points]  # y upwards
    s, m, t = complex(start[0], -start[1]), complex(middle[0], -middle[1]), complex(tip[0], -tip[1])
    ways = [t - s, m - s, t - m]
    if abs(m - s) == max(map(abs, ways)):
        return None
    dx = max((w.real for w in ways), key=abs)
    dy = max((w.imag for w in ways), key=abs)
    votes = dict.fromkeys(("vertical", "horizontal", "diagonal"), 0.0)
    ratio = abs(dy) / (abs(dx) + 1e-5)
    votes["vertical" if ratio > 1.5 else "diagonal" if ratio > 0.66 else "horizontal"] += 1.1
    steps = [(max(ways[0], ways[2], key=abs), 1.6)]
    steps += [(flat[q] - flat[p], 0.9) for p, q in zip(chain, chain[1:], strict=False)]
    for step, weight in steps:
        slope = math.degrees(cmath.phase(step)) % 180
        upright, slanted = 75 <= slope <= 105, 25 <= slope <= 155
        votes["vertical" if upright else "diagonal" if slanted else "horizontal"] += weight
    kind = max(votes, key=lambda k: votes[k])
    up, side = "up" if dy >= 0 else "down", "left" if dx < 0 else "right"
    names = {"vertical": up, "horizontal": side, "diagonal": f"{up}_{side}"}
    return curl, f"{kind}_{names[kind]}"


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_flipped_hands_point_to_the_other_side(direction):
    other = {"left": "right", "right": "left"}
    expected = "_".join(other.get(word, word) for word in direction.split("_"))
    flipped = make_hand({}, direction) * [-1, 1, 1]
    assert {f.direction for f in read_fingers(flipped).values()} == {expected}


# --- hands --------------------------------------------------------------------------------------


def test_hands_without_keypoints_say_what_to_do():
    handtrack = {"score": 0.9, "box": {}, "label": "open", "keypoints": []}
    with pytest.raises(ZooError, match=r"21 keypoints, this one has 0.*hands\.lite"):
        GestureRecognizer().recognize([handtrack])


@pytest.mark.parametrize("hand", [None, "hand.jpg", {"box": {}}, np.zeros((21, 3))])
def test_what_is_no_hand_is_told(hand):
    with pytest.raises(ZooError, match="a hand is a dict with 'keypoints'"):
        GestureRecognizer().recognize([hand])


@pytest.mark.parametrize(
    "keypoints",
    [
        None,
        5,
        "x" * 21,
        [{}] * 21,
        [None] * 21,
        [{"position": None}] * 21,
        [{"position": {"x": 1}}] * 21,
        [{"position": {"x": "a", "y": 1}}] * 21,
        [{"position": {"x": "1", "y": "1"}}] * 21,
        [{"position": {"x": None, "y": 1}}] * 21,
        [{"position": {"x": [1], "y": 1}}] * 21,
        [{"position": {"x": [1], "y": [1]}}] * 21,
        [{"position": {"x": 1j, "y": 1}}] * 21,
        [{"position": {"x": 10**400, "y": 1}}] * 21,
        {"position": {"x": 1, "y": 1}},
    ],
)
def test_what_are_no_keypoints_is_told(keypoints):
    with pytest.raises(ZooError, match="keypoints of a hand are a list of {'position': {'x'"):
        GestureRecognizer().recognize([{"keypoints": keypoints}])


def test_positions_must_be_numbers():
    hand = as_hand(make_hand({}, "vertical_up"))
    hand["keypoints"][3]["position"]["x"] = math.nan
    with pytest.raises(ZooError, match="finite"):
        GestureRecognizer().recognize([hand])


def test_z_counts_only_if_each_keypoint_has_it():
    hand = as_hand(make_hand({}, "vertical_up"))
    assert points_of(hand).shape == (21, 3)
    del hand["keypoints"][20]["position"]["z"]
    assert points_of(hand).shape == (21, 2)


# --- the tables of the record -------------------------------------------------------------------


@pytest.fixture(scope="module")
def record(request):
    folder = request.getfixturevalue("shared") / "weights" / "fingerpose-gestures"
    return json.loads((folder / "gestures.json").read_text())


def snake(names):
    return tuple(names[str(i)].lower().replace(" ", "_") for i in range(len(names)))


def test_names_are_those_of_the_record(record):
    assert snake(record["Finger"]["nameMapping"]) == FINGERS
    assert snake(record["FingerCurl"]["nameMapping"]) == CURLS
    assert snake(record["FingerDirection"]["nameMapping"]) == fingers.DIRECTIONS


@pytest.mark.parametrize("label", ["victory", "thumbs_up"])
def test_rules_are_those_of_the_record(label, record):
    recognizer = GestureRecognizer([label])
    ours = recognizer._gestures[label]
    rules = record["gestures"][label]
    for table, names in ((ours.curls, CURLS), (ours.directions, fingers.DIRECTIONS)):
        theirs = rules["curls" if names is CURLS else "directions"]
        expected = {
            FINGERS[int(k)]: {names[i]: worth for i, worth in pairs} for k, pairs in theirs.items()
        }
        assert table == expected


# --- gestures -----------------------------------------------------------------------------------

FOLDED = dict.fromkeys(("index", "middle", "ring", "pinky"), 160)
SHOWN = {
    "victory": ({"thumb": 80, "ring": 160, "pinky": 160}, "vertical_up"),
    "thumbs_up": (FOLDED, "diagonal_up_left"),
    "thumbs_down": (FOLDED, "diagonal_down_right"),
    "pointing_up": ({"thumb": 80, "middle": 160, "ring": 160, "pinky": 160}, "vertical_up"),
    "open_palm": ({}, "diagonal_up_left"),
    "closed_fist": ({"thumb": 80, **FOLDED}, "vertical_up"),
    "four": ({"thumb": 80}, "vertical_up"),
    "i_love_you": ({"middle": 160, "ring": 160}, "diagonal_up_left"),
    "rock": ({"thumb": 80, "middle": 160, "ring": 160}, "diagonal_up_right"),
    "call": ({"index": 160, "middle": 160, "ring": 160}, "horizontal_right"),
}


@pytest.mark.parametrize("label", BUILT_IN)
@pytest.mark.parametrize("flip", [1, -1])
def test_each_built_in_gesture_is_recognized(label, flip):
    bends, direction = SHOWN[label]
    hand = as_hand(make_hand(bends, direction) * [flip, 1, 1])
    (gesture,) = GestureRecognizer().recognize([hand])
    assert gesture["label"] == label
    assert gesture["score"] > 0.9


def test_the_result_is_plain_and_of_the_hand():
    fist, palm = (as_hand(make_hand(*SHOWN[k])) for k in ("closed_fist", "open_palm"))
    nothing = as_hand(make_hand({"index": 160, "pinky": 160}, "vertical_up"))
    found = GestureRecognizer().recognize([fist, nothing, {**palm, "handedness": "right"}])
    assert found == [
        {"label": "closed_fist", "score": 1.0, "hand": 0, "handedness": "left", "box": fist["box"]},
        {"label": "open_palm", "score": 1.0, "hand": 2, "handedness": "right", "box": palm["box"]},
    ]
    assert [type(v) for v in found[0].values()] == [str, float, int, str, dict]


def test_no_hands_no_gestures():
    assert GestureRecognizer().recognize([]) == []
    assert GestureRecognizer(()).recognize([as_hand(make_hand({}, "vertical_up"))]) == []


def test_a_hand_is_described():
    hand = as_hand(make_hand({"thumb": 90}, "diagonal_up_left"))
    seen = GestureRecognizer().describe_hand(hand)
    assert list(seen) == list(FINGERS)
    assert seen["thumb"]["curl"] == "half_curl"
    assert seen["pinky"] == {
        "curl": "no_curl",
        "direction": "diagonal_up_left",
        "angle": pytest.approx(180, abs=15),
    }


def test_scores_are_shares_of_what_the_rules_are_worth():
    recognizer = GestureRecognizer(())
    curls = {"index": {"no_curl": 0.8, "half_curl": 0.2}, "pinky": ["full_curl", "half_curl"]}
    recognizer.add("a", curls=curls)
    recognizer.add("b", curls=curls, weights={"pinky": 3})
    recognizer.add("c", curls=curls, directions={"index": {"vertical_up": 1, "vertical_down": -1}})

    def scores(index, pinky, direction="vertical_up"):
        return recognizer.scores(as_hand(make_hand({"index": index, "pinky": pinky}, direction)))

    assert scores(0, 160) == {"a": 1.0, "b": 1.0, "c": 1.0}
    assert scores(0, 0) == pytest.approx({"a": 0.8 / 1.8, "b": 0.8 / 3.8, "c": 1.8 / 2.8})
    assert scores(90, 90) == pytest.approx({"a": 1.2 / 1.8, "b": 3.2 / 3.8, "c": 2.2 / 2.8})
    assert scores(160, 0, "vertical_down")["c"] == 0.0  # not below


def test_a_gesture_of_one_rule_does_not_fit_every_hand():
    """With fingerpose's sum over ten parts it would have 0.9."""
    recognizer = GestureRecognizer(())
    recognizer.add("little", curls={"pinky": "full_curl"})
    assert recognizer.scores(as_hand(make_hand({}, "vertical_up"))) == {"little": 0.0}


def test_a_gesture_of_ones_own():
    recognizer = GestureRecognizer()
    recognizer.add(
        "pointing_left",
        curls={"index": "no_curl", **dict.fromkeys(("middle", "ring", "pinky"), "full_curl")},
        directions={"index": "horizontal_left"},
    )
    points = make_hand({"middle": 160, "ring": 160, "pinky": 160}, "horizontal_left")
    (found,) = recognizer.recognize([as_hand(points)])
    assert found["label"] == "pointing_left"
    flipped = recognizer.recognize([as_hand(points * [-1, 1, 1])])
    assert not flipped or flipped[0]["label"] != "pointing_left"
    recognizer.remove("pointing_left")
    assert recognizer.labels == list(BUILT_IN)
    recognizer.add("rock", curls={"thumb": "full_curl"})
    assert recognizer.labels.count("rock") == 1


@pytest.mark.parametrize("threshold", [None, 0.5])
def test_thresholds(threshold):
    hand = as_hand(make_hand({"index": 90}, "vertical_up"))
    recognizer = GestureRecognizer(["open_palm"], score_threshold=0.85)
    found = recognizer.recognize([hand], score_threshold=threshold)
    assert [gesture["score"] for gesture in found] == (
        [] if threshold is None else [pytest.approx(5 / 6)]
    )


WRONG = [
    ({"curls": {"indx": "no_curl"}}, "unknown finger 'indx' .* did you mean 'index'"),
    ({"curls": {"index": "no_crl"}}, "unknown curl 'no_crl' .* did you mean 'no_curl'"),
    ({"curls": {"index": ["no_curl", 3]}}, "unknown curl 3"),
    ({"curls": {"index": [["no_curl"]]}}, "unknown curl"),
    ({"directions": {"index": "vertical_op"}}, "unknown direction .* did you mean 'vertical_up'"),
    ({"directions": {"index": {"up": 1}}}, "valid: vertical_up, "),
    ({"curls": {"index": "no_curl"}, "weights": {"thum": 1}}, "did you mean 'thumb'"),
    ({"curls": {"index": "no_curl"}, "weights": {"thumb": -1}}, "weight of the thumb"),
    ({"curls": {"index": {"no_curl": 2}}}, "between -1 and 1"),
    ({"curls": {"index": {"no_curl": "1"}}}, "worth of no_curl of the index"),
    ({"curls": {"index": {"no_curl": math.nan}}}, "worth of no_curl"),
    ({"curls": {"index": {"no_curl": -1}}}, "worth more than 0"),
    ({"curls": {"index": 1}}, "is a name, a list of names or a dict"),
    ({"curls": {"index": []}}, "is a name, a list of names or a dict"),
    ({"curls": ["index"]}, "a dict by finger"),
    ({}, "one finger at least"),
    ({"curls": {"index": "no_curl"}, "weights": {"index": 0}}, "one finger at least"),
]


@pytest.mark.parametrize(("rules", "message"), WRONG)
def test_wrong_rules_are_told(rules, message):
    recognizer = GestureRecognizer()
    with pytest.raises(ZooError, match=message):
        recognizer.add("mine", **rules)
    assert "mine" not in recognizer.labels


def test_wrong_labels_are_told():
    with pytest.raises(ZooError, match=r"unknown built-in gesture 'victry': did you mean 'victory"):
        GestureRecognizer(["victry"])
    with pytest.raises(ZooError, match=r"unknown built-in gesture \['rock'\]"):
        GestureRecognizer([["rock"]])
    for gestures in ("rock", b"rock", 5):
        with pytest.raises(ZooError, match=r"must be a list of labels, such as \['victory'\]"):
            GestureRecognizer(gestures)
    with pytest.raises(ZooError, match=r"unknown gesture \['rock'\]"):
        GestureRecognizer().remove(["rock"])
    with pytest.raises(ZooError, match=r"unknown gesture 'rok': did you mean 'rock'"):
        GestureRecognizer().remove("rok")
    with pytest.raises(ZooError, match="label of a gesture is a text"):
        GestureRecognizer().add("", curls={"index": "no_curl"})
    with pytest.raises(ZooError, match="score_threshold=2"):
        GestureRecognizer(score_threshold=2)


# --- files --------------------------------------------------------------------------------------


def test_gestures_come_back_from_a_file(tmp_path, rng):
    recognizer = GestureRecognizer(["rock", "victory"], score_threshold=0.7)
    recognizer.add("ünï", curls={"index": {"no_curl": 0.3}}, weights={"index": 2})
    path = tmp_path / "mine.json"
    recognizer.save(path)
    again = GestureRecognizer.load(path)
    assert again.labels == ["rock", "victory", "ünï"]
    assert again.score_threshold == 0.7
    for points in rng.normal(size=(20, 21, 3)):
        assert again.scores(as_hand(points)) == recognizer.scores(as_hand(points))
    assert os.listdir(tmp_path) == ["mine.json"]


def test_an_interrupted_save_keeps_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "mine.json"
    GestureRecognizer(["rock"]).save(path)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(recognizer.os, "replace", full)
    with pytest.raises(ZooError, match="No space left"):
        GestureRecognizer(["call"]).save(path)
    monkeypatch.undo()
    assert GestureRecognizer.load(path).labels == ["rock"]
    assert os.listdir(tmp_path) == ["mine.json"]


def test_what_was_written_is_read_back(tmp_path, monkeypatch):
    path = tmp_path / "mine.json"
    GestureRecognizer(["rock"]).save(path)
    read = gesture_files.read_gestures
    monkeypatch.setattr(gesture_files, "read_gestures", lambda path: (*read(path)[:2], 0.123))
    with pytest.raises(ZooError, match="cannot be read back .it has other gestures"):
        GestureRecognizer(["call"]).save(path)
    monkeypatch.undo()
    assert GestureRecognizer.load(path).labels == ["rock"]
    assert os.listdir(tmp_path) == ["mine.json"]


def test_a_folder_that_is_not_there_is_told(tmp_path):
    with pytest.raises(ZooError, match="cannot write gestures"):
        GestureRecognizer().save(tmp_path / "no" / "mine.json")
    with pytest.raises(ZooError, match="No such file"):
        GestureRecognizer.load(tmp_path / "none.json")


@pytest.mark.parametrize("path", [None, 5, b"mine.json", []])
def test_what_is_no_path_is_told(path):
    for use in (GestureRecognizer().save, GestureRecognizer.load):
        with pytest.raises(ZooError, match="a path is a text or a pathlib.Path, not"):
            use(path)


def damaged(**changes):
    document = {"format": "zoo-gestures", "version": 1, "score_threshold": 0.9, "gestures": {}}
    return json.dumps({**document, **changes}).encode()


RULES = {"curls": {"index": {"no_curl": 1}}, "directions": {}, "weights": {}}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe\x00",
        b"[]",
        b"[" * 100_000,
        b" " * 1_000_002,
        damaged()[:-3],
        damaged(format="other"),
        damaged(version=2),
        damaged(score_threshold=None),
        damaged(score_threshold=7),
        damaged(gestures=None),
        damaged(gestures={"a": None}),
        damaged(gestures={"a": {}}),
        damaged(gestures={"": RULES}),
        damaged(gestures={"a": {**RULES, "more": 1}}),
        damaged(gestures={"a": {**RULES, "curls": {"index": {"no_curl": [1]}}}}),
        damaged(gestures={"a": {**RULES, "curls": {"toe": {"no_curl": 1}}}}),
        damaged(gestures={"a": {**RULES, "curls": {}}}),
    ],
)
def test_damaged_files_give_one_clear_error(tmp_path, content):
    path = tmp_path / "mine.json"
    path.write_bytes(content)
    with pytest.raises(ZooError, match=r"mine.json' is no file of gestures"):
        GestureRecognizer.load(path)
    path.write_bytes(damaged(gestures={"a": RULES}))
    assert GestureRecognizer.load(path).labels == ["a"]


# --- margins --------------------------------------------------------------------------------------


@pytest.mark.parametrize("angle", [*np.linspace(0, 180, 37)])
def test_shares_of_curls_make_one(angle):
    shares = curl_shares(float(angle))
    assert sum(shares.values()) == pytest.approx(1)
    assert set(shares) <= set(CURLS) and min(shares.values()) > 0


def test_a_degree_changes_little():
    """At the edge between two curls the label changed with every tremble of a finger."""
    bends = [as_hand(make_hand({"ring": b}, "vertical_up")) for b in np.arange(30.0, 80.0)]
    scores = [GestureRecognizer().scores(hand)["open_palm"] for hand in bends]
    assert scores[0] == pytest.approx(1) and scores[-1] == pytest.approx(5 / 6)
    assert np.abs(np.diff(scores)).max() < 0.01


@pytest.mark.parametrize("label", BUILT_IN)
def test_idle_hands_make_no_gesture(label):
    """Hands that hang down are open palms or fists all the time."""
    bends, _ = SHOWN[label]
    hand = as_hand(make_hand(bends, "vertical_down"))
    assert GestureRecognizer().recognize([hand]) == []
    assert set(GestureRecognizer().scores(hand).values()) == {0.0}


@pytest.mark.parametrize("label", ["open_palm", "closed_fist", "four", "i_love_you", "rock"])
@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("way", ["horizontal", "diagonal_down"])
def test_hands_that_rest_or_hold_something_make_no_gesture(label, side, way):
    """Hands on a lap, on a table or around a cup are open or closed, too, but do not point up."""
    bends, _ = SHOWN[label]
    hand = as_hand(make_hand(bends, f"{way}_{side}"))
    assert GestureRecognizer().recognize([hand]) == []


def test_gestures_of_ones_own_may_point_down(tmp_path):
    recognizer = GestureRecognizer(())
    recognizer.add("floor", curls={"index": "no_curl"}, directions={"index": "vertical_down"})
    recognizer.add("raised", curls={"index": "no_curl"}, raised=True)
    down, up = (as_hand(make_hand({}, f"vertical_{way}")) for way in ("down", "up"))
    recognizer.save(tmp_path / "own.json")
    for known in (recognizer, GestureRecognizer.load(tmp_path / "own.json")):
        assert [g["label"] for g in known.recognize([down, up])] == ["floor", "raised"]
    with pytest.raises(ZooError, match="raised='no' must be True or False"):
        recognizer.add("x", curls={"index": "no_curl"}, raised="no")


@pytest.mark.parametrize(
    ("degrees", "hanging"), [(44, True), (46, False), (-44, True), (180, False)]
)
def test_what_hangs_down(degrees, hanging):
    points = make_hand({}, "vertical_down")[:, :2] @ [[1, 0], [0, 1]]
    turn = cmath.exp(1j * (math.radians(degrees) - cmath.phase(complex(*points[9])) + math.pi / 2))
    turned = (points[:, 0] + 1j * points[:, 1]) * turn
    assert is_hanging(np.stack([turned.real, turned.imag], axis=1)) == hanging


def test_labels_of_a_clip_last(shared):
    """Letters of a sign language, by the landmarks of another implementation."""
    folder = shared / "images" / "webcam" / "reference-outputs"
    frames = np.array(json.loads((folder / "asl_hand_3d.full.json").read_text()))
    recognizer, labels = GestureRecognizer(), []
    for points in frames.reshape(-1, 21, 3):
        found = recognizer.recognize([as_hand(points)])
        labels.append(found[0]["label"] if found else None)
    runs = [len(list(same)) for _, same in itertools.groupby(labels)]
    assert len(labels) == 325
    assert len(runs) <= 20 and sum(run <= 2 for run in runs) <= 10  # 31 and 15 without margins
