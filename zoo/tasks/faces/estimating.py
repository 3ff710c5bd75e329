"""Base of all face models: finds faces, then their points, then the other requested results."""

from collections.abc import Sequence
from functools import partial
from itertools import chain, zip_longest
from typing import Any, NamedTuple, cast

import numpy as np

from weights_cache.common.errors import ZooError
from zoo.pipeline.model import Model
from zoo.pipeline.verb_signatures import ImageSource, model_verb
from zoo.results.vocabulary import Face
from zoo.shared.anchors import Candidates, candidates_for
from zoo.shared.drafts import Draft, as_items
from zoo.shared.skeletons import MESH_468_PATHS
from zoo.tasks.faces.face_api_decode import CONTOURS as CONTOURS_68
from zoo.tasks.faces.face_api_decode import EXPRESSIONS, GENDERS, View, aligned_box, find_labels

#: Keypoints of BlazeFace, as MediaPipe and tfjs-models name them; sides are the subject's own.
POINTS_6 = (
    "right_eye",
    "left_eye",
    "nose_tip",
    "mouth_center",
    "right_ear_tragion",
    "left_ear_tragion",
)

#: Keypoints of YuNet, in its order.
POINTS_5 = ("right_eye", "left_eye", "nose_tip", "right_mouth_corner", "left_mouth_corner")

#: Points of an eye, in the order of MediaPipe's network; inner is towards the nose.
_IRIS = ("center", "inner", "top", "outer", "bottom")

#: Kind of points -> name of each.
NAMES = {
    "points5": POINTS_5,
    "points6": POINTS_6,
    "points68": tuple(f"{name}_{i}" for name, of in CONTOURS_68.items() for i in range(len(of))),
    "mesh468": tuple(f"mesh_{i}" for i in range(468)),
    "left_iris": tuple(f"left_iris_{name}" for name in _IRIS),
    "right_iris": tuple(f"right_iris_{name}" for name in _IRIS),
    "": (),
}


def _contours_of(name: str, paths: Sequence[tuple[int, ...]]) -> dict[str, tuple[int, ...]]:
    """Return the closed contour of two paths: along the lower one and back along the upper one.

    Of lips there are two, the outer and the inner one.
    """
    pairs = zip_longest(paths[::2], paths[1::2], fillvalue=())
    rings = [tuple(dict.fromkeys((*lower, *reversed(upper)))) for lower, upper in pairs]
    contours = {name: tuple(chain(*rings))}
    if len(rings) > 1:
        contours |= {f"{name}_outer": rings[0], f"{name}_inner": rings[1]}
    return contours


#: Kind of points -> contour -> indices of its points in their order along it, left and right being
#: the subject's own.
CONTOURS: dict[str, dict[str, tuple[int, ...]]] = {
    "points68": {
        **{name: tuple(indices) for name, indices in CONTOURS_68.items()},
        "lips_outer": tuple(range(48, 60)),
        "lips_inner": tuple(range(60, 68)),
    },
    "mesh468": {
        contour: indices
        for name, paths in MESH_468_PATHS.items()
        for contour, indices in _contours_of(name, paths).items()
    },
}


class Located(NamedTuple):
    """Faces of an image with their points, best first."""

    found: Candidates  # by the detector; the boxes may be better ones
    points: np.ndarray  # [n, points, 2 or 3], in pixels of the image
    scores: np.ndarray  # [n], of the points, 0..1

    def at(self, indices: Sequence[int]) -> "Located":
        """Return the faces at some indices."""
        chosen = list(indices)
        if chosen == [*range(len(self.scores))]:
            return self
        return Located(self.found.at(chosen), self.points[chosen], self.scores[chosen])


