"""Images that `zoo.teach` cannot use, more images for a model, and the cache of features."""

import itertools
import os
import shutil

import numpy as np
import pytest

import zoo
from tests.conftest import ROOT
from tests.zoo.transfer.colours import (
    COLOURS,
    FEATURES,
    assert_alike,
    coloured,
    images_of,
    teach,
    write_classes,
    write_images,
)
from weights_cache.common.errors import WeightsError, ZooError
from zoo.transfer.features import store
from zoo.transfer.features.extractor import DEFAULT_FEATURES, FeatureVector, feature_extractor

PHOTO = str(ROOT / "gallery" / "one_line_pose" / "astronaut.jpg")


@pytest.fixture(scope="module")
def features_of_all(tmp_path_factory):
    return str(tmp_path_factory.mktemp("features"))


@pytest.fixture(autouse=True)
def own_features(features_of_all, monkeypatch):
    """Features are kept from test to test, as most have the images of one seed."""
    monkeypatch.setenv("ZOO_FEATURE_CACHE", features_of_all)


@pytest.fixture
def model(rng):
    """A model that a test may change, of 4 red and 4 green images."""
    return teach(images_of(rng, red=4, green=4))


def state_of(model):
    lesson = model.lesson
    return (
        lesson.examples.names,
        lesson.examples.targets,
        lesson.labels,
        lesson.head.kernel.tobytes(),
        model.labels,
        str(model.scores),
    )


# Bad images


