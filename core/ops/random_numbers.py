"""Tensors of random numbers. All take a seed; without one the process's generator is used."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from core import ops
from core.engine.argument_types import TensorLike
from core.engine.dispatch import tensor
from core.engine.dtypes import DType, to_numpy
from core.engine.generators import Seed, begin_drawing, generator, restart
from core.engine.limits import claim
from core.engine.operation import Traits, spec_of
from core.engine.registry import composite, op
from core.engine.specs import Shape, Spec, check_choice, checked_shape, integer, integers
from core.engine.tensors import Tensor
from core.engine.trace_hook import active_trace
from core.errors import CoreError

_INT32 = np.iinfo(np.int32)


def _checked(shape: Sequence[int], dtype: str, dtypes: Sequence[str]) -> Shape:
    """The shape as a tuple, if the dtype is one of the distribution's dtypes."""
    check_choice(dtype, "dtype", dtypes)
    lengths = checked_shape(shape)
    claim(8 * Spec(lengths).size, f"random numbers of shape {lengths}, drawn in 64 bits")
    return lengths


def drawn(draw: Callable[[], np.ndarray], shape: Shape, dtype: DType) -> Tensor:
    """Values that a function draws: now, or before each run of a function that is compiled."""
    trace = active_trace()
    if trace is None:
        return tensor(draw(), dtype)
    return trace.supply(lambda: [to_numpy(draw(), dtype)], [Spec(shape, dtype)])[0]


def _rounded(values: np.ndarray, dtype: DType) -> np.ndarray:
    """Drawn values, for int32 rounded."""
    return np.clip(np.rint(values), _INT32.min, _INT32.max) if dtype == "int32" else values


@composite
def set_random_seed(seed: Seed) -> None:
    """Restart the process's random generator, which is used without a seed, from this seed.

    Args:
        seed: an integer, or any number or text; None for unpredictable numbers.

    >>> import core
    >>> core.set_random_seed(1)
    >>> first = core.random_uniform((3,)).numpy()
    >>> core.set_random_seed(1)
    >>> bool((core.random_uniform((3,)).numpy() == first).all())
    True
    """
    restart(seed)


@composite
def rand(
    shape: Sequence[int], rand_function: Callable[[], float], dtype: DType = "float32"
) -> Tensor:
    """A tensor whose values a function draws, one by one.

    Args:
        shape: length of each axis.
        rand_function: called without arguments for each value.
        dtype: ``"float32"``; ``"int32"`` or ``"bool"`` cut fractions off.

    >>> import core, random
    >>> core.rand((2, 3), random.Random(1).random).shape
    (2, 3)
    """
    lengths = _checked(shape, dtype, ("float32", "int32", "bool"))

    def draw() -> np.ndarray:
        begin_drawing()
        drawn = [float(rand_function()) for _ in range(Spec(lengths).size)]
        values = np.array(drawn, np.float64).reshape(lengths)
        return values if dtype == "float32" else np.trunc(values)

    return drawn(draw, lengths, dtype)


@composite
def random_uniform(
    shape: Sequence[int],
    minval: float = 0,
    maxval: float = 1,
    dtype: DType = "float32",
    seed: Seed = None,
) -> Tensor:
    """Random numbers of a uniform distribution over a range.

    Args:
        shape: length of each axis.
        minval: the least value.
        maxval: the end of the range, itself not included.
        dtype: ``"float32"``, ``"int32"`` (integer bounds) or ``"bool"`` (true and false with
            the same probability, whatever the bounds).
        seed: for the same numbers each time.

    >>> import core
    >>> core.random_uniform((3,), 1, 7, "int32", seed=3).numpy()
    array([5, 1, 2], dtype=int32)
    """
    lengths = _checked(shape, dtype, ("float32", "int32", "bool"))
    if dtype == "float32":
        return drawn(lambda: _uniform(lengths, minval, maxval, seed), lengths, dtype)
    low, high = (0, 2) if dtype == "bool" else integers((minval, maxval), "minval and maxval")
    if not _INT32.min <= low < high <= _INT32.max + 1:
        raise CoreError(f"no int32 from minval={minval} up to, but without, maxval={maxval}")
    return drawn(lambda: generator(seed).integers(low, high, lengths), lengths, dtype)


def _uniform(shape: Shape, low: float, high: float, seed: Seed = None) -> np.ndarray:
    if not low <= high or not np.isfinite(high - low):
        raise CoreError(f"minval={low} must not be greater than maxval={high}, both finite")
    drawn = (low + (high - low) * generator(seed).random(shape)).astype(np.float32)
    # Rounding to float32 must not reach the end of the range.
    last = np.nextafter(np.float32(high), np.float32(low))
    return np.minimum(drawn, last)


@composite
def random_uniform_int(shape: Sequence[int], minval: int, maxval: int, seed: Seed = None) -> Tensor:
    """Random integers from ``minval`` to ``maxval - 1``.

    Args:
        shape: length of each axis.
        minval: the least value.
        maxval: the end of the range, itself not included.
        seed: for the same numbers each time.

    Returns:
        int32

    >>> import core
    >>> core.random_uniform_int((3,), 1, 7, seed=3).numpy()
    array([5, 1, 2], dtype=int32)
    """
    return random_uniform(shape, minval, maxval, "int32", seed)


@composite
def random_normal(
    shape: Sequence[int],
    mean: float = 0,
    std_dev: float = 1,
    dtype: DType = "float32",
    seed: Seed = None,
) -> Tensor:
    """Random numbers of a normal distribution.

    Args:
        shape: length of each axis.
        mean: of the distribution.
        std_dev: its standard deviation.
        dtype: ``"float32"``, or ``"int32"`` for rounded values.
        seed: for the same numbers each time.

    >>> import core
    >>> core.random_normal((2, 3), mean=5, std_dev=0.1, seed=1).shape
    (2, 3)
    """
    lengths = _checked(shape, dtype, ("float32", "int32"))

    def draw() -> np.ndarray:
        return _rounded(mean + std_dev * generator(seed).standard_normal(lengths), dtype)

    return drawn(draw, lengths, dtype)


