"""Scenes for the detector of people: whole photos, and the boxes around people's joints."""

from typing import NamedTuple

import torch
from bodies import CONFIDENT, People, extent, is_covered, to_scene
from torch import Tensor
from training.layers import Layer, Size, halve
from training.photos import Photos
from training.pools import Pools
from training.scenes import LARGE_RATIO, Mix, SceneArtist, large_size, render, spoil

# The shares of the reported run.
MIX = Mix(letterboxed=0.55, zoomed=0.17, person_free=0.12, exact=0.5, coloured=0.08, pasted=0.06)

MOST_BOXES = 12  # in a scene
PEOPLE_LAYERS = 4  # the background, the main photo and two pasted ones; then come occluders
LEAST_JOINTS, LEAST_SIDE = 3, 3.0  # of a box, in pixels of the network's input
EDGE = 1.0  # pixels by which a joint may be outside

# From a doubtful score to one so much higher the certainty grows to 1.
DOUBTFUL_SCORE, SCORE_RANGE, LEAST_CERTAINTY = 0.15, 0.15, 0.05
# What is said of doubtful and of tiny people counts little.
UNSURE_SCORE, UNSURE_WEIGHT = 0.25, 0.12
SMALL_SIDE, SMALL_WEIGHT = 12.0, 0.1


class Boxes(NamedTuple):
    """The boxes around the visible joints of people in scenes.

    ``corners`` is ``[n, 12, 4]`` (left, upper, right, lower edge in pixels of the input),
    ``certainty`` ``[n, 12]`` in 0..1, 0 where there is no further person, ``weight`` ``[n, 12]``
    how much a person counts.
    """

    corners: Tensor
    certainty: Tensor
    weight: Tensor


class PeopleScenes:
    """Draws scenes for the detector of people.

    Args:
        photos: The photos, on the device where scenes are rendered.
        people: Those in the photos.
        pools: How likely each photo is for each purpose.
    """

    def __init__(self, photos: Photos, people: People, pools: Pools):
        self.photos, self.people = photos, people
        self._artist = SceneArtist(photos, pools, MIX)

    def batch(self, count: int, size: Size) -> tuple[Tensor, Boxes]:
        """Return pictures ``[n, 3, height, width]`` in [-1, 1] and who is in them."""
        large = large_size(size)
        scenes = self._artist.draw_scenes(self._artist.draw_kinds(count), large)
        pictures = spoil(halve(render(self.photos, scenes, large)))
        return pictures, self.boxes(scenes.layers, size)

    def boxes(self, layers: list[Layer], size: Size) -> Boxes:
        """Return the boxes in scenes of these layers, for an input of this height and width."""
        found = [
            self._of_layer(layer, layers[i + 1 :], size)
            for i, layer in enumerate(layers[:PEOPLE_LAYERS])
        ]
        corners, scores = (torch.cat(parts, 1) for parts in zip(*found, strict=True))
        scores, best = scores.topk(MOST_BOXES, 1)
        corners = corners.gather(1, best[..., None].expand(-1, -1, 4))
        certainty = ((scores - DOUBTFUL_SCORE) / SCORE_RANGE).clamp(LEAST_CERTAINTY, 1)
        return Boxes(corners, torch.where(scores > 0, certainty, 0), _weights(corners, scores))

    def _of_layer(self, layer: Layer, above: list[Layer], size: Size) -> tuple[Tensor, Tensor]:
        """Return the corners ``[n, 8, 4]`` and the scores ``[n, 8]``, 0 where nobody is seen."""
        keypoints = self.people.keypoints[layer.photos]
        points, confidence = to_scene(layer, keypoints[..., :2]), keypoints[..., 2]
        hidden = is_covered(points, above, self.photos)
        points = points / LARGE_RATIO
        limit = points.new_tensor([size[1], size[0]])
        inside = ((points > -EDGE) & (points < limit)).all(-1)
        seen = (confidence > CONFIDENT) & inside & ~hidden
        low, high = extent(points, seen)
        low, high = low.clamp_min(0), torch.minimum(high, limit - 1)
        number = seen.sum(-1)
        scores = self.people.scores[layer.photos] * layer.shown[:, None]
        scores = torch.minimum(scores, (confidence * seen).sum(-1) / number.clamp_min(1))
        known = (number >= LEAST_JOINTS) & ((high - low).amax(-1) > LEAST_SIDE)
        return torch.cat([low, high], -1), torch.where(known, scores, 0)


def _weights(corners: Tensor, scores: Tensor) -> Tensor:
    side = (corners[..., 2:] - corners[..., :2]).amax(-1)
    of_side = torch.where(side < SMALL_SIDE, SMALL_WEIGHT, 1.0)
    return of_side * torch.where(scores < UNSURE_SCORE, UNSURE_WEIGHT, 1.0)
