"""Optimizers that follow gradients or their mean: SGD and Lion."""

from typing import TYPE_CHECKING

import numpy as np

from core.errors import CoreError
from core.optimizers.base import number
from core.optimizers.keras_optimizer import KerasOptimizer
from core.optimizers.options import CommonOptions
from core.optimizers.schedules import LearningRateSchedule

if TYPE_CHECKING:
    from typing_extensions import Unpack


class SGD(KerasOptimizer):
    """Stochastic gradient descent: ``w -= learning_rate * g``, or with momentum.

    With momentum, ``v = momentum * v - learning_rate * g`` and ``w += v``; with nesterov,
    ``w += momentum * v - learning_rate * g``.

    Source: Sutskever et al. 2013, http://proceedings.mlr.press/v28/sutskever13.pdf

    Args:
        learning_rate: factor of a step, or a schedule of `core.optimizers.schedules`.
        momentum: share of the last step that is repeated, 0 to 1.
        nesterov: whether to use the gradient of one step ahead; needs a momentum.
        **options: arguments of every optimizer, see `core.optimizers.KerasOptions`.

    Raises:
        CoreError: a number is not finite, or out of its range.

    >>> import core
    >>> w = core.variable([1.0, -2.0])
    >>> optimizer = core.optimizers.SGD(0.125, momentum=0.5)
    >>> for _ in range(2):
    ...     optimizer.minimize(lambda: core.sum(core.square(w)))
    >>> w.numpy()
    array([ 0.4375, -0.875 ], dtype=float32)
    """

    def __init__(
        self,
        learning_rate: float | LearningRateSchedule = 0.01,
        momentum: float = 0.0,
        nesterov: bool = False,
        **options: "Unpack[CommonOptions]",
    ):
        self.momentum = number(momentum, "momentum", 0, 1)
        self.nesterov = bool(nesterov)
        self.formula = "sgd"
        if self.momentum:
            self.slot_groups = (("momentum",),)
            self.formula = "looking_ahead" if nesterov else "accelerated"
        super().__init__(learning_rate, **options)

    def _numbers(self, rate: float) -> tuple[float, ...]:
        return (-rate, self.momentum) if self.momentum else (-rate,)


class Lion(KerasOptimizer):
    """Steps of one size along the signs of the mean gradient.

    ``w -= learning_rate * sign(beta_1 * m + (1 - beta_1) * g)``, then
    ``m = beta_2 * m + (1 - beta_2) * g``. Good learning rates are 3 to 10 times smaller, and
    weight decays as much larger, than those of AdamW.

    Source: Chen et al. 2023, https://arxiv.org/abs/2302.06675

    Args:
        learning_rate: size of a step, or a schedule of `core.optimizers.schedules`.
        beta_1: share of the mean in the direction of a step, above 0, at most 1.
        beta_2: decay of the mean per step, 0 to 1.
        **options: arguments of every optimizer, see `core.optimizers.KerasOptions`.

    Raises:
        CoreError: a number is not finite, or out of its range.

    >>> import core
    >>> w = core.variable([1.0, -2.0])
    >>> core.optimizers.Lion(0.25).minimize(lambda: core.sum(core.square(w)))
    >>> w.numpy()
    array([ 0.75, -1.75], dtype=float32)
    """

    formula = "signs"
    slot_groups = (("momentum",),)

    def __init__(
        self,
        learning_rate: float | LearningRateSchedule = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.99,
        **options: "Unpack[CommonOptions]",
    ):
        self.beta_1 = number(beta_1, "beta_1", 0, 1)
        self.beta_2 = number(beta_2, "beta_2", 0, 1)
        if self.beta_1 == 0:
            raise CoreError("beta_1 must be above 0: with 0 the mean would be ignored")
        super().__init__(learning_rate, **options)

    def _numbers(self, rate: float) -> tuple[float, ...]:
        rests = [float(np.float32(1) - np.float32(beta)) for beta in (self.beta_1, self.beta_2)]
        return rate, self.beta_1, rests[0], self.beta_2, rests[1]
