"""Faces from frame to frame: the mesh of a frame gives the region of the next one.

Source: MediaPipe's face_landmark_front graph.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any, cast

import numpy as np

from zoo.pipeline.following import Search, new_regions
from zoo.results.vocabulary import Face
from zoo.shared.anchors import Candidates, candidates_for
from zoo.shared.drafts import Draft, as_items
from zoo.tasks.faces.estimating import Located
from zoo.tasks.faces.mesh import LOOKS, FaceMesh, closer_region, face_region, once


class MeshFollower:
    """Follows faces by the options of `zoo.estimate_faces`; scores are those of their detection."""

    def __init__(self, model: FaceMesh, options: Mapping[str, Any]):
        self._model, self._search = model, Search()
        self._most: int | None = options["max_faces"]
        self._detect = partial(
            model.detector.find,
            limit=None if self._most is None else candidates_for(self._most),
            score_threshold=options["score_threshold"],
            iou_threshold=options["iou_threshold"],
        )
        self._wanted = {name: options[name] for name in ("iris", "expressions", "age_gender")}
        self._last: Located | None = None

    def __call__(self, image: np.ndarray, time: float) -> list[Face]:
        """Return the faces in a frame, as `zoo.estimate_faces` does."""
        return cast("list[Face]", as_items(self.drafts(image, time)))

    def drafts(self, image: np.ndarray, time: float) -> list[Draft]:
        """Return the drafts of the faces in a frame."""
        followed = 0 if self._last is None else len(self._last.scores)
        detects = self._search.is_due(time, followed, self._most, image)
        located = self._look(image, self._last, detects)
        if len(located.scores) < followed and self._search.is_due_after_loss(time):
            located = self._look(image, located, True)
        self._last = located
        return self._model.drafts_of(image, located, **self._wanted)

    def _look(self, image: np.ndarray, last: Located | None, detects: bool) -> Located:
        """Return the faces that are followed, and those that the detector adds."""
        known = last if last is not None and len(last.scores) else None
        fresh = self._fresh(image, known) if detects else None
        if known is None or fresh is None:
            located = known or fresh or self._nothing()
        else:
            located = joined(known, fresh)
        located = once(self._model.closer_look(image, located))
        return located.at(range(len(located.scores))[: self._most])

    def _fresh(self, image: np.ndarray, known: Located | None) -> Located | None:
        """Return the detected faces that are not followed yet, by all looks but the last."""
        found = self._detect(image)
        regions = [face_region(*pair) for pair in zip(found.boxes, found.points, strict=True)]
        followed = [closer_region(mesh) for mesh in known.points] if known else []
        new = [regions.index(region) for region in new_regions(regions, followed)]
        if not new:
            return None
        located = self._model.first_look(image, found.at(new))
        for _ in range(LOOKS - 2):
            located = self._model.closer_look(image, located)
        return located if len(located.scores) else None

    def _nothing(self) -> Located:
        nobody = Candidates(np.empty(0), np.empty((0, 4)), np.empty((0, 0, 2)))
        return Located(nobody, np.empty((0, 468, 3)), np.empty(0))


def joined(one: Located, other: Located) -> Located:
    """Return the faces of both."""
    found = (np.concatenate(pair) for pair in zip(one.found, other.found, strict=True))
    points, scores = (np.concatenate(pair) for pair in zip(one[1:], other[1:], strict=True))
    return Located(Candidates(*found), points, scores)
