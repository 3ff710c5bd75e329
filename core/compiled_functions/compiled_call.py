"""The plan that a compiled function runs for arguments of some shapes, or why not."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from core.compiled_functions.structure import Structure, specs_in, unflatten, with_replaced
from core.compiled_functions.trace import Argument, Reading, RefusedError, Source, Supplied, Trace
from core.engine.backend import Backend
from core.engine.dispatch import handle_on, wrap
from core.engine.observers import active_observers
from core.engine.settings import running_on
from core.engine.tensors import Tensor, tensors_in
from core.engine.variables import changing
from core.graph.feeds import Feed
from core.plan.passes import PROGRAM_PASSES, merge_equal
from core.plan.plan import Plan, make_plan


class Refusal(NamedTuple):
    """Why a function runs op by op.

    Attributes:
        reason: what it does that a plan cannot hold.
        line: where, as ``file:number: code``.
        is_lasting: whether it will do so at each call.
    """

    reason: str
    line: str
    is_lasting: bool


class _Result:
    """A result of the plan in the value that the function returns."""

    __slots__ = ("index",)

    def __init__(self, index: int):
        self.index = index


class CompiledCall:
    """A plan of a function for arguments of some shapes. It is thread-safe.

    Args:
        function: the function.
        structure: of its arguments: a tuple, and a dict by name.
        backend: what runs the plan.

    Attributes:
        plan: the plan, which also gives the new values of variables.
    """

    def __init__(self, function: Callable[..., Any], structure: Structure, backend: Backend):
        self._backend = backend
        trace = Trace(backend)
        results: list[Tensor] = []

        def as_result(tensor: Tensor) -> _Result:
            results.append(trace.traced(tensor))
            return _Result(len(results) - 1)

        def traced() -> Any:
            tensors = (trace.argument(spec) for spec in specs_in(structure))
            arguments, options = unflatten(structure, tensors)
            returned = with_replaced(function(*arguments, **options), Tensor, as_result)
            if any(True for _ in tensors_in(returned)):
                trace.refuse("returns tensors in another object than a list, a tuple or a dict")
            return returned

        self._returned = trace.call(traced)
        program, self._changed = trace.program(results)
        self._results, self._supplies = len(results), trace.supplies
        self._sort_sources(trace.sources)
        inputs = [f"{number} {name}" for number, name in enumerate(program.inputs)]
        outputs = [f"result {i}" for i in range(len(results))]
        outputs += [f"new value of {v.name}" for v in self._changed]
        with running_on(backend):
            self.plan: Plan = make_plan(program, inputs, outputs, (merge_equal, *PROGRAM_PASSES))

    def _sort_sources(self, sources: Sequence[Source]) -> None:
        """Group the inputs of the plan by their source."""
        changed = {id(v): i for i, v in enumerate(self._changed)}
        numbered = [*enumerate(sources)]
        readings = [(i, s.variable) for i, s in numbered if isinstance(s, Reading)]
        self._inputs = len(sources)
        self._given = [(i, s.number) for i, s in numbered if isinstance(s, Argument)]
        self._supplied = [(i, s.supply, s.number) for i, s in numbered if isinstance(s, Supplied)]
        self._held = [(i, changed[id(v)]) for i, v in readings if id(v) in changed]
        self._read = [(i, v) for i, v in readings if id(v) not in changed]

    def run(self, feeds: Sequence[Feed]) -> Any:
        """Return what the function returns, and change variables as it does.

        Args:
            feeds: the tensors and arrays among the arguments.
        """
        supplied = [make() for make in self._supplies]
        if not self._changed:
            handles = self.plan.run_on_handles(self._feeds(feeds, supplied, []))
            return self._made(handles)
        writes = self.plan.writes_to_inputs
        with changing(self._changed, self._backend, in_place=writes) as values:
            handles = self.plan.run_on_handles(self._feeds(feeds, supplied, values))
            for i, handle in enumerate(handles[self._results :]):
                if handle is not values[i].handle:
                    values[i] = wrap(self._backend, handle, values[i].spec)
        return self._made(handles)

    def _feeds(
        self, feeds: Sequence[Feed], supplied: Sequence[Sequence[np.ndarray]], values: list[Tensor]
    ) -> list[Any]:
        """Return a handle or an array for each input of the plan."""
        backend = self._backend
        found: list[Any] = [None] * self._inputs
        for i, number in self._given:
            feed = feeds[number]
            found[i] = handle_on(backend, feed) if isinstance(feed, Tensor) else feed.array
        for i, number in self._held:
            found[i] = values[number].handle  # they are on the backend: see `changing`
        for i, variable in self._read:
            found[i] = handle_on(backend, variable._present())
        for i, supply, number in self._supplied:
            found[i] = supplied[supply][number]
        return found

    def _made(self, handles: Sequence[Any]) -> Any:
        """Return what the function returns, with new tensors."""
        if not self._results:
            return self._returned
        specs = [*self.plan.outputs.values()]
        made = [wrap(self._backend, handles[i], specs[i]) for i in range(self._results)]
        for observer in active_observers():
            for tensor in made:
                observer.made(tensor)
        return with_replaced(self._returned, _Result, lambda result: made[result.index])


def call_or_refusal(
    function: Callable[..., Any], structure: Structure, backend: Backend
) -> CompiledCall | Refusal:
    """Return a plan of a function; or why not, if it does what only a run op by op can do.

    Args:
        function: the function.
        structure: of its arguments.
        backend: what is to run it.
    """
    try:
        return CompiledCall(function, structure, backend)
    except RefusedError as error:
        return Refusal(error.reason, error.line, error.is_lasting)
