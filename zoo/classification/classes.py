"""Classes and their scores: which are the best."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from zoo.results import Label


class Classes(NamedTuple):
    """Relation of a network's scores to its list of labels."""

    background: bool  # one score more comes first, that of none of the classes


def best_labels(scores: np.ndarray, labels: Sequence[str], top_k: int) -> list[Label]:
    """The classes with the highest scores above 0, best first; of equal ones the first.

    Most scores of a quantised network are 0, and would make the first classes of its list answers.

    Args:
        scores: [classes], 0..1.
        labels: of the classes, in their order.
        top_k: how many at most.

    >>> best_labels(np.float32([0.25, 0.5, 0.25]), ["cat", "dog", "cow"], 2)
    [{'label': 'dog', 'score': 0.5, 'index': 1}, {'label': 'cat', 'score': 0.25, 'index': 0}]
    """
    order: list[int] = np.argsort(-scores, kind="stable")[:top_k].tolist()
    return [
        {"label": labels[i], "score": float(scores[i]), "index": i} for i in order if scores[i] > 0
    ]
