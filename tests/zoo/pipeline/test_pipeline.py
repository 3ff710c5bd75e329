"""From any source to a result: one or several pictures, mirror images, options, expert access."""

import ast
import inspect
import io
import itertools
import threading
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import core
import zoo
from core.errors import CoreError
from tests.conftest import ROOT
from tests.helpers import PATIENCE
from tests.zoo.tasks.audit import audit
from weights_cache.common.errors import WeightsError, ZooError
from zoo.catalog.entries import all_entries, choices, model_class
from zoo.catalog.entry import Preprocess
from zoo.catalog.option import flag
from zoo.images.lists import is_several
from zoo.pipeline.binding import bind
from zoo.pipeline.model_cache import KEPT_MODELS, _kept
from zoo.pipeline.options import checked_value
from zoo.pipeline.preprocess import placement_of
from zoo.shared.personlab import Points, decode_multiple, prominence
from zoo.tasks.pose import verbs
from zoo.tasks.pose.posenet import valid_size

PHOTO = ROOT / "gallery" / "one_line_pose" / "astronaut.jpg"


@pytest.fixture(scope="module")
def pixels():
    return zoo.read_image(PHOTO)


@pytest.fixture(scope="module")
def model():
    return zoo.load("posenet.tiny")


def positions(pose) -> np.ndarray:
    return np.array([[p["position"]["x"], p["position"]["y"]] for p in pose["keypoints"]])


def test_the_result_is_plain(model):
    pose = model.estimate_single_pose(PHOTO)
    assert list(pose) == ["score", "keypoints", "box"]
    assert type(pose["score"]) is float
    for point in pose["keypoints"]:
        assert list(point) == ["part", "position", "score"]
        assert {type(point["score"]), *map(type, point["position"].values())} == {float}
    assert {*map(type, pose["box"].values())} == {float}
    people = model.estimate_multiple_poses(PHOTO)
    assert type(people) is list
    assert list(people[0]) == ["score", "keypoints", "box"]


def test_every_kind_of_source_gives_the_same_pose(pixels, model):
    expected = model.estimate_single_pose(pixels)
    sources = [
        str(PHOTO),
        PHOTO,
        PHOTO.read_bytes(),
        io.BytesIO(PHOTO.read_bytes()),
        Image.open(PHOTO),
        Image.fromarray(pixels),
        pixels.astype(np.float32) / 255,
        np.dstack([pixels, np.full(pixels.shape[:2], 255, np.uint8)]),
        core.tensor(pixels),
        core.tensor(pixels / 255),
    ]
    for source in sources:
        assert model.estimate_single_pose(source) == expected, type(source)


def test_several_pictures_are_lazy(pixels, model):
    taken = []

    def endless():
        for i in itertools.count():
            taken.append(i)
            yield pixels

    results = model.estimate_single_pose(endless())
    assert taken == []
    first = next(results)
    assert taken == [0]
    assert first == model.estimate_single_pose(pixels)


@pytest.mark.parametrize("wrap", [list, tuple, iter, np.stack, lambda x: core.tensor(np.stack(x))])
def test_batches_equal_single_pictures(wrap, pixels, model):
    pictures = [pixels, pixels[::-1].copy(), np.rot90(pixels).copy()]
    single = [model.estimate_single_pose(p) for p in pictures]
    assert list(model.estimate_single_pose(wrap(pictures))) == single


def test_an_unreadable_picture_does_not_end_the_others_of_an_iterator(pixels, model):
    results = model.estimate_multiple_poses(iter([pixels, "no-such-file.jpg", pixels]))
    assert next(results) == model.estimate_multiple_poses(pixels)
    with pytest.raises(zoo.ImageError, match=r"^image at index 1: there is no file 'no-such-file"):
        next(results)
    assert len(next(results)) == 1


def test_a_list_gives_a_list(pixels, model):
    poses = model.estimate_single_pose([pixels, PHOTO])
    assert isinstance(poses, list) and len(poses) == 2
    [alone] = zoo.estimate_single_pose([PHOTO], model=model)
    assert poses[1] == alone == model.estimate_single_pose(PHOTO)
    assert model.estimate_single_pose([]) == []
    assert isinstance(model.estimate_single_pose(pixels[None]), list)


def test_the_error_of_a_list_says_which_image(pixels, model):
    with pytest.raises(zoo.ImageError, match=r"^image at index 1: there is no file 'no-such-file"):
        model.estimate_single_pose([pixels, "no-such-file.jpg"])
    with pytest.raises(zoo.ImageError, match="^image at index 2: float64 array has NaN"):
        model.infer((pixels, pixels, np.full((9, 9), np.nan)))


