"""Calls of layers on tensors: they run ops, in training, too."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from core import ops
from core.autodiff.gradients import stop_gradient
from core.autodiff.tape import Tape
from core.engine.dispatch import tensor
from core.engine.generators import Seed
from core.engine.observers import unobserved
from core.engine.op_places import in_layer
from core.engine.tensors import Tensor
from core.engine.variables import Variable
from core.layers.call_context import LOGITS, update_later
from core.layers.keras_config import LayerSpec
from core.layers.layer_call import LayerCall, Lengths, Masked, Setting, Value
from core.layers.layer_config import Options, as_flag
from core.layers.variable_store import VariableStore, check_shape

if TYPE_CHECKING:
    from numpy.random import Generator


def value_of(tensor: Tensor, mask: Value | None = None) -> Value:
    """Return the value that stands for a tensor."""
    spec = tensor.spec
    return Value(tensor, spec.shape, spec.dtype, mask)


def tensor_of(value: Value) -> Tensor:
    """Return the tensor that a value stands for."""
    found: Tensor = value.reference
    return found


class TensorCall(LayerCall):
    """A call of a layer on tensors.

    Args:
        spec: the layer.
        path: names of the layers from the one that has the store to this one.
        store: the variables.
        options: the layer's options, by default new ones of its config.
        training: whether dropout and statistics of batches are those of training.
        keywords: keyword arguments of the call.
    """

    has_tensors = True
    ops = ops

    def __init__(
        self,
        spec: LayerSpec,
        path: tuple[str, ...],
        store: VariableStore,
        options: Options | None = None,
        *,
        training: bool,
        keywords: Mapping[str, Any] | None = None,
    ):
        self.spec, self.path, self.store = spec, path, store
        self.training, self.keywords = training, keywords or {}
        self.options = options or Options(spec.config, self.where)
        self.masks: list[Any] = []

    @property
    def where(self) -> str:
        """Description of the layer for errors."""
        return f"layer {'/'.join((self.store.owner, *self.path))!r} ({self.spec.class_name})"

    def child(self, spec: LayerSpec) -> "TensorCall":
        """Return the call of an inner layer."""
        training = self.training and as_flag(spec.config.get("trainable")) is not False
        return TensorCall(spec, (*self.path, spec.name), self.store, training=training)

    def shape(self, x: Any, *ranks: int) -> Lengths:
        """Return the shape of a tensor; raise if it is of none of the ranks given."""
        shape: Lengths = x.spec.shape
        return super().shape(x, *ranks) if ranks and len(shape) not in ranks else shape

    def length(self, x: Any, axis: int) -> int:
        """Return the length of an axis; raise if the tensor lacks it."""
        shape: tuple[int, ...] = x.spec.shape
        return shape[axis] if -len(shape) <= axis < len(shape) else super().length(x, axis)

    def settings(self, read: Callable[[LayerCall], Setting]) -> Setting:
        """Return what a function reads and checks of the options, which it does once a layer."""
        known = self.options.known
        if read not in known:
            known[read] = read(self)
        found: Setting = known[read]
        return found

    def lengths(self, x: Any) -> Tensor:
        """Return the lengths of the axes as a vector."""
        return tensor(x.shape, dtype="int32")

    def constant(self, array: np.ndarray, name: str) -> Tensor:
        """Return the tensor of an array."""
        return tensor(array)

    def _variable(self, name: str) -> Variable:
        found = self.store.get((self.path, name))
        if found is None:
            raise self.error(f"has no weight {name!r} yet: build it, or call it outside of a trace")
        return found

    def weight(
        self, name: str, shape: Sequence[int | None], view: Sequence[int] | None = None
    ) -> Any:
        """Return the present value of a weight."""
        variable = self._variable(name)
        found = variable.read()
        if found.spec.shape != shape:
            check_shape(self, name, shape, variable)
        return found if view is None else ops.reshape(found, shape=tuple(view))

    def weight_parts(
        self,
        name: str,
        shape: Sequence[int],
        sizes: Sequence[int],
        axis: int,
        view: Callable[[int], Sequence[int]] | None = None,
    ) -> list[Any]:
        """Return the parts of a weight."""
        variable = self._variable(name)
        check_shape(self, name, shape, variable)
        parts: list[Any] = ops.split(variable.read(), num_or_size_splits=tuple(sizes), axis=axis)
        if view is None:
            return parts
        pairs = zip(parts, sizes, strict=True)
        return [ops.reshape(part, shape=tuple(view(size))) for part, size in pairs]

    def assign(self, name: str, make: Callable[[], Any]) -> None:
        """Give a weight that no optimizer changes the value that a function makes.

        Training steps do so after they have looked at the loss.
        """

        def update() -> None:
            with unobserved(Tape):
                self._variable(name).assign(make())

        update_later(update)

    def generator(self, seed: Seed) -> Callable[[], "Generator"]:
        """Return a function to the layer's source of random numbers, which goes on at each call."""
        return partial(self.store.generator, self.path, seed)

    def state(self, number: int, shape: Lengths) -> Tensor:
        """Return a state of the layer at the end of its last call, at first zeros."""
        lengths = tuple(n for n in shape if n is not None)
        return self.store.state(self.path, number, lengths).read()

    def keep_state(self, number: int, value: Any) -> None:
        """Keep a state of the layer for its next call."""

        def update() -> None:
            with unobserved(Tape):
                self.store.state(self.path, number, value.shape).assign(value)

        update_later(update)

    def check_count(self, count: int) -> None:
        """Accept any number of operations."""

    def called(self, function: Callable[..., Any], *values: Any) -> Any:
        """Return the result of a function of tensors."""
        return function(*values)

    def stop_gradient(self, x: Any) -> Any:
        """Return values that have no gradient by what they were computed from."""
        return stop_gradient(x)

    def note_logits(self, activation: str, logits: Any, result: Any) -> None:
        """Note for losses which logits a "softmax" or "sigmoid" was computed from."""
        LOGITS.add(result, (activation, logits))

    def layer_results(self, values: Sequence[Any]) -> list[Masked]:
        """Return the results of the layer object that the spec stands for."""
        masks = self.masks or [None] * len(values)
        given = [
            value_of(value, None if mask is None else value_of(mask))
            for value, mask in zip(values, masks, strict=True)
        ]
        with in_layer(self.spec.name):
            found: list[Value] = self.spec.layer.results_of(
                given, self.keywords, training=self.training
            )
        return [
            Masked(tensor_of(each), None if each.mask is None else tensor_of(each.mask))
            for each in found
        ]
