"""Hands: the functions are in `zoo.tasks.hands.verbs`, the models in `zoo.tasks.hands.entries`."""

from zoo.catalog.choices import Choices
from zoo.catalog.option import IOU_THRESHOLD, MIRROR, by_name, count, flag, threshold

#: Families of the names ``family.variant`` in entries.py.
FAMILIES = ("hands", "palm", "handpose", "handtrack")

#: Verb -> its models. `zoo/docs/models.md` has the measurements behind each choice.
MODELS = {
    "estimate_hands": Choices(default="hands.lite", fast="hands.lite", best="hands.lite"),
}

#: Verb -> its options.
OPTIONS = {
    "estimate_hands": by_name(
        count("max_hands", "maximum number of hands", 2),
        threshold("score_threshold", "minimum score of a hand"),
        MIRROR,
        threshold("detector_threshold", "minimum score of a detected palm", expert=True),
        IOU_THRESHOLD._replace(expert=True),
        flag("refine", "run again on each hand found, for steadier joints", True, expert=True),
    ),
}