def test_features_of_a_list(pixels, model):
    one = model.infer(pixels, embedding=True)
    several = zoo.infer([pixels, PHOTO], embedding=True, model=model)
    assert isinstance(several, list)
    np.testing.assert_array_equal(np.concatenate(several), np.concatenate([one, one]))
    assert next(model.infer(iter([pixels]))).shape == (1, 17, 17, 17)


def test_what_counts_as_several(pixels):
    assert is_several([pixels]) and is_several(iter([])) and is_several(pixels[None])
    with PHOTO.open("rb") as file:
        assert not is_several(file)
    for single in (pixels, str(PHOTO), b"bytes", Path("x"), Image.fromarray(pixels), 5):
        assert not is_several(single)


@pytest.mark.parametrize("shape", [(512, 512), (512, 301), (200, 512)])
def test_mirror_images(shape, pixels, model):
    """f(flip(img), mirror=True) is flip(f(img)), with the left and right of the real person."""
    picture = pixels[: shape[0], : shape[1]]
    flipped = np.ascontiguousarray(picture[:, ::-1])
    pose, mirrored = (
        model.estimate_single_pose(picture),
        model.estimate_single_pose(flipped, mirror=True),
    )
    expected = positions(pose)
    expected[:, 0] = shape[1] - expected[:, 0]
    np.testing.assert_allclose(positions(mirrored), expected, atol=0.01)
    assert [p["score"] for p in mirrored["keypoints"]] == [p["score"] for p in pose["keypoints"]]
    people = model.estimate_multiple_poses(picture)
    for one, other in zip(people, model.estimate_multiple_poses(flipped, mirror=True), strict=True):
        expected = positions(one)
        expected[:, 0] = shape[1] - expected[:, 0]
        np.testing.assert_allclose(positions(other), expected, atol=0.01)


def test_without_mirror_left_and_right_are_those_of_the_picture(pixels, model):
    """The eyes stay where they are in the picture; their names change sides."""
    upright = positions(model.estimate_single_pose(pixels))
    flipped = positions(model.estimate_single_pose(np.ascontiguousarray(pixels[:, ::-1])))
    left_eye, right_eye = 1, 2
    assert abs(flipped[left_eye][0] - (512 - upright[right_eye][0])) < 15


@pytest.mark.parametrize("size", [(37, 400), (400, 37), (1, 1), (3, 2000)])
def test_odd_shapes(size, model, rng):
    picture = rng.integers(0, 256, (*size, 3), np.uint8)
    audit(model.estimate_single_pose(picture), size)
    audit(model.estimate_multiple_poses(picture, score_threshold=0), size)


def test_poses_are_best_first(shared):
    """The decoder finds them in the order of their best keypoints."""
    model = zoo.load("posenet.tiny", input_size=257)
    photo = zoo.read_image(shared / "images" / "reference" / "three_people.jpg")
    fields = model.fields(model.run_on_image(photo)[0])
    found = decode_multiple(fields, max_poses=20, score_threshold=0.5, nms_radius=20)
    scores = [person.score for person in found]
    assert scores != sorted(scores, reverse=True)
    people = model.estimate_multiple_poses(photo, score_threshold=0)
    assert [pose["score"] for pose in people] == sorted(scores, reverse=True)[:5]
    sure = model.estimate_multiple_poses(photo)
    assert sure == [pose for pose in people if pose["score"] >= 0.15] != people
    people = sure
    assert model.estimate_multiple_poses(photo, max_poses=1) == people[:1]
    options = ("max_poses", "score_threshold", "keypoint_threshold", "nms_radius")
    assert model.estimate_multiple_poses(photo, **dict.fromkeys(options)) == people


def test_a_single_pose_is_that_of_one_person(shared):
    """It was made of the best joints of everybody."""
    model = zoo.load("posenet.tiny", input_size=257)  # or else several people have a larger one
    for name in ("three_people.jpg", "coco_000000001000.jpg", "coral_test_image.jpg"):
        photo = zoo.read_image(shared / "images" / "photos" / name)
        everybody = model.estimate_multiple_poses(photo, max_poses=20)
        assert len(everybody) > 1
        assert model.estimate_single_pose(photo) in everybody


