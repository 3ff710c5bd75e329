"""Normalisation over a batch, over an image, or over neighbouring channels."""

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

import numpy as np

from core import ops
from core.autodiff.gradients import grads
from core.engine.argument_types import TensorLike
from core.engine.dispatch import tensor
from core.engine.operation import Spellings, spec_of
from core.engine.registry import composite, op
from core.engine.specs import Spec, broadcasts_to, check_dy, integer
from core.engine.tensors import Tensor
from core.errors import CoreError


@op(kernel_name="FusedBatchNorm", input_dtype="float32", method=True)
def batch_norm(
    x: TensorLike,
    mean: TensorLike,
    variance: TensorLike,
    offset: TensorLike | None = None,
    scale: TensorLike | None = None,
    variance_epsilon: float = 0.001,
) -> Spec:
    """Normalise by a given mean and variance, then scale and shift.

    That is (x - mean) / sqrt(variance + variance_epsilon) * scale + offset.

    Args:
        x: any tensor, the channels last.
        mean: [channels], or any shape that broadcasts to that of x.
        variance: as many axes as the mean, like the rest.
        offset: added at the end; 0 if absent.
        scale: multiplied before; 1 if absent.
        variance_epsilon: keeps a variance of 0 from making infinities.

    Returns:
        float32 of the shape of x.

    >>> core.batch_norm([[1.0], [3.0]], [2.0], [4.0], variance_epsilon=0.0).numpy().ravel()
    array([-0.5,  0.5], dtype=float32)
    """
    x, mean, variance = spec_of(x), spec_of(mean), spec_of(variance)
    offset, scale = spec_of(offset), spec_of(scale)
    for name, spec in (("variance", variance), ("offset", offset), ("scale", scale)):
        if spec and len(spec.shape) != len(mean.shape):
            raise CoreError(f"{name} of shape {spec.shape} needs as many axes as mean {mean.shape}")
    for spec in filter(None, (mean, variance, offset, scale)):
        if not broadcasts_to(spec.shape, x.shape):
            raise CoreError(f"shape {spec.shape} does not broadcast to that of x, {x.shape}")
    return x


def _factor(variance, scale, variance_epsilon: float):
    factor = ops.rsqrt(variance + variance_epsilon)
    return factor if scale is None else factor * scale


batch_norm.gradient("x")(lambda g, variance, scale, **how: g * _factor(variance, scale, **how))
batch_norm.gradient("mean")(lambda g, variance, scale, **how: -g * _factor(variance, scale, **how))
batch_norm.gradient("offset")(lambda g: g)


@batch_norm.gradient("variance")
def _(g, x, mean, variance, scale, variance_epsilon):
    steepness = _factor(variance, scale, variance_epsilon) / (variance + variance_epsilon)
    return g * (x - mean) * (steepness * -0.5)


@batch_norm.gradient("scale")
def _(g, x, mean, variance, variance_epsilon):
    return g * (x - mean) * ops.rsqrt(variance + variance_epsilon)


_RANK_DOCUMENT = """`batch_norm` of an x with {rank} axes.

    Args:
        x: {rank} axes, the channels last.
        mean: [channels], or {rank} axes that broadcast to the shape of x.
        variance: 1 axis or {rank}, as many as the mean, like the rest.
        offset: added at the end; 0 if absent.
        scale: multiplied before; 1 if absent.
        variance_epsilon: keeps a variance of 0 from making infinities.

    Returns:
        float32 of the shape of x.

    Raises:
        CoreError: another number of axes.

    >>> import core
    >>> core.batch_norm{rank}d(core.ones({ones}), [0.0, 1.0], [4.0, 4.0], scale=[6.0, 6.0],
    ...                    variance_epsilon=0.0).numpy().ravel()
    array([3., 0.], dtype=float32)
    """


class _BatchNorm(Protocol):
    def __call__(
        self,
        x: TensorLike,
        mean: TensorLike,
        variance: TensorLike,
        offset: TensorLike | None = None,
        scale: TensorLike | None = None,
        variance_epsilon: float = 0.001,
    ) -> Tensor: ...


def _batch_norm_of_rank(rank: int) -> _BatchNorm:
    def with_rank(
        x: TensorLike,
        mean: TensorLike,
        variance: TensorLike,
        offset: TensorLike | None = None,
        scale: TensorLike | None = None,
        variance_epsilon: float = 0.001,
    ) -> Tensor:
        inputs = (x, mean, variance, offset, scale)
        ranks = [np.ndim(np.asarray(v)) for v in inputs if v is not None]
        if ranks[0] != rank or any(r not in (1, rank) for r in ranks):
            raise CoreError(f"expected x with {rank} axes, the rest with 1 or {rank}, got {ranks}")
        return ops.batch_norm(*inputs, variance_epsilon=variance_epsilon)

    with_rank.__name__ = f"batch_norm{rank}d"
    with_rank.__doc__ = _RANK_DOCUMENT.format(rank=rank, ones=(1,) * (rank - 1) + (2,))
    return composite(with_rank)


batch_norm2d, batch_norm3d, batch_norm4d = map(_batch_norm_of_rank, (2, 3, 4))


