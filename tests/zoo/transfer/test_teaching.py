"""`zoo.teach` and the models that it makes: predictions, scores, bad images, add and undo."""

import itertools
import os
import shutil

import numpy as np
import pytest

import zoo
from tests.conftest import ROOT
from tests.zoo.transfer.colours import COLOURS, FEATURES, coloured, write_classes, write_images
from weights_cache.errors import WeightsError, ZooError
from zoo.transfer import feature_store, learning, teaching
from zoo.transfer.duplicates import find_duplicates
from zoo.transfer.examples import Examples
from zoo.transfer.features import (
    DEFAULT_FEATURES,
    FeatureExtractor,
    FeatureVector,
    feature_extractor,
)
from zoo.transfer.image_sets import read_image_set

PHOTO = str(ROOT / "gallery" / "one_line_pose" / "astronaut.jpg")


def images_of(rng, **counts):
    """Images of colours, by colour."""
    return {c: [coloured(COLOURS[c], rng) for _ in range(n)] for c, n in counts.items()}


def teach(source, targets=None, **options):
    return zoo.teach(source, targets, **{"features": FEATURES, **options})


@pytest.fixture(scope="module")
def features_of_all(tmp_path_factory):
    return str(tmp_path_factory.mktemp("features"))


@pytest.fixture(autouse=True)
def own_features(features_of_all, monkeypatch):
    """Features are kept from test to test, as most have the images of one seed."""
    monkeypatch.setenv("ZOO_FEATURE_CACHE", features_of_all)


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    """A folder of classes and a model of them; tests leave both as they are."""
    rng = np.random.default_rng(3)
    folder = write_classes(tmp_path_factory.mktemp("known") / "colours", 8, rng)
    return folder, teach(folder, cache=False)


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


def assert_alike(one, other):
    np.testing.assert_array_equal(one.lesson.head.kernel, other.lesson.head.kernel)
    np.testing.assert_array_equal(one.lesson.head.bias, other.lesson.head.bias)
    assert one.scores == other.scores and one.validation == other.validation


# Predictions


def test_classes_are_recognized(known, rng):
    folder, model = known
    assert model.kind == "classification" and model.features == (FEATURES,)
    assert model.labels == ("blue", "green", "red", "none of these")
    assert model.scores.accuracy == 1.0 and model.scores.images == 24 and model.skipped == ()
    assert "24 images right" in str(model.scores) and "colours" in repr(model)
    for label, colour in COLOURS.items():
        found = model.predict(coloured(colour, rng))
        assert found["label"] == label and found["score"] == max(found["scores"].values())
        assert sum(found["scores"].values()) == pytest.approx(1, abs=1e-6)
        assert list(found["scores"]) == list(model.labels)
    assert model.predict(folder / "red" / "0.png")["familiar"] > 0.5


def test_an_image_unlike_all_is_none_of_these(known):
    found = known[1].predict(PHOTO)
    assert found["label"] == "none of these" and found["familiar"] < 0.1 and found["score"] > 0.9


@pytest.mark.parametrize("own", ["none", "none of these"])
def test_a_class_of_others_of_the_user_takes_what_is_unlike_all(rng, own):
    images = images_of(rng, red=4, green=4)
    model = teach({"red": images["red"], own: images["green"]})
    assert model.labels == ("red", own)
    found = model.predict(PHOTO)
    assert found["label"] == own and list(found["scores"]) == ["red", own]
    assert sum(found["scores"].values()) == pytest.approx(1, abs=1e-6)


def test_lists_iterators_and_batches_are_several_images(known, rng):
    model = known[1]
    batch = np.stack([coloured(COLOURS[label], rng) for label in ("red", "blue")])
    labels = [found["label"] for found in model.predict(list(batch))]
    assert labels == ["red", "blue"]
    assert model.predict(batch) == model.predict(list(batch))
    found = model.predict(iter(batch))
    assert next(found)["label"] == "red" and next(found)["label"] == "blue"
    with pytest.raises(zoo.ImageError, match="image at index 1: there is no file 'no.png'"):
        model.predict([batch[0], "no.png"])


