"""The executor, which runs a body of nodes: a graph's, or a function's."""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any, NamedTuple, Protocol
from weakref import ref

from core.engine.limits import LimitError
from core.engine.program import StoredIntegers
from core.engine.run_guard import check_active
from core.engine.tensors import Tensor
from core.errors import MISUSE, CoreError, KernelNotFound
from core.graph.bound_nodes import BoundNode, bound_to_op, function_of
from core.graph.control_flow import LOOP_TYPES, Program, run_program
from core.graph.node_types import NodeType, advice_for, find_node_type
from core.graph.nodes import Function, FunctionName, Node
from core.graph.subgraph import Subgraph, last_uses
from core.process.locks import new_lock

#: Inputs and weights are given, not computed.
GIVEN_TYPES = {"Placeholder", "Const"}

#: The number of sets of outputs of which an executor keeps the schedule.
MOST_SCHEDULES = 64

#: Values of nodes: tensors, lists of tensors, hash tables.
Value = Any
Values = dict[str, Value]


class Call(NamedTuple):
    """The context of a node that is more than an op."""

    executor: "Executor"
    node: Node

    @property
    def loops(self) -> "LoopRunner | None":
        """Return what runs loops in another way than by calls; None: nothing does."""
        return self.executor.loops

    def function(self, name: str) -> "Executor":
        """Return the body that an attribute of the node names."""
        found = self.node.attributes.get(name)
        if not isinstance(found, FunctionName):
            raise CoreError(f"the node {self.node.name!r} lacks the function {name!r}")
        return self.executor.function(found)


class LoopRunner(Protocol):
    """Runs loops in another way than by calls of their functions."""

    def finished(self, call: Call, values: Sequence[Value], steps: int) -> Sequence[Value] | None:
        """Return the values of a loop's variables after its last iteration; None: go on by calls.

        Args:
            call: the node of the loop, whose condition is true for the values.
            values: the variables now.
            steps: how many iterations there were so far.
        """


class Schedule(NamedTuple):
    """The steps to some outputs, and after each the references that are no longer needed.

    ``constants`` are the constants that the steps take, ``computed`` the references that they
    compute. If loops or branches lead to the outputs, there is a program instead of the steps.
    """

    constants: Mapping[str, Tensor]
    steps: Sequence[BoundNode] = ()
    freed: Sequence[Sequence[str]] = ()
    computed: Container[str] = ()
    program: Program | None = None


