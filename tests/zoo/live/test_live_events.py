"""Events of hands, faces and bodies on given paths: the same ones at any frame rate."""

import math
from itertools import groupby

import numpy as np
import pytest

import zoo
from tests.zoo.live.event_motions import (
    FIST,
    OPEN,
    PALM,
    POINTING,
    RATES,
    body_at,
    body_events,
    bump,
    circling,
    events_of,
    face_at,
    face_events,
    hand_at,
    hand_events,
    names_of,
    path_through,
    times_of,
    two_hands,
    waving,
)
from tests.zoo.tasks.gesture_hands import as_hand, make_hand
from zoo.live.events import LabelFilter, finder_for, labels_of
from zoo.shared.skeletons import BODY_17, BODY_33

pytestmark = [pytest.mark.parametrize("seed", [0]), pytest.mark.sweep("whole")]
at_all_rates = pytest.mark.parametrize("rate", RATES)


# Labels


def filtered(labels, times, **options):
    stable = LabelFilter(**options)
    found = [
        stable.update([1], [label], [score], time)[0]
        for (label, score), time in zip(labels, times, strict=True)
    ]
    return [label and label.label for label in found]


def runs(labels, times):
    """Label, first and last time of each run."""
    pairs = list(zip(labels, times, strict=True))
    grouped = [(label, list(of)) for label, of in groupby(pairs, key=lambda pair: pair[0])]
    return [(label, of[0][1], of[-1][1]) for label, of in grouped]


@at_all_rates
def test_a_label_with_a_fifth_of_other_frames_is_one_run(rate, seed):
    rng = np.random.default_rng(seed)
    times = times_of(rate, 6, seed).tolist()
    others = [("fist", 0.95), (None, 0.0), ("rock", 0.5)]
    shown = [
        others[rng.integers(3)] if rng.random() < 0.2 and 1 < time < 5 else ("palm", 0.95)
        for time in times
    ]
    found = runs(filtered(shown, times), times)
    assert [label for label, _, _ in found] == [None, "palm"]
    assert found[1][1] <= 0.15 + 0.1


@at_all_rates
def test_labels_and_gaps_last_as_long_as_a_label_needs_to_start(rate, seed):
    rng = np.random.default_rng(seed)
    times = times_of(rate, 20, seed).tolist()
    shown = [([None, "palm", "fist"][rng.integers(3)], 0.9) for _ in times]
    found = runs(filtered(shown, times), times)
    for (_, start, _), (_, end, _) in zip(found[1:-1], found[2:], strict=True):
        assert end - start >= 0.15 - 1e-6


def test_one_frame_is_never_enough(seed):
    times = [0.0, 0.9, 1.8, 2.7]
    assert filtered([("palm", 1.0), (None, 0), ("fist", 1.0), (None, 0)], times) == [None] * 4


def test_a_label_stays_with_a_lower_score_than_it_starts_with(seed):
    times = (np.arange(60) / 20).tolist()
    scores = [0.8] * 20 + [0.9] * 10 + [0.8] * 20 + [0.7] * 10
    found = runs(filtered([("palm", score) for score in scores], times), times)
    assert [label for label, _, _ in found] == [None, "palm", None]
    assert found[1][1] == pytest.approx(1.15) and found[2][1] == pytest.approx(2.75)


def test_a_label_replaces_another_one_without_a_gap(seed):
    times = (np.arange(40) / 20).tolist()
    found = filtered([("palm" if t < 1 else "fist", 0.9) for t in times], times)
    assert [label for label, _, _ in runs(found, times)] == [None, "palm", "fist"]


def test_items_have_labels_of_their_own_and_are_forgotten(seed):
    stable = LabelFilter()
    for time in (0.0, 0.1, 0.2):
        both = stable.update([1, 2], ["palm", "fist"], [0.9, 0.9], time)
    assert [label.label for label in both] == ["palm", "fist"]
    assert stable.update([2], ["fist"], [0.9], 0.3)[0].label == "fist"
    assert stable.update([1], ["palm"], [0.9], 1.3) == [None]
    assert stable.update([2], ["fist"], [0.9], 0.0) == [None], "the time went back"


