"""What `zoo.load` returns, by the name, for editors and type checkers.

``python -m tests.rules.model_types`` writes it: do not edit it.
"""

# mypy: disable-error-code="overload-overlap"

import os
from collections.abc import Callable, Mapping
from typing import Literal, overload

from core.converter.input_shapes import InputShapes
from core.engine.limits import Limits
from zoo.catalog.model_names import BackendName
from zoo.pipeline.model import Model
from zoo.tasks.classification.classifier import ClassifierModel
from zoo.tasks.classification.verbs import classify
from zoo.tasks.detection.nanodet import NanoDetModel
from zoo.tasks.detection.ssd import SsdModel
from zoo.tasks.detection.verbs import detect
from zoo.tasks.faces.attention import AttentionMesh
from zoo.tasks.faces.detectors import BlazeFace, RefinedBlazeFace, TinyFaceDetector
from zoo.tasks.faces.face_api import FacePoints, FaceReader
from zoo.tasks.faces.irises import IrisModel
from zoo.tasks.faces.mesh import FaceMesh
from zoo.tasks.faces.thorough import ThoroughBlazeFace
from zoo.tasks.faces.verbs import detect_faces, estimate_faces
from zoo.tasks.faces.yunet import YuNet
from zoo.tasks.gestures.keypoint_classifier import KeypointClassifier
from zoo.tasks.gestures.verbs import recognize_gestures
from zoo.tasks.hands.handtrack import HandtrackModel
from zoo.tasks.hands.landmarks import HandModel, JointPalmDetector, PalmDetector
from zoo.tasks.hands.verbs import estimate_hands
from zoo.tasks.pose.blazepose import BlazePoseDetector, BlazePoseModel
from zoo.tasks.pose.movenet import MoveNetModel
from zoo.tasks.pose.people import PeopleDetector
from zoo.tasks.pose.posenet import CoralPoseNetModel, PoseNetModel
from zoo.tasks.pose.topdown import TopDownModel
from zoo.tasks.pose.verbs import estimate_multiple_poses, estimate_single_pose
from zoo.tasks.segmentation.bodypix import BodyPixModel
from zoo.tasks.segmentation.person_check import SelfieModel
from zoo.tasks.segmentation.person_masks import DeepLabModel
from zoo.tasks.segmentation.verbs import (
    segment,
    segment_person,
    segment_person_parts,
    segment_persons,
)

class AnyModel(Model):
    """A model whose name or path is known only when the program runs.

    Type checkers let it have every verb; when it runs, it has those of its task.
    """

    labels: tuple[str, ...]

    classify = classify
    detect = detect
    detect_faces = detect_faces
    estimate_faces = estimate_faces
    estimate_hands = estimate_hands
    estimate_multiple_poses = estimate_multiple_poses
    estimate_single_pose = estimate_single_pose
    recognize_gestures = recognize_gestures
    segment = segment
    segment_person = segment_person
    segment_person_parts = segment_person_parts
    segment_persons = segment_persons

