"""Folding of batch norm into weights, and fusion of bias and activation."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from core.graph.nodes import Graph, Node
from core.plan.passes.pruning import drop_unused
from core.plan.passes.rewriting import Index, plain, with_changes

#: Node types with weights: which input these are, and the axis or axes of their channels.
_WEIGHTED = {
    "Conv2D": (1, (3,)),
    "DepthwiseConv2dNative": (1, (2, 3)),
    "Conv2DBackpropInput": (1, (2,)),
    "MatMul": (1, (1,)),
}

#: Node types of sums and products, and their ops.
_ARITHMETIC = {
    **{"Add": "add", "AddV2": "add", "Sub": "sub", "Mul": "mul"},
    **{"RealDiv": "div", "Div": "div"},
}

_BATCH_NORMS = ("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3")

#: TensorFlow.js's default.
_EPSILON = 0.001


class Weighted(NamedTuple):
    """A node with constant weights, and the axes of these for the channels of its result."""

    node: Node
    position: int
    weights: np.ndarray
    axes: tuple[int, ...]

    @property
    def channels(self) -> int:
        """Return the number of channels of the result, its last axis."""
        return int(np.prod([self.weights.shape[axis] for axis in self.axes]))

    @property
    def rank(self) -> int:
        """Return the number of axes of the result."""
        return 2 if self.node.type == "MatMul" else 4


def scaled(weights: np.ndarray, axes: Sequence[int], scale: np.ndarray) -> np.ndarray:
    """Return weights that multiply each channel of a result, which axes stand for, by a number."""
    shape = [n if axis in axes else 1 for axis, n in enumerate(weights.shape)]
    with np.errstate(invalid="ignore", over="ignore"):  # weights of files may be NaN, or huge
        return (weights.astype(np.float64) * scale.reshape(shape)).astype(np.float32)


def find_weighted(node: Node, index: Index) -> Weighted | None:
    """Return the weights of a node, if it is a known convolution or matrix product."""
    if node.type not in _WEIGHTED or node.attributes.get("data_format", "NHWC") != "NHWC":
        return None
    position, axes = _WEIGHTED[node.type]
    if any(i.startswith("^") for i in node.inputs) or len(node.inputs) <= position:
        return None
    weights = index.constant(node.inputs[position])
    if weights is None or weights.ndim != (2 if node.type == "MatMul" else 4):
        return None
    if node.attributes.get("transpose_b"):
        axes = (0,)
    return Weighted(node, position, weights, axes)


class Affine(NamedTuple):
    """An affine map of each channel: a factor and a summand, in float64."""

    scale: np.ndarray
    offset: np.ndarray


def find_affine(node: Node, source: str, weighted: Weighted, index: Index) -> Affine | None:
    """Return the affine map of a node on the channels of ``source``, if that is all it does."""
    inputs = [plain(i) for i in node.inputs]
    if node.attributes.get("data_format", "NHWC") != "NHWC":
        return None
    if node.type in _BATCH_NORMS:
        return _batch_norm(node, inputs, source, weighted, index)
    if len(inputs) != 2 or inputs.count(source) != 1:
        return None
    first = inputs[0] == source
    other = _per_channel(index.constant(inputs[first]), weighted)
    op = _ARITHMETIC.get(node.type, "add" if node.type == "BiasAdd" and first else "")
    return None if other is None else affine_of(op, first, other)


def affine_of(op: str, first: bool, other: np.ndarray) -> Affine | None:
    """Return the map of an op on channels and a number for each; None if it is not affine.

    Args:
        op: name of the op.
        first: whether the channels are the left operand.
        other: the numbers, in float64.
    """
    one, zero = np.ones_like(other), np.zeros_like(other)
    if op == "add":
        return Affine(one, other)
    if op == "sub":
        return Affine(one, -other) if first else Affine(-one, other)
    if op == "mul":
        return Affine(other, zero)
    if op == "div" and first and other.all():
        return Affine(1 / other, zero)
    return None


def _batch_norm(
    node: Node, inputs: list[str], source: str, weighted: Weighted, index: Index
) -> Affine | None:
    if len(inputs) != 5 or inputs[0] != source or node.name in index.several:
        return None
    if node.attributes.get("is_training"):
        return None
    found = [_per_channel(index.constant(i), weighted) for i in inputs[1:]]
    if any(values is None for values in found):
        return None
    gamma, beta, mean, variance = (v for v in found if v is not None)
    scale = gamma / np.sqrt(variance + float(node.attributes.get("epsilon", _EPSILON)))
    return Affine(scale, beta - mean * scale) if np.isfinite(scale).all() else None


def _per_channel(array: np.ndarray | None, weighted: Weighted) -> np.ndarray | None:
    """Return a constant as a number for each channel, if no other axis varies."""
    if array is None or array.dtype != np.float32 or array.ndim > weighted.rank:
        return None
    if array.size not in (1, weighted.channels) or array.size != (array.shape or (1,))[-1]:
        return None
    return np.broadcast_to(array.reshape(-1).astype(np.float64), (weighted.channels,))


def fold_batch_norm(graph: Graph) -> Graph:
    """Fold batch norm, and products and sums with constants, into the weights before them.

    A convolution or matrix product, of which nothing else needs the result, followed by nodes that
    scale or shift each channel, becomes one with other weights and a BiasAdd. Scales are combined
    in float64 and rounded once. Source: Jacob et al. 2018, arXiv:1712.05877, section 3.2.
    """
    index = Index(graph)
    replaced: dict[str, tuple[Node, ...]] = {}
    weights: dict[str, np.ndarray] = {}
    for node in graph.nodes:
        weighted = find_weighted(node, index)
        chain = list(_chain(weighted, index)) if weighted else []
        total = combined([affine for _, affine in chain])
        if weighted is None or total is None or (total.scale == 1).all():
            continue
        nodes, constants = _folded(weighted, chain[-1][0], total, index)
        replaced |= {node.name: () for node, _ in chain}
        replaced |= {weighted.node.name: (), chain[-1][0].name: nodes}
        weights |= constants
    return drop_unused(with_changes(graph, replaced, weights)) if replaced else graph


def _chain(weighted: Weighted, index: Index) -> Iterator[tuple[Node, Affine]]:
    """Return the consecutive nodes that scale or shift the channels."""
    last = weighted.node
    while user := index.only_user(last):
        affine = find_affine(user, last.name, weighted, index)
        if affine is None:
            return
        yield user, affine
        last = user


def combined(steps: Sequence[Affine]) -> Affine | None:
    """Return what several maps do one after the other; None without any."""
    if not steps:
        return None
    scale, offset = steps[0]
    for step in steps[1:]:
        scale, offset = scale * step.scale, offset * step.scale + step.offset
    return Affine(scale, offset)


def _folded(
    weighted: Weighted, last: Node, total: Affine, index: Index
) -> tuple[tuple[Node, ...], dict[str, np.ndarray]]:
    """Return nodes and constants that replace the chain, under the name of its last node."""
    node = weighted.node
    kernel = index.free_name(f"{node.name}_weights")
    bias = index.free_name(f"{node.name}_bn_offset")
    inputs = list(node.inputs)
    inputs[weighted.position] = kernel
    product = node._replace(name=index.free_name(f"{node.name}_scaled"), inputs=tuple(inputs))
    nodes = (
        Node(kernel, "Const"),
        Node(bias, "Const"),
        product,
        Node(last.name, "BiasAdd", (product.name, bias), {"data_format": "NHWC"}),
    )
    offset = total.offset.astype(np.float32)
    return nodes, {kernel: scaled(weighted.weights, weighted.axes, total.scale), bias: offset}


#: Node types, and those that do the same with bias and activation.
FUSED_TYPES = {
    "Conv2D": "_FusedConv2D",
    "DepthwiseConv2dNative": "FusedDepthwiseConv2dNative",
    "MatMul": "_FusedMatMul",
}

#: Activations without weights of their own.
_ACTIVATIONS = ("Relu", "Relu6", "Elu", "Sigmoid", "LeakyRelu")

#: TensorFlow's default of the negative slope.
_NEGATIVE_SLOPE = 0.2


class _Fusion(NamedTuple):
    """The arguments and the activation of a fused node, and the last node that it replaces."""

    last: Node
    arguments: tuple[str, ...]
    activation: str | None = None
    slope: float | None = None


def fuse(graph: Graph) -> Graph:
    """Fuse a product, its bias and its activation, as TensorFlow.js's converter does.

    Conv2D, DepthwiseConv2dNative and MatMul with constant weights, BiasAdd or another sum with a
    constant for each channel, and Relu, Relu6, Elu, Sigmoid, LeakyRelu or Prelu become one node,
    which has the name of the last of them.
    """
    index = Index(graph)
    replaced: dict[str, tuple[Node, ...]] = {}
    weights: dict[str, np.ndarray] = {}
    for node in graph.nodes:
        weighted = find_weighted(node, index) if node.type in FUSED_TYPES else None
        biased = index.only_user(node) if weighted else None
        if weighted is None or biased is None:
            continue
        bias = _bias(biased, weighted, index)
        if bias is None:
            continue
        name = index.free_name(f"{node.name}_bias")
        fusion = _with_activation(_Fusion(biased, (name,)), weighted, index)
        weights[name] = bias
        replaced |= {node.name: (), biased.name: ()}
        replaced[fusion.last.name] = (Node(name, "Const"), _fused(node, fusion))
    return drop_unused(with_changes(graph, replaced, weights)) if replaced else graph


def _bias(node: Node, weighted: Weighted, index: Index) -> np.ndarray | None:
    """Return the bias that a node adds to each channel, if that is all it does."""
    affine = find_affine(node, weighted.node.name, weighted, index)
    if affine is None or (affine.scale != 1).any():
        return None
    return affine.offset.astype(np.float32)


def _with_activation(fusion: _Fusion, weighted: Weighted, index: Index) -> _Fusion:
    user = index.only_user(fusion.last)
    if user is None or any(i.startswith("^") for i in user.inputs):
        return fusion
    if user.type in _ACTIVATIONS:
        slope = user.attributes.get("alpha", _NEGATIVE_SLOPE) if user.type == "LeakyRelu" else None
        return fusion._replace(last=user, activation=user.type, slope=slope)
    if user.type == "Prelu" and weighted.rank == 4 and plain(user.inputs[0]) == fusion.last.name:
        alpha = index.constant(user.inputs[1])
        if alpha is not None and alpha.size == weighted.channels == (alpha.shape or (0,))[-1]:
            arguments = (*fusion.arguments, user.inputs[1])
            return fusion._replace(last=user, activation="Prelu", arguments=arguments)
    return fusion


def _fused(node: Node, fusion: _Fusion) -> Node:
    operations = ["BiasAdd", *([fusion.activation] if fusion.activation else [])]
    attributes: dict[str, Any] = {
        **node.attributes,
        "fused_ops": operations,
        "num_args": len(fusion.arguments),
    }
    if fusion.slope is not None:
        attributes["leakyrelu_alpha"] = float(fusion.slope)
    inputs = (*node.inputs[:2], *fusion.arguments)
    return Node(fusion.last.name, FUSED_TYPES[node.type], inputs, attributes)
