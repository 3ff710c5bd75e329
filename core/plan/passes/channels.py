"""Convolutions and matrix products, and nodes after them that scale or shift each channel."""

from typing import NamedTuple

import numpy as np

from core.graph.nodes import Node
from core.plan.passes.rewriting import Index, plain

#: Node types with weights: which input these are, and the axis or axes of their channels.
_WEIGHTED = {
    "Conv2D": (1, (3,)),
    "DepthwiseConv2dNative": (1, (2, 3)),
    "Conv2DBackpropInput": (1, (2,)),
    "MatMul": (1, (1,)),
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

    def scaled(self, scale: np.ndarray) -> np.ndarray:
        """Return the weights that multiply each channel of the result by a number."""
        shape = [n if axis in self.axes else 1 for axis, n in enumerate(self.weights.shape)]
        return (self.weights.astype(np.float64) * scale.reshape(shape)).astype(np.float32)


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
    return None if other is None else _arithmetic(node.type, first, other)


def _arithmetic(kind: str, first: bool, other: np.ndarray) -> Affine | None:
    """Return the map of a channel and a number; ``first``: the channel is the left operand."""
    one, zero = np.ones_like(other), np.zeros_like(other)
    if kind in ("Add", "AddV2") or (kind == "BiasAdd" and first):
        return Affine(one, other)
    if kind == "Sub":
        return Affine(one, -other) if first else Affine(-one, other)
    if kind == "Mul":
        return Affine(other, zero)
    if kind in ("RealDiv", "Div") and first and other.all():
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
