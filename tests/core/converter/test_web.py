"""The web format: what is read of it, and what is written."""

import json

import numpy as np
import pytest

from core import converter
from core.converter.formats import read_graph
from core.converter.opened import find_kind
from core.converter.web import read_web, read_web_source
from core.converter.web_nodes import lowered
from core.converter.web_writer import WEB_TYPES, unknown_types, write_web
from core.errors import CoreError
from core.graph.attributes import read_attribute
from core.graph.graph_json_writer import graph_document, write_attribute
from core.graph.node_types.rows import node_type_names
from core.graph.nodes import (
    DataType,
    Endpoint,
    Function,
    FunctionName,
    Graph,
    Node,
    PartialShape,
    PartialSpec,
)
from core.graph_model.graph_model import GraphModel
from weights_cache.common.errors import WeightsError

VECTOR = PartialSpec((None,))


def graph_of(*nodes: Node, outputs=("y",), spec=VECTOR, **weights) -> Graph:
    """x goes in; weights are constants."""
    constants = [Node(name, "Const") for name in weights]
    return Graph(
        [Node("x", "Placeholder"), *constants, *nodes],
        {name: np.asarray(value) for name, value in weights.items()},
        {"x": Endpoint("x", spec)},
        {name: Endpoint(name, PartialSpec(None)) for name in outputs},
    )


def document(folder, **changes):
    """Change a model.json; None takes a key away."""
    path = folder / "model.json"
    changed = {**json.loads(path.read_text()), **changes}
    path.write_text(json.dumps({k: v for k, v in changed.items() if v is not None}))
    return path


@pytest.mark.parametrize(
    "value",
    [
        *("SAME", "é", b"\xff", 3, -(2**40), 0.1, 1e300, float("inf"), True, False, None),
        *([], [1, 2], ["a", "b"], [True], [0.5], DataType("DT_HALF"), FunctionName("f")),
        *(PartialShape((None, 3)), PartialShape(()), [PartialShape((1,)), None]),
    ],
    ids=repr,
)
def test_attributes_come_back(value):
    found = read_attribute(json.loads(json.dumps(write_attribute(value))))
    assert found == value
    assert type(found) is type(value)


def test_attributes_that_cannot_be_written():
    for value in ([1, "a"], np.zeros(2), {"a": 1}):
        with pytest.raises(CoreError, match="strides"):
            write_attribute(value, "strides")


def test_the_document_is_tensorflows(tmp_path):
    node = Node("y", "AddV2", ("x", "w"), {"T": DataType("DT_FLOAT")})
    write_web(graph_of(node, w=np.zeros((2, 3), np.float32)), tmp_path)
    found = json.loads((tmp_path / "model.json").read_text())
    shape = {"dim": [{"size": "2"}, {"size": "3"}]}
    assert found["format"] == "graph-model"
    assert found["modelTopology"]["node"] == [
        {
            "name": "x",
            "op": "Placeholder",
            "attr": {
                "dtype": {"type": "DT_FLOAT"},
                "shape": {"shape": {"dim": [{"size": "-1"}]}},
            },
        },
        {
            "name": "w",
            "op": "Const",
            "attr": {
                "dtype": {"type": "DT_FLOAT"},
                "value": {"tensor": {"dtype": "DT_FLOAT", "tensorShape": shape}},
            },
        },
        {"name": "y", "op": "AddV2", "input": ["x", "w"], "attr": {"T": {"type": "DT_FLOAT"}}},
    ]
    any_length = {"name": "x:0", "dtype": "DT_FLOAT", "tensorShape": {"dim": [{"size": "-1"}]}}
    anything = {"name": "y:0", "dtype": "DT_FLOAT", "tensorShape": {"unknownRank": True}}
    assert found["signature"] == {"inputs": {"x": any_length}, "outputs": {"y": anything}}
    assert found["weightsManifest"][0]["paths"] == [path.name for path in tmp_path.glob("*.bin")]


