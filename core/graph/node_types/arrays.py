"""Arrays of tensors, which loops of TensorFlow 1 fill and read.

An array is changed in place. Nodes hold it by its handle, and pass on a number, the flow, by which
each comes after the one before.
"""

from collections.abc import Sequence
from typing import Any

from core import ops
from core.engine.dispatch import tensor
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.graph.element_shapes import ElementShape, defined, element_shape, merged, number, numbers
from core.graph.graph_json_reader import dtype_of_type
from core.graph.node_types.lists import MOST_ELEMENTS, empty, joined, split
from core.graph.node_types.rows import NodeType
from core.graph.nodes import Attributes


class TensorArray:
    """Tensors of one dtype by their index, each written once. Nodes hold it as a handle.

    Args:
        name: for errors.
        dtype: of the elements.
        size: how many elements there may be, unless it grows.
        shape: of the elements, as far as it is known; if nothing is, that of the first element.
        grows: whether there may be more than ``size``.
        clears: whether an element can be read only once, and then is let go of.
    """

    def __init__(
        self,
        name: str,
        dtype: str,
        size: int,
        shape: ElementShape = None,
        *,
        grows: bool = False,
        clears: bool = False,
    ):
        self.name, self.dtype, self.shape = name, dtype, shape
        self.size = MOST_ELEMENTS if grows else min(size, MOST_ELEMENTS)
        self.clears = clears
        self.elements: list[Tensor | None] = []
        self._read: set[int] = set()
        self._closed = False

    def __len__(self) -> int:
        return len(self.elements)

    def __repr__(self) -> str:
        return f"TensorArray({self.name!r}, {len(self)} x {self.dtype} {self.shape})"

    def read(self, index: int) -> Tensor:
        """The element at an index.

        Raises:
            CoreError: no such element, one that was read and cleared, or a closed array.
        """
        self._check_open()
        if self.clears and index in self._read:
            raise CoreError(f"{self._what()}: index {index} was read already, and cleared then")
        found = self.elements[index] if 0 <= index < len(self) else None
        if found is None:
            raise CoreError(f"{self._what()}: there is nothing to read at index {index}")
        self._read.add(index)
        if self.clears:
            self.elements[index] = None
        return found

    def write(self, index: int, value: Tensor) -> None:
        """Set the element at an index.

        Raises:
            CoreError: the index is not in the array, was written or read already, or the dtype or
                shape of the value is not that of the array.
        """
        self._check_open()
        if not 0 <= index < self.size:
            raise CoreError(f"{self._what()} of at most {self.size} has no index {index} to write")
        self._check_dtype(value)
        if not self.shape and not self.elements:
            self.shape = value.shape
        merged(self.shape, value.shape, self._what())
        if index in self._read or (index < len(self) and self.elements[index] is not None):
            raise CoreError(f"{self._what()}: index {index} was written already")
        self.elements += [None] * (index + 1 - len(self))
        self.elements[index] = value

    def gather(self, indices: Sequence[int]) -> Tensor:
        """Elements along a new first axis; no more of them than the array has."""
        values = [self.read(index) for index in indices[: len(self)]]
        if not values:
            return empty((0, *defined(self.shape, (), self._what())), self.dtype)
        merged(self.shape, values[0].shape, self._what())
        stacked: Tensor = ops.stack(values)
        return stacked

    def concat(self) -> tuple[Tensor, Tensor]:
        """All elements joined along their first axis, and how long each is there."""
        values = [self.read(index) for index in range(len(self))]
        if not values:
            return empty(joined(self.shape, self._what()), self.dtype), empty((0,), "int32")
        if not values[0].shape:
            raise CoreError(f"{self._what()}: single numbers cannot be joined: gather them")
        merged(self.shape, values[0].shape, self._what())
        return ops.concat(values), tensor([value.shape[0] for value in values], "int32")

    def scatter(self, indices: Sequence[int], value: Tensor) -> None:
        """Write the parts of a tensor along its first axis to indices."""
        self._check_dtype(value)
        if not value.shape or len(indices) != value.shape[0]:
            raise CoreError(
                f"{self._what()}: {len(indices)} indices need a tensor of as many elements, "
                f"got shape {value.shape}"
            )
        for index, part in zip(indices, ops.unstack(value), strict=True):
            self.write(index, part)

    def split(self, lengths: Sequence[int], value: Tensor) -> None:
        """Write parts of a tensor, of given lengths along its first axis, from index 0 on."""
        self._check_dtype(value)
        if self.size not in (len(lengths), MOST_ELEMENTS):
            raise CoreError(f"{self._what()}: it has {self.size} elements, not {len(lengths)}")
        parts = split(value, lengths, self.shape or None)
        if not self.shape and not self.elements:
            self.shape = (None, *value.shape[1:])  # as long as each is
        for index, part in enumerate(parts):
            self.write(index, part)

    def close(self) -> None:
        """Free all elements; reading and writing is an error from now on."""
        self.elements.clear()
        self._closed = True

    def _check_open(self) -> None:
        if self._closed:
            raise CoreError(f"{self._what()} was closed already")

    def _check_dtype(self, value: Tensor) -> None:
        if not isinstance(value, Tensor) or value.dtype != self.dtype:
            raise CoreError(f"{self._what()} has {self.dtype} elements, not {value!r:.80}")

    def _what(self) -> str:
        return f"the tensor array {self.name!r} of {len(self)}"


