"""Images to learn from: folders, CSV files, dicts, lists; and what is wrong with them."""

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.zoo.transfer.colours import COLOURS, coloured, write_classes, write_images
from weights_cache.common.errors import ZooError
from zoo.transfer.image_sets import read_image_set


def array():
    return np.zeros((4, 4, 3), np.uint8)


def named(images):
    return [(example.name, example.target) for example in images.examples]


def write_csv(folder, text, encoding="utf-8"):
    path = folder / "images.csv"
    path.write_text(text, encoding=encoding)
    return path


def test_a_folder_has_a_folder_for_each_class(classes):
    images = read_image_set(classes)
    assert (images.kind, images.labels) == ("classification", ("blue", "green", "red"))
    assert len(images.examples) == 24 and images.validation == []
    assert named(images)[:2] == [("blue/0.png", "blue"), ("blue/1.png", "blue")]
    assert images.sources["red/7.png"] == classes / "red" / "7.png"


def test_folders_in_folders_count_and_hidden_files_do_not(classes, rng):
    write_images(classes / "blue" / "more" / "deep", [coloured(COLOURS["blue"], rng)])
    write_images(classes / ".git", [array()])
    write_images(classes / "red" / ".thumbnails", [array()])
    for name in ("__MACOSX/red", "@eaDir/blue", "$RECYCLE.BIN", "red/@eaDir/7.png"):
        write_images(classes / name, [array()])
    (classes / "red" / ".hidden.png").write_bytes(b"x")
    (classes / "red" / "notes.txt").write_bytes(b"x")
    (classes / "loose.png").write_bytes(b"x")
    images = read_image_set(classes)
    assert images.labels == ("blue", "green", "red") and len(images.examples) == 25
    assert ("blue/more/deep/0.png", "blue") in named(images)


@pytest.mark.parametrize("names", [("train", "val"), ("Training", "test"), ("train", "VALID")])
def test_train_and_val_are_a_split(tmp_path, rng, names):
    write_classes(tmp_path / names[0], 2, rng)
    write_classes(tmp_path / names[1], 1, rng)
    images = read_image_set(tmp_path)
    assert (len(images.examples), len(images.validation)) == (6, 3)
    assert images.labels == ("blue", "green", "red")


def test_a_class_of_val_needs_images_to_learn_from(tmp_path, rng):
    write_classes(tmp_path / "train", 1, rng)
    write_images(tmp_path / "val" / "pink", [array()])
    with pytest.raises(ZooError, match="the class 'pink' of '.*val' has no folder in '.*train'"):
        read_image_set(tmp_path)


def test_classes_may_be_called_train_and_test(tmp_path):
    for name in ("train", "test", "bus"):
        write_images(tmp_path / name, [array()])
    assert read_image_set(tmp_path).labels == ("bus", "test", "train")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: (f / "empty").mkdir(), "the class 'empty' has no image in"),
        (lambda f: [(f / c).rename(f / f".{c}") for c in COLOURS], "no folders of images"),
        (
            lambda f: [(f / c).rename(f / f".{c}") for c in ("red", "blue")],
            "there is one class only, 'green'",
        ),
    ],
)
def test_folders_without_classes_are_refused(classes, change, message):
    change(classes)
    with pytest.raises(ZooError, match=message):
        read_image_set(classes)


def test_a_folder_of_images_without_classes_is_explained(tmp_path):
    write_images(tmp_path / "cats", [array()])
    with pytest.raises(ZooError, match="has images, but no folders: make .* such as '.*cats'"):
        read_image_set(tmp_path / "cats")
    with pytest.raises(ZooError, match="there is no folder '.*dogs'"):
        read_image_set(tmp_path / "dogs")


