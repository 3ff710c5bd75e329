"""``zoo weights``: what a name stands for, what is asked, and kits from end to end."""

import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import zoo
from tests.conftest import ROOT
from tests.helpers import skip_or_fail
from tests.zoo.cli.test_cli import PHOTO, run
from tests.zoo.verification.bundled_goldens import bundled
from weights_cache import MissingError, cached_bytes, find_record, list_records, status
from weights_cache.common.errors import AbsentFile, FetchError, UnreachableError
from weights_cache.common.sizes import size_text
from zoo.catalog.entries import choices, default_entries, is_entry, tasks
from zoo.cli.doctor import examine
from zoo.cli.terminal import complain
from zoo.cli.weight_selection import everything, matching, other_files, runnable
from zoo.pipeline.model_cache import _kept


def names_of(wanted):
    return [w.name for w in wanted]


# What a name stands for


def test_without_names_the_defaults_of_all_tasks_are_meant():
    names = names_of(runnable([]))
    assert names == [entry.name for entry in default_entries()]
    assert {its.default for its in choices().values() if is_entry(its.default)} <= set(names)
    assert len(runnable([], every=True)) == len(zoo.models())


@pytest.mark.parametrize("task", tasks())
def test_a_task_is_its_default_models_with_all_that_they_work_with(task):
    names = names_of(runnable([task]))
    assert names == [entry.name for entry in default_entries(task)] and names
    assert names_of(matching([task])) == zoo.models(task)


def test_gestures_need_hands():
    assert names_of(runnable(["gestures"])) == ["hands.lite", "palm.lite"]


def test_globs_records_and_names_that_overlap():
    assert names_of(matching(["palm.*", "palm.lite"])) == ["palm.full", "palm.lite"]
    assert [w.required for w in matching(["palm.*", "palm.lite"])] == [False, True]
    assert names_of(runnable(["hands.*", "hands"])) == [
        "hands.full",
        "palm.lite",
        "hands.lite",
        "hands.lite_tfjs",
    ]
    assert names_of(matching(["fingerpose*"])) == ["fingerpose-gestures"]
    assert names_of(runnable(["fingerpose-gestures"])) == ["fingerpose-gestures"]


def test_everything_is_every_registered_file_once():
    found = [
        (w.record.name, f.path) for w in (*everything(), *other_files()) for f in w.record.files
    ]
    registered = {(r.name, f.path) for r in map(find_record, record_names()) for f in r.files}
    assert set(found) == registered
    beside = [(w.record.name, f.path) for w in other_files() for f in w.record.files]
    of_models = [(w.record.name, f.path) for w in everything() for f in w.record.files]
    assert not set(beside) & set(of_models)


def record_names():

    return [record.name for record in list_records()]


# Fetching


@pytest.fixture
def mirror(shared, monkeypatch):
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
    _kept.clear()


def test_fetch_without_names_gets_the_defaults_and_says_what(capsys, mirror, monkeypatch):
    status_, out, err = run(capsys, "weights", "fetch")
    folder = os.environ["ZOO_WEIGHTS_CACHE"]
    size = sum(f.bytes for e in default_entries() for f in files_of(e) if not record(e).bundled)
    count = sum(not record(entry).bundled for entry in default_entries())
    assert (status_, err) == (
        0,
        [f"zoo: fetching {count} models, {size / 1e6:.1f} MB, into {folder}"],
    )
    assert [line.partition(":")[0] for line in out.splitlines()] == [
        entry.name for entry in default_entries()
    ]
    assert cached_bytes() == size
    assert run(capsys, "weights", "fetch")[2] == []  # all is there
    monkeypatch.delenv("ZOO_WEIGHTS_MIRROR")
    places = {entry.name: status(entry.weights, only=entry.files) for entry in default_entries()}
    assert set(places.values()) == {"cached", "bundled"}


def default_contents():
    """How many models are fetched, and how large they are."""
    fetched = [entry for entry in default_entries() if not record(entry).bundled]
    return f"{len(fetched)} models, {size_text(sum(f.bytes for e in fetched for f in files_of(e)))}"


def record(entry):
    return find_record(entry.weights)


