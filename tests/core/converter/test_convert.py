"""Conversion: formats, targets, quantisation, and round trips that keep every bit."""

import json
import shutil

import numpy as np
import pytest

import zoo
from core.converter import convert, load_model, read_graph
from core.converter.conversion_inputs import quantised_weight, with_outputs
from core.converter.opened import find_kind
from core.converter.web import read_web_source
from core.converter.web_writer import write_web
from core.errors import CoreError
from core.graph.nodes import Endpoint, Graph, Node, PartialSpec, Quantization
from core.graph_model.graph_model import GraphModel
from tests.core.converter.teachable_bundles import LABELS, write_bundle, zip_of
from tests.core.converter.test_keras_files import write_h5
from weights_cache import StoredArray, load_weights, quantise_array, write_weights
from weights_cache.common.errors import WeightsError
from weights_cache.quantise import dequantise_array

CONV = {"strides": [1, 1, 1, 1], "padding": "SAME", "dilations": [1, 1, 1, 1]}
IMAGE = PartialSpec((None, 6, 6, 2))


@pytest.fixture
def graph(rng) -> Graph:
    """A convolution with bias and activation, not yet fused."""
    weights = {
        "conv/kernel": rng.normal(size=(3, 3, 2, 4)).astype(np.float32),
        "conv/bias": rng.normal(size=4).astype(np.float32),
        "scale": np.float32(3),
    }
    nodes = [
        *(Node(name, "Const") for name in weights),
        Node("x", "Placeholder"),
        Node("conv", "Conv2D", ("x", "conv/kernel"), CONV),
        Node("biased", "BiasAdd", ("conv", "conv/bias")),
        Node("same", "Identity", ("biased",)),
        Node("relu", "Relu", ("same",)),
        Node("y", "Mul", ("relu", "scale")),
    ]
    outputs = {"y": Endpoint("y", PartialSpec((None, 6, 6, 4)))}
    return Graph(nodes, weights, {"image": Endpoint("x", IMAGE)}, outputs)


@pytest.fixture
def source(graph, tmp_path):
    """The same as files."""
    return write_web(graph, tmp_path / "source", metadata={"labels": ["a"]})


def bits(stored):
    """What lies in the shards for a weight, and what it means."""
    if isinstance(stored, StoredArray):
        return (stored.values.dtype, stored.values.shape, stored.values.tobytes(), *stored[1:])
    return stored.dtype, stored.shape, stored.tobytes()


def layers_model(folder, **changes):
    """A web model of layers: one Dense layer, quantised."""
    inputs = {"class_name": "InputLayer", "config": {"batch_input_shape": [None, 3], "name": "x"}}
    dense = {"name": "dense", "units": 2, "activation": "linear", "use_bias": True}
    layers = [inputs, {"class_name": "Dense", "config": dense}]
    config = {"class_name": "Sequential", "config": {"name": "m", "layers": layers}}
    weights = {
        "dense/kernel": np.float32([[1, 2], [3, 4], [5, 7]]),
        "dense/bias": np.float32([1, 0]),
    }
    topology = {"keras_version": "2.1", "model_config": config}
    return write_weights(
        folder, weights, topology=topology, quantise={"*kernel": "uint8"}, **changes
    )


# Round trips


@pytest.mark.parametrize("quantise", [None, "float16", "uint8", "uint16", {"*kernel": "uint8"}])
def test_a_round_trip_keeps_every_bit(graph, tmp_path, quantise):
    first = write_web(graph, tmp_path / "first", quantise=quantise)
    second = convert(first, tmp_path / "second")
    before, after = read_web_source(first), read_web_source(second)
    assert {n: bits(s) for n, s in after.stored.items()} == {
        n: bits(s) for n, s in before.stored.items()
    }
    for name in (f.name for f in first.parent.glob("*.bin")):
        assert (first.parent / name).read_bytes() == (second.parent / name).read_bytes()
    assert after.graph.nodes == before.graph.nodes
    assert (after.graph.inputs, after.graph.outputs) == (before.graph.inputs, before.graph.outputs)


@pytest.mark.parametrize(
    "name",
    ["blazeface-front-tfjs-float", "facemesh-tfjs-fp16", "handtrack-ssd320fpnlite-tfjs-uint8"],
)
def test_staged_models_keep_every_bit(shared, tmp_path, name):
    first = shared / "weights" / name / "model.json"
    before, after = read_web_source(first), read_web_source(convert(first, tmp_path))
    assert {n: bits(s) for n, s in after.stored.items()} == {
        n: bits(s) for n, s in before.stored.items()
    }
    assert after.graph.nodes == before.graph.nodes
    assert after.graph.outputs == before.graph.outputs


