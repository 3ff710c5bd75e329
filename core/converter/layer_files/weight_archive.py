"""Weights alone, as ``.npz`` archives of arrays by name."""

import os
from collections.abc import Mapping
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from core.converter.layer_files.keras_archive import writing_file
from core.converter.read_back import not_equal, read_back
from core.converter.reading import reading
from core.errors import CoreError
from weights_cache.array_files.npz import read_array_archive
from weights_cache.array_files.safetensors import ENDING, read_safetensors
from weights_cache.common.errors import WeightsError
from weights_cache.lfs_pointers import refuse_pointer_file
from weights_cache.read_back import check_arrays
from weights_cache.regular_files import open_regular


def write_weight_archive(path: str | os.PathLike[str], arrays: Mapping[str, np.ndarray]) -> Path:
    """Write arrays by name.

    Args:
        path: the file to write, which ends in ``.npz``.
        arrays: the arrays.

    Raises:
        CoreError: the path has another ending, or what was written cannot be read back.
        WeightsError: the file cannot be written.

    An error leaves an existing file unchanged.
    """
    target = _checked(path)
    buffer = BytesIO()
    named: dict[str, Any] = {name.replace("/", "."): each for name, each in arrays.items()}
    np.savez(buffer, **named)
    data = buffer.getvalue()
    with writing_file(target, [data], partial(_check, named)) as stream:
        stream.write(data)
    return target


def _check(named: Mapping[str, np.ndarray], path: Path) -> None:
    check_arrays(named, read_back(_read, path), not_equal)


def read_weight_archive(path: str | os.PathLike[str]) -> dict[str, np.ndarray]:
    """Return the arrays of an archive by name, with dots in place of slashes.

    Args:
        path: of an ``.npz`` file, or of a ``.safetensors`` file, whose names stay.

    Raises:
        CoreError: the path has another ending.
        WeightsError: the file is missing or damaged.
    """
    if os.fspath(path).endswith(ENDING):
        return read_safetensors(path)
    return _read(_checked(path))


def _read(target: Path) -> dict[str, np.ndarray]:
    with reading(target):
        refuse_pointer_file(target)
        with open_regular(target) as file:
            try:
                return read_array_archive(file, target)
            except ValueError as error:
                raise WeightsError(f"{target} is no archive of weights: {error}") from error


def _checked(path: str | os.PathLike[str]) -> Path:
    target = Path(path)
    if target.suffix != ".npz":
        raise CoreError(f"weights are written to .npz files, got {target.name!r}: rename it")
    return target
