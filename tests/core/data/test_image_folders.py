"""Folders of images: classes, subsets, broken files, orientation; and frames."""

import numpy as np
import pytest
from PIL import Image

import zoo
from core.data import from_frames, image_folder
from core.errors import CoreError
from core.graph.nodes import PartialSpec


def save(path, color, size=(8, 6), **options):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", size, color).save(path, **options)


@pytest.fixture
def folder(tmp_path):
    for kind, color, count in (("cats", (200, 0, 0), 4), ("dogs", (0, 100, 0), 6)):
        for number in range(count):
            save(tmp_path / kind / f"{number}.png", tuple(c + number for c in color))
    (tmp_path / "notes.txt").write_text("no image")
    (tmp_path / "dogs" / "Thumbs.db").write_bytes(b"no image")
    for name in ("__MACOSX/cats", "@eaDir", "dogs/@eaDir"):
        save(tmp_path / name / "left.png", (0, 0, 255))
    save(tmp_path / ".hidden" / "x.png", (0, 0, 255))
    return tmp_path


def test_images_and_labels(folder):
    dataset = image_folder(folder, (4, 5))
    assert dataset.class_names == ["cats", "dogs"] and len(dataset) == 10
    assert [path.split("/")[-2] for path in dataset.file_paths] == ["cats"] * 4 + ["dogs"] * 6
    assert dataset.element_spec == (PartialSpec((4, 5, 3)), PartialSpec((), "int32"))
    images, labels = dataset.batch(10).to_list()[0]
    assert images.dtype == np.float32 and labels.tolist() == [0] * 4 + [1] * 6
    assert images[1, 2, 2].tolist() == [201, 1, 1] and images[9, 0, 0].tolist() == [5, 105, 5]


def test_options(folder):
    x, y = image_folder(folder, 3, labels="one_hot", dtype="uint8").batch(10).to_list()[0]
    assert x.shape == (10, 3, 3, 3) and x.dtype == np.uint8
    assert y.dtype == np.float32 and y[[0, 9]].tolist() == [[1, 0], [0, 1]]
    swapped = image_folder(folder, 3, class_names=["dogs", "cats"])
    assert [int(label) for _, label in swapped] == [0] * 6 + [1] * 4
    one = image_folder(folder, 3, class_names=["cats"])
    assert one.class_names == ["cats"] and {int(label) for _, label in one} == {0}
    grey = next(iter(image_folder(folder, 3, labels=None, color_mode="grayscale")))
    assert grey.shape == (3, 3, 1)
    assert image_folder(folder, 3, color_mode="rgba").element_spec[0].shape == (3, 3, 4)


def test_images_without_labels_are_those_of_all_folders(folder):
    save(folder / "loose.jpg", (9, 9, 9))
    dataset = image_folder(folder, 2, labels=None)
    assert len(dataset) == len(list(dataset)) == 11 and dataset.class_names == []


@pytest.mark.parametrize("threads", [None, 3])
def test_shuffles_and_threads(folder, threads):
    dataset = image_folder(folder, 2, threads=threads).shuffle(seed=1)
    first, second = ([x[0, 0].tolist() for x, _ in dataset] for _ in range(2))
    assert sorted(first) == sorted(second) and first != second
    again = image_folder(folder, 2).shuffle(seed=1)
    assert first == [x[0, 0].tolist() for x, _ in again]


def test_subsets_share_no_image(folder):
    def paths(subset, seed=None):
        return image_folder(folder, 2, validation_split=0.3, subset=subset, seed=seed).file_paths

    training, validation = paths("training"), paths("validation")
    assert len(training) == 7 and len(validation) == 3
    assert {*training} | {*validation} == {*image_folder(folder, 2).file_paths}
    assert training == sorted(training)
    assert paths("validation", seed=4) != validation == paths("validation", seed=0)


