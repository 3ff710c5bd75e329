"""Faces: where they are, their points, irises, expressions, age and gender."""

from __future__ import annotations

from typing import Any, Literal

from weights_cache.common.errors import ZooError
from zoo.catalog.entries import chosen_name
from zoo.catalog.model_names import BackendName, DetectFacesModelName, EstimateFacesModelName
from zoo.pipeline.binding import BoundVerb, bind_model, bound_by
from zoo.pipeline.model import Model
from zoo.pipeline.options import checked_value
from zoo.pipeline.verb_signatures import ImageSource, OwnModel, public_verb
from zoo.results.vocabulary import Face
from zoo.tasks.faces import MODELS, OPTIONS
from zoo.tasks.faces.entries import ENTRIES

_MESH = MODELS["estimate_faces"].default
_DETECTOR = MODELS["detect_faces"].default
_BLAZEFACES = tuple(entry.name for entry in ENTRIES if entry.name.startswith("blazeface"))
_MESHES = (_MESH, *(e.name for e in ENTRIES if e.name.startswith("facemesh") and e.name != _MESH))

#: Values of ``landmarks`` of `estimate_faces` -> the models that give them, the default first.
LANDMARKS = {
    "mesh": _MESHES,
    "mesh468": _MESHES,  # as results call them
    "points68": ("faceapi.landmark68",),
    "points68_tiny": ("faceapi.landmark68_tiny",),
    "points6": (_DETECTOR, *(n for n in _BLAZEFACES if n != _DETECTOR)),
}

Landmarks = Literal["mesh", "mesh468", "points68", "points68_tiny", "points6"]

InputSize = Literal[128, 160, 224, 320, 416, 512, 608]


@public_verb
def detect_faces(
    image: ImageSource,
    *,
    model: DetectFacesModelName | OwnModel = _DETECTOR,
    backend: BackendName | None = None,
    max_faces: int | None = None,
    score_threshold: float | None = None,
    iou_threshold: float | None = None,
    mirror: bool = False,
    input_size: InputSize | None = None,
    detector: DetectFacesModelName | Model | None = None,
) -> list[Face]:
    """Find the faces in an image.

    >>> import zoo
    >>> faces = zoo.detect_faces("gallery/one_line_pose/astronaut.jpg")  # doctest: +SKIP
    >>> [point["part"] for point in faces[0]["keypoints"]][:2]  # doctest: +SKIP
    ['right_eye', 'left_eye']

    Args:
        image: a path, URL, bytes, binary file object, PIL image, array (uint8 or float in 0..1;
            grey, RGB or RGBA) or tensor. A list, an iterator and an array [n, height, width, 3]
            are several images.
        model: name of a detector: ``"blazeface.refined"`` for faces of all sizes,
            ``"blazeface.short"``, the fastest, for a face within 2 m of the camera,
            ``"faceapi.tiny_detector"`` for boxes only; ``"fast"``, ``"best"``, or a model that
            `zoo.load` returned.
        backend: where the network runs, by default ``CORE_BACKEND`` or else ``"cpu"``.
        max_faces: largest number of faces to find, 1 or more; by default all.
        score_threshold: minimum score of a face, 0..1; by default the model's own
            (blazeface.refined and thorough 0.7, full 0.6, others 0.5).
        iou_threshold: of two boxes with a larger intersection over union, the one with the lower
            score is dropped, 0..1; by default the model's own (0.3, faceapi.tiny_detector 0.4).
        mirror: the image is a mirror image (selfie view): positions remain those in the image, left
            and right are those of the real person.
        input_size: of faceapi.tiny_detector: 128, 160, 224, 320, 416 (default), 512 or 608
            pixels of the network's input; larger inputs find smaller faces.
        detector: of blazeface.refined: the model that proposes the faces, by default
            ``"blazeface.back"``.

    Returns:
        A list, best first, of ``{"score": 0.97, "box": {"x": 181.0, "y": 72.5, "width": 92.1,
        "height": 92.1}, "keypoints": [{"part": "right_eye", "position": {"x": 203.3, "y": 103.9},
        "score": 0.97}, ..], "landmarks": "points6"}``, in pixels of the image: eyes, nose, mouth
        and ears, with the score of the face, 0..1. Faces of faceapi.tiny_detector have no
        keypoints and no ``"landmarks"``. Boxes reach out of the image where faces do; `zoo.crop`
        cuts out what is in it. The list is ``[]`` if no face is found. A list of images gives a
        list of such lists, an iterator an iterator.

    Raises:
        ImageError: the image cannot be read.
        ZooError: a model or option is unknown or out of range.
    """
    bound = bind_model(
        "detect_faces",
        model=model,
        backend=backend,
        max_faces=max_faces,
        score_threshold=score_threshold,
        iou_threshold=iou_threshold,
        mirror=mirror,
        input_size=input_size,
        detector=detector,
    )
    return bound.model.detect_faces(image, **bound.options)


def _bind_faces(*, model: Any, landmarks: Any, detector: Any, **options: Any) -> BoundVerb:
    """Load the model that `estimate_faces` uses for its options."""
    chosen, chosen_detector = choose_model(model, landmarks, detector)
    return bind_model("estimate_faces", model=chosen, detector=chosen_detector, **options)


