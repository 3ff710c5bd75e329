"""Hands: the functions are in `zoo.hands.verbs`, the models in `zoo.hands.entries`."""

from zoo.choices import Choices
from zoo.option import MIRROR, by_name, count, flag, threshold

#: Of the names in entries.py, ``family.variant``.
FAMILIES = ("hands", "palm", "handpose", "handtrack")

#: Verb -> its models. `zoo/README.md` has the measurements behind each choice.
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
        threshold(
            "iou_threshold",
            "of two detections whose intersection over union is larger, drop the one with the "
            "lower score",
            expert=True,
        ),
        flag(
            "refine",
            "run again on each hand, from where its joints were found, which is steadier",
            True,
            expert=True,
        ),
    ),
}
