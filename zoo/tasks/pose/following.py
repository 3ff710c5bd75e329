"""People from frame to frame: the pose of a frame gives the region of the next one.

Sources: MediaPipe's pose_landmark graphs for BlazePose, whose network gives two points that frame
the body; tfjs-models' MoveNet (``determineNextCropRegion``), whose crop follows the last pose.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from zoo.pipeline.following import Search, new_regions
from zoo.results.vocabulary import Pose
from zoo.shared.anchors import candidates_for
from zoo.shared.placement import Region
from zoo.tasks.pose.blazepose import BlazePoseModel, body_region
from zoo.tasks.pose.bodies import BodyPoints, region_around, to_pose
from zoo.tasks.pose.crops import CropPoseModel
from zoo.tasks.pose.deduplication import nobody
from zoo.tasks.pose.movenet import MoveNetModel


class BlazePoseFollower:
    """Follows people by the options of `zoo.estimate_single_pose` or its sister for several."""

    def __init__(self, model: BlazePoseModel, options: Mapping[str, Any]):
        self._search = Search()
        self._single = "max_poses" not in options
        self._most: int = options.get("max_poses", 1)
        self._detect = partial(
            model.part("detector").find,
            score_threshold=options.get("detector_threshold"),
            limit=candidates_for(self._most),
        )
        self._look = partial(
            model.look,
            limit=self._most,
            score_threshold=options["score_threshold"],
            segmentation=options["segmentation"],
            probability=options["probability"],
        )
        self._regions: list[Region] = []

    def __call__(self, image: np.ndarray, time: float) -> Any:
        """Return the pose or poses in a frame, as the function of `zoo` does."""
        followed = len(self._regions)
        detects = self._search.is_due(time, followed, self._most, image)
        fresh = self._fresh(image) if detects else []
        poses, regions = self._look(image, [*self._regions, *fresh])
        if len(poses) < followed and self._search.is_due_after_loss(time):
            fresh = new_regions(self._fresh(image), regions)
            if fresh:
                poses, regions = self._look(image, [*regions, *fresh])
        self._regions = regions
        return (poses or [nobody()])[0] if self._single else poses

    def _fresh(self, image: np.ndarray) -> list[Region]:
        found = [body_region(points) for points in self._detect(image).points]
        return new_regions(found, self._regions)


class MoveNetFollower:
    """Follows one person by the options of `zoo.estimate_single_pose`."""

    def __init__(self, model: MoveNetModel, options: Mapping[str, Any]):
        self._model, self._least = model, float(options["score_threshold"])
        self._region: Region | None = None

    def __call__(self, image: np.ndarray, time: float) -> Pose:
        """Return the pose in a frame, as `zoo.estimate_single_pose` does."""
        if self._region is None:
            body = self._model.body_in(image)
        else:
            [body] = self._model.bodies_in(image, [self._region])
        self._region = region_around(body, image.shape[:2])
        if body.score < self._least:
            return nobody()
        return to_pose(body, image.shape[:2])


class CropFollower:
    """Follows people by the options of `zoo.estimate_single_pose` or its sister for several."""

    def __init__(self, model: CropPoseModel, options: Mapping[str, Any]):
        self._model, self._search = model, Search()
        self._single = "max_poses" not in options
        self._most: int = options.get("max_poses", 1)
        self._detect = model.people_detector(self._most, options["detector_threshold"])
        self._least: float = options["score_threshold"]
        self._regions: list[Region] = []

    def __call__(self, image: np.ndarray, time: float) -> Any:
        """Return the pose or poses in a frame, as the function of `zoo` does."""
        followed = len(self._regions)
        detects = self._search.is_due(time, followed, self._most, image)
        bodies = self._look(image, self._regions, detects)
        if len(bodies) < followed and self._search.is_due_after_loss(time):
            bodies = self._look(image, self._next_regions(bodies, image), True)
        self._regions = self._next_regions(bodies, image)
        poses = [to_pose(body, image.shape[:2]) for body in bodies]
        return (poses or [nobody()])[0] if self._single else poses

    def _look(self, image: np.ndarray, regions: list[Region], detects: bool) -> list[BodyPoints]:
        """Return the people in known regions, and in those that the detector adds."""
        fresh = new_regions(self._detect(image), regions) if detects else []
        return self._model.people_in(
            image, [*regions, *fresh], score_threshold=self._least, limit=self._most
        )

    def _next_regions(self, bodies: list[BodyPoints], image: np.ndarray) -> list[Region]:
        """Return the regions of people in the next frame, as large as the image at most."""
        most = float(max(image.shape[:2]))
        regions = [self._model.next_region(body, image.shape[:2]) for body in bodies]
        return [region.scaled(min(1.0, most / region.height)) for region in regions]