@composite
def random_standard_normal(
    shape: Sequence[int], dtype: DType = "float32", seed: Seed = None
) -> Tensor:
    """Random numbers of the normal distribution with mean 0 and standard deviation 1.

    Args:
        shape: length of each axis.
        dtype: ``"float32"``, or ``"int32"`` for rounded values.
        seed: for the same numbers each time.

    >>> import core
    >>> core.random_standard_normal((2, 3)).shape
    (2, 3)
    """
    return random_normal(shape, 0, 1, dtype, seed)


@composite
def truncated_normal(
    shape: Sequence[int],
    mean: float = 0,
    std_dev: float = 1,
    dtype: DType = "float32",
    seed: Seed = None,
) -> Tensor:
    """Random numbers of a normal distribution, at most two standard deviations from the mean.

    Args:
        shape: length of each axis.
        mean: of the distribution before it is cut.
        std_dev: its standard deviation before it is cut; afterwards 0.88 of that.
        dtype: ``"float32"``, or ``"int32"`` for rounded values.
        seed: for the same numbers each time.

    >>> import core
    >>> float(abs(core.truncated_normal((1000,)).numpy()).max()) <= 2
    True
    """
    lengths = _checked(shape, dtype, ("float32", "int32"))

    def draw() -> np.ndarray:
        source = generator(seed)
        drawn = source.standard_normal(lengths)
        while (beyond := abs(drawn) > 2).any():
            drawn = np.where(beyond, source.standard_normal(lengths), drawn)
        return _rounded(mean + std_dev * drawn, dtype)

    return drawn(draw, lengths, dtype)


@composite
def random_gamma(
    shape: Sequence[int],
    alpha: float,
    beta: float = 1,
    dtype: DType = "float32",
    seed: Seed = None,
) -> Tensor:
    """Random numbers of a gamma distribution, whose mean is ``alpha / beta``.

    Args:
        shape: length of each axis.
        alpha: shape of the distribution, above 0.
        beta: its rate (inverse scale), above 0.
        dtype: ``"float32"``, or ``"int32"`` for rounded values.
        seed: for the same numbers each time.

    >>> import core
    >>> core.random_gamma((2, 3), 2.0).shape
    (2, 3)
    """
    lengths = _checked(shape, dtype, ("float32", "int32"))
    if not (alpha > 0 and beta > 0):
        raise CoreError(f"alpha={alpha} and beta={beta} must be above 0")

    def draw() -> np.ndarray:
        return _rounded(generator(seed).standard_gamma(alpha, lengths) / beta, dtype)

    return drawn(draw, lengths, dtype)


@composite
def dropout(
    x: TensorLike, rate: float, noise_shape: Sequence[int | None] | None = None, seed: Seed = None
) -> Tensor:
    """Set random values to 0 and scale the others so that the mean stays.

    Args:
        x: float32 of any shape.
        rate: share of values to drop, from 0 up to, but without, 1.
        noise_shape: shape of the random decisions, which broadcasts to that of x: along an axis of
            length 1 all values are dropped or kept together. None for a length means that of x.
        seed: for the same decisions each time.

    Returns:
        float32, of the shape of x.

    >>> import core
    >>> core.dropout(core.ones((2, 3)), 0.5, noise_shape=(2, 1), seed=0).numpy()
    array([[2., 2., 2.],
           [0., 0., 0.]], dtype=float32)
    """
    x = x if isinstance(x, Tensor) else tensor(x, "float32")
    if x.dtype != "float32":
        raise CoreError(f"dropout scales its input, which must be float32, got {x.dtype}")
    if not 0 <= rate < 1:
        raise CoreError(f"rate={rate} must be from 0 up to, but without, 1")
    if rate == 0:
        return ops.identity(x)
    shape = _noise_shape(x.shape, noise_shape)

    def draw() -> np.ndarray:
        return (generator(seed).random(shape) >= rate) / (1 - rate)

    return ops.mul(x, drawn(draw, shape, "float32"))


def _noise_shape(shape: Shape, noise_shape: Sequence[int | None] | None) -> Shape:
    if noise_shape is None:
        return shape
    lengths: list[Any] = list(noise_shape)
    if len(lengths) == len(shape):
        lengths = [
            n if wanted is None else wanted for n, wanted in zip(shape, lengths, strict=True)
        ]
    return checked_shape(lengths)


@op(input_dtype="float32", traits=Traits(random=True))
def multinomial(
    logits: TensorLike, num_samples: int, seed: Seed = None, normalized: bool = False
) -> Spec:
    """Draw outcomes with given probabilities.

    Args:
        logits: [n] or [batch, n], unnormalised log probabilities of the outcomes, at least two.
        num_samples: how many to draw for each row.
        seed: for the same outcomes each time.
        normalized: the logits are probabilities instead, which add up to 1.

    Returns:
        int32 [num_samples] or [batch, num_samples]: numbers of outcomes.

    >>> core.multinomial([0.0, 100.0], 3).numpy()
    array([1, 1, 1], dtype=int32)
    """
    logits = spec_of(logits)
    count = integer(num_samples, "num_samples", 0)
    if len(logits.shape) not in (1, 2) or logits.shape[-1] == 0 or logits.size == 1:
        raise CoreError(f"logits must be [n] or [batch, n] of two or more, got {logits.shape}")
    return Spec((*logits.shape[:-1], count), "int32")
