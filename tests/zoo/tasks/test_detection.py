"""Detection of things against golden outputs, the op that the files end with, and its promises."""

import json

import numpy as np
import pytest

import zoo
from tests import packages
from tests.conftest import ROOT
from tests.golden.litert import Reference
from tests.zoo.tasks.audit import audit
from weights_cache.common.errors import WeightsError, ZooError
from zoo.catalog.entries import all_entries, find_entry, model_class
from zoo.catalog.labels import read_labels
from zoo.shared.boxes import Found, to_detections, without_nested
from zoo.tasks.detection.competition import best_of
from zoo.tasks.detection.nanodet_decode import Level, decode_level
from zoo.tasks.detection.ssd_decode import Heads, candidates

ENTRY = find_entry("ssd.mobilenet_v1")
LABELS = read_labels(ENTRY.labels)
GOLDENS = ["cats_and_dogs", "coco_image1", "coco_image2"]
PHOTO = ROOT / "gallery" / "one_line_pose" / "astronaut.jpg"

#: Of the op in the file.
OF_THE_OP = {"score_threshold": 1e-8, "iou_threshold": 0.6, "limit": 10}

SIDES = [1, 0, 3, 2]  # y0, x0, y1, x1 and x0, y0, x1, y1 in terms of each other


@pytest.fixture(scope="module")
def model(shared):
    return zoo.load(ENTRY.name, weights=shared / "weights" / ENTRY.weights / ENTRY.file)


@pytest.fixture(scope="module")
def cats(shared):
    return zoo.read_image(shared / "images" / "reference" / "cats_and_dogs.jpg")


def golden_of(shared, name):
    folder = shared / "weights" / ENTRY.weights / "reference"
    return np.load(folder / f"{name}.npz"), json.loads((folder / f"{name}.json").read_text())


def decode_detections(heads, *, score_threshold, **options):
    """What the op does."""
    return best_of(candidates(heads, score_threshold), **options)


# --- goldens ------------------------------------------------------------------------------------


def last_op(model):
    (node,) = [n for n in model.network.graph.nodes if n.type == "TFLite_Detection_PostProcess"]
    return node


def heads_of(model, codes, scores):
    """The inputs of the op; it skips the first class, the background."""
    anchors = model.network.graph.weights[last_op(model).inputs[2]]
    return Heads(codes[0], scores[0, :, 1:], anchors, (10.0, 10.0, 5.0, 5.0))


def check_same(found, boxes, classes, scores):
    """What the op gives, to the last bit but for the exponential function."""
    assert len(found.scores) == 10
    np.testing.assert_array_equal(found.scores, scores[0])
    np.testing.assert_array_equal(found.classes, classes[0])
    np.testing.assert_allclose(found.boxes, boxes[0][:, SIDES], atol=1e-6)


@pytest.mark.parametrize("name", GOLDENS)
def test_decoding_the_references_heads_gives_its_boxes(name, model, shared):
    """LiteRT's kernels give the heads, and LiteRT's op what they mean."""
    reference = Reference(shared / "weights" / ENTRY.weights / ENTRY.file, keep_all=True)
    reference.run(golden_of(shared, name)[0]["input"])
    op = reference.ops()[-1]
    codes, scores, _ = (reference.real(i) for i in op.inputs)
    found = decode_detections(heads_of(model, codes, scores), **OF_THE_OP)
    check_same(found, *(reference.real(i) for i in op.outputs[:3]))


@pytest.mark.parametrize("name", GOLDENS)
def test_decoding_is_what_the_op_does(name, model, shared):
    golden, _ = golden_of(shared, name)
    outputs = model.execute(golden["input"], [*last_op(model).inputs[:2], *model.outputs])
    codes, scores, *results, _ = (tensor.numpy() for tensor in outputs.values())
    check_same(decode_detections(heads_of(model, codes, scores), **OF_THE_OP), *results)


@pytest.mark.parametrize("name", GOLDENS)
def test_heads_are_those_of_the_reference_kernels(name, model, shared):
    """To the bit; the goldens are of kernels that round sums otherwise, and choose another kite."""
    reference = Reference(shared / "weights" / ENTRY.weights / ENTRY.file, keep_all=True)
    given = golden_of(shared, name)[0]["input"]
    reference.run(given)
    heads = reference.ops()[-1].inputs[:2]
    outputs = model.execute(given, last_op(model).inputs[:2])
    for index, tensor in zip(heads, outputs.values(), strict=True):
        np.testing.assert_array_equal(tensor.numpy(), reference.real(index))


