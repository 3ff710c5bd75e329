"""Segmentation: what each pixel of a picture belongs to."""

from typing import Any

from zoo.loading import call_verb
from zoo.segmentation import MODELS


def segment(
    image: Any,
    *,
    model: str = MODELS["segment"].default,
    backend: str | None = None,
    probability: bool = False,
    mirror: bool = False,
    **options: Any,
) -> Any:
    """Tell what each pixel of a picture belongs to.

    Args:
        image: a path, URL, bytes, file object, PIL image, array (uint8 or float in 0..1; grey,
            RGB or RGBA) or tensor. A list, an iterator or an array [n, h, w, 3] are several.
        model: name of a segmentation model that knows classes.
        backend: where it runs.
        probability: also tell how sure each pixel's label is.
        mirror: the picture is a mirror image (selfie view): it is flipped back for the model;
            the mask is that of the picture given.
        options: none so far.

    Returns:
        ``{"mask": .., "labels": ["background", "aeroplane", ..]}``: mask is uint8 [height, width]
        of the picture, and each value the index of a label. With ``probability`` also that,
        float32 [height, width], 0..1. For several pictures an iterator over such dicts.
        ``result["labels"][result["mask"][y, x]]`` names what is at a pixel.

    Raises:
        ZooError: the picture cannot be read, or a model or option is unknown or out of range.

    After Chen et al., "Rethinking Atrous Convolution for Semantic Image Segmentation" (2017).

    >>> import zoo
    >>> zoo.segment("street.jpg", probabilities=True)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    zoo.ZooError: unknown option 'probabilities' of deeplab.v3: did you mean ...
    """
    given = {"probability": probability, "mirror": mirror, **options}
    return call_verb("segment", image, model=model, backend=backend, options=given)


def segment_person(
    image: Any,
    *,
    model: str = MODELS["segment_person"].default,
    backend: str | None = None,
    threshold: float = 0.5,
    probability: bool = False,
    mirror: bool = False,
    **options: Any,
) -> Any:
    """Tell people from the background.

    Args:
        image: see `segment`.
        model: ``"selfie.base"`` for people near the camera, ``"selfie.landscape"`` likewise in
            wide pictures, ``"bodypix.mobilenet_075"`` or ``"deeplab.v3"`` for whole bodies.
        backend: where it runs.
        threshold: from which probability on a pixel counts as a person's, 0..1.
        probability: also tell how likely each pixel is a person's.
        mirror: see `segment`.
        options: none so far.

    Returns:
        ``{"mask": .., "labels": ["background", "person"]}``, and the probability if it is wanted,
        as for `segment`. The mask is 0 everywhere if nobody is seen.

    Raises:
        ZooError: the picture cannot be read, or a model or option is unknown or out of range.

    As TensorFlow.js's body-segmentation and MediaPipe do.

    >>> import zoo
    >>> zoo.segment_person("me.jpg", treshold=0.9)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    zoo.ZooError: unknown option 'treshold' of selfie.base: did you mean ...
    """
    given = {"threshold": threshold, "probability": probability, "mirror": mirror, **options}
    return call_verb("segment_person", image, model=model, backend=backend, options=given)


def segment_persons(
    image: Any,
    *,
    model: str = MODELS["segment_persons"].default,
    backend: str | None = None,
    max_persons: int = 10,
    score_threshold: float | None = None,
    threshold: float = 0.5,
    mirror: bool = False,
    **options: Any,
) -> Any:
    """Tell the people in a picture from the background and from each other.

    Args:
        image: see `segment`.
        model: name of a segmentation model that also knows poses.
        backend: where it runs.
        max_persons: tell of at most so many people, 1 or more.
        score_threshold: leave out people of a lower score, 0..1, by default as the model's entry
            says (BodyPix: 0.2). The score is the mean of 17 keypoints, and those outside of the
            picture have none: portraits have about 0.3.
        threshold: see `segment_person`.
        mirror: see `segment`; left and right of poses are those of the real person.
        options: of BodyPix ``nms_radius`` (20): keypoints of one kind that are closer belong to
            one person, in pixels of the network's input.

    Returns:
        ``[{"score": .., "mask": .., "box": {..}, "pose": {..}}, ..]``: best first, empty if nobody
        is seen. Mask is uint8 [height, width], 1 where the person is, box the smallest around it,
        pose as of `zoo.estimate_single_pose`. Each pixel is of one person at most. For several
        pictures an iterator over such lists.

    Raises:
        ZooError: the picture cannot be read, or a model or option is unknown or out of range.

    After Papandreou et al., "PersonLab" (2018), as TensorFlow.js's body-pix does it.

    >>> import zoo
    >>> zoo.segment_persons("team.jpg", max_person=2)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    zoo.ZooError: unknown option 'max_person' of bodypix.mobilenet_075: did you ...
    """
    given = {
        "max_persons": max_persons,
        "score_threshold": score_threshold,
        "threshold": threshold,
        "mirror": mirror,
        **options,
    }
    return call_verb("segment_persons", image, model=model, backend=backend, options=given)


def segment_person_parts(
    image: Any,
    *,
    model: str = MODELS["segment_person_parts"].default,
    backend: str | None = None,
    threshold: float = 0.5,
    probability: bool = False,
    mirror: bool = False,
    **options: Any,
) -> Any:
    """Tell the parts of people's bodies: faces, arms, hands, torsos, legs, feet.

    Args:
        image: see `segment`.
        model: name of a segmentation model that knows parts.
        backend: where it runs.
        threshold: see `segment_person`.
        probability: see `segment_person`.
        mirror: see `segment`; left and right parts are those of the real person.
        options: none so far.

    Returns:
        As `segment`, with the labels ``["background", "left_face", "right_face", ..]``: 24 parts
        of all people in one mask.

    Raises:
        ZooError: the picture cannot be read, or a model or option is unknown or out of range.

    As TensorFlow.js's body-pix does it.

    >>> import zoo
    >>> zoo.segment_person_parts("me.jpg", model="deeplab.v3")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    zoo.ZooError: deeplab.v3 cannot segment_person_parts: it can infer...
    """
    given = {"threshold": threshold, "probability": probability, "mirror": mirror, **options}
    return call_verb("segment_person_parts", image, model=model, backend=backend, options=given)
