"""``zoo embed``: which files are written, what is said, and the exit status."""

import hashlib
import json
import sys

import numpy as np
import pytest
from PIL import Image

from tests.helpers import require
from tests.zoo.cli.test_cli import PHOTO, run
from zoo.transfer.features import store as feature_store
from zoo.transfer.features.extractor import feature_extractor
from zoo.transfer.features.store import VARIABLE

TINY = ("--features", "posenet.tiny")


@pytest.fixture(autouse=True)
def folder(_own_world, tmp_path, monkeypatch, rng):
    """Three images, one of them in a subfolder, and one that is broken; the current folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(VARIABLE, str(tmp_path / "store"))
    for name in ("images/a.png", "images/b.png", "images/sub/c.png"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(rng.integers(0, 256, (40, 50, 3), dtype=np.uint8)).save(path)
    (tmp_path / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\nbroken")
    return tmp_path


def loaded(path):
    with np.load(path, allow_pickle=False) as arrays:
        return dict(arrays)


def test_features_are_written_as_arrays(capsys, folder):
    status, out, err = run(capsys, "embed", "images", "--out", "x.npz", *TINY)
    assert (status, out, err) == (0, "", ["written: x.npz, 2 images of 384 values"])
    found = loaded("x.npz")
    assert found["features"].dtype == np.float32 and found["features"].shape == (2, 384)
    assert found["names"].tolist() == ["images/a.png", "images/b.png"]
    assert str(found["features_of"]) == "posenet.tiny"
    assert json.loads(str(found["provenance"]))[0]["model"] == "posenet.tiny"
    extractor = feature_extractor("posenet.tiny")
    for name, sha256, values in zip(
        found["names"], found["sha256"], found["features"], strict=True
    ):
        np.testing.assert_array_equal(values, extractor.of_image(str(name)).values)
        assert sha256 == hashlib.sha256((folder / str(name)).read_bytes()).hexdigest()


def test_folders_in_folders_are_read_when_asked(capsys):
    assert run(capsys, "embed", "images", "--recursive", "--out", "x.npz", *TINY)[0] == 0
    assert loaded("x.npz")["names"].tolist()[-1] == "images/sub/c.png"


def test_a_table_is_written(capsys):
    parquet = require("pyarrow.parquet")
    assert run(capsys, "embed", "images", "--out", "x.parquet", *TINY)[0] == 0
    run(capsys, "embed", "images", "--out", "x.npz", *TINY)
    table, arrays = parquet.read_table("x.parquet"), loaded("x.npz")
    assert table.column("name").to_pylist() == arrays["names"].tolist()
    assert table.column("sha256").to_pylist() == arrays["sha256"].tolist()
    np.testing.assert_array_equal(
        np.array(table.column("features").to_pylist(), np.float32), arrays["features"]
    )
    assert table.schema.metadata[b"features_of"] == b"posenet.tiny"


def test_without_pyarrow_the_error_names_the_command(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    status, _, err = run(capsys, "embed", "images", "--out", "x.parquet", *TINY)
    assert status == 2 and "pip install pyarrow" in err[0]


def test_images_that_cannot_be_read_are_listed(capsys):
    images = ["images/a.png", "broken.png", "missing.png"]
    status, _, err = run(capsys, "embed", *images, "--out", "x.npz", *TINY)
    assert status == 1 and loaded("x.npz")["names"].tolist() == ["images/a.png"]
    assert "broken.png" in err[0] and "missing.png" in err[1] and "1 image of 384" in err[2]


def test_images_without_features_are_listed_with_advice(capsys):
    Image.new("RGB", (60, 60)).save("black.png")
    status, _, err = run(capsys, "embed", "black.png", PHOTO, "--out", "x.npz", "--features=pose")
    assert status == 1 and loaded("x.npz")["features"].shape == (1, 51)
    assert err[:2] == [
        "zoo: black.png: no person was found",
        "zoo: crop images to the person: small people are not found",
    ]


def test_without_any_features_nothing_is_written(capsys, folder):
    status, _, err = run(capsys, "embed", "broken.png", "--out", "x.npz", *TINY)
    assert status == 2 and "no image has features, x.npz is not written" in err[-1]
    assert run(capsys, "embed", "*.jpg", "--out", "x.npz")[0] == 2
    assert not (folder / "x.npz").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--out", "x.txt"), "its name must end in .npz or .parquet"),
        (("--out", "no/x.npz"), "there is no folder 'no', make it first"),
        (("--out", "images.npz"), "it is a folder"),
        (("--out", "x.npz", "--features", "hands"), "did you mean 'hand'"),
        (("--out", "x.npz", "--backend", "cuda"), "backend='shader'"),
        ((), "--out"),
    ],
)
def test_wrong_arguments_are_errors_before_any_image_is_read(
    capsys, folder, monkeypatch, arguments, message
):
    (folder / "images.npz").mkdir()
    monkeypatch.setattr(feature_store, "read_bytes", lambda source: pytest.fail("it was read"))
    status, out, err = run(capsys, "embed", "images", *arguments)
    assert (status, out) == (2, "") and message in err[-1]


def test_the_default_is_stated(capsys):
    _, out, _ = run(capsys, "embed", "--help")
    assert "by default  mobilenet.v2_100_quant" in out and "hand, face, pose, body_parts" in out


def test_features_come_from_the_store_unless_it_is_off(capsys, folder, monkeypatch):
    run(capsys, "embed", "images", "--out", "x.npz", "--no-cache", *TINY)
    assert not (folder / "store").exists()
    run(capsys, "embed", "images", "--out", "y.npz", *TINY)
    (path,) = (folder / "store").glob("*/rows.bin")
    length = path.stat().st_size
    run(capsys, "embed", "images", "--out", "z.npz", *TINY)
    assert path.stat().st_size == length
    for name in ("y.npz", "z.npz"):
        np.testing.assert_array_equal(loaded(name)["features"], loaded("x.npz")["features"])


def test_a_store_that_cannot_be_used_is_one_line(capsys, folder, monkeypatch):
    (folder / "file").write_text("")
    monkeypatch.setenv(VARIABLE, str(folder / "file"))
    status, _, err = run(capsys, "embed", "images", "--out", "x.npz", *TINY)
    assert status == 0 and len(err) == 2
    assert err[0].startswith("zoo: features are not stored: ") and "is not a folder" in err[0]


def test_an_interrupt_leaves_the_old_file(capsys, folder, monkeypatch):
    (folder / "x.npz").write_bytes(b"old")

    def interrupted(images, extractor, store):
        yield from ()
        raise KeyboardInterrupt

    monkeypatch.setattr("zoo.cli.embed_command.embed", interrupted)
    status, _, err = run(capsys, "embed", "images", "--out", "x.npz", *TINY)
    assert status == 130 and "stopped, nothing is written" in err[-1]
    assert (folder / "x.npz").read_bytes() == b"old"
    assert not [*folder.glob("*.tmp")]


def test_an_error_while_writing_leaves_the_old_file(capsys, folder, monkeypatch):
    (folder / "x.npz").write_bytes(b"old")

    def full(file, **arrays):
        file.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez", full)
    status, _, err = run(capsys, "embed", "images", "--out", "x.npz", *TINY)
    assert status == 2 and "is full" in err[-1]
    assert (folder / "x.npz").read_bytes() == b"old"
    assert not [*folder.glob("*.tmp")]
