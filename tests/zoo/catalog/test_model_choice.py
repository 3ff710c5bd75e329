"""What ``model=`` takes: names, "fast" and "best", paths and loaded models; and what errors say."""

import os
import pydoc
from pathlib import Path

import numpy as np
import pytest

import zoo
from tests.conftest import ROOT
from tests.core.converter.teachable_bundles import write_bundle
from tests.zoo.pipeline.test_load_path import WEIGHTS, graph_topology
from weights_cache import write_weights
from weights_cache.common.errors import ZooError
from zoo.catalog.entries import choices, find_entry, tasks
from zoo.pipeline.model import make_model
from zoo.pipeline.model_cache import _kept
from zoo.pipeline.options import checked

PHOTO = ROOT / "gallery" / "one_line_pose" / "astronaut.jpg"


@pytest.fixture(scope="module")
def model():
    return zoo.load("posenet.tiny", input_size=193)


# --- "fast" and "best" --------------------------------------------------------------------------


def test_fast_and_best_stand_for_names():
    for verb, its in choices().items():
        for choice in ("fast", "best"):
            name = getattr(its, choice)
            if name != "rules":
                assert find_entry(choice, verb) is find_entry(f"{verb}.{choice}")
                assert find_entry(choice, verb).name == name
    assert {find_entry(f"{task}.best").task for task in tasks() if task != "gestures"} == {
        task for task in tasks() if task != "gestures"
    }


def test_functions_take_them():
    assert choices()["estimate_single_pose"].fast == "posenet.tiny"
    expected = zoo.estimate_single_pose(PHOTO, model="posenet.tiny")
    assert zoo.estimate_single_pose(PHOTO, model="fast") == expected
    assert zoo.estimate_single_pose(PHOTO, model="pose.fast") == expected
    hand = {"keypoints": [{"position": {"x": 0.0, "y": -float(y)}} for y in range(21)]}
    assert zoo.recognize_gestures([hand], model="best")[0]["label"] == "open_palm"


def test_names_go_before_folders(tmp_path, monkeypatch):
    (tmp_path / "fast").mkdir()
    monkeypatch.chdir(tmp_path)
    assert zoo.estimate_single_pose(PHOTO, model="fast")["keypoints"]


def test_load_and_describe_take_them():
    assert zoo.load("pose.fast").name == "posenet.tiny"
    assert zoo.load("estimate_multiple_poses.fast", output_stride=8).options["output_stride"] == 8
    assert zoo.describe("pose.fast") == zoo.describe("posenet.tiny")
    with pytest.raises(ZooError, match="unknown model 'fast': .* such as 'pose.fast'"):
        zoo.load("fast")
    with pytest.raises(ZooError, match="no network but rules, zoo.GestureRecognizer"):
        zoo.load("gestures.best")


# --- a loaded model -----------------------------------------------------------------------------


def test_functions_take_a_loaded_model(model):
    expected = model.estimate_multiple_poses(PHOTO, max_poses=2)
    assert zoo.estimate_multiple_poses(PHOTO, model=model, max_poses=2, backend="cpu") == expected
    assert zoo.estimate_multiple_poses([PHOTO], model=model, max_poses=2) == [expected]


@pytest.mark.parametrize(
    "call, message",
    [
        (
            lambda m: zoo.classify(PHOTO, model=m),
            "posenet.tiny cannot classify: it can .*mobilenet",
        ),
        (
            lambda m: zoo.estimate_single_pose(PHOTO, model=m, input_size=257),
            r"chosen when the model is loaded: zoo.load\('posenet.tiny', input_size=",
        ),
        (
            lambda m: zoo.estimate_single_pose(PHOTO, model=m, second_look=True),
            "unknown option 'second_look' of estimate_single_pose: did you mean 'refine'",
        ),
        (
            lambda m: zoo.estimate_single_pose(PHOTO, model=m, backend="shader"),
            "the model posenet.tiny was loaded on 'cpu': leave out backend",
        ),
    ],
)
def test_a_loaded_model_that_does_not_fit(model, call, message):
    with pytest.raises(ZooError, match=message):
        call(model)


