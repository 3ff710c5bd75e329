"""The pretrained segmentation models against golden outputs, and what they promise."""

import json

import numpy as np
import pytest

import zoo
from core.errors import CoreError
from tests.golden.litert import Reference
from tests.zoo.tasks.audit import audit
from tests.zoo.tasks.test_segmentation_decode import mixed
from weights_cache.common.errors import WeightsError, ZooError
from zoo.catalog.entries import all_entries, find_entry
from zoo.images.reading import ImageError
from zoo.pipeline.mirroring import flipped_result
from zoo.pipeline.preprocess import placement_of, prepare
from zoo.shared.skeletons import BODY_17
from zoo.tasks.segmentation import verbs
from zoo.tasks.segmentation.bodypix import PART_LABELS, find_people
from zoo.tasks.segmentation.upsampling import Enlargement

NAMES = [name for name, entry in all_entries().items() if entry.task == "segmentation"]
DEEPLAB, BODYPIX = "deeplab.v3", "bodypix.mobilenet_075"
SELFIES = ["selfie.base", "selfie.landscape", "selfie.tfjs"]

#: Each model with each of its verbs.
ABILITIES = [
    (DEEPLAB, "segment"),
    (DEEPLAB, "segment_person"),
    *((name, "segment_person") for name in SELFIES),
    (BODYPIX, "segment_person"),
    (BODYPIX, "segment_persons"),
    (BODYPIX, "segment_person_parts"),
]

#: Those whose masks are empty where nobody is seen.
CHECKED = [pair for pair in ABILITIES if pair[0] != DEEPLAB and pair[1] != "segment_persons"]

#: Entry -> its goldens, and the output among them that tells of people or classes.
GOLDENS = [
    (DEEPLAB, "coral_bird_segmentation", "logits"),
    ("selfie.base", "portrait_selfie_segmentation", "activation_10"),
    ("selfie.base", "three_people_selfie_segmentation", "activation_10"),
    ("selfie.landscape", "portrait_selfie_segmentation_landscape", "segment_back"),
    ("selfie.landscape", "three_people_selfie_segmentation_landscape", "segment_back"),
    ("selfie.tfjs", "selfie_portrait_tfjs", "activation_10"),
]
CORES = ["pose_core", "three_people_core"]
PEOPLE = {"score_threshold": 0.2, "nms_radius": 20, "stride": 16}


