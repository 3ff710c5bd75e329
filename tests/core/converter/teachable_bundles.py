"""Bundles as Teachable Machine exports them, of a network so small that a test can compute it."""

import json
import zipfile
from pathlib import Path

import numpy as np

from weights_cache import write_weights

LABELS = ["Class 1", "größer", "Class 3"]


def conv(name, inputs, class_name="Conv2D", **config):
    settings = {"name": name, "kernel_size": [3, 3], "strides": [1, 1], "padding": "same"}
    settings |= {"use_bias": False, "activation": "linear", "data_format": "channels_last"}
    return layer(class_name, {**settings, **config}, inputs)


def layer(class_name, config, inputs=()):
    nodes = [[[name, 0, 0, {}] for name in inputs]] if inputs else []
    return {
        "class_name": class_name,
        "config": config,
        "name": config["name"],
        "inbound_nodes": nodes,
    }


def sequential(name, layers):
    return {"class_name": "Sequential", "config": {"name": name, "layers": layers}}


def topology(size=16, channels=3, classes=3):
    """A truncated MobileNet with pooling, and a head: models in models, as in the browser."""
    shape = [None, size, size, channels]
    inputs = {"name": "input_1", "batch_input_shape": shape, "dtype": "float32", "sparse": False}
    base = [
        layer("InputLayer", inputs),
        conv("Conv1", ["input_1"], filters=8, strides=[2, 2]),
        layer("BatchNormalization", {"name": "bn_Conv1", "axis": -1, "epsilon": 1e-3}, ["Conv1"]),
        layer("ReLU", {"name": "Conv1_relu", "max_value": 6}, ["bn_Conv1"]),
        conv("depthwise", ["Conv1_relu"], "DepthwiseConv2D", depth_multiplier=1),
        layer("ReLU", {"name": "out_relu", "max_value": 6}, ["depthwise"]),
    ]
    ends = {"input_layers": [["input_1", 0, 0]], "output_layers": [["out_relu", 0, 0]]}
    model = {"class_name": "Model", "config": {"name": "model1", "layers": base, **ends}}
    pooling = layer("GlobalAveragePooling2D", {"name": "pooling"})
    dense = {"name": "dense_Dense1", "units": 10, "activation": "relu", "use_bias": True}
    dense["batch_input_shape"] = [None, 8]
    last = {"name": "dense_Dense2", "units": classes, "activation": "softmax", "use_bias": False}
    head = [layer("Dense", dense), layer("Dense", last)]
    parts = [sequential("sequential_1", [model, pooling]), sequential("sequential_3", head)]
    whole = sequential("sequential_4", parts)
    return {**whole, "keras_version": "tfjs-layers 1.3.1", "backend": "tensor_flow.js"}


def weights(channels=3, classes=3, seed=5):
    rng = np.random.default_rng(seed)
    shapes = {
        "Conv1/kernel": (3, 3, channels, 8),
        "bn_Conv1/gamma": (8,),
        "bn_Conv1/beta": (8,),
        "bn_Conv1/moving_mean": (8,),
        "bn_Conv1/moving_variance": (8,),
        "depthwise/depthwise_kernel": (3, 3, 8, 1),
        "dense_Dense1/kernel": (8, 10),
        "dense_Dense1/bias": (10,),
        "dense_Dense2/kernel": (10, classes),
    }
    arrays = {name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
    arrays["bn_Conv1/moving_variance"] = np.abs(arrays["bn_Conv1/moving_variance"]) + 0.5
    return arrays


METADATA = {
    "tfjsVersion": "1.3.1",
    "tmVersion": "2.4.4",
    "packageVersion": "0.8.4",
    "packageName": "@teachablemachine/image",
    "timeStamp": "2020-05-20T11:28:36.478Z",
    "userMetadata": {},
    "modelName": "tm-my-image-model",
    "labels": LABELS,
    "imageSize": 16,
}


def write_bundle(folder: Path, *, model=None, arrays=None, **metadata) -> Path:
    """A folder; a value of None leaves its key out of the metadata."""
    write_weights(folder, arrays or weights(), topology=model or topology())
    document = json.loads((folder / "model.json").read_text())
    (shard,) = document["weightsManifest"][0]["paths"]
    (folder / shard).rename(folder / "weights.bin")
    document["weightsManifest"][0]["paths"] = ["weights.bin"]
    (folder / "model.json").write_text(json.dumps(document))
    said = {key: value for key, value in {**METADATA, **metadata}.items() if value is not None}
    (folder / "metadata.json").write_text(json.dumps(said))
    return folder


def zip_of(folder: Path, inside: str = "") -> Path:
    """The same as a zip, with its files in a folder or not."""
    path = folder.with_suffix(".zip")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(folder.iterdir()):
            archive.write(file, inside + file.name)
    return path
