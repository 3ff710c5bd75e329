"""Segmentation: the class of each pixel of an image."""

from __future__ import annotations

from zoo.catalog.model_names import (
    BackendName,
    SegmentModelName,
    SegmentPersonModelName,
    SegmentPersonPartsModelName,
    SegmentPersonsModelName,
)
from zoo.pipeline.binding import bind_model
from zoo.pipeline.verb_signatures import ImageSource, OwnModel, public_verb
from zoo.results.vocabulary import Instance, Segmentation
from zoo.tasks.segmentation import MODELS


@public_verb
def segment(
    image: ImageSource,
    *,
    model: SegmentModelName | OwnModel = MODELS["segment"].default,
    backend: BackendName | None = None,
    probability: bool = False,
    mirror: bool = False,
) -> Segmentation:
    """Find the class of each pixel of an image: person, cat, bicycle, ..

    >>> import zoo
    >>> result = zoo.segment("cat.jpg")  # doctest: +SKIP
    >>> result["labels"][result["mask"].max()]  # doctest: +SKIP
    'cat'

    Args:
        image: a path, URL, bytes, binary file object, PIL image, array (uint8 or float in 0..1;
            grey, RGB or RGBA) or tensor. A list, an iterator and an array [n, height, width, 3]
            are several images.
        model: name of a segmentation model with classes (`zoo.models`), ``"fast"``, ``"best"``, or
            a model that `zoo.load` returned.
        backend: where the network runs, by default ``CORE_BACKEND`` or else ``"cpu"``.
        probability: also return the probability of each pixel's label.
        mirror: the image is a mirror image (selfie view): the model gets it flipped back; the mask
            belongs to the image as passed.

    Returns:
        ``{"mask": .., "labels": ["background", "aeroplane", ..]}``: mask is uint8 [height, width]
        of the image, and each value is the index of a label. With ``probability=True`` there is
        also ``"probability"``, float32 [height, width], 0..1. The label of a pixel is
        ``result["labels"][result["mask"][y, x]]``. A list of images gives a list of such dicts, an
        iterator an iterator.

    Raises:
        ImageError: the image cannot be read.
        ZooError: a model or option is unknown or out of range.

    After Chen et al., "Rethinking Atrous Convolution for Semantic Image Segmentation" (2017).
    """
    bound = bind_model(
        "segment",
        model=model,
        backend=backend,
        probability=probability,
        mirror=mirror,
    )
    return bound.model.segment(image, **bound.options)


@public_verb
def segment_person(
    image: ImageSource,
    *,
    model: SegmentPersonModelName | OwnModel = MODELS["segment_person"].default,
    backend: BackendName | None = None,
    threshold: float = 0.5,
    probability: bool = False,
    person_check: bool | None = None,
    mirror: bool = False,
) -> Segmentation:
    """Find which pixels of an image belong to people.

    >>> import zoo
    >>> result = zoo.segment_person("gallery/one_line_pose/astronaut.jpg")  # doctest: +SKIP
    >>> result["mask"].shape, result["labels"]  # doctest: +SKIP
    ((512, 512), ['background', 'person'])

    Args:
        image: see `segment`.
        model: ``"selfie.base"`` for people near the camera, ``"selfie.landscape"`` for these in
            wide images, ``"bodypix.mobilenet_075"`` or ``"deeplab.v3"`` for whole bodies;
            ``"fast"``, ``"best"``, or a model that `zoo.load` returned.
        backend: see `segment`.
        threshold: minimum probability of a person's pixel, 0..1.
        probability: also return the probability of each pixel to be a person's.
        person_check: of ``selfie.*`` and ``bodypix.*``: return an empty mask where neither a pose
            is seen nor, by ``deeplab.v3``, people on a fifth of the mask, as these models also mark
            animals and objects; by default True. A hand alone may not be seen: pass False for it.
        mirror: see `segment`.

    Returns:
        ``{"mask": .., "labels": ["background", "person"]}``, and the probability if requested,
        as for `segment`. Both are 0 everywhere if nobody is found.

    Raises:
        ImageError: the image cannot be read.
        ZooError: a model or option is unknown or out of range.

    As TensorFlow.js's body-segmentation and MediaPipe do.
    """
    bound = bind_model(
        "segment_person",
        model=model,
        backend=backend,
        threshold=threshold,
        probability=probability,
        person_check=person_check,
        mirror=mirror,
    )
    return bound.model.segment_person(image, **bound.options)