# Gestures as events


def gesture_events(shown, rate, seed):
    """Events of a hand that shows the labels of (until, label or "hidden")."""
    finder, stable = finder_for("hand"), LabelFilter()
    events = []
    for time in times_of(rate, shown[-1][0], seed).tolist():
        label = next(label for until, label in shown if time < until)
        ids = [] if label == "hidden" else [3]
        found = stable.update(ids, [label] * len(ids), [0.95] * len(ids), time)
        labels = [f and f.label for f in found]
        hands = [hand_at(200, 200, handedness="left") for _ in ids]
        events += finder.update(hands, ids, time, labels)[0]
    return [e for e in events if e["label"] != "pinch"], finder


@at_all_rates
def test_gestures_start_are_held_and_end(rate, seed):
    shown = [(0.5, None), (2.5, "victory"), (3.5, None), (5.0, "rock"), (6.0, None)]
    events, _ = gesture_events(shown, rate, seed)
    kinds = [(e["type"], e["label"]) for e in events if e["type"] != "held"]
    labels = ("victory", "rock")
    assert kinds == [(kind, label) for label in labels for kind in ("started", "ended")]
    held = [e["seconds"] for e in events if e["type"] == "held" and e["label"] == "victory"]
    assert held == pytest.approx([0.5, 1.0, 1.5, 2.0][: len(held)], abs=0.11) and len(held) >= 3
    first, last = (next(e for e in events if e["type"] == kind) for kind in ("started", "ended"))
    assert 0.65 - 1e-6 <= first["time"] <= 0.9 and 2.7 <= last["time"] <= 2.95
    assert last["seconds"] == pytest.approx(last["time"] - first["time"])
    assert {e["id"] for e in events} == {3} and {e["handedness"] for e in events} == {"left"}


@at_all_rates
def test_a_gesture_outlasts_a_short_gap_and_ends_with_its_hand(rate, seed):
    shown = [(1.0, "rock"), (1.15, "hidden"), (2.0, "rock"), (4.0, "hidden")]
    events, _ = gesture_events(shown, rate, seed)
    assert [e["type"] for e in events if e["type"] != "held"] == ["started", "ended"]
    assert 2.2 <= events[-1]["time"] <= 2.45


def test_the_end_of_a_stream_ends_what_lasts(seed):
    _, finder = gesture_events([(1.0, "rock")], 25, seed)
    (ended,) = finder.finish()
    assert (ended["type"], ended["label"], ended["handedness"]) == ("ended", "rock", "left")
    assert finder.finish() == []


def test_going_back_in_time_begins_anew(seed):
    _, finder = gesture_events([(1.0, "rock")], 25, seed)
    assert finder.update([hand_at(0, 0)], [3], 0.0, ["rock"])[0][0]["type"] == "started"


# Movements of hands


@at_all_rates
@pytest.mark.parametrize("scale", [0.6, 2.0])
@pytest.mark.parametrize(
    ("side", "way"), [("left", (-3, 0)), ("right", (3, 0.5)), ("up", (0.4, -3)), ("down", (0, 3))]
)
def test_a_swipe_is_one_event_and_its_way_back_none(side, way, scale, rate, seed):
    path = path_through((0.5, 0, 0), (0.85, *way), (1.4, *way), (2.0, 0, 0))
    events = hand_events(path, 3, rate, seed=seed, scale=scale)
    assert names_of(events) == [f"swipe_{side}"]
    assert 0.8 <= next(e["time"] for e in events if e["type"] == "happened") <= 1.35


@at_all_rates
def test_swipes_to_the_same_side_again_and_again_are_counted(rate, seed):
    stops = [(0.5, 0, 0)]
    for k in range(3):
        start = 0.5 + 1.8 * k
        stops += [
            (start + 0.35, 3, 0),
            (start + 0.8, 3, 0),
            (start + 1.3, 0, 0),
            (start + 1.8, 0, 0),
        ]
    events = hand_events(path_through(*stops), 6.5, rate, seed=seed)
    assert names_of(events) == ["swipe_right"] * 3


