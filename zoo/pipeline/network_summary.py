"""Summary of a loaded network in a few lines of text."""

from collections import Counter
from collections.abc import Iterable, Sequence

from core import Endpoint, Graph, PartialSpec
from core.backends.cpu.tiers import may_generate

_MOST_TYPES = 8
_MOST_LABELS = 7


class Card(str):
    """A text of several lines, which a console or notebook shows as lines."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def network_text(graph: Graph, title: str) -> str:
    """Inputs, outputs, parameters and node types of a network.

    >>> from core import Endpoint, Graph, Node
    >>> x, y = (Endpoint(name, PartialSpec((None, 2))) for name in "xy")
    >>> graph = Graph([Node("x", "Placeholder"), Node("y", "Relu", ("x",))], {}, {"x": x}, {"y": y})
    >>> print(network_text(graph, "a model"))
    a model
    inputs:
      x: float32 [any, 2]
    outputs:
      y: float32 [any, 2]
    0 parameters, 1 nodes: Relu
    """
    (_, inputs), (_, outputs), (_, contents) = network_rows(graph)
    ends = ["inputs:", *(f"  {x}" for x in inputs), "outputs:", *(f"  {y}" for y in outputs)]
    return "\n".join([title, *ends, *contents, *_said(graph)])


def _said(graph: Graph) -> list[str]:
    """Return lines with what a file says of itself and of its classes."""
    rows: dict[str, str] = {} if graph.origin is None else graph.origin._asdict()
    labels = getattr(graph.metadata, "labels", ())
    more = ", ..." if len(labels) > _MOST_LABELS else ""
    if labels:
        rows["labels"] = f"{len(labels)}: {', '.join(labels[:_MOST_LABELS])}{more}"
    return [f"{name}: {text}" for name, text in rows.items() if text]


def kernels_text(tiers: Sequence[str]) -> list[str]:
    """The kernels by which a network has run, in a line; none before the first call.

    Args:
        tiers: as of `core.GraphModel.tiers`.

    >>> kernels_text(["generated"]), kernels_text([])
    (['kernels: generated'], [])
    """
    more = ""
    if "numpy" in tiers and may_generate():
        more = "; warmup() changes to generated ones, which are faster and round otherwise"
    return [f"kernels: {', '.join(tiers)}{more}"] if tiers else []


def network_rows(graph: Graph) -> list[tuple[str, list[str]]]:
    """The facts of `network_text` with their names, each of some lines, for a model card."""
    return [
        ("inputs", [_input(name, end) for name, end in graph.inputs.items()]),
        ("outputs", [f"{name}: {_spec(end.spec)}" for name, end in graph.outputs.items()]),
        ("network", [_contents(graph)]),
    ]


def _contents(graph: Graph) -> str:
    count = sum(array.size for array in graph.weights.values())
    kinds = Counter(node.type for node in graph.nodes if node.type not in ("Const", "Placeholder"))
    common = [f"{n} x {kind}" if n > 1 else kind for kind, n in kinds.most_common(_MOST_TYPES)]
    more = len(kinds) - _MOST_TYPES
    rest = f" and {more} other type{'s' if more > 1 else ''}" if more > 0 else ""
    nodes = sum(kinds.values())
    return f"{count:,} parameters, {nodes} nodes: {', '.join(common)}{rest}"


def _input(name: str, end: Endpoint) -> str:
    """Describe an input; a quantised one takes integers, such as pixels, or the real values."""
    values = f", or quantised values in {end.quantization.dtype}" if end.quantization else ""
    return f"{name}: {_spec(end.spec)}{values}"


def _spec(spec: PartialSpec) -> str:
    if spec.shape is None:
        return f"{spec.dtype} of any shape"
    return f"{spec.dtype} [{', '.join('any' if n is None else str(n) for n in spec.shape)}]"


def shown_specs(specs: Iterable[PartialSpec]) -> str:
    """Return dtypes and shapes of inputs or outputs, for errors."""
    texts = (f"{s.dtype} {'?' if s.shape is None else list(s.shape)}" for s in specs)
    return f"{', '.join(texts) or 'nothing':.200}".replace("None", "any")
