"""Base class of all optimizers: checks of gradients, steps, and saved state."""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isfinite
from time import perf_counter
from typing import Any, NamedTuple, TypeVar
from weakref import WeakValueDictionary

import numpy as np

from core.autodiff.gradients import Gradients, VariableGrads, variable_grads
from core.autodiff.tape import Tape
from core.engine.backend import Backend
from core.engine.dispatch import handle_on
from core.engine.nan_check import check_finite
from core.engine.observers import active_observers, unobserved
from core.engine.settings import active_backend, flags
from core.engine.specs import Shape, Spec
from core.engine.tensors import Tensor
from core.engine.trace_hook import FunctionTrace, active_trace
from core.engine.variables import Variable
from core.errors import CoreError
from core.keras.configured import Configured
from core.optimizers.formulas import FORMULAS
from core.optimizers.learning_rates import LearningRate
from core.optimizers.pairs import fitting_pairs
from core.optimizers.slots import ITERATIONS, OptimizerState
from core.process.locks import new_lock

Kind = TypeVar("Kind", bound="Optimizer")

#: Number of steps between removals of denormal numbers, which fading means produce.
_CLEAN_EVERY = 16

#: Product of betas that is negligible compared with 1; a number below the largest of float32.
_NEGLIGIBLE, _LARGEST = 1e-9, 3e38


class Update(NamedTuple):
    """One variable in a step, with its gradient and its slots."""

    variable: Variable
    gradient: Tensor
    slots: list[Variable]


