"""Arguments that all of Keras's optimizers share, learning rates, and configs."""

import inspect
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypedDict, TypeVar

from core.engine.specs import Shape, integer
from core.engine.variables import Variable
from core.errors import CoreError
from core.keras.configured import snake_case
from core.optimizers import schedules
from core.optimizers.base import Optimizer, number
from core.optimizers.clipping import CLIPS
from core.optimizers.learning_rates import LearningRate
from core.optimizers.schedules import LearningRateSchedule

Kind = TypeVar("Kind", bound="KerasOptions")

#: Slots that options add to those of the formula, in Keras's order.
AVERAGE, ACCUMULATOR = "average", "gradient_accumulator"


class OtherOptions(TypedDict, total=False):
    """Arguments of every optimizer of Keras without weight_decay; see `KerasOptions`."""

    clipnorm: float | None
    clipvalue: float | None
    global_clipnorm: float | None
    use_ema: bool
    ema_momentum: float
    ema_overwrite_frequency: int | None
    loss_scale_factor: float | None
    gradient_accumulation_steps: int | None
    name: str | None


class CommonOptions(OtherOptions, total=False):
    """Arguments of every optimizer of Keras; see `KerasOptions`."""

    weight_decay: float | None


class KerasOptions(Optimizer):
    """An optimizer with the arguments that all of Keras's optimizers share.

    Args:
        learning_rate: factor of a step, or a schedule of `core.optimizers.schedules`.
        initial: the first value of each slot.
        weight_decay: share of each variable, times the learning rate, that a step takes off.
        clipnorm: most length (Euclidean norm) of each gradient, above 0.
        clipvalue: most size of each number of the gradients, above 0.
        global_clipnorm: most length of all gradients as one vector, above 0.
        use_ema: whether to keep moving averages of the variables, see `finalize_variable_values`.
        ema_momentum: share of the old average that a step keeps, 0 to 1.
        ema_overwrite_frequency: number of steps after which variables become their averages.
        loss_scale_factor: factor of the loss, by which a step divides the gradients.
        gradient_accumulation_steps: number of calls, 2 or more, whose mean gradient makes one
            step; the other calls keep their gradients only.
        name: for configs and names in saved files.

    Attributes:
        slot_groups: names of the slots in Keras's order: those of a group stand side by side for
            each variable, group after group.
        shared: attributes that are state of the optimizer as a whole.
    """

    slot_groups: tuple[tuple[str, ...], ...] = ()
    shared: tuple[str, ...] = ()
    epsilon: float
    _copied: tuple[str, ...] = ("_excluded",)  # beside the config and the slots
    _learning_rate: float | LearningRateSchedule  # type: ignore[assignment]

    def __init__(
        self,
        learning_rate: float | LearningRateSchedule,
        initial: Sequence[float] | None = None,
        *,
        weight_decay: float | None = None,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        use_ema: bool = False,
        ema_momentum: float = 0.99,
        ema_overwrite_frequency: int | None = None,
        loss_scale_factor: float | None = None,
        gradient_accumulation_steps: int | None = None,
        name: str | None = None,
    ):
        self.name = snake_case(type(self).__name__) if name is None else name
        self.weight_decay = None if weight_decay is None else number(weight_decay, "weight_decay")
        self.clipnorm = _above_zero(clipnorm, "clipnorm")
        self.clipvalue = _above_zero(clipvalue, "clipvalue")
        self.global_clipnorm = _above_zero(global_clipnorm, "global_clipnorm")
        self.use_ema = bool(use_ema)
        self.ema_momentum = number(ema_momentum, "ema_momentum", 0, 1)
        self.ema_overwrite_frequency = _count(ema_overwrite_frequency, "ema_overwrite_frequency", 1)
        self.loss_scale_factor = _above_zero(loss_scale_factor, "loss_scale_factor")
        self.gradient_accumulation_steps = _count(
            gradient_accumulation_steps, "gradient_accumulation_steps", 2
        )
        self._check_clips()
        self._excluded: tuple[frozenset[str], str] = frozenset(), ""
        own = tuple(slot for group in self.slot_groups for slot in group)
        self.own_slots = len(own)
        self.slots = own + self._extra_slots()
        initial = [*(initial or [0.0] * len(own)), *[0.0] * len(self._extra_slots())]
        super().__init__(learning_rate, initial)  # type: ignore[arg-type]

    def __init_subclass__(cls, **options: Any) -> None:
        """Give the class a signature that lists the common arguments, too."""
        super().__init_subclass__(**options)
        own = inspect.signature(cls.__init__).parameters
        common = inspect.signature(KerasOptions.__init__).parameters
        listed = {n: p for n, p in own.items() if n != "self" and p.kind is not p.VAR_KEYWORD}
        if len(listed) < len(own) - 1:  # the class passes the common arguments on
            listed |= {n: common[n] for n in CommonOptions.__annotations__ if n not in listed}
            cls.__signature__ = inspect.Signature([*listed.values()])  # type: ignore[attr-defined]

    def uses(self, slot: str, shape: Shape) -> bool:
        """Return whether a variable of a shape needs a slot."""
        return True

    def _extra_slots(self) -> tuple[str, ...]:
        averages = (AVERAGE,) if self.use_ema else ()
        return averages + ((ACCUMULATOR,) if self.gradient_accumulation_steps else ())

    def _check_clips(self) -> None:
        given = {name: getattr(self, name) for name in CLIPS if getattr(self, name) is not None}
        if len(given) > 1:
            options = ", ".join(f"{name}={value}" for name, value in given.items())
            raise CoreError(f"gradients are clipped in one way only, got {options}: give one")

    # --- Learning rate and number of steps ----------------------------------------------------

    @property
    def learning_rate(self) -> LearningRate:
        """The factor of the next step.

        A number or a schedule can be set at any time, but no number instead of a schedule.
        """
        rate = self._learning_rate
        if isinstance(rate, LearningRateSchedule):
            rate = rate(self._iterations)
        return LearningRate(rate, self)

    @learning_rate.setter
    def learning_rate(self, value: float | LearningRateSchedule) -> None:
        if isinstance(value, LearningRateSchedule):
            self._learning_rate = value
            return
        if isinstance(getattr(self, "_learning_rate", None), LearningRateSchedule):
            raise CoreError(
                f"the learning rate follows the schedule {self._learning_rate!r}: assign another "
                f"schedule, or make a new optimizer with learning_rate={value!r}"
            )
        self._learning_rate = number(value, "learning_rate")

    @property
    def schedule(self) -> LearningRateSchedule | None:
        """The schedule of the learning rate, if there is one."""
        rate = self._learning_rate
        return rate if isinstance(rate, LearningRateSchedule) else None

    @property
    def iterations(self) -> int:
        """The number of steps made, without calls that only kept their gradients."""
        return self._iterations // (self.gradient_accumulation_steps or 1)

    # --- Configuration ------------------------------------------------------------------------

    def get_config(self) -> dict[str, Any]:
        """Return the arguments of the optimizer, with a schedule as a config as Keras 3 writes it.

        >>> import core
        >>> config = core.optimizers.SGD(0.5, momentum=0.9).get_config()
        >>> config["learning_rate"], config["momentum"], config["weight_decay"]
        (0.5, 0.9, None)
        """
        config = super().get_config()
        if self.schedule is not None:
            config["learning_rate"] = schedules.serialize(self.schedule)
        return config

    def __reduce__(self) -> Any:
        made, (kind, config, weights) = super().__reduce__()
        if self.schedule is not None:  # also one of a user-defined class
            config = {**config, "learning_rate": self.schedule}
        kept = (*self._copied, "_registered_name")
        return made, (kind, config, weights), {name: getattr(self, name) for name in kept}

    def __repr__(self) -> str:
        parameters = inspect.signature(type(self)).parameters
        shown = {
            name: value
            for name, value in self._options().items()
            if name not in CommonOptions.__annotations__
            or value not in (parameters[name].default, snake_case(type(self).__name__))
        }
        shown["learning_rate"] = self._learning_rate
        return f"{type(self).__name__}({', '.join(f'{n}={v!r}' for n, v in shown.items())})"

    @classmethod
    def from_config(cls: type[Kind], config: Mapping[str, Any]) -> Kind:
        """Make an optimizer from the result of `get_config`; missing arguments have their defaults.

        Raises:
            CoreError: an argument is unknown or missing, or its value is invalid.
        """
        rate = config.get("learning_rate")
        if isinstance(rate, Mapping):
            config = {**config, "learning_rate": schedules.get(rate)}
        return super().from_config(config)

    def exclude_from_weight_decay(
        self, var_list: Iterable[Variable] = (), var_names: Iterable[str] = ()
    ) -> None:
        """Choose the variables whose weights do not decay; call it before the first step.

        Args:
            var_list: variables.
            var_names: regular expressions, such as "bias", that are found in names of variables.

        Raises:
            CoreError: an expression is invalid, or a step was made.

        >>> import core
        >>> optimizer = core.optimizers.AdamW()
        >>> optimizer.exclude_from_weight_decay(var_names=["bias", "gamma"])
        """
        if self._state.kept:
            raise CoreError("call exclude_from_weight_decay before the first step and build")
        pattern = "|".join(sorted({*var_names}))
        try:
            re.compile(pattern)
        except re.error as error:
            raise CoreError(f"{pattern!r} is no regular expression: {error}") from error
        self._excluded = frozenset(v.name for v in var_list), pattern

    def _decays(self, variable: Variable) -> bool:
        names, pattern = self._excluded
        if self.weight_decay is None or variable.name in names:
            return False
        return not (pattern and re.search(pattern, variable.name))


def _above_zero(value: float | None, name: str) -> float | None:
    found = None if value is None else number(value, name, 0)
    if found == 0:
        raise CoreError(f"{name}={value!r} must be above 0; None leaves it out")
    return found


def _count(value: int | None, name: str, least: int) -> int | None:
    return None if value is None else integer(value, name, least)
