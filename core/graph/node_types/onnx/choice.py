"""Ops that choose or order values: top k, unique, non-zero, suppression of boxes."""

from typing import Any

import numpy as np

from core import ops
from core.engine.dispatch import tensor
from core.engine.tensors import Tensor
from core.graph.node_types.onnx.rows import Numbers, Rows, numbers


def _topk(x: Tensor, k: Any = None, axis: int = -1, largest: int = 1, sorted: int = 1) -> Any:
    count = int(numbers(k)[0]) if isinstance(k, Tensor) else int(k)
    order = [*range(x.ndim)]
    order[axis], order[-1] = order[-1], order[axis]
    last = ops.transpose(x, perm=tuple(order))
    values, at = ops.topk(last if largest else -last, k=count)
    values = values if largest else -values
    return [ops.transpose(each, perm=tuple(order)) for each in (values, at)]


def _non_zero(x: Tensor) -> Tensor:
    return tensor(np.array(np.nonzero(x.numpy()), np.int32))


def _unique(x: Tensor, axis: int | None = None, sorted: int = 1) -> list[Tensor]:
    values = x.numpy()
    found, first, inverse, counts = np.unique(
        values, return_index=True, return_inverse=True, return_counts=True, axis=axis
    )
    if not sorted:
        order = np.argsort(first)
        back = np.argsort(order)
        axis_of = axis or 0
        found, first, counts = np.take(found, order, axis_of), first[order], counts[order]
        inverse = back[inverse]
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
    count = int(numbers(most)[0]) if most is not None and most.size else 0
    overlap = float(numbers(iou)[0]) if iou is not None and iou.size else 0.0
    threshold = float(numbers(least)[0]) if least is not None and least.size else -np.inf
    corners, rows = boxes.numpy(), []
    if center_point_box:
        x, y, w, h = np.moveaxis(corners, -1, 0)
        corners = np.stack([y - h / 2, x - w / 2, y + h / 2, x + w / 2], axis=-1)
    values = scores.numpy()
    for batch in range(len(corners)):
        for kind in range(values.shape[1]):
            kept = _kept(corners[batch], values[batch, kind], count, overlap, threshold)
            rows += [(batch, kind, box) for box in kept]
    return tensor(np.array(rows, np.int32).reshape(-1, 3))


def _kept(
    boxes: np.ndarray, scores: np.ndarray, count: int, overlap: float, least: float
) -> list[int]:
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
    "TopK": _topk,
    "Unique": _unique,
}
