"""Random scenes, rendered from the photos on the training device.

Four kinds are mixed: one photo as an application shows it, between black borders; the same zoomed
in, so that people are cut off; collages of a photo under strong changes with up to two people
pasted on; and scenes made only of photos free of people, in which the network shall see nobody.
Scenes are rendered at twice the network's resolution and then halved. The ranges are those of the
reported runs.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from training.colours import Colours, degrade, draw_colours, draw_degradation, recolour
from training.layers import (
    Layer,
    Placement,
    Size,
    Turns,
    draw_layer,
    draw_rotation,
    lay_over,
)
from training.photos import Photos
from training.pools import Pools
from training.rand import log_uniform, uniform

# How much larger scenes are rendered.
LARGE_RATIO = 2

# The longer side of the main photo as a share of the scene, by the kind of scene. Of letterboxed
# ones a part is exactly as large; of collages half are about full size, a quarter small, and a
# quarter cropped.
EXACT_SCALE, LETTERBOXED_SCALE = (0.97, 1.03), (0.75, 1.2)
ZOOMED_SCALE, PERSON_FREE_SCALE = (1.1, 2.6), (0.8, 2.2)
FULL_SCALE, SMALL_SCALE, CROPPED_SCALE = (0.75, 1.25), (0.35, 0.9), (1.1, 2.4)
FULL_SHARE, FULL_OR_SMALL_SHARE = 0.5, 0.75

# Rotations in collages and in other scenes: shares, and largest angles in degrees.
COLLAGE_TURNS = Turns(0.65, 0.96, 12.0, 40.0, 100.0)
CALM_TURNS = Turns(0.75, 0.95, 8.0, 25.0, 60.0)

# What lies under the main photo: a photo, else a colour in this share, else black.
COLLAGE_BACKGROUND_SHARE, PERSON_FREE_BACKGROUND_SHARE = 0.45, 0.3
BACKGROUND_SCALE, BACKGROUND_TURN = (1.0, 2.0), 0.3
COLOURED_SHARE = 0.35

# Shares of collages with a first and a second person pasted on.
PASTED_SHARES = (0.6, 0.3)
PASTED_SCALE, PASTED_TURN, PASTED_REACH = (0.2, 0.75), 0.6, 1.15
# Something that is no person hides a part of it.
OCCLUDER_SHARE, OCCLUDER_SCALE = 0.12, (0.1, 0.4)
COLLAGE_REACH = 1.1
SHARED_JITTER = 0.6


class Mix(NamedTuple):
    """Shares in which the runs differ: of the kinds of scenes (the rest are collages), and others.

    ``exact`` is the share of letterboxed scenes in which the photo has just its size, ``coloured``
    that of letterboxed and zoomed ones whose borders have a colour, ``pasted`` that of letterboxed
    ones with a person pasted on.
    """

    letterboxed: float
    zoomed: float
    person_free: float
    exact: float
    coloured: float
    pasted: float


class Kinds(NamedTuple):
    """Which scenes of a batch are of which kind, bool ``[n]`` each."""

    letterboxed: Tensor
    zoomed: Tensor
    collage: Tensor
    person_free: Tensor


class Scenes(NamedTuple):
    """What a batch of scenes is made of: colours ``[n, 3]``, layers upwards, changes of colour."""

    ground: Tensor
    layers: list[Layer]
    colours: Colours


def large_size(size: Size) -> Size:
    """Return the size at which scenes are rendered for a network's input of this size."""
    height, width = (LARGE_RATIO * (length - 1) + 1 for length in size)
    return height, width


def rendering_dtype(device: torch.device) -> torch.dtype:
    """Return half precision on a GPU: it halves the memory of scenes; a CPU is slower with it."""
    return torch.float16 if device.type == "cuda" else torch.float32


def render(photos: Photos, scenes: Scenes, size: Size) -> Tensor:
    """Render scenes ``[n, 3, height, width]`` in [-1, 1]."""
    ground = scenes.ground.to(rendering_dtype(scenes.ground.device))[:, :, None, None]
    images = ground.expand(-1, -1, *size).contiguous()
    for layer in scenes.layers:
        lay_over(images, photos, layer)
    return recolour(images, scenes.colours) * 2 - 1


def spoil(images: Tensor) -> Tensor:
    """Return images as the network in training sees them: changed at random, float32."""
    count, _, *size = images.shape
    return degrade(images, draw_degradation(count, tuple(size), images.device, images.dtype))


