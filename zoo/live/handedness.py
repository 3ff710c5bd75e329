"""Left or right of followed hands, by all frames in which they were seen."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from zoo.shared.skeletons import read_positions

#: Seconds after which what a frame said counts half.
_HALF_LIFE = 5.0

#: Seconds without a sighting after which a hand is forgotten.
_FORGOTTEN = 10.0

_LEAST_WEIGHT = 0.01  # of a hand whose joints all lie beyond the edges


class _Vote(NamedTuple):
    """The side of one hand by its frames so far."""

    right: float  # 0..1: mean probability that it is a right hand
    weight: float  # of all frames
    time: float  # of the last sighting


class HandednessVote:
    """Gives each followed hand one side: a hand has it, whatever a single frame says.

    A frame counts by the probability of its side and by the share of the hand's joints that lie in
    the image: hands that leave it are those whose side networks confuse.
    """

    def __init__(self) -> None:
        self._votes: dict[int, _Vote] = {}

    def __call__(
        self,
        hands: Sequence[Mapping[str, Any]],
        ids: Sequence[int],
        time: float,
        size: tuple[int, int],
    ) -> list[dict[str, Any]]:
        """Return the hands of a frame with the sides that were voted.

        Args:
            hands: the hands of the frame, each with ``handedness`` and ``handedness_score``.
            ids: the number of each.
            time: of the frame in seconds.
            size: height and width of the frame in pixels.
        """
        self._votes = {k: v for k, v in self._votes.items() if time - v.time <= _FORGOTTEN}
        return [
            self._voted(hand, number, time, size) for hand, number in zip(hands, ids, strict=True)
        ]

    def _voted(
        self, hand: Mapping[str, Any], number: int, time: float, size: tuple[int, int]
    ) -> dict[str, Any]:
        score = hand["handedness_score"]
        right = score if hand["handedness"] == "right" else 1 - score
        before = self._votes.get(number, _Vote(0.0, 0.0, time))
        weight = _share_inside(hand["keypoints"], size)
        total = before.weight * 0.5 ** ((time - before.time) / _HALF_LIFE) + weight
        mean = before.right + weight / total * (right - before.right)
        self._votes[number] = _Vote(mean, total, time)
        side = "right" if mean >= 0.5 else "left"
        return {**hand, "handedness": side, "handedness_score": max(mean, 1 - mean)}


def _share_inside(keypoints: Sequence[Mapping[str, Any]], size: tuple[int, int]) -> float:
    """Return the share of points in an image of this height and width, above 0."""
    points = read_positions(keypoints, "xy")
    inside = ((points >= 0) & (points < size[::-1])).all(axis=1)
    return max(float(inside.mean()), _LEAST_WEIGHT)
