"""What `estimate_hands` and the detectors of hands and palms promise, on photos."""

import json
import math
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import core
import zoo
from core.errors import CoreError
from tests.zoo.tasks.audit import audit
from weights_cache.common.errors import ZooError
from zoo.catalog.entries import find_entry, model_class
from zoo.shared.anchors import Candidates
from zoo.shared.skeletons import HAND_21
from zoo.tasks.hands.landmarks import Hands, choose_hands, hand_region, palm_regions, read_hands
from zoo.tasks.hands.verbs import estimate_hands

DETECTORS = ["palm.lite", "palm.full", "handpose.palm"]
LANDMARKS = ["hands.lite", "hands.lite_tfjs"]
VERBS = [
    *((name, "estimate_hands") for name in [*LANDMARKS, "handtrack.ssd320"]),
    *((name, "detect") for name in [*DETECTORS, "handtrack.ssd320"]),
]


@pytest.fixture(scope="module")
def load(shared):
    """Models by name, loaded once, with their detector."""
    kept = {}

    def of_name(name, **options):
        key = name, *options.items()
        if key not in kept:
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
                kept[key] = zoo.load(name, **options)
                if kept[key].entry.parts:
                    kept[key].part("detector")
        return kept[key]

    return of_name


@pytest.fixture
def mirror(shared, monkeypatch):
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))


@pytest.fixture(scope="module")
def photos(shared):
    return lambda name: zoo.read_image(shared / "images" / "photos" / f"{name}.jpg")


@pytest.fixture(scope="module")
def two_hands(photos):
    """Smaller, so that it is quickly read: the backs of two left hands, one upside down."""
    return np.ascontiguousarray(photos("two_hands")[::2, ::2])


@pytest.fixture(scope="module")
def found(two_hands, load):
    """What hands.lite finds there."""
    return load("hands.lite").estimate_hands(two_hands)


def positions(hand) -> np.ndarray:
    return np.array([[p["position"][axis] for axis in "xyz"] for p in hand["keypoints"]])


def world(hand) -> np.ndarray:
    return np.array([[p["position"][axis] for axis in "xyz"] for p in hand["world"]])


def sides(hands) -> list[str]:
    return [hand["handedness"] for hand in hands]


