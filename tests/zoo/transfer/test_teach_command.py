"""``zoo teach``: what is written and printed, exit status, and which arguments go together."""

import json
import os
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

import zoo
from tests.zoo.cli.test_cli import run
from tests.zoo.transfer.colours import COLOURS, coloured, write_classes, write_images
from zoo.images.reading import read_image
from zoo.transfer import teaching

TINY = ("--features", "posenet.tiny")


@pytest.fixture(scope="module")
def features_of_all(tmp_path_factory):
    return str(tmp_path_factory.mktemp("features"))


@pytest.fixture(autouse=True)
def own_features(features_of_all, monkeypatch):
    """Features are kept from test to test, as all have the images of one seed."""
    monkeypatch.setenv("ZOO_FEATURE_CACHE", features_of_all)


@pytest.fixture(scope="module")
def taught(tmp_path_factory):
    """A folder with images in ``colours`` and a model of them in ``model``."""
    folder = tmp_path_factory.mktemp("taught")
    write_classes(folder / "colours", 5, np.random.default_rng(7))
    zoo.teach(folder / "colours", features="posenet.tiny", cache=False).save(folder / "model")
    return folder


@pytest.fixture(autouse=True)
def folder(taught, tmp_path, monkeypatch):
    """The current folder, with copies of both."""
    shutil.copytree(taught, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def no_work(monkeypatch):
    """Images must not be read."""

    def refuse(*_):
        raise AssertionError("images were read")

    monkeypatch.setattr(teaching, "gather", refuse)
    monkeypatch.setattr("zoo.transfer.tuning.tuning.fine_tuned_network", refuse)


def test_a_folder_is_taught(capsys, folder):
    status, out, err = run(capsys, "teach", "colours", "--out", "new", *TINY)
    assert status == 0 and err == [f"written: {os.path.realpath('new')}"]
    assert out.startswith("taught model colours: classification of posenet.tiny, 15 examples")
    assert "100 %" in out and "of 15 images right, 5 folds" in out
    assert sorted(os.listdir("new")) == ["arrays.npz", "taught.json"]
    status, out, _ = run(capsys, "classify", "colours/red/0.png", "--model", "new", "--json")
    assert status == 0 and json.loads(out)[0]["label"] == "red"


def test_scores_are_printed_as_json(capsys):
    status, out, _ = run(
        capsys, "teach", "colours", "--out", "new", "--json", "--validation", "0.2", *TINY
    )
    found = json.loads(out)
    assert status == 0 and found["labels"] == [*COLOURS, "none of these"]
    assert found["scores"]["accuracy"] == 1.0 and found["skipped"] == []
    assert found["validation"]["images"] + found["scores"]["images"] == 15
    model = zoo.load("new")
    assert model.scores.as_dict() == json.loads(out)["scores"]


def test_validation_is_a_share_or_a_folder(capsys, rng):
    write_classes(Path("others"), 2, rng)
    _, out, _ = run(capsys, "teach", "colours", "--out", "new", "--validation", "others", *TINY)
    assert "validation images:\n100 %" in out and "of 6 images right" in out
    status, _, err = run(capsys, "teach", "colours", "--out", "new", "--validation", "1.5", *TINY)
    assert status == 2 and "validation=1.5 must lie between 0 and 1" in err[0]
    status, _, err = run(capsys, "teach", "colours", "--out", "new", "--validation", "x", *TINY)
    assert status == 2 and "there is no folder 'x'" in err[0]


def test_images_are_left_out_with_status_1(capsys, folder):
    (folder / "colours" / "red" / "broken.png").write_bytes(b"x")
    shutil.copy("colours/red/0.png", "colours/blue/twin.png")
    status, out, err = run(capsys, "teach", "colours", "--out", "new", *TINY)
    assert status == 1 and "14 examples" in out
    assert err[0].startswith("zoo: left out red/broken.png: ") and "Pillow reads" in err[0]
    assert "left out blue/twin.png: it equals red/0.png, of another label" in err[1]
    assert err[-1].startswith("written: ")


def test_many_images_left_out_are_counted(capsys, folder):
    for number in range(25):
        (folder / "colours" / "red" / f"x{number}.png").write_bytes(b"x")
    status, _, err = run(capsys, "teach", "colours", "--out", "new", *TINY)
    assert status == 1 and len(err) == 22
    assert "and 5 images more" in err[20]


def test_more_is_taught_and_taken_back(capsys, rng):
    before = Path("model/arrays.npz").read_bytes()
    write_images(Path("more") / "pink", [coloured((250, 150, 200), rng) for _ in range(4)])
    status, out, _ = run(capsys, "teach", "more", "--out", "model", "--add")
    assert status == 0 and "19 examples, 4 labels" in out
    assert zoo.load("model").lesson.labels == ("blue", "green", "red", "pink")
    status, out, _ = run(capsys, "teach", "--undo", "--out", "model")
    assert status == 0 and "15 examples, 3 labels" in out
    assert Path("model/arrays.npz").read_bytes() == before
    status, _, err = run(capsys, "teach", "--undo", "--out", "model")
    assert status == 2 and "there is nothing to undo" in err[0]
    assert Path("model/arrays.npz").read_bytes() == before


def test_only_images_left_out_now_are_reported(capsys, folder, rng):
    (folder / "colours" / "red" / "broken.png").write_bytes(b"x")
    assert run(capsys, "teach", "colours", "--out", "new", *TINY)[0] == 1
    write_classes(folder / "more", 1, rng, {"blue": COLOURS["blue"]})
    (folder / "more" / "blue" / "other.png").write_bytes(b"x")
    status, out, err = run(capsys, "teach", "more", "--out", "new", "--add", "--json")
    assert status == 1 and "left out blue/other.png" in err[0] and len(err) == 2
    names = [one["name"] for one in json.loads(out)["skipped"]]
    assert names == ["red/broken.png", "blue/other.png"]
    status, _, err = run(capsys, "teach", "--undo", "--out", "new")
    assert status == 0 and len(err) == 1


def test_failed_additions_leave_the_model_unchanged(capsys):
    before = Path("model/taught.json").read_bytes()
    write_images(Path("more") / "pink", [])
    status, _, err = run(capsys, "teach", "more", "--out", "model", "--add")
    assert status == 2 and "the class 'pink' has no image" in err[0]
    assert Path("model/taught.json").read_bytes() == before


def test_drawings_and_exports_are_written(capsys):
    arguments = ("--sheet", "s.png", "--confusion", "c.png", "--export", "web", "--export", "w.zip")
    status, _, err = run(capsys, "teach", "colours", "--out", "new", *TINY, *arguments)
    assert status == 0
    assert all(read_image(name).shape[1] > 100 for name in ("s.png", "c.png"))
    assert sorted(os.listdir("web")) == ["metadata.json", "model.json", "weights.bin"]
    assert sum(line.startswith("written: ") for line in err) == 3
    assert sum(line.startswith("drawn: ") for line in err) == 2
    labels = json.loads(Path("web/metadata.json").read_text("utf-8"))["labels"]
    assert labels == [*COLOURS]
    status, out, _ = run(capsys, "classify", "colours/blue/0.png", "--model", "web", "--json")
    assert status == 0 and json.loads(out)[0]["label"] == "blue"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "--out"),
        (("--out", "new"), "give the FOLDER to learn from, or --undo"),
        (("colours", "--out", "new", "--undo"), "--undo takes no FOLDER"),
        (("colours", "--out", "new", "--add", "--undo"), "not allowed with"),
        (("colours", "--out", "new", "--add", "--fine-tune"), "not allowed with"),
        (("colours", "--out", "new", "--add"), "--add changes a model, but 'new'"),
        (("--out", "new", "--undo"), "--undo changes a model, but 'new'"),
        (("colours", "--out", "model", "--add", *TINY), "--features does not go with --add"),
        (("colours", "--out", "model", "--add", "--seed", "1"), "--seed does not go with --add"),
        (("colours", "--out", "model", "--add", "--no-cache"), "--no-cache does not go with"),
        (("--out", "model", "--undo", "--folds", "3"), "--folds does not go with --undo"),
        (("--out", "model", "--undo", "--sheet", "s.png"), "--sheet does not go with --undo"),
        (("colours", "--out", "new", "--fine-tune", "--folds", "3"), "--folds does not go with"),
        (
            ("colours", "--out", "new", "--fine-tune", "--validation", "others"),
            "--validation others does not go with --fine-tune",
        ),
        (("colours", "--out", "new", "--folds", "1"), "folds=1 must be"),
        (("colours", "--out", "new", "--seed", "-1"), "seed=-1 must be"),
        (("colours", "--out", "new", "--features", "posnet.tiny"), "did you mean 'posenet.tiny'"),
        (("nothing", "--out", "new"), "there is no folder 'nothing'"),
        (("colours", "--out", "colours"), "'colours' exists and is no taught model"),
        (("colours", "--out", "colours/red/0.png"), "is no folder of a taught model"),
        (("colours", "--out", "colours/red/0.png/x"), "is not writable"),
        (("colours", "--out", ""), "a folder is a text or a pathlib.Path, not ''"),
        (("colours", "--out", "new", "--export", "x.tflite"), "only TensorFlow writes .tflite"),
        (("colours", "--out", "new", "--export", "x.kers"), "did you mean '.keras'"),
        (("colours", "--out", "new", "--export", "colours"), "has other files"),
        (("colours", "--out", "new", "--sheet", "sheet.doc"), "its name must end in one of .png"),
        (("colours", "--out", "new", "--confusion", "no/c.png"), "there is no folder 'no'"),
    ],
)
def test_wrong_arguments_are_refused_before_any_work(capsys, no_work, arguments, message):
    status, out, err = run(capsys, "teach", *arguments)
    assert (status, out) == (2, "")
    assert message in "\n".join(err) and not os.path.exists("new")
    assert sorted(os.listdir()) == ["colours", "model"]


