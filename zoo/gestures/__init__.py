"""Gestures of hands: rules over the curl and direction of fingers, and a small network."""

from zoo.choices import Choices

#: Of the names in entries.py, ``family.variant``.
FAMILIES = ("gesture",)

#: Verb -> its models. `zoo/README.md` has the measurements behind each choice.
MODELS = {
    "recognize_gestures": Choices(default="rules", fast="rules", best="rules"),
}

#: Tasks whose default models the verbs use as well: rules look at the hands that were found.
WORKS_WITH = ("hands",)
