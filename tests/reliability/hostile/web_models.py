"""Hostile models of TensorFlow.js: 14 names of shards, 15 weights, 30 layers, 10 documents."""

import json
import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

Files = Mapping[str, Callable[[Path], Path]]
Document = dict[str, Any]


def layer(class_name: str, name: str, **config: Any) -> Document:
    """A layer of a Sequential model."""
    return {"class_name": class_name, "config": {"name": name, **config}}


def sequential(*layers: Document) -> Document:
    """The configuration of a model."""
    return {"class_name": "Sequential", "config": {"name": "s", "layers": list(layers)}}


def write_layers(
    folder: Path,
    config: Document,
    weights: Mapping[str, np.ndarray] | None = None,
    entries: list[Document] | None = None,
    paths: list[Any] | None = None,
) -> Path:
    """A model.json, and its only shard.

    Args:
        folder: where they are written.
        config: of the model.
        weights: float32 arrays by name.
        entries: of the manifest, by default those of the weights.
        paths: of shards, by default that of the only one.
    """
    arrays = {name: np.asarray(a, np.float32) for name, a in (weights or {}).items()}
    data = b"".join(a.tobytes() for a in arrays.values())
    found = [{"name": n, "shape": list(a.shape), "dtype": "float32"} for n, a in arrays.items()]
    (folder / "weights.bin").write_bytes(data)
    document = {
        "format": "layers-model",
        "modelTopology": {"keras_version": "2.15.0", "model_config": config},
        "weightsManifest": [
            {"paths": ["weights.bin"] if paths is None else paths, "weights": entries or found}
        ],
    }
    return write_text(folder, json.dumps(document))


def write_text(folder: Path, text: str | bytes) -> Path:
    """A model.json of any content."""
    path = folder / "model.json"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


DENSE = sequential(layer("Dense", "d", units=3, batch_input_shape=[None, 4]))
KERNEL = {"d/kernel": np.ones((4, 3)), "d/bias": np.zeros(3)}

#: Names of shards; the file behind them is made beside the folder where that can be.
SHARD_NAMES: Mapping[str, Any] = {
    "parent": "../stolen.bin",
    "deep_parent": "a/../../stolen.bin",
    "absolute": "/etc/passwd",
    "drive": "C:\\weights.bin",
    "backslash": "..\\stolen.bin",
    "nul": "weights.bin\0.png",
    "surrogate": "\ud800.bin",
    "empty": "",
    "dot": ".",
    "number": 3,
    "long": "x" * 5000,
    "url": "file:///etc/passwd",
}


def _shard_named(name: Any, folder: Path) -> Path:
    inner = folder / "model"
    inner.mkdir()
    (folder / "stolen.bin").write_bytes(bytes(60))
    return write_layers(inner, DENSE, KERNEL, paths=[name])


def _shard_link(folder: Path) -> Path:
    path = _shard_named("link.bin", folder)
    (path.parent / "link.bin").symlink_to(folder / "stolen.bin")
    return path


def _shard_pipe(folder: Path) -> Path:
    path = _shard_named("pipe.bin", folder)
    os.mkfifo(path.parent / "pipe.bin")
    return path


def shards() -> Files:
    """14 names of shards."""
    named = {f"shard_{key}": partial(_shard_named, name) for key, name in SHARD_NAMES.items()}
    return {**named, "shard_link": _shard_link, "shard_pipe": _shard_pipe}


def entry(**changes: Any) -> list[Document]:
    """Both entries of the dense layer, the first one changed."""
    kernel = {"name": "d/kernel", "shape": [4, 3], "dtype": "float32", **changes}
    return [kernel, {"name": "d/bias", "shape": [3], "dtype": "float32"}]


def quantized(dtype: Any = "uint8", scale: Any = 1.0, minimum: Any = 0.0) -> Document:
    """The quantization of an entry."""
    return {"quantization": {"dtype": dtype, "scale": scale, "min": minimum}}


ENTRIES: Mapping[str, Document] = {
    "huge": {"shape": [2**31, 2**31]},
    "huge_beside_none": {"shape": [0, 2**62]},
    "negative": {"shape": [-4, 3]},
    "float_length": {"shape": [4.5, 3]},
    "nan_length": {"shape": [float("nan"), 3]},
    "many_axes": {"shape": [1] * 33},
    "object": {"dtype": "object"},
    "unknown_dtype": {"dtype": "float64"},
    "strings": {"dtype": "string"},
    "scale_nan": quantized(scale=float("nan")),
    "scale_infinite": quantized("uint16", float("inf")),
    "scale_text": quantized(scale="__import__('os')"),
    "quantized_object": quantized("object"),
    "no_name": {"name": None},
    "shape_text": {"shape": "4,3"},
}


