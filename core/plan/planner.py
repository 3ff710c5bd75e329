"""Plans of a graph, made at their first use and cached for several input shapes."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from core import ops
from core.engine.dispatch import tensor
from core.engine.limits import LimitError
from core.engine.program import Program, Quantization, StoredIntegers
from core.engine.run_guard import RunCancelledError, active_guard, check_active
from core.engine.settings import active_backend
from core.engine.specs import Spec
from core.engine.tensors import Tensor
from core.errors import CoreError, SettingError
from core.graph.executor import GIVEN_TYPES, Executor
from core.graph.feeds import ArrayView, QuantizedArray, as_tensors
from core.graph.node_types import find_node_type
from core.graph.node_types.control import is_true
from core.graph.nodes import Endpoint, Graph, Node, PartialSpec, node_of
from core.plan.cache import IdleArenas, LruCache, SharedWeights
from core.plan.function_recorder import is_branch
from core.plan.loop_plans import LoopPlans
from core.plan.partition import Stage, find_stage, record_program
from core.plan.passes import INFERENCE_PASSES, ProgramPass, call_loops, optimise
from core.plan.plan import Plan
from core.process.locks import lazy_property

#: The number of sets of feeds and fetches for which a model keeps a graph.
MOST_BODIES = 8

#: The number of plans of each set, for inputs of other shapes; the least recently used one goes.
MOST_PLANS = 8

#: Errors that have nothing to do with the graph's nodes, or name them already.
_FINAL = (SettingError, LimitError, RunCancelledError)

GraphPass = Callable[[Graph], Graph]
Values = dict[str, Any]

#: Called for each stage before it runs, with the values that the stage begins with.
Look = Callable[[Stage, Values], None]


#: References of feeds and of fetches.
BodyKey = tuple[frozenset[str], tuple[str, ...]]


class PlanKey(NamedTuple):
    """The key of a plan that computes a whole run.

    Attributes:
        body: feeds and fetches.
        stage: shapes and dtypes of the feeds.
        sources: the plan's output for each fetch.
    """

    body: BodyKey
    stage: frozenset[Any]
    sources: Mapping[str, str]


class PlanError(CoreError):
    """Making or running a plan failed; run op by op, the graph raises an error with its names.

    Args:
        error: the cause.
        is_made: whether the plan was made.
    """

    def __init__(self, error: CoreError, *, is_made: bool):
        super().__init__(str(error))
        self.is_made = is_made


class Planner:
    """Runs a graph by plans. Threads may share it.

    Args:
        graph: graph with the arrays of its weights.
        executor: executor of the graph; plans share its weights, tables and functions.
        graph_passes: passes before shapes are known.
        program_passes: passes of programs.
    """

    def __init__(
        self,
        graph: Graph,
        executor: Executor,
        *,
        graph_passes: Sequence[GraphPass] = (call_loops, optimise),
        program_passes: Sequence[ProgramPass] = INFERENCE_PASSES,
    ):
        self._graph, self._executor = graph, executor
        # A user's function for a node type is to be called, whatever could be fused with it.
        self._graph_passes = () if executor.kernels else tuple(graph_passes)
        self._program_passes = tuple(program_passes)
        self._bodies: LruCache[Any, _PlannedBody] = LruCache(MOST_BODIES)
        self._weights, self.arenas = SharedWeights(), IdleArenas()

    def can_run(self, given: Iterable[str], wanted: Iterable[str]) -> bool:
        """Return whether plans can be used: not without a backend's support, nor for partial feeds.

        Args:
            given: references of the feeds.
            wanted: references of the fetches.
        """
        return active_backend().has_plans and self.feeds_whole_nodes(given, wanted)

    def feeds_whole_nodes(self, given: Iterable[str], wanted: Iterable[str]) -> bool:
        """Return whether no fed node has to run for another one of its outputs.

        Args:
            given: references of the feeds.
            wanted: references of the fetches.
        """
        named = {node_of(reference) for reference in (*given, *wanted) if ":" in reference}
        return (self._several | named).isdisjoint(map(node_of, given))

    @lazy_property
    def _several(self) -> set[str]:
        """Return the nodes of which other outputs than the first are read."""
        references = (i.removesuffix(":0") for node in self._graph.nodes for i in node.inputs)
        return {node_of(reference) for reference in references if ":" in reference}

    def run(self, given: Mapping[str, Any], wanted: Sequence[str]) -> Values:
        """Return the values of references, as `Executor.run` does; none shares data with others.

        Without a plan the executor runs; also after an error, as it names the graph's nodes.
        """
        if not self.can_run(given, wanted):
            return self._executor.run(as_tensors(given), wanted)
        try:
            return self._body(given, wanted).run(given)
        except PlanError as error:
            failed = error
        try:
            found = self._executor.run(as_tensors(given), wanted)
            if failed.is_made:
                raise CoreError(str(failed)) from failed
            return found
        finally:
            del failed  # else its traceback would keep this call's values, and so itself

    def stages(self, given: Mapping[str, Any], wanted: Sequence[str]) -> list[tuple[Stage, Values]]:
        """Return the stages of a run, which is needed to find them, and the values before each.

        Raises:
            CoreError: as of `run`.
        """
        found: list[tuple[Stage, Values]] = []
        try:
            self._body(given, wanted).run(given, lambda *seen: found.append(seen))
        except PlanError as error:
            self._executor.run(as_tensors(given), wanted)
            raise CoreError(str(error)) from error
        return found

    def sources(self, given: Iterable[str], wanted: Sequence[str]) -> Mapping[str, str]:
        """Return the output of the plan for each fetch.

        Args:
            given: references of the feeds.
            wanted: references of the fetches.
        """
        return self._body(given, wanted).sources

    def record(
        self,
        given: Mapping[str, Spec],
        wanted: Sequence[str],
        quantised: Mapping[str, Quantization] = {},
    ) -> tuple[Program, list[Node]]:
        """Return a whole run as one program, after all passes, and the nodes that it leaves out.

        Args:
            given: shapes and dtypes of the feeds, in the order of the program's inputs.
            wanted: references of the fetches, in the order of its outputs.
            quantised: of feeds whose values are those that integers stand for, by reference.

        Raises:
            CoreError: as of `run`, for errors that do not depend on data.
        """
        executor, sources = self.optimised(frozenset(given), wanted)
        found = [sources[name] for name in wanted]
        program, left = record_program(executor, given, found, quantised)
        for program_pass in self._program_passes if not left else ():
            program = program_pass(program)
        return program, [executor.node(name) for name in left]

    def key_of(self, given: Mapping[str, Any], wanted: Sequence[str]) -> PlanKey | None:
        """Return the key of the plan that computed a whole run; None if several stages did.

        Args:
            given: feeds as for `run`.
            wanted: fetches as for `run`.
        """
        body_key, stage_key = self._body_key(given, wanted), _stage_key(given)
        body = self._bodies.find(body_key)
        sources = None if body is None else body.sources_of_only_plan(stage_key)
        return None if sources is None else PlanKey(body_key, stage_key, sources)

    def find(self, key: PlanKey) -> Plan | None:
        """Return the plan of a key if it is still cached; it becomes the latest one."""
        body = self._bodies.find(key.body)
        plan = None if body is None else body.find(key.stage)
        if plan is not None:
            self.arenas.use((plan,))
        return plan

    def plans(self) -> list[Plan]:
        """Return all cached plans."""
        return [plan for body in self._bodies.all() for plan in body.plans()]

    def _body(self, given: Iterable[str], wanted: Sequence[str]) -> "_PlannedBody":
        key = self._body_key(given, wanted)
        return self._bodies.get(key, partial(self._new_body, *key))

    def _body_key(self, given: Iterable[str], wanted: Sequence[str]) -> BodyKey:
        asked = tuple(dict.fromkeys(wanted))
        return frozenset(given), tuple(sorted(asked)) if self._has_no_order else asked

    @lazy_property
    def _has_no_order(self) -> bool:
        """Return whether no node has side effects: arrays, tables, or a user's functions."""
        types = {node.type for node in self._graph.nodes} - GIVEN_TYPES
        kinds = [*map(find_node_type, types)]
        writes = any(kind is None or kind.in_run for kind in kinds)
        arrays = any(name.startswith("TensorArray") for name in types)
        return not (writes or arrays or self._executor.kernels)

    def _new_body(self, given: frozenset[str], wanted: Sequence[str]) -> "_PlannedBody":
        try:
            executor, sources = self.optimised(given, wanted)
        except _FINAL:
            raise
        except CoreError as error:
            raise PlanError(error, is_made=False) from error
        return _PlannedBody(executor, sources, self._program_passes, self.arenas)

    def optimised(
        self, given: frozenset[str], wanted: Sequence[str]
    ) -> tuple[Executor, dict[str, str]]:
        """Return the executor of the graph between feeds and fetches after all passes for graphs.

        Args:
            given: references of the feeds.
            wanted: references of the fetches.

        Returns:
            The executor, and its reference for each fetch.

        Raises:
            CoreError: a pass failed.
        """
        graph = self._between(given, wanted)
        for graph_pass in self._graph_passes:
            check_active()
            graph = graph_pass(graph)
        own = self._executor
        executor = Executor(
            graph.nodes,
            {name: self._constant(name, graph) for name in graph.weights},
            functions=graph.functions,
            kernels=own.kernels,
        )
        executor.resources = own.resources
        executor.integers = _present(graph)
        executor.loops = LoopPlans(self._program_passes)
        return executor, {name: executor.normalised(graph.outputs[name].node) for name in wanted}

    def _between(self, given: frozenset[str], wanted: Sequence[str]) -> Graph:
        """Return the graph between feeds and fetches, in the form that passes compare."""
        nodes = [
            Node(n.name, "Placeholder")
            if n.name in given
            else n._replace(inputs=tuple(map(self._plain, n.inputs)))
            for n in (*self._graph.nodes, *self._bare_weights(wanted))
        ]
        return self._graph._replace(
            nodes=nodes,
            inputs={name: Endpoint(name, PartialSpec(None)) for name in given},
            outputs={name: Endpoint(name, PartialSpec(None)) for name in wanted},
            states={},  # those that a run moves on are among the fetches
            aliases={},
        )

    def _bare_weights(self, wanted: Iterable[str]) -> list[Node]:
        """Return nodes for weights that are read or fetched by a name without a node."""
        known, inputs = self._executor.nodes, (i for n in self._graph.nodes for i in n.inputs)
        read = dict.fromkeys([*map(node_of, inputs), *wanted])
        return [Node(r, "Const") for r in read if r in self._graph.weights and r not in known]

    def _plain(self, reference: str) -> str:
        return reference if reference.startswith("^") else self._executor.normalised(reference)

    def _constant(self, name: str, graph: Graph) -> Tensor:
        """Return a weight as a tensor: the model's own, unless a pass made it."""
        array = graph.weights[name]
        if self._graph.weights.get(name) is array:
            return self._executor.constants[name]
        return self._weights.tensor(array)


