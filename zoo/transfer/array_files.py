"""Files of arrays with facts: ``.npz`` without pickle, written wholly or not at all."""

import io
import json
import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from weights_cache.array_files.npz import read_array_archive
from weights_cache.atomic_files import replacing
from weights_cache.common.errors import ZooError
from weights_cache.interruptions import pass_interruption
from weights_cache.lfs_pointers import refuse_pointer_file
from weights_cache.ownership import behind_links
from weights_cache.read_back import check_arrays, not_written, read_back
from weights_cache.reading_budgets import BudgetError
from weights_cache.regular_files import open_regular


def write_arrays(
    path: str | os.PathLike[str], arrays: Mapping[str, np.ndarray], facts: Mapping[str, Any]
) -> None:
    """Write arrays and facts to an ``.npz`` file, wholly or not at all.

    Args:
        path: of the file.
        arrays: by name.
        facts: of JSON, which `read_arrays` checks: "format" and "version".

    Raises:
        ZooError: the file cannot be written, or not be read back.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise ZooError(f"a path is a text or a pathlib.Path, not {path!r:.80}")
    data = io.BytesIO()
    text = json.dumps(facts, ensure_ascii=False).encode()
    np.savez(data, allow_pickle=False, facts=np.frombuffer(text, np.uint8), **arrays)
    check = partial(_check_written, arrays, json.loads(text))
    try:
        with replacing(behind_links(path), check=check) as stream:
            stream.write(data.getvalue())
    except OSError as error:
        pass_interruption(error)
        raise ZooError(f"cannot write {os.fspath(path)!r}: {error.strerror or error}") from error


def _check_written(arrays: Mapping[str, np.ndarray], facts: dict[str, Any], path: Path) -> None:
    """Raise an error unless a new file has these arrays and facts."""
    found = read_back(lambda path: read_arrays(path, facts["format"], facts["version"]), path)
    check_arrays(arrays, found[0])
    if found[1] != facts:
        raise not_written("it has other facts")


def read_arrays(
    path: str | os.PathLike[str], form: str, version: int
) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Return the arrays and facts that `write_arrays` wrote.

    Raises:
        ZooError: the file is missing, damaged, of another format or a newer version.
    """
    name = os.fspath(path)
    try:
        refuse_pointer_file(path)
        with open_regular(path) as stream:
            arrays = read_array_archive(stream, name)
        facts = json.loads(arrays.pop("facts").tobytes())
        if not isinstance(facts, dict) or facts.get("format") != form:
            raise ValueError(f"its format is not {form}")
        if facts.get("version") != version:
            raise ValueError(f"its version is {facts.get('version')!r}, known is {version}")
    except BudgetError:
        raise
    except (OSError, ValueError, KeyError, RecursionError, ZooError) as error:
        pass_interruption(error)
        reason = getattr(error, "strerror", None) or error
        raise ZooError(f"{name!r} cannot be read: {reason!s:.500}") from error
    return arrays, facts
