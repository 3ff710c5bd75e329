"""Sessions and `zoo.watch`: what is followed, steadied and found from frame to frame."""

import gc
import itertools
import json
import mmap
import threading
from pathlib import Path

import numpy as np
import pytest

import core
import zoo
from zoo import ZooError
from zoo.live.session import Session
from zoo.live.watching import session_for
from zoo.pipeline.following import SEARCH_INTERVAL, Search, new_regions
from zoo.pipeline.mirroring import flipped_result
from zoo.shared.placement import Region
from zoo.shared.skeletons import read_positions
from zoo.tasks.task_verbs import image_tasks

ASTRONAUT = "gallery/one_line_pose/astronaut.jpg"


@pytest.fixture(scope="module")
def load(shared):
    """Models by name, loaded once."""
    kept = {}

    def of_name(name):
        if name not in kept:
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
                kept[name] = load_whole(zoo.load(name))
        return kept[name]

    return of_name


def load_whole(model):
    """Load the parts of a model as well."""
    for role in {"detector", "iris"} & model.entry.parts.keys():
        load_whole(model.part(role))
    return model


@pytest.fixture(scope="module")
def astronaut():
    return zoo.read_image(ASTRONAUT)


def clip(shared, name, stop=None, stride=1):
    names = {
        "hand": "tfjs-models_asl_hand.25fps.mp4",
        "squats": "tfjs-models_pose_squats.mp4",
        "yoga": "pexels_yoga.mp4",
    }
    return zoo.frames(shared / "images/webcam" / names[name], stop=stop, stride=stride)


def flat(item):
    return np.array([[p["position"]["x"], p["position"]["y"]] for p in item["keypoints"]])


def counted(model, method="find"):
    """Count the calls of a detector."""
    calls = []
    original = getattr(model, method)

    def call(*arguments, **options):
        calls.append(None)
        return original(*arguments, **options)

    return call, calls


# --- sessions of the bundled model ------------------------------------------------------------


def test_the_first_moment_is_the_verbs_result(astronaut):
    model = zoo.load("posenet.tiny")
    moment = model.session("estimate_multiple_poses")(astronaut, 3.0)
    assert moment["result"] == model.estimate_multiple_poses(astronaut)
    assert (moment["index"], moment["time"], moment["ids"], moment["events"]) == (0, 3.0, [1], [])
    assert np.array_equal(moment["frame"], astronaut)
    assert moment["milliseconds"] > 0 and moment["fps"] == 0.0


def test_one_pose_has_one_id_or_none(astronaut):
    session = zoo.load("posenet.tiny").session("estimate_single_pose")
    assert session(astronaut, 0.0)["ids"] == [1]
    nobody = session(np.zeros_like(astronaut), 0.04)
    assert nobody["ids"] == [] and nobody["result"] == {"score": 0.0, "keypoints": []}
    assert session(astronaut, 0.5)["ids"] == [1]


def test_without_smoothing_results_are_those_of_still_images(astronaut):
    model = zoo.load("posenet.tiny")
    session = model.session("estimate_multiple_poses", smooth=False)
    for i in range(4):
        shown = np.roll(astronaut, 9 * i, axis=1)
        assert session(shown, i / 25)["result"] == model.estimate_multiple_poses(shown)


def test_mirrored_frames_have_the_real_left_and_right(astronaut):
    model = zoo.load("posenet.tiny")
    [plain] = model.session("estimate_multiple_poses")(astronaut, 0.0)["result"]
    flipped = np.ascontiguousarray(astronaut[:, ::-1])
    frame = zoo.Frame(flipped, 12, 4.0, mirrored=True)
    moment = model.session("estimate_multiple_poses")(frame)
    assert (moment["index"], moment["time"]) == (12, 4.0)
    assert np.array_equal(moment["frame"], flipped)
    points = flat(moment["result"][0])
    np.testing.assert_allclose(points[:, 0], astronaut.shape[1] - flat(plain)[:, 0], atol=0.01)
    assert [p["part"] for p in moment["result"][0]["keypoints"]] == [
        p["part"] for p in plain["keypoints"]
    ]


@pytest.mark.parametrize(
    ("time", "words"),
    [
        (0.0, "time=0 s is not later than 0 s"),
        (-1.0, "is not later than"),
        (float("nan"), "finite number of seconds"),
        ("now", "must be a number of seconds"),
        (True, "must be a number of seconds"),
    ],
)
def test_times_must_grow(astronaut, time, words):
    session = zoo.load("posenet.tiny").session()
    session(astronaut, 0.0)
    with pytest.raises(ZooError, match=words):
        session(astronaut, time)


