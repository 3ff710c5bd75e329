"""Readers of Keras files: ``.h5`` of Keras 2 and 3, ``.keras`` archives of Keras 2.12 and later.

Source of the groups in an archive: ``saving_lib.py`` of Keras 2.12 to 3.
"""

import re
from collections.abc import Container, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from core.converter.archives import LARGEST_DOCUMENT, Archive
from core.converter.keras_files.hdf5 import Item, open_hdf5
from core.converter.opened import Opened
from core.converter.reading import read_bytes
from core.graph.nodes import Graph
from core.layers.inference import graph_of_layer_weights
from core.layers.weight_slots import WeightSlots, weight_slots
from weights_cache.common.errors import WeightsError
from weights_cache.json_documents import parse_json
from weights_cache.reading_budgets import spend

#: Names of the group of a model's layers in the first versions of the archives.
_EARLIER_HOLDERS = {"layers": "_layer_checkpoint_dependencies"}

#: Versions whose list of a model's layers has each layer with weights twice.
_LISTING_TWICE = ("2.12.", "2.13.")

#: Classes whose groups have another name than the class in the config.
_CLASSES_OF_GROUPS = {"GroupQueryAttention": "GroupedQueryAttention"}

#: Layers with a vocabulary, and the type of its entries.
_LOOKUPS: dict[str, type] = {"IntegerLookup": int, "StringLookup": str, "TextVectorization": str}

#: The group of the factors of a vocabulary in the mode "tf_idf", below that of its layer.
FACTORS = "vars/idf_weights"

_NO_ARCHITECTURE = (
    "{} has only weights: the architecture is missing; save the whole model with "
    "model.save(path), not with model.save_weights(path), or make the model of core.layers and "
    "give it the weights by its load_weights(path)"
)


class StoredModel(NamedTuple):
    """A file of Keras.

    Attributes:
        config: topology, with the ``keras_version`` of the file, which decides its dialect.
        weights: lists of weights by path of layer.
        root: HDF5 part.
        is_archive: whether it is a ``.keras`` archive.
    """

    config: Any
    weights: dict[str, list[np.ndarray]]
    root: Item
    is_archive: bool
    version: str = ""  # of the Keras that wrote it; empty if the file does not say


def read_keras(model: Opened, kernels: Container[str] = ()) -> Graph:
    """Read a model that Keras saved.

    Args:
        model: a ``.h5`` file of Keras 2 or 3, or a ``.keras`` archive.
        kernels: classes of layers that user-defined functions run; see
            `core.layers.inference.layers_graph`.

    Returns:
        The graph of its layers.

    Raises:
        WeightsError: the file is damaged, has weights without an architecture, or has layers that
            are programs (Lambda).
        KernelNotFound: some layers have no kernel; all are listed.
    """
    stored = read_stored(model)
    return graph_of_layer_weights(stored.config, stored.weights, kernels)


def read_stored(model: Opened) -> StoredModel:
    """Return the content of a file of Keras; raises as `read_keras`."""
    if model.archive is None:
        return _read_hdf5(model.path)
    return _read_archive(model.path, model.archive)


def _read_hdf5(path: Path) -> StoredModel:
    root = open_hdf5(read_bytes(path))
    version = _checked_version(root.attribute("keras_version"))
    document = root.attribute("model_config")
    if not isinstance(document, str):
        raise WeightsError(_NO_ARCHITECTURE.format(path))
    config = _marked(parse_json(document.encode(), path), version)
    group = root.get("model_weights") or root
    names = [*listed_texts(group, "layer_names"), "top_level_model_weights"]
    found = {name: listed_weights(group.get(name)) for name in dict.fromkeys(names)}
    for path_in_archive, layer in lookup_layers(config):
        if path_in_archive.count("/") == 1:  # its factors are in the config, too
            found.pop(str(layer["config"].get("name")), None)
    weights = {name: w for name, w in found.items() if w}
    return StoredModel(config, weights, root, False, version)


def _checked_version(version: Any) -> str:
    found = version if isinstance(version, str) else ""
    if found.startswith(("0.", "1.")):
        raise ValueError(f"Keras {found:.20} saved it: load and save it again with Keras 2 or 3")
    return found


