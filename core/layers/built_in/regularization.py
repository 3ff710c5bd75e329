"""Dropout and noise, which are identities at inference.

Sources: ``keras.layers`` of Keras 3; Srivastava et al. 2014 (dropout); Klambauer et al. 2017,
https://arxiv.org/abs/1706.02515 (alpha dropout).
"""

from collections.abc import Callable, Sequence
from itertools import zip_longest
from math import sqrt
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from core import ops
from core.engine.generators import Seed
from core.engine.specs import Shape
from core.engine.tensors import Tensor
from core.layers.built_in.training import dropped_out, dropped_share, with_noise
from core.layers.built_in_layer import OneResult
from core.layers.call_context import add_loss
from core.layers.common_ops import as_float
from core.layers.layer_call import LayerCall, Masked, Operand

if TYPE_CHECKING:
    from numpy.random import Generator

#: The negative saturation of SELU, -scale * alpha, to which alpha dropout sets values.
_SATURATION = -1.0507009873554805 * 1.6732632423543772


def _seed(call: LayerCall) -> Seed:
    found: Seed = call.options.get("seed")
    return found


class Dropout(OneResult):
    """Set random values to 0 in training, and divide the others by 1 - rate.

    Called on a tensor of any shape, returns one of that shape; in inference the input as it is.

    Source: Srivastava et al., "Dropout: A Simple Way to Prevent Neural Networks from Overfitting"
    (2014).

    Args:
        rate: share of values to drop, from 0 to 1; needed.
        noise_shape: shape of the random decisions, with 1 for axes that share one; None for that of
            the input.
        seed: where the layer's sequence of random numbers begins.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> layer = core.layers.Dropout(0.5, seed=1)
    >>> layer([[1.0, 1.0]]).numpy()
    array([[1., 1.]], dtype=float32)
    >>> layer(core.ones((9, 9)), training=True).max().item()
    2.0
    """

    rate: float
    noise_shape: Sequence[int | None] | None = None
    seed: int | None = None

    @staticmethod
    def compute(call: LayerCall, x: Operand) -> Any:
        rate = dropped_share(call, "rate")
        if not call.training:
            return x
        shape: Sequence[int | None] | None = call.options.get("noise_shape")
        return dropped_out(call, as_float(call, x), rate, shape, _seed(call))


class _SpatialDropout(OneResult, is_base=True):
    """Dropout of whole channels."""

    rank: ClassVar[int]

    @classmethod
    def compute(cls, call: LayerCall, x: Operand) -> Any:
        rate = dropped_share(call, "rate")
        call.shape(x, cls.rank + 2)
        if not call.training:
            return x
        ones = (1,) * cls.rank
        first = cls.rank > 1 and call.options.get("data_format") == "channels_first"
        shape = (None, None, *ones) if first else (None, *ones, None)
        return dropped_out(call, as_float(call, x), rate, shape, _seed(call))


class SpatialDropout1D(_SpatialDropout):
    """Set whole channels of sequences to 0 in training, and divide the others by 1 - rate.

    Called on `[batch, steps, channels]`, returns that shape; in inference the input as it is.

    Source: Tompson et al., "Efficient Object Localization Using Convolutional Networks" (2015),
    https://arxiv.org/abs/1411.4280.

    Args:
        rate: share of values to drop, from 0 to 1; needed.
        seed: where the layer's sequence of random numbers begins.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> x = core.ones((1, 2, 3))
    >>> bool((core.layers.SpatialDropout1D(0.5)(x) == x).all().item())
    True
    """

    rate: float
    seed: int | None = None

    rank = 1


class SpatialDropout2D(_SpatialDropout):
    """Set whole channels of images to 0 in training, and divide the others by 1 - rate.

    Called on `[batch, rows, columns, channels]`, returns that shape; in inference the input as it
    is.

    Source: Tompson et al., "Efficient Object Localization Using Convolutional Networks" (2015),
    https://arxiv.org/abs/1411.4280.

    Args:
        rate: share of values to drop, from 0 to 1; needed.
        data_format: the axis of the channels; by default "channels_last".
        seed: where the layer's sequence of random numbers begins.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> x = core.ones((1, 2, 2, 3))
    >>> bool((core.layers.SpatialDropout2D(0.5)(x) == x).all().item())
    True
    """

    rate: float
    data_format: Literal["channels_last", "channels_first"] | None = None
    seed: int | None = None

    rank = 2


class SpatialDropout3D(_SpatialDropout):
    """Set whole channels of volumes to 0 in training, and divide the others by 1 - rate.

    Called on `[batch, depth, rows, columns, channels]`, returns that shape; in inference the input
    as it is.

    Source: Tompson et al., "Efficient Object Localization Using Convolutional Networks" (2015),
    https://arxiv.org/abs/1411.4280.

    Args:
        rate: share of values to drop, from 0 to 1; needed.
        data_format: the axis of the channels; by default "channels_last".
        seed: where the layer's sequence of random numbers begins.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> x = core.ones((1, 2, 2, 2, 3))
    >>> bool((core.layers.SpatialDropout3D(0.5)(x) == x).all().item())
    True
    """

    rate: float
    data_format: Literal["channels_last", "channels_first"] | None = None
    seed: int | None = None

    rank = 3


