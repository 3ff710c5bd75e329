"""Losses that several networks are trained by."""

import torch
from torch import Tensor
from torch.nn import functional

# A cell with a joint weighs up to four times as much as an empty one ...
POSITIVE_WEIGHT = 3.0
# ... and the sum is divided by the number of joints, empty pictures counting a little.
EMPTY_CELL_SHARE = 0.002
# Below an eighth of a unit the Huber loss is quadratic, above it linear.
HUBER_LIMIT = 0.125
PROBABILITY_LIMIT = 1e-6


def heatmap_loss(logits: Tensor, heat: Tensor, weight: Tensor | float = 1.0) -> Tensor:
    """Return the cross entropy per joint, less the target's own entropy, so that 0 is the best."""
    entropy = functional.binary_cross_entropy(
        heat.clamp(PROBABILITY_LIMIT, 1 - PROBABILITY_LIMIT), heat, reduction="none"
    )
    cross = functional.binary_cross_entropy_with_logits(logits, heat, reduction="none")
    joints = heat.sum() + EMPTY_CELL_SHARE * heat.numel()
    return ((cross - entropy) * weight * (1 + POSITIVE_WEIGHT * heat)).sum() / joints


def huber(error: Tensor) -> Tensor:
    """Return the Huber loss of errors >= 0, of slope 1 above the limit."""
    quadratic = error * error / (2 * HUBER_LIMIT)
    return torch.where(error < HUBER_LIMIT, quadratic, error - HUBER_LIMIT / 2)