def test_broken_images_are_left_out_and_listed(classes):
    (classes / "red" / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\nbroken")
    (classes / "red" / "empty.jpg").write_bytes(b"")
    whole = (classes / "blue" / "0.png").read_bytes()
    (classes / "blue" / "0.png").write_bytes(whole[: len(whole) // 2])
    model = teach(classes)
    assert [s.name for s in model.skipped] == ["blue/0.png", "red/broken.png", "red/empty.jpg"]
    assert all(skipped.is_fault and skipped.reason for skipped in model.skipped)
    assert len(model.lesson.examples) == 23


def test_a_class_without_an_image_that_can_be_read_is_refused(classes):
    for path in (classes / "red").iterdir():
        path.write_bytes(b"no image")
    with pytest.raises(ZooError, match=r"no image of the class 'red' can be learnt from \(red/0"):
        teach(classes)


@pytest.mark.parametrize("change", ["remove", "truncate", "replace"])
def test_a_folder_that_changes_while_it_is_read(classes, monkeypatch, change, rng):
    """A file changes after the folder was listed; the bytes that are read once decide."""
    path, read = classes / "green" / "3.png", store.read_bytes

    def read_later(source):
        if source.endswith(os.path.join("blue", "0.png")):
            if change == "remove":
                path.unlink()
            elif change == "truncate":
                os.truncate(path, 100)
            else:
                shutil.copy(classes / "green" / "4.png", path)
        return read(source)

    monkeypatch.setattr(store, "read_bytes", read_later)
    monkeypatch.setattr(feature_extractor(FEATURES).__class__, "ahead", 1, raising=False)
    model = teach(classes)
    left_out = [s.name for s in model.skipped]
    assert left_out == ([] if change == "replace" else ["green/3.png"])
    assert len(model.lesson.examples) == 24 - len(left_out)
    if change == "replace":
        hashes = dict(zip(model.lesson.examples.names, model.lesson.examples.hashes, strict=True))
        assert hashes["green/3.png"] == hashes["green/4.png"]


def test_an_image_in_two_classes_is_left_out_of_both(classes):
    shutil.copy(classes / "red" / "0.png", classes / "blue" / "twin.png")
    model = teach(classes)
    assert {s.name: s.reason for s in model.skipped} == {
        "red/0.png": "it equals blue/twin.png, of another label",
        "blue/twin.png": "it equals red/0.png, of another label",
    }
    assert not {"red/0.png", "blue/twin.png"} & {*model.lesson.examples.names}


def test_two_classes_with_equal_images_are_refused(tmp_path, rng):
    write_images(tmp_path / "both" / "red", images_of(rng, red=3)["red"])
    shutil.copytree(tmp_path / "both" / "red", tmp_path / "both" / "blue")
    with pytest.raises(ZooError, match="'blue' and 'red' have equal images, such as blue/0.png"):
        teach(tmp_path / "both")


def test_equal_images_with_other_values_are_left_out(rng):
    images = images_of(rng, red=6)["red"]
    images[1] = images[0]
    model = teach(images, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    assert [s.name for s in model.skipped] == ["index 0", "index 1"]
    model = teach(images, [["a"], ["a", "b"], ["a"], ["b"], ["a"], ["b"]])
    assert [s.name for s in model.skipped] == ["index 0", "index 1"]
    with pytest.raises(ZooError, match="have equal images"):
        teach(images[:2], [1.0, 2.0])
    with pytest.raises(ZooError, match="have equal images"):
        teach(images, [["a"], ["c"], ["a"], ["b"], ["a"], ["b"]])


def test_images_of_wrong_shapes_are_left_out(rng):
    images = images_of(rng, red=3, green=3)
    images["red"] += [np.zeros((4,)), np.full((8, 8, 3), np.nan), 5, None]
    model = teach(images)
    assert [s.name for s in model.skipped] == [f"red, index {i}" for i in range(3, 7)]


def test_features_that_are_not_finite_stop_with_the_cause(classes, monkeypatch):
    extractor = feature_extractor(FEATURES)
    wrong = FeatureVector(np.full(extractor.size, np.nan, np.float32), "")
    monkeypatch.setattr(type(extractor), "of_looks", lambda self, looks: (wrong for _ in looks))
    with pytest.raises(ZooError, match="row 0 of the features has values that are not finite"):
        teach(classes)


# add and undo


def test_more_examples_are_added_and_taken_back_many_times(model, rng):
    states = [state_of(model)]
    for colour in ("blue", "red", "blue"):
        assert model.add(images_of(rng, **{colour: 2})) is model
        states.append(state_of(model))
    assert model.labels == ("red", "green", "blue", "none of these")
    assert len(model.lesson.examples) == 14 and len({*model.lesson.examples.names}) == 14
    assert model.predict(coloured(COLOURS["blue"], rng))["label"] == "blue"
    for state in reversed(states[:-1]):
        model.undo()
        assert state_of(model) == state
    with pytest.raises(ZooError, match="there is nothing to undo"):
        model.undo()
    assert state_of(model) == states[0]


def test_added_at_once_is_as_added_later(rng):
    images = images_of(rng, blue=4, green=4, red=4)
    later = teach({"blue": images["blue"], "green": images["green"]}).add({"red": images["red"]})
    assert_alike(teach(images), later)


def test_failed_additions_leave_the_model_unchanged(model, rng, tmp_path):
    state = state_of(model)
    (tmp_path / "broken.png").write_bytes(b"x")
    numbers = tmp_path / "numbers.csv"
    numbers.write_text("image,age\nbroken.png,1\n")
    for source, targets, message in (
        ([coloured(COLOURS["red"], rng)], [1.0], "of regression|is no label"),
        (numbers, None, "classification"),
        ({"blue": tmp_path / "broken.png"}, None, "no image can be learnt from .*broken.png"),
        (tmp_path / "nothing", None, "there is no folder"),
        ({}, None, "there are no examples"),
    ):
        with pytest.raises(ZooError, match=message):
            model.add(source, targets)
        assert state_of(model) == state


def test_an_added_image_that_contradicts_leaves_both_out(rng):
    images = images_of(rng, red=4, green=4)
    model = teach(images).add(images_of(rng, blue=3))
    model.add({"green": [images["red"][0], *images_of(rng, green=1)["green"]]})
    assert len(model.lesson.examples) == 8 + 3 + 2 - 2
    assert {s.name for s in model.skipped} == {"red, index 0", "green, index 0 (2)"}
    model.undo().undo()
    assert len(model.lesson.examples) == 7 and "blue" not in model.labels
    with pytest.raises(ZooError, match="nothing to undo"):
        model.undo()


def test_images_that_are_known_are_not_added_again(rng):
    images = images_of(rng, red=4, green=4)
    model = teach(images)
    state = state_of(model)
    with pytest.raises(ZooError, match="all 2 images are known already"):
        model.add({"red": images["red"][:2]})
    assert state_of(model) == state
    model.add({"red": [images["red"][0], *images_of(rng, red=1)["red"]]})
    assert len(model.lesson.examples) == 9
    assert [s.reason for s in model.skipped] == ["it is known already, as red, index 0"]
    assert not model.skipped[0].is_fault


def test_sheets_show_the_images_of_each_addition(model, rng):
    model.add(images_of(rng, red=3))
    noted = [*model.scores.doubtful, *model.scores.damaging]
    names = model.lesson.examples.names
    assert [names[note.position] for note in noted] == [note.name for note in noted]
    assert len(model._sources) == len(names) == 11
    assert model.sheet().width > 100 and model.confusion_plot().image.width > 100


def test_numbers_and_labels_are_added_too(rng):
    images = images_of(rng, red=6)["red"]
    model = teach(images[:4], [1.0, 2.0, 3.0, 4.0]).add(images[4:], [5.0, 6.0])
    assert model.lesson.examples.targets == tuple((float(i),) for i in range(1, 7))
    with pytest.raises(ZooError, match="the model learns 1 numbers, the images have others"):
        model.add(images[:1], [[1.0, 2.0]])
    model = teach(images[:4], [["a"], ["b"], ["a"], ["b"]]).add(images[4:], [["c"], []])
    assert model.labels == ("a", "b", "c") and model.undo().labels == ("a", "b")


# The cache of features


@pytest.fixture
def few(tmp_path, rng):
    """A folder with 3 images of each of three colours."""
    return write_classes(tmp_path / "few", 3, rng)


@pytest.fixture
def computed(monkeypatch, tmp_path):
    """Shapes of images of which features were computed; none is known at first."""
    (tmp_path / "features").mkdir(mode=0o700)
    monkeypatch.setenv("ZOO_FEATURE_CACHE", str(tmp_path / "features"))
    looks = []
    original = feature_extractor(FEATURES).__class__.look

    def look(self, pixels):
        looks.append(pixels.shape)
        return original(self, pixels)

    monkeypatch.setattr(feature_extractor(FEATURES).__class__, "look", look)
    return looks


def test_features_are_computed_once(few, computed, rng):
    first = teach(few)
    assert len(computed) == 9
    assert_alike(first, teach(few))
    assert len(computed) == 9
    write_images(few / "red" / "more", images_of(rng, red=1)["red"])
    assert len(teach(few).lesson.examples) == 10 and len(computed) == 10
    (few / "red" / "0.png").rename(few / "red" / "renamed.png")
    teach(few)
    assert len(computed) == 10


def test_without_the_cache_nothing_is_kept(few, computed):
    assert_alike(teach(few, cache=False), teach(few, cache=False))
    assert len(computed) == 18
    assert os.listdir(os.environ["ZOO_FEATURE_CACHE"]) == []


def test_features_computed_before_an_interruption_are_kept(few, computed, monkeypatch):
    extractor = feature_extractor(FEATURES).__class__
    original = extractor.of_looks

    def interrupted(self, looks):
        yield from itertools.islice(original(self, looks), 4)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(extractor, "of_looks", interrupted)
        with pytest.raises(KeyboardInterrupt):
            teach(few)
    computed.clear()
    assert len(teach(few).lesson.examples) == 9
    assert len(computed) <= 5


def test_the_default_features_do_not_depend_on_the_cache(classes, monkeypatch):
    monkeypatch.setenv("ZOO_OFFLINE", "1")
    with pytest.raises(WeightsError, match="run `zoo weights fetch mobilenet") as error:
        zoo.teach(classes)
    assert DEFAULT_FEATURES in str(error.value)


def test_other_features_are_taken_when_named(classes, tmp_path):
    assert feature_extractor(FEATURES).names == (FEATURES,)
    with pytest.raises(ZooError, match="no name of features|unknown"):
        teach(classes, features="")
