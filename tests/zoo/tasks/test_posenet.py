"""PoseNet against golden outputs of reference implementations, and against a naive network."""

import json
from pathlib import Path

import numpy as np
import pytest

import zoo
from core.graph_model.graph_model import GraphModel
from tests.core.ops.records.conv import naive_conv
from tests.golden.litert import Reference
from weights_cache import load_weights
from weights_cache.common.errors import WeightsError, ZooError
from zoo.catalog.entries import find_entry
from zoo.catalog.networks.posenet import HEADS, WIDTHS, build_posenet, strided_blocks
from zoo.pipeline.preprocess import placement_of, prepare
from zoo.shared.personlab import (
    EDGES,
    Fields,
    Points,
    decode_multiple,
    read_coral_fields,
    read_fields,
)
from zoo.shared.placement import Placement
from zoo.shared.skeletons import BODY_17

CORAL, CORAL_RECORD = (
    "posenet.mobilenet_v1_075_quant",
    "posenet-mobilenet-v1-075-quant-tflite-353_481",
)
GOOGLE = "posenet-mobilenet-v1-075-float-pertensor"
TENSORFLOW = [
    f"{photo}_{size}_os16_{by}"
    for photo, size, by in [
        ("pose", "257x257", "tf"),
        ("pose", "353x481", "tf"),
        ("pose", "257x257", "tfjs"),
        ("coral_posenet_test_image", "257x257", "tf"),
        ("coral_posenet_test_image", "353x481", "tf"),
        ("coral_posenet_test_image", "353x481", "tfjs"),
    ]
]
PREPROCESS = find_entry("posenet.tiny").preprocess
PHOTOS = {"pose": "pose.jpg", "coral_posenet_test_image": "coral_posenet_test_image.bmp"}
MULTIPLE = {"max_poses": 5, "score_threshold": 0.5, "nms_radius": 20}


def camel(part: str) -> str:
    first, *rest = part.split("_")
    return first + "".join(word.title() for word in rest)


def raw(outputs) -> dict[str, np.ndarray]:
    return {name: np.asarray(tensor) for name, tensor in outputs.items()}


def largest_differences(outputs, golden) -> dict[str, float]:
    return {n: float(abs(outputs[n] - golden[layer]).max()) for n, (layer, _) in HEADS.items()}


def compare_keypoints(points, golden: list, placement, limit: float) -> None:
    """``golden``: a list of {"part", "position", "score"}."""
    assert [point["part"] for point in golden] == [camel(k) for k in BODY_17.names]
    for position, score, point in zip(points.positions, points.scores, golden, strict=True):
        x, y = (
            placement.to_image(position.real, position.imag)
            if placement
            else (
                position.real,
                position.imag,
            )
        )
        assert x == pytest.approx(point["position"]["x"], abs=limit), point
        assert y == pytest.approx(point["position"]["y"], abs=limit), point
        assert score == pytest.approx(point["score"], abs=1e-3), point


def best_cells(fields: Fields) -> Points:
    """The best cell of each keypoint, whoever it belongs to: the "single pose" of the goldens."""
    index = np.arange(fields.scores.shape[2])
    best = fields.scores.reshape(-1, len(index)).argmax(axis=0)
    scores = fields.scores.reshape(-1, len(index))[best, index]
    return Points(fields.targets.reshape(-1, len(index))[best, index], scores, float(scores.mean()))


@pytest.fixture(scope="module")
def google(shared):
    return GraphModel(build_posenet(load_weights(shared / "weights" / GOOGLE)))


@pytest.mark.parametrize("name", TENSORFLOW)
def test_googles_checkpoint_gives_tensorflows_outputs(name, google, shared):
    golden = np.load(shared / "weights" / GOOGLE / "reference" / f"{name}.npz")
    found = largest_differences(raw(google.predict(golden["input"])), golden)
    assert found["heatmap"] < 1e-3
    assert max(found.values()) < 5e-3, found


