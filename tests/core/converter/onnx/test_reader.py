"""Reading ONNX files: inputs, outputs, shapes, versions, and sizes that the caller gives."""

import subprocess
import sys

import numpy as np
import pytest

import core
import zoo
from core.converter.onnx import read_onnx
from core.converter.onnx.reader import OLDEST_OPSET
from core.errors import CoreError
from core.graph.nodes import PartialSpec
from tests.core.converter.fuzz.protobuf import field
from tests.core.converter.onnx import protos
from tests.core.converter.onnx.protos import graph, model, node, value
from tests.helpers import require
from weights_cache.common.errors import WeightsError

X = np.float32([1.0, -2.0])


@pytest.fixture
def path(tmp_path):
    """Writes a ModelProto; its path."""
    return lambda data: protos.write(tmp_path, data)


def of_inputs(*inputs, outputs=(), tensors=()):
    """A model that gives its first input."""
    first = node("Identity", ["a"], ["y"])
    return model(graph([first], inputs, [value("y"), *outputs], tensors))


def test_shapes_of_inputs(path):
    data = of_inputs(
        value("a", (2, "batch", -1)),
        value("any"),
        value("number", ()),
        value("half", (1,), "float16"),
        value("ids", (1,), "int64"),
        value("bytes", (1,), "uint8"),
        value("flags", (1,), "bool"),
        value("texts", (1,), "string"),
    )
    found = {name: end.spec for name, end in read_onnx(path(data)).inputs.items()}
    assert found == {
        "a": PartialSpec((2, None, None)),
        "any": PartialSpec(None),
        "number": PartialSpec(()),
        "half": PartialSpec((1,)),
        "ids": PartialSpec((1,), "int32"),
        "bytes": PartialSpec((1,), "int32"),
        "flags": PartialSpec((1,), "bool"),
        "texts": PartialSpec((1,), "string"),
    }


def test_inputs_with_a_value_are_weights(path):
    """As files of old versions list them."""
    data = of_inputs(value("a", (2,)), value("w", (2,)), tensors=[protos.tensor(X, "w")])
    found = read_onnx(path(data))
    assert list(found.inputs) == ["a"]
    assert found.weights["w"].tolist() == [1, -2]


def test_integers_of_users(path):
    """Arrays of NumPy's own integer type."""
    network = core.load_model(path(of_inputs(value("a", (2,), "int64"))))
    assert network.predict(np.int64([1, 2]))["y"].numpy().tolist() == [1, 2]


def test_sparse_weights(path):
    sparse = field(1, protos.tensor(np.float32([5]), "w"))
    sparse += field(2, protos.tensor(np.int64([1]))) + field(3, 2)
    add = node("Add", ["x", "w"], ["y"])
    data = model(graph([add], [value("x", (2,))], [value("y")], sparse=[sparse]))
    assert core.load_model(path(data)).predict(X)["y"].numpy().tolist() == [1, 3]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", "it has no graph or no opset: is it an ONNX model"),
        (b"\x08\x08", "it has no graph or no opset"),
        (b"\xff" * 20, "a number takes more than 10 bytes"),
        (model(graph([], [], []))[:-1], "takes [0-9]+ bytes, but [0-9]+ are left"),
        (protos.simple([], opsets={}), "it has no graph or no opset"),
        (
            protos.simple([], opsets={"": OLDEST_OPSET - 1}),
            f"its opset is {OLDEST_OPSET - 1}, but {OLDEST_OPSET} is the oldest that is read: "
            "convert it with onnx.version_converter.convert_version, or export it again",
        ),
        (of_inputs(field(1, "a") + field(2, field(1, field(1, 99)))), "the element type 99"),
        (of_inputs(value("a", (1,) * 300)), "a shape has 300 axes, more than 254"),
    ],
)
def test_damaged_files(data, text, path):
    with pytest.raises(WeightsError, match=text):
        core.load_model(path(data))


def test_reading_equals_onnx(path):
    """A file that `onnx` writes, and what its own reference gives."""
    onnx = require("onnx")
    helper, kind = onnx.helper, onnx.TensorProto.FLOAT
    weights = onnx.numpy_helper.from_array(np.float32([[1, 2], [3, 4]]), "w")
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["h"]),
        helper.make_node("Relu", ["h"], ["y"]),
    ]
    ends = [[helper.make_tensor_value_info(name, kind, ["n", 2])] for name in "xy"]
    made = helper.make_model(helper.make_graph(nodes, "main", *ends, [weights]))
    onnx.checker.check_model(made)
    x = np.float32([[1, -2], [-3, 4], [5, 6]])
    (expected,) = require("onnx.reference").ReferenceEvaluator(made).run(None, {"x": x})
    found = core.load_model(path(made.SerializeToString())).predict(x)["y"].numpy()
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5)


