"""Object detection: what is where in a picture; its functions are in `zoo.detection.verbs`."""

from zoo.choices import Choices

#: Of the names in entries.py, ``family.variant``.
FAMILIES = ("ssd",)

#: Verb -> its models. `zoo/README.md` has the measurements behind each choice.
MODELS = {
    "detect": Choices(default="ssd.mobilenet_v1", fast="ssd.mobilenet_v1", best="ssd.mobilenet_v1"),
}
