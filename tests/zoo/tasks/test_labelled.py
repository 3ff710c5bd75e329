"""Image classifiers from files of any format: labels, range and resizing of `zoo.load(path)`."""

import pickle

import numpy as np
import pytest
from PIL import Image, ImageOps

import core
import zoo
from tests.conftest import ROOT
from tests.core.converter.labelled_models import (
    kernel_of,
    metadata_of,
    scores_of,
    tflite_of,
    with_files,
    write_export,
    write_keras,
    zip_of,
)
from tests.core.converter.teachable_bundles import write_bundle
from tests.core.converter.tflite.conftest import writer  # noqa: F401
from tests.zoo.tasks.audit import audit
from weights_cache.common.errors import WeightsError, ZooError
from zoo.catalog.entry import Preprocess
from zoo.images.reading import read_image
from zoo.pipeline.preprocess import prepare

PHOTO = ROOT / "gallery" / "one_line_pose" / "astronaut.jpg"
LABELS = ("cats", "large dogs")


def wide(tmp_path):
    """A photo that is not square, 400 x 301 pixels."""
    path = tmp_path / "wide.png"
    Image.open(PHOTO).convert("RGB").resize((400, 301)).save(path)
    return path


def rows(result) -> list[float]:
    """Scores of two classes, in their order; those of 0 are left out of results."""
    found = {row["index"]: row["score"] for row in result}
    return [found.get(index, 0.0) for index in range(max(found, default=0) + 1)]


def fitted(path, fit, low, high) -> np.ndarray:
    how = Preprocess(fit=fit, divide=255 / (high - low), subtract=-low)
    return prepare(read_image(path), how, (8, 8))[0]


# --- Teachable Machine ----------------------------------------------------------------------------


def test_the_program_of_teachable_machine_gives_the_same(tmp_path):
    folder = write_export(tmp_path / "converted_keras")
    photo = wide(tmp_path)
    image = ImageOps.fit(Image.open(photo), (8, 8), Image.Resampling.LANCZOS)
    expected = scores_of((np.asarray(image, np.float32) / 127.5 - 1)[None], 2)
    for path in (folder, zip_of(folder), folder / "keras_model.h5"):
        model = zoo.load(path)
        assert model.labels == LABELS
        result = model.classify(photo)
        assert rows(result) == pytest.approx(expected, abs=1e-6)
        assert [row["label"] for row in result] == [LABELS[i] for i in np.argsort(-expected)]
    audit(result, (301, 400))
    assert model.infer(photo, embedding=True).shape == (1, 192)
    assert zoo.classify(photo, model=str(folder), top_k=1) == result[:1]


def test_several_images_and_mirrors(tmp_path):
    model = zoo.load(write_export(tmp_path / "export"))
    photo = wide(tmp_path)
    pixels = read_image(photo)
    assert model.classify([photo, photo]) == [model.classify(photo)] * 2
    assert model.classify(pixels[:, ::-1], mirror=True) == model.classify(photo)


@pytest.mark.parametrize(
    "type, quanta, offset", [("UINT8", (1 / 127.5, 127), 0), ("INT8", (1 / 127.5, -1), -128)]
)
def test_quantised_networks_take_pixels_as_they_are(type, quanta, offset, tmp_path, writer):  # noqa: F811
    (tmp_path / "model.tflite").write_bytes(tflite_of(writer, type=type, quanta=quanta))
    (tmp_path / "labels.txt").write_text("0 cats\n1 large dogs\n")
    model = zoo.load(tmp_path / "model.tflite")
    photo = wide(tmp_path)
    image = ImageOps.fit(Image.open(photo), (8, 8), Image.Resampling.LANCZOS)
    quantised = np.asarray(image)[None].astype(np.int32) + offset
    (expected,) = model.predict(quantised.astype(type.lower())).values()
    assert rows(model.classify(photo)) == expected.numpy()[0].tolist()
    by_hand = scores_of((quantised - quanta[1]) * quanta[0], 2)
    assert rows(model.classify(photo)) == pytest.approx(by_hand, abs=1e-5)


