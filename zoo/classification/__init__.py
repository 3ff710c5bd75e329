"""Classification: what a picture shows; its functions are in `zoo.classification.verbs`."""

#: Of the names in entries.py, ``family.variant``.
FAMILIES = ("mobilenet", "nsfwjs")