@pytest.fixture(scope="module")
def models(shared):
    """Loaded once for all tests of this file."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
        loaded = {name: zoo.load(name) for name in NAMES}
        for name in (*SELFIES, BODYPIX):
            loaded[name].part("classes")
        yield loaded


@pytest.fixture(scope="module")
def photo(shared):
    """Three people, smaller than they come."""
    return zoo.read_image(shared / "images" / "reference" / "three_people.jpg")[::3, ::3]


@pytest.fixture(scope="module")
def seen(models, photo):
    """What each verb says of the photo."""
    return {(name, verb): getattr(models[name], verb)(photo) for name, verb in ABILITIES}


def golden_of(shared, name, tag):
    """Arrays, text, photo, and the way from its cells to the photo."""
    entry = find_entry(name)
    path = shared / "weights" / entry.weights / "reference" / f"{tag}.npz"
    text = json.loads(path.with_suffix(".json").read_text())
    folder = shared / "images" / "reference"
    photo = zoo.read_image(folder / text["image"].removeprefix("_images/"))
    return np.load(path), text, photo


def way_to(photo, entry):
    placement = placement_of(photo.shape[:2], entry.preprocess, entry.preprocess.size)
    return Enlargement.of(photo.shape[:2], placement, entry.decode.stride)


def overlap(one, other) -> float:
    """Intersection over union of two masks."""
    return (one & other).sum() / (one | other).sum()


def same(one, other, tolerance=0.0) -> None:
    """Results are equal, but for positions within a tolerance."""
    assert type(one) is type(other)
    if isinstance(one, np.ndarray):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)
    elif isinstance(one, dict):
        assert one.keys() == other.keys()
        for key in one:
            same(one[key], other[key], tolerance)
    elif isinstance(one, list):
        assert len(one) == len(other)
        for a, b in zip(one, other, strict=True):
            same(a, b, tolerance)
    else:
        assert one == (pytest.approx(other, abs=tolerance) if tolerance else other)


# --- goldens ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name, tag, output", GOLDENS)
def test_goldens(name, tag, output, models, shared):
    model = models[name]
    golden, text, photo = golden_of(shared, name, tag)
    values, _ = prepare(photo, model.entry.preprocess, model.input_size)
    np.testing.assert_array_equal(values, golden["input"])
    found = {key: np.asarray(t) for key, t in model.predict(golden["input"]).items()}
    cells = golden[output][0]
    assert abs(found[model.entry.output][0] - cells).max() < 1e-3
    across = mixed(cells.astype(np.float64), photo.shape[:2], model.input_size, 1)
    if name == DEEPLAB:
        mask = model.classes(found, way_to(photo, model.entry), False)["mask"]
        shares = {"background": (mask == 0).mean(), "bird": (mask == 3).mean()}
        assert shares == pytest.approx(text["result"], abs=0.001)
        assert overlap(mask == 3, across.argmax(axis=2) == 3) > 0.999
    else:
        mask = model.person(found, way_to(photo, model.entry), 0.5, False)["mask"]
        assert mask.mean() == pytest.approx(text["result"]["person_fraction"], abs=0.002)
        assert overlap(mask > 0, across[:, :, 0] > 0.5) > 0.999
        share = (found[model.entry.output] > 0.5).mean()
        assert share == pytest.approx(text["result"]["person_fraction"], abs=1e-4)


@pytest.mark.parametrize("name", SELFIES)
def test_the_mask_that_tfjs_models_expects(name, models, shared):
    """Blue is the person there, and red the background, which the goldens' note took for it."""
    from PIL import Image

    folder = shared / "images" / "reference"
    expected = np.asarray(Image.open(folder / "portrait_segmentation.png"))[:, :, 2] > 127
    mask = models[name].segment_person(folder / "portrait.jpg")["mask"] > 0
    assert overlap(mask, expected) > (0.975 if name == "selfie.landscape" else 0.98)


@pytest.fixture(scope="module", params=CORES)
def core_outputs(request, models, shared):
    """Of BodyPix: the golden's outputs as real values, those from its input, text, and photo."""
    golden, text, photo = golden_of(shared, BODYPIX, request.param)
    stored = {
        key: ((golden[key].astype(np.float64) - zero) * scale).astype(np.float32)
        for key, (scale, zero) in text["output_quantization"].items()
    }
    predicted = models[BODYPIX].predict(golden["input"])
    found = {key: np.asarray(tensor) for key, tensor in predicted.items()}
    values, _ = prepare(photo, find_entry(BODYPIX).preprocess, (512, 512))
    np.testing.assert_array_equal(values, golden["input"])
    return stored, found, text, photo


def test_bodypix_outputs_are_those_of_the_reference_kernels(core_outputs, shared):
    """To the bit; the goldens are of kernels that round sums otherwise, up to 5 quanta off."""
    stored, found, text, _ = core_outputs
    path = shared / "weights" / find_entry(BODYPIX).weights / "bodypix_core_no_decoder.tflite"
    right = Reference(path).run(golden_of(shared, BODYPIX, text["tag"])[0]["input"])
    assert stored.keys() == found.keys() == right.keys()
    for key, values in right.items():
        np.testing.assert_array_equal(found[key], values, key)


def test_bodypix_people_of_the_goldens(core_outputs, models):
    stored, found, text, photo = core_outputs
    model = models[BODYPIX]
    logits = stored["float_segments"][0, :, :, 0]
    share = text["result"]["segment_fraction(sigmoid>0.5)"]
    assert (logits > 0).mean() == pytest.approx(share, abs=1e-9)
    assert [logits.min(), logits.max()] == pytest.approx(text["result"]["seg_range"], abs=1e-5)
    expected = mixed(logits.astype(np.float64), photo.shape[:2], (512, 512), 16) > 0
    how = way_to(photo, model.entry)
    assert overlap(model.person(stored, how, 0.5, False)["mask"] > 0, expected) > 0.999
    assert overlap(model.person(found, how, 0.5, False)["mask"] > 0, expected) > 0.98


