"""Pose estimation: its functions are in `zoo.pose.verbs`, its models in `zoo.pose.entries`."""

#: Of the names in entries.py, ``family.variant``.
FAMILIES = ("posenet", "movenet", "blazepose")
