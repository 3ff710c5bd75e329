"""Faces: where they are, their points, irises, expressions, age and gender."""

from typing import Any

from weights_cache.errors import ZooError
from zoo.faces import MODELS
from zoo.faces.entries import ENTRIES
from zoo.loading import call_verb

_MESH = MODELS["estimate_faces"].default
_DETECTOR = MODELS["detect_faces"].default
_BLAZEFACES = tuple(entry.name for entry in ENTRIES if entry.name.startswith("blazeface"))

#: What `estimate_faces` takes for ``landmarks``, and the models that give them, the default first.
LANDMARKS = {
    "mesh": (_MESH,),
    "mesh468": (_MESH,),  # as results call them
    "points68": ("faceapi.landmark68",),
    "points68_tiny": ("faceapi.landmark68_tiny",),
    "points6": (_DETECTOR, *(n for n in _BLAZEFACES if n != _DETECTOR)),
}


def detect_faces(
    image: Any,
    *,
    model: str = _DETECTOR,
    backend: str | None = None,
    max_faces: int | None = None,
    score_threshold: float | None = None,
    iou_threshold: float | None = None,
    mirror: bool = False,
    **options: Any,
) -> Any:
    """Find the faces in a picture.

    Args:
        image: a path, URL, bytes, file object, PIL image, array (uint8 or float in 0..1; grey,
            RGB or RGBA) or tensor. A list, an iterator or an array [n, h, w, 3] are several.
        model: name of a detector: ``"blazeface.refined"`` for faces of all sizes,
            ``"blazeface.short"`` for one face within 2 m of the camera, the fastest,
            ``"blazeface.full"``, ``"blazeface.back"``, ``"faceapi.tiny_detector"`` for boxes only.
        backend: where it runs.
        max_faces: find at most so many, 1 or more; by default all.
        score_threshold: leave out what is less sure, 0..1; by default the model's own (of
            blazeface.refined 0.7, blazeface.full 0.6, of others 0.5).
        iou_threshold: of two boxes that overlap more, the less sure one goes, 0..1; by default the
            model's own (0.3, of faceapi.tiny_detector 0.4).
        mirror: the picture is a mirror image (selfie view): positions are those of the picture
            given, left and right those of the real person.
        options: of blazeface.refined ``detector``: what proposes the faces that it looks at, by
            default ``"blazeface.back"``; of faceapi.tiny_detector ``input_size``: 128, 160, 224,
            320, 416 (default), 512 or 608 pixels; with more it finds smaller faces.

    Returns:
        A list, best first, of ``{"score": .., "box": {"x": .., "y": .., "width": ..,
        "height": ..}, "keypoints": [{"part": "right_eye", "position": {"x": .., "y": ..},
        "score": ..}, ..], "landmarks": "points6"}``, in pixels of the picture: eyes, nose, mouth
        and ears, with the score of the face. Faces of faceapi.tiny_detector have no keypoints and
        no ``"landmarks"``. The list is empty if no face is seen; for several pictures an iterator
        over lists.

    Raises:
        ZooError: the picture cannot be read, or a model or option is unknown or out of range.

    >>> import zoo
    >>> faces = zoo.detect_faces("gallery/one_line_pose/astronaut.jpg")  # doctest: +SKIP
    >>> [point["part"] for point in faces[0]["keypoints"]][:2]  # doctest: +SKIP
    ['right_eye', 'left_eye']
    >>> zoo.detect_faces("me.jpg", max_face=1)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    zoo.ZooError: unknown option 'max_face' of blazeface.refined: did you mean ...
    """
    given = {
        "max_faces": max_faces,
        "score_threshold": score_threshold,
        "iou_threshold": iou_threshold,
        "mirror": mirror,
        **options,
    }
    return call_verb("detect_faces", image, model=model, backend=backend, options=given)


