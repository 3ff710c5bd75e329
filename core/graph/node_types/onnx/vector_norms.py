"""Normalization by the length or the spread of vectors, with no more than a scale."""

from collections.abc import Sequence

from core import ops
from core.engine.tensors import Tensor
from core.graph.node_types.onnx.rows import Rows

#: Keeps the division by a standard deviation finite, as in the function of the standard.
_EPSILON = 1e-9


def _rms_norm(
    x: Tensor, scale: Tensor, axis: int = -1, epsilon: float = 1e-5, stash_type: int = 1
) -> Tensor:
    axes = tuple(range(axis % x.ndim, x.ndim))
    mean = ops.mean(ops.square(x), axis=axes, keep_dims=True)
    return x * ops.rsqrt(mean + epsilon) * scale


def _mean_variance(x: Tensor, axes: Sequence[int] = (0, 2, 3)) -> Tensor:
    centred = x - ops.mean(x, axis=tuple(axes), keep_dims=True)
    variance = ops.mean(ops.square(centred), axis=tuple(axes), keep_dims=True)
    return centred / (ops.sqrt(variance) + _EPSILON)


def _lp_norm(x: Tensor, axis: int = -1, p: int = 2) -> Tensor:
    """Divide by the sum of sizes or the length; zeros stay."""
    if p == 1:
        return ops.div_no_nan(x, ops.sum(ops.abs(x), axis=axis, keep_dims=True))
    return ops.div_no_nan(x, ops.sqrt(ops.sum(ops.square(x), axis=axis, keep_dims=True)))


ROWS: Rows = {
    "LpNormalization": _lp_norm,
    "MeanVarianceNormalization": _mean_variance,
    "RMSNormalization": _rms_norm,
}
