"""The tensor that users hold, and the data container that tensors share."""

from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from core import ops
from core.engine.backend import Backend, Handle
from core.engine.dlpack import CPU_DEVICE, NotGiven, Request
from core.engine.dtypes import DType
from core.engine.run_guard import live_containers, live_tensors, next_id
from core.engine.specs import Shape, Spec
from core.engine.tensor_index import picked, sliced
from core.errors import CoreError

if TYPE_CHECKING:  # a stub of the methods that core.ops.families adds
    from core.engine.argument_types import Index, TensorLike
    from core.engine.tensor_methods import TensorMethods
else:
    TensorMethods = object


class DataContainer:
    """Data on a backend, owned by all tensors that show it; freed with the last of them."""

    __slots__ = ("backend", "handle", "id")

    def __init__(self, backend: Backend, handle: Handle, spec: Spec):
        self.backend, self.handle = backend, handle
        self.id = number = next_id()
        live_containers[number] = spec

    # The default keeps the function alive while the interpreter shuts down.
    def __del__(self, _forget: Callable[..., Any] = live_containers.pop) -> None:
        if hasattr(self, "id"):  # else Ctrl-C interrupted the constructor
            _forget(self.id, None)
            self.backend.release(self.handle)


def _as_arrays(value: Any) -> Any:
    """The arguments with arrays instead of tensors."""
    if isinstance(value, Tensor):
        return value.numpy()
    if isinstance(value, dict):
        return {name: _as_arrays(v) for name, v in value.items()}
    return type(value)(map(_as_arrays, value)) if type(value) in (list, tuple) else value


def disposed_error() -> CoreError:
    """The error for the use of a disposed tensor."""
    return CoreError(
        "this tensor was disposed, by dispose() or at the end of a tidy scope: return it from "
        "the scope or core.keep it there, if it is needed later"
    )


def _refuse(*_: Any, **__: Any) -> Any:
    raise disposed_error()


class _Gone:
    """Replaces the backend and the data of disposed tensors.

    An op in another thread may get it as data: it is neither an array nor None.
    """

    name = "none"
    __getattr__ = __getitem__ = __array__ = __array_ufunc__ = _refuse


class _GoneContainer(NamedTuple):
    """The container of disposed tensors."""

    backend: Any
    handle: Any
    id: int = 0


_GONE: Any = _GoneContainer(_Gone(), _Gone())


