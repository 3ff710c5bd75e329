"""Nodes that only constants decide become constants."""

from collections.abc import Callable, Sequence
from math import prod

import numpy as np

from core.engine import tensor
from core.errors import CoreError
from core.graph.executor import Executor
from core.graph.node_types import find_node_type
from core.graph.nodes import Graph, Node, node_of
from core.graph.order import running_order
from core.graph.passes.pruning import drop_unused
from core.graph.passes.rewriting import Index, plain, with_references
from core.settings import backend
from core.tensors import Tensor

#: A result has at most so many values, or no more than what it is made from.
MOST_VALUES = 25_600

Inputs = Sequence[np.ndarray]


def _broadcast(inputs: Inputs) -> int:
    return prod(np.broadcast_shapes(*(array.shape for array in inputs)))


def _no_more(inputs: Inputs) -> int:
    return sum(array.size for array in inputs)


def _told(inputs: Inputs) -> int:
    """Fill takes the shape first, others last."""
    return prod(int(n) for n in inputs[0].flat)


def _told_last(inputs: Inputs) -> int:
    return prod(int(n) for n in inputs[1].flat)


def _tiled(inputs: Inputs) -> int:
    return inputs[0].size * _told_last(inputs)


def _counted(inputs: Inputs) -> int:
    start, limit, delta = (float(array.item()) for array in inputs)
    return int(abs((limit - start) / delta)) + 1


_BROADCASTING = """
Add AddV2 BiasAdd Sub RealDiv Div DivNoNan FloorDiv Mul Maximum Minimum Pow SquaredDifference Mod
FloorMod Atan2 Equal NotEqual Greater GreaterEqual Less LessEqual LogicalAnd LogicalOr Select
SelectV2 BitwiseAnd FusedBatchNorm FusedBatchNormV2 FusedBatchNormV3 Prelu ClipByValue
"""
_SAME = """
Abs Acos Acosh Asin Asinh Atan Atanh Cast Ceil ConcatV2 Cos Cosh Elu Erf Exp ExpandDims Expm1 Floor
Identity IsFinite IsInf IsNan LeakyRelu Log Log1p LogicalNot Neg OnesLike Pack Rank Reciprocal Relu
Relu6 Reshape Reverse ReverseV2 Round Rsqrt Selu Shape ShapeN Sigmoid Sign Sin Sinh Size Slice
Softplus Split SplitV Sqrt Square Squeeze StridedSlice Tan Tanh Transpose Unpack ZerosLike
All Any ArgMax ArgMin Max Mean Min Prod Sum Cumsum Cumprod AddN
"""

#: Node types whose result the inputs decide, and how many values it has at most.
FOLDED_TYPES: dict[str, Callable[[Inputs], int]] = {
    **dict.fromkeys(_BROADCASTING.split(), _broadcast),
    **dict.fromkeys(_SAME.split(), _no_more),
    "Fill": _told,
    "BroadcastTo": _told_last,
    "Tile": _tiled,
    "Range": _counted,
}


def fold_constants(graph: Graph) -> Graph:
    """Compute nodes that only constants decide, where the result stays small.

    Random numbers, tables, lists, and nodes with control inputs stay. The same kernels compute it
    that would when the graph runs, so not a bit changes.
    """
    index = Index(graph)
    order = running_order(lambda name: _needs(index, name), (), _candidates(graph, index))
    found: dict[str, np.ndarray] = {}
    names: dict[str, str] = {}
    for node in (index.nodes[name] for name in order):
        if node.type == "Const":
            continue
        results = _computed(node, index, found, names)
        for i, result in enumerate(results or ()):
            name = index.free_name(f"{node.name}_{i}") if i else node.name
            found[name] = result
            names[f"{node.name}:{i}" if i else node.name] = name
    return _with_constants(graph, found, names)


def _candidates(graph: Graph, index: Index) -> list[str]:
    return [n.name for n in graph.nodes if n.type in FOLDED_TYPES and n.name not in index.fed]


def _needs(index: Index, name: str) -> list[str]:
    """The nodes before a node, as far as they may be folded too."""
    node = index.nodes[name]
    if node.type not in FOLDED_TYPES or name in index.fed:
        return []
    names = [node_of(i) for i in node.inputs]
    return [n for n in names if n in index.nodes]


def _computed(
    node: Node, index: Index, found: dict[str, np.ndarray], names: dict[str, str]
) -> list[np.ndarray] | None:
    """What a node gives, if constants decide it and it is not too large."""
    kind = find_node_type(node.type)
    if node.type not in FOLDED_TYPES or node.name in index.fed or kind is None or kind.in_run:
        return None
    given = {}
    for reference in map(plain, node.inputs):
        name = names.get(reference)
        array = found.get(name) if name is not None else index.constant(reference)
        if reference.startswith("^") or array is None:
            return None
        given[reference] = array
    return _run(node, given) if _is_small(node, given) else None


def _is_small(node: Node, given: dict[str, np.ndarray]) -> bool:
    inputs = [given[plain(reference)] for reference in node.inputs]
    try:
        size = FOLDED_TYPES[node.type](inputs)
    except (ValueError, LookupError, OverflowError, ZeroDivisionError):
        return False  # inputs that do not go together: the executor says what is wrong with them
    return size <= max(MOST_VALUES, _no_more(inputs))


def _run(node: Node, given: dict[str, np.ndarray]) -> list[np.ndarray] | None:
    try:
        with backend("cpu"):
            constants = {reference: tensor(array) for reference, array in given.items()}
            executor = Executor([node], constants, functions={}, kernels={})
            step = executor.step(node.name)
            result = executor.run_step(step, [constants[plain(r)] for r in step.inputs])
    except CoreError:
        return None  # a node that cannot run may be one that never does
    results = result if isinstance(result, (list, tuple)) else [result]
    if not all(isinstance(value, Tensor) for value in results):
        return None
    return [value.numpy() for value in results]


def _with_constants(graph: Graph, found: dict[str, np.ndarray], names: dict[str, str]) -> Graph:
    if not found:
        return graph
    kept = [node for node in graph.nodes if node.name not in found]
    nodes = [*kept, *(Node(name, "Const") for name in found)]
    renamed = with_references(
        graph._replace(nodes=nodes, weights={**graph.weights, **found}),
        lambda reference: names.get(plain(reference), reference),
    )
    return drop_unused(renamed)