def files_of(entry):
    return record(entry).limited_to(entry.files).files


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("answer", ["", "y", "YES", "n", "what?"])
def test_on_a_terminal_it_asks(capsys, mirror, monkeypatch, answer):
    monkeypatch.setattr(sys, "stdin", Terminal(f"{answer}\n"))
    monkeypatch.setattr(sys, "stderr", Terminal())
    from zoo.cli import main

    assert main(["weights", "fetch"]) == 0
    said = sys.stderr.getvalue()
    assert said.startswith(f"fetch {default_contents()}, into ") and "? [Y/n] " in said
    assert bool(cached_bytes()) is (answer.lower() in ("", "y", "yes"))


@pytest.mark.parametrize("arguments", [["--yes"], ["palm.lite"]])
def test_what_is_named_or_agreed_to_is_not_asked_for(capsys, mirror, monkeypatch, arguments):
    monkeypatch.setattr(sys, "stdin", Terminal(""))
    monkeypatch.setattr(sys, "stderr", Terminal())
    from zoo.cli import main

    assert main(["weights", "fetch", *arguments]) == 0
    assert "[Y/n]" not in sys.stderr.getvalue()
    assert cached_bytes()


def test_tasks_models_and_globs_are_fetched_together(capsys, mirror):
    out = run(capsys, "weights", "fetch", "hands", "selfie.b*", "fingerpose-gestures")[1]
    names = [line.partition(":")[0] for line in out.splitlines()]
    check = ["topdown.tiny", "deeplab.v3", "topdown.people"]  # for whether anybody is there
    assert names == ["hands.lite", "palm.lite", "selfie.base", *check, "fingerpose-gestures"]


def failing(kind, monkeypatch):
    """Every second model cannot be had."""
    from weights_cache import fetch

    turns = iter(range(100))

    def half(name, **options):
        if next(turns) % 2:
            raise kind(name, [AbsentFile(name, "x", 1)], "status 404 (example.org)")
        return fetch(name, **options)

    monkeypatch.setattr("zoo.cli.weights_commands.fetch", half)


def test_one_deleted_file_does_not_keep_the_others_away(capsys, mirror, monkeypatch):
    failing(FetchError, monkeypatch)
    status_, out, err = run(capsys, "weights", "fetch", "hands", "selfie.base")
    assert status_ == 1
    names = [line.partition(":")[0] for line in out.splitlines()]
    assert names == ["hands.lite", "selfie.base", "deeplab.v3"]
    firsts = [line for line in err if line.startswith("zoo: The model ")]
    assert [line.split()[3] for line in firsts] == ["palm.lite", "topdown.tiny", "topdown.people"]


def test_without_a_network_the_first_failure_ends_it(capsys, mirror, monkeypatch):
    failing(UnreachableError, monkeypatch)
    status_, out, err = run(capsys, "weights", "fetch", "hands", "selfie.base", "deeplab.v3")
    assert (status_, len(err)) == (2, 3) and "palm.lite" in err[0]


# What is there


def test_models_list_and_doctor_agree(capsys, mirror, monkeypatch):
    """Two models whose records have further files, which nobody fetched."""
    run(capsys, "weights", "fetch", "hands.lite")
    monkeypatch.delenv("ZOO_WEIGHTS_MIRROR")
    for command in (["models", "hands"], ["weights", "list", "hands"], ["weights", "list"]):
        lines = run(capsys, *command)[1].splitlines()
        rows = {line.split()[0]: line for line in lines}
        assert " cached " in rows["hands.lite"] and " cached " in rows["palm.lite"]
        assert " missing " in rows["palm.full"]
    doctor = dict(examine_weights(monkeypatch))
    size = find_record("mediapipe-hand-landmark-lite-tflite").limited_to(
        ["hand_landmark_lite.tflite"]
    )
    assert doctor["cache"].endswith(": 2 models, 4.1 MB")
    assert cached_bytes() == size.bytes + 1_985_440
    partly = run(capsys, "weights", "list", "mediapipe-palm-detection-tflite")[1]
    assert " 1 of 2 files " in partly
    here = ["hands.lite", "palm.lite", *(entry.name for entry in bundled())]
    assert run(capsys, "weights", "verify")[:2] == (
        0,
        "".join(f"{n}: good\n" for n in sorted(here)),
    )


def examine_weights(monkeypatch):
    """The lines of the doctor about weights; what runs processes is left out."""
    from zoo.cli import doctor

    monkeypatch.setattr(doctor, "_probe", lambda *_, **__: "left out")
    return examine()


