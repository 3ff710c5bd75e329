"""The pretrained pose models."""

from zoo.entry import Entry, Preprocess
from zoo.options import Option

# tfjs-models' PoseNet scales pixels to -1..1 and pads to the aspect ratio with black.
_PREPROCESS = Preprocess(divide=127.5, subtract=1.0)

_OPTIONS = {
    "output_stride": Option(16, choices=(8, 16)),  # pixels of the input per cell of the outputs
    "input_size": Option(257),  # pixels: a number or (height, width)
}


def _posenet(name: str, weights: str) -> Entry:
    return Entry(
        name=name,
        task="pose",
        weights=weights,
        network="posenet:build_posenet",
        preprocess=_PREPROCESS,
        output="heatmap",
        embedding="MobilenetV1/Conv2d_13_pointwise",
        options=_OPTIONS,
    )


ENTRIES = [
    _posenet("posenet.tiny", "posenet-tiny"),
    _posenet("posenet.mobilenet_v1_075", "posenet-mobilenet-v1-075-float-pertensor"),
]