@pytest.mark.parametrize("name", [n for n in TENSORFLOW if n.endswith("tf")])
def test_single_poses_of_the_tensorflow_goldens(name, google, shared):
    """Their ``result`` is part: [x, y, score] in pixels of the picture."""
    folder = shared / "weights" / GOOGLE / "reference"
    golden, text = np.load(folder / f"{name}.npz"), (folder / f"{name}.json").read_text()
    values = json.loads(text)["result"]
    points = [
        {"part": part, "position": {"x": x, "y": y}, "score": score}
        for part, (x, y, score) in values.items()
    ]
    photo = zoo.read_image(shared / "images" / "reference" / PHOTOS[name.rsplit("_", 3)[0]])
    placement = placement_of(photo.shape[:2], PREPROCESS, golden["input"].shape[1:3])
    fields = read_fields(raw(google.predict(golden["input"])), 16)
    compare_keypoints(best_cells(fields), points, placement, 0.5)


@pytest.mark.parametrize("name", [n for n in TENSORFLOW if n.endswith("tfjs")])
def test_poses_of_the_tfjs_goldens(name, google, shared):
    folder = shared / "weights" / GOOGLE / "reference"
    golden = np.load(folder / f"{name}.npz")
    result = json.loads((folder / f"{name}.json").read_text())["result"]
    fields = read_fields(raw(google.predict(golden["input"])), 16)
    single = best_cells(fields)
    compare_keypoints(single, result["single_pose(network px)"]["keypoints"], None, 0.5)
    assert single.score == pytest.approx(result["single_pose(network px)"]["score"], abs=1e-3)
    people = decode_multiple(fields, **MULTIPLE)
    assert len(people) == len(result["multi_pose(network px)"])
    for person, expected in zip(people, result["multi_pose(network px)"], strict=True):
        compare_keypoints(person, expected["keypoints"], None, 0.5)
        assert person.score == pytest.approx(expected["score"], abs=1e-3)
    poses = zoo.decode_multiple_poses(google.predict(golden["input"]), 16)
    assert [pose["score"] for pose in poses] == [person.score for person in people]
    for pose, person in zip(poses, people, strict=True):
        at = [point["position"] for point in pose["keypoints"]]
        assert [complex(p["x"], p["y"]) for p in at] == person.positions.tolist()


def test_outputs_of_other_networks_are_no_poses(google):
    outputs = google.predict(np.zeros((1, 257, 257, 3), np.float32))
    assert zoo.decode_multiple_poses(outputs, 16) == []
    with pytest.raises(ZooError, match=r"'offset' has the shape None, and must .*, 34\]"):
        zoo.decode_multiple_poses({"heatmap": outputs["heatmap"]}, 16)
    with pytest.raises(ZooError, match=r"'heatmap' has the shape \(1, 17, 17, 34\)"):
        zoo.decode_multiple_poses({**outputs, "heatmap": outputs["offset"]}, 16)


@pytest.fixture(scope="module")
def student_float(shared):
    weights = np.load(shared / "models" / "posenet-tiny-2" / "weights" / "student-075.npz")
    return GraphModel(build_posenet(dict(weights)))


@pytest.fixture(scope="module")
def students(student_float):
    return {"student-075": student_float, "student-075-uint8-mixed": zoo.load("posenet.tiny")}


@pytest.mark.parametrize("photo", PHOTOS)
@pytest.mark.parametrize("student", ["student-075", "student-075-uint8-mixed"])
def test_the_bundled_model_gives_its_goldens(student, photo, students, shared):
    stem = shared / "models" / "posenet-tiny-2" / "golden" / f"{student}_{photo}_257x257"
    golden, card = np.load(f"{stem}.npz"), json.loads(Path(f"{stem}.json").read_text())
    outputs = raw(students[student].predict(golden["input"]))
    found = largest_differences(outputs, golden)
    assert found.pop("heatmap") < 1e-4
    assert max(found.values()) < 1e-3, found
    pixels = zoo.read_image(shared / "images" / "reference" / PHOTOS[photo])
    placement = placement_of(pixels.shape[:2], PREPROCESS, (257, 257))
    scale, left, top = card["scale_left_top"]
    assert placement == pytest.approx(Placement.of_scale(scale, scale, left, top))
    fields = read_fields(outputs, 16)
    compare_keypoints(best_cells(fields), card["single"]["keypoints"], placement, 0.05)
    people = decode_multiple(fields, **MULTIPLE)
    assert len(people) == len(card["multi"])
    for person, expected in zip(people, card["multi"], strict=True):
        compare_keypoints(person, expected["keypoints"], placement, 0.05)
        assert person.score == pytest.approx(expected["score"], abs=1e-4)