def test_networks_of_sounds_have_labels(tmp_path, writer):  # noqa: F811
    name = "soundclassifier_with_metadata.tflite"
    (tmp_path / name).write_bytes(tflite_of(writer, image=(1, 440)))
    (tmp_path / "labels.txt").write_text("0 Background Noise\n1 clap\n")
    model = zoo.load(tmp_path)
    assert model.labels == ("Background Noise", "clap")
    (found,) = model.predict(np.zeros((1, 440), np.float32)).values()
    assert found.shape == (1, 2)
    with pytest.raises(ZooError, match=r"takes float32 \[1, 440\], not an image"):
        model.classify(PHOTO)
    audio = write_bundle(tmp_path / "web", labels=None, wordLabels=["a", "b", "c"])
    with pytest.raises(ZooError, match=r"for audio.*predict takes float32 \[any, 16, 16, 3\]"):
        zoo.load(audio).classify(PHOTO)


# --- labels beside and inside ---------------------------------------------------------------------


def test_the_range_of_other_files_is_not_guessed(tmp_path):
    path = write_keras(tmp_path / "mine.h5")
    (tmp_path / "labels.txt").write_text("cats\nlarge dogs")
    model = zoo.load(path)
    assert model.labels == LABELS
    for verb in (model.classify, model.infer):
        with pytest.raises(ZooError, match=r"mine.h5', task='classification', range=\(-1, 1\)\)"):
            verb(PHOTO)
    expected = scores_of(fitted(PHOTO, "crop", -1, 1), 2)
    model = zoo.load(path, task="classification", range=(-1, 1))
    assert rows(model.classify(PHOTO)) == pytest.approx(expected, abs=1e-6)


def test_metadata_inside(tmp_path, writer):  # noqa: F811
    metadata = metadata_of((100, 120, 140), (50, 60, 70), [("labels.txt", 2, "")])
    path = tmp_path / "any.tflite"
    path.write_bytes(with_files(tflite_of(writer, metadata=metadata), labels="cats\nlarge dogs"))
    values = (fitted(PHOTO, "crop", 0, 255) - [100, 120, 140]) / [50, 60, 70]
    result = zoo.load(path).classify(PHOTO)
    assert rows(result) == pytest.approx(scores_of(values, 2), abs=1e-5)
    assert {row["label"] for row in result} == {*LABELS}


def test_labels_that_change_are_read_again(tmp_path):
    folder = write_export(tmp_path / "export")
    paths = [str(folder / "keras_model.h5"), str(folder)]
    before = [zoo.classify(PHOTO, model=path) for path in paths]
    (folder / "labels.txt").write_text("0 mice\n1 rats and others\n")
    for path, earlier in zip(paths, before, strict=True):
        after = zoo.classify(PHOTO, model=path)
        assert {row["label"] for row in after} == {"mice", "rats and others"}
        assert rows(after) == rows(earlier)


# --- what the caller says -------------------------------------------------------------------------


@pytest.mark.parametrize("fit", ["crop", "stretch", "pad"])
@pytest.mark.parametrize("range", [(-1, 1), (0, 1), (0, 255)])
def test_labels_range_and_resize(fit, range, tmp_path):
    path, photo = write_keras(tmp_path / "mine.keras"), wide(tmp_path)
    options = {"labels": list(LABELS), "range": range, "resize": fit}
    model = zoo.load(path, task="classification", **options)
    values = fitted(photo, fit, *range)
    assert rows(model.classify(photo)) == pytest.approx(scores_of(values, 2), abs=1e-5)
    assert model.labels == LABELS


