"""Models of layers as Keras's and TensorFlow.js's files: all that those runtimes recorded."""

import io
import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from core.layers.weight_slots import Bound, WeightSlots, bind_by_names, weight_slots
from tests.core.converter import teachable_bundles
from tests.core.converter.fuzz import files
from tests.core.converter.fuzz.files import zipped
from tests.core.layers.recorded import FILES, Recorded, documents, recorded
from tests.reliability.fuzz.writers import Writers
from weights_cache import write_weights

#: Every so many models of layers that differ in one word only are left out.
_ALIKE = re.compile(r"activation_|bidirectional_(sum|mul|ave)|(max|average)_pooling")


def models(*names: str) -> Iterator[tuple[str, Recorded]]:
    """The recorded models of some files, by name, without those that are much alike."""
    for file in names:
        for name in documents(file):
            if not _ALIKE.match(name) or name.endswith(("2d", "relu6")):
                yield f"{file}-{name}", recorded(file, name)


def web_writers() -> Writers:
    """Web models of layers."""
    return {name: partial(_write_web, model) for name, model in models(*FILES)} | {
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
    return {name: partial(_write_h5, model) for name, model in models("keras2", "keras3")} | {
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
    found = {name: partial(write_keras, model) for name, model in models("keras3")}
    return found | {"small": partial(files.write_model, "keras")}


class Form(NamedTuple):
    """The form of an archive: the version that wrote it, and how it names groups.

    Attributes:
        version: of Keras.
        holder: name of the group of a model's layers.
        separator: between the names of groups.
        times: how often a list has a layer with weights.
    """

    version: str = "3.5.0"
    holder: str = "layers"
    separator: str = "/"
    times: int = 1

    def group(self, place: str) -> str:
        """The group of a place in an archive of Keras 3."""
        names = (self.holder if n == "layers" else n for n in place.split("/"))
        return self.separator.join(names)


_KERAS_3 = Form()

#: The forms of Keras 2, on Windows and elsewhere.
FORMS = [
    Form(version, holder, separator, times)
    for version, holder, times in (
        ("2.13.1", "_layer_checkpoint_dependencies", 2),
        ("2.14.0", "_layer_checkpoint_dependencies", 1),
        ("2.15.0", "layers", 1),
    )
    for separator in "/\\"
]


def keras2_writers() -> Writers:
    """Archives of Keras 2: of each model one, the forms in turn."""
    return {
        f"{name}-{i % len(FORMS)}": partial(write_keras, model, form=FORMS[i % len(FORMS)])
        for i, (name, model) in enumerate(models("keras2"))
    }


def write_keras(model: Recorded, folder: Path, form: Form = _KERAS_3) -> Path:
    """Write an archive of Keras."""
    import h5py

    stream, top = io.BytesIO(), weight_slots(model.topology)
    bound = {} if model.paths else bind_by_names(top, model.weights)
    with h5py.File(stream, "w") as file:
        for place, slots in places(top, "layers", form.times):
            arrays = _arrays_of(model, place, slots, bound)
            if slots.weights and not arrays:  # a layer of two models has one group
                continue
            group = file.create_group(form.group(place)).create_group("vars")
            for i, array in enumerate(arrays):
                group.create_dataset(str(i), data=array)
    members = {
        "metadata.json": json.dumps({"keras_version": form.version}).encode(),
        "config.json": json.dumps(model.topology).encode(),
        "model.weights.h5": stream.getvalue(),
    }
    path = folder / "model.keras"
    path.write_bytes(zipped(members))
    return path


def _arrays_of(model: Recorded, place: str, slots: WeightSlots, bound: Bound) -> list[np.ndarray]:
    """The weights of a layer, where Keras recorded them, or by the layer's name."""
    if not model.paths:
        named = bound.get(slots.path, {})
        return [named[name] for name in slots.weights if name in named]
    keys = [f"{place}/vars/{i}" for i in range(len(slots.weights))]
    return [model.weights[model.paths[key]] for key in keys if key in model.paths]


def places(
    slots: list[WeightSlots], where: str, times: int = 1
) -> Iterator[tuple[str, WeightSlots]]:
    """Where a .keras file has the layers of a list, with their slots.

    Args:
        slots: of the layers.
        where: the place of the list.
        times: how often a list of a model's layers has one with weights.
    """
    counts: Counter[str] = Counter()
    for child in slots:
        name = re.sub("(.)([A-Z][a-z]+)", r"\1_\2", child.class_name)
        name = re.sub("([a-z])([A-Z])", r"\1_\2", name).lower()
        key = f"{where}/{name}_{counts[name]}".removesuffix("_0")
        yield from _places_of(child, key, times)
        has_weights = any(each.weights for each in child.flattened())
        counts[name] += times if has_weights and child.holder == "layers" else 1


def _places_of(slots: WeightSlots, key: str, times: int) -> Iterator[tuple[str, WeightSlots]]:
    yield key, slots
    for holder in dict.fromkeys(child.holder for child in slots.children):
        held = [child for child in slots.children if child.holder == holder]
        if holder in ("layers", "cells"):
            yield from places(held, f"{key}/{holder}", times)
        else:
            yield from _places_of(held[0], f"{key}/{holder}", times)
