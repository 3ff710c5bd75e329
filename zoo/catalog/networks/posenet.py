"""Graphs of PoseNet on MobileNetV1, from a table of blocks and a checkpoint.

Architecture: Howard et al., "MobileNets" (2017) for the trunk; Papandreou et al., "PersonLab"
(2018) for the four heads; layer names and strides as in tfjs-models' PoseNet.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from core import Endpoint, Graph, Node, PartialSpec
from weights_cache.common.errors import WeightsError, ZooError
from zoo.catalog.networks.convolutions import Convolutions, NetworkBlock

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
    layers = Convolutions(weights, "PoseNet")
    channels = member.channels
    first, *blocks = strided_blocks(member.strides, output_stride)
    trunk = layers.add(f"{PREFIX}Conv2d_0", INPUT, (3, 3, 3, channels[0]), first)
    for i, block in enumerate(blocks, start=1):
        name = f"{PREFIX}Conv2d_{i}"
        trunk = layers.add_block(name, trunk, channels[i - 1], channels[i], block)
    for layer, values in HEADS.values():
        shape = (1, 1, channels[-1], values)
        layers.add(PREFIX + layer, trunk, shape, activation=None)
    return Graph(
        nodes=[Node(INPUT, "Placeholder"), *layers.nodes],
        weights=layers.weights,
        inputs={INPUT: Endpoint(INPUT, PartialSpec((None, None, None, 3)))},
        outputs={
            name: Endpoint(PREFIX + layer, PartialSpec((None, None, None, values)))
            for name, (layer, values) in HEADS.items()
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
