"""Hands from frame to frame: the landmarks of a frame give the regions of the next one.

Source: MediaPipe's hand_landmark_tracking graph.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from zoo.pipeline.following import Search, new_regions
from zoo.results.vocabulary import Hand
from zoo.shared.anchors import candidates_for
from zoo.shared.placement import Region
from zoo.tasks.hands.landmarks import (
    HandModel,
    Hands,
    choose_hands,
    hand_region,
    palm_regions,
    to_hands,
)


class HandFollower:
    """Follows hands by the options of `zoo.estimate_hands`."""

    def __init__(self, model: HandModel, options: Mapping[str, Any]):
        self._model, self._search = model, Search()
        self._most: int = options["max_hands"]
        self._least: float = options["score_threshold"]
        self._refine: bool = options["refine"]
        self._find = partial(
            model.part("detector").find,
            score_threshold=options["detector_threshold"],
            iou_threshold=options["iou_threshold"],
            limit=candidates_for(self._most),
        )
        self._regions: list[Region] = []

    def __call__(self, image: np.ndarray, time: float) -> list[Hand]:
        """Return the hands in a frame, as `zoo.estimate_hands` does."""
        followed = len(self._regions)
        detects = self._search.is_due(time, followed, self._most, image)
        hands = self._look(image, self._regions, detects)
        if len(hands.presence) < followed and self._search.is_due_after_loss(time):
            regions = [hand_region(points) for points in hands.points]
            hands = self._look(image, regions, True)
        self._regions = [hand_region(points) for points in hands.points]
        return to_hands(hands)

    def _look(self, image: np.ndarray, regions: list[Region], detects: bool) -> Hands:
        """Return the hands in known regions, and in those that the detector adds."""
        fresh = new_regions(palm_regions(self._find(image)), regions) if detects else []
        if fresh and self._refine:  # as a still image: the second look is the steadier one
            first = self._choose(self._model.look(image, fresh))
            fresh = [hand_region(points) for points in first.points]
        return self._choose(self._model.look(image, [*regions, *fresh]))

    def _choose(self, hands: Hands) -> Hands:
        return choose_hands(hands, score_threshold=self._least, limit=self._most)