@bound_by(_bind_faces)
@public_verb
def estimate_faces(
    image: ImageSource,
    *,
    model: EstimateFacesModelName | OwnModel | None = None,
    landmarks: Landmarks | None = None,
    iris: bool = False,
    expressions: bool = False,
    age_gender: bool = False,
    backend: BackendName | None = None,
    max_faces: int | None = None,
    score_threshold: float | None = None,
    iou_threshold: float | None = None,
    mirror: bool = False,
    detector: DetectFacesModelName | Model | None = None,
    input_size: InputSize | None = None,
) -> list[Face]:
    """Find the faces in an image, their points, and other requested results.

    >>> import zoo
    >>> image = "gallery/one_line_pose/astronaut.jpg"
    >>> faces = zoo.estimate_faces(image, iris=True, expressions=True)  # doctest: +SKIP
    >>> len(faces[0]["keypoints"]), faces[0]["expressions"][0]["label"]  # doctest: +SKIP
    (468, 'happy')

    Each network is loaded at its first use, and runs on all faces of an image at once.

    Args:
        image: see `detect_faces`.
        model: name of the model of the points, by default ``"facemesh.base"``;
            ``"facemesh.attention"`` looks closer at eyes and lips, and finds irises with them;
            ``"fast"``, ``"best"``, or a model that `zoo.load` returned.
        landmarks: another way to choose the model, by its points: ``"mesh"`` or
            ``"mesh468"`` (468 points in 3D), ``"points68"``, ``"points68_tiny"`` (a smaller
            network) or ``"points6"`` (the detector's own).
        iris: also return five points of each iris, and how far each eye is open; needs the mesh.
        expressions: also return the facial expression: neutral, happy, sad, angry, fearful,
            disgusted or surprised.
        age_gender: also return an estimate of age and gender.
        backend: where networks run, by default ``CORE_BACKEND`` or else ``"cpu"``.
        max_faces: see `detect_faces`.
        score_threshold: see `detect_faces`, for the detector.
        iou_threshold: see `detect_faces`, for the detector.
        mirror: see `detect_faces`.
        detector: name of the model that finds the faces, see `detect_faces`, or a detector that
            `zoo.load` returned; by default the one that the model's entry names.
        input_size: see `detect_faces`; only if ``model`` is faceapi.tiny_detector.

    Returns:
        A list of faces, ``[]`` if none is found. A list of images gives a list of such lists, an
        iterator an iterator. Positions are in pixels of the image.
        A face has the ``"score"`` of its detector, to which ``score_threshold`` applies, ``"box"``
        (with the mesh the box around its points, otherwise the detector's; both may reach out of
        the image), ``"keypoints"``, ``"landmarks"`` (``"mesh468"``, ``"points68"`` or
        ``"points6"``), with the mesh or 68 points ``"contours"``, and if requested

        - ``"iris"``: ``left`` and ``right``, 5 keypoints each: center, inner, top, outer, bottom;
            and ``"eye_openness"``, ``left`` and ``right``: the gap of the lids by the width of the
            eye, about 0.1 for an eye that is nearly closed to 0.35 for one that is wide open;
        - ``"expressions"``: labels, best first, whose scores add up to 1;
        - ``"age"`` in years, and ``"gender"``, the likelier label of two.

        Contours are lists of indices into the keypoints, such as ``"left_eye"``, in their order
        along a closed line; ``"jaw"``, ``"nose"`` and the eyebrows of 68 points are open lines.
        ``"lips"`` is ``"lips_outer"`` followed by ``"lips_inner"``.

        Expressions, age and gender are estimated from the face rotated upright by its mesh; without
        the mesh they are wrong for faces that are tilted by more than about 30 degrees.

        Left and right are always those of the person. With the mesh, z is in pixels from the middle
        of the head, negative towards the camera, and a keypoint's score is the probability that the
        region shows a face; other keypoints have the score of the detector.

    Raises:
        ImageError: the image cannot be read.
        ZooError: a model or option is unknown or out of range, or ``model`` and ``landmarks``
            contradict each other.
    """
    bound = _bind_faces(
        model=model,
        landmarks=landmarks,
        iris=iris,
        expressions=expressions,
        age_gender=age_gender,
        backend=backend,
        max_faces=max_faces,
        score_threshold=score_threshold,
        iou_threshold=iou_threshold,
        mirror=mirror,
        detector=detector,
        input_size=input_size,
    )
    return bound.model.estimate_faces(image, **bound.options)


def choose_model(model: Any, landmarks: Any, detector: Any = None) -> tuple[Any, Any]:
    """Return the model that `estimate_faces` uses, and its detector: None for the model's own.

    Args:
        model: a name, a loaded model, a path, or None.
        landmarks: a key of `LANDMARKS`, or None.
        detector: a name, a loaded model, or None.

    Raises:
        ZooError: unknown landmarks, or those of another model.

    >>> choose_model(None, "points6", "blazeface.full")
    ('blazeface.full', None)
    """
    detector = chosen_name(detector, "detect_faces")
    if landmarks is None:
        return model or _MESH, detector
    models = LANDMARKS[checked_value(OPTIONS["estimate_faces"]["landmarks"], landmarks)]
    if landmarks == "points6" and model is None:
        model, detector = detector, None  # whose points they are
    if model is not None and getattr(model, "name", model) not in models:
        raise ZooError(
            f"landmarks={landmarks!r} are given by {', '.join(models)}, not by {model!r}: "
            "leave out model or landmarks"
        )
    return model or models[0], detector
