"""The parts of `zoo verify` in this process: differences, choices, goldens, limits, reports."""

import json
import xml.etree.ElementTree as ElementTree
import zipfile

import numpy as np
import pytest

import zoo
from core import Endpoint, Graph, Node, PartialSpec
from core.converter import read_graph
from core.graph.nodes import Quantization
from tests.core.converter.onnx import protos
from tests.zoo.tasks.yolo_files import write_planted, yolo_metadata
from weights_cache.common.errors import ZooError
from zoo.verification.cases import NOISE, SAMPLE, make_cases
from zoo.verification.comparison import (
    FLOAT_LIMIT,
    MOVE_FACTOR,
    STEP_LIMIT,
    Rule,
    difference,
)
from zoo.verification.goldens import find_goldens
from zoo.verification.junit import junit_xml
from zoo.verification.markdown import markdown_table
from zoo.verification.networks import compared_outputs
from zoo.verification.rows import CRASHED, FAILED, PASSED, UNAVAILABLE, Row, Verification
from zoo.verification.sensitivity import moved_networks, with_moves
from zoo.verification.variants import chosen_variants

# --- differences --------------------------------------------------------------------------------


def test_floats_are_measured_by_the_range_of_the_output():
    right = np.float32([-1, 0, 3])
    near, far = (right + np.float32([0, move, 0]) for move in (3e-4, 6e-4))
    found = difference(near, right, Rule())
    assert found.relative == pytest.approx(7.5e-5) and found.limit == FLOAT_LIMIT
    assert not found.fault
    assert difference(far, right, Rule()).fault == "differs by 0.00015 of the range"


def test_the_range_of_one_number_is_its_size():
    found = difference(np.float32([[-2.001]]), np.float32([[-2.0]]), Rule())
    assert found.relative == pytest.approx(5e-4, rel=1e-3)


def test_quantised_outputs_are_measured_by_the_99th_percentile_of_steps():
    right = np.zeros(1000, np.float32)
    few, many = right.copy(), right.copy()
    few[:9], many[:20] = 50.0, 1.5
    rule = Rule(scale=0.5)
    assert not difference(few, right, rule).fault
    found = difference(many, right, rule)
    assert (found.measured, found.limit) == (3.0, STEP_LIMIT)
    assert found.fault == "99 of 100 values differ by up to 3 steps"


def test_the_best_class_counts_where_it_leads():
    right = np.zeros((2, 300), np.float32)
    right[:, 7] = 40.0, 10.0
    other = np.zeros_like(right)
    other[0, 7], other[1, 8] = 40.0, 10.0  # the second row leads by too little
    rule = Rule(scale=1.0)
    assert not difference(other, right, rule).fault
    other[0, 7], other[0, 8] = 0.0, 40.0
    assert difference(other, right, rule).fault == "1 of 2 rows have another best class"


def test_sensitive_outputs_have_wider_limits():
    rule = Rule(move=1e-3)
    right = np.float32([0, 1])
    assert rule.limit == MOVE_FACTOR * 1e-3
    assert not difference(right + np.float32([0, 1.5e-3]), right, rule).fault
    assert difference(right + np.float32([0, 3e-3]), right, rule).fault


@pytest.mark.parametrize(
    "right", [np.int32([1, 2]), np.array([True, False]), np.array([b"a"], "O")]
)
def test_other_values_are_equal(right):
    assert not difference(right.copy(), right, Rule()).fault
    other = right[::-1].copy() if right.size > 1 else np.array([b"b"], "O")
    assert "values differ" in difference(other, right, Rule()).fault


def test_nan_and_infinity_stand_where_they_must():
    right = np.float32([np.nan, np.inf, 1, 2])
    assert not difference(right.copy(), right, Rule()).fault
    assert difference(np.float32([np.nan, -np.inf, 1, 2]), right, Rule()).fault
    assert difference(np.float32([0, np.inf, 1, 2]), right, Rule()).fault
    assert difference(np.float32([np.nan, np.inf, np.nan, 2]), right, Rule()).fault