def test_times_are_those_of_the_clock_by_default(astronaut):
    session = zoo.load("posenet.tiny").session()
    times = [session(astronaut)["time"] for _ in range(3)]
    assert times[0] == 0.0 < times[1] < times[2] < 60


def test_reset_begins_a_new_stream(astronaut):
    session = zoo.load("posenet.tiny").session("estimate_multiple_poses")
    session(astronaut, 5.0)
    session.reset()
    moment = session(astronaut, 0.0)
    assert (moment["index"], moment["ids"]) == (0, [1])


def test_frames_may_change_their_size(astronaut):
    session = zoo.load("posenet.tiny").session("estimate_multiple_poses")
    session(astronaut, 0.0)
    small = session(np.ascontiguousarray(astronaut[::2, ::2]), 0.1)
    assert len(small["result"]) == 1 and small["frame"].shape == (256, 256, 3)


def test_a_closed_model_ends_its_sessions(astronaut):
    model = zoo.load("posenet.tiny")
    session = model.session()
    model.close()
    with pytest.raises(ZooError, match=r"the model posenet\.tiny is closed"):
        session(astronaut, 0.0)


def test_errors_name_what_a_session_may_have():
    model = zoo.load("posenet.tiny")
    with pytest.raises(ZooError, match="posenet.tiny cannot classify: it can"):
        model.session("classify")
    with pytest.raises(ZooError, match="did you mean 'max_poses'"):
        model.session("estimate_multiple_poses", max_pose=1)
    with pytest.raises(ZooError, match="unknown task 'poses': did you mean 'pose'"):
        zoo.watch([], "poses")
    with pytest.raises(ZooError, match="unknown option 'max_pose' of watch with 'pose'"):
        zoo.watch([], "pose", max_pose=3)
    with pytest.raises(ZooError, match="smooth=1 must be True or False"):
        zoo.watch([], "pose", smooth=1)
    with pytest.raises(ZooError, match="is no task"):
        zoo.watch([], 7)


def test_every_task_has_a_session_for_its_function():
    tasks = image_tasks()
    assert {"pose", "hands", "gestures", "faces"} <= tasks.keys()
    assert all(callable(getattr(zoo, verb)) for verb in tasks.values())


def test_watch_gives_each_frame_of_a_source(astronaut):
    shown = zoo.watch([(astronaut, 0.0), (astronaut, 0.5)], "pose")
    moments = list(shown)
    assert [(m["index"], m["time"], m["ids"]) for m in moments] == [(0, 0.0, [1]), (1, 0.5, [1])]
    assert list(shown) == [] and shown.last_events == []


def test_watch_takes_a_loaded_model(astronaut):
    model = zoo.load("posenet.tiny")
    [moment] = zoo.watch([astronaut], model, max_poses=1)
    assert isinstance(moment["result"], list) and len(moment["result"]) == 1
    [moment] = zoo.watch([astronaut], model, verb="estimate_single_pose")
    assert moment["result"]["score"] > 0.3


def test_watch_closes_its_source_when_something_fails():
    closed = []

    def source():
        try:
            yield np.zeros((32, 32, 3), np.uint8)
            yield "nowhere.jpg"
        finally:
            closed.append(True)

    shown = zoo.watch(source(), "pose")
    next(shown)
    with pytest.raises(ZooError, match="item 1 of the frames is no image"):
        next(shown)
    assert closed == [True]


def many_frames(count):
    """A person who moves about, comes and goes: 25 frames per second."""
    image = zoo.read_image(ASTRONAUT)[::4, ::4]
    shown = [np.ascontiguousarray(np.roll(image, shift, axis=1)) for shift in range(-6, 7, 3)]
    empty = np.zeros_like(image)
    for i in range(count):
        yield empty if i // 40 % 5 == 4 else shown[i % len(shown)]


@pytest.mark.parametrize(
    "count",
    [
        pytest.param(400, id="short"),
        pytest.param(20_000, marks=pytest.mark.long, id="20000"),
        pytest.param(1_000_000, marks=pytest.mark.long, id="1000000"),
    ],
)
def test_long_streams_take_no_more_memory(count):
    """The count of tensors, and in the long runs the memory and the threads of the process, too."""
    session = zoo.load("posenet.tiny", input_size=33).session("estimate_multiple_poses")
    last_index, last_id = -1, 0
    is_long, threads = count > 1000, {*threading.enumerate()}
    for moment in zoo_moments(session, count):
        assert moment["index"] == last_index + 1
        last_index = moment["index"]
        assert moment["time"] == last_index / 25  # no drift
        assert len(set(moment["ids"])) == len(moment["ids"])
        for number in sorted(moment["ids"]):
            assert number <= last_id + 1  # no number is left out
            last_id = max(last_id, number)
        if last_index == count // 4:
            gc.collect()
            base, resident = core.memory(), resident_bytes()
    assert last_index == count - 1
    gc.collect()
    assert core.memory() == base
    if is_long:
        assert resident_bytes() - resident < 4_000_000
        assert len({*threading.enumerate()} - threads) <= 4  # those of the thread pool


