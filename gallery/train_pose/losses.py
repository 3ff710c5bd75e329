"""How far a student's answer lies from the targets."""

from typing import NamedTuple

from network import RawOutputs
from targets import CHILDREN, PARENTS, DenseAnswer, as_vectors
from torch import Tensor
from training.losses import heatmap_loss, huber

HEATMAP_SHARE, DISPLACEMENT_SHARE = 2.0, 0.4
# Pixels that count as one: errors of vectors are measured in these units.
OFFSET_UNIT, DISPLACEMENT_UNIT = 16.0, 32.0
# A displacement towards a joint that is nowhere in the picture still teaches a tenth.
LEAST_PRESENCE = 0.1
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


def vector_loss(vectors: Tensor, target: Tensor, weight: Tensor, unit: float) -> Tensor:
    """Return the weighted mean of the Huber loss of vectors ``[n, 2, k, h, w]``, slope 1."""
    error = huber((vectors - target).abs() / unit)
    return (error * weight[:, None]).sum() / (2 * weight.sum() + LEAST_WEIGHT)
