"""Hands: the functions are in `zoo.hands.verbs`, the models in `zoo.hands.entries`."""

#: Of the names in entries.py, ``family.variant``.
FAMILIES = ("hands", "palm", "handpose", "handtrack")
