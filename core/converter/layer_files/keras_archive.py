"""Writer of ``.keras`` archives of Keras 3."""

import json
import os
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from core.converter.keras_files.models import FACTORS, with_keys
from core.converter.layer_files.document import LayersDocument, LayerWeights, slots_with_weights
from core.converter.layer_files.files import check_written
from core.converter.layer_files.hdf5_writer import Attributes, Block, hdf5_blocks
from core.converter.layer_files.training_configs import completed_compile_config
from core.converter.layer_files.translation import translated
from core.converter.layer_files.vocabularies import factors_of
from core.errors import CoreError
from core.layers.weight_slots import WeightSlots
from weights_cache.atomic_files import Check, replacing, require_space, writing_to

#: The version of Keras whose format is written.
KERAS_VERSION = "3.15.1"

_ADVICE = "choose another folder"
_DATE = (1980, 1, 1, 0, 0, 0)  # the earliest date of a zip file: equal models, equal bytes


def write_keras(path: str | os.PathLike[str], document: LayersDocument) -> Path:
    """Write a model as an archive that Keras 3 loads with `keras.models.load_model`.

    Args:
        path: the file to write, such as ``model.keras``; its folder is made if missing.
        document: the model; a topology of another dialect is translated.

    Returns:
        The path of the file. An error leaves an existing file unchanged.

    Raises:
        CoreError: weights do not fit the topology, or Keras 3 lacks some of its layers.
        WeightsError: the file cannot be written.
    """
    target = Path(path)
    document = translated(document, "keras3")
    state = weights_and_state(document)
    members: dict[str, list[Block]] = {
        "metadata.json": [json_bytes({"keras_version": KERAS_VERSION}, target)],
        "config.json": [json_bytes(_config(document), target)],
        "model.weights.h5": hdf5_blocks(*state),
    }
    every = [block for blocks in members.values() for block in blocks]
    check = partial(check_written, document)
    with writing_file(target, every, check) as stream, zipfile.ZipFile(stream, "w") as zipped:
        for name, blocks in members.items():
            _add(zipped, name, blocks)
    return target


@contextmanager
def writing_file(
    target: Path, blocks: Sequence[Block], check: Check | None = None
) -> Iterator[BinaryIO]:
    """Yield a new file for about as many bytes as blocks have; it replaces the target at the end.

    Args:
        target: the file.
        blocks: its content.
        check: called with the path of the new file before it replaces the old one.

    Raises:
        WeightsError: the file cannot be written, or the disk is too full.
    """
    needed = sum(map(len, blocks))
    with writing_to(target.parent, needed, _ADVICE):
        target.parent.mkdir(parents=True, exist_ok=True)
        require_space(target.parent, needed, _ADVICE)
        with replacing(target, check=check) as stream:
            yield stream


def json_bytes(value: Any, path: Path) -> bytes:
    """Return a document as JSON; a value that JSON lacks is a CoreError."""
    try:
        return json.dumps(value, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise CoreError(f"the config of the model for {path} is not JSON: {error}") from error


def _config(document: LayersDocument) -> dict[str, Any]:
    if document.compile_config is None:
        return dict(document.topology)
    compiled = completed_compile_config(document.compile_config)
    return {**document.topology, "compile_config": compiled}


def _add(zipped: zipfile.ZipFile, name: str, blocks: list[Block]) -> None:
    member = zipfile.ZipInfo(name, _DATE)
    member.external_attr = 0o644 << 16
    member.create_system = 3  # Unix, also where this is written on Windows
    member.file_size = sum(map(len, blocks))
    with zipped.open(member, "w") as sink:
        for block in blocks:
            sink.write(block)


class _State(NamedTuple):
    """Arrays of weights by path in the HDF5 file, and names of their owners."""

    arrays: dict[str, np.ndarray]
    names: dict[str, Attributes]

    def add(self, path: str, name: str, arrays: Iterable[np.ndarray]) -> None:
        """Add the numbered variables of a layer, of the model or of the optimizer."""
        group = f"{path}/vars" if path else "vars"
        self.names[group] = {"name": name}
        self.arrays.update({f"{group}/{i}": np.asarray(array) for i, array in enumerate(arrays)})

    def add_layers(
        self, all_slots: tuple[WeightSlots, ...], weights: LayerWeights, path: str = ""
    ) -> None:
        """Add the weights of layers and of their inner layers."""
        for slots, key in with_keys(all_slots):
            inner = "/".join(filter(None, (path, slots.holder, key)))
            own = weights.get(slots.path, {})
            self.add(inner, slots.path[-1], [own[name] for name in slots.weights])
            self.add_layers(slots.children, weights, inner)

    def add_factors(self, topology: Mapping[str, Any]) -> None:
        """Add what layers with a vocabulary multiply by, which Keras needs beside their configs."""
        for path, class_name, _, values in factors_of(topology):
            self.arrays[f"{path}/{FACTORS}"] = values
            if class_name == "TextVectorization":
                self.arrays[f"{path}/_lookup_layer/{FACTORS}"] = values


def weights_and_state(document: LayersDocument) -> _State:
    """Return the arrays of a model and of its optimizer by path in HDF5, and names of groups."""
    state = _State({}, {})
    state.add_layers(slots_with_weights(document), document.weights)
    state.add_factors(document.topology)
    state.add("", str(document.topology["config"].get("name")), ())
    if document.optimizer_variables is not None:
        optimizer = (document.compile_config or {}).get("optimizer")
        config = optimizer.get("config") if isinstance(optimizer, Mapping) else None
        name = config.get("name") if isinstance(config, Mapping) else None
        state.add("optimizer", str(name or "optimizer"), document.optimizer_variables)
    return state
