"""How far the detector's answer about a batch of scenes lies from the boxes in them."""

from typing import NamedTuple

import torch
from network import Outputs
from people_scenes import Boxes
from torch import Tensor
from training.losses import heatmap_loss

from zoo.tasks.pose.topdown_decode import STRIDE

# Standard deviations in pixels of the heat around the middle of a box, by its sides.
DEVIATION_OF_SIDE, LEAST_DEVIATION, MOST_DEVIATION = 0.10, 4.5, 26.0
# Where the heat is less, there is nobody; where it is more, the cell shall know the box.
LEAST_HEAT, HEAT_OF_BOX = 0.05, 0.3
# Distances to the edges are logarithms, in this many pixels.
BOX_UNIT, LARGEST_LOGARITHM = 16.0, 5.0
# Joints on a line have a box, too.
MARGIN = 2.0
# The sum of weights has one more: a batch of few people counts little.
ONE = 1.0


class Losses(NamedTuple):
    """The sum and its parts, scalars."""

    total: Tensor
    person: Tensor
    box: Tensor


class Cells(NamedTuple):
    """What cells shall say: heat, weight and certainty ``[n, h, w]``, box ``[n, 4, h, w]``.

    ``nearness`` is the heat of a person who is certain.
    """

    nearness: Tensor
    certainty: Tensor
    weight: Tensor
    box: Tensor

    @property
    def heat(self) -> Tensor:
        """The probability that a cell is in the middle of somebody."""
        return torch.where(self.nearness > LEAST_HEAT, self.nearness * self.certainty, 0)


def people_losses(outputs: Outputs, boxes: Boxes) -> Losses:
    """Return the losses of a batch."""
    cells = to_cells(boxes, outputs["person"].shape[2:])
    weight = torch.where(cells.nearness > LEAST_HEAT, cells.weight, 1)
    person = heatmap_loss(outputs["person"][:, 0], cells.heat, weight)
    box = box_loss(outputs["box"], cells)
    return Losses(person + box, person, box)


def to_cells(boxes: Boxes, shape: tuple[int, int]) -> Cells:
    """Give each of the cells of this shape to the person whose middle is nearest."""
    low, high = boxes.corners.split(2, -1)
    deviation = (DEVIATION_OF_SIDE * (high - low)).clamp(LEAST_DEVIATION, MOST_DEVIATION)
    y, x = _positions(shape, low.device)
    from_middle = ((low + high) / 2)[..., None]
    across, down = (
        torch.exp(-(((position - from_middle[:, :, axis]) / deviation[:, :, axis, None]) ** 2) / 2)
        for axis, position in enumerate((x, y))
    )
    near = down[..., None] * across[:, :, None] * (boxes.certainty > 0)[..., None, None]
    nearness, person = near.max(1)
    rows = torch.arange(len(person), device=person.device)[:, None, None]
    box = boxes.corners[rows, person].permute(0, 3, 1, 2)
    return Cells(nearness, boxes.certainty[rows, person], boxes.weight[rows, person], box)


def box_loss(logarithms: Tensor, cells: Cells) -> Tensor:
    """Return one less the overlap of boxes, and the distance of their middles (DIoU).

    Source: Zheng et al., "Distance-IoU Loss" (2020).
    """
    left, up, right, down = _to_distances(logarithms).unbind(1)
    y, x = _positions(logarithms.shape[2:], logarithms.device)
    y = y[:, None]
    found = torch.stack([x - left, y - up, x + right, y + down], 1)
    wanted = cells.box + cells.box.new_tensor([-MARGIN, -MARGIN, MARGIN, MARGIN]).view(4, 1, 1)
    loss = 1 - _overlap(found, wanted) + _distance(found, wanted)
    weight = torch.where(cells.nearness > HEAT_OF_BOX, cells.nearness, 0)
    weight = weight * cells.weight * cells.certainty
    return (loss * weight).sum() / (weight.sum() + ONE)


def _to_distances(logarithms: Tensor) -> Tensor:
    return BOX_UNIT * logarithms.clamp(-LARGEST_LOGARITHM, LARGEST_LOGARITHM).exp()


def _positions(shape: tuple[int, int], device: torch.device) -> tuple[Tensor, Tensor]:
    down, across = (torch.arange(cells, device=device) * float(STRIDE) for cells in shape)
    return down, across


def _area(low: Tensor, high: Tensor) -> Tensor:
    return (high - low).clamp_min(0).prod(1)


def _overlap(one: Tensor, other: Tensor) -> Tensor:
    """Return the intersection over the union of boxes ``[n, 4, h, w]``."""
    both = _area(torch.maximum(one[:, :2], other[:, :2]), torch.minimum(one[:, 2:], other[:, 2:]))
    union = _area(one[:, :2], one[:, 2:]) + _area(other[:, :2], other[:, 2:]) - both
    return both / union.clamp_min(1)


def _distance(one: Tensor, other: Tensor) -> Tensor:
    """Return the squared distance of the middles, in squared diagonals of the box around both."""
    hull = torch.maximum(one[:, 2:], other[:, 2:]) - torch.minimum(one[:, :2], other[:, :2])
    between = (one[:, :2] + one[:, 2:] - other[:, :2] - other[:, 2:]) / 2
    return between.square().sum(1) / hull.square().sum(1).clamp_min(1)
