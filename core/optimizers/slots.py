"""State of optimizers per variable, and saving and loading of the state."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple
from weakref import ReferenceType, ref

import numpy as np

from core.engine.specs import Shape, integer
from core.engine.variables import Variable
from core.errors import CoreError

#: Arrays in the order of an optimizer's slots, by name of variable.
Arrays = dict[str, list[np.ndarray]]

ITERATIONS = "iter"
_MOST = 2**31 - 1  # the largest int32, the dtype in saved state

#: Names that `core.variable` makes by counting, which differ from run to run.
_counted = re.compile(r"variable_\d+").fullmatch


class Slots(NamedTuple):
    """The state of one variable: private variables that are not trainable."""

    variable: "ReferenceType[Variable]"
    slots: list[Variable]


class OptimizerState:
    """The slots of all variables that an optimizer has changed, in order of first use.

    References to variables are weak: slots are freed with their variable.

    Args:
        slots: names of a variable's slots in saved state.
        initial: the first value of each slot.
        shapes: returns the shapes of slots for a variable's shape and the names of the slots; the
            last slot has the variable's shape.
    """

    def __init__(
        self,
        slots: tuple[str, ...],
        initial: Sequence[float],
        shapes: Callable[[Shape, tuple[str, ...]], list[Shape]],
    ):
        self.slots, self.initial, self._shapes = slots, initial, shapes
        self.kept: dict[str, Slots] = {}
        self.waiting: Arrays = {}  # loaded, for variables that were not used yet
        self._by_order = True  # whether state may still be restored by order
        # The slots that a variable ever had: functions that were compiled hold them.
        self._known: dict[int, Slots] = {}

    def slots_of(self, variables: Iterable[Variable]) -> list[list[Variable]]:
        """Return the slots of each variable; at its first use loaded or new slots."""
        several = list(variables)
        new = {v.name: v for v in several if v.name not in self.kept}
        for variable in several:
            known = self.kept.get(variable.name)
            if known is not None and known.variable() is not variable:
                raise CoreError(
                    f"the optimizer has slots for another variable named {variable.name!r}: give "
                    f"the new variable another name, or make a new optimizer"
                )
        if new:
            self._add(new)
        return [self.kept[v.name].slots for v in several]

    def _add(self, new: dict[str, Variable]) -> None:
        found: dict[str, str] = {}
        if self.waiting:
            shapes = {n: v.shape for n, v in new.items()}
            found = _matched(shapes, self.waiting, self._by_order)
        self.kept.update(self._all_made(new, found, self.waiting))
        self.waiting = {n: a for n, a in self.waiting.items() if n not in found.values()}
        self._by_order = self._by_order and not found

    def _all_made(
        self, variables: Mapping[str, Variable], found: Mapping[str, str], loaded: Arrays
    ) -> dict[str, Slots]:
        return {
            name: self._made(v, loaded[found[name]] if name in found else None)
            for name, v in variables.items()
        }

    def _made(self, variable: Variable, arrays: list[np.ndarray] | None) -> Slots:
        if arrays is None:
            shapes = self._shapes(variable.shape, self.slots)
            pairs = zip(shapes, self.initial, strict=True)
            arrays = [np.full(shape, value, np.float32) for shape, value in pairs]
        known = self._known.get(id(variable))
        if known is not None and known.variable() is variable:
            for slot, array in zip(known.slots, arrays, strict=True):
                slot.assign(array)
            return known
        names = [f"{variable.name}/{slot}" for slot in self.slots]
        slots = [
            Variable(array, trainable=False, name=name)
            for array, name in zip(arrays, names, strict=True)
        ]
        made = self._known[id(variable)] = Slots(self._reference(variable), slots)
        return made

    def _reference(self, variable: Variable) -> "ReferenceType[Variable]":
        """Return a weak reference that frees the slots with the variable."""
        own, name = ref(self), variable.name  # weak as well: a cycle would delay freeing
        key = id(variable)

        def forget(gone: "ReferenceType[Variable]") -> None:
            state = own()
            if state is None:
                return
            kept, known = state.kept.get(name), state._known.get(key)
            if kept is not None and kept.variable is gone:
                state.kept.pop(name, None)
            if known is not None and known.variable is gone:
                state._known.pop(key, None)

        return ref(variable, forget)

    def alive(self) -> dict[str, Variable]:
        """Return the variables that are alive, as a copy, since one may be freed at any moment."""
        found = {name: kept.variable() for name, kept in self.kept.copy().items()}
        return {name: v for name, v in found.items() if v is not None}

    def arrays(self) -> dict[str, np.ndarray]:
        """Return copies of all slots in TensorFlow.js's order: slot by slot, over all variables."""
        kept = self.kept.copy()  # a variable may be freed at any moment
        all_slots = {name: [s.numpy() for s in k.slots] for name, k in kept.items()}
        all_slots |= {name: [a.copy() for a in arrays] for name, arrays in self.waiting.items()}
        return {
            f"{name}/{slot}": arrays[i]
            for i, slot in enumerate(self.slots)
            for name, arrays in all_slots.items()
        }

    def load(self, weights: Mapping[str, Any]) -> int:
        """Replace all slots by saved arrays; an error changes no slot.

        Args:
            weights: the result of `arrays`, and the number of steps.

        Returns:
            The number of steps.
        """
        iterations = _iterations(weights)
        loaded = self._grouped({n: w for n, w in weights.items() if n != ITERATIONS})
        alive = self.alive()
        found: dict[str, str] = {}
        # Before the first step there are no slots.
        if alive and self.slots and (loaded or iterations):
            shapes = {name: v.shape for name, v in alive.items()}
            shapes |= {name: arrays[-1].shape for name, arrays in self.waiting.items()}
            found = _matched(shapes, loaded, by_order=True)
            if not found:  # some variables may be new, but not all
                raise _mismatch(shapes, loaded)
        made = self._all_made(alive, found, loaded)
        kept = made if found else {}
        new_names = {source: name for name, source in found.items()}
        self.kept = kept
        self.waiting = {
            new_names.get(n, n): a for n, a in loaded.items() if new_names.get(n) not in kept
        }
        self._by_order = not found
        return iterations

    def _grouped(self, weights: Mapping[str, Any]) -> Arrays:
        """Return the arrays grouped by variable; raise CoreError unless all slots are given."""
        groups: dict[str, dict[str, np.ndarray]] = {}
        for name, value in weights.items():
            owner, _, slot = str(name).rpartition("/")
            if not owner or slot not in self.slots:
                raise CoreError(
                    f"the optimizer has no slot {name!r}, only {ITERATIONS!r}"
                    + "".join(f", '<variable>/{s}'" for s in self.slots)
                )
            array = groups.setdefault(owner, {})[slot] = np.array(value)
            if array.dtype != np.float32:
                raise CoreError(f"{name!r} must be float32, got {array.dtype}")
        return {owner: self._complete(owner, group) for owner, group in groups.items()}

    def _complete(self, owner: str, group: dict[str, np.ndarray]) -> list[np.ndarray]:
        missing = [f"{owner}/{slot}" for slot in self.slots if slot not in group]
        if missing:
            raise CoreError(f"{missing} is missing: load the whole result of get_weights")
        arrays = [group[slot] for slot in self.slots]
        found, expected = [a.shape for a in arrays], self._shapes(arrays[-1].shape, self.slots)
        if found != expected:
            shapes = {f"{owner}/{slot}": array.shape for slot, array in group.items()}
            raise CoreError(
                f"the slots of a variable of the shape {expected[-1]} have the shapes "
                f"{', '.join(map(str, expected))}, got {shapes}"
            )
        return arrays


