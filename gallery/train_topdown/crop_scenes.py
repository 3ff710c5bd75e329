"""Scenes for the pose network: crops of one person each, and of nobody."""

import math
from collections.abc import Mapping
from typing import NamedTuple

import torch
from bodies import CONFIDENT, People, extent, is_covered, is_reflected, other_side, to_scene
from torch import Tensor
from training.colours import draw_colours
from training.layers import (
    Anchor,
    Layer,
    Placement,
    Size,
    Turns,
    draw_layer,
    draw_scales,
    halve,
    scene_middle,
    turned_layer,
)
from training.photos import Photos
from training.pools import Pools, weigh_sources
from training.rand import log_uniform, uniform
from training.scenes import LARGE_RATIO, SHARED_JITTER, Scenes, large_size, render, spoil

from weights_cache.common.errors import ZooError
from zoo.shared.skeletons import BODY_17

# People who are fit for crops: their score, number of confident joints, and size in pixels.
LEAST_SCORE, LEAST_JOINTS, LEAST_SIDE = 0.2, 4, 44.0
# The surer and the larger, the more often they are drawn.
SURE_SCORE, LARGE_SIDE, LEAST_OF_SCORE, LEAST_OF_SIDE = 0.5, 110.0, 0.3, 0.4

NOBODY_SHARE, NOBODY_HEIGHT = 0.16, (0.25, 1.5)
# Close-ups: the box of the upper body alone, as if the rest were out of the picture.
CLOSE_UP_SHARE = 0.08
UPPER_JOINTS = BODY_17.names.index("right_hip") + 1
# Heights of crops in heights of the box around the joints, most of them and the wide ones.
ROOM, USUAL_ROOM, WIDE_ROOM, USUAL_SHARE = 1.25, (0.8, 1.35), (1.3, 2.2), 0.9
LEAST_BOX = 8.0
SHIFT = 0.12  # of the crop's sides
TURNS = Turns(0.6, 0.9, 15.0, 40.0, 180.0)
ASPECT_LOG_RANGE = (-0.1, 0.1)

COLOURED_SHARE = 0.08  # of the grounds, where the photo ends; others are black
LARGEST_TURN = 0.4  # of what else is in a crop, in radians

# A joint's probability grows with the teacher's confidence, from ... over a range of ...
FIRST_CONFIDENCE, CONFIDENCE_RANGE = 0.08, 0.30
KNOWN_CONFIDENCE = 0.05
HIDDEN_PROBABILITY, HIDDEN_WEIGHT = 0.3, 0.5
LEAST_WEIGHT, LEAST_PERSON_WEIGHT, SCORE_RANGE = 0.2, 0.4, 0.2
MARGIN = 4.0  # pixels by which a joint may be outside


class Further(NamedTuple):
    """What else is in a share of the crops: scale and the rest as in ``Placement``."""

    share: float
    scale: tuple[float, float]
    reach: float
    cover: bool = False


BACKGROUND = Further(0.12, (1.0, 2.0), 1.0, cover=True)
PASTED = Further(0.07, (0.3, 0.9), 1.5)
OCCLUDER = Further(0.15, (0.12, 0.5), 1.0)


class Joints(NamedTuple):
    """The joints in crops.

    ``points`` is ``[n, 17, 2]`` (x, y in pixels of the input), ``probability`` ``[n, 17]`` that a
    joint is seen, ``known`` bool ``[n, 17]``: there is one in the crop or at its edge; ``weight``
    ``[n, 17]`` says how much it counts, 0 where it is not known, and ``somebody`` ``[n]`` is 1 in
    crops of a person, else 0.
    """

    points: Tensor
    probability: Tensor
    known: Tensor
    weight: Tensor
    somebody: Tensor


class Bodies(NamedTuple):
    """People who are fit for crops: photo, keypoints ``[n, 17, 3]``, score, and the joints' box."""

    photo: Tensor
    keypoints: Tensor
    score: Tensor
    low: Tensor
    high: Tensor

    def of(self, chosen: Tensor) -> "Bodies":
        """Return the chosen ones, by index or flag."""
        return Bodies(*(part[chosen] for part in self))


