"""The pretrained pose models."""

from typing import NamedTuple

from zoo.catalog.entry import Entry, Preprocess
from zoo.catalog.option import Option, by_name
from zoo.shared.anchors import DETECTOR_DEFAULTS, AnchorGrid


class PoseNetSizes(NamedTuple):
    """Sides of PoseNet's input where the option input_size is None."""

    single_size: int  # for one person
    multiple_size: int  # for several


class TopDownSizes(NamedTuple):
    """Heights and widths of the inputs of a top-down model, beside that of its entry."""

    small: tuple[int, int]  # of crops of people who are no larger in the image
    one_person: tuple[int, int]  # of the detector, for one person


class LandmarkOutputs(NamedTuple):
    """Names of a landmark network's outputs, and whether a sigmoid is part of the network."""

    landmarks: str  # [n, 39 * 5]: x, y, z in pixels of the input, logits of visibility and presence
    presence: str  # [n, 1], 0..1: of a body
    segmentation: str  # [n, side, side, 1]
    heatmap: str  # [n, side / 4, side / 4, 39]
    world: str  # [n, 39 * 3], metres
    logits: bool  # segmentation and heatmap are


class MoveNetNodes(NamedTuple):
    """Nodes between which a MoveNet takes any number of images; the last take only one."""

    pixels: str  # float32 [n, side, side, 3], 0..255
    heads: tuple[str, ...]  # [n, side / 4, side / 4, ..]: all that the last nodes need


# tfjs-models' PoseNet scales pixels to -1..1 and pads to the aspect ratio with black.
_PREPROCESS = Preprocess(divide=127.5, subtract=1.0)

# Sides of the input for one person and for several; `zoo/docs/posenet_tiny.md` has the table.
_SINGLE_SIZE, _TINY_MULTIPLE_SIZE = 257, 321

_STRIDE = Option("output_stride", "choice", "input pixels per output cell", 16, choices=(8, 16))
_SIZE = Option(
    "input_size", "size", "pixels to resize to, an integer or (height, width)", _SINGLE_SIZE
)


# The demos of tfjs-models draw poses from this score on.
_POSENET_DEFAULTS = {"score_threshold": 0.15, "keypoint_threshold": 0.5, "nms_radius": 20}

_POSENET_LIMITS = (
    "Small and overlapping people are its weak side. Among several poses, those with scores "
    "under 0.2 are mostly the remains of others."
)


#: `zoo/docs/posenet_tiny.md` has both measurements; no model was trained on these images.
_MEASURED = (
    "On 69 images of COCO val2017 with one person, at 257: mean OKS {oks} (with 0.53 x the box's "
    "area), PCK {pck} at 0.2 of the torso; AP {ap} on 162 images of 495 people."
)


_TINY = Entry(
    name="posenet.tiny",
    task="pose",
    model="posenet:PoseNetModel",
    weights="posenet-tiny",
    network="posenet:build_posenet",
    preprocess=_PREPROCESS,
    output="heatmap",
    embedding="MobilenetV1/Conv2d_13_pointwise",
    decode=PoseNetSizes(_SINGLE_SIZE, _TINY_MULTIPLE_SIZE),
    defaults=_POSENET_DEFAULTS,
    title="PoseNet on MobileNetV1 0.75, 17 keypoints, trained by this project",
    options=by_name(
        _STRIDE,
        _SIZE._replace(
            default=None, note=f"{_SINGLE_SIZE}, for several people {_TINY_MULTIPLE_SIZE}"
        ),
    ),
    limits=f"{_POSENET_LIMITS} Of people upside down it finds the face only, of bodies bent "
    "sideways little; a leg stretched backwards is lost, and legs of people who overlap are mixed "
    "up. It saw a person in 8 of 100 images of animals (4 over 0.15, none over 0.3) and in none of "
    "60 of rooms and house fronts.",
    accuracy=_MEASURED.format(
        oks="0.541 (95 % interval 0.476 to 0.607)", pck="0.587 (0.497 to 0.671)", ap=0.079
    ),
)


_PEOPLE = "topdown.people"  # the detector of both top-down models

