"""Pretrained models behind friendly functions: images in, plain dicts out.

>>> import zoo
>>> pose = zoo.estimate_single_pose("gallery/one_line_pose/astronaut.jpg")
>>> sorted(pose)
['box', 'keypoints', 'score']

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

Cameras and videos:

- ``watch(source, task)``: a dict for each frame; people, hands and faces are followed
- ``when(source, task).on("thumbs_up", f).run()``: functions called at gestures and movements
- ``frames(source)``: the frames alone; ``replay``: a recording; ``paint``: results on a frame
- ``show(image)``: in a window or notebook; ``VideoFile("out.mp4")``: frames written as a video
- ``LineZone``, ``PolygonZone``, ``Trails``: who crosses a line, who is inside, for how long
- ``blur_faces``, ``blur_background``, ``cut_out``: effects on images and frames

Models of your own, from images of yours:

- ``teach("folder")``: a model of the classes that a folder has folders of; honest scores
- ``fine_tune("folder")``: trains the last layers of the network as well
- ``KNNClassifier``, ``Head``: classifiers of features, such as those of ``infer``

Many images:

- ``batch("folder", "pose", out="results")``: on all cores or a cluster; goes on after any stop
- ``read_results("results")``: what it wrote, as dicts, for pandas or Arrow

Images: a path, URL, bytes, binary file, PIL image, array or tensor; RGB (`read_image` reads any).
One image gives one result. A list of images gives a list of results, an iterator (such as the
frames of a video) a lazy iterator, an array [n, height, width, 3] a list of n.

Results are dicts and lists of plain Python values, in pixels of the image given; scores are in
0..1; masks are NumPy arrays. ``draw(image, result)`` draws them, `to_json`, `to_csv` and
`to_pandas` write them, ``crop(image, face)`` cuts one out, ``keypoint(pose, "nose")`` finds a joint
by its name; `adjacent_pairs`, `face_mesh_triangles`, `mask_polygons` and `decode_multiple_poses`
are for drawings and networks that you have. For type checkers results are ``zoo.Pose``,
``zoo.Hand``, ``zoo.Face``, ``zoo.Detection``, ``zoo.Label``, ``zoo.Gesture``, ``zoo.Segmentation``
and ``zoo.Instance``.

Models: every function takes ``model=``: a name, ``"fast"``, ``"best"``, a path, or a loaded model.
`models` lists the names, `describe` returns the card of one, `load` loads one and keeps it:

>>> model = zoo.load("posenet.tiny", output_stride=8)
>>> len(model.estimate_single_pose("gallery/one_line_pose/astronaut.jpg")["keypoints"])
17

``publish("posenet.tiny", "out", page=True)`` writes a web page that runs a model by itself.

``verify("posenet.tiny")`` runs a model on every backend and compares what they compute.

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

from functools import cache
from importlib import import_module
from typing import Any

from weights_cache.common.providers import provide
from weights_cache.common.similar_names import no_attribute

__version__ = "0.1.0"

#: Module -> its public names, imported when first used, so that `import zoo` is quick. Those of
#: tasks are not here: `_modules` finds them. Type checkers read ``__init__.pyi``.
_PUBLIC = {
    "weights_cache.common.errors": ("WeightsError", "ZooError"),
    "zoo.catalog.entries": ("models",),
    "zoo.drawing": ("draw",),
    "zoo.drawing.live_painting": ("paint",),
    "zoo.effects.backgrounds": ("blur_background", "cut_out"),
    "zoo.effects.cropping": ("crop",),
    "zoo.effects.hidden_faces": ("blur_faces",),
    "zoo.export.json_text": ("to_json",),
    "zoo.export.polygons": ("mask_polygons",),
    "zoo.export.tables": ("to_csv", "to_pandas"),
    "zoo.tasks.gestures.recognizer": ("GestureRecognizer",),
    "zoo.images.pixels": ("ImageError",),
    "zoo.images.reading": ("read_image",),
    "zoo.jobs.manifest": ("BatchSummary",),
    "zoo.jobs.running": ("batch",),
    "zoo.jobs.stored_results": ("BatchResults", "ErrorRow", "ImageRow", "read_results"),
    "zoo.live.frame": ("Frame",),
    "zoo.live.frame_source": ("Frames", "frames"),
    "zoo.live.recording": ("replay",),
    "zoo.live.reactions": ("when",),
    "zoo.live.showing": ("show",),
    "zoo.live.video_file": ("VideoFile",),
    "zoo.live.watching": ("watch",),
    "zoo.live.zones.crossed_lines": ("LineZone",),
    "zoo.live.zones.occupied_areas": ("PolygonZone",),
    "zoo.live.zones.past_ways": ("Trails",),
    "zoo.pipeline.model_cards": ("describe",),
    "zoo.publishing.publishing": ("publish",),
    "zoo.results.moments": ("Event", "Moment"),
    "zoo.pipeline.loaded_model": ("LoadedModel",),
    "zoo.pipeline.model_cache": ("load",),
    "zoo.pipeline.verb_signatures": ("ImageSource",),
    "zoo.results.vocabulary": (
        *("Box", "Detection", "Face", "Gesture", "Hand", "Instance", "Keypoint", "Label"),
        *("Pose", "Position", "Segmentation"),
    ),
    "zoo.shared.face_triangles": ("face_mesh_triangles",),
    "zoo.shared.keypoints_by_name": ("adjacent_pairs", "keypoint"),
    "zoo.shared.posenet_decoder": ("decode_multiple_poses",),
    "zoo.transfer.heads": ("Head",),
    "zoo.transfer.knn.classifier": ("KNNClassifier",),
    "zoo.transfer.predictions": ("Prediction",),
    "zoo.transfer.taught_model": ("TaughtModel",),
    "zoo.transfer.teaching": ("teach",),
    "zoo.transfer.tuning.tuning": ("fine_tune",),
    "zoo.verification.rows": ("Verification",),
    "zoo.verification.verifying": ("verify",),
}


# What lower rooms use of higher ones.
provide(
    tasks="zoo.tasks",
    model_session="zoo.live.session:model_session",
    read_taught="zoo.transfer.taught_files:read_taught",
    isolated_classifier="zoo.tasks.classification.isolated:isolated_classifier",
)


@cache
def _modules() -> dict[str, str]:
    """The module of each public name. Functions of a task have default models in its folder."""
    from zoo.catalog.entries import tasks

    found = {name: module for module, names in _PUBLIC.items() for name in names}
    for task in tasks():
        found |= dict.fromkeys(import_module(f"zoo.tasks.{task}").MODELS, f"zoo.tasks.{task}.verbs")
    return dict(sorted(found.items()))


def __getattr__(name: str) -> Any:
    """Import the module of a public name, and remember the name."""
    value: Any
    if name == "__all__":
        value = [*_modules()]
    elif not name.startswith("_") and name in _modules():
        value = getattr(import_module(_modules()[name]), name)
    else:
        raise no_attribute(__name__, name, _modules())
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*_modules(), "__all__", "__version__"]
