"""Learning rates that change with the number of steps, with Keras 3's names and formulas.

>>> import core
>>> schedule = core.optimizers.schedules.ExponentialDecay(0.1, decay_steps=100, decay_rate=0.5)
>>> [schedule(step) for step in (0, 100, 200)]
[0.1, 0.05, 0.025]
>>> core.optimizers.SGD(schedule).learning_rate
0.1
"""

from collections.abc import Mapping, Sequence
from math import ceil, cos, floor, log, pi
from typing import Any

from core.errors import CoreError
from core.keras.configured import Configured, NamedClasses
from core.keras.configured import document_of as _document_of
from core.optimizers.base import number


class LearningRateSchedule(Configured):
    """Base class of schedules: a subclass defines ``__call__``, from a step to a learning rate."""

    name: str | None

    def __call__(self, step: int) -> float:
        """Return the learning rate of a step.

        Args:
            step: number of steps made so far, from 0.
        """
        raise CoreError(
            f"{type(self).__name__} must define __call__(step), which returns the learning rate"
        )


class ExponentialDecay(LearningRateSchedule):
    """Schedule ``initial_learning_rate * decay_rate ** (step / decay_steps)``.

    Args:
        initial_learning_rate: learning rate of step 0.
        decay_steps: steps over which the rate is multiplied by decay_rate, above 0.
        decay_rate: factor, 0 or more.
        staircase: whether the rate changes after each decay_steps only.
        name: for configs.

    Raises:
        CoreError: a number is not finite, or out of its range.

    >>> import core
    >>> core.optimizers.schedules.ExponentialDecay(0.5, 10, 0.5, staircase=True)(19)
    0.25
    """

    def __init__(
        self,
        initial_learning_rate: float,
        decay_steps: float,
        decay_rate: float,
        staircase: bool = False,
        name: str | None = "ExponentialDecay",
    ):
        self.initial_learning_rate = number(initial_learning_rate, "initial_learning_rate")
        self.decay_steps = _steps(decay_steps, "decay_steps")
        self.decay_rate = number(decay_rate, "decay_rate", 0)
        self.staircase, self.name = bool(staircase), name

    def __call__(self, step: int) -> float:
        """Return the learning rate of a step, from 0."""
        share = step / self.decay_steps
        power = floor(share) if self.staircase else share
        return self.initial_learning_rate * self.decay_rate**power


class InverseTimeDecay(LearningRateSchedule):
    """Schedule ``initial_learning_rate / (1 + decay_rate * step / decay_steps)``.

    Args:
        initial_learning_rate: learning rate of step 0.
        decay_steps: steps after which decay_rate counts once, above 0.
        decay_rate: rate of the decay, 0 or more.
        staircase: whether the rate changes after each decay_steps only.
        name: for configs.

    Raises:
        CoreError: a number is not finite, or out of its range.

    >>> import core
    >>> core.optimizers.schedules.InverseTimeDecay(0.5, 10, 1.0)(10)
    0.25
    """

    def __init__(
        self,
        initial_learning_rate: float,
        decay_steps: float,
        decay_rate: float,
        staircase: bool = False,
        name: str | None = "InverseTimeDecay",
    ):
        self.initial_learning_rate = number(initial_learning_rate, "initial_learning_rate")
        self.decay_steps = _steps(decay_steps, "decay_steps")
        self.decay_rate = number(decay_rate, "decay_rate", 0)
        self.staircase, self.name = bool(staircase), name

    def __call__(self, step: int) -> float:
        """Return the learning rate of a step, from 0."""
        share = step / self.decay_steps
        times = floor(share) if self.staircase else share
        return self.initial_learning_rate / (1 + self.decay_rate * times)


