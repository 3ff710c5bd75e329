"""Random scenes, rendered from the photos on the training device.

Four kinds are mixed: one photo as an application shows it, between black borders; the same zoomed
in, so that people are cut off; collages of a photo under strong changes with up to two people
pasted on; and scenes made only of photos free of people, in which the student shall see nobody.
A scene is rendered at twice the student's resolution, because the teacher looks at it there. The
shares and ranges are those of the reported run.
"""

from typing import NamedTuple

import torch
from colours import Colours, degrade, draw_colours, draw_degradation, recolour
from layers import Layer, Placement, Turns, draw_layer, draw_rotation, fit_layer, halve, lay_over
from network import FoldedPoseNet
from photos import Photos
from pools import Pools
from rand import log_uniform, uniform
from targets import LARGE_RATIO, look
from torch import Tensor

CONFIDENCE_SIDE = 257
CONFIDENCE_BATCH = 256

LETTERBOXED_SHARE, ZOOMED_SHARE, PERSON_FREE_SHARE = 0.42, 0.20, 0.12
# The longer side of the main photo as a share of the scene, by the kind of scene. Of letterboxed
# ones a part is exactly as large; of collages half are about full size, a quarter small, and a
# quarter cropped.
EXACT_SCALE, LETTERBOXED_SCALE, EXACT_SHARE = (0.97, 1.03), (0.75, 1.2), 0.4
ZOOMED_SCALE, PERSON_FREE_SCALE = (1.1, 2.6), (0.8, 2.2)
FULL_SCALE, SMALL_SCALE, CROPPED_SCALE = (0.75, 1.25), (0.35, 0.9), (1.1, 2.4)
FULL_SHARE, FULL_OR_SMALL_SHARE = 0.5, 0.75

# Rotations in collages and in other scenes: shares, and largest angles in degrees.
COLLAGE_TURNS = Turns(0.65, 0.96, 12.0, 40.0, 100.0)
CALM_TURNS = Turns(0.75, 0.95, 8.0, 25.0, 60.0)

# What lies under the main photo: a photo, else a colour in this share, else black.
COLLAGE_BACKGROUND_SHARE, PERSON_FREE_BACKGROUND_SHARE = 0.45, 0.3
BACKGROUND_SCALE, BACKGROUND_TURN = (1.0, 2.0), 0.3
COLOURED_SHARE, LETTERBOXED_COLOURED_SHARE = 0.35, 0.12

# Shares of collages with a first and a second person pasted on, and of letterboxed scenes with one.
PASTED_SHARES, LETTERBOXED_PASTED_SHARE = (0.6, 0.3), 0.08
PASTED_SCALE, PASTED_TURN, PASTED_REACH = (0.2, 0.75), 0.6, 1.15
# Something that is no person hides a part of it.
OCCLUDER_SHARE, OCCLUDER_SCALE = 0.12, (0.1, 0.4)
COLLAGE_REACH = 1.1
SHARED_JITTER = 0.6


class Views(NamedTuple):
    """One batch of scenes in [-1, 1].

    ``large`` ``[n, 3, 2 side - 1, 2 side - 1]`` and ``small`` ``[n, 3, side, side]`` are clean and
    for the teacher, ``degraded`` is ``small`` as the student sees it, and ``person_free`` says
    which scenes have nobody by their making.
    """

    large: Tensor
    small: Tensor
    degraded: Tensor
    person_free: Tensor


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


def teacher_confidence(photos: Photos, teacher: FoldedPoseNet) -> Tensor:
    """Return ``[n]`` in [0, 1]: the teacher's best heat of each joint, averaged over the joints."""
    confidences = []
    for indices in torch.arange(len(photos.sizes), device=photos.sizes.device).split(
        CONFIDENCE_BATCH
    ):
        side = CONFIDENCE_SIDE
        scenes = torch.zeros(len(indices), 3, side, side, device=photos.sizes.device)
        lay_over(scenes, photos, fit_layer(indices, photos.sizes[indices], side))
        with torch.no_grad():
            confidences.append(look(teacher, scenes * 2 - 1).heat.amax((2, 3)).mean(1))
    return torch.cat(confidences)


