"""The ``zoo`` command: what it prints, writes and returns."""

import argparse
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
from weights_cache import find_record
from zoo.catalog.entries import choices, is_entry
from zoo.cli import main
from zoo.cli.commands import make_parser
from zoo.images import reading
from zoo.pipeline.model_cache import _kept

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


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """Photos, and what else lies around in folders; the current folder is the one above."""
    for name in ("b.jpg", "a.JPG", "notes.txt", "film.mp4", ".hidden.jpg", "sub/c.png", ".x/d.jpg"):
        path = tmp_path / "photos" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")
    image = Image.open(PHOTO).resize((64, 64))
    for name in ("b.jpg", "a.JPG", "sub/c.png"):
        image.save(tmp_path / "photos" / name)
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_terminal_shows_short_numbers(capsys, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    status, out, err = run(capsys, "pose", PHOTO)
    [pose], [expected] = json.loads(out), zoo.estimate_multiple_poses(PHOTO)
    assert (status, err) == (0, [])
    assert pose != expected and out.count("\n") > 17
    assert pose["score"] == pytest.approx(expected["score"], abs=0.005)
    for point, exact in zip(pose["keypoints"], expected["keypoints"], strict=True):
        assert point["part"] == exact["part"]
        assert point["position"] == pytest.approx(exact["position"], abs=0.05)


def test_what_is_no_terminal_gets_exact_json(capsys):
    assert json.loads(run(capsys, "pose", PHOTO)[1]) == zoo.estimate_multiple_poses(PHOTO)
    assert run(capsys, "pose", PHOTO, "--text")[1].count("\n") > 17


def test_exact_json(capsys, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert json.loads(run(capsys, "pose", PHOTO, "--json")[1]) == zoo.estimate_multiple_poses(PHOTO)
    out = run(capsys, "pose", PHOTO, "--json")[1]
    assert json.loads(out) == zoo.estimate_multiple_poses(PHOTO)
    assert out.count("\n") == 1


def test_several_images_are_one_document(capsys, folder):
    status, out, err = run(capsys, "pose", "photos/b.jpg", "no.jpg", "photos/sub/c.png")
    names = ["photos/b.jpg", "photos/sub/c.png"]
    expected = {name: zoo.estimate_multiple_poses(name) for name in names}
    assert (status, len(err)) == (1, 1)
    assert out == zoo.to_json(expected) + "\n"
    assert run(capsys, "pose", "no.jpg", "nor.jpg")[:2] == (2, "")


def test_a_line_of_json_for_each_image(capsys, folder):
    for names in (["photos/b.jpg"], ["photos/b.jpg", "photos/sub/c.png"]):
        lines = run(capsys, "pose", *names, "--jsonl")[1].splitlines()
        assert [json.loads(line) for line in lines] == [
            {"image": name, "result": zoo.estimate_multiple_poses(name)} for name in names
        ]


def test_images_of_a_folder(capsys, folder):
    status, out, err = run(capsys, "pose", "photos")
    assert (status, list(json.loads(out))) == (0, ["photos/a.JPG", "photos/b.jpg"])
    assert err == ["zoo: photos: skipped 2 other files (.mp4, .txt)"]
    out = run(capsys, "pose", "photos", "--recursive")[1]
    names = ["photos/a.JPG", "photos/b.jpg", "photos/sub/c.png"]
    assert list(json.loads(out)) == names
    out = run(capsys, "pose", "photos/sub/")[1]
    assert list(json.loads(out)) == ["photos/sub/c.png"]  # named, though it is one
    out = run(capsys, "pose", "photos/b.jpg", "photos", "photos/sub", "--jsonl")[1]
    order = [json.loads(line)["image"] for line in out.splitlines()]
    assert order == [names[1], names[0], names[2]]


@pytest.mark.parametrize(
    "pattern, names",
    [
        ("photos/*.jpg", ["b.jpg"]),
        ("photos/*.[jJ]*", ["a.JPG", "b.jpg"]),
        ("photos/?.*", ["a.JPG", "b.jpg"]),
        ("photos/**/*.png", ["sub/c.png"]),
        ("photos/**", ["a.JPG", "b.jpg", "sub/c.png"]),
    ],
)
def test_images_of_a_pattern(pattern, names, capsys, folder):
    status, out, _ = run(capsys, "pose", pattern)
    assert (status, list(json.loads(out))) == (0, [f"photos/{name}" for name in names])


def test_a_file_with_the_name_of_a_pattern(capsys, folder):
    os.rename("photos/b.jpg", "photos/b[1].jpg")
    out = run(capsys, "pose", "photos/b[1].jpg")[1]
    assert json.loads(out) == zoo.estimate_multiple_poses("photos/b[1].jpg")


def test_sources_without_images(capsys, folder):
    status, out, err = run(capsys, "pose", "empty", "photos/*.webp", "photos/sub", "--csv")
    assert (status, out.splitlines()[1].split(",")[0]) == (1, "photos/sub/c.png")
    assert len(err) == 2
    assert "no images in 'empty'" in err[0] and "--recursive" in err[0]
    assert "no images in 'photos/*.webp'" in err[1]
    status, out, err = run(capsys, "pose", "empty", "--draw", "drawn")
    assert (status, out, len(err)) == (2, "", 1)
    assert not os.path.exists("drawn")


def test_a_folder_that_cannot_be_listed(capsys, folder, monkeypatch):
    scandir = os.scandir

    def refuse(path="."):
        if path == "photos":
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    status, _, err = run(capsys, "pose", "photos", "photos/b.jpg")
    assert (status, len(err)) == (1, 1) and "'photos' cannot be listed (Permission" in err[0]


def give_stdin(monkeypatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


def test_an_image_on_standard_input(capsys, monkeypatch, tmp_path):
    give_stdin(monkeypatch, Path(PHOTO).read_bytes())
    status, out, err = run(capsys, "pose", "-", "--draw", f"{tmp_path}/")
    assert (status, json.loads(out)) == (0, zoo.estimate_multiple_poses(PHOTO))
    assert os.listdir(tmp_path) == ["stdin-pose.png"]


@pytest.mark.parametrize(
    "data, words", [(b"", "0 bytes"), (b"<html>", "not an image"), (bytes(2000), "larger than")]
)
def test_standard_input_that_is_no_image(data, words, capsys, monkeypatch):
    monkeypatch.setattr("zoo.cli.image_sources.MAX_DOWNLOAD", 1000)
    give_stdin(monkeypatch, data)
    status, out, err = run(capsys, "pose", "-")
    assert (status, out, len(err)) == (2, "", 1)
    assert "the image on standard input" in err[0] and words in err[0]


def test_a_terminal_is_no_image(capsys, monkeypatch):
    give_stdin(monkeypatch, b"")
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    assert "add '< image.jpg'" in run(capsys, "pose", "-")[2][0]


def test_frames_that_are_left_out_are_counted(capsys, tmp_path):
    photo = Image.open(PHOTO).resize((64, 64)).convert("P")
    frames = [photo.rotate(angle) for angle in (0, 90, 180, 270)]
    path = str(tmp_path / "x.gif")
    frames[0].save(path, save_all=True, append_images=frames[1:])
    status, out, err = run(capsys, "pose", path)
    assert status == 0 and f"zoo: {path} has 4 frames: the first was taken" in err
    assert json.loads(out) == zoo.estimate_multiple_poses(photo)


def test_csv(capsys):
    rows = list(csv.DictReader(io.StringIO(run(capsys, "pose", PHOTO, "--csv")[1])))
    assert len(rows) == 17 and {row["image"] for row in rows} == {PHOTO}
    assert (
        float(rows[0]["x"])
        == zoo.estimate_multiple_poses(PHOTO)[0]["keypoints"][0]["position"]["x"]
    )


def test_mirror_and_model_and_backend(capsys, monkeypatch, shared):
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
    name = "posenet.mobilenet_v1_075"
    out = run(capsys, "pose", PHOTO, "--json", "--mirror", "--model", name, "--backend", "cpu")[1]
    assert json.loads(out) == zoo.estimate_multiple_poses(PHOTO, mirror=True, model=name)


def test_draw(capsys, tmp_path):
    target = tmp_path / "out.png"
    status, _, err = run(capsys, "pose", PHOTO, "--draw", str(target))
    assert (status, err) == (0, [f"drawn: {target}"])
    drawn = np.asarray(Image.open(target).convert("RGB"))
    expected = zoo.draw(PHOTO, zoo.estimate_multiple_poses(PHOTO))
    np.testing.assert_array_equal(drawn, np.asarray(expected))
    assert os.listdir(tmp_path) == ["out.png"]


def test_several_photos_are_drawn_into_a_folder(capsys, tmp_path, damaged):
    folder = tmp_path / "drawn"
    status, out, err = run(
        capsys, "pose", PHOTO, damaged, "no.jpg", "--draw", str(folder), "--json"
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


@pytest.mark.parametrize(
    "target, words",
    [
        ("nowhere/out.png", "there is no folder"),
        ("out.unknown", "must end in one of .png"),
        ("out", "must end in one of .png"),
        ("x" * 300 + ".png", "File name too long"),
    ],
)
def test_a_drawing_that_cannot_be_written(target, words, capsys, tmp_path):
    status, out, err = run(capsys, "pose", PHOTO, "--draw", str(tmp_path / target))
    assert (status, out, len(err)) == (2, "", 1)
    assert words in err[0] and str(os.getpid()) not in err[0].replace(str(tmp_path), "")
    assert os.listdir(tmp_path) == []


def test_a_drawing_never_replaces_its_photo(capsys, tmp_path):
    photo = tmp_path / "me.jpg"
    photo.write_bytes(Path(PHOTO).read_bytes())
    for target in (photo, tmp_path / "." / "me.jpg"):
        status, _, err = run(capsys, "pose", str(photo), "--draw", str(target))
        assert (status, len(err)) == (2, 1) and "would replace the image" in err[0]
    assert photo.read_bytes() == Path(PHOTO).read_bytes()


def test_a_link_to_a_drawing_stays_a_link(capsys, tmp_path):
    (tmp_path / "real.png").write_bytes(b"")
    (tmp_path / "link.png").symlink_to("real.png")
    assert run(capsys, "pose", PHOTO, "--draw", str(tmp_path / "link.png"))[0] == 0
    assert (tmp_path / "link.png").is_symlink()
    with Image.open(tmp_path / "real.png") as drawn:
        assert drawn.size == (512, 512)


def test_a_folder_may_be_given_for_one_photo(capsys, tmp_path):
    assert run(capsys, "pose", PHOTO, "--draw", f"{tmp_path / 'new'}/")[0] == 0
    assert os.listdir(tmp_path / "new") == ["astronaut-pose.png"]


def test_what_is_done_is_printed_after_ctrl_c(capsys, monkeypatch, tmp_path):
    second = tmp_path / "second.jpg"
    second.write_bytes(Path(PHOTO).read_bytes())
    read = reading.read_first_frame

    def interrupted(source):
        if source == str(second):
            raise KeyboardInterrupt
        return read(source)

    monkeypatch.setattr("zoo.cli.image_sources.read_first_frame", interrupted)
    status, out, err = run(capsys, "pose", PHOTO, str(second), "--json")
    assert (status, list(json.loads(out))) == (130, [PHOTO])
    assert err == ["zoo: stopped after 1 of 2 images"]


@pytest.mark.parametrize("target", ["new.png", "new.JPG", "mine.txt", "mine"])
@pytest.mark.parametrize("sources", [["photos/b.jpg", "photos/a.JPG"], ["photos/sub"]], ids=len)
def test_several_images_are_not_drawn_to_a_file(target, sources, capsys, folder):
    for name in ("mine.txt", "mine"):
        Path(name).write_text("mine")
    before = sorted(os.listdir())
    status, out, err = run(capsys, "pose", *sources, "--draw", target)
    assert (status, out, len(err)) == (2, "", 1)
    assert f"several images to the file {target!r}" in err[0] and "'drawings'" in err[0]
    assert sorted(os.listdir()) == before and Path("mine").read_text() == "mine"


def test_a_folder_may_be_called_like_an_image(capsys, folder):
    os.mkdir("old.png")
    for target in ("old.png", "new.png/"):
        assert run(capsys, "pose", "photos", "--draw", target)[0] == 0
        assert sorted(os.listdir(target)) == ["a-pose.png", "b-pose.png"]


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["pose"], "required: IMAGE"),
        (["webcam"], "unknown command 'webcam' (pose, "),
        (["gesture"], "unknown command 'gesture': did you mean 'gestures'?"),
        (["weights", "fech"], "unknown action 'fech': did you mean 'fetch'?"),
        (["pose", PHOTO, "--json", "--csv"], "not allowed with"),
        (["pose", "no.jpg"], "no file 'no.jpg'"),
        (["pose", str(ROOT / "zoo" / "catalog" / "labels")], "no images in '/"),
        (["pose", "webcam"], "zoo watch 0 --task"),
        (["pose", PHOTO, "--model", "posenet.tny"], "did you mean 'posenet.tiny'"),
        (["pose", PHOTO, "--backend", "gpu"], "use --backend 'auto' (a real GPU where it is"),
        (["models", "x*"], "no model matches 'x*'"),
        (["weights", "fetch", "posenet.tny"], "did you mean 'posenet.tiny'"),
        (["weights", "list", "hnds"], "did you mean 'hands'"),
        (["weights", "path", "fingerpose-gesture"], "did you mean 'fingerpose-gestures'"),
        (["weights", "kit", "hands"], "'hands' must be a folder or end in .zip"),
        (["weights", "kit", "x.zip", "posenet.tiny"], "no kit is needed"),
        (["weights", "install", "no.zip"], "there is no file or folder no.zip"),
        (["weights"], "required: ACTION"),
    ],
)
def test_wrong_arguments_give_one_line_and_status_2(arguments, words, capsys):
    status, out, err = run(capsys, *arguments)
    assert (status, out, len(err)) == (2, "", 1)
    assert err[0].startswith("zoo: ") and words in err[0]


def test_damaged_weights_give_one_line(capsys, monkeypatch, tmp_path, shared):
    _kept.clear()  # what an earlier test has loaded
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
    assert (status, len(err)) == (2, 3)
    assert err[0].startswith(
        "zoo: The model posenet.mobilenet_v1_075 (1 file, 96 bytes) is not on th"
    )
    assert err[0].endswith(
        "a file in the mirror is damaged; the network is switched off (ZOO_OFFLINE)."
    )
    monkeypatch.setenv("ZOO_DEBUG", "1")
    details = run(capsys, "pose", PHOTO, "--model", "posenet.mobilenet_v1_075")[2][3]
    assert "sha256" in details and "MobilenetV1_Conv2d_0_biases" in details


def test_models(capsys):
    status, out, _ = run(capsys, "models", "posenet.tiny")
    assert status == 0
    header, row = out.splitlines()
    assert header.split() == ["NAME", "TASK", "SIZE", "WEIGHTS", "DEFAULT", "LICENCE"]
    assert row.split()[:5] == ["posenet.tiny", "pose", "1.3", "MB", "bundled"]


def test_models_marks_defaults_and_fits_100_columns(capsys):
    status, out, err = run(capsys, "models")
    lines = out.splitlines()
    at, end = lines[0].index("DEFAULT"), lines[0].index("LICENCE")
    marks = {line.split()[0]: line[at:end].split() for line in lines[1:]}
    assert max(map(len, lines)) <= 100
    for kind in ("default", "fast", "best"):
        marked = {name for name, kinds in marks.items() if kind in kinds}
        chosen = {getattr(its, kind) for its in choices().values()}
        assert marked == {name for name in chosen if is_entry(name)}
    assert status == 0 and err[0].startswith("(*) there is more to the licence: see 'zoo describe")


def test_weights_are_fetched_listed_verified_found_and_cleared(capsys, monkeypatch, shared):
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
    name, record = "posenet.mobilenet_v1_075", "posenet-mobilenet-v1-075-float-pertensor"
    status, out, _ = run(capsys, "weights", "fetch", name)
    version = find_record(record).version
    folder = Path(os.environ["ZOO_WEIGHTS_CACHE"], record, version)
    assert (status, out) == (0, f"{name}: {folder}\n")
    monkeypatch.delenv("ZOO_WEIGHTS_MIRROR")
    assert "cached" in run(capsys, "weights", "list", name)[1]
    assert run(capsys, "weights", "path", name)[1].strip() == str(folder)
    assert run(capsys, "weights", "path")[1].strip() == os.environ["ZOO_WEIGHTS_CACHE"]
    assert run(capsys, "weights", "verify", name)[:2] == (0, f"{name}: good\n")
    assert run(capsys, "weights", "verify", record)[:2] == (0, f"{record}: good\n")
    (folder / "MobilenetV1_Conv2d_0_biases").write_bytes(b"short")
    status, out, err = run(capsys, "weights", "verify")
    assert (status, len(err)) == (1, 1)
    good = [row for row in out.splitlines() if row.endswith(": good")]
    assert out.splitlines() == [f"{name}: damaged", *good] and "posenet.tiny: good" in good
    assert run(capsys, "weights", "clear", name)[1].endswith("MB freed\n")
    assert not folder.exists()
    status, out, err = run(capsys, "weights", "verify", name)
    assert (status, out, len(err)) == (2, f"{name}: missing\n", 1)
    assert f"zoo weights fetch {name}" in err[0]
    assert "stays" in run(capsys, "weights", "clear", "posenet.tiny")[2][0]


def test_what_is_fetched_runs_offline(capsys, monkeypatch, shared):
    """With a model its parts, and of records with several networks only the files needed."""
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
    out = run(capsys, "weights", "fetch", "hands.lite")[1]
    assert [line.partition(":")[0] for line in out.splitlines()] == ["hands.lite", "palm.lite"]
    monkeypatch.delenv("ZOO_WEIGHTS_MIRROR")
    monkeypatch.setenv("ZOO_OFFLINE", "1")
    _kept.clear()
    photo = str(shared / "images" / "photos" / "hand_pakutaso_vsign.jpg")
    status, out, err = run(capsys, "hands", photo)
    assert (status, len(json.loads(out)), err) == (0, 1, [])
    rows = run(capsys, "weights", "list", "palm.lite", "palm.full")[1].splitlines()
    assert [row.split()[3] for row in rows[1:]] == ["cached", "missing"]
    assert run(capsys, "weights", "verify", "palm.lite")[:2] == (0, "palm.lite: good\n")
    files = {file.name for file in Path(os.environ["ZOO_WEIGHTS_CACHE"]).glob("*/*/*.tflite")}
    assert files == {"hand_landmark_lite.tflite", "palm_detection_lite.tflite"}
    assert run(capsys, "weights", "clear", "palm.lite")[1] == "2.0 MB freed\n"
    status, _, err = run(capsys, "hands", photo)
    assert (status, err) == (0, [])  # it is loaded
    _kept.clear()
    status, _, err = run(capsys, "hands", photo)
    assert (status, len(err)) == (2, 3)
    assert err[0].startswith("zoo: The model palm.lite (1 file, 2.0 MB) is not on this machine: ")
    assert "`zoo weights fetch palm.lite`" in err[1]
    for action in ("fetch", "path"):
        assert "`zoo weights fetch palm.full`" in run(capsys, "weights", action, "palm.full")[2][1]


def test_models_of_a_task(capsys):
    out = run(capsys, "models", "hands")[1]
    names = [line.split()[0] for line in out.splitlines()[1:]]
    assert names == zoo.models("hands") and {"hands.lite", "palm.lite"} <= set(names)
    assert "classification, detection" in run(capsys, "models", "x*")[2][0]


def test_licences_are_cut_to_their_names(capsys):
    lines = run(capsys, "models")[1].splitlines()
    at = lines[0].index("LICENCE")
    licences = {line.split()[0]: line[at:] for line in lines[1:]}
    assert set(licences.values()) == {"Apache-2.0", "Apache-2.0 (*)", "MIT", "MIT (*)"}
    assert licences["posenet.tiny"] == "Apache-2.0 (*)" and licences["palm.lite"] == "Apache-2.0"


def test_doctor(capsys):
    status, out, err = run(capsys, "doctor")
    found = {line[:12].strip(): line[13:] for line in out.splitlines()}
    assert (status, err) == (0, [])
    assert found["backend cpu"] == "works"
    assert "numpy" in found["packages"] and os.environ["ZOO_WEIGHTS_CACHE"] in found["cache"]
    assert found["OpenGL"]


def test_without_a_command_the_help_is_shown(capsys):
    status, out, err = run(capsys)
    assert (status, out) == (2, "")
    assert err == run(capsys, "--help")[1].splitlines()


def test_version(capsys):
    assert run(capsys, "--version")[1] == f"friendly-zoo {zoo.__version__}\n"


COMMAND = [sys.executable, "-c", "import zoo.cli; raise SystemExit(zoo.cli.main())"]
ARGUMENTS = [
    ["pose", PHOTO],
    ["pose", PHOTO, "--text"],
    ["pose", f"{os.path.dirname(PHOTO)}/*.*g"],
    ["models"],
    ["--help"],
]


def environment(**changes: str) -> dict[str, str]:
    """Buffered output, as users have it."""
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"}
    return {**kept, **changes}


@pytest.mark.parametrize("arguments", ARGUMENTS, ids=str)
def test_a_reader_that_has_seen_enough(arguments):
    process = subprocess.Popen(
        [*COMMAND, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
        env=environment(),
    )
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 0


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="only Linux has a full device")
@pytest.mark.parametrize("arguments", ARGUMENTS, ids=str)
def test_a_full_disk_is_said_in_one_line(arguments):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*COMMAND, *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env=environment(),
        )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1 and "No space left" in done.stderr


