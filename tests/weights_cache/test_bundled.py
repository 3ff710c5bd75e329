"""The bundled model: complete, small, and the same numbers as the network that was trained."""

import json
import shutil
import sys
from subprocess import run

import numpy as np
import pytest

from tests.conftest import ROOT
from weights_cache import (
    StoredArray,
    WeightsError,
    clear,
    dequantise_array,
    fetch,
    find_record,
    load_weights,
    locate,
    quantise_array,
    registry,
    status,
    store,
    upkeep,
    verify,
    write_weights,
)
from weights_cache.write import kinds_by_name

NAME = "posenet-tiny"
QUANTISATION = {"*depthwise*": "float16", "*biases": "float16", "*": "uint8"}


@pytest.fixture
def published(shared):
    """The file that was evaluated: stored values, and ``NAME:affine`` = [scale, minimum]."""
    folder = shared / "models" / f"{NAME}-2" / "weights"
    return dict(np.load(folder / "student-075-uint8-mixed.npz"))


@pytest.fixture
def trained(shared):
    return dict(np.load(shared / "models" / f"{NAME}-2" / "weights" / "student-075.npz"))


def test_it_is_there_without_a_cache_a_mirror_or_a_network(monkeypatch):
    monkeypatch.setenv("ZOO_OFFLINE", "1")
    assert status(NAME) == "bundled"
    assert fetch(NAME) == locate(NAME)
    assert all(path.is_file() for path in locate(NAME).values())
    assert [report.problem for report in verify(NAME)] == [None, None]
    assert clear(NAME) == 0


def test_its_size():
    weights = load_weights(NAME)
    assert len(weights) == 62
    assert sum(array.size for array in weights.values()) == 1_258_195
    assert find_record(NAME).bytes < 1_350_000


SOURCES = ("LSPET", "CCP", "ImageNet", "COCO", "Flickr8k", "Animal-Pose", "Houses", "clothing")


def test_its_card_names_every_source():
    card = json.loads(locate(NAME)["model.json"].read_bytes())["userDefinedMetadata"]
    for text in (*SOURCES, "PoseNet", "non-commercial", "not settled"):
        assert text in card["licence"]
        assert text in find_record(NAME).licence
    images = " ".join(card["training_images"])
    assert len(card["training_images"]) == len(SOURCES) + 1
    assert all(source in images for source in (*SOURCES, "hymenoptera"))
    assert "Google" in card["teacher"] and "Google" in card["person_filter"]


def stored_arrays(published):
    for name, values in published.items():
        if values.dtype == np.uint8:
            yield name, StoredArray(values, *map(float, published[f"{name}:affine"]))
        elif values.dtype == np.float16:
            yield name, StoredArray(values)


def test_writing_the_published_arrays_gives_the_shipped_bytes(published, tmp_path):
    """But for the names of the shards, which had no digest when the files were written."""
    files = locate(NAME)
    manifest = files.pop("model.json").read_bytes()
    card = json.loads(manifest)["userDefinedMetadata"]
    path = write_weights(tmp_path, dict(stored_arrays(published)), metadata=card)
    names = json.loads(path.read_bytes())["weightsManifest"][0]["paths"]
    found = path.read_bytes()
    for name, (shipped, file) in zip(names, files.items(), strict=True):
        assert (tmp_path / name).read_bytes() == file.read_bytes()
        found = found.replace(name.encode(), shipped.encode())
    assert found == manifest


def test_its_values_have_the_bits_of_the_published_ones(published):
    """``stored * scale + minimum`` in float64, rounded once."""
    expected = {name: dequantise_array(*array) for name, array in stored_arrays(published)}
    assert sum(array.nbytes for array in expected.values()) == 1_258_195 * 4
    weights = load_weights(NAME)
    assert list(weights) == list(expected)
    for name, array in weights.items():
        np.testing.assert_array_equal(array, expected[name], strict=True, err_msg=name)


def test_quantising_the_trained_weights_gives_the_published_bits(trained, published):
    """Scale and minimum are float32 in that file."""
    kinds = kinds_by_name(trained, QUANTISATION)
    for name, array in trained.items():
        values, scale, minimum = quantise_array(array, kinds[name])
        np.testing.assert_array_equal(values, published[name], strict=True, err_msg=name)
        if kinds[name] == "uint8":
            affine = np.array([scale, minimum], np.float32)
            np.testing.assert_array_equal(affine, published[f"{name}:affine"], err_msg=name)


@pytest.mark.parametrize("change", ["flip", "cut", "remove"])
@pytest.mark.parametrize("victim", ["model.json", "group1-shard1of1.bin"])
def test_a_damaged_installation(tmp_path, monkeypatch, victim, change):
    shutil.copytree(registry.BUNDLED, tmp_path / "bundled")
    for module in (store, upkeep):
        monkeypatch.setattr(module, "BUNDLED", tmp_path / "bundled")
    path = tmp_path / "bundled" / NAME / victim
    data = bytearray(path.read_bytes())
    if change == "remove":
        path.unlink()
    elif change == "cut":
        path.write_bytes(data[:-1])
    else:
        data[5000] ^= 16
        path.write_bytes(data)
    pattern = {
        "flip": "has sha256 .* instead of",
        "cut": "bytes instead of",
        "remove": "is missing",
    }
    with pytest.raises(WeightsError, match=f"{pattern[change]}.*install friendly-zoo again"):
        load_weights(NAME)
    assert any(report.problem for report in verify(NAME))


def test_loading_it_imports_little():
    """The cold start of the command pays for each of these."""
    code = (
        "import sys, numpy; before = set(sys.modules);"
        "import weights_cache; weights_cache.load_weights('posenet-tiny');"
        "print(*[name for name in sys.argv[1:] if name in sys.modules and name not in before])"
    )
    heavy = ["requests", "urllib3", "filelock", "platformdirs", "tqdm", "hashlib", "shutil"]
    done = run([sys.executable, "-c", code, *heavy], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout.split()) == (0, []), done.stderr
