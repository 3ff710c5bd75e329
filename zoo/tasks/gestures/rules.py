"""Gestures as rules: how each finger should be curled, and where it should point to.

The language is that of fingerpose 0.1 (`GestureDescription`): for a finger, curls and directions
with what each is worth. There a finger without a rule counts as right, so that a gesture of one
rule gets nine of ten points from any hand; here only rules count.
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from weights_cache.common.errors import ZooError
from weights_cache.common.similar_names import did_you_mean
from zoo.catalog.option import Option, flag, threshold
from zoo.pipeline.options import checked_value
from zoo.tasks.gestures.fingers import CURLS, DIRECTIONS, FINGERS, Finger, curl_shares

#: A gesture of seven rules with one finger wrong reaches 0.857, with all just acceptable 0.93.
SCORE_THRESHOLD = 0.86

#: The option of that value.
SCORE = threshold("score_threshold", "minimum score of a gesture", SCORE_THRESHOLD)

#: Finger -> what it may do -> what that is worth, -1..1.
Table = dict[str, dict[str, float]]


class GestureRules(NamedTuple):
    """The rules of one gesture; `make_gesture` checks them."""

    curls: Table
    directions: Table
    weights: dict[str, float]  # of fingers; 1 where none is given
    raised: bool = False  # whether hands that hang down never make it


def make_gesture(
    label: str, curls: Any, directions: Any, weights: Any, raised: Any = False
) -> GestureRules:
    """Return a gesture from the rules of a user or a file: see `GestureRecognizer.add`.

    Raises:
        ZooError: no label, an unknown finger, curl or direction, a worth that is no number in
            -1..1, or no rule at all.
    """
    gesture = GestureRules(
        _table(check_label(label), "curl", curls, CURLS),
        _table(label, "direction", directions, DIRECTIONS),
        {
            name: checked_value(
                Option(f"weight of the {name} in {label!r}", "number", "", low=0, high=100), value
            )
            for name, value in _fingers(label, weights)
        },
        checked_value(flag("raised", "hands that point downwards never make it"), raised),
    )
    ruled = gesture.curls.keys() | gesture.directions.keys()
    if not any(gesture.weights.get(name, 1) for name in ruled):
        raise ZooError(f"gesture {label!r} needs the curl or direction of one finger at least")
    return gesture


def check_label(label: Any) -> str:
    """Return the label of a gesture.

    Raises:
        ZooError: it is no text, or empty.
    """
    if not isinstance(label, str) or not label:
        raise ZooError(f"the label of a gesture is a text, not {label!r:.80}")
    return label


def score_of(gesture: GestureRules, fingers: Mapping[str, Finger]) -> float:
    """Return a hand's score for a gesture, 0..1: its fingers' worth by the largest possible one.

    >>> fist = make_gesture("fist", {"index": {"full_curl": 1, "half_curl": 0.5}}, {}, {})
    >>> score_of(fist, {"index": Finger("half_curl", "vertical_up", 100.0)})
    0.5
    """
    rules = [
        (name, worths, curl_shares(fingers[name].angle)) for name, worths in gesture.curls.items()
    ]
    rules += [
        (name, worths, {fingers[name].direction: 1.0})
        for name, worths in gesture.directions.items()
    ]
    reached = sum(
        gesture.weights.get(name, 1) * worths.get(what, 0) * share
        for name, worths, shares in rules
        for what, share in shares.items()
    )
    most = sum(gesture.weights.get(name, 1) * max(worths.values()) for name, worths, _ in rules)
    return min(max(reached / most, 0.0), 1.0)


def _table(label: str, what: str, rules: Any, valid: tuple[str, ...]) -> Table:
    return {
        name: _worths(label, name, what, given, valid) for name, given in _fingers(label, rules)
    }


def _fingers(label: str, rules: Any) -> Iterable[tuple[str, Any]]:
    """Return the items of a dict by finger."""
    if not isinstance(rules, Mapping):
        raise ZooError(f"rules of gesture {label!r} are a dict by finger, not {rules!r:.80}")
    for name in rules:
        _check_name(label, "finger", name, FINGERS)
    return rules.items()


def _worths(
    label: str, finger: str, what: str, given: Any, valid: tuple[str, ...]
) -> dict[str, float]:
    """Return the worth by name, for one name, several equal ones, or a dict."""
    names = [given] if isinstance(given, str) else given
    if not isinstance(names, (list, tuple, Mapping)) or not names:
        raise ZooError(
            f"the {what} of the {finger} in gesture {label!r} is a name, a list of names or a dict "
            f"{{name: worth}}, not {given!r:.80}"
        )
    for name in names:
        _check_name(label, what, name, valid)
    worths = names if isinstance(names, Mapping) else dict.fromkeys(names, 1.0)
    checked = {
        name: checked_value(
            Option(f"worth of {name} of the {finger}", "number", "", low=-1, high=1), worth
        )
        for name, worth in worths.items()
    }
    if max(checked.values()) <= 0:
        raise ZooError(f"no {what} of the {finger} in gesture {label!r} is worth more than 0")
    return checked


def _check_name(label: str, what: str, name: Any, valid: tuple[str, ...]) -> None:
    if name not in valid:
        raise ZooError(
            f"unknown {what} {name!r} in gesture {label!r}{did_you_mean(str(name), valid)}; "
            f"valid: {', '.join(valid)}"
        )