def test_empty_outputs_agree():
    assert not difference(np.zeros((0, 4), "f4"), np.zeros((0, 4), "f4"), Rule()).fault


# --- choices ------------------------------------------------------------------------------------


def chosen_graph() -> Graph:
    """x → scores → ArgMax → row; and a plain output."""
    nodes = [
        Node("x", "Placeholder"),
        Node("axis", "Const"),
        Node("w", "Const"),
        Node("scores", "Mul", ("x", "w")),
        Node("best", "ArgMax", ("scores", "axis")),
        Node("row", "GatherV2", ("x", "best", "axis")),
        Node("plain", "Relu", ("scores",)),
    ]
    weights = {"axis": np.int32(0), "w": np.float32([2.0])}
    ends = {name: Endpoint(name, PartialSpec(None)) for name in ("row", "plain")}
    return Graph(nodes, weights, {"x": Endpoint("x", PartialSpec((4,)))}, ends)


class Loaded:
    """As much of a loaded model as the functions read."""

    def __init__(self, graph: Graph):
        self.network = type("Network", (), {"graph": graph})
        self.output_names = [*graph.outputs]


def test_in_place_of_chosen_outputs_what_they_are_chosen_from_is_compared():
    found = compared_outputs(Loaded(chosen_graph()))
    assert found.chosen == {"row": "ArgMax"}
    assert found.outputs == ("plain", "scores")  # and not the constant axis


# --- goldens ------------------------------------------------------------------------------------


def quantised_graph() -> Graph:
    """One quantised input and output."""
    quantization = Quantization(0.5, 10, "uint8")
    given = Endpoint("x", PartialSpec((1, 2)), quantization)
    end = Endpoint("a/y", PartialSpec((1, 2)), quantization)
    return Graph(
        [Node("x", "Placeholder"), Node("a/y", "Relu", ("x",))], {}, {"x": given}, {"a/y": end}
    )


def test_quantised_goldens_become_real_values(tmp_path):
    np.savez(
        tmp_path / "one.npz", input=np.uint8([[1, 2]]), a__y=np.uint8([[10, 12]]), label=np.int64(3)
    )
    (tmp_path / "one.json").write_text(json.dumps({"reference_implementation": "LiteRT"}))
    [golden] = find_goldens(tmp_path, quantised_graph())
    assert (golden.name, golden.source, golden.unknown) == ("one", "LiteRT", ("label",))
    assert golden.outputs["a/y"].tolist() == [[0.0, 1.0]]
    assert golden.inputs["x"].dtype == np.uint8


def test_goldens_of_other_networks_are_left_out(tmp_path):
    right = {"input": np.uint8([[1, 2]]), "a__y": np.uint8([[1, 2]])}
    np.savez(tmp_path / "net_large_image.npz", **right)
    np.savez(tmp_path / "real.npz", **{**right, "input": np.float32([[1, 2]])})
    np.savez(tmp_path / "wide.npz", **{**right, "input": np.uint8([[1, 2, 3]])})
    np.savez(tmp_path / "net_image.npz", **right)
    graph, files = quantised_graph(), ["net.tflite", "net_large.tflite"]
    names = {file: [g.name for g in find_goldens(tmp_path, graph, file, files)] for file in files}
    assert names == {"net.tflite": ["net_image"], "net_large.tflite": ["net_large_image"]}


def test_goldens_of_a_folder_with_one_network_may_have_any_name(tmp_path):
    """Also that of the file with the weights."""
    np.savez(tmp_path / "net_image.npz", input=np.uint8([[1, 2]]), a__y=np.uint8([[1, 2]]))
    found = find_goldens(tmp_path, quantised_graph(), "", ["model.json", "net.bin"])
    assert [golden.name for golden in found] == ["net_image"]


