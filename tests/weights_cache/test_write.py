"""The writer of the web format: round trips, names of shards, and old files kept on failure."""

import errno
import hashlib
import json
import os
import shutil
import time

import numpy as np
import pytest

from weights_cache import (
    StoredArray,
    WeightsError,
    atomic_files,
    dequantise_array,
    load_web_model,
    load_weights,
    quantise_array,
    write,
    write_weights,
)


@pytest.fixture
def weights(rng):
    return {
        "conv/kernel": rng.normal(size=(3, 3, 4, 8)).astype(np.float32),
        "conv/bias": np.array([0.0, -0.0, np.nan, np.inf, 1e-45], np.float32),
        "steps": np.array([[1, -(2**31)]], np.int32),
        "flags": np.array([True, False, True]),
        "wave": np.array([1 + 2j], np.complex64),
        "scalar": np.array(2.5, np.float32),
        "none": np.zeros((0, 3), np.float32),
        "yes": np.array(True),
        "ünïcödé/重み": np.arange(5, dtype=np.float32),
    }


def assert_same_bits(found, expected):
    assert list(found) == list(expected)
    for name, array in expected.items():
        assert found[name].dtype == array.dtype
        assert found[name].shape == array.shape
        assert found[name].tobytes() == array.tobytes()


@pytest.mark.parametrize("shard_bytes", [1, 7, 100, 1024, 4 * 2**20])
def test_a_round_trip_keeps_every_bit(tmp_path, weights, shard_bytes):
    path = write_weights(tmp_path / "model", weights, shard_bytes=shard_bytes)
    assert path == tmp_path / "model" / "model.json"
    assert_same_bits(load_weights(path.parent), weights)
    shards = sorted(path.parent.glob("*.bin"))
    assert all(0 < shard.stat().st_size <= shard_bytes for shard in shards)


def test_shards_are_filled_as_tfjs_does_and_named_by_their_content(tmp_path):
    array = np.arange(5, dtype=np.float32)
    write_weights(tmp_path, {"w": array}, shard_bytes=8)
    hashes = [hashlib.sha256(array[i : i + 2].tobytes()).hexdigest() for i in (0, 2, 4)]
    names = [f"group1-shard{j}of3-{digest[:16]}.bin" for j, digest in enumerate(hashes, 1)]
    document = json.loads((tmp_path / "model.json").read_text())
    assert document["weightsManifest"] == [
        {"paths": names, "weights": [{"name": "w", "shape": [5], "dtype": "float32"}]}
    ]
    assert [(tmp_path / name).stat().st_size for name in names] == [8, 8, 4]
    assert sorted(os.listdir(tmp_path)) == [*names, "model.json"]


def test_the_default_shard_is_4_mib(tmp_path):
    write_weights(tmp_path, {"w": np.zeros(2**20 + 1, np.float32)})
    sizes = [path.stat().st_size for path in sorted(tmp_path.glob("*.bin"))]
    assert sizes == [4 * 2**20, 4]


def test_no_weights_at_all(tmp_path):
    write_weights(tmp_path, {})
    assert load_weights(tmp_path) == {}


@pytest.mark.parametrize("layout", ["reversed", "transposed", "big-endian"])
@pytest.mark.parametrize("quantise", [None, "float16"])
def test_any_memory_layout(tmp_path, rng, layout, quantise):
    array = rng.normal(size=(4, 6)).astype(np.float32)
    given = {
        "reversed": array[::-1, ::2],
        "transposed": array.T,
        "big-endian": array.astype(">f4"),
    }[layout]
    write_weights(tmp_path, {"w": given}, quantise=quantise)
    np.testing.assert_allclose(load_weights(tmp_path)["w"], given, rtol=1e-3 if quantise else 0)


@pytest.mark.parametrize("kind", ["uint8", "uint16", "float16"])
def test_a_quantised_round_trip(tmp_path, rng, kind):
    weights = {
        "a": rng.normal(size=(30, 20)).astype(np.float32),
        "b": rng.uniform(2, 3, size=50).astype(np.float32),
        "steps": np.arange(3, dtype=np.int32),
    }
    write_weights(tmp_path, weights, quantise=kind, shard_bytes=100)
    found = load_weights(tmp_path)
    assert found["steps"].tolist() == [0, 1, 2]  # only float32 is quantised
    for name in "ab":
        values, scale, minimum = quantise_array(weights[name], kind)
        expected = values.astype(np.float64)
        if scale is not None and minimum is not None:
            expected = expected * scale + minimum
        np.testing.assert_array_equal(found[name], expected.astype(np.float32))
    entry = json.loads((tmp_path / "model.json").read_text())["weightsManifest"][0]["weights"][0]
    assert entry["dtype"] == "float32"
    assert entry["quantization"]["dtype"] == kind
    assert entry["quantization"]["original_dtype"] == "float32"
    assert ("scale" in entry["quantization"]) == (kind != "float16")


