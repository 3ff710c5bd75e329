"""Ftrl, an optimizer for models with many zeros."""

from typing import TYPE_CHECKING

from core.optimizers.base import number
from core.optimizers.keras_optimizer import KerasOptimizer
from core.optimizers.options import CommonOptions
from core.optimizers.schedules import LearningRateSchedule

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Ftrl(KerasOptimizer):
    """Follow the regularized leader: weights that L1 regularization makes exactly zero.

    With ``p = -learning_rate_power`` and ``n`` the sum of squared gradients,
    ``z += g + 2 * shrinkage * w - (n_new^p - n^p) / learning_rate * w`` and
    ``w = (clip(z, -l1, l1) - z) / (n_new^p / learning_rate + 2 * l2 + beta / learning_rate)``.

    Source: McMahan et al. 2013, https://research.google.com/pubs/archive/41159.pdf

    Args:
        learning_rate: factor of a step, above 0, or a schedule of `core.optimizers.schedules`.
        learning_rate_power: how the rate decays with the gradients, 0 or less; -0.5 is a root.
        initial_accumulator_value: first value of the sum of squares, 0 or more.
        l1_regularization_strength: L1 penalty, 0 or more.
        l2_regularization_strength: L2 penalty that stabilizes, 0 or more.
        l2_shrinkage_regularization_strength: L2 penalty on the size of weights, 0 or more.
        beta: addend of the root of the sum of squares.
        **options: arguments of every optimizer, see `core.optimizers.KerasOptions`.

    Raises:
        CoreError: a number is not finite, or out of its range.

    >>> import core
    >>> w = core.variable([1.0, -2.0])
    >>> optimizer = core.optimizers.Ftrl(0.5, l1_regularization_strength=1.0)
    >>> optimizer.minimize(lambda: core.sum(core.square(w)))
    >>> w.numpy().round(4)
    array([ 0.103 , -1.2193], dtype=float32)
    """

    slot_groups = (("accumulator", "linear"),)

    def __init__(
        self,
        learning_rate: float | LearningRateSchedule = 0.001,
        learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        l2_shrinkage_regularization_strength: float = 0.0,
        beta: float = 0.0,
        **options: "Unpack[CommonOptions]",
    ):
        strengths = {
            "initial_accumulator_value": initial_accumulator_value,
            "l1_regularization_strength": l1_regularization_strength,
            "l2_regularization_strength": l2_regularization_strength,
            "l2_shrinkage_regularization_strength": l2_shrinkage_regularization_strength,
        }
        initial, l1, l2, shrinkage = (number(v, n, 0) for n, v in strengths.items())
        self.learning_rate_power = -number(-learning_rate_power, "-learning_rate_power", 0)
        self.initial_accumulator_value = initial
        self.l1_regularization_strength = l1
        self.l2_regularization_strength = l2
        self.l2_shrinkage_regularization_strength = shrinkage
        self.beta = number(beta, "beta")
        is_root = self.learning_rate_power == -0.5
        self.formula = "follow_the_leader" if is_root else "follow_the_leader_power"
        super().__init__(learning_rate, [initial, 0.0], **options)

    def _numbers(self, rate: float) -> tuple[float, ...]:
        l1, power = self.l1_regularization_strength, -self.learning_rate_power
        l2 = 2 * self.l2_regularization_strength + (self.beta / rate if self.beta else 0.0)
        found = rate, l1, -l1, l2, 2 * self.l2_shrinkage_regularization_strength
        return found if power == 0.5 else (*found, power)