def estimate_faces(
    image: Any,
    *,
    model: str | None = None,
    landmarks: str | None = None,
    iris: bool = False,
    expressions: bool = False,
    age_gender: bool = False,
    backend: str | None = None,
    max_faces: int | None = None,
    score_threshold: float | None = None,
    iou_threshold: float | None = None,
    mirror: bool = False,
    **options: Any,
) -> Any:
    """Find the points of the faces in a picture, and what else is asked for.

    All networks that are needed are loaded when they are first asked for, and each looks at all
    faces of a picture at once.

    Args:
        image: see `detect_faces`.
        model: name of the model that gives the points, by default ``"facemesh.base"``.
        landmarks: another way to choose the model, by what its points are: ``"mesh"`` or
            ``"mesh468"`` (468 points in 3D), ``"points68"``, ``"points68_tiny"`` (a smaller
            network) or ``"points6"`` (the detector's own).
        iris: five points of each iris, too; needs the mesh.
        expressions: how the face looks, too: neutral, happy, sad, angry, fearful, disgusted and
            surprised.
        age_gender: a guess of age and gender, too.
        backend: where it runs.
        max_faces: see `detect_faces`.
        score_threshold: see `detect_faces`; of the detector.
        iou_threshold: see `detect_faces`; of the detector.
        mirror: see `detect_faces`.
        options: ``detector``: name of the model that finds the faces, see `detect_faces`; by
            default ``"blazeface.refined"`` for the mesh, and ``"faceapi.tiny_detector"`` for 68
            points, with an ``input_size`` of 416 that can be
            changed only where it is the model itself.

    Returns:
        A list of faces, empty if none is seen; for several pictures an iterator over lists.
        A face has the ``"score"`` of its detector, which is what ``score_threshold`` is about,
        ``"box"`` (of the mesh the box about its points, otherwise the detector's), ``"keypoints"``,
        ``"landmarks"`` (``"mesh468"``, ``"points68"`` or ``"points6"``), of the mesh and of 68
        points ``"contours"``, and if asked for

        - ``"iris"``: ``{"left": [..], "right": [..]}``, each five keypoints: center, inner, top,
          outer and bottom;
        - ``"expressions"``: labels, best first, whose scores make 1 together;
        - ``"age"`` in years, and ``"gender"``, the likelier label of two.

        Contours are lists of indices into the keypoints, such as ``"left_eye"``, in their order
        along a closed line; ``"jaw"``, ``"nose"`` and the eyebrows of 68 points are open ones.
        ``"lips"`` are ``"lips_outer"``, then ``"lips_inner"``.

        Expressions, age and gender are read from the face turned level if the mesh is known;
        without it they are wrong for faces that are turned by more than about 30 degrees.

        Left and right are always the person's own. Of the mesh z is in pixels, from the middle of
        the head, below 0 towards the camera, and a keypoint's score is how sure the network is
        that it sees a face; others have the detector's.

    Raises:
        ZooError: the picture cannot be read, a model or option is unknown or out of range, or
            ``model`` and ``landmarks`` contradict each other.

    >>> import zoo
    >>> photo = "gallery/one_line_pose/astronaut.jpg"
    >>> faces = zoo.estimate_faces(photo, iris=True, expressions=True)  # doctest: +SKIP
    >>> faces[0]["expressions"][0]["label"]  # doctest: +SKIP
    'happy'
    >>> zoo.estimate_faces(photo, landmarks="points")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    zoo.ZooError: landmarks='points' must be one of ['mesh', 'mesh468', ...
    """
    given = {
        "iris": iris,
        "expressions": expressions,
        "age_gender": age_gender,
        "max_faces": max_faces,
        "score_threshold": score_threshold,
        "iou_threshold": iou_threshold,
        "mirror": mirror,
        **options,
    }
    chosen = choose_model(model, landmarks, given)
    return call_verb("estimate_faces", image, model=chosen, backend=backend, options=given)


def choose_model(model: str | None, landmarks: str | None, options: dict[str, Any]) -> str:
    """The name of the model that `estimate_faces` uses.

    Args:
        model: its name, or None.
        landmarks: a key of `LANDMARKS`, or None.
        options: a ``"detector"`` that is the model itself is taken out.

    Raises:
        ZooError: unknown landmarks, or those of another model.
    """
    if landmarks is None:
        return model or _MESH
    if not isinstance(landmarks, str) or landmarks not in LANDMARKS:
        raise ZooError(f"landmarks={landmarks!r} must be one of {list(LANDMARKS)}")
    models = LANDMARKS[landmarks]
    if landmarks == "points6" and model is None:
        model = options.pop("detector", None)  # whose points they are
    if model not in (None, *models):
        raise ZooError(
            f"landmarks={landmarks!r} are given by {', '.join(models)}, not by {model!r}: "
            "leave out model or landmarks"
        )
    return model or models[0]
