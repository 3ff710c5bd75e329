"""The writer of the TensorFlow.js web format: ``model.json`` and its shards."""

import hashlib
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from weights_cache.atomic_files import Check, is_stale, replace_files, require_space, writing_to
from weights_cache.common.errors import WeightsError
from weights_cache.json_documents import LARGEST_DOCUMENT
from weights_cache.locations import PathLike
from weights_cache.manifest import DTYPES
from weights_cache.paths import inside
from weights_cache.quantise import (
    StoredArray,
    dequantise_array,
    quantise_array,
    require_kind,
)
from weights_cache.read_back import not_written, read_back
from weights_cache.regular_files import open_regular
from weights_cache.shards import read_web_model

SHARD_BYTES = 4 * 2**20  # the largest file that all browsers cache
UNQUANTISED = "float32"  # the kind that means no quantisation
Quantise = str | Mapping[str, str] | None

_MANIFEST = "model.json"
_DIGITS = 16  # of a shard's sha256, in its name
_OWN_SHARD = re.compile(rf"group1-shard\d+of\d+-[0-9a-f]{{{_DIGITS}}}\.bin")
_ANY_SHARD = re.compile(r"group\d+-shard\d+of\d+(-[0-9a-f]+)?(\.bin)?")


def write_weights(
    folder: PathLike,
    weights: Mapping[str, np.ndarray | StoredArray],
    *,
    quantise: Quantise = None,
    shard_bytes: int = SHARD_BYTES,
    metadata: Mapping[str, Any] | None = None,
    topology: Mapping[str, Any] | None = None,
    fields: Mapping[str, Any] | None = None,
    files: Mapping[str, bytes] | None = None,
    groups: Mapping[str, str] | None = None,
    check: Check | None = None,
) -> Path:
    """Write ``weights`` as ``model.json`` and shards.

    The name of a shard ends with the first digits of its sha256, such as
    ``group1-shard1of1-1f0c7a96d2e85b34.bin``, so that ``model.json`` is never beside shards of
    another version, also if the process is killed: it is renamed last, and the shards of the model
    that it replaces are removed afterwards.

    Args:
        folder: target folder, made if missing. Files of other names are not changed.
        weights: arrays by name: float32, int32, bool, complex64, or strings as an object array of
            bytes or text; a ``StoredArray`` is stored unchanged.
        quantise: None, or ``"uint8"``, ``"uint16"`` or ``"float16"`` for all float32 weights, or
            a dict from patterns of names (``*`` and ``?``) to kinds. The first pattern that matches
            is used; ``"float32"`` means no quantisation, as for weights that no pattern matches. A
            quantised weight is quantised again only to another kind.
        shard_bytes: the largest size of one shard.
        metadata: written as ``userDefinedMetadata``.
        topology: written as ``modelTopology``.
        fields: further fields of the document, such as ``{"signature": ...}``.
        files: further files of the model by name, which are written with the model.
        groups: ``"optimizer"`` by name, for weights that are no part of the model itself.
        check: called with the path of the new ``model.json``, beside its shards, before any old
            file is replaced; an error that it raises leaves these unchanged.

    Without quantisation ``load_weights(folder)`` returns equal bits. What was written is read back
    before it replaces older files; an error leaves these unchanged.

    Returns:
        The path of ``model.json``.

    Raises:
        WeightsError: the format cannot hold a name, dtype or value, the disk is full, or what was
            written cannot be read back.

    >>> import tempfile
    >>> from weights_cache import load_weights
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = write_weights(folder, {"bias": np.zeros(3, np.float32)})
    ...     (path.name, load_weights(folder)["bias"].tolist())
    ('model.json', [0.0, 0.0, 0.0])
    """
    if not isinstance(shard_bytes, int) or shard_bytes < 1:
        raise WeightsError(f"shard_bytes is {shard_bytes!r}: expected an integer from 1 up")
    kinds = kinds_by_name(weights, quantise)
    entries: list[dict[str, Any]] = []
    pieces: list[memoryview] = []
    for name, array in weights.items():
        entry, stored = _store(name, array, kinds.get(name))
        entries.append(entry | ({"group": groups[name]} if groups and name in groups else {}))
        pieces.append(stored)
    shards = _shards(pieces, shard_bytes)
    manifest = [{"paths": list(shards), "weights": entries}]
    document = _document(manifest, metadata, topology, fields or {})
    beside = {name: [data] for name, data in (files or {}).items()}

    def checked(path: Path) -> None:
        _check_written(path, entries, pieces)
        if check is not None:
            check(path)

    return _write(Path(folder), {**beside, **shards, _MANIFEST: [document]}, checked)


