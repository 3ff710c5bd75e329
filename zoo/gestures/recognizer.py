"""Recognition of gestures by rules, built-in or user-defined."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from weights_cache.atomic_files import replacing
from weights_cache.errors import ZooError
from weights_cache.similar_names import did_you_mean
from zoo.gestures.built_in import BUILT_IN
from zoo.gestures.fingers import as_hands, is_hanging, points_of, read_fingers, to_gesture
from zoo.gestures.rules import GestureRules, make_gesture, score_of
from zoo.option import threshold
from zoo.pipeline.options import checked_value
from zoo.results import Gesture

#: A gesture of seven rules with one finger wrong reaches 0.857, with all just acceptable 0.93.
SCORE_THRESHOLD = 0.86

_SCORE = threshold("score_threshold", "minimum score of a gesture", SCORE_THRESHOLD)

# Of files of gestures:
_FORMAT, _VERSION = "zoo-gestures", 1
_LARGEST = 1_000_000  # bytes; a gesture takes about 500
_KEYS = {"curls", "directions", "weights"}


class GestureRecognizer:
    """Recognizes the gestures of hands by the curl and direction of their fingers.

    Algorithm: fingerpose 0.1; `zoo.gestures.fingers` and `zoo.gestures.rules` say what differs.

    Limits: a thumb counts as curled by its last joint alone. So a fist whose thumb lies straight
    can pass for a thumb up or down: 39 % of the fists in the training data of
    ``gesture.keypoints`` do, which are turned all ways and have no z. "rock" and "i_love_you"
    differ by where a straight thumb points to, which holds for upright hands. A palm
    and the back of a hand are alike. The built-in gestures are never those of a hand that points
    downwards, as idle hands do.

    Args:
        gestures: labels of built-in gestures to begin with; all by default, none: ``()``.
        score_threshold: a hand that fits no gesture so well gets none, 0..1. At 0.86 nearly
            every rule has to be met.

    Raises:
        ZooError: a label is not a built-in gesture, or ``gestures`` is not a list of labels.

    >>> recognizer = GestureRecognizer()
    >>> recognizer.labels
    ['victory', 'thumbs_up', 'thumbs_down', 'pointing_up', 'open_palm', 'closed_fist', 'four', \
'i_love_you', 'rock', 'call']
    >>> recognizer.add("three", curls={
    ...     "thumb": ["half_curl", "full_curl"], "index": "no_curl", "middle": "no_curl",
    ...     "ring": "no_curl", "pinky": {"full_curl": 1, "half_curl": 0.9}})
    >>> recognizer.labels[-1]
    'three'
    """

    def __init__(
        self,
        gestures: Iterable[str] | None = None,
        *,
        score_threshold: float = SCORE_THRESHOLD,
    ):
        self.score_threshold = checked_value(_SCORE, score_threshold)
        self._gestures: dict[str, GestureRules] = {}
        for label in _labels(BUILT_IN if gestures is None else gestures):
            _refuse_unknown(label, BUILT_IN, "built-in gesture")
            self.add(label, **BUILT_IN[label], raised=True)

    @property
    def labels(self) -> list[str]:
        """Labels of the gestures, in the order in which they were added."""
        return list(self._gestures)

    def add(
        self,
        label: str,
        *,
        curls: Mapping[str, Any] | None = None,
        directions: Mapping[str, Any] | None = None,
        weights: Mapping[str, float] | None = None,
        raised: bool = False,
    ) -> None:
        """Add a gesture of your own, or replace one of that label.

        Args:
            label: its name.
            curls: finger -> curl: a name, several names that are equally right, or a dict of what
                each is worth (-1..1). Fingers: thumb, index, middle, ring, pinky. Curls: no_curl,
                half_curl, full_curl. A finger without a rule may have any curl.
            directions: finger -> direction, likewise: vertical_up, vertical_down,
                horizontal_left, horizontal_right, diagonal_up_left, diagonal_up_right,
                diagonal_down_left, diagonal_down_right; as seen in the image given.
            weights: finger -> how much its rules count, 0..100; 1 by default.
            raised: a hand that points downwards, less than 45 degrees from straight down, never
                makes the gesture, so that idle hands make none.

        Raises:
            ZooError: an unknown finger, curl or direction, or no rule at all.

        >>> recognizer = GestureRecognizer(())
        >>> recognizer.add("pointing_left", curls={"index": "no_curl", "middle": "full_curl"},
        ...                directions={"index": {"horizontal_left": 1, "diagonal_up_left": 0.5}})
        """
        self._gestures[label] = make_gesture(
            label, curls or {}, directions or {}, weights or {}, raised
        )

    def remove(self, label: str) -> None:
        """Forget a gesture.

        Raises:
            ZooError: no gesture has the label.

        >>> recognizer = GestureRecognizer(["rock", "call"])
        >>> recognizer.remove("rock")
        >>> recognizer.labels
        ['call']
        """
        _refuse_unknown(label, self._gestures, "gesture")
        del self._gestures[label]

    def recognize(
        self, hands: Iterable[Mapping[str, Any]], *, score_threshold: float | None = None
    ) -> list[Gesture]:
        """Return the gesture of each hand that makes one.

        Args:
            hands: of one image, as `zoo.estimate_hands` gives them.
            score_threshold: another than the recognizer's.

        Returns:
            ``[{"label": "victory", "score": .., "hand": 0, "handedness": "left", "box": {..}}]``:
            ``hand`` is the number of the hand in the list given; ``handedness`` and ``box`` are the
            hand's own, where it has them. No hands, or hands without gesture: ``[]``.

        Raises:
            ZooError: something is no hand, or has no keypoints.

        >>> GestureRecognizer().recognize([])
        []
        """
        least = self.score_threshold if score_threshold is None else score_threshold
        checked_value(_SCORE, least)
        found = []
        for number, hand in enumerate(as_hands(hands)):
            scores = self.scores(hand)
            best = max(scores, key=lambda label: scores[label], default=None)
            if best is not None and scores[best] >= least:
                found.append(to_gesture(best, scores[best], number, hand))
        return found

    def scores(self, hand: Mapping[str, Any]) -> dict[str, float]:
        """Return the score of one hand for each gesture, 0..1, by label.

        >>> points = [{"position": {"x": 0.0, "y": -float(y)}} for y in range(21)]
        >>> GestureRecognizer(["open_palm", "closed_fist"]).scores({"keypoints": points})
        {'open_palm': 1.0, 'closed_fist': 0.18}
        """
        points = points_of(hand)
        fingers, hanging = read_fingers(points), is_hanging(points)
        return {
            label: 0.0 if gesture.raised and hanging else score_of(gesture, fingers)
            for label, gesture in self._gestures.items()
        }

    def describe_hand(self, hand: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        """Return the facts of one hand that rules use: each finger's curl and direction.

        Args:
            hand: as `zoo.estimate_hands` gives it.

        Returns:
            Finger -> ``{"curl": "no_curl", "direction": "vertical_up", "angle": 173.2}``; the
            angle is that at the middle joint in degrees, 180 if straight.

        >>> points = [{"position": {"x": 0.0, "y": -float(y)}} for y in range(21)]
        >>> GestureRecognizer().describe_hand({"keypoints": points})["index"]
        {'curl': 'no_curl', 'direction': 'vertical_up', 'angle': 180.0}
        """
        return {name: seen._asdict() for name, seen in read_fingers(points_of(hand)).items()}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all gestures and the threshold to a JSON file, wholly or not at all.

        Raises:
            ZooError: the file cannot be written, or ``path`` is not a path.
        """
        import json

        document = {
            "format": _FORMAT,
            "version": _VERSION,
            "score_threshold": self.score_threshold,
            "gestures": {label: rules._asdict() for label, rules in self._gestures.items()},
        }
        text = json.dumps(document, indent=1, ensure_ascii=False)
        target = Path(os.path.realpath(_checked(path)))  # a link stays a link
        try:
            data = text.encode()
            with replacing(target) as stream:
                stream.write(data)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise ZooError(f"cannot write gestures to {str(path)!r}: {reason}") from error

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "GestureRecognizer":
        """Return a recognizer with the gestures of a file that `save` wrote, and no others.

        Raises:
            ZooError: the file is missing, damaged or of a newer version.
        """
        recognizer = cls(())
        try:
            recognizer._gestures, recognizer.score_threshold = _parse(_read_text(path))
        except (OSError, ValueError, TypeError, RecursionError, ZooError) as error:
            reason = getattr(error, "strerror", None) or error
            raise ZooError(
                f"{str(path)!r} is no file of gestures that GestureRecognizer.save wrote: {reason}"
            ) from error
        return recognizer

    def __repr__(self) -> str:
        return f"<GestureRecognizer of {', '.join(self.labels) or 'nothing'}>"


