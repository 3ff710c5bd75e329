"""Cache-aligned memory for runs, and frozen copies of it."""

import numpy as np

#: Bytes of a line of the cache.
CACHE_LINE = 64


def aligned_bytes(size: int) -> np.ndarray:
    """Return bytes that begin on a cache line, with arbitrary content.

    >>> aligned_bytes(100).shape
    (100,)
    """
    raw = np.empty(size + CACHE_LINE, np.uint8)
    begin = -raw.ctypes.data % CACHE_LINE
    return raw[begin : begin + size]


def frozen_copy(array: np.ndarray) -> np.ndarray:
    """Return a read-only copy."""
    result = array.copy()
    result.setflags(write=False)
    return result
