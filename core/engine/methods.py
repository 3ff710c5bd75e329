"""Operators and methods of `Tensor`: ops and composites that take the tensor first."""

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from core.engine.argument_types import Index, TensorLike
from core.engine.dtypes import dtype_of, to_numpy
from core.engine.late_ops import OPERATORS, SWAPPED, end_late_methods
from core.engine.registry import FUNCTIONS, METHODS, OPS
from core.engine.tensors import Tensor
from core.errors import CoreError


def install_methods() -> None:
    """Give `Tensor` its operators and methods, once all ops are declared."""
    for special, name in OPERATORS.items():
        wrapped = _operator if OPS[name].count == 2 else _method
        setattr(Tensor, special, wrapped(OPS[name]))
    for stem in SWAPPED:
        setattr(Tensor, f"__r{stem}__", _swapped(OPS[OPERATORS[f"__{stem}__"]]))
    for name, function in METHODS.items():
        setattr(Tensor, name, _method(function))
    for name, method in OTHERS.items():
        setattr(Tensor, name, method)
    end_late_methods(Tensor)


def _method(function: Callable[..., Any]) -> Callable[..., Any]:
    def method(self: Tensor, *arguments: Any, **attributes: Any) -> Any:
        return function(self, *arguments, **attributes)

    method.__name__ = function.__name__
    method.__doc__ = f"`core.{function.__name__}` of this tensor."
    return method


def _operator(function: Callable[..., Any]) -> Callable[..., Any]:
    def operate(self: Tensor, other: Any) -> Any:
        if other is None:
            return NotImplemented  # Python knows by itself that a tensor is not None
        return function(self, other)

    return operate


def _swapped(function: Callable[..., Any]) -> Callable[[Tensor, Any], Any]:
    return lambda self, other: function(other, self)


def concat(self: Tensor, others: TensorLike | Sequence[TensorLike], axis: int = 0) -> Tensor:
    """`core.concat` of this tensor and another tensor or array, or a list of them."""
    return OPS["concat"]([self, *_listed(others)], axis=axis)


def stack(self: Tensor, others: TensorLike | Sequence[TensorLike], axis: int = 0) -> Tensor:
    """`core.stack` of this tensor and another tensor or array, or a list of them."""
    return OPS["stack"]([self, *_listed(others)], axis=axis)


def _listed(others: Any) -> list:
    return list(others) if isinstance(others, (list, tuple)) else [others]


def where(self: Tensor, condition: TensorLike, other: TensorLike) -> Tensor:
    """The values of this tensor where a condition is true, values of another one elsewhere."""
    return FUNCTIONS["where"](condition, self, other)


def print_values(self: Tensor) -> None:
    """Print the values, indented below a title, as TensorFlow.js does.

    >>> import core
    >>> core.tensor([[1.0, 2.5]]).print()
    Tensor
        [[1. , 2.5]]
    """
    values = np.array2string(self.numpy(), separator=", ", prefix="    ")
    print(f"Tensor\n    {values}")


def get_item(self: Tensor, index: Index) -> Tensor:
    """Part of a tensor, by NumPy's basic indexing, a mask or a list of indices.

    Args:
        self: the tensor.
        index: integers, slices, None (a new axis) and an ellipsis, one or a tuple of them;
            or a bool mask of the first axes; or an int32 tensor, array or list of indices on the
            first axis, where negative ones count from the end.

    Raises:
        CoreError: the index is of another type, or outside of the tensor.

    >>> import core
    >>> x = core.tensor([[1, 2, 3], [4, 5, 6]])
    >>> x[1, ::2].tolist(), x[:, -1].tolist(), x[[1, 1]].tolist()
    ([4, 6], [3, 6], [[4, 5, 6], [4, 5, 6]])
    """
    if isinstance(index, (Tensor, np.ndarray, list)):
        return _picked(self, index)
    items = index if isinstance(index, tuple) else (index,)
    begin, end, strides, masks = [], [], [], [0] * 5
    for position, item in enumerate(items):
        first, stop, step, bits = _entry(item)
        begin.append(first)
        end.append(stop)
        strides.append(step)
        for mask in bits:
            masks[mask] |= 1 << position
    return OPS["strided_slice"](self, begin, end, strides, *masks)


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


def _picked(x: Tensor, index: Any) -> Tensor:
    """The entries that a mask or indices choose along the first axis."""
    if not isinstance(index, Tensor):
        index = to_numpy(index)
        if index.size == 0 and index.dtype != bool:
            index = index.astype(np.int32)  # an empty list has no dtype of its own
    kind = index.dtype if isinstance(index, Tensor) else dtype_of(index)
    if kind == "bool":
        return FUNCTIONS["boolean_mask"](x, index)
    if kind != "int32":
        raise CoreError(f"an index is int32 or bool, got {kind}: cast it")
    return OPS["gather"](x, _from_start(index, len(x)))


def _from_start(index: Any, length: int) -> Any:
    """Indices from 0 on, of indices that may count from the end."""
    if isinstance(index, Tensor):
        ahead = OPS["add"](index, length)
        return OPS["select"](OPS["less"](index, 0), ahead, index)
    outside = index[(index < -length) | (index >= length)]
    if outside.size:
        raise CoreError(f"index {outside[0]} is outside of axis 0, which has length {length}")
    return np.where(index < 0, index + length, index)


#: Methods that are more than an op with the tensor first.
OTHERS = {
    "concat": concat,
    "stack": stack,
    "where": where,
    "print": print_values,
    "__getitem__": get_item,
}
