"""BlazePose: a detector finds people, and 33 points of each are read from a closer look.

Source: MediaPipe's pose_detection and pose_landmark graphs and their calculators
(AlignmentPointsRectsCalculator, RefineLandmarksFromHeatmapCalculator,
WorldLandmarkProjectionCalculator), as tfjs-models' BlazePose has them.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

import core
from zoo.catalog.option import OWN
from zoo.pipeline.detector import PointDetector
from zoo.pipeline.model import Model, Outputs
from zoo.pipeline.verb_signatures import ImageSource, model_verb
from zoo.results.vocabulary import Pose
from zoo.shared.anchors import Candidates, candidates_for
from zoo.shared.logistic import sigmoid
from zoo.shared.placement import Placement, Region, rotation_between
from zoo.shared.pose_results import pose_of
from zoo.shared.skeletons import BODY_33, to_world
from zoo.tasks.pose.deduplication import choose_people, nobody
from zoo.tasks.pose.entries import LandmarkOutputs

#: The detector's keypoints: between the hips, on a circle about it that holds the whole body, and
#: likewise between the shoulders, on a circle about the upper body.
DETECTOR_POINTS = ("mid_hip", "body_circle", "mid_shoulder", "upper_body_circle")

_MARGIN = 1.25  # side of a region, in diameters of the circle that holds the body
_UPRIGHT = math.pi / 2  # how the line from the hips to the circle shows in a region
_REACH = 3  # cells of the heatmap on each side of a landmark's own, that it is refined by
_SURE = 0.5  # highest cell of those from which on they refine the landmark
_LIKELY = 0.5  # from which probability on a pixel is of the person


class Landmarks(NamedTuple):
    """One person, as the landmark network sees the region."""

    score: float  # 0..1: that there is somebody
    points: np.ndarray  # [33, 3]: x, y, z, in pixels
    visibility: np.ndarray  # [33], 0..1: neither out of the image nor hidden
    presence: np.ndarray  # [33], 0..1: not out of the image
    world: np.ndarray  # [33, 3], metres
    guides: np.ndarray  # [2, 3]: the first two of `DETECTOR_POINTS`, for the next frame

    def in_image(self, placement: Placement) -> "Landmarks":
        """Return the landmarks in pixels of the image, and world points along its axes."""
        points, guides = placement.in_space(self.points), placement.in_space(self.guides)
        return self._replace(points=points, guides=guides, world=placement.turned(self.world))


class BlazePoseDetector(PointDetector):
    """A loaded person detector.

    Its keypoints are `DETECTOR_POINTS`. The box is the square around the circle of the whole body,
    which may reach out of the image. Duplicates are found by their faces: ``iou_threshold`` is for
    the boxes of faces.
    """

    label = "person"
    point_names = DETECTOR_POINTS

    def boxes_of(self, found: Candidates) -> np.ndarray:
        """Return the boxes of whole bodies, not of faces."""
        return body_boxes(found.points)


class BlazePoseModel(Model):
    """A loaded landmark network, with the person detector of its entry."""

    followers = dict.fromkeys(
        ("estimate_single_pose", "estimate_multiple_poses"),
        "zoo.tasks.pose.following:BlazePoseFollower",
    )

    @property
    def meaning(self) -> LandmarkOutputs:
        """Meaning of the outputs."""
        meaning: LandmarkOutputs = self.entry.decode
        return meaning

    @property
    def output_names(self) -> list[str]:
        """Outputs for a pose: the segmentation, which takes a third of the time, on request."""
        return [name for name in super().output_names if name != self.meaning.segmentation]

    @model_verb
    def estimate_single_pose(
        self,
        image: ImageSource,
        *,
        score_threshold: float = OWN,
        segmentation: bool = False,
        probability: bool = False,
        mirror: bool = False,
    ) -> Pose:
        """Return the pose of the person most clearly seen; see `zoo.estimate_single_pose`."""
        estimate = partial(
            self._single_pose,
            self.part("detector"),
            limit=1,
            score_threshold=score_threshold,
            detector_threshold=None,
            segmentation=segmentation,
            probability=probability,
        )
        return self.run_each(image, estimate, mirror=mirror)

    @model_verb
    def estimate_multiple_poses(
        self,
        image: ImageSource,
        *,
        max_poses: int = 20,
        score_threshold: float = OWN,
        detector_threshold: float | None = None,
        segmentation: bool = False,
        probability: bool = False,
        mirror: bool = False,
    ) -> list[Pose]:
        """Return the poses of several people; see `zoo.estimate_multiple_poses`."""
        estimate = partial(
            self._multiple_poses,
            self.part("detector"),
            limit=max_poses,
            score_threshold=score_threshold,
            detector_threshold=detector_threshold,
            segmentation=segmentation,
            probability=probability,
        )
        return self.run_each(image, estimate, mirror=mirror)

    def _single_pose(self, detector: BlazePoseDetector, image: np.ndarray, **options: Any) -> Pose:
        """Return the best pose in an image, by the options of `_multiple_poses`."""
        return (self._multiple_poses(detector, image, **options) or [nobody()])[0]

    def _multiple_poses(
        self,
        detector: BlazePoseDetector,
        image: np.ndarray,
        *,
        limit: int,
        detector_threshold: float | None,
        **options: Any,
    ) -> list[Pose]:
        """Return the poses in an image, at most so many, by further options of `look`."""
        people = detector.find(
            image, score_threshold=detector_threshold, limit=candidates_for(limit)
        )
        regions = [body_region(points) for points in people.points]
        return self.look(image, regions, limit=limit, **options)[0]

    def look(
        self,
        image: np.ndarray,
        regions: Sequence[Region],
        *,
        limit: int,
        score_threshold: float,
        segmentation: bool,
        probability: bool,
    ) -> tuple[list[Pose], list[Region]]:
        """Return the poses in regions of an image, best first, each person once.

        Also where the people of these poses probably are in the next frame of a video.
        """
        if not regions:
            return [], []
        masked = segmentation or probability
        names = [*self.output_names, *([self.meaning.segmentation] if masked else [])]
        outputs, placements = self.run_on_regions(image, regions, names)
        bodies = [self._body(outputs, *each) for each in enumerate(placements)]
        chosen = choose_people(
            [body.points for body in bodies],
            [body.score for body in bodies],
            score_threshold=score_threshold,
            limit=limit,
        )
        poses = [to_pose(bodies[i], image.shape[:2]) for i in chosen]
        if masked:
            for i, pose in zip(chosen, poses, strict=True):
                field = read_field(outputs, self.meaning.segmentation, self.meaning, i)
                likely = field_in_image(field[:, :, 0], placements[i], image.shape[:2])
                mask = (likely >= _LIKELY).astype(np.uint8)
                pose["segmentation"] = {"mask": mask, "labels": ["background", "person"]}
                if probability:
                    pose["segmentation"]["probability"] = likely
        return poses, [body_region(bodies[i].guides) for i in chosen]

    def _body(self, outputs: Outputs, index: int, placement: Placement) -> Landmarks:
        """Return the body in a region of the batch, in pixels of the image."""
        body = read_landmarks(outputs, self.meaning, index)
        heatmap = outputs[self.meaning.heatmap][index]
        read = sigmoid if self.meaning.logits else None
        points = refined(body.points, heatmap, self.input_size[0], read)
        return body._replace(points=points).in_image(placement)


def body_region(points: np.ndarray) -> Region:
    """Return the square that holds a person upright, from `DETECTOR_POINTS` [2 or more, 2]."""
    side = 2 * float(np.hypot(*(points[1, :2] - points[0, :2])))
    rotation = rotation_between(points[0], points[1], _UPRIGHT)
    return Region(float(points[0, 0]), float(points[0, 1]), side, side, rotation).scaled(_MARGIN)


def body_boxes(points: np.ndarray) -> np.ndarray:
    """Return the squares [n, 4] around people's circles, by the detector's points [n, 4, 2]."""
    reach = np.hypot(*(points[:, 1] - points[:, 0]).T)[:, None]
    return np.concatenate([points[:, 0] - reach, points[:, 0] + reach], axis=1)


def read_landmarks(
    outputs: Mapping[str, np.ndarray], meaning: LandmarkOutputs, index: int = 0
) -> Landmarks:
    """Return the network's landmarks in a region of a batch, in pixels of its input."""
    count = len(BODY_33.names)
    every = outputs[meaning.landmarks][index].reshape(-1, 5).astype(np.float64)
    rows, guides = every[:count], every[count : count + 2, :3]
    world = outputs[meaning.world][index].reshape(-1, 3)[:count].astype(np.float64)
    chances = sigmoid(rows[:, 3:])
    score = float(outputs[meaning.presence][index, 0])
    return Landmarks(score, rows[:, :3], chances[:, 0], chances[:, 1], world, guides)


