"""Pose estimation: its functions are in `zoo.pose.verbs`, its models in `zoo.pose.entries`."""
