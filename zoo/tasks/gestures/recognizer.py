"""Recognition of gestures by rules, built-in or user-defined, and by examples."""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from weights_cache.common.errors import ZooError
from weights_cache.common.similar_names import did_you_mean
from zoo.catalog.model_names import EstimateHandsModelName
from zoo.catalog.option import MIRROR
from zoo.pipeline.options import checked_value
from zoo.pipeline.verb_signatures import ImageSource, OwnModel
from zoo.results.vocabulary import Gesture
from zoo.tasks.gestures.built_in import BUILT_IN
from zoo.tasks.gestures.example_images import shape_of_hand, shapes_of_images
from zoo.tasks.gestures.examples import Examples, choose_alike
from zoo.tasks.gestures.fingers import as_hands, is_hanging, points_of, read_fingers, to_gesture
from zoo.tasks.gestures.gesture_files import read_gestures, write_gestures
from zoo.tasks.gestures.rules import (
    SCORE,
    SCORE_THRESHOLD,
    GestureRules,
    check_label,
    make_gesture,
    score_of,
)

#: A hand as `zoo.estimate_hands` gives it.
HandFacts = Mapping[str, Any]


class GestureRecognizer:
    """Recognizes the gestures of hands by rules for their fingers, and by examples.

    Algorithm: rules over the curl and direction of fingers as in fingerpose 0.1
    (`zoo.tasks.gestures.fingers` and `zoo.tasks.gestures.rules` say what differs); the nearest
    example for gestures that were added by example (`zoo.tasks.gestures.examples`). If an example
    is near enough, its gesture is returned, whatever the rules say; otherwise that of the rules
    with the highest score.

    Limits: a thumb counts as curled by its last joint alone. So a fist whose thumb lies straight
    can pass for a thumb up or down: 39 % of the fists in the training data of
    ``gesture.keypoints`` do, which are turned all ways and have no z. "rock" and "i_love_you"
    differ by where a straight thumb points to, which holds for upright hands. To rules, a palm
    and the back of a hand are alike. The built-in gestures are never those of a hand that points
    downwards, as idle hands do, and open and closed hands make one only if they point upwards:
    those on a table, in a lap or around a cup do not. A raised hand that holds a fork is a fist.

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
        self.score_threshold = checked_value(SCORE, score_threshold)
        self._gestures: dict[str, GestureRules] = {}
        self._examples = Examples()
        for label in _labels(BUILT_IN if gestures is None else gestures):
            _refuse_unknown(label, BUILT_IN, "built-in gesture")
            self.add(label, **BUILT_IN[label], raised=True)

    @property
    def labels(self) -> list[str]:
        """Labels of the gestures: those with rules, then those with examples only."""
        return list(dict.fromkeys([*self._gestures, *self._examples]))

    def add(
        self,
        label: str,
        *,
        curls: Mapping[str, Any] | None = None,
        directions: Mapping[str, Any] | None = None,
        weights: Mapping[str, float] | None = None,
        raised: bool = False,
    ) -> None:
        """Add a gesture of your own by rules, or replace the rules of that label.

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

    def add_example(
        self,
        hands: HandFacts | Sequence[HandFacts],
        label: str,
        *,
        mirror: bool = False,
    ) -> None:
        """Add a hand as an example of a gesture, which may be new or have rules already.

        Three to five examples are enough for a gesture that is held towards the camera alike, of
        several people if it is to work for others; about twenty if it is seen from many sides.
        Hands may be of any size and at any place; left and right are alike. Gestures that differ by
        how the hand is turned remain apart. See `zoo.tasks.gestures.examples` for the algorithm.

        Args:
            hands: a hand, or the hands of one frame, as `zoo.estimate_hands` gives them; of
                several hands the one most like the other examples of the gesture.
            label: the name of the gesture.
            mirror: the hand was found in a mirror image.

        Raises:
            ZooError: there is no hand, or there are several and no example decides between them.

        >>> points = [{"position": {"x": 0.0, "y": -float(y)}} for y in range(21)]
        >>> recognizer = GestureRecognizer(())
        >>> recognizer.add_example({"keypoints": points, "handedness": "right"}, "up")
        >>> recognizer.scores({"keypoints": points, "handedness": "right"})
        {'up': 1.0}
        """
        checked_value(MIRROR, mirror)
        given = as_hands(hands)
        shapes = [shape_of_hand(hand, mirror) for hand in given]
        known = [shape for shape in shapes if shape is not None]
        if not known:
            what = "the palm of this one has no size" if given else "the list of hands is empty"
            raise ZooError(f"an example of {check_label(label)!r} needs a hand: {what}")
        self._add_chosen(check_label(label), [known])

    def add_examples(
        self,
        label: str,
        images: ImageSource | Iterable[ImageSource | HandFacts | Sequence[HandFacts]],
        *,
        hands_model: EstimateHandsModelName | OwnModel | None = None,
        mirror: bool = False,
    ) -> int:
        """Add the hand in each image as an example of a gesture; see `add_example`.

        A warning names the images that show no hand. Of several hands in an image the one most
        like those in the other images is added.

        Args:
            label: the name of the gesture.
            images: images in any form that `zoo.estimate_hands` takes, a folder of images, or
                hands: of each image a hand, or the list that `zoo.estimate_hands` returns.
            hands_model: the model that finds the hands; by default that of `zoo.estimate_hands`.
            mirror: the images are mirror images.

        Returns:
            How many examples were added.

        Raises:
            ImageError: an image cannot be read.
            ZooError: no image shows a hand, or the only one shows several.

        >>> recognizer = GestureRecognizer()
        >>> recognizer.add_examples("my sign", "images/my sign/")  # doctest: +SKIP
        5
        """
        check_label(label)
        groups = shapes_of_images(label, images, hands_model, checked_value(MIRROR, mirror))
        self._add_chosen(label, groups)
        return len(groups)

    def _add_chosen(self, label: str, groups: list[list[np.ndarray]]) -> None:
        """Add one shape of each group."""
        known = self._examples.of(label)
        if len(groups) == 1 and len(groups[0]) > 1 and not len(known):
            raise ZooError(
                f"{len(groups[0])} hands, and no other example of {label!r} to decide between "
                "them: pass the hand that makes the gesture, such as hands[0]"
            )
        self._examples.add(label, choose_alike(groups, known))

    def remove_example(self, label: str) -> None:
        """Forget the example of a gesture that was added last.

        Raises:
            ZooError: no gesture of that label has examples.

        >>> points = [{"position": {"x": 0.0, "y": -float(y)}} for y in range(21)]
        >>> recognizer = GestureRecognizer(())
        >>> recognizer.add_example({"keypoints": points}, "up")
        >>> recognizer.remove_example("up")
        >>> recognizer.labels
        []
        """
        _refuse_unknown(label, self._examples, "gesture with examples")
        self._examples.remove_last(label)

    def remove(self, label: str) -> None:
        """Forget a gesture, its rules and its examples.

        Raises:
            ZooError: no gesture has the label.

        >>> recognizer = GestureRecognizer(["rock", "call"])
        >>> recognizer.remove("rock")
        >>> recognizer.labels
        ['call']
        """
        _refuse_unknown(label, self.labels, "gesture")
        self._gestures.pop(label, None)
        self._examples.remove(label)

    def recognize(
        self,
        hands: Iterable[Mapping[str, Any]],
        *,
        score_threshold: float | None = None,
        mirror: bool = False,
    ) -> list[Gesture]:
        """Return the gesture of each hand that makes one.

        Args:
            hands: of one image, as `zoo.estimate_hands` gives them.
            score_threshold: another than the recognizer's.
            mirror: the hands were found in a mirror image; only examples need to know, as rules
                hold for both hands.

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
        checked_value(SCORE, least)
        checked_value(MIRROR, mirror)
        found = []
        for number, hand in enumerate(as_hands(hands)):
            points = points_of(hand)
            best = _best_of(self._example_scores(hand, mirror), least)
            best = best or _best_of(self._rule_scores(points), least)
            if best is not None:
                found.append(to_gesture(*best, number, hand))
        return found

    def scores(self, hand: Mapping[str, Any], *, mirror: bool = False) -> dict[str, float]:
        """Return the score of one hand for each gesture, 0..1, by label.

        The score by examples is 1 for a hand like one of them, and 0.86 for one as far from the
        nearest as hands of the gesture may be. A gesture with rules and examples has the higher of
        both scores.

        >>> points = [{"position": {"x": 0.0, "y": -float(y)}} for y in range(21)]
        >>> GestureRecognizer(["open_palm", "pointing_up"]).scores({"keypoints": points})
        {'open_palm': 1.0, 'pointing_up': 0.4}
        """
        checked_value(MIRROR, mirror)
        scores = self._rule_scores(points_of(hand))
        for label, score in self._example_scores(hand, mirror).items():
            scores[label] = max(score, scores.get(label, 0.0))
        return scores

    def _rule_scores(self, points: np.ndarray) -> dict[str, float]:
        fingers, hanging = read_fingers(points), is_hanging(points)
        return {
            label: 0.0 if gesture.raised and hanging else score_of(gesture, fingers)
            for label, gesture in self._gestures.items()
        }

    def _example_scores(self, hand: Mapping[str, Any], mirror: bool) -> dict[str, float]:
        if not self._examples:
            return {}
        shape = shape_of_hand(hand, mirror)
        return {
            label: float(SCORE_THRESHOLD ** (distance * distance))
            for label, distance in self._examples.distances(shape).items()
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
        """Write all rules and examples and the threshold to a JSON file, wholly or not at all.

        Raises:
            ZooError: the file cannot be written, or ``path`` is not a path.
        """
        write_gestures(path, self._gestures, self._examples, self.score_threshold)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "GestureRecognizer":
        """Return a recognizer with the gestures of a file that `save` wrote, and no others.

        Raises:
            ZooError: the file is missing, damaged or of a newer version.
        """
        recognizer = cls(())
        recognizer._gestures, recognizer._examples, least = read_gestures(path)
        recognizer.score_threshold = checked_value(SCORE, least)
        return recognizer

    def __repr__(self) -> str:
        return f"<GestureRecognizer of {', '.join(self.labels) or 'nothing'}>"


def _labels(gestures: Any) -> Iterable[Any]:
    if isinstance(gestures, (str, bytes)) or not isinstance(gestures, Iterable):
        raise ZooError(f"gestures={gestures!r:.80} must be a list of labels, such as ['victory']")
    return gestures


def _best_of(scores: Mapping[str, float], least: float) -> tuple[str, float] | None:
    """Return the label with the highest score, and that score, if it is high enough."""
    best = max(scores, key=lambda label: scores[label], default=None)
    return None if best is None or scores[best] < least else (best, scores[best])


def _refuse_unknown(label: Any, valid: Iterable[str], what: str) -> None:
    names = list(valid)
    if label not in names:  # of any type, hashable or not
        hint = did_you_mean(str(label), names)
        known = ", ".join(names) or "there is none"
        raise ZooError(f"unknown {what} {label!r:.80}{hint} ({known})")
