"""Reductions, softmax, positions of extremes, sums along an axis, matrix products."""

from typing import Any

from core import ops
from core.engine.tensors import Tensor
from core.graph.node_types.onnx.rows import Function, Rows, axes_of, numbers


def _reduced(reduce: Function) -> Function:
    """The row of a reduction: axes are an attribute, or an input; without them all, or none."""

    def row(x: Tensor, axes: Any = None, keepdims: int = 1, noop_with_empty_axes: int = 0) -> Any:
        chosen = axes_of(axes, x)
        if chosen is None and noop_with_empty_axes:
            return x
        return reduce(x, chosen or tuple(range(x.ndim)), bool(keepdims))

    return row


def _position(find: Function) -> Function:
    def row(x: Tensor, axis: int = 0, keepdims: int = 1, select_last_index: int = 0) -> Tensor:
        if select_last_index:
            found = x.shape[axis] - 1 - find(ops.reverse(x, axis=axis), axis=axis)
        else:
            found = find(x, axis=axis)
        return ops.expand_dims(found, axis=axis % x.ndim) if keepdims else found

    return row


def _over_rest(function: Function) -> Function:
    """As before opset 13: along all axes from one on, as if they were one."""

    def row(x: Tensor, axis: int = 1) -> Tensor:
        axis %= x.ndim
        rows = ops.reshape(x, shape=(*x.shape[:axis], -1))
        return ops.reshape(function(rows, axis=-1), shape=x.shape)

    return row


def _last(function: Function) -> Function:
    return lambda x, axis=-1: function(x, axis=axis)


def _cumulative(function: Function) -> Function:
    def row(x: Tensor, axis: Tensor, exclusive: int = 0, reverse: int = 0) -> Tensor:
        (along,) = numbers(axis)
        return function(x, axis=along, exclusive=bool(exclusive), reverse=bool(reverse))

    return row


def _gemm(
    a: Tensor,
    b: Tensor,
    c: Tensor | None = None,
    alpha: float = 1.0,
    beta: float = 1.0,
    transA: int = 0,
    transB: int = 0,
) -> Tensor:
    y = ops.matmul(a, b, transpose_a=bool(transA), transpose_b=bool(transB))
    y = y if alpha == 1 else y * alpha
    return y if c is None else y + (c if beta == 1 else c * beta)


def _matmul(a: Tensor, b: Tensor) -> Tensor:
    """As NumPy: vectors are rows on the left, columns on the right; stacks broadcast."""
    left = ops.expand_dims(a, axis=0) if a.ndim == 1 else a
    right = ops.expand_dims(b, axis=1) if b.ndim == 1 else b
    y = ops.matmul(left, right)
    y = ops.squeeze(y, axis=-1) if b.ndim == 1 else y
    return ops.squeeze(y, axis=-2 if b.ndim > 1 else -1) if a.ndim == 1 else y


def _norm(x: Tensor, axes: Any, keep: bool) -> Tensor:
    return ops.sqrt(ops.sum(ops.square(x), axis=axes, keep_dims=keep))


ROWS: Rows = {
    "ArgMax": _position(ops.argmax),
    "ArgMin": _position(ops.argmin),
    "CumProd": _cumulative(ops.cumprod),
    "CumSum": _cumulative(ops.cumsum),
    "Einsum": lambda *xs, equation: ops.einsum(equation, *xs),
    "Gemm": _gemm,
    "LogSoftmax": {1: _over_rest(ops.log_softmax), 13: _last(ops.log_softmax)},
    "MatMul": _matmul,
    "ReduceL1": _reduced(lambda x, a, k: ops.sum(ops.abs(x), axis=a, keep_dims=k)),
    "ReduceL2": _reduced(_norm),
    "ReduceLogSum": _reduced(lambda x, a, k: ops.log(ops.sum(x, axis=a, keep_dims=k))),
    "ReduceLogSumExp": _reduced(lambda x, a, k: ops.log_sum_exp(x, axis=a, keep_dims=k)),
    "ReduceMax": _reduced(lambda x, a, k: ops.max(x, axis=a, keep_dims=k)),
    "ReduceMean": _reduced(lambda x, a, k: ops.mean(x, axis=a, keep_dims=k)),
    "ReduceMin": _reduced(lambda x, a, k: ops.min(x, axis=a, keep_dims=k)),
    "ReduceProd": _reduced(lambda x, a, k: ops.prod(x, axis=a, keep_dims=k)),
    "ReduceSum": _reduced(lambda x, a, k: ops.sum(x, axis=a, keep_dims=k)),
    "ReduceSumSquare": _reduced(lambda x, a, k: ops.sum(ops.square(x), axis=a, keep_dims=k)),
    "Softmax": {1: _over_rest(ops.softmax), 13: _last(ops.softmax)},
}