def test_the_first_pattern_that_matches_counts(tmp_path):
    weights = {name: np.linspace(0, 1, 9, dtype=np.float32) for name in ("a/bias", "a/w", "b")}
    write_weights(tmp_path, weights, quantise={"*bias": "float16", "a*": "uint8"})
    document = json.loads((tmp_path / "model.json").read_text())
    entries = document["weightsManifest"][0]["weights"]
    kinds = [entry.get("quantization", {}).get("dtype") for entry in entries]
    assert kinds == ["float16", "uint8", None]


def test_metadata_and_topology(tmp_path):
    topology = {"node": [{"name": "x", "op": "Placeholder"}]}
    write_weights(tmp_path, {}, metadata={"licence": "mine"}, topology=topology)
    document = json.loads((tmp_path / "model.json").read_text())
    assert document["userDefinedMetadata"] == {"licence": "mine"}
    assert document["modelTopology"] == topology
    assert document["format"] == "graph-model"
    write_weights(tmp_path, {}, topology={"model_config": {}})
    assert json.loads((tmp_path / "model.json").read_text())["format"] == "layers-model"


def test_the_same_weights_give_the_same_bytes(tmp_path, weights):
    for folder in ("a", "b"):
        write_weights(tmp_path / folder, weights)
    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()


@pytest.mark.parametrize(
    ("weights", "options", "pattern"),
    [
        ({"w": np.zeros(2)}, {}, "'w' is float64; convert it to one of float32, int32"),
        ({"w": np.zeros(2, np.int64)}, {}, "'w' is int64"),
        ({"w": np.zeros(2, np.float16)}, {}, "'w' is float16"),
        ({"w": np.array(["a"])}, {}, "'w' is str"),
        ({"w": np.array([None])}, {}, "'w' is object"),
        ({"w": [1.0]}, {}, "'w' is list"),
        ({"": np.zeros(2, np.float32)}, {}, "has the name ''"),
        ({5: np.zeros(2, np.float32)}, {}, "has the name 5"),
        ({"\ud800": np.zeros(2, np.float32)}, {}, "cannot be written as JSON"),
        ({}, {"metadata": {"x": object()}}, "cannot be written as JSON"),
        ({}, {"metadata": {"x": float("nan")}}, "cannot be written as JSON"),
        ({}, {"shard_bytes": 0}, "shard_bytes is 0"),
        ({}, {"shard_bytes": 4e6}, "shard_bytes is 4000000.0"),
        ({"w": np.zeros(2, np.float32)}, {"quantise": "int8"}, "no quantisation is called 'int8'"),
        ({"w": np.zeros(2, np.float32)}, {"quantise": 8}, "no quantisation is called 8"),
        ({"w": np.zeros(2, np.float32)}, {"quantise": {"w": ["uint8"]}}, "is called .'uint8'"),
        ({"w": np.zeros(2, np.float32)}, {"quantise": {"x": "uint8"}}, "'x' matches no weight"),
        ({"w": np.full(2, np.nan, np.float32)}, {"quantise": "uint8"}, "weight 'w': .*NaN"),
        ({"w": np.full(2, 1e6, np.float32)}, {"quantise": "float16"}, "weight 'w': .*65504"),
    ],
)
def test_unsupported_arrays(tmp_path, weights, options, pattern):
    with pytest.raises(WeightsError, match=pattern):
        write_weights(tmp_path / "model", weights, **options)
    assert not (tmp_path / "model").exists()


