"""The pretrained detectors of objects."""

from zoo.catalog.entry import Entry, Preprocess

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
]
