"""Photos under a random scale, rotation, aspect and reflection, one layer of a batch of scenes."""

import math
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from training.photos import Photos
from training.rand import uniform

ASPECT_LOG_RANGE = (-0.13, 0.13)

# Height and width of scenes in pixels.
Size = tuple[int, int]


class Placement(NamedTuple):
    """Where photos lie in their scenes, ``[n]`` each.

    ``longer_side`` as a share of the scene's longer one, ``rotation`` in radians; ``reach`` bounds
    the shift: 1 keeps the photo's (unrotated) border at the scene's. With ``cover`` the share
    counts for the shorter side.
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


class Anchor(NamedTuple):
    """A point (x, y) ``[n, 2]`` of each photo, and where it is in the scene."""

    of_photo: Tensor
    of_scene: Tensor


def draw_layer(
    photos: Tensor, shown: Tensor, sizes: Tensor, scene: Size, placement: Placement
) -> Layer:
    """Draw aspect, reflection and shift of photos of these sizes ``[n, 2]`` (width, height)."""
    extent = sizes.amin(1) if placement.cover else sizes.amax(1)
    scale = max(scene) * placement.longer_side / extent
    scales = draw_scales(scale, ASPECT_LOG_RANGE)
    rooms = (length - scale * sizes[:, axis] for axis, length in enumerate(reversed(scene)))
    centre = torch.stack([_random_shift(room, placement.reach) for room in rooms], 1)
    centre = centre + scene_middle(scene, sizes.device)
    return turned_layer(photos, shown, scales, placement.rotation, Anchor((sizes - 1) / 2, centre))


def draw_scales(scale: Tensor, aspect_log_range: tuple[float, float]) -> tuple[Tensor, Tensor]:
    """Draw scales along x and y about a scale ``[n]``; in half of them x is reflected."""
    count, device = len(scale), scale.device
    aspect = uniform(count, device, *aspect_log_range).exp()
    reflection = torch.where(uniform(count, device) < 0.5, -1.0, 1.0)
    return scale * aspect.sqrt() * reflection, scale / aspect.sqrt()


def scene_middle(scene: Size, device: torch.device) -> Tensor:
    """Return the middle (x, y) of a scene, in its pixels."""
    height, width = scene
    return torch.tensor([(width - 1) / 2, (height - 1) / 2], device=device)


def turned_layer(
    photos: Tensor, shown: Tensor, scales: tuple[Tensor, Tensor], rotation: Tensor, anchor: Anchor
) -> Layer:
    """Return photos that are scaled, then turned about a point which keeps its place."""
    scale_x, scale_y = scales
    cos, sin = rotation.cos(), rotation.sin()
    matrix = torch.stack([cos / scale_x, sin / scale_x, -sin / scale_y, cos / scale_y], 1)
    matrix = matrix.view(-1, 2, 2)
    shift = anchor.of_photo - (matrix @ anchor.of_scene[:, :, None])[:, :, 0]
    return Layer(photos, shown, matrix, shift)


def _random_shift(room: Tensor, reach: Tensor | float) -> Tensor:
    return uniform(len(room), room.device, -1, 1) * reach * room.abs() / 2


def fit_layer(photos: Tensor, sizes: Tensor, side: int) -> Layer:
    """Return photos as an application shows them: upright, as large as fits, in the middle."""
    longer = sizes.amax(1)
    matrix = torch.eye(2, device=sizes.device) * (longer / side)[:, None, None]
    return Layer(photos, torch.ones_like(longer).bool(), matrix, (sizes - longer[:, None]) / 2)


def lay_over(scenes: Tensor, photos: Photos, layer: Layer) -> None:
    """Render a layer over scenes ``[n, 3, height, width]`` in [0, 1], in place."""
    (rows,) = layer.shown.nonzero(as_tuple=True)
    if not len(rows):
        return
    chosen = layer.photos[rows]
    x, y = _source_points(layer.matrix[rows], layer.shift[rows], scenes.shape[2:])
    width, height = photos.sizes[chosen][:, :, None, None].unbind(1)
    inside = (x >= -0.5) & (x <= width - 0.5) & (y >= -0.5) & (y <= height - 0.5)
    image = _sample(photos.pixels[chosen].float() / 255, x, y).to(scenes.dtype)
    scenes[rows] = torch.where(inside[:, None], image, scenes[rows])


def _source_points(matrix: Tensor, shift: Tensor, size: Size) -> tuple[Tensor, Tensor]:
    """Return the photo's x and y, ``[n, height, width]`` each, for every pixel of a scene."""
    down, across = (
        torch.arange(length, device=matrix.device, dtype=torch.float32) for length in size
    )
    rows = matrix[..., None, None]
    x, y = (
        rows[:, axis, 0] * across + rows[:, axis, 1] * down[:, None] + shift[:, axis, None, None]
        for axis in (0, 1)
    )
    return x, y


def _sample(images: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """Read square images ``[n, 3, s, s]`` at pixel positions ``[n, height, width]``, bilinear."""
    grid = (torch.stack([x, y], -1) + 0.5) * (2 / images.shape[-1]) - 1
    return functional.grid_sample(images, grid, padding_mode="border", align_corners=False)


def halve(images: Tensor) -> Tensor:
    """Shrink ``[n, 3, 2 height - 1, 2 width - 1]`` by half with the kernel 1 2 1 in both axes."""
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
