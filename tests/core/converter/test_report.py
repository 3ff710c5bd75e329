"""The dry run: what it counts, and the errors that it measures."""

import json

import numpy as np
import pytest

import core
from core.backends.cpu.text.regular_expressions import _re2
from core.converter import Report, conversion_outputs, convert, inspect_model
from core.converter.web_writer import write_web
from core.errors import CoreError
from core.graph.nodes import Endpoint, Graph, Node, PartialSpec
from core.graph_model.graph_model import GraphModel
from tests.core.converter.teachable_bundles import write_bundle
from tests.core.converter.test_convert import layers_model
from tests.reliability.hostile_graphs import endless_graphs
from tests.reliability.test_run_limits import TIGHT
from weights_cache.common.errors import WeightsError

FOUR = PartialSpec((None, 4))


def dense(*more: Node, weight, outputs=("y",), spec=FOUR) -> Graph:
    nodes = [Node("x", "Placeholder"), Node("w", "Const"), Node("y", "MatMul", ("x", "w")), *more]
    ends = {name: Endpoint(name, PartialSpec(None)) for name in outputs}
    return Graph(nodes, {"w": weight}, {"x": Endpoint("x", spec)}, ends)


def test_outputs_that_are_single_numbers(tmp_path):
    nodes = [Node("x", "Placeholder"), Node("w", "Const"), Node("axis", "Const")]
    nodes += [Node("product", "Mul", ("x", "w")), Node("y", "Sum", ("product", "axis"))]
    ends = [Endpoint(name, PartialSpec(shape)) for name, shape in (("x", (1,)), ("y", ()))]
    weights = {"w": np.float32([1.5, 2, 4]), "axis": np.int32(0)}
    graph = Graph(nodes, weights, {"x": ends[0]}, {"y": ends[1]})
    report = inspect_model(write_web(graph, tmp_path), measure=True)
    assert report.errors["float16"]["y"].max == 0


def test_inputs_too_large_to_try(tmp_path):
    graph = dense(weight=np.ones((4, 4), np.float32), spec=PartialSpec((2**20, 2**20)))
    report = inspect_model(write_web(graph, tmp_path), measure=True)
    assert "too large to try" in report.notes[0]


@pytest.fixture
def path(rng, tmp_path):
    weight = rng.normal(size=(4, 50)).astype(np.float32)
    return write_web(dense(weight=weight), tmp_path / "model")


def test_counts_and_sizes(path):
    report = inspect_model(path, measure=True)
    assert report.types == {"Placeholder": 1, "Const": 1, "MatMul": 1}
    assert report.parameters == 200
    assert report.sizes == {"float32": 800, "float16": 400, "uint16": 400, "uint8": 200}
    assert (report.unsupported, list(report.notes)) == ({}, [])
    assert list(path.parent.parent.iterdir()) == [path.parent]


def test_errors_are_those_of_the_quantised_weights(path, tmp_path):
    report = inspect_model(path, measure=True)
    assert list(report.errors) == ["float16", "uint16", "uint8"]
    errors = [report.errors[kind]["y"] for kind in ("uint16", "float16", "uint8")]
    assert 0 < errors[0].max < errors[1].max < errors[2].max < 0.02
    assert all(0 < error.mean < error.max for error in errors)
    again = inspect_model(convert(path, tmp_path / "small", quantise="uint8"), measure=True)
    assert again.errors["uint8"]["y"].max < 1e-6
    assert again.sizes["as stored"] == 200
    assert "as stored" not in again.errors


def test_what_was_asked_for_is_measured_beside(path):
    report = inspect_model(path, quantise={"w": "uint8"}, measure=True)
    assert report.sizes["as requested"] == 200
    assert report.errors["as requested"] == report.errors["uint8"]
    with pytest.raises(WeightsError, match="matches no weight"):
        inspect_model(path, quantise={"v": "uint8"})


def test_forms(path):
    report = inspect_model(path, measure=True)
    assert isinstance(report, Report)
    found = json.loads(json.dumps(report.to_dict()))
    assert found["sizes"]["uint8"] == 200
    assert found["errors"]["uint8"]["y"]["max"] == report.errors["uint8"]["y"].max
    text = report.to_text()
    assert "3 nodes, 200 parameters" in text
    assert "    1 MatMul" in text
    assert "uint8               200" in text


def test_types_that_tfjs_lacks_are_told_not_raised(tmp_path):
    weight = np.ones((4, 4), np.float32)
    path = write_web(dense(weight=weight), tmp_path)
    document = json.loads(path.read_text())
    document["modelTopology"]["node"][-1]["op"] = "Magic"
    path.write_text(json.dumps(document))
    report = inspect_model(path, measure=True)
    assert report.unsupported == {"Magic": ["y"]}
    assert report.errors == {}
    assert "errors were not measured: no op runs these node types: Magic (y)" in report.notes[0]
    assert "not in TensorFlow.js: Magic (y)" in report.to_text()


def test_values_that_a_kind_cannot_hold_are_told(tmp_path):
    weight = np.full((4, 4), 1e6, np.float32)
    report = inspect_model(write_web(dense(weight=weight), tmp_path), measure=True)
    assert "float16" not in report.sizes
    assert "float16: weight 'w': the value 1e+06 is beyond 65504" in report.notes[0]


def test_an_input_of_any_shape_is_not_guessed(tmp_path):
    graph = dense(weight=np.ones((4, 4), np.float32), spec=PartialSpec(None))
    report = inspect_model(write_web(graph, tmp_path), measure=True)
    assert report.errors == {}
    assert "the input 'x' has no shape" in report.notes[0]


