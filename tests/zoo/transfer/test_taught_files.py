"""Folders of taught models: saved and loaded exactly, replaced wholly, refused if damaged."""

import copy
import json
import os
import pickle
import shutil
import sys
import time
from pathlib import Path
from pkgutil import resolve_name

import numpy as np
import pytest

import zoo
from tests.conftest import ROOT
from tests.zoo.transfer.colours import COLOURS, FEATURES, coloured, write_classes
from weights_cache import atomic_files
from weights_cache.common.errors import WeightsError, ZooError
from zoo.transfer import taught_files
from zoo.transfer.features.extractor import feature_extractor
from zoo.transfer.taught_model import TaughtModel

PHOTO = str(ROOT / "gallery" / "one_line_pose" / "astronaut.jpg")
ODD_LABELS = ("a/b", "../up", "two\nlines", "grün ☺", " ", "label,with;marks", "C:\\x", "nul\0")


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    """A model and its folder, which tests leave as they are."""
    rng = np.random.default_rng(5)
    folder = tmp_path_factory.mktemp("known")
    write_classes(folder / "colours", 4, rng)
    (folder / "colours" / "red" / "broken.png").write_bytes(b"x")
    model = zoo.teach(folder / "colours", features=FEATURES, validation=0.25, cache=False)
    model.add({"green": [coloured(COLOURS["green"], rng)]})
    return model, model.save(folder / "model")


@pytest.fixture
def folder(known, tmp_path):
    """A copy of the folder that a test may damage."""
    return Path(shutil.copytree(known[1], tmp_path / "copy"))


@pytest.fixture
def images(rng):
    return [coloured(colour, rng) for colour in COLOURS.values()]


def content_of(folder):
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def change(folder, edit):
    path = folder / "taught.json"
    facts = json.loads(path.read_text("utf-8"))
    edit(facts)
    path.write_text(json.dumps(facts), "utf-8")


def assert_exact(model, again, images):
    assert type(again) is TaughtModel
    assert again.predict([*images, PHOTO]) == model.predict([*images, PHOTO])
    assert again.lesson.examples.facts() == model.lesson.examples.facts()
    for name, array in model.lesson.examples.arrays().items():
        np.testing.assert_array_equal(again.lesson.examples.arrays()[name], array)
    for name in ("kind", "labels", "settings", "scores", "validation", "skipped", "source"):
        assert getattr(again.lesson, name) == getattr(model.lesson, name), name
    assert again.lesson.head.penalty == model.lesson.head.penalty


def test_a_loaded_model_is_the_saved_one(known, images):
    model, folder = known
    again = zoo.load(folder)
    assert_exact(model, again, images)
    assert again.skipped[0].name == "red/broken.png" and again.extractor.key == model.extractor.key
    assert again.undo().lesson.examples.steps == model.lesson.examples.steps[:1]


def test_labels_and_values_are_loaded_exactly(tmp_path, images):
    several = zoo.teach(images * 2, [["a"], ["a", "b"], []] * 2, features=FEATURES)
    assert_exact(several, zoo.load(several.save(tmp_path / "several")), images)
    values = zoo.teach(images, [[0.1, 1], [1 / 3, 2], [1e-30, 3]], features=FEATURES)
    again = zoo.load(values.save(tmp_path / "values"))
    assert_exact(values, again, images)
    assert again.lesson.examples.targets[1] == (1 / 3, 2.0)


def test_odd_labels_and_names_are_kept(tmp_path, rng):
    odd = {
        label: [coloured(rng.integers(0, 255, 3), rng) for _ in range(2)] for label in ODD_LABELS
    }
    model = zoo.teach(odd, features=FEATURES)
    again = zoo.load(model.save(tmp_path / "odd"))
    assert again.lesson.labels == ODD_LABELS and set(again.predict(PHOTO)["scores"]) >= {*odd}
    images = [several[0] for several in odd.values()]
    assert_exact(model, again, images)
    assert len({one["label"] for one in again.predict(images)}) > 3
    exported = model.export(tmp_path / "exported").path
    metadata = json.loads((exported / "metadata.json").read_text("utf-8"))
    assert metadata["labels"] == [*ODD_LABELS]
    assert sorted(os.listdir(tmp_path)) == ["exported", "odd"]