class Executor(Subgraph):
    """Binds nodes to what runs them, orders them, runs them. Threads may share it.

    Args:
        nodes: of the body.
        constants: values by name of node: weights, shared by all bodies of a graph. As in
            TensorFlow.js a node of a body that has the name of a weight gives that weight.
        functions: bodies that nodes call.
        kernels: the user's own functions by node type; they take the tensors, and the node's
            attributes as keywords.
        arguments: names that stand for what is given at each run.
        results: references to what the body gives.
        name: of the function, for errors.
    """

    def __init__(
        self,
        nodes: Iterable[Node],
        constants: Mapping[str, Tensor],
        *,
        functions: Mapping[str, Function],
        kernels: Mapping[str, Callable[..., Any]],
        arguments: Sequence[str] = (),
        results: Sequence[str] = (),
        name: str = "the graph",
        root: "Executor | None" = None,
    ):
        super().__init__(nodes, _without(constants, arguments), name)
        self.functions, self.kernels = functions, kernels
        self.arguments, self.results = tuple(arguments), tuple(map(self.normalised, results))
        #: Resources that outlive a run, such as hash tables, by name; for all bodies of a graph.
        self.resources: dict[str, Value] = {} if root is None else root.resources
        #: Runs the loops of all bodies of a graph, where it can.
        self.loops: LoopRunner | None = None if root is None else root.loops
        #: Integers that constants stand for; only plans compute with these.
        self.integers: Mapping[str, StoredIntegers] = {}
        # Weak, as a circle would keep the weights of a closed model until the next collection.
        self._root = ref(root or self)
        self._steps: dict[str, BoundNode] = {}
        self._schedules: dict[tuple[Any, ...], Schedule] = {}
        #: Found by `check_outputs`, for the first run.
        self._orders: dict[tuple[Any, ...], list[str]] = {}
        self._bodies: dict[str, Executor] = {}
        self._making_bodies = new_lock()

    def run(self, given: Mapping[str, Value], wanted: Sequence[str]) -> Values:
        """Return the values of references, from other given ones; all are normalised.

        Raises:
            CoreError: there is no such node, a type has no kernel, or a needed feed is missing.
        """
        schedule = self.schedule(given, wanted)
        values: Values = {**schedule.constants, **given}
        if schedule.program:
            run_program(schedule.program, self.run_step, values, wanted)
        computed = schedule.computed
        for step, finished in zip(schedule.steps, schedule.freed, strict=True):
            check_active()
            result = self.run_step(step, [existing(values, name) for name in step.inputs])
            if isinstance(result, (list, tuple)):
                named = named_outputs(step.node.name, result)
                values.update((name, value) for name, value in named if name in computed)
                del named
            else:
                values[step.node.name] = result
            del result
            for name in finished:
                values.pop(name, None)
        return {reference: existing(values, reference) for reference in wanted}

    def run_step(self, step: BoundNode, values: Sequence[Value]) -> Any:
        """Return the results of a node for the values of its inputs."""
        try:
            return step.run(Call(self, step.node), *values) if step.in_run else step.run(*values)
        except LimitError as error:
            raise error.at(f"node {step.node.name!r} ({step.node.type})") from None
        except CoreError as error:
            if type(error) is not CoreError:
                raise
            raise CoreError(f"node {step.node.name!r} ({step.node.type}): {error}") from error
        except MISUSE as error:
            reason = f"{type(error).__name__}: {error}"
            raise CoreError(f"node {step.node.name!r} ({step.node.type}): {reason}") from error

    def call(self, arguments: Sequence[Value]) -> list[Value]:
        """Return the results of a function's body for its arguments."""
        if len(arguments) != len(self.arguments):
            raise CoreError(
                f"the function {self.name} takes {len(self.arguments)} arguments, "
                f"got {len(arguments)}"
            )
        values = self.run(dict(zip(self.arguments, arguments, strict=True)), self.results)
        return [values[reference] for reference in self.results]

    def function(self, name: str) -> "Executor":
        """The body of a function of the graph; its weights are those of the graph."""
        root = self._root()
        assert root is not None, "the body of a function outlived its graph"
        with root._making_bodies:
            if name not in root._bodies:
                root._bodies[name] = root._new_body(name)
            return root._bodies[name]

    def _new_body(self, name: str) -> "Executor":
        if name not in self.functions:
            raise CoreError(f"the graph has no function {name!r}, only {list(self.functions)}")
        function = self.functions[name]
        return Executor(
            function.nodes,
            self.constants,
            functions=self.functions,
            kernels=self.kernels,
            arguments=function.inputs,
            results=function.outputs,
            name=name,
            root=self,
        )

    def schedule(self, given: Iterable[str], wanted: Sequence[str]) -> Schedule:
        """Return the steps from feeds to fetches."""
        key = frozenset(given), tuple(wanted)
        found = self._schedules.get(key)
        if found is None:
            found = self._new_schedule(*key)
            if len(self._schedules) >= MOST_SCHEDULES:
                self._schedules.clear()
            self._schedules[key] = found
        return found

    def _new_schedule(self, given: frozenset[str], wanted: tuple[str, ...]) -> Schedule:
        order = self._orders.pop((given, wanted), None) or self.execution_order(given, wanted)
        _refuse_unknown(self.unknown(order), ", or ask execute for nodes before them")
        constants = _without(self.constants, given)
        unfed = [n for n in order if self.node(n).type in GIVEN_TYPES and n not in constants]
        missing = [name for name in unfed if name not in given]
        if missing:
            raise CoreError(f"{self.name} needs a value for {', '.join(missing)}")
        steps = [self._fitting(name, constants) for name in order if name not in unfed]
        needs = [step.needs for step in steps]
        used = frozenset(chain(wanted, *needs)) - given
        taken = {n: constants[n] for n in used.difference(order) if n in constants}
        if any(step.node.type in LOOP_TYPES for step in steps):
            from core.graph.control_flow_compiler import compiled  # of use for loops only

            return Schedule(taken, program=compiled(steps, wanted, given))
        return Schedule(taken, steps, last_uses(needs, wanted), used)

    def _fitting(self, name: str, constants: Mapping[str, Tensor]) -> BoundNode:
        """Return the usual step, unless constants are fed that it might have read before."""
        if constants is self.constants:
            return self.step(name)
        return self._bound(self.node(name), constants)

    def check_outputs(
        self, wanted: Sequence[str], given: Iterable[str] = (), ignored: Container[str] = ()
    ) -> None:
        """Bind what leads to outputs, so that a graph that cannot run says so before it does.

        Args:
            wanted: normalised references.
            given: those that runs will give; for others the way is found again.
            ignored: node types that may be unknown for now.

        Raises:
            KernelNotFound: nothing runs some nodes; every one is listed.
            CoreError: the graph has a circle, or attributes are missing or invalid.
        """
        ways = [(self, self._kept_order(given, wanted))]
        seen = set[str]()
        for body, way in ways:
            for name in body.called(way) - seen:
                seen.add(name)
                called = self.function(name)
                ways.append((called, called._kept_order(called.arguments, called.results)))
        unknown = [node for body, way in ways for node in body.unknown(way)]
        _refuse_unknown([node for node in unknown if node.type not in ignored])
        for body, way in ways:
            for name in way:
                if body._kind(body.node(name)):
                    body.step(name)

    def _kept_order(self, given: Iterable[str], wanted: Iterable[str]) -> list[str]:
        """Return the schedule of `check_outputs`, for the first run."""
        key = frozenset(given), tuple(wanted)
        way = self._orders[key] = self.execution_order(*key)
        return way

    def called(self, names: Iterable[str]) -> set[str]:
        """Return the functions that nodes call."""
        kinds = [(node, self._kind(node)) for node in map(self.node, names)]
        values = [node.attributes.values() for node, kind in kinds if kind and kind.in_run]
        return {value for value in chain(*values) if isinstance(value, FunctionName)}

    def unknown(self, names: Iterable[str]) -> list[Node]:
        """Return the nodes without a kernel."""
        nodes = [self.node(name) for name in names]
        return [n for n in nodes if n.type not in GIVEN_TYPES and not self._kind(n)]

    def _kind(self, node: Node) -> NodeType | None:
        if node.type in self.kernels:
            return NodeType(self.kernels[node.type], attributes=dict)
        return find_node_type(node.type)

    def step(self, name: str) -> BoundNode:
        """Return a node bound to its kernel."""
        if name not in self._steps:
            self._steps[name] = self._bound(self.node(name), self.constants)
        return self._steps[name]

    def _bound(self, node: Node, constants: Mapping[str, Tensor]) -> BoundNode:
        inputs = tuple(self.normalised(r) for r in node.inputs if not r.startswith("^"))
        after = tuple(self.normalised(r[1:]) for r in node.inputs if r.startswith("^"))
        _refuse_other_outputs(node, (*inputs, *after), constants)
        if node.name in constants:
            return BoundNode(node, partial(constants.__getitem__, node.name), (), after)
        kind = self._kind(node)
        assert kind is not None, node  # its type was checked
        if kind.in_run:
            return BoundNode(node, function_of(kind.run), inputs, after, in_run=True)
        return bound_to_op(node, kind, inputs, constants)._replace(after=after)


