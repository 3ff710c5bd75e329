"""Convolutions of networks in training, and as they are shipped: batch norm folded into biases.

Weights carry the names and layouts of TensorFlow. A layer ``NAME`` has ``NAME/biases`` and

    NAME/weights              [height, width, in, out]
    NAME/depthwise_weights    [height, width, in, 1]      if its name ends with _depthwise
"""

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from weights_cache.common.errors import ZooError

NORM_EPSILON = 1e-3
NORM_MOMENTUM = 0.01

Weights = Mapping[str, np.ndarray]


def is_depthwise(layer: str) -> bool:
    """Tell whether the layer of this name is a depthwise convolution."""
    return layer.endswith("_depthwise")


def kernel_name(layer: str) -> str:
    """Return the name of a layer's kernel."""
    return f"{layer}/depthwise_weights" if is_depthwise(layer) else f"{layer}/weights"


def bias_name(layer: str) -> str:
    """Return the name of a layer's biases."""
    return f"{layer}/biases"


def _to_torch(layer: str, kernel: np.ndarray) -> Tensor:
    """Bring a TensorFlow kernel to PyTorch's layout ``[out, in of a group, height, width]``."""
    axes = (2, 3, 0, 1) if is_depthwise(layer) else (3, 2, 0, 1)
    return torch.from_numpy(np.array(kernel.transpose(axes), np.float32, order="C"))


def _from_torch(layer: str, kernel: np.ndarray) -> np.ndarray:
    """Undo ``_to_torch``."""
    axes = (2, 3, 0, 1) if is_depthwise(layer) else (2, 3, 1, 0)
    return np.ascontiguousarray(kernel.transpose(axes), np.float32)


def _double(values: Tensor) -> np.ndarray:
    return values.detach().double().cpu().numpy()


class NormedConvolution(nn.Module):
    """A convolution without biases, batch norm and relu6."""

    def __init__(self, channels: int, out: int, size: int, stride: int = 1, groups: int = 1):
        super().__init__()
        self.convolution = nn.Conv2d(
            channels, out, size, stride, size // 2, groups=groups, bias=False
        )
        self.norm = nn.BatchNorm2d(out, eps=NORM_EPSILON, momentum=NORM_MOMENTUM)

    def draw_first_weights(self) -> None:
        """Draw the kernel anew."""
        kernel = self.convolution
        mode = "fan_out" if kernel.groups == 1 else "fan_in"
        nn.init.kaiming_normal_(kernel.weight, mode=mode, nonlinearity="relu")

    def forward(self, values: Tensor) -> Tensor:
        """Return the activations."""
        return functional.relu6(self.norm(self.convolution(values)))


def folded_convolution(weights: Weights, layer: str, stride: int = 1) -> nn.Conv2d:
    """Return the convolution of a layer with biases."""
    return joined_convolution(weights, [layer], stride)


def joined_convolution(weights: Weights, layers: Sequence[str], stride: int = 1) -> nn.Conv2d:
    """Return one convolution that computes those of several layers side by side."""
    kernel = torch.cat([_to_torch(layer, weights[kernel_name(layer)]) for layer in layers])
    biases = np.concatenate([weights[bias_name(layer)] for layer in layers])
    out, of_group, size, _ = kernel.shape
    groups = out if is_depthwise(layers[0]) else 1
    convolution = nn.Conv2d(of_group * groups, out, size, stride, size // 2, groups=groups)
    convolution.weight.data = kernel
    convolution.bias.data = torch.from_numpy(biases.astype(np.float32))
    return convolution


def fold_convolution(layer: str, normed: NormedConvolution) -> dict[str, np.ndarray]:
    """Return a layer's kernel and biases, with batch norm folded into both."""
    norm = normed.norm
    gain = _double(norm.weight) / np.sqrt(_double(norm.running_var) + NORM_EPSILON)
    kernel = _double(normed.convolution.weight) * gain[:, None, None, None]
    biases = _double(norm.bias) - _double(norm.running_mean) * gain
    return {
        kernel_name(layer): _from_torch(layer, kernel),
        bias_name(layer): biases.astype(np.float32),
    }


def split_convolution(channels: Mapping[str, int], joined: nn.Conv2d) -> dict[str, np.ndarray]:
    """Return the kernels and biases of layers with so many channels, which are one convolution."""
    ends = np.cumsum(list(channels.values()))[:-1]
    kernels = np.split(_double(joined.weight), ends)
    biases = np.split(_double(joined.bias), ends)
    weights = {}
    for layer, kernel, bias in zip(channels, kernels, biases, strict=True):
        weights[kernel_name(layer)] = _from_torch(layer, kernel)
        weights[bias_name(layer)] = bias.astype(np.float32)
    return weights


def check_same_shapes(weights: Weights, wanted: Weights, advice: str) -> None:
    """Refuse first weights of another network.

    Args:
        weights: What is given.
        wanted: What the network has.
        advice: The next step, for the error.

    Raises:
        ZooError: An array is missing or has another shape.
    """
    for name, array in wanted.items():
        if name not in weights:
            raise ZooError(f"the first weights have no {name!r}; {advice}")
        if weights[name].shape != array.shape:
            raise ZooError(
                f"{name} of the first weights is {weights[name].shape}, this network needs "
                f"{array.shape}; {advice}"
            )


def unfold_convolution(
    normed: NormedConvolution, folded: nn.Conv2d, batches: Sequence[Tensor]
) -> list[Tensor]:
    """Let a layer compute what a folded one computes, and return its outputs.

    Batch norm needs means and variances, which folding has thrown away: they are measured on the
    layer's inputs, several batches of them.
    """
    norm = normed.norm
    normed.convolution.weight.copy_(folded.weight)
    values = [normed.convolution(batch) for batch in batches]
    mean = torch.stack([v.mean((0, 2, 3)) for v in values]).mean(0)
    spread = [((v - mean.view(1, -1, 1, 1)) ** 2).mean((0, 2, 3)) for v in values]
    variance = torch.stack(spread).mean(0)
    norm.running_mean.copy_(mean)
    norm.running_var.copy_(variance)
    norm.weight.copy_((variance + norm.eps).sqrt())
    norm.bias.copy_(mean + folded.bias)
    return [functional.relu6(v + folded.bias.view(1, -1, 1, 1)) for v in values]
