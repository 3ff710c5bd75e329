"""ONNX files as a whole: names, free lengths, metadata, and what is refused."""

import numpy as np
import pytest

from core import Endpoint, Graph, Node, PartialSpec
from core.converter import convert
from core.converter.class_labels import BESIDE, INSIDE, ClassLabels, Pixels
from core.converter.onnx import read_onnx
from core.converter.onnx_writer import ModelFacts, protos, write_onnx
from core.converter.protobuf import Message
from core.errors import CoreError
from tests.core.converter.onnx_writer.onnx_runs import assert_near, by_reader, by_runtime
from weights_cache.common.errors import WeightsError


def network(shape=(None, 8, 8, 3), metadata=None) -> Graph:
    """A convolution, a mean, a softmax: from "image" to "scores"."""
    rng = np.random.default_rng(3)
    nodes = [
        Node("in", "Placeholder"),
        Node("kernel", "Const"),
        Node("axes", "Const"),
        Node("conv", "Conv2D", ("in", "kernel"), {"strides": [1, 2, 2, 1], "padding": "SAME"}),
        Node("mean", "Mean", ("conv", "axes"), {"keep_dims": False}),
        Node("out", "Softmax", ("mean",)),
    ]
    weights = {
        "kernel": rng.normal(size=(3, 3, 3, 5)).astype(np.float32),
        "axes": np.int32([1, 2]),
    }
    return Graph(
        nodes,
        weights,
        {"image": Endpoint("in", PartialSpec(shape))},
        {"scores": Endpoint("out", PartialSpec((shape[0], 5)))},
        metadata=metadata,
    )


def texts(path):
    """The metadata, the documentation and the versions in a file."""
    model = Message(path.read_bytes())
    found = {entry.text(1): entry.text(2) for entry in model.messages(14)}
    (opset,) = model.messages(8)
    return found, model.text(6), (model.integer(1), opset.integer(2), model.text(2))


@pytest.mark.parametrize("run", [by_reader, by_runtime])
@pytest.mark.parametrize("batch", [1, 3])
def test_any_batch(run, batch, rng, tmp_path):
    graph = network()
    file = write_onnx(graph, tmp_path / "m.onnx")
    assert read_onnx(file.path).inputs["image"].spec.shape == (None, 8, 8, 3)
    assert file.notes == ()
    x = rng.normal(size=(batch, 8, 8, 3)).astype(np.float32)
    from_graph = write_onnx(network((batch, 8, 8, 3)), tmp_path / "fixed.onnx")
    expected = by_reader(from_graph.path, {"image": x})["scores"]
    assert_near(run(file.path, {"image": x}), [expected])
    np.testing.assert_allclose(expected.sum(axis=1), 1, rtol=1e-5)


def test_versions_and_sizes(tmp_path):
    file = write_onnx(network(), tmp_path / "m.onnx")
    assert file.bytes == file.path.stat().st_size
    assert texts(file.path)[2] == (8, 18, "friendly-zoo")
    assert file.format == "ONNX opset 18"


def test_facts_are_in_the_metadata(tmp_path):
    facts = ModelFacts("by nobody", {"task": "classify", "license": "CC0"})
    file = write_onnx(network(), tmp_path / "m.onnx", facts=facts)
    assert texts(file.path)[:2] == ({"task": "classify", "license": "CC0"}, "by nobody")


def test_labels_of_a_source_stay(tmp_path):
    labels = ClassLabels(("ant", "bee", "größer", "it's", "e"), BESIDE)
    convert(network(metadata=labels), tmp_path / "m.onnx")
    names = texts(tmp_path / "m.onnx")[0]["names"]
    assert read_onnx(tmp_path / "m.onnx").metadata == labels._replace(origin=INSIDE)
    assert names == """{0: 'ant', 1: 'bee', 2: 'größer', 3: "it's", 4: 'e'}"""


