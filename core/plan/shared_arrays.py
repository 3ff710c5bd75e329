"""Arrays computed from weights when plans are made: plans for other shapes share equal ones."""

from collections.abc import Hashable
from weakref import WeakValueDictionary

import numpy as np

from core.process.digests import blake2b
from core.process.locks import new_lock

#: Arrays of fewer bytes are not compared.
SMALLEST = 4096

_SHARED: WeakValueDictionary[Hashable, np.ndarray] = WeakValueDictionary()
_sharing = new_lock()


def shared(array: np.ndarray) -> np.ndarray:
    """Return the array, or an equal one that a plan holds; nobody writes to it any more."""
    if array.nbytes < SMALLEST or array.dtype.hasobject:
        return array
    array = np.ascontiguousarray(array)
    array.flags.writeable = False
    with _sharing:
        return _SHARED.setdefault(content_key(array), array)


def content_key(array: np.ndarray) -> Hashable:
    """Return a key that arrays of another shape, type or content do not have."""
    digest = blake2b(np.ascontiguousarray(array).data).digest()
    return array.shape, array.dtype.str, digest
