"""Photos under a random scale, rotation, aspect and reflection, one layer of a batch of scenes."""

import math
from typing import NamedTuple

import torch
from photos import CANVAS, Photos
from rand import uniform
from torch import Tensor
from torch.nn import functional

ASPECT_LOG_RANGE = (-0.13, 0.13)


class Placement(NamedTuple):
    """Where photos lie in their scenes, ``[n]`` each.

    ``longer_side`` as a share of the scene's side, ``rotation`` in radians; ``reach`` bounds the
    shift: 1 keeps the photo's (unrotated) border at the scene's. With ``cover`` the share counts
    for the shorter side.
    """

    longer_side: Tensor
    rotation: Tensor
    reach: Tensor | float
    cover: bool = False


class Layer(NamedTuple):
    """Photos (their indices), in which scenes they show, and the way from scene to photo pixels.

    A pixel (x, y) of the scene is the point ``matrix @ (x, y) + shift`` of the photo.
    """

    photos: Tensor
    shown: Tensor
    matrix: Tensor
    shift: Tensor


def draw_layer(
    photos: Tensor, shown: Tensor, sizes: Tensor, side: int, placement: Placement
) -> Layer:
    """Draw aspect, reflection and shift of photos of these sizes ``[n, 2]`` (width, height)."""
    count, device = len(sizes), sizes.device
    extent = sizes.amin(1) if placement.cover else sizes.amax(1)
    scale = side * placement.longer_side / extent
    aspect = uniform(count, device, *ASPECT_LOG_RANGE).exp()
    reflection = torch.where(uniform(count, device) < 0.5, -1.0, 1.0)
    scale_x, scale_y = scale * aspect.sqrt() * reflection, scale / aspect.sqrt()
    centre = torch.stack(
        [_random_shift(side - scale * sizes[:, axis], placement.reach) for axis in (0, 1)], 1
    )
    cos, sin = placement.rotation.cos(), placement.rotation.sin()
    matrix = torch.stack([cos / scale_x, sin / scale_x, -sin / scale_y, cos / scale_y], 1)
    matrix = matrix.view(count, 2, 2)
    centre = centre + (side - 1) / 2
    shift = (sizes - 1) / 2 - (matrix @ centre[:, :, None])[:, :, 0]
    return Layer(photos, shown, matrix, shift)


def _random_shift(room: Tensor, reach: Tensor | float) -> Tensor:
    return uniform(len(room), room.device, -1, 1) * reach * room.abs() / 2


def fit_layer(photos: Tensor, sizes: Tensor, side: int) -> Layer:
    """Return photos as an application shows them: upright, as large as fits, in the middle."""
    longer = sizes.amax(1)
    matrix = torch.eye(2, device=sizes.device) * (longer / side)[:, None, None]
    return Layer(photos, torch.ones_like(longer).bool(), matrix, (sizes - longer[:, None]) / 2)


def lay_over(scenes: Tensor, photos: Photos, layer: Layer) -> None:
    """Render a layer over scenes ``[n, 3, side, side]`` in [0, 1], in place."""
    (rows,) = layer.shown.nonzero(as_tuple=True)
    if not len(rows):
        return
    chosen = layer.photos[rows]
    x, y = _source_points(layer.matrix[rows], layer.shift[rows], scenes.shape[-1])
    width, height = photos.sizes[chosen][:, :, None, None].unbind(1)
    inside = (x >= -0.5) & (x <= width - 0.5) & (y >= -0.5) & (y <= height - 0.5)
    image = _sample(photos.pixels[chosen].float() / 255, x, y).to(scenes.dtype)
    scenes[rows] = torch.where(inside[:, None], image, scenes[rows])


def _source_points(matrix: Tensor, shift: Tensor, side: int) -> tuple[Tensor, Tensor]:
    """Return the photo's x and y, ``[n, side, side]`` each, for every pixel of a scene."""
    grid = torch.arange(side, device=matrix.device, dtype=torch.float32)
    rows = matrix[..., None, None]
    x, y = (
        rows[:, axis, 0] * grid + rows[:, axis, 1] * grid[:, None] + shift[:, axis, None, None]
        for axis in (0, 1)
    )
    return x, y


def _sample(images: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """Read images ``[n, 3, 256, 256]`` at pixel positions ``[n, side, side]``, bilinear."""
    grid = (torch.stack([x, y], -1) + 0.5) * (2 / CANVAS) - 1
    return functional.grid_sample(images, grid, padding_mode="border", align_corners=False)


def halve(images: Tensor) -> Tensor:
    """Shrink ``[n, 3, 2 side - 1, 2 side - 1]`` to ``side`` with the kernel 1 2 1 in both axes."""
    kernel = images.new_tensor([1.0, 2.0, 1.0]) / 4
    kernel = (kernel[:, None] * kernel).expand(3, 1, 3, 3)
    padded = functional.pad(images, (1, 1, 1, 1), mode="replicate")
    return functional.conv2d(padded, kernel, stride=2, groups=3)


class Turns(NamedTuple):
    """Rotations: shares of common and of common or strong ones; the largest angles in degrees."""

    common_share: float
    common_or_strong_share: float
    common: float
    strong: float
    extreme: float

    def largest(self, lot: Tensor) -> Tensor:
        """Return the largest angle for numbers drawn from [0, 1)."""
        rest = torch.where(lot < self.common_or_strong_share, self.strong, self.extreme)
        return torch.where(lot < self.common_share, self.common, rest)


def draw_rotation(lively: Tensor, turns: Turns, calm_turns: Turns) -> Tensor:
    """Draw angles in radians, from the first kind of rotations where ``lively`` (bool ``[n]``)."""
    count, device = len(lively), lively.device
    lot = uniform(count, device)
    largest = torch.where(lively, turns.largest(lot), calm_turns.largest(lot))
    return uniform(count, device, -1, 1) * largest * (math.pi / 180)
