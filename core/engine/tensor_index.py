"""Parts of tensors by index, as NumPy writes them."""

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from core import ops
from core.engine.dtypes import dtype_of, to_numpy
from core.errors import CoreError

if TYPE_CHECKING:
    from core.engine.tensors import Tensor


def sliced(x: "Tensor", index: Any) -> "Tensor":
    """Part of a tensor by integers, slices, None and an ellipsis."""
    items = index if isinstance(index, tuple) else (index,)
    begin, end, strides, masks = [], [], [], [0] * 5
    for position, item in enumerate(items):
        first, stop, step, bits = _entry(item)
        begin.append(first)
        end.append(stop)
        strides.append(step)
        for mask in bits:
            masks[mask] |= 1 << position
    return ops.strided_slice(x, begin, end, strides, *masks)


_BEGIN, _END, _ELLIPSIS, _NEW_AXIS, _SHRINK = range(5)


def _entry(item: Any) -> tuple[int, int, int, tuple[int, ...]]:
    """Begin, end and stride of one entry of an index, and the masks that the entry sets."""
    if isinstance(item, slice):
        open_ends = tuple(m for m, v in ((_BEGIN, item.start), (_END, item.stop)) if v is None)
        bounds = (item.start, 0), (item.stop, 0), (item.step, 1)
        first, stop, step = (_whole(v, default) for v, default in bounds)
        return first, stop, step, open_ends
    if item is None or item is Ellipsis:
        return 0, 0, 1, (_NEW_AXIS if item is None else _ELLIPSIS,)
    at = _whole(item)
    return at, at + 1, 1, (_SHRINK,)


def _whole(value: Any, default: int = 0) -> int:
    if value is None:
        return default
    try:
        if not isinstance(value, (bool, np.bool_)):
            return operator.index(value)
    except TypeError:
        pass
    raise CoreError(
        f"cannot index with {value!r:.80}: use integers, slices, None and an ellipsis; or, "
        f"alone, a mask or a list of indices (core.gather takes them for any axis)"
    )


def picked(x: "Tensor", index: Any) -> "Tensor":
    """The entries that a mask or indices choose along the first axis."""
    if isinstance(index, (list, np.ndarray)):
        index = to_numpy(index)
        if index.size == 0 and index.dtype != bool:
            index = index.astype(np.int32)  # an empty list has no dtype of its own
    kind = dtype_of(index) if isinstance(index, np.ndarray) else index.dtype
    if kind == "bool":
        return ops.boolean_mask(x, index)
    if kind != "int32":
        raise CoreError(f"an index is int32 or bool, got {kind}: cast it")
    return ops.gather(x, _from_start(index, len(x)))


def _from_start(index: Any, length: int) -> Any:
    """Indices from 0 on, of indices that may count from the end."""
    if not isinstance(index, np.ndarray):
        return ops.select(ops.less(index, 0), ops.add(index, length), index)
    outside = index[(index < -length) | (index >= length)]
    if outside.size:
        raise CoreError(f"index {outside[0]} is outside of axis 0, which has length {length}")
    return np.where(index < 0, index + length, index)
