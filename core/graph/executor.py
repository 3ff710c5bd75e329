"""Runs a body of nodes: a graph's own, or a function's."""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from functools import cached_property, partial
from itertools import chain
from threading import Lock
from typing import Any, NamedTuple
from weakref import ref

from core.engine import MISUSE
from core.errors import CoreError, KernelNotFound
from core.graph.frames import BACK, LOOP_TYPES, Program, run_program
from core.graph.layout import compiled
from core.graph.node_types import NodeType, find_node_type
from core.graph.nodes import Function, FunctionName, Node, node_of
from core.graph.order import last_uses, running_order
from core.graph.steps import Step, bound_to_op, function_of
from core.tensors import Tensor

#: Inputs and weights are given, not computed.
GIVEN_TYPES = {"Placeholder", "Const"}

#: How many sets of outputs an executor remembers the way to.
MOST_SCHEDULES = 64

#: Of the values that nodes give: tensors, lists of tensors, hash tables.
Value = Any
Values = dict[str, Value]


class Call(NamedTuple):
    """What a node that is more than an op sees of its surroundings."""

    executor: "Executor"
    node: Node

    def function(self, name: str) -> "Executor":
        """The body that an attribute of the node names."""
        found = self.node.attributes.get(name)
        if not isinstance(found, FunctionName):
            raise CoreError(f"the node {self.node.name!r} lacks the function {name!r}")
        return self.executor.function(found)


class Schedule(NamedTuple):
    """The steps to some outputs, and after each the references that nobody needs any more.

    Where loops or branches lead there, a program.
    """

    steps: Sequence[Step]
    freed: Sequence[Sequence[str]]
    used: Container[str]
    program: Program | None = None


