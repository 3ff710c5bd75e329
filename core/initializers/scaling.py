"""Initializers whose spread depends on the number of inputs and outputs of a unit."""

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from core.engine.generators import Seed, generator
from core.engine.specs import Shape
from core.errors import CoreError
from core.initializers.base import Initializer
from core.initializers.distributions import normal, truncated_normal, uniform
from core.keras.configured import snake_case

#: Names of the modes and distributions; camel case is read, too.
Mode = Literal["fan_in", "fan_out", "fan_avg"]
Distribution = Literal["truncated_normal", "untruncated_normal", "uniform", "normal"]

_MODES = ("fan_in", "fan_out", "fan_avg")
_DISTRIBUTIONS = ("truncated_normal", "untruncated_normal", "uniform")

#: Standard deviation of a normal distribution of deviation 1 that is cut at -2 and 2.
_CUT_STDDEV = 0.87962566103423978


class VarianceScaling(Initializer):
    """Random numbers whose variance is a scale over the number of inputs or outputs.

    Args:
        scale: variance times that number, above 0.
        mode: divide by the inputs of a unit (``"fan_in"``), its outputs (``"fan_out"``) or their
            mean (``"fan_avg"``).
        distribution: ``"truncated_normal"`` (also called ``"normal"``), which is cut at two
            standard deviations, ``"untruncated_normal"`` or ``"uniform"``.
        seed: for equal values at each call; by default the generator of the process draws them.
        input_axes: axes of the shape whose lengths multiply to the number of inputs, given
            together with ``output_axes``; by default all but the last.
        output_axes: axes whose lengths multiply to the number of outputs; by default all but the
            last but one.

    Raises:
        CoreError: the scale is not above 0, or there is no such mode or distribution.

    Source: He et al. 2015, https://arxiv.org/abs/1502.01852

    >>> import core
    >>> values = core.initializers.VarianceScaling(distribution="uniform", seed=1)((300, 10))
    >>> bool(abs(values).max() < 0.1)  # (3 / 300) ** 0.5
    True
    """

    def __init__(
        self,
        scale: float = 1.0,
        mode: Mode = "fan_in",
        distribution: Distribution = "truncated_normal",
        seed: Seed = None,
        input_axes: Sequence[int] | None = None,
        output_axes: Sequence[int] | None = None,
    ):
        if not 0 < scale < math.inf:
            raise CoreError(f"scale={scale} must be finite and above 0")
        self.scale = scale
        self.mode = _choice(mode, "mode", _MODES)
        known = {"normal": "truncated_normal"}.get(str(distribution), distribution)
        self.distribution = _choice(known, "distribution", _DISTRIBUTIONS)
        self.seed = seed
        self.input_axes = _axes(input_axes, "input_axes")
        self.output_axes = _axes(output_axes, "output_axes")

    def get_config(self) -> dict[str, Any]:
        """Return the arguments by name; axes only if they are given, as few versions know them."""
        config = super().get_config()
        return {k: v for k, v in config.items() if v is not None or not k.endswith("_axes")}

    def values(self, shape: Shape) -> np.ndarray:
        """Return drawn values."""
        fan_in, fan_out = compute_fans(shape, self.input_axes, self.output_axes)
        fans = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}
        variance = self.scale / max(1.0, fans[self.mode])
        if self.distribution == "uniform":
            limit = math.sqrt(3 * variance)
            return uniform(shape, -limit, limit, self.seed)
        if self.distribution == "untruncated_normal":
            return normal(shape, math.sqrt(variance), self.seed)
        return truncated_normal(shape, math.sqrt(variance) / _CUT_STDDEV, self.seed)


class _FixedScaling(VarianceScaling):
    """A `VarianceScaling` whose scale, mode and distribution are those of its class."""

    _fixed: tuple[float, Mode, Distribution]

    def __init__(
        self,
        seed: Seed = None,
        input_axes: Sequence[int] | None = None,
        output_axes: Sequence[int] | None = None,
    ):
        super().__init__(*self._fixed, seed, input_axes, output_axes)


class GlorotUniform(_FixedScaling):
    """Uniform numbers below ``sqrt(6 / (inputs + outputs))``; the default of most kernels.

    Args:
        seed: for equal values at each call; by default the generator of the process draws them.
        input_axes: see `VarianceScaling`.
        output_axes: see `VarianceScaling`.

    Source: Glorot and Bengio 2010, http://proceedings.mlr.press/v9/glorot10a.html

    >>> import core
    >>> bool(abs(core.initializers.GlorotUniform(seed=1)((4, 2))).max() < 1)
    True
    """

    _fixed = (1.0, "fan_avg", "uniform")


class GlorotNormal(_FixedScaling):
    """Normal numbers, cut at two deviations, of variance ``2 / (inputs + outputs)``.

    Args:
        seed: for equal values at each call; by default the generator of the process draws them.
        input_axes: see `VarianceScaling`.
        output_axes: see `VarianceScaling`.

    Source: Glorot and Bengio 2010, http://proceedings.mlr.press/v9/glorot10a.html

    >>> import core
    >>> core.initializers.GlorotNormal(seed=1)((4, 2)).shape
    (4, 2)
    """

    _fixed = (1.0, "fan_avg", "truncated_normal")


