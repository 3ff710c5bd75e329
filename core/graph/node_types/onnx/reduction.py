"""Reductions, softmax, positions of extremes, sums along an axis, products of matrices."""

from math import prod
from typing import Any

import numpy as np

from core import ops
from core.engine.tensors import Tensor
from core.graph.node_types.onnx.rows import Function, Rows, axes_of, number


def _reduced(reduce: Function) -> Function:
    """The row of a reduction: axes are an attribute, or an input; without them all, or none."""

    def row(x: Tensor, axes: Any = None, keepdims: int = 1, noop_with_empty_axes: int = 0) -> Any:
        chosen = axes_of(axes, x)
        if chosen is None and noop_with_empty_axes:
            return x
        return reduce(x, chosen or tuple(range(x.ndim)), bool(keepdims))

    return row


def _position(find: Function) -> Function:
    """The row of the position of an extreme, of equal ones the first or the last."""

    def row(x: Tensor, axis: int = 0, keepdims: int = 1, select_last_index: int = 0) -> Tensor:
        if select_last_index:
            found = x.shape[axis] - 1 - find(ops.reverse(x, axis=axis), axis=axis)
        else:
            found = find(x, axis=axis)
        return ops.expand_dims(found, axis=axis % x.ndim) if keepdims else found

    return row


def _over_rest(function: Function) -> Function:
    """The row of an op before opset 13: along all axes from one on, as if they were one."""

    def row(x: Tensor, axis: int = 1) -> Tensor:
        axis %= x.ndim
        rows = ops.reshape(x, shape=(*x.shape[:axis], -1))
        return ops.reshape(function(rows, axis=-1), shape=x.shape)

    return row


def _last(function: Function) -> Function:
    """The row of an op since opset 13: along one axis."""
    return lambda x, axis=-1: function(x, axis=axis)


def _cumulative(function: Function) -> Function:
    """The row of sums or products up to each value."""

    def row(x: Tensor, axis: Tensor, exclusive: int = 0, reverse: int = 0) -> Tensor:
        return function(x, axis=number(axis), exclusive=bool(exclusive), reverse=bool(reverse))

    return row


def _gemm(
    a: Tensor,
    b: Tensor,
    c: Tensor | None = None,
    alpha: float = 1.0,
    beta: float = 1.0,
    transA: int = 0,  # noqa: N803 - as ONNX calls it
    transB: int = 0,  # noqa: N803 - as ONNX calls it
) -> Tensor:
    y = ops.matmul(a, b, transpose_a=bool(transA), transpose_b=bool(transB))
    y = y if alpha == 1 else y * alpha
    return y if c is None else y + (c if beta == 1 else c * beta)


def _gemm_1(a: Tensor, b: Tensor, c: Tensor, broadcast: int = 0, **how: Any) -> Tensor:
    """Gemm before opset 7, when broadcasting was an attribute."""
    return _gemm(a, b, c, **how)


def _matmul(a: Tensor, b: Tensor) -> Tensor:
    """Multiply as NumPy does: a vector is a row on the left, a column on the right."""
    left = ops.expand_dims(a, axis=0) if a.ndim == 1 else a
    right = ops.expand_dims(b, axis=1) if b.ndim == 1 else b
    y = ops.matmul(left, right)
    y = ops.squeeze(y, axis=-1) if b.ndim == 1 else y
    return ops.squeeze(y, axis=-2 if b.ndim > 1 else -1) if a.ndim == 1 else y


def _norm(x: Tensor, axes: Any, keep: bool) -> Tensor:
    return ops.sqrt(ops.sum(ops.square(x), axis=axes, keep_dims=keep))


def _extreme(reduce: Function, of_nothing: float) -> Function:
    """Reduce to the largest or smallest value, which also sets without values have."""

    def reduced(x: Tensor, axes: tuple[int, ...], keep: bool) -> Tensor:
        if x.dtype == "bool":
            return reduced(ops.cast(x, dtype="int32"), axes, keep) > 0
        if not any(x.shape[axis] == 0 for axis in axes):
            return reduce(x, axis=axes, keep_dims=keep)
        bound = of_nothing if x.dtype == "float32" else np.clip(of_nothing, -(2**31), 2**31 - 1)
        sides = [(0, 1) if axis in axes else (0, 0) for axis in range(x.ndim)]
        filled = ops.pad(x, paddings=sides, constant_value=bound)
        return reduce(filled, axis=axes, keep_dims=keep)

    return reduced


def _det(x: Tensor) -> Tensor:
    """Determinants of the last two axes, by elimination with the largest pivots."""
    batch, count = x.shape[:-2], x.shape[-1]
    rest = ops.reshape(x, shape=(prod(batch), count, count))
    found: Any = 1.0
    for size in range(count, 0, -1):
        at = ops.argmax(ops.abs(rest[:, :, 0]), axis=1)
        is_pivot = ops.equal(ops.expand_dims(at, axis=1), ops.range(0, size, 1, dtype="int32"))
        row = ops.gather(rest, ops.expand_dims(at, axis=1), axis=1, batch_dims=1)
        found = found * row[:, 0, 0] * ops.where(at > 0, -1.0, 1.0)
        # The first row stands where the pivot's was.
        others = ops.where(ops.expand_dims(is_pivot, axis=-1), rest[:, :1], rest)[:, 1:]
        factors = ops.div_no_nan(others[:, :, :1], row[:, :, :1])
        rest = (others - factors * row)[:, :, 1:]
    return ops.reshape(found, shape=batch)


ROWS: Rows = {
    "ArgMax": _position(ops.argmax),
    "ArgMin": _position(ops.argmin),
    "CumProd": _cumulative(ops.cumprod),
    "CumSum": _cumulative(ops.cumsum),
    "Det": _det,
    "Einsum": lambda *xs, equation: ops.einsum(equation, *xs),
    "Gemm": {1: _gemm_1, 7: _gemm},
    "LogSoftmax": {1: _over_rest(ops.log_softmax), 13: _last(ops.log_softmax)},
    "MatMul": _matmul,
    "ReduceL1": _reduced(lambda x, a, k: ops.sum(ops.abs(x), axis=a, keep_dims=k)),
    "ReduceL2": _reduced(_norm),
    "ReduceLogSum": _reduced(lambda x, a, k: ops.log(ops.sum(x, axis=a, keep_dims=k))),
    "ReduceLogSumExp": _reduced(lambda x, a, k: ops.log_sum_exp(x, axis=a, keep_dims=k)),
    "ReduceMax": _reduced(_extreme(ops.max, -np.inf)),
    "ReduceMean": _reduced(lambda x, a, k: ops.mean(x, axis=a, keep_dims=k)),
    "ReduceMin": _reduced(_extreme(ops.min, np.inf)),
    "ReduceProd": _reduced(lambda x, a, k: ops.prod(x, axis=a, keep_dims=k)),
    "ReduceSum": _reduced(lambda x, a, k: ops.sum(x, axis=a, keep_dims=k)),
    "ReduceSumSquare": _reduced(lambda x, a, k: ops.sum(ops.square(x), axis=a, keep_dims=k)),
    "Softmax": {1: _over_rest(ops.softmax), 13: _last(ops.softmax)},
}