def _marked(config: Any, version: str) -> Any:
    """Return a topology with the version that wrote it, if both are known."""
    return {**config, "keras_version": version} if isinstance(config, dict) and version else config


def listed_weights(group: Item | None) -> list[np.ndarray]:
    """Return the arrays of a group in the order of its attribute ``weight_names``."""
    names = listed_texts(group, "weight_names") if group else []
    if len(set(names)) < len(names):
        raise ValueError("a layer lists a weight twice")
    return [array_of(group, name) for name in names]


def listed_texts(group: Item, name: str) -> list[str]:
    """Return a list of texts from an attribute; long lists are in several, numbered attributes."""
    parts = [group.attribute(name)]
    if parts[0] is None:
        parts = []
        while (part := group.attribute(f"{name}{len(parts)}")) is not None:
            parts.append(part)
    return [text for part in parts if isinstance(part, list) for text in part]


def array_of(group: Item | None, path: str) -> np.ndarray:
    """Return an array of a group in a dtype of weights; a missing one is a ValueError."""
    item = group.get(path) if group else None
    if item is None or not item.is_array:
        raise ValueError(f"the weight {path!r:.300} is missing")
    return _plain(item.array(), path)


def _plain(array: np.ndarray, path: str) -> np.ndarray:
    """Return an array in a dtype of weights."""
    kind = array.dtype.kind
    if array.dtype.newbyteorder("=") not in (np.float32, np.int32):
        spend(4 * array.size, f"the weight {path!r:.80}")
    if kind == "V":  # bfloat16, which HDF5 lacks: the upper half of a float32
        return (array.view("<u2").astype(np.uint32) << 16).view(np.float32)
    if kind == "f":
        return array.astype(np.float32, copy=False)
    if kind in "iu" and array.size and not -(2**31) <= int(array.min()) <= int(array.max()) < 2**31:
        raise ValueError(f"the weight {path!r:.300} has values that do not fit into int32")
    return array.astype(np.int32, copy=False) if kind in "iu" else array


def _read_archive(path: Path, archive: Archive) -> StoredModel:
    if "config.json" not in archive.names:
        raise WeightsError(_NO_ARCHITECTURE.format(path))
    version = _version(archive, path)
    config = _marked(parse_json(archive.read("config.json", LARGEST_DOCUMENT), path), version)
    root = open_hdf5(archive.read("model.weights.h5"))
    for path_in_archive, layer in lookup_layers(config):
        _take_vocabulary(layer, archive, root, path_in_archive)
    places = 2 if version.startswith(_LISTING_TWICE) else 1
    found: dict[str, list[np.ndarray]] = {}
    _collect(weight_slots(config), root, "", places, found)
    return StoredModel(config, found, root, True, version)


