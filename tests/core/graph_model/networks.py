"""Small networks that train, made of graphs and of model files."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np

import core
from core.converter.web_writer import write_web
from core.graph.nodes import Endpoint, Graph, Node, PartialSpec
from core.graph_model.graph_model import GraphModel
from tests.core.converter.fuzz.protobuf import field, shape
from tests.core.converter.graph_parts import FLOAT, constant, node, tensor_of
from tests.core.converter.tflite.fixtures.models import FOLDER
from tests.helpers import require

_CONV = {"strides": [1, 1, 1, 1], "padding": "SAME", "data_format": "NHWC"}
_NORM = {"epsilon": 0.01, "is_training": False, "data_format": "NHWC"}


def convolutions(seed: int = 0) -> Graph:
    """Two convolutions with batch norm, the mean of pixels, and a dense head."""
    rng = np.random.default_rng(seed)

    def normal(*lengths: int) -> np.ndarray:
        return rng.normal(0, 0.5, lengths).astype(np.float32)

    weights = {"conv/kernel": normal(3, 3, 2, 4), "deep/kernel": normal(3, 3, 4, 1)}
    for name in ("conv_bn", "deep_bn"):
        weights |= {f"{name}/gamma": 1 + normal(4) / 5, f"{name}/beta": normal(4)}
        weights |= {f"{name}/mean": normal(4), f"{name}/variance": 1 + normal(4) ** 2}
    weights |= {"axes": np.int32([1, 2]), "head/kernel": normal(4, 3), "head/bias": normal(3)}

    def norm(name: str, x: str) -> Node:
        parts = (f"{name}/{part}" for part in ("gamma", "beta", "mean", "variance"))
        return Node(name, "FusedBatchNormV3", (x, *parts), _NORM)

    nodes = [
        Node("x", "Placeholder"),
        *(Node(name, "Const") for name in weights),
        Node("conv", "Conv2D", ("x", "conv/kernel"), _CONV),
        norm("conv_bn", "conv"),
        Node("conv_relu", "Relu6", ("conv_bn",)),
        Node("deep", "DepthwiseConv2dNative", ("conv_relu", "deep/kernel"), _CONV),
        norm("deep_bn", "deep"),
        Node("deep_relu", "Relu", ("deep_bn",)),
        Node("features", "Mean", ("deep_relu", "axes"), {"keep_dims": False}),
        Node("product", "MatMul", ("features", "head/kernel")),
        Node("y", "BiasAdd", ("product", "head/bias")),
    ]
    inputs = {"x": Endpoint("x", PartialSpec((None, 6, 5, 2)))}
    return Graph(nodes, weights, inputs, {"y": Endpoint("y", PartialSpec((None, 3)))})


def images(count: int = 4, seed: int = 1) -> np.ndarray:
    """A batch for `convolutions`."""
    return np.random.default_rng(seed).normal(0, 1, (count, 6, 5, 2)).astype(np.float32)


def web_file(folder: Path) -> GraphModel:
    """A graph in the web format."""
    return core.load_model(write_web(convolutions(), folder / "web"))


def frozen_file(folder: Path) -> GraphModel:
    """A frozen graph: a dense layer whose weights are read by way of Identity nodes."""
    kernel = np.random.default_rng(3).normal(0, 1, (4, 2)).astype(np.float32)

    def of(array: np.ndarray) -> bytes:
        return tensor_of(FLOAT, list(array.shape), field(4, array.tobytes()))

    parts = [
        node("x", "Placeholder", dtype=field(6, FLOAT), shape=field(7, shape([-1, 4]))),
        constant("dense/kernel", of(kernel)),
        node("dense/kernel/read", "Identity", "dense/kernel", T=field(6, FLOAT)),
        constant("dense/bias", of(np.float32([0.5, -0.5]))),
        node("product", "MatMul", "x", "dense/kernel/read", T=field(6, FLOAT)),
        node("y", "BiasAdd", "product", "dense/bias", T=field(6, FLOAT)),
    ]
    path = folder / "graph.pb"
    path.write_bytes(b"".join(parts))
    return core.load_model(path)


def tflite_file(folder: Path) -> GraphModel:
    """A TFLite model of floats with convolutions of many kinds."""
    return core.load_model(FOLDER / "convolutions.tflite")


def keras_file(folder: Path) -> GraphModel:
    """A file of Keras 2 with two dense layers."""
    h5py = require("h5py")
    rng, path = np.random.default_rng(4), folder / "model.h5"
    dense = [
        {"class_name": "Dense", "config": {"name": name, "units": units, "activation": kind}}
        for name, units, kind in (("hidden", 6, "tanh"), ("dense", 2, "linear"))
    ]
    first = {"class_name": "InputLayer", "config": {"batch_shape": [None, 4], "name": "x"}}
    config = {"name": "model", "layers": [first, *dense]}
    with h5py.File(path, "w") as file:
        file.attrs["model_config"] = json.dumps({"class_name": "Sequential", "config": config})
        group = file.create_group("model_weights")
        group.attrs["layer_names"] = ["x", "hidden", "dense"]
        group.create_group("x").attrs["weight_names"] = []
        for name, lengths in (("hidden", (4, 6)), ("dense", (6, 2))):
            part = group.create_group(name)
            part.attrs["weight_names"] = [f"{name}/kernel", f"{name}/bias"]
            part[f"{name}/kernel"] = rng.normal(0, 0.5, lengths).astype(np.float32)
            part[f"{name}/bias"] = np.zeros(lengths[-1:], np.float32)
    return core.load_model(path)


#: Of each kind of file: what loads it, patterns, and the output that learns (None: the only one).
FILES: dict[str, tuple[Callable[[Path], GraphModel], tuple[str, ...], str | None]] = {
    "web": (web_file, ("head/*", "deep*"), None),
    "frozen": (frozen_file, ("dense/*",), None),
    "tflite": (tflite_file, ("constant_1/*", "constant_2"), "plain"),
    "keras": (keras_file, ("dense/kernel",), None),
}