def test_a_loaded_detector(shared, monkeypatch):
    """It runs as it was loaded, and stays open when the model that used it is closed."""
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
    group = shared / "images" / "photos" / "coco_000000005001.jpg"
    with zoo.load("faceapi.tiny_detector", input_size=608) as detector:
        points = "points68_tiny"
        small = zoo.estimate_faces(group, landmarks=points)
        large = zoo.estimate_faces(group, landmarks=points, detector=detector)
        assert len(large) > len(small)
        with zoo.load("faceapi.landmark68_tiny", detector=detector) as user:
            assert user.part("detector") is detector
            assert user.estimate_faces(group) == large
        assert detector.detect_faces(group)
        with pytest.raises(ZooError, match=r"detector=.* of hands.lite must be one of"):
            zoo.estimate_hands(PHOTO, detector=detector)


def test_gestures_take_loaded_models(shared, monkeypatch):
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
    photo = shared / "images" / "photos" / "gesture_rock_2.jpg"
    hands = zoo.load("hands.lite")
    signs = zoo.load("gesture.keypoints")
    found = zoo.recognize_gestures(photo, hands_model=hands)
    assert [gesture["label"] for gesture in found] == ["rock"]
    assert found == zoo.recognize_gestures(photo, hands_model="fast")
    both = zoo.recognize_gestures([photo, photo], model=signs, hands_model=hands)
    assert both[0] == both[1] == signs.recognize_gestures(hands.estimate_hands(photo))
    per_image = hands.estimate_hands([photo, photo])
    assert signs.recognize_gestures(per_image) == both
    assert [t.shape for t in zoo.infer(per_image, model=signs)] == [(1, 3), (1, 3)]


# --- a path -------------------------------------------------------------------------------------


def test_functions_take_a_path(tmp_path):
    """Of Teachable Machine; loaded once."""
    _kept.clear()
    path = write_bundle(tmp_path / "bundle")
    labels = zoo.load(path).classify(PHOTO)
    assert zoo.classify(PHOTO, model=path) == zoo.classify(PHOTO, model=str(path)) == labels
    assert len(_kept) == 1
    with pytest.raises(ZooError, match="unknown option 'mirrored' of classify: did you mean"):
        zoo.classify(PHOTO, model=path, mirrored=True)


def test_a_path_without_a_task(tmp_path):
    with pytest.raises(ZooError, match="nothing.tflite"):
        zoo.classify(PHOTO, model=tmp_path / "nothing.tflite")
    exported = tmp_path / "model"
    write_weights(exported, WEIGHTS, topology=graph_topology())
    with pytest.raises(ZooError, match="cannot classify: the task of a network from a file"):
        zoo.classify(PHOTO, model=Path(exported))
    with pytest.raises(ZooError, match="mobilenet.v2_100_quant"):
        zoo.classify(PHOTO, model=os.fspath(exported))


# --- names of other worlds ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "model, said, others",
    [
        ("movenet", "movenet.lightning, movenet.lightning_ptq, movenet.thunder", "posenet"),
        ("PoseNet", "posenet.tiny", "movenet"),
        ("posenet.huge", "posenet.mobilenet_v1_075", "movenet"),
        ("yolov8n.pt", "export it as an ONNX file", "posenet"),
        ("resnet50", "export it as an ONNX file", "posenet"),
        ("xyz", "blazepose.lite", "hands.lite"),
    ],
)
def test_unknown_models_get_few_names(model, said, others):
    with pytest.raises(ZooError) as raised:
        zoo.estimate_single_pose(PHOTO, model=model)
    text = str(raised.value)
    assert said in text and len(text) < 350
    assert model in ("xyz", "resnet50", "yolov8n.pt") or others not in text


