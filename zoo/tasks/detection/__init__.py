"""Object detection: its functions are in `zoo.tasks.detection.verbs`."""

from zoo.catalog.choices import Choices
from zoo.catalog.option import IOU_THRESHOLD, MIRROR, OWN, Option, by_name, count, threshold

#: Families of the names ``family.variant`` in entries.py.
FAMILIES = ("ssd", "nanodet")

#: Type that the reader of a file finds beside a network -> the class of such models.
FILE_MODELS = {"YoloObjects": "yolo:YoloDetector", "YoloTurned": "yolo:TurnedDetector"}

#: Verb -> its models. `zoo/docs/models.md` has the measurements behind each choice.
MODELS = {
    "detect": Choices(default="ssd.mobilenet_v1", fast="ssd.mobilenet_v1", best="nanodet.g_416"),
}

#: Verb -> its options.
OPTIONS = {
    "detect": by_name(
        Option("labels", "names", "only objects with these labels, such as dog,cat", note="all"),
        threshold("score_threshold", "minimum score of an object"),
        IOU_THRESHOLD,
        count("max_detections", "maximum number of objects", OWN),
        MIRROR,
        threshold(
            "ios_threshold",
            "as iou_threshold, as a share of the smaller box, for boxes of one label",
            expert=True,
        ),
    ),
}