def test_outputs_become_nodes_of_their_own(tmp_path):
    nodes = [Node("s", "Split", ("axis", "x"), {"num_split": 2}), Node("n", "Neg", ("s",))]
    graph = graph_of(*nodes, outputs=("n",), axis=np.int32(0))
    references = {"second": "s:1", "same": "n", "n": "n", "in": "x", "a:b": "s:0", "c": "axis"}
    outputs = {k: Endpoint(r, PartialSpec(None)) for k, r in references.items()}
    graph = graph._replace(outputs=outputs, aliases={"old": "n"})
    path = write_web(graph, tmp_path)
    written = read_web(path)
    assert list(written.outputs) == list(references)
    sources = [endpoint.node for endpoint in written.outputs.values()]
    assert len(set(sources)) == len(sources)
    assert not any(":" in source for source in sources)
    x = np.float32([1, 2])
    expected, found = GraphModel(graph).predict(x), GraphModel(written).predict(x)
    assert {k: v.numpy().tolist() for k, v in found.items()} == {
        k: v.numpy().tolist() for k, v in expected.items()
    }


def test_functions_and_strings_come_back(tmp_path):
    body = Function("f", [Node("z", "Neg", ("a",)), Node("c", "Const")], ("a",), ("z",))
    calls = {"then_branch": FunctionName("f"), "else_branch": FunctionName("f")}
    node = Node("y", "StatelessIf", ("p", "x"), calls)
    graph = graph_of(node, p=np.array(True), c=np.array([b"a\0", b"", "é".encode()], object))
    graph = graph._replace(functions={"f": body})
    found = read_web(write_web(graph, tmp_path))
    function = found.functions["f"]
    assert (function.inputs, function.outputs) == (("a",), ("z:0",))
    assert [node.type for node in function.nodes] == ["Neg", "Const"]
    assert found.weights["c"].tolist() == [b"a\0", b"", "é".encode()]


def with_initializer() -> Graph:
    dtypes = {"key_dtype": DataType("DT_STRING"), "value_dtype": DataType("DT_INT32")}
    table = Node("table", "HashTableV2", (), dtypes)
    fill = Node("fill", "LookupTableImportV2", ("table", "keys", "values"))
    weights = {"keys": np.array([b"a"], object), "values": np.int32([7])}
    constants = [Node(name, "Const") for name in weights]
    initializer = Graph(
        [*constants, table, fill],
        weights,
        {},
        {"t": Endpoint("table", PartialSpec(None, "resource"))},
    )
    graph = graph_of(Node("y", "LookupTableFindV2", ("handle", "x", "d")), d=np.int32(0))
    return graph._replace(
        nodes=[*graph.nodes, Node("handle", "Placeholder")],
        initializer=initializer,
        resources={"handle": "t"},
    )


def test_the_initializer_and_its_tables_come_back(tmp_path):
    path = write_web(with_initializer(), tmp_path)
    found = read_web(path)
    assert found.resources == {"handle": "t"}
    assert list(found.inputs) == ["x"]
    assert found.initializer.outputs["t"].node == "table"
    assert [n.type for n in found.initializer.nodes][-1] == "LookupTableImportV2"
    assert found.weights["keys"].tolist() == [b"a"]
    document(tmp_path, initializerSignature=None)
    with pytest.raises(WeightsError, match="gives nothing for these inputs: handle"):
        read_web(path)


def test_lookups_that_keep_the_shape(tmp_path):
    """TensorFlow's do, TensorFlow.js's do not."""
    graph = with_initializer()
    nodes = [
        node._replace(type="LookupTableFindInShape") if node.name == "y" else node
        for node in graph.nodes
    ]
    texts = {"x": Endpoint("x", PartialSpec((2, 1), "string"))}
    graph = graph._replace(nodes=nodes, inputs=texts)
    written = read_web(write_web(graph, tmp_path))
    assert {node.type for node in written.nodes} <= WEB_TYPES
    for each in (graph, written):
        assert GraphModel(each).predict(np.array([["b"], ["a"]]))["y"].numpy().tolist() == [
            [0],
            [7],
        ]


