"""Networks of a model, and their values that are compared."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from core import Graph, Node
from core.graph.nodes import Quantization, node_of
from zoo.catalog.entries import is_entry
from zoo.pipeline.loaded_model import LoadedModel
from zoo.pipeline.model import Model
from zoo.pipeline.model_cache import load

#: Node types that choose positions, so that nearly equal inputs may give other outputs.
CHOICES = frozenset(
    {
        *("ArgMax", "ArgMin", "TopK", "TopKV2", "InTopK", "InTopKV2", "Where", "Unique"),
        *("NonMaxSuppression", *(f"NonMaxSuppressionV{n}" for n in range(2, 6))),
        *("CombinedNonMaxSuppression", "TFLite_Detection_PostProcess", "Multinomial"),
    }
)


class Networks(NamedTuple):
    """Networks that a name or path stands for.

    Attributes:
        models: loaded networks, by the names that tables show.
        others: names of pretrained models that these work with.
    """

    models: Mapping[str, LoadedModel]
    others: tuple[str, ...] = ()


def load_networks(name: str, backend: str) -> Networks:
    """Load a pretrained model, without its parts, or a model from a path.

    Raises:
        ZooError: there is no such model, or it cannot be read.
    """
    model: LoadedModel = load(name, backend=backend)
    extractor = None if is_entry(name) else getattr(model, "extractor", None)
    if extractor is None:  # else it is a taught model, whose own network is the head
        return Networks({name: model})
    own = {f"{name} (features)": extractor.model} if extractor.is_own else {}
    others = dict.fromkeys(origin["model"] for origin in extractor.provenance)
    return Networks({name: model, **own}, tuple(n for n in others if is_entry(n) and not own))


class Compared(NamedTuple):
    """Names of values of a network.

    Attributes:
        outputs: outputs, and values that choices are made from.
        chosen: outputs that are not compared: the type of the node that decides them.
    """

    outputs: tuple[str, ...]
    chosen: Mapping[str, str]


def compared_outputs(model: LoadedModel) -> Compared:
    """Return which values of a network are compared.

    These are its outputs and those that its task reads; instead of outputs that depend on choices
    of positions the values that the first choices are made from.
    """
    graph = model.network.graph
    names = dict.fromkeys([*graph.outputs, *model.output_names])
    if isinstance(model, Model):
        names |= dict.fromkeys(filter(None, (model.entry.output, model.entry.embedding)))
    walk = _Walk(graph)
    kinds = {name: walk.choice_before(reference_of(graph, name)) for name in names}
    chosen = {name: kind for name, kind in kinds.items() if kind}
    before = [r for name in chosen for r in walk.before_choices(reference_of(graph, name))]
    plain = [name for name in names if name not in chosen]
    return Compared(tuple(dict.fromkeys([*plain, *before])), chosen)


def choice_before(graph: Graph, name: str) -> str:
    """Return the type of the last choice that a value depends on; ``""`` without one."""
    return _Walk(graph).choice_before(reference_of(graph, name))


def reference_of(graph: Graph, name: str) -> str:
    """The reference of an output, an alias or a node."""
    if name in graph.outputs:
        return graph.outputs[name].node
    return graph.aliases.get(name, name)


def quantization_of(graph: Graph, name: str) -> Quantization | None:
    """The quantization of an output, an alias or a node; None without."""
    if name in graph.outputs and graph.outputs[name].quantization is not None:
        return graph.outputs[name].quantization
    reference = reference_of(graph, name)
    return graph.quantizations.get(reference) or graph.quantizations.get(node_of(reference))


class _Walk:
    """Walks from a node of a graph to what it is computed from."""

    def __init__(self, graph: Graph):
        self._nodes = {node.name: node for node in graph.nodes}
        self._found: dict[str, str] = {}

    def _inputs(self, name: str) -> list[str]:
        """Return references of the inputs of a node, without those of order."""
        node = self._nodes.get(name)
        return [r for r in node.inputs if not r.startswith("^")] if node else []

    def choice_before(self, reference: str) -> str:
        """Return the type of the last choice that a value depends on; ``""`` without one."""
        for name in self._order(node_of(reference)):
            if name not in self._found:
                self._found[name] = self._choice_at(name)
        return self._found[node_of(reference)]

    def _choice_at(self, name: str) -> str:
        """Return the type of a node that chooses, or of a choice that its inputs depend on."""
        node = self._nodes.get(name)
        if node is not None and node.type in CHOICES:
            return node.type
        before = (self._found.get(node_of(r), "") for r in self._inputs(name))
        return next(filter(None, before), "")

    def _order(self, name: str) -> Iterator[str]:
        """Yield the nodes that a node needs, and the node, inputs first; loops are cut."""
        seen: set[str] = set()
        waiting = [(name, False)]
        while waiting:
            at, is_done = waiting.pop()
            if is_done:
                yield at
            elif at not in seen:
                seen.add(at)
                waiting.append((at, True))
                waiting += [(node_of(r), False) for r in self._inputs(at)]

    def before_choices(self, reference: str) -> list[str]:
        """Return what the first choices before a value are made from: data, no constants."""
        found: dict[str, None] = {}
        for name in self._order(node_of(reference)):
            node = self._nodes.get(name)
            if node is not None and node.type in CHOICES:
                found |= dict.fromkeys(r for r in self._inputs(name) if self._is_plain(r))
        return list(found)

    def _is_plain(self, reference: str) -> bool:
        """Whether a value depends on inputs of the network, and on no choice."""
        if self.choice_before(reference):
            return False
        needed = (self._nodes.get(name) for name in self._order(node_of(reference)))
        return any(_is_input(node) for node in needed)


def _is_input(node: Node | None) -> bool:
    return node is None or node.type == "Placeholder"
