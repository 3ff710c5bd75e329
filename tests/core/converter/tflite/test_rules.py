"""Ops in the ways in which the files with LiteRT's results have none."""

import numpy as np
import pytest

from core.converter.tflite.constants import KEPT_SHARE, ConstantReader
from core.converter.tflite.file_content import Document, TensorInfo
from core.errors import CoreError
from core.graph_model.graph_model import GraphModel
from weights_cache.common.errors import WeightsError


def conv(writer, x, weights, shape, **how):
    how = {"padding": 0, "strideW": 1, "strideH": 1, **how}
    name = f"y{len(writer.graph.tensors)}"
    return writer.op("CONV_2D", [x, weights], [writer.tensor(name, shape)], "Conv2D", **how)


@pytest.mark.parametrize(
    "op, condition, expected",
    [
        ("SELECT", [True, False], [[1, 2], [-3, -4]]),
        ("SELECT_V2", [True, False], [[1, -2], [3, -4]]),
        ("SELECT", True, [[1, 2], [3, 4]]),
        ("SELECT", [[True, False], [False, True]], [[1, -2], [-3, 4]]),
    ],
)
def test_only_select_v2_broadcasts_a_condition_of_one_axis(op, condition, expected, writer, read):
    """LiteRT gives the same; a condition of one axis picks rows in SELECT."""
    flags = writer.input("flags", np.shape(condition), "BOOL")
    a, b = writer.input("a", (2, 2)), writer.input("b", (2, 2))
    writer.op(op, [flags, a, b], [writer.tensor("y", (2, 2))])
    values = np.float32([[1, 2], [3, 4]])
    given = GraphModel(read(writer)).predict({"flags": condition, "a": values, "b": -values})
    assert given["y"].numpy().tolist() == expected


def test_rows_are_picked_from_values_of_other_lengths(writer, read):
    flags, a = writer.input("flags", (2,), "BOOL"), writer.input("a", (2, 3, 1))
    other = writer.constant(np.zeros((2, 3, 1)), "FLOAT32")
    writer.op("SELECT", [flags, a, other], [writer.tensor("y", (2, 3, 1))])
    given = GraphModel(read(writer)).predict({"flags": [False, True], "a": np.ones((2, 3, 1))})
    assert given["y"].numpy()[..., 0].tolist() == [[0, 0, 0], [1, 1, 1]]


@pytest.mark.parametrize("dtype", ["INT16", "INT8"])
def test_what_is_computed_on_a_scale_of_0_is_0(dtype, writer, read):
    """TensorFlow's converter gives that scale to tensors in which it has seen zeros alone."""
    x = writer.input("x", (3,), dtype, (0.5, 0))
    value = writer.constant(7, dtype, quanta=(0.0, 0))
    zeros = writer.tensor("zeros", (3,), dtype, (0.0, 0))
    writer.op("FILL", [writer.constant([3]), value], [zeros], "Fill")
    squares = writer.tensor("squares", (3,), dtype, (0.0, 0))
    writer.op("MUL", [x, x], [squares], "Mul")
    sums = [writer.tensor(name, (3,), dtype, (0.5, 0)) for name in ("y", "z")]
    writer.op("ADD", [x, zeros], sums[:1], "Add")
    writer.op("ADD", [x, squares], sums[1:], "Add")
    given = GraphModel(read(writer)).predict(np.float32([-1, 0.5, 2]))
    assert {k: v.numpy().tolist() for k, v in given.items()} == {
        "y": [-1, 0.5, 2],
        "z": [-1, 0.5, 2],
    }


def test_groups_of_one_channel_are_a_depthwise_convolution(writer, read):
    x = writer.input("x", (1, 1, 1, 3))
    weights = writer.constant(np.arange(1, 7).reshape(6, 1, 1, 1), "FLOAT32")
    conv(writer, x, weights, (1, 1, 1, 6), fusedActivationFunction=1)
    graph = read(writer)
    kinds = [node.type for node in graph.nodes]
    assert kinds == ["Placeholder", "Const", "DepthwiseConv2dNative", "Relu"]
    (y,) = GraphModel(graph).predict(np.float32([10, -1, 100]).reshape(1, 1, 1, 3)).values()
    assert y.numpy().ravel().tolist() == [10, 20, 0, 0, 500, 600]


def test_thousands_of_groups_make_few_nodes(writer, read):
    count = 20_000
    x = writer.input("x", (1, 1, 1, count))
    weights = writer.constant(np.ones((count, 1, 1, 1)), "INT8", quanta=(1.0, 0))
    conv(writer, x, weights, (1, 1, 1, count))
    graph = read(writer)
    assert len(graph.nodes) == 3
    assert {array.size for array in graph.weights.values()} == {count}