def test_labels_from_a_file_and_grey_images(tmp_path):
    path = write_keras(tmp_path / "grey.h5", channels=1)
    (tmp_path / "names.txt").write_text("0 cats\n1 large dogs\n")
    names = str(tmp_path / "names.txt")
    model = zoo.load(path, task="classification", labels=names, range=(0, 1))
    assert model.labels == LABELS
    grey = np.tile(np.arange(64, dtype=np.uint8).reshape(8, 8, 1), 3)
    expected = scores_of(grey[None, :, :, :1] / 255, 2)
    assert rows(model.classify(grey)) == pytest.approx(expected, abs=1e-6)


def test_what_the_caller_says_goes_before_the_file(tmp_path):
    folder = write_export(tmp_path / "export")
    photo = wide(tmp_path)
    plain = zoo.load(folder)
    assert zoo.load(folder, task="classification").classify(photo) == plain.classify(photo)
    other = zoo.load(folder, task="classification", labels=["a", "b"])
    assert rows(other.classify(photo)) == rows(plain.classify(photo))
    assert other.labels == ("a", "b")
    stretched = zoo.load(folder, task="classification", resize="stretch")
    expected = scores_of(fitted(photo, "stretch", -1, 1), 2)
    assert rows(stretched.classify(photo)) == pytest.approx(expected, abs=1e-6)
    bundle = write_bundle(tmp_path / "web")
    assert zoo.load(bundle, task="classification").bundle.image_size == 16
    renamed = zoo.load(bundle, task="classification", labels=["a", "b", "c"])
    assert rows(renamed.classify(PHOTO)) == pytest.approx(
        rows(zoo.load(bundle).classify(PHOTO)), abs=0.02
    )


def test_integers_take_pixels(tmp_path, writer):  # noqa: F811
    x = writer.input("image", (1, 8, 8, 3), "UINT8")
    flat = writer.op("CAST", [x], [writer.tensor("real", (1, 8, 8, 3))], "Cast")
    sizes = writer.constant([1, 192])
    row = writer.op("RESHAPE", [flat, sizes], [writer.tensor("row", (1, 192))], "Reshape")
    kernel = writer.constant(kernel_of(2).T / 255, "FLOAT32")
    dense = writer.tensor("dense", (1, 2))
    writer.op("FULLY_CONNECTED", [row, kernel, -1], [dense], "FullyConnected")
    writer.op("SOFTMAX", [dense], [writer.tensor("scores", (1, 2))], "Softmax", beta=1.0)
    path = tmp_path / "raw.tflite"
    path.write_bytes(writer.content())
    model = zoo.load(path, task="classification", labels=LABELS)
    expected = scores_of(fitted(PHOTO, "crop", 0, 255) / 255, 2)
    assert rows(model.classify(PHOTO)) == pytest.approx(expected, abs=1e-5)
    with pytest.raises(ZooError, match=r"is of integers.*are pixels 0..255: leave range out"):
        zoo.load(path, task="classification", labels=LABELS, range=(-1, 1))


GOOD = {"task": "classification", "labels": list(LABELS), "range": (0, 1)}


@pytest.mark.parametrize(
    "options, words",
    [
        ({"task": "clasification"}, "must be one of 'classification': did you mean 'classif"),
        ({"task": "pose"}, "must be one of 'classification'; leave it out for predict alone"),
        ({"task": 3}, "task=3 of a model from a file must be one of 'classification'"),
        ({"task": None, "labels": None}, "range= is for a task: give task='classification', too"),
        ({"labels": ["a"]}, r"gives 2 classes, and there are 1 labels: give labels=\[..\] with 2"),
        ({"labels": None}, "gives 2 classes, and there are no labels"),
        ({"labels": []}, r"labels=\[\] must be a list of texts"),
        ({"labels": [1, 2]}, r"labels=\[1, 2\] must be a list of texts"),
        ({"labels": {"a": 1, "b": 2}}, "must be a list of texts"),
        ({"labels": 5}, "labels=5 must be a list of texts"),
        ({"labels": "nowhere.txt"}, "nowhere.txt"),
        ({"range": (1, -1)}, r"range=\(1, -1\) must be two ascending numbers"),
        ({"range": (0, 0)}, "must be two ascending numbers"),
        ({"range": (0, float("inf"))}, "must be two ascending numbers"),
        ({"range": (0, float("nan"))}, "must be two ascending numbers"),
        ({"range": 255}, "range=255 must be two ascending numbers"),
        ({"range": "01"}, "must be two ascending numbers"),
        ({"range": (0, 1, 2)}, "must be two ascending numbers"),
        ({"resize": "letterbox"}, "resize='letterbox' must be one of 'crop', 'stretch', 'pad'"),
        ({"size": 8}, "unknown option 'size'.*valid options: .*task, labels, range, resize"),
    ],
)
def test_wrong_values(options, words, tmp_path):
    path = write_keras(tmp_path / "mine.h5")
    with pytest.raises(ZooError, match=words):
        zoo.load(path, **{**GOOD, **options})


