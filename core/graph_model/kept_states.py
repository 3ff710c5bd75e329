"""Values that a graph keeps from run to run, such as the variables of a network for streams."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from core import ops
from core.autodiff.scopes import keep
from core.graph.executor import Executor
from core.graph.feeds import Feed, as_tensors
from core.graph.nodes import Graph
from core.process.locks import new_lock


class Runner(Protocol):
    """Runs a graph, by plans or op by op."""

    def run(self, given: Mapping[str, Any], wanted: Sequence[str]) -> Mapping[str, Any]:
        """Return the values of references."""


class KeptStates:
    """The states of a graph, each the value of an input that no caller gives.

    A run to which all inputs of the graph are given moves the states on; any other run, such as of
    single nodes, begins with them and leaves them. Runs of a graph with states come one after the
    other, also from several threads.

    Args:
        graph: graph with states or without.
        executor: executor of the graph.
    """

    def __init__(self, graph: Graph, executor: Executor):
        self._references = {n: executor.normalised(r) for n, r in graph.states.items()}
        self._inputs = frozenset(executor.normalised(e.node) for e in graph.inputs.values())
        self._values: dict[str, Any] = {}
        self._running = new_lock()

    @property
    def references(self) -> list[str]:
        """References to the values after a run."""
        return [*self._references.values()]

    def held(self) -> list[Any]:
        """Return the states, which no caller may dispose of."""
        return [*self._values.values()]

    def run(
        self,
        runner: Runner,
        resources: Mapping[str, Any],
        feeds: Mapping[str, Feed],
        wanted: Sequence[str],
    ) -> Mapping[str, Any]:
        """Return the values of references after a run.

        Args:
            runner: runs the graph.
            resources: values of inputs that are no caller's, states before the first run included.
            feeds: what the caller gives.
            wanted: references of the outputs.
        """
        if not self._references:
            return runner.run({**resources, **feeds}, wanted)
        with self._running:
            given = {**resources, **self._values, **feeds}
            moves = self._inputs.issubset(feeds)
            fetched = dict.fromkeys([*wanted, *(self.references if moves else ())])
            values = runner.run(given, [*fetched])
            if moves:
                new = as_tensors({name: values[r] for name, r in self._references.items()})
                # Copies, as the caller may dispose of an output that is a state, too.
                self._values = keep({name: ops.identity(value) for name, value in new.items()})
            return values

    def reset(self) -> None:
        """Return to the values before the first run."""
        with self._running:
            self._values = {}
