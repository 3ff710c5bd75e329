"""Translation of ONNX graphs to nodes: names, constants, functions, branches and loops."""

from collections.abc import Container, Mapping, Sequence
from typing import Any

import numpy as np

from core.converter.graph_protos import NODE_BYTES
from core.converter.onnx.content import (
    AttributeReference,
    OnnxFunction,
    OnnxGraph,
    OnnxModel,
    OnnxNode,
)
from core.converter.onnx.element_types import result_types
from core.converter.onnx.tensors import OnnxTensor
from core.converter.tensor_protos import narrowed
from core.errors import CoreError
from core.graph.node_types.onnx import all_rows, find_row
from core.graph.node_types.onnx.rows import PRESENT, Needs, facts_for, type_name
from core.graph.node_types.onnx.rows import Function as Row
from core.graph.nodes import FIXED, Function, FunctionName, Node
from core.graph.unique_names import UniqueNames
from weights_cache.reading_budgets import check_time, spend

#: The longest name of a node; longer names of values are cut.
LONGEST_NAME = 200

#: The most functions of a file that call each other, and graphs in each other.
MOST_NESTED = 64

#: The attributes of branches, by those of our nodes.
BRANCHES = ("then_branch", "else_branch")


class FileNodes:
    """Names, weights and functions that all graphs of a file share.

    Args:
        model: the file.
    """

    def __init__(self, model: OnnxModel):
        self.model = model
        self.weights: dict[str, np.ndarray] = {}
        self.functions: dict[str, Function] = {}
        self._names = UniqueNames()

    def unique(self, name: str) -> str:
        """Return a name for a node, which references can hold."""
        name = name[:LONGEST_NAME].replace(":", "_").lstrip("^") or "unnamed"
        return self._names.unique(name, as_is=True)


