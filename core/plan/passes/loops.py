"""Loops of TensorFlow 1 as nodes that call functions, the form that has a plan.

Source: the form of ``tf.while_loop`` in TensorFlow 1, to which TensorFlow 2 lowers its While nodes:
a variable is Enter, Merge, Switch, and NextIteration back to Merge, or Exit; LoopCond gives the
condition.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from core.graph.attribute_kinds import CheckedAttributes
from core.graph.control_flow import BACK, LOOP_TYPES, MOST_NESTED
from core.graph.node_types import find_node_type
from core.graph.nodes import Function, FunctionName, Graph, Node, node_of
from core.plan.passes.pruning import drop_unused
from core.plan.passes.rewriting import Index, has_loops, plain

Item = TypeVar("Item")

#: Looks at a node, on average: there are more only where loops share the nodes that lead to them.
_MOST_VISITS = 16


def call_loops(graph: Graph) -> Graph:
    """Write loops as StatelessWhile nodes; those of another form stay as they are.

    That are loops whose nodes are fetched or fed, or have branches, arrays, or effects.
    """
    if not has_loops(graph):
        return graph
    for _ in range(MOST_NESTED):  # inner loops first
        graph = drop_unused(graph)  # what nobody reads may read what is in a loop
        changed = _with_calls(graph)
        if changed is graph:
            break
        graph = changed
    return graph


class _OtherFormError(Exception):
    """A loop has another form."""


class _Call(NamedTuple):
    """A loop in its new form.

    Attributes:
        node: calls the functions.
        functions: body and condition.
        inside: names of the nodes that it replaces.
        exits: which variable an Exit node gives, by name.
    """

    node: Node
    functions: Sequence[Function]
    inside: frozenset[str]
    exits: Mapping[str, int]


def _with_calls(graph: Graph) -> Graph:
    """Return the graph with the loops that have no loop inside as calls."""
    frames: dict[str, list[Node]] = {}
    for node in graph.nodes:
        if node.type == "Enter":
            name = node.attributes.get("frame_name")
            frames.setdefault(name if isinstance(name, str) else node.name, []).append(node)
    if not frames:
        return graph
    facts, calls = _Facts(graph), []
    for enters in frames.values():
        try:
            calls.append(_Loop(facts, enters).call())
        except _OtherFormError:
            continue
    if not calls:
        return graph
    inside = {name for call in calls for name in call.inside}
    sources = {
        name: f"{call.node.name}:{number}" if number else call.node.name
        for call in calls
        for name, number in call.exits.items()
    }
    nodes = [call.node for call in calls]
    for node in graph.nodes:
        if node.name in sources:
            nodes.append(Node(node.name, "Identity", (sources[node.name],)))
        elif node.name not in inside:
            outside = tuple(r for r in node.inputs if node_of(r) not in inside)
            nodes.append(node._replace(inputs=outside) if node.type == "Const" else node)
    functions = {function.name: function for call in calls for function in call.functions}
    return graph._replace(nodes=nodes, functions={**graph.functions, **functions})


class _Facts:
    """The nodes of a graph by name, and what reads them."""

    def __init__(self, graph: Graph):
        self.index = Index(graph)
        self.users: dict[str, list[Node]] = {}
        for node in graph.nodes:
            for name in {*map(node_of, node.inputs)}:
                self.users.setdefault(name, []).append(node)
        fetched = (endpoint.node for endpoint in graph.outputs.values())
        self.named = {*map(node_of, (*fetched, *graph.aliases, *graph.resources))}
        self.visits = _MOST_VISITS * len(graph.nodes)

    def find(self, reference: str, kind: str) -> Node:
        """Return the node of a reference, of the type that a loop has there."""
        node = self.index.nodes.get(node_of(reference))
        if node is None or node.type != kind:
            raise _OtherFormError
        return node

    def visit(self, name: str) -> Node:
        """Return a node for a function."""
        self.visits -= 1
        node = self.index.nodes.get(name)
        if node is None or name in self.index.fed or self.visits < 0 or not _may_be_called(node):
            raise _OtherFormError
        return node


class _Variable(NamedTuple):
    """The nodes of a variable that a loop changes; without a Switch only the condition has it."""

    enter: Node
    merge: Node
    switch: Node | None
    back: Node


class _Loop:
    """A loop, by its Enter nodes.

    Raises:
        _OtherFormError: it has another form.
    """

    def __init__(self, facts: _Facts, enters: Sequence[Node]):
        self._facts = facts
        held = [CheckedAttributes(node.attributes).get("is_constant") for node in enters]
        self._kept = [node for node, is_held in zip(enters, held, strict=True) if is_held]
        changing = [node for node, is_held in zip(enters, held, strict=True) if not is_held]
        self._variables = [self._variable(node) for node in changing]
        switches = [v.switch for v in self._variables if v.switch is not None]
        self._condition = facts.find(_only({plain(s.inputs[1]) for s in switches}), "LoopCond")
        if not all(node.inputs for node in (*self._kept, self._condition)):
            raise _OtherFormError

    def _variable(self, enter: Node) -> _Variable:
        merge = _only(self._facts.users.get(enter.name, ()))
        if merge.type != "Merge" or len(merge.inputs) != 2 or plain(merge.inputs[0]) != enter.name:
            raise _OtherFormError
        switches = [n for n in self._facts.users.get(merge.name, ()) if n.type == "Switch"]
        if any(len(s.inputs) != 2 or plain(s.inputs[0]) != merge.name for s in switches):
            raise _OtherFormError
        switch = _only(switches) if switches else None
        back = self._facts.find(merge.inputs[1], BACK)
        data = tuple(r for r in back.inputs if not r.startswith("^"))
        if len(data) != 1 or len(enter.inputs) != 1:
            raise _OtherFormError
        return _Variable(enter, merge, switch, back._replace(inputs=data))

    def call(self) -> _Call:
        """Return the loop in its new form."""
        kept = tuple(node.name for node in self._kept)
        arguments = (*(v.merge.name for v in self._variables), *kept)
        now = {name: name for name in arguments}  # what a reference is in the functions
        now.update((f"{v.switch.name}:1", v.merge.name) for v in self._variables if v.switch)
        backs = [plain(v.back.inputs[0]) for v in self._variables]
        name = self._facts.index.free_name(f"{self._condition.name}/loop")
        condition = self._function(f"{name}/condition", arguments, self._condition.inputs[:1], now)
        body = self._function(f"{name}/body", arguments, (*backs, *kept), now)
        inside, exits = {self._condition.name, *kept}, dict[str, int]()
        inside |= {n.name for n in (*condition.nodes, *body.nodes) if n.type != "Const"}
        for number, variable in enumerate(self._variables):
            inside |= {node.name for node in variable if node is not None}
            if variable.switch is not None:
                leaving = self._facts.users.get(variable.switch.name, ())
                exits.update((n.name, number) for n in leaving if n.type == "Exit")
        inside |= self._waited_for(inside)
        self._check_closed(inside, exits)
        before = (*(v.enter for v in self._variables), *self._kept)
        attributes = {"cond": condition.name, "body": body.name}
        inputs = tuple(plain(node.inputs[0]) for node in before)
        node = Node(name, "StatelessWhile", inputs, attributes)
        return _Call(node, (condition, body), frozenset(inside), exits)

    def _function(
        self,
        name: str,
        arguments: tuple[str, ...],
        wanted: Iterable[str],
        now: Mapping[str, str],
    ) -> Function:
        """Return the function from the variables to what is wanted."""
        results = tuple(now.get(plain(r), plain(r)) for r in wanted)
        found: dict[str, Node] = {}
        waiting = [*map(node_of, results)]
        while waiting:
            each = waiting.pop()
            if each not in found and each not in arguments:
                node = self._facts.visit(each)
                data = [plain(r) for r in node.inputs if not r.startswith("^")]
                inputs = tuple(now.get(r, r) for r in data)
                found[each] = node._replace(inputs=inputs)
                waiting += map(node_of, inputs)
        free = FunctionName(self._facts.index.free_name(name))
        return Function(free, [*found.values()], arguments, results)

    def _waited_for(self, inside: Collection[str]) -> set[str]:
        """Return nodes without an effect of which the loop's nodes and constants read nothing.

        Those just run after them: so a converter says that they belong to the loop.
        """
        users = {user.name: user for name in inside for user in self._facts.users.get(name, ())}
        return {
            name
            for name, user in users.items()
            if name not in inside
            and _may_be_called(user)
            and all(
                (waiting.name in inside or waiting.type == "Const") and f"^{name}" in waiting.inputs
                for waiting in self._facts.users.get(name, ())
            )
        }

    def _check_closed(self, inside: set[str], exits: Mapping[str, int]) -> None:
        """Raise unless all that leaves the loop leaves by an Exit."""
        if not inside.isdisjoint(self._facts.named):
            raise _OtherFormError
        users = (user for name in inside for user in self._facts.users.get(name, ()))
        if any(u.name not in inside and u.name not in exits and u.type != "Const" for u in users):
            raise _OtherFormError


def _may_be_called(node: Node) -> bool:
    """Return whether a node gives the same in a function as in a loop."""
    if node.type == "Const":
        return True
    kind = find_node_type(node.type)
    if kind is None or node.type in LOOP_TYPES or node.type.startswith("TensorArray"):
        return False
    return not kind.in_run or node.type == "StatelessWhile"


def _only(items: Iterable[Item]) -> Item:
    """Return the only item of some."""
    found = [*items]
    if len(found) != 1:
        raise _OtherFormError
    return found[0]
