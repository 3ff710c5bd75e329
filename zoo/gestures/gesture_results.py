"""Hands as they come in, gestures as they go out."""

from collections.abc import Iterable, Mapping
from typing import Any

from weights_cache.errors import ZooError
from zoo.results import Gesture


def as_hands(hands: Any) -> list[Mapping[str, Any]]:
    """The hands of one image as a list; one hand alone counts, too."""
    if isinstance(hands, Mapping):
        return [hands]
    if isinstance(hands, (str, bytes)) or not isinstance(hands, Iterable):
        raise ZooError(f"hands are a list, as estimate_hands gives it, not {hands!r:.80}")
    return list(hands)


def is_hands(source: Any) -> bool:
    """Whether something is the hands of one image rather than an image or several."""
    if isinstance(source, Mapping):
        return True
    return isinstance(source, (list, tuple)) and all(isinstance(x, Mapping) for x in source)


def to_gesture(label: str, score: float, number: int, hand: Mapping[str, Any]) -> Gesture:
    """The result of one hand: what it shows, and whose hand that is."""
    gesture: Gesture = {"label": label, "score": score, "hand": number}
    if "handedness" in hand:
        gesture["handedness"] = hand["handedness"]
    if "box" in hand:
        gesture["box"] = hand["box"]
    return gesture
