"""Small classifiers of images in files of Keras and TFLite, with labels beside or inside."""

import io
import zipfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import core

SIDE = 8


def kernel_of(classes: int, side: int = SIDE, channels: int = 3) -> np.ndarray:
    """The weights of the one dense layer: float32 [side * side * channels, classes]."""
    rng = np.random.default_rng(4)
    return rng.normal(0, 0.2, (side * side * channels, classes)).astype(np.float32)


def scores_of(values: np.ndarray, classes: int) -> np.ndarray:
    """What the networks give for an input in their range: float64 [classes]."""
    kernel = kernel_of(classes, values.shape[1], values.shape[3])
    logits = values.reshape(-1).astype(np.float64) @ kernel
    powers = np.exp(logits - logits.max())
    return powers / powers.sum()


def write_keras(path: Path, classes=2, side=SIDE, channels=3, activation="softmax") -> Path:
    """A file of Keras."""
    layers = core.layers
    model = core.Sequential(
        [
            layers.Input((side, side, channels)),
            layers.Flatten(),
            layers.Dense(classes, activation=activation, use_bias=False),
        ]
    )
    model.layers[-1].set_weights([kernel_of(classes, side, channels)])
    path.parent.mkdir(parents=True, exist_ok=True)
    model.save(path, include_optimizer=False)
    return path


def numbered(labels: Sequence[str]) -> str:
    """Labels as Teachable Machine writes them."""
    return "".join(f"{number} {label}\n" for number, label in enumerate(labels))


def write_export(folder: Path, name="keras_model.h5", labels=("cats", "large dogs")) -> Path:
    """An export for Keras as Teachable Machine makes it, as a folder."""
    write_keras(folder / name, len(labels))
    (folder / "labels.txt").write_text(numbered(labels), "utf-8")
    return folder


def zip_of(folder: Path, inside: str = "") -> Path:
    """The same as a zip, with its files in a folder or not."""
    path = folder.with_suffix(".zip")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                archive.write(file, inside + file.relative_to(folder).as_posix())
    return path


def tflite_of(writer, classes=2, quanta=None, type="FLOAT32", metadata=None, image=None) -> bytes:
    """A TFLite file, written by the fixture ``writer``; the metadata are added if given."""
    shape = image or (1, SIDE, SIDE, 3)
    x = writer.input("image", shape, type, quanta)
    count = int(np.prod(shape))
    real = x
    if quanta is not None:
        real = writer.op("DEQUANTIZE", [x], [writer.tensor("real", shape)])
    flat = writer.tensor("flat", (1, count))
    sizes = writer.constant([1, count])
    writer.op("RESHAPE", [real, sizes], [flat], "Reshape", newShape=[1, count])
    kernel = np.random.default_rng(4).normal(0, 0.2, (count, classes)).astype(np.float32)
    dense = writer.tensor("dense", (1, classes))
    inputs = [flat, writer.constant(kernel.T, "FLOAT32"), -1]
    writer.op("FULLY_CONNECTED", inputs, [dense], "FullyConnected")
    softmax = writer.tensor("scores", (1, classes))
    writer.op("SOFTMAX", [dense], [softmax], "Softmax", beta=1.0)
    if metadata is not None:
        entry = writer.schema.MetadataT()
        entry.name, entry.buffer = "TFLITE_METADATA", len(writer.model.buffers)
        writer.model.metadata = [entry]
        writer.model.buffers.append(writer.schema.BufferT())
        writer.model.buffers[-1].data = np.frombuffer(metadata, np.uint8)
    return writer.content()


def metadata_of(mean=(), std=(), files=()) -> bytes:
    """The metadata of an image classifier.

    Args:
        mean: of pixels.
        std: of pixels.
        files: name, type and locale of the files of the output.
    """
    import flatbuffers

    made = flatbuffers.Builder(256)

    def floats(values):
        made.StartVector(4, len(values), 4)
        for value in reversed(values):
            made.PrependFloat32(value)
        return made.EndVector()

    def tables(offsets):
        made.StartVector(4, len(offsets), 4)
        for offset in reversed(offsets):
            made.PrependUOffsetTRelative(offset)
        return made.EndVector()

    def table(**fields):  # f0, f1, ...: (kind, value)
        made.StartObject(10)
        for name, (kind, value) in fields.items():
            number = int(name[1:])
            if kind == "offset":
                made.PrependUOffsetTRelativeSlot(number, value, 0)
            else:
                made.PrependInt8Slot(number, value, 0)
        return made.EndObject()

    options = table(f0=("offset", floats(mean)), f1=("offset", floats(std)))
    unit = table(f0=("byte", 1), f1=("offset", options))
    image = table(f4=("offset", tables([unit]))) if mean or std else table()
    associated = []
    for name, kind, locale in files:
        texts = made.CreateString(name), made.CreateString(locale)
        associated.append(
            table(f0=("offset", texts[0]), f2=("byte", kind), f3=("offset", texts[1]))
        )
    scores = table(f6=("offset", tables(associated))) if associated else table()
    parts = tables([image]), tables([scores])
    graph = table(f2=("offset", parts[0]), f3=("offset", parts[1]))
    made.Finish(table(f3=("offset", tables([graph]))), b"M001")
    return bytes(made.Output())


def with_files(content: bytes, **files: str) -> bytes:
    """The bytes of a TFLite file with a zip of text files behind it, by name without ``.txt``."""
    stream = io.BytesIO(content)
    with zipfile.ZipFile(stream, "a") as archive:
        for name, text in files.items():
            archive.writestr(f"{name}.txt", text)
    return stream.getvalue()
