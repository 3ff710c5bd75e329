"""The public names of `zoo`, as editors and type checkers know them.

``python -m tests.rules.model_types`` writes it: do not edit it.
"""

from weights_cache.common.errors import WeightsError, ZooError
from zoo.catalog.entries import models
from zoo.drawing import draw
from zoo.drawing.live_painting import paint
from zoo.effects.backgrounds import blur_background, cut_out
from zoo.effects.hidden_faces import blur_faces
from zoo.export.json_text import to_json
from zoo.export.tables import to_csv, to_pandas
from zoo.images.pixels import ImageError
from zoo.images.reading import read_image
from zoo.jobs.manifest import BatchSummary
from zoo.jobs.running import batch
from zoo.jobs.stored_results import BatchResults, ErrorRow, ImageRow, read_results
from zoo.live.frame import Frame
from zoo.live.frame_source import Frames, frames
from zoo.live.reactions import when
from zoo.live.recording import replay
from zoo.live.watching import watch
from zoo.pipeline.loaded_model import LoadedModel
from zoo.pipeline.loaders import load
from zoo.pipeline.model_cards import describe
from zoo.pipeline.verb_signatures import ImageSource
from zoo.results.moments import Event, Moment
from zoo.results.vocabulary import (
    Box,
    Detection,
    Face,
    Gesture,
    Hand,
    Instance,
    Keypoint,
    Label,
    Pose,
    Position,
    Segmentation,
)
from zoo.tasks.classification.verbs import classify, infer
from zoo.tasks.detection.verbs import detect
from zoo.tasks.faces.verbs import detect_faces, estimate_faces
from zoo.tasks.gestures.recognizer import GestureRecognizer
from zoo.tasks.gestures.verbs import recognize_gestures
from zoo.tasks.hands.verbs import estimate_hands
from zoo.tasks.pose.verbs import estimate_multiple_poses, estimate_single_pose
from zoo.tasks.segmentation.verbs import (
    segment,
    segment_person,
    segment_person_parts,
    segment_persons,
)
from zoo.transfer.heads import Head
from zoo.transfer.knn.classifier import KNNClassifier
from zoo.transfer.predictions import Prediction
from zoo.transfer.taught_model import TaughtModel
from zoo.transfer.teaching import teach
from zoo.transfer.tuning.tuning import fine_tune
from zoo.verification.rows import Verification
from zoo.verification.verifying import verify

__version__: str
__all__ = [
    "BatchResults",
    "BatchSummary",
    "Box",
    "Detection",
    "ErrorRow",
    "Event",
    "Face",
    "Frame",
    "Frames",
    "Gesture",
    "GestureRecognizer",
    "Hand",
    "Head",
    "ImageError",
    "ImageRow",
    "ImageSource",
    "Instance",
    "KNNClassifier",
    "Keypoint",
    "Label",
    "LoadedModel",
    "Moment",
    "Pose",
    "Position",
    "Prediction",
    "Segmentation",
    "TaughtModel",
    "Verification",
    "WeightsError",
    "ZooError",
    "batch",
    "blur_background",
    "blur_faces",
    "classify",
    "cut_out",
    "describe",
    "detect",
    "detect_faces",
    "draw",
    "estimate_faces",
    "estimate_hands",
    "estimate_multiple_poses",
    "estimate_single_pose",
    "fine_tune",
    "frames",
    "infer",
    "load",
    "models",
    "paint",
    "read_image",
    "read_results",
    "recognize_gestures",
    "replay",
    "segment",
    "segment_person",
    "segment_person_parts",
    "segment_persons",
    "teach",
    "to_csv",
    "to_json",
    "to_pandas",
    "verify",
    "watch",
    "when",
]