@pytest.mark.parametrize("photo", PHOTOS)
def test_photos_become_the_stored_input(photo, shared):
    stem = shared / "models" / "posenet-tiny-2" / "golden" / f"student-075_{photo}_257x257"
    pixels = zoo.read_image(shared / "images" / "reference" / PHOTOS[photo])
    entry = zoo.load("posenet.tiny").entry
    values, _ = prepare(pixels, entry.preprocess, (257, 257))
    np.testing.assert_allclose(values, np.load(f"{stem}.npz")["input"], atol=1e-6)


def test_the_verb_gives_the_golden_poses_of_an_image(shared):
    """The whole way, from the file to the dict."""
    card = shared / "models" / "posenet-tiny-2" / "golden"
    expected = json.loads((card / "student-075-uint8-mixed_pose_257x257.json").read_text())
    photo = shared / "images" / "reference" / "pose.jpg"
    pose = zoo.estimate_single_pose(photo, model="posenet.tiny")
    (golden,) = expected["multi"]
    assert pose["score"] == pytest.approx(golden["score"], abs=1e-4)
    for point, wanted in zip(pose["keypoints"], golden["keypoints"], strict=True):
        assert camel(point["part"]) == wanted["part"]
        assert point["position"] == pytest.approx(wanted["position"], abs=0.05)


# What PyTorch gives for the published weights (the recipe's own network and decoder), in pixels of
# the input for noise and of the image for the photo. Both inputs are in this repository.
SHIPPED = json.loads(Path(__file__).with_name("posenet_tiny_golden.json").read_text())


def test_the_bundled_model_gives_pytorchs_outputs_for_noise():
    noise = np.random.default_rng(SHIPPED["seed"]).uniform(-1, 1, SHIPPED["shape"])
    outputs = raw(zoo.load("posenet.tiny").predict(noise.astype(np.float32)))
    rows, columns = np.transpose(SHIPPED["cells"])
    golden = {name: np.array(values) for name, values in SHIPPED["outputs"].items()}
    found = largest_differences({n: o[0, rows, columns] for n, o in outputs.items()}, golden)
    assert found.pop("heatmap") < 1e-4
    assert max(found.values()) < 1e-3, found


def test_the_bundled_model_gives_pytorchs_pose_of_the_astronaut():
    model = zoo.load("posenet.tiny", input_size=257)
    people = model.estimate_multiple_poses("gallery/one_line_pose/astronaut.jpg")
    assert len(people) == len(SHIPPED["people"]) == 1
    for person, golden in zip(people, SHIPPED["people"], strict=True):
        assert person["score"] == pytest.approx(golden["score"], abs=1e-3)
        points = [(*p["position"].values(), p["score"]) for p in person["keypoints"]]
        away = abs(np.array(points) - np.array(golden["keypoints"]))
        assert away[:, :2].max() < 0.5
        assert away[:, 2].max() < 1e-3


# --- sizes of the input ---------------------------------------------------------------------

ASTRONAUT = "gallery/one_line_pose/astronaut.jpg"


@pytest.mark.parametrize(
    ("options", "single", "several"),
    [({}, 257, 321), ({"input_size": None}, 257, 321), ({"input_size": 289}, 289, 289)],
)
def test_each_verb_has_its_size_unless_one_is_given(options, single, several):
    model = zoo.load("posenet.tiny", **options)
    fixed = {size: zoo.load("posenet.tiny", input_size=size) for size in {single, several}}
    expected = fixed[single].estimate_single_pose(ASTRONAUT)
    assert model.estimate_single_pose(ASTRONAUT) == expected
    people = fixed[several].estimate_multiple_poses(ASTRONAUT)
    assert model.estimate_multiple_poses(ASTRONAUT) == people
    assert (people[0] == expected) == (single == several)


def test_what_is_no_verb_of_poses_has_the_size_of_one_person():
    model = zoo.load("posenet.tiny")
    assert model.input_size == (257, 257)
    assert model.plan().steps[0].output_shape == (1, 129, 129, 24)
    assert model.infer(ASTRONAUT).shape == (1, 17, 17, 17)


