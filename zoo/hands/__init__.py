"""Hands: the functions are in `zoo.hands.verbs`, the models in `zoo.hands.entries`."""

from zoo.choices import Choices

#: Of the names in entries.py, ``family.variant``.
FAMILIES = ("hands", "palm", "handpose", "handtrack")

#: Verb -> its models. `zoo/README.md` has the measurements behind each choice.
MODELS = {
    "estimate_hands": Choices(default="hands.lite", fast="hands.lite", best="hands.lite"),
}
