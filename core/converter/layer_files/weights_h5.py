"""Weights alone in HDF5: ``.weights.h5`` of Keras 3, and lists by layer of Keras 2.

Sources: ``saving_lib.save_weights_only`` and ``legacy_h5_format.load_weights_from_hdf5_group`` of
Keras 3.15.
"""

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from core.converter.keras_files.hdf5 import Item, open_hdf5
from core.converter.keras_files.models import array_of, listed_texts, listed_weights, with_groups
from core.converter.layer_files.document import (
    LayersDocument,
    check_document,
    slots_with_weights,
)
from core.converter.layer_files.hdf5_writer import hdf5_blocks
from core.converter.layer_files.keras_archive import weights_and_state, writing_file
from core.converter.layer_files.translation import translated
from core.converter.opened import opened
from core.converter.read_back import read_back
from core.converter.reading import read_bytes
from core.errors import CoreError
from core.layers.keras_config import DEEPEST
from core.layers.weight_slots import WeightSlots, bind_by_lists
from weights_cache.common.errors import WeightsError


class StoredWeights(NamedTuple):
    """Lists of weights in a file.

    Attributes:
        weights: by path of layer, "outer/inner".
        unused: names of groups of layers that the model does not have.
        optimizer_variables: state of the optimizer in Keras 3's order, if the file has one.
    """

    weights: dict[str, list[np.ndarray]]
    unused: list[str]
    optimizer_variables: list[np.ndarray] | None = None


def write_weights_h5(path: str | os.PathLike[str], document: LayersDocument) -> Path:
    """Write weights and the optimizer's state as `keras.Model.load_weights` of Keras 3 reads them.

    Args:
        path: the file to write, which ends in ``.weights.h5``; its folder is made if missing.
        document: the model; its topology is not written.

    Returns:
        The path of the file. An error leaves an existing file unchanged.

    Raises:
        CoreError: weights do not fit the topology, Keras 3 lacks some of its layers, or what was
            written cannot be read back.
        WeightsError: the file cannot be written.
    """
    target = Path(path)
    document = translated(document, "keras3")
    blocks = hdf5_blocks(*weights_and_state(document))
    with writing_file(target, blocks, partial(_check, document)) as stream:
        stream.writelines(blocks)
    return target


def _check(document: LayersDocument, path: Path) -> None:
    check_document(document, read_back(lambda path: read_weights_h5(path, document), path))


def read_weights_h5(path: str | os.PathLike[str], document: LayersDocument) -> LayersDocument:
    """Read the weights of a model whose layers are known.

    Args:
        path: a ``.weights.h5`` file of Keras 3, an ``.h5`` file of Keras 2 with weights alone, or
            a ``.keras`` or ``.h5`` file of a whole model. Lists of Keras 2 belong to the layers in
            their order, as in Keras.
        document: the model with other weights.

    Returns:
        The model with the weights of the file, and the optimizer's state of files of Keras 3.

    Raises:
        CoreError: the file has weights for other layers.
        WeightsError: the file is missing, damaged, or of another kind.
    """
    document = translated(document, "keras3")
    all_slots = slots_with_weights(document)
    with opened(path) as model:
        if model.kind != "keras":
            raise WeightsError(
                f"{model.path} is no file of weights: give one that ends in .weights.h5, .h5, "
                f".keras or .npz"
            )
        archive = model.archive
        data = archive.read("model.weights.h5") if archive else read_bytes(model.path)
        root = open_hdf5(data)
        lists = _group_of_lists(root)
        listed = None if lists is None else _listed(lists)
        found = _stored(all_slots, root) if listed is None else None
    if found is None:
        found = _by_order(all_slots, listed or {})
    if found.unused:
        names = ", ".join(sorted(found.unused))
        raise CoreError(f"the file has weights of layers that the model lacks: {names:.300}")
    bound = bind_by_lists(all_slots, found.weights)
    return document._replace(weights=bound, optimizer_variables=found.optimizer_variables)


def _group_of_lists(root: Item) -> Item | None:
    """Return the group with lists by layer, as Keras 2 writes them; None in a file of Keras 3."""
    group = root.get("model_weights") or root
    return group if listed_texts(group, "layer_names") else None


def _listed(group: Item) -> dict[str, list[np.ndarray]]:
    """Return the lists of weights of layers that have some, in the order of the file."""
    names = dict.fromkeys(listed_texts(group, "layer_names"))
    found = {name: listed_weights(group.get(name)) for name in names}
    return {name: arrays for name, arrays in found.items() if arrays}


def _by_order(
    all_slots: Sequence[WeightSlots], listed: dict[str, list[np.ndarray]]
) -> StoredWeights:
    """Return lists by the layers of a model that have weights, in their order."""
    layers = [top for top in all_slots if any(s.weights for s in top.flattened())]
    if len(layers) != len(listed):
        names = ", ".join(top.path[-1] for top in layers)
        raise CoreError(
            f"the file has weights of {len(listed)} layers ({', '.join(listed):.300}), but the "
            f"model has {len(layers)} layers with weights ({names:.300})"
        )
    pairs = zip(layers, listed.values(), strict=True)
    return StoredWeights({"/".join(top.path): arrays for top, arrays in pairs}, [])


def _stored(all_slots: tuple[WeightSlots, ...], root: Item) -> StoredWeights:
    """Return the lists of a file of Keras 3 by the layers of a model."""
    found: dict[str, list[np.ndarray]] = {}
    used: set[int] = set()
    _collect(all_slots, root, "", found, used)
    layers = root.get("layers")
    members = {name: layers.get(name) for name in layers.children} if layers else {}
    unused = [n for n, each in members.items() if id(each) not in used and _has_weights(each)]
    state = root.get("optimizer/vars")
    count = len(state.children) if state else 0
    arrays = [array_of(state, str(i)) for i in range(count)]
    return StoredWeights(found, unused, arrays or None)


def _collect(
    all_slots: tuple[WeightSlots, ...],
    root: Item,
    path: str,
    found: dict[str, list[np.ndarray]],
    used: set[int],
) -> None:
    for slots, inner, own in with_groups(all_slots, root, path):
        if own is None:
            continue
        used.add(id(own))
        held = own.get("vars")
        count = len(held.children) if held else 0
        if count or slots.weights:
            found["/".join(slots.path)] = [array_of(held, str(i)) for i in range(count)]
        _collect(slots.children, root, f"{inner}/", found, used)


def _has_weights(group: Item | None, depth: int = 0) -> bool:
    """Whether a layer, or one inside, has weights, beside the state of random numbers."""
    if group is None or group.is_array or depth > DEEPEST:
        return False
    held = group.get("vars")
    if held and held.children:
        return True
    inner = (name for name in group.children if name not in ("vars", "seed_generator"))
    return any(_has_weights(group.get(name), depth + 1) for name in inner)
