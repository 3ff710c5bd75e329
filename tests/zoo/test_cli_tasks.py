"""The commands that look at photos, for every task: which function they call, and with what."""

import argparse
import csv
import io
import json
import os

import numpy as np
import pytest
from PIL import Image

import zoo
from tests.rules.test_imports import modules_after
from tests.zoo.test_cli import PHOTO, run
from weights_cache.errors import ZooError
from zoo.cli import _make_parser
from zoo.cli_tasks import TASKS

BOX = {"x": 10.0, "y": 20.0, "width": 100.0, "height": 80.0}
LABEL = {"label": "cat", "score": 0.75, "index": 3}
DETECTION = {"label": "dog", "score": 0.5, "box": BOX}
HAND = {"score": 0.5, "box": BOX, "handedness": "left", "handedness_score": 0.5, "keypoints": []}
GESTURE = {"label": "rock", "score": 0.5, "hand": 0, "handedness": "left", "box": BOX}
FACE = {"score": 0.5, "box": BOX, "landmarks": "points6", "keypoints": []}
MASK = {"mask": np.ones((512, 512), np.uint8), "labels": ["background", "person"]}


class Called:
    """Functions of the zoo that remember what they were given."""

    def __init__(self, monkeypatch):
        self.calls: list = []
        self._patch = monkeypatch

    def give(self, name: str, result) -> None:
        def function(image, **options):
            self.calls.append((name, options))
            if isinstance(result, Exception):
                raise result
            return result

        self._patch.setattr(zoo, name, function)


@pytest.fixture
def called(monkeypatch):
    return Called(monkeypatch)


PLAIN = {"mirror": False, "backend": None}


@pytest.mark.parametrize(
    "arguments, verb, result, options",
    [
        (["classify"], "classify", [LABEL], {}),
        (["classify", "--top-k", "5"], "classify", [LABEL], {"top_k": 5}),
        (["hands", "--max-hands", "1"], "estimate_hands", [HAND], {"max_hands": 1}),
        (["faces"], "estimate_faces", [FACE], {}),
        (["faces", "--boxes"], "detect_faces", [FACE], {}),
        (
            ["faces", "--iris", "--expressions", "--age-gender", "--landmarks", "mesh"],
            "estimate_faces",
            [FACE],
            {"iris": True, "expressions": True, "age_gender": True, "landmarks": "mesh"},
        ),
        (
            ["detect", "--labels", "dog, cat", "--score-threshold", "0.3"],
            "detect",
            [DETECTION],
            {"labels": ["dog", "cat"], "score_threshold": 0.3},
        ),
        (["segment"], "segment", MASK, {}),
        (["segment", "--person", "--mirror"], "segment_person", MASK, {"mirror": True}),
        (["segment", "--persons", "--backend", "cpu"], "segment_persons", [], {"backend": "cpu"}),
        (["segment", "--parts"], "segment_person_parts", MASK, {}),
        (
            ["detect", "--model", "ssd.mobilenet_v1"],
            "detect",
            [DETECTION],
            {"model": "ssd.mobilenet_v1"},
        ),
    ],
    ids=str,
)
def test_options_become_those_of_the_function(arguments, verb, result, options, capsys, called):
    called.give(verb, result)
    status, out, err = run(capsys, arguments[0], PHOTO, *arguments[1:], "--json")
    assert (status, err) == (0, [])
    assert called.calls == [(verb, PLAIN | options)]
    assert out == zoo.to_json(result) + "\n"


