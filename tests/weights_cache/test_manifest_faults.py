"""Manifests and shards that are wrong: each is one WeightsError that names what is."""

import math

import numpy as np
import pytest

from tests.helpers import peak_of
from tests.weights_cache.toys import weight, write_model, write_weight
from weights_cache import WeightsError, json_documents, load_weights, shards

# Shards that do not agree with the weights


@pytest.mark.parametrize("size", [0, 1, 20, 23])
def test_a_short_shard_names_weight_and_shard(tmp_path, size):
    write_weight(tmp_path, weight("late"), bytes(size))
    pattern = rf"weight 'late': ends at byte 24, but the shards \(shard\) hold only {size} bytes"
    with pytest.raises(WeightsError, match=pattern):
        load_weights(tmp_path)


@pytest.mark.parametrize("extra", [1, 8])
def test_a_long_shard_names_weight_and_shard(tmp_path, extra):
    write_weight(tmp_path, weight("last"), bytes(24 + extra))
    pattern = rf"the shards \(shard\) hold {24 + extra} bytes, {extra} more than .* 'last' need"
    with pytest.raises(WeightsError, match=pattern):
        load_weights(tmp_path)


def test_bytes_of_one_group_are_not_lent_to_another(tmp_path):
    groups = [
        {"weights": [weight("a", (2,))], "paths": ["s"]},
        {"weights": [weight("b", (2,))], "paths": ["t"]},
    ]
    write_model(tmp_path, groups, {"s": bytes(12), "t": bytes(4)})
    with pytest.raises(WeightsError, match="4 more than"):
        load_weights(tmp_path)


def test_a_single_file_of_another_length(tmp_path):
    (tmp_path / "manifest.json").write_text('{"w": {"filename": "f", "shape": [3]}}')
    (tmp_path / "f").write_bytes(bytes(13))
    with pytest.raises(WeightsError, match="1 more than"):
        load_weights(tmp_path)


def test_a_missing_shard(tmp_path):
    write_weight(tmp_path, weight())
    (tmp_path / "shard").unlink()
    with pytest.raises(WeightsError, match="cannot read the shard .*shard: No such file"):
        load_weights(tmp_path)


def test_a_shard_that_is_a_folder(tmp_path):
    write_weight(tmp_path, weight())
    (tmp_path / "shard").unlink()
    (tmp_path / "shard").mkdir()
    with pytest.raises(WeightsError, match="is not a file"):
        load_weights(tmp_path)


def test_a_shard_that_shrinks_while_it_is_read(tmp_path, monkeypatch):
    write_weight(tmp_path, weight())
    size = shards._size

    def shrink(path):
        found = size(path)
        path.write_bytes(bytes(10))
        return found

    monkeypatch.setattr(shards, "_size", shrink)
    with pytest.raises(WeightsError, match="became shorter"):
        load_weights(tmp_path)


@pytest.mark.parametrize("shape", [[2**20, 2**20], [10**9], [2**40], [2**62, 2**62], [10**400]])
def test_nothing_is_allocated_beyond_what_is_on_disk(tmp_path, monkeypatch, shape):
    write_weight(tmp_path, weight(shape=shape))
    monkeypatch.setattr(np, "empty", None)  # an allocation would be a TypeError
    with pytest.raises(WeightsError, match="weight 'w'"):
        load_weights(tmp_path)


def test_a_shard_listed_often_is_refused(tmp_path):
    count = 1000
    groups = [{"weights": [weight("w", (6 * count,))], "paths": ["shard"] * count}]
    write_model(tmp_path, groups, {"shard": bytes(24)})
    with pytest.raises(WeightsError, match="the shard 'shard' is listed twice"):
        load_weights(tmp_path)


def test_insufficient_memory(tmp_path, monkeypatch):
    def nothing_left(*_):
        raise MemoryError

    write_weight(tmp_path, weight())
    monkeypatch.setattr(np, "empty", nothing_left)
    with pytest.raises(WeightsError, match="no memory for the 24 bytes"):
        load_weights(tmp_path)


# Documents that are wrong


