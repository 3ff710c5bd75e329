"""Reading TFLite files: names, quanta, ops that nothing runs, sparse and distant constants."""

import re
import struct

import numpy as np
import pytest

import core
from core.converter.tflite import read_tflite
from core.converter.tflite.constants import decoded, densified
from core.converter.tflite.file_content import Dimension, Sparsity, TensorInfo, read_document
from core.graph.nodes import Quantization
from core.graph_model.graph_model import GraphModel
from tests.core.converter.tflite.fixtures.models import FOLDER
from weights_cache.common.errors import WeightsError


def test_inputs_and_outputs_have_the_names_of_tensors(writer, read):
    x = writer.input("serving_x:0", (1, 2))
    y = writer.op("RELU", [x], [writer.tensor("call:0", (1, 2))])
    writer.op("NEG", [y], [writer.tensor("call:1", (1, 2))])
    writer.op("ABS", [y], [writer.tensor("call:1", (1, 2))])
    model = GraphModel(read(writer, outputs=[y, y + 1, y + 2]))
    assert list(model.inputs) == ["serving_x"]
    assert list(model.outputs) == ["call", "call:1", "call:1_1"]
    given = model.predict(np.float32([[-1, 3]]))
    assert [t.numpy().tolist() for t in given.values()] == [[[0, 3]], [[0, -3]], [[0, 3]]]
    assert model.execute(np.float32([[-1, 3]]), ["call:0", "call:1"])["call:1"].shape == (1, 2)


def test_a_last_zero_stays_where_the_short_name_is_another_tensor(writer, read):
    x = writer.input("x:0", (2,))
    writer.op("RELU", [x], [writer.tensor("x", (2,))])
    graph = read(writer)
    assert (list(graph.inputs), list(graph.outputs)) == (["x:0"], ["x"])


def test_shapes_and_dtypes_of_inputs(writer, read):
    writer.input("x", (1, 4))
    writer.graph.tensors[0].shapeSignature = [-1, 4]
    writer.input("n", (3,), "INT64")
    writer.input("q", (3,), "UINT8", (0.5, 3))
    writer.input("raw", (3,), "UINT8")
    graph = read(writer)
    specs = {name: endpoint.spec for name, endpoint in graph.inputs.items()}
    assert specs["x"] == ((None, 4), "float32")
    assert [specs[n].dtype for n in ("n", "q", "raw")] == ["int32", "float32", "int32"]
    assert graph.inputs["q"].quantization == Quantization(0.5, 3, "uint8")
    assert graph.inputs["raw"].quantization is None


def test_quanta_in_and_out(writer, read):
    x = writer.input("x", (3,), "INT8", (0.5, 1))
    writer.op("NEG", [x], [writer.tensor("y", (3,), "INT8", (0.25, -2))])
    model = GraphModel(read(writer))
    quanta = np.int8([1, 3, 9])
    assert model.predict(quanta)["y"].numpy().tolist() == [0, -1, -4]
    assert model.predict(quanta, raw=True)["y"].numpy().tolist() == [-2, -6, -18]
    assert model.predict(np.float32([0.1, 0.3, 99]))["y"].numpy().tolist() == [0, -0.25, -31.5]


def test_ops_without_translation_are_listed(writer, read):
    x = writer.input("x", (2,))
    a = writer.op("SVDF", [x], [writer.tensor("state", (2,))])
    writer.op("HASHTABLE_LOOKUP", [a], [writer.tensor("found", (2,))])
    message = r"TFLite:SVDF \(state\); TFLite:HASHTABLE_LOOKUP \(found\)"
    with pytest.raises(core.KernelNotFound, match=message):
        GraphModel(read(writer))


def test_what_does_not_need_a_custom_op_runs(writer, read):
    from flatbuffers import flexbuffers

    x = writer.input("x", (2,))
    y = writer.op("RELU", [x], [writer.tensor("y", (2,))])
    outputs = [writer.tensor(name, (2,)) for name in ("poses", "poses:1")]
    options = flexbuffers.Dumps({"factor": 3.0, "deep": True, "name": "a"})
    writer.op("MyDecoder", [y], outputs, custom_options=options)
    graph = read(writer)
    assert graph.custom_types == {"MyDecoder"}
    model = GraphModel(graph)
    assert model.execute(np.float32([-1, 1]), ["y"])["y"].numpy().tolist() == [0, 1]
    with pytest.raises(core.KernelNotFound, match=r"MyDecoder \(poses\)"):
        model.predict(np.float32([-1, 1]))

    def decode(x, factor, deep, name):
        return [x * factor, x + (10.0 if deep and name == "a" else 0.0)]

    given = GraphModel(graph, kernels={"MyDecoder": decode}).predict(np.float32([-1, 1]))
    assert {n: t.numpy().tolist() for n, t in given.items()} == {
        "poses": [0, 3],
        "poses:1": [10, 11],
    }


