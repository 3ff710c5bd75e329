"""Explicit memory management: tidy scopes, keep and dispose.

They are optional: data are freed with the last reference. A scope also frees tensors that are
still referenced when it ends, such as by lists or by the traceback of an exception.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from inspect import isasyncgen, isawaitable, isgenerator
from typing import Any, TypeVar, overload
from weakref import ref

from core.autodiff.tape import CustomNode, Tape
from core.engine.observers import Observer, active_observers, start_observing, stop_observing
from core.engine.tensors import Tensor, tensors_in
from core.errors import CoreError

Result = TypeVar("Result")


class Scope(Observer):
    """Records the tensors made in it, and disposes them at its end. Made by `core.tidy`.

    Functions in several threads may share it: its dict changes in one atomic step.
    """

    __slots__ = ("_is_open", "_made", "_prune_at", "_tapes")
    needs_ops = False

    def __init__(self) -> None:
        self._made: dict[int, ref[Tensor]] = {}
        self._tapes: list[tuple[Tape, int]] = []
        self._prune_at = 1000
        self._is_open = False

    def __enter__(self) -> "Scope":
        if self._is_open:
            raise CoreError("this tidy scope is open already: make another with core.tidy()")
        self._tapes = [(t, len(t.nodes)) for t in active_observers() if isinstance(t, Tape)]
        self._is_open = True
        start_observing(self)
        return self

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        stop_observing(self)
        self._is_open = False
        made, tapes = self._made, self._tapes
        self._made, self._tapes = {}, []
        # After an exception the gradients around will not be computed.
        needed, first = _needed_by(tapes) if error is None else (set(), 0)
        for number, reference in made.copy().items():  # another thread may add to it
            tensor = reference()
            if tensor is not None and number >= first and number not in needed:
                tensor.dispose()

    def made(self, tensor: Tensor) -> None:
        """Dispose this tensor at the end of the scope, if it still exists."""
        if not self._is_open:
            return  # a function continues in a thread that was not awaited
        self._made[tensor.id] = ref(tensor)
        if len(self._made) > self._prune_at:
            for number, reference in self._made.copy().items():
                if reference() is None:
                    self._made.pop(number, None)
            self._prune_at = 2 * len(self._made) + 1000

    def record(
        self, op: Any, inputs: Any, attributes: dict[str, Any], outputs: Any, seconds: float
    ) -> None:
        """Dispose the results of an op at the end of the scope."""
        for tensor in outputs if type(outputs) is list else [outputs]:
            self.made(tensor)

    def keep(self, tensor: Tensor) -> None:
        """Do not dispose this tensor."""
        self._made.pop(tensor.id, None)


def _needed_by(tapes: list[tuple[Tape, int]]) -> tuple[set[int], int]:
    """Tensors that the latest nodes of tapes need: by their ids, and all below a further id.

    A function with a user-defined gradient may need any tensor made before the function returned.
    """
    needed: set[int] = set()
    first = 0
    for tape, before in tapes:
        for node in tape.nodes[before:]:
            if isinstance(node, CustomNode):
                first = max([first, *(number for number, _ in node.outputs)])
            else:
                needed.update(tensor.id for tensor in node.held())
    return needed, first


@overload
def tidy() -> AbstractContextManager[Any]: ...


@overload
def tidy(function: Callable[[], Result]) -> Result: ...


def tidy(function: Any = None) -> Any:
    """Dispose the tensors made meanwhile, even if still referenced, also after an exception.

    Exceptions are tensors that the function returns (also inside of lists, tuples, sets, dicts and
    dataclasses; they belong to the scope around this one, if there is one), tensors given to
    `core.keep`, variables, and tensors that a gradient around it needs.

    Args:
        function: called without arguments; its result is returned. Without one, the result is for
            a ``with`` statement. That may hold an ``await``, but no ``yield``: what the caller of a
            generator makes between two of them would go, too.

    Raises:
        CoreError: the function gives a coroutine or generator, whose ops would run afterwards: use
            ``with core.tidy():`` inside of it.

    >>> import core
    >>> y = core.tidy(lambda: core.square(core.tensor([1.0, 2.0]) + 1.0))
    >>> with core.tidy():
    ...     gone, kept = y * 2.0, core.keep(y * 3.0)
    >>> gone.is_disposed, kept.numpy()
    (True, array([12., 27.], dtype=float32))
    """
    if function is None:
        return Scope()
    if not callable(function):
        raise CoreError(f"tidy takes a function without arguments, got {function!r:.80}")
    with Scope() as scope:
        result = function()
        _refuse_unfinished(result)
        for tensor in tensors_in(result):
            scope.keep(tensor)  # the scopes around know it, too
    return result


def _refuse_unfinished(result: Any) -> None:
    """Raise for a coroutine or generator, which runs later, outside of the scope."""
    if isawaitable(result) or isgenerator(result) or isasyncgen(result):
        if hasattr(result, "close"):
            result.close()  # or else Python warns of a coroutine that was not awaited
        raise CoreError(
            f"tidy cannot wait for a {type(result).__name__}: use `with core.tidy():` inside of it"
        )


def keep(value: Result) -> Result:
    """Let tensors outlive the tidy scopes that they were made in.

    Args:
        value: a tensor, or a list, tuple, set, dict or dataclass of them.

    Returns:
        The value.

    >>> import core
    >>> with core.tidy():
    ...     x = core.keep(core.tensor([1.0]))
    >>> x.is_disposed
    False
    """
    scopes = [w for w in active_observers() if isinstance(w, Scope)]
    for tensor in tensors_in(value):
        for scope in scopes:
            scope.keep(tensor)
    return value


def dispose(value: Any) -> None:
    """Free the data of tensors now, even if still referenced; using them is an error afterwards.

    Data that several tensors share, such as a reshaped one, are freed with the last of them.

    Args:
        value: a tensor or variable, or a list, tuple, set, dict or dataclass of them.

    >>> import core
    >>> x = core.tensor([1.0])
    >>> core.dispose([x])
    >>> x.is_disposed
    True
    """
    for tensor in tensors_in(value):
        tensor.dispose()