def test_layers_stay_layers(tmp_path):
    first = layers_model(tmp_path / "first", metadata={"labels": ["a"]})
    second = convert(first, tmp_path / "second")
    before, after = (json.loads(p.read_text()) for p in (first, second))
    assert after["modelTopology"] == before["modelTopology"]
    assert after["format"] == "layers-model"
    assert after["userDefinedMetadata"] == {"labels": ["a"]}
    assert after["weightsManifest"] == before["weightsManifest"]
    (shard,) = after["weightsManifest"][0]["paths"]
    assert (second.parent / shard).read_bytes() == (first.parent / shard).read_bytes()
    graph = convert(first, tmp_path / "graph", format="graph")
    assert json.loads(graph.read_text())["format"] == "graph-model"
    x = np.float32([[1, 2, 3]])
    found, expected = (load_model(p).predict(x) for p in (graph, first))
    for a, b in zip(found.values(), expected.values(), strict=True):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-6)


# Quantisation


def test_another_quantisation_is_made_from_what_the_stored_one_means(source, tmp_path):
    small = convert(source, tmp_path / "small", quantise="uint8")
    again = convert(small, tmp_path / "again", quantise={"*kernel": "float16"})
    stored = read_web_source(again).stored
    assert stored["conv/kernel"].values.dtype == np.float16
    assert bits(stored["conv/bias"]) == bits(read_web_source(small).stored["conv/bias"])
    kernel = load_weights(small.parent)["conv/kernel"]
    np.testing.assert_array_equal(stored["conv/kernel"].values, kernel.astype(np.float16))


def test_patterns_and_single_numbers(source, tmp_path):
    quantise = {"*bias": "float32", "*": "uint8"}
    stored = read_web_source(convert(source, tmp_path / "new", quantise=quantise)).stored
    kinds = {name: isinstance(array, StoredArray) for name, array in stored.items()}
    assert kinds == {"conv/kernel": True, "conv/bias": False, "scale": False}
    expected = quantise_array(load_weights(source.parent)["conv/kernel"], "uint8")
    np.testing.assert_array_equal(stored["conv/kernel"].values, expected.values)
    with pytest.raises(WeightsError, match="pattern 'dense.' matches no weight"):
        convert(source, tmp_path / "other", quantise={"dense*": "uint8"})
    with pytest.raises(WeightsError, match="no quantisation is called 'int4'"):
        convert(source, tmp_path / "other", quantise="int4")
    assert not (tmp_path / "other").exists()


def test_a_weight_that_cannot_be_quantised_is_named(graph, tmp_path):
    graph = graph._replace(weights={**graph.weights, "conv/bias": np.float32([1, 2, 3, 1e6])})
    path = write_web(graph, tmp_path / "source")
    with pytest.raises(WeightsError, match=r"'conv/bias': the value 1e\+06 is beyond 65504"):
        convert(path, tmp_path / "new", quantise="float16")


# What is optimised


def test_web_models_are_optimised_only_when_asked_for(source, tmp_path, rng):
    plain = read_graph(convert(source, tmp_path / "plain"))
    fused = read_graph(convert(source, tmp_path / "fused", optimise=True))
    assert "Identity" in {node.type for node in plain.nodes}
    assert {n.type for n in fused.nodes} == {"Placeholder", "Const", "_FusedConv2D", "Mul"}
    x = rng.normal(size=(1, 6, 6, 2)).astype(np.float32)
    found, expected = (GraphModel(g).predict(x)["y"].numpy() for g in (fused, plain))
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)


def test_quantised_weights_survive_the_passes_that_leave_them(source, tmp_path):
    small = convert(source, tmp_path / "small", quantise="uint8")
    fused = convert(small, tmp_path / "fused", optimise=True)
    stored = (read_web_source(p).stored["conv/kernel"] for p in (small, fused))
    first, second = map(bits, stored)
    assert first == second


def test_outputs_may_be_named(source, tmp_path):
    path = convert(source, tmp_path / "part", outputs=["same", "y"])
    assert list(read_graph(path).outputs) == ["same", "y"]
    part = read_graph(convert(source, tmp_path / "less", outputs=["conv"]))
    assert set(part.weights) == {"conv/kernel"}
    for outputs in (["nothing"], []):
        with pytest.raises(CoreError, match=r"^there is no output or node 'n|^name one output"):
            convert(source, tmp_path / "none", outputs=outputs)


