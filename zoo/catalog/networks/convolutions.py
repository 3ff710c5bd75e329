"""Fused convolutions of checkpoints whose layers are named as MobileNetV1's in TensorFlow."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from core import Node
from weights_cache.common.errors import WeightsError


class NetworkBlock(NamedTuple):
    """Stride and dilation of one convolution block."""

    stride: int = 1
    dilation: int = 1


class Convolutions:
    """Builder of nodes and of their weights, which are checked.

    A layer ``NAME`` has the weights ``NAME/weights``, or ``NAME/depthwise_weights`` if its name
    ends with ``_depthwise``, and ``NAME/biases``; batch norm is folded into them.

    Args:
        checkpoint: arrays by name.
        network: what the weights are of, for errors.
    """

    def __init__(self, checkpoint: Mapping[str, np.ndarray], network: str):
        self._checkpoint, self._network = checkpoint, network
        self.nodes: list[Node] = []
        self.weights: dict[str, np.ndarray] = {}

    def add_block(
        self,
        name: str,
        source: str,
        before: int,
        after: int,
        block: NetworkBlock = NetworkBlock(),  # noqa: B008 immutable
    ) -> str:
        """Add a depthwise and a pointwise convolution, and return the name of the last node."""
        deep = self.add(f"{name}_depthwise", source, (3, 3, before, 1), block)
        return self.add(f"{name}_pointwise", deep, (1, 1, before, after))

    def add(
        self,
        layer: str,
        source: str,
        shape: tuple[int, int, int, int],
        block: NetworkBlock = NetworkBlock(),  # noqa: B008 immutable
        activation: str | None = "Relu6",
    ) -> str:
        """Add a convolution with the bias and the activation, and return the name of its node."""
        depthwise = layer.endswith("_depthwise")
        filter_name = f"{layer}/{'depthwise_weights' if depthwise else 'weights'}"
        bias_name = f"{layer}/biases"
        self._take(filter_name, shape)
        self._take(bias_name, (shape[2] if depthwise else shape[3],))
        attributes = {
            "strides": [1, block.stride, block.stride, 1],
            "dilations": [1, block.dilation, block.dilation, 1],
            "padding": "SAME",
            "fused_ops": ["BiasAdd", activation] if activation else ["BiasAdd"],
        }
        kind = "FusedDepthwiseConv2dNative" if depthwise else "_FusedConv2D"
        self.nodes.append(Node(layer, kind, (source, filter_name, bias_name), attributes))
        return layer

    def add_constant(self, name: str, value: np.ndarray) -> str:
        """Add an array that is not of the checkpoint, and return its name."""
        self.nodes.append(Node(name, "Const"))
        self.weights[name] = value
        return name

    def _take(self, name: str, shape: tuple[int, ...]) -> None:
        if name not in self._checkpoint:
            raise WeightsError(f"the weights have no {name!r}: is this a whole {self._network}?")
        array = self._checkpoint[name]
        if array.shape != shape:
            raise WeightsError(f"weight {name!r} has shape {array.shape}, expected {shape}")
        self.add_constant(name, array)
