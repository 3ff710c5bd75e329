"""Soft suppression of boxes, as a loop of TensorFlow's ops in 64 bits.

After Bodla et al., "Soft-NMS: improving object detection with one line of code", 2017; boxes that
overlap a better one by the threshold or more are dropped, which TensorFlow's own op does not do.
"""

from math import inf
from typing import TYPE_CHECKING, NamedTuple

from core.backends.tf.raw_ops import integer, integers, number, raw
from core.backends.tf.starting import load_tensorflow

if TYPE_CHECKING:
    from core.backends.tf.raw_ops import TfTensor


class _State(NamedTuple):
    """Between two turns: how many boxes are kept, which, with which scores, and all scores left.

    A box that was kept or dropped has the score -inf.
    """

    count: "TfTensor"
    indices: "TfTensor"
    scores: "TfTensor"
    left: "TfTensor"


class SoftSuppression:
    """Repeatedly keeps the best box, and lowers the scores of the others by their overlap with it.

    Args:
        boxes: float32 [n, 4].
        most: how many boxes are kept at most.
        iou_threshold: the overlap at which a box is dropped.
        score_threshold: scores must stay above this.
        sigma: scores are multiplied by exp(-overlap ** 2 / (2 sigma)).
    """

    def __init__(
        self,
        boxes: "TfTensor",
        most: int,
        iou_threshold: float,
        score_threshold: float,
        sigma: float,
    ):
        self._rows = _measured(boxes)
        self._most = min(most, boxes.shape[0])
        self._limit = number(iou_threshold, "float64")
        self._threshold = number(score_threshold, "float64")
        self._scale = number(-0.5 / sigma, "float64")
        self._gone = number(-inf, "float64")

    def kept(self, scores: "TfTensor") -> "tuple[TfTensor, TfTensor]":
        """Return the indices int32 [kept] of boxes with these scores [n], and their new scores."""
        if not self._most:
            return integers(), raw.Fill(dims=integers(0), value=number(0.0))
        wide, none = _wide(scores), integer(0)
        above = raw.Greater(x=wide, y=self._threshold)
        start = _State(
            none,
            raw.Fill(dims=integers(self._most), value=none),
            raw.Fill(dims=integers(self._most), value=number(0.0, "float64")),
            raw.SelectV2(condition=above, t=wide, e=self._gone),
        )
        end = _State(*load_tensorflow().while_loop(self._has_more, self._next, start))
        size = raw.Reshape(tensor=end.count, shape=integers(1))
        begin = integers(0)
        indices, lowered = (raw.Slice(input=x, begin=begin, size=size) for x in end[1:3])
        return indices, raw.Cast(x=lowered, DstT="float32")

    def _has_more(self, *values: "TfTensor") -> "TfTensor":
        state = _State(*values)
        best = raw.Max(input=state.left, axis=integer(0))
        is_short = raw.Less(x=state.count, y=integer(self._most))
        return raw.LogicalAnd(x=is_short, y=raw.Greater(x=best, y=self._gone))

    def _next(self, *values: "TfTensor") -> _State:
        """Keep one more box; of equal scores the first."""
        state = _State(*values)
        index = raw.ArgMax(input=state.left, dimension=integer(0), output_type="int32")
        score = raw.GatherV2(params=state.left, indices=index, axis=integer(0))
        return _State(
            raw.AddV2(x=state.count, y=integer(1)),
            _written(state.indices, state.count, index),
            _written(state.scores, state.count, score),
            self._lowered(state.left, index),
        )

    def _lowered(self, left: "TfTensor", index: "TfTensor") -> "TfTensor":
        """Return the scores that are left beside a box."""
        row = raw.GatherV2(params=self._rows, indices=index, axis=integer(0))
        parts = _overlaps(self._rows, row)
        factors = raw.Exp(x=raw.Mul(x=self._scale, y=raw.Square(x=parts)))
        scores = raw.Mul(x=left, y=factors)
        stays = raw.LogicalAnd(
            x=raw.Less(x=parts, y=self._limit), y=raw.Greater(x=scores, y=self._threshold)
        )
        scores = raw.SelectV2(condition=stays, t=scores, e=self._gone)
        return _written(scores, index, self._gone)


def _wide(x: "TfTensor") -> "TfTensor":
    return raw.Cast(x=x, DstT="float64")


def _written(x: "TfTensor", position: "TfTensor", value: "TfTensor") -> "TfTensor":
    """Return a vector with one value replaced."""
    indices = raw.Reshape(tensor=position, shape=integers(1, 1))
    updates = raw.Reshape(tensor=value, shape=integers(1))
    return raw.TensorScatterUpdate(tensor=x, indices=indices, updates=updates)


def _measured(boxes: "TfTensor") -> "TfTensor":
    """Return a row for each box: top, left, bottom, right, area."""
    corners = raw.Reshape(tensor=_wide(boxes), shape=integers(-1, 2, 2))
    low = raw.Min(input=corners, axis=integer(1))
    high = raw.Max(input=corners, axis=integer(1))
    area = raw.Prod(input=raw.Sub(x=high, y=low), axis=integer(1), keep_dims=True)
    return raw.ConcatV2(values=[low, high, area], axis=integer(1))


def _overlaps(rows: "TfTensor", row: "TfTensor") -> "TfTensor":
    """Return the intersection over union [n] of boxes with one; 0 for a box without area."""
    zero, sizes = number(0.0, "float64"), integers(2, 2, 1)
    low, high, area = raw.SplitV(value=rows, size_splits=sizes, axis=integer(1), num_split=3)
    low1, high1, area1 = raw.SplitV(value=row, size_splits=sizes, axis=integer(0), num_split=3)
    sides = raw.Sub(x=raw.Minimum(x=high, y=high1), y=raw.Maximum(x=low, y=low1))
    shared = raw.Prod(input=raw.Maximum(x=sides, y=zero), axis=integer(1), keep_dims=True)
    parts = raw.RealDiv(x=shared, y=raw.Sub(x=raw.AddV2(x=area, y=area1), y=shared))
    have_area = raw.Greater(x=raw.Minimum(x=area, y=area1), y=zero)
    parts = raw.SelectV2(condition=have_area, t=parts, e=zero)
    return raw.Reshape(tensor=parts, shape=integers(-1))
