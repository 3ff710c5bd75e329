"""PoseNet on MobileNetV1 in PyTorch: the frozen teacher and the student that is trained.

Pictures are ``[n, 3, side, side]`` in [-1, 1] with ``side = 16 k + 1``: every layer then has an odd
size, where TensorFlow's SAME padding is one pixel on each side, as PyTorch pads. Every convolution
is followed by relu6, the output stride is 16. Weights carry the names and layouts of TensorFlow.js:

    MobilenetV1/Conv2d_0/weights                        [3, 3, 3, out]
    MobilenetV1/Conv2d_i_depthwise/depthwise_weights    [3, 3, in, 1]     i = 1 .. 13
    MobilenetV1/Conv2d_i_pointwise/weights              [1, 1, in, out]
    MobilenetV1/<head>/weights                          [1, 1, in, channels of the head]

each with its ``biases`` beside it. Sources: tensorflow/tfjs-models PoseNet;
Howard et al., MobileNets (arXiv 1704.04861).
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from weights_cache.common.errors import ZooError
from zoo.catalog.networks.posenet import HEADS, PREFIX, WIDTHS

# Width 1.00 has other strides at the end, and is not trained here.
TRAINED_WIDTHS = (0.5, 0.75)
STRIDES = WIDTHS[0.75].strides
HEAD_CHANNELS = dict(HEADS.values())

NORM_EPSILON = 1e-3
NORM_MOMENTUM = 0.01
# sigmoid(-4) = 0.018: few cells hold a joint, so the heatmaps start near "nothing here".
FIRST_HEATMAP_LOGIT = -4.0
FIRST_HEAD_DEVIATION = 0.01

Weights = Mapping[str, np.ndarray]


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
    """Return the stride of each of the 27 convolutions before the heads, by its kernel's name."""
    strides = {f"{PREFIX}Conv2d_0/weights": STRIDES[0]}
    for i, stride in enumerate(STRIDES[1:], start=1):
        strides[f"{PREFIX}Conv2d_{i}_depthwise/depthwise_weights"] = stride
        strides[f"{PREFIX}Conv2d_{i}_pointwise/weights"] = 1
    return strides


def bias_name(kernel: str) -> str:
    """Return the name of the biases that belong to the kernel of this name."""
    return kernel.rpartition("/")[0] + "/biases"


def head_kernels() -> list[str]:
    """Return the names of the heads' kernels."""
    return [f"{PREFIX}{head}/weights" for head in HEAD_CHANNELS]


def _is_depthwise(kernel: str) -> bool:
    return kernel.endswith("depthwise_weights")


def _to_torch(kernel: str, weights: np.ndarray) -> Tensor:
    """Bring a TensorFlow kernel to PyTorch's layout ``[out, in of a group, height, width]``."""
    axes = (2, 3, 0, 1) if _is_depthwise(kernel) else (3, 2, 0, 1)
    return torch.from_numpy(np.array(weights.transpose(axes), np.float32, order="C"))


def _from_torch(kernel: str, weights: np.ndarray) -> np.ndarray:
    """Undo ``_to_torch``."""
    axes = (2, 3, 0, 1) if _is_depthwise(kernel) else (2, 3, 1, 0)
    return np.ascontiguousarray(weights.transpose(axes), np.float32)


