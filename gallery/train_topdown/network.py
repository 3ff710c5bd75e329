"""The two networks in PyTorch: as they are trained, and as they are shipped.

Both have the plan, the names and the outputs of ``zoo.catalog.networks.topdown``: a MobileNetV1
trunk, layers at stride 32, and a path back to stride 8. Pictures are ``[n, 3, height, width]`` in
[-1, 1] whose sides are 32 k + 1: every layer then has odd sizes, where TensorFlow's SAME padding is
one pixel on each side, as PyTorch pads. Every convolution but the heads is followed by relu6.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from training.convolutions import (
    NormedConvolution,
    Weights,
    check_same_shapes,
    fold_convolution,
    folded_convolution,
    is_depthwise,
    joined_convolution,
    split_convolution,
    unfold_convolution,
)

from zoo.catalog.networks.topdown import DEEP_BLOCKS, HALVING_BLOCKS, SIDE_BLOCK, TOP, TRUNK, Plan

FIRST_HEAD_DEVIATION = 0.01
# sigmoid(-4) = 0.018: few cells are the middle of somebody.
FIRST_PERSON_LOGIT = -4.0

Outputs = dict[str, Tensor]
# Computes the layer of a name.
Apply = Callable[[str, Tensor], Tensor]


class Shape(NamedTuple):
    """A convolution: channels before and after, side of the kernel, stride."""

    channels: int
    out: int
    size: int = 1
    stride: int = 1


def layer_shapes(plan: Plan) -> dict[str, Shape]:
    """Return the convolutions before the heads, by their names."""
    channels, path = plan.channels, plan.path
    shapes = {f"{TRUNK}Conv2d_0": Shape(3, channels[0], 3, 2)}
    for i in range(1, len(channels)):
        stride = 2 if i in HALVING_BLOCKS else 1
        shapes |= _block(f"{TRUNK}Conv2d_{i}", channels[i - 1], channels[i], stride)
    for i in range(1, DEEP_BLOCKS + 1):
        shapes |= _block(f"{TOP}Down_{i}", plan.deep, plan.deep, 2 if i == 1 else 1)
    shapes[f"{TOP}Side_32"] = Shape(plan.deep, path)
    shapes[f"{TOP}Side_16"] = Shape(channels[-1], path)
    shapes |= _block(f"{TOP}Mix_16", path, path)
    shapes[f"{TOP}Side_8"] = Shape(channels[SIDE_BLOCK], path)
    for i in range(1, plan.blocks + 1):
        shapes |= _block(f"{TOP}Mix_8_{i}", path, path)
    return shapes


def _block(name: str, channels: int, out: int, stride: int = 1) -> dict[str, Shape]:
    return {
        f"{name}_depthwise": Shape(channels, channels, 3, stride),
        f"{name}_pointwise": Shape(channels, out),
    }


def head_channels(plan: Plan) -> dict[str, int]:
    """Return the channels of the heads at stride 8, by the names of their layers."""
    return {TOP + head: channels for head, channels in plan.heads.items()}


def features(plan: Plan, apply: Apply, pictures: Tensor) -> tuple[Tensor, Tensor]:
    """Return the features at stride 8 and at stride 32."""

    def block(name: str, values: Tensor) -> Tensor:
        return apply(f"{name}_pointwise", apply(f"{name}_depthwise", values))

    trunk = side = apply(f"{TRUNK}Conv2d_0", pictures)
    for i in range(1, len(plan.channels)):
        trunk = block(f"{TRUNK}Conv2d_{i}", trunk)
        side = trunk if i == SIDE_BLOCK else side
    deep = trunk
    for i in range(1, DEEP_BLOCKS + 1):
        deep = block(f"{TOP}Down_{i}", deep)
    path = _add_enlarged(apply(f"{TOP}Side_16", trunk), apply(f"{TOP}Side_32", deep))
    path = _add_enlarged(apply(f"{TOP}Side_8", side), block(f"{TOP}Mix_16", path))
    for i in range(1, plan.blocks + 1):
        path = block(f"{TOP}Mix_8_{i}", path)
    return path, deep


def _add_enlarged(large: Tensor, small: Tensor) -> Tensor:
    """Add two layers, of which the small one's corners lie on the large one's."""
    size = large.shape[2:]
    return large + functional.interpolate(small, size, mode="bilinear", align_corners=True)


class TopDown(nn.Module):
    """What both forms of a network have in common.

    Args:
        plan: The sizes of the network.
        layers: The convolutions before the heads, with all that follows each, by name.
        heads: The convolution of all heads at stride 8.
        whole: That of the output about the whole picture, None if there is none.
    """

    def __init__(
        self,
        plan: Plan,
        layers: Mapping[str, nn.Module],
        heads: nn.Conv2d,
        whole: nn.Conv2d | None,
    ):
        super().__init__()
        self.plan = plan
        self.layers = nn.ModuleDict(layers)
        self.heads, self.whole = heads, whole

    def forward(self, pictures: Tensor) -> Outputs:
        """Return the outputs by name: heads ``[n, channels, h, w]``, of the whole ``[n, 1]``."""
        path, deep = features(self.plan, lambda name, values: self.layers[name](values), pictures)
        parts = self.heads(path).float().split(list(self.plan.heads.values()), dim=1)
        outputs = dict(zip(self.plan.heads, parts, strict=True))
        if self.whole is not None:
            mean = deep.float().mean((2, 3), keepdim=True)
            outputs[self.plan.whole] = self.whole(mean).float().flatten(1)
        return outputs


class FoldedTopDown(TopDown):
    """A network as it is shipped, with biases instead of batch norm.

    Args:
        plan: The sizes of the network.
        weights: Arrays by name, as ``weights_cache.load_weights`` returns them.
    """

    def __init__(self, plan: Plan, weights: Weights):
        layers = {
            name: nn.Sequential(folded_convolution(weights, name, shape.stride), nn.ReLU6())
            for name, shape in layer_shapes(plan).items()
        }
        heads = joined_convolution(weights, list(head_channels(plan)))
        whole = folded_convolution(weights, TOP + plan.whole) if plan.whole else None
        super().__init__(plan, layers, heads, whole)


class Student(TopDown):
    """A network in training: the same layers, with batch norm, from random weights.

    Args:
        plan: The sizes of the network.
    """

    def __init__(self, plan: Plan):
        layers = {
            name: NormedConvolution(*shape, groups=shape.out if is_depthwise(name) else 1)
            for name, shape in layer_shapes(plan).items()
        }
        heads = nn.Conv2d(plan.path, sum(plan.heads.values()), 1)
        whole = nn.Conv2d(plan.deep, 1, 1) if plan.whole else None
        super().__init__(plan, layers, heads, whole)
        self._draw_first_weights()

    def _draw_first_weights(self) -> None:
        for layer in self.layers.values():
            layer.draw_first_weights()
        for head in filter(None, (self.heads, self.whole)):
            nn.init.normal_(head.weight, std=FIRST_HEAD_DEVIATION)
            nn.init.zeros_(head.bias)
        if next(iter(self.plan.heads)) == "person":
            self.heads.bias.data[0] = FIRST_PERSON_LOGIT


def fold(student: Student) -> dict[str, np.ndarray]:
    """Return the arrays of the shipped network: batch norm folded into kernels and biases."""
    weights = {}
    for name, layer in student.layers.items():
        weights |= fold_convolution(name, layer)
    weights |= split_convolution(head_channels(student.plan), student.heads)
    if student.whole is not None:
        weights |= split_convolution({TOP + student.plan.whole: 1}, student.whole)
    return weights


@torch.no_grad()
def unfold(student: Student, weights: Weights, pictures: Tensor) -> None:
    """Set a student so that it computes what the shipped weights compute, to go on training.

    Args:
        student: The student to set.
        weights: Folded weights of the same network.
        pictures: ``[n, 3, height, width]`` in [-1, 1], as the student will see them, to measure
            batch norm on.

    Raises:
        ZooError: The weights belong to another network.
    """
    check_same_shapes(weights, fold(student), "give those of the network that is trained")
    folded = FoldedTopDown(student.plan, weights).to(pictures.device)

    def apply(name: str, values: Tensor) -> Tensor:
        [outputs] = unfold_convolution(student.layers[name], folded.layers[name][0], [values])
        return outputs

    features(student.plan, apply, pictures)
    student.heads.load_state_dict(folded.heads.state_dict())
    if student.whole is not None:
        student.whole.load_state_dict(folded.whole.state_dict())