class PiecewiseConstantDecay(LearningRateSchedule):
    """Schedule of constants: ``values[0]`` up to step ``boundaries[0]`` inclusive, and so on.

    Args:
        boundaries: steps in rising order.
        values: learning rates, one more than boundaries.
        name: for configs.

    Raises:
        CoreError: there is not one value more than boundaries, or boundaries do not rise.

    >>> import core
    >>> schedule = core.optimizers.schedules.PiecewiseConstantDecay([10, 20], [0.5, 0.25, 0.125])
    >>> [schedule(step) for step in (0, 10, 11, 21)]
    [0.5, 0.5, 0.25, 0.125]
    """

    def __init__(
        self,
        boundaries: Sequence[float],
        values: Sequence[float],
        name: str | None = "PiecewiseConstant",
    ):
        self.boundaries, self.values, self.name = [*boundaries], [*values], name
        if not self.boundaries or len(self.values) != len(self.boundaries) + 1:
            raise CoreError(
                f"there must be one value more than boundaries, of which there is at least one: "
                f"got {len(self.boundaries)} boundaries and {len(self.values)} values"
            )
        for each in self.boundaries:
            number(each, "a boundary")
        for each in self.values:
            number(each, "a value")
        if sorted(self.boundaries) != self.boundaries:
            raise CoreError(f"boundaries={self.boundaries} must be in rising order")

    def __call__(self, step: int) -> float:
        """Return the learning rate of a step, from 0."""
        ends = zip(self.boundaries, self.values, strict=False)
        return next((float(v) for b, v in ends if step <= b), float(self.values[-1]))


class PolynomialDecay(LearningRateSchedule):
    """Schedule from one learning rate to another: ``(first - end) * (1 - share) ** power + end``.

    Args:
        initial_learning_rate: learning rate of step 0.
        decay_steps: number of steps until the end, above 0.
        end_learning_rate: learning rate at the end.
        power: power of the polynomial; 1 is a line.
        cycle: whether the decay starts anew, with twice, three times... the steps, at each end.
        name: for configs.

    Raises:
        CoreError: a number is not finite, or out of its range.

    >>> import core
    >>> core.optimizers.schedules.PolynomialDecay(0.75, 10, end_learning_rate=0.25)(5)
    0.5
    """

    def __init__(
        self,
        initial_learning_rate: float,
        decay_steps: float,
        end_learning_rate: float = 0.0001,
        power: float = 1.0,
        cycle: bool = False,
        name: str | None = "PolynomialDecay",
    ):
        self.initial_learning_rate = number(initial_learning_rate, "initial_learning_rate")
        self.decay_steps = _steps(decay_steps, "decay_steps")
        self.end_learning_rate = number(end_learning_rate, "end_learning_rate")
        self.power = number(power, "power", 0)
        self.cycle, self.name = bool(cycle), name

    def __call__(self, step: int) -> float:
        """Return the learning rate of a step, from 0."""
        times = max(1, ceil(step / self.decay_steps)) if self.cycle else 1
        share = min(1.0, step / (self.decay_steps * times))
        change = self.initial_learning_rate - self.end_learning_rate
        return change * (1 - share) ** self.power + self.end_learning_rate


class CosineDecay(LearningRateSchedule):
    """Schedule along half a cosine, after a linear warmup if warmup_target is given.

    Source: Loshchilov and Hutter 2016, https://arxiv.org/abs/1608.03983

    Args:
        initial_learning_rate: learning rate of step 0.
        decay_steps: number of steps of the cosine, above 0.
        alpha: share of the learning rate that is left at the end.
        name: for configs.
        warmup_target: learning rate after the warmup; None means no warmup.
        warmup_steps: number of steps from initial_learning_rate to warmup_target.

    Raises:
        CoreError: a number is not finite, or out of its range.

    >>> import core
    >>> schedule = core.optimizers.schedules.CosineDecay(
    ...     0.0, 100, warmup_target=0.5, warmup_steps=10
    ... )
    >>> [schedule(step) for step in (0, 5, 10, 60, 110)]
    [0.0, 0.25, 0.5, 0.25, 0.0]
    """

    def __init__(
        self,
        initial_learning_rate: float,
        decay_steps: float,
        alpha: float = 0.0,
        name: str | None = "CosineDecay",
        warmup_target: float | None = None,
        warmup_steps: float = 0,
    ):
        self.initial_learning_rate = number(initial_learning_rate, "initial_learning_rate")
        self.decay_steps = _steps(decay_steps, "decay_steps")
        self.alpha, self.name = number(alpha, "alpha"), name
        self.warmup_target = (
            None if warmup_target is None else number(warmup_target, "warmup_target")
        )
        self.warmup_steps = _steps(warmup_steps, "warmup_steps", or_zero=True)

    def __call__(self, step: int) -> float:
        """Return the learning rate of a step, from 0."""
        first, target = self.initial_learning_rate, self.warmup_target
        if target is not None and step < self.warmup_steps:
            return (target - first) * step / self.warmup_steps + first
        done = step if target is None else step - self.warmup_steps
        return (first if target is None else target) * _cosine(
            min(1.0, done / self.decay_steps), 1.0, self.alpha
        )