@overload
def load(
    name: Literal[
        "mobilenet.v1_025",
        "mobilenet.v1_025_quant",
        "mobilenet.v1_025_tflite",
        "mobilenet.v1_100_quant",
        "mobilenet.v2_100_ptq",
        "mobilenet.v2_100_quant",
        "nsfwjs.mobilenet_v2",
        "classification.fast",
        "classification.best",
        "classify.fast",
        "classify.best",
        "infer.fast",
        "infer.best",
    ],
    *,
    backend: BackendName | None = None,
    weights: str | os.PathLike[str] | None = None,
) -> ClassifierModel: ...
@overload
def load(
    name: Literal["nanodet.g_416", "detection.best", "detect.best"],
    *,
    backend: BackendName | None = None,
    weights: str | os.PathLike[str] | None = None,
) -> NanoDetModel: ...
@overload
def load(
    name: Literal["ssd.mobilenet_v1", "detection.fast", "detect.fast"],
    *,
    backend: BackendName | None = None,
    weights: str | os.PathLike[str] | None = None,
) -> SsdModel: ...
@overload
def load(
    name: Literal["facemesh.attention"],
    *,
    backend: BackendName | None = None,
    weights: str | os.PathLike[str] | None = None,
    detector: Literal[
        "blazeface.short",
        "blazeface.full",
        "blazeface.full_dense",
        "blazeface.front",
        "blazeface.back",
        "blazeface.refined",
        "blazeface.thorough",
        "faceapi.tiny_detector",
    ]
    | Model = ...,
) -> AttentionMesh: ...
@overload
def load(
    name: Literal[
        "blazeface.back",
        "blazeface.front",
        "blazeface.full",
        "blazeface.full_dense",
        "blazeface.short",
        "detect_faces.fast",
    ],
    *,
    backend: BackendName | None = None,
    weights: str | os.PathLike[str] | None = None,
) -> BlazeFace: ...
@overload
def load(
    name: Literal["blazeface.refined"],
    *,
    backend: BackendName | None = None,
    weights: str | os.PathLike[str] | None = None,
    detector: Literal["blazeface.back", "blazeface.full", "faceapi.tiny_detector"] | Model = ...,
) -> RefinedBlazeFace: ...
@overload
def load(
    name: Literal["faceapi.tiny_detector"],
    *,
    backend: BackendName | None = None,
    weights: str | os.PathLike[str] | None = None,
    input_size: Literal[128, 160, 224, 320, 416, 512, 608] = ...,
) -> TinyFaceDetector: ...
@overload
def load(
    name: Literal["faceapi.landmark68", "faceapi.landmark68_tiny"],
    *,
    backend: BackendName | None = None,
    weights: str | os.PathLike[str] | None = None,
    detector: Literal[
        "blazeface.short",
        "blazeface.full",
        "blazeface.full_dense",
        "blazeface.front",
        "blazeface.back",
        "blazeface.refined",
        "blazeface.thorough",
        "faceapi.tiny_detector",
    ]
    | Model = ...,
) -> FacePoints: ...
@overload
def load(
    name: Literal["faceapi.age_gender", "faceapi.expression"],
    *,
    backend: BackendName | None = None,
    weights: str | os.PathLike[str] | None = None,
) -> FaceReader: ...
@overload
def load(
    name: Literal["iris.base"],
    *,
    backend: BackendName | None = None,
    weights: str | os.PathLike[str] | None = None,
) -> IrisModel: ...
@overload
def load(
    name: Literal[
        "facemesh.base", "faces.fast", "faces.best", "estimate_faces.fast", "estimate_faces.best"
    ],
    *,
    backend: BackendName | None = None,
    weights: str | os.PathLike[str] | None = None,
    detector: Literal[
        "blazeface.short",
        "blazeface.full",
        "blazeface.full_dense",
        "blazeface.front",
        "blazeface.back",
        "blazeface.refined",
        "blazeface.thorough",
        "faceapi.tiny_detector",
    ]
    | Model = ...,
) -> FaceMesh: ...
@overload
def load(
    name: Literal["blazeface.thorough", "detect_faces.best"],
    *,
    backend: BackendName | None = None,
    weights: str | os.PathLike[str] | None = None,
) -> ThoroughBlazeFace: ...
@overload
def load(
    name: Literal["yunet.s"],
    *,
    backend: BackendName | None = None,
    weights: str | os.PathLike[str] | None = None,
) -> YuNet: ...
@overload
def load(
    name: Literal["gesture.keypoints"],
    *,
    backend: BackendName | None = None,
    weights: str | os.PathLike[str] | None = None,
) -> KeypointClassifier: ...
@overload
def load(
    name: Literal["handtrack.ssd320"],
    *,
    backend: BackendName | None = None,
    weights: str | os.PathLike[str] | None = None,
) -> HandtrackModel: ...
@overload
def load(
    name: Literal[
        "hands.full",
        "hands.lite",
        "hands.lite_tfjs",
        "hands.fast",
        "hands.best",
        "estimate_hands.fast",
        "estimate_hands.best",
    ],
    *,
    backend: BackendName | None = None,
    weights: str | os.PathLike[str] | None = None,
    detector: Literal["palm.lite", "palm.full", "handpose.palm"] | Model = ...,
) -> HandModel: ...
@overload
def load(
    name: Literal["handpose.palm"],
    *,
    backend: BackendName | None = None,
    weights: str | os.PathLike[str] | None = None,
) -> JointPalmDetector: ...
@overload
def load(
    name: Literal["palm.full", "palm.lite"],
    *,
    backend: BackendName | None = None,
    weights: str | os.PathLike[str] | None = None,
) -> PalmDetector: ...
@overload
def load(
    name: Literal["blazepose.detector"],
    *,
    backend: BackendName | None = None,
    weights: str | os.PathLike[str] | None = None,
) -> BlazePoseDetector: ...
@overload
def load(
    name: Literal["blazepose.full", "blazepose.heavy", "blazepose.lite", "blazepose.lite_tfjs"],
    *,
    backend: BackendName | None = None,
    weights: str | os.PathLike[str] | None = None,
) -> BlazePoseModel: ...
@overload
def load(
    name: Literal["movenet.lightning", "movenet.lightning_ptq", "movenet.thunder"],
    *,
    backend: BackendName | None = None,
    weights: str | os.PathLike[str] | None = None,
    detector: Literal["ssd.mobilenet_v1", "blazepose.detector", "topdown.people"] | Model = ...,
) -> MoveNetModel: ...
@overload
def load(
    name: Literal["topdown.people"],
    *,
    backend: BackendName | None = None,
    weights: str | os.PathLike[str] | None = None,
) -> PeopleDetector: ...
@overload
def load(
    name: Literal["posenet.mobilenet_v1_075_quant"],
    *,
    backend: BackendName | None = None,
    weights: str | os.PathLike[str] | None = None,
) -> CoralPoseNetModel: ...
@overload
def load(
    name: Literal[
        "posenet.mobilenet_v1_075",
        "posenet.tiny",
        "pose.fast",
        "estimate_single_pose.fast",
        "estimate_multiple_poses.fast",
    ],
    *,
    backend: BackendName | None = None,
    weights: str | os.PathLike[str] | None = None,
    output_stride: Literal[8, 16] = ...,
    input_size: int | tuple[int, int] = ...,
) -> PoseNetModel: ...
@overload
def load(
    name: Literal[
        "topdown.thunder",
        "topdown.tiny",
        "pose.best",
        "estimate_single_pose.best",
        "estimate_multiple_poses.best",
    ],
    *,
    backend: BackendName | None = None,
    weights: str | os.PathLike[str] | None = None,
) -> TopDownModel: ...
@overload
def load(
    name: Literal[
        "bodypix.mobilenet_075",
        "segment_persons.fast",
        "segment_persons.best",
        "segment_person_parts.fast",
        "segment_person_parts.best",
    ],
    *,
    backend: BackendName | None = None,
    weights: str | os.PathLike[str] | None = None,
) -> BodyPixModel: ...
@overload
def load(
    name: Literal[
        "selfie.base",
        "selfie.landscape",
        "selfie.tfjs",
        "segment_person.fast",
        "segment_person.best",
    ],
    *,
    backend: BackendName | None = None,
    weights: str | os.PathLike[str] | None = None,
) -> SelfieModel: ...
@overload
def load(
    name: Literal[
        "deeplab.v3", "segmentation.fast", "segmentation.best", "segment.fast", "segment.best"
    ],
    *,
    backend: BackendName | None = None,
    weights: str | os.PathLike[str] | None = None,
) -> DeepLabModel: ...
@overload
def load(
    name: str | os.PathLike[str],
    *,
    backend: BackendName | None = None,
    weights: str | os.PathLike[str] | None = None,
    kernels: Mapping[str, Callable[..., object]] | None = None,
    limits: Limits | None = None,
    isolate: bool = False,
    signature: str | None = None,
    inputs: InputShapes | None = None,
    detector: Literal["blazeface.back", "blazeface.full", "faceapi.tiny_detector"]
    | Model
    | Literal[
        "blazeface.short",
        "blazeface.full",
        "blazeface.full_dense",
        "blazeface.front",
        "blazeface.back",
        "blazeface.refined",
        "blazeface.thorough",
        "faceapi.tiny_detector",
    ]
    | Literal["palm.lite", "palm.full", "handpose.palm"]
    | Literal["ssd.mobilenet_v1", "blazepose.detector", "topdown.people"] = ...,
    input_size: Literal[128, 160, 224, 320, 416, 512, 608] | int | tuple[int, int] = ...,
    output_stride: Literal[8, 16] = ...,
) -> AnyModel: ...
