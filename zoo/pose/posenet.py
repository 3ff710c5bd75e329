"""PoseNet: heatmaps, offsets and displacements of all people at once."""

from collections.abc import Mapping
from functools import partial
from numbers import Integral
from typing import Any

import numpy as np

from weights_cache.errors import ZooError
from zoo.entry import Entry
from zoo.options import check_number, check_optional
from zoo.pose.outputs import PoseNetThresholds
from zoo.pose.people import MAX_POSES
from zoo.results import Pose
from zoo.runner import Model
from zoo.shared.candidates import candidates_for
from zoo.shared.personlab import (
    Fields,
    decode_multiple,
    decode_single,
    read_coral_fields,
    read_fields,
    to_pose,
)
from zoo.shared.placement import Placement
from zoo.signatures import ImageSource, model_verb

_CORAL_STRIDE = 16  # pixels of the input per cell of the outputs


class PoseNetModel(Model):
    """A loaded PoseNet."""

    @classmethod
    def input_size_of(cls, entry: Entry, options: Mapping[str, Any]) -> tuple[int, int]:
        """Height and width that pictures are brought to: a multiple of the stride, plus 1."""
        return valid_size(options["input_size"], options["output_stride"])

    @model_verb
    def estimate_single_pose(self, image: ImageSource, *, mirror: bool = False) -> Pose:
        """The pose of the only person in a picture; see `zoo.estimate_single_pose`."""
        return self.run(image, self._single, mirror=mirror)

    @model_verb
    def estimate_multiple_poses(
        self,
        image: ImageSource,
        *,
        max_poses: int | None = MAX_POSES,
        score_threshold: float | None = None,
        nms_radius: float | None = None,
        mirror: bool = False,
    ) -> list[Pose]:
        """The poses of several people; see `zoo.estimate_multiple_poses`."""
        known: PoseNetThresholds = self.entry.decode
        limit = check_optional("max_poses", max_poses, low=1, whole=True, default=MAX_POSES)
        decode = partial(
            decode_multiple,
            max_poses=candidates_for(limit),  # found in the order of their best keypoints
            score_threshold=check_optional(
                "score_threshold", score_threshold, low=0, high=1, default=known.score_threshold
            ),
            nms_radius=check_optional("nms_radius", nms_radius, low=0, default=known.nms_radius),
        )

        def estimate(photo: np.ndarray) -> list[Pose]:
            fields, placement = self._fields(photo)
            people = sorted(decode(fields), key=lambda person: -person.score)
            return [to_pose(person, placement) for person in people[:limit]]

        return self.run(image, estimate, mirror=mirror)

    def _single(self, photo: np.ndarray) -> Pose:
        fields, placement = self._fields(photo)
        return to_pose(decode_single(fields), placement)

    def _fields(self, photo: np.ndarray) -> tuple[Fields, Placement]:
        outputs, placement = self.look_at(photo)
        return read_fields(outputs, self.options["output_stride"]), placement


class CoralPoseNetModel(PoseNetModel):
    """A loaded PoseNet of Google Coral: quantised, for one size of pictures."""

    @classmethod
    def input_size_of(cls, entry: Entry, options: Mapping[str, Any]) -> tuple[int, int]:
        """Height and width that pictures are brought to: the file's."""
        return super(PoseNetModel, cls).input_size_of(entry, options)

    def _fields(self, photo: np.ndarray) -> tuple[Fields, Placement]:
        outputs, placement = self.look_at(photo)
        return read_coral_fields(outputs, _CORAL_STRIDE), placement


def valid_size(input_size: Any, stride: int) -> tuple[int, int]:
    """Height and width rounded down to a multiple of the stride plus 1, as tfjs-models does.

    >>> valid_size(300, 16), valid_size((257, 353), 16)
    ((289, 289), (257, 353))
    """
    both = (input_size, input_size) if isinstance(input_size, Integral) else input_size
    if not (isinstance(both, (tuple, list)) and len(both) == 2):
        raise ZooError(f"input_size={input_size!r} must be a number or (height, width)")
    height, width = (
        check_number("input_size", n, low=2 * stride + 1, high=4097, whole=True) for n in both
    )
    return (height - 1) // stride * stride + 1, (width - 1) // stride * stride + 1
