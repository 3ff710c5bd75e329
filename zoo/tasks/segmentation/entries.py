"""The pretrained segmentation models."""

from zoo.catalog.entry import Entry, Preprocess
from zoo.tasks.segmentation.upsampling import Cells


def _accuracy(overlap: float) -> str:
    """Return the accuracy on the person in portrait.jpg, by the mask of tfjs-models' test."""
    return f"intersection over union {overlap} with tfjs-models' mask of a portrait"


# The shapes of images are not kept: TensorFlow Lite's examples stretch them, as do the records'
# golden outputs, and tfjs-models' body-segmentation for the selfie networks.
_STRETCH = Preprocess(fit="stretch", divide=255.0)

_SELFIE = Entry(
    name="selfie.base",
    task="segmentation",
    model="person_check:SelfieModel",
    weights="mediapipe-selfie-segmentation-tflite",
    file="selfie_segmentation.tflite",
    preprocess=_STRETCH._replace(size=(256, 256)),
    output="activation_10",
    embedding="add_13__xeno_compat__1",
    title="MediaPipe Selfie Segmentation, people near the camera, by Google",
    decode=Cells(log_odds=False),
    parts={"pose": "topdown.tiny", "classes": "deeplab.v3"},
    limits="Made for people within 2 m of the camera: those further off and in crowds are missed. "
    "What lies in front, such as a cat or a bed, may be taken for a person: masks are empty where "
    "two other networks see nobody, which may not see a hand alone.",
    accuracy=_accuracy(0.984),
)

ENTRIES = [
    Entry(
        name="deeplab.v3",
        task="segmentation",
        model="person_masks:DeepLabModel",
        weights="deeplabv3-257-mv-gpu-float-tflite",
        file="deeplabv3_257_mv_gpu.tflite",
        preprocess=Preprocess(size=(257, 257), fit="stretch", divide=127.5, subtract=1.0),
        output="ResizeBilinear_3",
        embedding="concat_projection/Relu",
        title="DeepLab v3 on MobileNetV2, the 20 classes of PASCAL VOC, by Google",
        labels="voc_21",
        decode=Cells(),
        limits="Sees 257 x 257 pixels and decides on 33 x 33 cells: thin limbs, wheels and small "
        "or crowded objects are lost.",
        accuracy=_accuracy(0.919),
    ),
    _SELFIE,
    _SELFIE._replace(
        name="selfie.landscape",
        file="selfie_segmentation_landscape.tflite",
        preprocess=_STRETCH._replace(size=(144, 256)),
        output="segment_back",
        title="MediaPipe Selfie Segmentation for wide images, faster, by Google",
        accuracy=_accuracy(0.979),
    ),
    _SELFIE._replace(
        name="selfie.tfjs",
        weights="selfie-segmentation-tfjs-fp16",
        file="",
        title="MediaPipe Selfie Segmentation as a TensorFlow.js model, by Google",
    ),
    Entry(
        name="bodypix.mobilenet_075",
        task="segmentation",
        model="bodypix:BodyPixModel",
        weights="bodypix-mobilenet-v1-075-quant-decoder-tflite",
        # Its last node, a decoder of Coral's own, is left away.
        file="bodypix_mobilenet_v1_075_512_512_16_quant_decoder.tflite",
        outputs=(
            "float_heatmaps",
            "float_short_offsets",
            "float_mid_offsets",
            "float_long_offsets",
            "float_segments",
            "float_part_heatmaps",
        ),
        preprocess=Preprocess(size=(512, 512), fit="stretch", dtype="uint8"),
        output="float_segments",
        embedding="MobilenetV1/Conv2d_13_pointwise/Relu6;MobilenetV1/Conv2d_13_pointwise/BatchNorm/"
        "batchnorm_1/add_1;MobilenetV1/Conv2d_13_pointwise/BatchNorm/batchnorm_1/add_1/conv;"
        "MobilenetV1/Conv2d_13_pointwise/Conv2D_bias",
        title="BodyPix on MobileNetV1 0.75, people and 24 parts of the body, quantised, by Google",
        # The threshold is that of the decoder in the file: with tfjs-models' 0.4 portraits, most
        # of whose keypoints are out of the image, are lost.
        decode=Cells(stride=16),
        parts={"classes": "deeplab.v3"},
        defaults={"score_threshold": 0.2, "nms_radius": 20},
        limits="Decides on 33 x 33 cells of 16 pixels: fingers, and people lower than a tenth of "
        "the image, are lost. Of people who overlap, hands held far from the own face may go to "
        "a neighbour. The front and the back of limbs are often confused.",
        accuracy=_accuracy(0.956),
    ),
]
