"""The arithmetic cost of ops, computed from shapes."""

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

from core.engine.specs import Spec

Attributes = Mapping[str, Any]

#: Counts the products that make one value of the result.
_Count = Callable[[Sequence[Any], Attributes], int]


def _of_filter(specs: Sequence[Spec], attributes: Attributes) -> int:
    """Products for filters [size along each axis, in, out]."""
    return prod(specs[1].shape[:-1])


def _of_depthwise(specs: Sequence[Spec], attributes: Attributes) -> int:
    return prod(specs[1].shape[:2])


def _of_rows(specs: Sequence[Spec], attributes: Attributes) -> int:
    return specs[0].shape[-2 if attributes.get("transpose_a") else -1]


def _of_window(specs: Sequence[Any], attributes: Attributes) -> int:
    size = attributes.get("filter_size", 1)
    return prod(size) if isinstance(size, (tuple, list)) else int(size) ** 2


#: Ops whose result is sums of products.
_SUMS: dict[str, _Count] = {
    **dict.fromkeys(("conv2d", "fused_conv2d", "conv3d", "integer_conv2d"), _of_filter),
    **dict.fromkeys(
        ("depthwise_conv2d", "fused_depthwise_conv2d", "integer_depthwise_conv2d"), _of_depthwise
    ),
    **dict.fromkeys(("matmul", "fused_matmul"), _of_rows),
}

#: Ops that look at as many values for each one of the result.
_WINDOWS: dict[str, _Count] = {
    **dict.fromkeys(("max_pool", "avg_pool", "max_pool3d", "avg_pool3d"), _of_window),
    "max_pool_with_argmax": _of_window,
    "dilation2d": _of_depthwise,
}


def multiply_adds(op: str, specs: Sequence[Any], attributes: Attributes, result: Any) -> int:
    """Count the products that an op sums up; 0 for ops that are not sums of products.

    >>> multiply_adds("matmul", [Spec((2, 5)), Spec((5, 3))], {}, Spec((2, 3)))
    30
    """
    if op in ("conv2d_backprop_input", "conv3d_backprop_input"):
        return int(specs[0].size * prod(specs[1].shape[:-1]))
    count = _SUMS.get(op)
    return int(result.size * count(specs, attributes)) if count else 0


def steps(op: str, specs: Sequence[Any], attributes: Attributes, result: Any) -> int:
    """Count the products or comparisons of an op that reads several values for each result."""
    count = _WINDOWS.get(op)
    if count is None:
        return multiply_adds(op, specs, attributes, result)
    first = result[0] if type(result) is tuple else result  # a spec is a tuple, too
    return int(first.size * count(specs, attributes))
