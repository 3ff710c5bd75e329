"""Segmentation: its functions are in `zoo.segmentation.verbs`, its models in `.entries`."""

from zoo.choices import Choices

#: Of the names in entries.py, ``family.variant``.
FAMILIES = ("deeplab", "selfie", "bodypix")

#: Verb -> its models. `zoo/README.md` has the measurements behind each choice.
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