class Scope:
    """The values of a graph, of the body of a branch or loop, or of a call of a function, by name.

    Args:
        shared: what all scopes of the file share.
        opsets: version of the operators by domain.
        outer: the scope around a body, whose values it may read.
        depth: number of scopes around it.
    """

    def __init__(
        self,
        shared: FileNodes,
        opsets: Mapping[str, int],
        outer: "Scope | None" = None,
        depth: int = 0,
    ):
        if depth > MOST_NESTED:
            raise CoreError(f"functions and graphs are nested more than {MOST_NESTED} deep")
        self.nodes: list[Node] = []
        #: Argument of the body by reference of the scope around it.
        self.captured: dict[str, str] = {}
        self.references: dict[str, str] = {}
        self.types: dict[str, str] = {}
        self._shared, self._opsets, self._outer, self._depth = shared, opsets, outer, depth

    # --- values -----------------------------------------------------------------------------

    def add_input(self, name: str, kind: str = "") -> str:
        """Add a value that is given, and return the name of its node."""
        self._check_new(name)
        self.references[name] = self._shared.unique(name)
        self.types[name] = kind
        return self.references[name]

    def add_constant(self, name: str, tensor: OnnxTensor) -> None:
        """Add a value that does not change."""
        self._check_new(name)
        node = self._shared.unique(name)
        self._shared.weights[node] = tensor.array
        self.nodes.append(Node(node, "Const"))
        self.references[name], self.types[name] = node, tensor.type

    def reference(self, name: str) -> str:
        """Return the reference to a value, which a body may take from around it.

        Raises:
            CoreError: no node gives it before.
        """
        found = self.references.get(name)
        if found is not None:
            return found
        if self._outer is None:
            raise CoreError(
                f"nothing gives the value {name!r:.80} before it is read: nodes must stand in the "
                "order in which they run, without a circle"
            )
        outer = self._outer.reference(name)
        self.types[name] = self._outer.types.get(name, "")
        if outer in self._shared.weights:  # bodies share the weights of the graph by their names
            self.nodes.append(Node(outer, "Const"))
            self.references[name] = outer
        else:
            self.references[name] = self.captured[outer] = self._shared.unique(name)
        return self.references[name]

    def _check_new(self, name: str) -> None:
        if name and name in self.references:
            raise CoreError(f"the value {name!r:.80} is given twice")

    # --- nodes ------------------------------------------------------------------------------

    def add_graph(self, graph: OnnxGraph) -> None:
        """Add the constants and nodes of a graph whose inputs are there."""
        for name, tensor in graph.initializers.items():
            if name not in self.references:  # of an input of a body it is a default
                self.add_constant(name, tensor)
        self.types |= {name: value.type for name, value in graph.values.items() if value.type}
        for node in graph.nodes:
            self.add(node)

    def add(self, node: OnnxNode) -> None:
        """Add what a node becomes.

        Raises:
            CoreError: it is invalid, with its name.
        """
        check_time()
        spend(NODE_BYTES, "its nodes")
        try:
            self._add(node)
        except CoreError as error:
            raise CoreError(f"{node.label}: {error}") from error

    def _add(self, node: OnnxNode) -> None:
        function = self._shared.model.functions.get((node.domain, node.type))
        if function is not None:
            self._add_call(node, function)
        elif node.domain == "" and node.type in _STRUCTURES:
            _STRUCTURES[node.type](self, node)
        elif (weight := self._named_again(node)) is not None:
            self.add_constant(node.outputs[0], weight)
        else:
            self._add_op(node)

    def _named_again(self, node: OnnxNode) -> OnnxTensor | None:
        """Return the weight to which a node gives another name, if its values are all equal.

        PyTorch's exporter joins weights of equal values, such as scales and variances of new norms;
        each is a weight of its own.
        """
        if node.type != "Identity" or node.domain or self._outer is not None:
            return None
        found = self._shared.model.graph.initializers.get("".join(node.inputs[:1]))
        if found is None or found.array.dtype != np.float32 or found.array.size < 2:
            return None
        return found if (found.array == found.array.flat[0]).all() else None

    def _add_op(self, node: OnnxNode) -> None:
        """Add a node of an op that has a row, or of a type for which users may give a kernel."""
        kinds = [self.types.get(name, "") for name in node.inputs]
        attributes = {n: _plain(value) for n, value in node.attributes.items()}
        given = [i for i, name in enumerate(node.inputs) if name]
        if given != [*range(len(given))]:
            attributes[PRESENT] = tuple(given)
        label, row = self._type_of(node)
        attributes |= facts_for(row, kinds, len(node.outputs))
        self._keep(node, label, [self.reference(node.inputs[i]) for i in given], attributes)
        self._add_types(node.outputs, result_types(node, kinds))

    def _add_types(self, names: Sequence[str], kinds: Sequence[str]) -> None:
        """Keep the element types of values, unless the file declares them."""
        for name, kind in zip(names, kinds, strict=False):
            self.types[name] = self.types.get(name) or kind

    def _type_of(self, node: OnnxNode) -> tuple[str, Row | Needs | None]:
        """Return the node type and row of an op; a type without a row is refused when it runs."""
        opset = self._opset(node)
        name = node.type[:LONGEST_NAME]
        if node.domain:
            return f"{node.domain[:LONGEST_NAME]}:{name}", None
        # An op that is younger than the file's opset is another type than its row's.
        return find_row(name, opset) or (type_name(name, opset if name in all_rows() else 0), None)

    def _opset(self, node: OnnxNode) -> int:
        if node.domain not in self._opsets:
            raise CoreError(f"the file does not say the version of the domain {node.domain!r:.80}")
        return self._opsets[node.domain]

    def _keep(
        self, node: OnnxNode, kind: str, inputs: Sequence[str], attributes: Mapping[str, Any]
    ) -> None:
        """Add a node, and what it gives, which has the name of its first result."""
        first = next((name for name in node.outputs if name), node.name or node.type)
        made = self._shared.unique(first)
        self.nodes.append(Node(made, kind, tuple(inputs), attributes))
        for i, name in enumerate(node.outputs):
            self._check_new(name)
            self.references[name] = f"{made}:{i}" if i else made

    def _add_call(self, node: OnnxNode, function: OnnxFunction) -> None:
        """Add the nodes of a function of the file in the place of its call."""
        call = Scope(self._shared, function.opsets, None, self._depth + 1)
        for formal, name in zip(function.inputs, node.inputs, strict=False):
            if name:
                call.references[formal] = self.reference(name)
                call.types[formal] = self.types.get(name, "")
        absent = {n for n in function.inputs if n not in call.references}
        given = {**function.attributes, **node.attributes}
        for each in function.nodes:
            call.add(_of_call(each, given, absent))
        self.nodes += call.nodes
        for formal, name in zip(function.outputs, node.outputs, strict=False):
            if name:
                self._check_new(name)
                self.references[name] = call.reference(formal)
                self.types[name] = call.types.get(formal, "")

    # --- bodies -----------------------------------------------------------------------------

    def body(self, graph: OnnxGraph) -> "Scope":
        """Return the scope of a body, with its nodes."""
        made = Scope(self._shared, self._opsets, self, self._depth + 1)
        for name in graph.inputs:
            made.add_input(name, graph.values[name].type)
        made.add_graph(graph)
        for name in graph.outputs:
            made.reference(name)  # which may be values around it
        return made

    def add_function(
        self, name: str, graph: OnnxGraph, body: "Scope", arguments: Sequence[str]
    ) -> FunctionName:
        """Keep a body as a function, which takes its inputs and then values of this scope."""
        inputs = [body.references[each] for each in graph.inputs]
        inputs += [body.captured.get(each) or self._shared.unique(each) for each in arguments]
        outputs = tuple(body.reference(each) for each in graph.outputs)
        name = self._shared.unique(name)
        nodes = [*body.nodes]
        self._shared.functions[name] = Function(name, nodes, tuple(inputs), outputs)
        return FunctionName(name)

    def add_constant_node(self, node: OnnxNode) -> None:
        """Add the constant of a Constant node, whatever attribute holds it."""
        if len(node.attributes) != 1 or len(node.outputs) != 1:
            raise CoreError("it does not have one value and one name")
        ((kind, value),) = node.attributes.items()
        if not isinstance(value, OnnxTensor):
            value = _listed_constant(kind, value)
        self.add_constant(node.outputs[0], value)
        if self._shared.model.has_weights_apart:
            self.nodes[-1] = self.nodes[-1]._replace(attributes={FIXED: True})

    def add_if(self, node: OnnxNode) -> None:
        """Add a branch: both functions take the same values, which either may read."""
        if len(node.inputs) != 1:
            raise CoreError(f"it has {len(node.inputs)} inputs, not one condition")
        graphs = [_graph_of(node, name) for name in BRANCHES]
        bodies = [self.body(graph) for graph in graphs]
        values = [*dict.fromkeys(r for body in bodies for r in body.captured)]
        functions = {
            name: self.add_function(f"{_name(node)}/{name}", graph, body, values)
            for name, graph, body in zip(BRANCHES, graphs, bodies, strict=True)
        }
        self._keep(node, "If", [self.reference(node.inputs[0]), *values], functions)
        kinds = [bodies[0].types.get(name, "") for name in graphs[0].outputs]
        self._add_types(node.outputs, kinds)

    def add_loop(self, node: OnnxNode) -> None:
        """Add a Loop, Scan or SequenceMap: its body's inputs, then what it reads around it."""
        graph = _graph_of(node, "body")
        body = self.body(graph)
        values = [*body.captured]
        function = self.add_function(f"{_name(node)}/body", graph, body, values)
        others = {n: _plain(v) for n, v in node.attributes.items() if n != "body"}
        given = [i for i, name in enumerate(node.inputs) if name]
        inputs = [*(self.reference(node.inputs[i]) for i in given), *values]
        attributes = {**others, "body": function, "given": tuple(given), "around": len(values)}
        self._keep(node, self._type_of(node)[0], inputs, attributes)
        results = graph.outputs[node.type == "Loop" :]  # the first one is its condition
        self._add_types(node.outputs, [body.types.get(name, "") for name in results])


