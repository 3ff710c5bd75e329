"""YOLO networks from files that find people, or other bodies, with keypoints."""

from functools import partial

import numpy as np

from zoo.catalog.option import OWN
from zoo.pipeline.model import Outputs
from zoo.pipeline.verb_signatures import ImageSource, model_verb
from zoo.pipeline.yolo import YoloModel
from zoo.results.vocabulary import Pose
from zoo.shared.placement import Placement
from zoo.shared.pose_results import pose_of
from zoo.shared.skeletons import BODY_17
from zoo.tasks.pose.deduplication import nobody


class YoloPoseModel(YoloModel):
    """A YOLO network that finds bodies with keypoints; `detect` gives their boxes."""

    place = "pose", "yolo:YoloPoseModel"

    @model_verb
    def estimate_single_pose(
        self, image: ImageSource, *, score_threshold: float = OWN, mirror: bool = False
    ) -> Pose:
        """Return the pose with the best score; see `zoo.estimate_single_pose`."""
        decode = partial(self._poses, score_threshold=score_threshold, limit=1)

        def best(image: np.ndarray, outputs: Outputs, placement: Placement) -> Pose:
            return next(iter(decode(image, outputs, placement)), None) or nobody()

        return self.run(image, best, mirror=mirror)

    @model_verb
    def estimate_multiple_poses(
        self,
        image: ImageSource,
        *,
        max_poses: int = 20,
        score_threshold: float = OWN,
        mirror: bool = False,
    ) -> list[Pose]:
        """Return the poses in an image, best first; see `zoo.estimate_multiple_poses`."""
        decode = partial(self._poses, score_threshold=score_threshold, limit=max_poses)
        return self.run(image, decode, mirror=mirror)

    @property
    def point_names(self) -> tuple[str, ...]:
        """Names of the keypoints: those of COCO, or of the file, or numbers from 0 on."""
        count = self.facts.points
        if self.facts.point_names:
            return self.facts.point_names
        is_body = count == len(BODY_17.names)
        return BODY_17.names if is_body else tuple(f"point_{i}" for i in range(count))

    def numbers_of(self, outputs: Outputs) -> int:
        """Return how many numbers the keypoints of a row have."""
        return self.facts.points * self.facts.values

    def _poses(
        self,
        image: np.ndarray,
        outputs: Outputs,
        placement: Placement,
        *,
        score_threshold: float,
        limit: int,
    ) -> list[Pose]:
        """Return the poses in an image; the score of a point that has none is that of the body."""
        overlap = self.entry.defaults["iou_threshold"]
        rows = self.found(outputs, range(len(self.labels)), score_threshold, overlap, limit)
        points = rows.more.reshape(-1, self.facts.points, self.facts.values)
        places = placement.points_to_image(points[..., :2])
        of_body = np.broadcast_to(rows.scores[:, None], points.shape[:2])
        scores = points[..., 2] if self.facts.values > 2 else of_body
        return [
            pose_of(self.point_names, xy, sure, score=score, image=image.shape[:2])
            for xy, sure, score in zip(places, scores, rows.scores.tolist(), strict=True)
        ]
