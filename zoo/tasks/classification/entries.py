"""The pretrained classifiers."""

from typing import NamedTuple

from zoo.catalog.entry import Entry, Preprocess


class Classes(NamedTuple):
    """Relation of a network's scores to its list of labels."""

    background: bool  # one score more comes first, that of none of the classes


# The square in the middle, as the networks were tested by those who made them.
_PIXELS = Preprocess(size=(224, 224), fit="crop", dtype="uint8")
_SIGNED = _PIXELS._replace(dtype="float32", divide=127.5, subtract=1.0)  # -1..1
_UNSIGNED = _PIXELS._replace(dtype="float32", divide=255.0)  # 0..1

_ALL = "People are no class: images of them get labels of clothes and objects, with low scores."
_COARSE = "Scores come in steps of 1/256, as the network is quantised: many classes have score 0."
_NARROW = "A quarter of MobileNet's channels: quick, and often wrong among similar classes."


# Of a list of images. Four in a run take 11 to 31 % less time for each than one by one (5 networks
# on 2 cores); 8 and 16 gain little more (tests/benchmarks/image_lists.py).
_TOGETHER = 4


def _imagenet(
    name: str,
    title: str,
    weights: str,
    output: str,
    embedding: str,
    *,
    file: str = "",
    head: str = "",
    preprocess: Preprocess = _PIXELS,
    background: bool = True,
    limits: str = _COARSE,
) -> Entry:
    """Return the entry of a network, by default a quantised one of TensorFlow's 1001 classes."""
    return Entry(
        name=name,
        task="classification",
        model="classifier:ClassifierModel",
        weights=weights,
        file=file,
        head=head,
        preprocess=preprocess,
        output=output,
        embedding=embedding,
        decode=Classes(background),
        labels="imagenet_1000",
        batch=bool(file),  # TensorFlow Lite's are converted for one image
        together=_TOGETHER,
        title=f"{title}, 1000 classes of ImageNet, by Google",
        limits=f"{limits} {_ALL}",
    )


ENTRIES = [
    _imagenet(
        "mobilenet.v1_025",
        "MobileNetV1 0.25",
        "mobilenet-v1-025-224-tfjs-layers-float",
        "reshape_2",
        "global_average_pooling2d_1",
        preprocess=_SIGNED,
        background=False,
        limits=_NARROW,
    ),
    _imagenet(
        "mobilenet.v1_025_tflite",
        "MobileNetV1 0.25",
        "mobilenet-v1-025-224-float-tflite",
        "MobilenetV1/Predictions/Reshape_1",
        "MobilenetV1/Logits/AvgPool_1a/AvgPool",
        file="mobilenet_v1_0.25_224_1_default_1.tflite",
        preprocess=_SIGNED,
        limits=_NARROW,
    ),
    _imagenet(
        "mobilenet.v1_025_quant",
        "MobileNetV1 0.25, quantised",
        "mobilenet-v1-025-224-float-tflite",
        "MobilenetV1/Predictions/Reshape_1",
        "MobilenetV1/Logits/AvgPool_1a/AvgPool",
        file="mobilenet_v1_0.25_224_quant.tflite",
        limits=f"{_NARROW} {_COARSE}",
    ),
    _imagenet(
        "mobilenet.v1_100_quant",
        "MobileNetV1 1.0, quantised",
        "mobilenet-v1-100-224-quant-tflite-split",
        "MobilenetV1/Predictions/Reshape_1",
        "MobilenetV1/Logits/AvgPool_1a/AvgPool",
        file="mobilenet_v1_1.0_224_quant_embedding_extractor.tflite",
        head="mobilenet_quant_v1_224_head_layers.tflite",
    ),
    _imagenet(
        "mobilenet.v2_100_quant",
        "MobileNetV2 1.0, quantised",
        "mobilenet-v2-100-224-quant-tflite",
        "MobilenetV2/Predictions/Softmax",
        "MobilenetV2/Logits/AvgPool",
        file="mobilenet_v2_1.0_224_quant.tflite",
    ),
    _imagenet(
        "mobilenet.v2_100_ptq",
        "MobileNetV2 1.0 of Keras, quantised after training",
        "mobilenet-v2-100-224-quant-tflite",
        "Identity",
        # A tensor is called after all the nodes that it replaced.
        ";".join(
            f"{prefix}MobileNetV2/top/{node}"
            for node in (
                "Reshape/Reshape",
                "GlobalPool/Mean/reduction_indices",
                "GlobalPool/Mean",
                "Reshape/Reshape/shape",
            )
            for prefix in ("", "StatefulPartitionedCall/")
        )
        + "1",
        file="tf2_mobilenet_v2_1.0_224_ptq.tflite",
    ),
    Entry(
        name="nsfwjs.mobilenet_v2",
        task="classification",
        model="classifier:ClassifierModel",
        weights="nsfwjs-mobilenet-v2-tfjs-uint8",
        preprocess=_UNSIGNED,
        output="dense_3",
        embedding="flatten_1",
        decode=Classes(background=False),
        labels="nsfw_5",
        together=_TOGETHER,
        title="MobileNetV2: whether an image is safe to show, 5 classes, by Infinite Red (nsfwjs)",
        limits="A help for people who decide, not a judge: bare arms, legs and hands mislead it.",
    ),
]
