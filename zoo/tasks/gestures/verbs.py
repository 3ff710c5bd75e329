"""The function of gestures that takes one line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any, Literal, NamedTuple

from weights_cache.common.errors import ZooError
from weights_cache.common.similar_names import did_you_mean
from zoo.catalog.entries import all_entries, choices, chosen_name, find_entry
from zoo.catalog.model_names import BackendName, EstimateHandsModelName, RecognizeGesturesModelName
from zoo.images.lists import for_each_image, is_several
from zoo.pipeline.loaded_model import LoadedModel
from zoo.pipeline.model import Model
from zoo.pipeline.model_cache import BIND, BoundVerb, call_verb
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
    of_hands = {k: v for k, v in locals().items() if v is not None and k not in ("image", *_OWN)}
    checked_value(OPTIONS["recognize_gestures"]["mirror"], mirror)
    recognizer = _recognizer(model, backend)
    recognize = partial(recognizer.recognize, score_threshold=score_threshold, mirror=mirror)
    finder = hands_model or choices()["estimate_hands"].default
    options = {k: v for k, v in of_hands.items() if k != "hands_model"}
    options |= {"model": finder, "backend": backend, "mirror": mirror}

    def find(item: Any) -> Any:
        return call_verb("estimate_hands", item, **options)

    def run_one(item: Any) -> list[Gesture]:
        if not is_hands(item):
            return recognize(find(item))
        if of_hands:
            raise unknown_option("hands that are given", of_hands, _OWN)
        return recognize(item)

    if image is BIND:
        hands: BoundVerb = find(BIND)
        least = recognizer.score_threshold if score_threshold is None else score_threshold
        return BoundGestures(hands, recognizer.recognize, least)  # type: ignore[return-value]
    if is_hands(image):
        return run_one(image)
    recognize([])  # wrong options are reported before images are looked at
    if of_hands and is_several(image):
        find([])
    return for_each_image(image, run_one)


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
    options: dict[str, Any] = {"model": model, "backend": backend}

    def recognize(hands: Any, **more: Any) -> list[Gesture]:
        found: list[Gesture] = call_verb("recognize_gestures", hands, **options, **more)
        return found

    entry = getattr(model, "entry", None) or find_entry(model)
    return _Recognizer(recognize, entry.defaults["score_threshold"])


def _by_rules(recognizer: GestureRecognizer) -> _Recognizer:
    return _Recognizer(recognizer.recognize, recognizer.score_threshold)


@lru_cache(maxsize=1)
def _built_in() -> GestureRecognizer:
    return GestureRecognizer()
