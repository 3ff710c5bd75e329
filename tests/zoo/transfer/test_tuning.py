"""`zoo.fine_tune`: models whose network learnt as well, their scores, files and limits."""

import shutil

import numpy as np
import pytest

import zoo
from tests.zoo.transfer.colours import COLOURS, FEATURES, coloured, write_classes, write_images
from weights_cache.common.errors import WeightsError, ZooError
from zoo.transfer.tuning import tuning

QUICK = {"model": FEATURES, "epochs": 2, "views": 0, "layers": 1}


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    """A folder of classes and a model of them; tests leave both as they are."""
    rng = np.random.default_rng(3)
    folder = write_classes(tmp_path_factory.mktemp("known") / "colours", 5, rng)
    (folder / "red" / "broken.png").write_bytes(b"x")
    return folder, zoo.fine_tune(folder, **QUICK)


def test_classes_are_recognized(known, rng):
    folder, model = known
    assert model.features == (FEATURES,) and model.has_own_network
    assert model.labels == (*COLOURS, "none of these")
    found = model.lesson.head.predict(
        np.concatenate([model.infer(coloured(c, rng), embedding=True) for c in COLOURS.values()])
    )
    assert found.argmax(axis=1).tolist() == [0, 1, 2]
    assert model.predict(folder / "red" / "0.png")["label"] == "red"
    assert [skipped.name for skipped in model.skipped] == ["red/broken.png"]
    assert {"loss", "val_loss", "val_accuracy"} == {*model.history}
    assert 1 <= len(model.history["loss"]) <= 3 and np.isfinite(model.history["loss"]).all()
    assert model.scores.images == 3 and len(model.lesson.examples) == 15
    assert any("decided when training stopped" in w for w in model.scores.warnings)
    assert model.validation is None


def test_two_runs_are_alike(known):
    folder, model = known
    again = zoo.fine_tune(folder, **QUICK)
    assert again.history == model.history and again.scores == model.scores
    np.testing.assert_array_equal(again.lesson.head.kernel, model.lesson.head.kernel)


def test_the_network_of_the_zoo_stays_as_it_is(known, rng):
    image = coloured(COLOURS["red"], rng)
    before = zoo.load(FEATURES).infer(image, embedding=True).numpy()
    folder, _ = known
    zoo.fine_tune(folder, **QUICK | {"learning_rate": 0.01})
    np.testing.assert_array_equal(zoo.load(FEATURES).infer(image, embedding=True).numpy(), before)


def test_a_saved_model_holds_its_network(known, tmp_path, rng):
    folder, model = known
    images = [coloured(colour, rng) for colour in COLOURS.values()]
    again = zoo.load(model.save(tmp_path / "model"))
    assert again.predict(images) == model.predict(images)
    assert again.history == model.history and again.has_own_network
    assert zoo.load(again.save(tmp_path / "model")).predict(images) == model.predict(images)
    shutil.rmtree(tmp_path / "model" / "network")
    with pytest.raises(ZooError, match="network"):
        zoo.load(tmp_path / "model")


def test_more_examples_are_not_added(known, rng):
    _, model = known
    with pytest.raises(ZooError, match="call zoo.fine_tune with all images"):
        model.add({"red": [coloured(COLOURS["red"], rng)]})
    with pytest.raises(ZooError, match="nothing to undo"):
        model.undo()


def test_a_split_folder_has_scores_of_its_own(tmp_path, rng):
    write_classes(tmp_path / "both" / "train", 4, rng)
    write_classes(tmp_path / "both" / "val", 1, rng)
    (tmp_path / "both" / "val" / "red" / "broken.png").write_bytes(b"x")
    model = zoo.fine_tune(tmp_path / "both", **QUICK | {"validation": None})
    assert model.validation.images == 3 and model.scores.images == 0
    assert len(model.lesson.examples) == 12 and {*model.history} == {"loss"}
    assert [skipped.name for skipped in model.skipped] == ["red/broken.png"]


def test_labels_and_values(rng):
    images = [coloured(COLOURS[c], rng) for c in ("red", "blue") for _ in range(4)]
    several = zoo.fine_tune(images, [["a", "b"]] * 4 + [["b"]] * 4, **QUICK)
    assert several.kind == "multi_label" and several.labels == ("a", "b")
    assert "b" in several.predict(images[0])["labels"]
    values = zoo.fine_tune(images, [1.0] * 4 + [0.0] * 4, **QUICK)
    assert values.kind == "regression" and set(values.predict(images[0])["values"]) == {"value"}


