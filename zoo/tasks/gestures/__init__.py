"""Gestures of hands: rules over the curl and direction of fingers, and a small network."""

from zoo.catalog.choices import Choices
from zoo.catalog.option import MIRROR, Option, by_name, threshold

#: Families of the names ``family.variant`` in entries.py.
FAMILIES = ("gesture",)

#: Verb -> its models. `zoo/docs/models.md` has the measurements behind each choice.
MODELS = {
    "recognize_gestures": Choices(default="rules", fast="rules", best="rules"),
}

#: Tasks whose default models the verbs use as well: rules look at the hands that were found.
WORKS_WITH = ("hands",)

#: Verb -> its options; where images are given, it takes those of `zoo.estimate_hands` as well.
OPTIONS = {
    "recognize_gestures": by_name(
        Option("hands_model", "model", "the model that finds the hands", note="hands.lite"),
        threshold(
            "score_threshold",
            "minimum score of a gesture",
            note="0.86 for rules, 0.5 for the network",
        ),
        MIRROR,
    ),
}