def lookup_layers(model: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the layers with a vocabulary of a topology, each after its path in an archive."""
    config = model.get("config") if isinstance(model, dict) else None
    layers = config.get("layers") if isinstance(config, dict) else None
    counts: dict[str, int] = {}
    for layer in layers if isinstance(layers, list) else ():
        class_name = str(layer.get("class_name")) if isinstance(layer, dict) else ""
        number = counts[class_name] = counts.get(class_name, -1) + 1
        key = f"{snake_case(class_name)}_{number}" if number else snake_case(class_name)
        inner = f"{path}layers/{key}"
        if class_name in _LOOKUPS and isinstance(layer.get("config"), dict):
            yield inner, layer
        yield from lookup_layers(layer, f"{inner}/")


def _take_vocabulary(layer: dict[str, Any], archive: Archive, root: Item, path: str) -> None:
    """Give a layer the vocabulary that its adapt() found, which lies beside the config."""
    config, name = layer["config"], f"assets/{path}/vocabulary.txt"
    if config.get("vocabulary") is not None or name not in archive.names:
        return
    text = archive.read(name, LARGEST_DOCUMENT).decode()
    lines = text.replace("\r\n", "\n").split("\n")  # Keras on Windows writes both
    config["vocabulary"] = list(map(_LOOKUPS[layer["class_name"]], lines))
    factors = _group(root, f"{path}/{FACTORS}")
    if factors is not None and config.get("idf_weights") is None:
        config["idf_weights"] = factors.array()[: len(lines)].tolist()


def _version(archive: Archive, path: Path) -> str:
    """Return the version of Keras that wrote an archive, or "" if that is unknown."""
    if "metadata.json" not in archive.names:
        return ""
    metadata = parse_json(archive.read("metadata.json", LARGEST_DOCUMENT), path)
    version = metadata.get("keras_version") if isinstance(metadata, dict) else None
    return version if isinstance(version, str) else ""


def _collect(
    all_slots: tuple[WeightSlots, ...],
    root: Item,
    path: str,
    places: int,
    found: dict[str, list[np.ndarray]],
) -> None:
    """Collect the weights of the layers in the group of a path."""
    for slots, inner, group in with_groups(all_slots, root, path, places):
        if group is None:  # a layer of two models is stored once
            continue
        held = group.get("vars")
        count = len(held.children) if held and slots.is_open else len(slots.weights)
        if count:
            found["/".join(slots.path)] = [array_of(held, str(i)) for i in range(count)]
        _collect(slots.children, root, f"{inner}/", places, found)


def with_groups(
    all_slots: tuple[WeightSlots, ...], root: Item, path: str = "", places: int = 1
) -> Iterator[tuple[WeightSlots, str, Item | None]]:
    """Yield layers with the paths of their groups, and the groups; None for missing ones.

    Args:
        all_slots: the layers of a model, or the inner layers of a layer.
        root: the file.
        path: the group that has theirs, with a slash at the end; "" for the file.
        places: as for `with_keys`, in the list of the first versions.
    """
    for slots, names in _with_names(all_slots, places):
        groups = ((path + name, _group(root, path + name)) for name in names)
        inner, group = next(((p, g) for p, g in groups if g is not None), ("", None))
        yield slots, inner, group


def _group(root: Item, path: str) -> Item | None:
    """Return a group; on Windows, Keras joins its path with backslashes to a single name."""
    return root.get(path) or root.get(path.replace("/", "\\"))


def _with_names(
    all_slots: tuple[WeightSlots, ...], places: int
) -> Iterator[tuple[WeightSlots, list[str]]]:
    """Yield layers with the names that their groups may have.

    Args:
        all_slots: the layers of a model, or the inner layers of a layer.
        places: as for `with_keys`, in the list of the first versions.
    """
    numbered = zip(with_keys(all_slots), with_keys(all_slots, places), strict=True)
    for (slots, key), (_, earlier_key) in numbered:
        earlier = _EARLIER_HOLDERS.get(slots.holder, f"_{slots.holder}")
        if key:  # groups in a list may have the names of layers, too
            own = [f"{slots.holder}/{name}" for name in (key, slots.path[-1])]
            yield slots, [*own, f"{earlier}/{earlier_key}"]
        else:
            yield slots, [slots.holder, earlier]


def with_keys(
    all_slots: tuple[WeightSlots, ...], places: int = 1
) -> Iterator[tuple[WeightSlots, str]]:
    """Yield layers with the names of their groups in a list: by class, and numbered.

    The name is empty for layers that are not in a list.

    Args:
        all_slots: the layers of a model, or the inner layers of a layer.
        places: places in the list of a model's layer with weights; other layers have one.
    """
    counts: dict[tuple[str, str], int] = {}
    for slots in all_slots:
        name = snake_case(_CLASSES_OF_GROUPS.get(slots.class_name, slots.class_name))
        number = counts.get((slots.holder, name), 0)
        has_weights = slots.is_open or any(each.weights for each in slots.flattened())
        is_repeated = has_weights and slots.holder == "layers"
        counts[slots.holder, name] = number + (places if is_repeated else 1)
        key = f"{name}_{number}" if number else name
        yield slots, key if slots.holder in ("layers", "cells") else ""


def snake_case(class_name: str) -> str:
    """Return the name that Keras gives to layers of a class.

    >>> snake_case("Conv2D"), snake_case("BatchNormalization"), snake_case("GRUCell")
    ('conv2d', 'batch_normalization', 'gru_cell')
    """
    words = re.sub("(.)([A-Z][a-z]+)", r"\1_\2", re.sub(r"\W+", "", class_name))
    return re.sub("([a-z])([A-Z])", r"\1_\2", words).lower()
