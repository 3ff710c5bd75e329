"""Which plans a graph runs by: made when first needed, kept for as many shapes as fit."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from threading import RLock
from typing import Any, TypeVar

import numpy as np

from core.engine import tensor
from core.graph.executor import Executor
from core.graph.nodes import Endpoint, Graph, Node, PartialSpec, node_of
from core.graph.weights import weight
from core.plan.passes import PROGRAM_PASSES, ProgramPass, optimise
from core.plan.stages import Stage, find_stage
from core.scopes import keep
from core.settings import active_backend
from core.tensors import Tensor

#: How many sets of given and wanted references a model keeps a graph for.
MOST_BODIES = 8

#: How many plans each of these keeps, for inputs of other shapes; the one used longest ago goes.
MOST_PLANS = 8

GraphPass = Callable[[Graph], Graph]
Value = TypeVar("Value")


class Planner:
    """Runs a graph by plans. Threads may share it.

    Args:
        graph: with the arrays of its weights.
        executor: of the graph; plans share its weights, tables and functions.
        graph_passes: make the graph smaller, before shapes are known.
        program_passes: make programs smaller.
    """

    def __init__(
        self,
        graph: Graph,
        executor: Executor,
        *,
        graph_passes: Sequence[GraphPass] = (optimise,),
        program_passes: Sequence[ProgramPass] = PROGRAM_PASSES,
    ):
        self._graph, self._executor = graph, executor
        # A user's function for a node type is to be called, whatever could be fused with it.
        self._graph_passes = () if executor.kernels else tuple(graph_passes)
        self._program_passes = tuple(program_passes)
        self._bodies: OrderedDict[Hashable, _PlannedBody] = OrderedDict()
        self._making = RLock()

    def can_run(self, given: Iterable[str], wanted: Iterable[str]) -> bool:
        """Whether plans are of use: not on backends without them, nor if part of a node is given.

        A node may run for one of its outputs where another one is given.
        """
        named = {node_of(reference) for reference in (*given, *wanted) if ":" in reference}
        several = self._several | named
        return active_backend().has_plans and several.isdisjoint(map(node_of, given))

    @cached_property
    def _several(self) -> set[str]:
        """The nodes of which more is read than the first output."""
        references = (i.removesuffix(":0") for node in self._graph.nodes for i in node.inputs)
        return {node_of(reference) for reference in references if ":" in reference}

    def run(self, given: Mapping[str, Any], wanted: Sequence[str]) -> dict[str, Any]:
        """The values of references, as `Executor.run` gives them; none shares data with others.

        Where plans are of no use, it is the executor that runs.
        """
        if not self.can_run(given, wanted):
            return self._executor.run(_owned(given), wanted)
        return self._body(given, wanted).run(given, [])

    def stages(self, given: Mapping[str, Any], wanted: Sequence[str]) -> list[Stage]:
        """The stages of a run, which it takes to know them all."""
        stages: list[Stage] = []
        self._body(given, wanted).run(given, stages)
        return stages

    def _body(self, given: Iterable[str], wanted: Sequence[str]) -> "_PlannedBody":
        names = frozenset(given)
        return _kept(
            self._bodies,
            (names, tuple(wanted)),
            lambda: self._new_body(names, wanted),
            MOST_BODIES,
            self._making,
        )

    def _new_body(self, given: frozenset[str], wanted: Sequence[str]) -> "_PlannedBody":
        graph = self._between(given, wanted)
        for graph_pass in self._graph_passes:
            graph = graph_pass(graph)
        own = self._executor
        executor = Executor(
            graph.nodes,
            {name: self._constant(name, graph) for name in graph.weights},
            functions=graph.functions,
            kernels=own.kernels,
        )
        executor.resources = own.resources
        sources = {name: executor.normalised(graph.outputs[name].node) for name in wanted}
        return _PlannedBody(executor, sources, self._program_passes)

    def _between(self, given: frozenset[str], wanted: Sequence[str]) -> Graph:
        """The graph that takes and gives these references, in the form that passes compare."""
        nodes = [
            Node(n.name, "Placeholder")
            if n.name in given
            else n._replace(inputs=tuple(map(self._plain, n.inputs)))
            for n in self._graph.nodes
        ]
        return self._graph._replace(
            nodes=nodes,
            inputs={name: Endpoint(name, PartialSpec(None)) for name in given},
            outputs={name: Endpoint(name, PartialSpec(None)) for name in wanted},
            aliases={},
        )

    def _plain(self, reference: str) -> str:
        return reference if reference.startswith("^") else self._executor.normalised(reference)

    def _constant(self, name: str, graph: Graph) -> Tensor:
        """A weight as a tensor: the model's own, unless a pass made it."""
        array = graph.weights[name]
        if self._graph.weights.get(name) is array:
            return self._executor.constants[name]
        array.flags.writeable = False  # so that it is shared
        return keep(weight(array))


class _PlannedBody:
    """A graph between what is given and what is wanted, with its plans for some shapes.

    Args:
        executor: of the graph.
        sources: where in the graph the wanted references come from.
        passes: for programs.
    """

    def __init__(
        self, executor: Executor, sources: Mapping[str, str], passes: Sequence[ProgramPass]
    ):
        self._executor, self._sources, self._passes = executor, sources, passes
        self._stages: OrderedDict[Hashable, Stage] = OrderedDict()
        self._making = RLock()

    def run(self, given: Mapping[str, Any], seen: list[Stage]) -> dict[str, Any]:
        """The wanted references by way of what is given; the stages are added to a list."""
        passes_on = not given.keys().isdisjoint(self._sources.values())
        values = _owned(given) if passes_on else dict(given)
        while True:
            specs = {r: v.spec if isinstance(v, Tensor) else None for r, v in values.items()}
            stage = _kept(
                self._stages,
                frozenset(specs.items()),
                partial(self._new_stage, specs),
                MOST_PLANS,
                self._making,
            )
            seen.append(stage)
            if stage.plan is not None:
                values |= stage.plan.run(values)
            if stage.eager:
                if len(seen) == 1:
                    values |= _owned(given)
                values |= self._executor.run(values, stage.eager)
            if stage.is_last:
                return {name: values[source] for name, source in self._sources.items()}

    def _new_stage(self, specs: Mapping[str, Any]) -> Stage:
        wanted = tuple(dict.fromkeys(self._sources.values()))
        return find_stage(self._executor, specs, wanted, self._passes)


def _owned(values: Mapping[str, Any]) -> dict[str, Any]:
    """The same values, without what is only borrowed for the time of a run."""
    return {r: tensor(np.array(v)) if type(v) is Tensor else v for r, v in values.items()}


def _kept(
    cache: OrderedDict[Hashable, Value],
    key: Hashable,
    make: Callable[[], Value],
    most: int,
    lock: RLock,
) -> Value:
    """What a cache has or gets under a key; what was used longest ago goes first."""
    with lock:
        found = cache.get(key)
        if found is None:
            found = cache[key] = make()
            if len(cache) > most:
                cache.popitem(last=False)
        cache.move_to_end(key)
        return found