class CosineDecayRestarts(LearningRateSchedule):
    """Schedule along half cosines, each of which starts at the top again.

    Source: Loshchilov and Hutter 2016, https://arxiv.org/abs/1608.03983

    Args:
        initial_learning_rate: learning rate of step 0.
        first_decay_steps: number of steps of the first cosine, above 0.
        t_mul: length of each cosine over that of the one before, 1 or more.
        m_mul: first learning rate of each cosine over that of the one before.
        alpha: share of the learning rate that is left at the end of the first cosine.
        name: for configs.

    Raises:
        CoreError: a number is not finite, or out of its range.

    >>> import core
    >>> schedule = core.optimizers.schedules.CosineDecayRestarts(0.5, 10, m_mul=0.5)
    >>> [schedule(step) for step in (0, 5, 10, 30)]
    [0.5, 0.25, 0.25, 0.125]
    """

    def __init__(
        self,
        initial_learning_rate: float,
        first_decay_steps: float,
        t_mul: float = 2.0,
        m_mul: float = 1.0,
        alpha: float = 0.0,
        name: str | None = "SGDRDecay",
    ):
        self.initial_learning_rate = number(initial_learning_rate, "initial_learning_rate")
        self.first_decay_steps = _steps(first_decay_steps, "first_decay_steps")
        self.t_mul = number(t_mul, "t_mul", 1)
        self.m_mul, self.alpha = number(m_mul, "m_mul", 0), number(alpha, "alpha")
        self.name = name

    def __call__(self, step: int) -> float:
        """Return the learning rate of a step, from 0."""
        share, ratio = step / self.first_decay_steps, self.t_mul
        if ratio == 1:
            restarts = floor(share)
            share -= restarts
        else:
            restarts = floor(log(1 - share * (1 - ratio)) / log(ratio) + 1e-12)
            share = (share - (1 - ratio**restarts) / (1 - ratio)) / ratio**restarts
        return self.initial_learning_rate * _cosine(share, self.m_mul**restarts, self.alpha)


def _cosine(share: float, top: float, alpha: float) -> float:
    """Return the value at a share of half a cosine from a top down to alpha."""
    return (1 - alpha) * 0.5 * top * (1 + cos(pi * share)) + alpha


def _steps(value: float, name: str, *, or_zero: bool = False) -> float:
    """Return a number of steps; raise CoreError unless it is above 0."""
    found = number(value, name, 0)
    if found == 0 and not or_zero:
        raise CoreError(f"{name}={value!r} must be above 0")
    return int(found) if found == floor(found) else found


_SCHEDULES = NamedClasses(
    "learning-rate schedule",
    LearningRateSchedule,
    {
        each.__name__: each
        for each in (
            ExponentialDecay,
            PiecewiseConstantDecay,
            PolynomialDecay,
            InverseTimeDecay,
            CosineDecay,
            CosineDecayRestarts,
        )
    },
)


def get(identifier: str | Mapping[str, Any] | LearningRateSchedule) -> LearningRateSchedule:
    """Return a schedule for a config, as in files of Keras, or for a schedule itself.

    Args:
        identifier: a schedule, or a dict of "class_name" and "config".

    Raises:
        CoreError: there is no such schedule, or an argument does not fit.

    >>> import core
    >>> core.optimizers.schedules.get(
    ...     {"class_name": "CosineDecay", "config": {"initial_learning_rate": 1, "decay_steps": 2}}
    ... )(1)
    0.5
    """
    return _SCHEDULES.get(identifier)


def serialize(schedule: LearningRateSchedule) -> dict[str, Any]:
    """Return the config from which `get` makes an equal schedule, as Keras 3 writes it."""
    found = _document_of(schedule)
    return {"module": "keras.optimizers.schedules", "registered_name": None, **found}
