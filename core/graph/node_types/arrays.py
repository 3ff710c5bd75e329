"""Arrays of tensors, which loops of TensorFlow 1 fill and read.

An array is changed in place. Nodes hold it by its handle, and pass on a number, the flow, by which
each comes after the one before.
"""

from typing import Any

from core.dispatch import tensor
from core.errors import CoreError
from core.graph.element_shapes import element_shape, number, numbers
from core.graph.graph_json_reader import dtype_of_type
from core.graph.node_types.rows import NodeType
from core.graph.nodes import Attributes
from core.graph.tensor_arrays import TensorArray
from core.tensors import Tensor


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
    "TensorArrayV3": NodeType(_make, (), {"size": 0}, _options, ("handle", "flow")),
    "TensorArrayWriteV3": NodeType(_write, (0, 2, 3), {"index": 1}),
}
