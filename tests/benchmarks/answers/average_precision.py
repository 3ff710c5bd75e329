"""Average precision as COCO counts it, from how similar what was found is to what is there.

Source: pycocotools' ``cocoeval.py``: the best answers of an image choose first, each takes the
object most similar to it that is left, and the precision is averaged over 101 recalls. The
similarity is OKS for poses, intersection over union for boxes and masks.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

#: Least similarities for which an answer is right; AP is the mean over them, AP50 is of the first.
THRESHOLDS = np.linspace(0.5, 0.95, 10)

_RECALLS = np.linspace(0.0, 1.0, 101)
_EXACT = 1 - 1e-10  # what a threshold of 1 asks for, as rounding may leave less


class Matches(NamedTuple):
    """The answers for one image, the best score first."""

    scores: np.ndarray  # [n]
    right: np.ndarray  # bool [thresholds, n]
    ignored: np.ndarray  # bool [thresholds, n]: neither right nor wrong
    there: int  # objects that were to be found


def match(
    similarity: np.ndarray,
    scores: np.ndarray,
    *,
    ignored: np.ndarray | None = None,
    crowds: np.ndarray | None = None,
    most: int = 100,
    thresholds: np.ndarray = THRESHOLDS,
) -> Matches:
    """Match the answers for one image with what is there.

    Args:
        similarity: [answers, objects], 0..1.
        scores: [answers].
        ignored: bool [objects]: those that need not be found, and of which an answer is not wrong.
        crowds: bool [objects]: ignored ones that stand for several, so that many may match them.
        most: number of answers that count, the best ones.
        thresholds: least similarities.
    """
    objects = similarity.shape[1]
    ignored = np.zeros(objects, bool) if ignored is None else ignored
    crowds = np.zeros(objects, bool) if crowds is None else crowds
    order = np.argsort(-scores, kind="stable")[:most]
    found = [_assign(similarity[order], least, ignored, crowds) for least in thresholds]
    taken = np.array(found, int).reshape(len(thresholds), len(order))
    uncounted = (taken >= 0) & np.append(ignored, False)[taken]
    return Matches(scores[order], taken >= 0, uncounted, int((~ignored).sum()))


def _assign(
    similarity: np.ndarray, least: float, ignored: np.ndarray, crowds: np.ndarray
) -> list[int]:
    """The object of each answer, or -1."""
    free, taken = np.ones(len(ignored), bool), []
    for row in similarity:
        near = (free | crowds) & (row >= min(least, _EXACT))
        if (near & ~ignored).any():
            near &= ~ignored
        # the last of equals, as there: in many boxes without labelled joints the similarity is 1
        order = np.argsort(np.where(near, row, -1.0), kind="stable")
        best = int(order[-1]) if near.any() else -1
        if best >= 0:
            free[best] = False
        taken.append(best)
    return taken


def average_precision(images: Sequence[Matches]) -> np.ndarray:
    """Average precision [thresholds] of the answers for some images; NaN where nothing is there."""
    there = sum(image.there for image in images)
    order = np.argsort(-np.concatenate([image.scores for image in images]), kind="stable")
    right, ignored = (
        np.concatenate([getattr(image, name) for image in images], axis=1)[:, order]
        for name in ("right", "ignored")
    )
    if not there:
        return np.full(len(right), np.nan)
    hits, misses = (np.cumsum(kind & ~ignored, axis=1) for kind in (right, ~right))
    precision = hits / np.maximum(hits + misses, 1)
    rows = zip(hits / there, precision, strict=True)
    return np.array([_mean_precision(*row) for row in rows])


def _mean_precision(recall: np.ndarray, precision: np.ndarray) -> float:
    """The mean over the recalls of the best precision at that recall or a higher one."""
    best = np.append(np.maximum.accumulate(precision[::-1])[::-1], 0.0)
    return float(best[np.searchsorted(recall, _RECALLS, side="left")].mean())
