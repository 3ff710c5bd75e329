"""Removal of nodes that no output needs, and of nodes that only pass their input on."""

from collections.abc import Container, Iterable, Iterator, Sequence

from core.graph.nodes import FILLING_TYPES, Function, FunctionName, Graph, Node, node_of
from core.plan.passes.rewriting import followed, has_loops, plain, with_references

#: Node types that give their first input; for training, or for checks.
PASSING_TYPES = frozenset(
    {"Identity", "StopGradient", "Snapshot", "PreventGradient", "CheckNumerics"}
)

#: Node types that change what other nodes get, for which those have to wait.
_CHANGING_TYPES = FILLING_TYPES | {"TensorArrayCloseV3"}


def prune(graph: Graph) -> Graph:
    """Drop what no output needs, nodes that just pass a value on, and checks.

    Assertions and checks go, as only control inputs refer to them; nodes that fill a hash table
    or close an array stay, and nodes that wait for them. In a graph with loops only nodes that no
    output needs are dropped: there control inputs say to which iteration a node belongs.

    >>> from core.graph.nodes import Endpoint, PartialSpec
    >>> x, y = (Endpoint(name, PartialSpec((None,))) for name in ("x", "y"))
    >>> nodes = [Node("x", "Placeholder"), Node("same", "Identity", ("x",))]
    >>> nodes += [Node("y", "Neg", ("same", "^check")), Node("check", "Assert", ("x",))]
    >>> [n.name for n in prune(Graph(nodes, {}, {"x": x}, {"y": y})).nodes]
    ['x', 'y']
    """
    if has_loops(graph):
        return drop_unused(graph)
    fed = {node_of(endpoint.node) for endpoint in graph.inputs.values()}
    filling = _filling(graph)
    nodes = [_without_control(node, filling) for node in graph.nodes]
    links = {
        reference: source
        for node in nodes
        if node.name not in fed
        for reference, source in _passed_on(node)
    }
    bare = graph._replace(nodes=nodes)
    return drop_unused(with_references(bare, lambda r: followed(links, plain(r))))


def _passed_on(node: Node) -> Iterator[tuple[str, str]]:
    """Return the replacement of references to a node; None if it waits for other nodes."""
    if any(i.startswith("^") for i in node.inputs):
        return
    data = [plain(i) for i in node.inputs]
    if node.type in PASSING_TYPES or node.type == "PlaceholderWithDefault":
        yield from zip((node.name,), data, strict=False)
    elif node.type == "IdentityN":
        yield from ((f"{node.name}:{i}" if i else node.name, r) for i, r in enumerate(data))


def _without_control(node: Node, kept: Container[str]) -> Node:
    """Return a node with control inputs from the named nodes only."""
    inputs = (i for i in node.inputs if not i.startswith("^") or node_of(i) in kept)
    return node._replace(inputs=tuple(inputs))


def _filling(graph: Graph) -> set[str]:
    """Return the nodes that fill a table or close an array, also by calls, and later nodes."""
    bodies = graph.functions.values()
    calls = [(c, f.name) for f in bodies for n in f.nodes for c in _called(n)]
    filling_bodies = [f.name for f in bodies if any(n.type in _CHANGING_TYPES for n in f.nodes)]
    calling = _reached(filling_bodies, calls)
    filling = [
        n.name
        for n in graph.nodes
        if n.type in _CHANGING_TYPES or not calling.isdisjoint(_called(n))
    ]
    return _reached(filling, [(node_of(i), node.name) for node in graph.nodes for i in node.inputs])


def _reached(start: Iterable[str], links: Iterable[tuple[str, str]]) -> set[str]:
    """Return the names that links lead to, and those that the links start from."""
    targets: dict[str, list[str]] = {}
    for source, target in links:
        targets.setdefault(source, []).append(target)
    found, waiting = set[str](), [*start]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += targets.get(name, [])
    return found


def drop_unused(graph: Graph) -> Graph:
    """Drop the nodes, functions and weights that no output needs; inputs stay.

    All nodes of the initializer stay, and the functions that they call. A graph without outputs
    stays as it is.
    """
    if not graph.outputs:
        return graph
    known = {node.name: node for node in graph.nodes}
    needed = _needed(known, graph)
    nodes = [node for node in graph.nodes if node.name in needed]
    functions, initializer = _used_functions(nodes, graph), graph.initializer
    bodies: list[Sequence[Node]] = [nodes]
    called = [*functions.values()]
    if initializer is not None:  # files may repeat in it all functions of the model
        used = _used_functions(initializer.nodes, initializer)
        initializer = initializer._replace(functions=used)
        bodies.append(initializer.nodes)
        called += used.values()
    constants = {n.name for body in bodies for n in body if n.type == "Const"}
    constants.update(name for function in called for name in _names_in(function))
    return graph._replace(
        nodes=nodes,
        functions=functions,
        initializer=initializer,
        weights={name: a for name, a in graph.weights.items() if name in constants},
        aliases={k: r for k, r in graph.aliases.items() if node_of(r) in needed},
    )


def _needed(known: dict[str, Node], graph: Graph) -> set[str]:
    """Return the names of nodes that outputs and states need, and of the inputs."""
    endpoints = (*graph.outputs.values(), *graph.inputs.values())
    waiting = [*(node_of(e.node) for e in endpoints), *graph.resources]
    waiting += map(node_of, graph.states.values())
    needed: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in needed:
            needed.add(name)
            waiting += [node_of(i) for i in known[name].inputs] if name in known else []
    return needed


def _used_functions(nodes: Sequence[Node], graph: Graph) -> dict[str, Function]:
    """Return the functions that nodes call, and those that these functions call."""
    used: dict[str, Function] = {}
    waiting = [name for node in nodes for name in _called(node)]
    while waiting:
        name = waiting.pop()
        if name in graph.functions and name not in used:
            used[name] = graph.functions[name]
            waiting += [other for node in used[name].nodes for other in _called(node)]
    return {name: f for name, f in graph.functions.items() if name in used}


def _names_in(function: Function) -> Iterator[str]:
    """Return names that may refer to a weight of the graph, before a node of the function."""
    yield from map(node_of, function.outputs)
    for node in function.nodes:
        yield from (node.name, *map(node_of, node.inputs))


def _called(node: Node) -> Iterator[str]:
    for value in node.attributes.values():
        values = value if isinstance(value, list) else [value]
        yield from (v for v in values if isinstance(v, FunctionName))
