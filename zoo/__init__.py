"""Pretrained models behind friendly functions: images in, plain dicts out.

>>> import zoo
>>> pose = zoo.estimate_single_pose("gallery/one_line_pose/astronaut.jpg")
>>> sorted(pose)
['keypoints', 'score']

Tasks, each a function of an image:

- ``estimate_single_pose``, ``estimate_multiple_poses``: the joints of one person, or of several
- ``estimate_hands``: 21 joints of each hand, and whether it is the left or the right one
- ``recognize_gestures``: what hands show: victory, thumbs_up, open_palm, ..
- ``detect_faces``, ``estimate_faces``: boxes of faces; 468 points, irises, expressions, age
- ``detect``: objects of 80 kinds with their boxes
- ``classify``: what the image shows, by 1000 classes
- ``segment``, ``segment_person``, ``segment_persons``, ``segment_person_parts``: what each pixel
  belongs to
- ``infer``: the features that a network computes, for uses of your own

Images: a path, URL, bytes, binary file, PIL image, array or tensor; RGB (`read_image` reads any).
One image gives one result. A list of images gives a list of results, an iterator (such as the
frames of a video) a lazy iterator, an array [n, height, width, 3] a list of n.

Results are dicts and lists of plain Python values, in pixels of the image given; scores are in
0..1; masks are NumPy arrays. ``draw(image, result)`` draws them, `to_json`, `to_csv` and
`to_pandas` write them. For type checkers they are ``zoo.Pose``, ``zoo.Hand``, ``zoo.Face``,
``zoo.Detection``, ``zoo.Label``, ``zoo.Gesture``, ``zoo.Segmentation`` and ``zoo.Instance``.

Models: every function takes ``model=``: a name, ``"fast"``, ``"best"``, a path, or a loaded model.
`models` lists the names, `describe` returns the card of one, `load` loads one and keeps it:

>>> model = zoo.load("posenet.tiny", output_stride=8)
>>> len(model.estimate_single_pose("gallery/one_line_pose/astronaut.jpg")["keypoints"])
17

Options are keyword arguments: ``mirror=True`` for selfie images, thresholds, ``backend="shader"``
for GPUs. Those of each function are in its help, such as ``help(zoo.estimate_hands)``.

Errors are of one family, `ZooError`: `ImageError` for images, `WeightsError` for weights. Each
names the value and what to do.

>>> zoo.estimate_hands("me.jpg", hands=1)
Traceback (most recent call last):
zoo.ZooError: unknown option 'hands' of estimate_hands: did you mean 'max_hands'?;\
 valid options: model, backend, max_hands, score_threshold, mirror, detector, detector_threshold,\
 iou_threshold, refine
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from weights_cache.errors import WeightsError, ZooError
    from zoo.catalog import models
    from zoo.classification.verbs import classify, infer
    from zoo.detection.verbs import detect
    from zoo.drawing import draw
    from zoo.drawing.plan_drawing import draw_plan
    from zoo.export.json_text import to_json
    from zoo.export.tables import to_csv, to_pandas
    from zoo.faces.verbs import detect_faces, estimate_faces
    from zoo.gestures.recognizer import GestureRecognizer
    from zoo.gestures.verbs import recognize_gestures
    from zoo.hands.verbs import estimate_hands
    from zoo.images.pixels import ImageError
    from zoo.images.reading import read_image
    from zoo.model_cards import describe
    from zoo.pipeline.loaded_model import LoadedModel
    from zoo.pipeline.loaders import load
    from zoo.pipeline.verb_signatures import ImageSource
    from zoo.pose.verbs import estimate_multiple_poses, estimate_single_pose
    from zoo.results import (
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
    from zoo.segmentation.verbs import (
        segment,
        segment_person,
        segment_person_parts,
        segment_persons,
    )

__version__ = "0.1.0"

#: Public name -> the module that has it. Imported when first used, so that `import zoo` is quick.
_PUBLIC = {
    "Box": "zoo.results",
    "Detection": "zoo.results",
    "Face": "zoo.results",
    "Gesture": "zoo.results",
    "GestureRecognizer": "zoo.gestures.recognizer",
    "Hand": "zoo.results",
    "ImageError": "zoo.images.pixels",
    "ImageSource": "zoo.pipeline.verb_signatures",
    "Instance": "zoo.results",
    "Keypoint": "zoo.results",
    "Label": "zoo.results",
    "LoadedModel": "zoo.pipeline.loaded_model",
    "Pose": "zoo.results",
    "Position": "zoo.results",
    "Segmentation": "zoo.results",
    "WeightsError": "weights_cache.errors",
    "ZooError": "weights_cache.errors",
    "classify": "zoo.classification.verbs",
    "describe": "zoo.model_cards",
    "detect": "zoo.detection.verbs",
    "detect_faces": "zoo.faces.verbs",
    "draw": "zoo.drawing",
    "draw_plan": "zoo.drawing.plan_drawing",
    "estimate_faces": "zoo.faces.verbs",
    "estimate_hands": "zoo.hands.verbs",
    "estimate_multiple_poses": "zoo.pose.verbs",
    "estimate_single_pose": "zoo.pose.verbs",
    "infer": "zoo.classification.verbs",
    "load": "zoo.pipeline.model_cache",
    "models": "zoo.catalog",
    "read_image": "zoo.images.reading",
    "recognize_gestures": "zoo.gestures.verbs",
    "segment": "zoo.segmentation.verbs",
    "segment_person": "zoo.segmentation.verbs",
    "segment_person_parts": "zoo.segmentation.verbs",
    "segment_persons": "zoo.segmentation.verbs",
    "to_csv": "zoo.export.tables",
    "to_json": "zoo.export.json_text",
    "to_pandas": "zoo.export.tables",
}

__all__ = [
    "Box",
    "Detection",
    "Face",
    "Gesture",
    "GestureRecognizer",
    "Hand",
    "ImageError",
    "ImageSource",
    "Instance",
    "Keypoint",
    "Label",
    "LoadedModel",
    "Pose",
    "Position",
    "Segmentation",
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

if not TYPE_CHECKING:  # for checkers a name that is not imported above is a mistake

    def __getattr__(name: str) -> Any:
        """Import the module of a public name, and remember the name."""
        if name not in _PUBLIC:
            from weights_cache.similar_names import no_attribute

            raise no_attribute(__name__, name, __all__)
        value = getattr(import_module(_PUBLIC[name]), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
