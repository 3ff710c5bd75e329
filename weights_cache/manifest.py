"""Reading the three kinds of weight manifests, which list weights and their shards.

- ``model.json`` of TensorFlow.js, whose ``weightsManifest`` lists groups of weights and shards;
- the weights manifest that older converters and face-api.js wrote: only that list;
- PoseNet's ``manifest.json`` from before TensorFlow.js 1.0: one raw float32 file per weight.
"""

import math
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from weights_cache.common.errors import WeightsError
from weights_cache.json_documents import parse_json
from weights_cache.quantise import QUANTISED_DTYPES

DTYPES = {"float32": "<f4", "int32": "<i4", "bool": "u1", "complex64": "<c8", "string": "<u4"}
_MOST_AXES = 32  # the limit of NumPy 1


class Entry(NamedTuple):
    """One weight of a manifest; ``kind`` is the quantised dtype, with scale and minimum."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    kind: str | None = None
    scale: float | None = None
    minimum: float | None = None

    @property
    def stored(self) -> np.dtype:
        """The dtype on disk, little-endian; for strings the dtype of their lengths."""
        return np.dtype(QUANTISED_DTYPES[self.kind] if self.kind else DTYPES[self.dtype])

    @property
    def bytes(self) -> int:
        """Bytes on disk; for strings only the bytes of their lengths."""
        return math.prod(self.shape) * self.stored.itemsize


class Group(NamedTuple):
    """Weights that are stored contiguously in consecutive shards."""

    entries: list[Entry]
    shards: list[Any]


def manifest_name(names: Iterable[str], where: object) -> str:
    """Return the manifest among the file ``names``; ``where`` is named in errors."""
    known = sorted(names)
    kinds = ("model.json", "weights_manifest.json", "manifest.json")
    for kind in kinds:
        found = [name for name in known if name == kind or name.endswith(f"-{kind}")]
        if len(found) == 1:
            return found[0]
        if found:
            raise WeightsError(
                f"{where} holds {len(found)} manifests; name one: {', '.join(found)}"
            )
    raise WeightsError(
        f"{where} has no manifest of weights: none of its files is a model.json, "
        "a ...weights_manifest.json or a manifest.json"
    )


def parse_manifest(data: bytes, path: Path) -> tuple[Any, list[Group]]:
    """Return the document of a manifest file, and the groups of weights that it lists.

    Raises:
        WeightsError: the document is not a manifest, or lists weights or shards twice.
    """
    document = parse_json(data, path)
    groups = _listed_groups(document, data, path)
    _require_unique((entry.name for group in groups for entry in group.entries), path, "weight")
    # A small file listed many times could require far more memory than its bytes on disk.
    _require_unique((str(shard) for group in groups for shard in group.shards), path, "shard")
    return document, groups


def _listed_groups(document: Any, data: bytes, path: Path) -> list[Group]:
    if isinstance(document, dict) and "weightsManifest" in document:
        return _groups(document["weightsManifest"], path)
    if isinstance(document, list):
        return _groups(document, path)
    if isinstance(document, dict) and "modelTopology" not in document:
        # A duplicate weight is a duplicate key here, of which json keeps the last.
        return _single_files(parse_json(data, path, unique_keys=True), path)
    raise WeightsError(f"{path} has no 'weightsManifest', so it lists no weights")


def _groups(document: Any, path: Path) -> list[Group]:
    groups = _require_list(document, f"{path}: the weights manifest")
    return [_group(group, f"{path}, group {number}") for number, group in enumerate(groups, 1)]


def _group(document: Any, where: str) -> Group:
    if not isinstance(document, dict):
        raise WeightsError(f"{where}: should be an object with 'weights' and 'paths'")
    weights = _require_list(document.get("weights"), f"{where}: 'weights'")
    shards = _require_list(document.get("paths"), f"{where}: 'paths'")
    return Group([_entry(weight, where) for weight in weights], shards)


def _single_files(document: dict[str, Any], path: Path) -> list[Group]:
    if not document:
        raise WeightsError(f"{path} is empty, so it lists no weights")
    groups = []
    for name, weight in document.items():
        if not isinstance(weight, dict) or "filename" not in weight:
            raise WeightsError(
                f"{path}: {name!r} has no 'filename', so this is not a weight manifest"
            )
        entry = _entry({**weight, "name": name, "dtype": "float32"}, str(path))
        groups.append(Group([entry], [weight["filename"]]))
    return groups


def _entry(weight: Any, where: str) -> Entry:
    if not isinstance(weight, dict):
        raise WeightsError(f"{where}: a weight should be an object, not {_short(weight)}")
    name = weight.get("name")
    if not isinstance(name, str) or not name:
        raise WeightsError(f"{where}: a weight has the name {_short(name)}, not a text")
    where = f"{where}, weight {name!r}"
    dtype = weight.get("dtype")
    if not isinstance(dtype, str) or dtype not in DTYPES:
        known = ", ".join(DTYPES)
        raise WeightsError(
            f"{where}: dtype {_short(dtype)} is not supported; expected one of {known}"
        )
    entry = Entry(name, (), dtype)
    if weight.get("quantization") is not None:
        entry = _quantised(entry, weight["quantization"], where)
    return entry._replace(shape=_shape(weight.get("shape"), entry.stored.itemsize, where))


def _quantised(entry: Entry, document: Any, where: str) -> Entry:
    kind = document.get("dtype") if isinstance(document, dict) else None
    if not isinstance(kind, str) or kind not in QUANTISED_DTYPES:
        known = ", ".join(QUANTISED_DTYPES)
        raise WeightsError(f"{where}: quantisation {_short(document)} is not one of {known}")
    if entry.dtype != "float32" and (entry.dtype != "int32" or kind == "float16"):
        raise WeightsError(f"{where}: {entry.dtype} cannot be quantised to {kind}")
    if kind == "float16":
        return entry._replace(kind=kind)
    scale, minimum = document.get("scale"), document.get("min")
    if not _is_finite(scale) or not _is_finite(minimum):
        shown = f"scale {_short(scale)} and min {_short(minimum)}"
        raise WeightsError(f"{where}: {shown} should be finite numbers")
    return entry._replace(kind=kind, scale=float(scale), minimum=float(minimum))


def _shape(document: Any, itemsize: int, where: str) -> tuple[int, ...]:
    shape = _require_list(document, f"{where}: the shape")
    if len(shape) > _MOST_AXES:
        raise WeightsError(f"{where}: {len(shape)} axes are more than {_MOST_AXES}")
    if not all(type(size) is int and size >= 0 for size in shape):
        raise WeightsError(
            f"{where}: the shape {_short(shape)} is invalid: expected sizes from 0 up"
        )
    # Without empty axes: NumPy multiplies the others even for an empty array.
    if math.prod(max(size, 1) for size in shape) * itemsize > sys.maxsize:
        raise WeightsError(f"{where}: the shape {_short(shape)} is too large for this machine")
    return tuple(shape)


def _require_unique(names: Iterable[str], path: Path, what: str) -> None:
    known = set()
    for name in names:
        if name in known:
            raise WeightsError(f"{path}: the {what} {name!r} is listed twice")
        known.add(name)


def _require_list(document: Any, what: str) -> list[Any]:
    if not isinstance(document, list):
        raise WeightsError(f"{what} should be a list, not {_short(document)}")
    return document


def _is_finite(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) <= sys.float_info.max


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