def resident_bytes():
    """Memory of this process, as Linux says it; 0 elsewhere."""
    gc.collect()
    facts = Path("/proc/self/statm")
    return int(facts.read_text().split()[1]) * mmap.PAGESIZE if facts.exists() else 0


def zoo_moments(session, count):
    for frame in zoo.frames(many_frames(count), fps=25):
        yield session(frame)


# --- what is followed -------------------------------------------------------------------------


def test_a_detector_looks_for_more_at_intervals():
    search, image = Search(), np.zeros((60, 80, 3), np.uint8)
    assert search.is_due(0.0, 0, 2, image)
    assert search.is_due(0.04, 0, 2, image)  # nothing is known
    assert not search.is_due(0.08, 1, 2, image)
    assert search.is_due(0.04 + SEARCH_INTERVAL, 1, 2, image)
    assert not search.is_due(9.0, 2, 2, image)  # no place is free
    assert search.is_due(9.1, 5, None, image)
    assert not search.is_due_after_loss(9.1)  # the detector has just run
    assert search.is_due_after_loss(9.2)


def looks(frames, fps=25):
    """The times at which a detector looks that finds nothing in any frame."""
    search = Search()
    times = [index / fps for index in range(len(frames))]
    return [t for t, f in zip(times, frames, strict=True) if search.is_due(t, 0, 2, f)]


def room(rng, count):
    """Frames of a room with the noise of a dim webcam, and changing light."""
    image = rng.integers(0, 200, (12, 16, 1)).repeat(10, 0).repeat(10, 1).repeat(3, 2)
    light = 8 * np.sin(np.arange(count) / 9)
    noisy = (image + change + rng.normal(0, 6, image.shape) for change in light)
    return [np.clip(frame, 0, 255).astype(np.uint8) for frame in noisy]


def test_a_detector_that_finds_nothing_looks_rarely(rng):
    found = looks(room(rng, 250))
    assert max(np.diff([*found, 10.0])) <= 0.2 + 1e-9
    assert len(found) <= 250 / 5 + 3


@pytest.mark.parametrize("fps", [10, 24, 25, 30, 60])
def test_what_comes_unseen_is_found_in_a_fifth_of_a_second(rng, fps):
    found = looks(room(rng, 4 * fps), fps)
    assert max(np.diff([*found, 4.0])) <= 0.2 + 1e-9


def test_a_detector_looks_at_once_when_something_moves(rng):
    frames = room(rng, 100)
    quiet = looks(frames)
    for begin in range(60, 68):
        moved = [*frames]
        for index in range(begin, 100):
            moved[index] = frames[index].copy()
            moved[index][40:60, 50 + index - begin : 70 + index - begin] = 255
        assert begin / 25 in looks(moved), f"{quiet} without the movement"


def test_regions_of_known_objects_are_no_new_ones():
    known = [Region(100, 100, 80, 80, 0.3)]
    found = [Region(104, 98, 82, 82, 0.2), Region(180, 100, 80, 80)]
    assert new_regions(found, known) == found[1:]
    assert new_regions(found, []) == found


@pytest.mark.parametrize("name", ["hand", "pose"])
def test_detectors_run_rarely(shared, load, monkeypatch, name):
    if name == "hand":
        model, verb, source = load("hands.lite"), "estimate_hands", clip(shared, "hand", 2.0)
    else:
        model, verb = load("blazepose.lite"), "estimate_multiple_poses"
        source = clip(shared, "yoga", 2.0)
    detector = model.part("detector")
    call, calls = counted(detector)
    monkeypatch.setattr(detector, "find", call)
    session = model.session(verb)
    moments = [session(frame) for frame in source]
    assert [m["ids"] for m in moments] == [[1]] * len(moments) == [[1]] * 50
    assert 4 <= len(calls) <= 6  # two places are free: at the start, then twice a second