def test_functions_of_the_initializer(tmp_path):
    """Files repeat all functions of a model in it, with constants that have values elsewhere."""
    graph = with_initializer()
    calls = {"then_branch": FunctionName("used"), "else_branch": FunctionName("used")}
    before = graph.initializer
    constants = [Node(name, "Const") for name in ("keys", "values", "p")]
    chosen = Node("chosen", "StatelessIf", ("p", "values"), calls)
    fill = Node("fill", "LookupTableImportV2", ("table", "keys", "chosen"))
    sum_ = [Node("ten", "Const"), Node("sum", "AddV2", ("a", "ten"))]
    lost = [Node("lost", "Const"), Node("z", "AddV2", ("a", "lost"))]
    before = before._replace(
        nodes=[*constants, before.nodes[2], chosen, fill],
        weights={**before.weights, "p": np.array(True), "ten": np.int32(10)},
        outputs={"t": Endpoint("fill", PartialSpec(None, "resource"))},
        functions={
            "used": Function("used", sum_, ("a",), ("sum",)),
            "unused": Function("unused", lost, ("a",), ("z",)),
        },
    )
    inputs = {"x": Endpoint("x", PartialSpec((None,), "string"))}
    graph = graph._replace(initializer=before, inputs=inputs)
    found = read_web(write_web(graph, tmp_path))
    assert list(found.initializer.functions) == ["used"]
    for each in (graph, found):
        words = np.array([b"a", b"b"], object)
        assert GraphModel(each).predict(words)["y"].numpy().tolist() == [17, 0]
    odd = Function("used", [Node("w", "Wobble", ("a",))], ("a",), ("w",))
    graph = graph._replace(initializer=before._replace(functions={"used": odd}))
    assert unknown_types(graph) == {"Wobble": ["w"]}


def test_an_initializer_without_a_signature_runs_its_last_nodes(tmp_path):
    write_web(with_initializer(), tmp_path)
    found = json.loads((tmp_path / "model.json").read_text())
    found["modelInitializer"]["node"].append({"name": "done", "op": "NoOp", "input": ["^fill"]})
    found["signature"]["inputs"] = {"x": found["signature"]["inputs"]["x"]}
    path = document(tmp_path, **found | {"initializerSignature": None})
    assert list(read_web(path).initializer.outputs) == ["fill"]


@pytest.mark.parametrize(
    "signed, declared, expected, given",
    [
        (["1", "16", "16", "3"], ["1", "-1", "-1", "3"], (1, None, None, 3), (1, 12, 16, 3)),
        (["-1", "16", "16", "3"], ["1", "16", "16", "3"], (None, 16, 16, 3), (2, 16, 16, 3)),
        (["1", "8", "8", "3"], None, (1, 8, 8, 3), (1, 8, 8, 3)),
        (["1", "8", "8", "3"], ["8", "8"], (1, 8, 8, 3), (1, 8, 8, 3)),
        (None, ["1", "8", "8", "3"], None, (2, 5)),
    ],
)
def test_lengths_that_the_placeholder_or_the_signature_leaves_open(
    tmp_path, signed, declared, expected, given
):
    """TensorFlow.js compares inputs with the placeholder, not with the signature."""

    def shape(lengths):
        return {"dim": [{"size": n} for n in lengths]} if lengths else {"unknownRank": True}

    path = write_web(graph_of(Node("y", "Relu", ("x",))), tmp_path)
    found = json.loads(path.read_text())
    found["signature"]["inputs"]["x"]["tensorShape"] = shape(signed)
    (x,) = (node for node in found["modelTopology"]["node"] if node["op"] == "Placeholder")
    x["attr"]["shape"] = {"shape": shape(declared)}
    model = GraphModel(read_web(document(tmp_path, **found)))
    assert model.inputs["x"] == (expected, "float32")
    assert model.predict(np.ones(given, np.float32))["y"].shape == given
    if expected is not None:
        with pytest.raises(CoreError, match="must have shape"):
            model.predict(np.ones((*given[:3], 4), np.float32))