class Optimizer(Configured):
    """An optimizer, which changes variables along their gradients: the base of `Adam` and others.

    An optimizer does not keep variables alive: the state of a variable is freed with it.

    Attributes:
        formula: name of the step in `core.optimizers.formulas`.
        slots: names of the state of each variable, as in saved state.
        epsilon: avoids a division by zero; None means the backend's, 1e-7 on ``cpu``.
    """

    formula: str
    slots: tuple[str, ...] = ()
    epsilon: float | None = None
    _learning_rate: float

    def __init__(self, learning_rate: float, initial: Sequence[float] | None = None):
        if not hasattr(self, "formula"):
            raise CoreError(
                f"{type(self).__name__} has no formula, as it is a base class: make an "
                f"optimizer such as core.train.sgd(0.1)"
            )
        self.learning_rate = learning_rate
        self._iterations = 0
        initial = [0.0] * len(self.slots) if initial is None else initial
        self._state = OptimizerState(self.slots, initial, self._slot_shapes)
        self._seen: WeakValueDictionary[str, Variable] = WeakValueDictionary()
        self._powers: dict[float, tuple[int, float]] = {}
        self._stepping = new_lock()

    @property
    def learning_rate(self) -> LearningRate:
        """The factor of a step, which can be set at any time."""
        return LearningRate(self._learning_rate, self)

    @learning_rate.setter
    def learning_rate(self, value: float) -> None:
        self._learning_rate = number(value, "learning_rate")

    @property
    def iterations(self) -> int:
        """The number of steps made."""
        return self._iterations

    def minimize(
        self,
        function: Callable[[], Tensor],
        return_cost: bool = False,
        variables: Iterable[Variable] | None = None,
    ) -> Tensor | None:
        """Make one step that lowers the value of a function.

        Args:
            function: takes nothing and returns one number, the loss, computed from variables.
            return_cost: whether to return that number.
            variables: variables to change; by default all trainable ones that the function reads.

        Returns:
            The loss before the step, or None.

        Raises:
            CoreError: as for `core.variable_grads`.

        >>> import core
        >>> w = core.variable(2.0)
        >>> optimizer = core.train.sgd(0.25)
        >>> optimizer.minimize(lambda: core.square(w), return_cost=True).item(), w.item()
        (4.0, 1.0)
        """
        value, gradients = self.compute_gradients(function, variables)
        self.apply_gradients(gradients)
        return value if return_cost else None

    def compute_gradients(
        self, function: Callable[[], Tensor], variables: Iterable[Variable] | None = None
    ) -> VariableGrads:
        """Return the value and the gradients of a function, like `core.variable_grads`.

        Args:
            function: takes nothing and returns one number, the loss, computed from variables.
            variables: variables of the gradients; by default all trainable ones that the function
                reads.

        Returns:
            A named tuple ``(value, grads)``; `apply_gradients` takes the gradients, also after
            changes.

        Raises:
            CoreError: the value is not one number, or does not depend on a variable.

        >>> import core
        >>> w = core.variable(2.0, name="w")
        >>> optimizer = core.train.sgd(0.25)
        >>> value, grads = optimizer.compute_gradients(lambda: core.square(w))
        >>> value.item(), grads["w"].item()
        (4.0, 4.0)
        >>> optimizer.apply_gradients({"w": core.clip_by_value(grads["w"], -1.0, 1.0)})
        >>> w.item()
        1.75
        """
        found = variable_grads(function, variables)
        self._seen.update(found.grads.variables)
        return found

    def apply_gradients(
        self,
        gradients: Gradients | Mapping[str, Any] | Iterable[tuple[Any, Variable]],
    ) -> None:
        """Make one step along gradients; the variable of a gradient None is not changed.

        Args:
            gradients: gradients of `compute_gradients` or `core.variable_grads`; pairs of a
                gradient and a variable; or a dict of gradients by the names of variables that this
                optimizer has seen. A gradient is a tensor or an array of its variable's shape.

        Raises:
            CoreError: a gradient does not fit its variable. No variable is changed then.
            NotFiniteError: in debug mode. If a gradient has a NaN or an infinity, no variable is
                changed. If a new value overflows, its variable and those before it are changed,
                those after it are not, and `iterations` does not count the step.

        >>> import core
        >>> w = core.variable([1.0, 2.0])
        >>> core.train.sgd(0.5).apply_gradients([(core.tensor([1.0, -1.0]), w)])
        >>> w.numpy()
        array([0.5, 2.5], dtype=float32)
        """
        trace = active_trace()
        if trace is not None:
            self._trace_step(trace, fitting_pairs(gradients, self._seen))
            return
        with self._stepping:
            self._step(fitting_pairs(gradients, self._seen))

    def slot_variables(self, variables: Iterable[Variable]) -> list[Variable]:
        """Return the variables of the optimizer's state for others; they are made if need be."""
        with self._stepping:
            return [slot for slots in self._state.slots_of(variables) for slot in slots]

    def get_weights(self) -> dict[str, np.ndarray]:
        """Return a copy of the optimizer's state, by the names and in the order of TensorFlow.js.

        Adamax is an exception: TensorFlow.js does not save its state; here it is like Adam's.

        >>> import core
        >>> w = core.variable([1.0, 2.0], name="w")
        >>> optimizer = core.train.momentum(0.5, 0.9)
        >>> optimizer.minimize(lambda: core.sum(w))
        >>> optimizer.get_weights()
        {'iter': array(1, dtype=int32), 'w/momentum': array([1., 1.], dtype=float32)}
        """
        with self._stepping:
            return {ITERATIONS: np.array(self._iterations, np.int32), **self._state.arrays()}

    def set_weights(self, weights: Mapping[str, Any]) -> None:
        """Restore the state of an optimizer of this class: the inverse of `get_weights`.

        Variables may be used later. They get the state saved under their names; others start
        without state. If names were made by counting (``variable_7``) and do not match, the state
        is restored by order, and as many variables must be used at once as were saved. The saved
        state does not contain the class: Adam's state loads into Adamax.

        Args:
            weights: arrays by name, such as ``weights_cache.load_weights(folder)`` after
                ``weights_cache.write_weights(folder, optimizer.get_weights())``.

        Raises:
            CoreError: entries are unknown or missing, shapes do not match, or ``iter`` is not from
                0 to 2147483647. The state is not changed then.

        >>> import core
        >>> restored = core.train.momentum(0.5, 0.5)
        >>> restored.set_weights({"iter": 1, "w/momentum": core.tensor([1.0, 1.0])})
        >>> w = core.variable([0.5, 1.5], name="w")
        >>> restored.apply_gradients([(core.tensor([0.0, 0.0]), w)])
        >>> w.numpy(), restored.iterations
        (array([0.25, 1.25], dtype=float32), 2)
        """
        with self._stepping:
            self._iterations = self._state.load(weights)

    def get_config(self) -> dict[str, Any]:
        """Return the arguments of the optimizer, without its state.

        >>> import core
        >>> core.train.momentum(0.5, 0.9).get_config()
        {'learning_rate': 0.5, 'momentum': 0.9, 'use_nesterov': False}
        """
        found = super().get_config()
        return {k: float(v) if isinstance(v, LearningRate) else v for k, v in found.items()}

    def _options(self) -> dict[str, Any]:
        """Return the arguments that are attributes."""
        names = inspect.signature(type(self)).parameters
        return {name: getattr(self, name) for name in names if hasattr(self, name)}

    @staticmethod
    def _slot_shapes(shape: Shape, slots: tuple[str, ...]) -> list[Shape]:
        """Return the shapes of the slots of a variable of some shape."""
        return [shape] * len(slots)

    def _constants(self, epsilon: float) -> tuple[float, ...]:
        """Return the constants of the next step for its formula."""
        raise CoreError(f"{type(self).__name__} must define _constants, as core.train.sgd does")

    def _constants_on(self, backend: Backend) -> list[np.ndarray]:
        """Return the constants of the next step as arrays without axes."""
        epsilon = backend.epsilon if self.epsilon is None else self.epsilon
        return [np.array(c, np.float32) for c in self._constants(epsilon)]

    def _step(self, pairs: list[tuple[Variable, Tensor]]) -> None:
        """Make one step at once."""
        if flags.debug:
            for variable, gradient in pairs:
                check_finite(f"gradient of {variable.name!r}", [], [gradient])
        self._seen.update({variable.name: variable for variable, _ in pairs})
        all_slots = self._state.slots_of(variable for variable, _ in pairs)
        backend = active_backend()
        updates = [Update(*pair, slots) for pair, slots in zip(pairs, all_slots, strict=True)]
        self._change_all(updates, self._constants_on(backend), backend)
        self._iterations += 1

    def _trace_step(self, trace: FunctionTrace, pairs: list[tuple[Variable, Tensor]]) -> None:
        """Record a step of a function that is compiled; its constants are those of each run."""
        variables = [variable for variable, _ in pairs]
        self._seen.update({variable.name: variable for variable in variables})
        with trace.paused():
            all_slots = self._state.slots_of(variables)
            backend = active_backend()
            count = len(self._constants_on(backend))
            cleaned = [] if backend.update_of(self.formula) is None else sum(all_slots, [])

        def begin_step() -> list[np.ndarray]:
            with self._stepping:
                self._state.slots_of(variables)  # `set_weights` may have forgotten them
                constants = self._constants_on(backend)
                if self._iterations % _CLEAN_EVERY == 0:
                    for slot in cleaned:
                        slot.update(backend.drop_denormals)
                self._iterations += 1
            return constants

        constants = trace.supply(begin_step, [Spec(())] * count)
        updates = [Update(*pair, slots) for pair, slots in zip(pairs, all_slots, strict=True)]
        self._change_all(updates, constants, None)

    def _change_all(
        self, updates: list[Update], constants: Sequence[Any], backend: Backend | None
    ) -> None:
        """Change all variables of a step.

        Args:
            updates: the variables with their gradients and slots.
            constants: those of the step.
            backend: the active one; None while a function is compiled, when all are changed by ops.
        """
        for update in updates:
            self._change(update, self.formula, constants, backend)

    def _change(
        self, update: Update, formula: str, constants: Sequence[Any], backend: Backend | None
    ) -> None:
        """Change one variable by a formula, in place if the backend of its data supports it."""
        change = None if backend is None else backend.update_of(formula)
        if backend is None or change is None or update.variable.container.backend is not backend:
            self._change_by_ops(update, formula, constants)
        else:
            self._change_in_place(update, formula, constants, backend, change)
        if backend is not None and flags.debug:
            check_finite(type(self).__name__, [update.gradient], [update.variable.read()])

    def _change_by_ops(self, update: Update, formula: str, constants: Sequence[Any]) -> None:
        """Change one variable by ops, on any backend."""
        variable, gradient, slots = update
        with unobserved(Tape):
            kept = [slot.read() for slot in slots]
            values = FORMULAS[formula](variable.read(), gradient, kept, constants)
            for each, value in zip((variable, *slots), values, strict=True):
                each.assign(value)

    def _change_in_place(
        self,
        update: Update,
        formula: str,
        constants: Sequence[Any],
        backend: Backend,
        change: Callable[..., None],
    ) -> None:
        """Change one variable in place."""
        variable, gradient, slots = update
        handle = handle_on(backend, gradient)
        kept = [_handle_of_slot(backend, slot) for slot in slots]
        clean = self._iterations % _CLEAN_EVERY == 0
        started = perf_counter()
        variable.update(lambda value: change(value, handle, kept, constants, clean))
        seconds, inputs = perf_counter() - started, [variable, gradient, *slots]
        for observer in active_observers():
            observer.stepped(formula, type(self).__name__, inputs, seconds)

    def _power(self, base: float) -> float:
        """Return ``base`` to the power of the step, multiplied in float32 as in TensorFlow.js.

        The result depends on the number of steps only, so that restored training is identical.
        """
        steps = self._iterations + 1
        done, product = self._powers.get(base, (0, 1.0))
        if done > steps:
            done, product = 0, 1.0
        factor = float(np.float32(base))
        while done < steps and product > _NEGLIGIBLE:
            done, product = done + 1, float(np.float32(product * factor))
        self._powers[base] = steps, product
        return product

    def __reduce__(self) -> Any:
        return _restored, (type(self), self.get_config(), self.get_weights())

    def __repr__(self) -> str:
        options = ", ".join(f"{name}={value!r}" for name, value in self._options().items())
        return f"{type(self).__name__}({options})"


def _handle_of_slot(backend: Backend, slot: Variable) -> Any:
    """Return the handle of a slot, moved to a backend if its data are on another one."""
    value = slot._present()
    if value.container.backend is backend:
        return value.handle
    slot.assign(slot.numpy())
    return slot.handle


def _restored(cls: type[Kind], config: dict[str, Any], weights: dict[str, np.ndarray]) -> Kind:
    optimizer = cls.from_config(config)
    optimizer.set_weights(weights)
    return optimizer


def number(value: Any, name: str, least: float = -_LARGEST, most: float = _LARGEST) -> float:
    """Return a finite number in the range of float32; raise CoreError outside of its limits.

    >>> number(1, "momentum")
    1.0
    """
    try:
        found = float("nan") if isinstance(value, (bool, str, bytes)) else float(value)
    except (TypeError, ValueError, OverflowError):
        found = float("nan")
    if isfinite(found) and least <= found <= most:
        return found
    limits = f" from {least:g}" if least > -_LARGEST else ""
    limits += f" to {most:g}" if most < _LARGEST else ""
    raise CoreError(f"{name}={value!r:.80} must be a finite number{limits}")
