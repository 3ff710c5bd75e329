"""The bundled model: complete, small, and the same numbers as the network that was trained."""

import json
import shutil
import sys
from subprocess import run

import numpy as np
import pytest

from tests.conftest import ROOT
from weights_cache import (
    WeightsError,
    clear,
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

NAME = "posenet-tiny"
KINDS = {"*depthwise*": "float16", "*biases": "float16", "*": "uint8"}


@pytest.fixture
def trained(shared):
    return dict(np.load(shared / "models" / NAME / "weights" / "student-075.npz"))


@pytest.fixture
def shipped(shared):
    return dict(np.load(shared / "models" / NAME / "weights" / "student-075-uint8-mixed.npz"))


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


def test_its_card_names_every_source():
    card = json.loads(locate(NAME)["model.json"].read_bytes())["userDefinedMetadata"]
    for text in ("LSPET", "CCP", "ImageNet", "PoseNet", "not settled"):
        assert text in card["licence"]
        assert text in find_record(NAME).licence
    assert len(card["training_pictures"]) == 3
    assert "Google" in card["teacher"]


def test_writing_it_again_gives_the_same_bytes(trained, tmp_path):
    files = locate(NAME)
    card = json.loads(files["model.json"].read_bytes())["userDefinedMetadata"]
    write_weights(tmp_path, trained, quantise=KINDS, metadata=card)
    for name, path in files.items():
        assert (tmp_path / name).read_bytes() == path.read_bytes()


def test_quantising_gives_the_shipped_bits(trained, shipped):
    for name, array in trained.items():
        stored = shipped[name]
        values, scale, minimum = quantise_array(array, stored.dtype.name)
        np.testing.assert_array_equal(values, stored, strict=True, err_msg=name)
        if stored.dtype == np.uint8:
            affine = np.array([scale, minimum], np.float32)
            np.testing.assert_array_equal(affine, shipped[f"{name}:affine"], err_msg=name)


def test_its_values_are_those_of_the_shipped_file(shipped):
    """Scale and minimum are float32 in that file and float64 here: the last bit may differ."""
    for name, array in load_weights(NAME).items():
        expected = shipped[name].astype(np.float64)
        if shipped[name].dtype == np.uint8:
            scale, minimum = shipped[f"{name}:affine"].astype(np.float64)
            expected = expected * scale + minimum
        assert array.dtype == np.float32
        assert np.abs(array - expected).max() <= 1e-6, name


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
