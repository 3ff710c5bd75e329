"""Pose estimation: where the joints of people are.

>>> import zoo
>>> pose = zoo.estimate_single_pose("gallery/one_line_pose/astronaut.jpg")
>>> pose["keypoints"][0]["part"]
'nose'
"""

from __future__ import annotations

from typing import Literal

from zoo.model_names import (
    BackendName,
    EstimateMultiplePosesModelName,
    EstimateSinglePoseModelName,
)
from zoo.pipeline.model import Model
from zoo.pipeline.model_cache import call_verb
from zoo.pipeline.verb_signatures import ImageSource, OwnModel, public_verb
from zoo.pose import MODELS
from zoo.results import Pose

_Detector = Literal["ssd.mobilenet_v1", "blazepose.detector"]


@public_verb
def estimate_single_pose(
    image: ImageSource,
    *,
    model: EstimateSinglePoseModelName | OwnModel = MODELS["estimate_single_pose"].default,
    backend: BackendName | None = None,
    score_threshold: float | None = None,
    mirror: bool = False,
    keypoint_threshold: float | None = None,
    nms_radius: float | None = None,
    output_stride: Literal[8, 16] | None = None,
    input_size: int | tuple[int, int] | None = None,
    refine: bool | None = None,
    segmentation: bool | None = None,
    probability: bool | None = None,
) -> Pose:
    """Find the pose of one person in an image.

    >>> import zoo
    >>> pose = zoo.estimate_single_pose("gallery/one_line_pose/astronaut.jpg")
    >>> pose["keypoints"][0]["part"], len(pose["keypoints"])
    ('nose', 17)

    Of several people, PoseNet returns the best pose by score and size, MoveNet that of the person
    most in the middle, BlazePose the one of the best score; `estimate_multiple_poses` returns all.

    Args:
        image: a path, URL, bytes, binary file object, PIL image, array (uint8 or float in 0..1;
            grey, RGB or RGBA) or tensor. A list, an iterator and an array [n, height, width, 3]
            are several images.
        model: name of a pose model (`zoo.models`), ``"fast"``, ``"best"``, or a model that
            `zoo.load` returned.
        backend: where networks run, by default ``CORE_BACKEND`` or else ``"cpu"``.
        score_threshold: least score of a pose, 0..1; nobody is found below. By default PoseNet has
            0.15, MoveNet 0.4 and BlazePose 0.5.
        mirror: the image is a mirror image (selfie view): positions are those in the image
            given, left and right those of the real person.
        keypoint_threshold: of PoseNet: least score of a person's best keypoint, 0..1; by default
            0.5.
        nms_radius: of PoseNet: keypoints of one kind that are closer belong to one person, in
            pixels of the network's input, 0 or more; by default 20.
        output_stride: of PoseNet (not Coral's): pixels of the network's input for each cell of its
            output, 8 or 16 (default).
        input_size: of PoseNet (not Coral's): pixels that the image is resized to, a number or
            (height, width), rounded down to a multiple of ``output_stride`` plus 1.
        refine: of MoveNet: where the torso is visible, run again on the square around the
            person, which finds joints more exactly and takes twice as long; by default True.
        segmentation: of BlazePose: return, too, which pixels belong to the person.
        probability: of BlazePose: return, too, how likely each pixel belongs to the person.

    Returns:
        ``{"score": 0.93, "keypoints": [{"part": "nose", "position": {"x": 253.4, "y": 76.3},
        "score": 0.99}, ..]}``: 17 keypoints, positions in pixels of the image, scores in 0..1.
        A list of images gives a list of poses, an iterator an iterator.
        BlazePose finds 33 keypoints. Its positions have ``"z"``, in pixels from between the hips,
        less is nearer; ``"visibility"`` is below 0.5 for a point that is probably hidden, its
        score is only that of being in the image. ``"world"`` are the points in metres from
        between the hips, ``"segmentation"`` is ``{"mask": uint8 [height, width], "labels":
        ["background", "person"]}``: mask is 1 where the probability is at least 0.5; with
        ``probability`` it has that, too, float32 [height, width].
        Poses of MoveNet and BlazePose have ``"box"``, the smallest that holds all keypoints; it
        may reach out of the image. Where nobody is found, score is 0.0 and keypoints is ``[]``.

    Raises:
        ImageError: the image cannot be read.
        ZooError: a model or option is unknown or out of range.
    """
    return call_verb("estimate_single_pose", **locals())


@public_verb
def estimate_multiple_poses(
    image: ImageSource,
    *,
    model: EstimateMultiplePosesModelName | OwnModel = MODELS["estimate_multiple_poses"].default,
    backend: BackendName | None = None,
    max_poses: int = 20,
    score_threshold: float | None = None,
    mirror: bool = False,
    keypoint_threshold: float | None = None,
    nms_radius: float | None = None,
    detector_threshold: float | None = None,
    output_stride: Literal[8, 16] | None = None,
    input_size: int | tuple[int, int] | None = None,
    segmentation: bool | None = None,
    probability: bool | None = None,
    detector: _Detector | Model | None = None,
) -> list[Pose]:
    """Find the poses of several people in an image.

    >>> import zoo
    >>> people = zoo.estimate_multiple_poses("gallery/one_line_pose/astronaut.jpg")
    >>> [len(pose["keypoints"]) for pose in people]
    [17]

    Args:
        image: see `estimate_single_pose`.
        model: see `estimate_single_pose`.
        backend: see `estimate_single_pose`.
        max_poses: find at most so many people, 1 or more.
        score_threshold: least score of a pose, 0..1; by default PoseNet has 0.15, MoveNet 0.25 and
            BlazePose 0.5.
        mirror: see `estimate_single_pose`.
        keypoint_threshold: see `estimate_single_pose`.
        nms_radius: see `estimate_single_pose`.
        detector_threshold: of MoveNet and BlazePose, which look at one person after a detector has
            found them: the least score of a detected person, 0..1; by default 0.5.
        output_stride: see `estimate_single_pose`.
        input_size: see `estimate_single_pose`.
        segmentation: see `estimate_single_pose`.
        probability: see `estimate_single_pose`.
        detector: of MoveNet: the model that finds people, ``"ssd.mobilenet_v1"`` (default) or
            ``"blazepose.detector"``.

    Returns:
        A list of poses as of `estimate_single_pose`, best score first, each person once; ``[]`` if
        nobody is found. A list of images gives a list of such lists, an iterator an iterator.

    Raises:
        ImageError: the image cannot be read.
        ZooError: a model or option is unknown or out of range.
    """
    return call_verb("estimate_multiple_poses", **locals())