def snapshot(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def fail_at(monkeypatch, name, call, code=errno.ENOSPC):
    """Let the ``call``-th use of an ``os`` function for writing fail as a full disk does."""
    function = getattr(os, name)
    count = iter(range(1, 100))

    def failing(*arguments, **options):
        is_reading = name == "open" and not arguments[1] & os.O_CREAT
        if not is_reading and next(count) == call:
            raise OSError(code, os.strerror(code))
        return function(*arguments, **options)

    monkeypatch.setattr(os, name, failing)


@pytest.mark.parametrize("name", ["open", "fsync", "replace"])
@pytest.mark.parametrize("call", [1, 2, 3])
@pytest.mark.parametrize("links", [True, False])
def test_a_failure_leaves_the_old_files_whole(tmp_path, monkeypatch, name, call, links):
    old = {"w": np.arange(4, dtype=np.float32)}
    write_weights(tmp_path, old, shard_bytes=8)
    before = snapshot(tmp_path)
    with monkeypatch.context() as patch:
        if not links:
            fail_at(patch, "link", 1, errno.EPERM)
        fail_at(patch, name, call)
        with pytest.raises(WeightsError, match=r"is full: \d+ bytes needed"):
            write_weights(tmp_path, {"w": -old["w"]}, shard_bytes=8)
    assert snapshot(tmp_path) == before
    assert_same_bits(load_weights(tmp_path), old)


def test_a_failure_leaves_no_new_files(tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        fail_at(patch, "replace", 2)
        with pytest.raises(WeightsError, match="is full"):
            write_weights(tmp_path, {"w": np.zeros(4, np.float32)})
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("name", ["fsync", "replace"])
def test_an_interrupt_leaves_the_old_files_whole(tmp_path, monkeypatch, name):
    write_weights(tmp_path, {"w": np.zeros(4, np.float32)})
    before = snapshot(tmp_path)
    call, calls = getattr(os, name), []

    def interrupt(*arguments):
        """Ctrl-C just after the first call did its work."""
        calls.append(arguments)
        call(*arguments)
        if len(calls) == 1:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, name, interrupt)
        with pytest.raises(KeyboardInterrupt):
            write_weights(tmp_path, {"w": np.ones(4, np.float32)})
    assert snapshot(tmp_path) == before


def test_too_little_space_is_said_first(tmp_path, monkeypatch):
    usage = shutil.disk_usage("/")._replace(free=10)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
    with pytest.raises(WeightsError, match=r"is full: \d+ bytes needed, 10 free"):
        write_weights(tmp_path / "model", {"w": np.zeros(4, np.float32)})
    assert list((tmp_path / "model").iterdir()) == []


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(WeightsError, match="cannot write to .*choose another folder"):
        write_weights(tmp_path / "file", {})


@pytest.mark.parametrize("taken", ["*.bin", "model.json"])
def test_a_file_whose_name_is_taken_by_a_folder(tmp_path, taken):
    write_weights(tmp_path / "first", {"w": np.zeros(4, np.float32)})
    (named,) = (tmp_path / "first").glob(taken)
    (tmp_path / "new" / named.name).mkdir(parents=True)
    with pytest.raises(WeightsError, match="cannot write to"):
        write_weights(tmp_path / "new", {"w": np.zeros(4, np.float32)})
    assert os.listdir(tmp_path / "new") == [named.name]


def test_the_shards_of_the_model_that_was_replaced_go(tmp_path):
    """Those of other documents stay, and so do other files, and those of a foreign name."""
    plain = "group1-shard1of1.bin"
    old = write_weights(tmp_path, {"w": np.zeros(4, np.float32)})
    (shard,) = tmp_path.glob("*.bin")
    for name in (plain, "group1-shard2of2.bin", "group1-shard1of1-cat.bin"):
        (tmp_path / name).write_bytes(shard.read_bytes())
    other = tmp_path / "other.json"
    other.write_text(old.read_text())
    old.write_text(old.read_text().replace(shard.name, plain))
    write_weights(tmp_path, {"w": np.ones(4, np.float32)})
    names = set(os.listdir(tmp_path))
    assert plain not in names
    assert {"group1-shard2of2.bin", "group1-shard1of1-cat.bin", shard.name} < names
    assert load_weights(tmp_path)["w"].tolist() == [1] * 4
    assert load_weights(other)["w"].tolist() == [0] * 4


def test_shards_of_killed_writers_go_after_a_day(tmp_path):
    left = [tmp_path / f"group1-shard1of1-{digit * 16}.bin" for digit in "12"]
    for path, age in zip(left, (atomic_files.STALE_SECONDS + 60, 60), strict=True):
        path.write_text("")
        os.utime(path, (time.time() - age,) * 2)
    write_weights(tmp_path, {"w": np.zeros(4, np.float32)})
    assert [path.exists() for path in left] == [False, True]


def test_remains_of_a_killed_writer_go_after_a_day(tmp_path):
    names = ["model.json.0123456789ab.tmp", "model.json.abcdefabcdef.tmp"]
    for name, age in zip(names, (atomic_files.STALE_SECONDS + 60, 60), strict=True):
        (tmp_path / name).write_text("")
        os.utime(tmp_path / name, (time.time() - age,) * 2)
    write_weights(tmp_path, {})
    assert sorted(os.listdir(tmp_path)) == ["model.json", names[1]]


# Strings, and weights that are stored as they are


STRINGS = np.array([[b"", "é".encode()], [b"a\0", b"\xff" * 300]], object)


@pytest.mark.parametrize("shard_bytes", [1, 7, 4 * 2**20])
def test_strings_come_back_as_bytes(tmp_path, shard_bytes):
    weights = {
        "before": np.arange(3, dtype=np.float32),
        "strings": STRINGS,
        "none": np.empty((2, 0), object),
        "after": np.int32([7]),
    }
    found = load_weights(write_weights(tmp_path, weights, shard_bytes=shard_bytes).parent)
    assert found["strings"].tolist() == STRINGS.tolist()
    assert (found["strings"].dtype, found["none"].shape) == (object, (2, 0))
    assert (found["before"].tolist(), found["after"].tolist()) == ([0, 1, 2], [7])
    with pytest.raises(ValueError, match="read-only"):
        found["strings"][0, 0] = b""


def test_strings_lie_behind_their_lengths(tmp_path):
    write_weights(tmp_path, {"w": np.array(["é", b"ab"], object)})
    (shard,) = tmp_path.glob("*.bin")
    data = shard.read_bytes()
    assert data == b"\2\0\0\0" + "é".encode() + b"\2\0\0\0ab"
    document = json.loads((tmp_path / "model.json").read_text())
    entry = {"name": "w", "shape": [2], "dtype": "string"}
    assert document["weightsManifest"][0]["weights"] == [entry]


@pytest.mark.parametrize("kind", ["uint8", "uint16", "float16"])
def test_stored_weights_are_written_unchanged(tmp_path, rng, kind):
    array = rng.normal(size=(5, 4)).astype(np.float32)
    stored = StoredArray(*quantise_array(array, kind))
    whole = StoredArray(np.uint8([[1], [200]]), 0.3, -7.0, "int32")
    write_weights(tmp_path / "first", {"w": stored, "i": whole})
    model = load_web_model(tmp_path / "first")
    for name, expected in (("w", stored), ("i", whole)):
        found = model.stored[name]
        assert found.values.tobytes() == expected.values.tobytes()
        assert found[1:] == expected[1:]
    write_weights(tmp_path / "second", model.stored, quantise=kind)
    assert snapshot(tmp_path / "second") == snapshot(tmp_path / "first")
    assert model.weights()["i"].tolist() == [[-7], [53]]


def test_stored_weights_are_requantised_for_another_kind(tmp_path, rng):
    stored = StoredArray(*quantise_array(rng.normal(size=9).astype(np.float32), "uint8"))
    write_weights(tmp_path, {"w": stored}, quantise="float16")
    found = load_web_model(tmp_path).stored["w"]
    np.testing.assert_array_equal(found.values, dequantise_array(*stored).astype(np.float16))


@pytest.mark.parametrize(
    "stored, message",
    [
        (StoredArray(np.float32([1])), "weight 'w': no quantisation is called 'float32'"),
        (StoredArray(np.uint8([1])), "weight 'w': .*needs both a scale and a minimum"),
        (StoredArray(np.uint8([1]), 1e39, 0.0), "weight 'w': .*exceed the range of float32"),
        (StoredArray(np.uint8([1]), 1.0, 0.0, "bool"), "weight 'w': .*cannot dequantise to 'bool'"),
    ],
)
def test_invalid_stored_weights(tmp_path, stored, message):
    with pytest.raises(WeightsError, match=message):
        write_weights(tmp_path, {"w": stored})


def test_float32_leaves_weights_as_they_are(tmp_path):
    weights = {"a": np.float32([0, 1]), "b": np.float32([0, 1])}
    write_weights(tmp_path, weights, quantise={"a": "float32", "*": "uint8"})
    stored = load_web_model(tmp_path).stored
    assert isinstance(stored["a"], np.ndarray)
    assert isinstance(stored["b"], StoredArray)


def test_more_fields_of_the_document(tmp_path):
    fields = {"signature": {"inputs": {}}, "convertedBy": "me"}
    path = write_weights(tmp_path, {}, topology={"node": []}, fields=fields)
    document = load_web_model(path).document
    assert (document["signature"], document["convertedBy"]) == ({"inputs": {}}, "me")
    assert document["format"] == "graph-model"


@pytest.mark.parametrize(
    "fault, message",
    [
        (lambda name, entry, data: (entry, memoryview(bytes(len(data)))), "'w' is another one"),
        (lambda name, entry, data: ({**entry, "name": name * 2}, data), "has other weights"),
        (lambda name, entry, data: (entry, data[1:]), "cannot be read back"),
    ],
)
def test_what_was_written_is_read_back(fault, message, tmp_path, monkeypatch):
    """Faults in the shards or the manifest, whose entries the reader compares with the weights."""
    write_weights(tmp_path, {"w": np.ones(4, np.float32)})
    before = snapshot(tmp_path)
    shards, document = write._shards, write._document

    def changed_shards(pieces, size):
        return shards([fault("w", {}, pieces[0])[1]], size)

    def changed_document(manifest, *rest):
        (group,) = manifest
        entries = [fault("w", entry, b"")[0] for entry in group["weights"]]
        return document([{**group, "weights": entries}], *rest)

    with monkeypatch.context() as patch:
        patch.setattr(write, "_shards", changed_shards)
        patch.setattr(write, "_document", changed_document)
        with pytest.raises(WeightsError, match=f"{message}.*nothing was replaced"):
            write_weights(tmp_path, {"w": np.full(4, 2, np.float32)})
    assert snapshot(tmp_path) == before