def test_no_place_is_free_no_detector_runs(shared, load, monkeypatch):
    model = load("hands.lite")
    detector = model.part("detector")
    call, calls = counted(detector)
    monkeypatch.setattr(detector, "find", call)
    session = model.session(max_hands=1)
    moments = [session(frame) for frame in clip(shared, "hand", 1.0)]
    assert len(calls) == 1 and all(len(m["result"]) == 1 for m in moments)


def test_followed_hands_are_as_near_to_the_reference_as_still_ones(shared, load):
    model = load("hands.lite")
    folder = shared / "images/webcam/reference-outputs"
    expected = np.array(json.loads((folder / "asl_hand.full.json").read_text()))[::4, :, :2]
    session = model.session(smooth=False)
    errors = {"still": [], "followed": []}
    frames = itertools.islice(clip(shared, "hand"), 160)
    for i, frame in enumerate(frames):
        [followed] = session(frame)["result"]
        if i % 4 == 0:
            side = np.ptp(expected[i // 4], axis=0).max()
            [still] = model.estimate_hands(frame)
            for key, hand in (("still", still), ("followed", followed)):
                away = np.hypot(*(flat(hand) - expected[i // 4]).T)
                errors[key].append(100 * np.median(away) / side)
    assert np.median(errors["followed"]) < 1.1 * np.median(errors["still"])
    assert np.median(errors["followed"]) < 2.5  # per cent of the hand


def test_still_hands_are_steady(shared, load, rng):
    """Noise of a camera on a still image moves the joints less than half as much."""
    model = load("hands.lite")
    image = next(clip(shared, "hand")).image[200:900, :]
    found = {True: [], False: []}
    for smooth in found:
        session = model.session(smooth=smooth, max_hands=1)
        noise = np.random.default_rng(5)
        for i in range(45):
            shown = np.clip(image + noise.normal(0, 8, image.shape), 0, 255).astype(np.uint8)
            found[smooth].append(flat(session(shown, i / 25)["result"][0]))
    steady, raw = (np.std(found[smooth][15:], axis=0).mean() for smooth in (True, False))
    assert steady < 0.45 * raw


def test_faces_are_followed_with_all_that_is_asked(load, astronaut):
    session = load("facemesh.base").session(iris=True, max_faces=1)
    for i in range(4):
        moment = session(np.roll(astronaut, 4 * i, axis=1), i / 25)
        [face] = moment["result"]
        assert moment["ids"] == [1] and len(face["keypoints"]) == 468
        assert face["iris"].keys() == {"left", "right"} and face["contours"]
    [still] = load("facemesh.base").estimate_faces(np.roll(astronaut, 12, axis=1))
    assert np.abs(flat(face) - flat(still)).max() < 12


@pytest.mark.parametrize("smooth", [True, False])
def test_mirrored_faces_are_those_of_the_frame(load, astronaut, smooth):
    model, width = load("facemesh.base"), astronaut.shape[1]
    plain, mirrored = (model.session(iris=True, smooth=smooth) for _ in range(2))
    for i in range(4):
        shown = np.roll(astronaut, 4 * i, axis=1)
        [face] = plain(shown, i / 25)["result"]
        seen = zoo.Frame(np.ascontiguousarray(shown[:, ::-1]), i, i / 25, mirrored=True)
        [other] = mirrored(seen)["result"]
        expected = flipped_result(face, width)
        assert [*other] == [*expected]
        for key in ("left", "right"):
            pair = (read_positions(each["iris"][key]) for each in (other, expected))
            np.testing.assert_allclose(*pair, atol=0.01)
        np.testing.assert_allclose(flat(other), flat(expected), atol=0.01)
        assert other["box"] == pytest.approx(expected["box"], abs=0.01)


def test_lost_objects_are_looked_for_at_once(load, astronaut):
    session = load("facemesh.base").session(smooth=False)
    black = np.zeros_like(astronaut)
    ids = [
        session(image, i / 25)["ids"]
        for i, image in enumerate([astronaut, black, astronaut, np.roll(astronaut, 150, axis=1)])
    ]
    assert [len(found) for found in ids] == [1, 0, 1, 1]
    assert ids[0] == ids[2]


def test_movenet_follows_with_one_run_for_each_frame(shared, load, monkeypatch):
    model = load("movenet.lightning")
    calls = []
    original = model.bodies_in
    monkeypatch.setattr(model, "bodies_in", lambda *a: calls.append(len(a[1])) or original(*a))
    session = model.session("estimate_single_pose")
    for frame in clip(shared, "yoga", 0.4):
        moment = session(frame)
    assert 5 <= len(calls) < 10 and set(calls) == {1}  # the others looked at the whole image
    assert moment["result"]["score"] > 0.4


def test_gestures_do_not_flicker(shared, load, monkeypatch):
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
    labels, events = [], []
    for moment in zoo.watch(clip(shared, "hand", 8.0), "gestures"):
        [hand] = moment["hands"]
        assert hand["handedness"] == "right" and len(moment["values"]) == 1
        assert 0 <= moment["values"][0]["pinch"] <= 1
        labels.append(moment["result"][0]["label"] if moment["result"] else None)
        events += moment["events"]
    runs = [(label, len(list(group))) for label, group in itertools.groupby(labels)]
    assert min(length for label, length in runs if label) >= 4
    found = [e["label"] for e in events if e["type"] == "started" and e["label"] != "pinch"]
    assert found == [label for label, _ in runs if label]
    assert {"closed_fist", "pointing_up"} <= set(found)


def test_hands_that_leave_the_picture_keep_their_sides(shared, load):
    hand = zoo.read_image(shared / "images/photos/hand_pakutaso.jpg")[40:430:2, 200:560:2]
    height, width = hand.shape[:2]
    session = load("hands.lite").session(max_hands=2)
    sides = set()
    for k in range(0, 54, 2):
        wide = np.full((360, 200 + 480 + 200, 3), 250, np.uint8)
        left = 200 + 45 - 4 * k  # of the right hand; its mirror image leaves at the other edge
        right = 880 - left - width
        wide[90 : 90 + height, left : left + width] = hand
        wide[90 : 90 + height, right : right + width] = hand[:, ::-1]
        frame = np.ascontiguousarray(wide[:, 200:680])
        moment = session(frame, k / 25)
        found = zip(moment["ids"], moment["result"], strict=True)
        sides |= {(number, each["handedness"]) for number, each in found}
    assert sides == {(1, "right"), (2, "left")}


def test_squats_are_counted(shared, load):
    session = load("blazepose.lite").session("estimate_multiple_poses")
    events = [e for frame in clip(shared, "squats") for e in session(frame)["events"]]
    # She stands up from the third one in the last frame.
    assert [e["count"] for e in events if e["label"] == "squat"] in ([1, 2], [1, 2, 3])


def test_masks_and_labels_of_whole_images(shared, load):
    person = load("selfie.base").session()
    labels = load("mobilenet.v1_025").session(top_k=2)
    for frame in clip(shared, "yoga", 0.2):
        moment = person(frame)
        assert moment["result"].keys() == {"mask", "labels"} and moment["ids"] == []
        assert moment["result"]["mask"].shape == frame.image.shape[:2]
        assert len(labels(frame)["result"]) == 2
    likely = load("selfie.base").session(probability=True)(frame)["result"]
    assert np.array_equal(likely["mask"], likely["probability"] >= 0.5)


def test_sessions_of_one_model_do_not_disturb_each_other(shared, load):
    model = load("hands.lite")
    source = list(clip(shared, "hand", 0.4))
    alone = model.session()
    expected = [alone(frame)["result"] for frame in source]
    one, other = model.session(), model.session()
    black = np.zeros((100, 100, 3), np.uint8)
    for frame, result in zip(source, expected, strict=True):
        assert one(frame)["result"] == result
        assert other(black, frame.time)["result"] == []


def test_sessions_have_the_stages_of_a_frame(shared, load):
    session = session_for(load("hands.lite"))
    assert isinstance(session, Session)
    session(next(clip(shared, "hand")))
    assert session.stages.keys() == {"model", "ids", "smoothing", "events"}


def test_masks_of_poses_are_blended(shared, load):
    frames = [frame.image for frame in clip(shared, "yoga", 0.24)]
    model = load("blazepose.lite")
    session = model.session("estimate_single_pose", segmentation=True)
    for i, image in enumerate(frames):
        mask = session(image, i / 25)["result"]["segmentation"]
    assert mask.keys() == {"mask", "labels"} and mask["mask"].shape == frames[0].shape[:2]
    still = model.estimate_single_pose(frames[-1], segmentation=True)["segmentation"]["mask"]
    shared_pixels = (still & mask["mask"]).sum() / (still | mask["mask"]).sum()
    assert 0.9 < shared_pixels < 1.0


def test_results_without_positions_stay_as_they_are(load, astronaut):
    model = load("mobilenet.v1_025")
    session = model.session(smooth=False)
    assert session(astronaut, 0.0)["result"] == model.classify(astronaut)
    moment = load("selfie.base").session(smooth=False)(astronaut, 0.0)
    assert moment["result"]["mask"].any() and moment["ids"] == [] and moment["values"] == []