@pytest.mark.parametrize(
    "said, pixels",
    [
        ("{'mean': 127.5, 'std': 127.5}", Pixels((127.5,), (127.5,))),
        ("{'mean': [1, 2, 3], 'std': [4.0, 5.0, 6.0]}", Pixels((1, 2, 3), (4, 5, 6))),
        ("{'mean': 0, 'std': 0}", None),
        ("{'mean': 'a', 'std': 1}", None),
        ("{'mean': (", None),
        ("[1]", None),
    ],
)
def test_the_range_of_pixels_comes_back(said, pixels, tmp_path):
    names = "{0: 'a', 1: 'b', 2: 'c', 3: 'd', 4: 'e'}"
    facts = ModelFacts("", {"names": names, "preprocessing": said})
    path = write_onnx(network(), tmp_path / "m.onnx", facts=facts).path
    assert read_onnx(path).metadata == ClassLabels(("a", "b", "c", "d", "e"), INSIDE, pixels)


@pytest.mark.parametrize("names", ["{0: 'a'}", "{0: 1, 1: 2, 2: 3, 3: 4, 4: 5}", "[", "a, b", "3"])
def test_labels_of_another_network_do_not_count(names, tmp_path):
    path = write_onnx(network(), tmp_path / "m.onnx", facts=ModelFacts("", {"names": names})).path
    assert read_onnx(path).metadata is None


def test_outputs_may_be_named(rng, tmp_path):
    convert(network(), tmp_path / "m.onnx", outputs=["mean", "scores"])
    found = by_reader(tmp_path / "m.onnx", {"image": np.ones((2, 8, 8, 3), np.float32)})
    assert {name: value.shape for name, value in found.items()} == {
        "mean": (2, 5),
        "scores": (2, 5),
    }


def test_outputs_that_are_inputs_and_constants(tmp_path):
    ends = {"x": Endpoint("x", PartialSpec((None, 2)))}
    nodes = [Node("x", "Placeholder"), Node("c", "Const"), Node("y", "Relu", ("x",))]
    outputs = {
        "x": Endpoint("x", PartialSpec((None, 2))),
        "c": Endpoint("c", PartialSpec((2,))),
        "y": Endpoint("y", PartialSpec((None, 2))),
        "again": Endpoint("y", PartialSpec((None, 2))),
    }
    graph = Graph(nodes, {"c": np.float32([5, 6])}, ends, outputs)
    file = write_onnx(graph, tmp_path / "m.onnx")
    for run in (by_reader, by_runtime):
        found = run(file.path, {"x": np.float32([[-1, 2]])})
        assert {name: value.tolist() for name, value in found.items()} == {
            "x_1": [[-1, 2]],
            "c": [5, 6],
            "y": [[0, 2]],
            "again": [[0, 2]],
        }


def test_sizes_of_open_inputs_are_given(rng, tmp_path):
    graph = network((None, None, None, 3))
    with pytest.raises(WeightsError, match=r"input 'image' has the shape .* inputs="):
        convert(graph, tmp_path / "m.onnx")
    with pytest.raises(WeightsError, match=r"has the shape .*, got \(None, 6, 6, 4\)"):
        convert(graph, tmp_path / "m.onnx", inputs={"image": (None, 6, 6, 4)})
    convert(graph, tmp_path / "m.onnx", inputs={"image": (None, 6, 9, 3)})
    assert read_onnx(tmp_path / "m.onnx").inputs["image"].spec.shape == (None, 6, 9, 3)


def test_a_batch_that_decides_what_is_computed_is_fixed(tmp_path):
    """The mean of all samples takes as many as there are; a cut along them does not."""
    nodes = [
        Node("x", "Placeholder"),
        Node("begin", "Const"),
        Node("size", "Const"),
        Node("y", "Slice", ("x", "begin", "size")),
    ]
    weights = {"begin": np.int32([0, 0]), "size": np.int32([1, 2])}
    end = Endpoint("x", PartialSpec((None, 2)))
    graph = Graph(nodes, weights, {"x": end}, {"y": Endpoint("y", PartialSpec((1, 2)))})
    file = write_onnx(graph, tmp_path / "m.onnx")
    assert "for a batch of 1 alone" in file.format
    assert read_onnx(file.path).inputs["x"].spec.shape == (1, 2)


