"""Hands: where their joints are, in the image and in space, and which hand each is."""

from __future__ import annotations

from typing import Literal

from zoo.catalog.model_names import BackendName, EstimateHandsModelName
from zoo.pipeline.binding import bind_model
from zoo.pipeline.model import Model
from zoo.pipeline.verb_signatures import ImageSource, OwnModel, public_verb
from zoo.results.vocabulary import Hand
from zoo.tasks.hands import MODELS


@public_verb
def estimate_hands(
    image: ImageSource,
    *,
    model: EstimateHandsModelName | OwnModel = MODELS["estimate_hands"].default,
    backend: BackendName | None = None,
    max_hands: int = 2,
    score_threshold: float | None = None,
    mirror: bool = False,
    detector: Literal["palm.lite", "palm.full", "handpose.palm"] | Model | None = None,
    detector_threshold: float | None = None,
    iou_threshold: float | None = None,
    refine: bool | None = None,
) -> list[Hand]:
    """Find the hands in an image, and 21 joints of each.

    >>> import zoo
    >>> hands = zoo.estimate_hands("hands.jpg")  # doctest: +SKIP
    >>> len(hands), hands[0]["keypoints"][8]["part"]  # doctest: +SKIP
    (2, 'index_finger_tip')

    A detector finds palms; each hand is cropped and turned upright, and a second network processes
    all hands as one batch.

    Args:
        image: a path, URL, bytes, binary file object, PIL image, array (uint8 or float in 0..1;
            grey, RGB or RGBA) or tensor. A list, an iterator and an array [n, height, width, 3]
            are several images.
        model: name of a model of hands (`zoo.models`), ``"fast"``, ``"best"``, or a model that
            `zoo.load` returned; ``handtrack.ssd320`` returns boxes only.
        backend: where networks run, by default ``CORE_BACKEND`` or else ``"cpu"``.
        max_hands: largest number of hands to find, 1 or more.
        score_threshold: minimum score of a hand, 0..1; by default 0.5, for ``handtrack.ssd320``
            0.6.
        mirror: the image is a mirror image (selfie view): positions remain those in the image, left
            and right are those of the real person.
        detector: of ``hands.*``: the model that finds palms: ``"palm.lite"`` (default),
            ``"palm.full"``, or ``"handpose.palm"``, which finds smaller hands.
        detector_threshold: of ``hands.*``: minimum score of a palm, 0..1; by default 0.5.
        iou_threshold: of two palms, or hands of ``handtrack.ssd320``, with a larger intersection
            over union, the one with the lower score is dropped, 0..1; by default the model's own.
        refine: of ``hands.*``: process each hand again, cropped around the joints found first,
            which is steadier; by default True.

    Returns:
        A list of hands, best score first, ``[]`` if no hand is found: ``{"score": 0.98,
        "keypoints": [{"part": "wrist", "position": {"x": 310.2, "y": 402.7, "z": 0.0}, "score":
        0.98}, ..], "box": {"x": .., "y": .., "width": .., "height": ..}, "handedness": "left",
        "handedness_score": 0.97, "world": [{"part": "wrist", "position": {"x": .., "y": ..,
        "z": ..}}, ..]}``. The 21 positions are in pixels of the image; z is measured from the
        wrist, and smaller is nearer to the camera. ``world`` is in metres from the middle of the
        hand. ``score`` is that of the whole hand, 0..1. Hands of ``handtrack.ssd320`` have no
        keypoints, but a ``"label"``: open, closed, pinch or point. Other boxes are the ones around
        the points, and reach out of the image where these do; `zoo.crop` cuts out what is in it.
        A list of images gives a list of such lists, an iterator an iterator.

    Raises:
        ImageError: the image cannot be read.
        ZooError: a model or option is unknown or out of range.

    Source: MediaPipe Hands (Zhang et al., "MediaPipe Hands: On-device Real-time Hand Tracking",
    2020), as tfjs-models' hand-pose-detection.
    """
    bound = bind_model(
        "estimate_hands",
        model=model,
        backend=backend,
        max_hands=max_hands,
        score_threshold=score_threshold,
        mirror=mirror,
        detector=detector,
        detector_threshold=detector_threshold,
        iou_threshold=iou_threshold,
        refine=refine,
    )
    return bound.model.estimate_hands(image, **bound.options)
