"""Pose estimation: where the joints of people are.

>>> import zoo
>>> pose = zoo.estimate_single_pose("gallery/one_line_pose/astronaut.jpg")
>>> pose["keypoints"][0]["part"]
'nose'
"""

from collections.abc import Iterator, Mapping
from functools import partial
from numbers import Integral
from typing import Any

import numpy as np

from weights_cache.errors import ZooError
from zoo.loading import load_once
from zoo.options import check_number, refuse_unknown
from zoo.pose.decode import Fields, Points, decode_multiple, decode_single, read_fields
from zoo.pose.keypoints import KEYPOINTS
from zoo.preprocess import Placement
from zoo.results import Keypoint, Pose
from zoo.runner import Model

DEFAULT_MODEL = "posenet.tiny"

_SINGLE_OPTIONS = ("mirror",)
_MULTIPLE_OPTIONS = ("max_poses", "score_threshold", "nms_radius", "mirror")


class PoseModel(Model):
    """A loaded PoseNet."""

    @classmethod
    def input_size_of(cls, options: Mapping[str, Any]) -> tuple[int, int]:
        """Height and width that pictures are brought to: a multiple of the stride, plus 1."""
        return valid_size(options["input_size"], options["output_stride"])

    def estimate_single_pose(
        self, image: Any, *, mirror: bool = False, **unknown: Any
    ) -> Pose | Iterator[Pose]:
        """The pose of the only person in a picture; see `zoo.estimate_single_pose`."""
        refuse_unknown("estimate_single_pose", unknown, _SINGLE_OPTIONS)
        return self.run(image, self._single, mirror=mirror)

    def estimate_multiple_poses(
        self,
        image: Any,
        *,
        max_poses: int = 5,
        score_threshold: float = 0.5,
        nms_radius: float = 20,
        mirror: bool = False,
        **unknown: Any,
    ) -> list[Pose] | Iterator[list[Pose]]:
        """The poses of several people; see `zoo.estimate_multiple_poses`."""
        refuse_unknown("estimate_multiple_poses", unknown, _MULTIPLE_OPTIONS)
        decode = partial(
            decode_multiple,
            max_poses=check_number("max_poses", max_poses, low=1, whole=True),
            score_threshold=check_number("score_threshold", score_threshold, low=0, high=1),
            nms_radius=check_number("nms_radius", nms_radius, low=0),
        )
        return self.run(image, partial(self._multiple, decode), mirror=mirror)

    def _single(self, outputs: Mapping[str, np.ndarray], placement: Placement) -> Pose:
        return _to_pose(decode_single(self._fields(outputs)), placement)

    def _multiple(
        self, decode: Any, outputs: Mapping[str, np.ndarray], placement: Placement
    ) -> list[Pose]:
        return [_to_pose(points, placement) for points in decode(self._fields(outputs))]

    def _fields(self, outputs: Mapping[str, np.ndarray]) -> Fields:
        return read_fields(outputs, self.options["output_stride"])


MODEL = PoseModel


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


def _to_pose(points: Points, placement: Placement) -> Pose:
    """A result in pixels of the photo, made of plain Python values."""
    keypoints: list[Keypoint] = []
    for part, position, score in zip(KEYPOINTS, points.positions, points.scores, strict=True):
        x, y = placement.to_photo(float(position.real), float(position.imag))
        keypoints.append({"part": part, "position": {"x": x, "y": y}, "score": float(score)})
    return {"score": points.score, "keypoints": keypoints}


def estimate_single_pose(
    image: Any,
    *,
    model: str = DEFAULT_MODEL,
    backend: str | None = None,
    mirror: bool = False,
    **options: Any,
) -> Any:
    """Find the pose of the one person in a picture.

    With several people it mixes their joints: then use `estimate_multiple_poses`.

    Args:
        image: a path, URL, bytes, file object, PIL image, array (uint8 or float in 0..1; grey,
            RGB or RGBA) or tensor. A list, an iterator or an array [n, h, w, 3] are several.
        model: name of a pose model.
        backend: where it runs.
        mirror: the picture is a mirror image (selfie view): positions are those of the picture
            given, left and right those of the real person.
        options: the model's, such as ``output_stride`` and ``input_size`` (see `zoo.load`).

    Returns:
        ``{"score": .., "keypoints": [{"part": "nose", "position": {"x": .., "y": ..},
        "score": ..}, ..]}``: 17 keypoints, positions in pixels of the picture, scores in 0..1.
        For several pictures an iterator over such dicts.

    Raises:
        ZooError: the picture cannot be read, or a model or option is unknown.

    >>> import zoo
    >>> pose = zoo.estimate_single_pose("gallery/one_line_pose/astronaut.jpg")
    >>> len(pose["keypoints"])
    17
    """
    loaded = load_once(model, _SINGLE_OPTIONS, backend, options)
    return loaded.estimate_single_pose(image, mirror=mirror)


def estimate_multiple_poses(
    image: Any,
    *,
    model: str = DEFAULT_MODEL,
    backend: str | None = None,
    max_poses: int = 5,
    score_threshold: float = 0.5,
    nms_radius: float = 20,
    mirror: bool = False,
    **options: Any,
) -> Any:
    """Find the poses of several people in a picture.

    Args:
        image: see `estimate_single_pose`.
        model: name of a pose model.
        backend: where it runs.
        max_poses: find at most so many people, 1 or more.
        score_threshold: least score of a person's best keypoint, 0..1.
        nms_radius: keypoints of one kind that are closer belong to one person; in pixels of the
            network's input.
        mirror: see `estimate_single_pose`.
        options: see `estimate_single_pose`.

    Returns:
        A list of poses, empty if nobody is seen; for several pictures an iterator over lists.

    Raises:
        ZooError: the picture cannot be read, or a model or option is unknown or out of range.

    >>> import zoo
    >>> people = zoo.estimate_multiple_poses("gallery/one_line_pose/astronaut.jpg")
    >>> len(people)
    1
    """
    loaded = load_once(model, _MULTIPLE_OPTIONS, backend, options)
    return loaded.estimate_multiple_poses(
        image,
        max_poses=max_poses,
        score_threshold=score_threshold,
        nms_radius=nms_radius,
        mirror=mirror,
    )
