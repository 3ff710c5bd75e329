"""Variables: named tensors whose values change, for trainable weights."""

import sys
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import count
from typing import Any, TypeVar

import numpy as np

from core import ops
from core.engine.argument_types import TensorLike
from core.engine.backend import Backend, Handle
from core.engine.dtypes import DType, promote
from core.engine.observers import active_observers
from core.engine.specs import Spec
from core.engine.tensors import Tensor, disposed_error, wrap
from core.engine.trace_hook import active_trace
from core.errors import CoreError
from core.process.locks import new_lock

#: A class of variables.
Own = TypeVar("Own", bound="Variable")

_number = count(1).__next__

#: The reference counts of a tensor, its container and its data.
Counts = tuple[int, int, int]


class Variable(Tensor):
    """A tensor that can be given new values of its shape and dtype. Make one with `core.variable`.

    Ops take a variable like any tensor and use its present value; their results do not change
    when it gets another. A tidy scope never disposes it. Threads may read it while one changes
    it: they get the value before or the one after.
    """

    __slots__ = ("_changing", "_value", "name", "trainable")

    def __init__(
        self,
        value: TensorLike,
        trainable: bool = True,
        name: str | None = None,
        dtype: DType | None = None,
    ):
        trace = active_trace()
        if trace is not None:
            trace.refuse("makes a variable")
        self.name, self.trainable = name or f"variable_{_number()}", trainable
        self._changing = new_lock()
        given = _tensor(value, dtype)
        self._value: Tensor | None = _alias(given, given.spec)

    def __del__(self, *_: Any) -> None:
        pass  # its value counts as a tensor, not the variable

    # The attributes of a tensor are those of the present value.
    spec: Any = property(lambda self: self._present().spec)
    container: Any = property(lambda self: self._present().container)
    handle: Any = property(lambda self: self._present().handle)
    id: Any = property(lambda self: self._present().id)

    def _present(self) -> Tensor:
        trace = active_trace()
        if trace is not None:
            return trace.value_of(self)
        value = self._value
        if value is None:  # an update in place is going on: wait for that of another thread
            with self._changing:
                value = self._value
        if value is None:
            raise self._read_by_update()
        return value

    def read(self) -> Tensor:
        """The present value as a tensor, which stays as it is when the variable changes.

        >>> import core
        >>> w = core.variable(1.0)
        >>> before = w.read()
        >>> w.assign(2.0)
        >>> before.item(), w.item()
        (1.0, 2.0)
        """
        value = self._present()
        # A new alias: a tape then watches readings made while it records, and no older one.
        alias = _alias(value, value.spec)
        for observer in active_observers():
            observer.made(alias)
            observer.read(self, alias)
        return alias

    def _operand(self) -> Tensor:
        return self.read()

    def assign(self, value: TensorLike) -> None:
        """Assign a new value.

        Args:
            value: a tensor, array or numbers of the same shape; integers and bools become
                floats where the variable holds floats.

        Raises:
            CoreError: another shape, a dtype that does not fit, or a disposed tensor.
        """
        given = _tensor(value, None)
        spec = self.spec
        if self.is_disposed:
            raise CoreError(f"variable {self.name!r} was disposed: make another with core.variable")
        dtypes = {given.dtype, spec.dtype}
        if len(dtypes) == 2 and "string" not in dtypes and promote(*dtypes) == spec.dtype:
            given = ops.cast(given, dtype=spec.dtype)
        if given.spec != spec:
            raise CoreError(
                f"variable {self.name!r} is {spec.dtype} {spec.shape}, the new value is "
                f"{given.dtype} {given.shape}"
            )
        trace = active_trace()
        if trace is not None:
            trace.assign(self, _alias(given, spec))
            return
        with self._changing:
            self._value = _alias(given, spec)

    def update(self, change: Callable[[Handle], None]) -> None:
        """Let a function of the backend change the data in place.

        Data with other owners, such as a tensor that `read` returned, are copied first. The
        function must not read the variable.

        Args:
            change: takes the backend's handle (on ``cpu`` an array) and writes to it.

        Raises:
            CoreError: the backend does not change data in place.
        """
        trace = active_trace()
        if trace is not None:
            trace.refuse("updates a variable in place")
        with self._changing:
            backend: Backend = self._present().container.backend
            value = self._taken(backend, _owners_of_one(backend))
            try:
                backend.change(value.handle, change)
            finally:
                self._value = value

    def _taken(self, owner: Backend | None, counts: Counts) -> Tensor:
        """Take the value out of the variable.

        Args:
            owner: data of this backend are copied if they have another owner.
            counts: reference counts of data without another owner.
        """
        value, self._value = self._value, None
        if value is None:
            raise self._read_by_update()
        backend: Backend = value.container.backend
        if backend is not owner:
            return value
        try:
            if _owners(value) != counts or not backend.owns(value.handle):
                value = wrap(backend, backend.copy(value.handle), value.spec)
        except BaseException:
            self._value = value
            raise
        return value

    def _read_by_update(self) -> CoreError:
        return CoreError(f"variable {self.name!r} is read by its own update")

    def dispose(self) -> None:
        """Free the data now; the variable cannot be used any more."""
        trace = active_trace()
        if trace is not None:
            trace.refuse("disposes a variable")
        self._present().dispose()

    # Views of one value, whatever other threads assign:

    def data(self) -> Coroutine[Any, Any, np.ndarray]:
        """A copy of the present value, for coroutines; see `core.Tensor.data`."""
        return self._present().data()

    def _read(self) -> np.ndarray:
        return self._present()._read()

    def __copy__(self) -> "Variable":
        return Variable(self.read(), self.trainable, self.name)

    def __deepcopy__(self, _: Any) -> "Variable":
        return self.__copy__()

    def __reduce__(self) -> Any:
        return Variable, (self.numpy(), self.trainable, self.name, self.dtype)

    def __repr__(self) -> str:
        return f"Variable({self.name!r}, {self._present()!r})"

    # ``w -= 0.1 * g`` changes the variable; a name bound to a new tensor would not train any more.

    def __iadd__(self: Own, other: TensorLike) -> Own:
        return self._assigned(self + other)

    def __isub__(self: Own, other: TensorLike) -> Own:
        return self._assigned(self - other)

    def __imul__(self: Own, other: TensorLike) -> Own:
        return self._assigned(self * other)

    def __itruediv__(self: Own, other: TensorLike) -> Own:
        return self._assigned(self / other)

    def __ifloordiv__(self: Own, other: TensorLike) -> Own:
        return self._assigned(self // other)

    def __imod__(self: Own, other: TensorLike) -> Own:
        return self._assigned(self % other)

    def __ipow__(self: Own, other: TensorLike) -> Own:
        return self._assigned(self**other)

    def __imatmul__(self: Own, other: TensorLike) -> Own:
        return self._assigned(self @ other)

    def __iand__(self: Own, other: TensorLike) -> Own:
        return self._assigned(self & other)

    def __ior__(self: Own, other: TensorLike) -> Own:
        return self._assigned(self | other)

    def __ixor__(self: Own, other: TensorLike) -> Own:
        return self._assigned(self ^ other)

    def _assigned(self: Own, value: Tensor) -> Own:
        self.assign(value)
        return self


def variable(
    initial_value: TensorLike,
    trainable: bool = True,
    name: str | None = None,
    dtype: DType | None = None,
) -> Variable:
    """Make a variable.

    Args:
        initial_value: a tensor, array or numbers.
        trainable: whether `core.variable_grads` and optimizers find it by themselves.
        name: for the dicts of gradients and of saved state; by default ``variable_<number>``.
        dtype: as in `core.tensor`.

    >>> import core
    >>> w = core.variable([1.0, 2.0], name="w")
    >>> w.assign(w * 2.0)
    >>> w.numpy()
    array([2., 4.], dtype=float32)
    """
    return Variable(initial_value, trainable, name, dtype)


@contextmanager
def changing(
    variables: Sequence[Variable], backend: Backend, *, in_place: bool
) -> Iterator[list[Tensor]]:
    """Take the values out of variables while one run changes them all; other threads wait.

    Args:
        variables: different ones.
        backend: whose handles the values are to have.
        in_place: whether the run writes to their data, which then nothing else owns.

    Yields:
        The values, in the order of the variables. Those in the list at the end are assigned.
    """
    held: list[Variable] = []
    values: list[Tensor] = []
    owner, counts = (backend, _owners_of_one(backend)) if in_place else (None, (0, 0, 0))
    try:
        for each in sorted(variables, key=id):  # in one order: two runs never wait for each other
            each._changing.acquire()
            held.append(each)
        for each in variables:
            values.append(each._taken(owner, counts))
            if values[-1].container.backend is not backend:
                values[-1] = wrap(backend, backend.upload(values[-1].numpy()), values[-1].spec)
        yield values
    finally:
        for each, value in zip(variables, values, strict=False):
            each._value = value
        for each in held:
            each._changing.release()


def _tensor(value: TensorLike, dtype: DType | None) -> Tensor:
    from core.engine.dispatch import tensor  # the engine reads variables

    return tensor(value, dtype)


def _alias(source: Tensor, spec: Spec) -> Tensor:
    """Another tensor of the same data, which no tape and no tidy scope knows."""
    handle, container = source.handle, source.container  # in this order: see Tensor.dispose
    alias = Tensor(spec, container, handle)
    if alias.is_disposed:
        raise disposed_error()
    return alias


def _owners(value: Tensor) -> Counts:
    """The reference counts of a tensor, its container and its data."""
    return (
        sys.getrefcount(value),
        sys.getrefcount(value.container),
        sys.getrefcount(value.handle),
    )


@cache
def _owners_of_one(backend: Backend) -> Counts:
    """The counts of a tensor with one owner, such as in `Variable.update`."""
    if not getattr(sys, "_is_gil_enabled", lambda: True)():
        return (0, 0, 0)  # without the GIL, counts of other threads come late: always copy
    value = wrap(backend, backend.upload(np.zeros(1, np.float32)), Spec((1,)))
    least = _owners(value)
    for _ in range(100):  # where the counts of a first call differ from later ones: copy
        least = min(least, _owners(value))
    return least
