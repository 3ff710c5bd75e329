"""What `zoo.publish` writes, and refuses to write; the modules run in wasmtime."""

import re

import numpy as np
import pytest

import zoo
from tests.helpers import require_llvmlite
from tests.zoo.publishing.published import description_of, run_network, weights_of
from weights_cache import find_record
from zoo.catalog.entries import all_entries, find_entry
from zoo.publishing import stored_weights
from zoo.publishing.recipes import publishable

FILES = ["model.wasm", "relaxed.wasm", "weights-1.bin", "zoo.d.ts", "zoo.js"]


@pytest.fixture(autouse=True)
def _compiler():
    require_llvmlite()


@pytest.fixture
def mirror(shared, monkeypatch):
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))


def test_the_files_are_those_that_are_reported(tmp_path):
    published = zoo.publish("posenet.tiny", tmp_path / "out", page=True, quantise="float16")
    assert published.path == tmp_path / "out"
    assert sorted(published.bytes) == sorted([*FILES, "index.html", "page.css"])
    for name, size in published.bytes.items():
        assert (tmp_path / "out" / name).stat().st_size == size
    assert {p.name for p in (tmp_path / "out").iterdir()} == set(published.bytes)


def test_the_description_has_the_facts_of_the_entry(tmp_path):
    zoo.publish("posenet.tiny", tmp_path, quantise="uint8")
    entry, found = find_entry("posenet.tiny"), description_of(tmp_path)
    assert (found["model"], found["title"]) == (entry.name, entry.title)
    assert found["licence"] == find_record(entry.weights).licence
    options = found["options"]["estimateMultiplePoses"]
    assert options["scoreThreshold"]["default"] == entry.defaults["score_threshold"]
    assert options["maxPoses"] == {"type": "integer", "default": 20, "low": 1}
    # Options of other models' functions of the same name are not this model's.
    assert "segmentation" not in found["options"]["estimateSinglePose"]
    assert found["skeleton"]["names"][0] == "nose"
    assert found["networks"]["pose"]["input"]["shape"] == [1, 321, 321, 3]


def test_options_of_loading_choose_the_network(tmp_path):
    zoo.publish("posenet.tiny", tmp_path, input_size=(129, 193), output_stride=8)
    found = description_of(tmp_path)
    assert found["networks"]["pose"]["input"]["shape"] == [1, 129, 193, 3]
    assert found["decode"]["stride"] == 8


def test_a_loaded_model_is_published_and_stays_open(tmp_path):
    with zoo.load("posenet.tiny", backend="cpu", input_size=129) as model:
        zoo.publish(model, tmp_path, quantise="uint8")
        model.check_open()
    assert description_of(tmp_path)["networks"]["pose"]["input"]["shape"] == [1, 129, 129, 3]


@pytest.mark.parametrize("name", ["hands.lite", "blazeface.short", "mobilenet.v1_025_quant"])
@pytest.mark.parametrize("module", ["model.wasm", "relaxed.wasm"])
def test_networks_in_wasmtime_compute_what_the_cpu_does(name, module, tmp_path, mirror, rng):
    zoo.publish(name, tmp_path)
    model = zoo.load(name, backend="cpu")
    for network, how in description_of(tmp_path)["networks"].items():
        part = model.part("detector") if network == "detector" else model
        levels = rng.integers(0, 256, how["input"]["shape"]).astype(np.uint8)
        divide, subtract = how["preprocess"]["divide"], how["preprocess"]["subtract"]
        values = (levels / np.float32(divide) - np.float32(subtract)).astype(np.float32)
        expected = part.outputs_of(levels if name.endswith("quant") else values)
        found = run_network(tmp_path, network, values, module)
        assert found.keys() == expected.keys()
        for output, value in expected.items():
            extent = np.ptp(value) if value.size > 1 else np.abs(value).max()
            assert np.abs(found[output] - value).max() <= 1e-4 * extent