@pytest.mark.parametrize(
    ("entry", "pattern"),
    [
        (weight(shape=[2, -3]), r"shape \[2, -3\] is invalid: expected sizes from 0"),
        (weight(shape=[2, 3.0]), "is invalid: expected sizes from 0"),
        (weight(shape=[True, 6]), "is invalid: expected sizes from 0"),
        (weight(shape=["6"]), "is invalid: expected sizes from 0"),
        (weight(shape=[None, 6]), "is invalid: expected sizes from 0"),
        (weight(shape=[math.nan]), "is invalid: expected sizes from 0"),
        (weight(shape=[[6]]), "is invalid: expected sizes from 0"),
        (weight(shape=[0, 2**62, 2**62]), "too large for this machine"),
        (weight(shape=[1] * 33), "33 axes are more than 32"),
        (weight() | {"shape": 6}, "the shape should be a list, not 6"),
        (weight() | {"shape": "23"}, "the shape should be a list"),
        (weight() | {"shape": None}, "the shape should be a list"),
        (
            weight(dtype="float64"),
            "dtype 'float64' is not supported; expected one of float32, int32, bool",
        ),
        (weight(dtype="object"), "dtype 'object' is not supported"),
        (weight(dtype="float64"), "dtype 'float64' is not supported"),
        (weight(dtype="float16"), "dtype 'float16' is not supported"),
        (weight(dtype="<f4"), "dtype '<f4' is not supported"),
        (weight(dtype=None), "dtype None is not supported"),
        (weight(dtype=["float32"]), "is not supported"),
        (weight(name=""), "has the name ''"),
        (weight(name=None), "has the name None"),
        (weight(name=["w"]), "has the name"),
        ("w", "a weight should be an object, not 'w'"),
        (None, "a weight should be an object"),
        (weight() | {"quantization": "uint8"}, "quantisation 'uint8' is not one of"),
        (weight() | {"quantization": {}}, "is not one of uint8, uint16, float16"),
        (weight() | {"quantization": {"dtype": "int8"}}, "is not one of"),
        (weight() | {"quantization": {"dtype": ["uint8"]}}, "is not one of"),
        (weight() | {"quantization": {"dtype": "uint8"}}, "scale None and min None should be"),
        (weight() | {"quantization": {"dtype": "uint8", "scale": 1}}, "min None"),
        (weight() | {"quantization": {"dtype": "uint8", "scale": "1", "min": 0}}, "scale '1'"),
        (weight() | {"quantization": {"dtype": "uint8", "scale": True, "min": 0}}, "scale True"),
        (weight() | {"quantization": {"dtype": "uint8", "scale": math.nan, "min": 0}}, "nan"),
        (weight() | {"quantization": {"dtype": "uint8", "scale": 1, "min": -math.inf}}, "-inf"),
        (weight() | {"quantization": {"dtype": "uint8", "scale": 10**400, "min": 0}}, "finite"),
        (weight(dtype="bool") | {"quantization": {"dtype": "uint8"}}, "bool cannot be quantised"),
        (weight(dtype="int32") | {"quantization": {"dtype": "float16"}}, "int32 cannot be"),
    ],
)
def test_a_wrong_entry(tmp_path, entry, pattern):
    with pytest.raises(WeightsError, match=pattern) as caught:
        load_weights(write_weight(tmp_path, entry))
    assert str(tmp_path / "model.json") in str(caught.value)
    assert len(str(caught.value)) < 600


@pytest.mark.parametrize(
    "quantization",
    [
        {"dtype": "uint8", "scale": 1e38, "min": 0},
        {"dtype": "uint8", "scale": 1e307, "min": 1e307},
        {"dtype": "uint16", "scale": -1e37, "min": 0},
    ],
)
def test_values_beyond_float32(tmp_path, quantization):
    size = 2 if quantization["dtype"] == "uint16" else 1
    entry = weight() | {"quantization": quantization}
    with pytest.raises(WeightsError, match="weight 'w': .* exceed the range of float32"):
        load_weights(write_weight(tmp_path, entry, bytes(6 * size)))


def test_values_beyond_int32(tmp_path):
    entry = weight(dtype="int32") | {"quantization": {"dtype": "uint8", "scale": 1e8, "min": 0}}
    with pytest.raises(WeightsError, match="exceed the range of int32"):
        load_weights(write_weight(tmp_path, entry, bytes(6)))


@pytest.mark.parametrize("kind", ["one group", "two groups"])
def test_a_name_given_twice(tmp_path, kind):
    first, second = weight("w", (3,)), weight("w", (3,))
    groups = [{"weights": [first, second], "paths": ["s"]}]
    if kind == "two groups":
        groups = [
            {"weights": [one], "paths": [shard]} for one, shard in ((first, "s"), (second, "t"))
        ]
    write_model(tmp_path, groups, {"s": bytes(24), "t": bytes(12)})
    with pytest.raises(WeightsError, match="the weight 'w' is listed twice"):
        load_weights(tmp_path)