@at_all_rates
@pytest.mark.parametrize(
    "stops",
    [
        pytest.param([(0.5, 0, 0), (2.5, 5, 0), (4.5, 0, 3)], id="a slow drift"),
        pytest.param([(0.5, 0, 0), (0.7, 0.9, 0), (1.5, 0.9, 0)], id="a short jerk"),
        pytest.param([(0.5, 0, 0), (0.9, 2.6, 2.4), (1.5, 2.6, 2.4)], id="a diagonal"),
        pytest.param([(0.0, 0, 4), (0.35, 0, 0), (2.0, 0, 0)], id="coming into view"),
        pytest.param([(1.0, 0, 0), (1.35, 0, 4)], id="leaving"),
        pytest.param(
            [(0.5, 0, 0), (0.8, 3, 0), (1.1, 0, 0), (1.4, 3, 0), (3.0, 3, 0)], id="there and back"
        ),
    ],
)
def test_other_movements_are_no_swipes(stops, rate, seed):
    seconds = 1.2 if len(stops) == 2 else 5
    assert names_of(hand_events(path_through(*stops), seconds, rate, seed=seed)) == []


@at_all_rates
@pytest.mark.parametrize("speed", [0.0, 0.8, 1.4])
def test_hands_of_people_who_walk_do_nothing(speed, rate, seed):
    """Arms swing by 20 cm and 20 degrees to each side, also of somebody who waits."""
    rng, frames = np.random.default_rng(seed), []
    for time in times_of(rate, 4, seed).tolist():
        swing = math.sin(2 * math.pi * 0.9 * time)
        x, y = (PALM / 0.095 * metres for metres in (speed * time + 0.2 * swing, 0.03 * swing**2))
        points = make_hand(OPEN, "vertical_down") + rng.normal(0, 0.5, (21, 3))
        turn = np.exp(-1j * math.radians(20) * swing) * (points[:, 0] + 1j * points[:, 1])
        points[:, :2] = np.column_stack([300 + x + turn.real, 300 + y + turn.imag])
        frames.append((time, [as_hand(points)], [1]))
    assert names_of(events_of("hand", frames)[0]) == []


@at_all_rates
def test_a_still_hand_with_noise_does_nothing(rate, seed):
    assert hand_events(lambda time: (0, 0), 10, rate, noise=2.0, seed=seed) == []


@at_all_rates
@pytest.mark.parametrize(("amplitude", "period"), [(1.2, 0.7), (2.6, 0.6), (0.8, 0.5)])
def test_a_wave_is_one_event(amplitude, period, rate, seed):
    events = hand_events(waving(amplitude, period, 8), 4.5, rate, seed=seed)
    assert names_of(events) == ["wave"]


@at_all_rates
def test_what_is_no_wave(rate, seed):
    assert names_of(hand_events(waving(1.2, 0.7, 3), 3, rate, seed=seed)) == [], "one and a half"
    assert names_of(hand_events(waving(1.2, 0.7, 8), 4, rate, bends=FIST, seed=seed)) == []
    assert names_of(hand_events(waving(1.2, 2.4, 8), 9, rate, seed=seed)) == [], "too slow"
    up = waving(1.2, 0.7, 8)
    nodding = hand_events(lambda time: up(time)[::-1], 4, rate, seed=seed)
    assert names_of(nodding) == []


@at_all_rates
@pytest.mark.parametrize("clockwise", [True, False])
@pytest.mark.parametrize(("radius", "period"), [(0.7, 0.9), (1.5, 1.6)])
def test_a_circle_has_a_direction(radius, period, clockwise, rate, seed):
    path = circling(radius, period, 1, clockwise)
    events = hand_events(path, period + 1, rate, bends=POINTING, seed=seed)
    assert names_of(events) == ["circle"]
    direction = "clockwise" if clockwise else "counterclockwise"
    assert [e["direction"] for e in events] == [direction]