def test_warming_up_makes_the_plans_of_both_verbs():
    model = zoo.load("posenet.tiny")
    model.warmup()
    made = model.network._planner.plans()
    assert {plan.inputs["image"].shape for plan in made} == {(1, s, s, 3) for s in (257, 321)}
    model.estimate_single_pose(ASTRONAUT)
    model.estimate_multiple_poses(ASTRONAUT)
    assert model.network._planner.plans() == made


def test_googles_weights_have_one_size_for_both_verbs():
    entry = find_entry("posenet.mobilenet_v1_075")
    assert entry.options["input_size"].default == 257
    assert entry.decode.single_size == entry.decode.multiple_size == 257


# --- Google Coral's quantised one -----------------------------------------------------------


@pytest.fixture(scope="module")
def coral(shared):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
        return zoo.load(CORAL)


def coral_golden(shared, photo: str):
    """The stored input, the outputs as real values, and the keypoints decoded from them."""
    stem = shared / "weights" / CORAL_RECORD / "reference" / photo
    golden, card = np.load(f"{stem}.npz"), json.loads(Path(f"{stem}.json").read_text())
    outputs = {
        name: (golden[name].astype(np.float32) - zero) * np.float32(scale)
        for name, (scale, zero) in card["output_quantization"].items()
    }
    return golden["input"], outputs, card["result"]


@pytest.mark.parametrize("photo", PHOTOS)
def test_goldens_of_the_quantised_one(photo, coral, shared):
    """Stored outputs are decoded exactly; our own are those of LiteRT's reference kernels.

    The stored ones are of kernels that round sums otherwise: their keypoints are up to a pixel off,
    and where the best two cells are equal (two people's wrists), another one is chosen.
    """
    values, outputs, result = coral_golden(shared, photo)
    pixels = zoo.read_image(shared / "images" / "reference" / PHOTOS[photo])
    placement = placement_of(pixels.shape[:2], coral.entry.preprocess, (353, 481))
    points = [
        {"part": part, "position": {"x": x, "y": y}, "score": score}
        for part, (x, y, score) in result.items()
    ]
    compare_keypoints(best_cells(read_coral_fields(outputs, 16)), points, placement, 1)
    ours, entry = raw(coral.predict(values)), coral.entry
    right = Reference(shared / "weights" / entry.weights / entry.file).run(values)
    assert ours.keys() == right.keys()
    for name, array in right.items():
        np.testing.assert_array_equal(ours[name], array, name)
    prepared, _ = prepare(pixels, coral.entry.preprocess, (353, 481))
    np.testing.assert_array_equal(prepared, values)


def test_people_are_where_corals_own_decoder_has_them(shared):
    """Its table is of the same picture, which it resizes a little otherwise."""
    _, outputs, _ = coral_golden(shared, "coral_posenet_test_image")
    people = decode_multiple(read_coral_fields(outputs, 16), **MULTIPLE)
    table = shared / "weights" / CORAL_RECORD / "coral_decoder_reference.csv"
    rows = [line.split(",") for line in table.read_text().splitlines()[1:]]
    expected = np.array([complex(float(x), float(y)) for *_, x, y in rows]).reshape(2, 17)
    assert len(people) == 2
    for positions in expected:
        away = [abs(person.positions - positions) for person in people]
        assert min(np.median(distances) for distances in away) < 4
        assert min(distances.max() for distances in away) < 8


def test_pictures_through_the_quantised_one(coral, shared):
    pixels = zoo.read_image(shared / "images" / "reference" / PHOTOS["coral_posenet_test_image"])
    people = coral.estimate_multiple_poses(pixels, nms_radius=30)
    assert len(people) == 2
    flipped = np.ascontiguousarray(pixels[:, ::-1])
    mirrored = coral.estimate_multiple_poses(flipped, nms_radius=30, mirror=True)
    for one, other in zip(people, mirrored, strict=True):
        for point, there in zip(one["keypoints"], other["keypoints"], strict=True):
            assert there["position"]["x"] == pytest.approx(640 - point["position"]["x"], abs=0.01)
            assert there["position"]["y"] == pytest.approx(point["position"]["y"], abs=0.01)
    single = coral.estimate_single_pose(pixels)
    assert list(coral.estimate_single_pose([pixels])) == [single]
    assert coral.estimate_multiple_poses(np.zeros((90, 120, 3), np.uint8)) == []
    assert coral.infer(pixels, embedding=True).shape == (1, 23, 31, 384)


