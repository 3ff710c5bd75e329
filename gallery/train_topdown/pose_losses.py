"""How far the pose network's answer about a batch of crops lies from the joints in them."""

from typing import NamedTuple

import torch
from crop_scenes import Joints
from network import Outputs
from torch import Tensor
from torch.nn import functional
from training.losses import huber

from zoo.tasks.pose.topdown_decode import STRIDE

OFFSET_SHARE, PRESENCE_SHARE, WRONG_SHARE = 1.5, 0.5, 0.5
# Standard deviation in pixels of where a joint shall be looked for, and the least of that within
# the picture.
LOCATION_DEVIATION, LEAST_MASS = 5.5, 0.05
# Cells so near a joint lead to it.
OFFSET_DEVIATION, LEAST_NEARNESS = 9.0, 0.1
# Of joints that weigh nothing the visibility still counts so much.
LEAST_VISIBILITY_WEIGHT = 0.3
# Where the network looks so many pixels away from the joint, nothing is to be seen.
FAR = 40.0
# Sums of weights have one more: a batch in which little is known counts little.
ONE = 1.0


class Losses(NamedTuple):
    """The weighted sum and its parts, scalars."""

    total: Tensor
    location: Tensor
    offset: Tensor
    visibility: Tensor
    presence: Tensor


def pose_losses(outputs: Outputs, joints: Joints) -> Losses:
    """Return the losses of a batch."""
    across, down = _distances(outputs["location"], joints.points)
    mass = _gauss(across, down, LOCATION_DEVIATION)
    inside = mass.sum((2, 3)) > LEAST_MASS
    joints = joints._replace(weight=joints.weight * inside)
    offset = offset_loss(outputs["offset"], across, down, joints.weight)
    parts = (
        location_loss(outputs["location"], mass, joints.weight),
        offset,
        visibility_loss(outputs["visibility"], outputs["location"], joints),
        functional.binary_cross_entropy_with_logits(outputs["presence"][:, 0], joints.somebody),
    )
    location, offset, visibility, presence = parts
    total = location + OFFSET_SHARE * offset + visibility + PRESENCE_SHARE * presence
    return Losses(total, *parts)


def location_loss(logits: Tensor, mass: Tensor, weight: Tensor) -> Tensor:
    """Return the cross entropy over the cells ``[n, 17, h, w]``, averaged by weight ``[n, 17]``."""
    target = mass / mass.sum((2, 3), keepdim=True).clamp_min(1e-4)
    log_probability = functional.log_softmax(logits.flatten(2), 2).view_as(target)
    cross = -(target * log_probability).sum((2, 3))
    return (cross * weight).sum() / (weight.sum() + ONE)


def offset_loss(offset: Tensor, across: Tensor, down: Tensor, weight: Tensor) -> Tensor:
    """Return the Huber loss, in cells, of the ways ``[n, 34, h, w]`` from cells to near joints."""
    near = _gauss(across, down, OFFSET_DEVIATION)
    near = torch.where(near > LEAST_NEARNESS, near, 0) * weight[..., None, None]
    ways = torch.stack([down.expand_as(near), across.expand_as(near)], 1)
    error = huber((offset.unflatten(1, (2, -1)) - ways).abs() / STRIDE)
    return (error * near[:, None]).sum() / (2 * near.sum() + ONE)


def visibility_loss(visibility: Tensor, location: Tensor, joints: Joints) -> Tensor:
    """Return the cross entropy of the visibility, where joints are and where they are looked for.

    At a joint it shall be the joint's probability. Where the network looks for a joint that is not
    known, or far from it, it shall be 0.
    """
    *_, rows, columns = location.shape
    x, y = (joints.points / STRIDE).round().unbind(-1)
    cell = (y.clamp(0, rows - 1) * columns + x.clamp(0, columns - 1)).long()
    guess = location.detach().flatten(2).argmax(2)
    guessed = torch.stack([guess % columns, guess // columns], -1) * STRIDE
    far = (guessed - joints.points).square().sum(-1) > FAR**2
    weight = LEAST_VISIBILITY_WEIGHT + (1 - LEAST_VISIBILITY_WEIGHT) * joints.weight.clamp_max(1)
    right = _entropy_at(visibility, cell, joints.probability) * joints.known * weight
    wrong = _entropy_at(visibility, guess, torch.zeros_like(weight)) * (~joints.known | far)
    return right.mean() + WRONG_SHARE * wrong.mean()


def _entropy_at(logits: Tensor, cell: Tensor, probability: Tensor) -> Tensor:
    at_cell = logits.flatten(2).gather(2, cell[..., None])[..., 0]
    return functional.binary_cross_entropy_with_logits(at_cell, probability, reduction="none")


def _distances(location: Tensor, points: Tensor) -> tuple[Tensor, Tensor]:
    """Return the ways from cells to joints, ``[n, 17, 1, w]`` across and ``[n, 17, h, 1]`` down."""
    down, across = (
        torch.arange(cells, device=points.device) * STRIDE for cells in location.shape[2:]
    )
    x, y = points[..., None].unbind(2)
    return (x - across)[:, :, None, :], (y - down)[..., None]


def _gauss(across: Tensor, down: Tensor, deviation: float) -> Tensor:
    return torch.exp(-((across / deviation) ** 2) / 2) * torch.exp(-((down / deviation) ** 2) / 2)
