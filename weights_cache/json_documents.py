"""Reading of JSON documents that may be damaged or hostile."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from weights_cache.common.errors import WeightsError, ZooError
from weights_cache.interruptions import is_interruption
from weights_cache.lfs_pointers import refuse_pointer
from weights_cache.reading_budgets import add_file, spend
from weights_cache.regular_files import open_regular

LARGEST_DOCUMENT = 64 * 2**20

#: Measured bytes of memory per character of a document: lists and objects, entries of objects,
#: entries of both, and quotes. Small documents are not counted: they take at most _MOST_TIMES times
#: their bytes.
_SMALL_DOCUMENT, _MOST_TIMES = 2**20, 40
_COSTS = {b"{": 72, b"[": 72, b":": 80, b",": 40, b'"': 28}


def read_json(path: Path) -> Any:
    """Return the document in ``path``; raise WeightsError if it cannot be read."""
    return parse_json(read_document(path), path)


def read_document(path: Path) -> bytes:
    """Return the bytes of a JSON file of at most 64 MiB."""
    with file_errors(path), open_regular(path) as stream:
        status = os.fstat(stream.fileno())
        # read() allocates the requested size at once.
        data = stream.read(min(status.st_size, LARGEST_DOCUMENT) + 1)
    if len(data) > LARGEST_DOCUMENT:
        raise WeightsError(
            f"{path} is larger than {LARGEST_DOCUMENT} bytes, the limit for a manifest"
        )
    add_file(status)
    return data


@contextmanager
def file_errors(what: object) -> Iterator[None]:
    """Turn an exception of opening or reading a file into a WeightsError that names the file.

    A ZooError passes unchanged, and so does an interruption from outside, such as a time limit.
    """
    try:
        yield
    except Exception as error:
        if isinstance(error, ZooError) or is_interruption(error):
            raise
        reason = error.strerror if isinstance(error, OSError) else None
        name = f"{what!s:.1000}"  # a name from a file may have any length
        raise WeightsError(
            f"cannot read {name}: {reason or error or type(error).__name__}"
        ) from error


def parse_json(data: bytes, path: Path, unique_keys: bool = False) -> Any:
    """Parse ``data``, the content of ``path``; ``unique_keys`` refuses duplicate keys."""
    spend(_parsed_bytes(data), "its JSON document")
    try:
        return json.loads(data, object_pairs_hook=_unique if unique_keys else None)
    except Exception as error:
        if is_interruption(error):
            raise
        refuse_pointer(data, path)
        reason = str(error) or type(error).__name__
        raise WeightsError(f"{path} is not a readable JSON document: {reason}") from error


def _parsed_bytes(data: bytes) -> int:
    """Return an upper bound of the memory of a parsed document (many ``{}`` take 25 times)."""
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
