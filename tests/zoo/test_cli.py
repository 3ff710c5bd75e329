"""The ``zoo`` command: what it prints, writes and returns."""

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import zoo
from tests.conftest import ROOT
from zoo.cli import main

PHOTO = str(ROOT / "gallery" / "one_line_pose" / "astronaut.jpg")


@pytest.fixture
def damaged(tmp_path):
    file = tmp_path / "damaged.jpg"
    file.write_bytes(Path(PHOTO).read_bytes()[:20_000])
    return str(file)


def run(capsys, *arguments: str) -> tuple[int, str, list[str]]:
    """Exit status, stdout, and the lines of stderr."""
    try:
        status = main(list(arguments))
    except SystemExit as stop:
        status = stop.code
    out, err = capsys.readouterr()
    return status, out, err.splitlines()


def test_pose_prints_the_dict(capsys):
    status, out, err = run(capsys, "pose", PHOTO)
    pose, expected = json.loads(out), zoo.estimate_single_pose(PHOTO)
    assert (status, err) == (0, [])
    assert pose["score"] == pytest.approx(expected["score"], abs=0.005)
    for point, exact in zip(pose["keypoints"], expected["keypoints"], strict=True):
        assert point["part"] == exact["part"]
        assert point["position"] == pytest.approx(exact["position"], abs=0.05)


def test_exact_json(capsys):
    assert json.loads(run(capsys, "pose", PHOTO, "--json")[1]) == zoo.estimate_single_pose(PHOTO)
    out = run(capsys, "pose", PHOTO, "--json", "--multiple")[1]
    assert json.loads(out) == zoo.estimate_multiple_poses(PHOTO)
    assert out.count("\n") == 1


def test_csv(capsys):
    rows = list(csv.DictReader(io.StringIO(run(capsys, "pose", PHOTO, "--csv")[1])))
    assert len(rows) == 17
    assert float(rows[0]["x"]) == zoo.estimate_single_pose(PHOTO)["keypoints"][0]["position"]["x"]


def test_mirror_and_model_and_backend(capsys, monkeypatch, shared):
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
    name = "posenet.mobilenet_v1_075"
    out = run(capsys, "pose", PHOTO, "--json", "--mirror", "--model", name, "--backend", "cpu")[1]
    assert json.loads(out) == zoo.estimate_single_pose(PHOTO, mirror=True, model=name)


def test_draw(capsys, tmp_path):
    target = tmp_path / "out.png"
    status, _, err = run(capsys, "pose", PHOTO, "--draw", str(target))
    assert (status, err) == (0, [f"drawn: {target}"])
    drawn = np.asarray(Image.open(target).convert("RGB"))
    expected = zoo.draw(PHOTO, zoo.estimate_single_pose(PHOTO))
    np.testing.assert_array_equal(drawn, np.asarray(expected))
    assert os.listdir(tmp_path) == ["out.png"]


def test_several_photos_are_drawn_into_a_folder(capsys, tmp_path, damaged):
    folder = tmp_path / "drawn"
    status, out, err = run(
        capsys, "pose", PHOTO, damaged, "no.jpg", "--multiple", "--draw", str(folder), "--json"
    )
    assert status == 1
    assert list(json.loads(out)) == [PHOTO]
    assert os.listdir(folder) == ["astronaut-pose.png"]
    complaints = [line for line in err if line.startswith("zoo: ")]
    assert len(complaints) == 2 and "damaged.jpg" in complaints[0] and "no.jpg" in complaints[1]


def test_a_photo_given_twice_is_no_failure(capsys):
    status, out, err = run(capsys, "pose", PHOTO, PHOTO, "--json")
    assert (status, err, list(json.loads(out))) == (0, [], [PHOTO])


def test_photos_of_one_name_are_drawn_apart(capsys, tmp_path):
    """Two photos of one name from different folders must not overwrite each other's drawing."""
    photos = []
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        photos.append(str(tmp_path / folder / "me.jpg"))
        Image.open(PHOTO).save(photos[-1])
    run(capsys, "pose", *photos, "--draw", str(tmp_path / "drawn"))
    assert sorted(os.listdir(tmp_path / "drawn")) == ["me-pose-2.png", "me-pose.png"]


@pytest.mark.parametrize("target", ["nowhere/out.png", "out.unknown", "out"])
def test_a_drawing_that_cannot_be_written(target, capsys, tmp_path):
    status, out, err = run(capsys, "pose", PHOTO, "--draw", str(tmp_path / target))
    assert (status, out, len(err)) == (2, "", 1)
    assert "such as pose.png" in err[0]
    assert os.listdir(tmp_path) == []


