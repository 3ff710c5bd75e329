"""Labels beside models and inside of them, and Teachable Machine's exports for Python."""

import re
import shutil
import zipfile

import pytest

import core
from core.converter import convert, load_model, read_graph
from core.converter.class_labels import (
    BESIDE,
    INSIDE,
    SIGNED,
    TEACHABLE,
    ClassLabels,
    Pixels,
    parse_labels,
)
from core.converter.opened import find_kind
from tests.core.converter import tensorflow_runs
from tests.core.converter.labelled_models import (
    metadata_of,
    numbered,
    tflite_of,
    with_files,
    write_export,
    write_keras,
    zip_of,
)
from tests.core.converter.tflite.conftest import writer  # noqa: F401
from weights_cache.common.errors import WeightsError

LABELS = ("cats", "large dogs")
EXPORTED = ClassLabels(LABELS, TEACHABLE, SIGNED)


@pytest.mark.parametrize(
    "data, labels, are_numbered",
    [
        (b"0 cats\n1 large dogs\n", LABELS, True),
        (b"0  cats\r\n1\tlarge dogs", LABELS, True),
        (b"\xef\xbb\xbf0 cats\n1 large dogs\n\n", LABELS, True),
        ("0 größer\n1 kleiner".encode(), ("größer", "kleiner"), True),
        (b"0\n1 x", ("", "x"), True),
        (b"cats\nlarge dogs", LABELS, False),
        (b" cats \n\nlarge dogs\n", LABELS, False),
        (b"1 cats\n2 dogs", ("1 cats", "2 dogs"), False),
        (b"0 cats\n2 dogs", ("0 cats", "2 dogs"), False),
        (b"0 cats\ndogs", ("0 cats", "dogs"), False),
        (b"7up\nfanta", ("7up", "fanta"), False),
        ("a\u2028b\nc".encode(), ("a\u2028b", "c"), False),
    ],
)
def test_lines(data, labels, are_numbered):
    assert parse_labels(data, "labels.txt") == (labels, are_numbered)


@pytest.mark.parametrize(
    "data, words",
    [
        (b"", "has no labels: write one in each line"),
        (b" \n\n", "has no labels"),
        (b"a\0b", "has no labels"),
        (b"\xff\xfea\0", "is no text in UTF-8"),
        (b"a" * (2**20 + 1), "is larger than 1048576 bytes"),
    ],
)
def test_what_is_no_list_of_labels(data, words):
    with pytest.raises(WeightsError, match=words):
        parse_labels(data, "labels.txt")


# --- Teachable Machine's exports for Python -------------------------------------------------------


def test_a_folder_a_file_and_zips_are_the_same(tmp_path, rng):
    folder = write_export(tmp_path / "converted_keras")
    values = rng.uniform(-1, 1, (1, 8, 8, 3)).astype("float32")
    (expected,) = load_model(folder / "keras_model.h5").predict(values).values()
    paths = [folder, folder / "keras_model.h5", zip_of(folder)]
    for path in paths:
        assert (find_kind(path), read_graph(path).metadata) == ("keras", EXPORTED)
        (found,) = load_model(path).predict(values).values()
        assert found.numpy().tolist() == expected.numpy().tolist()
    assert read_graph(zip_of(folder, "in a folder/")).metadata == EXPORTED
    assert core.load_layers_model(zip_of(folder), compile=False).output_shape == (None, 2)


def test_floats_and_quanta_of_tflite(tmp_path, writer):  # noqa: F811
    (tmp_path / "labels.txt").write_text(numbered(LABELS))
    content = tflite_of(writer)
    for name, pixels in (("model_unquant.tflite", SIGNED), ("model.tflite", None)):
        (tmp_path / name).write_bytes(content)
        assert read_graph(tmp_path / name).metadata == (LABELS, TEACHABLE, pixels)
    with pytest.raises(WeightsError, match=r"model_unquant.tflite and model.tflite are two models"):
        read_graph(tmp_path)
    (tmp_path / "model.tflite").unlink()
    assert read_graph(tmp_path).metadata == EXPORTED