def _noisy(
    call: LayerCall, x: Operand, deviation: float, combine: Callable[[Tensor, Tensor], Tensor]
) -> Any:
    """Combine a value in training with normally distributed numbers."""
    if not call.training or not deviation:
        return x

    def draw(generator: "Generator", shape: Shape) -> np.ndarray:
        return generator.standard_normal(shape, np.float32) * np.float32(deviation)

    return with_noise(call, as_float(call, x), draw, combine, seed=_seed(call))


class GaussianNoise(OneResult):
    """Add normally distributed noise in training.

    Called on a tensor of any shape, returns one of that shape; in inference the input as it is.

    Args:
        stddev: standard deviation of the noise, from 0; needed.
        seed: where the layer's sequence of random numbers begins.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.GaussianNoise(0.1)([[1.0, 2.0]]).numpy()
    array([[1., 2.]], dtype=float32)
    """

    stddev: float
    seed: int | None = None

    @staticmethod
    def compute(call: LayerCall, x: Operand) -> Any:
        deviation = call.options.number("stddev")
        if deviation < 0:
            raise call.options.error("stddev", "a number from 0")
        return _noisy(call, x, deviation, ops.add)


class GaussianDropout(OneResult):
    """Multiply with normally distributed factors of mean 1 in training.

    Called on a tensor of any shape, returns one of that shape; in inference the input as it is. The
    standard deviation is sqrt(rate / (1 - rate)).

    Source: Srivastava et al., "Dropout: A Simple Way to Prevent Neural Networks from Overfitting"
    (2014).

    Args:
        rate: share of values to drop, from 0 to 1; needed.
        seed: where the layer's sequence of random numbers begins.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.GaussianDropout(0.5)([[1.0, 2.0]]).numpy()
    array([[1., 2.]], dtype=float32)
    """

    rate: float
    seed: int | None = None

    @staticmethod
    def compute(call: LayerCall, x: Operand) -> Any:
        rate = dropped_share(call, "rate")
        if rate == 1:
            raise call.options.error("rate", "a number from 0 to below 1")
        return _noisy(call, x, sqrt(rate / (1 - rate)), lambda t, noise: t * (noise + 1.0))


class AlphaDropout(OneResult):
    """Drop random values in training so that mean and variance of inputs stay, for SELU networks.

    Called on a tensor of any shape, returns one of that shape; in inference the input as it is.

    Source: Klambauer et al., "Self-Normalizing Neural Networks" (2017),
    https://arxiv.org/abs/1706.02515.

    Args:
        rate: share of values to drop, from 0 to 1; needed.
        noise_shape: shape of the random decisions, with 1 for axes that share one; None for that of
            the input.
        seed: where the layer's sequence of random numbers begins.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.AlphaDropout(0.5)([[1.0, 2.0]]).numpy()
    array([[1., 2.]], dtype=float32)
    """

    rate: float
    noise_shape: Sequence[int | None] | None = None
    seed: int | None = None

    @staticmethod
    def compute(call: LayerCall, x: Operand) -> Any:
        """Set random values to the saturation of SELU, and keep mean and variance."""
        rate = dropped_share(call, "rate")
        if rate == 1:
            raise call.options.error("rate", "a number from 0 to below 1")
        if not call.training or not rate:
            return x
        factor = ((1 - rate) * (1 + rate * _SATURATION**2)) ** -0.5
        offset = -factor * _SATURATION * rate

        def draw(generator: "Generator", shape: Shape) -> np.ndarray:
            return (generator.random(shape, np.float32) >= rate).astype(np.float32)

        def combined(t: Tensor, kept: Tensor) -> Any:
            return (t * kept + (1.0 - kept) * _SATURATION) * factor + offset

        shape = call.options.get("noise_shape")
        return with_noise(call, as_float(call, x), draw, combined, shape, _seed(call))


class StochasticDepth(OneResult):
    """The layer of Keras's ConvNeXt that drops whole items."""

    only_in_files = True

    @staticmethod
    def compute(call: LayerCall, x: Operand) -> Any:
        shape = (None, *[1] * (len(call.shape(x)) - 1))
        return dropped_out(call, x, dropped_share(call, "drop_path_rate", 0.0), shape)


class Identity(OneResult):
    """Return the input as it is.

    Called on a tensor of any shape.

    Args:
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.Identity()([[1.0, 2.0]]).numpy()
    array([[1., 2.]], dtype=float32)
    """

    @staticmethod
    def compute(call: LayerCall, *values: Operand) -> list[Any]:
        return [Masked(*pair) for pair in zip_longest(values, call.masks)]


class ActivityRegularization(OneResult):
    """Add a penalty on the input to the loss in training, and return the input as it is.

    Called on a tensor of any shape. The penalty is l1 * sum(|x|) + l2 * sum(x * x), divided by the
    length of the batch.

    Args:
        l1: factor of the sum of absolute values.
        l2: factor of the sum of squares.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.ActivityRegularization(l2=0.01)([[1.0, 2.0]]).numpy()
    array([[1., 2.]], dtype=float32)
    """

    l1: float = 0.0
    l2: float = 0.0

    @staticmethod
    def compute(call: LayerCall, x: Operand) -> Any:
        """Add the penalty of the values to the loss, divided by the batch as in Keras 3."""
        l1, l2 = call.options.number("l1", 0.0), call.options.number("l2", 0.0)
        if not call.training:
            return x

        def noted(tensor: Tensor) -> Tensor:
            penalty = l1 * ops.sum(ops.abs(tensor)) + l2 * ops.sum(ops.square(tensor))
            add_loss(penalty / max(1, tensor.shape[0]))
            return tensor

        return call.called(noted, as_float(call, x))
