"""The pretrained detectors of objects."""

from typing import NamedTuple

from zoo.catalog.entry import Entry, Preprocess


class LevelOutputs(NamedTuple):
    """Names of the outputs of one grid of NanoDet's cells; see `nanodet_decode.Level`."""

    stride: int
    scores: str
    edges: str


# Of ImageNet's red, green and blue, in levels: the mean, and the deviation.
_MEAN, _DEVIATION = (123.675, 116.28, 103.53), (58.395, 57.12, 57.375)
_RED, _GREEN, _BLUE = (m / d for m, d in zip(_MEAN, _DEVIATION, strict=True))

ENTRIES = [
    Entry(
        name="ssd.mobilenet_v1",
        task="detection",
        model="ssd:SsdModel",
        weights="ssd-mobilenet-v1-coco-quant-tflite",
        file="coco_ssd_mobilenet_v1_1.0_quant_2018_06_29.tflite",
        # The image is not kept in its aspect ratio, as in the pipeline that it was trained with.
        preprocess=Preprocess(size=(300, 300), fit="stretch", dtype="uint8"),
        output="convert_scores",  # of each class for each anchor, 0..1
        embedding="FeatureExtractor/MobilenetV1/MobilenetV1/Conv2d_13_pointwise/Relu6",
        # The overlap is that of the op at the end of its file; `zoo/docs/models.md` on nested ones.
        defaults={
            "score_threshold": 0.5,
            "iou_threshold": 0.6,
            "ios_threshold": 0.9,
            "max_detections": 20,
        },
        labels="coco_90",
        title="SSD on MobileNetV1 0.75 (its file says 1.0), quantised: 80 COCO classes, by Google",
        limits="In crowds people are missed, or several share a box; a hand alone is taken for a "
        "person. Scores come in steps, as the network is quantised.",
    ),
    Entry(
        name="nanodet.g_416",
        task="detection",
        model="nanodet:NanoDetModel",
        weights="nanodet-g-416-tfjs-fp16",
        preprocess=Preprocess(
            size=(416, 416),
            divide=_DEVIATION,
            subtract=(_RED, _GREEN, _BLUE),
            channels="bgr",
            axes="nchw",
        ),
        output="Identity",
        decode=(
            LevelOutputs(8, scores="Identity", edges="Identity_3"),
            LevelOutputs(16, scores="Identity_1", edges="Identity_4"),
            LevelOutputs(32, scores="Identity_2", edges="Identity_5"),
        ),
        # The overlap is that of its authors; `zoo/docs/models.md` on scores and nested boxes.
        defaults={
            "score_threshold": 0.35,
            "iou_threshold": 0.6,
            "ios_threshold": 0.9,
            "max_detections": 20,
        },
        labels="coco_90",
        title="NanoDet-g, anchor-free: 80 COCO classes, by RangiLyu",
        limits="Scores are low: most objects that are right have 0.35 to 0.7.",
    ),
]
