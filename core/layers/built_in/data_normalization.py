"""Normalisation by the statistics of data."""

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

import numpy as np

from core.engine.tensors import Tensor
from core.engine.variables import Variable
from core.errors import CoreError
from core.layers.adapted_data import AdaptedTo, parts_of
from core.layers.built_in.normalization import along
from core.layers.built_in_layer import OneResult
from core.layers.common_ops import as_float
from core.layers.layer_call import LayerCall, Operand
from core.layers.layer_config import Options


class Normalization(OneResult):
    """Subtract a known mean, and divide by the root of a known variance.

    Called on `[batch, ..., channels]`, returns that shape. Where mean and variance are not given,
    `adapt` takes them from data; the weights `mean` and `variance` hold them.

    Args:
        axis: axes with statistics of their own; None for one mean and one variance.
        mean: mean, where it is known.
        variance: variance, where it is known.
        invert: turn normalised values into those before.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.Normalization(mean=2.0, variance=4.0)([[0.0, 2.0, 6.0]]).numpy()
    array([[-1.,  0.,  2.]], dtype=float32)
    """

    axis: int | Sequence[int] | None = -1
    mean: float | Sequence[float] | None = None
    variance: float | Sequence[float] | None = None
    invert: bool = False

    starts = {"variance": "ones"}

    @staticmethod
    def weight_names(options: Options) -> Sequence[str]:
        return () if options.get("mean") is not None else ("mean", "variance", "count")

    @staticmethod
    def compute(call: LayerCall, x: Operand) -> Any:
        x, options = as_float(call, x), call.options
        shape = call.shape(x)
        axes = statistics_axes(options, len(shape))
        if call.is_abstract and options.get("mean") is None:
            call.weight("count", ())  # for files alone: nothing is computed from it
        lengths, view = [call.length(x, axis) for axis in axes], along(shape, axes)
        mean, variance = (_statistic(call, name, lengths, view) for name in ("mean", "variance"))
        deviation = call.ops.maximum(call.ops.sqrt(variance), 1e-7)
        if options.flag("invert", False):
            return call.ops.add(call.ops.mul(x, deviation), mean)
        return call.ops.div(call.ops.sub(x, mean), deviation)

    def adapt(self, data: AdaptedTo) -> None:
        """Set the weights `mean` and `variance` to those of data, as Keras does.

        Args:
            data: samples along the first axis: an array, or a dataset or another iterable of
                batches, each ``x``, or a tuple that begins with it.

        Raises:
            CoreError: the layer was made with a mean, or the data are no finite numbers, empty, or
                of another shape than its inputs.

        >>> import core
        >>> layer = core.layers.Normalization()
        >>> layer.adapt([[0.0, 7.0], [2.0, 9.0]])
        >>> layer([[0.0, 8.0]]).numpy()
        array([[-1.,  0.]], dtype=float32)
        """
        if self.config.get("mean") is not None:
            raise CoreError(
                f"layer {self.name!r} has a mean and variance already: make it without them to "
                f"adapt it"
            )
        count = 0
        mean = variance = np.float32(0)
        for batch in _batches(data, self.name):
            others = self._averaged_axes(batch)
            own_mean, own_variance = np.mean(batch, others), np.var(batch, others)
            if not (np.isfinite(own_mean).all() and np.isfinite(own_variance).all()):
                raise CoreError(f"the data for layer {self.name!r} have NaN or infinite values")
            number = prod(batch.shape[i] for i in others)
            count += number
            share, before = number / count, 1 - number / count
            # As Keras: the lack-of-fit sum of squares joins the variances of batches.
            joined = mean * before + own_mean * share
            variance = (variance + (mean - joined) ** 2) * before
            variance = variance + (own_variance + (own_mean - joined) ** 2) * share
            mean = joined
        if not count:
            raise CoreError(f"there are no data for layer {self.name!r} to adapt to: give some")
        variables = self._statistics()
        variables["mean"].assign(np.asarray(mean, np.float32))
        variables["variance"].assign(np.asarray(variance, np.float32))

    def _averaged_axes(self, batch: np.ndarray) -> tuple[int, ...]:
        """Return the axes of a batch without statistics of their own; build the layer for it."""
        axes = statistics_axes(Options(self.config, f"layer {self.name!r}"), batch.ndim)
        if not self.built:
            self.build(batch.shape if 0 in axes else (None, *batch.shape[1:]))
        found, expected = tuple(batch.shape[i] for i in axes), self._statistics()["mean"].shape
        if found != expected:
            raise CoreError(
                f"layer {self.name!r} has statistics of shape {expected}, the data of shape "
                f"{batch.shape} have {found} along its axes: adapt it to data of its input's shape"
            )
        return tuple(i for i in range(batch.ndim) if i not in axes)

    def _statistics(self) -> dict[str, Variable]:
        return {each.name: each.variable for each in self.described()}


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


def _batches(data: Any, name: str) -> Iterator[np.ndarray]:
    for batch, is_all in parts_of(data, name):
        found = _numbers(batch, name)
        yield found if is_all else found.astype(np.float32, copy=False)


def _numbers(given: Any, name: str) -> np.ndarray:
    try:
        array = np.asarray(given.numpy() if isinstance(given, Tensor) else given)
    except ValueError as error:
        raise CoreError(f"the data for layer {name!r} are no array: {error}") from error
    if array.dtype.kind not in "fiub" or not array.size or not array.ndim:
        raise CoreError(
            f"layer {name!r} adapts to arrays of numbers with one sample or more, got one of "
            f"shape {array.shape} and dtype {array.dtype}"
        )
    return array
