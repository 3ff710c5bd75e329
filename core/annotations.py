"""What arguments may be, for annotations; ``TensorLike`` is what every op takes for a tensor."""

from collections.abc import Sequence
from types import EllipsisType
from typing import Any, Protocol, SupportsIndex

import numpy as np

from core.tensors import Tensor


class SupportsArray(Protocol):
    """What NumPy makes an array of by itself, such as an image of Pillow."""

    def __array__(self) -> np.ndarray: ...


class SupportsDLPack(Protocol):
    """What hands out its data by the DLPack protocol, such as a tensor of PyTorch."""

    def __dlpack__(self) -> Any: ...

    def __dlpack_device__(self) -> tuple[Any, int]: ...


#: One value.
Scalar = bool | int | float | complex | str | bytes | np.generic

#: Values in lists; a list of tensors is none, `core.stack` and `core.concat` join those.
Nested = Sequence["Scalar | np.ndarray | Nested"]

#: A tensor, or what `core.tensor` makes one of.
TensorLike = Tensor | np.ndarray | Scalar | Nested | SupportsArray | SupportsDLPack

_Place = SupportsIndex | slice | EllipsisType | None

#: What ``x[index]`` takes; see `core.methods.get_item`.
Index = _Place | tuple[_Place, ...] | Tensor | np.ndarray | list[int] | list[bool]