def test_the_goldens_own_answers(shared):
    """Of the stored outputs: labels, and boxes in pixels."""
    golden, text = golden_of(shared, "coco_image2")
    boxes, classes = (golden[f"TFLite_Detection_PostProcess{end}"][0] for end in ("", "_1"))
    found = Found(boxes[:, SIDES], np.zeros(10), classes.astype(int))
    objects = to_detections(found, LABELS, (480, 640))
    for each, (label, _, (top, left, bottom, right)) in zip(objects, text["result"], strict=False):
        assert each["label"] == label
        x, y, width, height = each["box"].values()
        clipped = np.clip([left, top, right, bottom], 0, 1) * (640, 480, 640, 480)
        np.testing.assert_allclose((x, y, x + width, y + height), clipped, atol=0.4)


# --- what is found ------------------------------------------------------------------------------


def test_the_result_is_plain(model, cats):
    result = model.detect(cats)
    assert [found["label"] for found in result] == ["cat", "cat", "dog"]
    for found in result:
        assert list(found) == ["label", "score", "box"]
        assert list(found["box"]) == ["x", "y", "width", "height"]
        assert {type(found["score"]), *map(type, found["box"].values())} == {float}
    assert zoo.to_json(result)


def test_a_part_of_an_object_is_no_second_one(model, cats, shared):
    """The head of a cat was a cat of its own, the upper body of a person a second person."""
    everything = model.detect(cats, ios_threshold=1)
    assert [found["label"] for found in everything] == ["cat", "cat", "cat", "dog"]
    assert model.detect(cats) == [found for found in everything if found is not everything[2]]
    photo = shared / "images" / "photos" / "pexels-luis-quintero-1510540.jpg"
    people = [len(model.detect(photo, labels=["person"], ios_threshold=t)) for t in (1, 0.9)]
    assert people[0] > people[1] >= 1


def test_nested_boxes_of_other_labels_stay():
    boxes = np.array([[0, 0, 9, 9], [1, 1, 4, 4], [1, 1, 4, 4], [5, 5, 12, 9]])
    assert without_nested(boxes, [0, 0, 1, 0], [0, 1, 2, 3], 0.9) == [0, 2, 3]
    assert without_nested(boxes, [0, 0, 0, 0], [3, 2, 1, 0], 0.9) == [3, 2]
    assert without_nested(boxes, [0, 0, 1, 0], [0, 1, 2, 3], 1.0) == [0, 1, 2, 3]
    assert without_nested(np.zeros((0, 4)), [], [], 0.9) == []


def test_boxes_lie_in_the_picture(model, cats):
    height, width = cats.shape[:2]
    cut = 0
    for found in model.detect(cats, score_threshold=0.01, iou_threshold=1, max_detections=500):
        x, y, wide, high = found["box"].values()
        assert min(x, y) >= 0 < min(wide, high)
        assert x + wide <= width + 1e-9 and y + high <= height + 1e-9
        cut += x == 0 or y == 0
    assert cut


def test_thresholds(model, cats):
    """A higher score leaves out the end of the list; a higher overlap leaves out nothing."""
    options = {"max_detections": 1917, "iou_threshold": 0.6}
    before = model.detect(cats, score_threshold=0.05, **options)
    for threshold in (0.1, 0.3, 0.5, 0.7):
        after = model.detect(cats, score_threshold=threshold, **options)
        assert after == [found for found in before if found["score"] >= threshold]
        assert len(after) < len(before)
        before = after
    assert before == []
    # Each further box may hide others that lie in it, unless these are left.
    options = {"score_threshold": 0.2, "ios_threshold": 1, "max_detections": 999}
    counts = [len(model.detect(cats, iou_threshold=t, **options)) for t in (0, 0.3, 0.6, 0.9, 1)]
    assert counts == sorted(counts) and counts[0] < counts[2] < counts[-1]


def test_more_than_the_ten_of_the_op(model, cats):
    many = model.detect(cats, score_threshold=0.1, max_detections=30)
    assert len(many) > 10
    assert model.detect(cats, score_threshold=0.1, max_detections=3) == many[:3]


def test_labels_are_a_filter(model, cats):
    options = {"score_threshold": 0.1, "max_detections": 1917}
    everything = model.detect(cats, **options)
    for labels in (["dog"], ("cat", "dog"), {"cat"}, iter(["horse"]), ["zebra"]):
        wanted = list(labels)
        found = model.detect(cats, labels=list(wanted), **options)
        assert found == [thing for thing in everything if thing["label"] in wanted]
    best_dog = next(thing for thing in everything if thing["label"] == "dog")
    assert model.detect(cats, labels=["dog"], **options | {"max_detections": 1}) == [best_dog]


def test_the_labels_are_the_80_of_coco(model, shared):
    assert len(model.labels) == 80 and model.labels[0] == "person"
    file = shared / "weights" / ENTRY.weights / "labelmap.txt"
    assert list(LABELS) == file.read_text().splitlines()


def test_an_empty_scene(model):
    assert model.detect(np.zeros((200, 300, 3), np.uint8)) == []
    assert list(model.detect([np.full((9, 9, 3), 200, np.uint8)])) == [[]]


