"""Ops that choose or order values: top k, unique, non-zero, suppression of boxes."""

import numpy as np

from core import ops
from core.engine.dispatch import tensor
from core.engine.tensors import Tensor
from core.graph.node_types.onnx.rows import Numbers, Rows, number


def _topk(x: Tensor, k: Tensor, axis: int = -1, largest: int = 1, sorted: int = 1) -> list[Tensor]:
    """The largest or smallest values along an axis, best first, and their positions."""
    return _best(x, int(number(k)), axis, bool(largest))


def _best(x: Tensor, count: int, axis: int, largest: bool = True) -> list[Tensor]:
    order = [*range(x.ndim)]
    order[axis], order[-1] = order[-1], order[axis]
    last = ops.transpose(x, perm=tuple(order))
    values, at = ops.topk(last if largest else -last, k=count)
    values = values if largest else -values
    return [ops.transpose(each, perm=tuple(order)) for each in (values, at)]


def _topk_1(x: Tensor, k: int, axis: int = -1) -> list[Tensor]:
    """The largest values, before opset 10, when the count was an attribute."""
    return _best(x, k, axis)


def _non_zero(x: Tensor) -> Tensor:
    return tensor(np.array(np.nonzero(x.numpy()), np.int32))


def _unique(x: Tensor, axis: int | None = None, sorted: int = 1) -> list[Tensor]:
    """Distinct values, where each is first, which each value is, and how often each is there."""
    found, first, inverse, counts = np.unique(
        x.numpy(), return_index=True, return_inverse=True, return_counts=True, axis=axis
    )
    if not sorted:
        order = np.argsort(first)
        found, first, counts = np.take(found, order, axis or 0), first[order], counts[order]
        inverse = np.argsort(order)[inverse]
    parts = (first, inverse.ravel(), counts)
    return [tensor(found), *(tensor(part.astype(np.int32)) for part in parts)]


def _compress(x: Tensor, condition: Tensor, axis: int | None = None) -> Tensor:
    kept = np.flatnonzero(condition.numpy()).astype(np.int32)
    if axis is None:
        return ops.gather(ops.reshape(x, shape=(-1,)), tensor(kept))
    return ops.gather(x, tensor(kept), axis=axis)


def _suppressed(
    boxes: Tensor,
    scores: Tensor,
    most: Tensor | None = None,
    iou: Numbers | None = None,
    least: Numbers | None = None,
    center_point_box: int = 0,
) -> Tensor:
    """[n, 3]: batch, class and box of what is kept, best first in each class."""
    count, overlap, threshold = int(_or(most, 0)), _or(iou, 0.0), _or(least, -np.inf)
    corners, values, rows = boxes.numpy(), scores.numpy(), []
    if center_point_box:
        x, y, w, h = np.moveaxis(corners, -1, 0)
        corners = np.stack([y - h / 2, x - w / 2, y + h / 2, x + w / 2], axis=-1)
    for batch, kind in np.ndindex(*values.shape[:2]):
        kept = _kept(corners[batch], values[batch, kind], count, overlap, threshold)
        rows += [(batch, kind, box) for box in kept]
    return tensor(np.array(rows, np.int32).reshape(-1, 3))


def _or(x: Tensor | None, default: float) -> float:
    """Return the value of a setting that may be absent or empty."""
    return float(number(x)) if x is not None and x.size else default


def _kept(
    boxes: np.ndarray, scores: np.ndarray, count: int, overlap: float, least: float
) -> list[int]:
    """Return the boxes of a class that overlap no better one of it by more than a share."""
    y1, y2 = np.sort(boxes[:, [0, 2]], axis=1).T
    x1, x2 = np.sort(boxes[:, [1, 3]], axis=1).T
    area = (y2 - y1) * (x2 - x1)
    order = [i for i in np.argsort(-scores, kind="stable") if scores[i] > least]
    kept: list[int] = []
    for i in order:
        if len(kept) >= count:
            break
        k = kept
        height = np.minimum(y2[i], y2[k]) - np.maximum(y1[i], y1[k])
        width = np.minimum(x2[i], x2[k]) - np.maximum(x1[i], x1[k])
        both = np.maximum(height, 0) * np.maximum(width, 0)
        union = area[i] + area[k] - both
        if not (both > overlap * union).any():
            kept.append(int(i))
    return kept


def _hardmax(x: Tensor, axis: int = -1) -> Tensor:
    """1 for the first of the largest values along an axis, 0 for the others."""
    axis %= x.ndim
    best = ops.expand_dims(ops.argmax(x, axis=axis), axis=axis)
    shape = tuple(n if i == axis else 1 for i, n in enumerate(x.shape))
    along = ops.reshape(ops.range(0, x.shape[axis], 1, dtype="int32"), shape=shape)
    return ops.cast(ops.equal(best, along), dtype=x.dtype)


ROWS: Rows = {
    "Compress": _compress,
    "Hardmax": _hardmax,
    "NonMaxSuppression": _suppressed,
    "NonZero": _non_zero,
    "TopK": {1: _topk_1, 10: _topk},
    "Unique": _unique,
}
