"""Faces: where they are, their points, expressions, age and gender."""

#: Of the names in entries.py, ``family.variant``.
FAMILIES = ("blazeface", "facemesh", "iris", "faceapi")
