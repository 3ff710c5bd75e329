"""Lists of tensors in the plan of a loop: one array of all elements, and which of them are set."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from core import ops
from core.engine.dispatch import tensor
from core.engine.dtypes import DTYPES
from core.engine.specs import Shape, Spec
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.graph.element_shapes import ElementShape, element_shape, merged
from core.graph.node_types.lists import TensorList, in_shape
from core.plan.tracing import DataDependentError, Tracer

#: The largest array of elements; a list may reserve more than it gets.
MOST_BYTES = 1 << 28


class ListForm(NamedTuple):
    """The facts about a list that decide the plan of a loop.

    Attributes:
        dtype: of the elements.
        declared: shape of the elements as far as the list knows it.
        size: how many elements the array has: those of the list, or as many as were reserved.
        shape: of the elements, if every one is set; None: the first value that the loop sets has
            the shape of all.
    """

    dtype: str
    declared: ElementShape
    size: int
    shape: Shape | None

    @classmethod
    def of(cls, values: TensorList) -> "ListForm":
        """Return the form of a list."""
        size = max(len(values), values.room)
        if values.rows is not None and size == len(values):
            return cls(values.dtype, values.shape, size, values.rows.shape[1:])
        shapes: set[Shape | None] = set()
        if not values.room:  # what is reserved is filled in a loop, and has one form all the time
            shapes = {None if value is None else value.shape for value in values.elements()}
        return cls(values.dtype, values.shape, size, shapes.pop() if len(shapes) == 1 else None)

    def bytes_of(self, shape: Shape) -> int:
        """Return the bytes of an array of elements of a shape."""
        return Spec((self.size, *shape), self.dtype).bytes


class TracedList:
    """A list while a loop is traced. It never changes: setting an element gives a new one.

    Args:
        tracer: which gets the array as an input when it is known.
        name: of the variable.
        form: of the list.

    Attributes:
        items: [elements, ...], once a shape is known.
        marks: bool [elements], which of them are set; None: all.
        first: the list at the start of the iteration.
    """

    def __init__(self, tracer: Tracer, name: str, form: ListForm):
        self._tracer, self._name, self.form = tracer, name, form
        self.items: Tensor | None = None
        self.marks: Tensor | None = None
        self.first = self
        if form.shape is not None:
            self._allocate(form.shape)

    def _allocate(self, shape: Shape) -> None:
        form = self.form
        merged(form.declared, shape, "the list")
        if not 0 < form.bytes_of(shape) <= MOST_BYTES or form.dtype == "string":
            raise DataDependentError("the list has no array")
        self.items = self._tracer.input(self._name, Spec((form.size, *shape), form.dtype))
        if form.shape is None:
            self.marks = self._tracer.input(self._name, Spec((form.size,), "bool"))

    def item(self, index: Tensor, shape: Any) -> Tensor:
        """Return an element; an index outside of the array fails when the loop runs."""
        if self.items is None or self.marks is not None:
            raise DataDependentError("reads a list that is not full")
        known = merged(element_shape(shape), self.items.shape[1:], "an element")
        found = ops.gather(self.items, _as_index(index), axis=0)
        return in_shape(found, tuple(n for n in known or () if n is not None))

    def with_item(self, index: Tensor, value: Tensor) -> "TracedList":
        """Return the list with another element."""
        if self.items is None:
            self._allocate(value.shape)
        assert self.items is not None
        if (value.shape, value.dtype) != (self.items.shape[1:], self.items.dtype):
            raise DataDependentError("the elements of a list differ")
        at = ops.reshape(_as_index(index), shape=(1, 1))
        made = object.__new__(TracedList)
        made.__dict__.update(self.__dict__)
        row = ops.reshape(value, shape=(1, *value.shape))
        made.items = ops.tensor_scatter_update(self.items, at, row)
        if self.marks is not None:
            made.marks = ops.tensor_scatter_update(self.marks, at, tensor([True]))
        return made


def _as_index(index: Tensor) -> Tensor:
    if index.size != 1 or index.dtype != "int32":
        raise DataDependentError("an index is not one integer")
    return ops.reshape(index, shape=())


def _get(values: Sequence[Any]) -> Any:
    items, index, *shape = values
    return items.item(index, shape[0].tolist() if shape else None)


def _set(values: Sequence[Any]) -> Any:
    items, index, value = values
    return items.with_item(index, value)


#: Functions for traced lists by node type; they take the values of all inputs.
TRACED_NODES: Mapping[str, Callable[[Sequence[Any]], Any]] = {
    "TensorListGetItem": _get,
    "TensorListSetItem": _set,
}


class ListVariable(NamedTuple):
    """A variable of a loop that is a list, by references in the program.

    Attributes:
        form: of the list.
        given: inputs of the array and of the marks; as many as there are.
        made: likewise outputs; none if the loop only reads the list.
    """

    form: ListForm
    given: tuple[Spec, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    def feeds(self, values: TensorList) -> dict[str, Any]:
        """Return the values of the inputs."""
        arrays: list[Any] = []
        if len(self.inputs) == 1:
            arrays.append(values.stack())
        elif self.inputs:
            spec = self.given[0]
            items = np.zeros(spec.shape, DTYPES[spec.dtype])
            marks = np.zeros(spec.shape[0], bool)
            for i, value in enumerate(values.elements()):
                if value is not None:
                    if value.shape != spec.shape[1:]:
                        raise CoreError("the elements of a list differ")
                    items[i], marks[i] = value.numpy(), True
            arrays += [items, marks]
        return dict(zip(self.inputs, arrays, strict=True))

    def after(self, values: TensorList, found: Mapping[str, Tensor]) -> TensorList:
        """Return the list after the loop."""
        if not self.outputs:
            return values
        items, *marks = (found[r] for r in self.outputs)
        if not marks:
            return values.with_rows(items)
        is_set = marks[0].numpy()
        size = max(len(values), int(is_set.nonzero()[0].max(initial=-1)) + 1)
        if size == len(is_set) and is_set.all():
            return values.with_rows(items)
        rows = ops.unstack(items[:size]) if size else []
        return values.with_elements([row if is_set[i] else None for i, row in enumerate(rows)])
