"""Hand landmarks: palms are found first, then each hand is looked at closely."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from zoo.hands.landmarks_decode import Hands, choose_hands, hand_region, palm_regions, read_hands
from zoo.option import OWN
from zoo.pipeline.model import Model
from zoo.pipeline.verb_signatures import ImageSource, model_verb
from zoo.results import Hand, Keypoint, WorldPoint
from zoo.shared.anchors import candidates_for
from zoo.shared.boxes import box_around, to_box
from zoo.shared.crop_regions import Region
from zoo.shared.skeletons import HAND_21

_NO_HANDS = Hands(np.empty((0, 21, 3)), np.empty((0, 21, 3)), np.empty(0), np.empty(0))


class HandModel(Model):
    """A loaded hand landmark network, with the palm detector of its option ``detector``."""

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
        """The hands in an image; see `zoo.estimate_hands`."""
        least_first = min(score_threshold, self.entry.defaults["score_threshold"])
        find = partial(
            self.part("detector").find,
            score_threshold=detector_threshold,
            iou_threshold=iou_threshold,
            limit=candidates_for(max_hands),
        )
        choose = partial(choose_hands, limit=max_hands)

        def estimate(image: np.ndarray) -> list[Hand]:
            hands = self.look(image, palm_regions(find(image)))
            if refine:  # where a hand of less than the score wanted may turn out to be surer
                hands = choose(hands, score_threshold=least_first)
                hands = self.look(image, [hand_region(points) for points in hands.points])
            return to_hands(choose(hands, score_threshold=score_threshold))

        return self.run(image, estimate, mirror=mirror)

    def look(self, image: np.ndarray, regions: Sequence[Region]) -> Hands:
        """Return the landmarks in regions of an image, hands or not, from one batch."""
        if not regions:
            return _NO_HANDS
        return read_hands(*self.run_on_regions(image, regions), self.entry.decode)


def to_hands(hands: Hands) -> list[Hand]:
    """Results of plain Python values."""
    return [_to_hand(*of_one) for of_one in zip(*hands, strict=True)]


def _to_hand(points: np.ndarray, world: np.ndarray, presence: float, right: float) -> Hand:
    score = float(presence)
    keypoints: list[Keypoint] = [
        {"part": part, "position": {"x": x, "y": y, "z": z}, "score": score}  # that of the hand
        for part, (x, y, z) in zip(HAND_21.names, points.tolist(), strict=True)
    ]
    in_metres: list[WorldPoint] = [
        {"part": part, "position": {"x": x, "y": y, "z": z}}
        for part, (x, y, z) in zip(HAND_21.names, world.tolist(), strict=True)
    ]
    return {
        "score": score,
        "keypoints": keypoints,
        "box": to_box(box_around(points[:, :2])),
        "handedness": "right" if right >= 0.5 else "left",
        "handedness_score": float(max(right, 1 - right)),
        "world": in_metres,
    }
