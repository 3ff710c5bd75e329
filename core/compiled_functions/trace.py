"""The trace of a function: its ops become a program, its variables inputs and outputs of that."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, NoReturn

import numpy as np

from core.compiled_functions.loops import LoopMaker
from core.engine.backend import Backend
from core.engine.nan_check import users_line, users_line_of
from core.engine.observers import unobserved
from core.engine.program import Program
from core.engine.settings import running_on
from core.engine.specs import Spec
from core.engine.tensors import Tensor
from core.engine.trace_hook import FunctionTrace, LoopResults, RowFunction, tracing
from core.engine.variables import Variable
from core.plan.tracing import DataDependentError, Tracer


class Argument(NamedTuple):
    """An input of the program that is an argument of the function."""

    number: int


class Reading(NamedTuple):
    """An input of the program that is the value of a variable before the run."""

    variable: Variable


class Supplied(NamedTuple):
    """An input of the program that is made before each run: a result of a function."""

    supply: int
    number: int


Source = Argument | Reading | Supplied


class RefusedError(DataDependentError):
    """A function did something that a program cannot hold.

    Attributes:
        reason: what it did.
        line: where, as ``file:number: code``.
        is_lasting: whether it will do so at each call.
    """

    def __init__(self, reason: str, line: str, *, is_lasting: bool = True):
        super().__init__(reason)
        self.reason, self.line, self.is_lasting = reason, line, is_lasting


class Trace(FunctionTrace):
    """A function while it runs without data.

    Args:
        backend: what the function is compiled for.

    Attributes:
        sources: what each input of the program is.
        supplies: functions that make inputs, to be called in this order before each run.
    """

    def __init__(self, backend: Backend):
        self._backend, self._tracer = backend, Tracer(backend.epsilon)
        self.sources: list[Source] = []
        self.supplies: list[Callable[[], Sequence[np.ndarray]]] = []
        self._arguments = 0
        self._variables: dict[int, Variable] = {}
        self._values: dict[int, Tensor] = {}
        self._assigned: dict[int, None] = {}

    def argument(self, spec: Spec) -> Tensor:
        """Return the tensor of the next argument."""
        self._arguments += 1
        return self._input("argument", spec, Argument(self._arguments - 1))

    def call(self, function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        """Return the result of a function, whose ops are recorded.

        Raises:
            RefusedError: the function does something that a program cannot hold.
        """
        try:
            with self._tracer.recording(""), tracing(self):
                return function(*arguments, **options)
        except RefusedError:
            raise
        except DataDependentError as error:
            raise RefusedError(str(error), users_line_of(error)) from error

    def traced(self, value: Tensor) -> Tensor:
        """Return a value of the function; one that was made outside of it is a constant."""
        value = value._operand()
        if value.container.backend is self._tracer:
            return value
        return self._tracer.constant("constant", value)

    def program(self, results: Sequence[Tensor]) -> tuple[Program, list[Variable]]:
        """Return the program, and the variables that it changes.

        The outputs are the results, then the new values of the variables.
        """
        changed = [self._variables[key] for key in self._assigned]
        values = [self._values[key] for key in self._assigned]
        program = self._tracer.program([*results, *values])
        read = {id(s.variable): i for i, s in enumerate(self.sources) if isinstance(s, Reading)}
        updates = [(read[id(v)], len(results) + i) for i, v in enumerate(changed)]
        return program._replace(updates=tuple(updates)), changed

    # --- what variables, random numbers and optimizers ask ----------------------------------

    def value_of(self, variable: Variable) -> Tensor:
        """Return the value that a variable has at this point of the function."""
        key = id(variable)
        if key not in self._values:
            with tracing(None):
                spec = variable.spec
            self._variables[key] = variable
            self._values[key] = self._input(variable.name, spec, Reading(variable))
        return self._values[key]

    def assign(self, variable: Variable, value: Tensor) -> None:
        """Note the value that a variable gets at this point."""
        self.value_of(variable)
        self._values[id(variable)] = self.traced(value)
        self._assigned[id(variable)] = None

    def supply(
        self, make: Callable[[], Sequence[np.ndarray]], specs: Sequence[Spec]
    ) -> list[Tensor]:
        """Return tensors whose values a function makes before each run."""
        self.supplies.append(make)
        number = len(self.supplies) - 1
        return [self._input("supplied", s, Supplied(number, i)) for i, s in enumerate(specs)]

    def loop(
        self,
        function: RowFunction,
        states: Sequence[Tensor],
        rows: Sequence[Tensor],
        *,
        backwards: bool = False,
    ) -> LoopResults:
        """Call a function for row after row of tensors, as one step of the program."""
        if not self._backend.has_loops:
            return None
        maker = LoopMaker(self._tracer, self._backend)
        return maker.loop(function, states, rows, backwards=backwards)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Run the ops inside at once."""
        with tracing(None), running_on(self._backend), unobserved():
            yield

    def refuse(self, reason: str) -> NoReturn:
        """End the trace."""
        raise RefusedError(reason, users_line(), is_lasting=reason != MAKES_VARIABLE)

    def _input(self, name: str, spec: Spec, source: Source) -> Tensor:
        self.sources.append(source)
        return self._tracer.input(name, spec)


#: Reason to trace again: a layer makes its variables at its first call only.
MAKES_VARIABLE = "makes a variable"