class Tensor(TensorMethods):
    """An immutable array on a backend. Make one with `core.tensor`.

    Operators and many ops are methods too, such as ``x.relu()`` and ``x.sum(axis=0)``, and NumPy's
    basic indexing works, such as ``x[1:, ::-1]``.

    >>> import core
    >>> x = core.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> (x * 2 + 1).numpy()
    array([[3., 5.],
           [7., 9.]], dtype=float32)
    """

    __slots__ = ("__weakref__", "container", "handle", "id", "spec")
    __array_priority__ = 1000  # so that ndarray + Tensor calls the tensor's method
    __hash__ = object.__hash__

    def __init__(self, spec: Spec, container: DataContainer, handle: Handle):
        self.spec, self.container, self.handle = spec, container, handle
        self.id = number = next_id()
        live_tensors.add(number)

    def __del__(self, _forget: Callable[[int], None] = live_tensors.discard) -> None:
        _forget(getattr(self, "id", 0))  # 0 if Ctrl-C interrupted the constructor

    def _operand(self) -> "Tensor":
        """Return the operand of ops: the tensor; of a variable, a reading of its value."""
        return self

    @property
    def shape(self) -> Shape:
        """Length of each axis."""
        return self.spec.shape

    @property
    def dtype(self) -> DType:
        """``"float32"``, ``"int32"``, ``"bool"``, ``"complex64"`` or ``"string"``."""
        return self.spec.dtype  # type: ignore[return-value]

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.spec.shape)

    @property
    def size(self) -> int:
        """The number of values."""
        return self.spec.size

    @property
    def backend(self) -> str:
        """Name of the backend that holds the data."""
        return self.container.backend.name

    @property
    def is_disposed(self) -> bool:
        """Whether the data were freed; the tensor cannot be used any more."""
        return self.container is _GONE

    def dispose(self) -> None:
        """Free the data now, even if the tensor is still referenced; see `core.dispose`."""
        live_tensors.discard(self.id)
        self.container = _GONE  # first: readers of handle, then container, get both or neither
        self.handle = _GONE.handle

    def data(self) -> Coroutine[Any, Any, np.ndarray]:
        """A copy of the values, for coroutines: the event loop runs while they are computed.

        A tensor that is disposed after the call, before the values are awaited, is no error.

        >>> import asyncio, core
        >>> asyncio.run(core.tensor([1.0, 2.0]).data())
        array([1., 2.], dtype=float32)
        """
        from core.engine.async_run import run_async

        spec, handle, container = self.spec, self.handle, self.container  # which owns the handle
        if container is _GONE:
            raise disposed_error()
        return run_async(lambda: container.backend.take(handle, spec))

    def numpy(self) -> np.ndarray:
        """A copy of the values that the caller owns."""
        return self.container.backend.take(self.handle, self.spec)

    def item(self) -> Any:
        """The only value, as a Python number, or bytes of a string."""
        if self.size != 1:
            raise CoreError(f"item() needs a tensor of one value, this one has shape {self.shape}")
        return self._read().item()

    def tolist(self) -> Any:
        """The values as nested lists of Python numbers, or bytes of strings."""
        return self._read().tolist()

    def reshape(self, *shape: int | Sequence[int]) -> "Tensor":
        """The values in another shape, given as one or several arguments; one length may be -1."""
        return ops.reshape(self, shape=_one_or_several(shape))

    def transpose(self, *perm: int | Sequence[int], conjugate: bool = False) -> "Tensor":
        """The axes in another order, given as one or several, by default reversed."""
        order = _one_or_several(perm) if perm else None
        return ops.transpose(self, perm=order, conjugate=conjugate)

    def cast(self, dtype: DType) -> "Tensor":
        """The values converted to another dtype."""
        return ops.cast(self, dtype=dtype)

    def flatten(self) -> "Tensor":
        """The values along one axis."""
        return ops.reshape(self, shape=(self.size,))

    @property
    def T(self) -> "Tensor":  # noqa: N802 - as NumPy calls it
        """The axes in reverse order."""
        return ops.transpose(self)

    def concat(self, others: "TensorLike | Sequence[TensorLike]", axis: int = 0) -> "Tensor":
        """`core.concat` of this tensor and another tensor or array, or a list of them."""
        return ops.concat([self, *_listed(others)], axis=axis)

    def stack(self, others: "TensorLike | Sequence[TensorLike]", axis: int = 0) -> "Tensor":
        """`core.stack` of this tensor and another tensor or array, or a list of them."""
        return ops.stack([self, *_listed(others)], axis=axis)

    def where(self, condition: "TensorLike", other: "TensorLike") -> "Tensor":
        """The values of this tensor where a condition is true, values of another one elsewhere."""
        return ops.where(condition, self, other)

    def print(self) -> None:
        """Print the values, indented below a title, as TensorFlow.js does.

        >>> import core
        >>> core.tensor([[1.0, 2.5]]).print()
        Tensor
            [[1. , 2.5]]
        """
        values = np.array2string(self.numpy(), separator=", ", prefix="    ")
        print(f"Tensor\n    {values}")

    def _read(self) -> np.ndarray:
        return self.container.backend.download(self.handle, self.spec)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        array = self.numpy() if copy else self._read()
        return array if dtype is None else array.astype(dtype, copy=False)

    def __dlpack__(
        self,
        *,
        stream: None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | NotGiven | None = NotGiven.NOT_GIVEN,
    ) -> Any:
        """The data for another library, which calls this: ``numpy.from_dlpack(x)``.

        A tensor never changes, so data are shared only as read-only ones, on ``"cpu"``: where
        the other library says by ``copy`` that sharing is fine, as NumPy 2.1 and newer do and
        ``torch.from_dlpack(x, copy=False)``. Else it gets a copy: PyTorch reads the mark of
        read-only data and lets them be written to.

        Args:
            stream: must be None.
            max_version: the newest version of DLPack that the other library reads.
            dl_device: the device for the data: main memory, ``(1, 0)``, is the only choice.
                Data of other backends are read back.
            copy: True: a copy; False: no copy; None: a copy if necessary.

        Raises:
            CoreError: strings, another device, or a copy is necessary; it is a BufferError, too.

        >>> import core
        >>> import numpy as np
        >>> np.from_dlpack(core.tensor([1.0, 2.0]))
        array([1., 2.], dtype=float32)
        """
        request = Request(stream, max_version, dl_device, copy)
        array = self._read() if request.may_share(self.handle, self.dtype) else self.numpy()
        return request.capsule(array)

    def __dlpack_device__(self) -> tuple[int, int]:
        """Main memory, also of data that have to be read back for that."""
        return CPU_DEVICE

    def __copy__(self) -> "Tensor":
        return self  # a tensor never changes

    def __deepcopy__(self, _: Any) -> "Tensor":
        return self

    def __reduce__(self) -> tuple[Callable[..., "Tensor"], tuple[np.ndarray, str]]:
        from core.engine.dispatch import tensor

        return tensor, (self.numpy(), self.dtype)

    def __len__(self) -> int:
        if not self.shape:
            raise CoreError("a tensor without axes has no length")
        return self.shape[0]

    def __iter__(self) -> Iterator["Tensor"]:
        return iter(ops.unstack(self))

    def __bool__(self) -> bool:
        return bool(self.item())

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __index__(self) -> int:
        if self.dtype != "int32" or self.shape:
            raise TypeError(
                f"an index is one int32 number, this tensor is {self.dtype} {self.shape}"
            )
        return int(self.item())

    def __format__(self, spec: str) -> str:
        return format(self.item(), spec) if spec else repr(self)

    def __array_function__(self, function: Any, types: Any, arguments: Any, options: Any) -> Any:
        """NumPy's own functions, such as ``np.sum``, work on a copy and give arrays."""
        return function(*_as_arrays(arguments), **_as_arrays(options))

    def __repr__(self) -> str:
        if self.is_disposed:
            return f"Tensor(disposed, shape={self.shape}, dtype={self.dtype})"
        values = np.array2string(self._read(), threshold=20, separator=", ", prefix="Tensor(")
        return f"Tensor({values}, shape={self.shape}, dtype={self.dtype})"

    # Operators. Of None, Python knows by itself that it is no tensor.

    def __neg__(self) -> "Tensor":
        return ops.neg(self)

    def __abs__(self) -> "Tensor":
        return ops.abs(self)

    def __invert__(self) -> "Tensor":
        return ops.logical_not(self)

    def __add__(self, other: "TensorLike") -> "Tensor":
        return NotImplemented if other is None else ops.add(self, other)

    def __sub__(self, other: "TensorLike") -> "Tensor":
        return NotImplemented if other is None else ops.sub(self, other)

    def __mul__(self, other: "TensorLike") -> "Tensor":
        return NotImplemented if other is None else ops.mul(self, other)

    def __truediv__(self, other: "TensorLike") -> "Tensor":
        return NotImplemented if other is None else ops.div(self, other)

    def __floordiv__(self, other: "TensorLike") -> "Tensor":
        return NotImplemented if other is None else ops.floor_div(self, other)

    def __mod__(self, other: "TensorLike") -> "Tensor":
        return NotImplemented if other is None else ops.mod(self, other)

    def __pow__(self, other: "TensorLike") -> "Tensor":
        return NotImplemented if other is None else ops.pow(self, other)

    def __matmul__(self, other: "TensorLike") -> "Tensor":
        return NotImplemented if other is None else ops.matmul(self, other)

    def __lt__(self, other: "TensorLike") -> "Tensor":
        return NotImplemented if other is None else ops.less(self, other)

    def __le__(self, other: "TensorLike") -> "Tensor":
        return NotImplemented if other is None else ops.less_equal(self, other)

    def __gt__(self, other: "TensorLike") -> "Tensor":
        return NotImplemented if other is None else ops.greater(self, other)

    def __ge__(self, other: "TensorLike") -> "Tensor":
        return NotImplemented if other is None else ops.greater_equal(self, other)

    def __eq__(self, other: "TensorLike") -> "Tensor":  # type: ignore[override]
        return NotImplemented if other is None else ops.equal(self, other)

    def __ne__(self, other: "TensorLike") -> "Tensor":  # type: ignore[override]
        return NotImplemented if other is None else ops.not_equal(self, other)

    def __and__(self, other: "TensorLike") -> "Tensor":
        return NotImplemented if other is None else ops.logical_and(self, other)

    def __or__(self, other: "TensorLike") -> "Tensor":
        return NotImplemented if other is None else ops.logical_or(self, other)

    def __xor__(self, other: "TensorLike") -> "Tensor":
        return NotImplemented if other is None else ops.logical_xor(self, other)

    def __radd__(self, other: "TensorLike") -> "Tensor":
        return ops.add(other, self)

    def __rsub__(self, other: "TensorLike") -> "Tensor":
        return ops.sub(other, self)

    def __rmul__(self, other: "TensorLike") -> "Tensor":
        return ops.mul(other, self)

    def __rtruediv__(self, other: "TensorLike") -> "Tensor":
        return ops.div(other, self)

    def __rfloordiv__(self, other: "TensorLike") -> "Tensor":
        return ops.floor_div(other, self)

    def __rmod__(self, other: "TensorLike") -> "Tensor":
        return ops.mod(other, self)

    def __rpow__(self, other: "TensorLike") -> "Tensor":
        return ops.pow(other, self)

    def __rmatmul__(self, other: "TensorLike") -> "Tensor":
        return ops.matmul(other, self)

    def __rand__(self, other: "TensorLike") -> "Tensor":
        return ops.logical_and(other, self)

    def __ror__(self, other: "TensorLike") -> "Tensor":
        return ops.logical_or(other, self)

    def __rxor__(self, other: "TensorLike") -> "Tensor":
        return ops.logical_xor(other, self)

    def __getitem__(self, index: "Index") -> "Tensor":
        """Part of the tensor, by NumPy's basic indexing, a mask or a list of indices.

        Args:
            index: integers, slices, None (a new axis) and an ellipsis, one or a tuple of them;
                or a bool mask of the first axes; or an int32 tensor, array or list of indices on
                the first axis, where negative ones count from the end.

        Raises:
            CoreError: the index is of another type, or outside of the tensor.

        >>> import core
        >>> x = core.tensor([[1, 2, 3], [4, 5, 6]])
        >>> x[1, ::2].tolist(), x[:, -1].tolist(), x[[1, 1]].tolist()
        ([4, 6], [3, 6], [[4, 5, 6], [4, 5, 6]])
        """
        by_entries = isinstance(index, (Tensor, np.ndarray, list))
        return picked(self, index) if by_entries else sliced(self, index)

    if not TYPE_CHECKING:  # a checker would take any name for a method

        def __getattr__(self, name: str) -> Any:
            """Import the ops, which makes many of them methods; then unknown names are errors."""
            if name.startswith("__"):
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            ops.load_families()
            return getattr(self, name)


