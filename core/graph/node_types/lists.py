"""Lists of tensors, which loops of TensorFlow 2 fill and read."""

from collections.abc import Iterator, Sequence
from itertools import chain, repeat
from typing import Any

from core import ops
from core.engine.dispatch import tensor
from core.engine.specs import Shape
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.graph.element_shapes import ElementShape, defined, element_shape, merged, number, numbers
from core.graph.graph_json_reader import dtype_of_type
from core.graph.node_types.rows import NodeType
from core.graph.nodes import Attributes

#: Elements of a chunk: setting one of n copies a chunk and n / CHUNK references.
CHUNK = 256

#: Largest length of a list; a damaged graph could ask for any length.
MOST_ELEMENTS = 2**24

_Chunks = tuple[tuple[Tensor | None, ...], ...]


class TensorList:
    """Tensors of one dtype by their index. It never changes: setting an element gives a new list.

    What it accepts is what TensorFlow.js accepts: one that was reserved is empty, and setting an
    element makes it as long as it must be.

    Args:
        dtype: of the elements.
        shape: of the elements, as far as it is known.
        most: how many elements there may be; None: any number.
        room: how many elements were reserved; there may be more.

    >>> import core
    >>> TensorList("float32", (2,)).with_last(core.ones((2,))).stack().shape
    (1, 2)
    """

    __slots__ = ("_found", "_rows", "_size", "dtype", "most", "room", "shape")

    def __init__(self, dtype: str, shape: ElementShape, most: int | None = None, room: int = 0):
        self.dtype, self.shape, self.most, self.room = dtype, shape, most, room
        self._found: _Chunks | None = ()
        self._rows: Tensor | None = None  # which are the elements, none of them absent
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def __bool__(self) -> bool:
        return True  # an empty list is a value, too

    def __iter__(self) -> Iterator[Tensor]:
        return (self.item(i) for i in range(self._size))

    def __repr__(self) -> str:
        return f"TensorList({self._size} x {self.dtype} {self.shape})"

    @property
    def rows(self) -> Tensor | None:
        """The tensor whose rows are the elements, if the list was made of one."""
        return self._rows

    @property
    def _chunks(self) -> _Chunks:
        if self._found is None:  # made when somebody asks for single elements
            assert self._rows is not None
            self._found = tuple(batched(ops.unstack(self._rows), CHUNK))
        return self._found

    def elements(self) -> Iterator[Tensor | None]:
        """All elements, None for those that nobody has set."""
        return chain(*self._chunks)

    def item(self, index: int) -> Tensor:
        """The element at an index from 0."""
        if not 0 <= index < self._size:
            raise CoreError(f"there is no index {index} in a list of {self._size} tensors")
        chunk, offset = divmod(index, CHUNK)
        found = self._chunks[chunk][offset]
        if found is None:
            raise CoreError(f"a list of {self._size} tensors has nothing at index {index}")
        return found

    def with_item(self, index: int, value: Tensor) -> "TensorList":
        """The list with another element at an index; it grows where the index is beyond its end."""
        if not 0 <= index < self._limit:
            raise CoreError(
                f"cannot set index {index} of a list of {self._size} tensors, which may have "
                f"{self._limit}"
            )
        if index == self._size:
            return self.with_last(value)
        self._check(value)
        longer = self if index < self._size else self.resized(index + 1)
        chunk, offset = divmod(index, CHUNK)
        old = longer._chunks[chunk]
        new = (*old[:offset], value, *old[offset + 1 :])
        return self._with((*longer._chunks[:chunk], new, *longer._chunks[chunk + 1 :]), len(longer))

    def with_last(self, value: Tensor) -> "TensorList":
        """The list with one more element at the end."""
        if self._size >= self._limit:
            raise CoreError(f"cannot add to a list of {self._size} tensors: it is full")
        self._check(value)
        full, offset = divmod(self._size, CHUNK)
        last = self._chunks[full] if offset else ()
        return self._with((*self._chunks[:full], (*last, value)), self._size + 1)

    def without_last(self) -> "TensorList":
        """The list without its last element."""
        if not self._size:
            raise CoreError("cannot take the last element of a list of 0 tensors")
        full, offset = divmod(self._size - 1, CHUNK)
        last = [self._chunks[full][:offset]] if offset else []
        return self._with((*self._chunks[:full], *last), self._size - 1)

    def resized(self, size: int) -> "TensorList":
        """The list cut to a length, or longer with empty new elements."""
        if not 0 <= size <= self._limit:
            raise CoreError(
                f"cannot make {size} tensors of a list of {self._size}, which may have "
                f"{self._limit}"
            )
        items = [*chain(*self._chunks), *repeat(None, max(0, size - self._size))][:size]
        return self._with(tuple(batched(items, CHUNK)), size)

    def stack(self, shape: ElementShape = None) -> Tensor:
        """All elements along a new first axis.

        Args:
            shape: of the elements, as far as it is known.
        """
        return self.gather(range(self._size), shape)

    def gather(self, indices: Sequence[int], shape: ElementShape = None) -> Tensor:
        """The elements at indices along a new first axis; no more of them than the list is long."""
        known = merged(self.shape, shape, "the list")
        if self._rows is not None and self._size and indices == range(self._size):
            expected = defined(known, [self._rows.shape[1:]], "the list")
            return in_shape(ops.identity(self._rows), (self._size, *expected))
        values = [self.item(i) for i in indices[: self._size]]
        if not values:
            return empty((0, *defined(known, (), "the list")), self.dtype)
        expected = defined(known, (value.shape for value in values), "the list")
        return ops.stack([in_shape(value, expected) for value in values])

    def concat(self, shape: ElementShape = None) -> tuple[Tensor, Tensor]:
        """All elements joined along their first axis, and how long each is there."""
        values = list(self)
        known = merged(self.shape, shape, "the list")
        if not values:
            return empty(joined(known, "the list"), self.dtype), empty((0,), "int32")
        if any(not value.shape for value in values):
            raise CoreError("cannot join the elements of a list that are single numbers: stack it")
        for value in values:
            merged(known, value.shape, "the list")
        return ops.concat(values), tensor([value.shape[0] for value in values], "int32")

    def _check(self, value: Tensor) -> None:
        """Raise an error for what cannot be an element."""
        if not isinstance(value, Tensor) or value.dtype != self.dtype:
            raise CoreError(f"a list of {self.dtype} tensors cannot have {value!r:.80}")
        merged(self.shape, value.shape, f"a list of {self._size} tensors")

    @property
    def _limit(self) -> int:
        return MOST_ELEMENTS if self.most is None else min(self.most, MOST_ELEMENTS)

    def _with(self, chunks: _Chunks, size: int) -> "TensorList":
        made = TensorList(self.dtype, self.shape, self.most, self.room)
        made._found, made._size = chunks, size
        return made

    def with_rows(self, rows: Tensor) -> "TensorList":
        """The list with all rows of a tensor as its elements instead."""
        if rows.dtype != self.dtype:
            raise CoreError(f"a list of {self.dtype} tensors cannot have {rows!r:.80}")
        merged(self.shape, rows.shape[1:], f"a list of {rows.shape[0]} tensors")
        made = self._with((), rows.shape[0])
        made._found, made._rows = None, rows
        return made

    def with_elements(self, elements: Sequence[Tensor | None]) -> "TensorList":
        """The list with other elements, of its dtype and shape, instead."""
        return self._with(tuple(batched(elements, CHUNK)), len(elements))


