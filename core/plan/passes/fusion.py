"""Fusion of bias and activation into the convolution or matrix product before them."""

from typing import Any, NamedTuple

import numpy as np

from core.graph.nodes import Graph, Node
from core.plan.passes.channels import Weighted, find_affine, find_weighted
from core.plan.passes.pruning import drop_unused
from core.plan.passes.rewriting import Index, plain, with_changes

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
