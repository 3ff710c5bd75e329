"""The sum of many tensors; other element-wise kernels are rows of the table of expressions."""

from collections.abc import Sequence
from typing import Any

from core.backends.shader.codegen.expressions import LETTERS, expression
from core.backends.shader.codegen.kernel_language import (
    MOST_INPUTS,
    Dispatch,
    KernelBuilder,
    Operand,
    Source,
)
from core.engine.registry import kernel


@kernel("add_n", "shader")
def add_n(call: KernelBuilder, tensors: list[Operand]) -> Dispatch:
    """Return the sum of several tensors, added in order; each pass reads as many as it can."""
    made = _sum(call, tensors[:MOST_INPUTS])
    for start in range(MOST_INPUTS, len(tensors), MOST_INPUTS - 1):
        made = _sum(call, [made, *tensors[start : start + MOST_INPUTS - 1]])
    return made


def _sum(call: KernelBuilder, terms: Sequence[Source]) -> Dispatch:
    if len(terms) == 1:
        return call.each("x", x=terms[0])
    text = expression("add_n", [each.dtype for each in terms], {}).text
    inputs: dict[str, Any] = dict(zip(LETTERS, terms, strict=False))
    return call.each(text, **inputs)
