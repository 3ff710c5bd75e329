"""Lists of tensors, which loops of TensorFlow 2 fill and read."""

from typing import Any

from core.dispatch import tensor
from core.errors import CoreError
from core.graph.element_shapes import element_shape, merged, number, numbers
from core.graph.graph_json_reader import dtype_of_type
from core.graph.node_types.rows import NodeType
from core.graph.nodes import Attributes
from core.graph.tensor_lists import TensorList, in_shape, list_of, split
from core.registry import ops
from core.tensors import Tensor


def _element_dtype(attributes: Attributes) -> dict[str, Any]:
    return {"dtype": dtype_of_type(attributes["element_dtype"])}


def _list(values: Any, dtype: str | None = None) -> TensorList:
    """A list of the dtype that the node names, checked."""
    if not isinstance(values, TensorList):
        raise CoreError(f"a node that takes a list of tensors got {values!r:.80}")
    if dtype not in (None, values.dtype):
        raise CoreError(f"a node that takes a list of {dtype} tensors got {values!r:.80}")
    return values


def _reserve(*, shape: Any, dtype: str) -> TensorList:
    return TensorList(dtype, element_shape(shape))


def _empty_list(*, shape: Any, most: Any, dtype: str) -> TensorList:
    limit = number(most)
    return TensorList(dtype, element_shape(shape), None if limit < 0 else limit)


def _from_tensor(value: Tensor, *, shape: Any, dtype: str) -> TensorList:
    if not value.shape:
        raise CoreError("a list cannot be made of a single number, which has no first axis")
    merged(element_shape(shape), value.shape[1:], f"a list of {value.shape[0]} tensors")
    return list_of(ops.unstack(value), dtype, element_shape(shape))


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
    "TensorListReserve": NodeType(_reserve, (), {"shape": 0}, _element_dtype),
    "TensorListResize": NodeType(_resize, (0,), {"size": 1}),
    "TensorListScatter": _SCATTER,
    "TensorListScatterV2": _SCATTER,
    "TensorListSetItem": NodeType(_set_item, (0, 2), {"index": 1}),
    "TensorListSplit": NodeType(_split, (0,), {"shape": 1, "lengths": 2}),
    "TensorListStack": NodeType(_stack, (0,), {"shape": 1}, _element_dtype),
}