# The labelled photos of COCO train2017, on which nothing was trained: see `zoo/docs/models.md`.
_TOP_DOWN_MEASURED = (
    "On 47 photos of COCO train2017 with one person: mean OKS {oks}, 4 not found; AP {ap} on 106 "
    "photos of 292 people. A pose in {wrong} of 168 photos of animals, rooms and things."
)

_TOP_DOWN = Entry(
    name="topdown.tiny",
    task="pose",
    model="topdown:TopDownModel",
    weights="topdown-pose",
    network="topdown:build_pose",
    preprocess=_PREPROCESS._replace(size=(257, 193)),
    output="location",
    embedding="Top/Mix_8_3_pointwise",
    decode=TopDownSizes(small=(161, 129), one_person=(193, 193)),
    # `zoo/docs/models.md`: few people are lost, and few animals and rooms taken for one.
    defaults={"score_threshold": 0.3, "detector_threshold": 0.1},
    parts={"detector": _PEOPLE},
    batch=True,
    title="Top-down pose estimation, 17 keypoints, trained by this project",
    limits="It misses people of whom little more than an arm or a hand is seen, and those who are "
    "small in the image. Of people who hide each other, limbs may be exchanged. Hidden joints are "
    "guessed: their scores tell. Toys, statues and animals that stand upright may be taken for "
    "people.",
    accuracy=_TOP_DOWN_MEASURED.format(oks="0.753 (0.67 to 0.83)", ap=0.378, wrong=4),
)


_DETECTORS = ("ssd.mobilenet_v1", "blazepose.detector", _PEOPLE)

_LIKE = "Points are within 0.01 pixel of the input from {}'s on 3 images."

_MOVENET = "center_net_mobile_net_v2fpn_feature_extractor/model_1"

# The last convolutions of the four heads: middles of people, and of keypoints how far they are
# from there, where they are, and their offsets in a cell. (Names of the file.)
_MOVENET_HEADS = (
    "center_0/conv2d_4/BiasAdd;center_0/conv2d_4/Conv2D;conv2d_4/bias1",
    "kpt_regress_0/conv2d_6/BiasAdd;kpt_regress_0/conv2d_6/Conv2D;conv2d_6/bias1",
    "kpt_heatmap_0/conv2d_5/BiasAdd;kpt_heatmap_0/conv2d_5/Conv2D;conv2d_5/bias1",
    "kpt_offset_0/conv2d_7/BiasAdd;kpt_regress_0/conv2d_6/Conv2D;kpt_offset_0/conv2d_7/Conv2D;"
    "conv2d_7/bias1",
)


# The same in the file of TensorFlow.js, before which it takes a batch of one apart.
_THUNDER_NODES = MoveNetNodes(
    pixels="StatefulPartitionedCall/stack",
    heads=tuple(
        f"StatefulPartitionedCall/{head}/BiasAdd"
        for head in (
            "center_0/conv2d_4",
            "kpt_regress_0/conv2d_6",
            "kpt_heatmap_0/conv2d_5",
            "kpt_offset_0/conv2d_7",
        )
    ),
)


_ONE_PERSON = (
    "It sees one person at a time. Of two who overlap, the one behind may be taken for the one in "
    "front, and is left out. Among many people, joints of neighbours are mixed."
)