def flipped(picture: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(picture[:, ::-1])


def test_the_result_is_plain(found):
    assert type(found) is list and len(found) == 2
    for hand in found:
        assert list(hand) == [
            *("score", "keypoints", "box", "handedness", "handedness_score", "world"),
        ]
        assert [p["part"] for p in hand["keypoints"]] == list(HAND_21.names)
        assert [p["part"] for p in hand["world"]] == list(HAND_21.names)
        low, high = positions(hand)[:, :2].min(axis=0), positions(hand)[:, :2].max(axis=0)
        np.testing.assert_allclose(list(hand["box"].values()), [*low, *(high - low)])
        assert {p["score"] for p in hand["keypoints"]} == {hand["score"]}
        assert abs(positions(hand)[0, 2]) < 0.1  # depths count from the wrist
        assert 0.1 < np.ptp(world(hand), axis=0).max() < 0.25  # metres: the span of a hand
    assert json.loads(json.dumps(found)) == found
    assert sides(found) == ["left", "left"]  # backs with the thumb on the right, one upside down


@pytest.mark.parametrize(
    "photo, expected",
    [
        ("hand_pakutaso", ["right"]),  # a palm with the thumb on the right
        ("hand_pakutaso_vsign", ["right"]),
        ("gesture_rock_2", ["right"]),  # of a man who shows his palm from the left edge
        ("portrait", ["right"]),  # on his left arm
        ("three_people", ["left", "right"]),  # raised on the right; there is writing
    ],
)
def test_the_handedness_of_real_people(photo, expected, photos, load):
    assert sides(load("hands.lite").estimate_hands(photos(photo))) == expected


def test_a_man_before_a_mirror(photos, load):
    """He takes his picture with the right hand."""
    model, picture = load("hands.lite"), photos("coco_000000000459")
    assert sides(model.estimate_hands(picture)) == ["left"]
    assert sides(model.estimate_hands(picture, mirror=True)) == ["right"]


@pytest.mark.parametrize("name, verb", VERBS)
def test_mirror(name, verb, photos, load):
    """f(flip(img), mirror=True) is flip(f(img)); names and left and right stay."""
    model, picture = load(name), np.ascontiguousarray(photos("hand_pakutaso")[::2, ::2])
    width = picture.shape[1]
    straight = getattr(model, verb)(picture)
    mirrored = getattr(model, verb)(flipped(picture), mirror=True)
    assert straight
    for one, other in zip(straight, mirrored, strict=True):
        box = one["box"]
        expected = [width - box["x"] - box["width"], box["y"], box["width"], box["height"]]
        np.testing.assert_allclose(list(other["box"].values()), expected, atol=0.01)
        for key in ("label", "handedness", "score"):
            assert one.get(key) == other.get(key)
        for p, q in zip(one.get("keypoints", []), other.get("keypoints", []), strict=True):
            assert p["part"] == q["part"]
            assert q["position"]["x"] == pytest.approx(width - p["position"]["x"], abs=0.01)
            assert q["position"]["y"] == pytest.approx(p["position"]["y"], abs=0.01)
        if "world" in one:
            np.testing.assert_allclose(world(other), world(one) * [-1, 1, 1], atol=1e-5)


@pytest.mark.parametrize("name, verb", VERBS)
def test_batches_equal_single_pictures(name, verb, two_hands, load):
    run = getattr(load(name), verb)
    left = two_hands[:, :190]
    pictures = [left, left[::-1].copy()]
    single = [run(picture) for picture in pictures]
    assert list(run(np.stack(pictures))) == single
    assert next(run(iter(pictures))) == single[0]


@pytest.mark.parametrize("name, verb", VERBS)
def test_empty_scenes(name, verb, photos, load):
    """In a cup of coffee the detectors see something like a palm, the landmarks no hand."""
    run = getattr(load(name), verb)
    assert run(np.zeros((60, 90, 3), np.uint8)) == []
    if name not in DETECTORS:
        assert run(photos("coffee")) == []


@pytest.mark.parametrize("name", LANDMARKS)
def test_hands_in_one_batch_are_as_one_by_one(name, two_hands, load):
    model = load(name)
    regions = palm_regions(load("palm.lite").find(two_hands))
    assert len(regions) == 2
    together = model.look(two_hands, regions)
    for i, region in enumerate(regions):
        alone = model.look(two_hands, [region])
        np.testing.assert_allclose(alone.points[0], together.points[i], atol=0.01)
        np.testing.assert_allclose(alone.world[0], together.world[i], atol=1e-5)
        np.testing.assert_allclose(alone.presence[0], together.presence[i], atol=1e-4)
        np.testing.assert_allclose(alone.right[0], together.right[i], atol=1e-4)


def test_four_hands(two_hands, load):
    """Two of them in a picture of theirs upside down, where left hands are right ones."""
    picture = np.concatenate([two_hands, two_hands[::-1]])
    hands = load("hands.lite").estimate_hands(picture, max_hands=9, refine=False)
    assert sorted(sides(hands)) == ["left", "left", "right", "right"]


@pytest.mark.parametrize("detector", DETECTORS)
def test_every_detector_leads_to_the_same_hands(detector, two_hands, found, load):
    expected = sorted(found, key=lambda h: h["box"]["x"])
    model = load("hands.lite", detector=detector)
    assert model.part("detector").name == detector
    hands = sorted(model.estimate_hands(two_hands), key=lambda h: h["box"]["x"])
    assert sides(hands) == ["left", "left"]
    for one, other in zip(hands, expected, strict=True):
        distances = np.linalg.norm(positions(one)[:, :2] - positions(other)[:, :2], axis=1)
        assert np.median(distances) < 0.02 * other["box"]["height"]


def test_turned_pictures(photos, load):
    """np.rot90 turns to the left: x becomes y, and y what is left of the width."""
    model, picture = load("hands.lite"), np.ascontiguousarray(photos("hand_pakutaso")[:, 200:700])
    (upright,) = model.estimate_hands(picture)
    (turned,) = model.estimate_hands(np.ascontiguousarray(np.rot90(picture)))
    x, y, z = positions(upright).T
    expected = np.stack([y, picture.shape[1] - x, z], axis=1)
    size = max(upright["box"].values())
    assert np.abs(positions(turned) - expected)[:, :2].max() < 0.02 * size
    assert np.abs(positions(turned) - expected)[:, 2].max() < 0.05 * size
    x, y, z = world(upright).T
    assert np.abs(world(turned) - np.stack([y, -x, z], axis=1)).max() < 0.005
    assert turned["handedness"] == upright["handedness"] == "right"


def test_a_second_look_is_steadier(photos, load):
    """Crops of one picture, in which the palm is found in other places of the network's grid."""
    model, picture, several = load("hands.lite"), photos("gesture_rock_2"), {True: [], False: []}
    for left, top in [(0, 90), (10, 120), (37, 101)]:
        crop = np.ascontiguousarray(picture[top:400, left:300])
        for refine, seen in several.items():
            (hand,) = model.estimate_hands(crop, refine=refine)
            seen.append(positions(hand)[:, :2] + [left, top])
    spread = {refine: np.std(seen, axis=0).mean() for refine, seen in several.items()}
    assert spread[True] < spread[False]


def test_limits(two_hands, load):
    model = load("hands.lite")
    both = model.estimate_hands(two_hands, refine=False)
    assert both[0]["score"] >= both[1]["score"]
    assert model.estimate_hands(two_hands, refine=False, max_hands=1) == both[:1]
    assert model.estimate_hands(two_hands, score_threshold=1) == []
    assert model.estimate_hands(two_hands, detector_threshold=1) == []
    palms = load("palm.lite")
    assert len(palms.detect(two_hands)) == 2
    assert len(palms.detect(two_hands, max_detections=1)) == 1
    assert len(palms.detect(two_hands, iou_threshold=1)) > 2


def test_low_thresholds(photos, load):
    """Of what may be hands, a higher score leaves out the end of the list, and nothing else."""
    model, picture = load("hands.lite"), photos("three_people")
    look = partial(model.estimate_hands, picture, detector_threshold=0.02)
    most, before, after = (
        look(max_hands=4, score_threshold=threshold) for threshold in (0, None, 0.9)
    )
    assert len(most) > len(before) > len(after) > 0
    scores = [hand["score"] for hand in most]
    assert scores == sorted(scores, reverse=True)
    assert min(hand["score"] for hand in before) >= 0.5 > scores[-1]
    assert after == [hand for hand in before if hand["score"] >= 0.9]
    audit(most, picture.shape[:2])


def test_only_the_surest_palms_are_looked_at_closely(two_hands, load, monkeypatch):
    """Of thousands that may be some: four for each hand wanted, and 16 at least."""
    model, asked = load("hands.lite"), []
    run_on_regions, find = model.run_on_regions, model.part("detector").find

    def watched(photo, regions):
        asked.append(list(regions))
        return run_on_regions(photo, regions)

    monkeypatch.setattr(model, "run_on_regions", watched)
    candidates = find(two_hands, score_threshold=0)
    assert len(candidates.scores) > 100
    for hands, looked_at in ((1, 16), (5, 20)):
        asked.clear()
        found = model.estimate_hands(
            two_hands, score_threshold=0, detector_threshold=0, max_hands=hands
        )
        assert 1 <= len(found) <= hands  # the second look may show two to be one
        assert [len(regions) for regions in asked] == [looked_at, hands]
        assert asked[0] == palm_regions(candidates)[:looked_at]


def test_handtrack_tells_hands_from_faces(shared, load):
    model = load("handtrack.ssd320")
    photo = shared / "images" / "reference" / "three_people.jpg"
    found = model.detect(photo)
    assert [x["label"] for x in found] == ["face", "face", "closed", "point", "face"]
    hands = model.estimate_hands(photo)
    assert [hand["label"] for hand in hands] == ["closed", "point"]
    assert list(hands[0]) == ["score", "keypoints", "box", "label"] and hands[0]["keypoints"] == []
    assert model.detect(photo, labels=["closed"]) == [found[2]]
    assert model.estimate_hands(photo, max_hands=1) == hands[:1]
    assert len(model.detect(photo, max_detections=2, score_threshold=0.1)) == 2


def test_palms_are_detections(two_hands, load):
    palm = load("palm.lite").detect(two_hands)[0]
    assert list(palm) == ["label", "score", "box", "keypoints"]
    assert palm["label"] == "palm" and len(palm["keypoints"]) == 7
    assert palm["keypoints"][0]["part"] == "wrist"
    assert json.loads(json.dumps(palm)) == palm


# --- regions and duplicates -------------------------------------------------------------------


def upright_hand(x: float, y: float, turn: float = 0.0) -> np.ndarray:
    """[21, 3]: the wrist at (0, 0), fingers up, turned clockwise about it, and then moved."""
    columns = np.repeat([-2, -1, 0, 1, 2], 4)
    rows = np.tile([-4, -5, -6, -7], 5)
    points = np.concatenate([[[0, 0]], np.stack([columns, rows], axis=1)]).astype(float)
    cos, sin = math.cos(turn), math.sin(turn)
    turned = points @ np.array([[cos, sin], [-sin, cos]])
    return np.column_stack([turned + [x, y], np.zeros(21)])


@pytest.mark.parametrize("turn", [0.0, 0.5, -2.0, 3.0])
def test_the_region_of_a_hand_turns_with_it(turn):
    """From the wrist to the outermost joint that counts, the thumb's, it is 6 long: twice that."""
    region = hand_region(upright_hand(50, 60, turn))
    up = 3 + 0.1 * 6
    x, y = 50 + up * math.sin(turn), 60 - up * math.cos(turn)
    assert region == pytest.approx((x, y, 12, 12, turn))


def test_palm_regions():
    """A palm of 10 pixels that points to the right: the hand is on its right."""
    points = np.zeros((1, 7, 2))
    points[0, 2] = [5, 0]
    palms = Candidates(np.ones(1), np.array([[0.0, -5, 10, 5]]), points)
    (region,) = palm_regions(palms)
    assert region == pytest.approx((10, 0, 26, 26, math.pi / 2))
    assert palm_regions(Candidates(np.empty(0), np.empty((0, 4)), np.empty((0, 7, 2)))) == []


def hands_at(*places: tuple[float, float]) -> Hands:
    points = np.stack([upright_hand(50 * i, 0) for i, _ in places])
    scores = np.array([score for _, score in places])
    return Hands(points, np.zeros_like(points), scores, np.ones(len(places)))


def test_a_hand_counts_once():
    hands = hands_at((0, 0.7), (0.01, 0.9), (2, 0.8), (3, 0.4))
    chosen = choose_hands(hands, score_threshold=0.5, limit=5)
    assert chosen.presence.tolist() == [0.9, 0.8]
    assert choose_hands(hands, score_threshold=0.5, limit=1).presence.tolist() == [0.9]
    assert choose_hands(hands, score_threshold=0.3, limit=5).presence.tolist() == [0.9, 0.8, 0.4]
    assert len(choose_hands(hands, score_threshold=1, limit=5).points) == 0


def test_points_of_turned_regions(load):
    """The middle of the input is the middle of the region; the world turns as the region does."""
    meaning, region = load("hands.lite").entry.decode, hand_region(upright_hand(50, 60, 1.0))
    landmarks, space = np.full((1, 63), 112.0), np.tile([0.0, -0.1, 0.02], 21)[None]
    outputs = {
        meaning.landmarks: landmarks,
        meaning.world: space,
        meaning.presence: np.full((1, 1), 0.9),
        meaning.right: np.full((1, 1), 0.2),
    }
    hands = read_hands(outputs, [region.placement((224, 224))], meaning)
    depth = 112 * region.width / 224 / 0.4
    np.testing.assert_allclose(hands.points[0], np.tile([region.x, region.y, depth], (21, 1)))
    up = [0.1 * math.sin(region.rotation), -0.1 * math.cos(region.rotation), 0.02]
    np.testing.assert_allclose(hands.world[0], np.tile(up, (21, 1)))
    assert (hands.presence[0], hands.right[0]) == (0.9, 0.2)


# --- experts and errors -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "name, output, embedding",
    [
        ("hands.lite", (1, 63), (1, 672)),
        ("hands.lite_tfjs", (1, 63), (1, 672)),
        ("palm.lite", (1, 2016, 18), (1, 12, 12, 256)),
        ("palm.full", (1, 2016, 18), (1, 12, 12, 256)),
        ("handpose.palm", (1, 2944, 19), (1, 8, 8, 256)),
        ("handtrack.ssd320", (1, 12804, 7), (1, 10, 10, 1280)),
    ],
)
def test_expert_access(name, output, embedding, two_hands, load):
    model = load(name)
    assert model.infer(two_hands).shape == output
    features = model.infer(two_hands, embedding=True)
    assert features.shape == embedding
    node = model.entry.embedding
    ((key, spec),) = model.inputs.items()
    shape = [n or size for n, size in zip(spec.shape, (1, *model.input_size, 3), strict=True)]
    pixels = core.zeros(shape, dtype=spec.dtype)
    assert model.execute({key: pixels}, [node])[node].shape == embedding
    assert model.predict(pixels).keys() == model.outputs.keys()


