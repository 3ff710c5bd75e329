"""MoveNet: one person, in two passes; several people, whom a detector finds first."""

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from zoo.option import OWN
from zoo.pipeline.model import MOST_CROPS, Model
from zoo.pipeline.preprocess import prepare_crops
from zoo.pipeline.verb_signatures import ImageSource, model_verb
from zoo.pose.deduplication import choose_people, nobody
from zoo.pose.movenet_decode import (
    BodyPoints,
    read_body,
    region_around,
    region_of_person,
    to_pose,
)
from zoo.pose.network_outputs import MoveNetNodes
from zoo.results import Pose
from zoo.shared.anchors import candidates_for
from zoo.shared.crop_regions import Region


class MoveNetModel(Model):
    """A loaded MoveNet for one person at a time, with the person detector of its option."""

    @property
    def nodes(self) -> MoveNetNodes:
        """Nodes between which several images may go."""
        nodes: MoveNetNodes = self.entry.decode
        return nodes

    @model_verb
    def estimate_single_pose(
        self,
        image: ImageSource,
        *,
        score_threshold: float = OWN,
        refine: bool = True,
        mirror: bool = False,
    ) -> Pose:
        """The pose of the person most in the middle; see `zoo.estimate_single_pose`."""

        def estimate(image: np.ndarray) -> Pose:
            pose = self._single(image, refine)
            return pose if pose["score"] >= score_threshold else nobody()

        return self.run(image, estimate, mirror=mirror)

    @model_verb
    def estimate_multiple_poses(
        self,
        image: ImageSource,
        *,
        max_poses: int = 20,
        score_threshold: float = OWN,
        detector_threshold: float | None = None,
        mirror: bool = False,
    ) -> list[Pose]:
        """The poses of several people; see `zoo.estimate_multiple_poses`."""
        choose = partial(choose_people, score_threshold=score_threshold, limit=max_poses)
        detector = self.part("detector").detect
        # Of people in front of each other the boxes may be nested: `choose_people` sees who is who.
        nested = {"ios_threshold": 1.0} if "ios_threshold" in detector.__kwdefaults__ else {}
        detect = partial(
            detector,
            **nested,
            labels=["person"],
            max_detections=candidates_for(max_poses),
            score_threshold=detector_threshold,
        )

        def estimate(image: np.ndarray) -> list[Pose]:
            regions = [region_of_person(found["box"]) for found in detect(image)]
            bodies = self._bodies_in(image, regions)
            chosen = choose([body.points for body in bodies], [body.score for body in bodies])
            return [to_pose(bodies[i]) for i in chosen]

        return self.run(image, estimate, mirror=mirror)

    def _single(self, image: np.ndarray, refine: bool) -> Pose:
        outputs, placement = self.run_on_image(image)
        body = read_body(outputs[self.entry.output], self.input_size[0], placement)
        region = region_around(body, image.shape[:2]) if refine else None
        if region is not None:
            [closer] = self._bodies_in(image, [region])
            body = closer if closer.has_torso else body
        return to_pose(body)

    def _bodies_in(self, image: np.ndarray, regions: Sequence[Region]) -> list[BodyPoints]:
        """Return the body in each region, from batches of regions."""
        starts = range(0, len(regions), MOST_CROPS)
        batches = (self._batch(image, regions[i : i + MOST_CROPS]) for i in starts)
        return [body for batch in batches for body in batch]

    def _batch(self, image: np.ndarray, regions: Sequence[Region]) -> Iterator[BodyPoints]:
        """Yield the body in each region: the convolutions run on all, the last nodes on each."""
        values, placements = prepare_crops(image, self.entry.preprocess, self.input_size, regions)
        network, wanted = self.network, self.entry.output
        pixels = {self.nodes.pixels: values.astype(np.float32)}
        heads = network.execute(pixels, self.nodes.heads, as_arrays=True)
        for i, placement in enumerate(placements):
            of_one = {name: array[i : i + 1] for name, array in heads.items()}
            output = network.execute(of_one, [wanted], as_arrays=True)[wanted]
            yield read_body(output, self.input_size[0], placement)
