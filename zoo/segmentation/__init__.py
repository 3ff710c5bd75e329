"""Segmentation: its functions are in `zoo.segmentation.verbs`, its models in `.entries`."""

#: Of the names in entries.py, ``family.variant``.
FAMILIES = ("deeplab", "selfie", "bodypix")