@pytest.mark.parametrize("name", LANDMARKS)
def test_batches_of_tensors(name, load, rng):
    model = load(name)
    batch = rng.uniform(0, 1, (3, *model.input_size, 3)).astype(np.float32)
    together = model.predict(batch)
    for i in range(3):
        for key, tensor in model.predict(batch[i : i + 1]).items():
            np.testing.assert_allclose(
                tensor.numpy()[0], together[key].numpy()[i], rtol=1e-4, atol=1e-3
            )


def test_the_function(two_hands, load, mirror):
    expected = load("hands.lite", detector="palm.full").estimate_hands(two_hands, refine=False)
    assert estimate_hands(two_hands, detector="palm.full", refine=False) == expected
    sure = estimate_hands(two_hands, score_threshold=0.99, detector_threshold=0.9)
    assert sure == load("hands.lite").estimate_hands(
        two_hands, score_threshold=0.99, detector_threshold=0.9
    )


@pytest.mark.parametrize("name", [*LANDMARKS, "handtrack.ssd320"])
def test_the_functions_defaults_are_the_methods(name):
    own = model_class(find_entry(name)).estimate_hands.__kwdefaults__
    for option, default in estimate_hands.__kwdefaults__.items():
        assert option in ("model", "backend") or default in (None, own.get(option))


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda load: load("hands.lite").estimate_hands("no-such.jpg"), "no-such.jpg"),
        (lambda load: load("hands.lite").estimate_hands(5), "is not an image"),
        (
            lambda load: load("hands.lite").estimate_hands(b"", max_hands=0),
            "max_hands=0 must be an integer of at least 1",
        ),
        (
            lambda load: load("hands.lite").estimate_hands(b"", score_threshold=50),
            "score_threshold=50 must be a number between 0 and 1",
        ),
        (
            lambda load: load("hands.lite").estimate_hands(b"", detector_threshold="high"),
            "detector_threshold='high' must be a number between 0 and 1",
        ),
        (lambda load: load("hands.lite").estimate_hands(b"", iou_threshold=-1), "iou_threshold=-1"),
        (
            lambda load: load("hands.lite").estimate_hands(b"", refine="no"),
            "refine='no' must be Tr",
        ),
        (
            lambda load: load("hands.lite").estimate_hands(b"", hands=1),
            "unknown option 'hands' of estimate_hands: did you mean 'max_hands'",
        ),
        (lambda load: load("palm.lite").detect(b"", max_detections=0.5), "max_detections=0.5"),
        (lambda load: load("palm.lite").detect(b"", threshold=1), "unknown option 'threshold'"),
        (
            lambda load: load("palm.lite").detect(b"", labels=[]),
            r"labels=\[\] is empty: omit it for all labels",
        ),
        (
            lambda load: load("handtrack.ssd320").detect(b"", labels=["fist"]),
            r"handtrack.ssd320 has no label 'fist' \(labels: open, closed, pinch",
        ),
        (lambda load: load("handtrack.ssd320").detect(b"", labels="open"), "must be a list of nam"),
        (
            lambda load: load("handtrack.ssd320").estimate_hands(b"", detector_threshold=0.5),
            "unknown option 'detector_threshold'",
        ),
        (lambda load: zoo.load("hands.lite", detector="palm"), r"detector='palm' .*\['palm.lite'"),
        (
            lambda load: estimate_hands(b"", model="palm.lite"),
            "palm.lite cannot estimate_hands: ",
        ),
        (lambda load: estimate_hands(b"", model="hands.light"), "did you mean 'hands.lite'"),
        (lambda load: load("hands.lite").estimate_hands(np.zeros((0, 5, 3))), "0"),
    ],
)
def test_bad_input(call, message, load):
    with pytest.raises(ZooError, match=message):
        call(load)