def test_who_stands_in_front_is_the_single_pose():
    """Small people in the background may have more of their joints in the image."""
    small, large = np.linspace(0, 20, 17) * (1 + 1j), np.linspace(0, 200, 17) * (1 + 1j)
    behind = Points(small, np.full(17, 0.9), 0.9)
    in_front = Points(large, np.r_[np.full(10, 0.9), np.zeros(7)], 0.5)
    assert prominence(in_front) > prominence(behind) > 0
    assert prominence(Points(large, np.full(17, 0.1), 0.1)) == 0


def test_nobody_is_nobody(model, shared):
    for name in ("coffee.jpg", "coco_000000403353.jpg", "coral_parrot.jpg"):
        photo = shared / "images" / "photos" / name
        assert model.estimate_single_pose(photo) == {"score": 0.0, "keypoints": []}
        assert model.estimate_multiple_poses(photo) == []


POSE_MODELS = [
    name
    for name, entry in all_entries().items()
    if entry.task == "pose" and hasattr(model_class(entry), "estimate_single_pose")
]


@pytest.mark.parametrize("name", POSE_MODELS)
@pytest.mark.parametrize("verb", ["estimate_single_pose", "estimate_multiple_poses"])
def test_functions_have_the_defaults_of_methods(verb, name):
    of_function = dict(getattr(verbs, verb).__kwdefaults__)
    assert of_function.pop("model") == "topdown.tiny"
    chosen = {k: v for k, v in of_function.items() if v is not None}
    defaults = getattr(model_class(all_entries()[name]), verb).__kwdefaults__
    assert chosen.items() <= defaults.items()


PUBLIC_VERBS = [(choice, getattr(zoo, choice)) for choice in choices()]


@pytest.mark.parametrize(("verb", "function"), PUBLIC_VERBS)
def test_functions_hand_on_every_option_and_the_image_itself(verb, function):
    """By name, so that a reader and a search find the way of each from here to the decoder."""
    tree = ast.parse(inspect.getsource(inspect.unwrap(function))).body[0]
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    if verb != "recognize_gestures":  # which has two models
        (bound,) = [c for c in calls if getattr(c.func, "id", "") in ("bind_model", "_bind_faces")]
        assert [(k.arg, ast.unparse(k.value)) for k in bound.keywords] == [
            (option, option) for option in function.__kwdefaults__
        ]
        assert ast.unparse(tree.body[-1]) == f"return bound.model.{verb}(image, **bound.options)"


def test_no_call_takes_all_local_variables_and_no_context_knows_an_image():
    for file in (ROOT / "zoo").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call):
                assert ast.unparse(node.func) != "locals", file
                is_identity = ast.unparse(node) in ("id(image)", "id(pixels)", "id(frame)")
                assert not is_identity, file


@pytest.mark.parametrize(("verb", "function"), [v for v in PUBLIC_VERBS if v[0] != "infer"])
def test_binding_is_all_but_the_image(verb, function, pixels, shared, monkeypatch):
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
    bound = bind(function, mirror=True)
    found = getattr(bound, "hands", bound)  # of gestures, the function that finds the hands
    assert found.verb in (verb, "estimate_hands") and found.options["mirror"] is True
    assert hasattr(found.model, found.verb)
    if found is bound:
        results = getattr(bound.model, verb)(pixels, **bound.options)
        assert repr(results) == repr(function(pixels, mirror=True))


@pytest.mark.parametrize(
    ("function", "options", "message"),
    [
        (zoo.estimate_single_pose, {"mirrored": True}, "'mirrored' of estimate_single_pose: did"),
        (zoo.estimate_single_pose, {"refine": True}, "'refine' of topdown.tiny; valid options: mo"),
        (zoo.estimate_single_pose, {"model": "palm.lite"}, "palm.lite cannot estimate_single_pose"),
        (
            zoo.estimate_single_pose,
            {"output_stride": 9, "model": "posenet.tiny"},
            "output_stride=9 of posenet.tiny must be",
        ),
        (zoo.estimate_faces, {"landmarks": "nose"}, "landmarks='nose' must be one of"),
        (zoo.estimate_faces, {"landmarks": "mesh", "model": "blazeface.full"}, "contradict|leave"),
        (zoo.recognize_gestures, {"model": "rule"}, "did you mean 'rules'"),
        (zoo.recognize_gestures, {"mirror": "no"}, "mirror='no' must be True or False"),
    ],
)
def test_binding_refuses_what_the_function_refuses(function, options, message, pixels):
    for call in (lambda: bind(function, **options), lambda: function(pixels, **options)):
        with pytest.raises(ZooError, match=message):
            call()


