"""Writes an ONNX graph whose images have their channels first, from values with channels last.

A value of three axes or more is kept in the form in which it was made; the other form is made where
a step needs it, once. So convolutions, and what is between them, never transpose.
"""

from collections.abc import Collection, Mapping, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from core.converter.onnx_writer.protos import ELEMENT_TYPES, WrittenNode
from core.engine.program import ABSENT
from core.engine.specs import Shape, Spec
from core.graph.unique_names import UniqueNames

#: Lengths of axes; None: free.
Dims = tuple[int | None, ...]

#: Constants of so few values are shared where they are equal.
_FEW = 64


def to_first(rank: int) -> tuple[int, ...]:
    """Return the order of axes that brings the channels behind the batch.

    >>> to_first(4), to_last(4)
    ((0, 3, 1, 2), (0, 2, 3, 1))
    """
    return (0, rank - 1, *range(1, rank - 1))


def to_last(rank: int) -> tuple[int, ...]:
    """Return the order of axes that brings the channels to the end."""
    return (0, *range(2, rank), 1)


class NotWrittenError(Exception):
    """A step has no counterpart in ONNX; the message says why."""


class Form(NamedTuple):
    """A value in one of its forms.

    Attributes:
        name: of the value in the ONNX graph.
        first: whether its channels come first.
    """

    name: str
    first: bool


