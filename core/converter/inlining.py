"""Inlining of called functions, and sources of values behind nodes that only pass a value on."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from math import inf

from core.converter.graph_protos import FunctionBody
from core.engine.limits import LimitError, effective_limits
from core.errors import CoreError
from core.graph.node_types import find_node_type
from core.graph.nodes import Node, node_of, output_index
from core.plan.passes.pruning import PASSING_TYPES
from weights_cache.reading_budgets import check_time

#: Node types that call the function which their attribute "f" names.
CALLS = frozenset({"PartitionedCall", "StatefulPartitionedCall"})

#: The most nested calls.
DEEPEST = 100

#: The most bytes of all names of inlined nodes, which nested prefixes could multiply.
MOST_NAME_BYTES = 256 * 2**20

#: Output names of a node type that is never run, but can be between nodes that run.
_OUTPUTS = {"LookupTableExportV2": ("keys", "values")}


class NameBudget:
    """The bytes left for names of inlined nodes."""

    def __init__(self) -> None:
        self._left = MOST_NAME_BYTES

    def take(self, body: FunctionBody, prefix: str) -> None:
        """Raise a CoreError if the names of a body with that prefix exceed the budget."""
        texts = sum(1 + len(node.inputs) for node in body.nodes)
        own = sum(len(text) for node in body.nodes for text in (node.name, *node.inputs))
        self._left -= own + texts * len(prefix)
        if self._left < 0:
            raise CoreError(
                f"with all called functions inlined, its names exceed {MOST_NAME_BYTES} bytes"
            )


class Inliner:
    """The nodes of a graph, with called functions inlined on demand.

    Args:
        body: body of the graph, or of a function, whose arguments become placeholders.
        functions: functions that may be called.
        names: budget of the names of inlined nodes; None makes a new budget.
    """

    def __init__(
        self,
        body: FunctionBody,
        functions: Mapping[str, FunctionBody],
        names: NameBudget | None = None,
    ):
        self.nodes = {node.name: node for node in body.nodes}
        self.constants = dict(body.constants)
        self._functions = functions
        self._most_nodes = effective_limits().nodes or inf
        self._names = names or NameBudget()
        self._results: dict[str, tuple[str, ...]] = {}
        self._controls: dict[str, tuple[str, ...]] = {}
        self._within: dict[str, tuple[str, ...]] = {}

    def reachable(self, fetches: Iterable[str], controls: bool = False) -> dict[str, Node]:
        """Return the nodes that some references need, by name, without calls.

        Args:
            fetches: references.
            controls: whether to follow control inputs.
        """
        found: dict[str, Node] = {}
        waiting = [r for reference in fetches for r in self._resolved_all(reference)]
        while waiting:
            name = node_of(waiting.pop())
            if name not in found:
                node = self._node(name)
                kept = [i for i in node.inputs if controls or self._follows(i)]
                inputs = [r for reference in kept for r in self._resolved_all(reference)]
                found[name] = node._replace(inputs=tuple(inputs))
                waiting += inputs
        return found

    def before(self, name: str) -> list[Node]:
        """Return the nodes of a node's control inputs."""
        controls = [i for i in self._node(name).inputs if i.startswith("^")]
        return [self._node(r[1:]) for i in controls for r in self._resolved_all(i)]

    def resolved(self, reference: str) -> str:
        """Return the reference to an output of an ordinary node for one that may be of a call."""
        hops = 0
        while hops <= len(self.nodes):  # self.nodes grows in the loop
            hops += 1
            name, _, index = reference.partition(":")
            if not self._called(self._node(name)):
                return name if index in ("", "0") else reference
            results = self._expanded(name)
            if not (index or "0").isdecimal() or int(index or 0) >= len(results):
                raise CoreError(f"the call {name!r} has no result {index or 0}")
            reference = results[int(index or 0)]
        raise CoreError(f"the call {reference!r} depends on itself")

    def _resolved_all(self, reference: str) -> Iterator[str]:
        """Yield the resolved reference, or for a control input all resolved control inputs."""
        if not reference.startswith("^"):
            yield self.resolved(reference)
            return
        waiting, seen = [reference[1:]], set[str]()
        while waiting:
            name = waiting.pop()
            if name in seen:
                continue
            seen.add(name)
            if self._called(self._node(name)):
                results = self._expanded(name)
                waiting += [node_of(r) for r in (*results, *self._controls[name])]
            else:
                yield f"^{name}"

    def _follows(self, reference: str) -> bool:
        """Whether a reference is to a value, or a control input that selects a branch."""
        if not reference.startswith("^"):
            return True
        node = self._node(reference[1:])
        sources = [self.nodes.get(node_of(i)) for i in node.inputs]
        return node.type in _FLOW or (
            node.type == "Identity" and any(s is not None and s.type in _FLOW for s in sources)
        )

    def _node(self, name: str) -> Node:
        if name not in self.nodes:
            raise CoreError(f"the graph has no node {name!r}")
        return self.nodes[name]

    def _called(self, node: Node) -> str | None:
        """Return the function that a node calls, which some nodes name by their type."""
        if node.type in CALLS:
            return str(node.attributes.get("f"))
        return node.type if node.type in self._functions else None

    def _expanded(self, name: str) -> tuple[str, ...]:
        """Return references to the results of a call after inlining it."""
        if name not in self._results:
            self._expand(self._node(name))
        return self._results[name]

    def _expand(self, call: Node) -> None:
        callee = self._called(call)
        if callee not in self._functions or callee is None:
            raise CoreError(
                f"the node {call.name!r} calls {callee!r}, which the graph does not define"
            )
        body = self._functions[callee]
        within = (*self._within.get(call.name, ()), callee)
        if callee in within[:-1] or len(within) > DEEPEST:
            raise CoreError(
                f"the function {callee!r} calls itself, or is nested more than {DEEPEST} deep"
            )
        given = [i for i in call.inputs if not i.startswith("^")]
        if len(given) != len(body.inputs):
            raise CoreError(
                f"{call.name!r} has {len(given)} arguments, not {len(body.inputs)} as {callee!r}"
            )
        count = len(self.nodes) + len(body.nodes)
        if count > self._most_nodes:
            what = f"node {call.name!r}: with called functions inlined the graph has {count:,}"
            raise LimitError(f"{what} nodes", "nodes", self._most_nodes)
        scope = Scope(body, self._prefix(call.name, body), given, self._functions)
        for node in scope.nodes():
            self.nodes[node.name] = node
            self._within[node.name] = within
        self.constants.update({scope.prefix + n: v for n, v in body.constants.items()})
        self._results[call.name] = tuple(scope.outer(r) for r in body.outputs)
        self._controls[call.name] = tuple(scope.prefix + name for name in body.controls)

    def _prefix(self, name: str, body: FunctionBody) -> str:
        """Return a prefix that makes the names of a body's nodes unique."""
        self._names.take(body, f"{name}/")
        while any(f"{name}/{node.name}" in self.nodes for node in body.nodes):
            name += "_"
            self._names.take(body, f"{name}/")
        return f"{name}/"


