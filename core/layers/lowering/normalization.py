"""Normalisation layers, with stored or computed statistics."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from core.layers.layer_call import LayerCall, Lengths, Operand
from core.layers.layer_config import Options
from core.layers.lowering.arguments import about_weights, arguments
from core.layers.lowering.common_ops import (
    as_float,
    axis_last,
    cast,
    expand,
    reduce,
    reshape,
    reshape_like,
    transpose,
)
from core.layers.lowering.rows import LayerType, weighted


def _batch_normalization(call: LayerCall, x: Operand) -> Any:
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
    view = _along(shape, [axis])
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


def _along(shape: Lengths, axes: Sequence[int]) -> list[int]:
    """Return the shape of statistics along axes that broadcasts."""
    return [n if i in axes and n is not None else 1 for i, n in enumerate(shape)]


def _standardised(call: LayerCall, x: Operand, axes: Sequence[int], epsilon: float) -> Any:
    """Normalise to mean 0 and variance 1 along axes."""
    mean = reduce(call, "mean", x, axes, keep=True)
    squares = call.ops.squared_difference(x, mean)
    variance = reduce(call, "mean", squares, axes, keep=True)
    factor = call.ops.rsqrt(call.ops.add(variance, epsilon))
    return call.ops.mul(call.ops.sub(x, mean), factor)


def _layer_normalization(call: LayerCall, x: Operand) -> Any:
    x, options = as_float(call, x), call.options
    if options.flag("rms_scaling", False):
        raise call.error("rms_scaling is not supported: use RMSNormalization")
    shape = call.shape(x)
    axes = options.axes("axis", len(shape), -1)
    y = _standardised(call, x, axes, options.number("epsilon", 1e-3))
    lengths = [call.length(x, axis) for axis in axes]
    return _scaled_and_centered(call, y, lengths, _along(shape, axes))


def _scaled_and_centered(
    call: LayerCall, y: Operand, lengths: Sequence[int], view: Sequence[int]
) -> Any:
    """Multiply by the weight "gamma" and add the weight "beta", if the options say so."""
    if call.options.flag("scale", True):
        y = call.ops.mul(y, call.weight("gamma", lengths, view))
    if call.options.flag("center", True):
        y = call.ops.add(y, call.weight("beta", lengths, view))
    return y


def _rms_normalization(call: LayerCall, x: Operand) -> Any:
    x, options = as_float(call, x), call.options
    shape = call.shape(x)
    axes = options.axes("axis", len(shape), -1)
    mean = reduce(call, "mean", call.ops.square(x), axes, keep=True)
    factor = call.ops.rsqrt(call.ops.add(mean, options.number("epsilon", 1e-6)))
    lengths = [call.length(x, axis) for axis in axes]
    scale = call.weight("scale", lengths, _along(shape, axes))
    return call.ops.mul(call.ops.mul(x, factor), scale)


def _group_normalization(call: LayerCall, x: Operand) -> Any:
    """Lower to normalisation by the statistics of each group of channels."""
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


def _layer_scale(call: LayerCall, x: Operand) -> Any:
    """Lower the LayerScale layer of Keras's ConvNeXt."""
    size = call.options.integer("projection_dim")
    return call.ops.mul(as_float(call, x), call.weight("gamma", (size,)))


def _unit_normalization(call: LayerCall, x: Operand) -> Any:
    x = as_float(call, x)
    axes = call.options.axes("axis", len(call.shape(x)), -1)
    return call.ops.mul(x, inverse_norm(call, x, axes))


def inverse_norm(call: LayerCall, x: Operand, axes: Sequence[int]) -> Any:
    """Return 1 / the Euclidean norm along axes, which are kept with length 1."""
    squares = reduce(call, "sum", call.ops.square(x), axes, keep=True)
    return call.ops.rsqrt(call.ops.maximum(squares, 1e-12))


def _normalization(call: LayerCall, x: Operand) -> Any:
    """Lower to normalisation by the statistics of the data to which the layer was adapted."""
    x, options = as_float(call, x), call.options
    shape = call.shape(x)
    axes = statistics_axes(options, len(shape))
    if call.is_abstract and options.get("mean") is None:
        call.weight("count", ())  # for files alone: nothing is computed from it
    lengths, view = [call.length(x, axis) for axis in axes], _along(shape, axes)
    mean, variance = (_statistic(call, name, lengths, view) for name in ("mean", "variance"))
    deviation = call.ops.maximum(call.ops.sqrt(variance), 1e-7)
    if options.flag("invert", False):
        return call.ops.add(call.ops.mul(x, deviation), mean)
    return call.ops.div(call.ops.sub(x, mean), deviation)


def statistics_axes(options: Options, rank: int) -> tuple[int, ...]:
    """Return the axes along which a Normalization has statistics of their own."""
    if options.values.get("axis", -1) in (None, [], ()):  # Keras 3 writes [] for None
        return ()
    return options.axes("axis", rank, -1)


def _statistic(call: LayerCall, name: str, shape: list[int], view: list[int]) -> Any:
    given = call.options.get(name)
    if given is None:
        return call.weight(name, shape, view)
    try:
        array = np.asarray(given, np.float32)
        # A single number stays one, as it fits any declared length.
        return call.constant(array.reshape(view if array.size > 1 else [1] * len(view)), name)
    except (TypeError, ValueError) as error:
        raise call.options.error(name, f"numbers of shape {shape}") from error


def _statistics(options: Options) -> Sequence[str]:
    return () if options.get("mean") is not None else ("mean", "variance", "count")


_SCALED = weighted(scale="gamma", center="beta")
_SCALE = about_weights(beta="zeros", gamma="ones", has_activity=False)
_BATCH_NORMALIZATION = LayerType(
    _batch_normalization,
    lambda options: (*_SCALED(options), "moving_mean", "moving_variance"),
    takes_mask=True,
    arguments=arguments(
        axis=-1,
        momentum=0.99,
        epsilon=1e-3,
        center=True,
        scale=True,
        beta_initializer="zeros",
        gamma_initializer="ones",
        moving_mean_initializer="zeros",
        moving_variance_initializer="ones",
        beta_regularizer=None,
        gamma_regularizer=None,
        beta_constraint=None,
        gamma_constraint=None,
    ),
    freezes=True,
    other_names=("BatchNormalizationV1", "BatchNormalizationV2", "SyncBatchNormalization"),
)

LAYER_TYPES = {
    "BatchNormalization": _BATCH_NORMALIZATION,
    "LayerNormalization": LayerType(
        _layer_normalization,
        _SCALED,
        arguments=arguments(axis=-1, epsilon=1e-3, center=True, scale=True, **_SCALE),
    ),
    "RMSNormalization": LayerType(
        _rms_normalization,
        weighted("scale"),
        arguments=arguments(axis=-1, epsilon=1e-6),
        starts={"scale": "ones"},
    ),
    "GroupNormalization": LayerType(
        _group_normalization,
        _SCALED,
        arguments=arguments(groups=32, axis=-1, epsilon=1e-3, center=True, scale=True, **_SCALE),
    ),
    "LayerScale": LayerType(
        _layer_scale,
        weighted("gamma"),
        arguments=arguments("init_values", "projection_dim"),
        is_published=False,
    ),
    "UnitNormalization": LayerType(_unit_normalization, arguments=arguments(axis=-1)),
    "Normalization": LayerType(
        _normalization,
        _statistics,
        arguments=arguments(axis=-1, mean=None, variance=None, invert=False),
        starts={"variance": "ones"},
    ),
}