def test_bodypix_parts_of_the_goldens(core_outputs, models):
    stored, found, _, photo = core_outputs
    model, size = models[BODYPIX], photo.shape[:2]
    how = way_to(photo, model.entry)
    part = mixed(stored["float_part_heatmaps"][0].astype(float), size, (512, 512), 16).argmax(2)
    person = mixed(stored["float_segments"][0].astype(float), size, (512, 512), 16)[:, :, 0] > 0
    expected = np.where(person, part + 1, 0)
    mask = model.parts(stored, how, 0.5, False)["mask"]
    assert (mask == expected).mean() > 0.9999
    ours = model.parts(found, how, 0.5, False)["mask"]
    assert (ours == expected)[person].mean() > 0.95


def test_bodypix_persons_of_the_goldens(core_outputs, models):
    """From the stored input, masks and seen keypoints are as near as two quanta of an offset."""
    stored, found, _, photo = core_outputs
    model = models[BODYPIX]
    placement = placement_of(photo.shape[:2], model.entry.preprocess, (512, 512))
    kinds = []
    for outputs in (stored, found):
        people = find_people(outputs, **PEOPLE)
        masks = list(model.person_masks(outputs, people, photo.shape[:2], placement, 0.5))
        kinds.append((people, masks))
    (people, masks), (ours, our_masks) = kinds
    assert len(people) == len(ours) == (1 if photo.shape[0] < photo.shape[1] * 0.7 else 3)
    for person, mask in zip(people, masks, strict=True):
        nearest = min(range(len(ours)), key=lambda i: abs(ours[i].positions - person.positions)[0])
        assert overlap(mask > 0, our_masks[nearest] > 0) > 0.98
        surely = person.scores > 0.5
        assert abs(ours[nearest].positions - person.positions)[surely].max() < 2
    assert np.sum(masks, axis=0).max() == 1  # nobody shares a pixel


def test_persons_are_found_where_they_are(seen, photo):
    people = seen[BODYPIX, "segment_persons"]
    assert len(people) == 3
    assert [p["score"] for p in people] == sorted((p["score"] for p in people), reverse=True)
    for person in people:
        box, nose = person["box"], person["pose"]["keypoints"][0]["position"]
        assert person["mask"][int(nose["y"]), int(nose["x"])] == 1
        rows, columns = np.nonzero(person["mask"])
        assert box["x"] == columns.min() and box["x"] + box["width"] == columns.max() + 1
        assert box["y"] == rows.min() and box["y"] + box["height"] == rows.max() + 1
        assert [k["part"] for k in person["pose"]["keypoints"]] == list(BODY_17.names)
    everyone = np.sum([person["mask"] for person in people], axis=0)
    np.testing.assert_array_equal(everyone, seen[BODYPIX, "segment_person"]["mask"])


def test_parts_lie_where_the_pose_says(seen):
    """Left and right are the person's own, in parts as in poses."""
    parts = seen[BODYPIX, "segment_person_parts"]
    for person in seen[BODYPIX, "segment_persons"]:
        for side, point in zip(("left", "right"), person["pose"]["keypoints"][1:3], strict=True):
            assert point["part"] == f"{side}_eye"
            row, column = int(point["position"]["y"]), int(point["position"]["x"])
            assert parts["labels"][parts["mask"][row, column]] == f"{side}_face"


# --- what all promise ------------------------------------------------------------------------


@pytest.mark.parametrize("name, verb", ABILITIES)
def test_masks(name, verb, seen, photo):
    result = seen[name, verb]
    for thing in result if verb == "segment_persons" else [result]:
        assert thing["mask"].dtype == np.uint8 and thing["mask"].shape == photo.shape[:2]
        assert thing["mask"].any() and "probability" not in thing
    if verb == "segment_persons":
        assert {*result[0]} == {"score", "mask", "box", "pose"}
        return
    assert result["mask"].max() < len(result["labels"])
    labels = {"segment": 21, "segment_person": 2, "segment_person_parts": 25}
    assert len(result["labels"]) == labels[verb] and result["labels"][0] == "background"
    assert "person" in result["labels"] or result["labels"] == list(PART_LABELS)


