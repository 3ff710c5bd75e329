"""Damage to JSON documents: other values, values in each other's place, copies, and lost ones."""

import copy
import json
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tests.reliability.fuzz import raw_bytes

Rng = np.random.Generator

HOSTILE: tuple[Any, ...] = (
    *(None, True, False, -1, 0, 1, 2, 3, 7, 255, 65535, 2**20, 2**31 - 1, 2**31, 2**63, 10**30),
    *(0.5, -1.5, 1e-300, -1e308, math.nan, math.inf, -math.inf),
    *("", "..", "/etc/passwd", "float32", "uint8", "string", "\0", "é", "\ud800", "x" * 1000),
    *("DT_STRING", "DT_FLOAT", "DT_INT32", "DT_RESOURCE", "DT_VARIANT", "valid", "same", "causal"),
    *([], {}, [[]], [None], {"dtype": "uint16"}, [-1], [0], [2**40, 2**40], [1] * 100, [[1, 2]]),
    *({"unknownRank": True}, {"dim": [{"size": "-1"}]}, {"s": "Zg=="}, {"i": "7"}, {"b": True}),
    *({"list": {"i": ["1", "2"]}}, {"list": {}}, {"func": {"name": "f"}}, {"type": "DT_BOOL"}),
)


def damaged_header(data: bytes, others: Sequence[bytes], rng: Rng) -> bytes:
    """Damage the document behind its length, as files of safetensors begin, and keep the rest.

    Raises:
        ValueError: the file does not begin so.
    """
    end = 8 + int.from_bytes(data[:8], "little")
    header = damaged(data[8:end], [], rng)
    return len(header).to_bytes(8, "little") + header + data[end:]


def damaged(data: bytes, others: Sequence[bytes], rng: Rng) -> bytes:
    """Damage one to three places of a document.

    Args:
        data: the document.
        others: documents from which parts may come.

    Raises:
        ValueError: it is no document.
    """
    document = json.loads(data)
    source = json.loads(others[int(rng.integers(len(others)))]) if others else document
    for _ in range(raw_bytes.places(rng)):
        found = list(_places(document))
        if not found:
            break
        owner, key = found[int(rng.integers(len(found)))]
        _change(owner, key, found, source, rng)
    return json.dumps(document, ensure_ascii=bool(rng.random() < 0.5)).encode("utf-8", "replace")


def _change(owner: Any, key: Any, places: list[tuple[Any, Any]], source: Any, rng: Rng) -> None:
    kind = rng.random()
    if kind < 0.35:
        owner[key] = copy.deepcopy(HOSTILE[int(rng.integers(len(HOSTILE)))])
    elif kind < 0.6:  # a value from elsewhere, most often one of the same kind
        found = places if rng.random() < 0.7 else list(_places(source)) or places
        alike = [p for p in found if type(p[0][p[1]]) is type(owner[key])] or found
        other, other_key = alike[int(rng.integers(len(alike)))]
        owner[key] = copy.deepcopy(other[other_key])
    elif kind < 0.75 and isinstance(owner[key], (int, float)):
        owner[key] = owner[key] + int(rng.integers(-2, 3))
    elif kind < 0.85:
        del owner[key]
    elif isinstance(owner, list):
        owner.insert(int(rng.integers(len(owner) + 1)), copy.deepcopy(owner[key]))
    elif isinstance(owner[key], (dict, list)):
        owner[key] = [copy.deepcopy(owner[key])] if rng.random() < 0.5 else {}
    else:
        owner[f"{key}x"] = owner.pop(key)


def _places(document: Any) -> Iterator[tuple[Any, Any]]:
    """Every container with each of its keys."""
    if isinstance(document, (dict, list)):
        for key in list(document) if isinstance(document, dict) else range(len(document)):
            yield document, key
            yield from _places(document[key])
