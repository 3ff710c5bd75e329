"""The topologies of the small models that are spoiled."""

import base64
from collections.abc import Mapping
from typing import Any

import numpy as np

CHANNELS, CLASSES, SIDE = 4, 3, 8


def weights(rng: np.random.Generator) -> dict[str, np.ndarray]:
    """The weights of every one of them."""
    return {
        "kernel": rng.normal(size=(3, 3, 3, CHANNELS)).astype(np.float32),
        "bias": rng.normal(size=CHANNELS).astype(np.float32),
        "dense": rng.normal(size=(CHANNELS, CLASSES)).astype(np.float32),
        "dense_bias": rng.normal(size=CLASSES).astype(np.float32),
    }


def attr(**values: Any) -> dict[str, Any]:
    """Attributes of a node: lists of numbers, texts, types (DT_...), numbers and bools."""
    return {name: _attr(value) for name, value in values.items()}


def _attr(value: Any) -> dict[str, Any]:
    if isinstance(value, (list, tuple)):
        (kind,) = {next(iter(_attr(v))) for v in value}
        return {"list": {kind: [_attr(v)[kind] for v in value]}}
    if isinstance(value, bool):
        return {"b": value}
    if isinstance(value, int):
        return {"i": str(value)}
    if isinstance(value, float):
        return {"f": value}
    if isinstance(value, dict):
        return value
    return {"type": value} if value.startswith("DT_") else {"s": _base64(value)}


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


UNTYPED = ("Placeholder", "Const", "VarHandleOp", "ReadVariableOp", "StatelessIf")


def node(name: str, op: str, *inputs: str, **attributes: Any) -> dict[str, Any]:
    """A NodeDef."""
    if op not in UNTYPED:
        attributes["T"] = "DT_FLOAT"
    return {"name": name, "op": op, "input": list(inputs), "attr": attr(**attributes)}


def extent(*lengths: int) -> dict[str, Any]:
    """An attribute that is a shape."""
    return {"shape": {"dim": [{"size": str(n)} for n in lengths]}}


def graph(arrays: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """A GraphDef: a convolution, a branch in functions, a mean and a dense layer."""
    constants = [node(name, "Const", dtype="DT_FLOAT") for name in arrays]
    image = extent(-1, SIDE, SIDE, 3)
    steps = [
        node("image", "Placeholder", dtype="DT_FLOAT", shape=image),
        node("yes", "Const", dtype="DT_BOOL"),
        node("axes", "Const", dtype="DT_INT32"),
        node("conv", "Conv2D", "image", "kernel", strides=[1, 2, 2, 1], padding="SAME"),
        node("biased", "BiasAdd", "conv", "bias", data_format="NHWC"),
        node("split", "Split", "last", "biased", num_split=2),
        node("last", "Const", dtype="DT_INT32"),
        node("joined", "ConcatV2", "split:1", "split", "last", N=2, Tidx="DT_INT32"),
        node("branch", "StatelessIf", "yes", "joined", **_BRANCHES),
        node("mean", "Mean", "branch", "axes", keep_dims=False, Tidx="DT_INT32"),
        node("product", "MatMul", "mean", "dense", transpose_a=False, transpose_b=False),
        node("scores", "Softmax", "logits"),
        node("logits", "BiasAdd", "product", "dense_bias"),
    ]
    functions = [function("on", "Relu6"), function("off", "Neg")]
    return {"node": [*constants, *steps], "library": {"function": functions}, "versions": {}}


_BRANCHES: dict[str, Any] = {
    "then_branch": {"func": {"name": "on"}},
    "else_branch": {"func": {"name": "off"}},
    "Tcond": "DT_BOOL",
    "Tin": ["DT_FLOAT"],
    "Tout": ["DT_FLOAT"],
}


def small_constants() -> dict[str, np.ndarray]:
    """The constants of `graph` beside its weights."""
    return {
        "yes": np.array(True),
        "axes": np.array([1, 2], np.int32),
        "last": np.array(3, np.int32),
    }


def function(name: str, op: str) -> dict[str, Any]:
    """A FunctionDef of one node."""
    body = node("step", op, "x", T="DT_FLOAT")
    arguments = {
        "inputArg": [{"name": "x", "type": "DT_FLOAT"}],
        "outputArg": [{"name": "y", "type": "DT_FLOAT"}],
    }
    result = "step:activations:0" if op == "Relu6" else "step:y:0"
    return {"signature": {"name": name, **arguments}, "nodeDef": [body], "ret": {"y": result}}


def sequential(version: int = 2) -> dict[str, Any]:
    """A Sequential model of Keras 2 or 3: the same network without the branch."""
    shape = {"batch_input_shape" if version == 2 else "batch_shape": [None, SIDE, SIDE, 3]}
    layers = [
        _layer("InputLayer", "image", dtype="float32", **shape),
        _layer(
            "Conv2D",
            "conv",
            filters=CHANNELS,
            kernel_size=[3, 3],
            strides=[2, 2],
            padding="same",
            data_format="channels_last",
            activation="relu6",
            use_bias=True,
        ),
        _layer("GlobalAveragePooling2D", "mean", data_format="channels_last"),
        _layer("Dense", "top", units=CLASSES, activation="softmax", use_bias=True),
    ]
    model = {"class_name": "Sequential", "config": {"name": "small", "layers": layers}}
    if version == 3:
        model |= {"module": "keras", "registered_name": None}
        for layer in layers:
            layer |= {"module": "keras.layers", "registered_name": None}
    return model


def _layer(kind: str, name: str, **config: Any) -> dict[str, Any]:
    return {"class_name": kind, "config": {"name": name, "trainable": True, **config}}


def layer_weights(arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The weights by the names that Keras gives them."""
    names = {
        "kernel": "conv/kernel",
        "bias": "conv/bias",
        "dense": "top/kernel",
        "dense_bias": "top/bias",
    }
    return {names[name]: array for name, array in arrays.items()}


def saved_graph(arrays: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """`graph` with variables in the place of its weights."""
    document = graph(arrays)
    kept = [n for n in document["node"] if n["name"] not in arrays]
    variables = [
        node(
            f"{name}/variable",
            "VarHandleOp",
            dtype="DT_FLOAT",
            shape=extent(*array.shape),
            shared_name=name,
        )
        for name, array in arrays.items()
    ]
    reads = [node(name, "ReadVariableOp", f"{name}/variable", dtype="DT_FLOAT") for name in arrays]
    return {**document, "node": [*variables, *reads, *kept]}