def test_a_kept_model_needs_no_new_lock(pixels, monkeypatch):
    zoo.estimate_single_pose(pixels)
    monkeypatch.setattr("zoo.pipeline.model_cache.new_lock", None)
    zoo.estimate_single_pose(pixels)


def test_flags_are_true_or_false():
    mirror = flag("mirror", "")
    assert checked_value(mirror, np.bool_(True)) is True
    assert checked_value(mirror, False) is False
    for value in ("no", "", 0, 1, 1.0, None, [], np.array([True]), np.int64(1)):
        with pytest.raises(ZooError, match=r"^mirror=.* must be True or False$"):
            checked_value(mirror, value)


def test_the_letterbox_and_its_way_back():
    placement = placement_of((480, 640), Preprocess(), (257, 257))
    assert placement.to_image(0, 32) == (0, 0)
    assert placement.to_image(257, 32 + 480 * 257 / 640) == pytest.approx((640, 480))


@pytest.mark.parametrize("size", [161, 257, (225, 353), 385, 300])
@pytest.mark.parametrize("stride", [8, 16])
def test_any_resolution_and_stride_finds_the_face(size, stride, pixels):
    model = zoo.load("posenet.tiny", input_size=size, output_stride=stride)
    nose = positions(model.estimate_single_pose(pixels))[0]
    assert abs(nose - (224, 122)).max() < 12


@pytest.mark.parametrize(
    "given, stride, expected",
    [(257, 16, (257, 257)), (300, 16, (289, 289)), (256, 16, (241, 241)), ([100, 90], 8, (97, 89))],
)
def test_sizes_are_rounded_down(given, stride, expected):
    assert valid_size(given, stride) == expected


def test_expert_access(pixels, model):
    assert model.inputs["image"].shape == (None, None, None, 3)
    channels = {name: spec.shape[3] for name, spec in model.outputs.items()}
    assert channels == {
        "heatmap": 17,
        "offset": 34,
        "displacement_fwd": 32,
        "displacement_bwd": 32,
    }
    batch = np.zeros((2, 33, 49, 3), np.float32)
    outputs = model.predict(batch)
    assert {name: t.shape for name, t in outputs.items()} == {
        name: (2, 3, 4, count) for name, count in channels.items()
    }
    assert model.predict({"image": batch})["heatmap"].dtype == "float32"
    assert model.infer(pixels).shape == (1, 17, 17, 17)
    embedding = model.infer(pixels, embedding=True)
    assert embedding.shape == (1, 17, 17, 384)
    assert embedding.numpy().min() >= 0 and embedding.numpy().max() <= 6


def test_a_batch_through_the_network_equals_single_runs(model, rng):
    batch = rng.uniform(-1, 1, (3, 65, 65, 3)).astype(np.float32)
    together = model.predict(batch)
    for i in range(3):
        for name, tensor in model.predict(batch[i : i + 1]).items():
            np.testing.assert_allclose(tensor.numpy()[0], together[name].numpy()[i], atol=1e-4)


def test_weights_of_ones_own(shared, pixels):
    folder = shared / "weights" / "posenet-mobilenet-v1-075-float-pertensor"
    own = zoo.load("posenet.tiny", weights=folder)
    named = "posenet.mobilenet_v1_075"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
        expected = zoo.estimate_single_pose(pixels, model=named)
    assert own.estimate_single_pose(pixels) == expected


def test_a_closed_model(pixels):
    with zoo.load("posenet.tiny") as model:
        assert model.backend == "cpu"
    for use in (model.estimate_single_pose, model.infer, model.predict):
        with pytest.raises(ZooError, match=r"posenet.tiny is closed: load it again"):
            use(pixels)


def test_the_one_line_functions_keep_few_models(pixels):
    _kept.clear()
    for size in range(65, 65 + 16 * (KEPT_MODELS + 2), 16):
        zoo.estimate_single_pose(pixels, model="posenet.tiny", input_size=size)
    assert len(_kept) == KEPT_MODELS
    kept = list(_kept.values())[-1]
    zoo.estimate_multiple_poses(pixels, model="posenet.tiny", input_size=size)
    assert list(_kept.values())[-1] is kept


def test_a_kept_model_is_no_answer_on_another_backend(pixels, monkeypatch):
    zoo.estimate_single_pose(pixels)
    monkeypatch.setattr("zoo.pipeline.model_cache.network_backend", lambda given: "gpu")
    with pytest.raises(CoreError, match="unknown backend 'gpu'"):
        zoo.estimate_single_pose(pixels)