class SceneArtist:
    """Draws what is where in scenes of whole photos.

    Args:
        photos: The photos, on the device where scenes are rendered.
        pools: How likely each is for each purpose.
        mix: Shares of the kinds of scenes.
    """

    def __init__(self, photos: Photos, pools: Pools, mix: Mix):
        self.photos, self.pools, self.mix = photos, pools, mix
        self.device = photos.pixels.device

    def draw_kinds(self, count: int) -> Kinds:
        """Draw the kind of each scene; without photos free of people there are more collages."""
        lot = uniform(count, self.device)
        letterboxed = lot < self.mix.letterboxed
        zoomed = ~letterboxed & (lot < self.mix.letterboxed + self.mix.zoomed)
        person_free = lot >= 1 - self.mix.person_free
        if self.pools.person_free is None:
            person_free = torch.zeros_like(person_free)
        return Kinds(letterboxed, zoomed, ~(letterboxed | zoomed | person_free), person_free)

    def draw_scenes(self, kinds: Kinds, size: Size) -> Scenes:
        """Draw what is where in scenes of these kinds, of this height and width."""
        count = len(kinds.collage)
        main = self._draw_photos(kinds, "everyday", "collage")
        scale = self._main_scale(kinds)
        ground = self._draw_photos(kinds, "background", "background")
        background, pasted = uniform(count, self.device), uniform(count, self.device)
        layers = [
            self._background(kinds, size, ground, background),
            self._main(kinds, size, main, scale),
            self._pasted(kinds, size, self._first_pasted(kinds, pasted)),
            self._pasted(kinds, size, kinds.collage & (pasted < PASTED_SHARES[1])),
        ]
        if self.pools.person_free is not None:
            layers.append(self._occluder(kinds, size))
        colours = self._ground_colours(kinds)
        return Scenes(colours, layers, draw_colours(count, self.device, SHARED_JITTER))

    def _draw_photos(self, kinds: Kinds, calm: str, collage: str) -> Tensor:
        """Draw photos free of people, for collages, and for the other scenes."""
        count = len(kinds.collage)
        free = self._draw("person_free", count) if self.pools.person_free is not None else None
        of_collage = self._draw(collage, count)
        photos = of_collage
        if calm != collage:
            photos = torch.where(kinds.collage, of_collage, self._draw(calm, count))
        return photos if free is None else torch.where(kinds.person_free, free, photos)

    def _draw(self, pool: str, count: int) -> Tensor:
        return torch.multinomial(getattr(self.pools, pool), count, replacement=True)

    def _log_uniform(self, count: int, limits: tuple[float, float]) -> Tensor:
        return log_uniform(count, self.device, *limits)

    def _main_scale(self, kinds: Kinds) -> Tensor:
        count = len(kinds.collage)
        lot = uniform(count, self.device)
        ranges = (FULL_SCALE, SMALL_SCALE, CROPPED_SCALE, ZOOMED_SCALE, PERSON_FREE_SCALE)
        full, small, cropped, zoomed, free, exact, letterboxed = (
            self._log_uniform(count, limits) for limits in (*ranges, EXACT_SCALE, LETTERBOXED_SCALE)
        )
        collage = torch.where(lot < FULL_OR_SMALL_SHARE, small, cropped)
        collage = torch.where(lot < FULL_SHARE, full, collage)
        scale = torch.where(lot < self.mix.exact, exact, letterboxed)
        for kind, value in ((kinds.person_free, free), (kinds.zoomed, zoomed)):
            scale = torch.where(kind, value, scale)
        return torch.where(kinds.collage, collage, scale)

    def _rotation(self, kinds: Kinds) -> Tensor:
        return draw_rotation(kinds.collage, COLLAGE_TURNS, CALM_TURNS)

    def _layer(self, photos: Tensor, shown: Tensor, size: Size, placement: Placement) -> Layer:
        return draw_layer(photos, shown, self.photos.sizes[photos], size, placement)

    def _background(self, kinds: Kinds, size: Size, photos: Tensor, lot: Tensor) -> Layer:
        shown = (kinds.collage & (lot < COLLAGE_BACKGROUND_SHARE)) | (
            kinds.person_free & (lot < PERSON_FREE_BACKGROUND_SHARE)
        )
        scale = self._log_uniform(len(lot), BACKGROUND_SCALE)
        turn = self._rotation(kinds) * BACKGROUND_TURN
        return self._layer(photos, shown, size, Placement(scale, turn, 1.0, cover=True))

    def _main(self, kinds: Kinds, size: Size, photos: Tensor, scale: Tensor) -> Layer:
        reach = torch.where(kinds.collage, COLLAGE_REACH, 1.0)
        placement = Placement(scale, self._rotation(kinds), reach)
        return self._layer(photos, torch.ones_like(kinds.collage), size, placement)

    def _pasted(self, kinds: Kinds, size: Size, shown: Tensor) -> Layer:
        photos = self._draw("pasted", len(shown))
        scale = self._log_uniform(len(shown), PASTED_SCALE)
        turn = self._rotation(kinds) * PASTED_TURN
        return self._layer(photos, shown, size, Placement(scale, turn, PASTED_REACH))

    def _occluder(self, kinds: Kinds, size: Size) -> Layer:
        count = len(kinds.collage)
        photos = self._draw("person_free", count)
        shown = uniform(count, self.device) < OCCLUDER_SHARE
        placement = Placement(
            self._log_uniform(count, OCCLUDER_SCALE), self._rotation(kinds), reach=1.0
        )
        return self._layer(photos, shown, size, placement)

    def _ground_colours(self, kinds: Kinds) -> Tensor:
        """Black (as in letterboxes), or a colour."""
        count = len(kinds.collage)
        colours = torch.rand(count, 3, device=self.device)
        share = torch.where(kinds.collage | kinds.person_free, COLOURED_SHARE, self.mix.coloured)
        return colours * (uniform(count, self.device) < share)[:, None]

    def _first_pasted(self, kinds: Kinds, lot: Tensor) -> Tensor:
        of_letterboxed = kinds.letterboxed & (lot < self.mix.pasted)
        return (kinds.collage & (lot < PASTED_SHARES[0])) | of_letterboxed
