"""Joints by their names: `keypoint`, and the pairs that lines join."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any, overload

from weights_cache.common.errors import ZooError
from weights_cache.common.similar_names import did_you_mean
from zoo.results.vocabulary import Detection, Face, Hand, Instance, Keypoint, Pose, one_item
from zoo.shared.skeletons import BODY_17, BODY_33, HAND_21, MESH_468_PATHS, Skeleton

#: Items that have keypoints; those of an instance are its pose's.
Pointed = Pose | Hand | Face | Detection | Instance

_MOST_NAMES = 40  # that an error lists


@overload
def keypoint(item: Pointed, part: str) -> Keypoint: ...


@overload
def keypoint(item: Pointed, part: str, *, min_score: float) -> Keypoint | None: ...


def keypoint(item: Pointed, part: str, *, min_score: float | None = None) -> Keypoint | None:
    """The keypoint of a name, of a pose, a hand or a face.

    Models give every joint, also those that they guess because they are hidden or out of the
    image: with ``min_score`` such a joint is None.

    >>> nose = {"part": "nose", "position": {"x": 20.0, "y": 60.0}, "score": 0.2}
    >>> pose = {"score": 0.9, "keypoints": [nose]}
    >>> keypoint(pose, "nose")["position"]["y"], keypoint(pose, "nose", min_score=0.3)
    (60.0, None)

    Args:
        item: a pose, hand or face, or another result with keypoints; irises of a face are among
            them.
        part: the name, such as ``"left_shoulder"``, ``"index_finger_tip"`` or ``"mesh_33"``; left
            and right are the person's own.
        min_score: the least score, 0..1, of a joint that is to be trusted, such as 0.3; without it
            the joint is returned whatever its score.

    Returns:
        The keypoint: ``part``, ``position`` with ``x`` and ``y`` in pixels, ``score``. None if its
        score is below ``min_score``, or if that is given and nobody was found.

    Raises:
        ZooError: the item has no such joint; names those that it has.
    """
    points = {point["part"]: point for point in every_point(one_item(item, "keypoint"))}
    if not points and min_score is not None:
        return None
    if part not in points:
        raise _unknown_part(part, [*points])
    found = points[part]
    return None if min_score is not None and found["score"] < min_score else found


def every_point(item: Mapping[str, Any]) -> Iterator[Keypoint]:
    """The keypoints of an item, those of irises and of an instance's pose among them."""
    own = item if "keypoints" in item else item.get("pose") or {}
    irises = own.get("iris") or {}
    yield from own.get("keypoints", ())
    yield from (*irises.get("left", ()), *irises.get("right", ()))


def _unknown_part(part: str, names: list[str]) -> ZooError:
    if not names:
        return ZooError(
            f"there is no keypoint {part!r:.80}: this has no keypoints at all, nobody was found; "
            "with min_score= the answer is None then"
        )
    some = names if len(names) <= _MOST_NAMES else [*names[:2], "..", names[-1]]
    hint = did_you_mean(str(part), names) or ":"
    return ZooError(f"there is no keypoint {part!r:.80}{hint} known are {', '.join(some)}")


def adjacent_pairs(item: Pointed) -> list[tuple[str, str]]:
    """The pairs of keypoints that the lines of a skeleton join, by name.

    For drawings and measures of your own; TensorFlow.js has them as ``getAdjacentPairs``, MediaPipe
    as ``POSE_CONNECTIONS``, ``HAND_CONNECTIONS`` and ``FACEMESH_CONTOURS``.

    >>> pose = {"score": 0.9, "keypoints": [
    ...     {"part": part, "position": {"x": 1.0, "y": 2.0}, "score": 0.9}
    ...     for part in ("nose", "left_eye", "left_shoulder", "left_elbow")]}
    >>> adjacent_pairs(pose)
    [('nose', 'left_eye'), ('left_shoulder', 'left_elbow')]

    Args:
        item: a pose of 17 or 33 joints, a hand, or a face with the points of a mesh.

    Returns:
        Pairs whose ends the item both has, whatever their scores; none where no lines are known,
        as between the 6 points of a detector.
    """
    found = one_item(item, "adjacent_pairs")
    parts = {point["part"] for point in every_point(found)}
    if found.get("landmarks") == "mesh468":
        paths = (path for paths in MESH_468_PATHS.values() for path in paths)
        pairs = [(f"mesh_{a}", f"mesh_{b}") for path in paths for a, b in pairwise(path)]
    else:
        skeleton = skeleton_of(parts)
        pairs = [*skeleton.named_lines()] if skeleton else []
    return [(a, b) for a, b in pairs if a in parts and b in parts]


def skeleton_of(parts: set[str]) -> Skeleton | None:
    """The skeleton that has all of these joints.

    >>> skeleton_of({"nose", "left_heel"}) is BODY_33, skeleton_of({"mesh_0"})
    (True, None)
    """
    known = (BODY_17, BODY_33, HAND_21)
    return next((skeleton for skeleton in known if parts <= {*skeleton.names}), None)
