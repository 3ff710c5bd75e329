"""Optimizers that divide gradients by roots of their squares: RMSprop, Adagrad and Adadelta."""

from typing import TYPE_CHECKING

from core.optimizers.base import number
from core.optimizers.keras_optimizer import KerasOptimizer
from core.optimizers.options import CommonOptions
from core.optimizers.schedules import LearningRateSchedule

if TYPE_CHECKING:
    from typing_extensions import Unpack


class RMSprop(KerasOptimizer):
    """Gradient descent divided by the root mean square of recent gradients.

    ``v = rho * v + (1 - rho) * g^2``, ``w -= learning_rate * g / sqrt(v + epsilon)``; with
    momentum, ``m = momentum * m + learning_rate * g / sqrt(v + epsilon)`` and ``w -= m``.

    Source: Tieleman and Hinton 2012,
    http://www.cs.toronto.edu/~tijmen/csc321/slides/lecture_slides_lec6.pdf

    Args:
        learning_rate: factor of a step, or a schedule of `core.optimizers.schedules`.
        rho: decay of the mean square per step, 0 to 1.
        momentum: share of the last step that is repeated, 0 to 1.
        epsilon: avoids a division by zero, 0 or more.
        centered: divide by the root of the variance, ``sqrt(v - mean(g)^2 + epsilon)``.
        **options: arguments of every optimizer, see `core.optimizers.KerasOptions`.

    Raises:
        CoreError: a number is not finite, or out of its range.

    >>> import core
    >>> w = core.variable([1.0, -2.0])
    >>> optimizer = core.optimizers.RMSprop(0.1)
    >>> for _ in range(2):
    ...     optimizer.minimize(lambda: core.sum(core.square(w)))
    >>> w.numpy().round(4)
    array([ 0.4989, -1.4739], dtype=float32)
    """

    def __init__(
        self,
        learning_rate: float | LearningRateSchedule = 0.001,
        rho: float = 0.9,
        momentum: float = 0.0,
        epsilon: float = 1e-7,
        centered: bool = False,
        **options: "Unpack[CommonOptions]",
    ):
        self.rho = number(rho, "rho", 0, 1)
        self.momentum = number(momentum, "momentum", 0, 1)
        self.epsilon = number(epsilon, "epsilon", 0)
        self.centered = bool(centered)
        kinds = {"velocity": True, "momentum": self.momentum > 0, "average_gradient": centered}
        self.slot_groups = tuple((slot,) for slot, is_needed in kinds.items() if is_needed)
        if self.momentum:
            self.formula = "root_variance_momentum" if centered else "rmsprop"
        else:
            self.formula = "root_variance" if centered else "root_mean_square"
        super().__init__(learning_rate, **options)

    def _numbers(self, rate: float) -> tuple[float, ...]:
        momentum = (self.momentum,) if self.momentum else ()
        return rate, self.rho, 1 - self.rho, *momentum, self.epsilon


class Adagrad(KerasOptimizer):
    """Gradient descent divided by the root of the sum of all squared gradients.

    ``sums += g^2``, ``w -= learning_rate * g / sqrt(sums + epsilon)``.

    Source: Duchi et al. 2011, http://www.jmlr.org/papers/volume12/duchi11a/duchi11a.pdf

    Args:
        learning_rate: factor of a step, or a schedule of `core.optimizers.schedules`.
        initial_accumulator_value: first value of the sums, 0 or more.
        epsilon: avoids a division by zero, 0 or more.
        **options: arguments of every optimizer, see `core.optimizers.KerasOptions`.

    Raises:
        CoreError: a number is not finite, or out of its range.

    >>> import core
    >>> w = core.variable([1.0, -2.0])
    >>> optimizer = core.optimizers.Adagrad(0.5)
    >>> for _ in range(2):
    ...     optimizer.minimize(lambda: core.sum(core.square(w)))
    >>> w.numpy().round(4)
    array([ 0.2826, -1.202 ], dtype=float32)
    """

    formula = "adagrad"
    slot_groups = (("accumulator",),)

    def __init__(
        self,
        learning_rate: float | LearningRateSchedule = 0.001,
        initial_accumulator_value: float = 0.1,
        epsilon: float = 1e-7,
        **options: "Unpack[CommonOptions]",
    ):
        initial = number(initial_accumulator_value, "initial_accumulator_value", 0)
        self.initial_accumulator_value = initial
        self.epsilon = number(epsilon, "epsilon", 0)
        super().__init__(learning_rate, [initial], **options)

    def _numbers(self, rate: float) -> tuple[float, ...]:
        return -rate, self.epsilon


class Adadelta(KerasOptimizer):
    """Steps scaled by the root mean square of recent steps over that of recent gradients.

    ``grads = rho * grads + (1 - rho) * g^2``,
    ``change = g * sqrt(changes + epsilon) / sqrt(grads + epsilon)``,
    ``changes = rho * changes + (1 - rho) * change^2``, ``w -= learning_rate * change``.

    Source: Zeiler 2012, https://arxiv.org/abs/1212.5701

    Args:
        learning_rate: factor of a step, or a schedule; 1 in the paper.
        rho: decay of the means per step, 0 to 1.
        epsilon: avoids a division by zero, 0 or more.
        **options: arguments of every optimizer, see `core.optimizers.KerasOptions`.

    Raises:
        CoreError: a number is not finite, or out of its range.

    >>> import core
    >>> w = core.variable([1.0, -2.0])
    >>> optimizer = core.optimizers.Adadelta(1.0, epsilon=0.01)
    >>> for _ in range(2):
    ...     optimizer.minimize(lambda: core.sum(core.square(w)))
    >>> w.numpy().round(4)
    array([ 0.2568, -1.1639], dtype=float32)
    """

    formula = "unit_free"
    slot_groups = (("accumulated_grad", "accumulated_delta_var"),)

    def __init__(
        self,
        learning_rate: float | LearningRateSchedule = 0.001,
        rho: float = 0.95,
        epsilon: float = 1e-7,
        **options: "Unpack[CommonOptions]",
    ):
        self.rho, self.epsilon = number(rho, "rho", 0, 1), number(epsilon, "epsilon", 0)
        super().__init__(learning_rate, **options)

    def _numbers(self, rate: float) -> tuple[float, ...]:
        return rate, self.rho, 1 - self.rho, self.epsilon
