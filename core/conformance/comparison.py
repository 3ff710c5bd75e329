"""Comparison of results with expected ones: dtype, shape, values."""

from collections.abc import Iterator

import numpy as np

from core.engine.dtypes import DTYPES, dtype_of

#: Tolerance of floats, in epsilons of the backend.
TOLERANCE = 100

_FLOATS = ("float32", "complex64")


def differences(
    what: str, actual: np.ndarray, expected: np.ndarray, tolerance: float
) -> Iterator[str]:
    """Describe how an array differs from the expected one; nothing if it is equal.

    Args:
        what: name of the array, for the sentences.
        actual: by the backend.
        expected: the right values in the right dtype.
        tolerance: for floats, relative and absolute; other values must be equal.

    >>> right = np.zeros(2, np.float32)
    >>> [*differences("the result", np.array([0.0, 0.5], np.float32), right, 1e-5)]
    ['the result at (1,) is 0.5, should be 0.0 (within 1e-05)']
    """
    if type(actual) is not np.ndarray:
        yield f"{what} is no NumPy array but a {type(actual).__name__}"
        return
    name = dtype_of(expected)
    if actual.dtype != np.dtype(DTYPES[name]):
        yield f"{what} has NumPy's dtype {actual.dtype}, should have {np.dtype(DTYPES[name])}"
    elif actual.shape != expected.shape:
        yield f"{what} has shape {actual.shape}, should have {expected.shape}"
    else:
        yield from _unequal(what, actual, expected, tolerance if name in _FLOATS else 0.0)


def _unequal(
    what: str, actual: np.ndarray, expected: np.ndarray, tolerance: float
) -> Iterator[str]:
    if tolerance:
        with np.errstate(all="ignore"):
            good = np.isclose(actual, expected, rtol=tolerance, atol=tolerance, equal_nan=True)
    else:
        good = np.asarray(actual == expected, bool)
    wrong = np.argwhere(~np.atleast_1d(good))
    if len(wrong):
        position = tuple(map(int, wrong[0])) if actual.ndim else ()
        where = f" at {position}" if actual.ndim else ""
        more = f"; {len(wrong) - 1} more of {actual.size} are wrong" if len(wrong) > 1 else ""
        limit = f" (within {tolerance:g})" if tolerance else ""
        pair = f"{_format_value(actual[position])}, should be {_format_value(expected[position])}"
        yield f"{what}{where} is {pair}{limit}{more}"


def _format_value(value: object) -> str:
    return f"{value.item() if isinstance(value, np.generic) else value!r}"


def are_identical(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two arrays have the same dtype, shape and values, to the last bit."""
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    return a.tolist() == b.tolist() if a.dtype == object else a.tobytes() == b.tobytes()
