"""ONNX files: what their reader knows beside ops, and each op once with its inputs."""

import tempfile
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import core
from tests.core.converter.fuzz.protobuf import field
from tests.core.converter.onnx import protos
from tests.core.converter.onnx.protos import Body, OfCall, graph, model, node, value
from tests.reliability.fuzz.writers import Writers
from weights_cache import ZooError

#: The recorded ops, and the most bytes of one.
OPS = Path(__file__).parent / "onnx_ops.zip"
_LARGEST = 4000

_IMAGE = value("image", ("batch", 3, 8, 8))


def writers() -> Writers:
    """Small networks: weights of all kinds and places, functions, branches, loops, sequences."""
    made = {
        "convolutions": _convolutions,
        "shapes": _shapes,
        "control": _control,
        "functions": _functions,
        "quantised": _quantised,
        "recurrent": _recurrent,
        "weights": _weights,
    }
    return {name: partial(_write, make) for name, make in made.items()} | {
        "external": _write_external
    }


def op_writers() -> Writers:
    """One case of each op, whose inputs are weights: recorded from the suite of `onnx`."""
    with zipfile.ZipFile(OPS) as archive:
        return {n: partial(_write, partial(bytes, archive.read(n))) for n in archive.namelist()}


def _write(make: Callable[[], bytes], folder: Path) -> Path:
    return protos.write(folder, make())


def _draw(*shape: int) -> np.ndarray:
    return np.random.default_rng(shape).normal(size=shape).astype(np.float32) * np.float32(0.3)