@pytest.mark.parametrize("name, verb", ABILITIES)
def test_mirror_images_in_a_batch(name, verb, models, photo, seen):
    batch = np.stack([photo[:, ::-1], photo])
    in_mirror = getattr(models[name], verb)(batch, mirror=True)[0]
    same(flipped_result(in_mirror, photo.shape[1]), seen[name, verb], 0.01)


def test_without_mirror_left_and_right_are_exchanged(models, photo, seen):
    names = list(PART_LABELS)
    flipped = models[BODYPIX].segment_person_parts(photo[:, ::-1])["mask"][:, ::-1]
    found = seen[BODYPIX, "segment_person_parts"]["mask"]
    left, right = names.index("left_face"), names.index("right_face")
    assert overlap(flipped == left, found == right) > 0.7
    assert overlap(flipped == left, found == left) < 0.2


def test_several_pictures(models, photo, seen):
    ability = models["selfie.base"].segment_person
    other = np.ascontiguousarray(photo[20:180, 5:])
    several = ability(iter([photo, other, photo]))
    assert iter(several) is several
    first, second, third = several
    same(first, seen["selfie.base", "segment_person"])
    same(second, ability(other))
    same(third, first)


@pytest.mark.parametrize(
    "name, verb", [a for a in ABILITIES if a[1] != "segment_persons" and a != ABILITIES[5]]
)
def test_probabilities(name, verb, models, photo, seen):
    result = getattr(models[name], verb)(photo, probability=True)
    sure = result["probability"]
    assert sure.dtype == np.float32 and sure.shape == photo.shape[:2]
    assert sure.min() >= 0 and sure.max() <= 1
    np.testing.assert_array_equal(result["mask"], seen[name, verb]["mask"])
    if verb == "segment":
        assert sure.min() > 1 / 21 and np.median(sure) > 0.9
    else:
        assert ((result["mask"] > 0) == (sure > 0.5)).mean() > 0.9999
        json.loads(zoo.to_json(result))


def test_deeplabs_person_is_its_class(seen):
    classes, person = seen[DEEPLAB, "segment"], seen[DEEPLAB, "segment_person"]
    assert overlap(classes["mask"] == 15, person["mask"] > 0) > 0.99


def test_thresholds(models, photo, seen):
    strict = models["selfie.base"].segment_person(photo, threshold=0.95)["mask"]
    usual = seen["selfie.base", "segment_person"]["mask"]
    assert (strict <= usual).all() and 0 < strict.sum() < usual.sum()
    best = models[BODYPIX].segment_persons(photo, max_persons=1, threshold=0.9)
    assert len(best) == 1 and (best[0]["mask"] <= seen[BODYPIX, "segment_persons"][0]["mask"]).all()


def test_thresholds_of_persons(core_outputs):
    _, found, _, photo = core_outputs
    people = find_people(found, **PEOPLE)
    fewer = find_people(found, **{**PEOPLE, "score_threshold": 0.5})
    assert [p.score for p in fewer] == [p.score for p in people if p.score >= 0.5]
    assert find_people(found, **{**PEOPLE, "score_threshold": 0.99}) == []
    # Walks from further cells of the same people are told from people.
    assert all(p.score > 0.4 for p in people)


def test_scenes_without_people(models, shared):
    photos = shared / "images" / "photos"
    assert models[BODYPIX].segment_persons(photos / "coco_000000403353.jpg") == []
    result = models[DEEPLAB].segment_person(photos / "coffee.jpg")
    assert not result["mask"].any() and result["labels"] == ["background", "person"]
    black = np.zeros((90, 120, 3), np.uint8)
    assert not models[BODYPIX].segment_person_parts(black)["mask"].any()
    for name in SELFIES:
        assert not models[name].segment_person(black)["mask"].any()