@pytest.mark.parametrize(
    "verb, option, ours",
    [
        ("detect", "conf", "score_threshold"),
        ("detect", "iou", "iou_threshold"),
        ("estimate_single_pose", "device", "backend"),
        ("estimate_single_pose", "flip_horizontal", "mirror"),
        ("estimate_hands", "num_hands", "max_hands"),
        ("classify", "topk", "top_k"),
    ],
)
def test_options_of_other_libraries(verb, option, ours):
    with pytest.raises(ZooError, match=f"unknown option '{option}' of {verb}: .*'{ours}'"):
        getattr(zoo, verb)(PHOTO, **{option: 1})


@pytest.mark.parametrize("name", ["gpu", "cuda", "cuda:0", "MPS"])
def test_backends_of_other_libraries(name, model):
    calls = [
        lambda: zoo.load("posenet.tiny", backend=name),
        lambda: zoo.estimate_single_pose(PHOTO, backend=name),
        lambda: zoo.estimate_single_pose(PHOTO, backend=name, model=model),
    ]
    for call in calls:
        with pytest.raises(ZooError, match="backend='shader'"):
            call()


@pytest.mark.parametrize(
    "name, ours",
    [
        ("estimate_pose", "zoo.estimate_single_pose"),
        ("hand", "zoo.estimate_hands"),
        ("segmnt", "zoo.segment"),
    ],
)
def test_unknown_names_of_the_module(name, ours):
    with pytest.raises(AttributeError, match=ours) as raised:
        getattr(zoo, name)
    assert raised.value.obj is None  # where Python would look for a guess of its own


def test_cards_are_shown_as_lines(model):
    for card in (zoo.describe("posenet.tiny"), model.describe()):
        assert isinstance(card, str) and repr(card) == card and "\n" in repr(card)


# --- batches ------------------------------------------------------------------------------------


def in_batches(name: str, most: int):
    entry = find_entry(name)._replace(together=most)
    return make_model(entry, checked(name, entry.options, {}))


@pytest.fixture
def runs(monkeypatch):
    """How many images each run of a network had."""
    from zoo.pipeline.model import Model

    counts = []
    outputs = Model.outputs_of
    monkeypatch.setattr(
        Model,
        "outputs_of",
        lambda self, values: counts.append(len(values)) or outputs(self, values),
    )
    return counts


@pytest.mark.parametrize("mirror", [False, True])
def test_images_of_a_list_run_in_batches(mirror, runs):
    pixels = zoo.read_image(PHOTO)
    images = [pixels, pixels[::-1, :300], np.rot90(pixels), pixels[100:], PHOTO]
    single = [zoo.load("posenet.tiny").estimate_single_pose(i, mirror=mirror) for i in images]
    runs.clear()
    model = in_batches("posenet.tiny", 2)
    found = model.estimate_single_pose(images, mirror=mirror)
    assert runs == [2, 2, 1]
    for ours, expected in zip(found, single, strict=True):
        for point, other in zip(ours["keypoints"], expected["keypoints"], strict=True):
            assert point["part"] == other["part"]
            assert point["position"] == pytest.approx(other["position"], abs=1e-3)
    for lazy in (iter(images), (i for i in images)):
        runs.clear()
        next(model.estimate_single_pose(lazy))
        assert runs == [1]


def test_batches_hold_few_bytes(runs, monkeypatch):
    monkeypatch.setattr("zoo.images.lists.MOST_BYTES", 64 * 64 * 3 * 2)
    black = np.zeros((64, 64, 3), np.uint8)
    in_batches("posenet.tiny", 16).estimate_multiple_poses([black] * 5)
    assert runs == [2, 2, 1]
    runs.clear()
    in_batches("posenet.tiny", 16).estimate_multiple_poses([np.zeros((99, 99, 3), np.uint8)] * 2)
    assert runs == [1, 1]


# --- help ---------------------------------------------------------------------------------------


def test_help_begins_with_a_tour():
    text = pydoc.plain(pydoc.render_doc(zoo))
    tour = text[: text.index("PACKAGE CONTENTS")]
    assert all(verb in tour for verb in choices())
    assert all(word in tour for word in ("zoo.load", "mirror=True", "ZooError", "zoo.Pose"))