def choose_bodies(people: People) -> Bodies:
    """Return the people who are fit for crops.

    Raises:
        ZooError: There are none.
    """
    confident = people.keypoints[..., 2] > CONFIDENT
    low, high = extent(people.keypoints[..., :2], confident)
    fit = (people.scores > LEAST_SCORE) & (confident.sum(-1) >= LEAST_JOINTS)
    fit &= (high - low).amax(-1) > LEAST_SIDE
    photo, person = fit.nonzero(as_tuple=True)
    if not len(photo):
        raise ZooError(
            f"nobody in the photos is larger than {LEAST_SIDE:g} pixels and sure enough for crops; "
            "give photos of people who are larger in them"
        )
    parts = (part[photo, person] for part in (people.keypoints, people.scores, low, high))
    return Bodies(photo, *parts)


def _likes(bodies: Bodies) -> Tensor:
    sure = ((bodies.score - LEAST_SCORE) / (SURE_SCORE - LEAST_SCORE)).clamp(0, 1)
    large = ((bodies.high - bodies.low).amax(-1) / LARGE_SIDE).clamp_max(1)
    of_score = LEAST_OF_SCORE + (1 - LEAST_OF_SCORE) * sure
    return of_score * (LEAST_OF_SIDE + (1 - LEAST_OF_SIDE) * large)