@at_all_rates
def test_each_turn_is_a_circle_and_half_a_turn_is_none(rate, seed):
    events = hand_events(circling(1.0, 1.0, 3), 4, rate, bends=POINTING, seed=seed)
    assert names_of(events) == ["circle"] * 3
    assert names_of(hand_events(circling(1.0, 1.0, 0.6), 3, rate, bends=POINTING, seed=seed)) == []


@at_all_rates
@pytest.mark.parametrize("hidden", [0.0, 1.0])
def test_claps_of_two_hands(hidden, rate, seed):
    claps = [0.8, 1.5, 2.2]

    def gap(time):
        return 3.0 - 2.5 * max(bump(time, clap - 0.25, 0.5) for clap in claps)

    frames = two_hands(gap, 3, rate, hidden=hidden, seed=seed)
    events = [e for e in events_of("hand", frames)[0] if e["type"] == "happened"]
    assert names_of(events) == ["clap"] * 3, "nor does it wave"
    assert [e["time"] for e in events] == pytest.approx(claps, abs=0.2)
    assert {(e["id"], e["other_id"], e["handedness"]) for e in events} == {(4, 9, "right")}


@at_all_rates
def test_hands_that_meet_slowly_do_not_clap(rate, seed):
    gap = path_through((0.5, 4), (2.5, 0.6), (4.0, 4))
    frames = two_hands(lambda time: gap(time)[0], 4.5, rate, seed=seed)
    assert names_of(events_of("hand", frames)[0]) == []


# States of hands


def pinching(distance, noise=0.3, rng=None):
    hand = hand_at(200, 200, {"index": 60}, noise=noise, rng=rng)
    thumb, index = (hand["keypoints"][k]["position"] for k in (4, 8))
    thumb |= {"x": index["x"] + distance * PALM, "y": index["y"], "z": index["z"]}
    return hand


@at_all_rates
def test_a_pinch_starts_and_ends_with_hysteresis(rate, seed):
    rng = np.random.default_rng(seed)
    distance = path_through(
        (0.5, 1.2), (1.0, 0.15), (2.0, 0.15), (2.5, 0.42), (3.5, 0.42), (4.0, 1.2)
    )
    times = times_of(rate, 5, seed).tolist()
    frames = [(time, [pinching(distance(time)[0], rng=rng)], [1]) for time in times]
    events, values = events_of("hand", frames)
    assert [e["type"] for e in events if e["type"] != "held"] == ["started", "ended"]
    pinches = [value[0]["pinch"] for value in values]
    assert min(pinches) == 0 and max(pinches) == 1
    assert pinches[-1] == 0 and any(0.3 < pinch < 0.7 for pinch in pinches)


def test_a_fist_is_no_pinch(seed):
    assert hand_events(lambda time: (0, 0), 3, 25, bends=FIST, seed=seed) == []


def test_pinches_are_measured_in_space(seed):
    hand = pinching(0.1, noise=0)
    world = [{"part": p["part"], "position": dict(p["position"])} for p in hand["keypoints"]]
    world[4]["position"]["z"] += 2 * PALM
    _, (value,) = finder_for("hand").update([{**hand, "world": world}], [1], 0.0)
    assert value["pinch"] == 0


@pytest.mark.parametrize(
    ("turn", "direction"), [(0, "up"), (90, "right"), (180, "down"), (-70, "left"), (30, "up")]
)
def test_a_pointing_finger_has_a_direction(turn, direction, seed):
    hand = hand_at(200, 200, POINTING)
    angle = math.radians(turn)
    for point in hand["keypoints"]:
        x, y = point["position"]["x"] - 200, point["position"]["y"] - 200
        point["position"]["x"] = 200 + x * math.cos(angle) - y * math.sin(angle)
        point["position"]["y"] = 200 + x * math.sin(angle) + y * math.cos(angle)
    _, (value,) = finder_for("hand").update([hand], [1], 0.0)
    pointing = value["pointing"]
    assert pointing["direction"] == direction
    assert math.hypot(pointing["x"], pointing["y"]) == pytest.approx(1)
    assert pointing["x"] == pytest.approx(math.sin(angle), abs=1e-6)


