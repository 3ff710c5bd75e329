"""The two networks and how each is trained; the numbers are those of the reported runs."""

from collections.abc import Callable
from typing import NamedTuple

import people_losses
import pose_losses
from bodies import People
from crop_scenes import CropScenes, Joints
from network import Outputs
from people_scenes import Boxes, PeopleScenes
from pools import REPORTED_CROP_SHARES, REPORTED_SHARES, TASTE
from torch import Tensor
from training.layers import Size
from training.photos import Photos
from training.pools import Pools, even_pools, reported_pools

from zoo.catalog.networks.topdown import PEOPLE, POSE, Plan

Scenes = PeopleScenes | CropScenes
Target = Boxes | Joints
Losses = people_losses.Losses | pose_losses.Losses


class Recipe(NamedTuple):
    """How a network is trained.

    ``model`` is the network's name in the zoo. ``sizes`` are the heights and widths of its input,
    and how often each is drawn; a batch has its size at the first of them.
    """

    model: str
    plan: Plan
    losses: Callable[[Outputs, Target], Losses]
    sizes: dict[Size, float]
    peak_rate: float

    @property
    def usual_size(self) -> Size:
        """The first size of the input."""
        return next(iter(self.sizes))


RECIPES = {
    "people": Recipe(
        "topdown.people",
        PEOPLE,
        people_losses.people_losses,
        {(193, 193): 0.45, (257, 257): 0.20, (321, 321): 0.25, (385, 385): 0.10},
        peak_rate=3e-3,
    ),
    "pose": Recipe(
        "topdown.tiny",
        POSE,
        pose_losses.pose_losses,
        {(257, 193): 0.64, (193, 161): 0.18, (161, 129): 0.18},
        peak_rate=2.5e-3,
    ),
}


def make_scenes(network: str, photos: Photos, people: People, pools: str) -> Scenes:
    """Return where the scenes of a network come from.

    Args:
        network: ``"people"`` or ``"pose"``.
        photos: Where scenes are made of.
        people: Those in the photos.
        pools: ``"even"`` or ``"reported"``: by which shares photos are drawn.

    Raises:
        ZooError: There is nobody to crop, or a source that the reported run did not have.
    """
    reported = pools == "reported"
    chosen = _pools(photos, people.scores[:, 0], reported)
    if network == "people":
        return PeopleScenes(photos, people, chosen)
    return CropScenes(photos, people, chosen, REPORTED_CROP_SHARES if reported else None)


def _pools(photos: Photos, confidence: Tensor, reported: bool) -> Pools:
    if reported:
        return reported_pools(photos, confidence, TASTE, REPORTED_SHARES)
    return even_pools(photos, confidence, TASTE)