def test_doctor_names_a_mirror_that_does_not_exist_and_kits(monkeypatch, tmp_path):
    absent = tmp_path / "absent"
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(absent))
    doctor = dict(examine_weights(monkeypatch))
    assert doctor["mirror"] == f"{absent}: there is no such folder (ZOO_WEIGHTS_MIRROR)"
    assert doctor["kits"].startswith("none (") or " models: " in doctor["kits"]


def test_verify_path_and_clear_take_tasks_and_globs(capsys, mirror, monkeypatch):
    run(capsys, "weights", "fetch", "hands.lite")
    monkeypatch.delenv("ZOO_WEIGHTS_MIRROR")
    assert run(capsys, "weights", "verify", "hands")[:2] == (
        0,
        "hands.lite: good\npalm.lite: good\n",
    )
    assert len(run(capsys, "weights", "path", "*.lite")[1].splitlines()) == 2
    assert run(capsys, "weights", "path", "selfie.*")[::2] == (
        2,
        ["zoo: nothing of selfie.* is in the cache, a kit or a mirror"],
    )
    assert run(capsys, "weights", "verify", "selfie.*")[0] == 2
    assert run(capsys, "weights", "clear", "palm*")[1] == "2.0 MB freed\n"
    assert run(capsys, "weights", "clear", "hands")[1] == "2.1 MB freed\n"


# The error for a missing model


def test_a_missing_model_is_three_lines_that_count_its_parts(capsys, monkeypatch):
    monkeypatch.setenv("ZOO_OFFLINE", "1")
    _kept.clear()
    status_, out, err = run(capsys, "hands", PHOTO)
    assert (status_, out, len(err)) == (2, "", 3)
    assert err == [
        "zoo: The model hands.lite (2 files of 2 models, 4.1 MB with palm.lite) is not on this "
        "machine: the network is switched off (ZOO_OFFLINE).",
        "     To fetch it, unset ZOO_OFFLINE and run `zoo weights fetch hands.lite`.",
        "     Without internet: run `zoo weights kit hands.zip hands.lite` on a computer with "
        "internet, then here `zoo weights install hands.zip`.",
    ]
    with pytest.raises(MissingError) as caught:
        zoo.load("hands.lite")
    assert "searched for hand_landmark_lite.tflite" in caught.value.details
    assert caught.value.__cause__ is None and caught.value.__suppress_context__


def test_complaints_keep_their_lines(capsys):
    complain("one\n  two   three")
    assert capsys.readouterr().err == "zoo: one\n     two three\n"


# Kits


def test_a_kit_is_written_and_installed(capsys, mirror, monkeypatch, tmp_path, shared):
    out = tmp_path / "hands.zip"
    status_, said, err = run(capsys, "weights", "kit", str(out), "gestures", "faceapi.expression")
    assert (status_, err) == (0, ["zoo: on the other computer: zoo weights install hands.zip"])
    assert said.startswith(f"{out}: ")
    with zipfile.ZipFile(out) as zipped:
        names = zipped.namelist()
        page, card = zipped.read("README.md").decode(), zipped.read("cards/hands.lite.txt").decode()
        licences = zipped.read("licences/README.md").decode()
        manifest = json.loads(zipped.read("KIT.json"))
    for command in ("zoo weights install KIT", "pip install FILE.whl", "ZOO_WEIGHTS_MIRROR"):
        assert command in page
    assert "`hands.lite` (2.1 MB)" in page and "hands.lite" in card and "(mirror)" not in card
    assert "Apache-2.0" in licences and "licences/Apache-2.0.txt" in names
    assert "face-api-face-expression/LICENSE" in names
    assert "mediapipe-palm-detection-tflite/palm_detection_lite.tflite" in names
    assert "mediapipe-palm-detection-tflite/palm_detection_full.tflite" not in names
    assert set(manifest["models"]) <= set(names_of_folders(names))
    first = out.read_bytes()
    monkeypatch.setenv("ZOO_WEIGHTS_CACHE", str(tmp_path / "other"))
    run(capsys, "weights", "kit", str(out), "gestures", "faceapi.expression")
    assert out.read_bytes() == first  # also where the weights come from another place

    monkeypatch.delenv("ZOO_WEIGHTS_MIRROR")
    monkeypatch.setenv("ZOO_OFFLINE", "1")
    status_, said, err = run(capsys, "weights", "install", str(out))
    installed = [line.partition(":")[0] for line in said.splitlines()]
    assert (status_, err) == (0, []) and {"hands.lite", "palm.lite"} <= set(installed)
    _kept.clear()
    photo = str(shared / "images" / "photos" / "hand_pakutaso_vsign.jpg")
    assert json.loads(run(capsys, "gestures", photo)[1])[0]["label"] == "victory"