class HeUniform(_FixedScaling):
    """Uniform numbers below ``sqrt(6 / inputs)``, for units with ReLU.

    Args:
        seed: for equal values at each call; by default the generator of the process draws them.
        input_axes: see `VarianceScaling`.
        output_axes: see `VarianceScaling`.

    Source: He et al. 2015, https://arxiv.org/abs/1502.01852

    >>> import core
    >>> bool(abs(core.initializers.HeUniform(seed=1)((6, 2))).max() < 1)
    True
    """

    _fixed = (2.0, "fan_in", "uniform")


class HeNormal(_FixedScaling):
    """Normal numbers, cut at two deviations, of variance ``2 / inputs``, for units with ReLU.

    Args:
        seed: for equal values at each call; by default the generator of the process draws them.
        input_axes: see `VarianceScaling`.
        output_axes: see `VarianceScaling`.

    Source: He et al. 2015, https://arxiv.org/abs/1502.01852

    >>> import core
    >>> core.initializers.HeNormal(seed=1)((6, 2)).shape
    (6, 2)
    """

    _fixed = (2.0, "fan_in", "truncated_normal")


class LecunUniform(_FixedScaling):
    """Uniform numbers below ``sqrt(3 / inputs)``.

    Args:
        seed: for equal values at each call; by default the generator of the process draws them.
        input_axes: see `VarianceScaling`.
        output_axes: see `VarianceScaling`.

    Source: LeCun et al. 1998, http://yann.lecun.com/exdb/publis/pdf/lecun-98b.pdf

    >>> import core
    >>> bool(abs(core.initializers.LecunUniform(seed=1)((3, 2))).max() < 1)
    True
    """

    _fixed = (1.0, "fan_in", "uniform")


class LecunNormal(_FixedScaling):
    """Normal numbers, cut at two deviations, of variance ``1 / inputs``, for units with SELU.

    Args:
        seed: for equal values at each call; by default the generator of the process draws them.
        input_axes: see `VarianceScaling`.
        output_axes: see `VarianceScaling`.

    Source: Klambauer et al. 2017, https://arxiv.org/abs/1706.02515

    >>> import core
    >>> core.initializers.LecunNormal(seed=1)((3, 2)).shape
    (3, 2)
    """

    _fixed = (1.0, "fan_in", "truncated_normal")


class Orthogonal(Initializer):
    """An orthogonal matrix, from the QR decomposition of normal numbers.

    For a shape of more than two axes all but the last make one axis of the matrix. If there are
    fewer rows than columns the rows are orthogonal, else the columns.

    Args:
        gain: factor of the values.
        seed: for equal values at each call; by default the generator of the process draws them.

    Raises:
        CoreError: a shape has fewer than two axes.

    Source: Saxe et al. 2014, https://arxiv.org/abs/1312.6120

    >>> import core, numpy as np
    >>> q = core.initializers.Orthogonal(seed=1)((3, 2))
    >>> bool(abs(q.T @ q - np.eye(2)).max() < 1e-6)
    True
    """

    def __init__(self, gain: float = 1.0, seed: Seed = None):
        self.gain, self.seed = gain, seed

    def values(self, shape: Shape) -> np.ndarray:
        """Return the matrix, in the shape."""
        if len(shape) < 2:
            raise CoreError(
                f"Orthogonal fills shapes of two axes or more, got {shape}: take another "
                f"initializer"
            )
        rows, columns = math.prod(shape[:-1]), shape[-1]
        drawn = generator(self.seed).standard_normal((max(rows, columns), min(rows, columns)))
        q, r = np.linalg.qr(drawn)
        q = q * np.sign(np.diag(r))  # without that they were not uniformly distributed
        return self.gain * (q.T if rows < columns else q).reshape(shape)


def compute_fans(
    shape: Sequence[int],
    input_axes: Sequence[int] | None = None,
    output_axes: Sequence[int] | None = None,
) -> tuple[int, int]:
    """Return how many inputs and outputs a unit has that a weight of a shape belongs to.

    Args:
        shape: of the weight; the last two axes of a convolution's kernel are its channels.
        input_axes: axes of inputs, if they are given together with those of outputs.
        output_axes: axes of outputs.

    >>> compute_fans((3, 3, 16, 32))
    (144, 288)
    """
    if input_axes is not None and output_axes is not None:
        return _lengths(shape, input_axes), _lengths(shape, output_axes)
    if not shape:
        return 1, 1
    if len(shape) == 1:
        return shape[0], shape[0]
    field = math.prod(shape[:-2])
    return shape[-2] * field, shape[-1] * field


def _lengths(shape: Sequence[int], axes: Sequence[int]) -> int:
    try:
        return math.prod(shape[axis] for axis in axes)
    except IndexError:
        raise CoreError(f"the shape {tuple(shape)} has not all of the axes {list(axes)}") from None


def _axes(axes: Sequence[int] | None, name: str) -> list[int] | None:
    if axes is None:
        return None
    if not isinstance(axes, (list, tuple)) or not all(type(axis) is int for axis in axes):
        raise CoreError(f"{name}={axes!r:.80} must be a list of integers")
    return list(axes)


def _choice(value: str, name: str, choices: Sequence[str]) -> Any:
    """Return the name among choices that a name means in any spelling."""
    known = snake_case(str(value))
    if known not in choices:
        raise CoreError(f"{name} must be one of {', '.join(choices)}, got {value!r:.80}")
    return known
