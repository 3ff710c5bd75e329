"""Base of all models of faces: finds faces, then their points, then the other results requested."""

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from weights_cache.errors import ZooError
from zoo.faces.face_api_decode import EXPRESSIONS, GENDERS, View, aligned_box, find_labels
from zoo.faces.face_points import CONTOURS, to_keypoints
from zoo.pipeline.model import Model
from zoo.pipeline.verb_signatures import ImageSource, model_verb
from zoo.results import Face
from zoo.shared.anchors import Candidates, candidates_for
from zoo.shared.boxes import to_box


class Located(NamedTuple):
    """Faces of an image with their points, best first."""

    found: Candidates  # by the detector; the boxes may be better ones
    points: np.ndarray  # [n, points, 2 or 3], in pixels of the image
    scores: np.ndarray  # [n], of the points, 0..1

    def at(self, indices: Sequence[int]) -> "Located":
        """Return the faces at some indices."""
        chosen = list(indices)
        return Located(self.found.at(chosen), self.points[chosen], self.scores[chosen])


class FaceModel(Model):
    """A model that says where the points of faces are."""

    kind = ""  # of its points: see zoo.faces.face_points; "": it gives none
    rejects = False  # whether `locate` may leave faces out

    def locate(self, image: np.ndarray, found: Candidates) -> Located:
        """The points of some faces, at least one; those that it takes for no faces are left out."""
        raise NotImplementedError

    @model_verb
    def estimate_faces(
        self,
        image: ImageSource,
        *,
        iris: bool = False,
        expressions: bool = False,
        age_gender: bool = False,
        max_faces: int | None = None,
        score_threshold: float | None = None,
        iou_threshold: float | None = None,
        mirror: bool = False,
    ) -> list[Face]:
        """The faces in an image; see `zoo.estimate_faces`."""
        if iris and "iris" not in self.entry.parts:
            raise ZooError(
                f"iris=True needs the mesh, which {self.name} does not give: use landmarks='mesh' "
                "or model='facemesh.base'"
            )
        locate = partial(
            self._locate_all,
            limit=max_faces,
            score_threshold=score_threshold,
            iou_threshold=iou_threshold,
        )

        def estimate(image: np.ndarray) -> list[Face]:
            located = locate(image)
            if not len(located.scores):
                return []
            faces = to_faces(located, self.kind)
            if iris:
                self._add_irises(faces, image, located)
            if expressions or age_gender:
                views = self.aligned_views(image, located)
                self._add_labels(faces, views, expressions=expressions, age_gender=age_gender)
            return faces

        return self.run(image, estimate, mirror=mirror)

    def _locate_all(self, image: np.ndarray, *, limit: int | None, **thresholds: Any) -> Located:
        """All faces of an image, or so many of them."""
        most = limit
        if limit is not None and self.rejects:
            most = candidates_for(limit)
        found = self.detector.find(image, limit=most, **thresholds)
        if not len(found.scores):
            return Located(found, found.points, found.scores)
        located = self.locate(image, found)
        return located.at(range(len(located.scores))[:limit])

    @property
    def detector(self) -> Any:
        """The model that finds the faces."""
        return self.part("detector")

    def _add_irises(self, faces: list[Face], image: np.ndarray, located: Located) -> None:
        for face, iris in zip(faces, self.part("iris").look(image, located), strict=True):
            face["iris"] = iris

    def views(self, image: np.ndarray, located: Located) -> list[View]:
        """The faces as networks take them that want them upright."""
        return [View(image, box) for box in located.found.boxes]

    def aligned_views(self, image: np.ndarray, located: Located) -> list[View]:
        """Return the views that face-api.js takes by its 68 points, in place of the result's."""
        views = self.views(image, located)
        faces = zip(views, self.part("points68").find_points(views), strict=True)
        return [View(view.image, aligned_box(points)) for view, points in faces]

    def _add_labels(
        self, faces: list[Face], views: list[View], *, expressions: bool, age_gender: bool
    ) -> None:
        if expressions:
            seen, _ = self.part("expressions").read(views)
            for face, logits in zip(faces, seen["expressions"], strict=True):
                face["expressions"] = find_labels(logits, EXPRESSIONS)
        if age_gender:
            seen, _ = self.part("age_gender").read(views)
            for face, age, logits in zip(faces, seen["age"], seen["gender"], strict=True):
                face["age"] = float(age[0])
                face["gender"] = find_labels(logits, GENDERS)[0]


def to_faces(located: Located, kind: str) -> list[Face]:
    """Results of plain Python values."""
    (scores, boxes, _), points, scores_of_points = located
    return [
        _to_face(kind, *of_face)
        for of_face in zip(scores, boxes, points, scores_of_points, strict=True)
    ]


def _to_face(
    kind: str, score: float, box: np.ndarray, points: np.ndarray, score_of_points: float
) -> Face:
    face: Face = {
        "score": float(score),
        "box": to_box(box),
        "keypoints": to_keypoints(kind, points, float(score_of_points)),
    }
    if kind:
        face["landmarks"] = kind
    if kind in CONTOURS:
        face["contours"] = {name: list(indices) for name, indices in CONTOURS[kind].items()}
    return face