_FLOW = frozenset({"Switch", "Merge", "LoopCond"})


class Scope:
    """The nodes of a function as a part of another graph.

    Args:
        body: body of the function.
        prefix: prefix of its names in the other graph.
        given: references to the arguments.
        functions: all functions of the graph.
    """

    def __init__(
        self,
        body: FunctionBody,
        prefix: str,
        given: Sequence[str],
        functions: Mapping[str, FunctionBody],
    ):
        self.prefix = prefix
        self._body, self._functions = body, functions
        self._types = {node.name: node.type for node in body.nodes}
        self._given = dict(zip(body.inputs, given, strict=True))

    def nodes(self) -> Iterator[Node]:
        """Yield the nodes with their names in the other graph."""
        for node in self._body.nodes:
            inputs = tuple(self.outer(reference) for reference in node.inputs)
            yield node._replace(name=self.prefix + node.name, inputs=inputs)

    def outer(self, reference: str) -> str:
        """Translate a function's reference: an argument, ``"node:output:0"`` or ``"^node"``."""
        control = "^" * reference.startswith("^")
        name, *output = reference.removeprefix("^").split(":")
        if name in self._given:
            return control + node_of(self._given[name]) if control else self._given[name]
        if name not in self._types or len(output) > 2:
            raise CoreError(f"a function has no {reference!r}")
        index = "0" if control or not output else output[0]
        if len(output) == 2 and not control:  # the name of an output, and an index in its list
            index = str(output_index(self._output_names(self._types[name]), *output))
        return f"{control}{self.prefix}{name}" + (f":{index}" if index != "0" else "")

    def _output_names(self, kind: str) -> Sequence[str]:
        if kind in self._functions:
            return self._functions[kind].result_names
        known = find_node_type(kind)
        return (known.outputs if known else ()) or _OUTPUTS.get(kind, ())


#: Node types whose first output is their first input, once nothing is trained or debugged.
PASSING = PASSING_TYPES | {
    *("CheckNumericsV2", "DebugGradientIdentity", "DebugIdentity", "ReadVariableOp"),
    "RefIdentity",
}

#: Further outputs of node types that equal an input, by index, unless the node trains.
_STATISTICS = {"1": 3, "2": 4, "3": 3, "4": 4}
_NORMALISING = frozenset({"FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"})


class Sources:
    """The sources of values, with nodes that only pass a value on bridged.

    Args:
        nodes: nodes by name.
        stops: names of nodes that are not bridged.
        assigned: references to the values of variables, by name of the variable's node.
    """

    def __init__(
        self,
        nodes: Mapping[str, Node],
        stops: Container[str] = (),
        assigned: Mapping[str, str] | None = None,
    ):
        self.nodes, self._stops, self._assigned = nodes, stops, assigned or {}
        self._data: dict[str, list[str]] = {}
        self._found: dict[str, str] = {}  # so that long chains are followed once

    def source(self, reference: str) -> str:
        """Return the reference to the source of a value.

        Raises:
            CoreError: nodes depend on themselves, or an output does not exist.
        """
        check_time()
        chain = [reference]
        while chain[-1] not in self._found and (before := self._before(chain[-1])) is not None:
            chain.append(before)
            if len(chain) > 2 * len(self.nodes) + 1:
                raise CoreError(f"the node {reference!r} depends on itself")
        found = self._found.get(chain[-1], chain[-1])
        self._found.update(dict.fromkeys(chain, found))
        return found

    def _before(self, reference: str) -> str | None:
        """Return the input that a node passes on as an output, or None for other nodes."""
        name, _, index = reference.partition(":")
        node = self.nodes[name]
        if name not in self._data:
            self._data[name] = [i for i in node.inputs if not i.startswith("^")]
        data = self._data[name]
        if node.type in _NORMALISING and index in _STATISTICS and len(data) == 5:
            return None if node.attributes.get("is_training") else data[_STATISTICS[index]]
        if node.type not in PASSING or len(data) != 1 or name in self._stops:
            return self._assigned.get(name)
        if index not in ("", "0"):
            raise CoreError(f"the node {name!r} has no output {index}")
        return data[0]
