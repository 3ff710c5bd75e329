"""Normalisation layers, with stored or computed statistics."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from core.constraints import ConstraintLike
from core.initializers import InitializerLike
from core.layers.built_in_layer import OneResult
from core.layers.common_ops import (
    as_float,
    axis_last,
    cast,
    expand,
    reduce,
    reshape,
    reshape_like,
    transpose,
)
from core.layers.layer_call import LayerCall, Lengths, Operand
from core.layers.layer_config import Options
from core.layers.layer_kind import weighted
from core.regularizers import RegularizerLike


class BatchNormalization(OneResult):
    """Normalise each channel by the mean and variance of the batch, or by moving ones in inference.

    Called on `[batch, ..., channels]`, returns that shape: (x - mean) / sqrt(variance + epsilon) *
    gamma + beta. A layer that is not trainable runs as in inference, in training, too.

    Source: Ioffe, Szegedy, "Batch Normalization" (2015), https://arxiv.org/abs/1502.03167.

    Args:
        axis: axis of the channels.
        momentum: share of the moving statistics that stays at each step.
        epsilon: added to the variance.
        center: add the weight beta.
        scale: multiply by the weight gamma.
        beta_initializer: first values of the beta: name or object of `core.initializers`.
        gamma_initializer: first values of the gamma: name or object of `core.initializers`.
        moving_mean_initializer: first values of the moving mean: name or object of
            `core.initializers`.
        moving_variance_initializer: first values of the moving variance: name or object of
            `core.initializers`.
        beta_regularizer: penalty on the beta, see `core.regularizers`.
        gamma_regularizer: penalty on the gamma, see `core.regularizers`.
        beta_constraint: applied to the beta after each step, see `core.constraints`.
        gamma_constraint: applied to the gamma after each step, see `core.constraints`.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.BatchNormalization(epsilon=0.0)
    >>> layer([[1.0], [3.0]], training=True).numpy()
    array([[-1.],
           [ 1.]], dtype=float32)
    >>> [variable.name.split("/")[-1] for variable in layer.variables]
    ['gamma', 'beta', 'moving_mean', 'moving_variance']
    """

    axis: int = -1
    momentum: float = 0.99
    epsilon: float = 0.001
    center: bool = True
    scale: bool = True
    beta_initializer: InitializerLike = "zeros"
    gamma_initializer: InitializerLike = "ones"
    moving_mean_initializer: InitializerLike = "zeros"
    moving_variance_initializer: InitializerLike = "ones"
    beta_regularizer: RegularizerLike = None
    gamma_regularizer: RegularizerLike = None
    beta_constraint: ConstraintLike = None
    gamma_constraint: ConstraintLike = None

    takes_mask = True
    other_names = (
        "BatchNormalizationV1",
        "BatchNormalizationV2",
        "SyncBatchNormalization",
    )
    freezes = True

    @staticmethod
    def weight_names(options: Options) -> Sequence[str]:
        scale, center = options.flag("scale", True), options.flag("center", True)
        own = ("gamma",) * scale + ("beta",) * center
        return (*own, "moving_mean", "moving_variance")

    @staticmethod
    def compute(call: LayerCall, x: Operand) -> Any:
        """Normalise by one op, with channels last."""
        x, options = as_float(call, x), call.options
        axis = options.axis("axis", len(call.shape(x)), -1)
        channels = call.length(x, axis)
        if options.flag("renorm", False):
            raise call.error("batch renormalisation is not supported: make it with renorm=False")
        if call.training:
            return _by_statistics_of_batch(call, x, axis)
        scale = _or_else(call, "gamma", options.flag("scale", True), channels, 1.0)
        offset = _or_else(call, "beta", options.flag("center", True), channels, 0.0)
        mean = call.weight("moving_mean", (channels,))
        variance = call.weight("moving_variance", (channels,))
        epsilon = options.number("epsilon", 1e-3)
        x, back = axis_last(call, x, axis)
        y = call.ops.batch_norm(x, mean, variance, offset, scale, variance_epsilon=epsilon)
        return transpose(call, y, back)


def _by_statistics_of_batch(call: LayerCall, x: Operand, axis: int) -> Any:
    """Normalise by mean and variance of the batch, which the moving ones follow.

    The mean of centered values is 0: so the variance has no gradient by the mean, and that of the
    result needs no sum over x. Both are left out by centering with a constant; the gradient by the
    mean passes through a term that is 0.
    """
    shape, options = call.shape(x), call.options
    axes = [i for i in range(len(shape)) if i != axis]
    mean = _mean(call, x, axes)
    constant = call.stop_gradient(mean)
    centered = call.ops.sub(x, constant)
    variance = _mean(call, call.ops.square(centered), axes)
    channels = call.length(x, axis)
    for name, found in (("moving_mean", mean), ("moving_variance", variance)):
        call.assign(name, partial(_followed, call, name, found, channels))
    factor = call.ops.rsqrt(call.ops.add(variance, options.number("epsilon", 1e-3)))
    view = along(shape, [axis])
    if options.flag("scale", True):
        factor = call.ops.mul(factor, call.weight("gamma", (channels,), view))
    offset = call.ops.mul(call.ops.sub(constant, mean), factor)
    if options.flag("center", True):
        offset = call.ops.add(offset, call.weight("beta", (channels,), view))
    return call.ops.add(call.ops.mul(centered, factor), offset)


def _followed(call: LayerCall, name: str, found: Operand, channels: int) -> Any:
    """Return a moving statistic after a batch."""
    old = call.weight(name, (channels,))
    change = call.ops.sub(reshape(call, found, (channels,)), old)
    rest = 1 - call.options.number("momentum", 0.99)
    return call.ops.add(old, call.ops.mul(change, rest))


def _mean(call: LayerCall, x: Operand, axes: Sequence[int]) -> Any:
    """Return the mean along axes, which are kept; of masked values that of the valid ones."""
    if call.mask is None or call.dialect == "tfjs":
        return reduce(call, "mean", x, axes, keep=True)
    valid = cast(call, call.mask, "float32")
    for _ in range(len(call.shape(x)) - len(call.shape(call.mask))):
        valid = expand(call, valid, -1)
    total = reduce(call, "sum", call.ops.mul(x, valid), axes, keep=True)
    ones = call.ops.mul(call.ops.ones_like(x), valid)
    count = reduce(call, "sum", ones, axes, keep=True)
    return call.ops.div(total, call.ops.add(count, 1e-7))


def _or_else(call: LayerCall, name: str, has_weight: bool, count: int, value: float) -> Any:
    if has_weight:
        return call.weight(name, (count,))
    return call.constant(np.full(count, value, np.float32), name)


def along(shape: Lengths, axes: Sequence[int]) -> list[int]:
    """Return the shape of statistics along axes that broadcasts."""
    return [n if i in axes and n is not None else 1 for i, n in enumerate(shape)]


def _standardised(call: LayerCall, x: Operand, axes: Sequence[int], epsilon: float) -> Any:
    """Normalise to mean 0 and variance 1 along axes."""
    mean = reduce(call, "mean", x, axes, keep=True)
    squares = call.ops.squared_difference(x, mean)
    variance = reduce(call, "mean", squares, axes, keep=True)
    factor = call.ops.rsqrt(call.ops.add(variance, epsilon))
    return call.ops.mul(call.ops.sub(x, mean), factor)


class LayerNormalization(OneResult):
    """Normalise each sample by its mean and variance along an axis, or several.

    Called on a tensor `[batch, ...]`, returns that shape: (x - mean) / sqrt(variance + epsilon) *
    gamma + beta.

    Source: Ba, Kiros, Hinton, "Layer Normalization" (2016), https://arxiv.org/abs/1607.06450.

    Args:
        axis: axis, or axes, to work along; negative ones from the end.
        epsilon: added to the variance.
        center: add the weight beta.
        scale: multiply by the weight gamma.
        beta_initializer: first values of the beta: name or object of `core.initializers`.
        gamma_initializer: first values of the gamma: name or object of `core.initializers`.
        beta_regularizer: penalty on the beta, see `core.regularizers`.
        gamma_regularizer: penalty on the gamma, see `core.regularizers`.
        beta_constraint: applied to the beta after each step, see `core.constraints`.
        gamma_constraint: applied to the gamma after each step, see `core.constraints`.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.LayerNormalization(epsilon=0.0)([[1.0, 3.0]]).numpy()
    array([[-1.,  1.]], dtype=float32)
    """

    axis: int | Sequence[int] = -1
    epsilon: float = 0.001
    center: bool = True
    scale: bool = True
    beta_initializer: InitializerLike = "zeros"
    gamma_initializer: InitializerLike = "ones"
    beta_regularizer: RegularizerLike = None
    gamma_regularizer: RegularizerLike = None
    beta_constraint: ConstraintLike = None
    gamma_constraint: ConstraintLike = None

    weight_names = weighted(scale="gamma", center="beta")

    @staticmethod
    def compute(call: LayerCall, x: Operand) -> Any:
        x, options = as_float(call, x), call.options
        if options.flag("rms_scaling", False):
            raise call.error("rms_scaling is not supported: use RMSNormalization")
        shape = call.shape(x)
        axes = options.axes("axis", len(shape), -1)
        y = _standardised(call, x, axes, options.number("epsilon", 1e-3))
        lengths = [call.length(x, axis) for axis in axes]
        return _scaled_and_centered(call, y, lengths, along(shape, axes))


def _scaled_and_centered(
    call: LayerCall, y: Operand, lengths: Sequence[int], view: Sequence[int]
) -> Any:
    """Multiply by the weight "gamma" and add the weight "beta", if the options say so."""
    if call.options.flag("scale", True):
        y = call.ops.mul(y, call.weight("gamma", lengths, view))
    if call.options.flag("center", True):
        y = call.ops.add(y, call.weight("beta", lengths, view))
    return y


class RMSNormalization(OneResult):
    """Divide each sample by the root of its mean square along an axis, or several.

    Called on a tensor `[batch, ...]`, returns that shape: x / sqrt(mean(x * x) + epsilon) * scale.

    Source: Zhang, Sennrich, "Root Mean Square Layer Normalization" (2019),
    https://arxiv.org/abs/1910.07467.

    Args:
        axis: axis, or axes, to work along; negative ones from the end.
        epsilon: added to the variance.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.RMSNormalization()([[1.0, 1.0, 1.0]]).numpy().round(3)
    array([[1., 1., 1.]], dtype=float32)
    """

    axis: int | Sequence[int] = -1
    epsilon: float = 1e-06

    starts = {"scale": "ones"}
    weight_names = weighted("scale")

    @staticmethod
    def compute(call: LayerCall, x: Operand) -> Any:
        x, options = as_float(call, x), call.options
        shape = call.shape(x)
        axes = options.axes("axis", len(shape), -1)
        mean = reduce(call, "mean", call.ops.square(x), axes, keep=True)
        factor = call.ops.rsqrt(call.ops.add(mean, options.number("epsilon", 1e-6)))
        lengths = [call.length(x, axis) for axis in axes]
        scale = call.weight("scale", lengths, along(shape, axes))
        return call.ops.mul(call.ops.mul(x, factor), scale)


class GroupNormalization(OneResult):
    """Normalise each sample by mean and variance of groups of channels.

    Called on `[batch, ..., channels]`, returns that shape. The number of channels is a multiple of
    the number of groups.

    Source: Wu, He, "Group Normalization" (2018), https://arxiv.org/abs/1803.08494.

    Args:
        groups: number of groups; -1 for one per channel.
        axis: axis of the channels.
        epsilon: added to the variance.
        center: add the weight beta.
        scale: multiply by the weight gamma.
        beta_initializer: first values of the beta: name or object of `core.initializers`.
        gamma_initializer: first values of the gamma: name or object of `core.initializers`.
        beta_regularizer: penalty on the beta, see `core.regularizers`.
        gamma_regularizer: penalty on the gamma, see `core.regularizers`.
        beta_constraint: applied to the beta after each step, see `core.constraints`.
        gamma_constraint: applied to the gamma after each step, see `core.constraints`.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.GroupNormalization(groups=2, epsilon=0.0)
    >>> layer([[1.0, 3.0, 10.0, 30.0]]).numpy()
    array([[-1.,  1., -1.,  1.]], dtype=float32)
    """

    groups: int = 32
    axis: int = -1
    epsilon: float = 0.001
    center: bool = True
    scale: bool = True
    beta_initializer: InitializerLike = "zeros"
    gamma_initializer: InitializerLike = "ones"
    beta_regularizer: RegularizerLike = None
    gamma_regularizer: RegularizerLike = None
    beta_constraint: ConstraintLike = None
    gamma_constraint: ConstraintLike = None

    weight_names = weighted(scale="gamma", center="beta")

    @staticmethod
    def compute(call: LayerCall, x: Operand) -> Any:
        x, options = as_float(call, x), call.options
        shape = call.shape(x)
        axis = options.axis("axis", len(shape), -1)
        channels = call.length(x, axis)
        groups = options.integer("groups", 32, least=-1)
        groups = channels if groups == -1 else groups
        if groups < 1 or channels % groups:
            raise call.error(f"{groups} groups do not divide {channels} channels")
        x, back = axis_last(call, x, axis)
        last = call.shape(x)
        grouped = reshape_like(call, x, (*last[:-1], groups, channels // groups), x)
        axes = [*range(1, len(last) - 1), len(last)]
        y = _standardised(call, grouped, axes, options.number("epsilon", 1e-3))
        y = _scaled_and_centered(call, reshape_like(call, y, last, x), [channels], [channels])
        return transpose(call, y, back)


class LayerScale(OneResult):
    """The layer of Keras's ConvNeXt that multiplies each channel by a weight."""

    init_values: float
    projection_dim: int

    is_published = False
    weight_names = weighted("gamma")

    @staticmethod
    def compute(call: LayerCall, x: Operand) -> Any:
        size = call.options.integer("projection_dim")
        return call.ops.mul(as_float(call, x), call.weight("gamma", (size,)))


class UnitNormalization(OneResult):
    """Divide by the Euclidean norm along an axis, or several, so that it becomes 1.

    Called on a tensor of any shape, returns one of that shape.

    Args:
        axis: axis, or axes, to work along; negative ones from the end.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.UnitNormalization()([[3.0, 4.0]]).numpy()
    array([[0.6, 0.8]], dtype=float32)
    """

    axis: int | Sequence[int] = -1

    @staticmethod
    def compute(call: LayerCall, x: Operand) -> Any:
        x = as_float(call, x)
        axes = call.options.axes("axis", len(call.shape(x)), -1)
        return call.ops.mul(x, inverse_norm(call, x, axes))


def inverse_norm(call: LayerCall, x: Operand, axes: Sequence[int]) -> Any:
    """Return 1 / the Euclidean norm along axes, which are kept with length 1."""
    squares = reduce(call, "sum", call.ops.square(x), axes, keep=True)
    return call.ops.rsqrt(call.ops.maximum(squares, 1e-12))
