"""Folding of nodes that depend on constants only."""

from collections.abc import Iterable, Sequence
from math import inf

import numpy as np

from core.engine.dispatch import tensor
from core.engine.dtypes import ITEM_SIZES
from core.engine.limits import reset_ceiling, set_ceiling, value_ceiling
from core.engine.settings import backend
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.graph.executor import GIVEN_TYPES, Executor
from core.graph.node_types import find_node_type
from core.graph.node_types.rows import folding_op
from core.graph.nodes import Graph, Node, node_of
from core.graph.subgraph import running_order
from core.plan.passes.pruning import drop_unused
from core.plan.passes.rewriting import Index, plain, with_references

#: Largest number of values of a folded result, unless it replaces as many.
MOST_VALUES = 25_600

#: Largest number of values by which folding may enlarge a graph.
MOST_NEW_VALUES = 2**22

_LARGEST_ITEM = max(ITEM_SIZES.values())


def _values(arrays: Iterable[np.ndarray]) -> int:
    return sum(array.size for array in arrays)


def _folds(type: str) -> bool:
    """Return whether a node type can be folded if all its inputs are constants."""
    kind = None if type in GIVEN_TYPES else find_node_type(type)
    return kind is not None and not kind.in_run and bool(kind.folds or folding_op(kind))


def fold_constants(graph: Graph) -> Graph:
    """Compute nodes that depend on constants only, unless the graph would grow.

    Random numbers, tables, lists, and nodes with control inputs stay. The kernels of the graph
    compute the results, so not a bit changes. A graph without outputs stays unchanged.
    """
    if not graph.outputs:
        return graph
    folding = _Folding(graph)
    index = folding.index
    candidates = [n.name for n in graph.nodes if _folds(n.type) and n.name not in index.fed]
    for name in running_order(folding.needs, (), candidates):
        folding.fold(index.nodes[name])
    return folding.result(graph)


class _Folding:
    """The constants found, and the number of further values that they may have.

    A constant that is used once is freed as soon as a result replaces it.
    """

    def __init__(self, graph: Graph):
        self.index = Index(graph)
        self._room = MOST_NEW_VALUES
        self._gone: set[str] = set()
        self._found: dict[str, np.ndarray] = {}
        self._names: dict[str, str] = {}

    def needs(self, name: str) -> list[str]:
        """Return the inputs of a node that may be folded before it."""
        node = self.index.nodes[name]
        if not _folds(node.type) or name in self.index.fed:
            return []
        names = [node_of(i) for i in node.inputs]
        return [n for n in names if n in self.index.nodes]

    def fold(self, node: Node) -> None:
        """Compute a node, if it depends on constants only and is not too large."""
        given = self._constant_inputs(node)
        results = None if given is None else _run(node, given)
        if given is None or results is None or not self._fits(node, given, results):
            return
        for reference in given:
            if self._is_last(reference, node):
                self._found.pop(self._names.get(reference, reference), None)
        self._gone.add(node.name)
        for i, result in enumerate(results):
            reference = f"{node.name}:{i}" if i else node.name
            keeps = not i and node.name not in self.index.elsewhere
            name = node.name if keeps else self.index.free_name(f"{node.name}_{i}")
            self._found[name], self._names[reference] = result, name

    def _constant_inputs(self, node: Node) -> dict[str, np.ndarray] | None:
        """Return the inputs by reference, if all of them are constants."""
        if not _folds(node.type) or node.name in self.index.fed:
            return None
        given = {}
        for reference in map(plain, node.inputs):
            source = self.index.nodes.get(node_of(reference))
            if source is not None and source.type == "Const" and source.inputs:
                return None  # it lives in one branch of the graph, and what it makes would in all
            name = self._names.get(reference)
            array = self.index.constant(reference) if name is None else self._found.get(name)
            if array is None:
                return None
            given[reference] = array
        return given

    def _fits(
        self, node: Node, known: dict[str, np.ndarray], results: Sequence[np.ndarray]
    ) -> bool:
        """Return whether there is room; results that replace the inputs need none."""
        size = _values(results)
        replaced = [array for reference, array in known.items() if self._is_last(reference, node)]
        more = size - _values(replaced)
        if more > 0 and (size > MOST_VALUES or more > self._room):
            return False
        self._room -= max(more, 0)
        return True

    def _is_last(self, reference: str, node: Node) -> bool:
        """Return whether no other node uses the node of a reference."""
        return self.index.uses(reference) == [plain(i) for i in node.inputs].count(reference)

    def result(self, graph: Graph) -> Graph:
        """Return the graph with the constants found."""
        if not self._gone:
            return graph
        kept = [node for node in graph.nodes if node.name not in self._gone]
        nodes = [*kept, *(Node(name, "Const") for name in self._found)]
        renamed = with_references(
            graph._replace(nodes=nodes, weights={**graph.weights, **self._found}),
            lambda reference: self._names.get(plain(reference), reference),
        )
        return drop_unused(renamed)


def _run(node: Node, known: dict[str, np.ndarray]) -> list[np.ndarray] | None:
    """Return the results of a node, or None if it fails, or would need large values.

    An op's rule gives the size of its result first, so that large ones are not computed.
    """
    most = max(MOST_VALUES, _values(known.values()))
    around = value_ceiling()
    ceiling = min(most * _LARGEST_ITEM, inf if around is None else around)
    token = set_ceiling(ceiling)
    try:
        with backend("cpu"):
            constants = {reference: tensor(array) for reference, array in known.items()}
            executor = Executor([node], constants, functions={}, kernels={})
            step = executor.step(node.name)
            result = executor.run_step(step, [constants[plain(r)] for r in step.inputs])
    except CoreError:
        return None  # a node that cannot run may be one that never does
    finally:
        reset_ceiling(token)
    results = result if isinstance(result, (list, tuple)) else [result]
    if not all(isinstance(value, Tensor) for value in results):
        return None
    return [v.numpy() for v in results] if sum(v.size for v in results) <= most else None