def test_a_room_without_people(model, shared):
    """A bedroom, and a cup of coffee."""
    for name in ("coco_000000403353.jpg", "coffee.jpg"):
        assert model.detect(shared / "images" / "photos" / name, labels=["person"]) == []


# --- all detectors ------------------------------------------------------------------------------

DETECTORS = [name for name, entry in all_entries().items() if hasattr(model_class(entry), "detect")]


@pytest.mark.parametrize("name", DETECTORS)
def test_the_function_is_the_method(name, shared, monkeypatch):
    """In a crowd, where thresholds matter, and with None for each."""
    packages.require_weights(find_entry(name).weights)
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
    photo = zoo.read_image(shared / "images" / "photos" / "human_solvay1927.jpg")
    alone = zoo.load(name)
    expected = alone.detect(photo)
    audit(expected, photo.shape[:2])
    assert zoo.detect(photo, model=name) == expected
    nothing = dict.fromkeys(["labels", "score_threshold", "iou_threshold", "max_detections"])
    assert alone.detect(photo, **nothing) == expected
    more = alone.detect(photo, score_threshold=0.01, iou_threshold=1, max_detections=50)
    assert len(more) > len(expected)
    assert more == zoo.detect(
        photo, model=name, score_threshold=0.01, iou_threshold=1, max_detections=50
    )


@pytest.mark.parametrize("name", DETECTORS)
def test_the_functions_defaults_are_the_methods(name):
    own = model_class(find_entry(name)).detect.__kwdefaults__
    function = zoo.detect.__kwdefaults__
    assert own.keys() <= function.keys()
    assert all(function[option] in (default, None) for option, default in own.items())


# --- sources ------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(600, 1024), (400, 301), (200, 512)])
def test_mirror_images(shape, model, cats):
    """f(flip(img), mirror=True) is flip(f(img))."""
    picture = cats[-shape[0] :, : shape[1]]
    expected = model.detect(picture, score_threshold=0.2)
    assert expected
    for found in expected:
        found["box"]["x"] = shape[1] - found["box"]["x"] - found["box"]["width"]
    flipped = np.ascontiguousarray(picture[:, ::-1])
    mirrored = model.detect(flipped, score_threshold=0.2, mirror=True)
    assert [found["label"] for found in mirrored] == [found["label"] for found in expected]
    for one, other in zip(mirrored, expected, strict=True):
        assert one["score"] == other["score"]
        assert one["box"] == pytest.approx(other["box"], abs=0.01)


@pytest.mark.parametrize("wrap", [list, tuple, iter, np.stack])
def test_batches_equal_single_pictures(wrap, model, cats):
    pictures = [cats, cats[::-1].copy(), 255 - cats]
    single = [model.detect(p, score_threshold=0.3) for p in pictures]
    assert list(model.detect(wrap(pictures), score_threshold=0.3)) == single


@pytest.mark.parametrize("shape", [(1, 1), (1, 3000), (3000, 1), (3, 2000)])
def test_odd_shapes(model, shape, rng):
    picture = rng.integers(0, 256, (*shape, 3), np.uint8)
    found = model.detect(picture, score_threshold=0, max_detections=500)
    assert found
    audit(found, shape)


def test_features(model):
    assert model.infer(PHOTO).shape == (1, 1917, 91)
    assert model.infer(PHOTO, embedding=True).shape == (1, 10, 10, 768)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"label": ["cat"]}, "'label' of detect: did you mean 'labels'"),
        ({"labels": ["kat"]}, "no label 'kat': did you mean 'cat'.*labels: person, bicycle"),
        ({"labels": ["???"]}, r"no label '\?\?\?'"),
        ({"labels": []}, r"labels=\[\] is empty: omit it for all labels \(person, bicycle"),
        ({"labels": "cat"}, r"labels='cat' must be a list of names"),
        ({"labels": 3}, "labels=3 must be a list of names"),
        ({"score_threshold": 1.5}, "score_threshold=1.5 must be a number between 0 and 1"),
        ({"score_threshold": "high"}, "score_threshold='high'"),
        ({"iou_threshold": -1}, "iou_threshold=-1"),
        ({"max_detections": 0}, "max_detections=0 must be an integer of at least 1"),
    ],
)
def test_bad_options(model, options, message):
    with pytest.raises(ZooError, match=message):
        model.detect(PHOTO, **options)


def test_bad_pictures(model):
    with pytest.raises(ZooError, match="there is no file 'nowhere.jpg'"):
        model.detect("nowhere.jpg")
    results = model.detect(iter([PHOTO, "nowhere.jpg", PHOTO]))
    first = next(results)
    with pytest.raises(ZooError, match="nowhere"):
        next(results)
    assert next(results) == first