def test_weights_are_shards_whose_parts_are_in_order(tmp_path, monkeypatch):
    zoo.publish("posenet.tiny", tmp_path / "one", input_size=129)
    whole = (tmp_path / "one" / "weights-1.bin").read_bytes()
    monkeypatch.setattr(stored_weights, "SHARD_BYTES", len(whole) // 3)
    published = zoo.publish("posenet.tiny", tmp_path / "many", input_size=129)
    shards = [name for name in published.bytes if name.startswith("weights-")]
    assert shards[:3] == ["weights-1.bin", "weights-2.bin", "weights-3.bin"]
    both = [description_of(tmp_path / name)["weights"] for name in ("one", "many")]
    assert len(both[0]["shards"]) < len(both[1]["shards"])
    assert weights_of(tmp_path / "one", both[0]) == weights_of(tmp_path / "many", both[1])


@pytest.mark.parametrize(("kind", "share", "tolerance"), [("float16", 2, 1e-3), ("uint8", 4, 0.02)])
def test_quantised_weights_are_near_the_others(kind, share, tolerance, tmp_path):
    zoo.publish("posenet.tiny", tmp_path / "whole", input_size=129)
    zoo.publish("posenet.tiny", tmp_path / "less", input_size=129, quantise=kind)
    records = [description_of(tmp_path / name)["weights"] for name in ("whole", "less")]
    sizes = [sum(shard["bytes"] for shard in record["shards"]) for record in records]
    assert sizes[1] < sizes[0] / share * 1.05
    whole, less = (
        np.frombuffer(weights_of(tmp_path / name, record), np.float32)
        for name, record in zip(("whole", "less"), records, strict=True)
    )
    assert 0 < np.abs(whole - less).max() <= tolerance * np.abs(whole).max()


def test_every_publishable_model_has_a_recipe_and_others_are_refused(tmp_path):
    assert {"posenet.tiny", "mobilenet.v1_025", "hands.lite", "blazeface.short"} <= {*publishable()}
    others = [name for name in all_entries() if name not in publishable()]
    for name in (others[0], "selfie.base"):
        with pytest.raises(zoo.ZooError, match=f"{re.escape(name)} cannot be published yet.*hands"):
            zoo.publish(name, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_files_are_refused_in_words(tmp_path):
    (tmp_path / "model.onnx").write_bytes(b"")
    with pytest.raises(zoo.ZooError, match="files cannot be published yet"):
        zoo.publish(tmp_path / "model.onnx", tmp_path / "out")


def test_unknown_options_are_refused(tmp_path):
    with pytest.raises(zoo.ZooError, match="unknown option 'strid'"):
        zoo.publish("posenet.tiny", tmp_path / "out", strid=8)
    with pytest.raises(zoo.ZooError, match="quantise='int4' must be one of float16, uint8"):
        zoo.publish("posenet.tiny", tmp_path / "out", quantise="int4")
    with pytest.raises(zoo.ZooError, match="exclude each other"):
        zoo.publish("posenet.tiny", tmp_path / "out.html", page=True, single_file=True)
    model = zoo.load("posenet.tiny", backend="cpu")
    with pytest.raises(zoo.ZooError, match=r"'output_stride', go to zoo\.load"):
        zoo.publish(model, tmp_path / "out", output_stride=8)
    assert [*tmp_path.iterdir()] == []


def test_a_folder_with_other_files_is_left_alone(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(zoo.ZooError, match=r"not empty, it holds mine\.txt"):
        zoo.publish("posenet.tiny", tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["mine.txt"]


def test_overwriting_replaces_only_what_was_published(tmp_path, monkeypatch):
    monkeypatch.setattr(stored_weights, "SHARD_BYTES", 1 << 20)
    zoo.publish("posenet.tiny", tmp_path, input_size=129)
    assert (tmp_path / "weights-2.bin").exists()
    (tmp_path / "mine.txt").write_text("mine")
    published = zoo.publish(
        "posenet.tiny", tmp_path, input_size=129, quantise="uint8", overwrite=True
    )
    kept = {path.name for path in tmp_path.iterdir()}
    assert kept == {*published.bytes, "mine.txt"}
    weights_of(tmp_path, description_of(tmp_path)["weights"])


@pytest.mark.parametrize(
    ("out", "more", "words"),
    [
        ("page", {"single_file": True}, r"ends in \.html, such as '.*page\.html'"),
        ("page.html", {}, "is to be a folder"),
        ("no/where", {}, "no folder .*no to write where into"),
        ("there.html", {"single_file": True}, "there is a .*there.html: give another name"),
        ("there", {}, "it is a file, give a folder"),
    ],
)
def test_wrong_targets_are_refused(out, more, words, tmp_path):
    for name in ("there", "there.html"):
        (tmp_path / name).write_text("mine")
    with pytest.raises(zoo.ZooError, match=words):
        zoo.publish("posenet.tiny", tmp_path / out, **more)
    assert (tmp_path / "there").read_text() == (tmp_path / "there.html").read_text() == "mine"
