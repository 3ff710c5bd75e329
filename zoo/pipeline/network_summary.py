"""What a loaded network is, in a few lines of text."""

from collections import Counter

from core.graph.nodes import Endpoint, PartialSpec
from core.model.graph_model import GraphModel

_MOST_TYPES = 8


class Card(str):
    """A text of several lines, which a console or notebook shows as lines."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def network_text(network: GraphModel, title: str) -> str:
    """Inputs, outputs, parameters and node types of a network.

    >>> from core.graph.nodes import Endpoint, Graph, Node
    >>> x, y = (Endpoint(name, PartialSpec((None, 2))) for name in "xy")
    >>> graph = Graph([Node("x", "Placeholder"), Node("y", "Relu", ("x",))], {}, {"x": x}, {"y": y})
    >>> print(network_text(GraphModel(graph), "a model"))
    a model on cpu
    inputs:
      x: float32 [any, 2]
    outputs:
      y: float32 [any, 2]
    0 parameters, 1 nodes: Relu
    """
    (_, inputs), (_, outputs), (_, contents) = network_rows(network)
    ends = ["inputs:", *(f"  {x}" for x in inputs), "outputs:", *(f"  {y}" for y in outputs)]
    return "\n".join([f"{title} on {network.backend}", *ends, *contents])


def network_rows(network: GraphModel) -> list[tuple[str, list[str]]]:
    """The same as facts with their names, each of some lines, for a model card."""
    return [
        ("inputs", [_input(name, end) for name, end in network.graph.inputs.items()]),
        ("outputs", [f"{name}: {_spec(spec)}" for name, spec in network.outputs.items()]),
        ("network", [_contents(network)]),
    ]


def _contents(network: GraphModel) -> str:
    graph = network.graph
    count = sum(array.size for array in graph.weights.values())
    kinds = Counter(node.type for node in graph.nodes if node.type not in ("Const", "Placeholder"))
    common = [f"{n} x {kind}" if n > 1 else kind for kind, n in kinds.most_common(_MOST_TYPES)]
    more = len(kinds) - _MOST_TYPES
    rest = f" and {more} other type{'s' if more > 1 else ''}" if more > 0 else ""
    nodes = sum(kinds.values())
    return f"{count:,} parameters, {nodes} nodes: {', '.join(common)}{rest}"


def _input(name: str, end: Endpoint) -> str:
    """A quantised one takes its integers, such as pixels, as well as what they stand for."""
    quanta = f", or quanta of {end.quantization.dtype}" if end.quantization else ""
    return f"{name}: {_spec(end.spec)}{quanta}"


def _spec(spec: PartialSpec) -> str:
    if spec.shape is None:
        return f"{spec.dtype} of any shape"
    return f"{spec.dtype} [{', '.join('any' if n is None else str(n) for n in spec.shape)}]"