def refined(
    points: np.ndarray,
    heatmap: np.ndarray,
    size: int,
    read: Callable[[np.ndarray], np.ndarray] | None = None,
) -> np.ndarray:
    """Return points [n, 3] of the input moved to the mean of their heatmap nearby, where strong.

    The heatmap is [rows, columns, n or more]; ``size`` is that of the input's sides; ``read`` maps
    values of the heatmap to 0..1, by default they are.
    """
    rows, columns = heatmap.shape[:2]
    moved = points.copy()
    for i, (x, y) in enumerate(points[:, :2]):
        column, row = math.floor(x * columns / size), math.floor(y * rows / size)
        if not (0 <= column < columns and 0 <= row < rows):
            continue
        top, left = max(0, row - _REACH), max(0, column - _REACH)
        window = heatmap[top : row + _REACH + 1, left : column + _REACH + 1, i]
        window = window if read is None else read(window)
        if window.max() >= _SURE:
            across = window.sum(axis=0) @ (left + np.arange(window.shape[1]))
            down = window.sum(axis=1) @ (top + np.arange(window.shape[0]))
            moved[i, :2] = across * size / columns, down * size / rows
            moved[i, :2] /= window.sum()
    return moved


def read_field(
    outputs: Mapping[str, np.ndarray], name: str, meaning: LandmarkOutputs, index: int = 0
) -> np.ndarray:
    """Return a segmentation or heatmap of one region, [rows, columns, channels] in 0..1."""
    values = outputs[name][index]
    return sigmoid(values) if meaning.logits else values


