"""The hook of variables, random numbers and optimizers while a function is traced.

`core.compile` runs a function once on names instead of data. Meanwhile variables keep their values:
the trace notes what the function would read and assign, and what each later run must compute anew.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, NoReturn, TypeAlias

import numpy as np

from core.engine.specs import Spec
from core.process.context_vars import reset

if TYPE_CHECKING:
    from core.engine.tensors import Tensor
    from core.engine.variables import Variable


#: A function of states and of a row of each of some tensors, to the next states and to results.
RowFunction: TypeAlias = (
    "Callable[[list[Tensor], list[Tensor]], tuple[Sequence[Tensor], Sequence[Tensor]]]"
)

#: The last states of a loop, and its results with a new first axis of the rows; None without one.
LoopResults: TypeAlias = "tuple[list[Tensor], list[Tensor]] | None"


class FunctionTrace(ABC):
    """The trace of a function that is compiled; `core.compiled_functions.trace` implements it."""

    @abstractmethod
    def value_of(self, variable: "Variable") -> "Tensor":
        """Return the value that a variable has at this point of the function."""

    @abstractmethod
    def assign(self, variable: "Variable", value: "Tensor") -> None:
        """Note the value that a variable gets at this point."""

    @abstractmethod
    def supply(
        self, make: Callable[[], Sequence[np.ndarray]], specs: Sequence[Spec]
    ) -> "list[Tensor]":
        """Return tensors whose values a function makes before each run, such as random numbers.

        Args:
            make: returns the arrays of one run.
            specs: their shapes and dtypes.
        """

    @abstractmethod
    def loop(
        self,
        function: RowFunction,
        states: "Sequence[Tensor]",
        rows: "Sequence[Tensor]",
        *,
        backwards: bool = False,
    ) -> LoopResults:
        """Call a function for row after row of tensors, as one step of the program.

        Args:
            function: called once, to be recorded. What else it reads is equal for all rows.
            states: float32 tensors that the first call takes; each call gives the next ones.
            rows: one tensor or more with a first axis of one length, at least 1.
            backwards: whether the last row comes first.

        Returns:
            The states after all rows, and the results of all rows. None if the program can have no
            such step: the backend runs no loops, the function changes the shape of a state, or
            it stops gradients or has some of its own while a tape records.
        """

    @abstractmethod
    def paused(self) -> AbstractContextManager[None]:
        """Run the ops inside at once, on the backend that the function is compiled for."""

    @abstractmethod
    def refuse(self, reason: str) -> NoReturn:
        """End the trace: the function does something that only a run op by op can do.

        Args:
            reason: what it does, as in ``"makes a variable"``.
        """


_active: ContextVar[FunctionTrace | None] = ContextVar("function_trace", default=None)

#: Returns the trace of the function that runs in this context; None outside of one.
active_trace = _active.get


@contextmanager
def tracing(trace: FunctionTrace | None) -> Iterator[None]:
    """Give a trace, or none, to the code inside, in this thread or task only."""
    token = _active.set(trace)
    try:
        yield
    finally:
        reset(_active, token)
