"""Check of new files: they are read back before they replace others."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

import numpy as np

from weights_cache.common.errors import WeightsError, ZooError
from weights_cache.reading_budgets import BudgetError

Read = TypeVar("Read")

#: Makes the error for new files that are not what was to be written, from the reason.
Fault = Callable[[str], ZooError]


def not_written(reason: str) -> ZooError:
    """Return the error for new files that are not what was to be written."""
    return WeightsError(
        f"what was written cannot be read back ({reason}), so nothing was replaced: this is a "
        f"fault of the writer, please report it"
    )


def read_back(
    read: Callable[[Path], Read],
    path: Path,
    fault: Fault = not_written,
    passing: type[Exception] = BudgetError,
) -> Read:
    """Return what a reader finds in new files.

    Args:
        read: the reader.
        path: of the files.
        fault: makes the error for what the reader refuses.
        passing: errors of limits, which pass unchanged.

    Raises:
        ZooError: they cannot be read.
    """
    try:
        return read(path)
    except passing:
        raise
    except ZooError as error:
        raise fault(str(error)) from error


def check_arrays(
    written: Mapping[str, np.ndarray],
    found: Mapping[str, np.ndarray],
    fault: Fault = not_written,
) -> None:
    """Raise an error unless arrays that were read back are the written ones."""
    if written.keys() != found.keys():
        raise fault(f"other arrays: {sorted(written.keys() ^ found.keys())!r:.300}")
    for name, array in written.items():
        if array.dtype != found[name].dtype or not same_values(array, found[name]):
            raise fault(f"the array {name!r:.300} has other values")


def same_values(written: np.ndarray, found: np.ndarray) -> bool:
    """Whether two arrays have one shape and equal values; NaN equals NaN."""
    has_nan = written.dtype.kind in "fc"
    return np.array_equal(written, found, equal_nan=has_nan)