@op(input_dtype="float32")
def instance_norm(
    x: TensorLike,
    scale: TensorLike | None = None,
    offset: TensorLike | None = None,
    epsilon: float = 1e-5,
) -> Spec:
    """Normalise each channel of each image by its own mean and variance, then scale and shift.

    That is (x - mean) / sqrt(variance + epsilon) * scale + offset, where the variance is the mean
    squared distance from the mean (Ulyanov et al., 2016, https://arxiv.org/abs/1607.08022). The
    mean may be large compared with the differences.

    Args:
        x: [batch, ..., channels] of three axes at least: rows, images, volumes.
        scale: [channels], multiplied before; 1 if absent.
        offset: [channels], added at the end; 0 if absent.
        epsilon: keeps a variance of 0 from making infinities.

    Returns:
        float32 of the shape of x.

    >>> core.instance_norm([[[1.0], [3.0]]], scale=[4.0], offset=[1.0], epsilon=3.0).numpy().ravel()
    array([-1.,  3.], dtype=float32)
    """
    x, scale, offset = spec_of(x), spec_of(scale), spec_of(offset)
    if len(x.shape) < 3:
        raise CoreError(f"expected [batch, ..., channels] of 3 axes or more, got shape {x.shape}")
    for name, spec in (("scale", scale), ("offset", offset)):
        if spec and spec.shape != x.shape[-1:]:
            raise CoreError(f"{name} of shape {spec.shape} must be {x.shape[-1:]}: [channels]")
    return x


def _mean_of_pixels(x):
    return ops.mean(x, axis=tuple(range(1, x.ndim - 1)), keep_dims=True)


def _standardised(x, epsilon: float):
    """An instance norm without scale and offset, and the factor that made it, of ops."""
    x = x - _mean_of_pixels(x)
    x = x - _mean_of_pixels(x)  # removes the rounding error of a large mean
    factor = ops.rsqrt(_mean_of_pixels(ops.square(x)) + epsilon)
    return x * factor, factor


@instance_norm.gradient("x")
def _(g, x, scale, epsilon):
    normal, factor = _standardised(x, epsilon)
    g = g if scale is None else g * scale
    return factor * (g - _mean_of_pixels(g) - normal * _mean_of_pixels(g * normal))


instance_norm.gradient("scale")(lambda g, x, epsilon: g * _standardised(x, epsilon)[0])
instance_norm.gradient("offset")(lambda g: g)


def _check_channels(x: Spec, depth_radius: int) -> None:
    if len(x.shape) not in (3, 4):
        raise CoreError(f"expected images of 3 or 4 axes, the channels last, got shape {x.shape}")
    integer(depth_radius, "depth_radius", 0)


@op(kernel_name="LRN", input_dtype="float32", method=True, spellings=Spellings(("LRN",)))
def local_response_normalization(
    x: TensorLike, depth_radius: int = 5, bias: float = 1, alpha: float = 1, beta: float = 0.5
) -> Spec:
    """Divide each value by a power of the sum of squares of the channels around it.

    That is x / (bias + alpha * sum of squares) ** beta.

    Args:
        x: [batch, height, width, channels], or one image without the batch.
        depth_radius: how many channels on either side are summed.
        bias: keeps the sum away from 0.
        alpha: weight of the sum.
        beta: the power.

    >>> core.local_response_normalization([[[3.0, 4.0]]], bias=0.0).numpy()
    array([[[0.6, 0.8]]], dtype=float32)
    """
    x = spec_of(x)
    _check_channels(x, depth_radius)
    return x


@local_response_normalization.gradient("x")
def _(g, x, y, **how):
    return ops.local_response_normalization_grad(x, g, y, **how)


@op(kernel_name="LRNGrad", input_dtype="float32")
def local_response_normalization_grad(
    x: TensorLike,
    dy: TensorLike,
    y: TensorLike,
    depth_radius: int = 5,
    bias: float = 1,
    alpha: float = 1,
    beta: float = 0.5,
) -> Spec:
    """The gradient of `local_response_normalization` for its input.

    Args:
        x: the images that were normalised.
        dy: the gradient of the result.
        y: the result.
        depth_radius: see `local_response_normalization`.
        bias: see `local_response_normalization`.
        alpha: see `local_response_normalization`.
        beta: see `local_response_normalization`.

    >>> x = core.ones((1, 1, 1))
    >>> core.local_response_normalization_grad(x, x, x * 0.5, bias=3.0).numpy()
    array([[[0.375]]], dtype=float32)
    """
    x, dy, y = spec_of(x), spec_of(dy), spec_of(y)
    _check_channels(x, depth_radius)
    check_dy(x, y, "y")
    check_dy(x, dy)
    return x


def _lrn_grad_of_ops(x, dy, y, depth_radius: int, bias: float, alpha: float, beta: float):
    """The result of the kernel, made of ops that have gradients."""
    channel = np.arange(x.shape[-1])
    near = np.abs(channel[:, None] - channel) <= depth_radius
    window = tensor(near, dtype="float32")
    total = ops.matmul(x * x, window) * alpha + bias
    shared = ops.matmul(dy * y / total, window)
    return dy * total**-beta - x * shared * (2 * alpha * beta)


def _lrn_grad_rule(position: int) -> Callable[..., Any]:
    def rule(g, x, dy, y, **how):
        return grads(partial(_lrn_grad_of_ops, **how))(x, dy, y, dy=g)[position]

    return rule


for _index, _name in enumerate(("x", "dy", "y")):
    local_response_normalization_grad.gradient(_name)(_lrn_grad_rule(_index))