def test_an_open_hand_does_not_point(seed):
    _, (value,) = finder_for("hand").update([hand_at(200, 200)], [1], 0.0)
    assert value.keys() == {"pinch"}


def test_hands_without_keypoints_have_gestures_only(seed):
    box = {"score": 0.9, "keypoints": [], "handedness": "left"}
    finder = finder_for("hand")
    events, values = finder.update([box], [1], 0.0, ["open"])
    assert [e["type"] for e in events] == ["started"] and values == [{}]


# Faces


@at_all_rates
@pytest.mark.parametrize(
    ("seen", "usual", "seconds"),
    [
        pytest.param("openness", 0.25, 0.3, id="by the mesh"),
        pytest.param("lids", 0.2, 0.35, id="by the iris network alone"),
    ],
)
def test_blinks_are_found(seen, usual, seconds, rate, seed):
    blinks = [1.0, 2.5, 4.0]

    def motion(time):
        return {seen: usual - 0.125 * max(bump(time, b, seconds) for b in blinks)}

    events = face_events(motion, 5, rate, seed=seed)
    assert names_of(events) == ["blink"] * 3
    assert [e["time"] for e in events] == pytest.approx([b + 0.3 for b in blinks], abs=0.2)


@at_all_rates
@pytest.mark.parametrize(
    "motion",
    [
        pytest.param(lambda t: {"lids": 0.2}, id="lids that tremble"),
        pytest.param(lambda t: {"lids": 0.2 - 0.12 * (1 < t < 3)}, id="lids that are shut"),
        pytest.param(lambda t: {"yaw": 45 * bump(t, 1, 0.8)}, id="a turn of the head"),
        pytest.param(
            lambda t: {"yaw": 30 * bump(t, 1, 0.6), "openness": 0.25 - 0.1 * bump(t, 1, 0.6)},
            id="a turn in which lids seem to close",
        ),
        pytest.param(
            lambda t: {"openness": 0.25 - 0.13 * (1 < t < 3)}, id="eyes that are shut for a while"
        ),
        pytest.param(lambda t: {"openness": 0.25 - 0.1 * min(t / 5, 1)}, id="eyes that grow tired"),
    ],
)
def test_what_is_no_blink(motion, rate, seed):
    assert "blink" not in names_of(face_events(motion, 5, rate, seed=seed))


@at_all_rates
def test_an_open_mouth_is_a_state_with_a_value(rate, seed):
    def motion(time):
        return {"mouth": 0.5 if 1 < time < 3 else 0.05 + 0.25 * bump(time, 3.5, 1)}

    events = face_events(motion, 5, rate, seed=seed)
    assert [e["type"] for e in events if e["type"] != "held"] == ["started", "ended"]
    assert events[-1]["seconds"] == pytest.approx(2.1, abs=0.25)
    _, (value,) = finder_for("face").update([face_at(mouth=0.3)], [1], 0.0)
    assert value["mouth_open"] == pytest.approx(0.5)


@at_all_rates
@pytest.mark.parametrize(
    "more",
    [
        pytest.param({}, id="teeth"),
        pytest.param({"mouth": 0.5}, id="a laugh"),
        pytest.param({"yaw": 40.0}, id="turned to a side"),
        pytest.param({"yaw": -40.0, "pitch": 12.0}, id="turned and bent"),
    ],
)
def test_a_smile_is_one_state_with_hysteresis(more, rate, seed):
    smile = path_through((1.0, 0), (1.2, 0.055), (2, 0.055), (2.2, 0.022), (4, 0.022), (4.2, 0))
    events = face_events(lambda t: {"smile": smile(t)[0], **more}, 6, rate, noise=0.05, seed=seed)
    smiles = [e for e in events if e["label"] == "smile"]
    assert [e["type"] for e in smiles if e["type"] != "held"] == ["started", "ended"]
    assert len(smiles) >= 6, "held each half second"
    assert 1.1 <= smiles[0]["time"] <= 1.6 and 4.0 <= smiles[-1]["time"] <= 4.7