def test_the_only_float_is_the_only_output(tmp_path):
    ends = {"z": Endpoint("z", PartialSpec((1,)))}
    graph = Graph([Node("z", "Placeholder")], {}, {"x": Endpoint("x", PartialSpec((1,)))}, ends)
    np.savez(tmp_path / "one.npz", input=np.float32([1]), probs=np.float32([2]), label=np.int64(1))
    [golden] = find_goldens(tmp_path, graph)
    assert [*golden.outputs] == ["z"] and golden.unknown == ("label",)


@pytest.mark.parametrize("array", [np.float32([np.nan]), np.array(["a"])])
def test_goldens_have_finite_numbers(tmp_path, array):
    np.savez(tmp_path / "one.npz", input=array)
    with pytest.raises(ZooError, match="no finite numbers"):
        [*find_goldens(tmp_path, quantised_graph())]


def test_goldens_hold_no_objects(tmp_path):
    np.savez(tmp_path / "one.npz", input=np.array([{}], object))
    with pytest.raises(ZooError, match="no file of goldens"):
        [*find_goldens(tmp_path, quantised_graph())]


# --- cases --------------------------------------------------------------------------------------


def test_noise_has_the_range_of_images_and_is_seeded():
    with zoo.load("posenet.tiny", backend="cpu") as model:
        first, again, other = (make_cases(model, seed) for seed in (1, 1, 2))
    assert [case.name for case in first] == [NOISE, SAMPLE, "golden astronaut"]
    noise = [cases[0].inputs["image"] for cases in (first, again, other)]
    assert noise[0].shape == (1, 257, 257, 3)
    assert (noise[0].min(), noise[0].max()) == (-1.0, 1.0)
    assert np.array_equal(noise[0], noise[1]) and not np.array_equal(noise[0], noise[2])
    assert {*first[2].expected} == {"heatmap", "offset", "displacement_fwd", "displacement_bwd"}


def test_a_steep_output_moves_far_and_a_flat_one_does_not():
    nodes = [Node("x", "Placeholder"), Node("w", "Const"), Node("y", "Mul", ("x", "w"))]
    nodes += [Node("one", "Const"), Node("z", "Sub", ("y", "one"))]
    weights = {"w": np.full(8, 1.0, np.float32), "one": np.float32(1.0)}
    ends = {name: Endpoint(name, PartialSpec(None)) for name in ("y", "z")}
    graph = Graph(nodes, weights, {"x": Endpoint("x", PartialSpec((8,)))}, ends)
    x = np.linspace(1, 1 + 1e-5, 8, dtype=np.float32)
    outputs = {"y": x, "z": x - np.float32(1)}
    rules = with_moves(dict.fromkeys("yz", Rule()), moved_networks(graph), {"x": x}, outputs)
    assert rules["z"].limit > 10 * FLOAT_LIMIT
    far = {"y": np.linspace(1, 9, 8, dtype=np.float32)}
    [flat] = with_moves({"y": Rule()}, moved_networks(graph), {"x": far["y"]}, far).values()
    assert flat.limit == FLOAT_LIMIT


def test_scales_of_resized_images_do_not_move(tmp_path):
    """Twice 2.0, moved by a bit, would be 3 pixels for 4."""
    made = protos.graph(
        [
            protos.node("Mul", ["x", "w"], ["product"]),
            protos.node("Resize", ["product", "", "scales"], ["y"], mode="nearest"),
        ],
        [protos.value("x", (1, 3, 2, 2))],
        [protos.value("y", (1, 3, 4, 4))],
        [
            protos.tensor(np.float32([1, 1, 2, 2]), "scales"),
            protos.tensor(np.full((3, 1, 1), 0.3, np.float32), "w"),
        ],
    )
    graph = read_graph(protos.write(tmp_path, protos.model(made)))
    image = np.ones((1, 3, 2, 2), np.float32)
    for network in moved_networks(graph).alike:
        found = network.predict(image)["y"].numpy()
        assert found.shape == (1, 3, 4, 4) and found[0, 0, 0, 0] != np.float32(0.3)