def test_a_name_given_twice_with_one_file_per_weight(tmp_path):
    text = '{"w": {"filename": "f", "shape": [1]}, "w": {"filename": "g", "shape": [1]}}'
    (tmp_path / "manifest.json").write_text(text)
    for name in "fg":
        (tmp_path / name).write_bytes(bytes(4))
    with pytest.raises(WeightsError, match="the name 'w' is given twice"):
        load_weights(tmp_path)


@pytest.mark.parametrize(
    ("document", "pattern"),
    [
        ('{"modelTopology": {}}', "has no 'weightsManifest'"),
        ('{"weightsManifest": null}', "should be a list, not None"),
        ('{"weightsManifest": {}}', "should be a list"),
        ('{"weightsManifest": [5]}', "group 1: should be an object"),
        ('{"weightsManifest": [{"weights": []}]}', "'paths' should be a list, not None"),
        ('{"weightsManifest": [{"paths": []}]}', "'weights' should be a list"),
        ('{"weightsManifest": [{"paths": "s", "weights": []}]}', "'paths' should be a list"),
        ("5", "has no 'weightsManifest'"),
        ("null", "has no 'weightsManifest'"),
        ('"text"', "has no 'weightsManifest'"),
        ("{}", "is empty, so it lists no weights"),
        ('{"a": 5}', "'a' has no 'filename'"),
        ('{"a": {"shape": [1]}}', "'a' has no 'filename'"),
        ("[5]", "group 1: should be an object"),
        ("", "not a readable JSON document"),
        ('{"weightsManifest": [', "not a readable JSON document"),
        ("[" * 200_000, "not a readable JSON document"),
        ('{"a":' * 200_000, "not a readable JSON document"),
        ("[" + "9" * 5000 + "]", "not a readable JSON document|should be an object"),
        (b"\xff\xfe\x00", "not a readable JSON document"),
        (b"\x80abc", "not a readable JSON document"),
        (b"PK\x03\x04", "not a readable JSON document"),
    ],
)
def test_a_wrong_document(tmp_path, document, pattern):
    data = document if isinstance(document, bytes) else document.encode()
    (tmp_path / "model.json").write_bytes(data)
    with pytest.raises(WeightsError, match=pattern):
        load_weights(tmp_path)


def test_a_document_that_is_too_large(tmp_path, monkeypatch):
    monkeypatch.setattr(json_documents, "LARGEST_DOCUMENT", 1000)
    (tmp_path / "model.json").write_text(" " * 1001)
    with pytest.raises(WeightsError, match="larger than 1000 bytes"):
        load_weights(tmp_path)


def test_a_small_document_takes_little_memory(tmp_path):
    """Not as much as the largest one that is allowed."""
    (tmp_path / "model.json").write_text("{}")
    found, peak = peak_of(lambda: json_documents.read_document(tmp_path / "model.json"), 1_000_000)
    assert found == b"{}" and peak < 1_000_000


# Strings, whose lengths lie among the bytes


def length(count):
    return count.to_bytes(4, "little")


@pytest.mark.parametrize(
    "data, message",
    [
        (b"", r"weight 's': ends at byte 8, but the shards \(shard\) hold only 0 bytes"),
        (length(1) + b"a" + length(2) + b"b", r"'s': ends at byte 11, .* hold only 10 bytes"),
        (length(2**32 - 1) + bytes(4), "'s': ends at byte 4294967299"),
        (length(1) + b"a" + length(0)[:2] + b"", "'s': ends at byte 8, .* hold only 7 bytes"),
        (length(5) + b"a" * 5 + b"\0", "'s': ends at byte 13, .* hold only 10 bytes"),
        (length(0) * 2 + b"a", "hold 9 bytes, 1 more than the weights up to 's' need"),
    ],
)
def test_strings_that_do_not_fit(tmp_path, data, message):
    write_weight(tmp_path, weight("s", [2], "string"), data)
    with pytest.raises(WeightsError, match=message):
        load_weights(tmp_path)


def test_strings_that_take_the_bytes_of_the_next_weight(tmp_path):
    entries = [weight("s", [1], "string"), weight("late", [2])]
    groups = [{"weights": entries, "paths": ["shard"]}]
    write_model(tmp_path, groups, {"shard": length(6) + b"abcdef" + bytes(4)})
    with pytest.raises(WeightsError, match="weight 'late': ends at byte 18, .* only 14 bytes"):
        load_weights(tmp_path)


def test_strings_are_not_quantised(tmp_path):
    write_weight(tmp_path, weight("s", [1], "string") | {"quantization": {"dtype": "float16"}}, b"")
    with pytest.raises(WeightsError, match="string cannot be quantised to float16"):
        load_weights(tmp_path)