def test_images_of_whole_numbers_and_outputs_of_several_dtypes(tmp_path):
    nodes = [
        Node("x", "Placeholder"),
        Node("w", "Const"),
        Node("f", "Cast", ("x",), {"SrcT": "DT_INT32", "DstT": "DT_FLOAT"}),
        Node("y", "Mul", ("f", "w")),
        Node("all", "Cast", ("y",), {"SrcT": "DT_FLOAT", "DstT": "DT_BOOL"}),
    ]
    ends = {name: Endpoint(name, PartialSpec(None)) for name in ("y", "all")}
    image = Endpoint("x", PartialSpec((None, None, 2, 3), "int32"))
    graph = Graph(nodes, {"w": np.float32([0.1, 0.2, 0.3])}, {"x": image}, ends)
    errors = inspect_model(write_web(graph, tmp_path), measure=True).errors["uint8"]
    assert 0 < errors["y"].max < 0.01
    assert errors["all"].max <= 1


def test_layers_that_are_kept_are_reported_as_they_are_written(tmp_path):
    """Patterns are those of the weights in the file, and so are bytes."""
    path = layers_model(tmp_path / "layers")
    report = inspect_model(path, quantise={"dense/kernel": "float16"}, measure=True)
    assert (report.format, report.types) == ("layers", {"InputLayer": 1, "Dense": 1})
    assert (report.parameters, report.sizes["float32"]) == (8, 32)
    assert report.sizes["as stored"] == 6 + 2 * 4
    written = convert(path, tmp_path / "new", quantise={"dense/kernel": "float16"})
    assert report.sizes["as requested"] == bytes_of(written) == 6 * 2 + 2 * 4
    assert 0 < report.errors["float16"]["dense"].max < 0.001
    assert "2 layers, 8 parameters" in report.to_text()
    graph = inspect_model(path, format="graph")
    assert graph.format == "graph" and "Placeholder" in graph.types


def bytes_of(path):
    return sum(f.stat().st_size for f in path.parent.glob("*.bin"))


@pytest.mark.parametrize("quantise", [None, "float16", {"*Conv1/kernel": "uint8"}])
@pytest.mark.parametrize("format", ["auto", "graph"])
def test_the_bytes_are_those_that_are_written(tmp_path, quantise, format):
    bundle = write_bundle(tmp_path / "bundle")
    report = inspect_model(bundle, quantise=quantise, format=format)
    written = convert(bundle, tmp_path / "new", quantise=quantise, format=format)
    assert report.sizes["float32" if quantise is None else "as requested"] == bytes_of(written)


@pytest.mark.parametrize(
    "options",
    [
        {"format": "layers"},
        {"format": "keras"},
        {"outputs": ["nothing"]},
        {"quantise": {"nothing": "uint8"}},
        {"signature": "serve"},
    ],
    ids=str,
)
def test_what_conversion_refuses_is_refused(path, tmp_path, options):
    with pytest.raises((WeightsError, CoreError)) as converting:
        convert(path, tmp_path / "new", **options)
    with pytest.raises(type(converting.value)) as inspecting:
        inspect_model(path, **options)
    assert str(inspecting.value) == str(converting.value)
    assert "cannot read" not in str(converting.value)


def test_what_the_format_cannot_hold_is_refused(tmp_path, monkeypatch):
    graph = dense(weight=np.ones((4, 4), np.float32))
    bad = graph._replace(nodes=[*graph.nodes[:2], graph.nodes[2]._replace(attributes={"a": 1j})])
    monkeypatch.setattr(conversion_outputs, "prepared", lambda *_: bad)
    with pytest.raises(WeightsError, match="cannot be written: a of the node 'y' is a complex"):
        inspect_model(write_web(graph, tmp_path))


def test_a_model_that_takes_too_much_memory_is_not_measured(path, monkeypatch):
    def fail(*_):
        raise MemoryError

    monkeypatch.setattr(GraphModel, "predict", fail)
    report = inspect_model(path, measure=True)
    assert report.errors == {} and report.sizes["uint8"] == 200
    assert list(report.notes) == ["errors were not measured: not enough memory to run the model"]


def test_nothing_runs_unless_it_is_asked_for(path, monkeypatch):
    def fail(*_, **__):
        raise AssertionError("the model ran")

    monkeypatch.setattr(GraphModel, "__init__", fail)
    report = inspect_model(path, quantise="uint8")
    assert report.errors == {} and report.sizes["as requested"] == 200
    (note,) = report.notes
    assert note == ("errors were not measured: measuring runs the model: give measure=True")
    assert "error, of an output's range" not in report.to_text()
    for given in ({"quantise": "auto"}, {"samples": np.ones((1, 4), np.float32)}):
        with pytest.raises(CoreError, match="also give measure=True"):
            inspect_model(path, **given)


@pytest.mark.sweep("whole")
@pytest.mark.parametrize("name", endless_graphs())
def test_hostile_graphs_are_reported_and_measured_within_limits(name):
    """Strict limits end the run; without them a dry run would not end, or take all memory."""
    graph = endless_graphs()[name].graph
    with core.limits(TIGHT):
        assert not inspect_model(graph).errors
        notes = inspect_model(graph, measure=True).notes
    is_quick = name.startswith("regex, ") and _re2() is not None and not notes
    assert is_quick or notes[-1].startswith("errors were not measured: ")