class SceneRenderer:
    """Draws photos and renders scenes of them.

    Args:
        photos: The photos, on the device where scenes are rendered.
        pools: How likely each is for each purpose.
    """

    def __init__(self, photos: Photos, pools: Pools):
        self.photos, self.pools = photos, pools
        self.device = photos.pixels.device
        # Half precision halves the memory of large scenes; a CPU is slower with it.
        self.dtype = torch.float16 if self.device.type == "cuda" else torch.float32

    def render_views(self, count: int, side: int) -> Views:
        """Render a batch of scenes, ``side`` (16 k + 1) pixels wide for the student."""
        large_side = LARGE_RATIO * (side - 1) + 1
        kinds = self.draw_kinds(count)
        large = self.render(self.draw_scenes(kinds, large_side), large_side) * 2 - 1
        small = halve(large)
        spoilt = degrade(small, draw_degradation(count, side, self.device, self.dtype))
        return Views(large, small, spoilt, kinds.person_free)

    def render(self, scenes: Scenes, side: int) -> Tensor:
        """Render scenes ``[n, 3, side, side]`` in [0, 1]."""
        ground = scenes.ground.to(self.dtype)[:, :, None, None]
        images = ground.expand(-1, -1, side, side).contiguous()
        for layer in scenes.layers:
            lay_over(images, self.photos, layer)
        return recolour(images, scenes.colours)

    def draw_kinds(self, count: int) -> Kinds:
        """Draw the kind of each scene; without photos free of people there are more collages."""
        lot = uniform(count, self.device)
        letterboxed = lot < LETTERBOXED_SHARE
        zoomed = ~letterboxed & (lot < LETTERBOXED_SHARE + ZOOMED_SHARE)
        person_free = lot >= 1 - PERSON_FREE_SHARE
        if self.pools.person_free is None:
            person_free = torch.zeros_like(person_free)
        return Kinds(letterboxed, zoomed, ~(letterboxed | zoomed | person_free), person_free)

    def draw_scenes(self, kinds: Kinds, side: int) -> Scenes:
        """Draw what is where in scenes of these kinds, ``side`` pixels wide."""
        count = len(kinds.collage)
        main = self._draw_photos(kinds, "everyday", "collage")
        scale = self._main_scale(kinds)
        ground = self._draw_photos(kinds, "background", "background")
        background, pasted = uniform(count, self.device), uniform(count, self.device)
        layers = [
            self._background(kinds, side, ground, background),
            self._main(kinds, side, main, scale),
            self._pasted(kinds, side, _first_pasted(kinds, pasted)),
            self._pasted(kinds, side, kinds.collage & (pasted < PASTED_SHARES[1])),
        ]
        if self.pools.person_free is not None:
            layers.append(self._occluder(kinds, side))
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
        scale = torch.where(lot < EXACT_SHARE, exact, letterboxed)
        for kind, value in ((kinds.person_free, free), (kinds.zoomed, zoomed)):
            scale = torch.where(kind, value, scale)
        return torch.where(kinds.collage, collage, scale)

    def _rotation(self, kinds: Kinds) -> Tensor:
        return draw_rotation(kinds.collage, COLLAGE_TURNS, CALM_TURNS)

    def _layer(self, photos: Tensor, shown: Tensor, side: int, placement: Placement) -> Layer:
        return draw_layer(photos, shown, self.photos.sizes[photos], side, placement)

    def _background(self, kinds: Kinds, side: int, photos: Tensor, lot: Tensor) -> Layer:
        shown = (kinds.collage & (lot < COLLAGE_BACKGROUND_SHARE)) | (
            kinds.person_free & (lot < PERSON_FREE_BACKGROUND_SHARE)
        )
        scale = self._log_uniform(len(lot), BACKGROUND_SCALE)
        turn = self._rotation(kinds) * BACKGROUND_TURN
        return self._layer(photos, shown, side, Placement(scale, turn, 1.0, cover=True))

    def _main(self, kinds: Kinds, side: int, photos: Tensor, scale: Tensor) -> Layer:
        reach = torch.where(kinds.collage, COLLAGE_REACH, 1.0)
        placement = Placement(scale, self._rotation(kinds), reach)
        return self._layer(photos, torch.ones_like(kinds.collage), side, placement)

    def _pasted(self, kinds: Kinds, side: int, shown: Tensor) -> Layer:
        photos = self._draw("pasted", len(shown))
        scale = self._log_uniform(len(shown), PASTED_SCALE)
        turn = self._rotation(kinds) * PASTED_TURN
        return self._layer(photos, shown, side, Placement(scale, turn, PASTED_REACH))

    def _occluder(self, kinds: Kinds, side: int) -> Layer:
        count = len(kinds.collage)
        photos = self._draw("person_free", count)
        shown = uniform(count, self.device) < OCCLUDER_SHARE
        placement = Placement(
            self._log_uniform(count, OCCLUDER_SCALE), self._rotation(kinds), reach=1.0
        )
        return self._layer(photos, shown, side, placement)

    def _ground_colours(self, kinds: Kinds) -> Tensor:
        """Black (as in letterboxes), or a colour."""
        count = len(kinds.collage)
        colours = torch.rand(count, 3, device=self.device)
        share = torch.where(
            kinds.collage | kinds.person_free, COLOURED_SHARE, LETTERBOXED_COLOURED_SHARE
        )
        return colours * (uniform(count, self.device) < share)[:, None]


def _first_pasted(kinds: Kinds, lot: Tensor) -> Tensor:
    of_letterboxed = kinds.letterboxed & (lot < LETTERBOXED_PASTED_SHARE)
    return (kinds.collage & (lot < PASTED_SHARES[0])) | of_letterboxed