def _one_or_several(values: tuple[Any, ...]) -> Any:
    return values[0] if len(values) == 1 else values


def _listed(others: Any) -> list[Any]:
    return list(others) if isinstance(others, (list, tuple)) else [others]


def wrap(backend: Backend, handle: Handle, spec: Spec) -> Tensor:
    """Return a tensor that is the first owner of a backend's data."""
    return Tensor(spec, DataContainer(backend, handle, spec), handle)


def tensors_in(value: Any) -> Iterator[Tensor]:
    """The tensors in lists, tuples, sets, dicts and fields of dataclasses, however nested."""
    return _tensors_in(value, set())


def _tensors_in(value: Any, seen: set[int]) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif id(value) not in seen:
        several = _parts(value)
        if several:
            seen.add(id(value))  # a list may hold itself
        for each in several:
            yield from _tensors_in(each, seen)


def _parts(value: Any) -> Iterable[Any]:
    """The members of a collection, or the fields of a dataclass's instance."""
    if isinstance(value, (list, tuple, set, frozenset)):
        return value
    if isinstance(value, dict):
        return value.values()
    if hasattr(type(value), "__dataclass_fields__"):  # only then somebody has imported dataclasses
        from dataclasses import fields

        return [getattr(value, field.name, None) for field in fields(value)]
    return ()
