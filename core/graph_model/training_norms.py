"""Batch normalisation in training mode: statistics of the batch in place of constant ones."""

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from core import ops
from core.autodiff.tape import Tape
from core.engine.observers import unobserved
from core.engine.tensors import Tensor
from core.engine.variables import Variable
from core.errors import CoreError
from core.graph.nodes import Graph, Node, node_of
from core.graph.unique_names import UniqueNames, all_names

#: ONNX's node type, which has a mode of its own for training.
_ONNX_NORM = "ONNX:BatchNormalization"

#: Node types of batch normalisation: x, scale, offset, mean and variance.
_NORMS = frozenset({"FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3", _ONNX_NORM})


class Norm(NamedTuple):
    """A node of batch normalisation, and the names of its constant statistics."""

    node: Node
    mean: str
    variance: str


class Moments(NamedTuple):
    """The references of a batch's statistics, and the names of the moving ones."""

    batch: tuple[str, str]
    moving: tuple[str, str]


def find_norms(graph: Graph, names: Container[str]) -> list[Norm]:
    """Return the nodes of batch normalisation whose statistics are constants of these names."""
    sources = {n.name: node_of(n.inputs[0]) for n in graph.nodes if _is_passing(n)}
    found = []
    for node in graph.nodes:
        if node.type not in _NORMS or len(node.inputs) < 5:
            continue
        mean, variance = (_source(node_of(r), sources) for r in node.inputs[3:5])
        if mean in names and variance in names:
            found.append(Norm(node, mean, variance))
    return found


def with_moments(graph: Graph, norms: Iterable[Norm]) -> tuple[Graph, list[Moments]]:
    """Return a graph in which nodes normalise by the statistics of the batch.

    Source: Ioffe and Szegedy 2015, https://arxiv.org/abs/1502.03167

    Args:
        graph: the graph.
        norms: nodes of it.
    """
    wanted = {norm.node.name: norm for norm in norms}
    unique = UniqueNames(all_names(graph)).unique
    nodes: list[Node] = []
    weights: dict[str, np.ndarray] = {}
    found: list[Moments] = []
    for node in graph.nodes:
        norm = wanted.get(node.name)
        if norm is None:
            nodes.append(node)
            continue
        if node.type == _ONNX_NORM:
            nodes.append(_in_training(node))
            found.append(Moments((f"{node.name}:1", f"{node.name}:2"), (norm.mean, norm.variance)))
            continue
        shape, axis, rows, mean, squares, variance = (
            unique(f"{node.name}/{part}", as_is=True)
            for part in ("shape", "axis", "rows", "batch_mean", "squares", "batch_variance")
        )
        weights[shape] = np.array([-1, graph.weights[norm.mean].size], np.int32)
        weights[axis] = np.array([0], np.int32)
        nodes += [Node(shape, "Const"), Node(axis, "Const")]
        nodes.append(Node(rows, "Reshape", (node.inputs[0], shape)))
        nodes.append(Node(mean, "Mean", (rows, axis)))
        nodes.append(Node(squares, "SquaredDifference", (rows, mean)))
        nodes.append(Node(variance, "Mean", (squares, axis)))
        nodes.append(node._replace(inputs=(*node.inputs[:3], mean, variance, *node.inputs[5:])))
        found.append(Moments((mean, variance), (norm.mean, norm.variance)))
    return graph._replace(nodes=nodes, weights={**graph.weights, **weights}), found


def _in_training(node: Node) -> Node:
    """Return ONNX's node so that its results are followed by the statistics of the batch."""
    mode = {"training_mode": 1, "momentum": 0.0}
    return node._replace(attributes={**node.attributes, **mode})


def update_moving(
    moments: Sequence[Moments],
    values: Mapping[str, Tensor],
    variables: Mapping[str, Variable],
    momentum: float,
) -> None:
    """Move statistics towards those of a batch, as Keras does.

    Args:
        moments: which to move.
        values: the statistics of the batch by reference.
        variables: the moving statistics by name.
        momentum: share of the old values that is kept.
    """
    with unobserved(Tape):
        for each in moments:
            for reference, name in zip(each.batch, each.moving, strict=True):
                old, new = variables[name], values[reference]
                old.assign(ops.add(ops.mul(old, momentum), ops.mul(new, 1.0 - momentum)))


def checked_momentum(momentum: float) -> float:
    """Return the momentum of moving statistics.

    Raises:
        CoreError: it is not a number from 0 to 1.
    """
    is_number = isinstance(momentum, (int, float)) and not isinstance(momentum, bool)
    if not is_number or not 0 <= momentum <= 1:
        raise CoreError(f"momentum must be a number from 0 to 1, got {momentum!r}")
    return float(momentum)


def _is_passing(node: Node) -> bool:
    return node.type == "Identity" and len(node.inputs) == 1


def _source(name: str, sources: Mapping[str, str]) -> str:
    """Return the name behind nodes that pass a value on, as readers of variables do."""
    seen = set[str]()
    while name in sources and name not in seen:
        seen.add(name)
        name = sources[name]
    return name