def entries() -> Files:
    """15 entries of weights."""

    def write(changes: Document, folder: Path) -> Path:
        return write_layers(folder, DENSE, KERNEL, entries=entry(**changes))

    return {f"entry_{key}": partial(write, changes) for key, changes in ENTRIES.items()}


def _one(class_name: str, shape: list[Any], **config: Any) -> Document:
    return sequential(layer(class_name, "y", batch_input_shape=[None, *shape], **config))


def _nested(depth: int) -> Document:
    found = layer("Dense", "d", units=2)
    for i in range(depth):
        found = layer("TimeDistributed", f"t{i}", layer=found)
    found["config"]["batch_input_shape"] = [None, *[1] * depth, 2]
    return sequential(found)


def _doubling(depth: int) -> Document:
    """Each model calls the one in it four times."""

    def functional(name: str, *layers: Document, output: list[Any]) -> Document:
        start = {"class_name": "InputLayer", "name": "x", "inbound_nodes": []}
        start["config"] = {"name": "x", "batch_input_shape": [None, 4]}
        ends = {"input_layers": [["x", 0, 0]], "output_layers": [output]}
        config = {"name": name, "layers": [start, *layers], **ends}
        return {"class_name": "Functional", "name": name, "config": config}

    def called(inner: Document, times: int) -> Document:
        calls = [[["x" if i == 0 else "m", max(i - 1, 0), 0, {}]] for i in range(times)]
        return {**inner, "name": "m", "inbound_nodes": calls}

    relu = {"class_name": "ReLU", "config": {"name": "m"}}
    found = functional("m", called(relu, 1), output=["m", 0, 0])
    for _ in range(depth):
        found = functional("m", called(found, 4), output=["m", 3, 0])
    return found


def _cycle() -> Document:
    a = {**layer("ReLU", "a"), "name": "a", "inbound_nodes": [[["b", 0, 0, {}]]]}
    b = {**layer("ReLU", "b"), "name": "b", "inbound_nodes": [[["a", 0, 0, {}]]]}
    ends = {"input_layers": [["a", 0, 0]], "output_layers": [["b", 0, 0]]}
    return {"class_name": "Functional", "config": {"name": "f", "layers": [a, b], **ends}}


def _many_inputs(class_name: str, count: int, shape: list[int], **config: Any) -> Document:
    start = {**layer("InputLayer", "x", batch_input_shape=[None, *shape]), "name": "x"}
    start["inbound_nodes"] = []
    last = {**layer(class_name, "y", **config), "name": "y"}
    last["inbound_nodes"] = [[["x", 0, 0, {}]] * count]
    ends = {"input_layers": [["x", 0, 0]], "output_layers": [["y", 0, 0]]}
    return {"class_name": "Functional", "config": {"name": "f", "layers": [start, last], **ends}}


_ZEROS = {"target_shape": [2**31, 2**31]}
_LAMBDA = {"function": ["gANjYnVpbHRpbnMKZXhlYwpxAFgB", None, None], "function_type": "lambda"}

