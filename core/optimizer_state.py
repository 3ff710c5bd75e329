"""What optimizers keep for each variable from step to step, and how it is saved and loaded."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from core.errors import CoreError
from core.specs import Shape, whole_number
from core.variables import Variable

#: Arrays in the order of an optimizer's slots, by the name of their variable.
Arrays = dict[str, list[np.ndarray]]

ITERATIONS = "iter"


class Kept(NamedTuple):
    """What is kept for one variable: variables that do not train and that nobody else sees."""

    variable: Variable
    slots: list[Variable]


class OptimizerState:
    """The slots of the variables that an optimizer has changed, in the order of their coming.

    Args:
        slots: what is kept for each variable, by the names that TensorFlow.js gives it.
        initial: value that slots start with.
    """

    def __init__(self, slots: tuple[str, ...], initial: float):
        self.slots, self.initial = slots, initial
        self.kept: dict[str, Kept] = {}
        self.waiting: Arrays = {}  # loaded, for variables that have not come yet

    def slots_of(self, variables: Iterable[Variable]) -> list[list[Variable]]:
        """The slots of each; of those that come for the first time as loaded, else new ones."""
        several = list(variables)
        new = {v.name: v for v in several if v.name not in self.kept}
        for variable in several:
            known = self.kept.get(variable.name)
            if known is not None and known.variable is not variable:
                raise CoreError(
                    f"this optimizer has changed another variable named {variable.name!r}: give "
                    f"the new one another name, or make a new optimizer"
                )
        if new:
            self._add(new)
        return [self.kept[v.name].slots for v in several]

    def _add(self, new: dict[str, Variable]) -> None:
        found: dict[str, str] = {}
        if self.waiting:
            found = _matched({n: v.shape for n, v in new.items()}, self.waiting)
        made = {
            name: self._made(v, self.waiting[found[name]] if found else self._initial(v.shape))
            for name, v in new.items()
        }
        self.kept.update(made)
        self.waiting = {n: a for n, a in self.waiting.items() if n not in found.values()}

    def _initial(self, shape: Shape) -> list[np.ndarray]:
        return [np.full(shape, self.initial, np.float32) for _ in self.slots]

    def _made(self, variable: Variable, arrays: list[np.ndarray]) -> Kept:
        names = [f"{variable.name}/{slot}" for slot in self.slots]
        pairs = zip(arrays, names, strict=True)
        return Kept(variable, [Variable(a, trainable=False, name=n) for a, n in pairs])

    def arrays(self) -> dict[str, np.ndarray]:
        """Copies of all slots, in TensorFlow.js's order: slot by slot, not variable by variable."""
        all_slots = {name: [s.numpy() for s in kept.slots] for name, kept in self.kept.items()}
        all_slots |= {name: [a.copy() for a in arrays] for name, arrays in self.waiting.items()}
        return {
            f"{name}/{slot}": arrays[i]
            for i, slot in enumerate(self.slots)
            for name, arrays in all_slots.items()
        }

    def load(self, weights: Mapping[str, Any]) -> int:
        """Put saved arrays in the place of all slots, or raise and leave them as they are.

        Args:
            weights: what `arrays` gives, and the number of steps.

        Returns:
            The number of steps.
        """
        iterations = _iterations(weights)
        loaded = self._grouped({n: w for n, w in weights.items() if n != ITERATIONS})
        kept: dict[str, Kept] = {}
        if self.kept and self.slots and (loaded or iterations):  # before the first step: no slots
            wanted = {name: k.variable.shape for name, k in self.kept.items()}
            wanted |= {name: arrays[0].shape for name, arrays in self.waiting.items()}
            found = _matched(wanted, loaded)
            if len(found) != len(loaded):
                raise _mismatch(wanted, loaded)
            loaded = {name: loaded[source] for name, source in found.items()}
            kept = {n: self._made(k.variable, loaded.pop(n)) for n, k in self.kept.items()}
        self.kept, self.waiting = kept, loaded
        return iterations

    def _grouped(self, weights: Mapping[str, Any]) -> Arrays:
        """The arrays by variable, all slots of each."""
        groups: dict[str, dict[str, np.ndarray]] = {}
        for name, value in weights.items():
            owner, _, slot = str(name).rpartition("/")
            if not owner or slot not in self.slots:
                raise CoreError(
                    f"there is no place for {name!r}: this optimizer has {ITERATIONS!r}"
                    + "".join(f", '<variable>/{s}'" for s in self.slots)
                )
            groups.setdefault(owner, {})[slot] = _array(str(name), value)
        return {owner: self._complete(owner, group) for owner, group in groups.items()}

    def _complete(self, owner: str, group: dict[str, np.ndarray]) -> list[np.ndarray]:
        missing = [f"{owner}/{slot}" for slot in self.slots if slot not in group]
        if missing:
            raise CoreError(f"{missing} is missing: load all that get_weights gave")
        if len({array.shape for array in group.values()}) > 1:
            shapes = {f"{owner}/{slot}": array.shape for slot, array in group.items()}
            raise CoreError(f"what is kept for one variable has one shape, got {shapes}")
        return [group[slot] for slot in self.slots]


def _iterations(weights: Mapping[str, Any]) -> int:
    """The number of steps among saved weights."""
    if not isinstance(weights, Mapping):
        raise CoreError(f"weights are a dict of arrays by name, got {type(weights).__name__}")
    if ITERATIONS not in weights:
        raise CoreError(f"{ITERATIONS!r}, the number of steps, is missing among {list(weights)}")
    array = np.asarray(weights[ITERATIONS])
    return whole_number(array.item() if array.size == 1 else array, ITERATIONS, 0)


def _array(name: str, value: Any) -> np.ndarray:
    """A copy of a saved array."""
    array = np.array(value)
    if array.dtype != np.float32:
        raise CoreError(f"{name!r} must be float32, got {array.dtype}")
    return array


def _matched(wanted: Mapping[str, Shape], loaded: Arrays) -> dict[str, str]:
    """For each variable the name under which its slots were saved.

    By name. Names that were made by counting differ from run to run: if none is known, by order.
    """
    known = [name for name in wanted if name in loaded]
    if len(known) == len(wanted):
        found = {name: name for name in wanted}
    elif not known and len(wanted) == len(loaded):
        found = dict(zip(wanted, loaded, strict=True))
    else:
        raise _mismatch(wanted, loaded)
    for name, source in found.items():
        shape = loaded[source][0].shape
        if shape != wanted[name]:
            raise CoreError(
                f"variable {name!r} has shape {wanted[name]}, the state saved for {source!r} has "
                f"{shape}"
            )
    return found


def _mismatch(wanted: Mapping[str, Shape], loaded: Arrays) -> CoreError:
    return CoreError(
        f"the variables {list(wanted)} and those of the saved state, {list(loaded)}, do not match: "
        f"give the variables the names that they had"
    )