@pytest.mark.parametrize("name", [*SELFIES, BODYPIX])
def test_masks_are_empty_where_nobody_is_seen(name, models, shared):
    cat = shared / "images" / "photos" / "cat_demo.jpg"
    result = models[name].segment_person(cat, probability=True)
    assert not result["mask"].any() and not result["probability"].any()
    unchecked = models[name].segment_person(cat, probability=True, person_check=False)
    assert unchecked["mask"].any() and unchecked["probability"].max() > 0.5


@pytest.mark.parametrize("scene", ["coral_bird", "coco_000000403353", "dogs_demo", "coral_parrot"])
def test_animals_and_rooms_are_nobody(scene, models, shared):
    """Of a bird, a bed, dogs and a parrot a quarter to a third was marked."""
    path = shared / "images" / "photos" / f"{scene}.jpg"
    assert models["selfie.base"].segment_person(path, person_check=False)["mask"].mean() > 0.2
    assert not models["selfie.base"].segment_person(path)["mask"].any()


@pytest.mark.parametrize(
    "name, rows, columns, share",
    [
        ("selfie.base", (100, 180), (180, 270), 0.85),  # mouth and nose
        (BODYPIX, (250, 512), (0, 512), 0.6),  # from the neck down
    ],
)
def test_people_without_a_pose_are_people(name, rows, columns, share, models):
    """A face that fills the image, or a body without a head, has no pose."""
    astronaut = zoo.read_image("gallery/one_line_pose/astronaut.jpg")
    part = np.ascontiguousarray(astronaut[slice(*rows), slice(*columns)])
    outputs, _ = models[name].run_on_image(part)
    assert not models[name].shows_pose(part, outputs)
    assert models[name].segment_person(part)["mask"].mean() > share


@pytest.mark.parametrize("side, shown", [(6, False), (7, True)])
def test_a_fifth_of_a_mask_must_be_of_people(side, shown, models, monkeypatch):
    """Where no pose is found, by a network that also knows animals and things."""
    model, image = models["selfie.base"], np.zeros((20, 20, 3), np.uint8)
    mask, people = np.zeros((2, 20, 20), np.uint8)
    mask[:14, :14] = 1
    people[:side, :side] = 1
    people[14:] = 1  # elsewhere
    monkeypatch.setattr(model, "shows_pose", lambda *_: False)
    monkeypatch.setattr(model.part("classes"), "segment_person", lambda _: {"mask": people})
    assert model.shows_somebody(image, {}, mask) == shown


def test_parts_are_empty_where_nobody_is_seen(models, shared):
    cat = shared / "images" / "photos" / "cat_demo.jpg"
    assert not models[BODYPIX].segment_person_parts(cat)["mask"].any()
    assert models[BODYPIX].segment_person_parts(cat, person_check=False)["mask"].any()


@pytest.mark.parametrize("name, verb", CHECKED)
def test_the_check_changes_no_mask_of_people(name, verb, models, photo, seen):
    same(getattr(models[name], verb)(photo, person_check=False), seen[name, verb])


class Checks:
    """What the check sees from now on, and how often it was asked."""

    somebody = True
    asked = 0

    def __call__(self, image, outputs, mask):
        self.asked += 1
        return self.somebody


@pytest.mark.parametrize("name, verb", CHECKED)
def test_frames_are_checked_from_time_to_time(name, verb, models, photo, seen, monkeypatch):
    checks, model = Checks(), models[name]
    monkeypatch.setattr(model, "shows_somebody", checks)
    follow = model.follower(verb, {})
    for frame in range(11):
        same(follow(photo, 0.1 * frame), seen[name, verb])
    assert checks.asked == 2  # in a second: somebody who is seen stays for a while


