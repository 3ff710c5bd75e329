"""Hands as they come in, gestures as they go out, and the curl and direction of each finger.

Algorithm and figures: fingerpose 0.1 (Andreas Schallwig, after Prasad Pai's
Classify-HandGesturePose), `FingerPoseEstimator`. What differs, on purpose:

- There an exactly straight finger wraps around to 0 degrees and counts as fully curled
  (57.2958 is a little more than 180 / pi); points without z make every finger fully curled and
  horizontal.
- There a segment without length votes for horizontal; here it has no vote.
- There a finger's axis ends at the tip even if the middle joint is farther from the start, as in
  a fist, although the code looks for the longest distance; here it ends at what is farthest.

Directions are those of the image that the keypoints belong to: y grows downwards, "up" is
towards its upper edge, "left" towards its left edge. A mirrored image shows a hand that points
left where the image as taken shows one that points right.
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, cast

import numpy as np

from weights_cache.common.errors import ZooError
from zoo.results.vocabulary import Gesture

FINGERS = ("thumb", "index", "middle", "ring", "pinky")
CURLS = ("no_curl", "half_curl", "full_curl")
DIRECTIONS = (
    "vertical_up",
    "vertical_down",
    "horizontal_left",
    "horizontal_right",
    "diagonal_up_right",
    "diagonal_up_left",
    "diagonal_down_right",
    "diagonal_down_left",
)

POINTS = 21  # MediaPipe's: the wrist, then four of each finger from its base to its tip

# Joints of a finger. It starts at the wrist, but the thumb at its own first joint, which stands
# twice here: a segment without length has no vote.
_JOINTS = np.array([(1, 1, 2, 3, 4), *((0, k, k + 1, k + 2, k + 3) for k in (5, 9, 13, 17))])
_START, _MIDDLE, _TIP = _JOINTS[:, 0], _JOINTS[range(5), (3, 2, 2, 2, 2)], _JOINTS[:, 4]

# Angles at the middle joint, between start and tip, in degrees.
_NO_CURL, _HALF_CURL = 130.0, 60.0
_MARGIN = 15.0  # a finger this near to one of them is partly of both curls

_WRIST, _MIDDLE_KNUCKLE = 0, 9
_HANGING = 45.0  # degrees from straight down

# Kinds of directions, in the order in which ties are decided, and what votes for them.
_VERTICAL, _HORIZONTAL, _DIAGONAL = range(3)
_EXTENT_VOTE, _AXIS_VOTE, _SEGMENT_VOTE = 1.1, 1.6, 0.9
_VERTICAL_RATIO, _DIAGONAL_RATIO = 1.5, 0.66  # height by width of a finger's three points
_VERTICAL_ANGLE, _DIAGONAL_ANGLE = 75.0, 25.0  # degrees from the horizontal
_TINY = 1e-5


class Finger(NamedTuple):
    """One finger of a hand."""

    curl: str  # of `CURLS`
    direction: str  # of `DIRECTIONS`
    angle: float  # degrees at the middle joint: 180 is straight


def read_fingers(points: np.ndarray) -> dict[str, Finger]:
    """Return the curl and direction of the five fingers by name, from [21, 2 or 3] in pixels.

    With z the curl is measured in space; directions are always those in the image, y downwards.

    >>> straight_up = np.stack([np.zeros(21), -np.arange(21.0)], axis=1)
    >>> read_fingers(straight_up)["index"]
    Finger(curl='no_curl', direction='vertical_up', angle=180.0)
    """
    angles = _middle_angles(points)
    directions = _directions(points[:, :2])
    return {
        name: Finger(CURLS[(angle <= _NO_CURL) + (angle <= _HALF_CURL)], direction, angle)
        for name, angle, direction in zip(FINGERS, angles.tolist(), directions, strict=True)
    }


def curl_shares(angle: float) -> dict[str, float]:
    """Return the shares of the curls of a finger, by the angle at its middle joint; together 1.

    Within 15 degrees of the angle that separates two curls a finger is partly of both. So what a
    hand shows does not change from one frame to the next because a finger moved by a degree.

    >>> curl_shares(175.0), curl_shares(130.0)
    ({'no_curl': 1.0}, {'no_curl': 0.5, 'half_curl': 0.5})
    """
    straight, bent = (
        min(max((angle - limit + _MARGIN) / (2 * _MARGIN), 0.0), 1.0)
        for limit in (_NO_CURL, _HALF_CURL)
    )
    shares = dict(zip(CURLS, (straight, bent - straight, 1 - bent), strict=True))
    return {curl: share for curl, share in shares.items() if share}


def is_hanging(points: np.ndarray) -> bool:
    """Return whether a hand, [21, 2 or 3] in pixels, points downwards, as idle hands do.

    >>> is_hanging(np.stack([np.zeros(21), np.arange(21.0)], axis=1))
    True
    """
    right, down = points[_MIDDLE_KNUCKLE, :2] - points[_WRIST, :2]
    return bool(down > 0 and np.degrees(np.arctan2(abs(right), down)) < _HANGING)


def as_hands(hands: Any) -> list[Mapping[str, Any]]:
    """Return the hands of one image as a list, also of one hand alone."""
    if isinstance(hands, Mapping):
        return [hands]
    if isinstance(hands, (str, bytes)) or not isinstance(hands, Iterable):
        raise ZooError(f"hands are a list, as estimate_hands gives it, not {hands!r:.80}")
    return list(hands)


def is_hands(source: Any) -> bool:
    """Return whether an argument is the hands of one image, not an image or several."""
    if isinstance(source, Mapping):
        return True
    return isinstance(source, (list, tuple)) and all(isinstance(x, Mapping) for x in source)


def to_gesture(label: str, score: float, number: int, hand: Mapping[str, Any]) -> Gesture:
    """Return the result of one hand."""
    facts = {key: hand[key] for key in ("handedness", "box") if key in hand}
    return cast(Gesture, {"label": label, "score": score, "hand": number, **facts})


def points_of(hand: Any) -> np.ndarray:
    """Return the keypoints of a hand as [21, 2], or [21, 3] where each has z.

    Raises:
        ZooError: the hand is no dict of a hand, or has not 21 keypoints.
    """
    if not isinstance(hand, Mapping) or "keypoints" not in hand:
        raise ZooError(
            f"a hand is a dict with 'keypoints', as estimate_hands gives it: {hand!r:.80}"
        )
    keypoints = hand["keypoints"]
    if isinstance(keypoints, (list, tuple)) and len(keypoints) != POINTS:
        raise ZooError(
            f"gestures need hands of {POINTS} keypoints, this one has {len(keypoints)}: "
            "take a hands model that gives them, such as 'hands.lite' (handtrack finds boxes only)"
        )
    points = _numbers_of(keypoints)
    if points is None:
        raise ZooError(
            "the keypoints of a hand are a list of {'position': {'x': .., 'y': ..}, ..} with "
            f"numbers, as estimate_hands gives it, not {keypoints!r:.80}"
        )
    if not np.isfinite(points).all():
        raise ZooError(
            "positions of keypoints must be finite numbers; this hand has NaN or infinity"
        )
    return points.astype(np.float64)


def _numbers_of(keypoints: Any) -> np.ndarray | None:
    """Return the positions as [21, 2 or 3], or None for anything else."""
    try:
        positions = [point["position"] for point in keypoints]
        axes = "xyz" if all("z" in position for position in positions) else "xy"
        points = np.array([[position[axis] for axis in axes] for position in positions])
    except (TypeError, LookupError, ValueError):
        return None
    fits = points.shape == (POINTS, len(axes)) and points.dtype.kind in "iuf"
    return points if fits else None


def _middle_angles(points: np.ndarray) -> np.ndarray:
    """Return the degrees at each middle joint; 0 where the tip lies on the joint."""
    to_start, to_tip = points[_START] - points[_MIDDLE], points[_TIP] - points[_MIDDLE]
    lengths = np.linalg.norm(to_start, axis=1) * np.linalg.norm(to_tip, axis=1)
    known = lengths > 0
    cosines = np.where(known, (to_start * to_tip).sum(axis=1) / np.where(known, lengths, 1), 1)
    return np.degrees(np.arccos(cosines.clip(-1, 1)))


def _directions(points: np.ndarray) -> list[str]:
    start, middle, tip = points[_START], points[_MIDDLE], points[_TIP]
    spans = np.stack([start - tip, start - middle, middle - tip])  # positive: to the left, upwards
    widest = np.abs(spans).argmax(axis=0)[None]
    extents = np.take_along_axis(spans, widest, axis=0)[0]  # [fingers, x and y]
    longest = np.hypot(*spans.transpose(2, 0, 1)).argmax(axis=0)
    votes = np.zeros((len(FINGERS), 3))
    ratios = np.abs(extents[:, 1]) / (np.abs(extents[:, 0]) + _TINY)
    kinds = _kinds(ratios > _VERTICAL_RATIO, ratios > _DIAGONAL_RATIO)
    _vote(votes, kinds, np.full(len(FINGERS), _EXTENT_VOTE))
    _vote_along(votes, spans[longest, np.arange(len(FINGERS))], _AXIS_VOTE)
    for segment in np.diff(points[_JOINTS], axis=1).transpose(1, 0, 2):
        _vote_along(votes, segment, _SEGMENT_VOTE)
    return [_named(*pair) for pair in zip(votes.argmax(axis=1), extents, strict=True)]


def _vote_along(votes: np.ndarray, steps: np.ndarray, weight: float) -> None:
    """Vote for the kind of direction of steps [fingers, x and y], except those without length."""
    angles = np.degrees(np.arctan2(np.abs(steps[:, 1]), np.abs(steps[:, 0])))
    kinds = _kinds(angles >= _VERTICAL_ANGLE, angles >= _DIAGONAL_ANGLE)
    _vote(votes, kinds, np.where(steps.any(axis=1), weight, 0))


def _kinds(vertical: np.ndarray, diagonal: np.ndarray) -> np.ndarray:
    return np.where(vertical, _VERTICAL, np.where(diagonal, _DIAGONAL, _HORIZONTAL))


def _vote(votes: np.ndarray, kinds: np.ndarray, weights: np.ndarray) -> None:
    votes[np.arange(len(votes)), kinds] += weights


def _named(kind: int, extent: np.ndarray) -> str:
    """Return the direction of a kind, with its sides by the largest extent along each axis."""
    side = "left" if extent[0] > 0 else "right"
    height = "down" if extent[1] < 0 else "up"
    if kind == _VERTICAL:
        return f"vertical_{height}"
    return f"horizontal_{side}" if kind == _HORIZONTAL else f"diagonal_{height}_{side}"
