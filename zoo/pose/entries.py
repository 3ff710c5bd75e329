"""The pretrained pose models."""

from zoo.entry import Entry, Preprocess
from zoo.options import Option

# tfjs-models' PoseNet scales pixels to -1..1 and pads to the aspect ratio with black.
_PREPROCESS = Preprocess(fit="letterbox", divide=127.5, subtract=1.0)

_OPTIONS = {
    "output_stride": Option(
        16, "pixels of the input per cell of the outputs; 8 is finer and slower", choices=(8, 16)
    ),
    "input_size": Option(
        257, "pixels of the network's input: a number, or (height, width); larger is finer, slower"
    ),
}


def _posenet(name: str, summary: str, weights: str) -> Entry:
    return Entry(
        name=name,
        task="pose",
        summary=summary,
        weights=weights,
        network="posenet:build_posenet",
        preprocess=_PREPROCESS,
        output="heatmap",
        embedding="MobilenetV1/Conv2d_13_pointwise",
        options=_OPTIONS,
    )


ENTRIES = [
    _posenet(
        "posenet.tiny",
        "PoseNet 0.75 distilled by this project to 1.3 MB; ships with the package",
        "posenet-tiny",
    ),
    _posenet(
        "posenet.mobilenet_v1_075",
        "PoseNet on MobileNetV1 0.75, float32 (Google)",
        "posenet-mobilenet-v1-075-float-pertensor",
    ),
]