class GraphWriter:
    """Nodes, constants and the forms of values.

    Args:
        specs: of each value by reference, channels last.
        constants: arrays by reference.
        free: axes of free length, by reference of the values that have some.
        reserved: names that no node's result has.
        in_bytes: constants of integers between which 255 lie at most: they are stored in bytes.
        fixed: constants that are numbers of the computation, no weights.

    Attributes:
        nodes: the nodes so far.
        initializers: the weights so far, by name.
        numbers: the other constants so far, by name, which do not train.
        part: name of what is written, for the names of nodes.
    """

    def __init__(
        self,
        specs: Mapping[str, Spec],
        constants: Mapping[str, np.ndarray],
        free: Mapping[str, frozenset[int]] = {},
        reserved: Sequence[str] = (),
        in_bytes: Collection[str] = (),
        fixed: Collection[str] = (),
    ):
        self._specs, self._constants, self._free = specs, constants, free
        self._forms: dict[tuple[str, bool], str] = {}
        self._names, self._in_bytes, self._fixed = UniqueNames(reserved), in_bytes, fixed
        self._shared: dict[Any, str] = {}
        self._weights: dict[Any, str] = {}
        self.nodes: list[WrittenNode] = []
        self.initializers: dict[str, np.ndarray] = {}
        self.numbers: dict[str, np.ndarray] = {}
        self.part = ""
        #: Name of an input whose first length is free.
        self.batched_input = ""

    # --- values -----------------------------------------------------------------------------

    def shape(self, reference: str) -> Shape:
        """Return the shape of a value, channels last, for one length of the free axes."""
        return self._specs[reference].shape

    def rank(self, reference: str) -> int:
        """Return the number of axes of a value."""
        return len(self.shape(reference))

    def dims(self, reference: str) -> Dims:
        """Return the lengths of a value, channels last; None where one is free."""
        free = self._free.get(reference, frozenset())
        return tuple(None if i in free else n for i, n in enumerate(self.shape(reference)))

    def dtype(self, reference: str) -> str:
        """Return the dtype of a value."""
        return self._specs[reference].dtype

    def array(self, reference: str) -> np.ndarray | None:
        """Return the array of a constant; None for other values, and where it has a free length."""
        return None if reference in self._free else self._constants.get(reference)

    def constant(self, array: Any, name: str = "constant") -> str:
        """Return the name of a constant that is no weight; equal short ones are shared."""
        array = np.asarray(array)
        key = (array.dtype, array.shape, array.tobytes()) if array.size <= _FEW else None
        made = self._shared.get(key)
        if made is None:
            made = self._names.unique(name, as_is=True)
            self.numbers[made] = array
            if key is not None:
                self._shared[key] = made
        return made

    def _weight(self, reference: str, array: np.ndarray, order: Sequence[int] = ()) -> str:
        """Return the name of a constant of the program, which trains unless it is fixed.

        Args:
            reference: of the constant.
            array: its values, as they are written.
            order: order of their axes, if another one: each is written once.
        """
        if reference in self._fixed:
            return self.constant(array, reference)
        key = reference, array.shape, () if [*order] == sorted(order) else tuple(order)
        if key not in self._weights:
            self._weights[key] = self._new_weight(reference, array)
        return self._weights[key]

    def _new_weight(self, reference: str, array: np.ndarray) -> str:
        if reference in self._in_bytes and array.size > _FEW:
            return self._stored_in_bytes(array, reference)
        made = self._names.unique(reference, as_is=True)
        self.initializers[made] = array
        return made

    def _stored_in_bytes(self, array: np.ndarray, name: str) -> str:
        """Return the name of a constant of integers, which nodes make of bytes."""
        low, high = array.min(), array.max()
        is_signed = low >= -128 and high <= 127
        stored = self._names.unique(f"{name}/bytes", as_is=True)
        self.initializers[stored] = (array - (0 if is_signed else low)).astype(
            np.int8 if is_signed else np.uint8
        )
        made = self.cast(stored, "float32")
        return made if is_signed else self.node("Add", made, self.number(low))

    def integers(self, values: Sequence[int]) -> str:
        """Return the name of a constant with a list of integers."""
        return self.constant(np.array(values, np.int64))

    def number(self, value: float, dtype: str = "float32") -> str:
        """Return the name of a constant with one number."""
        return self.constant(np.array(value, dtype))

    # --- nodes ------------------------------------------------------------------------------

    def node(self, type: str, *inputs: str, **attributes: Any) -> str:
        """Add a node with one result and return the result's name."""
        return self.node_of_several(1, type, *inputs, **attributes)[0]

    def node_of_several(self, count: int, type: str, *inputs: str, **attributes: Any) -> list[str]:
        """Add a node with several results and return their names."""
        base = f"{self.part}/{type}"
        names = [self._names.unique(base, as_is=True) for _ in range(count)]
        self.nodes.append(WrittenNode(type, inputs, tuple(names), attributes))
        return names

    def cast(self, name: str, dtype: str) -> str:
        """Add a node that converts a value to a dtype."""
        return self.node("Cast", name, to=ELEMENT_TYPES[dtype])

    def transposed(self, name: str, perm: Sequence[int]) -> str:
        """Add a node that permutes axes, unless they stay in their order."""
        if tuple(perm) == tuple(range(len(perm))):
            return name
        return self.node("Transpose", name, perm=tuple(perm))

    def reshaped(self, name: str, dims: Dims) -> str:
        """Add a node that reshapes a value to lengths as ONNX keeps them.

        Raises:
            NotWrittenError: several lengths are free.
        """
        if dims.count(None) > 1:
            raise NotWrittenError("a shape with several free lengths")
        shape = self.integers([-1 if n is None else n for n in dims])
        how = {"allowzero": 1} if 0 in dims else {}  # 0 else means: as before
        return self.node("Reshape", name, shape, **how)

    def expanded(self, name: str, dims: Dims) -> str:
        """Add a node that repeats a value to lengths, of which one may be the free batch.

        Raises:
            NotWrittenError: a length is free, but there is no input of that batch.
        """
        if None not in dims:
            return self.node("Expand", name, self.integers([n for n in dims if n is not None]))
        if not self.batched_input:
            raise NotWrittenError("repetition along an axis of free length")
        batch = self.node("Shape", self.batched_input, start=0, end=1)
        parts = [batch if n is None else self.integers([n]) for n in dims]
        shape = self.node("Concat", *parts, axis=0) if len(parts) > 1 else batch
        return self.node("Expand", name, shape)

    # --- forms ------------------------------------------------------------------------------

    def keep(self, reference: str, name: str, *, first: bool = False) -> None:
        """Note the name of a value, and whether its channels come first."""
        self._forms[reference, first] = name

    def is_first(self, reference: str) -> bool:
        """Return whether a value was made with its channels first."""
        return (reference, True) in self._forms and reference not in self._constants

    def made(self, reference: str) -> Form:
        """Return the form in which a value was made."""
        first = self.is_first(reference)
        return Form(self.form(reference, first=first), first)

    def form(self, reference: str, *, first: bool = False) -> str:
        """Return the name of a value in a form, which is made if need be."""
        if (reference, first) not in self._forms:
            self.keep(reference, self._new_form(reference, first), first=first)
        return self._forms[reference, first]

    def flat(self, reference: str) -> str:
        """Return the name of a value in any form with the data in the order of channels last."""
        made = self.made(reference)
        return made.name if self._is_alike(reference) else self.form(reference)

    def operands(self, step_inputs: Sequence[str], rank: int) -> tuple[list[str], bool]:
        """Return the names of values that broadcast with each other, absent ones as "".

        Args:
            step_inputs: their references.
            rank: number of axes of the result.

        Returns:
            The names, and whether the channels come first in the result.
        """
        present = [reference for reference in step_inputs if reference != ABSENT]
        first = any(self.is_first(r) and self.rank(r) == rank for r in present)
        return [r and self._operand(r, rank, first=first) for r in step_inputs], first

    def permuted(self, reference: str, perm: Sequence[int], dims: Dims | None = None) -> str:
        """Return the name of a value, such as weights, with its axes in another order.

        Args:
            reference: of the value.
            perm: the order.
            dims: the shape that the result is brought to, if another.
        """
        array = self.array(reference)
        if array is not None:
            turned = array.transpose(perm)
            return self._weight(reference, turned if dims is None else turned.reshape(dims), perm)
        name = self.transposed(self.form(reference), perm)
        return name if dims is None else self.reshaped(name, dims)

    def _operand(self, reference: str, rank: int, *, first: bool) -> str:
        shape = self.shape(reference)
        if not first or not shape or len(shape) == rank:
            return self.form(reference, first=first and len(shape) == rank)
        ones = (1,) * (rank - len(shape))
        array, order = self.array(reference), to_first(rank)
        if array is not None:
            return self._weight(reference, array.reshape(*ones, *shape).transpose(order), order)
        dims = (*ones, *self.dims(reference))
        if len(shape) == 1:  # channels alone: no data moves
            return self.reshaped(self.form(reference), tuple(dims[i] for i in order))
        return self.transposed(self.reshaped(self.form(reference), dims), order)

    def _repeated(self, reference: str) -> str:
        """Return the name of a constant that is equal for each sample of a free batch."""
        array, dims = self._constants[reference], self.dims(reference)
        row = array[tuple(slice(1) if n is None else slice(None) for n in dims)]
        if not (array == row).all():
            raise NotWrittenError("constants that differ from sample to sample")
        return self.expanded(self._weight(reference, row), dims)

    def _is_alike(self, reference: str) -> bool:
        """Return whether the data are in one order in both forms: one pixel, or one channel."""
        shape = self.shape(reference)
        return len(shape) < 3 or prod(shape[1:-1]) == 1 or shape[-1] == 1

    def _new_form(self, reference: str, first: bool) -> str:
        rank, array = self.rank(reference), self.array(reference)
        order = to_first(rank) if first else to_last(rank)
        if array is not None:
            return self._weight(reference, *(array.transpose(order), order) if first else (array,))
        if reference in self._constants and not first:
            return self._repeated(reference)
        dims, other = self.dims(reference), self.form(reference, first=not first)
        if self._is_alike(reference) and dims.count(None) < 2:
            return self.reshaped(other, tuple(dims[i] for i in order) if first else dims)
        return self.transposed(other, order)
