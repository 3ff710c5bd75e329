"""The variables of a layer, and those of the layers inside it."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from core import constraints, initializers, regularizers
from core.engine.dtypes import DType
from core.engine.tensors import Tensor
from core.engine.variables import Variable
from core.errors import CoreError
from core.layers.nested import flattened


class VariableOwner:
    """An object with variables: its own, and those of owners among its attributes.

    Args:
        name: the first part of the variables' names.
        trainable: whether training changes the variables.
    """

    def __init__(self, name: str, trainable: bool):
        self._tracked: dict[str, Any] = {}
        self.name, self._trainable, self.built = name, bool(trainable), False
        self._own: list[Variable] = []
        self._regularized: list[tuple[Any, Variable]] = []
        self._constrained: list[tuple[Any, Variable]] = []

    def add_weight(
        self,
        shape: Sequence[int] = (),
        initializer: Any = "glorot_uniform",
        *,
        name: str | None = None,
        trainable: bool = True,
        regularizer: Any = None,
        constraint: Any = None,
        dtype: DType = "float32",
    ) -> Variable:
        """Make a variable of the layer.

        Args:
            shape: its shape.
            initializer: name, config or object of `core.initializers`, or a function of the shape.
            name: its name in the layer, by default numbered.
            trainable: whether training changes it.
            regularizer: penalty that training adds to the loss, see `core.regularizers`.
            constraint: applied to the variable after each step, see `core.constraints`.
            dtype: ``"float32"`` or ``"int32"``.
        """
        full = f"{self.name}/{name or f'weight_{len(self._own)}'}"
        make = initializers.get(initializer) or initializers.Zeros()
        array = np.asarray(make(tuple(shape), dtype), dtype)
        made = Variable(array, trainable=trainable, name=full)
        self._own.append(made)
        if regularizer is not None:
            self._regularized.append((regularizers.get(regularizer), made))
        if constraint is not None:
            self._constrained.append((constraints.get(constraint), made))
        return made

    def __setattr__(self, name: str, value: Any) -> None:
        tracked = self.__dict__.get("_tracked")
        if tracked is not None and not name.startswith("_"):
            tracked.pop(name, None)
            if _is_tracked(value):
                tracked[name] = value
        super().__setattr__(name, value)

    @property
    def trainable(self) -> bool:
        """Whether training changes the variables; set it, also for all layers inside."""
        return self._trainable

    @trainable.setter
    def trainable(self, value: bool) -> None:
        self._trainable = bool(value)
        for layer in self.sublayers():
            layer.trainable = value

    def sublayers(self) -> list[Any]:
        """Return the layers that belong to this one, in the order in which they were added."""
        found = flattened(list(self._tracked.values()), VariableOwner)
        return list({id(layer): layer for layer in found}.values())

    def own_variables(self) -> list[Variable]:
        """Return the variables of the layer itself."""
        found = flattened(list(self._tracked.values()), Variable)
        every = {id(v): v for v in (*self._own, *found)}
        return sorted(every.values(), key=lambda v: not v.trainable)

    @property
    def variables(self) -> list[Variable]:
        """All variables, those of the layers inside, too; trainable ones of a layer come first."""
        found = {id(v): v for v in self.own_variables()}
        for layer in self.sublayers():
            found |= {id(v): v for v in layer.variables}
        return list(found.values())

    @property
    def weights(self) -> list[Variable]:
        """All variables; see `variables`."""
        return self.variables

    @property
    def trainable_variables(self) -> list[Variable]:
        """The variables that training changes."""
        if not self.trainable:
            return []
        found = {id(v): v for v in self.own_variables() if v.trainable}
        for layer in self.sublayers():
            found |= {id(v): v for v in layer.trainable_variables}
        return list(found.values())

    @property
    def non_trainable_variables(self) -> list[Variable]:
        """The variables that training does not change by gradients."""
        trained = {id(v) for v in self.trainable_variables}
        return [v for v in self.variables if id(v) not in trained]

    @property
    def trainable_weights(self) -> list[Variable]:
        """The variables that training changes; see `trainable_variables`."""
        return self.trainable_variables

    @property
    def non_trainable_weights(self) -> list[Variable]:
        """The variables that training does not change by gradients."""
        return self.non_trainable_variables

    def get_weights(self) -> list[np.ndarray]:
        """Return copies of the values of `variables`."""
        return [variable.numpy() for variable in self.variables]

    def set_weights(self, weights: Sequence[Any]) -> None:
        """Give the variables new values, in the order of `get_weights`.

        Raises:
            CoreError: there are more or fewer arrays, or one has another shape; no variable is
                changed then.
        """
        variables = self.variables
        arrays = [np.asarray(array) for array in weights]
        if len(arrays) != len(variables):
            raise CoreError(
                f"layer {self.name!r} has {len(variables)} variables, got {len(arrays)} arrays"
                + ("" if self.built else ": build it first, by a call on data")
            )
        for variable, array in zip(variables, arrays, strict=True):
            if array.shape != variable.shape:
                raise CoreError(
                    f"{variable.name!r} has shape {variable.shape}, got an array of {array.shape}"
                )
        for variable, array in zip(variables, arrays, strict=True):
            variable.assign(array)

    def count_params(self) -> int:
        """Return the number of values in all variables."""
        return sum(variable.size for variable in self.variables)

    def penalties(self) -> Iterator[tuple[Callable[[Tensor], Tensor], Variable]]:
        """Yield the regularizers of variables that train, with those of the layers inside."""
        trained = {id(v) for v in self.trainable_variables}
        for regularizer, variable in self._regularized:
            if id(variable) in trained:
                yield regularizer, variable
        for layer in self.sublayers():
            yield from layer.penalties()

    def limits(self) -> Iterator[tuple[Callable[[Tensor], Tensor], Variable]]:
        """Yield the constraints of variables, with those of the layers inside."""
        yield from self._constrained
        for layer in self.sublayers():
            yield from layer.limits()


def _is_tracked(value: Any) -> bool:
    return bool(flattened(value, (VariableOwner, Variable)))
