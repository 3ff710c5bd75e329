"""Check of new files: they are read back before they replace others."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

import numpy as np

from core.engine.limits import LimitError
from core.errors import CoreError
from weights_cache.common.errors import ZooError

Read = TypeVar("Read")


def read_back(read: Callable[[Path], Read], path: Path) -> Read:
    """Return what a reader finds in new files.

    Raises:
        CoreError: they cannot be read, or it is something else.
    """
    try:
        return read(path)
    except LimitError:
        raise
    except ZooError as error:
        raise not_equal(str(error)) from error


def not_equal(reason: str) -> CoreError:
    """Return the error for new files that are not what was to be written."""
    return CoreError(
        f"what was written cannot be read back ({reason}), so nothing was replaced: if the model "
        f"itself runs, this is a fault of the writer, please report it"
    )


def check_arrays(written: Mapping[str, np.ndarray], found: Mapping[str, np.ndarray]) -> None:
    """Raise a CoreError unless arrays that were read back are the written ones."""
    if written.keys() != found.keys():
        raise not_equal(f"other arrays: {sorted(written.keys() ^ found.keys())!r:.300}")
    for name, array in written.items():
        if array.dtype != found[name].dtype or not same_values(array, found[name]):
            raise not_equal(f"the array {name!r:.300} has other values")


def same_values(written: np.ndarray, found: np.ndarray) -> bool:
    """Whether two arrays have one shape and equal values; NaN equals NaN."""
    has_nan = written.dtype.kind in "fc"
    return np.array_equal(written, found, equal_nan=has_nan)