def kinds_by_name(
    names: Iterable[str], quantise: Quantise, also: Collection[str] = ()
) -> dict[str, str]:
    """Return the kind of quantisation by weight name; a pattern without a match is an error.

    Args:
        names: names of all weights.
        quantise: as for ``write_weights``.
        also: further values that are allowed as a kind.

    >>> kinds_by_name(["conv/kernel", "conv/bias"], {"*bias": "float32", "*": "uint8"})
    {'conv/bias': 'float32', 'conv/kernel': 'uint8'}
    """
    if quantise is None:
        return {}
    known = list(names)
    patterns = quantise if isinstance(quantise, Mapping) else {"*": quantise}
    kinds: dict[str, str] = {}
    for pattern, kind in patterns.items():
        if kind != UNQUANTISED and kind not in also:
            require_kind(kind)
        matches = [name for name in known if fnmatchcase(str(name), pattern)]
        if known and not matches:
            raise WeightsError(
                f"the pattern {pattern!r} matches no weight; names are like {known[0]!r}"
            )
        for name in matches:
            kinds.setdefault(name, kind)
    return kinds


def _store(
    name: str, array: np.ndarray | StoredArray, kind: str | None
) -> tuple[dict[str, Any], memoryview]:
    """Return the manifest's entry of one weight, and its bytes in the shard."""
    if not isinstance(name, str) or not name:
        raise WeightsError(f"a weight has the name {name!r}; names are non-empty texts")
    dtype = getattr(getattr(array, "dtype", None), "name", type(array).__name__)
    if isinstance(array, np.ndarray) and _holds_strings(array):
        return {"name": name, "shape": list(array.shape), "dtype": "string"}, _string_bytes(array)
    if not isinstance(array, StoredArray) and dtype not in DTYPES:
        raise WeightsError(f"weight {name!r} is {dtype}; convert it to one of {', '.join(DTYPES)}")
    try:
        if isinstance(array, StoredArray):
            return _store_again(name, array, kind)
        return _store_array(name, array, kind)
    except WeightsError as error:
        raise WeightsError(f"weight {name!r}: {error}") from error


def _store_again(
    name: str, array: StoredArray, kind: str | None
) -> tuple[dict[str, Any], memoryview]:
    """Return entry and bytes of a quantised weight, quantised again only for another kind."""
    require_kind(array.values.dtype.name)
    whole = dequantise_array(*array)  # raises if scale or minimum is invalid
    if kind in (None, UNQUANTISED, array.values.dtype.name) or array.dtype != "float32":
        return _entry(name, whole, array), _bytes(array.values)
    return _store_array(name, whole, kind)


def _store_array(
    name: str, array: np.ndarray, kind: str | None
) -> tuple[dict[str, Any], memoryview]:
    dtype = array.dtype.name
    if kind in (None, UNQUANTISED) or dtype != "float32":
        return _entry(name, array), _bytes(np.ascontiguousarray(array, DTYPES[dtype]))
    quantised = StoredArray(*quantise_array(np.ascontiguousarray(array, DTYPES[dtype]), kind))
    return _entry(name, array, quantised), _bytes(quantised.values)


def _entry(name: str, array: np.ndarray, quantised: StoredArray | None = None) -> dict[str, Any]:
    entry = {"name": name, "shape": list(array.shape), "dtype": array.dtype.name}
    if quantised is None:
        return entry
    affine = {"min": quantised.minimum, "scale": quantised.scale}
    kind = quantised.values.dtype.name
    return entry | {
        "quantization": {
            "dtype": kind,
            **({} if kind == "float16" else affine),
            "original_dtype": quantised.dtype,
        }
    }