def test_a_savedmodel_with_labels(tmp_path):
    folder = tmp_path / "converted_savedmodel"
    folder.mkdir()
    tensorflow_runs.unpack(tmp_path, "export")
    shutil.copytree(tmp_path / "export", folder / "model.savedmodel")
    (folder / "labels.txt").write_text(numbered("abcde"))
    expected = read_graph(tmp_path / "export")
    assert expected.metadata is None
    for path in (folder, zip_of(folder), folder / "model.savedmodel"):
        assert find_kind(path) == "saved"
        found = read_graph(path)
        assert (found.outputs, found.weights.keys()) == (expected.outputs, expected.weights.keys())
        assert found.metadata == (tuple("abcde"), TEACHABLE, SIGNED)
    # Labels of another SavedModel are in its folder.
    shutil.copy(folder / "labels.txt", tmp_path / "export")
    assert read_graph(tmp_path / "export").metadata == (tuple("abcde"), BESIDE, None)


def test_another_number_of_labels(tmp_path):
    folder = write_export(tmp_path / "export")
    (folder / "labels.txt").write_text(numbered(["a", "b", "c"]))
    for path in (folder, folder / "keras_model.h5", zip_of(folder)):
        with pytest.raises(
            WeightsError, match="lists 3 labels, the network of keras_model.h5 gives 2 classes"
        ):
            read_graph(path)
    (folder / "labels.txt").unlink()
    assert read_graph(folder / "keras_model.h5").metadata is None


def test_errors_name_the_archive_and_nothing_is_left(tmp_path, monkeypatch):
    places = tmp_path / "temporary"
    places.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(places))
    folder = write_export(tmp_path / "export")
    model = folder / "keras_model.h5"
    model.write_bytes(model.read_bytes()[:2000])
    path = zip_of(folder)
    with pytest.raises(WeightsError, match=re.escape(f"cannot read {path}: 4 bytes at")):
        read_graph(path)
    write_export(folder)
    (folder / "labels.txt").write_text("0 a\n")
    with pytest.raises(WeightsError, match=re.escape(f"{zip_of(folder)}/labels.txt lists 1 label")):
        read_graph(path)
    assert list(places.iterdir()) == []


def test_an_archive_in_an_archive_is_not_opened(tmp_path):
    folder = write_export(tmp_path / "export")
    inner = zip_of(folder).read_bytes()
    (folder / "keras_model.h5").write_bytes(inner)
    with pytest.raises(WeightsError, match="it is not an HDF5 file"):
        read_graph(zip_of(folder))


def test_names_that_leave_the_folder(tmp_path):
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("model.savedmodel/../../x", b"x")
        archive.writestr("model.savedmodel/saved_model.pb", b"x")
        archive.writestr("labels.txt", "0 a\n1 b\n")
    with pytest.raises(WeightsError, match="only relative names inside the folder"):
        read_graph(path)