@public_verb
def segment_persons(
    image: ImageSource,
    *,
    model: SegmentPersonsModelName | OwnModel = MODELS["segment_persons"].default,
    backend: BackendName | None = None,
    max_persons: int = 10,
    score_threshold: float | None = None,
    threshold: float = 0.5,
    mirror: bool = False,
    nms_radius: float | None = None,
) -> list[Instance]:
    """Find which pixels of an image belong to each person.

    >>> import zoo
    >>> people = zoo.segment_persons("people.jpg")  # doctest: +SKIP
    >>> [person["mask"].dtype.name for person in people]  # doctest: +SKIP
    ['uint8', 'uint8', 'uint8']

    Args:
        image: see `segment`.
        model: name of a segmentation model that also estimates poses, ``"fast"``, ``"best"``, or a
            model that `zoo.load` returned.
        backend: see `segment`.
        max_persons: largest number of people to find, 1 or more.
        score_threshold: minimum score of a person, 0..1; by default the model's own (BodyPix: 0.2).
            The score is the mean of 17 keypoints, of which those outside of the image have 0:
            portraits have about 0.3.
        threshold: see `segment_person`.
        mirror: see `segment`; left and right of poses are those of the real person.
        nms_radius: of BodyPix: distance below which keypoints of one kind belong to one person, in
            pixels of the network's input, 0 or more; by default 20.

    Returns:
        ``[{"score": 0.83, "mask": .., "box": {"x": .., "y": .., "width": .., "height": ..},
        "pose": {..}}, ..]``: best first, ``[]`` if nobody is found. Mask is uint8 [height, width],
        1 where the person is, box the smallest box around it in pixels of the image, pose the
        result of `zoo.estimate_single_pose`. Each pixel belongs to one person at most. A list of
        images gives a list of such lists, an iterator an iterator.

    Raises:
        ImageError: the image cannot be read.
        ZooError: a model or option is unknown or out of range.

    After Papandreou et al., "PersonLab" (2018), as TensorFlow.js's body-pix does it.
    """
    bound = bind_model(
        "segment_persons",
        model=model,
        backend=backend,
        max_persons=max_persons,
        score_threshold=score_threshold,
        threshold=threshold,
        mirror=mirror,
        nms_radius=nms_radius,
    )
    return bound.model.segment_persons(image, **bound.options)


@public_verb
def segment_person_parts(
    image: ImageSource,
    *,
    model: SegmentPersonPartsModelName | OwnModel = MODELS["segment_person_parts"].default,
    backend: BackendName | None = None,
    threshold: float = 0.5,
    probability: bool = False,
    person_check: bool | None = None,
    mirror: bool = False,
) -> Segmentation:
    """Find the parts of people's bodies: faces, arms, hands, torsos, legs, feet.

    >>> import zoo
    >>> image = "gallery/one_line_pose/astronaut.jpg"
    >>> result = zoo.segment_person_parts(image)  # doctest: +SKIP
    >>> len(result["labels"]), result["labels"][1]  # doctest: +SKIP
    (25, 'left_face')

    Args:
        image: see `segment`.
        model: name of a segmentation model with body parts, ``"fast"``, ``"best"``, or a model that
            `zoo.load` returned.
        backend: see `segment`.
        threshold: see `segment_person`.
        probability: see `segment_person`.
        person_check: see `segment_person`.
        mirror: see `segment`; left and right parts are those of the real person.

    Returns:
        The result of `segment`, with the labels ``["background", "left_face", "right_face", ..]``:
        24 parts of all people in one mask.

    Raises:
        ImageError: the image cannot be read.
        ZooError: a model or option is unknown or out of range.

    As TensorFlow.js's body-pix does it.
    """
    bound = bind_model(
        "segment_person_parts",
        model=model,
        backend=backend,
        threshold=threshold,
        probability=probability,
        person_check=person_check,
        mirror=mirror,
    )
    return bound.model.segment_person_parts(image, **bound.options)