def list_of(
    values: Sequence[Tensor], dtype: str, shape: ElementShape, most: int | None = None
) -> TensorList:
    """A list of tensors that are there already."""
    made = TensorList(dtype, shape, most)
    for value in values:
        made._check(value)
    return made._with(tuple(batched(values, CHUNK)), len(values))


def batched(items: Sequence[Any], count: int) -> Iterator[tuple[Any, ...]]:
    """The items in tuples of so many; the last one may have fewer."""
    return (tuple(items[i : i + count]) for i in range(0, len(items), count))


def joined(shape: ElementShape, what: str) -> Shape:
    """The shape of no elements of a shape, joined along their first axis."""
    return (0, *defined(None if shape is None else shape[1:], (), what))


def empty(shape: Shape, dtype: Any) -> Tensor:
    """A tensor of no values."""
    made: Tensor = ops.fill(shape=shape, value="" if dtype == "string" else 0, dtype=dtype)
    return made


def in_shape(value: Tensor, shape: Shape) -> Tensor:
    """Return the values in a shape."""
    return value if value.shape == shape else value.reshape(shape)


def split(value: Tensor, lengths: Sequence[int], shape: ElementShape) -> list[Tensor]:
    """Parts of a tensor of given lengths along its first axis.

    As in TensorFlow.js, parts of length 1 lose that axis where the shape of an element has not it.
    """
    if not value.shape or sum(lengths) != value.shape[0] or min(lengths, default=0) < 0:
        raise CoreError(f"cannot split a tensor of shape {value.shape} into lengths {lengths}")
    if not lengths:
        return []
    parts = ops.split(value, num_or_size_splits=tuple(lengths))
    if shape is None or len(shape) == len(value.shape):
        return list(parts)
    return [in_shape(part, defined(shape, [value.shape[1:]], "the parts")) for part in parts]


def _element_dtype(attributes: Attributes) -> dict[str, Any]:
    return {"dtype": dtype_of_type(attributes["element_dtype"])}


def _list(values: Any, dtype: str | None = None) -> TensorList:
    """A list of the dtype that the node names, checked."""
    if not isinstance(values, TensorList):
        raise CoreError(f"a node that takes a list of tensors got {values!r:.80}")
    if dtype not in (None, values.dtype):
        raise CoreError(f"a node that takes a list of {dtype} tensors got {values!r:.80}")
    return values


