"""The cpu backend in NumPy: always there, and the definition of right for the other backends.

A handle is an array that nobody writes to. A kernel takes arrays and returns fresh ones, never a
view of its inputs, so that a result does not keep its inputs' memory alive.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from core.backends.base import Backend
from core.dtypes import dtype_of
from core.specs import Spec


class CpuBackend(Backend):
    """Runs NumPy kernels in the calling thread."""

    name = "cpu"
    epsilon = 1e-7

    def upload(self, array: np.ndarray) -> np.ndarray:
        """Take over an array that nobody else writes to."""
        array.flags.writeable = False
        return array

    def download(self, handle: np.ndarray, spec: Spec) -> np.ndarray:
        """The array itself."""
        return handle

    def view(self, handle: np.ndarray, spec: Spec) -> np.ndarray:
        """The array in another shape."""
        return handle.reshape(spec.shape)

    def run(
        self,
        kernel: Callable[..., Any],
        handles: list[Any],
        attributes: Mapping[str, Any],
    ) -> Any:
        """Call the kernel; overflow and 0/0 give inf and NaN in silence, as on every backend."""
        with np.errstate(all="ignore"):
            result = kernel(*handles, **attributes)
        if isinstance(result, tuple):
            return tuple(_frozen(r) for r in result)
        return _frozen(result)

    def spec_of(self, handle: np.ndarray) -> Spec:
        """Shape and dtype of an array."""
        return Spec(handle.shape, dtype_of(handle))


def _frozen(result: Any) -> np.ndarray:
    array = result if type(result) is np.ndarray else np.asarray(result)
    array.flags.writeable = False
    return array


def make_backend() -> CpuBackend:
    """The backend for `core.kernels.load_backend`."""
    return CpuBackend()
