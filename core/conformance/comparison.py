"""Comparison of results with what is right: dtype, shape, values."""

from collections.abc import Iterator

import numpy as np

from core.engine.dtypes import DTYPES, dtype_of

#: How far floats may be off, in epsilons of the backend.
TOLERANCE = 100

_FLOATS = ("float32", "complex64")


def differences(
    what: str, found: np.ndarray, expected: np.ndarray, tolerance: float
) -> Iterator[str]:
    """Describe how an array differs from the right one: nothing if it is as it should be.

    Args:
        what: name of the array, for the sentences.
        found: by the backend.
        expected: the right values in the right dtype.
        tolerance: for floats, relative and absolute; other values must be equal.

    >>> right = np.zeros(2, np.float32)
    >>> [*differences("the result", np.array([0.0, 0.5], np.float32), right, 1e-5)]
    ['the result at (1,) is 0.5, should be 0.0 (within 1e-05)']
    """
    if type(found) is not np.ndarray:
        yield f"{what} is no NumPy array but a {type(found).__name__}"
        return
    name = dtype_of(expected)
    if found.dtype != np.dtype(DTYPES[name]):
        yield f"{what} has NumPy's dtype {found.dtype}, should have {np.dtype(DTYPES[name])}"
    elif found.shape != expected.shape:
        yield f"{what} has shape {found.shape}, should have {expected.shape}"
    else:
        yield from _unequal(what, found, expected, tolerance if name in _FLOATS else 0.0)


def _unequal(what: str, found: np.ndarray, expected: np.ndarray, tolerance: float) -> Iterator[str]:
    if tolerance:
        with np.errstate(all="ignore"):
            good = np.isclose(found, expected, rtol=tolerance, atol=tolerance, equal_nan=True)
    else:
        good = np.asarray(found == expected, bool)
    wrong = np.argwhere(~np.atleast_1d(good))
    if len(wrong):
        place = tuple(map(int, wrong[0])) if found.ndim else ()
        where = f" at {place}" if found.ndim else ""
        more = f"; {len(wrong) - 1} more of {found.size} are wrong" if len(wrong) > 1 else ""
        limit = f" (within {tolerance:g})" if tolerance else ""
        pair = f"{_shown(found[place])}, should be {_shown(expected[place])}"
        yield f"{what}{where} is {pair}{limit}{more}"


def _shown(value: object) -> str:
    return f"{value.item() if isinstance(value, np.generic) else value!r}"


def are_identical(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two arrays have the same dtype, shape and values, to the last bit."""
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    return a.tolist() == b.tolist() if a.dtype == object else a.tobytes() == b.tobytes()
