"""Dropout and noise, which are identities at inference.

Sources: ``keras.layers`` of Keras 3; Srivastava et al. 2014 (dropout); Klambauer et al. 2017,
https://arxiv.org/abs/1706.02515 (alpha dropout).
"""

from collections.abc import Callable, Sequence
from itertools import zip_longest
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from core import ops
from core.engine.generators import Seed
from core.engine.specs import Shape
from core.engine.tensors import Tensor
from core.layers.call_context import add_loss
from core.layers.layer_call import LayerCall, Masked, Operand
from core.layers.lowering.arguments import arguments
from core.layers.lowering.common_ops import as_float
from core.layers.lowering.rows import LayerType
from core.layers.lowering.training import dropped_out, with_noise

if TYPE_CHECKING:
    from numpy.random import Generator

#: The negative saturation of SELU, -scale * alpha, to which alpha dropout sets values.
_SATURATION = -1.0507009873554805 * 1.6732632423543772


def _rate(call: LayerCall, name: str = "rate") -> float:
    rate = call.options.number(name)
    if not 0 <= rate <= 1:
        raise call.options.error(name, "a number from 0 to 1")
    return rate


def _seed(call: LayerCall) -> Seed:
    found: Seed = call.options.get("seed")
    return found


def _dropout(call: LayerCall, x: Operand) -> Any:
    rate = _rate(call)
    if not call.training:
        return x
    shape: Sequence[int | None] | None = call.options.get("noise_shape")
    return dropped_out(call, as_float(call, x), rate, shape, _seed(call))


def _spatial_dropout(rank: int) -> Callable[[LayerCall, Operand], Operand]:
    def lower(call: LayerCall, x: Operand) -> Any:
        rate = _rate(call)
        call.shape(x, rank + 2)
        if not call.training:
            return x
        ones = (1,) * rank
        first = rank > 1 and call.options.get("data_format") == "channels_first"
        shape = (None, None, *ones) if first else (None, *ones, None)
        return dropped_out(call, as_float(call, x), rate, shape, _seed(call))

    return lower


def _noisy(
    call: LayerCall, x: Operand, deviation: float, combine: Callable[[Tensor, Tensor], Tensor]
) -> Any:
    """Combine a value in training with normally distributed numbers."""
    if not call.training or not deviation:
        return x

    def draw(generator: "Generator", shape: Shape) -> np.ndarray:
        return generator.standard_normal(shape, np.float32) * np.float32(deviation)

    return with_noise(call, as_float(call, x), draw, combine, seed=_seed(call))


def _gaussian_noise(call: LayerCall, x: Operand) -> Any:
    deviation = call.options.number("stddev")
    if deviation < 0:
        raise call.options.error("stddev", "a number from 0")
    return _noisy(call, x, deviation, ops.add)


def _gaussian_dropout(call: LayerCall, x: Operand) -> Any:
    rate = _rate(call)
    if rate == 1:
        raise call.options.error("rate", "a number from 0 to below 1")
    return _noisy(call, x, sqrt(rate / (1 - rate)), lambda t, noise: t * (noise + 1.0))


def _alpha_dropout(call: LayerCall, x: Operand) -> Any:
    """Set random values to the saturation of SELU, and keep mean and variance."""
    rate = _rate(call)
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


def _stochastic_depth(call: LayerCall, x: Operand) -> Any:
    """Lower the layer StochasticDepth of Keras's ConvNeXt, which drops whole items."""
    shape = (None, *[1] * (len(call.shape(x)) - 1))
    return dropped_out(call, x, call.options.number("drop_path_rate", 0.0), shape)


def _identity(call: LayerCall, *values: Operand) -> list[Any]:
    return [Masked(*pair) for pair in zip_longest(values, call.masks)]


def _penalised(call: LayerCall, x: Operand) -> Any:
    """Add the penalty of the values to the loss, divided by the batch as in Keras 3."""
    l1, l2 = call.options.number("l1", 0.0), call.options.number("l2", 0.0)
    if not call.training:
        return x

    def noted(tensor: Tensor) -> Tensor:
        penalty = l1 * ops.sum(ops.abs(tensor)) + l2 * ops.sum(ops.square(tensor))
        add_loss(penalty / max(1, tensor.shape[0]))
        return tensor

    return call.called(noted, as_float(call, x))


_SPATIAL = arguments("rate", seed=None)

LAYER_TYPES = {
    "Dropout": LayerType(_dropout, arguments=arguments("rate", noise_shape=None, seed=None)),
    "SpatialDropout1D": LayerType(_spatial_dropout(1), arguments=_SPATIAL),
    **{
        f"SpatialDropout{rank}D": LayerType(
            _spatial_dropout(rank), arguments=arguments("rate", data_format=None, seed=None)
        )
        for rank in (2, 3)
    },
    "GaussianNoise": LayerType(_gaussian_noise, arguments=arguments("stddev", seed=None)),
    "GaussianDropout": LayerType(_gaussian_dropout, arguments=arguments("rate", seed=None)),
    "AlphaDropout": LayerType(
        _alpha_dropout, arguments=arguments("rate", noise_shape=None, seed=None)
    ),
    "StochasticDepth": LayerType(_stochastic_depth),
    "Identity": LayerType(_identity, arguments={}),
    "ActivityRegularization": LayerType(_penalised, arguments=arguments(l1=0.0, l2=0.0)),
}