def test_others_need_not_wait_while_a_model_loads(pixels, monkeypatch):
    monkeypatch.setattr("zoo.pipeline.model_cache._kept", {})  # no other test has loaded them
    zoo.estimate_single_pose(pixels)
    started, go_on = threading.Event(), threading.Event()

    def slow(*_):
        started.set()
        assert go_on.wait(PATIENCE)
        raise ZooError("loaded")

    monkeypatch.setattr("zoo.pipeline.model_cache.make_model", slow)
    call = partial(zoo.estimate_single_pose, pixels, model="posenet.tiny", input_size=65)
    loading = threading.Thread(target=lambda: pytest.raises(ZooError, call))
    loading.start()
    assert started.wait(PATIENCE)
    zoo.estimate_single_pose(pixels)  # would wait for ever
    go_on.set()
    loading.join()


def test_threads_share_a_model(pixels, model):
    expected, found = model.estimate_multiple_poses(pixels), []
    threads = [
        threading.Thread(target=lambda: found.append(model.estimate_multiple_poses(pixels)))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 8


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: zoo.load("posenet.tny"), "'posenet.tny': did you mean 'posenet.tiny'"),
        (lambda: zoo.load("xyz"), r"unknown model 'xyz' \(models: .*posenet\.\*"),
        (lambda: zoo.load(5), "unknown model 5"),
        (lambda: zoo.load(["posenet.tiny"]), "unknown model"),
        (lambda: zoo.load("posenet.tiny", output_stride=16.0), "output_stride=16.0"),
        (lambda: zoo.load("posenet.tiny", output_stride=np.array([8, 16])), "output_stride="),
        (
            lambda: zoo.load("posenet.tiny", weights={"a": np.zeros(10**6)}),
            "a name or a path, not from a dict: write arrays",
        ),
        (lambda: zoo.load("some/folder"), "there is no file or folder some/folder"),
        (
            lambda: zoo.load("posenet.tiny", stride=8),
            r"did you mean 'output_stride'.*valid options: backend, weights, output_st",
        ),
        (lambda: zoo.load("posenet.tiny", output_stride=32), r"output_stride=32 .*\[8, 16\]"),
        (lambda: zoo.load("posenet.tiny", output_stride=True), "output_stride=True"),
        (lambda: zoo.load("posenet.tiny", output_stride=[8]), r"output_stride=\[8\]"),
        (
            lambda: zoo.load("posenet.tiny", input_size=8),
            "input_size=8 must be an integer between 33 and",
        ),
        (lambda: zoo.load("posenet.tiny", input_size=(257, "x")), "input_size='x'"),
        (
            lambda: zoo.load("posenet.tiny", input_size="big"),
            r"input_size='big' must be a number or \(height, width\)",
        ),
        (lambda: zoo.load("posenet.tiny", input_size=100_000), "between 33 and 4097"),
        (lambda: zoo.load("posenet.tiny", backend="gpu"), "use backend='auto'"),
        (lambda: zoo.load("posenet.tiny", backend="tpu"), "unknown backend 'tpu'"),
        (lambda: zoo.load("posenet.tiny", weights="nowhere"), "nowhere"),
        (
            lambda: zoo.estimate_single_pose(PHOTO, max_poses=3),
            r"unknown option 'max_poses'.*valid options: model, backend, score_thr",
        ),
        (lambda: zoo.estimate_multiple_poses(PHOTO, nms_raduis=3), "did you mean 'nms_radius'"),
        (
            lambda: zoo.load("posenet.tiny").estimate_multiple_poses(PHOTO, poses=3),
            "unknown option 'poses' of .*max_poses, score_threshold",
        ),
        (
            lambda: zoo.estimate_multiple_poses(PHOTO, max_poses=0),
            "max_poses=0 must be an integer of at least 1",
        ),
        (lambda: zoo.estimate_multiple_poses(PHOTO, max_poses=2.5), "max_poses=2.5"),
        (
            lambda: zoo.estimate_multiple_poses(PHOTO, score_threshold=50),
            "score_threshold=50 must be a number between 0",
        ),
        (
            lambda: zoo.estimate_multiple_poses(PHOTO, score_threshold=float("nan")),
            "score_threshold=nan",
        ),
        (
            lambda: zoo.estimate_multiple_poses(PHOTO, model="posenet.tiny", nms_radius=-1),
            "nms_radius=-1",
        ),
        (lambda: zoo.to_csv(5), "to_csv needs a pose"),
        (lambda: zoo.to_json({"x": float("nan")}), "not a result"),
    ],
)
def test_bad_options_give_one_clear_error(call, message):
    with pytest.raises(ZooError, match=message):
        call()


