"""A network on its way, with its optimiser and its running average.

The numbers are those of the reported runs.
"""

import copy

import torch
from torch import Tensor, nn

BETAS = (0.9, 0.99)
WEIGHT_DECAY = 0.02
GRADIENT_LIMIT = 5.0
# The running average forgets slowly; in the first steps it follows the network more closely.
AVERAGE_DECAY = 0.9995
AVERAGE_WARM_UP = 20


class Learner:
    """Trains a network by AdamW, and keeps a running average of its weights.

    Args:
        network: What is trained, on the training device.
    """

    def __init__(self, network: nn.Module):
        self.network = network.to(memory_format=torch.channels_last).train()
        self.average = copy.deepcopy(self.network).requires_grad_(False)
        self.steps = 0
        self.device = next(network.parameters()).device
        groups = _parameter_groups(network)
        self._optimiser = torch.optim.AdamW(groups, betas=BETAS, fused=self.device.type == "cuda")

    def look(self, pictures: Tensor) -> object:
        """Return the network's outputs for pictures ``[n, 3, height, width]`` in [-1, 1]."""
        pictures = pictures.contiguous(memory_format=torch.channels_last)
        with torch.autocast(self.device.type, torch.bfloat16):
            return self.network(pictures)

    def descend(self, loss: Tensor, rate: float) -> None:
        """Make one step of this learning rate down a loss."""
        for group in self._optimiser.param_groups:
            group["lr"] = rate
        self._optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), GRADIENT_LIMIT)
        self._optimiser.step()
        self._update_average()
        self.steps += 1

    @torch.no_grad()
    def _update_average(self) -> None:
        decay = min(AVERAGE_DECAY, (1 + self.steps) / (AVERAGE_WARM_UP + self.steps))
        pairs = zip(self.average.parameters(), self.network.parameters(), strict=True)
        for mean, value in pairs:
            mean.lerp_(value, 1 - decay)
        for kept, current in zip(self.average.buffers(), self.network.buffers(), strict=True):
            kept.copy_(current)


def _parameter_groups(network: nn.Module) -> list[dict]:
    """Let the weight decay pull on kernels only, not on biases and batch norm."""
    kernels = [p for p in network.parameters() if p.ndim == 4]
    others = [p for p in network.parameters() if p.ndim != 4]
    return [
        {"params": kernels, "weight_decay": WEIGHT_DECAY},
        {"params": others, "weight_decay": 0.0},
    ]
