"""Models of layers as Keras's and TensorFlow.js's files: all that those runtimes recorded."""

import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from core.layers.weight_slots import WeightSlots, weight_slots
from tests.core.converter import teachable_bundles
from tests.core.converter.fuzz import files
from tests.core.converter.fuzz.files import zipped
from tests.core.layers.recorded import FILES, Recorded, documents, recorded
from weights_cache import write_weights

Writers = Mapping[str, Callable[[Path], Path]]

#: Every so many models of layers that differ in one word only are left out.
_ALIKE = re.compile(r"activation_|bidirectional_(sum|mul|ave)|(max|average)_pooling")


def _models(*names: str) -> Iterator[tuple[str, Recorded]]:
    for file in names:
        for name in documents(file):
            if not _ALIKE.match(name) or name.endswith(("2d", "relu6")):
                yield f"{file}-{name}", recorded(file, name)


def web_writers() -> Writers:
    """Web models of layers."""
    return {name: partial(_write_web, model) for name, model in _models(*FILES)} | {
        "small": partial(files.write_model, "layers")
    }


def _write_web(model: Recorded, folder: Path) -> Path:
    topology = {"keras_version": "2.15.0", "model_config": model.topology}
    weights = {n: a.astype(np.int32) if a.dtype == int else a for n, a in model.weights.items()}
    return write_weights(folder, weights, topology=topology)


def teachable_writers() -> Writers:
    """Bundles of Teachable Machine."""
    return {
        "small": partial(files.write_model, "teachable"),
        "folder": lambda folder: teachable_bundles.write_bundle(folder / "bundle"),
        "zip": _write_bundle,
        "inner": partial(_write_bundle, inside="my_model/"),
        "wide": partial(_write_bundle, size=32, classes=7),
    }


def _write_bundle(folder: Path, inside: str = "", size: int = 16, classes: int = 3) -> Path:
    bundle = teachable_bundles.write_bundle(
        folder / "bundle",
        model=teachable_bundles.topology(size=size, classes=classes),
        arrays=teachable_bundles.weights(classes=classes),
        imageSize=size,
        labels=[f"class {i}" for i in range(classes)],
    )
    path = teachable_bundles.zip_of(bundle, inside)
    for file in bundle.iterdir():
        file.unlink()
    bundle.rmdir()
    return path


def h5_writers() -> Writers:
    """Files of Keras 2, and such of Keras 3."""
    return {name: partial(_write_h5, model) for name, model in _models("keras2", "keras3")} | {
        "small": partial(files.write_model, "h5"),
        "packed": partial(_write_packed),
    }


def _write_h5(model: Recorded, folder: Path, **how: Any) -> Path:
    import h5py

    path = folder / "model.h5"
    with h5py.File(path, "w") as file:
        file.attrs["keras_version"], file.attrs["backend"] = b"2.15.0", b"tensorflow"
        file.attrs["model_config"] = json.dumps(model.topology)
        group = file.create_group("model_weights")
        group.attrs["layer_names"] = [name.encode() for name in model.lists]
        for layer, names in model.lists.items():
            inner = group.create_group(layer)
            inner.attrs["weight_names"] = [f"{name}:0".encode() for name in names]
            for name in names:
                given = how if model.weights[name].ndim else {}
                inner.create_dataset(f"{name}:0", data=model.weights[name], **given)
    return path


def _write_packed(folder: Path) -> Path:
    """Chunks, shuffled, packed and with checksums."""
    how = {"chunks": True, "compression": "gzip", "shuffle": True, "fletcher32": True}
    return _write_h5(recorded("keras3", "nested"), folder, **how)


def keras_writers() -> Writers:
    """Archives of Keras 3."""
    found = {name: partial(_write_keras, model) for name, model in _models("keras3")}
    return found | {"small": partial(files.write_model, "keras")}


def _write_keras(model: Recorded, folder: Path) -> Path:
    import h5py

    stream = io.BytesIO()
    with h5py.File(stream, "w") as file:
        for place, slots in places(weight_slots(model.topology), "layers"):
            for i, name in enumerate(_names_of(model, place, slots)):
                file.create_dataset(f"{place}/vars/{i}", data=model.weights[name])
    members = {
        "metadata.json": json.dumps({"keras_version": "3.5.0"}).encode(),
        "config.json": json.dumps(model.topology).encode(),
        "model.weights.h5": stream.getvalue(),
    }
    path = folder / "model.keras"
    path.write_bytes(zipped(members))
    return path


def _names_of(model: Recorded, place: str, slots: WeightSlots) -> list[str]:
    """The weights of a layer, where Keras recorded them, or by the layer's name."""
    count = len(slots.weights)
    if model.paths:
        keys = [f"{place}/vars/{i}" for i in range(count)]
        return [model.paths[key] for key in keys if key in model.paths]
    listed = model.lists.get("/".join(slots.path), [])[:count]
    return listed or [name for slot in slots.weights if (name := _named(model, slots.path, slot))]


def _named(model: Recorded, path: tuple[str, ...], slot: str) -> str | None:
    """The weight of that slot whose name holds most of a layer's path."""
    found = [name for name in model.weights if name.endswith(f"{path[-1]}/{slot}")]
    return max(found, key=lambda name: sum(part in name for part in path), default=None)


def places(slots: list[WeightSlots], where: str) -> Iterator[tuple[str, WeightSlots]]:
    """Where a .keras file has the layers of a list, with their slots."""
    counts: Counter[str] = Counter()
    for child in slots:
        name = re.sub("(.)([A-Z][a-z]+)", r"\1_\2", child.class_name)
        name = re.sub("([a-z])([A-Z])", r"\1_\2", name).lower()
        yield from _places_of(child, f"{where}/{name}_{counts[name]}".removesuffix("_0"))
        counts[name] += 1


def _places_of(slots: WeightSlots, key: str) -> Iterator[tuple[str, WeightSlots]]:
    yield key, slots
    for holder in dict.fromkeys(child.holder for child in slots.children):
        held = [child for child in slots.children if child.holder == holder]
        if holder in ("layers", "cells"):
            yield from places(held, f"{key}/{holder}")
        else:
            yield from _places_of(held[0], f"{key}/{holder}")