@pytest.mark.skipif(os.name == "nt", reason="names of files are texts")
def test_names_of_files_that_are_no_text_are_kept(tmp_path, images, rng):
    classes = write_classes(tmp_path / "classes", 2, rng)
    os.rename(classes / "red" / "0.png", os.fsencode(classes / "red") + b"/\xff.png")
    model = zoo.teach(classes, features=FEATURES)
    again = zoo.load(model.save(tmp_path / "model"))
    assert "red/\udcff.png" in again.lesson.examples.names
    assert_exact(model, again, images)


def test_the_folder_says_what_it_holds(known):
    model, folder = known
    facts = json.loads((folder / "taught.json").read_text("utf-8"))
    assert sorted(os.listdir(folder)) == ["arrays.npz", "taught.json"]
    assert facts["format"] == "zoo-taught-model" and facts["kind"] == "classification"
    assert facts["features"] == [FEATURES] and facts["provenance"] == model.extractor.provenance
    assert facts["provenance"][0]["licence"] and facts["provenance"][0]["sha256"]
    assert [len(sha256) for sha256 in facts["images"]["sha256"]] == [64] * len(
        model.lesson.examples
    )


def test_verbs_take_the_folder(known, images):
    _, folder = known
    loaded = zoo.load(folder)
    for name in (str(folder), f"{folder}{os.sep}"):
        assert zoo.classify(images[2], model=name) == loaded.classify(images[2])
    (found,) = zoo.watch(images[2:], "classify", model=str(folder))
    assert found["result"][0]["label"] == "red"


def test_an_export_has_the_name_of_the_folder(known, folder, tmp_path):
    exported = zoo.load(f"{folder}{os.sep}").export(tmp_path / "exported").path
    assert json.loads((exported / "metadata.json").read_text("utf-8"))["modelName"] == "copy"


def test_a_loaded_model_can_be_pickled(known, images):
    model, folder = known
    again = pickle.loads(pickle.dumps(zoo.load(folder)))
    assert_exact(model, again, images)
    with pytest.raises(ZooError, match="cannot be pickled, as zoo.load did not load it"):
        pickle.dumps(model)


def test_a_model_replaces_another_one(known, folder, images):
    model, _ = known
    other = zoo.load(folder).add({"blue": images[:1]})
    assert other.save(folder) == folder
    assert_exact(other, zoo.load(folder), images)
    model.save(folder)
    assert os.listdir(folder.parent) == ["copy"]
    (folder.parent / "empty").mkdir()
    assert_exact(model, zoo.load(model.save(folder.parent / "empty")), images)
    assert_exact(model, zoo.load(model.save(folder.parent / "new" / "deep")), images)


@pytest.mark.parametrize("name", ["notes.txt", "web", ".git"])
def test_other_files_are_never_lost(known, folder, name):
    (folder / name).mkdir()
    before = sorted(os.listdir(folder))
    with pytest.raises(ZooError, match=f"holds '{name}' besides a taught model"):
        known[0].save(folder)
    assert sorted(os.listdir(folder)) == before
    (folder / "taught.json").unlink()
    with pytest.raises(ZooError, match="exists and is no taught model"):
        known[0].save(folder)


def test_files_of_file_managers_are_ignored(known, folder):
    (folder / ".DS_Store").write_bytes(b"x")
    known[0].save(folder)
    assert sorted(os.listdir(folder)) == ["arrays.npz", "taught.json"]