def test_images_in_two_classes_are_left_out(tmp_path, rng):
    folder = write_classes(tmp_path / "classes", 4, rng)
    shutil.copy(folder / "red" / "0.png", folder / "blue" / "twin.png")
    model = zoo.fine_tune(folder, **QUICK | {"epochs": 1})
    assert {s.name for s in model.skipped} == {"red/0.png", "blue/twin.png"}


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_near_duplicates_are_not_split(rng, monkeypatch, seed):
    images = []
    for colour in COLOURS.values():
        image = coloured(colour, rng)
        images += [image.copy() for _ in range(3)] + [coloured(colour, rng) for _ in range(3)]
        for number, copy in enumerate(images[-6:-3]):
            copy[number, number] = 0
    given = {}

    def stop(*_, validation, **__):
        given["held out"] = validation
        raise ZooError("stopped")

    monkeypatch.setattr(tuning, "fine_tuned_network", stop)
    with pytest.raises(ZooError, match="stopped"):
        zoo.fine_tune(images, [c for c in COLOURS for _ in range(6)], **QUICK | {"seed": seed})
    held = {*given["held out"].tolist()}
    assert 2 <= len(held) <= 9
    for copies in ({0, 1, 2}, {6, 7, 8}, {12, 13, 14}):
        assert not copies & held or copies <= held


def test_folders_that_change_meanwhile_are_refused(tmp_path, rng, monkeypatch):
    folder = write_classes(tmp_path / "classes", 3, rng)
    tuned = tuning.fine_tuned_network

    def tune(*given, **options):
        found = tuned(*given, **options)
        (folder / "red" / "0.png").unlink()
        return found

    monkeypatch.setattr(tuning, "fine_tuned_network", tune)
    with pytest.raises(ZooError, match="images changed while the network learnt from them"):
        zoo.fine_tune(folder, **QUICK | {"epochs": 1})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epochs": 0}, "epochs=0 must be"),
        ({"learning_rate": float("nan")}, "learning_rate=nan must be"),
        ({"layers": "all"}, "layers='all' must be"),
        ({"seed": -1}, "seed=-1 must be"),
        ({"model": "posnet.tiny"}, "did you mean 'posenet.tiny'"),
        ({"backend": "gpu"}, "backend='gpu'"),
    ],
)
def test_wrong_arguments_are_refused_before_images_are_read(known, monkeypatch, options, message):
    def refuse(*_):
        raise AssertionError

    monkeypatch.setattr(tuning, "hashed", refuse)
    with pytest.raises(ZooError, match=message):
        zoo.fine_tune(known[0], **QUICK | options)


@pytest.mark.parametrize("validation", [0.9, 0, -1, True, float("nan"), "others"])
def test_wrong_shares_are_refused(known, validation):
    with pytest.raises(ZooError, match="validation="):
        zoo.fine_tune(known[0], **QUICK | {"validation": validation})


def test_bad_folders_are_refused(tmp_path, rng):
    write_images(tmp_path / "classes" / "red", [coloured(COLOURS["red"], rng)])
    with pytest.raises(ZooError, match="one class only, 'red'"):
        zoo.fine_tune(tmp_path / "classes", **QUICK)
    (tmp_path / "classes" / "blue").mkdir()
    (tmp_path / "classes" / "blue" / "0.png").write_bytes(b"x")
    with pytest.raises(ZooError, match="no image of the class 'blue' can be learnt"):
        zoo.fine_tune(tmp_path / "classes", **QUICK)
    (tmp_path / "classes" / "red" / "0.png").write_bytes(b"x")
    with pytest.raises(ZooError, match="none of 2 images can be read"):
        zoo.fine_tune(tmp_path / "classes", **QUICK)


def test_missing_weights_are_fetched_by_a_command(known, monkeypatch):
    monkeypatch.setenv("ZOO_OFFLINE", "1")
    with pytest.raises(WeightsError, match="run `zoo weights fetch mobilenet.v1_025`"):
        zoo.fine_tune(known[0])