def _bytes(stored: np.ndarray) -> memoryview:
    """Return the little-endian bytes of an array."""
    little = np.ascontiguousarray(stored, stored.dtype.newbyteorder("<"))
    return little.reshape(-1).view(np.uint8).data


def _holds_strings(array: np.ndarray) -> bool:
    """Whether an array holds strings as objects; NumPy's text dtypes drop trailing zeros."""
    return array.dtype.kind == "O" and all(isinstance(v, (str, bytes)) for v in array.flat)


def _string_bytes(strings: np.ndarray) -> memoryview:
    """Return the bytes of strings, each after its length in four bytes."""
    blocks = []
    for value in strings.reshape(-1).tolist():
        data = value.encode() if isinstance(value, str) else value
        blocks += [len(data).to_bytes(4, "little"), data]
    return memoryview(b"".join(blocks))


def _shards(pieces: list[memoryview], shard_bytes: int) -> dict[str, list[memoryview]]:
    """Return the pieces in order, cut where a shard is full, by the shard names of tfjs."""
    count = -(-sum(map(len, pieces)) // shard_bytes)
    shards: list[list[memoryview]] = [[] for _ in range(count)]
    position = 0
    for piece in pieces:
        for cut in _cuts(piece, position, shard_bytes):
            shards[position // shard_bytes].append(cut)
            position += len(cut)
    digests = map(_digest, shards)
    names = (f"group1-shard{j}of{count}-{digest}.bin" for j, digest in enumerate(digests, 1))
    return dict(zip(names, shards, strict=True))


def _digest(blocks: Iterable[memoryview]) -> str:
    digest = hashlib.sha256()
    for block in blocks:
        digest.update(block)
    return digest.hexdigest()[:_DIGITS]


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
    fields: Mapping[str, Any],
) -> bytes:
    document: dict[str, Any] = {"generatedBy": "friendly-zoo", "convertedBy": None, **fields}
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


def _check_written(
    path: Path, entries: Sequence[Mapping[str, Any]], pieces: Sequence[memoryview]
) -> None:
    """Raise a WeightsError unless the weights beside a new ``model.json`` have the given bytes."""
    find_shard = partial(inside, path.parent, what=str(path))
    stored = read_back(lambda path: read_web_model(path, find_shard), path).stored
    if list(stored) != [entry["name"] for entry in entries]:
        raise not_written("it has other weights")
    for entry, piece in zip(entries, pieces, strict=True):
        name = entry["name"]
        found, data = _store(name, stored[name], None)
        own = {key: value for key, value in entry.items() if key != "group"}
        if found != own or data != piece:
            raise not_written(f"the weight {name!r:.300} is another one")


def _write(folder: Path, contents: Mapping[str, list[Any]], check: Check) -> Path:
    needed = sum(len(block) for blocks in contents.values() for block in blocks)
    advice = "choose another folder"
    path = folder / _MANIFEST
    with writing_to(folder, needed, advice):
        folder.mkdir(parents=True, exist_ok=True)
        require_space(folder, needed, advice)
        replaced = _text(path) or b""
        replace_files(folder, contents, lambda staged: check(staged / _MANIFEST))
    with suppress(OSError):  # they only take room
        _remove_unused_shards(folder, replaced)
    return path


def _remove_unused_shards(folder: Path, replaced: bytes) -> None:
    """Remove shards that no document in a folder names: of a replaced one, and of killed writers.

    Another process may be about to name shards that are new.
    """
    unused = [path for path in folder.iterdir() if _ANY_SHARD.fullmatch(path.name)]
    for path in folder.glob("*.json"):
        text = _text(path)
        if text is None:
            return
        unused = [shard for shard in unused if shard.name.encode() not in text]
    for shard in unused:
        is_left = _OWN_SHARD.fullmatch(shard.name) and is_stale(shard)
        if f'"{shard.name}"'.encode() in replaced or is_left:
            shard.unlink()


def _text(path: Path) -> bytes | None:
    """Return the text of a document as it is; None if it cannot be read or is too large."""
    try:
        with open_regular(path) as stream:
            text = stream.read(LARGEST_DOCUMENT + 1)
    except OSError:
        return None
    return text if len(text) <= LARGEST_DOCUMENT else None