def test_aliases_may_be_named_as_outputs(graph):
    part = with_outputs(graph._replace(aliases={"a;b:0": "conv"}), ["a;b:0"])
    assert part.outputs["a;b:0"].node == "conv"
    with pytest.raises(CoreError, match=r"outputs: \['y'\]"):
        with_outputs(graph, ["z"])


# Where it is written


def test_the_source_is_never_overwritten(source, tmp_path):
    before = {f.name: f.read_bytes() for f in source.parent.iterdir()}
    linked = tmp_path / "linked"
    linked.symlink_to(source.parent)
    for path in (source, source.parent):
        for target in (source.parent, linked, source.parent / ".." / "source"):
            with pytest.raises(WeightsError, match="holds the source itself"):
                convert(path, target, quantise="uint8", overwrite=True)
    assert {f.name: f.read_bytes() for f in source.parent.iterdir()} == before


def test_a_source_of_another_name_is_not_overwritten_either(source, tmp_path):
    """Its shards are called as those that are written."""
    other = source.rename(source.with_name("face-model.json"))
    before = {f.name: f.read_bytes() for f in source.parent.iterdir()}
    for overwrite in (False, True):
        with pytest.raises(WeightsError, match="holds the source itself"):
            convert(other, source.parent, overwrite=overwrite)
    assert {f.name: f.read_bytes() for f in source.parent.iterdir()} == before


def test_shards_in_a_folder_of_their_own_are_not_overwritten(source, tmp_path):
    (source.parent / "shards").mkdir()
    (shard,) = source.parent.glob("*.bin")
    moved = shard.rename(source.parent / "shards" / shard.name)
    source.write_text(source.read_text().replace(shard.name, f"shards/{shard.name}"))
    before = moved.read_bytes()
    with pytest.raises(WeightsError, match="holds the source itself"):
        convert(source, moved.parent, quantise="uint8", overwrite=True)
    assert moved.read_bytes() == before


def test_a_file_that_is_called_as_a_shard_is_not_overwritten(tmp_path):
    path = tmp_path / "group1-shard1of1.bin"
    write_h5(path)
    before = path.read_bytes()
    with pytest.raises(WeightsError, match="holds the source itself"):
        convert(path, tmp_path, overwrite=True)
    assert path.read_bytes() == before
    assert convert(path, tmp_path / "new").exists()


@pytest.mark.parametrize(
    "name",
    [
        *("face-model.json", "face_model-weights_manifest.json", "manifest.json"),
        *("group1-shard2of3.bin", "group2-shard1of1"),
    ],
)
def test_whatever_belongs_to_a_model_is_kept(source, tmp_path, name):
    target = tmp_path / "new"
    target.mkdir()
    (target / name).write_text("precious")
    with pytest.raises(WeightsError, match=f"there is a model in .*{name}.*overwrite=True"):
        convert(source, target)
    assert [f.name for f in target.iterdir()] == [name]
    (target / name).rename(target / "notes.txt")
    assert convert(source, target).exists()


def test_a_model_is_replaced_only_when_asked_for(source, tmp_path):
    target = tmp_path / "new"
    convert(source, target)
    with pytest.raises(WeightsError, match="there is a model in .*overwrite=True"):
        convert(source, target, quantise="uint8")
    convert(source, target, quantise="uint8", overwrite=True)
    assert isinstance(read_web_source(target).stored["conv/kernel"], StoredArray)


def test_a_failure_leaves_the_old_model(source, tmp_path, monkeypatch):
    target = tmp_path / "new"
    convert(source, target)
    before = {f.name: f.read_bytes() for f in target.iterdir()}
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(10, 10, 0))
        with pytest.raises(WeightsError, match="is full"):
            convert(source, target, quantise="uint8", overwrite=True)
    assert {f.name: f.read_bytes() for f in target.iterdir()} == before


@pytest.mark.parametrize(
    "options, message",
    [
        ({"format": "keras"}, "format='keras' is unknown: give one of auto, graph, layers"),
        ({"format": "layers"}, "not a web model of layers"),
        ({"signature": "serve"}, "not a SavedModel, so it has no signature 'serve'"),
    ],
)
def test_wrong_options(source, tmp_path, options, message):
    with pytest.raises(WeightsError, match=message):
        convert(source, tmp_path / "new", **options)


