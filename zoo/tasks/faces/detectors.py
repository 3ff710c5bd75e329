"""Face detectors: MediaPipe's BlazeFace, alone or refined, and the tiny one of face-api.js."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from zoo.catalog.entry import Entry
from zoo.catalog.option import OWN
from zoo.pipeline.detector import BoxDetector
from zoo.pipeline.model import Outputs
from zoo.pipeline.verb_signatures import ImageSource, model_verb
from zoo.results.vocabulary import Face
from zoo.shared.anchors import AnchorGrid, Candidates, find_candidates
from zoo.shared.placement import Placement, Region, region_of_box
from zoo.tasks.faces.entries import Refinement
from zoo.tasks.faces.estimating import FaceModel, Located, to_faces
from zoo.tasks.faces.face_api_decode import find_faces

#: The placement of positions that are the image's already.
WHOLE = Placement.of_scale(1.0, 1.0, 0.0, 0.0)


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
        """Return the faces in an image; see `zoo.detect_faces`."""
        detect = partial(
            self._detect_faces,
            score_threshold=score_threshold,
            iou_threshold=iou_threshold,
            limit=max_faces,
        )
        return self.run_each(image, detect, mirror=mirror)

    def _detect_faces(self, image: np.ndarray, **options: Any) -> list[Face]:
        """Return the faces in an image, by the options of `find`."""
        return to_faces(self.locate(image, self.find(image, **options)), self.kind)

    @property
    def detector(self) -> "FaceDetector":
        """Return the model itself."""
        return self

    def locate(self, image: np.ndarray, found: Candidates) -> Located:
        """Return the points of the detector itself."""
        return Located(found, found.points, found.scores)


class BlazeFace(FaceDetector):
    """A loaded BlazeFace."""

    kind = "points6"


class RefinedBlazeFace(FaceDetector):
    """A loaded BlazeFace for near faces that looks at each face which another detector proposes.

    The other detector sees small faces, but places their boxes badly, and proposes much else.
    Enlarged, each proposal is a face near the camera, or no face.

    In inverted faces both networks see upright ones, with a lower score than either has for faces
    that are. So what is not surely upright is also looked at upside down.
    """

    kind = "points6"

    def candidates(
        self, image: np.ndarray, score_threshold: float, size: tuple[int, int] | None = None
    ) -> tuple[Candidates, Placement]:
        """Return the faces that the network confirms in the regions of the proposed ones."""
        how: Refinement = self.entry.decode
        detector, least = self.part("detector"), how.proposal_threshold
        proposals = detector.find(image, score_threshold=least, size=size)
        regions = [region_of_box(box).squared().scaled(how.scale) for box in proposals.boxes]
        if not regions:
            return proposals, WHOLE
        looks = self._looks(image, regions, score_threshold)
        unsure = [i for i, look in enumerate(looks) if _score(look) < how.sure]
        inverted = [regions[i]._replace(rotation=math.pi) for i in unsure]
        for i, look in zip(unsure, self._looks(image, inverted, score_threshold), strict=True):
            known = len(looks[i].scores) > 0
            least = _score(looks[i]) + how.margin if known else how.inverted_threshold
            if _score(look) >= least:
                looks[i] = look
        return joined(looks), WHOLE

    def _looks(
        self, image: np.ndarray, regions: Sequence[Region], score_threshold: float
    ) -> list[Candidates]:
        """Return what the network confirms in each region: a face or none."""
        if not regions:
            return []
        seen = seen_in(self, image, regions, self.entry.decode.grid, score_threshold)
        pairs = zip(seen, regions, strict=True)
        return [_best_within(found, region, self.entry.decode) for found, region in pairs]


def seen_in(
    model: FaceDetector,
    image: np.ndarray,
    regions: Sequence[Region],
    grid: AnchorGrid,
    score_threshold: float,
) -> Iterator[Candidates]:
    """Yield what a network sees in each of some regions, at least one, in pixels of the image."""
    outputs, placements = model.run_on_regions(image, regions)
    for i, placement in enumerate(placements):
        of_one = {name: values[i : i + 1] for name, values in outputs.items()}
        yield find_candidates(of_one, grid, score_threshold=score_threshold).in_image(placement)


def joined(looks: Iterable[Candidates]) -> Candidates:
    """Return the faces of at least one look as one."""
    return Candidates(*(np.concatenate(arrays) for arrays in zip(*looks, strict=True)))


def _score(look: Candidates) -> float:
    """Return the score of the one face of a look, 0 without any."""
    return float(look.scores.max(initial=0.0))


def _best_within(found: Candidates, region: Region, how: Refinement) -> Candidates:
    """Return the surest face near the middle of a region, or none; others have own regions."""
    middles = (found.boxes[:, :2] + found.boxes[:, 2:]) / 2
    away = np.hypot(middles[:, 0] - region.x, middles[:, 1] - region.y)
    near = np.nonzero(away <= how.reach * region.width / how.scale)[0]
    return found.at(near[np.argsort(-found.scores[near])][:1].tolist())


class TinyFaceDetector(FaceDetector):
    """The loaded tiny detector of face-api.js, whose faces have no keypoints."""

    @classmethod
    def input_size_of(cls, entry: Entry, options: Mapping[str, Any]) -> tuple[int, int]:
        """Return the height and width that images are resized to."""
        return options["input_size"], options["input_size"]

    def decode(self, outputs: Outputs, *, score_threshold: float) -> Candidates:
        """Return the faces in the network's input, in pixels of the input."""
        return find_faces(outputs, score_threshold=score_threshold)
