"""The commands that look at images, for every task: which function they call, and with what."""

import argparse
import csv
import io
import json
import os
import re

import numpy as np
import pytest
from PIL import Image

import zoo
from tests.core.converter.teachable_bundles import write_bundle
from tests.rules.test_imports import modules_after
from tests.zoo.cli.test_cli import PHOTO, run
from weights_cache.common.errors import ZooError
from zoo.catalog.entries import all_entries, choices, find_entry, is_entry, model_class
from zoo.catalog.unknown_models import able_models
from zoo.cli.commands import make_parser
from zoo.cli.task_commands import TASKS

BOX = {"x": 10.0, "y": 20.0, "width": 100.0, "height": 80.0}
LABEL = {"label": "cat", "score": 0.75, "index": 3}
DETECTION = {"label": "dog", "score": 0.5, "box": BOX}
HAND = {"score": 0.5, "box": BOX, "handedness": "left", "handedness_score": 0.5, "keypoints": []}
GESTURE = {"label": "rock", "score": 0.5, "hand": 0, "handedness": "left", "box": BOX}
FACE = {"score": 0.5, "box": BOX, "landmarks": "points6", "keypoints": []}
MASK = {"mask": np.ones((512, 512), np.uint8), "labels": ["background", "person"]}


def bounds(boxes) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of all boxes together."""
    edges = [(b["x"], b["y"], b["x"] + b["width"], b["y"] + b["height"]) for b in boxes]
    low, high = np.min(edges, axis=0), np.max(edges, axis=0)
    return (*low[:2], *high[2:])


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
    assert (status, len(err)) == (0, int(not result))  # a hint, where there is no result
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
        called.give(task.then, [GESTURE])
    status, out, err = run(capsys, task.command, PHOTO, "--draw", f"{tmp_path}/")
    assert (status, len(err)) == (0, 1)
    assert os.listdir(tmp_path) == [f"astronaut-{task.command}.png"]
    json.loads(out)
    status, out, _ = run(capsys, task.command, "--help")
    assert status == 0 and task.row in out


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.command)
def test_options_are_options_of_the_functions(task):
    verbs = {"": task.verb, **{switch: verb for switch, (verb, _) in task.verbs.items()}}
    for switch, verb in verbs.items():
        known = getattr(zoo, verb).__kwdefaults__.keys()
        assert {"model", "backend", "mirror"} <= known
        first = {f.keyword for f in task.flags() if switch in f.switches and not f.then}
        assert first <= known
    then = {flag.keyword for flag in task.flags() if flag.then}
    assert not then or then <= getattr(zoo, task.then).__kwdefaults__.keys()


FOR_EXPERTS = {
    "estimate_hands": {"iou_threshold"},
    "segment_persons": {"nms_radius"},
    "segment_person_parts": {"person_check"},
}


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.command)
def test_the_help_says_what_the_options_say(task, capsys):
    """Meaning, range and default of each flag are those of the option."""
    help_text = " ".join(run(capsys, task.command, "--help")[1].split())
    for flag in task.flags():
        option = flag.option
        assert option.meaning in help_text
        assert option.range in help_text
        if option.type != "flag" and option.default_text:
            assert f"default: {option.default_text}" in help_text


def options_of_some_models(verb):
    """And what says how a model tells palms or people apart, which is for experts."""
    models = [all_entries()[name] for name in able_models(verb)]
    options = [getattr(model_class(entry), verb).__kwdefaults__.keys() for entry in models]
    loading = {name for entry in models for name in entry.options}
    some = set().union(*options) - set.intersection(*map(set, options))
    return some | loading | FOR_EXPERTS.get(verb, set())


@pytest.mark.parametrize(
    "task, switch",
    [(task, switch) for task in TASKS for switch in ("", *task.verbs)],
    ids=lambda value: getattr(value, "command", value),
)
def test_every_keyword_has_its_flag(task, switch):
    """Those of all models of a function; those of some are for --option."""
    common = {"model", "backend", "mirror"}
    verb = task.verbs[switch][0] if switch else task.verb
    known = getattr(zoo, verb).__kwdefaults__.keys() - common - options_of_some_models(verb)
    flags = {f.keyword for f in task.flags() if switch in f.switches and not f.then} - common
    if not task.then:
        assert flags == known
        return
    assert known - flags == {"score_threshold"}  # of hands: the flag is that of gestures
    known = {"hands_model", "score_threshold"}  # and those of hands
    assert known <= getattr(zoo, task.then).__kwdefaults__.keys()
    assert {flag.option.name for flag in task.flags()} >= known


def test_options_of_gestures_are_those_of_hands(capsys, called):
    called.give("estimate_hands", [HAND])
    called.give("recognize_gestures", [GESTURE])
    option = ("--option", "score_threshold=0.25")
    assert run(capsys, "gestures", PHOTO, *option, "--score-threshold", "0.75")[0] == 0
    assert [options["score_threshold"] for _, options in called.calls] == [0.25, 0.75]


def test_other_options(capsys, called):
    called.give("estimate_hands", [HAND])
    given = ("detector=palm.full", "presence_threshold=0.3", "refine=False", "size=(3, 4)", "x=a=b")
    arguments = [word for option in given for word in ("--option", option)]
    status, _, err = run(capsys, "hands", PHOTO, "--max-hands", "1", *arguments)
    assert (status, err) == (0, [])
    ((_, options),) = called.calls
    assert options == PLAIN | {
        "max_hands": 1,
        "detector": "palm.full",
        "presence_threshold": 0.3,
        "refine": False,
        "size": (3, 4),
        "x": "a=b",
    }


def test_other_options_of_a_real_model(capsys):
    out = run(capsys, "pose", PHOTO, "--option", "detector_threshold=0.5", "--json")[1]
    assert json.loads(out) == zoo.estimate_multiple_poses(PHOTO, detector_threshold=0.5)


def test_results_of_several_photos(capsys, called, tmp_path):
    called.give("detect", [DETECTION])
    second = tmp_path / "second.png"
    Image.new("RGB", (200, 200)).save(second)
    out = run(capsys, "detect", PHOTO, str(second), "--csv")[1]
    assert [row["image"] for row in csv.DictReader(io.StringIO(out))] == [PHOTO, str(second)]
    out = run(capsys, "detect", PHOTO, str(second), "--text")[1]
    assert out.count("dog") == 2 and f"{second}:\n[\n" in out


def test_nothing_found(capsys, called):
    called.give("detect", [])
    status, out, _ = run(capsys, "detect", PHOTO)
    assert (status, out) == (0, "[]\n")
    assert run(capsys, "detect", PHOTO, "--csv")[:2] == (0, f"image\n{PHOTO}\n")


def test_what_is_wrong_for_every_photo_is_told_once(capsys, called, tmp_path):
    called.give("classify", ZooError("top_k=0 must be an integer of at least 1"))
    second = tmp_path / "second.png"
    Image.new("RGB", (200, 200)).save(second)
    status, out, err = run(capsys, "classify", "no.jpg", PHOTO, str(second), "--top-k", "0")
    assert (status, out) == (2, "")
    assert len(err) == 2 and "no.jpg" in err[0] and "--top-k 0 must" in err[1]


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["segment", PHOTO, "--person", "--parts"], "not allowed with"),
        (["classify", PHOTO, "--top-k", "many"], "invalid int value: 'many'"),
        (["detect", PHOTO, "--model", "sdd.mobilenet_v1"], "did you mean 'ssd.mobilenet_v1'"),
        (["detect", PHOTO, "--model", "posenet.tiny"], "posenet.tiny cannot detect"),
        (["classify", PHOTO, "--model", "no/folder"], "no/folder"),
        (
            ["pose", PHOTO, "--single", "--max-poses", "3"],
            "zoo: --max-poses does not go with --single",
        ),
        (["segment", PHOTO, "--threshold", "0.3"], "needs --person or --persons or --parts"),
        (["segment", PHOTO, "--persons", "--probability"], "does not go with --persons"),
        (["faces", PHOTO, "--boxes", "--iris"], "zoo: --iris does not go with --boxes"),
        (["pose", PHOTO, "--option", "input_size"], "must be NAME=VALUE"),
        (["pose", PHOTO, "--option", "max poses=3"], "must be NAME=VALUE"),
        (["pose", PHOTO, "--option", "mirror=True"], "has a flag of its own: --mirror"),
        (
            ["pose", PHOTO, "--option", "output=8"],
            "unknown option 'output' of estimate_multiple_poses",
        ),
        (["hands", PHOTO, "--option", "max_hands=1"], "has a flag of its own: --max-hands"),
        (["detect", PHOTO, "--labels", ""], "zoo: --labels [] is empty: omit it for all labels"),
        (["hands", PHOTO, "--model", "palm.lite"], "that can estimate_hands: hands.lite, hands."),
        (["hands", PHOTO, "--model", "palm.lite"], "it can detect, infer, and is a part of"),
        (["gestures", PHOTO, "--model", "hands.lite"], "--hands-model is what finds the hands"),
        (["describe", "ssd.mobilenet"], "did you mean 'ssd.mobilenet_v1'"),
    ],
)
def test_wrong_arguments_give_one_line(arguments, words, capsys, monkeypatch, shared):
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
    status, out, err = run(capsys, *arguments)
    assert (status, out, len(err)) == (2, "", 1)
    assert words in err[0]


def test_points_and_masks_are_whole_off_a_terminal(capsys, called, tmp_path):
    """What is short on a terminal would be lost in a file."""
    point = {"part": "0", "position": {"x": 1 / 3, "y": 2 / 3, "z": 0.1}, "score": 0.5}
    face = FACE | {"keypoints": [point] * 468}
    called.give("estimate_faces", [face])
    assert json.loads(run(capsys, "faces", PHOTO)[1]) == [face]
    assert "468 points" in run(capsys, "faces", PHOTO, "--text")[1]
    called.give("segment", MASK)
    assert "png" in json.loads(run(capsys, "segment", PHOTO)[1])["mask"]


def test_a_result_that_cannot_be_printed_is_one_of_several(capsys, called, monkeypatch, tmp_path):
    second = tmp_path / "second.png"
    Image.new("RGB", (20, 20)).save(second)
    wrong = [LABEL | {"score": float("nan")}]
    monkeypatch.setattr(zoo, "classify", lambda pixels, **_: [LABEL] if len(pixels) > 20 else wrong)
    status, out, err = run(capsys, "classify", PHOTO, str(second))
    assert (status, json.loads(out), len(err)) == (1, {PHOTO: [LABEL]}, 1)
    assert "'score' is nan" in err[0]


@pytest.mark.parametrize("name", ["fast", "best"])
def test_models_by_what_matters(name, capsys, called):
    called.give("detect", [])
    assert run(capsys, "detect", PHOTO, "--model", name)[0] == 0
    assert called.calls == [("detect", PLAIN | {"model": name})]


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.command)
def test_the_help_names_the_models(task, capsys):
    *_, table = run(capsys, task.command, "--help")[1].partition("\nmodels:\n")
    head, *rows = table.splitlines()
    assert head.split() == ["default", "fast", "best"]
    verbs = [task.then or task.verb, *(verb for verb, _ in task.verbs.values())]
    assert [row.split()[-3:] for row in rows] == [[*choices()[verb]] for verb in verbs]
    assert [row.split()[0] for row in rows[1:]] == [f"--{name}" for name in task.verbs]
    assert max(map(len, rows)) <= 80


def test_a_model_of_ones_own(capsys, tmp_path):
    """What `zoo.load` makes of a path is used if it has the verb."""
    path = str(write_bundle(tmp_path / "mine"))
    out = run(capsys, "classify", PHOTO, "--model", path, "--top-k", "2", "--json")[1]
    assert json.loads(out) == zoo.load(path).classify(PHOTO, top_k=2)
    status, _, err = run(capsys, "detect", PHOTO, "--model", path)
    assert status == 2 and "mine cannot detect" in err[0]


def test_fast_and_best_of_the_command_line(capsys):
    out = run(capsys, "pose", PHOTO, "--model", "fast", "--json")[1]
    assert json.loads(out) == zoo.estimate_multiple_poses(PHOTO, model="posenet.tiny")


def test_parsers_import_no_task(tmp_path):
    code = "import zoo.cli.commands; zoo.cli.commands.make_parser()"
    loaded = modules_after(code, tmp_path)
    own = {name for name in loaded if name.startswith("zoo.") and not name.startswith("zoo.cli.")}
    assert not {name for name in own if name.count(".") >= 2}
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
    others = {f"zoo.tasks.{task}.{module}" for task in tasks for module in ("verbs", "entries")}
    assert not loaded & {*others, "difflib", "weights_cache.kits"}
    assert not loaded & {"zoo.cli.weights_commands", "zoo.cli.convert_command", "_hashlib"}
    assert not loaded & {"weights_cache.atomic_files", "core.graph.control_flow_compiler"}
    assert not {
        name
        for name in loaded
        if name.startswith(("zoo.drawing", "zoo.pipeline.model_cards", "pandas"))
    }


def test_commands_are_in_the_help(capsys):
    out = run(capsys, "--help")[1]
    assert all(f"    {task.command} " in out for task in TASKS)
    parser = make_parser()
    actions = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
    assert {*(task.command for task in TASKS), "describe"} <= actions[0].choices.keys()


@pytest.mark.parametrize("command", [*(task.command for task in TASKS), "describe", "doctor"])
def test_a_known_command_has_the_only_parser(command):
    parser = make_parser(command)
    (action,) = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
    assert [*action.choices] == [command]
    assert action.choices[command].prog == f"zoo {command}"


@pytest.mark.parametrize(
    "arguments, label, place",
    [
        (["detect", "photos/dogs_demo.jpg", "--labels", "dog"], "dog", "box"),
        (["classify", "photos/coffee.jpg", "--top-k", "1"], "coffee mug", ""),
        (["gestures", "photos/hand_pakutaso_vsign.jpg"], "victory", "box"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else value,
)
def test_real_models(arguments, label, place, capsys, monkeypatch, shared, tmp_path):
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
    command, photo, *more = arguments
    target = tmp_path / "out.png"
    path = str(shared / "images" / photo)
    things = json.loads(run(capsys, command, path, *more, "--json", "--draw", str(target))[1])
    assert {thing["label"] for thing in things} == {label}
    pixels = zoo.read_image(path)
    changed = (zoo.read_image(target)[: len(pixels)] != pixels).any(axis=2)
    rows, columns = np.nonzero(changed)
    assert len(rows) > 0
    if place:  # what is drawn lies around the boxes, and reaches every edge of each
        left, top, right, bottom = bounds(thing["box"] for thing in things)
        size = max(pixels.shape)
        assert left - size / 20 <= columns.min() <= left + size / 50
        assert top - size / 10 <= rows.min() <= top + size / 50
        assert bottom - size / 50 <= rows.max() <= bottom + size / 20
    else:
        assert changed.mean() < 0.5


# --- cards ------------------------------------------------------------------------------------


def test_a_card_says_what_is_known(capsys):
    status, out, err = run(capsys, "describe", "posenet.tiny")
    assert (status, err) == (0, [])
    assert out == zoo.describe("posenet.tiny") + "\n"
    facts = {line[:12].strip(): line[12:] for line in out.splitlines()[1:]}
    assert facts["task"] == "pose: estimate_multiple_poses, estimate_single_pose, infer"
    assert facts["size"].startswith("1.3 MB in 2 files (bundled)")
    assert facts["options"].startswith("output_stride=16 (8, 16): input pixels per output cell")
    text = " ".join(out.split())
    assert "input_size=257, for several people 321: pixels to resize to" in text
    assert "max_poses=20 (1 or more): maximum number of people" in text
    assert "score_threshold=0.15 (0..1): minimum score of a pose" in text
    assert facts["inputs"] == "image: float32 [any, any, any, 3]"
    assert {"licence", "source", "origin", "accuracy", "network", "images"} <= facts.keys()


@pytest.mark.parametrize("name", zoo.models())
def test_every_model_has_a_card_without_its_weights(name):
    card = zoo.describe(name)
    assert card.startswith(f"{name}: {find_entry(name).title[:10]}")
    assert max(map(len, card.splitlines())) <= 88
    assert f"'zoo weights fetch {name}'" in " ".join(card.split()) or "(bundled)" in card


def test_a_card_with_weights_tells_the_network(monkeypatch, shared):
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
    card = zoo.describe("ssd.mobilenet_v1")
    assert "labels      80 (coco_90): person, bicycle" in card
    assert "float32 [1, 300, 300, 3], or quantised values in uint8" in " ".join(card.split())
    assert "pixels as they are, uint8" in card and "4,108,946 parameters" in card


@pytest.mark.parametrize("name", zoo.models())
def test_cards_with_weights_are_no_wider(name, monkeypatch, shared):
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
    assert max(map(len, zoo.describe(name).splitlines())) <= 88


def facts_of(name: str) -> dict[str, str]:
    """The lines of a card by their labels; without those that go on."""
    return {line[:12].strip(): line[12:] for line in zoo.describe(name).splitlines()[1:]}


@pytest.mark.parametrize(
    "name, fact, words",
    [
        ("iris.base", "images", "to 64 x 64, cropped around what a detector finds; pixels"),
        ("faceapi.expression", "images", "cropped around what a detector finds"),
        ("faceapi.expression", "labels", "7: neutral, happy, sad, angry, fearful, disgusted, sur"),
        ("faceapi.age_gender", "images", "cropped around what a detector finds"),
        ("faceapi.age_gender", "labels", "2: male, female"),
        ("palm.lite", "images", "keeping the aspect ratio"),
        ("bodypix.mobilenet_075", "labels", "25: background, left_face, right_face"),
        ("handtrack.ssd320", "labels", "7: open, closed, pinch, point"),
        ("faceapi.landmark68", "works with", "faceapi.tiny_detector (detector), faceapi.expr"),
    ],
)
def test_facts_of_cards(name, fact, words):
    assert words in facts_of(name)[fact]


def test_means_have_few_digits_and_no_model_works_with_itself():
    card = " ".join(zoo.describe("faceapi.landmark68").split())
    assert "pixels / 255 - (0.4815, 0.4588, 0.409)" in card
    assert "works with faceapi.tiny_detector (detector), faceapi.expression (expressions), " in card
    assert "faceapi.landmark68 (" not in card
    assert "labels" not in facts_of("posenet.tiny")


def test_damaged_weights_are_told_in_the_card(monkeypatch, tmp_path, shared):
    name = "ssd-mobilenet-v1-coco-quant-tflite"
    (tmp_path / name).mkdir()
    for file in (shared / "weights" / name).iterdir():
        if file.is_file():
            (tmp_path / name / file.name).write_bytes(bytes(file.stat().st_size))
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(tmp_path))
    monkeypatch.setenv("ZOO_OFFLINE", "1")
    assert "network     cannot be read: " in zoo.describe("ssd.mobilenet_v1")


# --- hints ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "task, switch",
    [(task, switch) for task in TASKS for switch in ("", *task.verbs) if task.see_more],
    ids=lambda value: getattr(value, "command", value),
)
def test_an_empty_answer_says_what_would_see_more(task, switch, capsys, called):
    verb = task.verbs[switch][0] if switch else task.verb
    nothing = {"mask": np.zeros((2, 2), np.uint8), "labels": ["background", "person"]}
    person = {"score": 0.0, "keypoints": []}
    called.give(verb, {"segment": nothing, "estimate_single_pose": person}.get(verb, []))
    if task.then:
        called.give(task.then, [])
    status, _, err = run(capsys, task.command, PHOTO, *([f"--{switch}"] if switch else []))
    assert status == 0
    assert err == [f"zoo: nothing was found in {PHOTO}: {task.see_more[switch]}"]


def test_every_task_but_labels_has_a_hint():
    assert [task.command for task in TASKS if not task.see_more] == ["classify"]
    assert all(task.see_more.keys() == {"", *task.verbs} for task in TASKS if task.see_more)


def test_options_of_hints_are_there():
    """What a hint tells to type is a flag or an option of the function or of a model."""
    for task in TASKS:
        text = " ".join(task.see_more.values())
        flags = {flag.name for flag in task.flags()} | {"--model", "--option"}
        assert set(re.findall(r"--[a-z-]+", text)) <= flags | {f"--{name}" for name in task.verbs}
        for model in re.findall(r"--model (\S+)", text):
            assert model in ("fast", "best") or is_entry(model)


def test_hints_of_many_images_are_one_line(capsys, called, tmp_path):
    called.give("detect", [])
    photos = [str(tmp_path / f"{n}.png") for n in range(5)]
    for photo in photos:
        Image.new("RGB", (4, 4)).save(photo)
    _, _, err = run(capsys, "detect", *photos)
    assert err == [
        f"zoo: nothing was found in 5 of 5 images ({', '.join(photos[:3])}, ...): "
        "--score-threshold 0.3 accepts objects with lower scores"
    ]


def test_a_hint_about_a_named_model_names_no_options_of_others(capsys, called):
    called.give("detect", [])
    _, _, err = run(capsys, "detect", PHOTO, "--model", "ssd.mobilenet_v1")
    assert err[0].endswith(": a lower threshold or another --model may find more")


def test_hands_without_a_gesture_are_mentioned(capsys, called):
    called.give("estimate_hands", [HAND])
    called.give("recognize_gestures", [])
    _, out, err = run(capsys, "gestures", PHOTO)
    assert out == "[]\n"
    assert err == [f"zoo: hands were found, but none that makes a known gesture, in {PHOTO}"]


def test_a_second_person_is_mentioned(capsys, shared):
    three = str(shared / "images" / "photos" / "three_people.jpg")
    _, out, err = run(capsys, "pose", "--single", three)
    assert json.loads(out) == zoo.estimate_single_pose(three)
    assert err == [
        f"zoo: {three} shows at least 3 people, and one pose is given: leave --single out for all "
        "of them"
    ]
    _, out, err = run(capsys, "pose", three)
    assert json.loads(out) == zoo.estimate_multiple_poses(three) and err == []
    assert run(capsys, "pose", "--single", PHOTO)[2] == []
