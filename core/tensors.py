"""The tensor that users hold, and the data container that tensors share."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from core.backends.base import Backend, Handle
from core.errors import CoreError
from core.kernels import OPS
from core.memory_count import live_containers, live_tensors, next_id
from core.specs import Shape, Spec


class DataContainer:
    """Data on a backend, owned by all tensors that show it; freed with the last of them."""

    __slots__ = ("backend", "handle", "id")

    def __init__(self, backend: Backend, handle: Handle, size_in_bytes: int):
        self.backend, self.handle, self.id = backend, handle, next_id()
        live_containers[self.id] = size_in_bytes

    # The default keeps the function alive while the interpreter shuts down.
    def __del__(self, _forget: Callable[..., Any] = live_containers.pop) -> None:
        _forget(self.id, None)
        self.backend.release(self.handle)


def _operator(op_name: str) -> Callable[..., "Tensor"]:
    return lambda self, *others: OPS[op_name](self, *others)


def _swapped(op_name: str) -> Callable[["Tensor", Any], "Tensor"]:
    return lambda self, other: OPS[op_name](other, self)


class Tensor:
    """An immutable array on a backend. Make one with `core.tensor`.

    >>> import core
    >>> x = core.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> (x * 2 + 1).numpy()
    array([[3., 5.],
           [7., 9.]], dtype=float32)
    """

    __slots__ = ("__weakref__", "container", "handle", "id", "spec")
    __array_priority__ = 1000  # so that ndarray + Tensor comes to us
    __hash__ = object.__hash__

    def __init__(self, spec: Spec, container: DataContainer, handle: Handle):
        self.spec, self.container, self.handle = spec, container, handle
        self.id = next_id()
        live_tensors.add(self.id)

    def __del__(self, _forget: Callable[[int], None] = live_tensors.discard) -> None:
        _forget(self.id)

    @property
    def shape(self) -> Shape:
        """Length of each axis."""
        return self.spec.shape

    @property
    def dtype(self) -> str:
        """``"float32"``, ``"int32"``, ``"bool"``, ``"complex64"`` or ``"string"``."""
        return self.spec.dtype

    @property
    def ndim(self) -> int:
        """How many axes."""
        return len(self.spec.shape)

    @property
    def size(self) -> int:
        """How many values."""
        return self.spec.size

    @property
    def backend(self) -> str:
        """Name of the backend that holds the data."""
        return self.container.backend.name

    def numpy(self) -> np.ndarray:
        """A copy of the values that the caller owns."""
        return np.array(self._read())

    def item(self) -> Any:
        """The only value, as a Python number."""
        if self.size != 1:
            raise CoreError(f"item() needs a tensor of one value, this one has shape {self.shape}")
        return self._read().item()

    def reshape(self, shape: int | Sequence[int]) -> "Tensor":
        """The same values in another shape; one length may be -1."""
        return OPS["reshape"](self, shape=shape)

    def cast(self, dtype: str) -> "Tensor":
        """The values converted to another dtype."""
        return OPS["cast"](self, dtype=dtype)

    def _read(self) -> np.ndarray:
        return self.container.backend.download(self.handle, self.spec)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        array = self.numpy() if copy else self._read()
        return array if dtype is None else array.astype(dtype, copy=False)

    def __copy__(self) -> "Tensor":
        return self  # nobody can change it

    def __deepcopy__(self, _: Any) -> "Tensor":
        return self

    def __reduce__(self) -> tuple[Callable[..., "Tensor"], tuple[np.ndarray, str]]:
        from core.engine import tensor

        return tensor, (self.numpy(), self.dtype)

    def __len__(self) -> int:
        if not self.shape:
            raise CoreError("a tensor without axes has no length")
        return self.shape[0]

    def __bool__(self) -> bool:
        return bool(self.item())

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __repr__(self) -> str:
        values = np.array2string(self._read(), threshold=20, separator=", ", prefix="Tensor(")
        return f"Tensor({values}, shape={self.shape}, dtype={self.dtype})"

    __neg__, __abs__ = _operator("neg"), _operator("abs")
    __add__, __radd__ = _operator("add"), _swapped("add")
    __sub__, __rsub__ = _operator("sub"), _swapped("sub")
    __mul__, __rmul__ = _operator("mul"), _swapped("mul")
    __truediv__, __rtruediv__ = _operator("div"), _swapped("div")
    __floordiv__, __rfloordiv__ = _operator("floor_div"), _swapped("floor_div")
    __mod__, __rmod__ = _operator("mod"), _swapped("mod")
    __pow__, __rpow__ = _operator("pow"), _swapped("pow")
    __matmul__, __rmatmul__ = _operator("matmul"), _swapped("matmul")
    __lt__, __le__ = _operator("less"), _operator("less_equal")
    __gt__, __ge__ = _operator("greater"), _operator("greater_equal")
    __eq__, __ne__ = _operator("equal"), _operator("not_equal")  # type: ignore[assignment]
    __and__, __or__ = _operator("logical_and"), _operator("logical_or")
    __invert__ = _operator("logical_not")
