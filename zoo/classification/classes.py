"""From the scores of classes to the best of them."""

import numpy as np


def best_classes(scores: np.ndarray, top_k: int) -> list[int]:
    """Indices of the classes with the highest scores, best first; of equal ones the first.

    >>> best_classes(np.float32([0.25, 0.5, 0.25]), 2)
    [1, 0]
    """
    order: list[int] = np.argsort(-scores, kind="stable")[:top_k].tolist()
    return order