def test_a_yolo_file_gets_images_as_its_own_detector_has_them(tmp_path):
    rows = {"output0": np.float32([[20, 30, 10, 20, 0.9, 0.1]]).T[None]}
    model = zoo.load(write_planted(tmp_path / "yolo.onnx", rows, yolo_metadata()))
    cases = make_cases(model, 1)
    assert [case.name for case in cases] == [NOISE, SAMPLE]
    for case in cases:
        values = case.inputs["images"]
        assert values.shape == (1, 3, 64, 96) and values.max() <= 1


# --- reports ------------------------------------------------------------------------------------

ROWS = (
    Row("a", "noise", "cpu tier 1", "y", "reference", ms=2.0),
    Row("a", "noise", "shader", "y", PASSED, "", 0.1, 2e-5, 2e-5, 1e-4, "of the range", 3.0),
    Row(
        "a",
        "noise",
        "tf",
        "y",
        FAILED,
        "differs\x00 & <far>",
        1.0,
        0.5,
        0.5,
        1e-4,
        "of the range",
        1.0,
    ),
    Row("a", "golden one", "tf", "y", PASSED, "", 0.0, 0.0, 0.0, 1e-3, "of the range", 1.0),
    Row("b", "", "tf", "", CRASHED, "crashed: the process crashed (SIGSEGV)"),
    Row("b", "", "shader", "", UNAVAILABLE, "no OpenGL"),
)


def test_a_verification_passes_if_something_was_compared_and_nothing_failed():
    assert Verification(ROWS[:2]).passed
    assert not Verification(ROWS[:1]).passed
    assert not Verification(ROWS[:3]).passed
    assert not Verification((ROWS[1], ROWS[4])).passed
    assert Verification((ROWS[1], ROWS[5])).passed
    assert Verification(ROWS).failures == (ROWS[2], ROWS[4])


def test_junit_counts_every_kind():
    root = ElementTree.fromstring(junit_xml(Verification(ROWS, {"tf": "TensorFlow"})))
    counts = [root.get(name) for name in ("tests", "failures", "errors", "skipped")]
    assert counts == ["6", "1", "1", "1"]
    assert [suite.get("name") for suite in root] == ["a", "b"]
    [failure] = root.iter("failure")
    assert failure.get("message") == "differs\\x00 & <far>"
    assert root.find(".//property").attrib == {"name": "tf", "value": "TensorFlow"}


def test_markdown_has_a_column_for_each_backend():
    lines = markdown_table(Verification(ROWS)).splitlines()
    assert lines[0] == "| model | inputs | cpu tier 1 | shader | tf |"
    assert lines[2].startswith(
        "| `a` | noise, 1 golden | 2.0 ms | 2.0e-05, 3.0 ms | 5.0e-01, golden 0"
    )
    assert lines[2].endswith(", 1.0 ms, **1 failed** |")
    assert lines[3] == "| `b` |  | - | unavailable | crashed |"


def test_names_of_backends():
    assert [v.name for v in chosen_variants(None)] == ["cpu", "cpu-tier-2", "shader", "tf"]
    named = chosen_variants(["tf", "shader-fragment"])
    assert [v.label for v in named] == ["cpu tier 1", "shader (fragment)", "tf"]
    assert all(v.is_required for v in named)
    assert [v.is_required for v in chosen_variants(["cpu"])] == [True, False]


@pytest.mark.parametrize(
    "head", ["{'descr': ", "{'descr': '<f4', 'fortran_order': 0, 'shape': 2}}"]
)
def test_goldens_with_damaged_headers_are_refused(tmp_path, head):
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        data = b"\x93NUMPY\x01\0" + len(head).to_bytes(2, "little") + head.encode()
        archive.writestr("input.npy", data)
    with pytest.raises(ZooError, match="is no file of goldens"):
        list(find_goldens(tmp_path, quantised_graph()))