def test_several_photos_are_not_drawn_over_a_file(capsys, tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    status, out, err = run(capsys, "pose", PHOTO, PHOTO, "--draw", str(tmp_path / "mine.txt"))
    assert (status, out, len(err)) == (2, "", 1)
    assert (tmp_path / "mine.txt").read_text() == "mine"


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["pose"], "required: PHOTO"),
        (["paint"], "invalid choice: 'paint'"),
        (["pose", PHOTO, "--json", "--csv"], "not allowed with"),
        (["pose", "no.jpg"], "no file 'no.jpg'"),
        (["pose", str(ROOT)], "is a folder"),
        (["pose", PHOTO, "--model", "posenet.tny"], "did you mean 'posenet.tiny'"),
        (["pose", PHOTO, "--backend", "gpu"], "unknown backend 'gpu'"),
        (["models", "x*"], "no model matches 'x*'"),
        (["weights", "fetch"], "required: NAME"),
        (["weights", "path", "posenet.tny"], "posenet"),
        (["weights"], "required: ACTION"),
    ],
)
def test_wrong_arguments_give_one_line_and_status_2(arguments, words, capsys):
    status, out, err = run(capsys, *arguments)
    assert (status, out, len(err)) == (2, "", 1)
    assert err[0].startswith("zoo: ") and words in err[0]


def test_damaged_weights_give_one_line(capsys, monkeypatch, tmp_path, shared):
    mirror = tmp_path / "mirror"
    name = "posenet-mobilenet-v1-075-float-pertensor"
    (mirror / name).mkdir(parents=True)
    for file in (shared / "weights" / name).iterdir():
        if file.is_file():
            (mirror / name / file.name).write_bytes(file.read_bytes())
    one = mirror / name / "MobilenetV1_Conv2d_0_biases"
    one.write_bytes(b"x" * one.stat().st_size)
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(mirror))
    monkeypatch.setenv("ZOO_OFFLINE", "1")
    status, _, err = run(capsys, "pose", PHOTO, "--model", "posenet.mobilenet_v1_075")
    assert (status, len(err)) == (2, 1)
    assert "sha256" in err[0] and "MobilenetV1_Conv2d_0_biases" in err[0]


def test_models(capsys):
    status, out, _ = run(capsys, "models", "*tiny")
    assert status == 0
    header, row = out.splitlines()
    assert header.split() == ["NAME", "TASK", "SIZE", "WEIGHTS", "LICENCE"]
    assert row.split()[:5] == ["posenet.tiny", "pose", "1.3", "MB", "bundled"]


def test_weights_are_fetched_listed_verified_found_and_cleared(capsys, monkeypatch, shared):
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
    name, record = "posenet.mobilenet_v1_075", "posenet-mobilenet-v1-075-float-pertensor"
    status, out, _ = run(capsys, "weights", "fetch", name)
    folder = Path(os.environ["ZOO_WEIGHTS_CACHE"]) / record
    assert (status, out) == (0, f"{record}: {folder}\n")
    monkeypatch.delenv("ZOO_WEIGHTS_MIRROR")
    assert "cached" in run(capsys, "weights", "list", name)[1]
    assert run(capsys, "weights", "path", name)[1].strip() == str(folder)
    assert run(capsys, "weights", "path")[1].strip() == os.environ["ZOO_WEIGHTS_CACHE"]
    assert run(capsys, "weights", "verify", name)[:2] == (0, f"{record}: good\n")
    (folder / "MobilenetV1_Conv2d_0_biases").write_bytes(b"short")
    status, out, err = run(capsys, "weights", "verify")
    assert (
        (status, len(err)) == (2, 1) and f"{record}: damaged" in out and "posenet-tiny: good" in out
    )
    assert run(capsys, "weights", "clear", name)[1].endswith("MB freed\n")
    assert not folder.exists()


def test_doctor(capsys):
    status, out, err = run(capsys, "doctor")
    found = {line[:12].strip(): line[13:] for line in out.splitlines()}
    assert (status, err) == (0, [])
    assert found["backend cpu"] == "works"
    assert "numpy" in found["packages"] and os.environ["ZOO_WEIGHTS_CACHE"] in found["cache"]
    assert found["OpenGL"]


def test_version(capsys):
    assert run(capsys, "--version")[1] == f"friendly-zoo {zoo.__version__}\n"


def test_as_a_process_into_a_closed_pipe():
    command = [sys.executable, "-c", "import zoo.cli; raise SystemExit(zoo.cli.main())"]
    process = subprocess.Popen(
        [*command, "pose", PHOTO], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT
    )
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 0
