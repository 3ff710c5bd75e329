"""Pointers of Git LFS in place of a model file, or of one of its files, say what they are."""

import pytest

import core
from core.converter.formats import load_model
from tests.core.converter.fuzz.files import POINTER
from tests.core.converter.teachable_bundles import write_bundle, zip_of
from tests.core.converter.tensorflow_runs import unpack
from tests.core.converter.test_keras_files import write_archive
from weights_cache.common.errors import WeightsError
from weights_cache.lfs_pointers import refuse_pointer

MESSAGE = "not the file, but a pointer of Git LFS to its 1,234,567 bytes: run `git lfs pull`"


@pytest.mark.parametrize(
    "name",
    ["a.h5", "a.keras", "a.tflite", "a.pb", "a.json", "a.zip", "a.onnx", "a", "saved_model.pb"],
)
@pytest.mark.parametrize("content", [POINTER, POINTER.replace(b"\n", b"\r\n")])
def test_in_place_of_a_model_file(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(WeightsError, match=f"{name} is {MESSAGE}"):
        load_model(path)


def test_what_is_no_whole_pointer(tmp_path):
    """The size may be missing; the text may stand elsewhere in a file."""
    with pytest.raises(WeightsError, match="a pointer of Git LFS to it: run"):
        refuse_pointer(POINTER[:60], "a.h5")
    refuse_pointer(b"\n" + POINTER, "a.txt")
    refuse_pointer(b"", "a.txt")


@pytest.mark.parametrize(
    "model, file",
    [
        ("export", "saved_model.pb"),
        ("export", "variables/variables.index"),
        ("export", "variables/variables.data-00000-of-00001"),
        ("lines", "assets/words.txt"),
    ],
)
def test_in_a_saved_model(tmp_path, model, file):
    folder = unpack(tmp_path, model)
    (folder / file).write_bytes(POINTER)
    with pytest.raises(WeightsError, match=f"{file} is {MESSAGE}"):
        load_model(folder)


@pytest.mark.parametrize("file", ["model.json", "weights.bin", "metadata.json"])
def test_in_a_web_model(tmp_path, file):
    folder = write_bundle(tmp_path / "folder")
    (folder / file).write_bytes(POINTER)
    with pytest.raises(WeightsError, match=f"{file}.* is {MESSAGE}"):
        load_model(folder)
    with pytest.raises(WeightsError, match=MESSAGE):
        load_model(zip_of(folder))


def test_in_an_archive_of_keras(tmp_path):
    for name in ("config.json", "model.weights.h5", "metadata.json"):
        path = write_archive(tmp_path / "a.keras", **{name: POINTER})
        with pytest.raises(WeightsError, match=f"{name} in .*a.keras is {MESSAGE}"):
            load_model(path)


def test_in_place_of_weights(tmp_path):
    model = core.Sequential([core.layers.Input((2,)), core.layers.Dense(1)])
    (tmp_path / "a.npz").write_bytes(POINTER)
    with pytest.raises(WeightsError, match=MESSAGE):
        model.load_weights(tmp_path / "a.npz")