def test_too_many_groups_are_refused(writer, read):
    x = writer.input("x", (1, 1, 1, 2050))
    conv(writer, x, writer.constant(np.ones((1025, 1, 1, 2)), "FLOAT32"), (1, 1, 1, 1025))
    with pytest.raises(WeightsError, match="1025 groups of channels are more than 1024"):
        read(writer)


def test_many_ops_with_groups_stay_within_bounds(writer, read):
    x = writer.input("x", (1, 1, 1, 2000))
    weights = writer.constant(np.ones((1000, 1, 1, 2)), "INT8", quanta=(1.0, 0))
    for _ in range(50):
        conv(writer, x, weights, (1, 1, 1, 1000))
    with pytest.raises(WeightsError, match="groups of channels need more than 32 times the file"):
        read(writer)


@pytest.mark.parametrize("filters, channels, length", [(5, 4, 2), (4, 5, 2), (0, 4, 2)])
def test_groups_must_fit(filters, channels, length, writer, read):
    x = writer.input("x", (1, 1, 1, channels))
    conv(writer, x, writer.constant(np.ones((filters, 1, 1, length)), "FLOAT32"), (1, 1, 1, 4))
    with pytest.raises(WeightsError, match="do not fit 2 groups"):
        read(writer)


def test_one_constant_serves_ops_that_lay_it_out_differently(writer, read):
    """A depthwise convolution of four channels, and one that makes two of each of two."""
    weights = writer.constant(np.arange(4).reshape(1, 1, 1, 4), "FLOAT32")
    how = {"padding": 0, "strideW": 1, "strideH": 1}
    for channels in (4, 2):
        x = writer.input(f"x{channels}", (1, 1, 1, channels))
        output = writer.tensor(f"y{channels}", (1, 1, 1, 4))
        how["depthMultiplier"] = 4 // channels
        writer.op("DEPTHWISE_CONV_2D", [x, weights], [output], "DepthwiseConv2D", **how)
    feeds = {f"x{n}": np.float32(range(1, n + 1)).reshape(1, 1, 1, n) for n in (4, 2)}
    given = GraphModel(read(writer)).predict(feeds)
    assert {k: v.numpy().ravel().tolist() for k, v in given.items()} == {
        "y4": [0, 2, 6, 12],
        "y2": [0, 1, 4, 6],
    }


def test_arrays_of_a_graph_are_read_only(writer, read):
    x = writer.input("x", (1, 4))
    weights = writer.constant(np.ones((3, 4)), "FLOAT32")
    bias = writer.constant(np.ones(3), "FLOAT32")
    y = writer.tensor("y", (1, 3))
    writer.op("FULLY_CONNECTED", [x, weights, bias], [y], "FullyConnected")
    writer.op("HARD_SWISH", [y], [writer.tensor("z", (1, 3))])
    graph = read(writer)
    assert len(graph.weights) == 4
    assert not any(array.flags.writeable for array in graph.weights.values())


def test_large_constants_are_views_of_the_file_and_small_ones_are_not():
    """A small one would keep the whole file in memory."""
    data = np.arange(64, dtype=np.float32).tobytes()
    whole, small = slice(0, len(data)), slice(16, 16 + len(data) // KEPT_SHARE - 4)
    parts = [(part.start, part.stop - part.start) for part in (whole, small)]
    constants = ConstantReader(Document(data, (), parts))
    kept = []
    for buffer, (_, size) in enumerate(parts):
        info = TensorInfo("w", (size // 4,), None, "float32", buffer)
        kept.append(constants.kept(constants.real(info)))
    shared = [np.may_share_memory(array, np.frombuffer(data, np.uint8)) for array in kept]
    assert shared == [True, False]
    assert kept[1].tolist() == np.arange(4, 4 + kept[1].size).tolist()


def test_products_keep_lengths_that_are_free(writer, read):
    x = writer.input("x", (1, 1, 2))
    weights = writer.constant([[1, 0], [0, 1], [1, 1]], "FLOAT32")
    y = writer.tensor("y", (1, 1, 3))
    for tensor, length in ((x, 2), (y, 3)):
        writer.graph.tensors[tensor].shapeSignature = [-1, -1, length]
    writer.op("FULLY_CONNECTED", [x, weights, -1], [y], "FullyConnected", keepNumDims=True)
    values = np.float32(range(12)).reshape(2, 3, 2)
    given = GraphModel(read(writer)).predict(values)["y"].numpy()
    assert np.array_equal(given, np.concatenate([values, values.sum(-1, keepdims=True)], -1))


def test_lengths_are_free_where_the_file_says_so(writer, read):
    x = writer.input("x", (1, 2))
    writer.graph.tensors[x].shapeSignature = [-1, 2]
    writer.op("NEG", [x], [writer.tensor("y", (1, 2))])
    model = GraphModel(read(writer))
    assert model.predict(np.ones((3, 2), np.float32))["y"].shape == (3, 2)
    with pytest.raises(CoreError, match=r"must have shape \(None, 2\)"):
        model.predict(np.ones((3, 3), np.float32))
