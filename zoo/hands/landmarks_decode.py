"""From palms to regions, and from landmarks in regions to hands in pixels of the image.

Geometry and duplicates: MediaPipe's hand_landmark graphs, as tfjs-models' hand-pose-detection has
them.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from zoo.shared.anchors import Candidates
from zoo.shared.boxes import box_around, suppress
from zoo.shared.crop_regions import Region, region_of_box, region_of_points, rotation_between
from zoo.shared.placement import Placement

_UPRIGHT = math.pi / 2  # in a region the middle finger points up

_WRIST, _INDEX_MCP, _MIDDLE_MCP, _RING_MCP = 0, 5, 9, 13
_STEADY = [0, 1, 2, 3, 5, 6, 9, 10, 13, 14, 17, 18]  # all but the outer joints of fingers

_SAME = 0.5  # regions that overlap more are of one hand


@dataclass(frozen=True)
class HandOutputs:
    """Meaning of the outputs of a hand landmark network."""

    landmarks: str  # [n, 63]: x, y, z of each in pixels of the input
    presence: str  # [n, 1]: whether there is a hand, 0..1
    right: str  # [n, 1]: whether it is a right hand, 0..1
    world: str  # [n, 63]: x, y, z of each in metres
    depth: float  # what z is to be divided by for x's and y's scale


class Hands(NamedTuple):
    """Landmarks of a network in some regions of an image."""

    points: np.ndarray  # [n, 21, 3] in pixels of the image
    world: np.ndarray  # [n, 21, 3] in metres, turned as the image is
    presence: np.ndarray  # [n], 0..1
    right: np.ndarray  # [n], 0..1

    def at(self, indices: Sequence[int]) -> "Hands":
        """Return the hands at some indices."""
        chosen = list(indices)
        return Hands(*(values[chosen] for values in self))


def palm_regions(palms: Candidates) -> list[Region]:
    """Squares that hold the whole hands of palms, with the fingers up."""
    wrist, middle_finger = palms.points[:, 0], palms.points[:, 2]
    turns = [rotation_between(*ends, _UPRIGHT) for ends in zip(wrist, middle_finger, strict=True)]
    boxes = [region_of_box(*both) for both in zip(palms.boxes, turns, strict=True)]
    return [box.moved(down=-0.5).squared().scaled(2.6) for box in boxes]


def hand_region(points: np.ndarray) -> Region:
    """The square about a hand, by its landmarks [21, 2 or more] in pixels, with the fingers up."""
    flat = points[:, :2]
    knuckles = (flat[_INDEX_MCP] + 2 * flat[_MIDDLE_MCP] + flat[_RING_MCP]) / 4
    rotation = rotation_between(flat[_WRIST], knuckles, _UPRIGHT)
    return region_of_points(flat[_STEADY], rotation).moved(down=-0.1).squared().scaled(2.0)


def read_hands(
    outputs: Mapping[str, np.ndarray], placements: Sequence[Placement], meaning: HandOutputs
) -> Hands:
    """Return the landmarks in each region of an image.

    Args:
        outputs: of the network, by name, [regions, ...].
        placements: where each region lies in the input.
        meaning: of the outputs.
    """
    landmarks, world, presence, right = (
        outputs[name].astype(np.float64)
        for name in (meaning.landmarks, meaning.world, meaning.presence, meaning.right)
    )
    seen = list(zip(placements, landmarks, world, strict=True))
    return Hands(
        np.stack([_in_image(place, hand.reshape(-1, 3), meaning.depth) for place, hand, _ in seen]),
        np.stack([place.turned(hand.reshape(-1, 3)) for place, _, hand in seen]),
        presence[:, 0],
        right[:, 0],
    )


def _in_image(placement: Placement, points: np.ndarray, depth: float) -> np.ndarray:
    """Points [n, 3] of the input in pixels of the image."""
    flat = placement.points_to_image(points[:, :2])
    return np.column_stack([flat, points[:, 2] * (placement.scale / depth)])


def choose_hands(hands: Hands, *, score_threshold: float, limit: int) -> Hands:
    """Return the hands that are present, each once, best first; two palms may give one hand.

    Args:
        hands: of all regions that were looked at.
        score_threshold: minimum score of a hand, 0..1.
        limit: at most so many.
    """
    sure = hands.at(np.nonzero(hands.presence >= score_threshold)[0].tolist())
    around = [box_around(hand_region(points).corners()) for points in sure.points]
    boxes = np.reshape(around, (-1, 4))
    return sure.at(suppress(boxes, sure.presence, iou_threshold=_SAME, limit=limit))
