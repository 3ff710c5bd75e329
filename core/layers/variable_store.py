"""The variables of a layer: made when the layer is built, by the initializers of its config."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from core import initializers
from core.engine.generators import Seed, generator
from core.engine.variables import Variable
from core.errors import CoreError
from core.layers.arguments import REQUIRED
from core.layers.keras_config import LayerSpec
from core.layers.layer_call import LayerCall
from core.layers.layer_kind import LayerKind
from core.layers.lookup import kind_of
from core.layers.weight_slots import NOT_TRAINED

if TYPE_CHECKING:
    from numpy.random import Generator

#: Names of the layers from a layer to one inside it.
Path = tuple[str, ...]


class VariableStore(dict[tuple[Path, str], Variable]):
    """The variables of a layer and of the layers inside it, by path and name.

    Layers inside that are objects of their own have theirs.

    Args:
        owner: name of the layer, the first part of the variables' names.
    """

    def __init__(self, owner: str):
        super().__init__()
        self.owner = owner
        self.states: dict[tuple[Path, int], Variable] = {}
        self._generators: dict[Path, Generator] = {}

    def state(self, path: Path, number: int, shape: tuple[int, ...]) -> Variable:
        """Return the variable of a state that a layer keeps between calls, at first zeros.

        Raises:
            CoreError: the state has another shape.
        """
        name = f"{'/'.join((self.owner, *path))}/state_{number}"
        if (path, number) not in self.states:
            made = Variable(np.zeros(shape, np.float32), trainable=False, name=name)
            self.states[path, number] = made
        found = self.states[path, number]
        if found.shape != shape:
            raise CoreError(
                f"{name!r} was made for shape {found.shape}, this batch needs {shape}: a layer "
                f"that keeps its state takes batches of one size"
            )
        return found

    def generator(self, path: Path, seed: Seed) -> "Generator":
        """Return the source of a layer's random numbers, which begins with the seed."""
        if seed is None:
            return generator(None)
        if path not in self._generators:
            self._generators[path] = generator(seed)
        return self._generators[path]

    def make(self, call: LayerCall, name: str, shape: Sequence[int | None]) -> Variable:
        """Return a variable, which is made at the first call.

        Args:
            call: the call of the layer that the variable belongs to.
            name: name of the weight.
            shape: its shape.

        Raises:
            CoreError: a length of the shape is unknown, or the variable has another shape.
        """
        found = self.get((call.path, name))
        if found is None:
            lengths = tuple(n for n in shape if n is not None)
            if len(lengths) != len(shape):
                raise call.error(
                    f"the shape of its weight {name!r} follows from the shape of its input, of "
                    f"which a length is unknown: give the layer a shape without None but for the "
                    f"batch"
                )
            full = "/".join((self.owner, *call.path, name))
            array = starting_value(call.spec, name, lengths)
            found = Variable(array, trainable=name not in NOT_TRAINED, name=full)
            self[call.path, name] = found
        check_shape(call, name, shape, found)
        return found


def check_shape(
    call: LayerCall, name: str, shape: Sequence[int | None], variable: Variable
) -> None:
    """Raise CoreError where the variable of a weight does not have the shape for an input."""
    made = variable.shape
    if len(made) != len(shape) or any(n not in (None, m) for n, m in zip(shape, made, strict=True)):
        raise call.error(
            f"was built with the weight {name!r} of shape {made}, but this input needs "
            f"{tuple(shape)}: call it on inputs of one number of channels, or make another layer"
        )


def starting_value(spec: LayerSpec, name: str, shape: tuple[int, ...]) -> np.ndarray:
    """Return the first value of a weight, by the initializer that the layer's config has for it."""
    kind = kind_of(spec)
    arguments: Mapping[str, Any] = kind.arguments if kind else {}
    option = f"{stem_of(name)}_initializer"
    identifier = spec.config.get(option)
    if identifier is None:
        identifier = arguments.get(option, _usual(kind, name))
    if identifier is REQUIRED:
        raise CoreError(f"layer {spec.name!r} ({spec.class_name}) needs the argument {option!r}")
    make = initializers.get(identifier) or initializers.Zeros()
    array = np.asarray(make(shape, "float32"), np.int32 if name == "count" else np.float32)
    if array.shape != shape:
        raise CoreError(
            f"the {option} of layer {spec.name!r} gave an array of shape {array.shape}, the "
            f"weight has {shape}"
        )
    has_gate = name == "bias" and "unit_forget_bias" in arguments
    if has_gate and spec.config.get("unit_forget_bias", arguments["unit_forget_bias"]):
        units = shape[-1] // 4
        array = array.copy()
        array[..., units : 2 * units] = 1  # of the forget gate
    return array


def _usual(kind: type[LayerKind] | None, name: str) -> str:
    """Return the initializer of a weight without an argument for it."""
    return (kind.starts.get(name) if kind else None) or "zeros"


def stem_of(weight: str) -> str:
    """Return the first words of the arguments about a weight.

    >>> [stem_of(w) for w in ("kernel", "recurrent_kernel", "bias", "moving_mean")]
    ['kernel', 'recurrent', 'bias', 'moving_mean']
    """
    return weight.removesuffix("_kernel")