def test_a_matrix_that_nothing_can_draw_is_refused_before_any_work(capsys, no_work, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    status, out, err = run(capsys, "teach", "colours", "--out", "new", "--confusion", "c.png")
    assert (status, out) == (2, "") and "pip install 'friendly-zoo[plots]'" in "\n".join(err)
    assert sorted(os.listdir()) == ["colours", "model"]


def test_an_export_into_the_model_is_not_lost(capsys, no_work, folder):
    (folder / "model" / "web").mkdir()
    status, _, err = run(capsys, "teach", "colours", "--out", "model", *TINY)
    assert status == 2 and "holds 'web' besides a taught model, which would be lost" in err[0]


def test_an_interruption_leaves_nothing_half_written(capsys, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    before = sorted(os.walk("."))
    monkeypatch.setattr(teaching, "learn", interrupt)
    for out in ("new", "model"):
        status, printed, _ = run(capsys, "teach", "colours", "--out", out, *TINY)
        assert (status, printed) == (130, "")
        assert sorted(os.walk(".")) == before


def test_missing_weights_are_fetched_by_a_command(capsys, monkeypatch):
    monkeypatch.setenv("ZOO_OFFLINE", "1")
    status, _, err = run(capsys, "teach", "colours", "--out", "new")
    assert status == 2 and "zoo weights fetch mobilenet.v2_100_quant" in "\n".join(err)
    assert not os.path.exists("new")


def test_csv_files_are_taught(capsys, folder):
    rows = [f"colours/{colour}/{n}.png,{n}.5" for colour in COLOURS for n in range(4)]
    (folder / "n.csv").write_text("image,number\n" + "\n".join(rows), "utf-8-sig")
    status, out, _ = run(capsys, "teach", "n.csv", "--out", "new", *TINY)
    assert status == 0 and "regression of posenet.tiny, 12 examples" in out
    assert zoo.load("new").lesson.labels == ("number",)
    status, _, err = run(capsys, "classify", "colours/red/0.png", "--model", "new")
    assert status == 2 and "was taught values, not classes" in err[0]


def test_a_network_is_fine_tuned(capsys, monkeypatch):
    given = {}

    def fine_tune(folder, **options):
        given.update(options)
        return zoo.load("model")

    monkeypatch.setattr(zoo, "fine_tune", fine_tune)
    assert run(capsys, "teach", "colours", "--out", "new", "--fine-tune")[0] == 0
    assert given == {}  # The default share is held out.
    arguments = ("--fine-tune", "--validation", "0.3", "--seed", "2", *TINY)
    assert run(capsys, "teach", "colours", "--out", "new", *arguments)[0] == 0
    assert given == {"validation": 0.3, "seed": 2, "model": "posenet.tiny"}