def test_no_standard_output(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    assert main(["models"]) == 2


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8:strict"])
@pytest.mark.parametrize("form", ["--json", "--csv"])
def test_names_that_the_terminal_cannot_show(encoding, form, tmp_path):
    photo = os.fsencode(tmp_path) + b"/sp\xc3\xa5ce \xe5\x86\x99 \xff.jpg"
    with open(photo, "wb") as file:
        file.write(Path(PHOTO).read_bytes())
    done = subprocess.run(
        [*COMMAND, "pose", photo, PHOTO, form],
        capture_output=True,
        cwd=ROOT,
        env=environment(PYTHONIOENCODING=encoding),
    )
    assert (done.returncode, done.stderr) == (0, b"")
    text = done.stdout.decode(encoding.split(":")[0])
    if form == "--json":
        valid = os.fsencode(tmp_path).decode() + "/spåce 写 \\xff.jpg"
        assert list(json.loads(text)) == [valid, PHOTO]
        assert "\\udc" not in text
    else:
        assert text.count("\n") == 35


@pytest.mark.parametrize("columns", ["", "0", "60", "wide", "200"])
def test_help_is_as_wide_as_argparse_makes_it(columns, monkeypatch):
    monkeypatch.setenv("COLUMNS", columns)
    parser = make_parser()
    found = parser.format_help()
    parser.formatter_class = argparse.HelpFormatter
    assert found == parser.format_help()
