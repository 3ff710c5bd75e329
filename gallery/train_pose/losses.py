"""How far a student's answer lies from the targets."""

from typing import NamedTuple

import torch
from network import RawOutputs
from targets import CHILDREN, PARENTS, DenseAnswer, as_vectors
from torch import Tensor
from torch.nn import functional

HEATMAP_SHARE, DISPLACEMENT_SHARE = 2.0, 0.4
# A cell with a joint weighs up to four times as much as an empty one ...
POSITIVE_WEIGHT = 3.0
# ... and the sum is divided by the number of joints, empty pictures counting a little.
EMPTY_CELL_SHARE = 0.002
# Pixels that count as one: errors of vectors are measured in these units.
OFFSET_UNIT, DISPLACEMENT_UNIT = 16.0, 32.0
# Below an eighth of a unit the vector loss is quadratic, above it linear (Huber).
HUBER_LIMIT = 0.125
# A displacement towards a joint that is nowhere in the picture still teaches a tenth.
LEAST_PRESENCE = 0.1
PROBABILITY_LIMIT = 1e-6
LEAST_WEIGHT = 1e-6


class Losses(NamedTuple):
    """The weighted sum and its parts, scalars."""

    total: Tensor
    heatmap: Tensor
    offset: Tensor
    forward: Tensor
    backward: Tensor


def distillation_losses(outputs: RawOutputs, target: DenseAnswer) -> Losses:
    """Return the losses of a batch."""
    heatmap, *fields = outputs
    offset, forward, backward = map(as_vectors, fields)
    towards_children, towards_parents = displacement_weights(target.heat)
    parts = (
        heatmap_loss(heatmap, target.heat),
        vector_loss(offset, target.offset, target.heat, OFFSET_UNIT),
        vector_loss(forward, target.forward, towards_children, DISPLACEMENT_UNIT),
        vector_loss(backward, target.backward, towards_parents, DISPLACEMENT_UNIT),
    )
    total = HEATMAP_SHARE * parts[0] + parts[1] + DISPLACEMENT_SHARE * (parts[2] + parts[3])
    return Losses(total, *parts)


def displacement_weights(heat: Tensor) -> tuple[Tensor, Tensor]:
    """Return the weights ``[n, 16, h, w]`` of displacements to children and to parents.

    A displacement matters where its own joint is, and as far as the other joint is in the picture.
    """
    presence = heat.amax((2, 3), keepdim=True)
    forward = heat[:, PARENTS] * presence[:, CHILDREN].clamp_min(LEAST_PRESENCE)
    backward = heat[:, CHILDREN] * presence[:, PARENTS].clamp_min(LEAST_PRESENCE)
    return forward, backward


def heatmap_loss(logits: Tensor, heat: Tensor) -> Tensor:
    """Return the cross entropy per joint, less the target's own entropy, so that 0 is the best."""
    entropy = functional.binary_cross_entropy(
        heat.clamp(PROBABILITY_LIMIT, 1 - PROBABILITY_LIMIT), heat, reduction="none"
    )
    cross = functional.binary_cross_entropy_with_logits(logits, heat, reduction="none")
    joints = heat.sum() + EMPTY_CELL_SHARE * heat.numel()
    return ((cross - entropy) * (1 + POSITIVE_WEIGHT * heat)).sum() / joints


def vector_loss(vectors: Tensor, target: Tensor, weight: Tensor, unit: float) -> Tensor:
    """Return the weighted mean of the Huber loss of vectors ``[n, 2, k, h, w]``, slope 1."""
    error = (vectors - target).abs() / unit
    quadratic = error * error / (2 * HUBER_LIMIT)
    error = torch.where(error < HUBER_LIMIT, quadratic, error - HUBER_LIMIT / 2)
    return (error * weight[:, None]).sum() / (2 * weight.sum() + LEAST_WEIGHT)