def _convolution(kernel: Tensor, biases: np.ndarray, stride: int, depthwise: bool) -> nn.Conv2d:
    out, of_group, size, _ = kernel.shape
    groups = out if depthwise else 1
    layer = nn.Conv2d(of_group * groups, out, size, stride, size // 2, groups=groups)
    layer.weight.data = kernel
    layer.bias.data = torch.from_numpy(np.array(biases, np.float32))
    return layer


class FoldedPoseNet(nn.Module):
    """The network as it is shipped, with biases instead of batch norm: teacher and result.

    Args:
        weights: Arrays by name, as ``weights_cache.load_weights`` returns them.
    """

    def __init__(self, weights: Weights):
        super().__init__()
        self.layers = nn.ModuleList(
            _convolution(
                _to_torch(name, weights[name]),
                weights[bias_name(name)],
                stride,
                _is_depthwise(name),
            )
            for name, stride in layer_strides().items()
        )
        kernels = torch.cat([_to_torch(name, weights[name]) for name in head_kernels()])
        biases = np.concatenate([weights[bias_name(name)] for name in head_kernels()])
        self.heads = _convolution(kernels, biases, stride=1, depthwise=False)

    def forward(self, pictures: Tensor) -> RawOutputs:
        """Return the raw outputs for pictures in [-1, 1]."""
        for layer in self.layers:
            pictures = functional.relu6(layer(pictures))
        return split_outputs(self.heads(pictures))


class NormedConvolution(nn.Module):
    """A convolution without biases, batch norm and relu6."""

    def __init__(self, channels: int, out: int, size: int, stride: int = 1, groups: int = 1):
        super().__init__()
        self.convolution = nn.Conv2d(
            channels, out, size, stride, size // 2, groups=groups, bias=False
        )
        self.norm = nn.BatchNorm2d(out, eps=NORM_EPSILON, momentum=NORM_MOMENTUM)

    def forward(self, values: Tensor) -> Tensor:
        """Return the activations."""
        return functional.relu6(self.norm(self.convolution(values)))


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
            kernel = layer.convolution
            mode = "fan_out" if kernel.groups == 1 else "fan_in"
            nn.init.kaiming_normal_(kernel.weight, mode=mode, nonlinearity="relu")
        nn.init.normal_(self.heads.weight, std=FIRST_HEAD_DEVIATION)
        nn.init.zeros_(self.heads.bias)
        self.heads.bias.data[: HEAD_CHANNELS["heatmap_2"]] = FIRST_HEATMAP_LOGIT

    def forward(self, pictures: Tensor) -> RawOutputs:
        """Return the raw outputs for pictures in [-1, 1]."""
        for layer in self.layers:
            pictures = layer(pictures)
        return split_outputs(self.heads(pictures))


def _double(values: Tensor) -> np.ndarray:
    return values.detach().double().cpu().numpy()


def fold(student: Student) -> dict[str, np.ndarray]:
    """Return the 62 arrays of the shipped network: batch norm folded into kernels and biases."""
    weights = {}
    for name, layer in zip(layer_strides(), student.layers, strict=True):
        norm = layer.norm
        gain = _double(norm.weight) / np.sqrt(_double(norm.running_var) + NORM_EPSILON)
        kernel = _double(layer.convolution.weight) * gain[:, None, None, None]
        biases = _double(norm.bias) - _double(norm.running_mean) * gain
        weights[name] = _from_torch(name, kernel)
        weights[bias_name(name)] = biases.astype(np.float32)
    return weights | _split_heads(student.heads)


def _split_heads(heads: nn.Conv2d) -> dict[str, np.ndarray]:
    ends = np.cumsum(list(HEAD_CHANNELS.values()))[:-1]
    kernels = np.split(_double(heads.weight), ends)
    biases = np.split(_double(heads.bias), ends)
    weights = {}
    for name, kernel, bias in zip(head_kernels(), kernels, biases, strict=True):
        weights[name] = _from_torch(name, kernel)
        weights[bias_name(name)] = bias.astype(np.float32)
    return weights


@torch.no_grad()
def unfold(student: Student, weights: Weights, batches: list[Tensor]) -> None:
    """Set a student so that it computes what the shipped weights compute, to go on training.

    Batch norm needs means and variances, which folding has thrown away: they are measured on the
    pictures given, layer by layer.

    Args:
        student: The student to set.
        weights: Folded weights of the student's width.
        batches: Pictures ``[n, 3, side, side]`` in [-1, 1], as the student will see them.

    Raises:
        ZooError: The weights belong to another width or another network.
    """
    _check_same_shapes(weights, fold(student))
    folded = FoldedPoseNet(weights).to(batches[0].device)
    for layer, source in zip(student.layers, folded.layers, strict=True):
        layer.convolution.weight.copy_(source.weight)
        batches = _measure_norm(layer, source.bias, batches)
    student.heads.load_state_dict(folded.heads.state_dict())


def _check_same_shapes(weights: Weights, wanted: Weights) -> None:
    for name, array in wanted.items():
        if name not in weights:
            raise ZooError(f"the first weights have no {name!r}; they must be a PoseNet's")
        if weights[name].shape != array.shape:
            raise ZooError(
                f"{name} of the first weights is {weights[name].shape}, this student needs "
                f"{array.shape}; give the --width of those weights"
            )


def _measure_norm(layer: NormedConvolution, biases: Tensor, batches: list[Tensor]) -> list[Tensor]:
    """Set a layer's batch norm to pass values through and add the biases; return its outputs."""
    norm = layer.norm
    values = [layer.convolution(batch) for batch in batches]
    mean = torch.stack([v.mean((0, 2, 3)) for v in values]).mean(0)
    spread = [((v - mean.view(1, -1, 1, 1)) ** 2).mean((0, 2, 3)) for v in values]
    variance = torch.stack(spread).mean(0)
    norm.running_mean.copy_(mean)
    norm.running_var.copy_(variance)
    norm.weight.copy_((variance + norm.eps).sqrt())
    norm.bias.copy_(mean + biases)
    return [functional.relu6(v + biases.view(1, -1, 1, 1)) for v in values]