@pytest.mark.parametrize("name", ["selfie.base", "bodypix.mobilenet_075"])
def test_streams_are_steadied_as_cells(name, models, photo):
    options = {"probability": True, "person_check": False}
    frames = [photo, np.roll(photo, 8, axis=1)]

    def seen(**how):
        follow = models[name].follower("segment_person", options, **how)
        return [follow(frame, 0.02 * i)["probability"] for i, frame in enumerate(frames)]

    (first, second), (same_first, steady) = seen(), seen(smooth=True)
    np.testing.assert_allclose(same_first, first, atol=1e-6)
    low, high = np.minimum(first, second), np.maximum(first, second)
    between = (steady >= low - 0.02) & (steady <= high + 0.02)
    assert between.mean() > 0.99 and np.abs(steady - second).max() > 0.02


def test_somebody_stays_for_a_while_and_comes_at_once(models, photo, monkeypatch):
    checks, model = Checks(), models["selfie.base"]
    monkeypatch.setattr(model, "shows_somebody", checks)
    follow = model.follower("segment_person", {"probability": True})

    def shown(*times):
        results = [follow(photo, time) for time in times]
        assert all(r["probability"].any() == r["mask"].any() for r in results)
        return [bool(r["mask"].any()) for r in results]

    checks.somebody = False
    assert shown(0.0, 0.1, 0.3) == [False] * 3
    checks.somebody = True
    assert shown(0.4, 0.55) == [False, True]
    checks.somebody = False
    asked = checks.asked
    assert shown(1.0, 2.0, 2.5, 2.6, 3.0) == [True, True, True, False, False]
    assert checks.asked == asked + 3  # at 2.0, when they do not count as there, and after a pause


def test_frames_that_are_not_checked(models, photo, monkeypatch):
    checks, model = Checks(), models["selfie.base"]
    monkeypatch.setattr(model, "shows_somebody", checks)
    checks.somebody = False
    assert model.follower("segment_person", {"person_check": False})(photo, 0.0)["mask"].any()
    assert model.follower("segment_person", {})(np.zeros_like(photo), 0.0)["mask"].sum() == 0
    assert checks.asked == 0


@pytest.mark.parametrize("name, verb", ABILITIES)
def test_odd_shapes(name, verb, models, rng):
    method = getattr(models[name], verb)
    told = {"score_threshold": 0} if verb == "segment_persons" else {"probability": True}
    for size in [(1, 1), (1, 300), (40, 3)]:
        picture = rng.integers(0, 255, (*size, 3), dtype=np.uint8)
        audit(method(picture, **told), size)


def test_none_is_the_default(models, photo, seen):
    options = ("max_persons", "score_threshold", "nms_radius", "threshold")
    people = models[BODYPIX].segment_persons(photo, **dict.fromkeys(options))
    same(people, seen[BODYPIX, "segment_persons"])
    for verb in ("segment_person", "segment_person_parts"):
        same(getattr(models[BODYPIX], verb)(photo, threshold=None), seen[BODYPIX, verb])


@pytest.mark.parametrize("name, size", [(DEEPLAB, 257), ("selfie.base", 256), (BODYPIX, 512)])
def test_experts_get_tensors(name, size, models, photo):
    model = models[name]
    features = model.infer(photo, embedding=True)
    assert features.shape[3] == {257: 256, 256: 16, 512: 384}[size]
    assert np.ptp(features.numpy()) > 0
    with pytest.raises(CoreError, match="must have shape"):
        model.predict(np.zeros((1, 9, 9, 3), np.float32))


def test_bodypix_is_the_file_that_can_be_fetched(models, shared):
    """Its decoder is left away; what leads there are outputs, as in the derived file."""
    entry = find_entry(BODYPIX)
    record = next(
        r
        for r in json.loads((shared / "weights" / "INDEX.json").read_text())
        if r["name"] == entry.weights
    )
    assert next(f for f in record["files"] if f["file"] == entry.file)["url"]
    derived = shared / "weights" / entry.weights / "bodypix_core_no_decoder.tflite"
    own = zoo.load(BODYPIX, weights=derived)
    assert list(own.outputs) == list(models[BODYPIX].outputs) == list(entry.outputs)
    ours, theirs = models[BODYPIX].network.graph, own.network.graph
    assert list(map(repr, ours.nodes)) == list(map(repr, theirs.nodes))
    assert [e.quantization for e in ours.outputs.values()] == [
        e.quantization for e in theirs.outputs.values()
    ]
    for key, weight in theirs.weights.items():
        np.testing.assert_array_equal(ours.weights[key], weight)