def test_weights_of_another_network(shared, monkeypatch):
    other = "mobilenet-v1-025-224-float-tflite/mobilenet_v1_0.25_224_quant.tflite"
    with pytest.raises(WeightsError, match="another network than ssd.mobilenet_v1"):
        zoo.load(ENTRY.name, weights=shared / "weights" / other)
    monkeypatch.setattr("zoo.tasks.detection.ssd._LAST_OP", "Other")
    model = zoo.load(ENTRY.name, weights=shared / "weights" / ENTRY.weights / ENTRY.file)
    with pytest.raises(WeightsError, match="of a network without Other"):
        model.detect(PHOTO)


# --- decoding -----------------------------------------------------------------------------------


def heads(codes, scores, anchors=((0.5, 0.5, 0.2, 0.4), (0.5, 0.5, 0.2, 0.4))):
    arrays = (np.float32(x) for x in (codes, scores, anchors))
    return Heads(*arrays, (10.0, 10.0, 5.0, 5.0))


def test_a_box_by_hand():
    codes = [[1, -2, 5 * np.log(2), 0], [0, 0, 0, 0]]
    found = decode_detections(
        heads(codes, [[0.2, 0.9], [0.1, 0.3]]), score_threshold=0.5, iou_threshold=0.5, limit=9
    )
    # y: 0.5 + 0.1 * 0.2, twice as high as 0.2; x: 0.5 - 0.2 * 0.4, as wide as 0.4
    np.testing.assert_allclose(found.boxes, [[0.22, 0.32, 0.62, 0.72]], atol=1e-7)
    assert found.classes.tolist() == [1] and found.scores.tolist() == [pytest.approx(0.9)]


def test_classes_compete():
    """Both boxes are the same: only the better is told, also where its class is not wanted."""
    twice = heads(np.zeros((2, 4)), [[0.2, 0.9], [0.8, 0.3]])
    options = {"score_threshold": 0.1, "iou_threshold": 0.5, "limit": 9}
    assert decode_detections(twice, **options).classes.tolist() == [1]
    assert len(decode_detections(twice, **options, classes={0}).boxes) == 0
    assert decode_detections(twice, **options | {"iou_threshold": 1.0}).classes.tolist() == [1, 0]


# --- NanoDet ------------------------------------------------------------------------------------


def test_a_cell_of_nanodet_by_hand():
    """A cell in row 1 and column 2 of 4 x 4, 8 pixels each, with sure distances of 0, 1, 2, 1."""
    scores = np.full((16, 3), 0.1)
    scores[6] = 0.2, 0.8, 0.3
    edges = np.zeros((16, 4, 3))
    edges[6, np.arange(4), [0, 1, 2, 1]] = 50
    found = decode_level(Level(8, scores, edges.reshape(16, 12)), 0.5, 32)
    assert found.classes.tolist() == [1] and found.scores.tolist() == [0.8]
    np.testing.assert_allclose(found.boxes, [[20, 12 - 8, 20 + 16, 12 + 8]], atol=1e-9)
    assert len(decode_level(Level(8, scores, edges.reshape(16, 12)), 0.9, 32).boxes) == 0


def test_nanodet_finds_what_is_there(shared, monkeypatch):
    packages.require_weights(find_entry("nanodet.g_416").weights)
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
    nanodet = zoo.load("nanodet.g_416")
    riders = zoo.read_image(shared / "images" / "photos" / "coco_000000214753.jpg")
    found = nanodet.detect(riders)
    assert sorted(each["label"] for each in found) == ["horse", "horse", "person", "person"]
    people = [each for each in found if each["label"] == "person"]
    assert nanodet.detect(riders, labels=["person"], max_detections=1) == people[:1]
    # Each sits on a horse: above its middle, and within its sides.
    for x, y, width, height in (each["box"].values() for each in people):
        horses = [each["box"] for each in found if each["label"] == "horse"]
        assert any(
            horse["x"] <= x + width / 2 <= horse["x"] + horse["width"]
            and y + height / 2 < horse["y"] + horse["height"] / 2
            for horse in horses
        )


def test_nanodet_finds_objects_of_mirror_images_where_they_are(shared, monkeypatch):
    packages.require_weights(find_entry("nanodet.g_416").weights)
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
    nanodet = zoo.load("nanodet.g_416")
    riders = zoo.read_image(shared / "images" / "photos" / "coco_000000214753.jpg")
    usual, mirrored = nanodet.detect(riders), nanodet.detect(riders[:, ::-1], mirror=True)
    for one, other in zip(usual, mirrored, strict=True):
        assert (one["label"], one["score"]) == (other["label"], other["score"])
        right = one["box"]["x"] + one["box"]["width"]
        assert other["box"]["x"] == pytest.approx(riders.shape[1] - right, abs=0.01)
