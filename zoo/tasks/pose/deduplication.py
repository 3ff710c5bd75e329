"""Choice of the bodies in a result: everybody once, the best first."""

from collections.abc import Sequence

import numpy as np

from zoo.results.vocabulary import Pose
from zoo.tasks.pose.bodies import BodyPoints, similarity

#: Largest number of poses of a list, by default.
MAX_POSES = 20

#: Bodies of a higher similarity are one person.
SAME = 0.5

# Two bodies are one person if half of their keypoints are nearer, in longer sides of a body.
_SAME = 0.1


def nobody() -> Pose:
    """Return the single pose of an image in which a model finds no person."""
    return {"score": 0.0, "keypoints": []}


def choose_people(
    points: Sequence[np.ndarray], scores: Sequence[float], *, score_threshold: float, limit: int
) -> list[int]:
    """Return the indices of the bodies with a sufficient score, best first, each person once.

    Points are the keypoints [n, 2 or more] of each body, in pixels.
    """
    sure = [i for i in range(len(scores)) if scores[i] >= score_threshold]
    sure.sort(key=lambda i: -scores[i])
    once = each_once([points[i] for i in sure])
    return [sure[i] for i in once[:limit]]


def choose_bodies(
    bodies: Sequence[BodyPoints], *, score_threshold: float, limit: int
) -> list[BodyPoints]:
    """Return the bodies with a sufficient score, best first, each person once.

    Of two that are one person, that of which more is seen stays: of the face alone and the whole
    body the whole.
    """
    sure = [body for body in bodies if body.score >= score_threshold]
    kept: list[BodyPoints] = []
    for body in sorted(sure, key=lambda body: -body.evidence):
        if not any(similarity(other, body) > SAME for other in kept):
            kept.append(body)
    return sorted(kept, key=lambda body: -body.score)[:limit]


def each_once(points: Sequence[np.ndarray]) -> list[int]:
    """Return the indices of the bodies that are not the same person as an earlier one.

    The crops of two people who stand close to each other may both lead to the one in front.
    """
    kept: list[int] = []
    for index, body in enumerate(points):
        if not any(_are_same(points[other], body) for other in kept):
            kept.append(index)
    return kept


def _are_same(one: np.ndarray, other: np.ndarray) -> bool:
    away = np.hypot(*(one[:, :2] - other[:, :2]).T)
    return bool(np.median(away) < _SAME * np.ptp(one[:, :2], axis=0).max())