def test_the_signature_of_old_converters_is_in_the_metadata(tmp_path):
    write_web(graph_of(Node("y", "Neg", ("x",))), tmp_path)
    signature = json.loads((tmp_path / "model.json").read_text())["signature"]
    signature["outputs"] = {"named:0": signature["outputs"]["y"]}
    path = document(tmp_path, signature=None, userDefinedMetadata={"signature": signature})
    assert list(read_web(path).outputs) == ["named"]


def test_what_is_no_model(tmp_path):
    write_web(graph_of(Node("y", "Neg", ("x",))), tmp_path)
    path = document(tmp_path, modelTopology=None)
    with pytest.raises(WeightsError, match="has only weights"):
        read_web(path)
    document(tmp_path, modelTopology={"node": [{"name": "a"}]})
    with pytest.raises(WeightsError, match=r"cannot read .*model.json: the op of the node 'a'"):
        read_web(path)
    document(tmp_path, modelTopology={"node": 3})
    with pytest.raises(WeightsError, match="nodes of the topology"):
        read_web(path)


# Node types that TensorFlow.js lacks


DETECTION = {
    **{"y_scale": 10.0, "x_scale": 10.0, "h_scale": 5.0, "w_scale": 5.0},
    **{"max_detections": 6, "max_classes_per_detection": 2, "num_classes": 3},
    **{"nms_iou_threshold": 0.5, "nms_score_threshold": 0.4},
}


def test_every_type_is_known_or_can_be_lowered_or_is_named():
    told = {"k": 1, "scale": 0.5, "zero_point": 0, "low": -1, "high": 1, **DETECTION}
    nodes = [Node(name, name, ("x", "x", "x"), told) for name in node_type_names()]
    left = set(unknown_types(lowered(graph_of(*nodes))))
    of_texts = {name for name in left if name.startswith(("Regex", "String", "Unicode"))}
    of_onnx = {name for name in left if name.startswith("ONNX:")}
    others = {"Conv3DBackpropInputV2", "RaggedBincount", "TFLiteNonMaxSuppressionV5"}
    assert left - of_texts - of_onnx == others
    assert {"Conv2D", "_FusedConv2D", "While"} <= WEB_TYPES


def test_places_in_a_vocabulary(tmp_path):
    keys = np.array([b"a", "ß".encode(), b"c"], object)
    texts = PartialSpec((2, 2), "string")
    graph = graph_of(Node("y", "VocabularyIndex", ("x", "keys")), spec=texts, keys=keys)
    written = read_web(write_web(graph, tmp_path))
    assert {node.type for node in written.nodes} <= WEB_TYPES
    x = np.array([["ß", "q"], ["c", "a"]])
    for each in (graph, written):
        assert GraphModel(each).predict(x)["y"].numpy().tolist() == [[1, -1], [2, 0]]


@pytest.mark.parametrize("kind", ["Erfc", "Inv", "Rint", "Softsign", "PreventGradient"])
def test_functions_that_tfjs_lacks(tmp_path, rng, kind):
    graph = graph_of(Node("y", kind, ("x",)))
    written = read_web(write_web(graph, tmp_path))
    assert {node.type for node in written.nodes} <= WEB_TYPES
    x = rng.normal(size=50).astype(np.float32)
    found, expected = (GraphModel(g).predict(x)["y"].numpy() for g in (written, graph))
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("columns", [3, 4])  # the first may be the background
@pytest.mark.parametrize("threshold", [0.4, 0.9, 2.0])
def test_detections_are_written_with_the_same_bits(tmp_path, rng, columns, threshold):
    told = {**DETECTION, "nms_score_threshold": threshold}
    node = Node("d", "TFLite_Detection_PostProcess", ("x", "scores", "anchors"), told)
    scores = rng.choice(np.linspace(0, 1, 20), (1, 40, columns)).astype(np.float32)  # with ties
    graph = graph_of(
        node, outputs=(), scores=scores, anchors=rng.uniform(0.1, 1, (40, 4)).astype(np.float32)
    )
    outputs = {str(i): Endpoint(f"d:{i}", PartialSpec(None)) for i in range(4)}
    graph = graph._replace(outputs=outputs, inputs={"x": Endpoint("x", PartialSpec((1, 40, 4)))})
    written = read_web(write_web(graph, tmp_path))
    assert {node.type for node in written.nodes} <= WEB_TYPES
    x = rng.normal(size=(1, 40, 4)).astype(np.float32)
    found, expected = (GraphModel(g).predict(x) for g in (written, graph))
    for name, tensor in expected.items():
        np.testing.assert_array_equal(found[name].numpy(), tensor.numpy())
        assert found[name].shape == tensor.shape
    assert expected["3"].numpy() == {0.4: 6, 2.0: 0}.get(threshold, expected["3"].numpy())


