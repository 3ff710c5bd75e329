"""Writes a small whole model of each format, of fixed weights."""

import io
import json
import zipfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from tests.core.converter.fuzz import documents, protobuf
from tests.core.converter.fuzz.bundle import checkpoint
from weights_cache import write_weights

Arrays = dict[str, np.ndarray]


#: A pointer of Git LFS, which may stand in place of any file.
POINTER = (
    b"version https://git-lfs.github.com/spec/v1\n"
    b"oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\n"
    b"size 1234567\n"
)


def zipped(members: Mapping[str, bytes]) -> bytes:
    """An archive, the same bytes each time."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return stream.getvalue()


def write_graph(folder: Path, arrays: Arrays) -> Path:
    """A TensorFlow.js graph model, of which some weights are quantised."""
    return write_weights(
        folder,
        arrays | documents.small_constants(),
        quantise={"kernel": "uint8", "dense": "float16"},
        topology=documents.graph(arrays),
        metadata={"signature": SIGNATURE},
    )


SIGNATURE = {
    "inputs": {"image": {"name": "image:0", "dtype": "DT_FLOAT"}},
    "outputs": {"scores": {"name": "scores:0", "dtype": "DT_FLOAT"}},
}


def write_layers(folder: Path, arrays: Arrays) -> Path:
    """A TensorFlow.js layers model."""
    topology = {"keras_version": "2.4.0", "model_config": documents.sequential()}
    return write_weights(folder, documents.layer_weights(arrays), topology=topology)


def write_teachable(folder: Path, arrays: Arrays) -> Path:
    """A zip as Teachable Machine exports them."""
    model = write_layers(folder, arrays)
    document = json.loads(model.read_text())
    (shard,) = document["weightsManifest"][0]["paths"]
    document["weightsManifest"][0]["paths"] = ["weights.bin"]
    facts = {
        "packageName": "@teachablemachine/image",
        "labels": [f"class {i}" for i in range(documents.CLASSES)],
        "imageSize": documents.SIDE,
    }
    members = {
        "metadata.json": json.dumps(facts).encode(),
        "model.json": json.dumps(document).encode(),
        "weights.bin": (folder / shard).read_bytes(),
    }
    model.unlink()
    (folder / shard).unlink()
    return _written(folder / "converted_tfjs.zip", zipped(members))


def write_frozen(folder: Path, arrays: Arrays) -> Path:
    """A frozen graph."""
    data = protobuf.graph_def(documents.graph(arrays), tensors(arrays))
    return _written(folder / "small.pb", data)


def tensors(arrays: Arrays) -> dict[str, bytes]:
    """The constants as TensorProtos."""
    types = {"float32": "DT_FLOAT", "int32": "DT_INT32", "bool": "DT_BOOL"}
    return {
        name: protobuf.tensor(types[a.dtype.name], list(a.shape), a.tobytes())
        for name, a in (arrays | documents.small_constants()).items()
    }


def write_saved(folder: Path, arrays: Arrays, is_compressed: bool = False) -> Path:
    """A SavedModel: a graph with variables, and a checkpoint of them."""
    _written(folder / "saved_model.pb", saved_model(documents.saved_graph(arrays), arrays))
    (folder / "variables").mkdir()
    index, data = checkpoint(arrays, is_compressed)
    _written(folder / "variables" / "variables.index", index)
    _written(folder / "variables" / "variables.data-00000-of-00001", data)
    return folder


def saved_model(document: Mapping[str, Any], arrays: Arrays) -> bytes:
    """The SavedModel message of a GraphDef document."""
    field, entry = protobuf.field, protobuf.entry
    constants = {k: v for k, v in tensors(arrays).items() if k not in arrays}
    float32 = protobuf.TYPES["DT_FLOAT"]
    shapes = {"image": [-1, documents.SIDE, documents.SIDE, 3], "scores": [-1, documents.CLASSES]}
    ends = [
        entry(i, n, field(1, f"{n}:0") + field(2, float32) + field(3, protobuf.shape(shapes[n])))
        for i, n in enumerate(shapes, 1)
    ]
    signature = b"".join(ends) + field(3, "tensorflow/serving/predict")
    meta_graph = (
        field(1, field(4, "serve"))
        + field(2, protobuf.graph_def(document, constants))
        + entry(5, "serving_default", signature)
    )
    return field(1, 1) + field(2, meta_graph)


def write_tflite(folder: Path, arrays: Arrays) -> Path:
    """A TFLite file with quantised weights of a convolution, and a float dense layer."""
    from tests.core.converter.fuzz.tflite import model_bytes

    return _written(folder / "small.tflite", model_bytes(arrays))


def write_h5(folder: Path, arrays: Arrays) -> Path:
    """A whole model of Keras 2."""
    import h5py

    path = folder / "small.h5"
    named = documents.layer_weights(arrays)
    with h5py.File(path, "w") as file:
        file.attrs["keras_version"], file.attrs["backend"] = b"2.4.0", b"tensorflow"
        file.attrs["model_config"] = json.dumps(documents.sequential())
        group = file.create_group("model_weights")
        group.attrs["layer_names"] = [b"image", b"conv", b"mean", b"top"]
        for layer in ("image", "conv", "mean", "top"):
            mine = {f"{n}:0": a for n, a in named.items() if n.startswith(layer)}
            inner = group.create_group(layer)
            inner.attrs["weight_names"] = [n.encode() for n in mine]
            for name, array in mine.items():
                inner.create_dataset(name, data=array)
    return path


def write_keras(folder: Path, arrays: Arrays) -> Path:
    """An archive of Keras 3."""
    import h5py

    stream = io.BytesIO()
    named = documents.layer_weights(arrays)
    places = {
        "layers/conv2d/vars": ("conv/kernel", "conv/bias"),
        "layers/global_average_pooling2d/vars": (),
        "layers/dense/vars": ("top/kernel", "top/bias"),
    }
    with h5py.File(stream, "w") as file:
        for place, names in places.items():
            group = file.create_group(place)
            for i, name in enumerate(names):
                group.create_dataset(str(i), data=named[name])
    members = {
        "metadata.json": json.dumps({"keras_version": "3.5.0"}).encode(),
        "config.json": json.dumps(documents.sequential(version=3)).encode(),
        "model.weights.h5": stream.getvalue(),
    }
    return _written(folder / "small.keras", zipped(members))


def _written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


FORMATS: Mapping[str, Callable[[Path, Arrays], Path]] = {
    "graph": write_graph,
    "layers": write_layers,
    "teachable": write_teachable,
    "tflite": write_tflite,
    "h5": write_h5,
    "keras": write_keras,
    "frozen": write_frozen,
    "saved": write_saved,
    "snappy": partial(write_saved, is_compressed=True),
}


def write_model(kind: str, folder: Path) -> Path:
    """Write the small model of a format into an empty folder."""
    return FORMATS[kind](folder, documents.weights(np.random.default_rng(20261121)))
