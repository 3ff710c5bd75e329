"""Pose estimation: its functions are in `zoo.pose.verbs`, its models in `zoo.pose.entries`."""

from zoo.choices import Choices

#: Of the names in entries.py, ``family.variant``.
FAMILIES = ("posenet", "movenet", "blazepose")

#: Verb -> its models. `zoo/README.md` has the measurements behind each choice.
MODELS = {
    "estimate_single_pose": Choices(
        default="posenet.tiny", fast="posenet.tiny", best="blazepose.lite"
    ),
    "estimate_multiple_poses": Choices(
        default="posenet.tiny", fast="posenet.tiny", best="movenet.lightning"
    ),
}