def _labels(gestures: Any) -> Iterable[Any]:
    if isinstance(gestures, (str, bytes)) or not isinstance(gestures, Iterable):
        raise ZooError(f"gestures={gestures!r:.80} must be a list of labels, such as ['victory']")
    return gestures


def _refuse_unknown(label: Any, valid: Iterable[str], what: str) -> None:
    names = list(valid)
    if label not in names:  # of any type, hashable or not
        hint = did_you_mean(str(label), names)
        known = ", ".join(names) or "there is none"
        raise ZooError(f"unknown {what} {label!r:.80}{hint} ({known})")


def _checked(path: Any) -> str | os.PathLike[str]:
    """Return a path, or raise an error: a number would be that of an open file."""
    if not isinstance(path, (str, os.PathLike)):
        raise ZooError(f"a path is a text or a pathlib.Path, not {path!r:.80}")
    return path


def _read_text(path: str | os.PathLike[str]) -> str:
    with open(_checked(path), encoding="utf-8") as file:
        text = file.read(_LARGEST + 1)
    if len(text) > _LARGEST:
        raise ValueError(f"it has more than {_LARGEST:,} characters")
    return text


def _parse(text: str) -> tuple[dict[str, GestureRules], float]:
    import json

    document = json.loads(text)
    if not isinstance(document, dict) or document.get("format") != _FORMAT:
        raise ValueError(f'it does not say "format": "{_FORMAT}"')
    if document.get("version") != _VERSION:
        raise ValueError(f"its version is {document.get('version')!r}, known is {_VERSION}")
    least = checked_value(_SCORE._replace(default=None), document.get("score_threshold"))
    gestures = document.get("gestures")
    if not isinstance(gestures, dict):
        raise ValueError("it has no gestures")
    for label, rules in gestures.items():
        if not isinstance(rules, dict) or rules.keys() - {"raised"} != _KEYS:
            raise ValueError(f"gesture {label!r} needs {', '.join(sorted(_KEYS))}")
    return {label: make_gesture(label, **rules) for label, rules in gestures.items()}, least