def test_own_messages_are_those_of_onnx():
    """What these tests write without it."""
    onnx = require("onnx")
    nodes = [node("Neg", ["x"], ["h"]), node("Concat", ["h", "w"], ["y"], axis=0)]
    ends = [[value("x", (2,))], [value("y", ("n",))]]
    data = model(graph(nodes, *ends, [protos.tensor(X, "w")]), metadata={"key": "text"})
    made = onnx.load_from_string(data)
    onnx.checker.check_model(made)
    assert [each.op_type for each in made.graph.node] == ["Neg", "Concat"]
    assert onnx.numpy_helper.to_array(made.graph.initializer[0]).tolist() == [1, -2]


# Shapes in place of those that the file declares


@pytest.fixture
def fixed(path):
    """The path of a model of a fixed size, which computes any."""
    both = [value("image", (10, 3, 4, 4)), value("bias", (3, 1, 1))]
    add = node("Add", ["image", "bias"], ["y"])
    return path(model(graph([add], both, [value("y", (10, 3, 4, 4))])))


@pytest.mark.parametrize("isolate", [False, True])
def test_inputs_of_another_shape(fixed, isolate):
    network = zoo.load(fixed, inputs={"image": (1, 3, 6, None)}, isolate=isolate)
    assert network.inputs["image"].shape == (1, 3, 6, None)
    assert network.inputs["bias"].shape == (3, 1, 1)
    assert network.outputs["y"].shape == (None, None, None, None)
    feeds = {"image": np.ones((1, 3, 6, 5)), "bias": np.float32([[[1]], [[2]], [[3]]])}
    assert network.predict(feeds)["y"].numpy()[0, :, 0, 0].tolist() == [2, 3, 4]
    if isolate:
        network.close()


def test_the_error_of_a_refused_shape_says_how_to_load_it(fixed):
    network = core.load_model(fixed)
    feeds = {"image": np.ones((1, 3, 6, 5)), "bias": np.ones((3, 1, 1))}
    with pytest.raises(CoreError) as caught:
        network.predict(feeds)
    advice = "if the network takes this shape, load it with inputs={'image': (1, 3, 6, 5)}"
    assert str(caught.value).endswith(advice)
    with pytest.raises(CoreError) as caught:
        network.predict({**feeds, "image": np.ones((3, 6, 5))})
    assert "load it with" not in str(caught.value)
    with pytest.raises(CoreError) as caught:
        core.GraphModel(core.converter.read_graph(fixed)).predict(feeds)
    assert "load it with" not in str(caught.value)


@pytest.mark.parametrize(
    ("inputs", "text"),
    [
        ({"x": (1, 3, 4, 4)}, r"inputs= names 'x', but the model takes \['image', 'bias'\]"),
        ({"image": (3, 4, 4)}, r"the shape \(3, 4, 4\), but the file declares 4 axes"),
        ({"image": (1, 3, 4, -1)}, r"gives 'image' the shape \(1, 3, 4, -1\): a shape has an"),
        ({"image": (1, 3, 4, 4.0)}, "a shape has an integer for each axis"),
        ({"image": 5}, "gives 'image' the shape 5: a shape has an integer for each axis"),
        ([(1, 3, 4, 4)], "inputs= is a dict of shapes by the names of inputs, such as"),
    ],
)
def test_refused_shapes(inputs, text, fixed):
    for load in (zoo.load, core.load_model, core.converter.read_graph):
        with pytest.raises(CoreError, match=text):
            load(fixed, inputs=inputs)


def test_a_pretrained_model_has_its_own_shapes():
    with pytest.raises(zoo.ZooError, match="inputs= is for models from a path or URL"):
        zoo.load("posenet.tiny", inputs={"image": (1, 3, 4, 4)})


# Without the packages of others

_LOADED = """
import sys, zoo
print(zoo.load(sys.argv[1]).predict([1.0, -2.0])["y"].numpy().tolist())
found = {"onnx", "onnxruntime", "torch", "google.protobuf", "tensorflow"} & {*sys.modules}
sys.exit(f"{found} were imported" if found else 0)
"""


def test_no_package_of_others_is_imported(path):
    file = path(protos.simple([node("Neg", ["x"], ["y"])]))
    command = [sys.executable, "-c", _LOADED, str(file)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout.strip()) == (0, "[-1.0, 2.0]"), done.stderr
