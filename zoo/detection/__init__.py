"""Object detection: what is where in a picture; its functions are in `zoo.detection.verbs`."""

#: Of the names in entries.py, ``family.variant``.
FAMILIES = ("ssd",)
