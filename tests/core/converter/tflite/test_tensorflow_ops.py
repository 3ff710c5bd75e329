"""Ops of TensorFlow in TFLite files: networks as converters write them, and single ops."""

import numpy as np
import pytest

import core
from core.converter.tflite.flexbuffer import read_texts
from core.errors import CoreError
from core.graph_model.graph_model import GraphModel
from tests.core.converter.fuzz.protobuf import node_def
from tests.core.converter.tflite.fixtures.converted import FLEX, ran
from tests.helpers import require
from weights_cache.common.errors import WeightsError


@pytest.mark.parametrize("name", FLEX)
def test_loops_over_lists_of_tensors_are_those_of_keras(name):
    model, found, expected = ran(name)
    np.testing.assert_allclose(found, expected, rtol=0, atol=3e-7)
    assert not model.graph.custom_types


def flexbuffer(value):
    """The bytes of a value as the package of the format writes them."""
    require("flatbuffers")
    from flatbuffers import flexbuffers

    return flexbuffers.Dumps(value)


def of_tensorflow(kind, **attributes):
    """The options of an op of TensorFlow."""
    document = {"name": "", "op": kind, "attr": attributes}
    return flexbuffer([kind, node_def(document, {})])


def test_any_op_of_tensorflow_that_the_engine_has_runs(writer, read):
    x = writer.input("x", (2, 3))
    options = of_tensorflow("LeakyRelu", alpha={"f": 0.5})
    leaky = writer.op(
        "FlexLeakyRelu", [x], [writer.tensor("leaky", (2, 3))], custom_options=options
    )
    outputs = [writer.tensor("values", (2, 2)), writer.tensor("which", (2, 2), "INT32")]
    options = of_tensorflow("TopKV2", sorted={"b": True})
    writer.op("FlexTopKV2", [leaky, writer.constant(2)], outputs, custom_options=options)
    found = GraphModel(read(writer)).predict(np.float32([[1, -4, 3], [-1, -6, -4]]))
    assert found["values"].numpy().tolist() == [[3, 1], [-0.5, -2]]
    assert found["which"].numpy().tolist() == [[2, 0], [0, 2]]


def test_ops_of_tensorflow_that_nothing_runs_are_listed(writer, read):
    x = writer.input("x", (2,))
    options = of_tensorflow("SomeNewOp", rate={"f": 2.0})
    writer.op("FlexSomeNewOp", [x], [writer.tensor("y", (2,))], custom_options=options)
    table = of_tensorflow("HashTableV2")
    writer.op("FlexHashTableV2", [x], [writer.tensor("table", (2,))], custom_options=table)
    graph = read(writer)
    assert graph.custom_types == {"FlexSomeNewOp", "FlexHashTableV2"}
    with pytest.raises(
        core.KernelNotFound, match=r"FlexSomeNewOp \(y\); FlexHashTableV2 \(table\)"
    ):
        GraphModel(graph).predict(np.float32([1, 2]))
    kernels = {"FlexSomeNewOp": lambda x, rate: x * rate}
    given = GraphModel(graph, kernels=kernels).execute(np.float32([1, 2]), ["y"])
    assert given["y"].numpy().tolist() == [2, 4]


def test_damaged_ops_of_tensorflow_are_refused(writer, read):
    x = writer.input("x", (2,))
    options = flexbuffer(["Relu", b"\x12\xff\xff\xff"])
    writer.op("FlexRelu", [x], [writer.tensor("y", (2,))], custom_options=options)
    with pytest.raises(WeightsError, match="FlexRelu of"):
        read(writer)


def test_texts_of_options():
    assert read_texts(flexbuffer(["Relu", b"\0\xff"])) == [b"Relu", b"\0\xff"]


@pytest.mark.parametrize(
    "value, message",
    [
        ({"a": 1}, "are not a FlexBuffer with a list"),
        (["a", 1], "item 1 of the options is no text"),
        (["k"] * 1025, "1025 options are more than 1024"),
    ],
)
def test_other_options_are_refused(value, message):
    with pytest.raises(CoreError, match=message):
        read_texts(flexbuffer(value))


def test_texts_that_overlap_are_not_longer_than_the_bytes():
    """Two items are one text, as its bytes may be shared: together they are as long as two."""
    text = b"k" * 40
    data = bytes([40]) + text + b"\0" + bytes([2, 42, 43, 5 << 2, 5 << 2, 4, 10 << 2, 1])
    with pytest.raises(CoreError, match="overlapping texts"):
        read_texts(data)


def test_options_that_end_early():
    whole = flexbuffer(["Relu", "some text"])
    for size in range(len(whole)):
        with pytest.raises(CoreError):
            read_texts(whole[:size])
