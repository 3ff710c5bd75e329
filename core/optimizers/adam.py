"""Optimizers of the mean gradient over its size: Adam, AdamW, Adamax and Nadam."""

from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from core.errors import CoreError
from core.optimizers.base import number
from core.optimizers.keras_optimizer import KerasOptimizer
from core.optimizers.options import CommonOptions, OtherOptions
from core.optimizers.schedules import LearningRateSchedule

if TYPE_CHECKING:
    from typing_extensions import Unpack


class _Adaptive(KerasOptimizer):
    """Base class of optimizers with two decays and a correction of the means' bias."""

    def __init__(
        self,
        learning_rate: float | LearningRateSchedule,
        beta_1: float,
        beta_2: float,
        epsilon: float,
        **options: "Unpack[CommonOptions]",
    ):
        self.beta_1, self.beta_2 = _beta(beta_1, "beta_1"), _beta(beta_2, "beta_2")
        self.epsilon = number(epsilon, "epsilon", 0)
        super().__init__(learning_rate, **options)

    def _rest(self, beta: float) -> float:
        """Return one minus the power of a decay to the next step, in float32 as in Keras."""
        return float(np.float32(1) - _power(beta, self.iterations + 1))


class Adam(_Adaptive):
    """Steps of the mean gradient over the root of the mean square, with bias correction.

    ``m += (1 - beta_1) * (g - m)``, ``v += (1 - beta_2) * (g^2 - v)``, and in step t
    ``w -= learning_rate * sqrt(1 - beta_2^t) / (1 - beta_1^t) * m / (sqrt(v) + epsilon)``.

    Source: Kingma and Ba 2014, https://arxiv.org/abs/1412.6980; amsgrad: Reddi et al. 2018,
    https://openreview.net/pdf?id=ryQu7f-RZ

    Args:
        learning_rate: factor of a step, or a schedule of `core.optimizers.schedules`.
        beta_1: decay of the mean per step, from 0 to below 1.
        beta_2: decay of the mean square per step, from 0 to below 1.
        epsilon: avoids a division by zero, 0 or more.
        amsgrad: whether to divide by the root of the largest mean square so far.
        **options: arguments of every optimizer, see `core.optimizers.KerasOptions`.

    Raises:
        CoreError: a number is not finite, or out of its range.

    >>> import core
    >>> w = core.variable([1.0, -2.0])
    >>> optimizer = core.optimizers.Adam(0.1)
    >>> for _ in range(2):
    ...     optimizer.minimize(lambda: core.sum(core.square(w)))
    >>> w.numpy().round(4)
    array([ 0.8004, -1.8002], dtype=float32)
    """

    slot_groups: tuple[tuple[str, ...], ...] = (("momentum", "velocity"),)

    def __init__(
        self,
        learning_rate: float | LearningRateSchedule = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        amsgrad: bool = False,
        **options: "Unpack[CommonOptions]",
    ):
        self.amsgrad = bool(amsgrad)
        self.formula = "largest_moments" if amsgrad else "moments"
        if amsgrad:
            self.slot_groups = ("momentum", "velocity"), ("velocity_hat",)
        super().__init__(learning_rate, beta_1, beta_2, epsilon, **options)

    def _numbers(self, rate: float) -> tuple[float, ...]:
        rate *= sqrt(self._rest(self.beta_2)) / self._rest(self.beta_1)
        return rate, 1 - self.beta_1, 1 - self.beta_2, self.epsilon


class AdamW(Adam):
    """Adam with decay of weights: each step takes ``learning_rate * weight_decay * w`` off.

    Source: Loshchilov and Hutter 2017, https://arxiv.org/abs/1711.05101

    Args:
        learning_rate: factor of a step, or a schedule of `core.optimizers.schedules`.
        weight_decay: share of each weight, times the learning rate, that a step takes off.
        beta_1: decay of the mean per step, from 0 to below 1.
        beta_2: decay of the mean square per step, from 0 to below 1.
        epsilon: avoids a division by zero, 0 or more.
        amsgrad: whether to divide by the root of the largest mean square so far.
        **options: arguments of every optimizer, see `core.optimizers.KerasOptions`.

    Raises:
        CoreError: a number is not finite, or out of its range.

    >>> import core
    >>> w = core.variable([1.0, -2.0])
    >>> optimizer = core.optimizers.AdamW(0.1, weight_decay=0.5)
    >>> optimizer.minimize(lambda: core.sum(core.square(w)))
    >>> w.numpy().round(4)
    array([ 0.85, -1.8 ], dtype=float32)
    """

    def __init__(
        self,
        learning_rate: float | LearningRateSchedule = 0.001,
        weight_decay: float = 0.004,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        amsgrad: bool = False,
        **options: "Unpack[OtherOptions]",
    ):
        if weight_decay is None:
            raise CoreError("AdamW needs a number as weight_decay; Adam has no decay")
        super().__init__(
            learning_rate, beta_1, beta_2, epsilon, amsgrad, weight_decay=weight_decay, **options
        )


