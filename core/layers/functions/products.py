"""Sums of products between layers: matrices and equations of axes."""

from collections.abc import Callable, Sequence
from string import ascii_letters
from typing import Any

from core.layers.common_ops import as_float
from core.layers.layer_call import LayerCall, Operand
from core.layers.operands import operand, operands_of
from core.layers.products import einsum, matrix_product


def _einsum(call: LayerCall, *values: Operand) -> Any:
    equation = str(call.options.get("subscripts", call.options.get("equation", "")))
    found = [as_float(call, operand(call, each)) for each in operands_of(call, values)]
    return einsum(call, equation, found)


def _two(call: LayerCall, values: Sequence[Operand]) -> tuple[Operand, Operand]:
    found = [as_float(call, operand(call, each)) for each in operands_of(call, values)]
    if len(found) != 2:
        raise call.error(f"takes two tensors, got {len(found)}")
    return found[0], found[1]


def _matmul(call: LayerCall, *values: Operand) -> Any:
    return matrix_product(call, *_two(call, values))


def _dot(call: LayerCall, *values: Operand) -> Any:
    """Sum over the last axis of the first tensor and the last but one of the second."""
    x, y = _two(call, values)
    m, n = len(call.shape(x)), len(call.shape(y))
    left, right = ascii_letters[:m], ascii_letters[m : m + n]
    if not m or not n:
        raise call.error(f"takes tensors with axes, got shapes {x.shape} and {y.shape}")
    summed = max(n - 2, 0)
    right = right[:summed] + left[-1] + right[summed + 1 :]
    others = left[:-1] + right[:summed] + right[summed + 1 :]
    return einsum(call, f"{left},{right}->{others}", [x, y])


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "einsum": _einsum,
    "matmul": _matmul,
    "dot": _dot,
}
