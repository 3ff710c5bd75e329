"""Pose estimation: functions in `verbs`, models in `entries`."""

from zoo.catalog.choices import Choices
from zoo.catalog.option import MIRROR, NMS_RADIUS, by_name, count, flag, threshold

#: Families of the names ``family.variant`` in entries.py.
FAMILIES = ("topdown", "posenet", "movenet", "blazepose")

#: Type that the reader of a file finds beside a network -> the class of such models.
FILE_MODELS = {"YoloPoses": "yolo:YoloPoseModel"}

#: Verb -> its models. `zoo/docs/models.md` has the measurements behind each choice.
MODELS = {
    "estimate_single_pose": Choices(
        default="topdown.tiny", fast="posenet.tiny", best="topdown.thunder"
    ),
    "estimate_multiple_poses": Choices(
        default="topdown.tiny", fast="posenet.tiny", best="topdown.thunder"
    ),
}

#: The verb of ``zoo.watch(source, "pose")``.
WATCHED = "estimate_multiple_poses"

_COMMON = (
    threshold("score_threshold", "minimum score of a pose"),
    MIRROR,
    threshold("keypoint_threshold", "minimum score of a person's best keypoint", expert=True),
    NMS_RADIUS,
    flag("segmentation", "also return which pixels belong to the person", expert=True),
    flag("probability", "also return how likely each pixel belongs to the person", expert=True),
    threshold("detector_threshold", "minimum score of a detected person", expert=True),
)

#: Verb -> its options.
OPTIONS = {
    "estimate_single_pose": by_name(
        *_COMMON,
        flag(
            "refine",
            "run again on the square around the person, which is more exact and takes longer",
            True,
            expert=True,
        ),
    ),
    "estimate_multiple_poses": by_name(
        count("max_poses", "maximum number of people", 20),
        *_COMMON,
    ),
}