_STRUCTURES = {
    "Constant": Scope.add_constant_node,
    "If": Scope.add_if,
    "Loop": Scope.add_loop,
    "Scan": Scope.add_loop,
    "SequenceMap": Scope.add_loop,
}


def _name(node: OnnxNode) -> str:
    return node.name or next(filter(None, node.outputs), node.type)


def _graph_of(node: OnnxNode, attribute: str) -> OnnxGraph:
    """Return the graph of a branch or body, which gives as many results as its node."""
    graph = node.attributes.get(attribute)
    if not isinstance(graph, OnnxGraph):
        raise CoreError(f"it has no graph {attribute!r}")
    own = 1 if node.type == "Loop" else 0  # the condition to go on
    if len(graph.outputs) - own < len(node.outputs):
        raise CoreError(
            f"its graph {attribute!r} gives {len(graph.outputs) - own} results, but it has "
            f"{len(node.outputs)}"
        )
    return graph


def _listed_constant(kind: str, value: Any) -> OnnxTensor:
    """Return the constant of an attribute such as ``value_ints``."""
    if kind in ("value_float", "value_floats"):
        return OnnxTensor(np.array(value, np.float32), "float32")
    if kind in ("value_int", "value_ints"):
        return OnnxTensor(narrowed(np.array(value, np.int64)), "int64")
    if kind not in ("value_string", "value_strings"):
        raise CoreError(f"its value is the attribute {kind!r:.80}, which ONNX does not define")
    texts = np.array(value, object)
    return OnnxTensor(np.vectorize(_as_bytes, [object])(texts) if texts.size else texts, "string")


def _as_bytes(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode()


def _plain(value: Any) -> Any:
    """Return an attribute as nodes hold it."""
    if isinstance(value, OnnxTensor):
        return value.array
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return value


def _of_call(node: OnnxNode, given: Mapping[str, Any], absent: Container[str]) -> OnnxNode:
    """Return a node of a function with what its call gives and leaves out, in its bodies, too."""
    found = {}
    for name, value in node.attributes.items():
        if isinstance(value, AttributeReference):
            if given.get(value) is None:
                continue
            value = given[value]
        elif isinstance(value, OnnxGraph):
            nodes = [_of_call(each, given, absent) for each in value.nodes]
            value = value._replace(nodes=nodes)
        found[name] = value
    inputs = tuple("" if name in absent else name for name in node.inputs)
    return node._replace(inputs=inputs, attributes=found)