def _reserve(*, shape: Any, dtype: str, room: Any = 0) -> TensorList:
    return TensorList(dtype, element_shape(shape), room=max(0, min(number(room), MOST_ELEMENTS)))


def _empty_list(*, shape: Any, most: Any, dtype: str) -> TensorList:
    limit = number(most)
    return TensorList(dtype, element_shape(shape), None if limit < 0 else limit)


def _from_tensor(value: Tensor, *, shape: Any, dtype: str) -> TensorList:
    if not value.shape:
        raise CoreError("a list cannot be made of a single number, which has no first axis")
    return TensorList(dtype, element_shape(shape)).with_rows(value)


def _scatter(value: Tensor, *, indices: Any, shape: Any, count: Any = -1) -> TensorList:
    positions, limit = numbers(indices), number(count)
    if not value.shape or len(positions) != value.shape[0]:
        raise CoreError(f"{len(positions)} indices need as many tensors, got shape {value.shape}")
    made = TensorList(value.dtype, element_shape(shape), None if limit < 0 else limit)
    for position, part in zip(positions, ops.unstack(value), strict=True):
        made = made.with_item(position, part)
    return made


def _split(value: Tensor, *, shape: Any, lengths: Any) -> TensorList:
    known, sizes = element_shape(shape), numbers(lengths)
    return list_of(split(value, sizes, known), value.dtype, known, len(sizes))


def _get_item(values: TensorList, *, index: Any, shape: Any, dtype: str) -> Tensor:
    return _element(_list(values, dtype), number(index), shape)


def _set_item(values: TensorList, value: Tensor, *, index: Any) -> TensorList:
    return _list(values).with_item(number(index), value)


def _push(values: TensorList, value: Tensor) -> TensorList:
    return _list(values).with_last(value)


def _pop(values: TensorList, *, shape: Any, dtype: str) -> tuple[TensorList, Tensor]:
    shorter = _list(values, dtype).without_last()
    return shorter, _element(values, len(shorter), shape)


def _element(values: TensorList, index: int, shape: Any) -> Tensor:
    """An element in the shape that is asked for."""
    found, what = values.item(index), f"index {index} of a list of {len(values)} tensors"
    known = merged(values.shape, element_shape(shape), what)
    if known is None or None in known:
        known = merged(known, found.shape, what)
    return in_shape(found, tuple(n for n in known or () if n is not None))


def _gather(values: TensorList, *, indices: Any, shape: Any, dtype: str) -> Tensor:
    return _list(values, dtype).gather(numbers(indices), element_shape(shape))


def _stack(values: TensorList, *, shape: Any, dtype: str) -> Tensor:
    return _list(values, dtype).stack(element_shape(shape))


def _concat(values: TensorList, *, element_shape: Any = None) -> tuple[Tensor, Tensor]:
    return _list(values).concat(element_shape)


def _resize(values: TensorList, *, size: Any) -> TensorList:
    return _list(values).resized(number(size))


def _concat_shape(attributes: Attributes) -> dict[str, Any]:
    return {"element_shape": element_shape(attributes.get("element_shape"))}


_FROM = {"indices": 1, "shape": 2}
_SCATTER = NodeType(_scatter, (0,), {**_FROM, "count": 3})
_CONCAT = NodeType(_concat, (0,), attributes=_concat_shape, outputs=("tensor", "lengths"))


NODE_TYPES = {
    "EmptyTensorList": NodeType(_empty_list, (), {"shape": 0, "most": 1}, _element_dtype),
    "TensorListConcat": _CONCAT,
    "TensorListConcatV2": _CONCAT,
    "TensorListFromTensor": NodeType(_from_tensor, (0,), {"shape": 1}, _element_dtype),
    "TensorListGather": NodeType(_gather, (0,), _FROM, _element_dtype),
    "TensorListGetItem": NodeType(_get_item, (0,), {"index": 1, "shape": 2}, _element_dtype),
    "TensorListLength": NodeType(lambda values: tensor(len(_list(values)), "int32"), (0,)),
    "TensorListPopBack": NodeType(
        _pop, (0,), {"shape": 1}, _element_dtype, ("output_handle", "tensor")
    ),
    "TensorListPushBack": NodeType(_push, (0, 1)),
    "TensorListReserve": NodeType(_reserve, (), {"shape": 0, "room": 1}, _element_dtype),
    "TensorListResize": NodeType(_resize, (0,), {"size": 1}),
    "TensorListScatter": _SCATTER,
    "TensorListScatterV2": _SCATTER,
    "TensorListSetItem": NodeType(_set_item, (0, 2), {"index": 1}),
    "TensorListSplit": NodeType(_split, (0,), {"shape": 1, "lengths": 2}),
    "TensorListStack": NodeType(_stack, (0,), {"shape": 1}, _element_dtype),
}