@at_all_rates
@pytest.mark.parametrize(
    "motion",
    [
        pytest.param(lambda t: {"smile": 0.012}, id="corners that are always lifted"),
        pytest.param(lambda t: {"smile": -0.03 * (t > 2)}, id="corners that hang"),
        pytest.param(lambda t: {"mouth": 0.3 + 0.28 * math.sin(9 * t)}, id="speaking"),
        pytest.param(lambda t: {"mouth": 0.6 * (1 < t < 4)}, id="a mouth that is held open"),
        pytest.param(lambda t: {"yaw": 50 * math.sin(2 * t)}, id="looking from side to side"),
        pytest.param(lambda t: {"pitch": 25 * math.sin(3 * t)}, id="looking up and down"),
        pytest.param(lambda t: {"smile": 0.06 * bump(t, 2, 0.16)}, id="one frame or two"),
    ],
)
def test_what_is_no_smile(motion, rate, seed):
    events = face_events(motion, 5, rate, noise=0.05, seed=seed)
    assert "smile" not in {event["label"] for event in events}


def test_a_smile_has_a_value_and_needs_no_face_before(seed):
    finder = finder_for("face")
    broad = [finder.update([face_at(smile=0.06)], [1], time) for time in (0.0, 0.1, 0.2)]
    assert broad[0][1][0]["smile"] == pytest.approx(1.0, abs=0.05)
    assert [e["label"] for events, _ in broad for e in events] == ["smile"]
    _, (value,) = finder_for("face").update([face_at(smile=0.03)], [1], 0.0)
    assert value["smile"] == pytest.approx(0.5, abs=0.05)


def test_two_faces_smile_by_themselves(seed):
    frames = [
        (t, [face_at(smile=0.05 * (t > 1)), face_at(smile=0.05 * (t > 2))], [1, 2])
        for t in times_of(25, 3, seed).tolist()
    ]
    started = [e for e in events_of("face", frames)[0] if e["type"] == "started"]
    assert [e["id"] for e in started] == [1, 2]
    assert started[1]["time"] - started[0]["time"] == pytest.approx(1.0, abs=0.1)


@pytest.mark.parametrize(
    ("name", "smiles"),
    [
        ("portrait.jpg", [True]),
        ("three_people.jpg", [False, True, True]),
        ("coral_grace_hopper.jpg", [False]),
        ("coco_000000000294.jpg", [False]),
        ("coco_000000000459.jpg", [False]),
        ("coco_000000001296.jpg", [False]),
        ("gesture_call_2.jpg", [False]),
    ],
)
def test_smiles_of_faces_in_images(name, smiles, shared, monkeypatch, seed):
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
    image = zoo.read_image(shared / "images" / "photos" / name)
    faces = [f for f in zoo.estimate_faces(image, max_faces=5) if f["box"]["width"] > 40]
    finder, ids = finder_for("face"), list(range(len(faces)))
    events = [finder.update(faces, ids, time)[0] for time in (0.0, 0.1, 0.2)]
    smiling = {e["id"] for found in events for e in found if e["label"] == "smile"}
    assert sorted(number in smiling for number in ids) == smiles


@at_all_rates
@pytest.mark.parametrize(("axis", "label"), [("pitch", "nod"), ("yaw", "head_shake")])
def test_nods_and_shakes(axis, label, rate, seed):
    def motion(time):
        return {axis: 18 * math.sin(2 * math.pi * 1.6 * (time - 1)) if 1 < time < 2.5 else 0.0}

    assert names_of(face_events(motion, 4, rate, seed=seed)) == [label]


@at_all_rates
@pytest.mark.parametrize("axis", ["pitch", "yaw"])
def test_looking_aside_and_back_is_neither(axis, rate, seed):
    turned = path_through((1, 0), (1.4, 25), (2.0, 25), (2.4, 0), (6, 0))
    assert names_of(face_events(lambda t: {axis: turned(t)[0]}, 4, rate, seed=seed)) == []