class _PlannedBody:
    """A graph between feeds and fetches, with its plans for some shapes.

    Args:
        executor: executor of the graph.
        sources: references in the graph for the fetches.
        passes: passes for programs.
        arenas: idle arenas of all plans of the model.
    """

    def __init__(
        self,
        executor: Executor,
        sources: Mapping[str, str],
        passes: Sequence[ProgramPass],
        arenas: IdleArenas,
    ):
        self._executor, self.sources, self._passes = executor, sources, passes
        self._arenas = arenas
        self._stages: LruCache[Any, Stage] = LruCache(MOST_PLANS)
        self._held = frozenset(map(id, executor.constants.values()))
        branches = (node for node in executor.nodes.values() if is_branch(node))
        self._conditions = frozenset(executor.normalised(node.inputs[0]) for node in branches)

    def plans(self) -> list[Plan]:
        """The plans of all shapes that are kept now."""
        return [stage.plan for stage in self._stages.all() if stage.plan is not None]

    def sources_of_only_plan(self, key: frozenset[Any]) -> Mapping[str, str] | None:
        """Return the sources of the fetches, if one plan computes the whole run."""
        stage, sources = self._stages.find(key), self.sources
        if stage is None or stage.plan is None or stage.eager or not stage.is_last:
            return None
        outputs = {*sources.values()}
        is_simple = len(outputs) == len(sources) and outputs <= stage.plan.outputs.keys()
        return sources if is_simple else None

    def find(self, key: frozenset[Any]) -> Plan | None:
        """The plan of a stage that is still kept."""
        stage = self._stages.find(key)
        return None if stage is None else stage.plan

    def run(self, given: Mapping[str, Any], look: Look | None = None) -> Values:
        """The wanted references by way of what is given."""
        passes_on = not given.keys().isdisjoint(self.sources.values())
        values = dict(given)
        plans: tuple[Plan, ...] = ()
        is_first = True
        while True:
            stage = self._stage(values)
            # Before anything runs: the caller's arrays may change.
            if is_first and (stage.eager or passes_on):
                values |= as_tensors(given)
            is_first = False
            if look is not None:
                look(stage, dict(values))
            if stage.plan is not None:
                plans = (*plans, stage.plan)
                self._arenas.use(plans)
                values |= _run(stage.plan, values)
            if stage.eager:
                values |= self._executor.run(values, stage.eager)
            if stage.is_last:
                return {name: self._apart(values[r]) for name, r in self.sources.items()}

    def _apart(self, value: Any) -> Any:
        """Return a result; of a constant another tensor, which may be disposed of."""
        return ops.identity(value) if id(value) in self._held else value

    def _stage(self, values: Mapping[str, Any]) -> Stage:
        """Return the stage that begins with values of these shapes."""
        found = {r: values[r] for r in self._conditions & values.keys()}
        decided = {r: _is_true(v) for r, v in found.items() if isinstance(v, (Tensor, ArrayView))}
        key = _stage_key(values) | frozenset(decided.items())
        return self._stages.get(key, partial(self._new_stage, values, decided))

    def _new_stage(self, values: Mapping[str, Any], decided: Mapping[str, bool]) -> Stage:
        specs = {reference: _spec_of(value) for reference, value in values.items()}
        wanted = tuple(dict.fromkeys(self.sources.values()))
        try:
            quantised = _quantised(values)
            return find_stage(self._executor, specs, wanted, self._passes, quantised, decided)
        except _FINAL:
            raise
        except CoreError as error:
            raise PlanError(error, is_made=False) from error


