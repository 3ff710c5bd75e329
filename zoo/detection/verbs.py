"""Object detection: which things are where in a picture."""

from collections.abc import Iterable
from typing import Any

from zoo.detection import MODELS
from zoo.loading import call_verb


def detect(
    image: Any,
    *,
    labels: Iterable[str] | None = None,
    score_threshold: float | None = None,
    iou_threshold: float | None = None,
    max_detections: int | None = None,
    model: str = MODELS["detect"].default,
    backend: str | None = None,
    mirror: bool = False,
    **options: Any,
) -> Any:
    """Find things in a picture.

    Args:
        image: a path, URL, bytes, file object, PIL image, array (uint8 or float in 0..1; grey,
            RGB or RGBA) or tensor. A list, an iterator or an array [n, h, w, 3] are several.
        labels: names of the things wanted, by default all that the model knows:
            ``zoo.load(model).labels``.
        score_threshold: leave out what is less sure, 0..1; by default the model's own, of the
            default model 0.5.
        iou_threshold: of two boxes whose intersection is more than this share of their union,
            the less sure one goes, whatever their labels are; 0..1; by default the model's own, of
            the default model 0.6.
        max_detections: find at most so many things, 1 or more; by default 20.
        model: name of a detection model.
        backend: where it runs.
        mirror: the picture is a mirror image (selfie view); boxes are those of the picture given.
        options: of ``ssd.*`` ``ios_threshold`` (0.9): of two boxes of one label whose intersection
            is more than this share of the smaller one, the less sure one goes, 0..1; 1 keeps all.

    Returns:
        ``[{"label": "cat", "score": .., "box": {"x": .., "y": .., "width": .., "height": ..}},
        ..]``: best first, boxes in pixels of the picture, those of ``ssd.*`` and ``handtrack.*``
        cut off at its edges, scores in 0..1; empty if nothing is found. For several pictures an
        iterator over such lists.

    Raises:
        ZooError: the picture cannot be read, or a model, label or option is unknown or out of
            range.

    Source: boxes are decoded as TensorFlow Lite's TFLite_Detection_PostProcess does it, with the
    thresholds given; by default it overlaps boxes as the file of the model says.

    >>> import zoo
    >>> zoo.detect("cats.jpg", label=["cat"])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    zoo.ZooError: unknown option 'label' of ssd.mobilenet_v1: did you mean ...
    """
    given = {
        "labels": labels,
        "score_threshold": score_threshold,
        "iou_threshold": iou_threshold,
        "max_detections": max_detections,
        "mirror": mirror,
        **options,
    }
    return call_verb("detect", image, model=model, backend=backend, options=given)