def test_detections_of_each_class_for_itself_are_not_written(tmp_path):
    told = {**DETECTION, "use_regular_nms": True}
    node = Node("d", "TFLite_Detection_PostProcess", ("x", "x", "x"), told)
    with pytest.raises(WeightsError, match=r"TFLite_Detection_PostProcess \(d\)"):
        write_web(graph_of(node, outputs=("d",)), tmp_path)


@pytest.mark.parametrize("zero_point, low, high", [(0, 0, 255), (3, 0, 255), (-128, -128, 127)])
def test_rounding_to_quanta_is_written_with_the_same_bits(tmp_path, rng, zero_point, low, high):
    told = {"scale": 0.1, "zero_point": zero_point, "low": low, "high": high}
    graph = graph_of(Node("y", "QuantiseRound", ("x",), told))
    x = (rng.integers(-300, 300, 4000) * 0.05).astype(np.float32)  # halves among them
    written = read_web(write_web(graph, tmp_path))
    assert {node.type for node in written.nodes} <= WEB_TYPES
    found, expected = (GraphModel(g).predict(x)["y"].numpy() for g in (written, graph))
    np.testing.assert_array_equal(found, expected)
    assert len(np.unique(found)) > 50


def test_all_types_that_cannot_be_written_are_listed(tmp_path):
    graph = graph_of(Node("m", "Magic", ("x",)), Node("y", "Wand", ("m",)))
    with pytest.raises(WeightsError, match=r"Magic \(m\); Wand \(y\)"):
        write_web(graph, tmp_path / "new")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("told", [{}, {"scale": "a", "zero_point": 0, "low": 0, "high": 1}])
def test_types_that_cannot_be_lowered_for_their_attributes(tmp_path, told):
    graph = graph_of(Node("y", "QuantiseRound", ("x",), told))
    with pytest.raises(WeightsError, match=r"node 'y' \(QuantiseRound\): "):
        write_web(graph, tmp_path)


def test_names_that_cannot_be_written(tmp_path):
    with pytest.raises(WeightsError, match="'a:b' has a name"):
        write_web(graph_of(Node("a:b", "Neg", ("x",)), outputs=()), tmp_path)
    with pytest.raises(WeightsError, match="constant 'w' has no value"):
        write_web(graph_of(Node("w", "Const"), outputs=("w",)), tmp_path)


def test_arrays_of_other_dtypes_are_written_as_they_would_run(tmp_path):
    weights = {"w": np.float64([1.5]), "h": np.float16([2]), "i": np.int64([3]), "u": np.uint8([4])}
    nodes = [Node(f"y_{name}", "Neg", (name,)) for name in weights]
    graph = graph_of(*nodes, outputs=[n.name for n in nodes], **weights)
    found = read_web(write_web(graph, tmp_path)).weights
    assert {n: a.dtype.name for n, a in found.items()} == {
        "w": "float32",
        "h": "float32",
        "i": "int32",
        "u": "int32",
    }
    with pytest.raises(WeightsError, match="do not fit into int32"):
        write_web(graph_of(Node("y", "Neg", ("i",)), i=np.array([2**40])), tmp_path / "new")