def test_wrong_tensors(load):
    with pytest.raises(CoreError, match=r"must have shape \(None, 224, 224, 3\)"):
        load("hands.lite").predict(np.zeros((1, 192, 192, 3), np.float32))


def test_a_closed_model(mirror):
    with zoo.load("hands.lite") as model:
        detector = model.part("detector")
    for closed in (model.estimate_hands, detector.detect, model.infer):
        with pytest.raises(ZooError, match="is closed: load it again"):
            closed(np.zeros((9, 9, 3), np.uint8))


@pytest.mark.sweep("whole")
@pytest.mark.parametrize("size", [(37, 400), (1, 1), (3, 900)])
@pytest.mark.parametrize("name, verb", [VERBS[0], *VERBS[2:]])
def test_odd_shapes(name, verb, size, load, rng):
    picture = rng.integers(0, 256, (*size, 3), np.uint8)
    run = partial(getattr(load(name), verb), picture)
    if name == "hands.lite":
        run = partial(run, detector_threshold=0)
    found = run(score_threshold=0)
    assert found
    audit(found, size)


def test_threads_share_a_model_that_has_not_loaded_its_detector(two_hands, found, mirror):
    with zoo.load("hands.lite") as model, ThreadPoolExecutor(4) as pool:
        seen = list(pool.map(model.estimate_hands, [two_hands] * 4))
        detectors = set(pool.map(lambda _: id(model.part("detector")), range(4)))
    assert seen == [found] * 4
    assert len(detectors) == 1


@pytest.mark.long
def test_300_pictures_leak_nothing(two_hands, load):
    """Run with -m long; prints the figures."""
    model, resident = load("hands.lite"), []
    for number in range(301):
        model.estimate_hands(two_hands)
        if number % 50 == 0:
            resident.append(resident_mib())
        if number == 50:
            before = core.memory()
    print("RSS in MiB every 50 pictures:", resident)
    assert core.memory() == before
    assert max(resident[1:]) - resident[1] < 5


def resident_mib() -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) / 1024