def test_a_zip_cut_anywhere(tmp_path):
    path = zip_of(write_export(tmp_path / "export"))
    whole = path.read_bytes()
    for size in range(0, len(whole), len(whole) // 40):
        path.write_bytes(whole[:size])
        with pytest.raises(WeightsError):
            read_graph(path)


def test_conversion_of_an_export(tmp_path, rng):
    path = zip_of(write_export(tmp_path / "export"))
    convert(path, tmp_path / "web")
    values = rng.uniform(-1, 1, (1, 8, 8, 3)).astype("float32")
    (expected,), (found,) = (
        load_model(p).predict(values).values() for p in (path, tmp_path / "web")
    )
    assert found.numpy() == pytest.approx(expected.numpy(), abs=1e-6)


# --- beside any file ------------------------------------------------------------------------------


def beside(path, text) -> object:
    path.with_name("labels.txt").write_text(text)
    return read_graph(path).metadata


def test_beside_a_classifier_of_images(tmp_path):
    path = write_keras(tmp_path / "mine.keras")
    for text in ("cats\nlarge dogs\n", numbered(LABELS)):
        assert beside(path, text) == ClassLabels(LABELS, BESIDE, None)
    assert beside(write_keras(tmp_path / "grey.h5", channels=1), "a\nb").labels == ("a", "b")


def test_beside_other_networks(tmp_path):
    path = write_keras(tmp_path / "mine.h5")
    for text in ("a\nb\nc", "", "a\0b", numbered("abc")):
        assert beside(path, text) is None
    path.with_name("labels.txt").write_bytes(b"\xff\xfe\xff")
    assert read_graph(path).metadata is None
    vectors = core.Sequential([core.layers.Input((4,)), core.layers.Dense(2)])
    vectors.save(tmp_path / "vectors.h5")
    assert beside(tmp_path / "vectors.h5", "a\nb") is None
    images = core.Sequential([core.layers.Input((8, 8, 3)), core.layers.Conv2D(2, 3)])
    images.save(tmp_path / "images.h5")
    assert beside(tmp_path / "images.h5", "a\nb") is None
    anything = core.Sequential(
        [core.layers.Input((None, None, 3)), core.layers.GlobalAveragePooling2D()]
    )
    anything.save(tmp_path / "anything.h5")
    assert beside(tmp_path / "anything.h5", "a\nb\nc") is None


# --- inside of TFLite files -----------------------------------------------------------------------


def test_inside(tmp_path, writer):  # noqa: F811
    metadata = metadata_of((127.5,), (128.0,), [("labels.txt", 2, "")])
    path = tmp_path / "any.tflite"
    path.write_bytes(with_files(tflite_of(writer, metadata=metadata), labels="cats\nlarge dogs\n"))
    expected = ClassLabels(LABELS, INSIDE, Pixels((127.5,), (128.0,)))
    assert read_graph(path).metadata == expected
    # Labels inside take precedence, as they are of the file itself.
    assert beside(path, "a\nb") == expected
    # As the archive ends a file that is read already, cutting it off leaves labels to the other.
    path.write_bytes(tflite_of(writer.__class__(), metadata=metadata))
    assert read_graph(path).metadata == (("a", "b"), BESIDE, Pixels((127.5,), (128.0,)))


def test_languages_and_channels(tmp_path, writer):  # noqa: F811
    files = [("de.txt", 2, "de"), ("en.txt", 2, "en"), ("other.txt", 3, "")]
    metadata = metadata_of((1, 2, 3), (4, 5, 6), files)
    content = tflite_of(writer, metadata=metadata)
    path = tmp_path / "any.tflite"
    path.write_bytes(with_files(content, de="Katzen\nHunde", en="cats\ndogs", other="x\ny"))
    found = read_graph(path).metadata
    assert found == (("cats", "dogs"), INSIDE, ((1.0, 2.0, 3.0), (4.0, 5.0, 6.0)))


@pytest.mark.parametrize(
    "metadata, files, expected",
    [
        (metadata_of, {"labels": "a\nb\nc"}, None),
        (lambda: metadata_of(files=[("labels.txt", 2, "")]), {"labels": "a\nb\nc"}, None),
        (lambda: metadata_of(files=[("labels.txt", 2, "")]), {}, None),
        (lambda: metadata_of(files=[("../x", 2, "")]), {"labels": "a\nb"}, None),
        (lambda: metadata_of((1,), (0,)), {}, None),
        (lambda: metadata_of((float("nan"),), (1,)), {}, None),
        (lambda: metadata_of((1, 2), (1,)), {}, None),
        (lambda: metadata_of((1,), (2,)), {}, Pixels((1.0,), (2.0,))),
        (lambda: b"M001", {}, None),
        (lambda: b"", {}, None),
        (lambda: metadata_of((1,), (2,))[:40], {}, None),
    ],
)
def test_metadata_that_do_not_fit(metadata, files, expected, tmp_path, writer):  # noqa: F811
    path = tmp_path / "any.tflite"
    content = tflite_of(writer, metadata=metadata())
    path.write_bytes(with_files(content, **files) if files else content)
    assert read_graph(path).metadata == expected


def test_metadata_of_other_networks(tmp_path, writer):  # noqa: F811
    metadata = metadata_of((1,), (2,), [("labels.txt", 2, "")])
    content = tflite_of(writer, metadata=metadata, image=(1, 192))
    path = tmp_path / "any.tflite"
    path.write_bytes(with_files(content, labels="a\nb"))
    assert read_graph(path).metadata is None