@pytest.mark.parametrize("option", ["input_size", "output_stride"])
def test_the_quantised_one_has_one_size(option):
    with pytest.raises(ZooError, match=f"unknown option '{option}' of {CORAL}"):
        zoo.load(CORAL, **{option: 8})


# --- other widths and strides ---------------------------------------------------------------


def naive_posenet(weights, x, width: float, output_stride: int) -> dict[str, np.ndarray]:
    """MobileNetV1 with atrous convolutions, in float64, by convolutions of one pixel at a time."""

    def conv(x, layer, depthwise=False, **how):
        kind = "depthwise_weights" if depthwise else "weights"
        y = naive_conv(
            x, weights[f"MobilenetV1/{layer}/{kind}"], depthwise=depthwise, pad="same", **how
        )
        return y + weights[f"MobilenetV1/{layer}/biases"]

    reached, rate = 2, 1
    x = np.clip(conv(x, "Conv2d_0", strides=2), 0, 6)
    for i in range(1, 14):
        wanted = 2 if i in (2, 4, 6) or (i == 12 and width == 1.0) else 1
        how = {"strides": wanted}
        if reached == output_stride:
            how = {"dilations": rate}
            rate *= wanted
        else:
            reached *= wanted
        x = np.clip(conv(x, f"Conv2d_{i}_depthwise", depthwise=True, **how), 0, 6)
        x = np.clip(conv(x, f"Conv2d_{i}_pointwise"), 0, 6)
    return {name: conv(x, layer) for name, (layer, _) in HEADS.items()}


