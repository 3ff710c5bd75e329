"""The writer of the TensorFlow.js web format: ``model.json`` and its shards."""

import json
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np

from weights_cache.errors import WeightsError
from weights_cache.manifest import DTYPES
from weights_cache.places import PathLike
from weights_cache.quantise import QUANTISED_DTYPES, quantise_array, require_kind
from weights_cache.staging import replace_files, require_space, writing_to

SHARD_BYTES = 4 * 2**20  # the largest file that all browsers cache
Quantise = str | Mapping[str, str] | None


def write_weights(
    folder: PathLike,
    weights: Mapping[str, np.ndarray],
    *,
    quantise: Quantise = None,
    shard_bytes: int = SHARD_BYTES,
    metadata: Mapping[str, Any] | None = None,
    topology: Mapping[str, Any] | None = None,
) -> Path:
    """Write ``weights`` as ``model.json`` and ``group1-shard1of1.bin`` ..., and return the former.

    Args:
        folder: where to write; it is made if need be. Files of other names are left alone.
        weights: arrays by name: float32, int32, bool or complex64.
        quantise: None, or ``"uint8"``, ``"uint16"`` or ``"float16"`` for all float32 weights, or
            a dict from patterns of names (``*`` and ``?``) to kinds, of which the first that
            matches counts; weights that none matches are kept as they are.
        shard_bytes: the largest size of one shard.
        metadata: kept as ``userDefinedMetadata``.
        topology: kept as ``modelTopology``.

    Without quantisation ``load_weights(folder)`` gives the same bits. An error leaves files that
    were there as they were. Raises WeightsError for names, dtypes and values that the format
    cannot hold, and when the disk is full.

    >>> import tempfile
    >>> from weights_cache import load_weights
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = write_weights(folder, {"bias": np.zeros(3, np.float32)})
    ...     (path.name, load_weights(folder)["bias"].tolist())
    ('model.json', [0.0, 0.0, 0.0])
    """
    if not isinstance(shard_bytes, int) or shard_bytes < 1:
        raise WeightsError(f"shard_bytes is {shard_bytes!r}; it is a whole number from 1 up")
    kinds = _kinds(weights, quantise)
    entries, pieces = [], []
    for name, array in weights.items():
        entry, stored = _store(name, array, kinds.get(name))
        entries.append(entry)
        pieces.append(stored.reshape(-1).view(np.uint8).data)
    shards = _shards(pieces, shard_bytes)
    manifest = [{"paths": list(shards), "weights": entries}]
    document = _document(manifest, metadata, topology)
    return _write(Path(folder), {**shards, "model.json": [document]})


def _kinds(weights: Mapping[str, np.ndarray], quantise: Quantise) -> dict[str, str]:
    """The quantisation asked for each name; a pattern that matches nothing is a mistake."""
    if quantise is None:
        return {}
    patterns = quantise if isinstance(quantise, Mapping) else {"*": quantise}
    kinds: dict[str, str] = {}
    for pattern, kind in patterns.items():
        require_kind(kind)
        matches = [name for name in weights if fnmatchcase(str(name), pattern)]
        if weights and not matches:
            raise WeightsError(
                f"the pattern {pattern!r} matches no weight; names are like {next(iter(weights))!r}"
            )
        for name in matches:
            kinds.setdefault(name, kind)
    return kinds


def _store(name: str, array: np.ndarray, kind: str | None) -> tuple[dict[str, Any], np.ndarray]:
    """The manifest's entry of one weight, and what lies in the shard."""
    if not isinstance(name, str) or not name:
        raise WeightsError(f"a weight has the name {name!r}; names are non-empty texts")
    dtype = getattr(getattr(array, "dtype", None), "name", type(array).__name__)
    if dtype not in DTYPES:
        known = ", ".join(DTYPES)
        raise WeightsError(f"weight {name!r} is {dtype}; convert it to one of {known}")
    entry: dict[str, Any] = {"name": name, "shape": list(array.shape), "dtype": dtype}
    stored = np.ascontiguousarray(array, DTYPES[dtype])
    if kind is None or dtype != "float32":
        return entry, stored
    try:
        values, scale, minimum = quantise_array(stored, kind)
    except WeightsError as error:
        raise WeightsError(f"weight {name!r}: {error}") from error
    affine = {} if scale is None else {"min": minimum, "scale": scale}
    entry["quantization"] = {"dtype": kind, **affine, "original_dtype": dtype}
    return entry, np.ascontiguousarray(values, QUANTISED_DTYPES[kind])


def _shards(pieces: list[memoryview], shard_bytes: int) -> dict[str, list[memoryview]]:
    """The pieces in order, cut where a shard is full, under the names that tfjs gives shards."""
    count = -(-sum(map(len, pieces)) // shard_bytes)
    shards: list[list[memoryview]] = [[] for _ in range(count)]
    position = 0
    for piece in pieces:
        for cut in _cuts(piece, position, shard_bytes):
            shards[position // shard_bytes].append(cut)
            position += len(cut)
    return {f"group1-shard{j}of{count}.bin": shard for j, shard in enumerate(shards, 1)}


def _cuts(piece: memoryview, position: int, shard_bytes: int) -> Iterator[memoryview]:
    while piece:
        room = shard_bytes - position % shard_bytes
        yield piece[:room]
        position += len(piece[:room])
        piece = piece[room:]


def _document(
    manifest: list[dict[str, Any]],
    metadata: Mapping[str, Any] | None,
    topology: Mapping[str, Any] | None,
) -> bytes:
    document: dict[str, Any] = {"generatedBy": "friendly-zoo", "convertedBy": None}
    if topology is not None:
        # A converted graph lists nodes; what Keras saves does not.
        document["format"] = "graph-model" if "node" in topology else "layers-model"
        document["modelTopology"] = topology
    document["weightsManifest"] = manifest
    if metadata is not None:
        document["userDefinedMetadata"] = metadata
    try:
        text = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return text.encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise WeightsError(
            f"metadata, topology or a name cannot be written as JSON: {error}"
        ) from error


def _write(folder: Path, contents: Mapping[str, list[Any]]) -> Path:
    needed = sum(len(block) for blocks in contents.values() for block in blocks)
    advice = "choose another folder"
    with writing_to(folder, needed, advice):
        folder.mkdir(parents=True, exist_ok=True)
        require_space(folder, needed, advice)
        replace_files(folder, contents)
    return folder / "model.json"