class CropScenes:
    """Draws crops for the pose network.

    Args:
        photos: The photos, on the device where scenes are rendered.
        people: Those in the photos.
        pools: How likely each photo is for each purpose.
        shares: The share of each source among the people in crops, None if all are alike.
    """

    def __init__(
        self, photos: Photos, people: People, pools: Pools, shares: Mapping[str, float] | None
    ):
        self.photos, self.pools = photos, pools
        self.device = photos.pixels.device
        self.bodies = choose_bodies(people)
        self._likes = _likes(self.bodies)
        if shares is not None:
            source = photos.source[self.bodies.photo]
            self._likes = weigh_sources(self._likes, source, photos.sources, shares)

    def batch(self, count: int, size: Size) -> tuple[Tensor, Joints]:
        """Return crops ``[n, 3, height, width]`` in [-1, 1] and the joints in them."""
        large = large_size(size)
        bodies = self.bodies.of(torch.multinomial(self._likes, count, replacement=True))
        nobody = self._uniform(count) < NOBODY_SHARE
        if self.pools.person_free is None:
            nobody = torch.zeros_like(nobody)
        scenes = self._draw_scenes(bodies, nobody, large)
        pictures = spoil(halve(render(self.photos, scenes, large)))
        _, main, *above = scenes.layers
        return pictures, self.joints(bodies, nobody, main, above, size)

    def crop(self, bodies: Bodies, nobody: Tensor, large: Size) -> Layer:
        """Draw crops, of this height and width, of bodies, or of any place where there is nobody.

        A body has the room that it needs when it is turned, as a detector would give it.
        """
        lot = self._uniform(len(nobody))
        rotation = self._uniform(len(nobody), -1, 1) * TURNS.largest(lot) * (math.pi / 180)
        photo, middle, height = bodies.photo, *self._regions(bodies, rotation, large)
        if self.pools.person_free is not None:
            photo = torch.where(nobody, self._draw("person_free", len(nobody)), photo)
            sizes = self.photos.sizes[photo]
            anywhere = sizes * torch.rand_like(sizes)
            middle = torch.where(nobody[:, None], anywhere, middle)
            any_height = self._log_uniform(len(nobody), NOBODY_HEIGHT) * sizes.amax(1)
            height = torch.where(nobody, any_height, height)
        sides = height[:, None] * height.new_tensor([large[1] / large[0], 1.0])
        middle = middle + (2 * torch.rand_like(middle) - 1) * SHIFT * sides
        scales = draw_scales(large[0] / height, ASPECT_LOG_RANGE)
        anchor = Anchor(middle, scene_middle(large, self.device).expand_as(middle))
        return turned_layer(photo, torch.ones_like(nobody), scales, rotation, anchor)

    def joints(
        self, bodies: Bodies, nobody: Tensor, crop: Layer, above: list[Layer], size: Size
    ) -> Joints:
        """Return the joints in crops of bodies, under other layers, for an input of this size."""
        keypoints = other_side(bodies.keypoints, is_reflected(crop))
        points, confidence = to_scene(crop, keypoints[..., :2]), keypoints[..., 2]
        hidden = is_covered(points, above, self.photos)
        points = points / LARGE_RATIO
        limit = points.new_tensor([size[1], size[0]]) - 1 + MARGIN
        inside = ((points > -MARGIN) & (points < limit)).all(-1) & ~nobody[:, None]
        seen = ((confidence - FIRST_CONFIDENCE) / CONFIDENCE_RANGE).clamp(0, 1)
        seen = seen * torch.where(hidden, HIDDEN_PROBABILITY, 1.0)
        known = inside & (confidence > KNOWN_CONFIDENCE)
        weight = LEAST_WEIGHT + (1 - LEAST_WEIGHT) * seen
        weight = weight * torch.where(hidden, HIDDEN_WEIGHT, 1.0) * _trust(bodies)[:, None]
        weight = torch.where(known, weight, 0)
        return Joints(points, seen, known, weight, (~nobody).float())

    def _draw_scenes(self, bodies: Bodies, nobody: Tensor, large: Size) -> Scenes:
        count = len(nobody)
        layers = [
            self._further("background", ~nobody, large, BACKGROUND),
            self.crop(bodies, nobody, large),
            self._further("pasted", ~nobody, large, PASTED),
        ]
        if self.pools.person_free is not None:
            everywhere = torch.ones_like(nobody)
            layers.append(self._further("person_free", everywhere, large, OCCLUDER))
        colours = torch.rand(count, 3, device=self.device)
        ground = colours * (self._uniform(count) < COLOURED_SHARE)[:, None]
        return Scenes(ground, layers, draw_colours(count, self.device, SHARED_JITTER))

    def _further(self, pool: str, allowed: Tensor, large: Size, kind: Further) -> Layer:
        """Draw a layer below or above the person."""
        count = len(allowed)
        photos = self._draw(pool, count)
        shown = allowed & (self._uniform(count) < kind.share)
        turn = self._uniform(count, -LARGEST_TURN, LARGEST_TURN)
        scale = self._log_uniform(count, kind.scale)
        placement = Placement(scale, turn, kind.reach, kind.cover)
        return draw_layer(photos, shown, self.photos.sizes[photos], large, placement)

    def _regions(self, bodies: Bodies, rotation: Tensor, large: Size) -> tuple[Tensor, Tensor]:
        """Draw the middles and heights of crops around bodies, in pixels of the photos."""
        low, high = self._boxes(bodies)
        width, height = _turned((high - low).clamp_min(LEAST_BOX), rotation).unbind(1)
        needed = torch.maximum(height, width * (large[0] / large[1]))
        usual = self._uniform(len(needed)) < USUAL_SHARE
        rooms = (self._log_uniform(len(needed), limits) for limits in (USUAL_ROOM, WIDE_ROOM))
        return (low + high) / 2, needed * ROOM * torch.where(usual, *rooms)

    def _boxes(self, bodies: Bodies) -> tuple[Tensor, Tensor]:
        """Return the corners of the bodies' boxes; of some people those of the upper bodies."""
        upper = bodies.keypoints[:, :UPPER_JOINTS]
        confident = upper[..., 2] > CONFIDENT
        low, high = extent(upper[..., :2], confident)
        close = self._uniform(len(upper)) < CLOSE_UP_SHARE
        close = (close & (confident.sum(1) >= LEAST_JOINTS))[:, None]
        return torch.where(close, low, bodies.low), torch.where(close, high, bodies.high)

    def _draw(self, pool: str, count: int) -> Tensor:
        return torch.multinomial(getattr(self.pools, pool), count, replacement=True)

    def _uniform(self, count: int, low: float = 0.0, high: float = 1.0) -> Tensor:
        return uniform(count, self.device, low, high)

    def _log_uniform(self, count: int, limits: tuple[float, float]) -> Tensor:
        return log_uniform(count, self.device, *limits)


def _turned(boxes: Tensor, rotation: Tensor) -> Tensor:
    """Return the sizes ``[n, 2]`` of the boxes around boxes that are turned."""
    cos, sin = rotation.cos().abs(), rotation.sin().abs()
    width, height = boxes.unbind(1)
    return torch.stack([width * cos + height * sin, width * sin + height * cos], 1)


def _trust(bodies: Bodies) -> Tensor:
    """Return how much the joints of bodies count."""
    sure = ((bodies.score - LEAST_SCORE) / SCORE_RANGE).clamp(0, 1)
    return LEAST_PERSON_WEIGHT + (1 - LEAST_PERSON_WEIGHT) * sure
