"""Adafactor, an optimizer that keeps little state of matrices."""

from math import sqrt
from typing import TYPE_CHECKING

from core.engine.specs import Shape
from core.optimizers.base import number
from core.optimizers.keras_optimizer import KerasOptimizer
from core.optimizers.options import CommonOptions
from core.optimizers.schedules import LearningRateSchedule

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Adafactor(KerasOptimizer):
    """Steps relative to the size of each variable, over a mean square by rows and columns.

    The mean square of the gradients of a matrix is the product of its means over rows and over
    columns; vectors and numbers keep the mean square itself. Steps are clipped to a root mean
    square of clip_threshold, and multiplied by that of the variable.

    Source: Shazeer and Stern 2018, https://arxiv.org/abs/1804.04235

    Args:
        learning_rate: factor of a step, or a schedule of `core.optimizers.schedules`.
        beta_2_decay: power of the step by which the decay of the mean square approaches 1.
        epsilon_1: least mean square.
        epsilon_2: least root mean square of a variable that scales its step.
        clip_threshold: most root mean square of a step before it is scaled, above 0.
        relative_step: whether the learning rate is at most one over the root of the step; Keras
            3 applies this limit in both cases.
        **options: arguments of every optimizer, see `core.optimizers.KerasOptions`.

    Raises:
        CoreError: a number is not finite, or out of its range.

    >>> import core
    >>> w = core.variable([[1.0, -2.0], [3.0, 4.0]])
    >>> core.optimizers.Adafactor(0.5).minimize(lambda: core.sum(core.square(w)))
    >>> w.numpy().round(4)
    array([[-0.0607, -0.5   ],
           [ 1.577 ,  2.6584]], dtype=float32)
    """

    formula = "factored"
    slot_groups = (("row", "column", "velocity"),)

    def __init__(
        self,
        learning_rate: float | LearningRateSchedule = 0.001,
        beta_2_decay: float = -0.8,
        epsilon_1: float = 1e-30,
        epsilon_2: float = 1e-3,
        clip_threshold: float = 1.0,
        relative_step: bool = True,
        **options: "Unpack[CommonOptions]",
    ):
        self.beta_2_decay = number(beta_2_decay, "beta_2_decay")
        self.epsilon_1 = number(epsilon_1, "epsilon_1", 0)
        self.epsilon_2 = number(epsilon_2, "epsilon_2", 0)
        self.clip_threshold = number(clip_threshold, "clip_threshold", 1e-30)
        self.relative_step = bool(relative_step)
        super().__init__(learning_rate, **options)

    @staticmethod
    def _slot_shapes(shape: Shape, slots: tuple[str, ...]) -> list[Shape]:
        is_matrix = len(shape) >= 2
        smaller = {
            "row": shape[:-1] if is_matrix else (),
            "column": (*shape[:-2], shape[-1]) if is_matrix else (),
        }
        return [smaller.get(slot, shape) for slot in slots]

    def uses(self, slot: str, shape: Shape) -> bool:
        """Return whether a variable of a shape needs a slot: vectors have no rows and columns."""
        return len(shape) >= 2 or slot not in ("row", "column")

    def _numbers(self, rate: float) -> tuple[float, ...]:
        step = self.iterations + 1
        beta = 1 - step**self.beta_2_decay
        rate = min(rate, 1 / sqrt(step))
        return rate, beta, 1 - beta, self.epsilon_1, self.epsilon_2, self.clip_threshold
