"""The pretrained models of hands, and of palms alone."""

from typing import NamedTuple

from zoo.catalog.entry import Entry, Preprocess
from zoo.catalog.option import Option, by_name
from zoo.shared.anchors import DETECTOR_DEFAULTS, AnchorGrid


class HandOutputs(NamedTuple):
    """Meaning of the outputs of a hand landmark network."""

    landmarks: str  # [n, 63]: x, y, z of each in pixels of the input
    presence: str  # [n, 1]: whether there is a hand, 0..1
    right: str  # [n, 1]: whether it is a right hand, 0..1
    world: str  # [n, 63]: x, y, z of each in metres
    depth: float  # what z is to be divided by for x's and y's scale


class HandtrackNodes(NamedTuple):
    """Meaning of Handtrack's nodes."""

    boxes: str  # node [1, n, 1, 4]: y0, x0, y1, x1 in 0..1 of the image
    scores: str  # node [1, n, labels], 0..1
    labels: tuple[str, ...]
    hands: frozenset[str]  # the labels that are of hands


_PALMS = ("palm.lite", "palm.full", "handpose.palm")


def _palm(variant: str, layer: int) -> Entry:
    names = ("add", "Relu", "Neg_1", "Relu_1", "mul1")  # of the nodes that one activation was
    return Entry(
        name=f"palm.{variant}",
        task="hands",
        model="landmarks:PalmDetector",
        weights="mediapipe-palm-detection-tflite",
        file=f"palm_detection_{variant}.tflite",
        preprocess=Preprocess(size=(192, 192), divide=255.0),
        output="Identity",
        embedding=";".join(f"model_1/model/p_re_lu_{layer}/{name}" for name in names),
        # MediaPipe's palm_detection_cpu.pbtxt.
        decode=AnchorGrid(
            regressors=("Identity",),
            scores=("Identity_1",),
            keypoints=7,
            strides=(8, 16, 16, 16),
            size=192,
        ),
        defaults=DETECTOR_DEFAULTS,
        title=f"Palm detector of MediaPipe Hands ({variant}), by Google: boxes and 7 keypoints",
        limits="Palms under a twentieth of the image's longer side may be missed, and those of "
        "hands that hold something.",
    )


_LITE = Entry(
    name="hands.lite",
    task="hands",
    model="landmarks:HandModel",
    weights="mediapipe-hand-landmark-lite-tflite",
    file="hand_landmark_lite.tflite",
    # MediaPipe's hand_landmark_cpu.pbtxt; what lies outside of the image is black.
    preprocess=Preprocess(size=(224, 224), divide=255.0),
    output="Identity",
    embedding="model_1/model/global_average_pooling2d/Mean",  # 672 values for each hand
    # MediaPipe calls what is near 1 "Left" and takes images for mirror images. Here it is a
    # right hand of an image that is none: it is near 0 for the backs of the two left hands in
    # tfjs-models' hands.jpg and for the left arm raised in three_people.jpg, whose writing can
    # be read, and near 1 for the right palm of pakutaso.jpg and for three people who hold a
    # hand up on the left of their images.
    # Depths: normalize_z of TensorsToLandmarksCalculator's options.
    decode=HandOutputs(
        landmarks="Identity",
        presence="Identity_1",
        right="Identity_2",
        world="Identity_3",
        depth=0.4,
    ),
    defaults={"score_threshold": 0.5},
    title="MediaPipe Hands (lite), by Google: 21 points in space, left or right",
    parts={"detector": _PALMS[0]},
    options=by_name(
        Option("detector", "model", "the model that finds palms", _PALMS[0], choices=_PALMS)
    ),
    batch=True,
    limits="A hand whose palm is not found is missed: of small hands in scenes "
    "detector='handpose.palm' finds more, and now and then a paw. Fingers that are hidden are "
    "guessed, and so is which hand it is.",
    accuracy="On a film of a signing hand (tfjs-models' asl_hand) its points lie 2.3 % of the "
    "hand's size from those of MediaPipe's full model in the median, and 4.3 % at the 90th "
    "percentile.",
)


ENTRIES = [
    _palm("lite", 22),
    _palm("full", 27),
    Entry(
        name="handpose.palm",
        task="hands",
        model="landmarks:JointPalmDetector",
        weights="handpose-palm-detector-tfjs-fp16",
        preprocess=Preprocess(size=(256, 256), divide=127.5, subtract=1.0),
        output="Identity",
        embedding="StatefulPartitionedCall/model/activation_39/Relu",
        # handDetector.ts of tfjs-models' handpose, whose anchors are these.
        decode=AnchorGrid(
            regressors=("regressors",),
            scores=("logits",),
            keypoints=7,
            strides=(8, 16, 32, 32, 32),
            size=256,
        ),
        defaults=DETECTOR_DEFAULTS,
        title="Palm detector of tfjs-models' handpose, by Google: boxes and 7 keypoints",
        limits="It finds palms down to 3 % of the image's longer side, and many where there are "
        "none.",
    ),
    _LITE,
    _LITE._replace(
        name="hands.full",
        weights="mediapipe-hand-landmark-full-tflite",
        file="hand_landmark_full.tflite",
        title="MediaPipe Hands (full), by Google: 21 points in space, left or right",
        accuracy="Points are within 0.01 pixel of the input from LiteRT's on 2 images.",
    ),
    _LITE._replace(
        name="hands.lite_tfjs",
        weights="hand-landmark-lite-tfjs-fp16",
        file="",
        title="The network of hands.lite, converted for TensorFlow.js",
    ),
    Entry(
        name="handtrack.ssd320",
        task="hands",
        model="handtrack:HandtrackModel",
        weights="handtrack-ssd320fpnlite-tfjs-uint8",
        # The network itself brings images of any size to 320 x 320, whatever their aspect ratio.
        preprocess=Preprocess(size=(320, 320), fit="stretch", dtype="int32"),
        output="StatefulPartitionedCall/Postprocessor/Slice",
        embedding="StatefulPartitionedCall/ssd_mobile_net_v2fpn_keras_feature_extractor/model/"
        "out_relu/Relu6",
        # Nodes, labels and thresholds: handtrack.js 0.1.2, src/index.js.
        decode=HandtrackNodes(
            boxes="StatefulPartitionedCall/Postprocessor/ExpandDims_1",
            scores="StatefulPartitionedCall/Postprocessor/Slice",
            labels=("open", "closed", "pinch", "point", "face", "tip", "pinch tip"),
            hands=frozenset({"open", "closed", "pinch", "point"}),
        ),
        defaults={"score_threshold": 0.6, "iou_threshold": 0.2, "max_detections": 20},
        title="Handtrack, SSD on MobileNetV2 FPNLite 320, by Victor Dibia: boxes of hands",
        limits="Made for people before a webcam: in other images it takes faces and objects for "
        "hands, and it misses hands that point down.",
    ),
]