def test_poses_are_those_of_the_zoo(seen):
    pose = seen[BODYPIX, "segment_persons"][0]["pose"]
    assert {*pose} == {"score", "keypoints", "box"} and type(pose["score"]) is float
    for point in pose["keypoints"]:
        assert {*point} == {"part", "position", "score"} and {*point["position"]} == {"x", "y"}


# --- functions, and bad input ----------------------------------------------------------------


def test_a_function_loads_its_model(monkeypatch, shared, photo, seen):
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
    same(verbs.segment_person(photo), seen["selfie.base", "segment_person"])


@pytest.mark.parametrize(
    "verb, name",
    [
        ("segment", DEEPLAB),
        ("segment_person", "selfie.base"),
        ("segment_persons", BODYPIX),
        ("segment_person_parts", BODYPIX),
    ],
)
def test_functions_have_the_defaults_of_methods(verb, name, models):
    of_function = dict(getattr(verbs, verb).__kwdefaults__)
    assert of_function.pop("model") == name
    defaults = getattr(models[name], verb).__kwdefaults__
    chosen = {k: v for k, v in of_function.items() if v is not None}
    assert chosen.items() <= defaults.items()


def test_a_model_that_is_nowhere(monkeypatch, tmp_path):
    monkeypatch.setenv("ZOO_OFFLINE", "1")
    with pytest.raises(WeightsError, match="deeplab.v3"):
        zoo.load(DEEPLAB)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: verbs.segment("x.jpg", threshold=0.5), "unknown option 'threshold' of segment;"),
        (lambda: verbs.segment("x.jpg", model="selfie.base"), "selfie.base cannot segment: it"),
        (lambda: verbs.segment_persons("x.jpg", model="deeplab.v3"), "cannot segment_persons"),
        (lambda: verbs.segment_person("x.jpg", treshold=0.1), "did you mean 'threshold'"),
        (lambda: verbs.segment_person("x.jpg", model="selfie.bas"), "did you mean 'selfie.base'"),
        (lambda: verbs.segment_person("x.jpg", model="posenet.tiny"), "cannot segment_person"),
    ],
)
def test_bad_calls(call, message):
    with pytest.raises(ZooError, match=message):
        call()


@pytest.mark.parametrize(
    "name, verb, options, message",
    [
        ("selfie.base", "segment_person", {"threshold": 1.5}, "threshold=1.5 must be a number bet"),
        ("selfie.base", "segment_person", {"threshold": "x"}, "threshold='x' must be a number"),
        ("selfie.base", "segment_person", {"max_persons": 2}, "unknown option 'max_persons'"),
        (DEEPLAB, "segment", {"labels": ["cat"]}, "valid options: probability, mirror"),
        (BODYPIX, "segment_persons", {"max_persons": 0}, "max_persons=0 must be an integer of"),
        (BODYPIX, "segment_persons", {"score_threshold": 50}, "score_threshold=50 must be a numbe"),
        (
            BODYPIX,
            "segment_persons",
            {"nms_radius": -1},
            "nms_radius=-1 must be a number of at least",
        ),
        (BODYPIX, "segment_person_parts", {"probability": "no"}, "probability='no' must be True"),
        ("selfie.base", "segment_person", {"probability": 1}, "probability=1 must be True or"),
        (DEEPLAB, "segment", {"probability": "yes"}, "probability='yes' must be True or False"),
        (BODYPIX, "segment_person_parts", {"threshold": np.nan}, "threshold=nan must be a number"),
    ],
)
def test_bad_options(name, verb, options, message, models, photo):
    with pytest.raises(ZooError, match=message):
        getattr(models[name], verb)(photo, **options)


@pytest.mark.parametrize("name, verb", ABILITIES)
def test_bad_pictures(name, verb, models, tmp_path):
    for bad in (tmp_path / "none.jpg", np.zeros((3, 4, 5)), 7, b"no picture"):
        with pytest.raises(ImageError):
            getattr(models[name], verb)(bad)