class FaceModel(Model):
    """A model that gives the positions of points of faces."""

    kind = ""  # kind of points, one of `NAMES`
    rejects = False  # whether `locate` may leave faces out
    sees_irises = False  # whether the network itself does

    def locate(self, image: np.ndarray, found: Candidates) -> Located:
        """Return the points of the candidates, at least one, that the model takes for faces."""
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
        """Return the faces in an image; see `zoo.estimate_faces`."""
        if iris and not self.sees_irises and "iris" not in self.entry.parts:
            raise ZooError(
                f"iris=True needs the mesh, which {self.name} does not give: use landmarks='mesh' "
                "or model='facemesh.base'"
            )
        estimate = partial(
            self._estimate,
            limit=max_faces,
            score_threshold=score_threshold,
            iou_threshold=iou_threshold,
            iris=iris,
            expressions=expressions,
            age_gender=age_gender,
        )
        return self.run_each(image, estimate, mirror=mirror)

    def _estimate(
        self,
        image: np.ndarray,
        *,
        limit: int | None,
        score_threshold: float | None,
        iou_threshold: float | None,
        **wanted: bool,
    ) -> list[Face]:
        """Return the faces in an image, at most so many, with the results that are wanted."""
        located = self._locate_all(
            image, limit=limit, score_threshold=score_threshold, iou_threshold=iou_threshold
        )
        return cast("list[Face]", as_items(self.drafts_of(image, located, **wanted)))

    def drafts_of(
        self,
        image: np.ndarray,
        located: Located,
        *,
        iris: bool,
        expressions: bool,
        age_gender: bool,
    ) -> list[Draft]:
        """Return drafts of the results of located faces, with other requested results."""
        if not len(located.scores):
            return []
        faces = to_drafts(self.mesh_of(located), self.kind)
        further = [cast("dict[str, Any]", face.more) for face in faces]
        if iris:
            for more, eyes in zip(further, self.eyes(image, located), strict=True):
                more["iris"], more["eye_openness"] = eyes
        if expressions or age_gender:
            views = self.aligned_views(image, located)
            self._add_labels(further, views, expressions=expressions, age_gender=age_gender)
        return faces

    def mesh_of(self, located: Located) -> Located:
        """Return faces with the points that are of the kind alone."""
        return located

    def eyes(self, image: np.ndarray, located: Located) -> Any:
        """Return the eyes of each face, `irises.Eyes`."""
        return self.part("iris").look(image, located)

    def _locate_all(self, image: np.ndarray, *, limit: int | None, **thresholds: Any) -> Located:
        """Return all faces of an image, or so many of them."""
        most = candidates_for(limit) if limit is not None and self.rejects else limit
        found = self.detector.find(image, limit=most, **thresholds)
        if not len(found.scores):
            return Located(found, found.points, found.scores)
        located = self.locate(image, found)
        return located.at(range(len(located.scores))[:limit])

    @property
    def detector(self) -> Any:
        """Return the model that finds the faces."""
        return self.part("detector")

    def views(self, image: np.ndarray, located: Located) -> list[View]:
        """Return the faces for networks that need upright faces."""
        return [View(image, box) for box in located.found.boxes]

    def aligned_views(self, image: np.ndarray, located: Located) -> list[View]:
        """Return the views that face-api.js takes by its 68 points, in place of the result's."""
        views = self.views(image, located)
        faces = zip(views, self.part("points68").find_points(views), strict=True)
        return [View(view.image, aligned_box(points)) for view, points in faces]

    def _add_labels(
        self, faces: list[dict[str, Any]], views: list[View], *, expressions: bool, age_gender: bool
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
    """Return results of plain Python values."""
    return cast("list[Face]", as_items(to_drafts(located, kind)))


def to_drafts(located: Located, kind: str) -> list[Draft]:
    """Return the drafts of results."""
    scores, boxes, _ = located.found
    faces = zip(scores.tolist(), boxes, located.points, located.scores.tolist(), strict=True)
    return [
        Draft(score, box, NAMES[kind], points, score_of_points, _facts_of(kind))
        for score, box, points, score_of_points in faces
    ]


def _facts_of(kind: str) -> dict[str, Any]:
    """Return what results say of a kind of points."""
    facts: dict[str, Any] = {"landmarks": kind} if kind else {}
    if kind in CONTOURS:
        facts["contours"] = {name: list(indices) for name, indices in CONTOURS[kind].items()}
    return facts