def _stage_key(values: Mapping[str, Any]) -> frozenset[Any]:
    specs = ((reference, _spec_of(value)) for reference, value in values.items())
    return frozenset((*specs, *_quantised(values).items()))


def _is_true(value: Any) -> bool:
    """Return whether the condition of a branch is true, of a value that is given or computed."""
    return is_true(tensor(value.array) if isinstance(value, ArrayView) else value)


def _quantised(values: Mapping[str, Any]) -> dict[str, Quantization]:
    """Return what integers stand for, by the references to which they are given."""
    return {r: v.quantization for r, v in values.items() if type(v) is QuantizedArray}


def _spec_of(value: Any) -> Spec | None:
    return value.spec if isinstance(value, (Tensor, QuantizedArray, ArrayView)) else None


def _present(graph: Graph) -> dict[str, StoredIntegers]:
    """Return what the constants of a graph stand for, but for those with other values now."""
    kept = graph.weights
    return {name: found for name, found in graph.integers.items() if kept.get(name) is found.real}


def _run(plan: Plan, values: Values) -> Values:
    guard = active_guard()
    if guard is not None:
        plan.check(guard.limits)
    try:
        found = plan.run(values)
    except _FINAL:
        raise
    except CoreError as error:
        raise PlanError(error, is_made=True) from error
    if guard is not None:
        for value in found.values():
            guard.hold(value.container.id, value.spec.bytes)
    return found