_LIGHTNING = Entry(
    name="movenet.lightning",
    task="pose",
    model="movenet:MoveNetModel",
    weights="movenet-singlepose-lightning-int8-tflite",
    file="lite-model_movenet_singlepose_lightning_tflite_int8_4.tflite",
    # The model's card: pixels as they are, black around the image.
    preprocess=Preprocess(size=(192, 192), dtype="int32"),
    output="StatefulPartitionedCall",
    embedding=f"{_MOVENET}/re_lu_2/Relu;{_MOVENET}/batch_normalization_2/FusedBatchNormV3;"
    f"separable_conv2d_2/bias;{_MOVENET}/separable_conv2d_2/BiasAdd;"
    "kpt_regress_0/separable_conv2d_5/separable_conv2d/depthwise;"
    f"{_MOVENET}/separable_conv2d_2/separable_conv2d1",
    decode=MoveNetNodes(pixels="Cast", heads=_MOVENET_HEADS),
    # In a crop that a detector found, and in a whole image: see `zoo/docs/models.md`.
    defaults={"score_threshold": 0.25, "estimate_single_pose.score_threshold": 0.4},
    parts={"detector": _DETECTORS[0]},
    options=by_name(
        Option(
            "detector", "model", "the model that finds people", _DETECTORS[0], choices=_DETECTORS
        )
    ),
    title="MoveNet Lightning, 17 keypoints of one person, quantised, by Google",
    limits=f"{_ONE_PERSON} Scores come in steps, and those of sure joints are often under 0.7.",
    accuracy="Keypoints are up to 4.7 pixels of the input from TensorFlow Lite's on one image, "
    "1.6 in the median: as quantised networks differ.",
)


_BLAZEPOSE = Entry(
    name="blazepose.lite",
    task="pose",
    model="blazepose:BlazePoseModel",
    weights="mediapipe-blazepose-lite-tflite",
    file="pose_landmark_lite.tflite",
    # MediaPipe's pose_landmark_cpu graph: 0..1 pixels, black around the image.
    preprocess=Preprocess(size=(256, 256), divide=255.0),
    output="Identity",
    embedding="model_1/model/re_lu_55/Relu6;model_1/model/add_18/add",
    decode=LandmarkOutputs(
        landmarks="Identity",
        presence="Identity_1",
        segmentation="Identity_2",
        heatmap="Identity_3",
        world="Identity_4",
        logits=True,
    ),
    defaults={"score_threshold": 0.5},
    parts={"detector": "blazepose.detector"},
    batch=True,
    title="BlazePose lite, 33 keypoints in space, by Google (MediaPipe)",
    limits="It sees whom blazepose.detector finds. Joints that are out of the image are "
    "guessed: their scores tell.",
    # tests/benchmarks/webcam.py
    accuracy="On a clip of squats (65 frames, each for itself) joints are 1.2 per cent of the "
    "body's box away from MediaPipe's full model in the median, 2.7 in the 90th percentile; "
    "in space 60 mm in the median.",
)


def _larger_blazepose(variant: str, embedding: str) -> Entry:
    return _BLAZEPOSE._replace(
        name=f"blazepose.{variant}",
        weights=f"mediapipe-blazepose-{variant}-tflite",
        file=f"pose_landmark_{variant}.tflite",
        embedding=embedding,
        title=f"BlazePose {variant}, 33 keypoints in space, by Google (MediaPipe)",
        limits=f"{_BLAZEPOSE.limits} Of two people close together it may mix the arms up.",
        accuracy=_LIKE.format("LiteRT"),
    )


