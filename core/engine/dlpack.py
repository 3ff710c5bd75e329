"""Tensors for other libraries, by the DLPack protocol: ``numpy.from_dlpack(x)`` and its like.

Source: the array API standard 2024.12, ``__dlpack__`` and ``__dlpack_device__``.
"""

from enum import Enum, auto
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from core.errors import CoreError

#: The protocol's number of main memory, ``kDLCPU``, where every tensor is handed out.
CPU_DEVICE = (1, 0)

#: The first version that can mark data as read-only, and the first NumPy that writes it.
_READ_ONLY_MARK, _FIRST_NUMPY = (1, 0), "2.1.0"


class NotGiven(Enum):
    """An argument that was not given, where None means something."""

    NOT_GIVEN = auto()


class ExchangeError(CoreError, BufferError):
    """A tensor cannot be exported as requested; the protocol requires a BufferError."""


class Request(NamedTuple):
    """The request of another library, with the arguments of `core.Tensor.__dlpack__`."""

    stream: Any
    max_version: tuple[int, int] | None
    dl_device: tuple[int, int] | None
    copy: bool | NotGiven | None

    def may_share(self, handle: Any, dtype: str) -> bool:
        """Whether to export a tensor's data themselves, or else a copy.

        Raises:
            ExchangeError: strings, another device or a stream, or no copy where one is necessary.
        """
        if dtype == "string":
            raise ExchangeError("DLPack has no strings: take x.numpy(), an object array of bytes")
        if self.stream is not None or self.dl_device not in (None, CPU_DEVICE):
            raise ExchangeError(
                f"tensors are exported in main memory, device {CPU_DEVICE} without a stream; got "
                f"dl_device={self.dl_device}, stream={self.stream}: move the result there"
            )
        reason = self._reason_to_copy(handle)
        if self.copy is False and reason:
            raise ExchangeError(f"copy=False is impossible: {reason}")
        return self.copy in (None, False) and not reason

    def _reason_to_copy(self, handle: Any) -> str:
        """The reason why the data themselves cannot be exported; empty if they can."""
        if not isinstance(handle, np.ndarray):
            return "the data are read back from the backend; run on 'cpu' to share them"
        if self.max_version is None or self.max_version < _READ_ONLY_MARK:
            return "a tensor never changes, and only DLPack 1.0 or newer marks data as read-only"
        if not _numpy_writes_marks():
            return f"this needs NumPy {_FIRST_NUMPY} or newer, {np.__version__} is installed"
        return ""

    def capsule(self, array: np.ndarray) -> Any:
        """The capsule of an array in the newest version that both sides know."""
        if self.max_version and _numpy_writes_marks():
            return array.__dlpack__(max_version=self.max_version)
        return array.__dlpack__()


@cache
def _numpy_writes_marks() -> bool:
    return np.lib.NumpyVersion(np.__version__) >= _FIRST_NUMPY