def to_pose(body: Landmarks, image: tuple[int, int]) -> Pose:
    """Return a result of plain Python values, in an image of a height and width."""
    pose = pose_of(BODY_33.names, body.points, body.presence, score=body.score, image=image)
    for keypoint, visibility in zip(pose["keypoints"], body.visibility.tolist(), strict=True):
        keypoint["visibility"] = visibility
    return {**pose, "world": to_world(BODY_33.names, body.world)}


def field_in_image(field: np.ndarray, placement: Placement, size: tuple[int, int]) -> np.ndarray:
    """Return a field [rows, columns] of the input as float32 [height, width], 0 around it."""
    rows, columns = field.shape
    whole = np.zeros(size, np.float32)
    corners = np.array([[0, 0], [columns, 0], [columns, rows], [0, rows]])
    reach = placement.points_to_image(corners)
    left, top = np.clip(np.floor(reach.min(axis=0)), 0, size[::-1]).astype(int)
    right, bottom = np.clip(np.ceil(reach.max(axis=0)), 0, size[::-1]).astype(int)
    if left >= right or top >= bottom:
        return whole
    # From a pixel's number in that part of the image to one in the field: both by their centres.
    back = np.linalg.inv(np.reshape([*placement, 0, 0, 1], (3, 3)))
    start = back @ (left + 0.5, top + 0.5, 1) - 0.5
    row = [*back[0, :2], start[0], *back[1, :2], start[1], 0.0, 0.0]
    part = core.transform(
        core.tensor(field[None, :, :, None].astype(np.float32)),
        [[float(n) for n in row]],
        interpolation="bilinear",
        output_shape=(int(bottom - top), int(right - left)),
    )
    whole[top:bottom, left:right] = part.numpy()[0, :, :, 0]
    return whole