def test_gestures_are_those_of_the_hands_found(capsys, called, tmp_path):
    called.give("estimate_hands", [HAND])
    called.give("recognize_gestures", [GESTURE])
    target = tmp_path / "out.png"
    arguments = ["--model", "rules", "--hands-model", "hands.lite", "--score-threshold", "0.5"]
    status, out, _ = run(capsys, "gestures", PHOTO, *arguments, "--csv", "--draw", str(target))
    assert status == 0
    assert called.calls == [
        ("estimate_hands", PLAIN | {"model": "hands.lite"}),
        ("recognize_gestures", PLAIN | {"model": "rules", "score_threshold": 0.5}),
    ]
    assert [row["label"] for row in csv.DictReader(io.StringIO(out))] == ["rock"]
    expected = zoo.draw(PHOTO, [HAND, GESTURE])
    np.testing.assert_array_equal(np.asarray(Image.open(target)), np.asarray(expected))


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.command)
def test_every_task_draws_prints_and_helps(task, capsys, called, tmp_path):
    called.give(task.verb, [DETECTION])
    if task.then:
        called.give(task.then, [])
    status, out, err = run(capsys, task.command, PHOTO, "--draw", f"{tmp_path}/")
    assert (status, len(err)) == (0, 1)
    assert os.listdir(tmp_path) == [f"astronaut-{task.command}.png"]
    json.loads(out)
    status, out, _ = run(capsys, task.command, "--help")
    assert status == 0 and task.row in out


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.command)
def test_options_are_options_of_the_functions(task):
    verbs = [task.verb, *(verb for verb, _ in task.verbs.values())]
    for functions, flags in ((verbs, task.flags), ([task.then] * bool(task.then), task.then_flags)):
        known = [getattr(zoo, name).__kwdefaults__.keys() for name in functions]
        assert all({"model", "backend", "mirror"} <= names for names in known)
        wanted = {option for flag in flags for option in flag.options or (flag.field,)}
        assert wanted <= set().union(*known)


def test_results_of_several_photos(capsys, called, tmp_path):
    called.give("detect", [DETECTION])
    second = tmp_path / "second.png"
    Image.new("RGB", (200, 200)).save(second)
    out = run(capsys, "detect", PHOTO, str(second), "--csv")[1]
    assert [row["image"] for row in csv.DictReader(io.StringIO(out))] == [PHOTO, str(second)]
    out = run(capsys, "detect", PHOTO, str(second))[1]
    assert out.count("dog") == 2 and f"{second}:\n[\n" in out


def test_nothing_found(capsys, called):
    called.give("detect", [])
    assert run(capsys, "detect", PHOTO) == (0, "[]\n", [])
    assert run(capsys, "detect", PHOTO, "--csv") == (0, "", [])


def test_what_is_wrong_for_every_photo_is_told_once(capsys, called, tmp_path):
    called.give("classify", ZooError("top_k=0 must be a whole number at least 1"))
    second = tmp_path / "second.png"
    Image.new("RGB", (200, 200)).save(second)
    status, out, err = run(capsys, "classify", "no.jpg", PHOTO, str(second), "--top-k", "0")
    assert (status, out) == (2, "")
    assert len(err) == 2 and "no.jpg" in err[0] and "top_k=0" in err[1]


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["segment", PHOTO, "--person", "--parts"], "not allowed with"),
        (["classify", PHOTO, "--top-k", "many"], "invalid int value: 'many'"),
        (["detect", PHOTO, "--model", "sdd.mobilenet_v1"], "did you mean 'ssd.mobilenet_v1'"),
        (["detect", PHOTO, "--model", "posenet.tiny"], "posenet.tiny cannot detect"),
        (["classify", PHOTO, "--model", "no/folder"], "no/folder"),
        (["describe", "ssd.mobilenet"], "did you mean 'ssd.mobilenet_v1'"),
    ],
)
def test_wrong_arguments_give_one_line(arguments, words, capsys):
    status, out, err = run(capsys, *arguments)
    assert (status, out, len(err)) == (2, "", 1)
    assert words in err[0]


def test_a_model_of_ones_own(capsys, monkeypatch):
    """What `zoo.load` makes of a path is used if it has the verb."""

    class Own:
        name = "./mine"

        def classify(self, image, *, top_k=3, mirror=False):
            return [{"label": "mine", "score": 1.0, "index": 0, "top_k": top_k}]

    monkeypatch.setattr(zoo, "load", lambda name, backend: Own())
    out = run(capsys, "classify", PHOTO, "--model", "./mine", "--top-k", "2", "--json")[1]
    assert json.loads(out)[0]["top_k"] == 2
    status, _, err = run(capsys, "detect", PHOTO, "--model", "./mine")
    assert status == 2 and "./mine cannot detect" in err[0]


