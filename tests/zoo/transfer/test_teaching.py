"""`zoo.teach` and the models that it makes: predictions, scores, bad images, add and undo."""

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
from weights_cache.common.errors import ZooError
from zoo.transfer import learning, teaching
from zoo.transfer.duplicates import find_duplicates
from zoo.transfer.examples import Examples
from zoo.transfer.features.extractor import (
    FeatureExtractor,
    FeatureVector,
    feature_extractor,
)
from zoo.transfer.image_sets import read_image_set

PHOTO = str(ROOT / "gallery" / "one_line_pose" / "astronaut.jpg")


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


def test_near_duplicates_are_not_split(classes, rng):
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


def test_scores_do_not_depend_on_the_seed(known):
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
