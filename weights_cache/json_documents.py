"""JSON documents that may be damaged or hostile."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from weights_cache.errors import WeightsError, ZooError
from weights_cache.interruptions import is_interruption
from weights_cache.reading_budgets import add_file, spend
from weights_cache.regular_files import open_regular

LARGEST_DOCUMENT = 64 * 2**20

#: Bytes of memory by what a document consists of, measured: lists and objects, entries of objects,
#: entries of both, and quotes. In small documents these are not counted: it takes no more than
#: so many times the bytes.
_SMALL_DOCUMENT, _MOST_TIMES = 2**20, 40
_COSTS = {b"{": 72, b"[": 72, b":": 80, b",": 40, b'"': 28}


def read_json(path: Path) -> Any:
    """Return the document in ``path``; whatever is wrong with it becomes a WeightsError."""
    return parse_json(read_document(path), path)


def read_document(path: Path) -> bytes:
    """Return the bytes of a JSON file of at most 64 MiB."""
    with file_errors(path), open_regular(path) as stream:
        status = os.fstat(stream.fileno())
        # Room is taken for what is asked for.
        data = stream.read(min(status.st_size, LARGEST_DOCUMENT) + 1)
    if len(data) > LARGEST_DOCUMENT:
        raise WeightsError(f"{path} is larger than {LARGEST_DOCUMENT} bytes, too large a manifest")
    add_file(status)
    return data


@contextmanager
def file_errors(what: object) -> Iterator[None]:
    """Turn what opening or reading a file raises into a WeightsError that names it.

    Errors of our own pass, and those that come from outside, such as time-outs.
    """
    try:
        yield
    except Exception as error:
        if isinstance(error, ZooError) or is_interruption(error):
            raise
        reason = error.strerror if isinstance(error, OSError) else None
        told = f"{what!s:.1000}"  # a file may have given the name, of any length
        raise WeightsError(
            f"cannot read {told}: {reason or error or type(error).__name__}"
        ) from error


def parse_json(data: bytes, path: Path, unique_keys: bool = False) -> Any:
    """Parse ``data``, the content of ``path``; ``unique_keys`` refuses a key given twice."""
    spend(_parsed_bytes(data), "its JSON document")
    try:
        return json.loads(data, object_pairs_hook=_unique if unique_keys else None)
    except Exception as error:
        if is_interruption(error):
            raise
        reason = str(error) or type(error).__name__
        raise WeightsError(f"{path} is not a readable JSON document: {reason}") from error


def _parsed_bytes(data: bytes) -> int:
    """What a document takes once it is parsed, 25 times its own bytes if it is many ``{}``."""
    if len(data) < _SMALL_DOCUMENT:
        return _MOST_TIMES * len(data)
    text = len(data) if data.isascii() else 4 * len(data)
    return text + sum(cost * data.count(part) for part, cost in _COSTS.items())


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"the name {name!r} is given twice")
        found[name] = value
    return found
