"""The scenes as the teacher and the student see them."""

from typing import NamedTuple

import torch
from network import FoldedPoseNet
from targets import look
from torch import Tensor
from training.layers import fit_layer, halve, lay_over
from training.photos import Photos
from training.pools import Pools
from training.scenes import Mix, SceneArtist, large_size, render, spoil

CONFIDENCE_SIDE = 257
CONFIDENCE_BATCH = 256

# The shares of the reported run.
MIX = Mix(letterboxed=0.42, zoomed=0.20, person_free=0.12, exact=0.4, coloured=0.12, pasted=0.08)


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


class SceneRenderer(SceneArtist):
    """Draws photos and renders scenes of them.

    Args:
        photos: The photos, on the device where scenes are rendered.
        pools: How likely each is for each purpose.
    """

    def __init__(self, photos: Photos, pools: Pools):
        super().__init__(photos, pools, MIX)

    def render_views(self, count: int, side: int) -> Views:
        """Render a batch of scenes, ``side`` (16 k + 1) pixels wide for the student."""
        size = large_size((side, side))
        kinds = self.draw_kinds(count)
        large = render(self.photos, self.draw_scenes(kinds, size), size)
        small = halve(large)
        return Views(large, small, spoil(small), kinds.person_free)