def test_a_mirror_image_is_mirrored(known):
    model = known[1]
    image = zoo.images.reading.read_image(PHOTO)
    assert model.predict(image[:, ::-1].copy(), mirror=True) == model.predict(image)
    with pytest.raises(AssertionError):
        features = [model.infer(i, embedding=True).numpy() for i in (image, image[:, ::-1])]
        np.testing.assert_allclose(*features, atol=1e-3)


def test_verbs_take_the_model(known, rng):
    model = known[1]
    red = coloured(COLOURS["red"], rng)
    (best,) = zoo.classify(red, model=model, top_k=1)
    found = model.predict(red)
    assert (best["label"], best["score"]) == (found["label"], found["score"])
    assert model.labels[best["index"]] == "red"
    assert model.infer(red).shape == (1, 3) and model.infer(red, embedding=True).shape == (1, 384)
    for several in zoo.watch([red, red], "classify", model=model):
        assert several["result"][0]["label"] == "red"


def test_a_closed_model_is_refused(model):
    model.close()
    with pytest.raises(ZooError, match="closed"):
        model.predict(PHOTO)


def test_labels_that_exclude_none(rng):
    images = images_of(rng, red=4, green=4, blue=4)
    targets = [["red", "warm"]] * 4 + [["green"]] * 4 + [[]] * 4
    model = teach([*images["red"], *images["green"], *images["blue"]], targets)
    assert model.kind == "multi_label" and model.labels == ("green", "red", "warm")
    found = model.predict(coloured(COLOURS["red"], rng))
    assert sorted(found["labels"]) == ["red", "warm"] and set(found) == {
        "labels",
        "scores",
        "familiar",
    }
    assert model.predict(coloured(COLOURS["blue"], rng))["labels"] == []
    assert {one["label"] for one in model.classify(images["red"][0])} == {"red", "warm", "green"}
    assert model.scores.images == 12
    with pytest.raises(ZooError, match="learnt multi_label, which has no confusion matrix"):
        model.confusion_plot()


def test_values(rng):
    shares = rng.random(20)
    red, blue = np.array(COLOURS["red"]), np.array(COLOURS["blue"])
    images = [coloured(share * red + (1 - share) * blue, rng) for share in shares]
    model = teach(images, [[share, 100 * share] for share in shares])
    assert model.kind == "regression" and model.labels == ("value_1", "value_2")
    found = model.predict(coloured(red / 2 + blue / 2, rng))
    assert found["values"]["value_1"] == pytest.approx(0.5, abs=0.15)
    assert found["values"]["value_2"] == pytest.approx(50, abs=15)
    assert model.scores.values["value_1"].r2 > 0.9
    with pytest.raises(ZooError, match="was taught values, not classes: use predict"):
        model.classify(images[0])


@pytest.fixture
def hands(monkeypatch):
    """An extractor that finds no hand in images of one colour."""
    vectors, missing = FeatureExtractor._vectors, FeatureVector(None, "no hand was found")

    def found(self, looks):
        return [
            missing if np.ptp(look[0]) == 0 else vector
            for look, vector in zip(looks, vectors(self, looks), strict=True)
        ]

    monkeypatch.setattr(FeatureExtractor, "_vectors", found)


def test_images_without_the_features_are_none_of_these(hands, rng):
    dark = np.zeros((48, 48, 3), np.uint8)
    images = images_of(rng, red=3, green=3)
    model = teach({**images, "green": [*images["green"], dark]})
    assert model.skipped == (("green, index 3", "no hand was found", False),)
    found = model.predict(dark)
    assert found == {
        "label": "none of these",
        "score": 1.0,
        "scores": {"red": 0.0, "green": 0.0, "none of these": 1.0},
        "familiar": 0.0,
        "missing": "no hand was found",
    }
    assert zoo.classify(dark, model=model)[0]["label"] == "none of these"
    with pytest.raises(ZooError, match="the image has no features: no hand was found"):
        model.infer(dark)
    own = teach({"red": images["red"], "none": images["green"]})
    assert own.predict(dark)["label"] == "none" and own.predict(dark)["score"] == 1.0
    several = teach(sum(images.values(), []), [["a"]] * 3 + [["b"]] * 3).predict(dark)
    assert several["labels"] == [] and several["missing"] == "no hand was found"
    values = teach(sum(images.values(), []), [1.0] * 3 + [2.0] * 3).predict(dark)
    assert values == {"values": {}, "familiar": 0.0, "missing": "no hand was found"}
    with pytest.raises(ZooError, match=r"class 'b' can be learnt from \(b, index 0: no hand was"):
        teach({"red": images["red"], "b": [dark]})