def test_files_and_wrong_names_are_refused(known, tmp_path):
    model, _ = known
    (tmp_path / "file").write_bytes(b"x")
    for name, message in (
        (tmp_path / "file", "is no folder of a taught model"),
        (tmp_path / "file" / "model", "cannot be written|is no folder of a taught model"),
        (tmp_path / ("long" * 100), "File name too long|is no folder"),
        ("", "a folder is a text or a pathlib.Path, not ''"),
        (5, "a folder is a text or a pathlib.Path, not 5"),
    ):
        with pytest.raises(ZooError, match=message):
            model.save(name)
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize("failing", ["write", "arrays", "first rename", "second rename"])
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failed_save_leaves_the_old_model(known, folder, monkeypatch, failing, error):
    before = content_of(folder)
    rename, count = os.rename, []

    def fail(*_, **__):
        raise error

    def rename_later(*names):
        count.append(names)
        if len(count) == (1 if failing == "first rename" else 2):
            raise error
        rename(*names)

    with monkeypatch.context() as patch:
        if failing == "write":
            patch.setattr(taught_files, "replacing", fail)
        elif failing == "arrays":
            patch.setattr(taught_files, "write_arrays", fail)
        else:
            patch.setattr(atomic_files, "exchange_folders", lambda *_: False)
            patch.setattr(os, "rename", rename_later)
        with pytest.raises(
            KeyboardInterrupt if type(error) is KeyboardInterrupt else ZooError
        ) as e:
            known[0].save(folder)
    assert isinstance(error, KeyboardInterrupt) or "No space left on device" in str(e.value)
    assert content_of(folder) == before and os.listdir(folder.parent) == ["copy"]


def test_what_a_killed_save_left_goes_after_a_day(known, folder):
    """A folder that was being written, of this name; others stay."""
    names = [f"{name}.{digit * 12}.tmp" for name in ("copy", "other") for digit in "12"]
    for name in names:
        (folder.parent / name / "new").mkdir(parents=True)
        (folder.parent / name / "new" / "taught.json").write_text("{")
    long_ago = time.time() - atomic_files.STALE_SECONDS - 60
    for name in (names[0], names[2]):
        os.utime(folder.parent / name, (long_ago, long_ago))
    known[0].save(folder)
    assert sorted(os.listdir(folder.parent)) == sorted(["copy", *names[1:]])


def refused(folder):
    """Loading raises one error that names the folder."""
    with pytest.raises(ZooError, match="copy") as caught:
        zoo.load(folder)
    return str(caught.value)


@pytest.mark.parametrize("name", ["taught.json", "arrays.npz"])
def test_files_that_end_early_are_refused(folder, name):
    data = (folder / name).read_bytes()
    for length in np.linspace(0, len(data) - 1, 25).astype(int):
        (folder / name).write_bytes(data[:length])
        refused(folder)


def test_files_that_are_missing_or_no_files_are_refused(folder):
    (folder / "arrays.npz").unlink()
    assert "arrays.npz" in refused(folder)
    (folder / "arrays.npz").mkdir()
    refused(folder)
    (folder / "taught.json").write_bytes(b"[" * 100_000)
    refused(folder)


DAMAGE = (None, 5, -1, 1.5, "x", [], {}, [1], {"a": 1}, float("nan"), float("inf"), 10**400)
FREE = {"made", "friendly_zoo", "source", "provenance", "history", "penalty", "features_key"}


def test_values_of_other_types_are_refused_or_harmless(folder):
    text = (folder / "taught.json").read_text("utf-8")
    for name in json.loads(text):
        accepted = 0
        for value in DAMAGE:
            facts = json.loads(text)
            facts[name] = value
            (folder / "taught.json").write_text(json.dumps(facts), "utf-8")
            try:
                zoo.load(folder)
            except ZooError as error:
                assert "copy" in str(error), (name, value)
            else:
                accepted += 1
        most = {"normalize": 12, "validation": 1, "skipped": 2, "settings": 1, "own_network": 0}
        assert accepted <= (len(DAMAGE) if name in FREE else most.get(name, 0)), name
        facts = json.loads(text)
        del facts[name]
        (folder / "taught.json").write_text(json.dumps(facts), "utf-8")
        if name not in ("made", "friendly_zoo", "provenance"):
            refused(folder)


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda f: f["labels"].reverse() or f["labels"].append("x"), "do not fit 4 labels"),
        (lambda f: f["images"]["targets"].__setitem__(0, "pink"), "pink"),
        (lambda f: f["images"]["names"].pop(), "differ in length"),
        (lambda f: f["images"].update(steps=[0, 10]), "differ in length"),
        (lambda f: f["settings"].update(folds=1), "folds=1 must be"),
        (lambda f: f["settings"].update(seed="x"), "seed='x' must be"),
        (lambda f: f["settings"].update(other=1), "other"),
        (lambda f: f["scores"].update(accuracy="high"), "scores are damaged"),
        (lambda f: f.update(features=["nothing"]), "unknown features 'nothing'"),
        (lambda f: f.update(own_network="../x"), "network"),
    ],
)
def test_damage_is_explained(folder, edit, message):
    change(folder, edit)
    assert message in refused(folder)


