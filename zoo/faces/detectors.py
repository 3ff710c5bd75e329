"""Face detectors: MediaPipe's BlazeFace, and the tiny one of face-api.js."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from zoo.detector import AnchorDetector, BoxDetector
from zoo.entry import Entry
from zoo.faces.estimating import FaceModel, Located, checked_limits, to_faces
from zoo.faces.face_api_decode import find_faces
from zoo.results import Face
from zoo.runner import Outputs
from zoo.shared.anchors import Candidates
from zoo.signatures import ImageSource, model_verb


class FaceDetector(BoxDetector, FaceModel):
    """A loaded detector of faces, whose own keypoints, if any, are their points."""

    @model_verb
    def detect_faces(
        self,
        image: ImageSource,
        *,
        max_faces: int | None = None,
        score_threshold: float | None = None,
        iou_threshold: float | None = None,
        mirror: bool = False,
    ) -> list[Face]:
        """The faces in a picture; see `zoo.detect_faces`."""
        limits = checked_limits(max_faces, score_threshold, iou_threshold)

        def estimate(photo: np.ndarray) -> list[Face]:
            return to_faces(self.locate(photo, self.find(photo, **limits)), self.kind)

        return self.run(image, estimate, mirror=mirror)

    @property
    def detector(self) -> "FaceDetector":
        """Itself."""
        return self

    def locate(self, photo: np.ndarray, found: Candidates) -> Located:
        """The points that it has found already."""
        return Located(found, found.points, found.scores)


class BlazeFace(AnchorDetector, FaceDetector):
    """A loaded BlazeFace."""

    kind = "points6"


class TinyFaceDetector(FaceDetector):
    """The loaded tiny detector of face-api.js, whose faces have no keypoints."""

    @classmethod
    def input_size_of(cls, entry: Entry, options: Mapping[str, Any]) -> tuple[int, int]:
        """Height and width that pictures are brought to."""
        return options["input_size"], options["input_size"]

    def decode(self, outputs: Outputs, *, score_threshold: float) -> Candidates:
        """What it sees in its input, in pixels of that."""
        return find_faces(outputs, score_threshold=score_threshold)
