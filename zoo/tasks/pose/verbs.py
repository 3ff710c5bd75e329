"""Pose estimation: where the joints of people are.

>>> import zoo
>>> pose = zoo.estimate_single_pose("gallery/one_line_pose/astronaut.jpg")
>>> pose["keypoints"][0]["part"]
'nose'
"""

from __future__ import annotations

from typing import Literal

from zoo.catalog.model_names import (
    BackendName,
    EstimateMultiplePosesModelName,
    EstimateSinglePoseModelName,
)
from zoo.pipeline.binding import bind_model
from zoo.pipeline.model import Model
from zoo.pipeline.verb_signatures import ImageSource, OwnModel, public_verb
from zoo.results.vocabulary import Pose
from zoo.tasks.pose import MODELS

_Detector = Literal["ssd.mobilenet_v1", "blazepose.detector", "topdown.people"]


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
    detector_threshold: float | None = None,
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

    Of several people, top-down models and PoseNet return the best pose by score and size, MoveNet
    the pose of the person nearest to the middle, BlazePose the pose with the best score;
    `estimate_multiple_poses` returns all.

    Args:
        image: a path, URL, bytes, binary file object, PIL image, array (uint8 or float in 0..1;
            grey, RGB or RGBA) or tensor. A list, an iterator and an array [n, height, width, 3]
            are several images.
        model: name of a pose model (`zoo.models`), ``"fast"``, ``"best"``, or a model that
            `zoo.load` returned.
        backend: where networks run, by default ``CORE_BACKEND`` or else ``"cpu"``.
        score_threshold: minimum score of a pose, 0..1; by default 0.3 for top-down models, 0.15 for
            PoseNet, 0.4 for MoveNet and 0.5 for BlazePose.
        mirror: the image is a mirror image (selfie view): positions remain those in the image, left
            and right are those of the real person.
        keypoint_threshold: of PoseNet: minimum score of a person's best keypoint, 0..1; by default
            0.5.
        nms_radius: of PoseNet: distance below which keypoints of one kind belong to one person, in
            pixels of the network's input, 0 or more; by default 20.
        detector_threshold: of top-down models and BlazePose, and of MoveNet for several people,
            which process one person at a time, found by a detector: minimum score of a detected
            person, 0..1; by default 0.1 for top-down models, else the detector's.
        output_stride: of PoseNet (not Coral's): pixels of the network's input for each cell of its
            output, 8 or 16 (default).
        input_size: of PoseNet (not Coral's): size of the network's input in pixels, a number or
            (height, width), rounded down to a multiple of ``output_stride`` plus 1.
        refine: of MoveNet: if the torso is visible, run again on the square around the person,
            which locates joints more exactly and takes twice as long; by default True.
        segmentation: of BlazePose: also return a mask of the person's pixels.
        probability: of BlazePose: also return the probability of each pixel to be the person's.

    Returns:
        ``{"score": 0.93, "keypoints": [{"part": "nose", "position": {"x": 253.4, "y": 76.3},
        "score": 0.99}, ..], "box": {..}}``: 17 keypoints, positions in pixels of the image, scores
        in 0..1. A list of images gives a list of poses, an iterator an iterator.
        BlazePose finds 33 keypoints. Its positions have ``"z"``, in pixels from the middle of the
        hips; smaller is nearer. ``"visibility"`` is below 0.5 for a keypoint that is probably
        hidden; its score only says whether it is in the image. ``"world"`` has the points in metres
        from the middle of the hips. ``"segmentation"`` is ``{"mask": uint8 [height, width],
        "labels": ["background", "person"]}``: the mask is 1 where the probability is at least 0.5;
        with ``probability=True`` it also has ``"probability"``, float32 [height, width].
        ``"box"`` is the smallest around the keypoints that are surely seen: in the image, with a
        score of at least 0.3. Where none is, it holds all, cut off at the edges of the image. If
        nobody is found, score is 0.0, keypoints is ``[]``, and there is no box.

    Raises:
        ImageError: the image cannot be read.
        ZooError: a model or option is unknown or out of range.
    """
    bound = bind_model(
        "estimate_single_pose",
        model=model,
        backend=backend,
        score_threshold=score_threshold,
        mirror=mirror,
        keypoint_threshold=keypoint_threshold,
        nms_radius=nms_radius,
        detector_threshold=detector_threshold,
        output_stride=output_stride,
        input_size=input_size,
        refine=refine,
        segmentation=segmentation,
        probability=probability,
    )
    return bound.model.estimate_single_pose(image, **bound.options)


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
        max_poses: largest number of people to find, 1 or more.
        score_threshold: minimum score of a pose, 0..1; by default 0.3 for top-down models, 0.15 for
            PoseNet, 0.25 for MoveNet and 0.5 for BlazePose.
        mirror: see `estimate_single_pose`.
        keypoint_threshold: see `estimate_single_pose`.
        nms_radius: see `estimate_single_pose`.
        detector_threshold: see `estimate_single_pose`.
        output_stride: see `estimate_single_pose`.
        input_size: see `estimate_single_pose`.
        segmentation: see `estimate_single_pose`.
        probability: see `estimate_single_pose`.
        detector: of MoveNet: the model that finds people, ``"ssd.mobilenet_v1"`` (default),
            ``"topdown.people"`` or ``"blazepose.detector"``.

    Returns:
        A list of poses as `estimate_single_pose` returns them, best score first, each person once;
        ``[]`` if nobody is found. A list of images gives a list of such lists, an iterator an
        iterator.

    Raises:
        ImageError: the image cannot be read.
        ZooError: a model or option is unknown or out of range.
    """
    bound = bind_model(
        "estimate_multiple_poses",
        model=model,
        backend=backend,
        max_poses=max_poses,
        score_threshold=score_threshold,
        mirror=mirror,
        keypoint_threshold=keypoint_threshold,
        nms_radius=nms_radius,
        detector_threshold=detector_threshold,
        output_stride=output_stride,
        input_size=input_size,
        segmentation=segmentation,
        probability=probability,
        detector=detector,
    )
    return bound.model.estimate_multiple_poses(image, **bound.options)
