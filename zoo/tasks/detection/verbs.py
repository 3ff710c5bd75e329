"""Object detection: which objects are where in an image."""

from __future__ import annotations

from collections.abc import Iterable

from zoo.catalog.model_names import BackendName, DetectModelName
from zoo.pipeline.binding import bind_model
from zoo.pipeline.verb_signatures import ImageSource, OwnModel, public_verb
from zoo.results.vocabulary import Detection
from zoo.tasks.detection import MODELS


@public_verb
def detect(
    image: ImageSource,
    *,
    labels: Iterable[str] | None = None,
    score_threshold: float | None = None,
    iou_threshold: float | None = None,
    max_detections: int | None = None,
    model: DetectModelName | OwnModel = MODELS["detect"].default,
    backend: BackendName | None = None,
    mirror: bool = False,
    ios_threshold: float | None = None,
) -> list[Detection]:
    """Find objects in an image, such as people, animals, cars and furniture.

    >>> import zoo
    >>> objects = zoo.detect("dogs.jpg", score_threshold=0.6)  # doctest: +SKIP
    >>> objects[0]["label"]  # doctest: +SKIP
    'dog'

    Args:
        image: a path, URL, bytes, binary file object, PIL image, array (uint8 or float in 0..1;
            grey, RGB or RGBA) or tensor. A list, an iterator and an array [n, height, width, 3]
            are several images.
        labels: labels of the objects to find, by default all labels of the model:
            ``zoo.load(model).labels``.
        score_threshold: minimum score of an object, 0..1; by default the model's own.
        iou_threshold: of two boxes with a larger intersection over union, whatever their labels,
            the one with the lower score is dropped, 0..1; by default the model's own.
        max_detections: largest number of objects to find, 1 or more; by default 20.
        model: name of a detection model (`zoo.models`), ``"fast"``, ``"best"``, or a model that
            `zoo.load` returned.
        backend: where the network runs, by default ``CORE_BACKEND`` or else ``"cpu"``.
        mirror: the image is a mirror image (selfie view); boxes remain those in the image.
        ios_threshold: of ``ssd.*`` and ``nanodet.*``: of two boxes of one label whose intersection
            is a larger share of the smaller box, the one with the lower score is dropped, 0..1; by
            default 0.9; 1 keeps both.

    Returns:
        ``[{"label": "dog", "score": 0.86, "box": {"x": 12.5, "y": 40.1, "width": 210.0,
        "height": 180.3}}, ..]``: best first, boxes in pixels of the image, those of ``ssd.*``,
        ``nanodet.*`` and ``handtrack.*`` clipped to it, scores in 0..1; ``[]`` if nothing is found.
        A list of images gives a list of such lists, an iterator an iterator.

    Raises:
        ImageError: the image cannot be read.
        ZooError: a model, label or option is unknown or out of range.

    Source: boxes of ``ssd.*`` are decoded as by TensorFlow Lite's TFLite_Detection_PostProcess with
    the given thresholds, except that it keeps all nested boxes; those of ``nanodet.*`` as in Li et
    al., "Generalized Focal Loss" (2020).
    """
    bound = bind_model(
        "detect",
        labels=labels,
        score_threshold=score_threshold,
        iou_threshold=iou_threshold,
        max_detections=max_detections,
        model=model,
        backend=backend,
        mirror=mirror,
        ios_threshold=ios_threshold,
    )
    return bound.model.detect(image, **bound.options)
