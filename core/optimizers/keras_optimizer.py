"""Base class of Keras's optimizers: what the shared options do in a step."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from core import ops
from core.autodiff.gradients import VariableGrads
from core.autodiff.tape import Tape
from core.engine.backend import Backend
from core.engine.observers import unobserved
from core.engine.specs import integer
from core.engine.tensors import Tensor
from core.engine.variables import Variable
from core.errors import CoreError
from core.optimizers.base import Update, number
from core.optimizers.clipping import CLIPS
from core.optimizers.options import KerasOptions
from core.optimizers.state_lists import ITERATION, RATE, UNUSED, Entry, Layout, entries_of


class KerasOptimizer(KerasOptions):
    """Base class of Keras's optimizers, with their shared arguments; see `KerasOptions`.

    A step divides the gradients by loss_scale_factor and clips them, lets weights decay, applies
    the formula of the optimizer, then updates the moving averages.
    """

    def build(self, variables: Iterable[Variable]) -> None:
        """Make the slots of variables in this order, before the first step.

        Raises:
            CoreError: another variable of the name of one of these has slots.
        """
        several = list(variables)
        with self._stepping:
            self._seen.update({variable.name: variable for variable in several})
            self._state.slots_of(several)

    def scale_loss(self, loss: Tensor) -> Tensor:
        """Return a loss times loss_scale_factor, for gradients that `apply_gradients` takes."""
        return loss if self.loss_scale_factor is None else loss * self.loss_scale_factor

    def compute_gradients(
        self, function: Callable[[], Tensor], variables: Iterable[Variable] | None = None
    ) -> VariableGrads:
        """Return the value and the gradients of a function, like `core.variable_grads`.

        With loss_scale_factor, the gradients are those of the scaled loss, as `apply_gradients`
        takes them.

        Args:
            function: takes nothing and returns one number, the loss, computed from variables.
            variables: variables of the gradients; by default all trainable ones that the function
                reads.

        Raises:
            CoreError: the value is not one number, or does not depend on a variable.
        """
        values: list[Tensor] = []

        def scaled() -> Tensor:
            values.append(function())
            return self.scale_loss(values[-1])

        found = super().compute_gradients(scaled, variables)
        return found if self.loss_scale_factor is None else found._replace(value=values[-1])

    def finalize_variable_values(self, variables: Iterable[Variable]) -> None:
        """Give variables their moving averages, at the end of training with use_ema.

        >>> import core
        >>> w = core.variable(1.0)
        >>> optimizer = core.optimizers.SGD(0.5, use_ema=True, ema_momentum=0.5)
        >>> for _ in range(2):
        ...     optimizer.apply_gradients([(1.0, w)])
        >>> optimizer.finalize_variable_values([w])
        >>> w.item()
        0.25
        """
        if self.use_ema:
            several = list(variables)
            for variable, slots in zip(several, self._state.slots_of(several), strict=True):
                variable.assign(slots[self.own_slots].read())

    def variable_list(
        self, variables: Sequence[Variable], layout: Layout = "keras3"
    ) -> list[tuple[str, np.ndarray]]:
        """Return names and copies of the state in the order of ``optimizer.variables`` in Keras.

        Args:
            variables: the trainable variables of a model, in its order.
            layout: "keras3"; "keras2", tf.keras from 2.11 on; or "keras2_legacy", before. See
                `core.optimizers.state_lists`.

        Raises:
            CoreError: another variable of the name of one of these has slots, or the layout has no
                such optimizer.

        >>> import core
        >>> w = core.variable([1.0, 2.0], name="dense/kernel")
        >>> [name for name, _ in core.optimizers.Adam().variable_list([w])]
        ... # doctest: +NORMALIZE_WHITESPACE
        ['adam/iteration', 'adam/learning_rate', 'adam/dense_kernel_momentum',
         'adam/dense_kernel_velocity']
        """
        entries = entries_of(self, variables, layout)
        with self._stepping:
            all_slots = self._state.slots_of(variables)
            return [(entry.name, self._array_of(entry, all_slots)) for entry in entries]

    def set_variable_list(
        self,
        variables: Sequence[Variable],
        arrays: Sequence[np.ndarray],
        layout: Layout = "keras3",
    ) -> None:
        """Restore the state from arrays in the order of `variable_list`.

        Args:
            variables: the trainable variables of a model, in its order.
            arrays: the arrays.
                Those of an optimizer of Keras 3 that made no step end before the slots.
            layout: as for `variable_list`; `core.optimizers.layout_of` finds it by the names.

        Raises:
            CoreError: the number of arrays or a shape does not match. Nothing is changed then.
        """
        entries = entries_of(self, variables, layout)
        given = [np.asarray(array) for array in arrays]
        if self._iterations == 0 and given and not given[0].any():
            before = next((i for i, e in enumerate(entries) if e.variable is not None), 0)
            entries = entries[:before] if len(given) == before else entries
        if len(given) != len(entries):
            raise CoreError(
                f"{type(self).__name__} has {len(entries)} arrays of state for {len(variables)} "
                f"variables in the layout {layout}, got {len(given)}"
            )
        with self._stepping:
            all_slots = self._state.slots_of(variables)
            for entry, array in zip(entries, given, strict=True):
                expected = self._array_of(entry, all_slots).shape
                if array.shape != expected:
                    raise CoreError(
                        f"{entry.name!r} has the shape {expected}, the array for it {array.shape}"
                    )
                if entry.part == ITERATION:
                    integer(array.item(), entry.name, 0)
                elif entry.variable is None:
                    number(array.item(), entry.name)
            for entry, array in zip(entries, given, strict=True):
                self._restore(entry, array, all_slots)

    def _array_of(self, entry: Entry, all_slots: list[list[Variable]]) -> np.ndarray:
        """Return the present array of an entry."""
        if entry.part == UNUSED:
            return np.array(entry.value)
        if entry.variable is not None:
            return all_slots[entry.variable][self.slots.index(entry.part)].numpy()
        if entry.part == ITERATION:
            return np.array(self._iterations, np.int64)
        return np.array(getattr(self, entry.part), np.float32)

    def _restore(self, entry: Entry, array: np.ndarray, all_slots: list[list[Variable]]) -> None:
        if entry.variable is not None:
            if entry.part != UNUSED:
                slot = all_slots[entry.variable][self.slots.index(entry.part)]
                slot.assign(array.astype(np.float32))
        elif entry.part == ITERATION:
            self._iterations = integer(array.item(), entry.name, 0)
        elif entry.part != RATE or np.float32(self.learning_rate) != np.float32(array):
            setattr(self, entry.part, float(array))

    def _numbers(self, rate: float) -> tuple[float, ...]:
        """Return the constants of the formula for a learning rate."""
        raise CoreError(f"{type(self).__name__} must define _numbers, as core.optimizers.SGD does")

    def _constants(self, epsilon: float) -> tuple[float, ...]:
        rate = self.learning_rate
        return (
            *(() if self.weight_decay is None else (self.weight_decay * rate,)),
            *self._numbers(rate),
            *self._extra_numbers(),
        )

    def _extra_numbers(self) -> tuple[float, ...]:
        """Return the constants that the options need: of averages, then whether to make a step."""
        found: tuple[float, ...] = ()
        if self.use_ema:
            found += (self.ema_momentum if self.iterations else 0.0,)
            every = self.ema_overwrite_frequency
            if every:
                found += (float((self.iterations + 1) % every == 0),)
        if self.gradient_accumulation_steps:
            found += (float((self._iterations + 1) % self.gradient_accumulation_steps == 0),)
        return found

    def _change_all(
        self, updates: list[Update], constants: Sequence[Any], backend: Backend | None
    ) -> None:
        count = len(constants) - len(self._extra_numbers())
        extra = list(constants[count:])
        if self.loss_scale_factor is not None:
            with unobserved(Tape):
                scale = self.loss_scale_factor
                updates = [u._replace(gradient=u.gradient / scale) for u in updates]
        if self.gradient_accumulation_steps:
            self._accumulate(updates, constants[:count], extra.pop(), backend)
        else:
            self._change_along(updates, constants[:count], backend)
        if self.use_ema:
            self._average(*extra, backend=backend)

    def _change_along(
        self, updates: list[Update], constants: Sequence[Any], backend: Backend | None
    ) -> None:
        """Clip the gradients, and change all variables."""
        gradients = self._clipped([update.gradient for update in updates])
        for (variable, _, slots), gradient in zip(updates, gradients, strict=True):
            own = Update(variable, gradient, slots[: self.own_slots])
            if self._decays(variable):
                self._change(own, f"decayed_{self.formula}", constants, backend)
            else:
                kept = constants[self.weight_decay is not None :]
                self._change(own, self.formula, kept, backend)

    def _clipped(self, gradients: list[Tensor]) -> list[Tensor]:
        for name, clip in CLIPS.items():
            most = getattr(self, name)
            if most is not None:
                with unobserved(Tape):
                    return clip(gradients, most)
        return gradients

    def _accumulate(
        self, updates: list[Update], constants: Sequence[Any], ready: Any, backend: Backend | None
    ) -> None:
        """Keep the gradients, and make a step along their mean if it is time."""
        steps = self.gradient_accumulation_steps or 1
        with unobserved(Tape):
            sums = [u.slots[-1].read() + u.gradient for u in updates]
            means = [u._replace(gradient=s / steps) for u, s in zip(updates, sums, strict=True)]
        if backend is None:
            self._change_where(ready > 0.5, means, constants)
        elif ready:
            self._change_along(means, constants, backend)
        with unobserved(Tape):
            for update, total in zip(updates, sums, strict=True):
                rest = ops.where(ready > 0.5, ops.zeros_like(total), total)
                update.slots[-1].assign(rest)

    def _change_where(self, ready: Tensor, updates: list[Update], constants: Sequence[Any]) -> None:
        """Compute a step by ops, and choose between its values and those before."""
        with unobserved(Tape):
            changed = [e for u in updates for e in (u.variable, *u.slots[: self.own_slots])]
            before = [each.read() for each in changed]
            self._change_along(updates, constants, None)
            for each, value in zip(changed, before, strict=True):
                each.assign(ops.where(ready, each.read(), value))

    def _average(
        self, momentum: Any, overwrite: Any = None, *, backend: Backend | None = None
    ) -> None:
        """Update the moving averages of all variables, and assign them if it is time."""
        several = [*self._state.alive().values()]
        with unobserved(Tape):
            for variable, slots in zip(several, self._state.slots_of(several), strict=True):
                average, value = slots[self.own_slots], variable.read()
                mean = average.read() * momentum + value * (1.0 - momentum)
                average.assign(mean)
                if overwrite is None or (backend is not None and not overwrite):
                    continue
                new = mean if backend is not None else ops.where(overwrite > 0.5, mean, value)
                variable.assign(new)
