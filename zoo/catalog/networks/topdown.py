"""Graphs of the two networks of top-down pose estimation: a detector of people, and the pose.

Both are MobileNetV1 (Howard et al., "MobileNets", 2017) with further layers at stride 32 and a
top-down path to stride 8 (Lin et al., "Feature Pyramid Networks", 2017) of sums and separable
convolutions. The program that trained them: gallery/train_topdown.

Sides of the input are multiples of 32 plus 1: then all layers have odd sizes, so that "SAME"
padding is one pixel on every side, and the corners of an enlarged layer lie on those of the next.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from core import Endpoint, Graph, Node, PartialSpec
from zoo.catalog.networks.convolutions import Convolutions, NetworkBlock

INPUT = "image"

TRUNK, TOP = "MobilenetV1/", "Top/"
_HALVE = NetworkBlock(stride=2)
HALVING_BLOCKS = (0, 2, 4, 6)  # convolutions of the trunk with stride 2
SIDE_BLOCK = 5  # the last convolution of the trunk at stride 8


class Plan(NamedTuple):
    """Sizes of one network."""

    channels: tuple[int, ...]  # of Conv2d_0 and of the blocks after it, down to stride 16
    path: int  # channels of the top-down path
    blocks: int  # of the path at stride 8
    heads: Mapping[str, int]  # output [batch, rows, columns, channels] -> channels
    whole: str = ""  # output [batch, 1], about the whole input

    @property
    def deep(self) -> int:
        """Channels at stride 32."""
        return self.channels[-1]


DEEP_BLOCKS = 3  # at stride 32

PEOPLE = Plan(
    channels=(16, 24, 48, 48, 96, 96, *[192] * 6),
    path=64,
    blocks=2,
    heads={"person": 1, "box": 4},
)

POSE = Plan(
    channels=(24, 48, 96, 96, 192, 192, *[384] * 8),
    path=128,
    blocks=3,
    heads={"location": 17, "offset": 34, "visibility": 17},
    whole="presence",
)


def build_people(weights: Mapping[str, np.ndarray]) -> Graph:
    """Build the detector of people, for whole images.

    Args:
        weights: by TensorFlow's names, batch norm folded into the biases.

    Returns:
        Input ``image`` [batch, height, width, 3] in -1..1; outputs ``person`` [batch, rows,
        columns, 1] (logits: the middle of somebody's joints) and ``box`` [.., 4] (logarithms of
        the distances to the left, upper, right and lower edge of the box around the joints, in 16
        pixels of the input).

    Raises:
        WeightsError: a weight is missing, or has another shape.
    """
    return _build(PEOPLE, weights, "detector of people")


def build_pose(weights: Mapping[str, np.ndarray]) -> Graph:
    """Build the network that finds the joints of the person in the middle of a crop.

    Args:
        weights: by TensorFlow's names, batch norm folded into the biases.

    Returns:
        Input ``image`` [batch, height, width, 3] in -1..1; outputs ``location`` [batch, rows,
        columns, 17] (logits over the cells: where the joint is, seen or not), ``offset`` [.., 34]
        (pixels of the input from the cell to the joint: all y, then all x), ``visibility``
        [.., 17] (logits: the joint is in this cell, and seen) and ``presence`` [batch, 1] (logit:
        there is somebody).

    Raises:
        WeightsError: a weight is missing, or has another shape.
    """
    return _build(POSE, weights, "top-down pose network")


def _build(plan: Plan, weights: Mapping[str, np.ndarray], network: str) -> Graph:
    layers = Convolutions(weights, network)
    side, trunk = _add_trunk(layers, plan.channels)
    deep = trunk
    for i in range(1, DEEP_BLOCKS + 1):
        block = _HALVE if i == 1 else NetworkBlock()
        deep = layers.add_block(f"{TOP}Down_{i}", deep, plan.deep, plan.deep, block)
    path = _add_path(layers, plan, side, trunk, deep)
    outputs = {}
    for name, channels in plan.heads.items():
        layers.add(TOP + name, path, (1, 1, plan.path, channels), activation=None)
        outputs[name] = Endpoint(TOP + name, PartialSpec((None, None, None, channels)))
    if plan.whole:
        outputs[plan.whole] = _add_whole(layers, plan, deep)
    return Graph(
        nodes=[Node(INPUT, "Placeholder"), *layers.nodes],
        weights=layers.weights,
        inputs={INPUT: Endpoint(INPUT, PartialSpec((None, None, None, 3)))},
        outputs=outputs,
    )


def _add_trunk(layers: Convolutions, channels: tuple[int, ...]) -> tuple[str, str]:
    """Add MobileNetV1, and return its last layers at stride 8 and at stride 16."""
    trunk = layers.add(f"{TRUNK}Conv2d_0", INPUT, (3, 3, 3, channels[0]), _HALVE)
    side = trunk
    for i in range(1, len(channels)):
        block = _HALVE if i in HALVING_BLOCKS else NetworkBlock()
        name = f"{TRUNK}Conv2d_{i}"
        trunk = layers.add_block(name, trunk, channels[i - 1], channels[i], block)
        side = trunk if i == SIDE_BLOCK else side
    return side, trunk


def _add_path(layers: Convolutions, plan: Plan, side: str, trunk: str, deep: str) -> str:
    """Add the path from stride 32 over 16 to 8, and return its last layer."""
    path = layers.add(f"{TOP}Side_32", deep, (1, 1, plan.deep, plan.path))
    other = layers.add(f"{TOP}Side_16", trunk, (1, 1, plan.channels[-1], plan.path))
    path = _add_sum(layers, 16, path, other)
    path = layers.add_block(f"{TOP}Mix_16", path, plan.path, plan.path)
    other = layers.add(f"{TOP}Side_8", side, (1, 1, plan.channels[SIDE_BLOCK], plan.path))
    path = _add_sum(layers, 8, path, other)
    for i in range(1, plan.blocks + 1):
        path = layers.add_block(f"{TOP}Mix_8_{i}", path, plan.path, plan.path)
    return path


def _add_sum(layers: Convolutions, stride: int, small: str, large: str) -> str:
    """Add the sum of a layer, enlarged to the size of another, and that layer."""
    name = f"{TOP}Sum_{stride}"
    begin = layers.add_constant(f"{name}/begin", np.array([1], np.int32))
    end = layers.add_constant(f"{name}/end", np.array([3], np.int32))
    step = layers.add_constant(f"{name}/step", np.array([1], np.int32))
    size = {"align_corners": True, "half_pixel_centers": False}
    layers.nodes += [
        Node(f"{name}/shape", "Shape", (large,)),
        Node(f"{name}/size", "StridedSlice", (f"{name}/shape", begin, end, step)),
        Node(f"{name}/enlarged", "ResizeBilinear", (small, f"{name}/size"), size),
        Node(name, "AddV2", (large, f"{name}/enlarged")),
    ]
    return name


def _add_whole(layers: Convolutions, plan: Plan, deep: str) -> Endpoint:
    """Add the output about the whole input: of the mean of a layer."""
    axes = layers.add_constant(f"{TOP}mean/axes", np.array([1, 2], np.int32))
    layers.nodes.append(Node(f"{TOP}mean", "Mean", (deep, axes), {"keep_dims": True}))
    layers.add(TOP + plan.whole, f"{TOP}mean", (1, 1, plan.deep, 1), activation=None)
    rows = layers.add_constant(f"{TOP}rows", np.array([-1, 1], np.int32))
    layers.nodes.append(Node(f"{TOP}logit", "Reshape", (TOP + plan.whole, rows)))
    return Endpoint(f"{TOP}logit", PartialSpec((None, 1)))
