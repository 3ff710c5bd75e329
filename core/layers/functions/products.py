"""Sums of products between layers: matrices and equations of axes."""

from collections.abc import Callable, Sequence
from string import ascii_letters
from typing import Any

from core.layers.common_ops import as_float, expand
from core.layers.layer_call import LayerCall, Operand
from core.layers.op_shapes import broadcast
from core.layers.operands import operand, operands_of


def einsum(call: LayerCall, equation: str, values: Sequence[Operand]) -> Any:
    """Add the sum of products that an equation such as "abc,acd->abd" describes."""
    terms, result = _terms(call, equation, values)
    lengths: dict[str, int | None] = {}
    for term, value in zip(terms, values, strict=True):
        for letter, n in zip(term, call.shape(value), strict=True):
            known = lengths.get(letter)
            if known not in (None, 1) and n not in (None, 1, known):
                raise call.error(f"the axes {letter!r} of {equation!r} have lengths {known}, {n}")
            lengths[letter] = n if known in (None, 1) and n is not None else known
    return call.ops.contract(list(values), equation=f"{','.join(terms)}->{result}")


def _terms(call: LayerCall, equation: str, values: Sequence[Operand]) -> tuple[list[str], str]:
    """Return the terms and the result of an equation, with letters for the dots."""
    left, arrow, right = "".join(equation.split()).partition("->")
    given = left.split(",")
    ranks = [len(call.shape(value)) for value in values]
    if len(given) != len(values):
        raise call.error(f"the equation {equation!r} is for {len(given)} tensors")
    unused = [letter for letter in ascii_letters if letter not in equation]
    counts = [rank - len(t.replace("...", "")) for t, rank in zip(given, ranks, strict=True)]
    dots = "".join(unused[: max(0, *counts)])
    terms = [
        t.replace("...", dots[len(dots) - n :]) if n > 0 else t.replace("...", "")
        for t, n in zip(given, counts, strict=True)
    ]
    every = "".join(terms)
    if not arrow:
        right = "..." * bool(dots) + "".join(
            c for c in sorted(set(every)) if every.count(c) == 1 and c not in dots
        )
    result = right.replace("...", dots)
    fits = [len(t) for t in terms] == ranks and set(result) <= set(every)
    if not fits or not set(every) <= set(ascii_letters):
        raise call.error(f"the equation {equation!r} does not fit tensors of {ranks} axes")
    return terms, result


def _einsum(call: LayerCall, *values: Operand) -> Any:
    equation = str(call.options.get("subscripts", call.options.get("equation", "")))
    found = [as_float(call, operand(call, each)) for each in operands_of(call, values)]
    return einsum(call, equation, found)


def matrix_product(call: LayerCall, x: Operand, y: Operand) -> Any:
    """Add the product of matrices in the last two axes; vectors are rows or columns of one."""
    first, second = len(call.shape(x)), len(call.shape(y))
    x = expand(call, x, 0) if first == 1 else x
    y = expand(call, y, 1) if second == 1 else y
    a, b = call.shape(x), call.shape(y)
    if len(a) < 2 or len(b) < 2 or (None not in (a[-1], b[-2]) and a[-1] != b[-2]):
        raise call.error(f"cannot multiply matrices of shapes {x.shape} and {y.shape}")
    batch = broadcast(call, a[:-2], b[:-2])
    assert batch is not None
    product = call.ops.matmul(x, y)
    if first == 1:
        product = call.ops.squeeze(product, axis=(len(batch),))
    last = len(call.shape(product)) - 1
    return call.ops.squeeze(product, axis=(last,)) if second == 1 else product


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