def test_values_may_be_large(rng):
    images = images_of(rng, red=4, blue=4)
    model = teach([*images["red"], *images["blue"]], [1e15] * 4 + [-1e15] * 4)
    found = model.predict(coloured(COLOURS["red"], rng))["values"]["value"]
    assert found == pytest.approx(1e15, rel=0.3)


# Scores


def test_two_teachings_are_alike(known):
    folder, model = known
    assert_alike(model, teach(folder))
    assert_alike(teach(folder, validation=0.25, seed=5), teach(folder, validation=0.25, seed=5))


@pytest.mark.parametrize("share", [0.01, 0.2, 0.5, 0.75])
def test_images_for_validation_are_not_learnt_from(classes, share):
    everything = len(read_image_set(classes).examples)
    model = teach(classes, validation=share)
    kept = model.validation.images
    assert kept + len(model.lesson.examples) == everything
    assert kept == pytest.approx(share * everything, abs=4) and kept >= 1
    shown = {image.name for image in model.validation.doubtful}
    assert shown and not shown & {*model.lesson.examples.names}


def test_images_that_are_nearly_equal_are_not_parted(classes, rng):
    for label, colour in COLOURS.items():
        image = coloured(colour, rng)
        for number in range(4):
            image = image.copy()
            image[number, number] = 0
            write_images(classes / label / f"more{number}", [image])
    images = read_image_set(classes)
    gathered = teaching.gather(images.kind, images.examples, feature_extractor(FEATURES))
    for seed in range(3):
        known, kept = teaching._split(images.kind, gathered, 0.4, seed)
        assert len(known.examples) + len(kept) == 36
        both = known.examples.joined(kept)
        groups = find_duplicates(both.fingerprints, both.hashes).groups
        assert len(set(groups)) == 27
        assert not {*groups[: len(known.examples)]} & {*groups[len(known.examples) :]}


def test_a_share_that_leaves_too_few_is_refused(rng):
    with pytest.raises(ZooError, match="validation=0.9 leaves too few images: no image of"):
        teach(images_of(rng, red=5, green=5), validation=0.9)
    with pytest.raises(ZooError, match="no image can be kept for validation=0.5"):
        teach(images_of(rng, red=1, green=1), validation=0.5)


def test_a_folder_for_validation(known, tmp_path, rng):
    folder, model = known
    others = write_classes(tmp_path / "others", 2, rng, {"red": COLOURS["red"]})
    (others / "red" / "broken.png").write_bytes(b"no image")
    found = teach(folder, validation=others)
    assert found.validation.images == 2 and found.validation.accuracy == 1.0
    assert found.scores == model.scores
    assert [skipped.name for skipped in found.skipped] == ["red/broken.png"]
    with pytest.raises(ZooError, match="no image for validation can be used: there is no file"):
        teach(folder, validation={"red": "no.png"})
    with pytest.raises(ZooError, match="with the labels pink, those to learn from"):
        teach(folder, validation={"pink": [coloured(COLOURS["red"], rng)]})


def test_a_split_folder_has_validation(tmp_path, rng):
    write_classes(tmp_path / "both" / "train", 4, rng)
    write_classes(tmp_path / "both" / "val", 2, rng)
    model = teach(tmp_path / "both")
    assert model.validation.images == 6 and model.scores.images == 12
    with pytest.raises(ZooError, match="images for validation already"):
        teach(tmp_path / "both", validation=0.2)


def test_an_image_that_is_in_both_parts_is_warned_of(known):
    folder, _ = known
    model = teach(folder, validation={"red": [folder / "red" / "0.png"]})
    (warning,) = (sentence for sentence in model.validation.warnings if "identical" in sentence)
    assert warning.startswith("1 pair of images is on both sides of the split (identical: red/0")