def test_parsers_import_no_task(tmp_path):
    code = "import zoo.cli; zoo.cli._make_parser()"
    loaded = modules_after(code, tmp_path)
    assert not {name for name in loaded if name.count(".") >= 2 and name.startswith("zoo.")}
    assert not loaded & {"numpy", "PIL", "core"}


def test_a_task_imports_no_other(tmp_path):
    code = f"""
import io, contextlib
from zoo.cli import main
with contextlib.redirect_stdout(io.StringIO()):
    assert main(["pose", {PHOTO!r}]) == 0
"""
    loaded = modules_after(code, tmp_path)
    tasks = ("classification", "detection", "faces", "gestures", "hands", "segmentation")
    assert not {name for name in loaded if name.endswith(tuple(f"zoo.{t}.verbs" for t in tasks))}
    assert not {name for name in loaded if name.startswith(("zoo.drawing", "zoo.cards", "pandas"))}


def test_commands_are_in_the_help(capsys):
    out = run(capsys, "--help")[1]
    assert all(f"    {task.command} " in out for task in TASKS)
    parser = _make_parser()
    actions = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
    assert {*(task.command for task in TASKS), "describe"} <= actions[0].choices.keys()


@pytest.mark.parametrize(
    "arguments, label",
    [
        (["detect", "photos/dogs_demo.jpg", "--labels", "dog"], "dog"),
        (["classify", "photos/coffee.jpg", "--top-k", "1"], "coffee mug"),
        (["gestures", "photos/hand_pakutaso_vsign.jpg"], "victory"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else value,
)
def test_real_models(arguments, label, capsys, monkeypatch, shared, tmp_path):
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
    command, photo, *more = arguments
    target = tmp_path / "out.png"
    out = run(
        capsys, command, str(shared / "images" / photo), *more, "--json", "--draw", str(target)
    )
    assert {thing["label"] for thing in json.loads(out[1])} == {label}
    assert target.stat().st_size > 10_000


# --- cards ------------------------------------------------------------------------------------


def test_a_card_says_what_is_known(capsys):
    status, out, err = run(capsys, "describe", "posenet.tiny")
    assert (status, err) == (0, [])
    assert out == zoo.describe("posenet.tiny") + "\n"
    facts = {line[:12].strip(): line[12:] for line in out.splitlines()[1:]}
    assert facts["task"] == "pose: estimate_multiple_poses, estimate_single_pose, infer"
    assert facts["size"].startswith("1.3 MB in 2 files (bundled)")
    assert facts["options"] == "output_stride=16 (8, 16), input_size=257"
    assert facts["inputs"] == "image: float32 [any, any, any, 3]"
    assert {"licence", "source", "origin", "accuracy", "network", "pictures"} <= facts.keys()


@pytest.mark.parametrize("name", zoo.models())
def test_every_model_has_a_card_without_its_weights(name):
    card = zoo.describe(name)
    assert card.startswith(f"{name}: ")
    assert max(map(len, card.splitlines()[1:])) <= 110
    assert f"'zoo weights fetch {name}'" in " ".join(card.split()) or "(bundled)" in card


def test_a_card_with_weights_tells_the_network(monkeypatch, shared):
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
    card = zoo.describe("ssd.mobilenet_v1")
    assert "labels      80 (coco_90): person, bicycle" in card
    assert "float32 [1, 300, 300, 3]" in card and "4,108,946 parameters" in card
    assert "uint8" in card


def test_damaged_weights_are_told_in_the_card(monkeypatch, tmp_path, shared):
    name = "ssd-mobilenet-v1-coco-quant-tflite"
    (tmp_path / name).mkdir()
    for file in (shared / "weights" / name).iterdir():
        if file.is_file():
            (tmp_path / name / file.name).write_bytes(bytes(file.stat().st_size))
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(tmp_path))
    monkeypatch.setenv("ZOO_OFFLINE", "1")
    assert "network     cannot be read: " in zoo.describe("ssd.mobilenet_v1")