def _convolutions() -> bytes:
    nodes = [
        node("Conv", ["image", "w", "b"], ["c"], kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
        node("BatchNormalization", ["c", "b", "b", "b", "one"], ["n"], epsilon=1e-3),
        node("Relu", ["n"], ["r"]),
        node("MaxPool", ["r"], ["p"], kernel_shape=[2, 2], strides=[2, 2]),
        node("Conv", ["p", "depthwise"], ["d"], group=4, kernel_shape=[3, 3], dilations=[1, 1]),
        node("HardSigmoid", ["d"], ["h"]),
        node("GlobalAveragePool", ["h"], ["g"]),
        node("Flatten", ["g"], ["f"]),
        node("Gemm", ["f", "m"], ["s"], transB=1),
        node("Softmax", ["s"], ["scores"], axis=-1),
    ]
    weights = {
        "w": _draw(4, 3, 3, 3),
        "b": _draw(4),
        "one": np.ones(4, np.float32),
        "depthwise": _draw(4, 1, 3, 3),
        "m": _draw(5, 4),
    }
    return _model(nodes, ["scores"], weights, metadata={"names": "{0: 'cat'}", "stride": "32"})


def _shapes() -> bytes:
    """The arithmetic of shapes that PyTorch exports, a resize and a transposition."""
    nodes = [
        node("Shape", ["image"], ["s"]),
        node("Constant", [], ["zero"], value=np.int64([0])),
        node("Gather", ["s", "zero"], ["n"], axis=0),
        node("Constant", [], ["rest"], value_ints=[3, -1]),
        node("Concat", ["n", "rest"], ["to"], axis=0),
        node("Reshape", ["image", "to"], ["r"]),
        node("Transpose", ["r"], ["t"], perm=[0, 2, 1]),
        node("Slice", ["t", "starts", "ends", "axes"], ["c"]),
        node("Resize", ["image", "", "scales"], ["up"], mode="linear"),
        node("ConstantOfShape", ["n"], ["filled"], value=np.float32([2])),
        node("ReduceMean", ["up"], ["mean"], axes=[2, 3], keepdims=0),
        node("Expand", ["filled", "n"], ["e"]),
        node("Unsqueeze", ["e", "one"], ["u"]),
        node("Add", ["u", "mean"], ["y"]),
    ]
    weights = {
        "starts": np.int64([1]),
        "ends": np.int64([2**63 - 1]),
        "axes": np.int64([1]),
        "one": np.int64([1]),
        "scales": np.float32([1, 1, 2, 2]),
    }
    return _model(nodes, ["y", "c"], weights)


def _control() -> bytes:
    """A branch, a loop, a scan and a sequence, of what is around them."""
    less = graph([node("Add", ["image", "w"], ["a"])], [], [value("a")])
    more = graph(
        [node("Constant", [], ["k"], value=_draw(8)), node("Mul", ["image", "k"], ["b"])],
        [],
        [value("b")],
    )
    loop = graph(
        [node("Add", ["state", "w"], ["next"]), node("ReduceSum", ["next"], ["each"], keepdims=0)],
        [value("i", (), "int64"), value("go", (), "bool"), value("state")],
        [value("go", (), "bool"), value("next"), value("each")],
    )
    scan = graph(
        [node("Add", ["sum", "row"], ["more"]), node("Neg", ["more"], ["seen"])],
        [value("sum"), value("row")],
        [value("more"), value("seen")],
    )
    nodes = [
        node("ReduceMax", ["image"], ["top"], keepdims=0),
        node("Less", ["top", "limit"], ["is_low"]),
        node("If", ["is_low"], ["chosen"], then_branch=Body(less), else_branch=Body(more)),
        node("Loop", ["three", "", "chosen"], ["last", "sums"], body=Body(loop)),
        node("Scan", ["limit", "sums"], ["total", "scanned"], body=Body(scan), num_scan_inputs=1),
        node("SequenceConstruct", ["total", "limit"], ["list"]),
        node("SequenceAt", ["list", "one"], ["member"]),
        node("Add", ["scanned", "member"], ["y"]),
    ]
    weights = {
        "w": _draw(8),
        "limit": np.float32(1),
        "three": np.int64(3),
        "one": np.int64(1),
    }
    return _model(nodes, ["y", "last"], weights)


def _functions() -> bytes:
    inner = protos.function(
        "Scaled",
        ["v", "most"],
        ["w"],
        [
            node("Constant", [], ["by"], value_float=OfCall("factor")),
            node("Mul", ["v", "by"], ["m"]),
            node("Clip", ["m", "", "most"], ["w"]),
        ],
        defaults={"factor": 2.0},
    )
    calls = [
        node("Scaled", ["v"], ["a"], "own", factor=3.0),
        node("Scaled", ["a", "v"], ["b"], "own"),
    ]
    outer = protos.function("Twice", ["v"], ["b"], calls[:1] + [node("Neg", ["a"], ["b"])])
    nodes = [
        node("Twice", ["image"], ["t"], "own"),
        node("Scaled", ["t", "most"], ["y"], "own"),
    ]
    opsets = {"": 17, "own": 1}
    weights = {"most": np.float32(0.5)}
    return _model(nodes, ["y"], weights, opsets=opsets, functions=[inner, outer])


def _quantised() -> bytes:
    nodes = [
        node("QuantizeLinear", ["image", "scale", "zero"], ["q"]),
        node("DequantizeLinear", ["q", "scale", "zero"], ["d"]),
        node("DynamicQuantizeLinear", ["d"], ["dq", "ds", "dz"]),
        node("ConvInteger", ["dq", "w", "dz"], ["c"], kernel_shape=[3, 3]),
        node("Cast", ["c"], ["f"], to=1),
        node("Mul", ["f", "ds"], ["y"]),
    ]
    weights = {
        "scale": np.float32(0.02),
        "zero": np.uint8(128),
        "w": np.arange(-54, 54).astype(np.int8).reshape(4, 3, 3, 3),
    }
    return _model(nodes, ["y"], weights)


def _recurrent() -> bytes:
    nodes = [
        node("Reshape", ["image", "to"], ["x"]),
        node("LSTM", ["x", "w", "r", "b"], ["all", "last"], hidden_size=4, direction="forward"),
        node("Squeeze", ["all", "one"], ["s"]),
        node("GRU", ["s", "gw", "gr"], ["", "y"], hidden_size=2),
    ]
    weights = {
        "to": np.int64([8, -1, 24]),
        "w": _draw(1, 16, 24),
        "r": _draw(1, 16, 4),
        "b": _draw(1, 32),
        "gw": _draw(1, 6, 4),
        "gr": _draw(1, 6, 2),
        "one": np.int64([1]),
    }
    return _model(nodes, ["y", "last"], weights)


def _weights() -> bytes:
    """Constants of every type, listed, raw and sparse."""
    kinds = [np.float16, np.float64, np.uint8, np.int8, np.uint16, np.int16, np.int64, np.uint32]
    tensors = [protos.tensor(np.ones(8, kind), f"c{i}") for i, kind in enumerate(kinds)]
    tensors += [
        protos.head_of((8,), "bfloat16", "c8") + field(9, np.full(8, 0x3F80, "<u2").tobytes()),
        protos.head_of((8,), "float8e4m3fn", "c9") + field(9, bytes([0x38] * 8)),
        protos.head_of((8,), "int4", "c10") + field(9, bytes([0xF1] * 4)),
        protos.head_of((8,), "float32", "c11") + field(4, np.ones(8, "<f4").tobytes()),
        protos.head_of((8,), "int64", "c12") + b"".join(field(7, 1) for _ in range(8)),
        protos.head_of((2,), "string", "texts") + field(6, "a") + field(6, b"b"),
    ]
    sparse = field(1, protos.tensor(np.float32([5, 7]), "c13"))
    sparse += field(2, protos.tensor(np.int64([1, 5]))) + field(3, 8)
    nodes = [node("Identity", ["image"], ["s0"])]
    for i in range(14):
        nodes.append(node("Cast", [f"c{i}"], [f"f{i}"], to=1))
        nodes.append(node("Add", [f"s{i}", f"f{i}"], [f"s{i + 1}"]))
    nodes.append(node("Identity", ["texts"], ["t"]))
    outputs = [value("s14"), value("t", (2,), "string")]
    return model(graph(nodes, [_IMAGE], outputs, tensors, [sparse]), {"": 21})


def _write_external(folder: Path) -> Path:
    """A network whose weights are in two other files."""
    first, second = _draw(4, 3, 3, 3), _draw(4)
    (folder / "conv.bin").write_bytes(first.tobytes() + second.tobytes())
    (folder / "data").mkdir()
    (folder / "data" / "more.bin").write_bytes(second.tobytes())
    tensors = [
        protos.external((4, 3, 3, 3), "float32", "w", location="conv.bin", length=432),
        protos.external((4,), "float32", "b", location="conv.bin", offset=432),
        protos.external((4,), "float32", "c", location="data/more.bin"),
    ]
    nodes = [
        node("Conv", ["image", "w", "b"], ["h"]),
        node("Conv", ["image", "w", "c"], ["k"]),
        node("Sub", ["h", "k"], ["y"]),
    ]
    return protos.write(folder, model(graph(nodes, [_IMAGE], [value("y")], tensors)))


def _model(
    nodes: list[bytes], outputs: list[str], weights: dict[str, np.ndarray], **options: Any
) -> bytes:
    tensors = [protos.tensor(array, name) for name, array in weights.items()]
    return model(graph(nodes, [_IMAGE], [*map(value, outputs)], tensors), **options)


# Recording of the ops: python -m tests.reliability.fuzz.onnx_files


def _record() -> None:
    from onnx.backend.test.case.node import collect_testcases

    seen = set()
    with zipfile.ZipFile(OPS, "w", zipfile.ZIP_DEFLATED) as archive:
        for case in collect_testcases(None):
            op = case.model.graph.node[0].op_type
            data = _with_weights(case) if op not in seen and case.data_sets else None
            if data is not None and len(data) < _LARGEST and _runs(data):
                seen.add(op)
                info = zipfile.ZipInfo(case.name)
                archive.writestr(info, data, zipfile.ZIP_DEFLATED)


def _with_weights(case: Any) -> bytes | None:
    """The file of a case, whose inputs are its weights; None where one is no tensor."""
    import onnx

    inputs = case.data_sets[0][0]
    named = zip((end.name for end in case.model.graph.input), inputs, strict=False)
    weights = {name: array for name, array in named if isinstance(array, np.ndarray)}
    if len(weights) < len(inputs):
        return None
    made = onnx.ModelProto()
    made.CopyFrom(case.model)
    made.graph.initializer.extend(
        onnx.numpy_helper.from_array(array, name) for name, array in weights.items()
    )
    return bytes(made.SerializeToString())


def _runs(data: bytes) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        try:
            network = core.load_model(protos.write(Path(folder), data))
            return not network.inputs and len(network.predict({})) > 0
        except ZooError:
            return False


if __name__ == "__main__":
    _record()