def test_a_folder_that_cannot_be_listed_is_named(classes, monkeypatch):
    def refuse(_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", refuse)
    with pytest.raises(ZooError, match="colours' cannot be listed: Permission denied"):
        read_image_set(classes)


def test_a_time_limit_while_a_folder_is_listed_stays_one(classes, monkeypatch):
    def late(_):
        raise TimeoutError

    monkeypatch.setattr(Path, "iterdir", late)
    with pytest.raises(TimeoutError):
        read_image_set(classes)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_a_csv_of_classes(tmp_path, encoding):
    path = write_csv(tmp_path, "image, label\na.png,red\nsub/ü.png, grün \n", encoding)
    images = read_image_set(path)
    assert (images.kind, images.labels) == ("classification", ("grün", "red"))
    assert named(images) == [("a.png", "red"), ("sub/ü.png", "grün")]
    assert images.examples[1].image == tmp_path / "sub" / "ü.png"


def test_a_csv_of_several_labels(tmp_path):
    images = read_image_set(write_csv(tmp_path, "image,labels\na.png,red; large\nb.png,\n"))
    assert (images.kind, images.labels) == ("multi_label", ("large", "red"))
    assert named(images) == [("a.png", ("red", "large")), ("b.png", ())]


def test_a_csv_of_numbers(tmp_path):
    images = read_image_set(write_csv(tmp_path, "age,image,size\n1,a.png,2.5\n-3e2,b.png,0\n"))
    assert (images.kind, images.labels) == ("regression", ("age", "size"))
    assert named(images) == [("a.png", [1.0, 2.5]), ("b.png", [-300.0, 0.0])]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "its columns, parted by commas, are none"),
        ("image,label\n", "a line for each image"),
        ("file,label\na.png,red\n", "its columns, parted by commas, are 'file', 'label'"),
        ("image;label\na.png;red\n", "parted by commas, are 'image;label'"),
        ("image\na.png\n", "needs a column label, labels, or columns of numbers"),
        ("image,label\na.png,\nb.png,red\n", "line 2 of .* has no label"),
        ("image,label\na.png,red\n,red\n", "line 3 of .* names no image"),
        ("image,label\na.png,red, large\nb.png,blue\n", "line 2 of .* has more than 2 values"),
        ("image,age\na.png,1\nb.png,old\n", "line 3 of .* has 'old' for age, but numbers"),
        ("image,age\na.png,1\nb.png\n", "line 3 of .* has '' for age, but numbers"),
        ("image,age\na.png,nan\n", "line 2 of .* has 'nan' for age, but numbers"),
        ("image,age\na.png,1e999\n", "line 2 of .* has '1e999' for age, but numbers"),
        ("image,label\na.png,red\nb.png,red\n", "there is one class only, 'red'"),
        ("image,labels\na.png,\nb.png,;\n", "no example has a label"),
        ("image,label\n" + "a" * 200_000 + ",red\n", "cannot be read as CSV: field larger"),
    ],
)
def test_a_csv_with_a_fault_is_refused(tmp_path, text, message):
    with pytest.raises(ZooError, match=message):
        read_image_set(write_csv(tmp_path, text))


def test_a_missing_or_binary_csv_is_refused(tmp_path):
    (tmp_path / "images.csv").write_bytes(b"image,label\n\xff\xfe.png,red\n")
    with pytest.raises(ZooError, match="cannot be read as CSV"):
        read_image_set(tmp_path / "images.csv")
    with pytest.raises(ZooError, match="cannot be read as CSV: No such file"):
        read_image_set(tmp_path / "others.csv")
    with pytest.raises(ZooError, match="kind='regression', but the columns of .* classification"):
        read_image_set(write_csv(tmp_path, "image,label\na,b\nc,d\n"), kind="regression")


def test_a_dict_has_images_by_label(classes):
    images = read_image_set({"a": classes / "red", "b": iter([array(), array()]), "c": {"x.png"}})
    assert images.labels == ("a", "b", "c")
    assert named(images)[8:] == [("b, index 0", "b"), ("b, index 1", "b"), ("x.png", "c")]


@pytest.mark.parametrize(
    "image", [array(), np.zeros((4, 4)), Image.new("RGB", (4, 4)), io.BytesIO(b"x"), b"x", "x.png"]
)
def test_a_dict_takes_one_image_without_a_list(image):
    images = read_image_set({"a": image, "b": [array()]})
    assert len(images.examples) == 2 and images.examples[0].image is image


def test_a_batch_is_several_images():
    images = read_image_set({"a": np.zeros((3, 4, 4, 3)), "b": [array()]})
    assert len(images.examples) == 4
    images = read_image_set(np.zeros((2, 4, 4, 3)), np.array(["a", "b"]))
    assert [type(label) for label in images.labels] == [str, str]