def test_the_penalty_of_a_fold_is_chosen_by_other_folds(monkeypatch):
    """A penalty of which only the first fold is in favour is not taken for the first fold."""
    rng = np.random.default_rng(1)
    features = rng.normal(size=(40, 30)).astype(np.float32)
    targets = tuple("ab"[i] for i in rng.integers(0, 2, 40))
    names, prints = tuple(map(str, range(40))), np.zeros((40, 2), np.uint64)
    examples = Examples(features, targets, names, names, prints, (40,))
    asked, best = [], learning._best
    monkeypatch.setattr(learning, "_best", lambda costs: asked.append(costs) or best(costs))
    learnt = learning.learn("classification", "ab", examples, normalize=False, folds=4)
    *of_folds, of_all = asked
    assert len(of_folds) == 4 and of_all.shape == (4, 40, 2)
    for fold, costs in enumerate(of_folds):
        np.testing.assert_array_equal(costs, of_all[:, learnt.held_out.folds != fold])


def test_scores_need_no_luck(known):
    """Labels that say nothing of the images are not predicted better than by guessing."""
    rng = np.random.default_rng(1)
    images = [coloured(COLOURS["red"], rng) for _ in range(24)]
    scores = teach(images, [["a", "b"][i % 2] for i in rng.permutation(24)]).scores
    assert scores.interval[0] < 0.5 < scores.interval[1]
    assert scores.log_loss < 1.2  # Calibrated by temperature: near log(2), not sure of mistakes


@pytest.mark.parametrize("counts", [(1, 1), (1, 5), (2, 2)])
def test_few_images_are_taught_with_a_warning(rng, counts):
    model = teach(images_of(rng, red=counts[0], green=counts[1]))
    assert model.predict(coloured(COLOURS["red"], rng))["scores"]["red"] > 0
    assert model.scores.warnings


@pytest.mark.parametrize("targets", [[1.0, 2.0], [["a"], ["a", "b"]], [["a"], ["a"], ["b"]]])
def test_few_images_of_other_kinds(rng, targets):
    images = images_of(rng, red=len(targets))["red"]
    assert teach(images, targets).scores.warnings
    with pytest.raises(ZooError, match="there is one image only, index 0"):
        teach(images[:1], targets[:1])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"folds": 1}, "folds=1 must be an integer of at least 2"),
        ({"folds": 2.5}, "folds=2.5 must be an integer"),
        ({"seed": -1}, "seed=-1 must be an integer of at least 0"),
        ({"seed": True}, "seed=True must be an integer"),
        ({"penalty": 0}, "penalty=0 must be a number above 0"),
        ({"penalty": "x"}, "penalty='x' must be a number above 0"),
        ({"validation": 1.0}, "validation=1.0 must lie between 0 and 1"),
        ({"validation": float("nan")}, "validation=nan must lie between 0 and 1"),
        ({"validation": True}, "bool is no folder"),
        ({"features": "mobilnet.v1_025"}, "did you mean 'mobilenet.v1_025'"),
        ({"backend": "gpu"}, "backend='gpu'"),
    ],
)
def test_wrong_arguments_are_refused_before_images_are_read(classes, monkeypatch, options, message):
    def refuse(*_):
        raise AssertionError

    monkeypatch.setattr(teaching, "gather", refuse)
    with pytest.raises(ZooError, match=message):
        teach(classes, **options)


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
    path, read = classes / "green" / "3.png", feature_store.read_bytes

    def read_later(source):
        if source.endswith(os.path.join("blue", "0.png")):
            if change == "remove":
                path.unlink()
            elif change == "truncate":
                os.truncate(path, 100)
            else:
                shutil.copy(classes / "green" / "4.png", path)
        return read(source)

    monkeypatch.setattr(feature_store, "read_bytes", read_later)
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


def test_what_cannot_be_added_leaves_the_model_as_it_was(model, rng, tmp_path):
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


def test_what_was_computed_before_an_interruption_is_kept(few, computed, monkeypatch):
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
