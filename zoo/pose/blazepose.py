"""BlazePose: a detector finds people, and 33 points of each are read from a closer look."""

from collections.abc import Callable
from functools import partial

import numpy as np

import core
from zoo.option import OWN
from zoo.pipeline.model import Model, Outputs
from zoo.pipeline.verb_signatures import ImageSource, model_verb
from zoo.pose.blazepose_decode import (
    Landmarks,
    body_region,
    in_image,
    read_field,
    read_landmarks,
    refined,
    to_pose,
)
from zoo.pose.deduplication import choose_people, nobody
from zoo.pose.network_outputs import LandmarkOutputs
from zoo.results import Pose, Segmentation
from zoo.shared.anchors import candidates_for
from zoo.shared.placement import Placement

_LIKELY = 0.5  # from which probability on a pixel is of the person


class BlazePoseModel(Model):
    """A loaded landmark network, with the person detector of its entry."""

    @property
    def meaning(self) -> LandmarkOutputs:
        """Meaning of the outputs."""
        meaning: LandmarkOutputs = self.entry.decode
        return meaning

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
        """The pose of the person most clearly seen; see `zoo.estimate_single_pose`."""
        find = self._finder(1, score_threshold, None, segmentation, probability)

        def estimate(image: np.ndarray) -> Pose:
            found = find(image)
            return found[0] if found else nobody()

        return self.run(image, estimate, mirror=mirror)

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
        """The poses of several people; see `zoo.estimate_multiple_poses`."""
        find = self._finder(
            max_poses, score_threshold, detector_threshold, segmentation, probability
        )
        return self.run(image, find, mirror=mirror)

    def _finder(
        self,
        limit: int,
        score_threshold: float,
        detector_threshold: float | None,
        segmentation: bool,
        probability: bool,
    ) -> Callable[[np.ndarray], list[Pose]]:
        """Return the function that finds the poses in an image, by the options of a verb."""
        choose = partial(choose_people, score_threshold=score_threshold, limit=limit)
        detect = partial(
            self.part("detector").find,
            score_threshold=detector_threshold,
            limit=candidates_for(limit),
        )

        def find(image: np.ndarray) -> list[Pose]:
            regions = [body_region(points) for points in detect(image).points]
            if not regions:
                return []
            outputs, placements = self.run_on_regions(image, regions)
            bodies = [self._body(outputs, *each) for each in enumerate(placements)]
            chosen = choose([body.points for body in bodies], [body.score for body in bodies])
            poses = [to_pose(bodies[i]) for i in chosen]
            if segmentation or probability:
                for i, pose in zip(chosen, poses, strict=True):
                    likely = self._likely(outputs, i, placements[i], image.shape[:2])
                    pose["segmentation"] = _segmentation(likely, probability)
            return poses

        return find

    def _body(self, outputs: Outputs, index: int, placement: Placement) -> Landmarks:
        """Return the body in a region of the batch, in pixels of the image."""
        body = read_landmarks(outputs, self.meaning, index)
        heatmap = read_field(outputs, self.meaning.heatmap, self.meaning, index)
        points = refined(body.points, heatmap, self.input_size[0])
        return in_image(body._replace(points=points), placement)

    def _likely(
        self, outputs: Outputs, index: int, placement: Placement, size: tuple[int, int]
    ) -> np.ndarray:
        """Return the probability of each pixel to belong to a region's person, [height, width]."""
        field = read_field(outputs, self.meaning.segmentation, self.meaning, index)
        return field_in_image(field[:, :, 0], placement, size)


def field_in_image(field: np.ndarray, placement: Placement, size: tuple[int, int]) -> np.ndarray:
    """A field [rows, columns] of the input as float32 [height, width] of the image, 0 around it."""
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


def _segmentation(likely: np.ndarray, probability: bool) -> Segmentation:
    found: Segmentation = {
        "mask": (likely >= _LIKELY).astype(np.uint8),
        "labels": ["background", "person"],
    }
    return {**found, "probability": likely} if probability else found
