"""Graphs of PoseNet on MobileNetV1, from a table of blocks and a checkpoint.

Architecture: Howard et al., "MobileNets" (2017) for the trunk; Papandreou et al., "PersonLab"
(2018) for the four heads; layer names and strides as in tfjs-models' PoseNet.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from core import Endpoint, Graph, Node, PartialSpec
from weights_cache.common.errors import WeightsError, ZooError

PREFIX = "MobilenetV1/"
INPUT = "image"

#: Output -> (layer in the checkpoint, channels). All are raw: the heatmap before its sigmoid,
#: the others in pixels of the network's input, y values first and then x values.
HEADS = {
    "heatmap": ("heatmap_2", 17),
    "offset": ("offset_2", 34),
    "displacement_fwd": ("displacement_fwd_2", 32),
    "displacement_bwd": ("displacement_bwd_2", 32),
}

_STRIDES = (2, 1, 2, 1, 2, 1, 2, 1, 1, 1, 1, 1)  # Conv2d_0 to Conv2d_11, in every width


class Width(NamedTuple):
    """One member of the family: the channels and strides of Conv2d_0 to Conv2d_13."""

    channels: tuple[int, ...]
    strides: tuple[int, ...]
    output_strides: tuple[int, ...]


#: Only width 1.00 goes down to stride 32, in Conv2d_12.
WIDTHS = {
    0.50: Width((16, 32, 64, 64, 128, 128, *[256] * 8), (*_STRIDES, 1, 1), (8, 16)),
    0.75: Width((24, 48, 96, 96, 192, 192, *[384] * 8), (*_STRIDES, 1, 1), (8, 16)),
    1.00: Width(
        (32, 64, 128, 128, 256, 256, *[512] * 6, 1024, 1024),
        (*_STRIDES, 2, 1),
        (8, 16, 32),
    ),
}


class NetworkBlock(NamedTuple):
    """Stride and dilation of one convolution block."""

    stride: int
    dilation: int


def strided_blocks(strides: tuple[int, ...], output_stride: int) -> list[NetworkBlock]:
    """Return blocks that stop halving at an output stride; later ones are dilated ("atrous").

    >>> strided_blocks((2, 2, 2, 1), 4)[2:]
    [NetworkBlock(stride=1, dilation=1), NetworkBlock(stride=1, dilation=2)]
    """
    blocks, reached, dilation = [], 1, 1
    for stride in strides:
        if reached == output_stride:
            blocks.append(NetworkBlock(1, dilation))
            dilation *= stride
        else:
            blocks.append(NetworkBlock(stride, 1))
            reached *= stride
    return blocks


def build_posenet(weights: Mapping[str, np.ndarray], *, output_stride: int = 16) -> Graph:
    """Build the graph of a PoseNet checkpoint, whose weights determine its width.

    Args:
        weights: weights by TensorFlow.js's names, batch norm folded into the biases.
        output_stride: 8 or 16 pixels of the input per cell of the outputs; 32 for width 1.00.

    Returns:
        Input ``image`` [batch, height, width, 3] in -1..1; outputs ``heatmap`` [batch, rows,
        columns, 17] (logits), ``offset`` [.., 34], ``displacement_fwd`` and ``displacement_bwd``
        [.., 32] (pixels of the input).

    Raises:
        ZooError: this width has no such output stride.
        WeightsError: a weight is missing, or has a shape that no width has.
    """
    width = width_of(weights)
    member = WIDTHS[width]
    if output_stride not in member.output_strides:
        raise ZooError(
            f"output_stride={output_stride} is not possible for PoseNet of width {width:.2f}: "
            f"use one of {list(member.output_strides)}"
        )
    layers = _Layers(weights)
    trunk = INPUT
    for i, block in enumerate(strided_blocks(member.strides, output_stride)):
        trunk = layers.add_block(i, trunk, member.channels, block)
    for layer, channels in HEADS.values():
        layers.add_conv(
            layer, trunk, (1, 1, member.channels[-1], channels), NetworkBlock(1, 1), None
        )
    return Graph(
        nodes=[Node(INPUT, "Placeholder"), *layers.nodes],
        weights=layers.weights,
        inputs={INPUT: Endpoint(INPUT, PartialSpec((None, None, None, 3)))},
        outputs={
            name: Endpoint(PREFIX + layer, PartialSpec((None, None, None, channels)))
            for name, (layer, channels) in HEADS.items()
        },
    )


def width_of(weights: Mapping[str, np.ndarray]) -> float:
    """Return the width of a checkpoint's network."""
    first = weights.get(f"{PREFIX}Conv2d_0/biases")
    found = {member.channels[0]: width for width, member in WIDTHS.items()}
    if first is None or first.size not in found:
        seen = "is missing" if first is None else f"has {first.size} values"
        raise WeightsError(
            f"these are not the weights of a PoseNet: {PREFIX}Conv2d_0/biases {seen}, "
            f"expected one of {sorted(found)} values"
        )
    return found[first.size]


class _Layers:
    """Builder of nodes and of their weights, which are checked."""

    def __init__(self, checkpoint: Mapping[str, np.ndarray]):
        self._checkpoint = checkpoint
        self.nodes: list[Node] = []
        self.weights: dict[str, np.ndarray] = {}

    def add_block(self, i: int, source: str, channels: tuple[int, ...], block: NetworkBlock) -> str:
        """Add the first convolution, or a depthwise and a pointwise one."""
        if i == 0:
            return self.add_conv("Conv2d_0", source, (3, 3, 3, channels[0]), block, "Relu6")
        before, after = channels[i - 1], channels[i]
        deep = self.add_conv(f"Conv2d_{i}_depthwise", source, (3, 3, before, 1), block, "Relu6")
        flat = NetworkBlock(1, 1)
        return self.add_conv(f"Conv2d_{i}_pointwise", deep, (1, 1, before, after), flat, "Relu6")

    def add_conv(
        self,
        layer: str,
        source: str,
        shape: tuple[int, int, int, int],
        block: NetworkBlock,
        activation: str | None,
    ) -> str:
        """Add a fused convolution, and return the name of its node."""
        depthwise = layer.endswith("_depthwise")
        filter_name = f"{PREFIX}{layer}/{'depthwise_weights' if depthwise else 'weights'}"
        bias_name = f"{PREFIX}{layer}/biases"
        self._take(filter_name, shape)
        self._take(bias_name, (shape[2] if depthwise else shape[3],))
        attributes = {
            "strides": [1, block.stride, block.stride, 1],
            "dilations": [1, block.dilation, block.dilation, 1],
            "padding": "SAME",
            "fused_ops": ["BiasAdd", activation] if activation else ["BiasAdd"],
        }
        kind = "FusedDepthwiseConv2dNative" if depthwise else "_FusedConv2D"
        self.nodes.append(Node(PREFIX + layer, kind, (source, filter_name, bias_name), attributes))
        return PREFIX + layer

    def _take(self, name: str, shape: tuple[int, ...]) -> None:
        if name not in self._checkpoint:
            raise WeightsError(f"the weights have no {name!r}: is this a whole PoseNet?")
        array = self._checkpoint[name]
        if array.shape != shape:
            raise WeightsError(f"weight {name!r} has shape {array.shape}, expected {shape}")
        self.nodes.append(Node(name, "Const"))
        self.weights[name] = array
