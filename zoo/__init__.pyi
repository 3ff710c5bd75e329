"""The public names of `zoo`, as editors and type checkers know them.

``python -m tests.rules.model_types`` writes it: do not edit it.
"""

from weights_cache.common.errors import WeightsError, ZooError
from zoo.catalog.entries import models
from zoo.drawing import draw
from zoo.drawing.live_painting import paint
from zoo.effects.backgrounds import blur_background, cut_out
from zoo.effects.cropping import crop
from zoo.effects.hidden_faces import blur_faces
from zoo.export.json_text import to_json
from zoo.export.polygons import mask_polygons
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
from zoo.live.showing import show
from zoo.live.video_file import VideoFile
from zoo.live.watching import watch
from zoo.live.zones.crossed_lines import LineZone
from zoo.live.zones.occupied_areas import PolygonZone
from zoo.live.zones.past_ways import Trails
from zoo.pipeline.loaded_model import LoadedModel
from zoo.pipeline.loaders import load
from zoo.pipeline.model_cards import describe
from zoo.pipeline.verb_signatures import ImageSource
from zoo.publishing.publishing import publish
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
from zoo.shared.face_triangles import face_mesh_triangles
from zoo.shared.keypoints_by_name import adjacent_pairs, keypoint
from zoo.shared.posenet_decoder import decode_multiple_poses
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
    "LineZone",
    "LoadedModel",
    "Moment",
    "PolygonZone",
    "Pose",
    "Position",
    "Prediction",
    "Segmentation",
    "TaughtModel",
    "Trails",
    "Verification",
    "VideoFile",
    "WeightsError",
    "ZooError",
    "adjacent_pairs",
    "batch",
    "blur_background",
    "blur_faces",
    "classify",
    "crop",
    "cut_out",
    "decode_multiple_poses",
    "describe",
    "detect",
    "detect_faces",
    "draw",
    "estimate_faces",
    "estimate_hands",
    "estimate_multiple_poses",
    "estimate_single_pose",
    "face_mesh_triangles",
    "fine_tune",
    "frames",
    "infer",
    "keypoint",
    "load",
    "mask_polygons",
    "models",
    "paint",
    "publish",
    "read_image",
    "read_results",
    "recognize_gestures",
    "replay",
    "segment",
    "segment_person",
    "segment_person_parts",
    "segment_persons",
    "show",
    "teach",
    "to_csv",
    "to_json",
    "to_pandas",
    "verify",
    "watch",
    "when",
]
