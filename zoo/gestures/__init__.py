"""Gestures of hands: rules over the curl and direction of fingers, and a small network."""

#: Of the names in entries.py, ``family.variant``.
FAMILIES = ("gesture",)
