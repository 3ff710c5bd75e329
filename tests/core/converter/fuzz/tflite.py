"""A small TFLite file, and TFLite files with other numbers in their tables."""

from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from tests.core.converter.fuzz.documents import CHANNELS, CLASSES, SIDE

Arrays = dict[str, np.ndarray]
HOSTILE = (-1, 0, 1, 2, 7, 127, 128, 255, 1000, 2**20, 2**31 - 1, -(2**31))


@cache
def schema() -> Any:
    """The tables of the format as classes; LiteRT's package brings them."""
    return import_module("ai_edge_litert.schema_py_generated")


def model_bytes(arrays: Arrays) -> bytes:
    """The file: a quantised convolution, dequantised, a mean, and a dense layer in floats."""
    return packed(_model(arrays))


def packed(model: Any) -> bytes:
    """The bytes of a model as objects."""
    from flatbuffers import Builder

    builder = Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def damaged(data: bytes, rng: np.random.Generator) -> bytes:
    """The file with other numbers in places of its tables, or in the options of a custom op."""
    model = schema().ModelT.InitFromObj(schema().Model.GetRootAs(bytearray(data)))
    custom = [o for g in model.subgraphs for o in g.operators if o.customOptions is not None]
    if custom and rng.random() < 0.3:
        chosen = custom[int(rng.integers(len(custom)))]
        options = chosen.customOptions = np.array(chosen.customOptions, np.uint8)
        options[rng.integers(len(options), size=2)] = rng.integers(256, size=2)
        return packed(model)
    for _ in range(int(rng.integers(1, 3))):
        places = list(_numbers(model))
        owner, key = places[int(rng.integers(len(places)))]
        number = HOSTILE[int(rng.integers(len(HOSTILE)))]
        if isinstance(key, int):
            owner[key] = number
        else:
            setattr(owner, key, number)
    return packed(model)


def _numbers(item: Any) -> Any:
    """Every place of a number in the tables, with what holds it; weights are left out."""
    if isinstance(item, list):
        keys: Any = range(len(item))
        values = item
    elif isinstance(item, np.ndarray):
        return
    else:
        keys, values = vars(item).keys(), vars(item).values()
    for key, value in zip(list(keys), list(values), strict=True):
        if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
            yield item, key
        elif isinstance(value, list) or hasattr(value, "Pack"):
            yield from _numbers(value)


def _model(arrays: Arrays) -> Any:
    kernel, dense = arrays["kernel"].transpose(3, 0, 1, 2), arrays["dense"].T
    quanta = {
        "image": _quantization(1 / 128, 128),
        "kernel": _quantization(1 / 32, 128),
        "bias": _quantization(1 / 4096, 0),
        "conv": _quantization(1 / 16, 0),
    }
    content = {
        "kernel": np.clip(np.rint(kernel * 32) + 128, 0, 255).astype(np.uint8),
        "bias": np.rint(arrays["bias"] * 4096).astype(np.int32),
        "axes": np.array([1, 2], np.int32),
        "dense": np.ascontiguousarray(dense),
        "dense_bias": arrays["dense_bias"],
    }
    computed = {
        "image": ((1, SIDE, SIDE, 3), np.uint8),
        "conv": ((1, SIDE // 2, SIDE // 2, CHANNELS), np.uint8),
        "real": ((1, SIDE // 2, SIDE // 2, CHANNELS), np.float32),
        "mean": ((1, CHANNELS), np.float32),
        "scores": ((1, CLASSES), np.float32),
    }
    facts = {n: (a.shape, a.dtype.type) for n, a in content.items()} | computed
    names = list(facts)
    buffers = [_buffer(None), *[_buffer(content.get(name)) for name in names]]
    tensors = [_tensor(n, i + 1, *facts[n], quanta.get(n)) for i, n in enumerate(names)]
    steps = (
        ("CONV_2D", ("image", "kernel", "bias"), "conv", _conv_options()),
        ("DEQUANTIZE", ("conv",), "real", None),
        ("MEAN", ("real", "axes"), "mean", schema().ReducerOptionsT()),
        ("FULLY_CONNECTED", ("mean", "dense", "dense_bias"), "scores", _dense_options()),
    )
    graph = schema().SubGraphT()
    graph.tensors = tensors
    graph.inputs, graph.outputs = [names.index("image")], [names.index("scores")]
    graph.operators = [
        _operator(i, [names.index(n) for n in inputs], names.index(output), options)
        for i, (_, inputs, output, options) in enumerate(steps)
    ]
    model = schema().ModelT()
    model.version, model.subgraphs, model.buffers = 3, [graph], buffers
    model.operatorCodes = [_code(kind) for kind, *_ in steps]
    return model


def _quantization(scale: float, zero_point: int) -> Any:
    found = schema().QuantizationParametersT()
    found.scale, found.zeroPoint = [scale], [zero_point]
    return found


def _buffer(array: np.ndarray | None) -> Any:
    found = schema().BufferT()
    if array is not None:
        found.data = np.frombuffer(array.tobytes(), np.uint8)
    return found


def _tensor(name: str, buffer: int, shape: Any, dtype: Any, quantization: Any) -> Any:
    types = schema().TensorType
    found = schema().TensorT()
    kinds = {np.float32: types.FLOAT32, np.uint8: types.UINT8, np.int32: types.INT32}
    found.name, found.buffer, found.shape = name, buffer, list(shape)
    found.type, found.quantization = kinds[dtype], quantization
    return found


def _conv_options() -> Any:
    found = schema().Conv2DOptionsT()
    found.padding, found.strideW, found.strideH = schema().Padding.SAME, 2, 2
    found.fusedActivationFunction = schema().ActivationFunctionType.RELU6
    return found


def _dense_options() -> Any:
    return schema().FullyConnectedOptionsT()


def _operator(code: int, inputs: list[int], output: int, options: Any) -> Any:
    found = schema().OperatorT()
    found.opcodeIndex, found.inputs, found.outputs = code, inputs, [output]
    if options is not None:
        found.builtinOptions = options
        kind = type(options).__name__.removesuffix("T")
        found.builtinOptionsType = getattr(schema().BuiltinOptions, kind)
    return found


def _code(kind: str) -> Any:
    found = schema().OperatorCodeT()
    found.builtinCode = found.deprecatedBuiltinCode = getattr(schema().BuiltinOperator, kind)
    found.version = 1
    return found