# Bodies


@at_all_rates
@pytest.mark.parametrize(("names", "scale"), [(BODY_17, 60), (BODY_33, 300)])
def test_squats_are_counted_at_any_distance(names, scale, rate, seed):
    def motion(time):
        return {"knees": 85 * max(bump(time, s, 1.6) for s in (0.6, 2.6)), "scale": scale}

    events = body_events(motion, 5, rate, seed=seed, names=names, noise=scale / 200)
    assert names_of(events) == ["squat", "squat"]
    assert [e["count"] for e in events] == [1, 2]


@at_all_rates
@pytest.mark.parametrize(
    "motion",
    [
        pytest.param(lambda t: {"steps": 110 * math.sin(7 * t), "x": 100 + 60 * t}, id="walking"),
        pytest.param(lambda t: {"scale": 150 + 40 * t}, id="coming nearer"),
        pytest.param(lambda t: {"knees": 30 * bump(t, 1, 1)}, id="bending the knees a little"),
        pytest.param(lambda t: {"knees": 85 * min(max(t - 1, 0), 1)}, id="sitting down"),
    ],
)
def test_what_is_no_squat_and_no_jump(motion, rate, seed):
    assert names_of(body_events(motion, 5, rate, seed=seed)) == []


@at_all_rates
def test_jumps_are_counted(rate, seed):
    def motion(time):
        flights = [max(1 - ((time - t) / 0.25) ** 2, 0) for t in (1.0, 1.8, 3.2)]
        return {"lift": 0.3 * max(flights)}

    events = body_events(motion, 4, rate, seed=seed)
    assert [(e["label"], e["count"]) for e in events] == [("jump", 1), ("jump", 2), ("jump", 3)]


@at_all_rates
def test_jumping_jacks_are_counted_and_arms_are_raised(rate, seed):
    def motion(time):
        opened = max(bump(time, s, 1.0) for s in (0.5, 1.5, 2.5))
        return {"spread": 0.12 + 0.35 * opened, "arms": -0.55 + 1.1 * opened}

    events = body_events(motion, 4, rate, seed=seed)
    assert [e["count"] for e in events if e["label"] == "jumping_jack"] == [1, 2, 3]
    assert {e["label"] for e in events} == {"jumping_jack", "arms_raised"}


def test_legs_that_are_not_seen_do_nothing(seed):
    def motion(time):
        return {"knees": 85 * bump(time, 1, 1.6)}

    rng = np.random.default_rng(seed)
    frames = []
    for time in times_of(25, 3).tolist():
        body = body_at(**motion(time), noise=1, rng=rng)
        for point in body["keypoints"]:
            if "ankle" in point["part"]:
                point["visibility"] = 0.1
        frames.append((time, [body], [1]))
    assert events_of("pose", frames)[0] == []


# All kinds


def test_the_same_frames_give_the_same_events(seed):
    path = circling(1.5, 0.8, 2)
    assert hand_events(path, 3, None, seed=seed) == hand_events(path, 3, None, seed=seed)


def test_every_label_of_a_kind_is_unique(seed):
    for kind in ("hand", "face", "pose"):
        labels = labels_of(kind, lasts=True) + labels_of(kind, lasts=False)
        assert len(labels) == len(set(labels)) >= 4
    assert finder_for("segmentation") is None


def test_items_that_are_gone_are_forgotten(seed):
    finder, stable = finder_for("hand"), LabelFilter()
    path = waving(1.5, 0.6, 10_000)
    for number in range(2000):
        time = number / 25
        ids = [number // 20, number // 20 + 1]
        hands = [hand_at(300 + 40 * path(time)[0] + 200 * k, 200) for k in range(2)]
        labels = stable.update(ids, ["open_palm"] * 2, [1.0] * 2, time)
        finder.update(hands, ids, time, [label and label.label for label in labels])
    assert len(finder._items) <= 4 and len(stable._items) <= 4
    assert all(len(pair._pairs) <= 2 for pair in finder._pairs)
    assert len(finder.finish()) == 2