def test_wrong_targets(source, tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    for target in (file, file / "inside"):
        with pytest.raises(WeightsError, match="file"):
            convert(source, target)
    with pytest.raises(WeightsError, match="there is no file or folder"):
        convert(tmp_path / "nothing", tmp_path / "new")
    with pytest.raises(WeightsError, match="writes unchanged layers"):
        layers = layers_model(tmp_path / "layers")
        convert(layers, tmp_path / "new", format="layers", optimise=True)


@pytest.mark.parametrize(
    "name, advice",
    [
        ("x.keras", "not a .keras file but a folder with model.json .*, such as '.*x'"),
        ("X.H5", "not a .h5 file but"),
        ("x.tflite", "not a .tflite file but"),
        ("model.pb", "not a .pb file but .* such as '.*model'"),
        ("x.pt", "not a .pt file but"),
        ("x.zip", "not a .zip file but"),
        ("x.json", "not one file but .* such as '.*x'"),
        ("new/model.json", "not one file but .* such as '.*new'"),
    ],
)
def test_names_of_files_are_no_folders(source, tmp_path, name, advice):
    with pytest.raises(WeightsError, match=f"^cannot write .*{name}: the result is {advice}"):
        convert(source, tmp_path / name)
    assert [f.name for f in tmp_path.iterdir()] == ["source"]
    assert convert(source, tmp_path / "v1.0").exists()


def test_a_graph_is_converted_like_a_file(graph, tmp_path, rng):
    path = convert(graph, tmp_path / "new")
    x = rng.normal(size=(1, 6, 6, 2)).astype(np.float32)
    found, expected = (m.predict(x)["y"].numpy() for m in (load_model(path), GraphModel(graph)))
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
    with pytest.raises(WeightsError, match="a graph has no signature 'serve'"):
        convert(graph, tmp_path / "other", signature="serve")
    with pytest.raises(WeightsError, match="not a web model of layers"):
        convert(graph, tmp_path / "other", format="layers")


def test_metadata_stays_without_an_old_signature(source, tmp_path):
    document = json.loads(source.read_text())
    document["userDefinedMetadata"]["signature"] = document.pop("signature")
    source.write_text(json.dumps(document))
    written = json.loads(convert(source, tmp_path / "new").read_text())
    assert written["userDefinedMetadata"] == {"labels": ["a"]}
    assert list(written["signature"]["outputs"]) == ["y"]


@pytest.mark.parametrize(
    "model, file",
    [
        ("mobilenet-v1-025-224-float-tflite", "mobilenet_v1_0.25_224_quant.tflite"),
        ("mediapipe-face-detection-tflite", "*short*.tflite"),
    ],
)
def test_tflite_models_keep_their_bits(shared, tmp_path, rng, model, file):
    """Those of quantised networks in float32, in which TensorFlow.js has to compute them."""
    (path,) = (shared / "weights" / model).glob(file)
    before = GraphModel(read_graph(path)._replace(integers={}))
    after = load_model(convert(path, tmp_path))
    (spec,) = before.inputs.values()
    x = rng.random([n or 1 for n in spec.shape], np.float32)
    found, expected = after.predict(x), before.predict(x)
    assert list(found) == list(expected)
    for name, tensor in expected.items():
        np.testing.assert_array_equal(found[name].numpy(), tensor.numpy())


def test_weights_on_quanta_stay_small(shared, tmp_path):
    """Those of TFLite that have one scale; the file is of uint8."""
    path = shared / "weights" / "ssd-mobilenet-v1-coco-quant-tflite" / "no_metadata.tflite"
    before, after = read_graph(path), read_web_source(convert(path, tmp_path))
    shards = sum(f.stat().st_size for f in tmp_path.glob("*.bin"))
    assert shards < 1.1 * path.stat().st_size
    assert len(after.quantised) > 30
    for name in after.quantised:
        np.testing.assert_array_equal(after.weights[name], before.weights[name], strict=True)


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16"])
@pytest.mark.parametrize("zero_point", [0, -3, 7])
def test_quanta_of_tflite_are_stored_bit_for_bit(rng, dtype, zero_point):
    limits = np.iinfo(dtype)
    quanta = rng.integers(limits.min, limits.max + 1, 1000)
    quanta[:2] = limits.min, limits.max
    scale = np.float32(rng.uniform(1e-6, 10))
    array = (quanta - zero_point).astype(np.float32) * scale
    stored = quantised_weight(array, Quantization(float(scale), zero_point, dtype))
    assert stored.values.dtype.itemsize == limits.dtype.itemsize
    np.testing.assert_array_equal(stored.values, quanta - limits.min)
    found = dequantise_array(*stored)
    assert found.tobytes() == array.tobytes()


@pytest.mark.parametrize(
    "array, scale",
    [
        ([0.5, 0.25], 0.5),  # between quanta
        ([0.5, -0.0], 0.5),  # no bits of their own
        ([0.5, 200], 0.5),  # beyond the limits
        ([0.5, np.nan], 0.5),
        ([0.5], 0.5),
        ([0.0, 0.0], 1e38),  # the limits are beyond float32
    ],
)
def test_what_is_on_no_quanta_stays_float32(array, scale):
    assert quantised_weight(np.float32(array), Quantization(scale, 0, "int8")) is None


def test_a_teachable_machine_keeps_its_labels(tmp_path, rng):
    folder = write_bundle(tmp_path / "bundle")
    layers = convert(folder, tmp_path / "layers")
    graph = convert(zip_of(folder), tmp_path / "graph", quantise="float16")
    formats = []
    for path in (layers, graph):
        document = json.loads(path.read_text())
        formats.append(document["format"])
        assert document["userDefinedMetadata"]["labels"] == LABELS
    assert formats == ["layers-model", "graph-model"]
    x = rng.random((1, 16, 16, 3), np.float32)
    results = [load_model(path).predict(x) for path in (folder, layers, graph)]
    expected, same, near = (next(iter(r.values())).numpy() for r in results)
    np.testing.assert_array_equal(same, expected)
    np.testing.assert_allclose(near, expected, atol=2e-3)


def test_keras_files_become_graphs(tmp_path):
    path = tmp_path / "model.h5"
    write_h5(path)
    written = convert(path, tmp_path / "graph", quantise="uint16")
    assert json.loads(written.read_text())["format"] == "graph-model"
    assert {n.type for n in read_graph(written).nodes} == {"Placeholder", "Const", "_FusedMatMul"}
    x = np.float32([[1, -2, 3]])
    (found,), (expected,) = (load_model(p).predict(x).values() for p in (written, path))
    np.testing.assert_allclose(found.numpy(), expected.numpy(), atol=1e-3)
    with pytest.raises(WeightsError, match="not a web model of layers"):
        convert(path, tmp_path / "layers", format="layers")


# Teachable Machine


def test_a_converted_teachable_machine_still_classifies(tmp_path, rng):
    folder = write_bundle(tmp_path / "bundle")
    image = rng.integers(0, 256, (16, 16, 3)).astype(np.uint8)
    expected = zoo.load(folder).classify(image, top_k=3)
    for source, name in ((folder, "a"), (folder / "model.json", "b"), (zip_of(folder), "c")):
        written = convert(source, tmp_path / name).parent
        metadata = (written / "metadata.json").read_bytes()
        assert metadata == (folder / "metadata.json").read_bytes()
        found = zoo.load(written).classify(image, top_k=3)
        assert [c["label"] for c in found] == [c["label"] for c in expected]
        scores, wanted = ([c["score"] for c in classes] for classes in (found, expected))
        np.testing.assert_allclose(scores, wanted, atol=1e-5)


def test_metadata_of_another_model_is_not_lost_nor_mixed_up(source, tmp_path):
    folder, target = write_bundle(tmp_path / "bundle"), tmp_path / "new"
    target.mkdir()
    (target / "metadata.json").write_text("{}")
    with pytest.raises(WeightsError, match=r"there is a .*metadata\.json: .*overwrite=True"):
        convert(folder, target)
    convert(folder, target, overwrite=True)
    with pytest.raises(WeightsError, match=r"metadata\.json is of another model: remove it"):
        convert(source, target, overwrite=True)
    assert zoo.load(target).labels == tuple(LABELS)
    (target / "metadata.json").write_text("{}")
    convert(source, target, overwrite=True)
    assert (target / "metadata.json").read_text() == "{}"


def test_metadata_of_somebody_else_makes_no_bundle(source, tmp_path):
    (source.parent / "metadata.json").write_text('{"labels": ["a"]}')
    assert find_kind(source) == find_kind(source.parent) == "web"
    assert not (convert(source, tmp_path / "new").parent / "metadata.json").exists()


def test_a_model_json_beside_metadata_is_a_bundle(tmp_path):
    path = write_bundle(tmp_path / "bundle") / "model.json"
    for found in (path, path.parent, zip_of(path.parent)):
        assert find_kind(found) == "teachable"


def test_a_wrong_backend_is_no_fault_of_the_file(source, tmp_path):
    for load, path in (
        (load_model, source),
        (zoo.load, source),
        (zoo.load, write_bundle(tmp_path / "bundle")),
    ):
        with pytest.raises(CoreError, match="^unknown backend 'abacus': use one of"):
            load(path, backend="abacus")
