"""Pose estimation: where the joints of people are.

>>> import zoo
>>> pose = zoo.estimate_single_pose("gallery/one_line_pose/astronaut.jpg")
>>> pose["keypoints"][0]["part"]
'nose'
"""

from typing import Any

from zoo.loading import call_verb
from zoo.pose import MODELS

_SINGLE = MODELS["estimate_single_pose"].default
_MULTIPLE = MODELS["estimate_multiple_poses"].default


def estimate_single_pose(
    image: Any,
    *,
    model: str = _SINGLE,
    backend: str | None = None,
    score_threshold: float | None = None,
    mirror: bool = False,
    **options: Any,
) -> Any:
    """Find the pose of one person in an image.

    Where there are several, PoseNet chooses the most prominent one, by score and size, MoveNet the
    person most in the middle, and BlazePose the one with the best score; `estimate_multiple_poses`
    finds all of them.

    Args:
        image: a path, URL, bytes, file object, PIL image, array (uint8 or float in 0..1; grey,
            RGB or RGBA) or tensor. A list, an iterator or an array [n, h, w, 3] are several.
        model: name of a pose model.
        backend: where it runs.
        score_threshold: least score of a pose, 0..1; nobody is seen below. By default PoseNet has
            0.15, MoveNet 0.4 and BlazePose 0.5.
        mirror: the picture is a mirror image (selfie view): positions are those of the picture
            given, left and right those of the real person.
        options: the model's, see `zoo.load`. PoseNet of this project or Google's:
            ``output_stride`` and ``input_size``; all of PoseNet: ``keypoint_threshold`` (0.5), the
            least score of a person's best keypoint, and ``nms_radius`` (20): keypoints of one kind
            that are closer belong to one person, in pixels of the network's input.
            MoveNet: ``second_look`` (True): where the torso is visible, run again on the square
            around the person, which finds joints more exactly and takes twice as long.
            BlazePose: ``segmentation`` (False): tell, too, which pixels belong to the person;
            ``probability`` (False): with how likely each does, which implies ``segmentation``.

    Returns:
        ``{"score": .., "keypoints": [{"part": "nose", "position": {"x": .., "y": ..},
        "score": ..}, ..]}``: 17 keypoints, positions in pixels of the picture, scores in 0..1.
        Where nobody is seen the score is 0.0 and the keypoints are ``[]``.
        For several pictures an iterator over such dicts.
        BlazePose finds 33 keypoints. Its positions have
        ``"z"``, in pixels from between the hips, less is nearer; ``"visibility"`` tells whether a
        point is hidden, its score only whether it is in the picture. ``"world"`` are the points in
        metres from between the hips, ``"segmentation"`` is ``{"mask": uint8 [h, w], "labels":
        ["background", "person"]}``: mask is 1 where the probability is at least 0.5; with
        ``probability`` it has that, too, float32 [h, w].
        Poses of MoveNet and BlazePose have ``"box"``, the smallest that holds all keypoints; it
        may reach out of the picture.

    Raises:
        ZooError: the picture cannot be read, or a model or option is unknown.

    >>> import zoo
    >>> pose = zoo.estimate_single_pose("gallery/one_line_pose/astronaut.jpg")
    >>> len(pose["keypoints"])
    17
    """
    given = {"score_threshold": score_threshold, "mirror": mirror, **options}
    return call_verb("estimate_single_pose", image, model=model, backend=backend, options=given)


def estimate_multiple_poses(
    image: Any,
    *,
    model: str = _MULTIPLE,
    backend: str | None = None,
    max_poses: int = 20,
    score_threshold: float | None = None,
    mirror: bool = False,
    **options: Any,
) -> Any:
    """Find the poses of several people in a picture.

    Args:
        image: see `estimate_single_pose`.
        model: name of a pose model.
        backend: where it runs.
        max_poses: find at most so many people, 1 or more.
        score_threshold: least score of a pose, 0..1; by default PoseNet has 0.15, MoveNet 0.25
            and BlazePose 0.5.
        mirror: see `estimate_single_pose`.
        options: see `estimate_single_pose` (but ``second_look``). MoveNet and BlazePose,
            which look at one person after a detector has found them: ``detector_threshold``, how
            sure that must be, 0..1, by default as the detector's entry says (0.5). MoveNet:
            ``detector`` (``"ssd.mobilenet_v1"`` or ``"blazepose.detector"``).

    Returns:
        A list of poses as of `estimate_single_pose`, best score first, everybody once; empty if
        nobody is seen. For several pictures an iterator over lists.

    Raises:
        ZooError: the picture cannot be read, or a model or option is unknown or out of range.

    >>> import zoo
    >>> people = zoo.estimate_multiple_poses("gallery/one_line_pose/astronaut.jpg")
    >>> len(people)
    1
    """
    given = {
        "max_poses": max_poses,
        "score_threshold": score_threshold,
        "mirror": mirror,
        **options,
    }
    return call_verb("estimate_multiple_poses", image, model=model, backend=backend, options=given)
