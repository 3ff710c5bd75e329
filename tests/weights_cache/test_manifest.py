"""The readers of the three manifest kinds, and how the manifest of a folder is found."""

import errno
import json
import os
from pathlib import Path

import numpy as np
import pytest

from tests.weights_cache.toys import weight, write_model, write_weight
from weights_cache import WeightsError, load_weights

# What is read


def test_groups_and_shards_in_order(tmp_path, rng):
    a, b, c = (rng.normal(size=shape).astype("<f4") for shape in [(3, 4), (5,), ()])
    data = a.tobytes() + b.tobytes()
    groups = [
        {"weights": [weight("a", (3, 4)), weight("b", (5,))], "paths": ["s1", "s2", "s3"]},
        {"weights": [weight("c", ())], "paths": ["t1"]},
    ]
    shards = {"s1": data[:7], "s2": data[7:51], "s3": data[51:], "t1": c.tobytes()}
    weights = load_weights(write_model(tmp_path, groups, shards))
    assert list(weights) == ["a", "b", "c"]
    for name, array in zip("abc", (a, b, c), strict=True):
        assert weights[name].dtype == np.float32
        np.testing.assert_array_equal(weights[name], array, strict=True)


@pytest.mark.parametrize(
    ("dtype", "data", "expected"),
    [
        ("float32", np.array([1.5, -2, np.nan], "<f4"), np.array([1.5, -2, np.nan], np.float32)),
        ("int32", np.array([1, -2, 2**31 - 1], "<i4"), np.array([1, -2, 2**31 - 1], np.int32)),
        ("bool", np.array([0, 1, 7], "u1"), np.array([False, True, True])),
        ("complex64", np.array([1, 2j, 3], "<c8"), np.array([1, 2j, 3], np.complex64)),
    ],
)
def test_dtypes(tmp_path, dtype, data, expected):
    weights = load_weights(write_weight(tmp_path, weight("w", (3,), dtype), data.tobytes()))
    assert weights["w"].tobytes() == expected.tobytes()
    assert weights["w"].dtype == expected.dtype


def test_quantised_kinds(tmp_path):
    half = np.array([0.5, -3, 65504], "<f2")
    entries = [
        weight("u8", (3,), dtype="float32", **{"scale": 0.5, "min": -1.0}),
        weight("u16", (3,), dtype="float32", **{"scale": 2.0, "min": 1}),
        weight("f16", (3,), dtype="float32", **{"original_dtype": "float32"}),
        weight("i", (4,), dtype="int32", **{"scale": 0.5, "min": -1}),
    ]
    kinds = ["uint8", "uint16", "float16", "uint8"]
    for entry, kind in zip(entries, kinds, strict=True):
        entry["quantization"]["dtype"] = kind
    data = bytes([0, 2, 255]) + np.array([0, 2, 65535], "<u2").tobytes()
    data += half.tobytes() + bytes([0, 1, 2, 3])
    groups = [{"weights": entries, "paths": ["shard"]}]
    weights = load_weights(write_model(tmp_path, groups, {"shard": data}))
    expected = {
        "u8": np.array([-1, 0, 126.5], np.float32),
        "u16": np.array([1, 5, 131071], np.float32),
        "f16": half.astype(np.float32),
        "i": np.array([-1, 0, 0, 1], np.int32),
    }
    for name, array in expected.items():
        np.testing.assert_array_equal(weights[name], array, strict=True)


def test_the_list_of_face_api(tmp_path):
    groups = [{"weights": [weight("w", (2,))], "paths": ["model-shard1"]}]
    (tmp_path / "x-weights_manifest.json").write_text(json.dumps(groups))
    (tmp_path / "model-shard1").write_bytes(np.array([1, 2], "<f4").tobytes())
    for source in (tmp_path, tmp_path / "x-weights_manifest.json"):
        assert load_weights(source)["w"].tolist() == [1, 2]


def test_one_file_per_weight(tmp_path):
    document = {
        "a/weights": {"filename": "a_weights", "shape": [2]},
        "b": {"filename": "b", "shape": []},
    }
    (tmp_path / "manifest.json").write_text(json.dumps(document))
    (tmp_path / "a_weights").write_bytes(np.array([1, 2], "<f4").tobytes())
    (tmp_path / "b").write_bytes(np.array(3, "<f4").tobytes())
    weights = load_weights(str(tmp_path / "manifest.json"))
    assert weights["a/weights"].tolist() == [1, 2]
    assert weights["b"].shape == ()


def test_float32_is_a_view_and_nothing_can_be_written(tmp_path):
    entries = [weight("f", (2,)), weight("b", (1,), "bool"), weight("late", (2,))]
    entries.append(weight("q", (1,), dtype="float32", **{"scale": 1, "min": 0}))
    entries[-1]["quantization"]["dtype"] = "uint8"
    data = np.array([1, 2], "<f4").tobytes() + b"\1" + np.array([3, 4], "<f4").tobytes() + b"\5"
    groups = [{"weights": entries, "paths": ["shard"]}]
    weights = load_weights(write_model(tmp_path, groups, {"shard": data}))
    assert not weights["f"].flags.owndata
    assert weights["late"].flags.aligned  # it starts at byte 9
    assert weights["late"].tolist() == [3, 4]
    for array in weights.values():
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


def test_empty_weights_and_groups(tmp_path):
    groups = [
        {"weights": [weight("none", (0, 3))], "paths": []},
        {"weights": [], "paths": ["nothing"]},
        {"weights": [], "paths": []},
    ]
    weights = load_weights(write_model(tmp_path, groups, {"nothing": b""}))
    assert weights["none"].shape == (0, 3)
    assert list(weights) == ["none"]


# Finding the manifest


def test_model_json_goes_before_the_other_kinds(tmp_path):
    write_weight(tmp_path, weight())
    (tmp_path / "weights_manifest.json").write_text("[]")
    (tmp_path / "manifest.json").write_text("{}")
    assert list(load_weights(tmp_path)) == ["w"]


def test_two_manifests_of_one_kind(tmp_path):
    for name in ("a-weights_manifest.json", "b-weights_manifest.json"):
        (tmp_path / name).write_text("[]")
    with pytest.raises(WeightsError, match="holds 2 manifests; name one: a-weights.*, b-weights"):
        load_weights(tmp_path)


def test_a_folder_without_a_manifest(tmp_path):
    with pytest.raises(WeightsError, match="none of its files is a model.json"):
        load_weights(tmp_path)


@pytest.mark.parametrize("source", ["no/such/model.json", "nothing.json"])
def test_a_path_that_does_not_exist(source):
    with pytest.raises(WeightsError, match=f"no file or folder {source}"):
        load_weights(source)


def test_a_misspelt_name():
    with pytest.raises(WeightsError, match="did you mean 'posenet-tiny'"):
        load_weights("posenet-tini")


def test_a_path_object_is_never_a_name():
    with pytest.raises(WeightsError, match="no file or folder posenet-tiny"):
        load_weights(Path("posenet-tiny"))


@pytest.mark.parametrize("source", ["", None, 5, ["posenet-tiny"], b"posenet-tiny"])
def test_neither_name_nor_path(source):
    with pytest.raises(WeightsError, match="from a name or a path, not from"):
        load_weights(source)


def test_a_folder_that_may_not_be_read(tmp_path, monkeypatch):
    def refused(path):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(os, "listdir", refused)
    with pytest.raises(WeightsError, match="cannot look into .*Permission denied"):
        load_weights(tmp_path)
