"""PoseNet: heatmaps, offsets and displacements of all people at once."""

from collections.abc import Mapping
from functools import partial
from numbers import Integral
from operator import attrgetter
from typing import Any

import numpy as np

from weights_cache.common.errors import ZooError
from zoo.catalog.entry import Entry
from zoo.catalog.option import OWN, Option
from zoo.pipeline.model import Model, Outputs
from zoo.pipeline.options import checked_value
from zoo.pipeline.preprocess import prepare
from zoo.pipeline.verb_signatures import ImageSource, model_verb
from zoo.results.vocabulary import Pose
from zoo.shared.anchors import candidates_for
from zoo.shared.personlab import (
    Fields,
    Points,
    decode_multiple,
    prominence,
    read_coral_fields,
    read_fields,
    to_pose,
)
from zoo.shared.placement import Placement
from zoo.tasks.pose.deduplication import MAX_POSES, nobody
from zoo.tasks.pose.entries import PoseNetSizes

_CORAL_STRIDE = 16  # pixels of the input per cell of the outputs


class PoseNetModel(Model):
    """A loaded PoseNet."""

    @classmethod
    def input_size_of(
        cls, entry: Entry, options: Mapping[str, Any], *, several: bool = False
    ) -> tuple[int, int]:
        """Return the height and width that images are resized to: a multiple of the stride, plus 1.

        Where the option ``input_size`` is None, the entry has the size for one and several people.
        """
        known: PoseNetSizes = entry.decode
        default = known.multiple_size if several else known.single_size
        chosen = options["input_size"]
        return valid_size(default if chosen is None else chosen, options["output_stride"])

    def warmup(self, *parts: str) -> float:
        """Make the network ready for one and for several people; see `Model.warmup`."""
        taken = super().warmup(*parts)
        size = self._size_for_several()
        black, _ = prepare(np.zeros((*size, 3), np.uint8), self.entry.preprocess, size)
        return taken + self.warmup_for(black)

    @model_verb
    def estimate_single_pose(
        self,
        image: ImageSource,
        *,
        score_threshold: float = OWN,
        keypoint_threshold: float = OWN,
        nms_radius: float = OWN,
        mirror: bool = False,
    ) -> Pose:
        """Return the pose of the most prominent person; see `zoo.estimate_single_pose`."""
        decode = partial(
            self._single_pose,
            score_threshold=score_threshold,
            keypoint_threshold=keypoint_threshold,
            nms_radius=nms_radius,
        )
        return self.run(image, decode, mirror=mirror)

    @model_verb
    def estimate_multiple_poses(
        self,
        image: ImageSource,
        *,
        max_poses: int = 20,
        score_threshold: float = OWN,
        keypoint_threshold: float = OWN,
        nms_radius: float = OWN,
        mirror: bool = False,
    ) -> list[Pose]:
        """Return the poses of several people; see `zoo.estimate_multiple_poses`."""
        decode = partial(
            self._multiple_poses,
            max_poses=max_poses,
            score_threshold=score_threshold,
            keypoint_threshold=keypoint_threshold,
            nms_radius=nms_radius,
        )
        return self.run(image, decode, mirror=mirror, size=self._size_for_several())

    def _single_pose(
        self, image: np.ndarray, outputs: Outputs, placement: Placement, **thresholds: float
    ) -> Pose:
        """Return the pose of the most prominent person, by the thresholds of `_people`."""
        people = self._people(outputs, MAX_POSES, **thresholds)
        if not people:
            return nobody()
        return to_pose(max(people, key=prominence), placement, image.shape[:2])

    def _multiple_poses(
        self,
        image: np.ndarray,
        outputs: Outputs,
        placement: Placement,
        *,
        max_poses: int,
        **thresholds: float,
    ) -> list[Pose]:
        """Return the poses of people, best first, by the thresholds of `_people`."""
        people = self._people(outputs, max_poses, **thresholds)
        return [to_pose(person, placement, image.shape[:2]) for person in people[:max_poses]]

    def _people(
        self,
        outputs: Outputs,
        wanted: int,
        *,
        score_threshold: float,
        keypoint_threshold: float,
        nms_radius: float,
    ) -> list[Points]:
        """Return the people in the outputs, best first, in pixels of the input.

        They are found in the order of their best keypoints, not of their scores, so that there are
        more of them than are wanted.
        """
        found = decode_multiple(
            self.fields(outputs),
            max_poses=candidates_for(wanted),
            score_threshold=keypoint_threshold,
            nms_radius=nms_radius,
        )
        people = [person for person in found if person.score >= score_threshold]
        return sorted(people, key=attrgetter("score"), reverse=True)

    def _size_for_several(self) -> tuple[int, int]:
        return self.input_size_of(self.entry, self.options, several=True)

    def fields(self, outputs: Outputs) -> Fields:
        """Return the fields of an image from the outputs of the network."""
        return read_fields(outputs, self.options["output_stride"])


class CoralPoseNetModel(PoseNetModel):
    """A loaded PoseNet of Google Coral: quantized, for one size of images."""

    @classmethod
    def input_size_of(
        cls, entry: Entry, options: Mapping[str, Any], *, several: bool = False
    ) -> tuple[int, int]:
        """Return the height and width that images are resized to: those of the file."""
        return super(PoseNetModel, cls).input_size_of(entry, options)

    def fields(self, outputs: Outputs) -> Fields:
        """Return the fields of an image from the outputs of the network."""
        return read_coral_fields(outputs, _CORAL_STRIDE)


def valid_size(input_size: Any, stride: int) -> tuple[int, int]:
    """Return height and width rounded down to a multiple of the stride plus 1, as tfjs-models does.

    >>> valid_size(300, 16), valid_size((257, 353), 16)
    ((289, 289), (257, 353))
    """
    both = (input_size, input_size) if isinstance(input_size, Integral) else input_size
    if not (isinstance(both, (tuple, list)) and len(both) == 2):
        raise ZooError(f"input_size={input_size!r} must be a number or (height, width)")
    side = Option("input_size", "integer", "", low=2 * stride + 1, high=4097)
    height, width = (checked_value(side, n) for n in both)
    return (height - 1) // stride * stride + 1, (width - 1) // stride * stride + 1