def test_options_that_are_no_flexbuffer_are_bytes(writer, read):
    x = writer.input("x", (2,))
    writer.op("MyOp", [x], [writer.tensor("y", (2,))], custom_options=b"\1\2\3\4")
    (node,) = (n for n in read(writer).nodes if n.type == "MyOp")
    assert node.attributes == {"custom_options": b"\1\2\3\4"}


def test_constants_behind_the_flatbuffer(writer, read):
    x = writer.input("x", (2,))
    added = writer.constant([1.0, 2.0], "FLOAT32")
    writer.op("ADD", [x, added], [writer.tensor("y", (2,))], "Add")
    buffer = writer.model.buffers[1]
    buffer.data, buffer.offset, buffer.size = None, 12345678, 8

    def with_values(content):
        place = struct.pack("<Q", len(content))
        moved = content.replace(struct.pack("<Q", 12345678), place)
        return moved + np.float32([5, 6]).tobytes()

    graph = read(writer, with_values)
    assert GraphModel(graph).predict(np.float32([0, 1]))["y"].numpy().tolist() == [5, 7]
    with pytest.raises(WeightsError, match="outside of the file"):
        read(writer, lambda content: with_values(content)[:-1])


def test_bytes_behind_the_model_are_ignored(read, tmp_path):
    content = (FOLDER / "halves.tflite").read_bytes()
    path = tmp_path / "with_metadata.tflite"
    path.write_bytes(content + b"PK\3\4 labels.txt")
    assert set(read_tflite(path).outputs) == {"conv", "sum"}


def test_weights_of_16_bits_become_float32(rng):
    graph = read_tflite(FOLDER / "halves.tflite")
    assert {a.dtype for a in graph.weights.values()} == {np.dtype(np.float32)}
    kernel = graph.weights["filters/HWIO"]
    assert kernel.shape == (3, 3, 4, 3)
    assert np.array_equal(kernel, kernel.astype(np.float16))
    assert not any(node.type == "Dequantize" for node in graph.nodes)


@pytest.mark.parametrize(
    "dtype, data, values",
    [
        ("int4", b"\x21\x8f", [1, 2, -1, -8]),
        ("bfloat16", b"\x80\x3f\x20\xc0", [1.0, -2.5]),
        ("float16", b"\x00\x3c", [1.0]),
        ("int64", b"\xff" * 8, [-1]),
    ],
)
def test_dtypes_of_constants(dtype, data, values):
    assert decoded(data, TensorInfo("w", (1,), (1,), dtype, 0)).tolist() == values


def test_constants_of_other_dtypes_are_refused():
    with pytest.raises(core.CoreError, match="dtype string, which is not supported"):
        decoded(b"ab", TensorInfo("w", (1,), (1,), "string", 0))
    with pytest.raises(core.CoreError, match="7 bytes are not a multiple of the size of int32"):
        decoded(b"1234567", TensorInfo("w", (2,), (2,), "int32", 0))


@pytest.mark.parametrize("axis", [-2, 3, 2**31 - 1])
def test_axes_of_one_hot_are_checked(axis, writer, read):
    """Before an axis is counted up to."""
    x = writer.input("x", (2, 3), "INT32")
    numbers = [writer.constant(n) for n in (4, 1, 0)]
    output = writer.tensor("y", (2, 3, 4), "INT32")
    writer.op("ONE_HOT", [x, *numbers], [output], "OneHot", axis=axis)
    with pytest.raises(WeightsError, match=f"axis {axis} must be -1 to 2"):
        read(writer)


