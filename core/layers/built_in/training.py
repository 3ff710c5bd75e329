"""Operations that layers add in training only: random numbers, and dropout."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from core import ops
from core.engine.generators import Seed
from core.engine.specs import Shape
from core.engine.tensors import Tensor
from core.layers.layer_call import LayerCall, Operand
from core.ops.random_numbers import drawn

if TYPE_CHECKING:
    from numpy.random import Generator

#: Draws an array of a shape from a source of random numbers.
Draw = Callable[["Generator", Shape], np.ndarray]


def with_noise(
    call: LayerCall,
    x: Operand,
    draw: Draw,
    combine: Callable[[Tensor, Tensor], Tensor],
    noise_shape: Sequence[int | None] | None = None,
    seed: Seed = None,
) -> Any:
    """Combine a value with random numbers, which are new at each call.

    Args:
        call: call of a layer in training.
        x: float32 of any shape.
        draw: function from a generator and a shape to the numbers.
        combine: function of the tensor and that of the numbers.
        noise_shape: shape of the numbers, which broadcasts to that of x; None for a length is that
            of x.
        seed: where the layer's sequence of numbers begins; without one the numbers of the process.
    """

    def combined(tensor: Tensor) -> Tensor:
        shape = _shape_of_noise(call, noise_shape, tensor.shape)
        source = call.generator(seed)
        return combine(tensor, drawn(lambda: draw(source(), shape), shape, "float32"))

    return call.called(combined, x)


def _shape_of_noise(call: LayerCall, given: Sequence[int | None] | None, shape: Shape) -> Shape:
    """Return a shape of noise without None, if it broadcasts to that of a tensor."""
    if not given:
        return shape
    is_list = isinstance(given, (list, tuple)) and len(given) == len(shape)
    if not is_list or any(n not in (None, 1, m) for n, m in zip(given, shape, strict=True)):
        raise call.error(f"noise_shape={given!r:.80} does not broadcast to {shape}")
    return tuple(m if n is None else int(n) for n, m in zip(given, shape, strict=True))


def dropped_share(call: LayerCall, option: str, default: float | None = None) -> float:
    """Return an option that is a share of values to drop, from 0 to 1.

    Raises:
        CoreError: it is no such number, or is left out and has no default.
    """
    share = call.options.number(option, default)
    if not 0 <= share <= 1:
        raise call.options.error(option, "a number from 0 to 1")
    return share


def dropped_out(
    call: LayerCall,
    x: Operand,
    rate: float,
    noise_shape: Sequence[int | None] | None = None,
    seed: Seed = None,
) -> Any:
    """Set random values to 0 in training and scale the others so that the mean stays.

    Args:
        call: call of the layer.
        x: float32 of any shape.
        rate: share of values to drop, from 0 to 1.
        noise_shape: shape of the random decisions; None for a length is that of x.
        seed: where the layer's sequence of decisions begins.
    """
    if not call.training or not rate:
        return x
    kept = np.float32(0 if rate >= 1 else 1 / (1 - rate))

    def draw(generator: "Generator", shape: Shape) -> np.ndarray:
        return (generator.random(shape, np.float32) >= rate) * kept

    return with_noise(call, x, draw, ops.mul, noise_shape, seed)
