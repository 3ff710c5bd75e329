"""What a loaded network is, in a few lines of text."""

from collections import Counter
from collections.abc import Mapping

from core.graph.model import GraphModel
from core.graph.nodes import PartialSpec

_MOST_TYPES = 8


def describe(network: GraphModel, title: str) -> str:
    """Inputs, outputs, parameters and node types of a network.

    >>> from core.graph.nodes import Endpoint, Graph, Node
    >>> x, y = (Endpoint(name, PartialSpec((None, 2))) for name in "xy")
    >>> graph = Graph([Node("x", "Placeholder"), Node("y", "Relu", ("x",))], {}, {"x": x}, {"y": y})
    >>> print(describe(GraphModel(graph), "a model"))
    a model on cpu
    inputs:
      x: float32 [any, 2]
    outputs:
      y: float32 [any, 2]
    0 parameters, 1 nodes: Relu
    """
    lines = [
        f"{title} on {network.backend}",
        *("inputs:", *_endpoints(network.inputs)),
        *("outputs:", *_endpoints(network.outputs)),
        _contents(network),
    ]
    return "\n".join(lines)


def network_rows(network: GraphModel) -> list[tuple[str, list[str]]]:
    """The same as facts with their names, each of some lines, for a model card."""
    return [
        ("inputs", [line.strip() for line in _endpoints(network.inputs)]),
        ("outputs", [line.strip() for line in _endpoints(network.outputs)]),
        ("network", [_contents(network)]),
    ]


def _contents(network: GraphModel) -> str:
    graph = network.graph
    count = sum(array.size for array in graph.weights.values())
    kinds = Counter(node.type for node in graph.nodes if node.type not in ("Const", "Placeholder"))
    common = [f"{n} x {kind}" if n > 1 else kind for kind, n in kinds.most_common(_MOST_TYPES)]
    rest = f" and {len(kinds) - _MOST_TYPES} other types" if len(kinds) > _MOST_TYPES else ""
    return f"{count:,} parameters, {sum(kinds.values())} nodes: {', '.join(common)}{rest}"


def _endpoints(specs: Mapping[str, PartialSpec]) -> list[str]:
    return [f"  {name}: {spec.dtype} {_shape(spec)}" for name, spec in specs.items()]


def _shape(spec: PartialSpec) -> str:
    if spec.shape is None:
        return "of any shape"
    return f"[{', '.join('any' if n is None else str(n) for n in spec.shape)}]"
