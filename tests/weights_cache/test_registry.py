"""The registry is what the mirror's index says, and every model of it can be had."""

import hashlib
import json
import re

import numpy as np
import pytest

from tests import packages
from weights_cache import WeightsError, find_record, list_records, load_weights, locate, registry
from weights_cache.manifest import manifest_name


def test_regenerating_gives_the_same_bytes(shared, tmp_path):
    target = tmp_path / "registry.json"
    registry.write_registry(shared / "weights" / "INDEX.json", target)
    assert target.read_bytes() == registry.REGISTRY.read_bytes()


def test_every_model_of_the_index_is_registered(shared):
    index = json.loads((shared / "weights" / "INDEX.json").read_text())
    assert len(index) == 32
    for row in index:
        record = find_record(row["name"])
        assert (record.licence, record.source) == (row["licence"], row["source"])
        assert record.bytes == sum(file["bytes"] for file in row["files"])
        urls = [file["url"] for file in row["files"] if file["url"]]
        assert [url for file in record.files for url in file.urls] == urls


def test_every_file_has_a_hash_and_a_source():
    for record in list_records():
        assert record.licence
        for file in record.files:
            assert re.fullmatch("[0-9a-f]{64}", file.sha256)
            assert file.bytes > 0
            assert bool(file.urls) != (record.bundled or file.derived_from is not None)


def test_urls_are_pinned_to_a_commit_or_a_version():
    for record in list_records():
        for file in record.files:
            for url in file.urls:
                assert url.startswith("https://")
                assert re.search(r"/[0-9a-f]{40}/|/@?[a-z0-9_/-]+@\d+(\.\d+)+/", url), url


def test_records_are_sorted_and_unique():
    names = [record.name for record in list_records()]
    assert names == sorted(set(names))
    for record in list_records():
        paths = [file.path for file in record.files]
        assert len(set(paths)) == len(paths)


def test_one_line_per_file():
    lines = registry.REGISTRY.read_text(encoding="utf-8").splitlines()
    files = sum(len(record.files) for record in list_records())
    assert sum(line.startswith('  {"path"') for line in lines) == files


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("posenet-tyni", "did you mean 'posenet-tiny'"),
        ("Posenet-Tiny", "did you mean 'posenet-tiny'"),
        ("movenet", "did you mean 'movenet-singlepose-lightning-int8-tflite' or 'movenet-"),
        ("qqqq", "weights_cache.list_records"),
        ("", "weights_cache.list_records"),
        (5, "are called '5'"),
        (["posenet-tiny"], "weights_cache.list_records"),
    ],
)
def test_an_unknown_name(name, hint):
    with pytest.raises(WeightsError, match=hint):
        find_record(name)


# sha256 (first 16 digits) over the values that tf.io.decodeWeights of @tensorflow/tfjs-core
# 4.22.0 gives for each model, in the order of the manifest.
TFJS_DIGESTS = {
    "blazeface-front-tfjs-float": "3a358946b1b8f13f",
    "blazeface-tfjs-float": "dc9a97fdc50bc432",
    "blazepose-lite-tfjs-fp16": "3e5237a9baec819d",
    "face-api-age-gender": "104901677b6c17f2",
    "face-api-face-expression": "dcba7b0b563b5738",
    "face-api-face-landmark-68": "0abf036833587349",
    "face-api-face-landmark-68-tiny": "d93c511cac3668cf",
    "face-api-tiny-face-detector": "585e6acbfc0431be",
    "facemesh-tfjs-fp16": "820b05eb4004644a",
    "hand-landmark-lite-tfjs-fp16": "eb2205b392978dca",
    "handpose-palm-detector-tfjs-fp16": "a3305b1a6520edef",
    "handtrack-ssd320fpnlite-tfjs-uint8": "7c76629b7c35bd07",
    "iris-tfjs-float": "d7f296d184274213",
    "mobilenet-v1-025-224-tfjs-layers-float": "eb49857447f6089e",
    "movenet-singlepose-thunder-tfjs-fp16": "3e79fc67b4b129a2",
    "nsfwjs-mobilenet-v2-tfjs-uint8": "fbdc3f7bc32361b3",
    "posenet-tiny": "53d1a6d4c5783add",
    "nanodet-g-416-tfjs-fp16": "40f1e51a8d5d7bd5",
    "selfie-segmentation-tfjs-fp16": "68838bf6a9fc9084",
}


@pytest.mark.parametrize("name", TFJS_DIGESTS)
def test_every_value_has_the_bits_that_tfjs_gives(shared, name):
    packages.require_weights(name)
    digest = hashlib.sha256()
    for array in load_weights(name, mirror=shared / "weights", offline=True).values():
        digest.update(array.tobytes())
    assert digest.hexdigest()[:16] == TFJS_DIGESTS[name]


def models():
    return [record.name for record in list_records() if not record.bundled]


@pytest.mark.parametrize("name", models())
def test_every_model_is_found_in_the_mirror(shared, name):
    packages.require_weights(name)
    files = locate(name, mirror=shared / "weights", offline=True)
    assert list(files) == [file.path for file in find_record(name).files]
    try:
        main = manifest_name(files, name)
    except WeightsError:
        with pytest.raises(
            WeightsError, match="has no manifest of weights: none of its files is a model.json"
        ):
            load_weights(name, mirror=shared / "weights", offline=True)
        return
    weights = load_weights(name, mirror=shared / "weights", offline=True)
    assert_as_counted(weights, shared / "weights" / name, main)


def assert_as_counted(weights, folder, main):
    """Provenance files hold the number of values, counted when the mirror was made."""
    provenance = folder / "PROVENANCE.json"  # files of packages have none
    facts = json.loads(provenance.read_text()) if provenance.is_file() else {}
    values = sum(array.size for array in weights.values())
    checks = facts.get("weights_manifest_check", {})
    if main in checks:
        assert values == checks[main]["params"]
    assert values > 1000
    assert all(array.dtype in (np.float32, np.int32, np.bool_) for array in weights.values())
    # The single value around the input of a max-pooling may be minus infinity.
    assert all(np.isfinite(array).all() or array.size == 1 for array in weights.values())


def test_how_many_models_have_a_manifest(shared):
    loadable = 0
    for name in models():
        files = [file.path for file in find_record(name).files]
        loadable += any(path.endswith(("model.json", "manifest.json")) for path in files)
    assert loadable == 19


def test_posenet_is_read_as_its_raw_files_say(shared):
    folder = shared / "weights" / "posenet-mobilenet-v1-075-float-pertensor"
    weights = load_weights(folder.name, mirror=folder.parent)
    assert weights["MobilenetV1/Conv2d_0/weights"].shape == (3, 3, 3, 24)
    raw = np.fromfile(folder / "MobilenetV1_Conv2d_0_weights", "<f4")
    np.testing.assert_array_equal(weights["MobilenetV1/Conv2d_0/weights"].ravel(), raw)


@pytest.mark.parametrize(
    ("shard", "pattern"),
    [
        ("other", "'toy' has no file 'other'; it has weights_manifest.json"),
        ("../other", "the file name '../other' holds '..'"),
        (["other"], "is empty or not a text"),
    ],
)
def test_a_registered_manifest_cannot_name_other_files(toy, shard, pattern):
    document = [{"weights": [], "paths": [shard]}]
    data = json.dumps(document).encode()
    toy.data = data
    toy.server.files["/m"] = data
    toy.register([f"{toy.server.url}/m"], path="weights_manifest.json")
    with pytest.raises(WeightsError, match=pattern):
        load_weights("toy")
