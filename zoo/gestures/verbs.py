"""The function of gestures that takes one line."""

from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from typing import Any

from weights_cache.errors import ZooError
from zoo.catalog import all_entries, choices, find_entry
from zoo.gestures import MODELS
from zoo.gestures.recognizer import GestureRecognizer
from zoo.gestures.results import is_hands
from zoo.loading import call_verb
from zoo.options import check_flag, did_you_mean, refuse_unknown
from zoo.runner import for_each_picture, is_several, model_class

RULES = MODELS["recognize_gestures"].default  # which are no model of the catalog

_OPTIONS = ("model", "backend", "score_threshold", "mirror")  # also where hands are given

Recognize = Callable[[Any], list[dict[str, Any]]]


def recognize_gestures(
    image: Any,
    *,
    model: str | GestureRecognizer = RULES,
    hands_model: str | None = None,
    backend: str | None = None,
    score_threshold: float | None = None,
    mirror: bool = False,
    **options: Any,
) -> Any:
    """Tell what gestures the hands in a picture make.

    Args:
        image: a picture as for `zoo.estimate_hands`, whose hands are found first, or the result of
            `zoo.estimate_hands`. A list, an iterator or an array [n, h, w, 3] are several.
        model: ``"rules"`` (see `zoo.GestureRecognizer`), ``"gesture.keypoints"``, a small network
            that knows "open", "close" and "pointer", or a `zoo.GestureRecognizer` with gestures of
            your own.
        hands_model: name of the model that finds the hands, which has to give 21 keypoints; by
            default ``"hands.lite"``. Not where hands are given, as the options.
        backend: where networks run.
        score_threshold: least score of a gesture, 0..1; by default 0.86 for rules, 0.5 for the
            network.
        mirror: the picture is a mirror image (selfie view), also where its hands are given:
            boxes and directions are those in the picture given, handedness that of the real person.
        options: of the model of hands, such as ``max_hands`` or ``detector_threshold``; see
            `zoo.estimate_hands`.

    Returns:
        ``[{"label": "victory", "score": .., "hand": 0, "handedness": "left", "box": {..}}]``, one
        for each hand that makes a gesture; ``hand`` counts the hands that were found or given.
        For several pictures an iterator over such lists.

    Raises:
        ZooError: the picture cannot be read, a model or option is unknown, or the hands have no
            keypoints.

    >>> points = [{"position": {"x": 0.0, "y": -float(y)}} for y in range(21)]
    >>> hand = {"keypoints": points, "handedness": "left"}
    >>> recognize_gestures([hand])
    [{'label': 'open_palm', 'score': 1.0, 'hand': 0, 'handedness': 'left'}]
    """
    check_flag("mirror", mirror)
    recognize = _recognize_by(model, backend, score_threshold, mirror)
    of_hands = options if hands_model is None else {"hands_model": hands_model, **options}
    find = _find_by(hands_model or _default_hands(), backend, {**options, "mirror": mirror})

    def run_one(item: Any) -> list[dict[str, Any]]:
        if is_hands(item):
            refuse_unknown("hands that are given", of_hands, _OPTIONS)
            return recognize(item)
        return recognize(find(item))

    if is_hands(image):
        return run_one(image)
    _check_options(hands_model or _default_hands(), options)
    recognize([])  # what is wrong with options is told before pictures are looked at
    if of_hands and is_several(image):
        find([])
    return for_each_picture(image, run_one)


def _default_hands() -> str:
    return choices()["estimate_hands"].default


def _find_by(model: str, backend: str | None, options: Mapping[str, Any]) -> Callable[[Any], Any]:
    return partial(call_verb, "estimate_hands", model=model, backend=backend, options=options)


def _check_options(hands_model: str, options: Mapping[str, Any]) -> None:
    """Raise for options that there are neither here nor in the model of hands."""
    entry = find_entry(hands_model)
    verb = getattr(model_class(entry), "estimate_hands", None)
    of_hands = list(verb.__kwdefaults__) if verb else []  # of no such verb `call_verb` tells
    ours = recognize_gestures.__kwdefaults__ or ()
    valid = dict.fromkeys([*ours, *of_hands, *entry.options])
    refuse_unknown("recognize_gestures", options.keys() - valid.keys(), valid)


def _recognize_by(
    model: Any, backend: str | None, score_threshold: float | None, mirror: bool
) -> Recognize:
    if isinstance(model, GestureRecognizer):
        return partial(model.recognize, score_threshold=score_threshold)
    if model == RULES:
        return partial(_built_in().recognize, score_threshold=score_threshold)
    names = [RULES, *(e.name for e in all_entries().values() if e.task == "gestures")]
    if model not in names:
        raise ZooError(
            f"unknown model {model!r} of gestures{did_you_mean(str(model), names)}; it is one of "
            f"{', '.join(names)}, or a GestureRecognizer; hands_model= is what finds the hands"
        )
    options = {"mirror": mirror, "score_threshold": score_threshold}
    return partial(call_verb, "recognize_gestures", model=model, backend=backend, options=options)


@lru_cache(maxsize=1)
def _built_in() -> GestureRecognizer:
    return GestureRecognizer()