def seeded_weights(width: float, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Weights of a size that keeps the values of every layer about as large."""
    channels, weights = WIDTHS[width].channels, {}

    def add(layer, shape, fan_in):
        kind = "depthwise_weights" if layer.endswith("_depthwise") else "weights"
        size = shape[2] if kind == "depthwise_weights" else shape[3]
        scaled = rng.normal(size=shape) * np.sqrt(2 / fan_in)
        weights[f"MobilenetV1/{layer}/{kind}"] = scaled.astype(np.float32)
        weights[f"MobilenetV1/{layer}/biases"] = rng.normal(0, 0.1, size).astype(np.float32)

    add("Conv2d_0", (3, 3, 3, channels[0]), 27)
    for i in range(1, 14):
        add(f"Conv2d_{i}_depthwise", (3, 3, channels[i - 1], 1), 9)
        add(f"Conv2d_{i}_pointwise", (1, 1, *channels[i - 1 : i + 1]), channels[i - 1])
    for layer, count in HEADS.values():
        add(layer, (1, 1, channels[-1], count), channels[-1])
    return weights


@pytest.mark.sweep("whole")
@pytest.mark.parametrize(
    "width, output_stride", [(w, s) for w, member in WIDTHS.items() for s in member.output_strides]
)
def test_every_width_and_stride_against_a_naive_network(width, output_stride, rng):
    weights = seeded_weights(width, rng)
    x = rng.uniform(-1, 1, (1, 65, 97, 3)).astype(np.float32)
    model = GraphModel(build_posenet(weights, output_stride=output_stride))
    outputs, expected = raw(model.predict(x)), naive_posenet(weights, x, width, output_stride)
    for name, values in expected.items():
        assert outputs[name].shape == values.shape
        assert outputs[name].shape[1:3] == (64 // output_stride + 1, 96 // output_stride + 1)
        assert abs(outputs[name] - values).max() < (1e-3 if name == "heatmap" else 5e-3)


def test_stride_8_of_googles_checkpoint_on_a_photo(shared):
    weights = load_weights(shared / "weights" / GOOGLE)
    photo = zoo.read_image(shared / "images" / "reference" / "pose.jpg")
    values, _ = prepare(photo, zoo.load("posenet.tiny").entry.preprocess, (129, 129))
    outputs = raw(GraphModel(build_posenet(weights, output_stride=8)).predict(values))
    for name, expected in naive_posenet(weights, values, 0.75, 8).items():
        assert abs(outputs[name] - expected).max() < (1e-3 if name == "heatmap" else 5e-3)


def test_blocks_stop_halving_at_the_output_stride():
    strides = WIDTHS[1.0].strides
    assert np.prod([b.stride for b in strided_blocks(strides, 32)]) == 32
    assert [b.dilation for b in strided_blocks(strides, 8)] == [1] * 7 + [2] * 6 + [4]


def test_an_output_stride_that_a_width_lacks():
    with pytest.raises(ZooError, match=r"output_stride=32 .* width 0.75: use one of \[8, 16\]"):
        build_posenet(load_weights("posenet-tiny"), output_stride=32)


def test_weights_of_another_network():
    weights = dict(load_weights("posenet-tiny"))
    del weights["MobilenetV1/offset_2/weights"]
    with pytest.raises(WeightsError, match="no 'MobilenetV1/offset_2/weights'"):
        build_posenet(weights)
    weights["MobilenetV1/offset_2/weights"] = np.zeros((1, 1, 384, 17), np.float32)
    with pytest.raises(
        WeightsError, match=r"has shape \(1, 1, 384, 17\), expected \(1, 1, 384, 34\)"
    ):
        build_posenet(weights)
    weights["MobilenetV1/Conv2d_0/biases"] = np.zeros(20, np.float32)
    with pytest.raises(WeightsError, match=r"has 20 values, expected one of \[16, 24, 32\]"):
        build_posenet(weights)
    with pytest.raises(WeightsError, match="not the weights of a PoseNet"):
        build_posenet({})


# --- decoding, without a network ------------------------------------------------------------


def drawn_fields(people, shape=(9, 9), stride=16):
    """Outputs in which each person (a list of 17 points x + iy) is exactly right everywhere."""
    rows, columns = shape
    heat = np.full((rows, columns, 17), -9.0)
    offset = np.zeros((rows, columns, 34))
    forward, backward = np.zeros((rows, columns, 32)), np.zeros((rows, columns, 32))
    for points in people:
        cells = [(round(p.imag / stride), round(p.real / stride)) for p in points]
        for k, (cell, point) in enumerate(zip(cells, points, strict=True)):
            row, column = cell
            heat[row, column, k] = 4
            offset[row, column, [k, k + 17]] = (
                point.imag - row * stride,
                point.real - column * stride,
            )
        for e, (parent, child) in enumerate(EDGES):
            step = points[child] - points[parent]
            forward[(*cells[parent], [e, e + 16])] = step.imag, step.real
            backward[(*cells[child], [e, e + 16])] = -step.imag, -step.real
    named = zip(HEADS, (heat, offset, forward, backward), strict=True)
    return read_fields({name: value[None] for name, value in named}, stride)


@pytest.fixture
def two_people(rng):
    def person(x):
        return [complex(x + rng.uniform(-12, 12), 8 + 7 * k + rng.uniform(0, 3)) for k in range(17)]

    return [person(30), person(100)]


def test_people_are_told_apart(two_people):
    found = decode_multiple(drawn_fields(two_people), **MULTIPLE)
    assert len(found) == 2
    for points in two_people:
        nearest = min(found, key=lambda f: abs(f.positions - np.array(points)).max())
        np.testing.assert_allclose(nearest.positions, points, atol=1e-9)
        assert nearest.score == pytest.approx(1 / (1 + np.exp(-4)))


def test_limits_of_the_search(two_people):
    fields = drawn_fields(two_people)
    assert len(decode_multiple(fields, **{**MULTIPLE, "max_poses": 1})) == 1
    assert decode_multiple(fields, **{**MULTIPLE, "score_threshold": 0.99}) == []
    merged = decode_multiple(fields, **{**MULTIPLE, "nms_radius": 1000})
    assert len(merged) == 1


def test_an_empty_scene_has_nobody():
    assert decode_multiple(drawn_fields([]), **MULTIPLE) == []
    assert best_cells(drawn_fields([])).score < 1e-3


def test_points_outside_of_the_grid_stay_findable(two_people):
    far = [p - 60 for p in two_people[0]]  # half of the body is left of the picture
    clipped = [complex(max(p.real, 0), p.imag) for p in far]
    assert np.isfinite(decode_multiple(drawn_fields([clipped]), **MULTIPLE)[0].positions).all()


def test_the_skeleton_names_each_keypoint():
    assert len(BODY_17.names) == 17
    assert {i for pair in BODY_17.lines for i in pair} == set(range(17))
    assert {child for _, child in EDGES} == set(range(1, 17))
