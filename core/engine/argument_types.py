"""Types of arguments, for annotations; every op takes a ``TensorLike`` for a tensor."""

from collections.abc import Sequence
from types import EllipsisType
from typing import Any, Protocol, SupportsIndex

import numpy as np

from core.engine.tensors import Tensor


class SupportsArray(Protocol):
    """An object that NumPy itself converts to an array, such as an image of Pillow."""

    def __array__(self) -> np.ndarray: ...


class SupportsDLPack(Protocol):
    """An object that exports its data by the DLPack protocol, such as a tensor of PyTorch."""

    def __dlpack__(self) -> Any: ...

    def __dlpack_device__(self) -> tuple[Any, int]: ...


#: One value.
Scalar = bool | int | float | complex | str | bytes | np.generic

#: Values in lists; not a list of tensors, which `core.stack` and `core.concat` join.
Nested = Sequence["Scalar | np.ndarray | Nested"]

#: A tensor, or a value that `core.tensor` converts to one.
TensorLike = Tensor | np.ndarray | Scalar | Nested | SupportsArray | SupportsDLPack

_Entry = SupportsIndex | slice | EllipsisType | None

#: Indices that ``x[index]`` takes; see `core.Tensor`.
Index = _Entry | tuple[_Entry, ...] | Tensor | np.ndarray | list[int] | list[bool]