def test_rounding_is_said(tmp_path):
    rounding = {"scale": 0.5, "zero_point": 0, "low": -8, "high": 7}
    nodes = [Node("x", "Placeholder"), Node("y", "QuantiseRound", ("x",), rounding)]
    ends = [Endpoint(name, PartialSpec((None, 3))) for name in ("x", "y")]
    file = write_onnx(Graph(nodes, {}, {"x": ends[0]}, {"y": ends[1]}), tmp_path / "m.onnx")
    assert file.notes == ("quantised values as float32",)
    for run in (by_reader, by_runtime):
        found = run(file.path, {"x": np.float32([[0.25, -0.26, 9]])})["y"]
        assert found.tolist() == [[0.5, -0.5, 3.5]]


def test_nodes_that_depend_on_values_are_named(tmp_path):
    nodes = [
        Node("x", "Placeholder"),
        Node("a", "Relu", ("x",)),
        Node("where", "Where", ("a",)),
    ]
    graph = Graph(
        nodes,
        {},
        {"x": Endpoint("x", PartialSpec((None, 3)))},
        {"y": Endpoint("where", PartialSpec((None, 2), "int32"))},
    )
    with pytest.raises(WeightsError, match=r"Where \(where\); name outputs before .* such as a"):
        write_onnx(graph, tmp_path / "m.onnx")
    assert not any(tmp_path.iterdir())


def test_files_are_replaced_only_when_asked_for(tmp_path):
    path = tmp_path / "m.onnx"
    path.write_bytes(b"other")
    with pytest.raises(WeightsError, match="overwrite=True"):
        convert(network(), path)
    assert path.read_bytes() == b"other"
    assert convert(network(), path, overwrite=True) == path
    with pytest.raises(WeightsError, match="the source itself"):
        convert(path, path, overwrite=True)
    (tmp_path / "folder.onnx").mkdir()
    with pytest.raises(WeightsError, match="it is a folder"):
        convert(network(), tmp_path / "folder.onnx")


def test_a_file_of_ours_is_converted_again(rng, tmp_path):
    """Convolutions keep their order of axes, with one transposition at either end at most."""
    convert(network(), tmp_path / "one.onnx")
    convert(tmp_path / "one.onnx", tmp_path / "two.onnx")
    x = {"image": rng.normal(size=(2, 8, 8, 3)).astype(np.float32)}
    expected = by_reader(tmp_path / "one.onnx", x)["scores"]
    assert_near(by_runtime(tmp_path / "two.onnx", x), [expected])
    types = [node.type for node in read_onnx(tmp_path / "two.onnx").nodes]
    assert types.count("ONNX:Transpose") <= 2


@pytest.mark.parametrize(
    "options, name",
    [
        ({"quantise": "uint8"}, "quantise="),
        ({"format": "graph"}, "format="),
        ({"tolerance": 0.1, "optimise": True}, "optimise=, tolerance="),
    ],
)
def test_options_of_the_web_format_are_refused(options, name, tmp_path):
    with pytest.raises(WeightsError, match=f"{name} is for the web format"):
        convert(network(), tmp_path / "m.onnx", **options)


def test_shapes_are_for_onnx_alone(tmp_path):
    with pytest.raises(WeightsError, match="inputs= are shapes for .onnx files"):
        convert(network(), tmp_path / "web", inputs={"image": (1, 8, 8, 3)})


def test_onnx_nodes_are_not_lowered_to_the_web(tmp_path):
    convert(network(), tmp_path / "m.onnx")
    with pytest.raises(WeightsError, match=r"none of ONNX's nodes \(Conv, .*keep the \.onnx file"):
        convert(tmp_path / "m.onnx", tmp_path / "web")
    assert not (tmp_path / "web").exists()


def test_files_beyond_the_limit_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(protos, "LARGEST", 2**20 + 700)
    with pytest.raises(WeightsError, match="bytes, more than the .* that ONNX allows in one file"):
        write_onnx(network(), tmp_path / "m.onnx")
    assert not any(tmp_path.iterdir())


def test_a_file_that_cannot_be_read_back_replaces_nothing(tmp_path, monkeypatch):
    path = tmp_path / "m.onnx"
    path.write_bytes(b"other")
    monkeypatch.setattr(protos, "OPSET", 5)
    with pytest.raises(CoreError, match="cannot be read back"):
        write_onnx(network(), path)
    assert path.read_bytes() == b"other"
    assert [*tmp_path.iterdir()] == [path]
