"""Hands: where their joints are, in the picture and in space, and which hand each is."""

from typing import Any

from zoo.hands import MODELS
from zoo.loading import call_verb


def estimate_hands(
    image: Any,
    *,
    model: str = MODELS["estimate_hands"].default,
    backend: str | None = None,
    max_hands: int = 2,
    score_threshold: float | None = None,
    mirror: bool = False,
    **options: Any,
) -> Any:
    """Find the hands in a picture.

    A detector finds palms; each hand is cut out, turned upright and looked at closely, all of them
    at once.

    Args:
        image: a path, URL, bytes, file object, PIL image, array (uint8 or float in 0..1; grey,
            RGB or RGBA) or tensor. A list, an iterator or an array [n, h, w, 3] are several.
        model: name of a model of hands; ``handtrack.ssd320`` gives boxes alone.
        backend: where it runs.
        max_hands: find at most so many hands, 1 or more.
        score_threshold: leave out hands that are less sure, 0..1; by default 0.5, of
            ``handtrack.ssd320`` 0.6.
        mirror: the picture is a mirror image (selfie view): positions are those of the picture
            given, left and right those of the real person.
        options: of ``hands.*`` ``detector`` (``"palm.lite"``, ``"palm.full"``, or
            ``"handpose.palm"``, which finds smaller hands), ``detector_threshold`` (how sure that
            must be of a palm, 0..1; by default 0.5), ``iou_threshold`` (of two palms that overlap
            more, the worse goes) and ``refine`` (True: look at each hand again, from where its
            joints were found, which is steadier); of ``handtrack.ssd320`` ``iou_threshold``.

    Returns:
        A list of hands, the surest first, empty if none is seen: ``{"score": .., "keypoints":
        [{"part": "wrist", "position": {"x": .., "y": .., "z": ..}, "score": ..}, ..], "box": ..,
        "handedness": "left", "handedness_score": .., "world": [{"part": .., "position": ..},
        ..]}``. The 21 positions are in pixels of the picture; z counts from the wrist, less is
        nearer to the camera. ``world`` is in metres from the middle of the hand. ``score`` is for
        the whole hand. Hands of ``handtrack.ssd320`` have no keypoints, but a ``"label"``: open,
        closed, pinch or point. For several pictures an iterator over lists.

    Raises:
        ZooError: the picture cannot be read, or a model or option is unknown or out of range.

    Source: MediaPipe Hands (Zhang et al., "MediaPipe Hands: On-device Real-time Hand Tracking",
    2020), as tfjs-models' hand-pose-detection.

    >>> import zoo
    >>> zoo.estimate_hands("me.jpg", hands=1)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    zoo.ZooError: unknown option 'hands' of hands.lite: did you mean 'max_hands'...
    """
    given = {
        "max_hands": max_hands,
        "score_threshold": score_threshold,
        "mirror": mirror,
        **options,
    }
    return call_verb("estimate_hands", image, model=model, backend=backend, options=given)
