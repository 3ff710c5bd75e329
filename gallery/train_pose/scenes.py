"""Random scenes of people, rendered from the photos on the training device.

A scene is a photo under a random scale, rotation, aspect and reflection on black, a colour or
another photo, with up to two smaller photos pasted over it in a part of each batch. It is rendered
at twice the student's resolution, because the teacher looks at it there. The shares and ranges are
those of the reported run.
"""

import math
from typing import NamedTuple

import torch
from colours import degrade, jitter_colours
from network import FoldedPoseNet
from photos import CANVAS, Photos
from rand import log_uniform, uniform
from targets import LARGE_RATIO, look
from torch import Tensor
from torch.nn import functional

# Photos are drawn in proportion to this plus the teacher's confidence: it is lost on extreme poses.
LEAST_PREFERENCE = 0.15
CONFIDENCE_SIDE = 257
CONFIDENCE_BATCH = 256

COLOURED_SHARE = 0.35
BACKGROUND_SHARE = 0.45
BACKGROUND_SCALE = (1.0, 2.0)
BACKGROUND_TURN = 0.3

PEOPLE_SHARE = 0.88
# The longer side of the main photo as a share of the scene: half of them about full size, a quarter
# small, a quarter cropped.
FULL_SCALE, SMALL_SCALE, CROPPED_SCALE = (0.75, 1.25), (0.35, 0.9), (1.1, 2.4)
FULL_SHARE, FULL_OR_SMALL_SHARE = 0.5, 0.75
# Largest rotations in degrees: for 65 %, for 31 % and for the last 4 % of the photos.
COMMON_TURN, STRONG_TURN, EXTREME_TURN = 12.0, 40.0, 100.0
COMMON_SHARE, COMMON_OR_STRONG_SHARE = 0.65, 0.96
# How far a photo may leave the scene; 1 keeps its (unrotated) border at the scene's.
BACKGROUND_REACH, MAIN_REACH, PASTED_REACH = 1.0, 1.1, 1.15

# The parts of a batch that get a first and a second photo pasted on.
PASTED_RANGES = ((0.3, 0.62), (0.45, 0.62))
PASTED_SCALE = (0.2, 0.75)
PASTED_TURN = 0.6
ASPECT_LOG_RANGE = (-0.15, 0.15)
SHARED_JITTER = 0.6


class Views(NamedTuple):
    """One batch of scenes in [-1, 1].

    ``large`` ``[n, 3, 2 side - 1, 2 side - 1]`` and ``small`` ``[n, 3, side, side]`` are clean and
    for the teacher, ``degraded`` is ``small`` as the student sees it.
    """

    large: Tensor
    small: Tensor
    degraded: Tensor


class Placement(NamedTuple):
    """Where photos lie in their scenes.

    ``longer_side`` as a share of the scene's side, ``rotation`` in radians, both ``[n]``; ``reach``
    bounds the shift; with ``cover`` the share counts for the shorter side.
    """

    longer_side: Tensor
    rotation: Tensor
    reach: float
    cover: bool = False


class Layer(NamedTuple):
    """Photos rendered as ``[n, 3, side, side]`` in [0, 1], and the mask of where they are."""

    picture: Tensor
    mask: Tensor

    def over(self, below: Tensor) -> Tensor:
        """Lay the photos over other pictures."""
        return self.picture * self.mask + below * (1 - self.mask)


def teacher_confidence(photos: Photos, teacher: FoldedPoseNet) -> Tensor:
    """Return ``[n]`` in [0, 1]: the teacher's best heat of each joint, averaged over the joints."""
    confidences = []
    for pixels, sizes in zip(
        photos.pixels.split(CONFIDENCE_BATCH), photos.sizes.split(CONFIDENCE_BATCH), strict=True
    ):
        pictures = _letterbox(pixels, sizes, CONFIDENCE_SIDE)
        with torch.no_grad():
            confidences.append(look(teacher, pictures).heat.amax((2, 3)).mean(1))
    return torch.cat(confidences)


def _letterbox(pixels: Tensor, sizes: Tensor, side: int) -> Tensor:
    """Fit photos into squares in [-1, 1]; beyond the photo its rim goes on."""
    grid = torch.arange(side, device=pixels.device, dtype=torch.float32)
    longer = sizes.amax(1)[:, None, None]
    margin_x, margin_y = ((longer - sizes[:, axis, None, None]) / 2 for axis in (0, 1))
    x = (grid * longer / side - margin_x).expand(-1, side, side)
    y = (grid[:, None] * longer / side - margin_y).expand(-1, side, side)
    return _sample(pixels.float() / 127.5 - 1, x, y)