LAYERS: Mapping[str, Callable[[], Document]] = {
    "repeat": lambda: _one("RepeatVector", [4], n=10**12),
    "repeat_large": lambda: _one("RepeatVector", [4], n=175_000_000),
    "padding_1d": lambda: _one("ZeroPadding1D", [2, 2], padding=[10**12, 0]),
    "padding_2d": lambda: _one("ZeroPadding2D", [2, 2, 1], padding=[[10**6] * 2, [10**6] * 2]),
    "padding_3d": lambda: _one("ZeroPadding3D", [2, 2, 2, 1], padding=[[10**4] * 2] * 3),
    "category": lambda: _one("CategoryEncoding", [2], num_tokens=10**12, output_mode="one_hot"),
    "category_large": lambda: _one("CategoryEncoding", [2], num_tokens=7 * 10**8),
    "normalization": lambda: _one("Normalization", [5 * 10**8], mean=0.5, variance=1.0, axis=-1),
    "normalization_largest": lambda: _one("Normalization", [2**31 - 1], mean=0.5, variance=1.0),
    "upsampling_1d": lambda: _one("UpSampling1D", [2, 2], size=10**9),
    "upsampling_2d": lambda: _one("UpSampling2D", [2, 2, 1], size=[10**5, 10**5]),
    "upsampling_3d": lambda: _one("UpSampling3D", [2, 2, 2, 1], size=[2000] * 3),
    "bilinear": lambda: _one(
        "UpSampling2D", [2, 2, 1], size=[20_000, 20_000], interpolation="bilinear"
    ),
    "resizing": lambda: _one("Resizing", [2, 2, 3], height=10**6, width=10**6),
    "resizing_large": lambda: _one("Resizing", [2, 2, 3], height=10_000, width=10_000),
    "crop": lambda: _one("CenterCrop", [2, 2, 3], height=30_000, width=30_000),
    "reshape": lambda: _one("Reshape", [4], **_ZEROS),
    "cropping": lambda: _one("Cropping2D", [4, 4, 1], cropping=[[-(10**9)] * 2, [0, 0]]),
    "dense": lambda: _one("Dense", [4], units=2**31 - 1),
    "conv": lambda: _one("Conv2D", [4, 4, 1], filters=2**40, kernel_size=[2**20] * 2),
    "strides": lambda: _one("MaxPooling2D", [4, 4, 1], pool_size=[1, 1], strides=[0, 0]),
    "pool": lambda: _one("AveragePooling2D", [4, 4, 1], pool_size=[2**30] * 2, padding="same"),
    "steps": lambda: _one("SimpleRNN", [65_535, 1], units=1, use_bias=False),
    "outer_product": lambda: _many_inputs("Dot", 2, [1, 30_000], axes=1),
    "concatenate": lambda: _many_inputs("Concatenate", 20_000, [20_000]),
    "lambda": lambda: _one("Lambda", [4], **_LAMBDA),
    "activation": lambda: _one("Activation", [4], activation="os.system"),
    "nested": lambda: _nested(200),
    "doubling": lambda: _doubling(14),
    "cycle": _cycle,
}

#: Weights of those layers that need some.
_WEIGHTS: Mapping[str, Mapping[str, np.ndarray]] = {
    "steps": {"y/kernel": np.ones((1, 1)), "y/recurrent_kernel": np.ones((1, 1))},
}


def layers() -> Files:
    """30 layers and models of layers."""

    def write(name: str, folder: Path) -> Path:
        return write_layers(folder, LAYERS[name](), _WEIGHTS.get(name))

    return {f"layer_{name}": partial(write, name) for name in LAYERS}


def _manifest(count: int) -> str:
    one = {"name": "w", "shape": [0], "dtype": "float32"}
    document = {"modelTopology": {"model_config": DENSE}}
    listed = [{**one, "name": f"w{i}"} for i in range(count)]
    return json.dumps({**document, "weightsManifest": [{"paths": [], "weights": listed}]})


def _graph(nodes: list[Document]) -> str:
    return json.dumps({"modelTopology": {"node": nodes}, "weightsManifest": []})


def _nodes_in_a_row(count: int) -> list[Document]:
    start = {"name": "n0", "op": "Placeholder", "attr": {"dtype": {"type": "DT_FLOAT"}}}
    return [start] + [
        {"name": f"n{i}", "op": "Neg", "input": [f"n{i - 1}"]} for i in range(1, count)
    ]


DOCUMENTS: Mapping[str, Callable[[], str | bytes]] = {
    "empty_objects": lambda: b'{"modelTopology": [' + b"{}," * 20_900_000 + b"{}]}",
    "empty_lists": lambda: b'{"modelTopology": [' + b"[]," * 20_000_000 + b"[]]}",
    "deep": lambda: "[" * 1_000_000,
    "deep_objects": lambda: '{"a":' * 100_000 + "1" + "}" * 100_000,
    "long_number": lambda: '{"modelTopology": ' + "9" * 5_000_000 + "}",
    "long_name": lambda: _graph([{"name": "x" * 10_000_000, "op": "Placeholder"}]),
    "not_utf8": lambda: b'{"modelTopology": "\xff\xfe\x00"}',
    "nothing": lambda: "null",
    "many_weights": lambda: _manifest(200_000),
    "many_nodes": lambda: _graph(_nodes_in_a_row(300_000)),
}


def documents() -> Files:
    """10 documents."""

    def write(name: str, folder: Path) -> Path:
        return write_text(folder, DOCUMENTS[name]())

    return {f"document_{name}": partial(write, name) for name in DOCUMENTS}


def files() -> Files:
    """All 69."""
    return {**shards(), **entries(), **layers(), **documents()}