class Adamax(_Adaptive):
    """Steps of the mean gradient over the largest recent gradient.

    ``m += (1 - beta_1) * (g - m)``, ``u = max(beta_2 * u, |g|)``, and in step t
    ``w -= learning_rate / (1 - beta_1^t) * m / (u + epsilon)``.

    Source: Kingma and Ba 2014, section 7.1, https://arxiv.org/abs/1412.6980

    Args:
        learning_rate: factor of a step, or a schedule of `core.optimizers.schedules`.
        beta_1: decay of the mean per step, from 0 to below 1.
        beta_2: decay of the largest gradient per step, from 0 to below 1.
        epsilon: avoids a division by zero, 0 or more.
        **options: arguments of every optimizer, see `core.optimizers.KerasOptions`.

    Raises:
        CoreError: a number is not finite, or out of its range.

    >>> import core
    >>> w = core.variable([1.0, -2.0])
    >>> optimizer = core.optimizers.Adamax(0.1)
    >>> for _ in range(2):
    ...     optimizer.minimize(lambda: core.sum(core.square(w)))
    >>> w.numpy().round(4)
    array([ 0.8052, -1.8025], dtype=float32)
    """

    formula = "largest_gradient"
    slot_groups = (("momentum", "norm"),)

    def __init__(
        self,
        learning_rate: float | LearningRateSchedule = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        **options: "Unpack[CommonOptions]",
    ):
        super().__init__(learning_rate, beta_1, beta_2, epsilon, **options)

    def _numbers(self, rate: float) -> tuple[float, ...]:
        return rate / self._rest(self.beta_1), 1 - self.beta_1, self.beta_2, self.epsilon


class Nadam(_Adaptive):
    """Adam with Nesterov momentum, whose share of the mean grows with the steps.

    With ``u(t) = beta_1 * (1 - 0.5 * 0.96^t)`` and ``U(t) = u(1) * ... * u(t)``, Adam's mean is
    replaced by ``u(t+1) * m / (1 - U(t+1)) + (1 - u(t)) * g / (1 - U(t))``.

    Source: Dozat 2015, http://cs229.stanford.edu/proj2015/054_report.pdf

    Args:
        learning_rate: factor of a step, or a schedule of `core.optimizers.schedules`.
        beta_1: decay of the mean per step, from 0 to below 1.
        beta_2: decay of the mean square per step, from 0 to below 1.
        epsilon: avoids a division by zero, 0 or more.
        **options: arguments of every optimizer, see `core.optimizers.KerasOptions`.

    Raises:
        CoreError: a number is not finite, or out of its range.

    >>> import core
    >>> w = core.variable([1.0, -2.0])
    >>> optimizer = core.optimizers.Nadam(0.1)
    >>> for _ in range(2):
    ...     optimizer.minimize(lambda: core.sum(core.square(w)))
    >>> w.numpy().round(4)
    array([ 0.8202, -1.8182], dtype=float32)
    """

    formula = "nesterov_moments"
    slot_groups = (("momentum", "velocity"),)
    shared = ("u_product",)
    _copied = ("_excluded", "_product")

    def __init__(
        self,
        learning_rate: float | LearningRateSchedule = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        **options: "Unpack[CommonOptions]",
    ):
        self._product = 0, np.float32(1)
        super().__init__(learning_rate, beta_1, beta_2, epsilon, **options)

    def _share(self, step: int) -> np.float32:
        half = np.float32(0.5) * _power(0.96, step)
        return np.float32(self.beta_1) * (np.float32(1) - half)

    @property
    def u_product(self) -> float:
        """The product of the shares of the mean in all steps so far, ``U``; files have it."""
        return float(self._product_at(self.iterations))

    @u_product.setter
    def u_product(self, product: float) -> None:
        self._product = self.iterations, np.float32(product)

    def _product_at(self, steps: int) -> np.float32:
        done, product = self._product
        if done > steps:
            done, product = 0, np.float32(1)
        for step in range(done + 1, steps + 1):
            if product == 0:
                break
            product = product * self._share(step)
        self._product = steps, product
        return product

    def _numbers(self, rate: float) -> tuple[float, ...]:
        step, one = self.iterations + 1, np.float32(1)
        product = self._product_at(step)
        share, following = self._share(step), self._share(step + 1)
        mean = following / (one - product * following)
        own = (one - share) / (one - product)
        rests = (float(one - np.float32(beta)) for beta in (self.beta_1, self.beta_2))
        return rate, float(mean), float(own), self._rest(self.beta_2), *rests, self.epsilon


def _power(base: float, step: int) -> np.float32:
    """Return the power of a float32 number, rounded once."""
    return np.float32(float(np.float32(base)) ** step)


def _beta(value: float, name: str) -> float:
    beta = number(value, name, 0, 1)
    if np.float32(beta) == 1:
        raise CoreError(f"{name} must be below 1: with 1 all gradients would be ignored")
    return beta