@pytest.mark.parametrize(
    ("targets", "kind", "labels"),
    [
        (["b", "a"], "classification", ("a", "b")),
        ([["b"], ("a", "b")], "multi_label", ("a", "b")),
        ([{"b"}, ()], "multi_label", ("b",)),
        ([1, 2.5], "regression", ("value",)),
        (np.arange(2) / 2, "regression", ("value",)),
        ([np.array(1.0), np.array(2.0)], "regression", ("value",)),
        (np.eye(2), "regression", ("value_1", "value_2")),
        ((x for x in "ab"), "classification", ("a", "b")),
    ],
)
def test_the_kind_is_seen_from_the_targets(targets, kind, labels):
    images = read_image_set([array(), array()], targets)
    assert (images.kind, images.labels) == (kind, labels)


@pytest.mark.parametrize(
    ("targets", "message"),
    [
        (None, "a list of images needs targets="),
        ([0, 1], "such as 0, are integers: give kind='regression'"),
        (5, "targets=5 are no list"),
        (["a"], "2 images have 1 targets"),
        (["a", "b", "c"], "2 images have 3 targets"),
        (["a", "a"], "there is one class only"),
        (["a", 1], "1 is no label"),
        (["a", ""], "'' is no label"),
        ([True, False], "the target True is no label, list of labels or number"),
        ([None, "a"], "the target None is no label"),
        ([[], []], "no example has a label"),
        ([["a"], "b"], "'b' is no collection of labels"),
        ([1.0, "a"], "the target of row 1, 'a', is no number"),
        ([1.0, float("nan")], "the target of row 1 is not a finite number"),
        ([1.0, 10**400], "the target of row 1, 1000.* is no number"),
        ([1.0, -1e300], "the target of row 1, -1e.300, is above 1e.15: give numbers in a larger"),
        ([1.0, [1.0, 2.0]], "equally many for each row"),
        ([[[1.0], [1.0, 2.0]], 1.0], "the target of row 0, .* is no number"),
    ],
)
def test_targets_with_a_fault_are_refused(targets, message):
    with pytest.raises(ZooError, match=message):
        read_image_set([array(), array()], targets)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (5, "int is no folder, .csv file, list of images"),
        (None, "NoneType is no folder"),
        (array(), "ndarray is no folder"),
        ([], "0 images have 2 targets"),
    ],
)
def test_sources_of_other_types_are_refused(source, message):
    with pytest.raises(ZooError, match=message):
        read_image_set(source, ["a", "b"])


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ({}, "there are no examples"),
        ({"a": [], "b": [array()]}, "the class 'a' has no image: add some, or leave it out"),
        ({"b": [array()]}, "there is one class only, 'b'"),
        ({1: [array()], 2: [array()]}, "1 is no label"),
        ({"": [array()], "b": [array()]}, "'' is no label"),
    ],
)
def test_dicts_with_a_fault_are_refused(source, message):
    with pytest.raises(ZooError, match=message):
        read_image_set(source)


def test_targets_and_kinds_that_do_not_apply_are_refused(classes):
    for source in (classes, {"a": [array()], "b": [array()]}):
        with pytest.raises(ZooError, match="targets= are for a list of images"):
            read_image_set(source, ["a"])
        with pytest.raises(ZooError, match="kind='regression' needs a .csv file, or targets="):
            read_image_set(source, kind="regression")
        assert read_image_set(source, kind="classification").kind == "classification"
    with pytest.raises(ZooError, match="unknown kind='regresion': did you mean 'regression'"):
        read_image_set([array()], [1.0], kind="regresion")
    with pytest.raises(ZooError, match="the target of row 0, 'a', is no number"):
        read_image_set([array(), array()], ["a", "b"], kind="regression")


def test_errors_of_long_cells_are_short(tmp_path):
    path = tmp_path / "images.csv"
    for text in (f"image,x\na.png,{'y' * 100_000}\n", f"{'z,' * 50_000}w\n1\n"):
        path.write_text(text)
        with pytest.raises(ZooError) as caught:
            read_image_set(path)
        assert len(str(caught.value)) < 1500