ENTRIES = [
    _TINY,
    _TOP_DOWN,
    _TOP_DOWN._replace(
        name="topdown.thunder",
        parts={"detector": _PEOPLE, "refiner": "movenet.thunder"},
        title="Top-down pose estimation, in which MoveNet Thunder looks again, 17 keypoints",
        limits="It finds whom topdown.tiny finds, with its scores; only the joints are those of "
        "MoveNet Thunder, where both see the same person.",
        accuracy=_TOP_DOWN_MEASURED.format(oks="0.803 (0.72 to 0.87)", ap=0.412, wrong=4),
    ),
    Entry(
        name=_PEOPLE,
        task="pose",
        model="people:PeopleDetector",
        weights="topdown-people",
        network="topdown:build_people",
        preprocess=_PREPROCESS._replace(size=(257, 257)),
        output="person",
        embedding="Top/Mix_8_2_pointwise",
        defaults={"score_threshold": 0.25, "iou_threshold": 0.6, "max_detections": 20},
        batch=True,
        title="Detector of people, by the boxes around their joints, trained by this project",
        limits="Its boxes hold the joints that are seen, not hair, hands and feet. It was made to "
        "propose: at low thresholds many boxes show nobody.",
        # tests/benchmarks/answers
        accuracy="",
    ),
    _TINY._replace(
        name="posenet.mobilenet_v1_075",
        weights="posenet-mobilenet-v1-075-float-pertensor",
        decode=PoseNetSizes(_SINGLE_SIZE, _SINGLE_SIZE),
        title="PoseNet on MobileNetV1 0.75, 17 keypoints, by Google",
        options=by_name(_STRIDE, _SIZE),
        limits=f"{_POSENET_LIMITS} At the default input_size it misses small people: with 513 its "
        "OKS is 0.659.",
        accuracy=_MEASURED.format(oks=0.526, pck=0.543, ap=0.078),
    ),
    Entry(
        name="posenet.mobilenet_v1_075_quant",
        task="pose",
        model="posenet:CoralPoseNetModel",
        weights="posenet-mobilenet-v1-075-quant-tflite-353_481",
        file="posenet_mobilenet_v1_075_353_481_quant.tflite",
        # The quantized values of (p - 128) / 128 are the pixels.
        preprocess=Preprocess(size=(353, 481), dtype="uint8"),
        output="float_heatmaps",
        embedding="MobilenetV1/Conv2d_13_pointwise/Relu6",
        defaults=_POSENET_DEFAULTS,
        title="PoseNet on MobileNetV1 0.75, 17 keypoints, quantised, by Google Coral",
        limits=f"{_POSENET_LIMITS} Scores come in steps, so that of two people either may have the "
        "best cell of a joint.",
        accuracy="Keypoints are within 1 pixel of the input from TensorFlow Lite's on 2 images, "
        "but for equal best cells.",
    ),
    _LIGHTNING,
    _LIGHTNING._replace(
        name="movenet.lightning_ptq",
        file="movenet_single_pose_lightning_ptq.tflite",
        title="MoveNet Lightning, 17 keypoints of one person, quantised, as Google Coral gives it",
    ),
    _LIGHTNING._replace(
        name="movenet.thunder",
        weights="movenet-singlepose-thunder-tfjs-fp16",
        file="",
        preprocess=Preprocess(size=(256, 256), dtype="int32"),
        output="Identity",
        embedding=f"StatefulPartitionedCall/{_MOVENET}/re_lu_2/Relu",
        decode=_THUNDER_NODES,
        title="MoveNet Thunder, 17 keypoints of one person, the larger MoveNet, by Google",
        limits=_ONE_PERSON,
        accuracy=_LIKE.format("TensorFlow.js"),
    ),
    _BLAZEPOSE,
    _larger_blazepose("full", "model_1/model/re_lu_63/Relu6;model_1/model/add_22/add"),
    _larger_blazepose("heavy", "model_1/model/re_lu_151/Relu6;model_1/model/add_67/add"),
    _BLAZEPOSE._replace(
        name="blazepose.lite_tfjs",
        weights="blazepose-lite-tfjs-fp16",
        file="",
        output="ld_3d",
        decode=LandmarkOutputs(
            landmarks="ld_3d",
            presence="output_poseflag",
            segmentation="activation_segmentation",
            heatmap="activation_heatmap",
            world="world_3d",
            logits=False,
        ),
        embedding="StatefulPartitionedCall/model/re_lu_55/Relu6",
        title="BlazePose lite, 33 keypoints in space, by Google, as converted for TensorFlow.js",
    ),
    Entry(
        name="blazepose.detector",
        task="pose",
        model="blazepose:BlazePoseDetector",
        weights="mediapipe-blazepose-lite-tflite",
        file="pose_detection.tflite",
        # MediaPipe's pose_detection_cpu graph: pixels in -1..1, black around the image.
        preprocess=Preprocess(size=(224, 224), divide=127.5, subtract=1.0),
        output="Identity_1",
        decode=AnchorGrid(
            regressors=("Identity",),
            scores=("Identity_1",),
            keypoints=4,
            strides=(8, 16, 32, 32, 32),
            size=224,
        ),
        defaults=DETECTOR_DEFAULTS,
        title="BlazePose's detector of people: their position, size and rotation, by Google",
        limits="Made for one or two people who fill much of the image and whose faces are seen: "
        "it misses people in crowds, small ones, and often one of several side by side.",
    ),
]