def _iterations(weights: Mapping[str, Any]) -> int:
    """Return the number of steps in saved weights."""
    if not isinstance(weights, Mapping):
        raise CoreError(f"weights must be a dict of arrays by name, got {type(weights).__name__}")
    if ITERATIONS not in weights:
        raise CoreError(f"{ITERATIONS!r}, the number of steps, is missing among {list(weights)}")
    array = np.asarray(weights[ITERATIONS])
    steps = integer(array.item() if array.size == 1 else array, ITERATIONS, 0)
    if steps > _MOST:
        raise CoreError(f"{ITERATIONS}={steps} is above {_MOST}, the most steps in saved state")
    return steps


def _matched(shapes: Mapping[str, Shape], loaded: Arrays, by_order: bool) -> dict[str, str]:
    """Return the saved name for each variable, without variables that start without state.

    Variables are matched by name. Names made by counting differ from run to run: if only such names
    fail to match, variables are matched by order, and all must be given.
    """
    found = {name: name for name in shapes if name in loaded}
    missing = len(found) < len(shapes)
    sure = any(not _counted(name) for name in found)
    if missing and by_order and not sure and any(map(_counted, (*shapes, *loaded))):
        if len(shapes) != len(loaded):
            raise _mismatch(shapes, loaded)
        found = dict(zip(shapes, loaded, strict=True))
    for name, source in found.items():
        shape = loaded[source][-1].shape
        if shape != shapes[name]:
            raise CoreError(
                f"variable {name!r} has shape {shapes[name]}, the state saved for {source!r} has "
                f"{shape}"
            )
    return found


def _mismatch(shapes: Mapping[str, Shape], loaded: Arrays) -> CoreError:
    return CoreError(
        f"the variables {list(shapes)} do not match those of the saved state, {list(loaded)}: "
        f"give the variables their saved names"
    )
