"""PoseNet on MobileNetV1 in PyTorch: the frozen teacher and the student that is trained.

Pictures are ``[n, 3, side, side]`` in [-1, 1] with ``side = 16 k + 1``: every layer then has an odd
size, where TensorFlow's SAME padding is one pixel on each side, as PyTorch pads. Every convolution
is followed by relu6, the output stride is 16. Layers have the names of TensorFlow.js:

    MobilenetV1/Conv2d_0                     3 x 3, to the first channels
    MobilenetV1/Conv2d_i_depthwise           3 x 3                            i = 1 .. 13
    MobilenetV1/Conv2d_i_pointwise           1 x 1, to the next channels
    MobilenetV1/<head>                       1 x 1, to the channels of the head

Sources: tensorflow/tfjs-models PoseNet;
Howard et al., MobileNets (arXiv 1704.04861).
"""

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
    joined_convolution,
    split_convolution,
    unfold_convolution,
)

from zoo.catalog.networks.posenet import HEADS, PREFIX, WIDTHS

# Width 1.00 has other strides at the end, and is not trained here.
TRAINED_WIDTHS = (0.5, 0.75)
STRIDES = WIDTHS[0.75].strides
HEAD_CHANNELS = dict(HEADS.values())
HEAD_LAYERS = {PREFIX + head: channels for head, channels in HEAD_CHANNELS.items()}

# sigmoid(-4) = 0.018: few cells hold a joint, so the heatmaps start near "nothing here".
FIRST_HEATMAP_LOGIT = -4.0
FIRST_HEAD_DEVIATION = 0.01


class RawOutputs(NamedTuple):
    """What the heads say, in their order; each float32 ``[n, channels, h, w]``."""

    heatmap: Tensor
    offset: Tensor
    displacement_fwd: Tensor
    displacement_bwd: Tensor


def split_outputs(outputs: Tensor) -> RawOutputs:
    """Split what all heads say together, ``[n, 115, h, w]``."""
    return RawOutputs(*outputs.float().split(list(HEAD_CHANNELS.values()), dim=1))


def layer_strides() -> dict[str, int]:
    """Return the stride of each of the 27 convolutions before the heads, by its name."""
    strides = {f"{PREFIX}Conv2d_0": STRIDES[0]}
    for i, stride in enumerate(STRIDES[1:], start=1):
        strides[f"{PREFIX}Conv2d_{i}_depthwise"] = stride
        strides[f"{PREFIX}Conv2d_{i}_pointwise"] = 1
    return strides


class FoldedPoseNet(nn.Module):
    """The network as it is shipped, with biases instead of batch norm: teacher and result.

    Args:
        weights: Arrays by name, as ``weights_cache.load_weights`` returns them.
    """

    def __init__(self, weights: Weights):
        super().__init__()
        self.layers = nn.ModuleList(
            folded_convolution(weights, name, stride) for name, stride in layer_strides().items()
        )
        self.heads = joined_convolution(weights, list(HEAD_LAYERS))

    def forward(self, pictures: Tensor) -> RawOutputs:
        """Return the raw outputs for pictures in [-1, 1]."""
        for layer in self.layers:
            pictures = functional.relu6(layer(pictures))
        return split_outputs(self.heads(pictures))


class Student(nn.Module):
    """The network in training: the same layers, with batch norm, from random weights.

    Args:
        width: One of ``TRAINED_WIDTHS``, the share of MobileNet's channels to keep.
    """

    def __init__(self, width: float):
        super().__init__()
        channels = WIDTHS[width].channels
        self.layers = nn.ModuleList([NormedConvolution(3, channels[0], 3, STRIDES[0])])
        for before, after, stride in zip(channels, channels[1:], STRIDES[1:], strict=False):
            self.layers.append(NormedConvolution(before, before, 3, stride, groups=before))
            self.layers.append(NormedConvolution(before, after, 1))
        self.heads = nn.Conv2d(channels[-1], sum(HEAD_CHANNELS.values()), 1)
        self._draw_first_weights()

    def _draw_first_weights(self) -> None:
        for layer in self.layers:
            layer.draw_first_weights()
        nn.init.normal_(self.heads.weight, std=FIRST_HEAD_DEVIATION)
        nn.init.zeros_(self.heads.bias)
        self.heads.bias.data[: HEAD_CHANNELS["heatmap_2"]] = FIRST_HEATMAP_LOGIT

    def forward(self, pictures: Tensor) -> RawOutputs:
        """Return the raw outputs for pictures in [-1, 1]."""
        for layer in self.layers:
            pictures = layer(pictures)
        return split_outputs(self.heads(pictures))


def fold(student: Student) -> dict[str, np.ndarray]:
    """Return the 62 arrays of the shipped network: batch norm folded into kernels and biases."""
    weights = {}
    for name, layer in zip(layer_strides(), student.layers, strict=True):
        weights |= fold_convolution(name, layer)
    return weights | split_convolution(HEAD_LAYERS, student.heads)


@torch.no_grad()
def unfold(student: Student, weights: Weights, batches: list[Tensor]) -> None:
    """Set a student so that it computes what the shipped weights compute, to go on training.

    Args:
        student: The student to set.
        weights: Folded weights of the student's width.
        batches: Pictures ``[n, 3, side, side]`` in [-1, 1], as the student will see them, to
            measure batch norm on.

    Raises:
        ZooError: The weights belong to another width or another network.
    """
    check_same_shapes(weights, fold(student), "give a PoseNet's, and the --width of those weights")
    folded = FoldedPoseNet(weights).to(batches[0].device)
    for layer, source in zip(student.layers, folded.layers, strict=True):
        batches = unfold_convolution(layer, source, batches)
    student.heads.load_state_dict(folded.heads.state_dict())
