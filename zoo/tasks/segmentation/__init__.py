"""Segmentation: its functions are in `zoo.tasks.segmentation.verbs`, its models in `.entries`."""

from zoo.catalog.choices import Choices
from zoo.catalog.option import MIRROR, NMS_RADIUS, by_name, count, flag, threshold

#: Families of the names ``family.variant`` in entries.py.
FAMILIES = ("deeplab", "selfie", "bodypix")

#: Type that the reader of a file finds beside a network -> the class of such models.
FILE_MODELS = {"YoloMasks": "yolo:YoloMaskModel"}

#: Verb -> its models. `zoo/docs/models.md` has the measurements behind each choice.
MODELS = {
    "segment": Choices(default="deeplab.v3", fast="deeplab.v3", best="deeplab.v3"),
    "segment_person": Choices(default="selfie.base", fast="selfie.landscape", best="selfie.base"),
    "segment_persons": Choices(
        default="bodypix.mobilenet_075", fast="bodypix.mobilenet_075", best="bodypix.mobilenet_075"
    ),
    "segment_person_parts": Choices(
        default="bodypix.mobilenet_075", fast="bodypix.mobilenet_075", best="bodypix.mobilenet_075"
    ),
}

_THRESHOLD = threshold("threshold", "minimum probability of a person's pixel", 0.5)
_PROBABILITY = flag("probability", "also return the probability of each pixel")
_CHECK = flag("person_check", "return an empty mask where nobody is seen", True, expert=True)

#: Verb -> its options.
OPTIONS = {
    "segment": by_name(_PROBABILITY, MIRROR),
    "segment_person": by_name(_THRESHOLD, _PROBABILITY, _CHECK, MIRROR),
    "segment_persons": by_name(
        count("max_persons", "maximum number of people", 10),
        threshold("score_threshold", "minimum score of a person"),
        _THRESHOLD,
        MIRROR,
        NMS_RADIUS,
    ),
    "segment_person_parts": by_name(_THRESHOLD, _PROBABILITY, _CHECK, MIRROR),
}