def test_arrays_of_other_shapes_are_refused(folder):
    with np.load(folder / "arrays.npz") as file:
        arrays = dict(file)
    for name, array in arrays.items():
        if name == "facts":
            continue
        fewer = array[:, :1] if name == "familiarity/prototypes" else array[:-1]
        for other in (array[..., :0], fewer, array.astype(np.complex64), array[None]):
            np.savez(folder / "arrays.npz", **{**arrays, name: other})
            refused(folder)
        if array.dtype.kind == "f":
            for bad in (np.nan, 1e30):  # whose square leaves float32
                np.savez(folder / "arrays.npz", **{**arrays, name: np.full_like(array, bad)})
                assert "finite" in refused(folder)
        left = copy.copy(arrays)
        del left[name]
        np.savez(folder / "arrays.npz", **left)
        refused(folder)


def test_newer_versions_and_other_weights_are_refused(folder):
    change(folder, lambda facts: facts.update(version=2))
    message = refused(folder)
    assert "has the version 2, known is 1: install a newer friendly-zoo" in message
    change(folder, lambda facts: facts.update(version=1, features_key="0" * 64))
    assert f"was taught with other weights of {FEATURES}" in refused(folder)


def test_missing_weights_are_no_damage(folder, monkeypatch):
    monkeypatch.setenv("ZOO_OFFLINE", "1")
    key = feature_extractor("mobilenet.v1_025").key
    change(folder, lambda facts: facts.update(features=["mobilenet.v1_025"], features_key=key))
    with pytest.raises(WeightsError, match="run `zoo weights fetch mobilenet.v1_025`"):
        zoo.load(folder).predict(PHOTO)


def test_options_of_files_do_not_apply(folder):
    with pytest.raises(ZooError, match="isolate= is not for models that were taught"):
        zoo.load(folder, isolate=True)
    with pytest.raises(ZooError, match="kernels= is not for models that were taught"):
        zoo.load(folder, kernels={})
    with pytest.raises(ZooError, match="signature= is not for models that were taught"):
        zoo.load(folder, signature="x")


def test_a_loaded_model_draws_images_of_a_folder(known):
    _, folder = known
    model = zoo.load(folder)
    with pytest.raises(ZooError, match="has no images of its examples: give sheet the folder"):
        model.sheet()
    assert model.sheet(folder.parent / "colours").width > 100


@pytest.mark.parametrize("fault", ["facts", "lesson", "arrays"])
def test_what_was_written_is_read_back(fault, known, folder, monkeypatch):
    model, before = known[0], content_of(folder)

    def other(*arguments):
        if fault == "lesson":
            raise ValueError("its kind is 'odd'")
        if fault == "facts":
            return {**read(*arguments), "source": "elsewhere"}
        arrays, facts = read(*arguments)
        return {**arrays, "bias": arrays["bias"] + 1}, facts

    name = {
        "facts": "taught_files._read_facts",
        "lesson": "taught_files._lesson_of",
        "arrays": "array_files.read_arrays",
    }[fault]
    read = resolve_name(f"zoo.transfer.{name}")
    monkeypatch.setattr(f"zoo.transfer.{name}", other)
    with pytest.raises(ZooError, match="cannot be read back .*nothing was replaced"):
        model.save(folder)
    assert content_of(folder) == before
    assert os.listdir(folder.parent) == [folder.name]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems exchange no folders")
def test_a_kill_at_any_rename_leaves_a_whole_model(known, folder, images, monkeypatch):
    seen, replace = [], os.replace

    def look(*names):
        replace(*names)
        seen.append(taught_files.is_taught(folder))  # what a kill would leave now

    monkeypatch.setattr(os, "rename", look)
    monkeypatch.setattr(os, "replace", look)
    known[0].save(folder)
    assert seen and all(seen)
    assert_exact(known[0], zoo.load(folder), images)
    assert os.listdir(folder.parent) == [folder.name]