def test_networks_that_classify_no_images(tmp_path):
    layers = core.layers
    for name, made, words in (
        ("rows", [layers.Input((4,)), layers.Dense(2)], r"takes float32 \[any, 4\], not an image"),
        ("maps", [layers.Input((8, 8, 3)), layers.Conv2D(2, 3)], "not a score for each class"),
        (
            "any",
            [layers.Input((None, None, 3)), layers.GlobalAveragePooling2D()],
            r"takes images of any size, float32 \[any, any, any, 3\]: give the one",
        ),
    ):
        core.Sequential(made).save(tmp_path / f"{name}.h5")
        with pytest.raises(ZooError, match=words):
            zoo.load(tmp_path / f"{name}.h5", **GOOD)


def test_outputs_that_are_no_scores(tmp_path):
    path = write_keras(tmp_path / "logits.h5", activation=None)
    with pytest.raises(ZooError, match=r"which are no scores in 0..1, as its last layer is no"):
        zoo.load(path, **GOOD).classify(PHOTO)


def test_models_by_name_and_taught_ones(tmp_path):
    for option, value in GOOD.items():
        with pytest.raises(ZooError, match=f"{option}= is for models from a path or URL"):
            zoo.load("posenet.tiny", **{option: value})
    (tmp_path / "taught.json").write_text("{}")
    with pytest.raises(ZooError, match="task= is not for models that were taught"):
        zoo.load(tmp_path, **GOOD)


def test_pickles_and_a_process_of_its_own(tmp_path, writer):  # noqa: F811
    path = write_keras(tmp_path / "mine.h5")
    metadata = metadata_of((127.5,), (127.5,), [("labels.txt", 2, "")])
    inside = tmp_path / "any.tflite"
    inside.write_bytes(with_files(tflite_of(writer, metadata=metadata), labels="cats\ndogs"))
    names = tmp_path / "names.txt"
    names.write_text("cats\nlarge dogs")
    options = {**GOOD, "labels": str(names), "resize": "pad"}
    exported = zip_of(write_export(tmp_path / "export"))
    for file, given in ((path, options), (inside, {}), (exported, {})):
        plain = zoo.load(file, **given)
        expected = plain.classify(PHOTO)
        again = pickle.loads(pickle.dumps(plain))
        assert (again.labels, again.classify(PHOTO)) == (plain.labels, expected)
        with zoo.load(file, isolate=True, **given) as isolated:
            assert (isolated.labels, isolated.classify(PHOTO)) == (plain.labels, expected)
            assert isolated.infer(PHOTO).numpy().tolist() == plain.infer(PHOTO).numpy().tolist()
    with pytest.raises(ZooError, match="gives 2 classes, and there are 1 labels"):
        zoo.load(path, isolate=True, **{**GOOD, "labels": ["a"]})


def test_damaged_exports(tmp_path):
    folder = write_export(tmp_path / "export")
    (folder / "labels.txt").write_bytes(b"\xff\xfe")
    with pytest.raises(WeightsError, match="is no text in UTF-8"):
        zoo.load(folder)
