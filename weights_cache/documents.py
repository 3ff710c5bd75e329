"""JSON documents that may be damaged or hostile."""

import json
import os
from pathlib import Path
from typing import Any

from weights_cache.errors import WeightsError

LARGEST_DOCUMENT = 64 * 2**20


def read_json(path: Path) -> Any:
    """Return the document in ``path``; whatever is wrong with it becomes a WeightsError."""
    return parse_json(read_document(path), path)


def read_document(path: Path) -> bytes:
    """Return the bytes of a JSON file of at most 64 MiB."""
    try:
        with open(path, "rb") as stream:
            size = os.fstat(stream.fileno()).st_size  # room is taken for what is asked for
            data = stream.read(min(size, LARGEST_DOCUMENT) + 1)
    except OSError as error:
        raise WeightsError(f"cannot read {path}: {error.strerror or error}") from error
    if len(data) > LARGEST_DOCUMENT:
        raise WeightsError(f"{path} is larger than {LARGEST_DOCUMENT} bytes, too large a manifest")
    return data


def parse_json(data: bytes, path: Path, unique_keys: bool = False) -> Any:
    """Parse ``data``, the content of ``path``; ``unique_keys`` refuses a key given twice."""
    try:
        return json.loads(data, object_pairs_hook=_unique if unique_keys else None)
    except (ValueError, RecursionError) as error:
        reason = str(error) or type(error).__name__
        raise WeightsError(f"{path} is not a readable JSON document: {reason}") from error


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the name {twice!r} is given twice")
    return found
