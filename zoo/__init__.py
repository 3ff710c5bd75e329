"""Pretrained models behind friendly functions: images in, plain dicts out.

>>> import zoo
>>> pose = zoo.estimate_single_pose("gallery/one_line_pose/astronaut.jpg")
>>> sorted(pose)
['keypoints', 'score']
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from weights_cache.errors import WeightsError, ZooError
    from zoo.cards import describe
    from zoo.catalog import models
    from zoo.classification.verbs import classify, infer
    from zoo.detection.verbs import detect
    from zoo.documents import to_json
    from zoo.drawing import draw
    from zoo.drawing.plans import draw_plan
    from zoo.faces.verbs import detect_faces, estimate_faces
    from zoo.gestures.recognizer import GestureRecognizer
    from zoo.gestures.verbs import recognize_gestures
    from zoo.hands.verbs import estimate_hands
    from zoo.images import ImageError, read_image
    from zoo.loading import load
    from zoo.pose.verbs import estimate_multiple_poses, estimate_single_pose
    from zoo.segmentation.verbs import (
        segment,
        segment_person,
        segment_person_parts,
        segment_persons,
    )
    from zoo.tables import to_csv, to_pandas

__version__ = "0.1.0"

#: Public name -> the module that has it. Imported when first used, so that `import zoo` is quick.
_PUBLIC = {
    "GestureRecognizer": "zoo.gestures.recognizer",
    "ImageError": "zoo.images",
    "WeightsError": "weights_cache.errors",
    "ZooError": "weights_cache.errors",
    "classify": "zoo.classification.verbs",
    "describe": "zoo.cards",
    "detect": "zoo.detection.verbs",
    "detect_faces": "zoo.faces.verbs",
    "draw": "zoo.drawing",
    "draw_plan": "zoo.drawing.plans",
    "estimate_faces": "zoo.faces.verbs",
    "estimate_hands": "zoo.hands.verbs",
    "estimate_multiple_poses": "zoo.pose.verbs",
    "estimate_single_pose": "zoo.pose.verbs",
    "infer": "zoo.classification.verbs",
    "load": "zoo.loading",
    "models": "zoo.catalog",
    "read_image": "zoo.images",
    "recognize_gestures": "zoo.gestures.verbs",
    "segment": "zoo.segmentation.verbs",
    "segment_person": "zoo.segmentation.verbs",
    "segment_person_parts": "zoo.segmentation.verbs",
    "segment_persons": "zoo.segmentation.verbs",
    "to_csv": "zoo.tables",
    "to_json": "zoo.documents",
    "to_pandas": "zoo.tables",
}

__all__ = [
    "GestureRecognizer",
    "ImageError",
    "WeightsError",
    "ZooError",
    "classify",
    "describe",
    "detect",
    "detect_faces",
    "draw",
    "draw_plan",
    "estimate_faces",
    "estimate_hands",
    "estimate_multiple_poses",
    "estimate_single_pose",
    "infer",
    "load",
    "models",
    "read_image",
    "recognize_gestures",
    "segment",
    "segment_person",
    "segment_person_parts",
    "segment_persons",
    "to_csv",
    "to_json",
    "to_pandas",
]


def __getattr__(name: str) -> Any:
    """Import the module of a public name, and remember the name."""
    if name not in _PUBLIC:
        raise AttributeError(f"module 'zoo' has no attribute {name!r}")
    value = getattr(import_module(_PUBLIC[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