# One door to all readers


def test_kinds_are_told_by_content(tmp_path):
    starts = {
        "model.tflite": (b"\x1c\0\0\0TFL3" + bytes(20), "tflite"),
        "renamed.bin": (b"\x1c\0\0\0TFL3" + bytes(20), "tflite"),
        "model.h5": (b"\x89HDF\r\n\x1a\n", "keras"),
        "weights.hdf5": (b"\x89HDF\r\n\x1a\n", "keras"),
        "frozen.pb": (b"\x0a\x10", "frozen"),
        "saved_model.pb": (b"\x08\x01", "saved"),
        "model.json": (b" {}", "web"),
        "cut.tflite": (b"", "tflite"),
    }
    for name, (data, kind) in starts.items():
        (tmp_path / name).write_bytes(data)
        assert find_kind(tmp_path / name) == kind, name


def test_kinds_of_folders(tmp_path):
    for names, kind in (
        (["model.json"], "web"),
        (["model.json", "metadata.json"], "teachable"),
        (["saved_model.pb", "model.json"], "saved"),
    ):
        folder = tmp_path / kind
        folder.mkdir()
        for name in names:
            (folder / name).write_text('{"tmVersion": "2"}')
        assert find_kind(folder) == kind


@pytest.mark.parametrize("name", ["", "nothing", "photo.jpg", "empty", "a\0b", "x" * 5000])
def test_paths_of_nothing_that_is_read(tmp_path, name):
    (tmp_path / "photo.jpg").write_bytes(b"\xff\xd8")
    (tmp_path / "empty").mkdir()
    with pytest.raises(WeightsError):
        read_graph(str(tmp_path / name) if name else "")
    for path in (None, 3, b"model.json"):
        with pytest.raises(WeightsError, match="from a path"):
            read_graph(path)


def test_what_is_read_is_listed(tmp_path):
    for path in (tmp_path, tmp_path / "nothing"):
        with pytest.raises(
            WeightsError, match=r"model\.json.*Teachable.*tflite.*h5.*pb.*SavedModel"
        ):
            read_graph(path)


def test_load_model_names_the_file_of_a_graph_that_makes_no_sense(tmp_path):
    nodes = [Node("a", "Neg", ("b",)), Node("b", "Neg", ("a",))]
    circle = graph_of(*nodes, outputs=("a",))
    with pytest.raises(CoreError, match=r"cannot be read back \(node '[ab]' waits for itself"):
        write_web(circle, tmp_path)
    write_web(graph_of(Node("a", "Neg", ("x",)), outputs=("a",)), tmp_path)
    path = document(tmp_path, modelTopology=graph_document(circle))
    with pytest.raises(WeightsError, match=r"model\.json: node '[ab]' waits for itself"):
        converter.load_model(path)


def test_user_kernels_reach_the_model(tmp_path):
    topology = graph_document(graph_of(Node("y", "Magic", ("x",))))
    write_web(graph_of(Node("y", "Neg", ("x",))), tmp_path)
    path = document(tmp_path, modelTopology=topology)
    with pytest.raises(CoreError, match=r"Magic \(y\)"):
        converter.load_model(path)
    model = converter.load_model(tmp_path, kernels={"Magic": lambda x: x * 3})
    assert model.predict(np.float32([2]))["y"].numpy().tolist() == [6]


def test_public_names_are_lazy():
    assert sorted(converter._PUBLIC) == sorted(converter.__all__)
    assert set(converter.__all__) <= set(dir(converter))
    for name in converter.__all__:
        assert getattr(converter, name).__doc__
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = converter.no_such_name


def test_the_source_keeps_what_is_stored(tmp_path):
    graph = graph_of(Node("y", "AddV2", ("x", "w")), w=np.float32([0, 1]))
    source = read_web_source(write_web(graph, tmp_path, quantise="float16"))
    assert source.stored["w"].values.dtype == np.float16
    assert not source.has_layers
