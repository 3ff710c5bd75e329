"""Random numbers on the training device, from PyTorch's global generator."""

import math

import torch
from torch import Tensor


def uniform(count: int, device: torch.device, low: float = 0.0, high: float = 1.0) -> Tensor:
    """Draw ``[count]`` numbers from [low, high)."""
    return torch.rand(count, device=device) * (high - low) + low


def log_uniform(count: int, device: torch.device, low: float, high: float) -> Tensor:
    """Draw ``[count]`` numbers from [low, high) whose logarithms are uniform."""
    return uniform(count, device, math.log(low), math.log(high)).exp()
