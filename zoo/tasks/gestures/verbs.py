"""The function of gestures that takes one line."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, Literal, NamedTuple

from weights_cache.common.errors import ZooError
from weights_cache.common.similar_names import did_you_mean
from zoo.catalog.entries import all_entries, choices, chosen_name, find_entry
from zoo.catalog.model_names import BackendName, EstimateHandsModelName, RecognizeGesturesModelName
from zoo.images.lists import for_each_image, is_several
from zoo.pipeline.binding import BoundVerb, bind_model, bound_by
from zoo.pipeline.loaded_model import LoadedModel
from zoo.pipeline.model import Model
from zoo.pipeline.options import checked_value, unknown_option
from zoo.pipeline.verb_signatures import ImageSource, OwnModel, public_verb
from zoo.results.vocabulary import Gesture, Hand
from zoo.tasks.gestures import MODELS, OPTIONS
from zoo.tasks.gestures.fingers import is_hands
from zoo.tasks.gestures.recognizer import GestureRecognizer

RULES = MODELS["recognize_gestures"].default  # which are no model of the catalog

_OWN = ("model", "backend", "score_threshold", "mirror")  # also where hands are given

Recognize = Callable[..., list[Gesture]]  # hands, score_threshold=, mirror=


class _Recognizer(NamedTuple):
    """A function that names the gestures of hands, and its minimum score."""

    recognize: Recognize
    score_threshold: float


class BoundGestures(NamedTuple):
    """A call of `recognize_gestures` without an image: one finds the hands, one names them."""

    hands: BoundVerb
    recognize: Recognize
    score_threshold: float


def _bind_gestures(
    *,
    model: Any,
    backend: str | None,
    score_threshold: float | None,
    mirror: bool,
    **of_hands: Any,
) -> BoundGestures:
    """Load the models that `recognize_gestures` uses for its options."""
    checked_value(OPTIONS["recognize_gestures"]["mirror"], mirror)
    recognizer = _recognizer(model, backend)
    hands = _bind_hands(backend=backend, mirror=mirror, **of_hands)
    least = recognizer.score_threshold if score_threshold is None else score_threshold
    return BoundGestures(hands, recognizer.recognize, least)


@bound_by(_bind_gestures)
@public_verb
def recognize_gestures(
    image: ImageSource | Hand | Sequence[Hand],
    *,
    model: RecognizeGesturesModelName | Model | GestureRecognizer = RULES,
    hands_model: EstimateHandsModelName | OwnModel | None = None,
    backend: BackendName | None = None,
    score_threshold: float | None = None,
    mirror: bool = False,
    max_hands: int | None = None,
    detector: Literal["palm.lite", "palm.full", "handpose.palm"] | Model | None = None,
    detector_threshold: float | None = None,
    iou_threshold: float | None = None,
    refine: bool | None = None,
) -> list[Gesture]:
    """Name the gestures that the hands in an image make.

    >>> import zoo
    >>> gestures = zoo.recognize_gestures("gesture.jpg")  # doctest: +SKIP
    >>> [gesture["label"] for gesture in gestures]  # doctest: +SKIP
    ['call']

    Hands that were found before can be passed without an image:

    >>> points = [{"position": {"x": 0.0, "y": -float(y)}} for y in range(21)]
    >>> recognize_gestures([{"keypoints": points, "handedness": "left"}])[0]["label"]
    'open_palm'

    Args:
        image: an image as for `zoo.estimate_hands`, whose hands are found first, or the result of
            `zoo.estimate_hands`. A list, an iterator and an array [n, height, width, 3] are several
            images.
        model: ``"rules"`` (see `zoo.GestureRecognizer`), ``"gesture.keypoints"``, a small network
            that knows "open", "close" and "pointer", ``"fast"``, ``"best"``, a
            `zoo.GestureRecognizer` with user-defined gestures, or a model that `zoo.load` returned.
        hands_model: the model that finds the hands, as ``model`` of `zoo.estimate_hands`; it must
            return 21 keypoints. Not accepted with given hands, like the options after ``mirror``.
        backend: where networks run, by default ``CORE_BACKEND`` or else ``"cpu"``.
        score_threshold: minimum score of a gesture, 0..1; by default 0.86 for rules, 0.5 for the
            network.
        mirror: the image is a mirror image (selfie view), also that of given hands: boxes and
            directions remain those in the image, handedness is that of the real person.
        max_hands: see `zoo.estimate_hands`.
        detector: see `zoo.estimate_hands`.
        detector_threshold: see `zoo.estimate_hands`.
        iou_threshold: see `zoo.estimate_hands`.
        refine: see `zoo.estimate_hands`.

    Returns:
        ``[{"label": "victory", "score": 0.97, "hand": 0, "handedness": "left", "box": {"x": ..,
        "y": .., "width": .., "height": ..}}]``, one for each hand that makes a gesture; ``hand`` is
        the index of the hand in the list of found or given hands. A list of images gives a list of
        such lists, an iterator an iterator.

    Raises:
        ImageError: the image cannot be read.
        ZooError: a model or option is unknown, or the hands have no keypoints.
    """
    of_hands = _given(
        hands_model=hands_model,
        max_hands=max_hands,
        detector=detector,
        detector_threshold=detector_threshold,
        iou_threshold=iou_threshold,
        refine=refine,
    )
    checked_value(OPTIONS["recognize_gestures"]["mirror"], mirror)
    recognizer = _recognizer(model, backend)
    recognize = partial(recognizer.recognize, score_threshold=score_threshold, mirror=mirror)
    find = partial(_find_hands, of_hands, backend, mirror)
    if is_hands(image):
        return _gestures_in(image, recognize, find, of_hands)
    recognize([])  # wrong options are reported before images are looked at
    if of_hands and is_several(image):
        find([])
    return for_each_image(image, lambda each: _gestures_in(each, recognize, find, of_hands))


def _gestures_in(
    image: Any, recognize: Recognize, find: Callable[[Any], Any], of_hands: Mapping[str, Any]
) -> list[Gesture]:
    """Return the gestures in an image, or those of the hands given in its place."""
    if not is_hands(image):
        return recognize(find(image))
    if of_hands:
        raise unknown_option("hands that are given", of_hands, _OWN)
    return recognize(image)


def _find_hands(of_hands: Mapping[str, Any], backend: str | None, mirror: bool, image: Any) -> Any:
    """Return the hands in an image, or in each of several, by the options that are for hands."""
    bound = _bind_hands(backend=backend, mirror=mirror, **of_hands)
    return bound.model.estimate_hands(image, **bound.options)


def _bind_hands(*, hands_model: Any = None, **options: Any) -> BoundVerb:
    finder = hands_model or choices()["estimate_hands"].default
    return bind_model("estimate_hands", model=finder, **options)


def _given(**options: Any) -> dict[str, Any]:
    """Return the options that are not None."""
    return {name: value for name, value in options.items() if value is not None}


def _recognizer(model: Any, backend: str | None) -> _Recognizer:
    if isinstance(model, GestureRecognizer):
        return _by_rules(model)
    model = chosen_name(model, "recognize_gestures")
    if model == RULES:
        return _by_rules(_built_in())
    names = [RULES, *(e.name for e in all_entries().values() if e.task == "gestures")]
    if not isinstance(model, LoadedModel) and model not in names:
        raise ZooError(
            f"unknown model {model!r} of gestures{did_you_mean(str(model), names)}; it is one of "
            f"{', '.join(names)}, or a GestureRecognizer; hands_model= is what finds the hands"
        )
    entry = getattr(model, "entry", None) or find_entry(model)
    recognize = partial(_recognize_by_network, model, backend)
    return _Recognizer(recognize, entry.defaults["score_threshold"])


def _recognize_by_network(
    model: Any, backend: str | None, hands: Any, **options: Any
) -> list[Gesture]:
    bound = bind_model("recognize_gestures", model=model, backend=backend, **options)
    gestures: list[Gesture] = bound.model.recognize_gestures(hands, **bound.options)
    return gestures


def _by_rules(recognizer: GestureRecognizer) -> _Recognizer:
    return _Recognizer(recognizer.recognize, recognizer.score_threshold)


@lru_cache(maxsize=1)
def _built_in() -> GestureRecognizer:
    return GestureRecognizer()
