"""Face detectors: MediaPipe's BlazeFace, alone or refined, and the tiny one of face-api.js."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from zoo.entry import Entry
from zoo.faces.estimating import FaceModel, Located, to_faces
from zoo.faces.face_api_decode import find_faces
from zoo.faces.refinement import Refinement
from zoo.option import OWN
from zoo.pipeline.detector import AnchorDetector, BoxDetector
from zoo.pipeline.model import Outputs
from zoo.pipeline.verb_signatures import ImageSource, model_verb
from zoo.results import Face
from zoo.shared.anchors import Candidates, find_candidates
from zoo.shared.boxes import suppress
from zoo.shared.crop_regions import Region, region_of_box


class FaceDetector(BoxDetector, FaceModel):
    """A loaded detector of faces, whose own keypoints, if any, are their points."""

    @model_verb
    def detect_faces(
        self,
        image: ImageSource,
        *,
        max_faces: int | None = None,
        score_threshold: float = OWN,
        iou_threshold: float = OWN,
        mirror: bool = False,
    ) -> list[Face]:
        """The faces in an image; see `zoo.detect_faces`."""
        find = partial(
            self.find, score_threshold=score_threshold, iou_threshold=iou_threshold, limit=max_faces
        )

        def estimate(image: np.ndarray) -> list[Face]:
            return to_faces(self.locate(image, find(image)), self.kind)

        return self.run(image, estimate, mirror=mirror)

    @property
    def detector(self) -> "FaceDetector":
        """The model itself."""
        return self

    def locate(self, image: np.ndarray, found: Candidates) -> Located:
        """The points that it has found already."""
        return Located(found, found.points, found.scores)


class BlazeFace(AnchorDetector, FaceDetector):
    """A loaded BlazeFace."""

    kind = "points6"


class RefinedBlazeFace(FaceDetector):
    """A loaded BlazeFace for near faces that looks at each face which another detector proposes.

    The detector sees small faces, but places their boxes badly, and takes much else for faces.
    Enlarged, each of its proposals is a face near the camera, or none.
    """

    kind = "points6"

    def find(
        self,
        image: np.ndarray,
        *,
        score_threshold: float | None = None,
        iou_threshold: float | None = None,
        limit: int | None = None,
    ) -> Candidates:
        """Return the faces found in an image; see `BoxDetector.find`."""
        how: Refinement = self.entry.decode
        defaults = self.entry.defaults
        least = defaults["score_threshold"] if score_threshold is None else score_threshold
        most = defaults["iou_threshold"] if iou_threshold is None else iou_threshold
        proposals = self.part("detector").find(image, score_threshold=how.proposal_threshold)
        regions = [region_of_box(box).squared().scaled(how.scale) for box in proposals.boxes]
        if not regions:
            return proposals
        outputs, placements = self.run_on_regions(image, regions)
        seen = [
            find_candidates(
                {name: values[i : i + 1] for name, values in outputs.items()},
                how.grid,
                score_threshold=least,
            ).in_image(placement)
            for i, placement in enumerate(placements)
        ]
        nearest = [_best_within(*pair, how) for pair in zip(seen, regions, strict=True)]
        found = Candidates(*(np.concatenate(arrays) for arrays in zip(*nearest, strict=True)))
        return found.at(suppress(found.boxes, found.scores, iou_threshold=most, limit=limit))


def _best_within(found: Candidates, region: Region, how: Refinement) -> Candidates:
    """The surest face near the middle of a region, or none: its neighbours have their own."""
    middles = (found.boxes[:, :2] + found.boxes[:, 2:]) / 2
    away = np.hypot(middles[:, 0] - region.x, middles[:, 1] - region.y)
    near = np.nonzero(away <= how.reach * region.width / how.scale)[0]
    return found.at(near[np.argsort(-found.scores[near])][:1].tolist())


class TinyFaceDetector(FaceDetector):
    """The loaded tiny detector of face-api.js, whose faces have no keypoints."""

    @classmethod
    def input_size_of(cls, entry: Entry, options: Mapping[str, Any]) -> tuple[int, int]:
        """Height and width that images are brought to."""
        return options["input_size"], options["input_size"]

    def decode(self, outputs: Outputs, *, score_threshold: float) -> Candidates:
        """Return the faces in the network's input, in pixels of the input."""
        return find_faces(outputs, score_threshold=score_threshold)
