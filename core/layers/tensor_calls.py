"""Calls of layers on tensors: they run ops, in training, too."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from core.autodiff.tape import Tape
from core.engine.generators import Seed
from core.engine.late_ops import ops
from core.engine.observers import unobserved
from core.engine.op_places import in_layer
from core.engine.tensors import Tensor
from core.engine.variables import Variable
from core.errors import CoreError, KernelNotFound
from core.graph.bound_nodes import bound_to_op
from core.graph.node_types import find_node_type
from core.graph.nodes import Node
from core.layers.call_context import LOGITS, update_later
from core.layers.keras_config import LayerSpec
from core.layers.layer_call import LayerCall, Lengths, Value
from core.layers.variable_store import VariableStore, check_shape

if TYPE_CHECKING:
    from numpy.random import Generator


#: Node types of activations that some losses undo.
_LOGISTIC = {"Softmax": "softmax", "Sigmoid": "sigmoid"}


class Operand:
    """A tensor or an array as the reference of a value: equal to itself alone."""

    __slots__ = ("value",)

    def __init__(self, value: Any):
        self.value = value


def value_of(tensor: Tensor, mask: Value | None = None) -> Value:
    """Return the value that stands for a tensor."""
    return Value(Operand(tensor), tensor.shape, tensor.dtype, mask)


def tensor_of(value: Value) -> Tensor:
    """Return the tensor that a value stands for."""
    found = value.reference.value
    return found if isinstance(found, Tensor) else ops.identity(found)


class TensorCall(LayerCall):
    """A call of a layer on tensors.

    Args:
        spec: the layer.
        path: names of the layers from the one that has the store to this one.
        store: the variables.
        training: whether dropout and statistics of batches are those of training.
        keywords: keyword arguments of the call, with values in place of tensors.
    """

    has_tensors = True

    def __init__(
        self,
        spec: LayerSpec,
        path: tuple[str, ...],
        store: VariableStore,
        *,
        training: bool,
        keywords: Mapping[str, Any] | None = None,
    ):
        super().__init__(spec, path, "", keywords)
        self.where = f"layer {'/'.join((store.owner, *path))!r} ({spec.class_name})"
        self.options.where = self.where
        self.store, self.training = store, training

    def child(self, spec: LayerSpec) -> "TensorCall":
        """Return the call of an inner layer."""
        training = self.training and spec.config.get("trainable", True) is not False
        return TensorCall(spec, (*self.path, spec.name), self.store, training=training)

    def node(
        self,
        type: str,
        inputs: Sequence[Value],
        attributes: Mapping[str, Any] | None = None,
        shape: Lengths | None = None,
        dtype: str | None = None,
    ) -> Value:
        """Run the op of a node type; shape and dtype are those of its result."""
        try:
            result = _run(type, [v.reference.value for v in inputs], attributes or {})
        except CoreError as error:
            if error.__class__ is not CoreError:
                raise
            raise self.error(str(error)) from error
        if isinstance(result, (list, tuple)):
            return value_of(result[0])._replace(reference=Operand(list(result)))
        if type in _LOGISTIC:
            LOGITS.add(result, (_LOGISTIC[type], inputs[0].reference.value))
        return value_of(result)

    def outputs(
        self, value: Value, shapes: Sequence[Lengths], dtype: str | None = None
    ) -> list[Value]:
        """Return the outputs of an operation with several."""
        found = value.reference.value
        return [value_of(each) for each in (found if isinstance(found, list) else [found])]

    def constant(self, array: np.ndarray, name: str) -> Value:
        """Return an array as a value."""
        dtype = {"f": "float32", "b": "bool"}.get(array.dtype.kind, "int32")
        return Value(Operand(array), array.shape, dtype)

    def _variable(self, name: str) -> Variable:
        found = self.store.find(self.path, name)
        if found is None:
            raise self.error(f"has no weight {name!r} yet: build it, or call it outside of a trace")
        return found

    def weight(
        self, name: str, shape: Sequence[int | None], view: Sequence[int] | None = None
    ) -> Value:
        """Return the present value of a weight."""
        variable = self._variable(name)
        check_shape(self, name, shape, variable)
        tensor = variable.read()
        return value_of(tensor if view is None else ops.reshape(tensor, shape=tuple(view)))

    def weight_parts(
        self,
        name: str,
        shape: Sequence[int],
        sizes: Sequence[int],
        axis: int,
        view: Callable[[int], Sequence[int]] | None = None,
    ) -> list[Value]:
        """Return the parts of a weight."""
        variable = self._variable(name)
        check_shape(self, name, shape, variable)
        parts = ops.split(variable.read(), num_or_size_splits=tuple(sizes), axis=axis)
        if view is None:
            return [value_of(part) for part in parts]
        pairs = zip(parts, sizes, strict=True)
        return [value_of(ops.reshape(part, shape=tuple(view(size)))) for part, size in pairs]

    def assign(self, name: str, make: Callable[[], Value]) -> None:
        """Give a weight that no optimizer changes the value that a function makes.

        Training steps do so after they have looked at the loss.
        """

        def update() -> None:
            with unobserved(Tape):
                self._variable(name).assign(tensor_of(make()))

        update_later(update)

    def generator(self, seed: Seed) -> Callable[[], "Generator"]:
        """Return a function to the layer's source of random numbers, which goes on at each call."""
        return partial(self.store.generator, self.path, seed)

    def state(self, number: int, shape: Lengths) -> Value:
        """Return a state of the layer at the end of its last call, at first zeros."""
        lengths = tuple(n for n in shape if n is not None)
        return value_of(self.store.state(self.path, number, lengths).read())

    def keep_state(self, number: int, value: Value) -> None:
        """Keep a state of the layer for its next call."""

        def update() -> None:
            with unobserved(Tape):
                kept = self.store.state(self.path, number, tensor_of(value).shape)
                kept.assign(tensor_of(value))

        update_later(update)

    def check_count(self, count: int) -> None:
        """Accept any number of operations."""

    def called(self, function: Callable[..., Any], *values: Value) -> Value:
        """Return the result of a function of tensors."""
        return value_of(function(*map(tensor_of, values)))

    def layer_results(self, values: Sequence[Value]) -> list[Value]:
        """Return the results of the layer object that the spec stands for."""
        with in_layer(self.spec.name):
            found: list[Value] = self.spec.layer.results_of(
                list(values), self.keywords, training=self.training
            )
        return found


def _run(type: str, inputs: Sequence[Any], attributes: Mapping[str, Any]) -> Any:
    """Return the result of the op that a node type stands for; arrays may become attributes."""
    kind = find_node_type(type)
    if kind is None:
        raise KernelNotFound(f"there is no op for the node type {type!r}")
    names = tuple(map(str, range(len(inputs))))
    given = dict(zip(names, inputs, strict=True))
    constants = {n: v for n, v in given.items() if not isinstance(v, Tensor)}
    step = bound_to_op(Node(type, type, names, attributes), kind, names, constants)
    return step.run(*(given[name] for name in step.inputs))