def test_numpy_numbers_are_as_good_as_pythons(pixels):
    plain = zoo.load("posenet.tiny", output_stride=8, input_size=129)
    model = zoo.load(
        "posenet.tiny", output_stride=np.int64(8), input_size=(np.int32(129), np.int64(129))
    )
    options = {
        "max_poses": np.int64(3),
        "keypoint_threshold": np.float32(0.5),
        "nms_radius": np.int8(9),
    }
    found = model.estimate_multiple_poses(pixels, **options)
    assert found == plain.estimate_multiple_poses(pixels, max_poses=3, nms_radius=9)
    assert type(found[0]["keypoints"][0]["position"]["x"]) is float


def test_results_of_several_images_are_no_result_of_one(pixels, model):
    """A table would take the poses of two photos for two people in one."""
    poses = model.estimate_single_pose([pixels, PHOTO])
    people = model.estimate_multiple_poses([pixels, PHOTO])
    for use in (zoo.to_json, zoo.to_csv, lambda r: zoo.draw(pixels, r)):
        with pytest.raises(ZooError, match="an iterator over the results of several images"):
            use(model.estimate_single_pose(iter([pixels])))
        for results in (poses, people, list(people)):
            with pytest.raises(ZooError, match="a list of the results of 2 images: (name|draw)"):
                use(results)
    table = zoo.to_csv(dict(zip(["a.jpg", "b.jpg"], poses, strict=True)))
    assert table.count("a.jpg,0,nose") == table.count("b.jpg,0,nose") == 1 or "b.jpg" in table


def test_an_empty_batch(model):
    outputs = model.predict(np.zeros((0, 33, 33, 3), np.float32))
    assert outputs["heatmap"].numpy().shape == (0, 3, 3, 17)


def test_the_model_last_used_is_the_last_to_go(pixels):
    _kept.clear()
    sizes = [65 + 16 * i for i in range(KEPT_MODELS + 1)]
    for size in sizes[:-1]:
        zoo.estimate_single_pose(pixels, model="posenet.tiny", input_size=size)
    first = next(iter(_kept.values()))
    zoo.estimate_single_pose(pixels, model="posenet.tiny", input_size=sizes[0])
    zoo.estimate_single_pose(pixels, model="posenet.tiny", input_size=sizes[-1])
    assert first in _kept.values()


def test_wrong_input_for_experts(model):
    with pytest.raises(CoreError, match=r"must have shape \(None, None, None, 3\)"):
        model.predict(np.zeros((33, 33, 3)))


def test_missing_weights_offline(monkeypatch):
    monkeypatch.setenv("ZOO_OFFLINE", "1")
    with pytest.raises(WeightsError, match="zoo weights fetch posenet.mobilenet_v1_075"):
        zoo.load("posenet.mobilenet_v1_075")


def test_results_as_text(model):
    people = model.estimate_multiple_poses(PHOTO)
    lines = zoo.to_csv({"a.jpg": people, "b.jpg": people[0]}).splitlines()
    columns = "image,pose,pose_score,box_x,box_y,box_width,box_height,part,x,y,score"
    assert lines[0] == columns
    assert len(lines) == 1 + 2 * 17
    nose, box = people[0]["keypoints"][0], people[0]["box"]
    values = [people[0]["score"], *box.values(), "nose", *nose["position"].values(), nose["score"]]
    assert lines[1] == ",".join(map(str, ["a.jpg", 0, *values]))
    assert zoo.to_json(people).startswith('[{"score": 0.')


@pytest.mark.long
def test_2000_poses_leak_nothing(model, pixels):
    """Run with -m long; prints the figures."""
    resident = []
    for i in range(2000):
        model.estimate_multiple_poses(pixels)
        if i == 100:
            before = core.memory()
        if i % 100 == 0:
            lines = Path("/proc/self/status").read_text().splitlines()
            resident.append(int(next(x for x in lines if x.startswith("VmRSS")).split()[1]) / 1024)
    print("RSS in MiB every 100 poses:", resident)
    assert core.memory() == before
    assert max(resident[1:]) - resident[1] < 5
