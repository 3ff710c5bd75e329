"""Names of models and backends, as editors and type checkers know them.

``python -m tests.rules.model_types`` writes it: do not edit it.
"""

from typing import Literal

#: Names of backends.
BackendName = Literal["auto", "cpu", "shader", "tf"]

#: Names of the models of `zoo.classify`.
ClassifyModelName = Literal[
    "fast",
    "best",
    "mobilenet.v1_025",
    "mobilenet.v1_025_quant",
    "mobilenet.v1_025_tflite",
    "mobilenet.v1_100_quant",
    "mobilenet.v2_100_ptq",
    "mobilenet.v2_100_quant",
    "nsfwjs.mobilenet_v2",
]

#: Names of the models of `zoo.detect`.
DetectModelName = Literal[
    "fast",
    "best",
    "blazepose.detector",
    "handpose.palm",
    "handtrack.ssd320",
    "nanodet.g_416",
    "palm.full",
    "palm.lite",
    "ssd.mobilenet_v1",
    "topdown.people",
]

#: Names of the models of `zoo.detect_faces`.
DetectFacesModelName = Literal[
    "fast",
    "best",
    "blazeface.back",
    "blazeface.front",
    "blazeface.full",
    "blazeface.full_dense",
    "blazeface.refined",
    "blazeface.short",
    "blazeface.thorough",
    "faceapi.tiny_detector",
    "yunet.s",
]

#: Names of the models of `zoo.estimate_faces`.
EstimateFacesModelName = Literal[
    "fast",
    "best",
    "blazeface.back",
    "blazeface.front",
    "blazeface.full",
    "blazeface.full_dense",
    "blazeface.refined",
    "blazeface.short",
    "blazeface.thorough",
    "faceapi.landmark68",
    "faceapi.landmark68_tiny",
    "faceapi.tiny_detector",
    "facemesh.attention",
    "facemesh.base",
    "yunet.s",
]

#: Names of the models of `zoo.estimate_hands`.
EstimateHandsModelName = Literal[
    "fast", "best", "hands.full", "hands.lite", "hands.lite_tfjs", "handtrack.ssd320"
]

#: Names of the models of `zoo.estimate_multiple_poses`.
EstimateMultiplePosesModelName = Literal[
    "fast",
    "best",
    "blazepose.full",
    "blazepose.heavy",
    "blazepose.lite",
    "blazepose.lite_tfjs",
    "movenet.lightning",
    "movenet.lightning_ptq",
    "movenet.thunder",
    "posenet.mobilenet_v1_075",
    "posenet.mobilenet_v1_075_quant",
    "posenet.tiny",
    "topdown.thunder",
    "topdown.tiny",
]

#: Names of the models of `zoo.estimate_single_pose`.
EstimateSinglePoseModelName = Literal[
    "fast",
    "best",
    "blazepose.full",
    "blazepose.heavy",
    "blazepose.lite",
    "blazepose.lite_tfjs",
    "movenet.lightning",
    "movenet.lightning_ptq",
    "movenet.thunder",
    "posenet.mobilenet_v1_075",
    "posenet.mobilenet_v1_075_quant",
    "posenet.tiny",
    "topdown.thunder",
    "topdown.tiny",
]

#: Names of the models of `zoo.infer`.
InferModelName = Literal[
    "fast",
    "best",
    "blazeface.back",
    "blazeface.front",
    "blazeface.full",
    "blazeface.full_dense",
    "blazeface.refined",
    "blazeface.short",
    "blazeface.thorough",
    "blazepose.detector",
    "blazepose.full",
    "blazepose.heavy",
    "blazepose.lite",
    "blazepose.lite_tfjs",
    "bodypix.mobilenet_075",
    "deeplab.v3",
    "faceapi.age_gender",
    "faceapi.expression",
    "faceapi.landmark68",
    "faceapi.landmark68_tiny",
    "faceapi.tiny_detector",
    "facemesh.attention",
    "facemesh.base",
    "gesture.keypoints",
    "handpose.palm",
    "hands.full",
    "hands.lite",
    "hands.lite_tfjs",
    "handtrack.ssd320",
    "iris.base",
    "mobilenet.v1_025",
    "mobilenet.v1_025_quant",
    "mobilenet.v1_025_tflite",
    "mobilenet.v1_100_quant",
    "mobilenet.v2_100_ptq",
    "mobilenet.v2_100_quant",
    "movenet.lightning",
    "movenet.lightning_ptq",
    "movenet.thunder",
    "nanodet.g_416",
    "nsfwjs.mobilenet_v2",
    "palm.full",
    "palm.lite",
    "posenet.mobilenet_v1_075",
    "posenet.mobilenet_v1_075_quant",
    "posenet.tiny",
    "selfie.base",
    "selfie.landscape",
    "selfie.tfjs",
    "ssd.mobilenet_v1",
    "topdown.people",
    "topdown.thunder",
    "topdown.tiny",
    "yunet.s",
]

#: Names of the models of `zoo.recognize_gestures`.
RecognizeGesturesModelName = Literal["fast", "best", "rules", "gesture.keypoints"]

#: Names of the models of `zoo.segment`.
SegmentModelName = Literal["fast", "best", "deeplab.v3"]

#: Names of the models of `zoo.segment_person`.
SegmentPersonModelName = Literal[
    "fast",
    "best",
    "bodypix.mobilenet_075",
    "deeplab.v3",
    "selfie.base",
    "selfie.landscape",
    "selfie.tfjs",
]

#: Names of the models of `zoo.segment_person_parts`.
SegmentPersonPartsModelName = Literal["fast", "best", "bodypix.mobilenet_075"]

#: Names of the models of `zoo.segment_persons`.
SegmentPersonsModelName = Literal["fast", "best", "bodypix.mobilenet_075"]
