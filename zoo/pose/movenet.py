"""MoveNet: one person, looked at twice; several people, whom a detector finds first."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from zoo.options import check_number, refuse_options
from zoo.pose.movenet_decode import (
    Body,
    each_once,
    read_body,
    region_around,
    region_of_person,
    to_pose,
)
from zoo.pose.outputs import MoveNetNodes
from zoo.preprocess import prepare, prepare_crops
from zoo.results import Pose
from zoo.runner import Model
from zoo.shared.placement import Placement
from zoo.shared.regions import Region


class MoveNetModel(Model):
    """A loaded MoveNet for one person at a time, with the person detector of its option."""

    def estimate_single_pose(
        self, image: Any, *, second_look: bool = True, mirror: bool = False, **unknown: Any
    ) -> Pose | Iterator[Pose]:
        """The pose of the person most in the middle; see `zoo.estimate_single_pose`."""
        refuse_options(self.estimate_single_pose, unknown)
        return self.run(image, partial(self._single, second_look=second_look), mirror=mirror)

    def estimate_multiple_poses(
        self,
        image: Any,
        *,
        max_poses: int = 5,
        score_threshold: float = 0.25,
        detector_threshold: float = 0.5,
        mirror: bool = False,
        **unknown: Any,
    ) -> list[Pose] | Iterator[list[Pose]]:
        """The poses of several people; see `zoo.estimate_multiple_poses`."""
        refuse_options(self.estimate_multiple_poses, unknown)
        detect = partial(
            self.part("detector").detect,
            labels=["person"],
            max_detections=check_number("max_poses", max_poses, low=1, whole=True),
            score_threshold=check_number("detector_threshold", detector_threshold, low=0, high=1),
        )
        least = check_number("score_threshold", score_threshold, low=0, high=1)

        def estimate(photo: np.ndarray) -> list[Pose]:
            boxes = [found["box"] for found in detect(photo)]
            bodies = self._look_closer(photo, [region_of_person(box) for box in boxes])
            return [
                {**to_pose(bodies[i]), "box": boxes[i]}
                for i in each_once(bodies)
                if bodies[i].score >= least
            ]

        return self.run(image, estimate, mirror=mirror)

    def _single(self, photo: np.ndarray, second_look: bool) -> Pose:
        values, placement = prepare(photo, self.entry.preprocess, self.input_size)
        [body] = self._bodies(values, [placement])
        region = region_around(body, photo.shape[:2]) if second_look else None
        if region is not None:
            [closer] = self._look_closer(photo, [region])
            body = closer if closer.has_torso else body
        return to_pose(body)

    def _look_closer(self, photo: np.ndarray, regions: Sequence[Region]) -> list[Body]:
        if not regions:
            return []
        return self._bodies(*prepare_crops(photo, self.entry.preprocess, self.input_size, regions))

    def _bodies(self, values: np.ndarray, placements: Sequence[Placement]) -> list[Body]:
        """Who is in each input of a batch: the convolutions see all at once, the rest one each."""
        network, wanted = self.network, self.entry.output
        nodes: MoveNetNodes = self.entry.decode
        heads = network.execute({nodes.pixels: values.astype(np.float32)}, nodes.heads)
        arrays = {name: tensor.numpy() for name, tensor in heads.items()}
        bodies = []
        for i, placement in enumerate(placements):
            of_one = {name: array[i : i + 1] for name, array in arrays.items()}
            output = network.execute(of_one, [wanted])[wanted].numpy()
            bodies.append(read_body(output, self.input_size[0], placement))
        return bodies
