"""Observers of ops that run: tapes, tidy scopes and profiles, each for one thread or task."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from core.process.context_vars import reset

if TYPE_CHECKING:
    from core.engine.operation import Op
    from core.engine.tensors import Tensor
    from core.engine.variables import Variable


class Observer:
    """Base of observers: called when ops run in its context; the methods here do nothing.

    ``needs_ops``: whether it is called for every op; while such an observer is active, models run
    op by op. Others are called for the tensors that a model returns. ``needs_times``: whether it
    needs the time of each kernel; a backend that queues kernels then waits for every one.
    ``needs_places``: whether it asks for the layer and the phase of each op; see
    `core.engine.op_places`.
    """

    __slots__ = ()
    needs_ops = True
    needs_times = False
    needs_places = False

    def record(
        self, op: "Op", inputs: Any, attributes: dict[str, Any], outputs: Any, seconds: float
    ) -> None:
        """Record an op that has run.

        Args:
            op: which one.
            inputs: its tensors; an absent one is None, several are a list.
            attributes: all of the op's.
            outputs: a tensor, or a list of them.
            seconds: how long the kernel took, if an observer needs times.
        """

    def made(self, tensor: "Tensor") -> None:
        """Record a tensor that was made of a user's values."""

    def read(self, variable: "Variable", value: "Tensor") -> None:
        """Record that an op is about to read the present value of a variable."""

    def stepped(
        self, formula: str, optimizer: str, inputs: "Sequence[Tensor]", seconds: float
    ) -> None:
        """Record a variable that an optimizer has changed in place, not by ops.

        Args:
            formula: name of the step in `core.optimizers.formulas`.
            optimizer: name of the optimizer's class.
            inputs: the variable, its gradient, and the optimizer's slots.
            seconds: how long the step took.
        """


_observers: ContextVar[tuple[Observer, ...]] = ContextVar("observers", default=())
active_observers = _observers.get


def start_observing(observer: Observer) -> None:
    """Call an observer from now on, in this thread or task."""
    _observers.set((*_observers.get(), observer))


def stop_observing(observer: Observer) -> None:
    """Stop calling an observer; the others go on, in any order of their beginnings.

    Observers need not end in reverse order: those of generators that take turns do not.
    """
    _observers.set(tuple(each for each in _observers.get() if each is not observer))


@contextmanager
def observing(observer: Observer) -> Iterator[None]:
    """Call an observer for the ops inside, in this thread or task."""
    start_observing(observer)
    try:
        yield
    finally:
        stop_observing(observer)


@contextmanager
def unobserved(kind: type[Observer] = Observer) -> Iterator[tuple[Any, ...]]:
    """Call no observer of a kind (by default none at all) inside; yield these observers."""
    before = _observers.get()
    token = _observers.set(tuple(w for w in before if not isinstance(w, kind)))
    try:
        yield tuple(w for w in before if isinstance(w, kind))
    finally:
        reset(_observers, token)