def _sample(pictures: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """Read pictures ``[n, 3, 256, 256]`` at pixel positions ``[n, side, side]``, bilinear."""
    grid = (torch.stack([x, y], -1) + 0.5) * (2 / CANVAS) - 1
    return functional.grid_sample(pictures, grid, padding_mode="border", align_corners=False)


class SceneRenderer:
    """Draws photos and renders scenes of them.

    Args:
        photos: The photos, on the device where scenes are rendered.
        confidence: The teacher's confidence ``[n]`` in each photo.
    """

    def __init__(self, photos: Photos, confidence: Tensor):
        self.photos = photos
        self.device = photos.pixels.device
        # Half precision halves the memory of large scenes; a CPU is slower with it.
        self.dtype = torch.float16 if self.device.type == "cuda" else torch.float32
        self.any_photo = torch.ones_like(confidence)
        self.people = photos.of_people * (LEAST_PREFERENCE + confidence)

    def render_views(self, count: int, side: int) -> Views:
        """Render a batch of scenes, ``side`` (16 k + 1) pixels wide for the student."""
        large = jitter_colours(self.render(count, LARGE_RATIO * (side - 1) + 1), SHARED_JITTER)
        small = halve(large).float()
        return Views(large * 2 - 1, small * 2 - 1, degrade(small) * 2 - 1)

    def render(self, count: int, side: int) -> Tensor:
        """Render scenes ``[count, 3, side, side]`` in [0, 1]."""
        scenes = self._background(count, side)
        scenes = self._main_photo(count, side).over(scenes)
        for begin, end in PASTED_RANGES:
            part = slice(int(begin * count), int(end * count))
            scenes[part] = self._pasted_photo(part.stop - part.start, side).over(scenes[part])
        return scenes

    def _background(self, count: int, side: int) -> Tensor:
        """Black (as in letterboxes), a colour, or a photo."""
        colours = torch.rand(count, 3, 1, 1, device=self.device)
        coloured = (uniform(count, self.device) < COLOURED_SHARE).float()
        scenes = (colours * coloured.view(-1, 1, 1, 1)).to(self.dtype)
        scenes = scenes.expand(count, 3, side, side).contiguous()
        with_photo = int(BACKGROUND_SHARE * count)
        photos = self._draw(self.any_photo, with_photo)
        placement = Placement(
            log_uniform(with_photo, self.device, *BACKGROUND_SCALE),
            self._rotation(with_photo) * BACKGROUND_TURN,
            BACKGROUND_REACH,
            cover=True,
        )
        layer = self._layer(photos, side, placement)
        scenes[:with_photo] = layer.over(scenes[:with_photo])
        return scenes

    def _main_photo(self, count: int, side: int) -> Layer:
        photos = torch.where(
            uniform(count, self.device) < PEOPLE_SHARE,
            self._draw(self.people, count),
            self._draw(self.any_photo, count),
        )
        placement = Placement(self._main_scale(count), self._rotation(count), MAIN_REACH)
        return self._layer(photos, side, placement)

    def _pasted_photo(self, count: int, side: int) -> Layer:
        photos = self._draw(self.people, count)
        scale = log_uniform(count, self.device, *PASTED_SCALE)
        placement = Placement(scale, self._rotation(count) * PASTED_TURN, PASTED_REACH)
        return self._layer(photos, side, placement)

    def _draw(self, preference: Tensor, count: int) -> Tensor:
        # multinomial refuses to draw nothing, which small batches ask for
        return torch.multinomial(preference, max(count, 1), replacement=True)[:count]

    def _main_scale(self, count: int) -> Tensor:
        lot = uniform(count, self.device)
        full, small, cropped = (
            log_uniform(count, self.device, *limits)
            for limits in (FULL_SCALE, SMALL_SCALE, CROPPED_SCALE)
        )
        rest = torch.where(lot < FULL_OR_SMALL_SHARE, small, cropped)
        return torch.where(lot < FULL_SHARE, full, rest)

    def _rotation(self, count: int) -> Tensor:
        lot = uniform(count, self.device)
        rest = torch.where(lot < COMMON_OR_STRONG_SHARE, STRONG_TURN, EXTREME_TURN)
        largest = torch.where(lot < COMMON_SHARE, COMMON_TURN, rest)
        return uniform(count, self.device, -1, 1) * largest * (math.pi / 180)

    def _layer(self, photos: Tensor, side: int, placement: Placement) -> Layer:
        """Render photos (their indices) into scenes of their own."""
        sizes = self.photos.sizes[photos]
        x, y = _source_points(*_scene_to_photo(sizes, side, placement), side)
        width, height = sizes[:, 0, None, None], sizes[:, 1, None, None]
        inside = (x >= -0.5) & (x <= width - 0.5) & (y >= -0.5) & (y <= height - 0.5)
        picture = _sample(self.photos.pixels[photos].float() / 255, x, y)
        return Layer(picture.to(self.dtype), inside[:, None].to(self.dtype))


def _scene_to_photo(sizes: Tensor, side: int, placement: Placement) -> tuple[Tensor, Tensor]:
    """Return matrices ``[n, 2, 2]`` and shifts ``[n, 2]`` from scene pixels to photo pixels."""
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
    return matrix, (sizes - 1) / 2 - (matrix @ centre[:, :, None])[:, :, 0]


def _random_shift(room: Tensor, reach: float) -> Tensor:
    return uniform(len(room), room.device, -1, 1) * reach * room.abs() / 2


def _source_points(matrix: Tensor, shift: Tensor, side: int) -> tuple[Tensor, Tensor]:
    """Return the photo's x and y, ``[n, side, side]`` each, for every pixel of a scene."""
    grid = torch.arange(side, device=matrix.device, dtype=torch.float32)
    rows = matrix[..., None, None]
    x, y = (
        rows[:, axis, 0] * grid + rows[:, axis, 1] * grid[:, None] + shift[:, axis, None, None]
        for axis in (0, 1)
    )
    return x, y


def halve(pictures: Tensor) -> Tensor:
    """Shrink ``[n, 3, 2 side - 1, 2 side - 1]`` to ``side`` with the kernel 1 2 1 in both axes."""
    kernel = pictures.new_tensor([1.0, 2.0, 1.0]) / 4
    kernel = (kernel[:, None] * kernel).expand(3, 1, 3, 3)
    padded = functional.pad(pictures, (1, 1, 1, 1), mode="replicate")
    return functional.conv2d(padded, kernel, stride=2, groups=3)