def test_broken_images_are_left_out(folder):
    (folder / "cats" / "1.png").write_bytes(b"\x89PNG\r\n\x1a\n damaged")
    (folder / "dogs" / "empty.jpg").write_bytes(b"")
    save(folder / "dogs" / "cut.jpg", (1, 2, 3), (64, 64))
    whole = (folder / "dogs" / "cut.jpg").read_bytes()
    (folder / "dogs" / "cut.jpg").write_bytes(whole[: len(whole) // 2])
    dataset = image_folder(folder, 2)
    assert len(dataset) == 12
    with pytest.warns(UserWarning, match="left out") as caught:
        labels = [int(label) for _, label in dataset]
    assert labels == [0] * 3 + [1] * 6 and len(caught) == 3
    names = {path.split("/")[-1]: reason for path, reason in dataset.skipped.items()}
    assert names.keys() == {"1.png", "empty.jpg", "cut.jpg"}
    assert names["empty.jpg"].startswith("UnidentifiedImageError")
    assert len(dataset) == 9 and len(list(dataset.repeat(2).batch(4))) == 5
    assert [x.shape[0] for x, _ in dataset.batch(4)] == [4, 4, 1]


def test_reasons_that_quote_an_image_are_short(folder, monkeypatch):
    def read(*_):
        raise ValueError("x" * 10_000)

    monkeypatch.setattr("core.data.image_folders._Reader.read", read)
    dataset = image_folder(folder, 2)
    with pytest.warns(UserWarning, match="left out"):
        assert list(dataset) == []
    assert {len(reason) for reason in dataset.skipped.values()} == {len("ValueError: ") + 200}


def test_postscript_is_not_run_and_huge_images_are_not_decoded(folder, monkeypatch):
    def run(*_, **__):
        raise AssertionError("Ghostscript was run")

    monkeypatch.setattr("PIL.EpsImagePlugin.Ghostscript", run)
    monkeypatch.setattr("core.data.image_folders._MOST_PIXELS", 99)
    program = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n%%EndComments\nshowpage\n"
    (folder / "cats" / "0.jpg").write_bytes(program)
    save(folder / "cats" / "1.jpg", (1, 2, 3), (10, 10))
    dataset = image_folder(folder, 2)
    with pytest.warns(UserWarning, match="left out"):
        assert len(list(dataset)) == 10
    assert sorted(dataset.skipped.values()) == [
        "ValueError: it is PostScript, which is not run",
        "ValueError: its 10 x 10 pixels are over 99",
    ]


def test_images_are_turned_upright(tmp_path):
    image = Image.new("RGB", (40, 20), (255, 255, 255))
    image.paste((0, 0, 0), (0, 0, 20, 20))  # the left half
    exif = Image.Exif()
    exif[274] = 6  # to be turned clockwise: the left half is at the top
    (tmp_path / "a").mkdir()
    image.save(tmp_path / "a" / "x.png", exif=exif)
    ((found, _),) = image_folder(tmp_path, (40, 20), dtype="uint8")
    assert (found[:18] == 0).all() and (found[22:] == 255).all()


def test_resizing_is_pillows(tmp_path):
    pixels = np.random.default_rng(0).integers(0, 256, (30, 20, 3), np.uint8)
    (tmp_path / "a").mkdir()
    Image.fromarray(pixels).save(tmp_path / "a" / "x.png")
    ((found, _),) = image_folder(tmp_path, (9, 11), dtype="uint8")
    expected = Image.fromarray(pixels).resize((11, 9), Image.Resampling.BILINEAR)
    np.testing.assert_array_equal(found, np.asarray(expected))


@pytest.mark.parametrize(
    "options, message",
    [
        ({"labels": "int"}, "labels='int' must be one of ('index', 'one_hot', None)"),
        ({"class_names": ["cows"]}, "has no folder 'cows'; its folders are cats, dogs"),
        ({"color_mode": "bgr"}, "color_mode='bgr' must be one of"),
        ({"size": 0}, "size=0 must be an integer, 1 or more, or (height, width)"),
        ({"size": (1, 2, 3)}, "size=(1, 2, 3) must be"),
        ({"validation_split": 0.2}, "validation_split needs subset"),
        ({"subset": "training"}, "validation_split needs subset"),
        ({"validation_split": 1.5, "subset": "training"}, "must lie between 0 and 1"),
        ({"validation_split": 0.01, "subset": "validation"}, "leaves no image of 10"),
        ({"validation_split": 0.2, "subset": "test"}, "subset='test' must be one of"),
        ({"dtype": "int32"}, "dtype='int32' must be one of"),
    ],
)
def test_invalid_arguments(folder, options, message):
    with pytest.raises(CoreError) as found:
        image_folder(folder, **options)
    assert message in str(found.value)


def test_folders_without_images(tmp_path):
    with pytest.raises(CoreError, match="there is no folder"):
        image_folder(tmp_path / "no")
    save(tmp_path / "loose.png", (0, 0, 0))
    with pytest.raises(CoreError, match="has no image in a folder of a class"):
        image_folder(tmp_path)


def test_frames():
    black, white = np.zeros((4, 6, 3), np.uint8), np.full((4, 6, 3), 255, np.uint8)
    dataset = from_frames(lambda: zoo.frames([black, white], fps=10))
    for _ in range(2):
        assert [image.mean() for image in dataset] == [0, 255]
    once = from_frames(zoo.frames([black, white], fps=10))
    assert len(once.batch(2).to_list()[0]) == 2
    with pytest.raises(CoreError, match="pass a function"):
        list(once)