def _refuse_other_outputs(node: Node, inputs: Iterable[str], constants: Container[str]) -> None:
    """Raise for a reference to a second output of a constant."""
    for reference in inputs:
        name, colon, _ = reference.partition(":")
        if colon and name in constants and reference not in constants:
            raise CoreError(
                f"the node {node.name!r} refers to {reference!r}, but a constant has one output"
            )


def _without(constants: Mapping[str, Tensor], given: Iterable[str]) -> Mapping[str, Tensor]:
    """Return the constants that are not replaced by feeds."""
    replaced = constants.keys() & given
    if not replaced:
        return constants
    return {name: value for name, value in constants.items() if name not in replaced}


def _refuse_unknown(nodes: Sequence[Node], advice: str = "") -> None:
    """Raise an error that lists every one of these nodes."""
    unknown: dict[str, list[str]] = {}
    for node in nodes:
        unknown.setdefault(node.type, []).append(node.name)
    if unknown:
        listed = "; ".join(f"{kind} ({', '.join(names)})" for kind, names in unknown.items())
        more = "; ".join([f"give functions that do as kernels={advice}", *advice_for(unknown)])
        raise KernelNotFound(f"no op runs these node types: {listed}; {more}")


def named_outputs(name: str, results: Sequence[Value]) -> list[tuple[str, Value]]:
    """Return the results of a node with several outputs, by reference."""
    return [(f"{name}:{i}" if i else name, value) for i, value in enumerate(results)]


def existing(values: Values, reference: str) -> Value:
    """Return the value of a reference to a node that ran."""
    if reference not in values:
        name, _, index = reference.partition(":")
        raise CoreError(f"the node {name!r} has no output {index or 0}")
    return values[reference]
