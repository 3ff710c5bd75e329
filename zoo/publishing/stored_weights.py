"""The file of a module's weights: shards with their digests, whole or quantised."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from core.wasm.plans import ModuleConstant, ProgramModule
from weights_cache.quantise import quantise_array

#: Bytes of a shard but the last: hosts and browsers keep files of this size in their caches.
SHARD_BYTES = 4 << 20

#: Forms of stored float32 weights, by the name of the option.
KINDS = ("float16", "uint8")

#: Fewer numbers stay as they are: biases and factors, on which all results of a channel depend.
_FEWEST = 256


class StoredWeights(NamedTuple):
    """Weights as files.

    Attributes:
        shards: the files by name, in their order.
        record: what the description of the module says of them.
    """

    shards: Mapping[str, bytes]
    record: Mapping[str, object]


def store_weights(made: ProgramModule, kind: str | None = None) -> StoredWeights:
    """Return the weights of a module as files.

    Args:
        made: the module.
        kind: one of `KINDS` for its arrays of float32, or None for the bytes as they are.
    """
    blocks, pieces = [made.weights], []
    if kind is not None:
        parts = [*_parts(made.weights, made.constants, kind)]
        blocks, pieces = [block for block, _ in parts], [piece for _, piece in parts]
    content = b"".join(blocks)
    starts = range(0, len(content), SHARD_BYTES)
    files = {
        f"weights-{number}.bin": content[start : start + SHARD_BYTES]
        for number, start in enumerate(starts, 1)
    }
    record: dict[str, object] = {
        "address": made.weights_address,
        "bytes": len(made.weights),
        "shards": [
            {"path": path, "bytes": len(shard), "sha256": hashlib.sha256(shard).hexdigest()}
            for path, shard in files.items()
        ],
    }
    if pieces:
        record["pieces"] = pieces
    return StoredWeights(files, record)


def _parts(
    weights: bytes, constants: Sequence[ModuleConstant], kind: str
) -> Iterator[tuple[bytes, dict[str, object]]]:
    """Yield the bytes of each array, and how and to which offset they are widened."""
    for offset, dtype, length in constants:
        array = np.frombuffer(weights, dtype, length, offset)
        if dtype != "float32" or length < _FEWEST:
            yield array.tobytes(), {"at": offset, "as": "raw", "bytes": array.nbytes}
            continue
        stored = quantise_array(array, kind)
        piece: dict[str, object] = {"at": offset, "as": kind, "count": length}
        if stored.scale is not None:
            piece |= {"scale": stored.scale, "least": stored.minimum}
        yield stored.values.tobytes(), piece
