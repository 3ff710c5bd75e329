"""Normalization of batches, images, groups of channels, layers and vectors."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from core import ops
from core.engine.dispatch import tensor
from core.engine.tensors import Tensor
from core.graph.node_types.onnx.rows import Rows

#: Keeps the division by a standard deviation finite, as in the function of the standard.
_LEAST_SPREAD = 1e-9


def _per_channel(values: Tensor, x: Tensor) -> Tensor:
    """Return one number for each channel, as it broadcasts with x."""
    return ops.reshape(values, shape=(-1, *(1,) * (x.ndim - 2)))


def _batch_norm(
    x: Tensor,
    scale: Tensor,
    bias: Tensor,
    mean: Tensor,
    variance: Tensor,
    epsilon: float = 1e-5,
    momentum: float = 0.9,
    training_mode: int = 0,
    spatial: int = 1,
    is_test: int = 1,
) -> Tensor | list[Tensor]:
    """Normalize by the mean and variance given; in training by the batch's, which go into those."""
    if not training_mode:
        factor = scale * ops.rsqrt(variance + epsilon)
        offset = bias - mean * factor
        return x * _per_channel(factor, x) + _per_channel(offset, x)
    axes = tuple(i for i in range(x.ndim) if i != 1)
    own = ops.mean(x, axis=axes)
    centred = x - _per_channel(own, x)
    spread = ops.mean(ops.square(centred), axis=axes)
    factor = scale * ops.rsqrt(spread + epsilon)
    y = centred * _per_channel(factor, x) + _per_channel(bias, x)
    pairs = ((mean, own), (variance, spread))
    return [y, *(old * momentum + new * (1 - momentum) for old, new in pairs)]


def _with_moments(x: Tensor, axes: tuple[int, ...], epsilon: float) -> list[Tensor]:
    """Return normalized values, the mean, and the inverse of the standard deviation."""
    mean = ops.mean(x, axis=axes, keep_dims=True)
    centred = x - mean
    inverse = ops.rsqrt(ops.mean(ops.square(centred), axis=axes, keep_dims=True) + epsilon)
    return [centred * inverse, mean, inverse]


def _instance_norm(x: Tensor, scale: Tensor, bias: Tensor, epsilon: float = 1e-5) -> Tensor:
    """By moments, whose steps need no order of axes and become generated kernels."""
    y = _with_moments(x, tuple(range(2, x.ndim)), epsilon)[0]
    return y * _per_channel(scale, x) + _per_channel(bias, x)


def _layer_norm(
    x: Tensor,
    scale: Tensor,
    bias: Tensor | None = None,
    axis: int = -1,
    epsilon: float = 1e-5,
    stash_type: int = 1,
) -> list[Tensor]:
    y, mean, inverse = _with_moments(x, tuple(range(axis % x.ndim, x.ndim)), epsilon)
    y = y * scale
    return [y if bias is None else y + bias, mean, inverse]


def _group_norm(
    x: Tensor,
    scale: Tensor,
    bias: Tensor,
    num_groups: int,
    epsilon: float = 1e-5,
    stash_type: int = 1,
) -> Tensor:
    """Normalize groups of channels; scale and bias are of each channel."""
    groups = ops.reshape(x, shape=(x.shape[0], num_groups, prod(x.shape[1:]) // num_groups))
    y = ops.reshape(_with_moments(groups, (2,), epsilon)[0], shape=x.shape)
    return y * _per_channel(scale, x) + _per_channel(bias, x)


def _group_norm_18(x: Tensor, scale: Tensor, bias: Tensor, num_groups: int, **how: Any) -> Tensor:
    """Normalize groups of channels; scale and bias are of each group."""
    owners = tensor(np.arange(x.shape[1], dtype=np.int32) // (x.shape[1] // num_groups))
    return _group_norm(x, ops.gather(scale, owners), ops.gather(bias, owners), num_groups, **how)


def _lrn(
    x: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, bias: float = 1.0
) -> Tensor:
    """Divide by sums over (size - 1) / 2 channels before and the rest after."""
    squares, before = ops.square(x), (size - 1) // 2
    sides = ((0, 0), (before, size - 1 - before), *((0, 0),) * (x.ndim - 2))
    wide = ops.pad(squares, paddings=sides)
    total = sum(wide[:, i : i + x.shape[1]] for i in range(size))
    return x / ops.pow(bias + alpha / size * total, beta)


def _rms_norm(
    x: Tensor, scale: Tensor, axis: int = -1, epsilon: float = 1e-5, stash_type: int = 1
) -> Tensor:
    axes = tuple(range(axis % x.ndim, x.ndim))
    mean = ops.mean(ops.square(x), axis=axes, keep_dims=True)
    return x * ops.rsqrt(mean + epsilon) * scale


def _mean_variance(x: Tensor, axes: Sequence[int] = (0, 2, 3)) -> Tensor:
    centred = x - ops.mean(x, axis=tuple(axes), keep_dims=True)
    variance = ops.mean(ops.square(centred), axis=tuple(axes), keep_dims=True)
    return centred / (ops.sqrt(variance) + _LEAST_SPREAD)


def _lp_norm(x: Tensor, axis: int = -1, p: int = 2) -> Tensor:
    """Divide by the sum of sizes or the length; zeros stay."""
    if p == 1:
        return ops.div_no_nan(x, ops.sum(ops.abs(x), axis=axis, keep_dims=True))
    return ops.div_no_nan(x, ops.sqrt(ops.sum(ops.square(x), axis=axis, keep_dims=True)))


ROWS: Rows = {
    "BatchNormalization": _batch_norm,
    "GroupNormalization": {18: _group_norm_18, 21: _group_norm},
    "InstanceNormalization": _instance_norm,
    "LRN": _lrn,
    "LayerNormalization": _layer_norm,
    "LpNormalization": _lp_norm,
    "MeanVarianceNormalization": _mean_variance,
    "RMSNormalization": _rms_norm,
}
