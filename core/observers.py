"""Who looks on while ops run: tapes, tidy scopes and profiles, each for one thread or task."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from core.contexts import put_back

if TYPE_CHECKING:
    from core.operation import Op
    from core.tensors import Tensor
    from core.variables import Variable


class Observer:
    """Told of what happens in the context that it was put into; does nothing by itself.

    ``needs_ops`` says whether it must hear of every op: while one that must looks on, models run op
    by op. Others are content to hear of the tensors that a model made. ``needs_times`` says whether
    it must know how long each kernel took: a backend that queues then waits for every one.
    """

    __slots__ = ()
    needs_ops = True
    needs_times = False

    def record(
        self, op: "Op", inputs: Any, attributes: dict[str, Any], outputs: Any, seconds: float
    ) -> None:
        """An op has run.

        Args:
            op: which one.
            inputs: its tensors; an absent one is None, several are a list.
            attributes: all of the op's.
            outputs: a tensor, or a list of them.
            seconds: how long the kernel took; for those that need times.
        """

    def made(self, tensor: "Tensor") -> None:
        """A tensor was made of a user's values."""

    def read(self, variable: "Variable", value: "Tensor") -> None:
        """An op is about to work on the present value of a variable."""

    def stepped(
        self, formula: str, optimizer: str, inputs: "Sequence[Tensor]", seconds: float
    ) -> None:
        """An optimizer has changed a variable in place; a step made of ops is told op by op.

        Args:
            formula: name of the step in `core.optimizers.formulas`.
            optimizer: name of the optimizer's class.
            inputs: the variable, its gradient, and what is kept for it.
            seconds: how long the step took.
        """


_observers: ContextVar[tuple[Observer, ...]] = ContextVar("watchers", default=())
active_observers = _observers.get


def start_observing(watcher: Observer) -> None:
    """Tell a watcher of all that happens from now on, in this thread or task."""
    _observers.set((*_observers.get(), watcher))


def stop_observing(watcher: Observer) -> None:
    """Tell it nothing more; the others go on, whichever of them began first.

    They need not end in reverse order: generators that take turns do not.
    """
    _observers.set(tuple(w for w in _observers.get() if w is not watcher))


@contextmanager
def observing(watcher: Observer) -> Iterator[None]:
    """Tell a watcher of all that happens inside, in this thread or task."""
    start_observing(watcher)
    try:
        yield
    finally:
        stop_observing(watcher)


@contextmanager
def unobserved(kind: type[Observer] = Observer) -> Iterator[tuple[Any, ...]]:
    """Call no observer of a kind (by default none at all) inside; yields those observers."""
    before = _observers.get()
    token = _observers.set(tuple(w for w in before if not isinstance(w, kind)))
    try:
        yield tuple(w for w in before if isinstance(w, kind))
    finally:
        put_back(_observers, token)
