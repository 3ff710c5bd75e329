"""Hand landmarks: palms are found first, then each hand is looked at closely.

Geometry and duplicates: MediaPipe's hand_landmark graphs, as tfjs-models' hand-pose-detection has
them.
"""

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from zoo.catalog.option import OWN
from zoo.pipeline.detector import PointDetector
from zoo.pipeline.model import Model, Outputs
from zoo.pipeline.verb_signatures import ImageSource, model_verb
from zoo.results.vocabulary import Hand
from zoo.shared.anchors import Candidates, candidates_for, find_candidates
from zoo.shared.boxes import box_around, suppress, to_box
from zoo.shared.placement import (
    Placement,
    Region,
    region_of_box,
    region_of_points,
    rotation_between,
)
from zoo.shared.skeletons import HAND_21, to_keypoints, to_world
from zoo.tasks.hands.entries import HandOutputs

_UPRIGHT = math.pi / 2  # in a region the middle finger points up

_WRIST, _INDEX_MCP, _MIDDLE_MCP, _RING_MCP = 0, 5, 9, 13
_STEADY = [0, 1, 2, 3, 5, 6, 9, 10, 13, 14, 17, 18]  # all but the outer joints of fingers

_SAME = 0.5  # regions that overlap more are of one hand


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


_NO_HANDS = Hands(np.empty((0, 21, 3)), np.empty((0, 21, 3)), np.empty(0), np.empty(0))


class PalmDetector(PointDetector):
    """A loaded palm detector.

    MediaPipe gives the points numbers, not names. The names were found on images such as
    pakutaso.jpg, where each, of all three detectors, is nearest to the landmark of this name.
    """

    label = "palm"
    point_names = (
        "wrist",
        *(f"{finger}_finger_mcp" for finger in ("index", "middle", "ring", "pinky")),
        *("thumb_cmc", "thumb_mcp"),
    )


class JointPalmDetector(PalmDetector):
    """A palm detector with a single output: each row is a logit, then the regressors."""

    def decode(self, outputs: Outputs, *, score_threshold: float) -> Candidates:
        """Return the palms in the output, in pixels of the input, overlapping ones included."""
        rows = outputs[self.entry.output]
        columns = {"logits": rows[..., :1], "regressors": rows[..., 1:]}
        return find_candidates(columns, self.grid, score_threshold=score_threshold)


class HandModel(Model):
    """A loaded hand landmark network, with the palm detector of its option ``detector``."""

    followers = {"estimate_hands": "zoo.tasks.hands.following:HandFollower"}

    @model_verb
    def estimate_hands(
        self,
        image: ImageSource,
        *,
        max_hands: int = 2,
        score_threshold: float = OWN,
        detector_threshold: float | None = None,
        iou_threshold: float | None = None,
        refine: bool = True,
        mirror: bool = False,
    ) -> list[Hand]:
        """Return the hands in an image; see `zoo.estimate_hands`."""
        estimate = partial(
            self._estimate,
            self.part("detector"),
            max_hands=max_hands,
            score_threshold=score_threshold,
            detector_threshold=detector_threshold,
            iou_threshold=iou_threshold,
            refine=refine,
        )
        return self.run_each(image, estimate, mirror=mirror)

    def _estimate(
        self,
        detector: PointDetector,
        image: np.ndarray,
        *,
        max_hands: int,
        score_threshold: float,
        detector_threshold: float | None,
        iou_threshold: float | None,
        refine: bool,
    ) -> list[Hand]:
        """Return the hands in an image: palms first, then a close look at each hand."""
        palms = detector.find(
            image,
            score_threshold=detector_threshold,
            iou_threshold=iou_threshold,
            limit=candidates_for(max_hands),
        )
        hands = self.look(image, palm_regions(palms))
        if refine:  # where a hand below the threshold may turn out to be surer
            least = min(score_threshold, self.entry.defaults["score_threshold"])
            hands = choose_hands(hands, score_threshold=least, limit=max_hands)
            hands = self.look(image, [hand_region(points) for points in hands.points])
        return to_hands(choose_hands(hands, score_threshold=score_threshold, limit=max_hands))

    def look(self, image: np.ndarray, regions: Sequence[Region]) -> Hands:
        """Return the landmarks in regions of an image, hands or not, from one batch."""
        if not regions:
            return _NO_HANDS
        return read_hands(*self.run_on_regions(image, regions), self.entry.decode)


def palm_regions(palms: Candidates) -> list[Region]:
    """Return the squares that hold the whole hands of palms, with the fingers up."""
    wrist, middle_finger = palms.points[:, 0], palms.points[:, 2]
    turns = [rotation_between(*ends, _UPRIGHT) for ends in zip(wrist, middle_finger, strict=True)]
    boxes = [region_of_box(*both) for both in zip(palms.boxes, turns, strict=True)]
    return [box.moved(down=-0.5).squared().scaled(2.6) for box in boxes]


def hand_region(points: np.ndarray) -> Region:
    """Return the square about a hand, fingers up, by landmarks [21, 2 or more] in pixels."""
    flat = points[:, :2]
    knuckles = (flat[_INDEX_MCP] + 2 * flat[_MIDDLE_MCP] + flat[_RING_MCP]) / 4
    rotation = rotation_between(flat[_WRIST], knuckles, _UPRIGHT)
    return region_of_points(flat[_STEADY], rotation).moved(down=-0.1).squared().scaled(2.0)


def read_hands(
    outputs: Mapping[str, np.ndarray], placements: Sequence[Placement], meaning: HandOutputs
) -> Hands:
    """Return the landmarks in each region of an image, from outputs [regions, ...] by name."""
    landmarks, world, presence, right = (
        outputs[name].astype(np.float64)
        for name in (meaning.landmarks, meaning.world, meaning.presence, meaning.right)
    )
    seen = list(zip(placements, landmarks, world, strict=True))
    return Hands(
        np.stack([place.in_space(hand.reshape(-1, 3), meaning.depth) for place, hand, _ in seen]),
        np.stack([place.turned(hand.reshape(-1, 3)) for place, _, hand in seen]),
        presence[:, 0],
        right[:, 0],
    )


def choose_hands(hands: Hands, *, score_threshold: float, limit: int) -> Hands:
    """Return the hands that are present, each once, best first; two palms may give one hand."""
    sure = hands.at(np.nonzero(hands.presence >= score_threshold)[0].tolist())
    around = [box_around(hand_region(points).corners()) for points in sure.points]
    boxes = np.reshape(around, (-1, 4))
    return sure.at(suppress(boxes, sure.presence, iou_threshold=_SAME, limit=limit))


def to_hands(hands: Hands) -> list[Hand]:
    """Return results of plain Python values."""
    return [
        {
            "score": score,
            "keypoints": to_keypoints(HAND_21.names, points, score),  # each with that of the hand
            "box": to_box(box_around(points[:, :2])),
            "handedness": "right" if right >= 0.5 else "left",
            "handedness_score": max(right, 1 - right),
            "world": to_world(HAND_21.names, world),
        }
        for points, world, score, right in zip(
            hands.points, hands.world, hands.presence.tolist(), hands.right.tolist(), strict=True
        )
    ]