def sparse(dense, order, block_axes, kinds):
    """The values and levels of an array, in TFLite's way: dense or compressed level by level."""
    rank = dense.ndim
    sizes = [2 if axis in block_axes else 1 for axis in range(rank)]
    split = dense.reshape([n for length, s in zip(dense.shape, sizes, strict=True)
                           for n in (length // s, s)])  # fmt: skip
    axes = [2 * a if a < rank else 2 * block_axes[a - rank] + 1 for a in order]
    rest = [a for a in range(2 * rank) if a not in axes]
    ordered = split.transpose(axes + rest).reshape([split.shape[a] for a in axes])
    blocks, levels = [ordered], []
    for kind in kinds:
        if kind == "dense":
            levels.append(Dimension(blocks[0].shape[0]))
            blocks = [part for block in blocks for part in block]
            continue
        segments, indices, kept = [0], [], []
        for block in blocks:
            found = [i for i, part in enumerate(block) if np.any(part)]
            indices += found
            kept += [block[i] for i in found]
            segments.append(len(indices))
        levels.append(Dimension(0, np.array(segments, np.int32), np.array(indices, np.uint8)))
        blocks = kept
    return np.array(blocks), Sparsity(tuple(order), tuple(block_axes), levels)


@pytest.mark.parametrize(
    "order, block_axes, kinds",
    [
        ((0, 1, 2), (), ("dense", "sparse", "dense")),
        ((0, 1, 2), (), ("sparse", "sparse", "sparse")),
        ((2, 0, 1), (), ("dense", "dense", "sparse")),
        ((0, 1, 2, 3), (2,), ("dense", "dense", "sparse", "dense")),
        ((1, 0, 2, 3, 4), (0, 2), ("dense", "sparse", "sparse", "dense", "dense")),
        ((0, 1, 2, 4, 3), (1, 0), ("dense", "sparse", "dense", "dense", "dense")),
    ],
)
def test_sparse_formats(order, block_axes, kinds, rng):
    dense = rng.normal(size=(4, 6, 8)) * (rng.random((4, 6, 8)) < 0.2)
    values, sparsity = sparse(dense, order, block_axes, kinds)
    assert np.array_equal(densified(values, dense.shape, sparsity), dense)


@pytest.mark.parametrize(
    "levels, message",
    [
        ([Dimension(3), Dimension(4)], "dense level of 3 does not fit 2"),
        ([Dimension(2), Dimension(0, np.array([0, 1]), np.array([1]))], "2 segments"),
        ([Dimension(2), Dimension(0, np.array([0, 2, 1]), np.array([1]))], "3 segments"),
        ([Dimension(2), Dimension(0, np.array([0, 0, 1]), np.array([4]))], "outside of 0 to 3"),
        ([Dimension(2), Dimension(0, np.array([0, 0, 2]), np.array([1, 2]))], "2 positions for 1"),
        ([Dimension(2), Dimension(4)], "level of 2 does not fit 2 or 1"),
    ],
)
def test_damaged_sparse_constants(levels, message):
    with pytest.raises(core.CoreError, match=message):
        densified(np.ones(1), (2, 4), Sparsity((0, 1), (), levels))


def test_sparse_constants_stay_within_bounds(writer, read):
    x = writer.input("x", (1, 1000))
    weights = writer.constant(np.ones(1), "FLOAT32")
    tensor = writer.graph.tensors[weights]
    tensor.shape = [40000, 1000]
    tensor.sparsity = writer.schema.SparsityParametersT()
    tensor.sparsity.traversalOrder, tensor.sparsity.blockMap = [0, 1], []
    levels = []
    for _ in range(2):
        level = writer.schema.DimensionMetadataT()
        level.format, level.denseSize = 0, 1
        levels.append(level)
    tensor.sparsity.dimMetadata = levels
    dense = writer.op("DENSIFY", [weights], [writer.tensor("dense", (40000, 1000))])
    output = writer.tensor("y", (1, 40000))
    writer.op("FULLY_CONNECTED", [x, dense, -1], [output], "FullyConnected")
    with pytest.raises(WeightsError, match=r"takes 160000000 bytes, its 4 allow 1052576"):
        read(writer)


def test_one_buffer_for_many_constants_is_not_expanded_without_end(writer, read):
    x = writer.input("x", (9000,))
    stored = writer.constant(np.ones(9000), "INT8", quanta=(1.0, 0))
    for i in range(400):
        other = writer.tensor(f"c{i}", (9000,), "INT8", (1.0 + i, 0))
        writer.graph.tensors[other].buffer = writer.graph.tensors[stored].buffer
        writer.op("ADD", [x, other], [writer.tensor(f"y{i}", (9000,))], "Add")
    with pytest.raises(WeightsError, match="constants need more than 32 times the file"):
        read(writer)


def chained(writer):
    x = writer.input("x", (2,))
    y = writer.tensor("y", (2,))
    writer.op("RELU", [x], [y])
    return writer


def broken(change):
    """A model with one thing wrong."""

    def build(writer):
        chained(writer)
        change(writer, writer.graph.operators[0])
        return writer

    return build


def set_field(name, value):
    return lambda writer, op: setattr(op, name, value)


def set_tensor(**fields):
    def change(writer, op):
        for name, value in fields.items():
            setattr(writer.graph.tensors[1], name, value)

    return change


def a_scale(scale, count=1):
    def change(writer, op):
        tensor = writer.graph.tensors[1]
        tensor.type = writer.schema.TensorType.INT8
        tensor.quantization = writer.schema.QuantizationParametersT()
        tensor.quantization.scale = np.full(count, scale, np.float32)

    return change


@pytest.mark.parametrize(
    "change, message",
    [
        (set_field("inputs", [7]), "the index 7 of a tensor is outside of 0 to 1"),
        (set_field("inputs", [-2]), "the index -2 of a tensor is outside"),
        (set_field("inputs", [1]), "'y' must be a constant, or come from an earlier op"),
        (set_field("inputs", []), "input 0 is missing"),
        (set_field("outputs", [0]), "'x' is computed twice"),
        (set_field("outputs", [-1]), "the index -1 of a tensor is outside"),
        (set_field("opcodeIndex", 5), "the op code 5 is outside of 0 to 0"),
        (set_tensor(buffer=9), "buffer 9 of 1"),
        (set_tensor(shape=[2, -3]), "invalid shape"),
        (set_tensor(shape=[2**30, 2**30]), "invalid shape"),
        (set_tensor(shape=[1] * 40), "invalid shape"),
        (set_tensor(type=99), "the dtype of 'y' 99 is unknown"),
        (set_tensor(type=13), "dtype resource, which is not supported"),
        (a_scale(np.nan), "finite"),
        (a_scale(-1), "finite, and not negative"),
        (a_scale(0), "needs one scale above 0"),
        (a_scale(1, 3), "3 scales do not fit axis 0"),
        (lambda writer, op: setattr(writer.model, "version", 2), "version 2"),
        (lambda writer, op: setattr(writer.model, "subgraphs", []), "no subgraph"),
        (
            lambda writer, op: setattr(writer.model.operatorCodes[0], "builtinCode", 9999),
            "the op 9999 is unknown",
        ),
    ],
)
def test_damaged_models(change, message, writer, read):
    with pytest.raises(WeightsError, match=message):
        read(broken(change)(writer))


def test_a_circle_is_refused(writer, read):
    a, b = writer.tensor("a", (2,)), writer.tensor("b", (2,))
    writer.op("RELU", [b], [a])
    writer.op("NEG", [a], [b])
    with pytest.raises(WeightsError, match="'b' must be a constant, or come from an earlier op"):
        read(writer, outputs=[b])


@pytest.mark.parametrize("values", [3, 5])
def test_constants_must_have_as_many_values_as_their_shape(values, writer, read):
    x = writer.input("x", (4,))
    added = writer.constant(np.ones(values), "FLOAT32")
    writer.graph.tensors[added].shape = [4]
    writer.op("ADD", [x, added], [writer.tensor("y", (4,))], "Add")
    with pytest.raises(WeightsError, match=rf"\(4,\) has {values} values"):
        read(writer)


def test_options_of_another_op_are_refused(writer, read):
    x = writer.input("x", (1, 4))
    writer.op("SOFTMAX", [x], [writer.tensor("y", (1, 4))], "Add")
    with pytest.raises(WeightsError, match="SOFTMAX has options of kind 11, not 9"):
        read(writer)


def test_every_place_of_a_file_is_checked():
    """Files that end early, and words that point anywhere: an error that names the file."""
    content = (FOLDER / "halves.tflite").read_bytes()
    for size in range(0, len(content), 7):
        with pytest.raises(core.CoreError):
            read_document(content[:size])


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"TFL3",
        b"\0\0\0\0TFL3",
        b"\xff\xff\xff\xffTFL3",
        b"PK\3\4----",
        b"\x08\0\0\0TFL3" + b"\xff" * 40,
    ],
)
def test_other_files_are_refused(content, tmp_path):
    path = tmp_path / "no_model.tflite"
    path.write_bytes(content)
    with pytest.raises(WeightsError, match=re.escape(str(path))):
        read_tflite(path)
    with pytest.raises(WeightsError, match="cannot read"):
        read_tflite(tmp_path / "missing.tflite")