def _array(handle: Any, dtype: str | None = None) -> TensorArray:
    """An array of the dtype that the node names, checked."""
    if not isinstance(handle, TensorArray):
        raise CoreError(f"a node that takes a tensor array got {handle!r:.80}")
    if dtype not in (None, handle.dtype):
        raise CoreError(f"a node that takes an array of {dtype} tensors got {handle!r:.80}")
    return handle


def _options(attributes: Attributes) -> dict[str, Any]:
    return {
        "dtype": dtype_of_type(attributes["dtype"]),
        "shape": element_shape(attributes.get("element_shape")),
        "name": str(attributes.get("tensor_array_name") or ""),
        "grows": bool(attributes.get("dynamic_size")),
        "clears": bool(attributes.get("clear_after_read")),
    }


def _make(
    *, size: Any, name: str, dtype: str, shape: Any, grows: bool, clears: bool
) -> tuple[TensorArray, Tensor]:
    made = TensorArray(name, dtype, number(size), shape, grows=grows, clears=clears)
    return made, tensor(1.0)


def _write(handle: Any, value: Tensor, flow: Any, *, index: Any) -> Any:
    _array(handle).write(number(index), value)
    return flow


def _read(handle: Any, _: Any, *, index: Any) -> Tensor:
    return _array(handle).read(number(index))


def _gather(handle: Any, _: Any, *, indices: Any, dtype: str | None = None) -> Tensor:
    return _array(handle, dtype).gather(numbers(indices))


def _scatter(handle: Any, value: Tensor, flow: Any, *, indices: Any) -> Any:
    _array(handle).scatter(numbers(indices), value)
    return flow


def _concat(handle: Any, _: Any, *, dtype: str | None = None) -> tuple[Tensor, Tensor]:
    return _array(handle, dtype).concat()


def _split(handle: Any, value: Tensor, flow: Any, *, lengths: Any) -> Any:
    _array(handle).split(numbers(lengths), value)
    return flow


def _size(handle: Any, _: Any) -> Tensor:
    return tensor(len(_array(handle)), "int32")


def _close(handle: Any) -> tuple[()]:
    _array(handle).close()
    return ()


def _dtype(attributes: Attributes) -> dict[str, Any]:
    return {"dtype": dtype_of_type(attributes["dtype"])} if attributes.get("dtype") else {}


NODE_TYPES = {
    "TensorArrayCloseV3": NodeType(_close, (0,)),
    "TensorArrayConcatV3": NodeType(_concat, (0, 1), {}, _dtype, ("value", "lengths")),
    "TensorArrayGatherV3": NodeType(_gather, (0, 2), {"indices": 1}, _dtype),
    "TensorArrayReadV3": NodeType(_read, (0, 2), {"index": 1}),
    "TensorArrayScatterV3": NodeType(_scatter, (0, 2, 3), {"indices": 1}),
    "TensorArraySizeV3": NodeType(_size, (0, 1)),
    "TensorArraySplitV3": NodeType(_split, (0, 1, 3), {"lengths": 2}),
    "TensorArrayV3": NodeType(
        _make, (), {"size": 0}, _options, ("handle", "flow"), makes_resource=True
    ),
    "TensorArrayWriteV3": NodeType(_write, (0, 2, 3), {"index": 1}),
}