class Executor:
    """Binds nodes to what runs them, orders them, runs them. Threads may share it.

    Args:
        nodes: of the body.
        constants: values by name of node: weights, shared by all bodies of a graph.
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
        self.nodes = {node.name: node for node in nodes}
        self.constants, self.functions, self.kernels = constants, functions, kernels
        self.name, self.arguments, self.results = name, tuple(arguments), tuple(results)
        #: What lives from run to run, such as hash tables, by name; for all bodies of a graph.
        self.resources: dict[str, Value] = {} if root is None else root.resources
        # Weak, as a circle would keep the weights of a closed model until the next collection.
        self._root = ref(root or self)
        self._steps: dict[str, Step] = {}
        self._schedules: dict[tuple[Any, ...], Schedule] = {}
        self._bodies: dict[str, Executor] = {}
        self._making_bodies = Lock()

    def run(self, given: Mapping[str, Value], wanted: Sequence[str]) -> Values:
        """The values of references, from those that are given by name.

        Raises:
            CoreError: there is no such node, a type has no kernel, or something that is needed is
                not given.
        """
        wanted = [self.normalised(reference) for reference in wanted]
        schedule = self.schedule(given, wanted)
        values: Values = {**self.constants, **given}
        if schedule.program:
            run_program(schedule.program, self.run_step, values, wanted)
        used = schedule.used
        for step, finished in zip(schedule.steps, schedule.freed, strict=True):
            result = self.run_step(step, [existing(values, name) for name in step.inputs])
            if isinstance(result, (list, tuple)):
                named = named_outputs(step.node.name, result)
                values.update((name, value) for name, value in named if name in used)
                del named
            else:
                values[step.node.name] = result
            del result
            for name in finished:
                values.pop(name, None)
        return {reference: existing(values, reference) for reference in wanted}

    def run_step(self, step: Step, values: Sequence[Value]) -> Any:
        """What a node gives for the values of its inputs."""
        try:
            return step.run(Call(self, step.node), *values) if step.in_run else step.run(*values)
        except CoreError as error:
            if type(error) is not CoreError:
                raise
            raise CoreError(f"node {step.node.name!r} ({step.node.type}): {error}") from error
        except MISUSE as error:
            reason = f"{type(error).__name__}: {error}"
            raise CoreError(f"node {step.node.name!r} ({step.node.type}): {reason}") from error

    def call(self, arguments: Sequence[Value]) -> list[Value]:
        """The results of a function's body for its arguments."""
        if len(arguments) != len(self.arguments):
            raise CoreError(
                f"the function {self.name} takes {len(self.arguments)} arguments, "
                f"got {len(arguments)}"
            )
        values = self.run(dict(zip(self.arguments, arguments, strict=True)), self.results)
        return [values[self.normalised(reference)] for reference in self.results]

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
        """The steps from what is given to what is wanted."""
        key = tuple(given), tuple(wanted)
        found = self._schedules.get(key)
        if found is None:
            order = self._way(key[0], wanted)
            _refuse_unknown(self.unknown(order))
            given = {*self.constants, *key[0]}
            missing = [n for n in order if self.node(n).type in GIVEN_TYPES and n not in given]
            if missing:
                raise CoreError(f"{self.name} needs a value for {', '.join(missing)}")
            steps = [self.step(name) for name in order]
            if any(step.node.type in LOOP_TYPES for step in steps):
                found = Schedule((), (), (), compiled(steps, wanted))
            else:
                needs = [step.needs for step in steps]
                used = frozenset(chain(wanted, *needs))
                found = Schedule(steps, last_uses(needs, wanted), used)
            if len(self._schedules) >= MOST_SCHEDULES:
                self._schedules.clear()
            self._schedules[key] = found
        return found

    def _way(self, given: Iterable[str], wanted: Sequence[str]) -> list[str]:
        """The nodes from what is given to what is wanted, each after what it needs.

        In a graph with branches, a constant may wait for one; elsewhere it just is there.
        """
        known = {*self.constants, *given}
        order = self._closed_order(known, wanted)
        if all(self.node(name).type not in LOOP_TYPES for name in order):
            return order
        known -= self._waiting_constants.difference(given)
        return self._closed_order(known, wanted)

    @cached_property
    def _waiting_constants(self) -> set[str]:
        return {n.name for n in self.nodes.values() if n.type == "Const" and n.inputs}

    def _closed_order(self, known: set[str], wanted: Iterable[str]) -> list[str]:
        """The order with the bodies of loops, to which only the ways back lead."""
        wanted = list(wanted)
        while True:
            order = running_order(partial(self._needs, known), known, wanted)
            merges = [name for name in order if self.nodes[name].type == "Merge"]
            inputs = [(name, r) for name in merges for r in self.nodes[name].inputs]
            back = {node_of(r) for name, r in inputs if self._goes_back(name, r)}
            more = [name for name in back.difference(order) if name not in known]
            if not more:
                return order
            wanted += sorted(more)

    def _needs(self, known: Container[str], name: str) -> list[str]:
        """The nodes that must run before a node; the way back of a loop is none of them."""
        return [
            node_of(reference)
            for reference in self.node(name).inputs
            if self.normalised(reference.lstrip("^")) not in known
            and not self._goes_back(name, reference)
        ]

    def _goes_back(self, name: str, reference: str) -> bool:
        source = self.nodes.get(node_of(reference))
        return self.nodes[name].type == "Merge" and source is not None and source.type == BACK

    def node(self, name: str) -> Node:
        """The node of that name."""
        if name not in self.nodes:
            raise CoreError(f"{self.name} has no node {name!r}")
        return self.nodes[name]

    def normalised(self, reference: str) -> str:
        """A reference in the one form that values are stored by: without ``:0``.

        Bodies of functions also write the output's own name, as in ``"split:output:1"``.
        """
        name, *output = reference.split(":")
        index = output[-1] if output else "0"
        if len(output) == 2:
            kind = find_node_type(self.nodes[name].type) if name in self.nodes else None
            if kind and output[0] in kind.outputs:
                index = str(kind.outputs.index(output[0]) + int(index))
        return name if index == "0" else f"{name}:{index}"

    def check_outputs(self, wanted: Sequence[str], ignored: Container[str] = ()) -> None:
        """Bind what leads to outputs, so that a graph that cannot run says so before it does.

        Args:
            wanted: references.
            ignored: node types that may be unknown for now.

        Raises:
            KernelNotFound: nothing runs some nodes; every one is listed.
            CoreError: the graph has a circle, or attributes are missing or make no sense.
        """
        ways = [(self, self._way(self.arguments, [*map(self.normalised, wanted)]))]
        seen = set[str]()
        for body, way in ways:
            for name in body.called(way) - seen:
                seen.add(name)
                called = self.function(name)
                results = [*map(called.normalised, called.results)]
                ways.append((called, called._way(called.arguments, results)))
        unknown = [node for body, way in ways for node in body.unknown(way)]
        _refuse_unknown([node for node in unknown if node.type not in ignored])
        for body, way in ways:
            for name in way:
                if body._kind(body.node(name)):
                    body.step(name)

    def called(self, names: Iterable[str]) -> set[str]:
        """The functions that nodes call."""
        kinds = [(node, self._kind(node)) for node in map(self.node, names)]
        values = [node.attributes.values() for node, kind in kinds if kind and kind.in_run]
        return {value for value in chain(*values) if isinstance(value, FunctionName)}

    def unknown(self, names: Iterable[str]) -> list[Node]:
        """Those nodes that nothing runs."""
        nodes = [self.node(name) for name in names]
        return [n for n in nodes if n.type not in GIVEN_TYPES and not self._kind(n)]

    def _kind(self, node: Node) -> NodeType | None:
        if node.type in self.kernels:
            return NodeType(self.kernels[node.type], attributes=dict)
        return find_node_type(node.type)

    def step(self, name: str) -> Step:
        """A node bound to what runs it."""
        if name not in self._steps:
            self._steps[name] = self._bound(self.node(name))
        return self._steps[name]

    def _bound(self, node: Node) -> Step:
        inputs = tuple(self.normalised(r) for r in node.inputs if not r.startswith("^"))
        after = tuple(self.normalised(r[1:]) for r in node.inputs if r.startswith("^"))
        if node.name in self.constants:
            return Step(node, partial(self.constants.__getitem__, node.name), (), after)
        kind = self._kind(node)
        assert kind is not None, node  # its type was checked
        if kind.in_run:
            return Step(node, function_of(kind.run), inputs, after, in_run=True)
        return bound_to_op(node, kind, inputs, self.constants)._replace(after=after)


def _refuse_unknown(nodes: Sequence[Node]) -> None:
    """Raise an error that lists every one of these nodes."""
    unknown: dict[str, list[str]] = {}
    for node in nodes:
        unknown.setdefault(node.type, []).append(node.name)
    if unknown:
        listed = "; ".join(f"{kind} ({', '.join(names)})" for kind, names in unknown.items())
        raise KernelNotFound(
            f"no op runs these node types: {listed}; give functions that do as kernels="
        )


def named_outputs(name: str, results: Sequence[Value]) -> list[tuple[str, Value]]:
    """What a node with several outputs gave, by reference."""
    return [(f"{name}:{i}" if i else name, value) for i, value in enumerate(results)]


def existing(values: Values, reference: str) -> Value:
    """The value of a reference to a node that ran."""
    if reference not in values:
        name, _, index = reference.partition(":")
        raise CoreError(f"the node {name!r} has no output {index or 0}")
    return values[reference]
