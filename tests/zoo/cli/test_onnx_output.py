"""``zoo convert NAME x.onnx``: every model of the zoo, beside ONNX Runtime; and what is printed."""

import ast
from pathlib import Path

import numpy as np
import pytest

import zoo
from core.converter.onnx import read_onnx
from core.converter.protobuf import Message
from core.graph_model.graph_model import GraphModel
from tests import packages
from tests.core.converter.onnx_writer.onnx_runs import by_reader, by_runtime
from tests.zoo.cli.test_cli_convert import run
from tests.zoo.pipeline.test_model_plans import near, picture
from weights_cache import find_record
from zoo.catalog.entries import find_entry
from zoo.catalog.labels import read_labels

#: Nodes before the last ops of networks, whose results have shapes that depend on values.
CUT = {
    "ssd.mobilenet_v1": ("Squeeze", "convert_scores"),
    "handtrack.ssd320": find_entry("handtrack.ssd320").decode[:2],
}

PHOTO = Path(zoo.__file__).parent / "samples" / "astronaut.jpg"

#: Of probabilities that are nearly 0, for which a share of their own range says nothing.
DUST = 1e-6

#: The others are long; each is another kind of network.
SHORT = {
    "blazeface.short",
    "gesture.keypoints",
    "hands.lite",
    "mobilenet.v1_025",
    "mobilenet.v1_025_quant",
    "posenet.tiny",
    "ssd.mobilenet_v1",
}


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.long][name in SHORT :]) for name in zoo.models()],
)
def test_models_in_the_runtime(capsys, shared, monkeypatch, tmp_path, name):
    packages.require_weights(find_entry(name).weights)
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
    path = tmp_path / "model.onnx"
    cut = [text for node in CUT.get(name, ()) for text in ("--output", node)]
    status, out, err = run(capsys, name, path, *cut)
    assert (status, err) == (0, [])
    assert out.startswith(f"{path}: ")
    assert "ONNX opset 18" in out
    with zoo.load(name) as model:
        network, entry = model.network, model.entry
        (declared,) = read_onnx(path).inputs.values()
        given = np.asarray(picture(shared, name, model))
        if given.shape[1:] != declared.spec.shape[1:]:
            shape = [n or 1 for n in declared.spec.shape]
            given = np.random.default_rng(7).uniform(0, 1, shape).astype(given.dtype)
        fed, given = as_taken(network, given)
        wanted = [*(CUT.get(name) or entry.outputs or network.outputs)]
        expected = network.execute(fed, wanted)
        names = [*read_onnx(path).inputs]
        found = by_runtime(path, {names[0]: given})
        assert [*found] == wanted
        assert ("exact integers" in out) == bool(network.graph.integers)
        for key, value in found.items():
            theirs = expected[key].numpy()
            assert np.abs(value - theirs).max() <= DUST or near(name, value, theirs, None)


def as_taken(network: GraphModel, given: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """An input as the network takes it, of integers where it does, and the real values of that."""
    (end,) = network.graph.inputs.values()
    if end.quantization is None:
        return given, given
    scale, zero, dtype = end.quantization
    fed = (np.rint(given / np.float32(scale)) + zero).clip(*end.quantization.limits).astype(dtype)
    return fed, (fed.astype(np.float32) - zero) * np.float32(scale)


@pytest.fixture
def converted(capsys, shared, monkeypatch, tmp_path):
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))

    def convert(*arguments):
        return run(capsys, *arguments[:1], tmp_path / "model.onnx", *arguments[1:])

    return convert


def test_facts_of_a_model(converted, tmp_path):
    assert converted("mobilenet.v1_025")[0] == 0
    model = Message((tmp_path / "model.onnx").read_bytes())
    facts = {entry.text(1): entry.text(2) for entry in model.messages(14)}
    labels = read_labels(find_entry("mobilenet.v1_025").labels)
    assert ast.literal_eval(facts["names"]) == dict(enumerate(labels))
    assert ast.literal_eval(facts["imgsz"]) == [224, 224]
    assert ast.literal_eval(facts["preprocessing"])["mean"] == 127.5
    licence = find_record(find_entry("mobilenet.v1_025").weights).licence
    assert facts["license"] == licence
    assert f"Licence: {licence}" in model.text(6)


def test_labels_and_range_come_back(converted, tmp_path):
    assert converted("mobilenet.v1_025")[0] == 0
    with zoo.load("mobilenet.v1_025") as model, zoo.load(str(tmp_path / "model.onnx")) as again:
        expected, found = (each.classify(PHOTO, top_k=3) for each in (model, again))
    assert [row["label"] for row in found] == [row["label"] for row in expected]
    for ours, theirs in zip(found, expected, strict=True):
        assert ours["score"] == pytest.approx(theirs["score"], abs=1e-4)


def test_images_of_any_size_get_the_size_of_the_model_or_one_that_is_given(converted, tmp_path):
    assert converted("posenet.tiny")[0] == 0
    (end,) = read_onnx(tmp_path / "model.onnx").inputs.values()
    assert end.spec.shape == (None, *find_size("posenet.tiny"), 3)
    assert converted("posenet.tiny", "--shape", "image=1,97,65,3", "--overwrite")[0] == 0
    found = by_reader(tmp_path / "model.onnx", {"image": np.zeros((1, 97, 65, 3), np.float32)})
    assert {value.shape[1:3] for value in found.values()} == {(7, 5)}


def find_size(name):
    with zoo.load(name) as model:
        return model.input_size


@pytest.mark.parametrize(
    "options, message",
    [
        (["--quantise", "uint8"], "--quantise is for the web format"),
        (["--dry-run"], "--dry-run is for the web format"),
        (["--format", "graph"], "--format is for the web format"),
        (["--shape", "image"], "--shape 'image' must be the name of an input"),
        (["--shape", "image=1,a"], "--shape 'image=1,a' must be the name of an input"),
    ],
)
def test_wrong_options(converted, tmp_path, options, message):
    status, _, err = converted("mobilenet.v1_025", *options)
    assert status != 0
    assert message in err[0]
    assert not (tmp_path / "model.onnx").exists()


def test_what_has_no_counterpart_is_named_with_the_nodes_before_it(converted, tmp_path):
    status, _, err = converted("ssd.mobilenet_v1")
    assert status != 0
    assert "TFLite_Detection_PostProcess" in err[0]
    assert "by --output, such as Squeeze, convert_scores" in err[0]
    assert not (tmp_path / "model.onnx").exists()


def test_files_are_replaced_only_when_asked_for(converted, tmp_path):
    (tmp_path / "model.onnx").write_bytes(b"other")
    status, _, err = converted("mobilenet.v1_025")
    assert status != 0
    assert err[0].endswith("give another name, or --overwrite")
    assert (tmp_path / "model.onnx").read_bytes() == b"other"


def test_shapes_are_for_onnx_alone(capsys, tmp_path):
    status, _, err = run(capsys, "missing.tflite", tmp_path / "web", "--shape", "image=1,2,2,3")
    assert status != 0
    assert "--shape is for .onnx files" in err[0]