def names_of_folders(names):
    return {name.partition("/")[0] for name in names}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["kit.whl", "--wheel", "hands"], "give the folder for it"),
        (["kit.whl", "hands"], "a wheel needs --wheel"),
        (["kit.zip", "hnds"], "did you mean 'hands'"),
    ],
)
def test_a_name_for_a_kit_that_is_none(capsys, mirror, arguments, words):
    status_, _, err = run(capsys, "weights", "kit", *arguments)
    assert (status_, len(err)) == (2, 1) and words in err[0]


def test_kits_of_other_contents_have_another_version(capsys, mirror, tmp_path):
    for names in (["hands"], ["selfie.base"], ["gestures"]):
        run(capsys, "weights", "kit", str(tmp_path), "--wheel", *names)
    wheels = sorted(path.name for path in tmp_path.glob("*.whl"))
    assert len(wheels) == 2  # gestures need hands
    assert all(name.startswith(f"friendly_zoo_weights-{zoo.__version__}+w") for name in wheels)
    run(capsys, "weights", "kit", str(tmp_path), "--wheel")
    assert (tmp_path / f"friendly_zoo_weights-{zoo.__version__}-py3-none-any.whl").is_file()


def test_a_wheel_alone_serves_a_class_room(capsys, mirror, tmp_path, shared):
    """Installed by pip, without a network, mirror or cache."""
    if subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True).returncode:
        skip_or_fail("pip is not installed")
    run(capsys, "weights", "kit", str(tmp_path), "--wheel", "hands")
    (wheel,) = tmp_path.glob("*.whl")
    site = tmp_path / "site"
    pip = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--no-index",
        "--no-deps",
        "--target",
        site,
        wheel,
    ]
    subprocess.run(pip, check=True, capture_output=True)
    world = {k: v for k, v in os.environ.items() if k != "ZOO_WEIGHTS_MIRROR"}
    world |= {"PYTHONPATH": f"{site}{os.pathsep}{ROOT}", "ZOO_OFFLINE": "1"}
    world["ZOO_WEIGHTS_CACHE"] = str(tmp_path / "empty")
    photo = str(shared / "images" / "photos" / "hand_pakutaso_vsign.jpg")
    code = "import zoo.cli; raise SystemExit(zoo.cli.main())"
    command = [sys.executable, "-c", code]
    done = subprocess.run([*command, "hands", photo], env=world, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "") and len(json.loads(done.stdout)) == 1
    listed = subprocess.run(
        [*command, "models", "hands"], env=world, capture_output=True, text=True
    )
    assert "  kit " in next(r for r in listed.stdout.splitlines() if r.startswith("palm.lite"))
    assert not list(Path(world["ZOO_WEIGHTS_CACHE"]).rglob("*.tflite"))


def test_old_versions_are_told_of_and_removed(capsys, mirror, monkeypatch):
    run(capsys, "weights", "fetch", "palm.lite")
    folder = Path(os.environ["ZOO_WEIGHTS_CACHE"], "mediapipe-palm-detection-tflite")
    (folder / ("0" * 12)).mkdir()
    (folder / ("0" * 12) / "palm_detection_lite.tflite").write_bytes(bytes(2_000_000))
    size = cached_bytes()
    words = "1 old version of models, 2.0 MB ('zoo weights clear --old' removes them)"
    assert run(capsys, "weights", "list")[2][-1] == f"zoo: the cache also has {words}"
    assert words in dict(examine_weights(monkeypatch))["cache"]
    assert run(capsys, "weights", "clear", "--old", "palm.lite")[0] == 2
    assert run(capsys, "weights", "clear", "--old")[:2] == (0, "2.0 MB freed\n")
    assert cached_bytes() == size and len(list(folder.iterdir())) == 1
    assert not any("old version" in line for line in run(capsys, "weights", "list")[2])
